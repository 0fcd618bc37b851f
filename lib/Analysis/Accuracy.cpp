//===- Accuracy.cpp - How well networks do their task ---------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// A verdict is only as certain as the samples allow.
//===----------------------------------------------------------------------===//
#include "parallax/Analysis/Accuracy.h"
#include "parallax/Support/Unicode.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace parallax {

std::string_view nameOf(AccuracyVerdict verdict) {
  constexpr std::string_view names[] = {"good", "undecided", "bad"};
  return names[size_t(verdict)];
}

TaskOutcome outcomeOf(const Accuracy &accuracy) {
  const MetricResult &metric = accuracy.networks.back().metrics.front();
  return {metric.title, metric.loss.value,
          std::string(nameOf(accuracy.verdict)), accuracy.sentence};
}

void decide(Accuracy &accuracy) {
  if (!accuracy.isCompared())
    return;
  const NetworkAccuracy &first = accuracy.networks.front(),
                        &last = accuracy.networks.back();
  const MetricResult &metric = last.metrics.front();
  std::string firstName = printable(first.network),
              lastName = printable(last.network),
              title = printable(metric.title);
  double reference = first.metrics.front().value.value;
  double tolerable = accuracy.tolerableLoss;
  Estimate loss = metric.loss;
  if (!accuracy.hasIntervals)
    loss.low = loss.high = loss.value;
  std::string interval =
      accuracy.hasIntervals
          ? fmt::format(" (95 %: {:.4f} to {:.4f})", loss.low, loss.high)
          : std::string();
  std::string facts = fmt::format(
      "{} loses {:.4f}{} of {}'s {} {:.4f}; {:.4f} is tolerable", lastName,
      loss.value, interval, firstName, title, reference, tolerable);
  if (!std::isfinite(reference) || (metric.higherIsBetter && reference <= 0)) {
    accuracy.verdict = AccuracyVerdict::Undecided;
    accuracy.sentence = fmt::format(
        "undecided: {} itself has a {} of {:.4g}; check labels, classes and "
        "the preparation of samples",
        firstName, title, reference);
  } else if (!std::isfinite(loss.value)) {
    accuracy.verdict = AccuracyVerdict::Bad;
    accuracy.sentence =
        fmt::format("bad: {} gives no usable {}", lastName, title);
  } else if (loss.low > tolerable) {
    accuracy.verdict = AccuracyVerdict::Bad;
    accuracy.sentence = "bad: " + facts;
  } else if (loss.high <= tolerable) {
    accuracy.verdict = AccuracyVerdict::Good;
    accuracy.sentence = "good: " + facts;
  } else {
    accuracy.verdict = AccuracyVerdict::Undecided;
    accuracy.sentence = fmt::format("undecided, {} samples are too few: {}",
                                    accuracy.samples, facts);
  }
}

} // namespace parallax
