//===- NumPyObject.cpp - Dicts of arrays in .npy files --------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// An array out of a pickle is handed to the reader of plain .npy files, so that
// types, byte orders and sizes are checked in one place.
//===----------------------------------------------------------------------===//
#include "parallax/Data/NumPyObject.h"
#include "parallax/Support/Error.h"
#include "parallax/Support/NearestNames.h"
#include "parallax/Support/NumPy.h"
#include "parallax/Support/Unicode.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace parallax {
namespace {

constexpr std::string_view magic = "\x93NUMPY";
/// Keys are copied, and all of them may be one and the same long text.
constexpr size_t maxKeys = 10'000, maxKeySize = 4096;

[[noreturn]] void fail(std::string_view source, std::string_view reason) {
  throw Error(
      fmt::format("cannot read '{}' as a dict of arrays: {}", source, reason));
}

/// What follows the header, which numpy.save writes in exactly one way for an
/// object.
std::span<const std::byte> pickleOf(std::span<const std::byte> bytes,
                                    std::string_view source) {
  std::string_view text(reinterpret_cast<const char *>(bytes.data()),
                        bytes.size());
  if (!text.starts_with(magic) || text.size() < magic.size() + 6)
    fail(source, "it does not begin like a NumPy file");
  size_t lengthAt = magic.size() + 2;
  size_t lengthSize = text[magic.size()] == 1 ? 2 : 4, length = 0;
  for (size_t byte = 0; byte < lengthSize; ++byte)
    length |= size_t(uint8_t(text[lengthAt + byte])) << (8 * byte);
  size_t headerAt = lengthAt + lengthSize;
  if (text.size() - headerAt < length)
    fail(source, "it ends inside its header");
  std::string header(text.substr(headerAt, length));
  std::erase_if(header, [](char symbol) { return symbol <= ' '; });
  if (header.find("'descr':'|O'") == std::string::npos)
    fail(source, "it holds a plain array; set calibration_format to Numpy, or "
                 "save a dict {input name: array}");
  if (header != "{'descr':'|O','fortran_order':False,'shape':(),}")
    fail(source, "it holds an array of objects; save one dict {input name: "
                 "array} per file");
  return bytes.subspan(headerAt + length);
}

/// The file that numpy.save would have written for the array alone.
std::string npyOf(const pickle::Array &array) {
  std::string header = fmt::format(
      "{{'descr': '{}{}', 'fortran_order': {}, 'shape': ({}{})}}",
      array.type.order, array.type.code, array.fortranOrder ? "True" : "False",
      fmt::join(array.shape, ","), array.shape.empty() ? "" : ",");
  std::string file(magic);
  file += {2, 0};
  for (size_t byte = 0; byte < 4; ++byte)
    file += char(header.size() >> (8 * byte) & 0xff);
  file.reserve(file.size() + header.size() + array.data.size());
  return file.append(header).append(array.data);
}

} // namespace

NumPyObject::NumPyObject(std::span<const std::byte> bytes,
                         std::string sourceName)
    : source(std::move(sourceName)),
      document(pickle::parse(pickleOf(bytes, source), source)) {
  const auto *outer = std::get_if<pickle::Array>(&document.root());
  const pickle::Dict *dict = nullptr;
  const auto *objects =
      outer && outer->objects
          ? std::get_if<pickle::List>(&document.at(*outer->objects))
          : nullptr;
  if (objects && objects->items.size() == 1)
    dict = std::get_if<pickle::Dict>(&document.at(objects->items[0]));
  if (!dict)
    fail(source, "its object is not a dict");
  if (dict->items.size() > maxKeys)
    fail(source, fmt::format("its dict has more than {} keys", maxKeys));
  for (auto [key, value] : dict->items) {
    const auto *text = std::get_if<pickle::Text>(&document.at(key));
    if (!text || text->utf8.size() > maxKeySize)
      fail(source,
           "a key of its dict is not a name; use the names of the inputs");
    keys.emplace_back(text->utf8);
    values.push_back(value);
  }
}

Tensor NumPyObject::array(std::string_view name) const {
  // In a dict, a later value replaces an earlier one.
  auto found = std::find(keys.rbegin(), keys.rend(), name);
  if (found == keys.rend())
    fail(source,
         fmt::format("it has no array named '{}'{}", name,
                     keys.empty() ? "; its dict is empty"
                                  : fmt::format("; its first key is '{}'{}",
                                                elide(keys.front(), 60),
                                                didYouMean(name, keys))));
  size_t index = size_t(keys.rend() - found) - 1;
  const auto *array = std::get_if<pickle::Array>(&document.at(values[index]));
  if (!array)
    fail(source, fmt::format("'{}' is not a NumPy array", name));
  std::string npy = npyOf(*array);
  return readNpy(std::as_bytes(std::span(npy)),
                 fmt::format("{}[{}]", source, name));
}

} // namespace parallax
