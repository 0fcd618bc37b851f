//===- Resize.cpp - Integer kernels: resize -------------------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// A single sum over the taps of all axes has no intermediate rounding, which
// is what makes it one formula.
//===----------------------------------------------------------------------===//
#include "parallax/Backend/NPU/Kernels/Resize.h"

#include "parallax/Support/Parallel.h"

#include <cmath>

namespace parallax::npu {
namespace {

/// The weights of one output, which sum to 2^bits: what rounding leaves over
/// goes to the first of the largest.
void appendWeights(std::span<const float> weights, int bits,
                   std::vector<int32_t> &to) {
  int64_t rest = int64_t(1) << bits;
  size_t first = to.size(), largest = first;
  for (float weight : weights) {
    int64_t integer = roundHalfEven(std::ldexp(double(weight), bits));
    rest -= integer;
    to.push_back(int32_t(integer));
    if (to.back() > to[largest])
      largest = to.size() - 1;
  }
  to[largest] += int32_t(rest);
}

} // namespace

IntegerResize integerResize(const kernels::ResizePlan &plan, DType xType) {
  IntegerResize result{plan.outer, plan.inner, {}, 0};
  int budget = sizeOf(xType) == 1 ? 22 : 30;
  if (!plan.axes.empty())
    result.fractionBits = std::min(15, budget / int(plan.axes.size()));
  for (const kernels::ResizeAxis &axis : plan.axes) {
    if (!axis.outside.empty())
      throw Error("tf_crop_and_resize takes values from outside of its input; "
                  "the NPU has no such resize, so run it in FP32");
    IntegerResize::Axis own{axis.in, axis.out, axis.taps, axis.index, {}};
    for (int64_t o = 0; o < axis.out; ++o)
      appendWeights(std::span(axis.weight).subspan(o * axis.taps, axis.taps),
                    result.fractionBits, own.weight);
    result.axes.push_back(std::move(own));
  }
  return result;
}

Multiplier resizeMultiplier(const IntegerResize &plan, float xScale,
                            float yScale) {
  int bits = plan.fractionBits * int(plan.axes.size());
  return multiplierFor(std::ldexp(double(xScale) / double(yScale), -bits));
}

namespace {

/// Inputs and weights of one output position: the products over all axes.
struct Taps {
  std::vector<int64_t> input, weight;

  void find(const IntegerResize &plan, int64_t position) {
    input.assign(1, 0);
    weight.assign(1, 1);
    int64_t stride = plan.inner;
    for (size_t a = plan.axes.size(); a-- > 0;) {
      const IntegerResize::Axis &axis = plan.axes[a];
      int64_t at = position % axis.out * axis.taps;
      position /= axis.out;
      size_t inside = input.size();
      for (int64_t t = 0; t < axis.taps; ++t)
        for (size_t i = 0; i < inside; ++i) {
          input.push_back(input[i] + axis.index[at + t] * stride);
          weight.push_back(weight[i] * axis.weight[at + t]);
        }
      input.erase(input.begin(), input.begin() + int64_t(inside));
      weight.erase(weight.begin(), weight.begin() + int64_t(inside));
      stride *= axis.in;
    }
  }
};

} // namespace

void resize(const IntegerResize &plan, const Tensor &x, int64_t xZero,
            Tensor &y, Multiplier multiplier, const OutputCodes &output) {
  int64_t pixels = plan.inner, positions = 1, inner = plan.inner;
  for (const IntegerResize::Axis &axis : plan.axes) {
    pixels *= axis.in;
    positions *= axis.out;
  }
  dispatchCodes("resize", x.dtype(), [&]<typename A>(TypeTag<A>) {
    dispatchCodes("resize", y.dtype(), [&]<typename T>(TypeTag<T>) {
      const A *from = x.data<A>();
      T *to = y.data<T>();
      parallelFor(positions, rowGrain(4 * plan.outer * inner),
                  [&](int64_t begin, int64_t end) {
                    Taps taps;
                    for (int64_t p = begin; p < end; ++p) {
                      taps.find(plan, p);
                      for (int64_t o = 0; o < plan.outer; ++o)
                        for (int64_t i = 0; i < inner; ++i) {
                          const A *image = from + o * pixels + i;
                          int64_t sum = 0;
                          for (size_t t = 0; t < taps.input.size(); ++t)
                            sum += (int64_t(image[taps.input[t]]) - xZero) *
                                   taps.weight[t];
                          to[(o * positions + p) * inner + i] = T(output.code(
                              requantize(sum, multiplier, output.rounding)));
                        }
                    }
                  });
    });
  });
}

} // namespace parallax::npu
