//===- FloatLayers.h - FP32 layers of the NPU ------------------*- C++ -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// What an FP32 layer sums, it sums in the order of C92 to C99 of
// docs/numerics.md: the float engine's own order depends on its libraries.
// Products are in Mac.h, functions in FloatFunctions.h.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_BACKEND_NPU_KERNELS_FLOATLAYERS_H
#define PARALLAX_BACKEND_NPU_KERNELS_FLOATLAYERS_H

#include "parallax/Backend/Kernels/OperatorParams.h"
#include "parallax/Backend/Kernels/Resize.h"
#include "parallax/Backend/NPU/Kernels/Normalize.h"

#include <string_view>

namespace parallax::npu {

//===----------------------------------------------------------------------===//
// Sums
//===----------------------------------------------------------------------===//

/// C92.
float sumFloats(const float *x, int64_t count);

/// C92 along axes.
void reduceFloat(kernels::ReduceKind kind, const Tensor &x, Tensor &y,
                 std::span<const int64_t> axes);

/// C92 over windows. A norm has the exponent of the parameters.
void poolFloat(kernels::PoolKind kind, const Tensor &x, Tensor &y,
               const kernels::PoolParams &params);

/// The p-norm over all spatial dimensions.
void globalLpPoolFloat(const Tensor &x, Tensor &y, int64_t p);

//===----------------------------------------------------------------------===//
// Normalizations
//===----------------------------------------------------------------------===//

/// C93.
void softmaxFloat(const Tensor &x, Tensor &y, int64_t axis, bool isLog);

/// Mean and 1 / q of every row, as float tensors, or null.
struct RowStatistics {
  Tensor *mean = nullptr, *inverse = nullptr;
};

/// C94, for all but L2. Empty gamma or beta leave their step out.
void normalizeFloat(NormKind kind, const Tensor &x, Tensor &y,
                    const NormRows &rows, float epsilon,
                    std::span<const float> gamma, std::span<const float> beta,
                    const RowStatistics &statistics = {});

/// C96. One entry per channel, dimension 1.
struct BatchNormFloat {
  const Tensor &scale, &bias, &mean, &variance;
  float epsilon;
};
void batchNormFloat(const Tensor &x, const BatchNormFloat &params, Tensor &y);

/// C96. p is 1 or 2.
void lpNormFloat(const Tensor &x, Tensor &y, int64_t axis, int64_t p,
                 float epsilon);

/// C96.
void meanVarianceNormFloat(const Tensor &x, Tensor &y,
                           std::span<const int64_t> axes);

/// C96.
struct LrnFloat {
  int64_t size;
  float alpha, beta, bias;
};
void lrnFloat(const Tensor &x, Tensor &y, const LrnFloat &params);

//===----------------------------------------------------------------------===//
// Others
//===----------------------------------------------------------------------===//

/// C97. Not for plans that only select.
size_t resizeFloatScratchBytes(const kernels::ResizePlan &plan);
void resizeFloat(const kernels::ResizePlan &plan, const Tensor &x, Tensor &y,
                 void *scratch);

/// The part of C91 that is written as an equation.
void einsumFloat(std::string_view equation, std::span<const Tensor> inputs,
                 Tensor &y);

/// C99. `recurrent` are the weights R of ONNX. All operands that the operator
/// has are given.
void recurrentFloat(const kernels::RecurrentParams &params,
                    const kernels::RecurrentInputs &inputs,
                    const Tensor &recurrent,
                    const kernels::RecurrentOutputs &outputs);

} // namespace parallax::npu

#endif // PARALLAX_BACKEND_NPU_KERNELS_FLOATLAYERS_H
