//===- Pool.cpp - Integer kernels: pooling --------------------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// The inputs of a window are the same for all channels, so they are looked up
// once for each position.
//===----------------------------------------------------------------------===//
#include "parallax/Backend/NPU/Kernels/Pool.h"

#include "Windows.h"
#include "parallax/Backend/NPU/Kernels/Reduce.h"
#include "parallax/Support/Parallel.h"

namespace parallax::npu {

std::vector<Multiplier> averageMultipliers(float xScale, float yScale,
                                           int64_t count, int multiplierBits) {
  std::vector<Multiplier> result(1);
  for (int64_t n = 1; n <= count; ++n)
    result.push_back(multiplierFor(
        double(xScale) / (double(yScale) * double(n)), multiplierBits));
  return result;
}

/// Stores fn(the inputs of a window in one channel, how many taps count) for
/// every position; `inputs` are offsets from the channel's first element.
template <typename Fn>
static void forEachWindow(const Tensor &x, Tensor &y,
                          const kernels::PoolParams &params, Fn fn) {
  std::span<const int64_t> in(x.shape()), out(y.shape());
  Windows windows({in.subspan(2), out.subspan(2), params.kernel, params.strides,
                   params.dilations, params.padsBegin, params.padsEnd});
  int64_t planes = x.dim(0) * x.dim(1);
  int64_t pixels = elementCount(in.subspan(2));
  int64_t positions = elementCount(out.subspan(2));
  dispatchCodes("pooling", x.dtype(), [&]<typename A>(TypeTag<A>) {
    dispatchCodes("pooling", y.dtype(), [&]<typename T>(TypeTag<T>) {
      const A *from = x.data<A>();
      T *to = y.data<T>();
      parallelFor(positions, rowGrain(planes * windows.taps()),
                  [&](int64_t begin, int64_t end) {
                    std::vector<int64_t> inputs(size_t(windows.taps()));
                    for (int64_t p = begin; p < end; ++p) {
                      windows.inputsOf(p, inputs.data());
                      auto outside =
                          std::remove(inputs.begin(), inputs.end(), -1);
                      std::span<const int64_t> inside(inputs.begin(), outside);
                      int64_t count = params.countIncludePad
                                          ? windows.paddedTaps(p)
                                          : int64_t(inside.size());
                      for (int64_t plane = 0; plane < planes; ++plane)
                        to[plane * positions + p] =
                            T(fn(from + plane * pixels, inside, count));
                    }
                  });
    });
  });
}

void averagePool(const Tensor &x, int64_t xZero, Tensor &y,
                 const kernels::PoolParams &params,
                 std::span<const Multiplier> multipliers,
                 const OutputCodes &output) {
  forEachWindow(
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
  forEachWindow(
      x, y, params,
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
