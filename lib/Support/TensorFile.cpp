//===- TensorFile.cpp - Raw tensor files and their names ------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Sizes are checked before memory is allocated: a shape may come from a config
// or a header that asks for more than the computer has.
//===----------------------------------------------------------------------===//
#include "parallax/Support/TensorFile.h"
#include "parallax/Support/AtomicFile.h"
#include "parallax/Support/Digest.h"
#include "parallax/Support/Error.h"
#include "parallax/Support/MappedFile.h"
#include "parallax/Support/Unicode.h"

#include <algorithm>
#include <cstring>
#include <fmt/format.h>
#include <limits>
#include <unordered_set>

namespace parallax {

std::optional<size_t> byteSizeOf(DType dtype, std::span<const int64_t> shape) {
  // Zero dimensions count as one here: strides multiply the others even when
  // the tensor is empty.
  int64_t extent = int64_t(sizeOf(dtype));
  bool empty = false;
  for (int64_t dim : shape) {
    if (dim < 0 ||
        __builtin_mul_overflow(extent, std::max<int64_t>(dim, 1), &extent))
      return std::nullopt;
    empty |= dim == 0;
  }
  return empty ? 0 : size_t(extent);
}

Tensor tensorFromBytes(DType dtype, Shape shape,
                       std::span<const std::byte> bytes) {
  Tensor tensor(dtype, std::move(shape));
  assert(bytes.size() == tensor.byteSize());
  if (dtype == DType::Bool)
    std::transform(bytes.begin(), bytes.end(), tensor.data<bool>(),
                   [](std::byte value) { return value != std::byte(0); });
  else if (!bytes.empty())
    std::memcpy(tensor.rawData(), bytes.data(), bytes.size());
  return tensor;
}

std::span<const std::byte> bytesOf(const Tensor &tensor) {
  return {static_cast<const std::byte *>(tensor.rawData()), tensor.byteSize()};
}

/// " which fits 2-byte elements (float16, ...)", if another type explains the
/// size that was found.
static std::string likelyType(std::span<const int64_t> shape, size_t found) {
  std::string names;
  size_t elementSize = 0;
  for (int type = 0; type <= int(DType::Bool); ++type) {
    if (byteSizeOf(DType(type), shape) != found || found == 0)
      continue;
    elementSize = sizeOf(DType(type));
    names +=
        fmt::format("{}{}", names.empty() ? "" : ", ", nameOf(DType(type)));
  }
  if (names.empty())
    return "";
  return fmt::format("; that size fits {}-byte elements ({})", elementSize,
                     names);
}

Tensor readRaw(const std::filesystem::path &path, DType dtype, Shape shape) {
  std::optional<size_t> expected = byteSizeOf(dtype, shape);
  if (!expected)
    throw Error(fmt::format("cannot read '{}': the shape {} is impossible",
                            path.string(), toString(shape)));
  auto file = MappedFile::open(path);
  if (file->bytes().size() != *expected)
    throw Error(fmt::format("'{}' has {} bytes, but {} of {} needs {} bytes{}",
                            path.string(), file->bytes().size(),
                            toString(shape), nameOf(dtype), *expected,
                            likelyType(shape, file->bytes().size())));
  return tensorFromBytes(dtype, std::move(shape), file->bytes());
}

Tensor readRaw(const std::filesystem::path &path, DType dtype) {
  auto file = MappedFile::open(path);
  size_t size = file->bytes().size();
  if (size % sizeOf(dtype) != 0)
    throw Error(fmt::format(
        "'{}' has {} bytes, which is not a multiple of the {} bytes of a {}",
        path.string(), size, sizeOf(dtype), nameOf(dtype)));
  return tensorFromBytes(dtype, {int64_t(size / sizeOf(dtype))}, file->bytes());
}

void writeRaw(const std::filesystem::path &path, const Tensor &tensor) {
  writeFileAtomically(path, bytesOf(tensor));
}

std::string fileNameOf(std::string_view tensorName) {
  constexpr size_t longest = 200, digits = 16;
  std::string name;
  for (std::string_view rest = tensorName; !rest.empty();) {
    char32_t symbol = takeCodePoint(rest);
    bool keep =
        (symbol >= 'a' && symbol <= 'z') || (symbol >= 'A' && symbol <= 'Z') ||
        (symbol >= '0' && symbol <= '9') || symbol == '_' || symbol == '-';
    name += keep ? char(symbol) : '_';
  }
  if (name.size() > longest) {
    name.resize(longest - digits - 1);
    name +=
        "-" + sha256Of(std::as_bytes(std::span(tensorName))).substr(0, digits);
  }
  return name;
}

std::vector<std::string>
uniqueFileNames(std::span<const std::string> tensorNames) {
  std::vector<std::string> names;
  for (const std::string &tensorName : tensorNames)
    names.push_back(fileNameOf(tensorName));
  // A suffixed name must not take the plain name of a later tensor.
  std::unordered_set<std::string> plain(names.begin(), names.end()), used;
  for (std::string &name : names) {
    if (used.insert(name).second)
      continue;
    std::string candidate;
    for (int suffix = 2; candidate.empty() || plain.contains(candidate) ||
                         !used.insert(candidate).second;
         ++suffix)
      candidate = fmt::format("{}_{}", name, suffix);
    name = candidate;
  }
  return names;
}

} // namespace parallax
