//===- Accuracy.h - How well networks do their task ------------*- C++ -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// The result of evaluating one or several networks on labelled samples: plain
// numbers with their uncertainty, for tables, files and verdicts.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_ANALYSIS_ACCURACY_H
#define PARALLAX_ANALYSIS_ACCURACY_H

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace parallax {

/// A number, and where it lies with 95 % confidence.
struct Estimate {
  double value = 0, low = 0, high = 0;
};

struct MetricResult {
  /// As files call it and as people do: "map50_95", "mAP50-95".
  std::string name, title;
  bool higherIsBetter = true;
  Estimate value = {};
  /// How much worse than the first network it is: a positive loss is worse.
  Estimate loss = {};

  template <typename Archive> void transfer(Archive &archive) {
    archive(name, title, higherIsBetter, value, loss);
  }
};

struct NetworkAccuracy {
  /// "Float", "Reference", "NPUBackend", or the file of a model.
  std::string network;
  /// The one that decides is the first.
  std::vector<MetricResult> metrics = {};
};

struct ClassAccuracy {
  std::string name;
  /// How often the labels have it.
  int64_t count = 0;
  /// The metric of the class, for each network.
  std::vector<double> values = {};
};

/// An object in a picture, in its pixels.
struct ShownBox {
  std::string label;
  double score = 1;
  double left = 0, top = 0, width = 0, height = 0;
};

/// A sample for which the last network answers otherwise than the first one.
struct ChangedAnswer {
  std::string sample;
  std::string expected, before, after;
  /// How much worse the answer is now; a better one has a negative loss.
  double loss = 0;
  /// Of detectors: what the labels have, and what both networks have found.
  std::vector<ShownBox> expectedBoxes = {}, boxesBefore = {}, boxesAfter = {};
};

enum class AccuracyVerdict { Good, Undecided, Bad };

/// "good", "undecided" or "bad".
std::string_view nameOf(AccuracyVerdict verdict);

struct Accuracy {
  /// As configurations call it: "Detection".
  std::string task;
  int64_t samples = 0;
  /// The first one is what the others are measured against.
  std::vector<NetworkAccuracy> networks = {};
  /// False where a metric has no intervals: a command gives numbers only.
  bool hasIntervals = true;
  /// Those that the last network loses most in first.
  std::vector<ClassAccuracy> classes = {};
  /// The largest losses first; there may be more of them.
  std::vector<ChangedAnswer> changed = {};
  int64_t changedCount = 0;
  /// What may be lost of the metric that decides, as a difference.
  double tolerableLoss = 0;
  AccuracyVerdict verdict = AccuracyVerdict::Good;
  /// The verdict in a sentence, with its numbers.
  std::string sentence = {};

  /// Whether there is a network to compare with another one.
  bool isCompared() const { return networks.size() > 1; }
};

/// What a precision analysis has to know of it.
struct TaskOutcome {
  /// "mAP50-95", and what the last network loses of it.
  std::string metric;
  double loss = 0;
  /// The name of a verdict, and the verdict in a sentence.
  std::string verdict;
  std::string sentence;
};
TaskOutcome outcomeOf(const Accuracy &accuracy);

/// Judges the last network by the metric that decides.
void decide(Accuracy &accuracy);

} // namespace parallax

#endif // PARALLAX_ANALYSIS_ACCURACY_H
