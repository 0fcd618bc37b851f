//===- LiteralMovement.h - The second version of movement ------*- C++ -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// C39a and C47 to C49 of docs/numerics.md. An operator that moves codes is
// nothing but the coordinates that each element of its result comes from.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_TEST_UNIT_NPU_LITERALMOVEMENT_H
#define PARALLAX_TEST_UNIT_NPU_LITERALMOVEMENT_H

#include "LiteralNumerics.h"

namespace parallax::literal {

//===----------------------------------------------------------------------===//
// C47. A result comes in with its dimensions; indices have codes of 64 bits.
//===----------------------------------------------------------------------===//

/// Element `at` of the result is element from(at) of x.
void move(const Codes &x, Codes &y, const std::function<Dims(Dims)> &from);

void reshape(const Codes &x, Codes &y);
void transpose(const Codes &x, const Dims &perm, Codes &y);
/// Expand and Tile: the coordinate of an operand starts again at its end.
void repeat(const Codes &x, Codes &y);
void slice(const Codes &x, const Dims &starts, const Dims &steps, Codes &y);
/// "constant", "reflect", "edge" or "wrap"; `value` is a code.
void pad(const Codes &x, const Dims &begin, const std::string &mode,
         int64_t value, Codes &y);
void concat(const std::vector<Codes> &x, int64_t axis, Codes &y);
/// The part of a Split that begins at `start`.
void part(const Codes &x, int64_t axis, int64_t start, Codes &y);
void gather(const Codes &x, const Codes &indices, int64_t axis, Codes &y);
void gatherElements(const Codes &x, const Codes &indices, int64_t axis,
                    Codes &y);
void gatherTuples(const Codes &x, const Codes &indices, int64_t batchDims,
                  Codes &y);
/// "none", "min" or "max".
void scatterElements(const Codes &x, const Codes &indices, const Codes &updates,
                     int64_t axis, const std::string &reduction, Codes &y);
void scatterTuples(const Codes &x, const Codes &indices, const Codes &updates,
                   const std::string &reduction, Codes &y);
/// "DCR" or "CRD".
void depthToSpace(const Codes &x, int64_t block, const std::string &mode,
                  Codes &y);
void spaceToDepth(const Codes &x, int64_t block, Codes &y);
void channelShuffle(const Codes &x, int64_t groups, Codes &y);
/// The triangle from diagonal k on, with the code `rest` outside of it.
void trilu(const Codes &x, int64_t k, bool isUpper, int64_t rest, Codes &y);
void reverseSequence(const Codes &x, const Codes &lengths, int64_t batchAxis,
                     int64_t timeAxis, Codes &y);
void where(const Codes &condition, const Codes &a, const Codes &b, Codes &y);

//===----------------------------------------------------------------------===//
// C48, C49
//===----------------------------------------------------------------------===//

void extreme(const Codes &a, const Codes &b, bool isMax, Codes &y);
void maxPool(const Codes &x, const Pool &pool, Codes &y);
void reduceExtreme(const Codes &x, const Dims &axes, bool isMax, Codes &y);

/// The places of the elements of `x` along `axis`, best first, for the row that
/// `at` lies in.
std::vector<int64_t> ranking(const Codes &x, Dims at, int64_t axis,
                             bool isLargest, bool isLastFirst);
/// The result has extent 1 along the axis.
void argExtreme(const Codes &x, int64_t axis, bool isMax, bool isLast,
                Codes &y);
void topK(const Codes &x, int64_t axis, bool isLargest, Codes &values,
          Codes &indices);

//===----------------------------------------------------------------------===//
// C39a
//===----------------------------------------------------------------------===//

/// One axis of a Resize, in the words of ONNX.
struct Sampling {
  int64_t in, out;
  float scale;
  std::string mode, coordinates;
  std::string nearest = "round_prefer_floor";
  double cubic = -0.75;
  bool excludeOutside = false, antialias = false;
};
/// Where an output lies among the inputs.
double position(const Sampling &axis, int64_t output);
/// The input of each output.
Dims nearestInputs(const Sampling &axis);
/// Inputs with their weights of 2^-bits (C39), for each output.
using Taps = std::vector<std::pair<int64_t, Wide>>;
std::vector<Taps> weightedInputs(const Sampling &axis, int bits);
void resizeNearest(const Codes &x, const std::vector<Dims> &inputs, Codes &y);

} // namespace parallax::literal

#endif // PARALLAX_TEST_UNIT_NPU_LITERALMOVEMENT_H
