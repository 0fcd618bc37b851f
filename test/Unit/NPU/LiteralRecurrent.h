//===- LiteralRecurrent.h - A second version of C100 to C108 ---*- C++ -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Recurrent layers of docs/numerics.md, statement by statement, beside those of
// LiteralNumerics.h and under the same rule: no line of the kernels.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_TEST_UNIT_NPU_LITERALRECURRENT_H
#define PARALLAX_TEST_UNIT_NPU_LITERALRECURRENT_H

#include "LiteralNumerics.h"

#include <limits>

namespace parallax::literal {

/// The real numbers of a layer. Rows of scales are those of one direction;
/// biases and peepholes are stacked as in ONNX, and p may be empty.
struct Recurrent {
  std::string kind = "lstm";
  int directions = 1;
  bool reverse = false;
  bool batchFirst = false;
  bool inputForget = false, linearBeforeReset = false;
  double clip = std::numeric_limits<double>::infinity();
  int64_t hidden = 1;
  std::vector<std::function<double(double)>> functions;
  std::vector<float> wScales, rScales, b, p;
};

/// C100: the knots and F, for lim of C101.
struct Knots {
  std::vector<Wide> values;
  int fraction = 15;
};
Knots knotsOf(const std::function<double(double)> &f, Wide lim);

/// What a compiled model holds, for all directions: rows are stacked by
/// direction and gate, functions by direction.
struct RecurrentRow {
  Wide x = 0, h = 0, c = 0, b = 0, stateB = 0;
  int s = 1;
};
struct RecurrentIntegers {
  int stateFraction = 15;
  Wide limit = 0;
  std::vector<Knots> functions;
  std::vector<RecurrentRow> rows;
  Factor initialH, initialC, y, yH, yC;
};

/// C100 to C108. Results come in with everything but their values; c0 and yC
/// are those of LSTM.
void recurrent(const Recurrent &layer, const Codes &x, const Codes &w,
               const Codes &r, const std::vector<int64_t> &lengths,
               const Codes &h0, const Codes &c0, Codes &y, Codes &yH, Codes &yC,
               Tie tie);

/// The same with given integers: of `layer`, its kind, directions and options
/// count.
void recurrent(const Recurrent &layer, const RecurrentIntegers &integers,
               const Codes &x, const Codes &w, const Codes &r,
               const std::vector<int64_t> &lengths, const Codes &h0,
               const Codes &c0, Codes &y, Codes &yH, Codes &yC, Tie tie);

} // namespace parallax::literal

#endif // PARALLAX_TEST_UNIT_NPU_LITERALRECURRENT_H
