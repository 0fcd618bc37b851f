//===- PickleNumPy.cpp - How NumPy's objects are pickled ------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// An array is pickled as a call of one of a few private functions of NumPy and
// a state that is set afterwards. These calls are recognized by name and turned
// into a description of the array; no other name has a meaning here.
//===----------------------------------------------------------------------===//
#include "PickleMachine.h"
#include "parallax/Support/Error.h"
#include "parallax/Support/Unicode.h"

#include <algorithm>
#include <fmt/format.h>

namespace parallax::pickle {
namespace {

struct KnownName {
  std::string_view module, name;
  Callable callable;
};

/// NumPy 2 renamed its private modules; protocols 0 to 2 use the names of
/// Python 2.
constexpr KnownName knownNames[] = {
    {"numpy.core.multiarray", "_reconstruct", Callable::Reconstruct},
    {"numpy._core.multiarray", "_reconstruct", Callable::Reconstruct},
    {"numpy.core.numeric", "_frombuffer", Callable::FromBuffer},
    {"numpy._core.numeric", "_frombuffer", Callable::FromBuffer},
    {"numpy.core.multiarray", "scalar", Callable::Scalar},
    {"numpy._core.multiarray", "scalar", Callable::Scalar},
    {"numpy", "ndarray", Callable::NdArray},
    {"numpy", "dtype", Callable::DType},
    {"_codecs", "encode", Callable::Encode},
    {"__builtin__", "bytes", Callable::MakeBytes},
    {"builtins", "bytes", Callable::MakeBytes}};

constexpr size_t maxRank = 64;

bool isOneOf(char symbol, std::string_view symbols) {
  return symbols.find(symbol) != std::string_view::npos;
}

} // namespace

Callable Machine::findCallable(std::string_view module,
                               std::string_view name) const {
  for (const KnownName &known : knownNames)
    if (known.module == module && known.name == name)
      return known.callable;
  fail(fmt::format("asks for '{}.{}' (GLOBAL); only NumPy arrays are read, and "
                   "nothing is ever called",
                   shown(module), shown(name)));
}

std::string_view Machine::textOf(Ref ref, std::string_view what) const {
  if (const auto *text = get<Text>(ref))
    return text->utf8;
  fail(fmt::format("has no text for {}", what));
}

std::string_view Machine::bytesOf(Ref ref, std::string_view what) const {
  if (const auto *bytes = get<Bytes>(ref))
    return bytes->data;
  if (const auto *text = get<Text>(ref); text && !text->isUnicode)
    return text->utf8;
  fail(fmt::format("has no bytes for {}", what));
}

ArrayType Machine::arrayTypeOf(Ref ref) const {
  if (const auto *type = get<ArrayType>(ref))
    return *type;
  fail("has an array without an element type");
}

ArrayType Machine::parseArrayType(std::string_view text) const {
  ArrayType type;
  if (!text.empty() && isOneOf(text.front(), "<>=|")) {
    type.order = text.front();
    text.remove_prefix(1);
  }
  bool valid = !text.empty() && text.size() <= 8 &&
               std::all_of(text.begin(), text.end(), [](char symbol) {
                 return std::isalnum(uint8_t(symbol)) != 0;
               });
  if (!valid)
    fail(fmt::format("has the unknown element type '{}'", shown(text)));
  type.code = text;
  return type;
}

Shape Machine::shapeOf(Ref ref) const {
  const auto *tuple = get<Tuple>(ref);
  if (!tuple || tuple->items.size() > maxRank)
    fail(fmt::format("has an array whose shape is not a tuple of at most {} "
                     "integers",
                     maxRank));
  Shape shape;
  for (Ref item : tuple->items) {
    const auto *dim = get<int64_t>(item);
    if (!dim || *dim < 0)
      fail("has an array with an impossible shape");
    shape.push_back(*dim);
  }
  return shape;
}

std::string_view Machine::encodeLatin1(std::string_view utf8) {
  std::string latin;
  while (!utf8.empty()) {
    char32_t symbol = takeCodePoint(utf8);
    if (symbol > 0xff)
      fail("encodes a character as Latin-1 that is not in it");
    latin += char(symbol);
  }
  return keep(std::move(latin));
}

Value Machine::call(Callable callable, const std::vector<Ref> &arguments) {
  size_t count = arguments.size();
  switch (callable) {
  case Callable::Reconstruct: {
    const auto *type = count == 3 ? get<Callable>(arguments[0]) : nullptr;
    if (!type || *type != Callable::NdArray)
      fail("reconstructs something that is not a numpy.ndarray");
    return Array{};
  }
  case Callable::FromBuffer: {
    bool ordered = count == 4 || (count == 5 && get<None>(arguments[4]));
    if (!ordered)
      fail("calls numpy's _frombuffer in an unknown way");
    std::string_view order = textOf(arguments[3], "the order of an array");
    if (order != "C" && order != "F")
      fail(fmt::format("has an array of the unknown order '{}'", shown(order)));
    return Array{arrayTypeOf(arguments[1]), shapeOf(arguments[2]), order == "F",
                 bytesOf(arguments[0], "the data of an array"), std::nullopt};
  }
  case Callable::Scalar:
    if (count != 2)
      fail("calls numpy's scalar in an unknown way");
    return Array{arrayTypeOf(arguments[0]),
                 {},
                 false,
                 bytesOf(arguments[1], "the data of a scalar"),
                 std::nullopt};
  case Callable::DType:
    if (count == 0)
      fail("has an element type without a name");
    return parseArrayType(textOf(arguments[0], "an element type"));
  case Callable::Encode:
    if (count != 2 || textOf(arguments[1], "an encoding") != "latin1")
      fail("encodes text in another way than Latin-1");
    return Bytes{encodeLatin1(textOf(arguments[0], "bytes"))};
  case Callable::MakeBytes:
    if (count != 0)
      fail("makes bytes from something else");
    return Bytes{};
  case Callable::NdArray:
    break;
  }
  fail("calls numpy.ndarray (REDUCE), which no saved array does");
}

void Machine::build(Ref object, Ref state) {
  const auto *tuple = get<Tuple>(state);
  if (tuple && std::holds_alternative<Array>(document.values[object]))
    return buildArray(std::get<Array>(document.values[object]), tuple->items);
  if (tuple && std::holds_alternative<ArrayType>(document.values[object]))
    return buildArrayType(std::get<ArrayType>(document.values[object]),
                          tuple->items);
  fail("sets the state of something that is not an array (BUILD)");
}

void Machine::buildArray(Array &array, std::span<const Ref> state) {
  // Old arrays lack the version in front.
  if (state.size() == 5)
    state = state.subspan(1);
  if (state.size() != 4)
    fail("has an array in an unknown form");
  array.shape = shapeOf(state[0]);
  array.type = arrayTypeOf(state[1]);
  const auto *fortran = get<bool>(state[2]);
  const auto *fortranNumber = get<int64_t>(state[2]);
  if (!fortran && !fortranNumber)
    fail("has an array in an unknown form");
  array.fortranOrder = fortran ? *fortran : *fortranNumber != 0;
  if (get<List>(state[3]))
    array.objects = state[3];
  else
    array.data = bytesOf(state[3], "the data of an array");
}

void Machine::buildArrayType(ArrayType &type, std::span<const Ref> state) {
  if (state.size() < 5)
    fail("has an element type in an unknown form");
  for (Ref part : state.subspan(2, 3))
    if (!get<None>(part))
      fail("has an array of records; save each field as an array of its own");
  std::string_view order = textOf(state[1], "a byte order");
  if (order.size() != 1 || !isOneOf(order[0], "<>=|"))
    fail("has an unknown byte order");
  type.order = order[0];
}

} // namespace parallax::pickle
