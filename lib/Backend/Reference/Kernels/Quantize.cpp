//===- Quantize.cpp - Reference kernels: QuantizeLinear and back ----------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// All granularities come down to runs that either share one scale or have one
// scale per element. Values are clamped before they are rounded, which gives
// the same codes and needs no branch.
//===----------------------------------------------------------------------===//
#include "parallax/Backend/Reference/Kernels/Quantize.h"

#include "parallax/Backend/Kernels/KernelSupport.h"
#include "parallax/Support/Parallel.h"
#include "parallax/Support/Simd.h"

#include <limits>

namespace parallax::kernels {
namespace {

//===----------------------------------------------------------------------===//
// Elements
//===----------------------------------------------------------------------===//

/// Holds codes, zero points and their differences exactly: 32 bits, which
/// vectors convert fast, are enough for 16-bit codes.
template <typename Code>
using IntegerOf = std::conditional_t<sizeof(Code) <= 2, int32_t, int64_t>;

template <typename Code, typename In>
PARALLAX_INLINE Code quantizeOne(In x, float scale, Code zeroPoint) {
  using Limits = std::numeric_limits<Code>;
  using Quotient = std::conditional_t<std::is_integral_v<In>, double, float>;
  // float holds the differences of 16-bit codes, double those of 32-bit ones.
  using Real = std::conditional_t<sizeof(Code) <= 2, Quotient, double>;
  // Adding 1.5 * 2^mantissa rounds to an integer, half to even.
  constexpr Real rounder = sizeof(Real) == 4 ? Real(0x1.8p23) : Real(0x1.8p52);
  Real zero = Real(zeroPoint);
  Real low = Real(Limits::lowest()) - zero, high = Real(Limits::max()) - zero;
  Real v = Real(Quotient(x) / Quotient(scale));
  v = v > low ? v : low;
  v = v < high ? v : high;
  v = (v + rounder) - rounder;
  return Code(IntegerOf<Code>(v + zero));
}

template <typename Code>
PARALLAX_INLINE float dequantizeOne(Code x, float scale, Code zeroPoint) {
  using Integer = IntegerOf<Code>;
  return float(Integer(x) - Integer(zeroPoint)) * scale;
}

//===----------------------------------------------------------------------===//
// Runs
//===----------------------------------------------------------------------===//

/// Scale and zero point of a run: one entry, or one per element.
template <typename Code> struct RunParams {
  const float *scale;
  const Code *zeroPoint; // may be null
  bool perElement;
};

template <typename In, typename Out, typename Code, typename Fn>
PARALLAX_INLINE void mapRun(const In *x, Out *y, int64_t count,
                            const RunParams<Code> &params, Fn fn) {
  const float *scale = params.scale;
  const Code *zero = params.zeroPoint;
  if (!params.perElement) {
    float s = scale[0];
    Code z = zero ? zero[0] : Code(0);
    for (int64_t i = 0; i < count; ++i)
      y[i] = fn(x[i], s, z);
  } else if (zero) {
    for (int64_t i = 0; i < count; ++i)
      y[i] = fn(x[i], scale[i], zero[i]);
  } else {
    for (int64_t i = 0; i < count; ++i)
      y[i] = fn(x[i], scale[i], Code(0));
  }
}

template <typename In, typename Code>
PARALLAX_INLINE void quantizeAny(const In *x, Code *y, int64_t count,
                                 const RunParams<Code> &params) {
  mapRun(x, y, count, params, [](In v, float scale, Code zero) {
    return quantizeOne<Code, In>(v, scale, zero);
  });
}

template <typename Code, typename Out>
PARALLAX_INLINE void dequantizeAny(const Code *x, Out *y, int64_t count,
                                   const RunParams<Code> &params) {
  mapRun(x, y, count, params, [](Code v, float scale, Code zero) {
    return Out(dequantizeOne(v, scale, zero));
  });
}

template <typename In, typename Code>
void quantizeRun(const In *x, Code *y, int64_t count,
                 const RunParams<Code> &params) {
  quantizeAny(x, y, count, params);
}
template <typename Code, typename Out>
void dequantizeRun(const Code *x, Out *y, int64_t count,
                   const RunParams<Code> &params) {
  dequantizeAny(x, y, count, params);
}

// The pairs that models run often, by vectors.
#define PARALLAX_QUANTIZE_RUNS(Code)                                           \
  PARALLAX_SIMD void quantizeRun(const float *x, Code *y, int64_t count,       \
                                 const RunParams<Code> &params) {              \
    quantizeAny(x, y, count, params);                                          \
  }                                                                            \
  PARALLAX_SIMD void dequantizeRun(const Code *x, float *y, int64_t count,     \
                                   const RunParams<Code> &params) {            \
    dequantizeAny(x, y, count, params);                                        \
  }
PARALLAX_QUANTIZE_RUNS(int8_t)
PARALLAX_QUANTIZE_RUNS(uint8_t)
PARALLAX_QUANTIZE_RUNS(int16_t)
PARALLAX_QUANTIZE_RUNS(uint16_t)
#undef PARALLAX_QUANTIZE_RUNS

//===----------------------------------------------------------------------===//
// Granularities
//===----------------------------------------------------------------------===//

/// Calls fn(offset, count, parameter, perElement) for the runs of a tensor, on
/// the threads; `parameter` is the first entry of scale and zero point.
template <typename Fn>
void forEachRun(const Tensor &x, const Tensor &scale, int64_t axis,
                int64_t blockSize, Fn fn) {
  auto runs = [](int64_t count, int64_t length, auto run) {
    parallelFor(count, grainFor(2 * length), [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i)
        run(i);
    });
  };
  if (blockSize <= 0 && scale.size() == 1) {
    constexpr int64_t chunk = 4096;
    int64_t size = x.size();
    return runs((size + chunk - 1) / chunk, chunk, [&](int64_t i) {
      fn(i * chunk, std::min(chunk, size - i * chunk), 0, false);
    });
  }
  auto [outer, count, inner] = splitAt(x.shape(), axis);
  int64_t length = count, stride = inner;
  if (blockSize <= 0) {
    if (stride == 1)
      return runs(outer, length,
                  [&](int64_t i) { fn(i * length, length, 0, true); });
    return runs(outer * length, stride,
                [&](int64_t i) { fn(i * stride, stride, i % length, false); });
  }
  int64_t blocks = (length + blockSize - 1) / blockSize;
  if (stride == 1)
    return runs(outer * blocks, blockSize, [&](int64_t i) {
      int64_t first = i % blocks * blockSize;
      fn(i / blocks * length + first, std::min(blockSize, length - first), i,
         false);
    });
  runs(outer * length, stride, [&](int64_t i) {
    int64_t block = i / length * blocks + i % length / blockSize;
    fn(i * stride, stride, block * stride, true);
  });
}

/// Calls fn(TypeTag<Code>) for the integer types that quantized values have.
template <typename Fn>
void dispatchCode(std::string_view kernel, DType dtype, Fn fn) {
  switch (dtype) {
  case DType::I8:
    return fn(TypeTag<int8_t>());
  case DType::U8:
    return fn(TypeTag<uint8_t>());
  case DType::I16:
    return fn(TypeTag<int16_t>());
  case DType::U16:
    return fn(TypeTag<uint16_t>());
  case DType::I32:
    return fn(TypeTag<int32_t>());
  default:
    throwUnsupported(kernel, dtype);
  }
}

/// Calls fn(TypeTag<T>) for the types that are quantized.
template <typename Fn>
void dispatchReal(std::string_view kernel, DType dtype, Fn fn) {
  switch (dtype) {
  case DType::F32:
    return fn(TypeTag<float>());
  case DType::F16:
    return fn(TypeTag<Half>());
  case DType::BF16:
    return fn(TypeTag<BFloat16>());
  default:
    throwUnsupported(kernel, dtype);
  }
}

/// `y` is `x` itself or other memory, which the compiler can't know.
PARALLAX_SIMD void fakeQuantizeRun(const float *x, float *y, int64_t count,
                                   float scale, float low, float high) {
  constexpr float rounder = 0x1.8p23f;
#pragma clang loop vectorize(assume_safety)
  for (int64_t i = 0; i < count; ++i) {
    float v = x[i] / scale;
    v = v > low ? v : low;
    v = v < high ? v : high;
    y[i] = ((v + rounder) - rounder) * scale;
  }
}

/// Smallest and greatest value, 0 included.
struct Range {
  float low = 0, high = 0;
};

PARALLAX_SIMD void rangeOf(const float *x, int64_t count, Range &range) {
  constexpr int64_t lanes = 32;
  float low[lanes] = {}, high[lanes] = {};
  int64_t i = 0;
  for (; i + lanes <= count; i += lanes)
    for (int64_t lane = 0; lane < lanes; ++lane) {
      float v = x[i + lane];
      low[lane] = v < low[lane] ? v : low[lane];
      high[lane] = v > high[lane] ? v : high[lane];
    }
  range.low = *std::min_element(low, low + lanes);
  range.high = *std::max_element(high, high + lanes);
  for (; i < count; ++i) {
    range.low = std::min(range.low, x[i]);
    range.high = std::max(range.high, x[i]);
  }
}

} // namespace

void quantizeLinear(const Tensor &x, const Tensor &scale,
                    const Tensor *zeroPoint, Tensor &y, int64_t axis,
                    int64_t blockSize) {
  requireFloat("the scale of QuantizeLinear", scale);
  dispatchCode("the result of QuantizeLinear", y.dtype(), [&](auto codeTag) {
    using Code = typename decltype(codeTag)::type;
    const Code *zero = zeroPoint ? zeroPoint->data<Code>() : nullptr;
    auto run = [&](auto tag) {
      using In = typename decltype(tag)::type;
      const In *from = x.data<In>();
      forEachRun(x, scale, axis, blockSize,
                 [&](int64_t offset, int64_t count, int64_t parameter,
                     bool perElement) {
                   RunParams<Code> params{scale.data<float>() + parameter,
                                          zero ? zero + parameter : nullptr,
                                          perElement};
                   quantizeRun(from + offset, y.data<Code>() + offset, count,
                               params);
                 });
    };
    if (x.dtype() == DType::I32)
      run(TypeTag<int32_t>());
    else
      dispatchReal("QuantizeLinear", x.dtype(), run);
  });
}

void dequantizeLinear(const Tensor &x, const Tensor &scale,
                      const Tensor *zeroPoint, Tensor &y, int64_t axis,
                      int64_t blockSize) {
  requireFloat("the scale of DequantizeLinear", scale);
  dispatchCode("DequantizeLinear", x.dtype(), [&](auto codeTag) {
    using Code = typename decltype(codeTag)::type;
    const Code *from = x.data<Code>();
    const Code *zero = zeroPoint ? zeroPoint->data<Code>() : nullptr;
    dispatchReal("the result of DequantizeLinear", y.dtype(), [&](auto tag) {
      using Out = typename decltype(tag)::type;
      forEachRun(x, scale, axis, blockSize,
                 [&](int64_t offset, int64_t count, int64_t parameter,
                     bool perElement) {
                   RunParams<Code> params{scale.data<float>() + parameter,
                                          zero ? zero + parameter : nullptr,
                                          perElement};
                   dequantizeRun(from + offset, y.data<Out>() + offset, count,
                                 params);
                 });
    });
  });
}

void dynamicQuantizeLinear(const Tensor &x, Tensor &y, Tensor &scale,
                           Tensor &zeroPoint) {
  requireFloat("DynamicQuantizeLinear", x);
  Range range;
  rangeOf(x.data<float>(), x.size(), range);
  float step = (range.high - range.low) / 255.0f;
  scale.data<float>()[0] = step = step == 0 ? 1.0f : step;
  zeroPoint.data<uint8_t>()[0] =
      quantizeOne<uint8_t, float>(0.0f - range.low, step, 0);
  quantizeLinear(x, scale, &zeroPoint, y);
}

void fakeQuantize(const Tensor &x, Tensor &y, const AffineParams &params) {
  requireFloat("fake quantization", x);
  auto low = float(params.low - params.zeroPoint);
  auto high = float(params.high - params.zeroPoint);
  const float *from = x.data<float>();
  float *to = y.data<float>();
  parallelFor(x.size(), grainFor(2), [&](int64_t begin, int64_t end) {
    fakeQuantizeRun(from + begin, to + begin, end - begin, params.scale, low,
                    high);
  });
}

} // namespace parallax::kernels
