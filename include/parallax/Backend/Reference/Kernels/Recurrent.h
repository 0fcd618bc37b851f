//===- Recurrent.h - Reference kernels: RNN, GRU and LSTM ------*- C++ -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// The three recurrent operators of ONNX in float32, with all of their
// attributes. They differ in the cell only; directions, time steps, sequence
// lengths and layouts are handled once.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_BACKEND_REFERENCE_KERNELS_RECURRENT_H
#define PARALLAX_BACKEND_REFERENCE_KERNELS_RECURRENT_H

#include "parallax/Backend/Kernels/OperatorParams.h"

namespace parallax::kernels {

/// The attributes `activations`, `activation_alpha` and `activation_beta`,
/// resolved: no names give the operator's own functions, and the alphas and
/// betas go in order to the functions that take one. Throws Error for a name
/// that ONNX doesn't know or a wrong number of names.
std::vector<Activation> recurrentActivations(RecurrentKind kind,
                                             RecurrentDirection direction,
                                             std::span<const std::string> names,
                                             std::span<const float> alphas,
                                             std::span<const float> betas);

/// Applies an activation in place to values that are first bounded by `clip`.
void applyActivation(const Activation &activation, float clip, float *values,
                     int64_t count);

/// The recurrent weights in the order in which a time step reads them.
struct RecurrentWeights {
  std::vector<float> packed;
};

RecurrentWeights prepareRecurrent(const RecurrentParams &params,
                                  const Tensor &r);

/// The bytes that recurrent() needs for an input x of this shape.
size_t recurrentScratchBytes(const RecurrentParams &params,
                             const Shape &xShape);

/// Steps behind the end of a sequence give zeros in Y; a sequence of length 0
/// leaves its initial state as the final one.
void recurrent(const RecurrentParams &params, const RecurrentInputs &inputs,
               const RecurrentWeights &weights, const RecurrentOutputs &outputs,
               void *scratch);

} // namespace parallax::kernels

#endif // PARALLAX_BACKEND_REFERENCE_KERNELS_RECURRENT_H
