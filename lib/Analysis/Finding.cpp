//===- Finding.cpp - What a comparison of two files says ------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// An unreadable file must not hide what the other files say, so it becomes a
// finding of its own here and not an error of the whole command.
//===----------------------------------------------------------------------===//
#include "parallax/Analysis/Finding.h"
#include "parallax/Support/Error.h"

#include <cmath>
#include <fmt/format.h>

namespace parallax {

bool Criterion::accepts(const Metrics &metrics) const {
  bool comparable = metrics.unordered == 0 && !std::isinf(metrics.maxAbs);
  bool passes = judgesElements() ? metrics.withinTolerance() : comparable;
  return passes && (!cosine || metrics.cosine >= *cosine);
}

std::string Criterion::describe() const {
  auto [absolute, relative] = tolerance();
  std::string text;
  if (judgesElements()) {
    text = fmt::format("atol={:g}, rtol={:g}", absolute, relative);
    if (absolute == 0 && relative == 0)
      text += ": values must be exactly equal";
  }
  if (cosine)
    text += fmt::format("{}cosine at least {:g}", text.empty() ? "" : "; ",
                        *cosine);
  return text;
}

int exitCodeOf(Verdict verdict) {
  switch (verdict) {
  case Verdict::Equal:
  case Verdict::Close:
    return 0;
  case Verdict::Different:
  case Verdict::Shape:
    return 1;
  case Verdict::OnlyInA:
  case Verdict::OnlyInB:
  case Verdict::Failed:
    break;
  }
  return 2;
}

static std::string formatElement(const Tensor &tensor, int64_t index) {
  return dispatch(tensor.dtype(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    T value = tensor.data<T>()[index];
    if constexpr (std::is_convertible_v<T, float> && !std::is_arithmetic_v<T>)
      return fmt::format("{}", float(value));
    else
      return fmt::format("{}", value);
  });
}

static Verdict judge(const Metrics &metrics, const Criterion &criterion) {
  if (!criterion.accepts(metrics))
    return Verdict::Different;
  return metrics.maxAbs == 0 ? Verdict::Equal : Verdict::Close;
}

Finding compareFiles(const FilePair &pair, const RawFormat &format,
                     const Criterion &criterion) {
  Finding finding;
  finding.name = pair.name;
  if (pair.a.empty() || pair.b.empty()) {
    finding.verdict = pair.b.empty() ? Verdict::OnlyInA : Verdict::OnlyInB;
    return finding;
  }
  try {
    auto [a, b] = readPair(pair, format);
    finding.types = {a.shape(), b.shape(), a.dtype(), b.dtype()};
    if (a.shape() != b.shape()) {
      finding.verdict = Verdict::Shape;
      return finding;
    }
    Metrics metrics = measure(a, b, criterion.tolerance());
    finding.verdict = judge(metrics, criterion);
    if (int64_t first = metrics.firstDifferingIndex; first >= 0) {
      finding.valueA = formatElement(a, first);
      finding.valueB = formatElement(b, first);
    }
    finding.metrics = metrics;
  } catch (const Error &error) {
    finding.verdict = Verdict::Failed;
    finding.message = error.what();
  }
  return finding;
}

} // namespace parallax
