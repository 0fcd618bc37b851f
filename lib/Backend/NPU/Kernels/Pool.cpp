//===- Pool.cpp - Integer kernels: pooling --------------------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// What becomes of the codes of a window.
//===----------------------------------------------------------------------===//
#include "parallax/Backend/NPU/Kernels/Pool.h"

#include "PoolWindows.h"
#include "parallax/Backend/NPU/Kernels/Reduce.h"

namespace parallax::npu {

std::vector<Multiplier> averageMultipliers(float xScale, float yScale,
                                           int64_t count, int multiplierBits) {
  std::vector<Multiplier> result(1);
  for (int64_t n = 1; n <= count; ++n)
    result.push_back(multiplierFor(
        double(xScale) / (double(yScale) * double(n)), multiplierBits));
  return result;
}

template <typename Fn>
static void poolCodes(const Tensor &x, Tensor &y,
                      const kernels::PoolParams &params, Fn fn) {
  dispatchCodes("pooling", x.dtype(), [&]<typename A>(TypeTag<A>) {
    dispatchCodes("pooling", y.dtype(), [&]<typename T>(TypeTag<T>) {
      forEachWindow<A, T>(x, y, params, fn);
    });
  });
}

void averagePool(const Tensor &x, int64_t xZero, Tensor &y,
                 const kernels::PoolParams &params,
                 std::span<const Multiplier> multipliers,
                 const OutputCodes &output) {
  poolCodes(
      x, y, params,
      [&](const auto *from, std::span<const int64_t> inside, int64_t count) {
        int64_t sum = 0;
        for (int64_t input : inside)
          sum += int64_t(from[input]) - xZero;
        return output.code(
            requantize(sum, multipliers[count], output.rounding));
      });
}

void lpPool(const Tensor &x, int64_t xZero, Tensor &y,
            const kernels::PoolParams &params, bool isEuclidean,
            Multiplier multiplier, const OutputCodes &output) {
  poolCodes(x, y, params,
            [&](const auto *from, std::span<const int64_t> inside, int64_t) {
              int64_t sum = 0;
              for (int64_t input : inside) {
                int64_t value = std::abs(int64_t(from[input]) - xZero);
                sum += isEuclidean ? value * value : value;
              }
              return output.code(
                  isEuclidean ? requantizeRoot(sum, multiplier, output.rounding)
                              : requantize(sum, multiplier, output.rounding));
            });
}

} // namespace parallax::npu
