//===- Resize.cpp - Integer kernels: resize -------------------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// A single sum over the taps of all axes has no intermediate rounding, which
// is what makes it one formula.
//===----------------------------------------------------------------------===//
#include "parallax/Backend/NPU/Kernels/Resize.h"

#include "Rescale.h"
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

IntegerResize integerResize(const kernels::ResizePlan &plan, DType xType,
                            int accumulatorBits) {
  IntegerResize result{plan.outer, plan.inner, {}, 0};
  int budget = accumulatorBits - 8 * int(sizeOf(xType)) - 2;
  if (!plan.axes.empty())
    result.fractionBits = std::min(15, budget / int(plan.axes.size()));
  if (!plan.axes.empty() && result.fractionBits < 1)
    throw DerivationError(
        fmt::format("an accumulator of {} bits has none for the "
                    "weights of a resize",
                    accumulatorBits));
  for (const kernels::ResizeAxis &axis : plan.axes) {
    if (!axis.outside.empty())
      throw DerivationError(
          "tf_crop_and_resize takes values from outside of its input; "
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
                            float yScale, int multiplierBits) {
  int bits = plan.fractionBits * int(plan.axes.size());
  return multiplierFor(std::ldexp(double(xScale) / double(yScale), -bits),
                       multiplierBits);
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

namespace {

/// One output position of `inner` neighbours. `Sum` holds every sum of
/// products.
template <Rounding rounding, typename Sum, typename A, typename T>
struct ResizeLoop {
  PARALLAX_INLINE static void run(const A *x, const Taps &taps, int64_t inner,
                                  int32_t zero, const Rescale &rescale,
                                  T *__restrict y) {
    constexpr int64_t width = 16;
    int64_t i = 0;
    for (; i + width <= inner; i += width)
      some<width>(x + i, taps, zero, rescale, y + i);
    for (; i < inner; ++i)
      some<1>(x + i, taps, zero, rescale, y + i);
  }

  template <int64_t width>
  PARALLAX_INLINE static void some(const A *x, const Taps &taps, int32_t zero,
                                   const Rescale &rescale, T *__restrict y) {
    Sum sums[width] = {};
    const int64_t *input = taps.input.data(), *weight = taps.weight.data();
    const auto count = int64_t(taps.input.size());
    for (int64_t t = 0; t < count; ++t) {
      const A *from = x + input[t];
      auto factor = int32_t(weight[t]);
      for (int64_t i = 0; i < width; ++i)
        sums[i] += Sum(int32_t(from[i]) - zero) * factor;
    }
    for (int64_t i = 0; i < width; ++i)
      y[i] = T(rescale.code<rounding>(sums[i]));
  }
};

/// The greatest magnitude that a weighted sum of codes can have.
int64_t largestSum(const IntegerResize &plan, DType type) {
  int64_t product = sizeOf(type) == 1 ? 255 : 65535;
  for (const IntegerResize::Axis &axis : plan.axes) {
    int64_t most = 0;
    for (int64_t o = 0; o < axis.out; ++o) {
      int64_t sum = 0;
      for (int64_t t = 0; t < axis.taps; ++t)
        sum += std::abs(int64_t(axis.weight[size_t(o * axis.taps + t)]));
      most = std::max(most, sum);
    }
    product *= most;
  }
  return product;
}

} // namespace

void resize(const IntegerResize &plan, const Tensor &x, int64_t xZero,
            Tensor &y, Multiplier multiplier, const OutputCodes &output) {
  int64_t pixels = plan.inner, positions = 1, inner = plan.inner;
  for (const IntegerResize::Axis &axis : plan.axes) {
    pixels *= axis.in;
    positions *= axis.out;
  }
  Rescale rescale(multiplier, output, largestSum(plan, x.dtype()));
  // Calls fn(taps, o, p) for position p of picture o.
  auto forEachPosition = [&](auto fn) {
    parallelFor(positions, rowGrain(4 * plan.outer * inner),
                [&](int64_t begin, int64_t end) {
                  Taps taps;
                  for (int64_t p = begin; p < end; ++p) {
                    taps.find(plan, p);
                    for (int64_t o = 0; o < plan.outer; ++o)
                      fn(taps, o, p);
                  }
                });
  };
  dispatchCodes("resize", x.dtype(), [&]<typename A>(TypeTag<A>) {
    dispatchResult("resize", y, [&]<typename T>(T *to) {
      const A *from = x.data<A>();
      if (!rescale.isReady())
        return forEachPosition([&](const Taps &taps, int64_t o, int64_t p) {
          for (int64_t i = 0; i < inner; ++i) {
            const A *image = from + o * pixels + i;
            int64_t sum = 0;
            for (size_t t = 0; t < taps.input.size(); ++t)
              sum += (int64_t(image[taps.input[t]]) - xZero) * taps.weight[t];
            to[(o * positions + p) * inner + i] =
                T(output.code(requantize(sum, multiplier, output.rounding)));
          }
        });
      dispatchRounding(output.rounding, [&](auto mode) {
        constexpr Rounding rounding = decltype(mode)::value;
        auto with = [&](auto run) {
          forEachPosition([&](const Taps &taps, int64_t o, int64_t p) {
            run(from + o * pixels, taps, inner, int32_t(xZero), rescale,
                to + (o * positions + p) * inner);
          });
        };
        if (rescale.isNarrow())
          with(vectorized<ResizeLoop<rounding, int32_t, A, T>>());
        else
          with(vectorized<ResizeLoop<rounding, int64_t, A, T>>());
      });
    });
  });
}

} // namespace parallax::npu
