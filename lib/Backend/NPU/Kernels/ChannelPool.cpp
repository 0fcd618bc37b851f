//===- ChannelPool.cpp - Pooling with the channels innermost --------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Every output position combines the channel vectors of its pixels, some
// channels at a time, so that what is combined stays in registers.
//===----------------------------------------------------------------------===//
#include "parallax/Backend/NPU/Kernels/ChannelPool.h"

#include "Rescale.h"
#include "TapTables.h"
#include "parallax/Support/Parallel.h"

namespace parallax::npu {

struct ChannelPool::Plan {
  int64_t batch, channels;
  bool countIncludePad;
  TapTables tables;
  Windows windows;

  Plan(const Shape &x, const Shape &y, const kernels::PoolParams &params,
       const WindowShape &shape)
      : batch(x[0]), channels(x[1]), countIncludePad(params.countIncludePad),
        tables(shape), windows(shape) {}

  /// Calls fn(offsets of the pixels inside, taps that count, position in y).
  template <typename Fn> void forEachWindow(Fn fn) const {
    int64_t taps = tables.outerTaps * tables.innerTaps;
    parallelFor(
        batch * tables.positions, rowGrain(taps * channels),
        [&](int64_t begin, int64_t end) {
          std::vector<int64_t> pixels(size_t(std::max<int64_t>(taps, 1)));
          for (int64_t row = begin; row < end; ++row) {
            int64_t picture = row / tables.positions;
            int64_t position = row % tables.positions;
            int64_t count = tables.pixelsOf(position, pixels.data());
            for (int64_t i = 0; i < count; ++i)
              pixels[i] = (pixels[i] + picture * tables.pixels) * channels;
            fn(std::span(pixels.data(), size_t(count)),
               countIncludePad ? windows.paddedTaps(position) : count,
               row * channels);
          }
        });
  }
};

static WindowShape windowShape(const Shape &x, const Shape &y,
                               const kernels::PoolParams &params) {
  return {std::span(x).subspan(2), std::span(y).subspan(2), params.kernel,
          params.strides,          params.dilations,        params.padsBegin,
          params.padsEnd};
}

ChannelPool::ChannelPool(const Shape &x, const Shape &y,
                         const kernels::PoolParams &params)
    : plan(std::make_unique<Plan>(x, y, params, windowShape(x, y, params))) {}
ChannelPool::~ChannelPool() = default;

namespace {

template <int64_t count, typename T>
PARALLAX_INLINE void maxOf(const T *x, std::span<const int64_t> pixels,
                           T *__restrict y) {
  T best[count];
  std::fill_n(best, count, std::numeric_limits<T>::lowest());
  for (int64_t pixel : pixels)
    for (int64_t c = 0; c < count; ++c) {
      T code = x[pixel + c];
      best[c] = code > best[c] ? code : best[c];
    }
  for (int64_t c = 0; c < count; ++c)
    y[c] = best[c];
}

template <typename T> struct MaxRow {
  PARALLAX_INLINE static void run(const T *x, std::span<const int64_t> pixels,
                                  int64_t channels, T *y) {
    if (channels >= 32)
      inVectors<32>(x, pixels, channels, y);
    else if (channels >= 8)
      inVectors<8>(x, pixels, channels, y);
    else
      inVectors<1>(x, pixels, channels, y);
  }

  template <int64_t width>
  PARALLAX_INLINE static void inVectors(const T *x,
                                        std::span<const int64_t> pixels,
                                        int64_t channels, T *y) {
    int64_t c = 0;
    for (; c + width <= channels; c += width)
      maxOf<width>(x + c, pixels, y + c);
    // The last vector overlaps the one before it.
    if (c < channels)
      maxOf<width>(x + channels - width, pixels, y + channels - width);
  }
};

/// Adds `count` vectors of codes without their zero points, then requantizes.
/// No sum exceeds 32 bits, by the limit of the caller.
template <int64_t count, Rounding rounding, typename A, typename T>
PARALLAX_INLINE void averageOf(const A *x, std::span<const int64_t> pixels,
                               int32_t zeros, const Rescale &rescale,
                               T *__restrict y) {
  int32_t sums[count];
  std::fill_n(sums, count, -zeros);
  for (int64_t pixel : pixels)
    for (int64_t c = 0; c < count; ++c)
      sums[c] += x[pixel + c];
  for (int64_t c = 0; c < count; ++c)
    y[c] = T(rescale.code<rounding>(sums[c]));
}

template <Rounding rounding, typename A, typename T> struct AverageRow {
  PARALLAX_INLINE static void run(const A *x, std::span<const int64_t> pixels,
                                  int64_t channels, int32_t zeros,
                                  const Rescale &rescale, T *y) {
    constexpr int64_t step = 16;
    int64_t c = 0;
    for (; c + step <= channels; c += step)
      averageOf<step, rounding>(x + c, pixels, zeros, rescale, y + c);
    for (; c < channels; ++c)
      averageOf<1, rounding>(x + c, pixels, zeros, rescale, y + c);
  }
};

} // namespace

void ChannelPool::max(const Tensor &x, Tensor &y) const {
  dispatchCodes("max_pool", x.dtype(), [&]<typename T>(TypeTag<T>) {
    auto run = vectorized<MaxRow<T>>();
    const T *from = x.data<T>();
    T *to = y.data<T>();
    plan->forEachWindow(
        [&](std::span<const int64_t> pixels, int64_t, int64_t at) {
          run(from, pixels, plan->channels, to + at);
        });
  });
}

void ChannelPool::average(const Tensor &x, int64_t xZero, Tensor &y,
                          std::span<const Multiplier> multipliers,
                          const OutputCodes &output) const {
  std::vector<Rescale> rescales;
  for (Multiplier multiplier : multipliers)
    rescales.emplace_back(multiplier, output);
  // 2^14 codes of 16 bits, and as many zero points, can be added.
  bool isFast = plan->windows.taps() < (1 << 14) &&
                std::ranges::all_of(rescales, &Rescale::isReady);
  dispatchCodes("average_pool", x.dtype(), [&]<typename A>(TypeTag<A>) {
    dispatchResult("average_pool", y, [&]<typename T>(T *to) {
      const A *from = x.data<A>();
      dispatchRounding(output.rounding, [&](auto tag) {
        auto run = vectorized<AverageRow<decltype(tag)::value, A, T>>();
        plan->forEachWindow([&](std::span<const int64_t> pixels, int64_t count,
                                int64_t at) {
          int64_t zeros = int64_t(pixels.size()) * xZero;
          if (isFast)
            return run(from, pixels, plan->channels, int32_t(zeros),
                       rescales[size_t(count)], to + at);
          for (int64_t c = 0; c < plan->channels; ++c) {
            int64_t sum = -zeros;
            for (int64_t pixel : pixels)
              sum += from[pixel + c];
            to[at + c] = T(output.code(
                requantize(sum, multipliers[size_t(count)], output.rounding)));
          }
        });
      });
    });
  });
}

} // namespace parallax::npu
