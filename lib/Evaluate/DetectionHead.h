//===- DetectionHead.h - From outputs of detectors to boxes ----*- C++ -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Detectors are exported in many forms: with one output or several, decoded or
// raw. Here they all become boxes in pixels of the input, with scores.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_LIB_EVALUATE_DETECTIONHEAD_H
#define PARALLAX_LIB_EVALUATE_DETECTIONHEAD_H

#include "Tasks.h"

namespace parallax::tasks {

struct Candidate {
  float left = 0, top = 0, right = 0, bottom = 0;
  float score = 0;
  int32_t label = 0;
  /// Where in the output it was: codes often give equal scores, whose order
  /// must be the same everywhere.
  int32_t place = 0;
};

/// The overlap of two boxes as a part of their union.
double overlapOf(const Candidate &a, const Candidate &b);

class DetectionDecoder {
public:
  virtual ~DetectionDecoder() = default;
  /// The boxes with a score above the threshold, in any order.
  virtual std::vector<Candidate>
  decode(std::span<const Tensor> outputs) const = 0;
  /// How many classes the network knows.
  virtual int64_t classCount() const = 0;
  /// See Task::weighErrors.
  virtual bool weigh(std::span<const Tensor>,
                     std::span<const std::span<float>>) const {
    return false;
  }
};

/// What the configuration asks for, or what the shapes of the outputs say.
/// Throws Error that lists the shapes if no head has them.
std::unique_ptr<DetectionDecoder> makeDecoder(const TaskContext &context);

/// The `most` best of the candidates, without those that overlap a better one
/// of their class by more than `threshold`; the best first.
std::vector<Candidate> suppress(std::vector<Candidate> candidates,
                                double threshold, size_t most);

} // namespace parallax::tasks

#endif // PARALLAX_LIB_EVALUATE_DETECTIONHEAD_H
