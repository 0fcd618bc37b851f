//===- Finding.h - What a comparison of two files says ---------*- C++ -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// The result for one pair of files, and the rule by which it passes or fails.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_ANALYSIS_FINDING_H
#define PARALLAX_ANALYSIS_FINDING_H

#include "parallax/Analysis/FilePairs.h"
#include "parallax/Analysis/Metrics.h"

namespace parallax {

/// When two tensors count as equal. Without any limit: if all values are.
struct Criterion {
  std::optional<double> atol, rtol, cosine;

  Tolerance tolerance() const { return {atol.value_or(0), rtol.value_or(0)}; }
  /// A limit of the cosine alone replaces the element-wise rule.
  bool judgesElements() const { return atol || rtol || !cosine; }
  bool accepts(const Metrics &metrics) const;

  /// "atol=0.1, rtol=0"
  std::string describe() const;
};

enum class Verdict { Equal, Close, Different, Shape, OnlyInA, OnlyInB, Failed };

/// What a command that found this returns.
int exitCodeOf(Verdict verdict);

struct Finding {
  std::string name;
  Verdict verdict = Verdict::Equal;
  /// Why a file could not be read.
  std::string message;
  /// Set if both files were read.
  struct Types {
    Shape shapeA, shapeB;
    DType dtypeA, dtypeB;
  };
  std::optional<Types> types;
  /// Set if the shapes agree.
  std::optional<Metrics> metrics;
  /// The values at the first differing index.
  std::string valueA, valueB;
};

/// Reads and measures a pair. A file that can't be read is a finding as well.
Finding compareFiles(const FilePair &pair, const RawFormat &format,
                     const Criterion &criterion);

} // namespace parallax

#endif // PARALLAX_ANALYSIS_FINDING_H
