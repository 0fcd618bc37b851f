//===- OperatorParams.h - What operators are asked to compute --*- C++ -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// The attributes of pooling, reductions and recurrent operators. Each engine
// has kernels of its own for them.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_BACKEND_KERNELS_OPERATORPARAMS_H
#define PARALLAX_BACKEND_KERNELS_OPERATORPARAMS_H

#include "parallax/Support/Tensor.h"

#include <limits>

namespace parallax::kernels {

/// One entry per spatial dimension in each vector.
struct PoolParams {
  Shape kernel;
  Shape strides;
  Shape dilations;
  Shape padsBegin;
  Shape padsEnd;
  /// AveragePool: padding counts as zeros. What lies beyond the padding, where
  /// ceil_mode lets a window reach, never counts.
  bool countIncludePad = false;
  /// LpPool: the exponent.
  int64_t p = 2;
};

enum class PoolKind { Max, Average, Lp };

enum class ReduceKind {
  Sum,
  Mean,
  Max,
  Min,
  Prod,
  L1,
  L2,
  LogSum,
  LogSumExp,
  SumSquare,
};
inline constexpr int reduceKindCount = int(ReduceKind::SumSquare) + 1;

enum class RecurrentKind { RNN, GRU, LSTM };
enum class RecurrentDirection { Forward, Reverse, Bidirectional };

struct Activation {
  enum Kind {
    Affine,
    Elu,
    HardSigmoid,
    LeakyRelu,
    Relu,
    ScaledTanh,
    Sigmoid,
    Softplus,
    Softsign,
    Tanh,
    ThresholdedRelu,
  };
  Kind kind = Tanh;
  float alpha = 0, beta = 0;
};

struct RecurrentParams {
  RecurrentKind kind = RecurrentKind::LSTM;
  RecurrentDirection direction = RecurrentDirection::Forward;
  int64_t hiddenSize = 0;
  /// The activations of the forward, then of the reverse direction.
  std::vector<Activation> activations;
  /// Bounds the inputs of the activations to [-clip, clip].
  float clip = std::numeric_limits<float>::infinity();
  bool inputForget = false;       // LSTM: the forget gate is 1 - input gate
  bool linearBeforeReset = false; // GRU
  int64_t layout = 0;             // 0: time x batch, 1: batch x time
};

/// The inputs in the order of ONNX; pointers may be null.
struct RecurrentInputs {
  const Tensor &x;
  const Tensor &w;
  const Tensor *b = nullptr;
  const Tensor *sequenceLens = nullptr; // int32
  const Tensor *initialH = nullptr;
  const Tensor *initialC = nullptr;
  const Tensor *p = nullptr;
};

/// Each may be null.
struct RecurrentOutputs {
  Tensor *y = nullptr;
  Tensor *yH = nullptr;
  Tensor *yC = nullptr;
};

} // namespace parallax::kernels

#endif // PARALLAX_BACKEND_KERNELS_OPERATORPARAMS_H
