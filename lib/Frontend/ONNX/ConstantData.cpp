//===- ConstantData.cpp - New values for a constant -----------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Every source gives numbers, and one function brings a number into the type
// of the constant or refuses it: no value changes silently.
//===----------------------------------------------------------------------===//
#include "ConstantData.h"
#include "parallax/Support/Error.h"
#include "parallax/Support/MappedFile.h"
#include "parallax/Support/NumPy.h"
#include "parallax/Support/TensorFile.h"

#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>
#include <fmt/format.h>
#include <limits>
#include <optional>

namespace parallax::onnx_import {
namespace {

/// Wide enough for every 64-bit integer, signed or not.
using Integer = __int128;
using Number = std::variant<Integer, double>;

enum class Loss { None, Rounding };

/// Rounds to a float whose last bit tells that something was lost, so that a
/// further rounding to 16 bits gives what a single one would have given.
float roundToOdd(double value) {
  float rounded = float(value);
  if (!std::isfinite(rounded) || double(rounded) == value)
    return rounded;
  auto bits = std::bit_cast<uint32_t>(rounded);
  if (std::abs(double(rounded)) > std::abs(value))
    --bits;
  return std::bit_cast<float>(bits | 1);
}

template <typename T> T rounded(double value) {
  if constexpr (std::is_same_v<T, Half> || std::is_same_v<T, BFloat16>)
    return T(roundToOdd(value));
  else
    return T(value);
}

template <typename T> std::optional<T> convertInteger(Integer value) {
  if constexpr (std::is_integral_v<T>) {
    if (value < Integer(std::numeric_limits<T>::min()) ||
        value > Integer(std::numeric_limits<T>::max()))
      return std::nullopt;
    return T(value);
  } else {
    T result = rounded<T>(double(value));
    if (!std::isfinite(double(result)) || Integer(double(result)) != value)
      return std::nullopt;
    return result;
  }
}

template <typename T> std::optional<T> convertReal(double value, Loss loss) {
  if constexpr (std::is_integral_v<T>) {
    if (!(std::abs(value) < 0x1p64) || std::trunc(value) != value)
      return std::nullopt;
    return convertInteger<T>(Integer(value));
  } else {
    T result = rounded<T>(value);
    if (std::isfinite(value) && !std::isfinite(double(result)))
      return std::nullopt;
    if (loss == Loss::None && !std::isnan(value) && double(result) != value)
      return std::nullopt;
    return result;
  }
}

std::string toString(const Number &number) {
  return std::visit([](auto value) { return fmt::format("{}", value); },
                    number);
}

/// A tensor of the numbers that `numberAt` gives for each index.
template <typename NumberAt>
Tensor convert(DType dtype, Shape shape, Loss loss, NumberAt &&numberAt) {
  Tensor tensor(dtype, std::move(shape));
  dispatch(dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    for (int64_t i = 0; i < tensor.size(); ++i) {
      Number number = numberAt(size_t(i));
      std::optional<T> value =
          number.index() == 0 ? convertInteger<T>(std::get<Integer>(number))
                              : convertReal<T>(std::get<double>(number), loss);
      if (!value)
        throw Error(fmt::format(
            "element {} is {}, which {} can't hold{}", i, toString(number),
            configNameOf(dtype),
            isFloat(dtype) && loss == Loss::None ? " exactly" : ""));
      tensor.data<T>()[i] = *value;
    }
  });
  return tensor;
}

/// The number that the text is, or nothing.
std::optional<Number> parseNumber(std::string_view text, bool asInteger) {
  if (text.starts_with('+') && !text.starts_with("+-"))
    text.remove_prefix(1);
  auto parse = [&]<typename T>(T value) -> std::optional<T> {
    const char *end = text.data() + text.size();
    auto [parsed, error] = std::from_chars(text.data(), end, value);
    if (error != std::errc() || parsed != end)
      return std::nullopt;
    return value;
  };
  if (asInteger) {
    if (auto value = parse(int64_t(0)))
      return Integer(*value);
    if (auto value = parse(uint64_t(0)))
      return Integer(*value);
  }
  if (auto value = parse(0.0))
    return *value;
  return std::nullopt;
}

std::vector<Number> readText(const std::string &path, DType dtype) {
  auto file = MappedFile::open(path);
  std::string_view text(reinterpret_cast<const char *>(file->bytes().data()),
                        file->bytes().size());
  constexpr std::string_view separators = " \t\r\n,";
  std::vector<Number> numbers;
  for (size_t begin = text.find_first_not_of(separators);
       begin != std::string_view::npos;
       begin = text.find_first_not_of(separators, begin)) {
    size_t end = std::min(text.find_first_of(separators, begin), text.size());
    std::string_view word = text.substr(begin, end - begin);
    std::optional<Number> number = parseNumber(word, !isFloat(dtype));
    if (!number)
      throw Error(fmt::format(
          "line {} of '{}' has '{}', which is not a number or is out of range",
          1 + std::count(text.begin(), text.begin() + ptrdiff_t(begin), '\n'),
          path, word.substr(0, 40)));
    numbers.push_back(*number);
    begin = end;
  }
  return numbers;
}

Tensor convertArray(const Tensor &array, DType dtype) {
  if (array.dtype() == dtype)
    return array;
  return dispatch(array.dtype(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    using Wide = std::conditional_t<std::is_integral_v<T>, Integer, double>;
    return convert(dtype, array.shape(), Loss::None,
                   [&](size_t i) { return Number(Wide(array.data<T>()[i])); });
  });
}

/// Checks that `count` values may replace a constant of the shape.
void checkCount(size_t count, const Shape &shape) {
  if (int64_t(count) != elementCount(shape) && shape.size() != 1)
    throw Error(fmt::format("{} values can't replace the {} of a constant of "
                            "shape {}",
                            count, elementCount(shape),
                            parallax::toString(shape)));
}

/// The values of a list, in the constant's shape.
Tensor convertList(const std::vector<Number> &numbers, DType dtype,
                   const Shape &shape) {
  checkCount(numbers.size(), shape);
  return convert(dtype,
                 shape.size() == 1 ? Shape{int64_t(numbers.size())} : shape,
                 Loss::Rounding, [&](size_t i) { return numbers[i]; });
}

} // namespace

Tensor readConstantData(const ConstProcessor &processor, DType dtype,
                        const Shape &shape) {
  const std::string &path = processor.dataPath;
  if (processor.data.empty() == path.empty())
    throw Error("give either data, with at least one number, or data_path");
  if (path.empty())
    return convertList({processor.data.begin(), processor.data.end()}, dtype,
                       shape);
  if (path.ends_with(".npy")) {
    Tensor array = readNpy(path);
    checkCount(size_t(array.size()), shape);
    return convertArray(array, dtype);
  }
  if (path.ends_with(".bin"))
    return readRaw(path, dtype, shape);
  if (path.ends_with(".txt"))
    return convertList(readText(path, dtype), dtype, shape);
  throw Error(fmt::format("'{}' must be a .npy, .bin or .txt file", path));
}

} // namespace parallax::onnx_import
