//===- Softmax.cpp - Integer kernels: softmax and its logarithm -----------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Distances to the greatest code are integers, so exponents are look-ups: one
// for 8-bit codes, a product of two for 16-bit ones.
//===----------------------------------------------------------------------===//
#include "parallax/Backend/NPU/Kernels/Normalize.h"

#include "parallax/Backend/Kernels/KernelSupport.h"
#include "parallax/Support/Parallel.h"

#include <cmath>

namespace parallax::npu {

//===----------------------------------------------------------------------===//
// Derivation
//===----------------------------------------------------------------------===//

ExponentTable exponentTable(DType xType, float xScale) {
  ExponentTable table;
  auto entry = [&](int64_t d) {
    return roundHalfEven(
        std::ldexp(std::exp(-(double(d) * double(xScale))), 30));
  };
  for (int64_t i = 0; i < 256; ++i)
    table.fine.push_back(entry(i));
  if (sizeOf(xType) > 1)
    for (int64_t i = 0; i < 256; ++i)
      table.coarse.push_back(entry(256 * i));
  return table;
}

SoftmaxTables softmaxTables(DType xType, float xScale, float yScale,
                            int multiplierBits) {
  return {exponentTable(xType, xScale),
          multiplierFor(1.0 / double(yScale), multiplierBits)};
}

std::vector<int64_t> logarithmTable() {
  std::vector<int64_t> table;
  for (int i = 0; i <= 256; ++i)
    table.push_back(
        roundHalfEven(std::ldexp(std::log(1.0 + double(i) / 256), 20)));
  return table;
}

LogSoftmaxTables logSoftmaxTables(DType xType, float xScale, float yScale,
                                  int multiplierBits) {
  double span = double(sizeOf(xType) > 1 ? 65535 : 255) * double(xScale);
  if (!(span < 1024))
    throw DerivationError(
        fmt::format("log-softmax takes inputs over a range below 1024, "
                    "and this one has {}; calibrate it with a "
                    "narrower range or run it in FP32",
                    span));
  LogSoftmaxTables tables;
  tables.exponents = exponentTable(xType, xScale);
  tables.logarithms = logarithmTable();
  Multiplier logarithm =
      multiplierFor(std::ldexp(1.0 / double(yScale), -20), multiplierBits);
  tables.logarithm = logarithm.mantissa;
  tables.shift = logarithm.shift;
  if (logarithm.mantissa)
    tables.distance = roundHalfEven(
        std::ldexp(double(xScale) / double(yScale), logarithm.shift));
  return tables;
}

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

namespace {

/// Calls row(distances, sum) for each row along `axis`, then element(row value,
/// distance) for each element, which gives its steps.
template <typename PerRow, typename PerElement>
void forEachRow(const Tensor &x, Tensor &y, int64_t axis,
                const ExponentTable &exponents, const OutputCodes &output,
                PerRow perRow, PerElement perElement) {
  kernels::AxisSplit split = kernels::splitAt(x.shape(), axis);
  int64_t count = split.count, inner = split.inner;
  if (x.size() == 0)
    return;
  dispatchCodes("softmax", x.dtype(), [&]<typename A>(TypeTag<A>) {
    dispatchResult("softmax", y, [&]<typename T>(T *codes) {
      parallelFor(split.outer * inner, rowGrain(4 * count),
                  [&](int64_t begin, int64_t end) {
                    for (int64_t r = begin; r < end; ++r) {
                      int64_t offset = r / inner * count * inner + r % inner;
                      const A *from = x.data<A>() + offset;
                      T *to = codes + offset;
                      int64_t greatest = from[0], sum = 0;
                      for (int64_t i = 1; i < count; ++i)
                        greatest = std::max<int64_t>(greatest, from[i * inner]);
                      for (int64_t i = 0; i < count; ++i)
                        sum += exponents(greatest - from[i * inner]);
                      auto row = perRow(sum);
                      for (int64_t i = 0; i < count; ++i)
                        to[i * inner] = T(output.code(
                            perElement(row, greatest - from[i * inner])));
                    }
                  });
    });
  });
}

} // namespace

int64_t logarithmOf(int64_t value, const std::vector<int64_t> &table) {
  int bits = bitLength(value);
  int64_t mantissa = bits > 25 ? value >> (bits - 25) : value << (25 - bits);
  int64_t fraction = mantissa - (int64_t(1) << 24);
  int64_t segment = fraction >> 16, part = fraction & 65535;
  int64_t blended = table[segment] * (65536 - part) + table[segment + 1] * part;
  return (bits - 1) * table[256] +
         roundShift<int64_t>(blended, 16, Rounding::HalfUp);
}

void softmax(const Tensor &x, Tensor &y, int64_t axis,
             const SoftmaxTables &tables, const OutputCodes &output) {
  forEachRow(
      x, y, axis, tables.exponents, output,
      [&](int64_t sum) {
        Inverse inverse = reciprocalOf(sum);
        int64_t scaled =
            roundShift<int64_t>(inverse.mantissa * tables.multiplier.mantissa,
                                31, Rounding::HalfUp);
        return Inverse{scaled, inverse.shift + tables.multiplier.shift - 31};
      },
      [&](const Inverse &row, int64_t d) {
        return roundShift(tables.exponents(d) * row.mantissa, row.shift,
                          output.rounding);
      });
}

void logSoftmax(const Tensor &x, Tensor &y, int64_t axis,
                const LogSoftmaxTables &tables, const OutputCodes &output) {
  forEachRow(
      x, y, axis, tables.exponents, output,
      [&](int64_t sum) {
        return (logarithmOf(sum, tables.logarithms) -
                30 * tables.logarithms[256]) *
               tables.logarithm;
      },
      [&](int64_t row, int64_t d) {
        return roundShift(-d * tables.distance - row, tables.shift,
                          output.rounding);
      });
}

} // namespace parallax::npu
