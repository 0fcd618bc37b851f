//===- Quantize.h - Reference kernels: QuantizeLinear and back -*- C++ -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// The quantization operators of ONNX models that arrive already quantized, and
// the rounding of values to what codes can hold.
// Scale and zero point are per tensor (one element), per axis (rank 1), or per
// block of `blockSize` along the axis (the rank of x).
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_BACKEND_REFERENCE_KERNELS_QUANTIZE_H
#define PARALLAX_BACKEND_REFERENCE_KERNELS_QUANTIZE_H

#include "parallax/Support/AffineParams.h"
#include "parallax/Support/Tensor.h"

namespace parallax::kernels {

/// y = saturate(round(x / scale) + zeroPoint), half to even. x is float32,
/// float16, bfloat16 or int32, scale float32; y and zeroPoint (may be null) are
/// of the same 8-, 16- or 32-bit integer type. NaN gives the lowest value.
void quantizeLinear(const Tensor &x, const Tensor &scale,
                    const Tensor *zeroPoint, Tensor &y, int64_t axis = 1,
                    int64_t blockSize = 0);

/// y = (x - zeroPoint) * scale; y is float32, float16 or bfloat16.
void dequantizeLinear(const Tensor &x, const Tensor &scale,
                      const Tensor *zeroPoint, Tensor &y, int64_t axis = 1,
                      int64_t blockSize = 0);

/// Quantizes to uint8 with the range of the data, widened to include 0. A
/// tensor of zeros has the scale 1.
void dynamicQuantizeLinear(const Tensor &x, Tensor &y, Tensor &scale,
                           Tensor &zeroPoint);

/// Quantizes and dequantizes in one go: y is the value of the code that x gets.
/// y may be x; codes have 16 bits at most.
void fakeQuantize(const Tensor &x, Tensor &y, const AffineParams &params);

} // namespace parallax::kernels

#endif // PARALLAX_BACKEND_REFERENCE_KERNELS_QUANTIZE_H
