//===- Recurrent.h - Integer kernels: RNN, GRU and LSTM --------*- C++ -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Recurrent layers (C100 to C108 of docs/numerics.md): exact sums of both
// products, one rounding into the argument of a function, functions by table,
// and states as fixed-point integers that no output's scale limits.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_BACKEND_NPU_KERNELS_RECURRENT_H
#define PARALLAX_BACKEND_NPU_KERNELS_RECURRENT_H

#include "parallax/Backend/Kernels/OperatorParams.h"
#include "parallax/Backend/NPU/Kernels/Codes.h"

#include <array>

namespace parallax::npu {

/// Bits behind the point of arguments of functions, and of the cell state.
inline constexpr int argumentBits = 15, cellBits = 20;
/// Bits by which the hidden state exceeds what enters products.
inline constexpr int hiddenGuardBits = 15;
/// What enters products.
inline constexpr int64_t hiddenLow = -32768, hiddenHigh = 32767;
/// Knots of a function, and the greatest argument without a clip (C101).
inline constexpr int64_t functionKnots = 4097;
inline constexpr int64_t greatestArgument = (int64_t(1) << 19) - 1;

/// From the codes of an initial state to the state (C103).
struct InitialState {
  int64_t zeroPoint = 0;
  Multiplier multiplier;
};

/// From a state to a result (C108).
struct StateResult {
  OutputCodes codes;
  Multiplier multiplier;
};

/// All integers of a layer. Rows are stacked by direction and gate.
struct RecurrentIntegers {
  kernels::RecurrentKind kind = kernels::RecurrentKind::LSTM;
  kernels::RecurrentDirection direction = kernels::RecurrentDirection::Forward;
  int64_t layout = 0;
  bool inputForget = false, linearBeforeReset = false;
  int64_t xZero = 0;
  InitialState initialH, initialC;
  /// K_x, K_h, B and S of C104; B_r of C106 for the rows of h only; K_c for the
  /// rows of i, o and f.
  std::vector<int64_t> inputFactors, stateFactors, offsets, stateOffsets,
      peepholes;
  std::vector<int32_t> shifts;
  /// lim of C101.
  int64_t limit = greatestArgument;
  /// Functions that differ, one behind the other, with their F; and the place
  /// of each function of each direction.
  std::vector<int32_t> tables, fractions;
  std::vector<int64_t> functions;
  /// F_h of C102.
  int32_t stateFraction = 15;
  /// Y, Y_h and Y_c.
  std::array<StateResult, 3> results;
};

//===----------------------------------------------------------------------===//
// Derivation
//===----------------------------------------------------------------------===//

/// The real numbers of a layer. `wScales` and `rScales` have an entry per row
/// of a direction or one for all; b is [directions, 2 rows] and p, which may be
/// null, [directions, 3 hidden units].
struct RecurrentReals {
  kernels::RecurrentParams params;
  float xScale = 1;
  std::span<const float> wScales, rScales;
  const Tensor &b;
  const Tensor *p = nullptr;
  /// The scales of the initial states, and the greatest magnitude that the
  /// first one may have.
  float initialHScale = 1, initialCScale = 1;
  double initialReach = 0;
  /// Of Y, Y_h and Y_c; 0 for a float result.
  std::array<float, 3> resultScales{};
  /// Of the factors of results; all others have the default.
  int multiplierBits = defaultMultiplierBits;
};

/// Everything but zero points and limits of codes (C100 to C104, C108). Throws
/// Error for functions that tables can't hold.
RecurrentIntegers recurrentIntegers(const RecurrentReals &reals);

/// A constant initial state as S16 codes (C103).
struct StateCodes {
  Tensor codes;
  float scale = 1;
};
StateCodes initialStateCodes(const Tensor &values);

//===----------------------------------------------------------------------===//
// Kernel
//===----------------------------------------------------------------------===//

/// Codes of x, weights and initial states; `initialC` is null but for LSTM.
struct RecurrentCodes {
  const Tensor &x, &w, &r, &sequenceLens, &initialH;
  const Tensor *initialC = nullptr;
};

/// Throws Error for a length that the input has not. `yC` is null but for
/// LSTM; any result may be float32 in place of codes.
void recurrent(const RecurrentIntegers &layer, const RecurrentCodes &inputs,
               Tensor &y, Tensor &yH, Tensor *yC);

} // namespace parallax::npu

#endif // PARALLAX_BACKEND_NPU_KERNELS_RECURRENT_H
