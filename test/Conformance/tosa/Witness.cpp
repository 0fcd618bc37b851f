//===- Witness.cpp - Text and numbers of cases ----------------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// What all cases are made of.
//===----------------------------------------------------------------------===//
#include "Witness.h"

#include <cmath>

namespace parallax::tosa {

std::string typeText(const Dims &dims, const std::string &element) {
  std::string text = "tensor<";
  for (int64_t extent : dims)
    text += fmt::format("{}x", extent);
  return text + element + ">";
}

std::string npuElement(const Codes &codes) {
  return fmt::format("{}i{}", codes.isSigned ? "" : "u", codes.bits);
}

std::string tosaElement(const Codes &codes) {
  return fmt::format("i{}", codes.bits);
}

int64_t tosaOffset(const Codes &codes) {
  return codes.isSigned ? 0 : int64_t(1) << (codes.bits - 1);
}

std::string denseText(const std::vector<int64_t> &values, int bytes) {
  std::string text = "dense<\"0x";
  for (int64_t value : values)
    for (int i = 0; i < bytes; ++i)
      text += fmt::format("{:02X}", uint8_t(value >> (8 * i)));
  return text + "\">";
}

std::string tosaConstant(const std::string &name, const std::string &element,
                         const std::vector<int64_t> &values) {
  std::string type = typeText({int64_t(values.size())}, element);
  return fmt::format("  %{} = \"tosa.const\"() <{{values = dense<[{}]> : {}}}> "
                     ": () -> {}\n",
                     name, fmt::join(values, ", "), type, type);
}

Dims permuted(const Dims &dims, const Dims &perm) {
  Dims result;
  for (int64_t axis : perm)
    result.push_back(dims[axis]);
  return perm.empty() ? dims : result;
}

std::vector<int64_t> transposed(const std::vector<int64_t> &values,
                                const Dims &dims, const Dims &perm) {
  if (perm.empty())
    return values;
  Dims to = permuted(dims, perm);
  std::vector<int64_t> result;
  for (size_t flat = 0; flat < values.size(); ++flat) {
    // The coordinate in the result gives that in the operand, axis by axis.
    Dims at(dims.size());
    auto rest = int64_t(flat);
    for (size_t i = dims.size(); i-- > 0; rest /= to[i])
      at[perm[i]] = rest % to[i];
    int64_t from = 0;
    for (size_t i = 0; i < dims.size(); ++i)
      from = from * dims[i] + at[i];
    result.push_back(values[from]);
  }
  return result;
}

std::string outputText(const Codes &y) {
  return fmt::format("zero_point = {} : i64, low = {} : i64, high = {} : i64, "
                     "rounding = \"half_up\"",
                     y.zero, y.low, y.high);
}

//===----------------------------------------------------------------------===//
// Numbers
//===----------------------------------------------------------------------===//

static void placeZero(Chance &chance, Codes &codes, bool centred) {
  int64_t ends[] = {codes.low, codes.high,
                    chance.between(codes.low, codes.high),
                    chance.between(codes.low, codes.high)};
  codes.zero =
      centred && codes.bits == 16 ? tosaOffset(codes) : chance.pick(ends);
}

Codes someCodes(Chance &chance, const CodeType &type, const Dims &dims,
                bool centred) {
  Codes codes = npu::test::codesOf(type, dims, 1.0f, 0);
  placeZero(chance, codes, centred);
  Fill fill =
      chance.between(0, 2) == 0 ? chance.pick(npu::test::fills) : Fill::Random;
  return npu::test::filled(codes, fill, uint64_t(chance.between(0, 1 << 30)));
}

Codes someResult(Chance &chance, const CodeType &type, const Dims &dims,
                 bool centred) {
  Codes y = npu::test::codesOf(type, dims, 1.0f, 0);
  placeZero(chance, y, centred);
  if (chance.between(0, 3) == 0) {
    y.low = y.zero;
    y.high = chance.between(y.low, y.high);
  }
  return y;
}

Factors someFactors(Chance &chance, size_t count, double bound, const Codes &y,
                    bool isShort) {
  Factors factors{{}, {}, isShort};
  auto digits = int(std::ceil(std::log2(bound)));
  int least = std::max(isShort ? 18 : 2, digits);
  int greatest = isShort ? 78 : 62;
  for (size_t i = 0; i < count; ++i) {
    int64_t m = isShort ? chance.between(1 << 14, (1 << 15) - 1) << 16
                        : chance.between(1 << 30, (int64_t(1) << 31) - 1);
    // A power of two makes exact halves.
    if (chance.between(0, 3) == 0)
      m = int64_t(1) << 30;
    int shift = digits + 28 - y.bits + int(chance.between(-2, 4));
    if (chance.between(0, 15) == 0)
      shift = int(chance.between(least, greatest));
    factors.multipliers.push_back(m);
    factors.shifts.push_back(std::clamp(shift, least, greatest));
  }
  return factors;
}

std::string factorsText(const Factors &factors) {
  return fmt::format("multipliers = array<i32: {}>, shifts = array<i32: {}>",
                     fmt::join(factors.multipliers, ", "),
                     fmt::join(factors.shifts, ", "));
}

std::string rescaleText(const std::string &from, const std::string &fromElement,
                        const std::string &to, const Codes &y, const Dims &dims,
                        const Factors &factors) {
  std::vector<int64_t> multipliers = factors.multipliers;
  std::vector<int64_t> shifts = factors.shifts;
  if (factors.isShort)
    for (size_t i = 0; i < multipliers.size(); ++i) {
      multipliers[i] >>= 16;
      shifts[i] -= 16;
    }
  std::string element = tosaElement(y);
  std::string wide = factors.isShort ? "i16" : "i32";
  auto count = int64_t(multipliers.size());
  std::string text = tosaConstant("m" + to, wide, multipliers) +
                     tosaConstant("s" + to, "i8", shifts) +
                     tosaConstant("zi" + to, fromElement, {0}) +
                     tosaConstant("zo" + to, element, {tosaZero(y)});
  std::string result = typeText(dims, element);
  text += fmt::format(
      "  %u{0} = tosa.rescale %{1}, %m{0}, %s{0}, %zi{0}, %zo{0} {{scale32 = "
      "{2}, rounding_mode = SINGLE_ROUND, per_channel = {3}, input_unsigned = "
      "false, output_unsigned = false}} : ({4}, {5}, {6}, {7}, {8}) -> {9}\n",
      to, from, !factors.isShort, count > 1, typeText(dims, fromElement),
      typeText({count}, wide), typeText({count}, "i8"),
      typeText({1}, fromElement), typeText({1}, element), result);
  return text + fmt::format("  %{0} = tosa.clamp %u{0} {{min_val = {1} : {2}, "
                            "max_val = {3} : {2}}} : ({4}) -> {4}\n",
                            to, y.low - tosaOffset(y), element,
                            y.high - tosaOffset(y), result);
}

} // namespace parallax::tosa
