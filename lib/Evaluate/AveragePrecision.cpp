//===- AveragePrecision.cpp - Precision over recall -----------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Detections are matched once; for another draw of the pictures only their
// counts change.
//===----------------------------------------------------------------------===//
#include "AveragePrecision.h"

#include "parallax/Support/Sort.h"

#include <algorithm>

namespace parallax::tasks {
namespace {

Candidate boxOf(const TruthBox &object) {
  return {float(object.left), float(object.top), float(object.right),
          float(object.bottom)};
}

/// How much of a detection lies in a region.
double coverOf(const Candidate &detection, const Candidate &region) {
  double width = double(std::min(detection.right, region.right)) -
                 double(std::max(detection.left, region.left));
  double height = double(std::min(detection.bottom, region.bottom)) -
                  double(std::max(detection.top, region.top));
  double area = (double(detection.right) - double(detection.left)) *
                (double(detection.bottom) - double(detection.top));
  return width > 0 && height > 0 && area > 0 ? width * height / area : 0;
}

} // namespace

std::vector<Match> matchDetections(std::span<const Candidate> detections,
                                   std::span<const TruthBox> objects) {
  std::vector<Match> matches;
  std::vector<double> overlaps(detections.size() * objects.size());
  for (size_t d = 0; d < detections.size(); ++d) {
    matches.push_back({detections[d].label, detections[d].score});
    for (size_t o = 0; o < objects.size(); ++o)
      if (objects[o].label == detections[d].label)
        overlaps[d * objects.size() + o] =
            objects[o].isCrowd ? coverOf(detections[d], boxOf(objects[o]))
                               : overlapOf(detections[d], boxOf(objects[o]));
  }
  std::vector<bool> isFound(objects.size());
  for (size_t t = 0; t < overlapThresholds; ++t) {
    double threshold = 0.5 + 0.05 * double(t);
    std::fill(isFound.begin(), isFound.end(), false);
    for (size_t d = 0; d < detections.size(); ++d) {
      size_t best = objects.size();
      double most = threshold;
      bool inCrowd = false;
      for (size_t o = 0; o < objects.size(); ++o) {
        double overlap = overlaps[d * objects.size() + o];
        if (objects[o].isCrowd) {
          inCrowd |= overlap >= threshold;
        } else if (!isFound[o] && overlap >= most &&
                   (best == objects.size() || overlap > most)) {
          most = overlap;
          best = o;
        }
      }
      auto bit = uint16_t(1u << t);
      if (best < objects.size()) {
        isFound[best] = true;
        matches[d].hits |= bit;
      } else if (inCrowd) {
        matches[d].ignored |= bit;
      }
    }
  }
  return matches;
}

void ClassPrecision::add(size_t picture, const Match &match) {
  entries.push_back({uint32_t(picture), match});
}

void ClassPrecision::addObjects(size_t picture, int64_t count) {
  if (count > 0)
    objectCounts.emplace_back(uint32_t(picture), count);
}

void ClassPrecision::finish() {
  sortByKey(entries, [](const Entry &entry) { return -entry.match.score; });
}

int64_t ClassPrecision::objects() const {
  int64_t sum = 0;
  for (auto [picture, count] : objectCounts)
    sum += count;
  return sum;
}

double
ClassPrecision::averagePrecision(size_t threshold,
                                 std::span<const uint32_t> counts) const {
  double positives = 0;
  for (auto [picture, count] : objectCounts)
    positives += double(count) * counts[picture];
  if (positives == 0)
    return -1;
  auto bit = uint16_t(1u << threshold);
  std::vector<double> recall, precision;
  double hits = 0, all = 0;
  for (const Entry &entry : entries) {
    double times = counts[entry.picture];
    if (times == 0 || entry.match.ignored & bit)
      continue;
    all += times;
    if (entry.match.hits & bit)
      hits += times;
    recall.push_back(hits / positives);
    precision.push_back(hits / all);
  }
  // At each recall, the best precision that it or a higher one has.
  for (size_t i = precision.size(); i-- > 1;)
    precision[i - 1] = std::max(precision[i - 1], precision[i]);
  constexpr int levels = 100;
  double sum = 0;
  size_t at = 0;
  for (int level = 0; level <= levels; ++level) {
    double wanted = level == levels ? 1 : level * 0.01;
    while (at < recall.size() && recall[at] < wanted)
      ++at;
    if (at == recall.size())
      break;
    sum += precision[at];
  }
  return sum / (levels + 1);
}

} // namespace parallax::tasks
