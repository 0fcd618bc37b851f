//===- Mac.h - Integer kernels: multiply and accumulate --------*- C++ -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Convolutions and matrix products (C20 to C29 of docs/numerics.md): exact sums
// of products, one requantization. Weights are packed once. FP32 layers have
// functions of their own, in the order of summation of C91.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_BACKEND_NPU_KERNELS_MAC_H
#define PARALLAX_BACKEND_NPU_KERNELS_MAC_H

#include "parallax/Backend/NPU/Kernels/Codes.h"

#include <memory>

namespace parallax::npu {

//===----------------------------------------------------------------------===//
// Derivation
//===----------------------------------------------------------------------===//

/// `narrow` if both operands have 8 bits, else `wide` (C20).
int accumulatorBits(DType a, DType b, int narrow = 32, int wide = 48);

/// One multiplier for each weight scale (C25).
std::vector<Multiplier>
macMultipliers(float xScale, std::span<const float> weightScales, float yScale,
               int multiplierBits = defaultMultiplierBits);

/// The bias as an integer at the scale of the accumulator (C24). Throws if it
/// needs more than `bits` bits.
int64_t biasCode(float bias, float xScale, float weightScale, int bits);

/// What every partial sum of a channel lies between, and how many bits of the
/// accumulator stay unused; illegal if negative (C27).
struct AccumulatorBound {
  Int128 low = 0, high = 0;
  int marginBits = 0;
};

/// Of one output channel: its weights, and the least and greatest x - zero
/// point.
AccumulatorBound boundOf(std::span<const int32_t> weights, int64_t bias,
                         int64_t xLow, int64_t xHigh, int accumulatorBits);

/// Of a product of two activations with `depth` terms (C28).
AccumulatorBound productBound(int64_t depth, int64_t aMagnitude,
                              int64_t bMagnitude, int accumulatorBits);

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

/// One entry of `multipliers` for the tensor or one per output channel; for a
/// float result `scales` in its place (C26). FP32 layers need neither.
struct MacOutput {
  OutputCodes codes;
  std::vector<Multiplier> multipliers;
  std::vector<double> scales;
};

struct ConvParams {
  Shape strides, dilations, padsBegin;
  int64_t groups = 1;
  bool transposed = false;
};

/// What a convolution of codes is made of. Shapes are those of ONNX: x is [N,
/// C, spatial...]; weights are [O, C / groups, kernel...], transposed [C, O /
/// groups, kernel...]; the bias (may be null) is int32 or int64, [O]. The shape
/// of y decides about the pads at the end.
struct ConvLayer {
  DType xType, yType;
  Shape x, y;
  int64_t xZero = 0;
  const Tensor &weights;
  const Tensor *bias;
  ConvParams params;
  MacOutput output;
};

/// A convolution of codes with its weights packed. The channels of codes are
/// innermost in memory, [N, spatial..., C]; float results are [N, O,
/// spatial...].
class Convolution {
public:
  explicit Convolution(const ConvLayer &layer);
  ~Convolution();
  void run(const Tensor &x, Tensor &y) const;

private:
  struct Plan;
  std::unique_ptr<const Plan> plan;
};

/// An FP32 convolution; all tensors have the shapes of ONNX (C91).
void floatConvolution(const Tensor &x, const Tensor &weights,
                      const Tensor *bias, Tensor &y, const ConvParams &params);

/// [..., K] codes times weights [O, K], packed.
class FullyConnected {
public:
  FullyConnected(DType xType, int64_t xZero, const Tensor &weights,
                 const Tensor *bias, DType yType, const MacOutput &output);
  ~FullyConnected();
  void run(const Tensor &x, Tensor &y) const;

private:
  struct Plan;
  std::unique_ptr<const Plan> plan;
};

void floatFullyConnected(const Tensor &x, const Tensor &weights,
                         const Tensor *bias, Tensor &y);

/// [..., M, K] x [..., K, N]: leading dimensions broadcast.
void matmul(const Tensor &a, int64_t aZero, const Tensor &b, int64_t bZero,
            Tensor &y, const MacOutput &output);

void floatMatmul(const Tensor &a, const Tensor &b, Tensor &y);

} // namespace parallax::npu

#endif // PARALLAX_BACKEND_NPU_KERNELS_MAC_H
