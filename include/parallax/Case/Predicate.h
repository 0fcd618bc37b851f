//===- Predicate.h - Whether the problem is still there --------*- C++ -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// What has to hold of a smaller case for it to show the same problem.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_CASE_PREDICATE_H
#define PARALLAX_CASE_PREDICATE_H

#include "parallax/Analysis/PrecisionReport.h"

#include <filesystem>
#include <optional>
#include <string>

namespace parallax {

struct ChildResult;

struct Predicate {
  enum class Kind {
    /// The engines differ at a layer, in a class or in any that is a fault.
    Bits,
    /// A layer keeps less than a cosine by itself.
    LayerCosine,
    /// Some output keeps less than a cosine with all errors accumulated.
    OutputCosine,
    /// The verdict on some output is bad.
    OutputBad,
    /// The build fails, and says a text.
    Message,
    /// The build crashes.
    Crash,
    /// A command of the user ends with 0 in the folder of the case.
    Command,
    /// The build ends with an analysis.
    Analyzed,
  };

  Kind kind = Kind::Analyzed;
  /// A layer or its tensor.
  std::string layer;
  std::optional<DifferenceClass> difference;
  double threshold = 0;
  /// What is said, or the command.
  std::string text;

  /// "Reference and NPUBackend differ at conv1 (Rounding)".
  std::string words() const;

  /// Of a build in `folder`, with its results in `folder`/output.
  bool holds(const ChildResult &built,
             const std::filesystem::path &folder) const;
};

/// The problem that an analysis shows; Kind::Analyzed if it shows none.
Predicate problemOf(const PrecisionReport &report);

/// The row of an analysis that a layer's predicate is about; null if there is
/// none.
const PrecisionRow *rowOf(const PrecisionReport &report,
                          const std::string &layer);

/// What a user types: LAYER[:CLASS] for Kind::Bits, and LAYER[:COSINE] for
/// Kind::LayerCosine, with layerThreshold if there is no number. Throws Error.
Predicate parsePredicate(Predicate::Kind kind, const std::string &text);

} // namespace parallax

#endif // PARALLAX_CASE_PREDICATE_H
