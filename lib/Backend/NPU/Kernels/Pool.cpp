//===- Pool.cpp - Integer kernels: pooling --------------------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// The inputs of a window are the same for all channels, so they are looked up
// once for each position.
//===----------------------------------------------------------------------===//
#include "parallax/Backend/NPU/Kernels/Pool.h"

#include "Windows.h"
#include "parallax/Support/Parallel.h"

namespace parallax::npu {

std::vector<Multiplier> averageMultipliers(float xScale, float yScale,
                                           int64_t count) {
  std::vector<Multiplier> result(1);
  for (int64_t n = 1; n <= count; ++n)
    result.push_back(
        multiplierFor(double(xScale) / (double(yScale) * double(n))));
  return result;
}

void averagePool(const Tensor &x, int64_t xZero, Tensor &y,
                 const kernels::PoolParams &params,
                 std::span<const Multiplier> multipliers,
                 const OutputCodes &output) {
  std::span<const int64_t> in(x.shape()), out(y.shape());
  Windows windows({in.subspan(2), out.subspan(2), params.kernel, params.strides,
                   params.dilations, params.padsBegin, params.padsEnd});
  int64_t planes = x.dim(0) * x.dim(1);
  int64_t pixels = elementCount(in.subspan(2));
  int64_t positions = elementCount(out.subspan(2));
  dispatchCodes("average_pool", x.dtype(), [&]<typename A>(TypeTag<A>) {
    dispatchCodes("average_pool", y.dtype(), [&]<typename T>(TypeTag<T>) {
      const A *from = x.data<A>();
      T *to = y.data<T>();
      parallelFor(
          positions, rowGrain(planes * windows.taps()),
          [&](int64_t begin, int64_t end) {
            std::vector<int64_t> inputs(size_t(windows.taps()));
            for (int64_t p = begin; p < end; ++p) {
              windows.inputsOf(p, inputs.data());
              auto outside = std::remove(inputs.begin(), inputs.end(), -1);
              int64_t inside = outside - inputs.begin();
              int64_t count =
                  params.countIncludePad ? windows.paddedTaps(p) : inside;
              for (int64_t plane = 0; plane < planes; ++plane) {
                int64_t sum = 0;
                for (int64_t i = 0; i < inside; ++i)
                  sum += int64_t(from[plane * pixels + inputs[i]]) - xZero;
                to[plane * positions + p] = T(output.code(
                    requantize(sum, multipliers[count], output.rounding)));
              }
              inputs.resize(size_t(windows.taps()));
            }
          });
    });
  });
}

} // namespace parallax::npu
