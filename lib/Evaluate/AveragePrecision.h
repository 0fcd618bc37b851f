//===- AveragePrecision.h - Precision over recall --------------*- C++ -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Average precision as COCO computes it: ten thresholds of overlap, 101 levels
// of recall.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_LIB_EVALUATE_AVERAGEPRECISION_H
#define PARALLAX_LIB_EVALUATE_AVERAGEPRECISION_H

#include "DetectionHead.h"

namespace parallax::tasks {

/// Overlaps of 0.5, 0.55, ... 0.95.
constexpr size_t overlapThresholds = 10;

/// What a detection is at each threshold, as bits.
struct Match {
  int32_t label = 0;
  float score = 0;
  /// It found an object that no better one has found.
  uint16_t hits = 0;
  /// It lies in a region that does not count.
  uint16_t ignored = 0;
};

/// Compares the detections of a picture, the best first, with its objects.
std::vector<Match> matchDetections(std::span<const Candidate> detections,
                                   std::span<const TruthBox> objects);

/// The detections of one class in all pictures.
class ClassPrecision {
public:
  void add(size_t picture, const Match &match);
  /// The objects of the class in a picture.
  void addObjects(size_t picture, int64_t count);
  /// Puts detections into the order of their scores.
  void finish();

  int64_t objects() const;
  /// The average precision at a threshold, with pictures counted as often as
  /// asked; negative if they have no object of the class.
  double averagePrecision(size_t threshold,
                          std::span<const uint32_t> counts) const;

private:
  struct Entry {
    uint32_t picture;
    Match match;
  };
  std::vector<Entry> entries;
  std::vector<std::pair<uint32_t, int64_t>> objectCounts;
};

} // namespace parallax::tasks

#endif // PARALLAX_LIB_EVALUATE_AVERAGEPRECISION_H
