//===- Predicate.cpp - Whether the problem is still there -----------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Layers are found by their own name or by that of their tensor.
//===----------------------------------------------------------------------===//
#include "parallax/Case/Predicate.h"
#include "CaseBuild.h"

#include "parallax/Analysis/OutputVerdict.h"
#include "parallax/Report/Precision.h"
#include "parallax/Support/Error.h"
#include "parallax/Support/Unicode.h"

#include <fmt/format.h>

namespace fs = std::filesystem;

namespace parallax {
namespace {

bool isAt(const std::string &layer, const std::string &node,
          const std::string &tensor) {
  return layer == node || layer == tensor;
}

bool hasOutputBelow(const PrecisionReport &report, double threshold) {
  std::vector<JudgedOutput> outputs = judgeOutputs(report);
  return std::ranges::any_of(outputs, [&](const JudgedOutput &output) {
    return !(output.row->metrics.similarity() >= threshold);
  });
}

bool holdsFor(const Predicate &predicate, const PrecisionReport &report) {
  switch (predicate.kind) {
  case Predicate::Kind::Bits:
    for (const BitDifference &row : report.differences)
      if (isAt(predicate.layer, row.node, row.tensor) &&
          (predicate.difference ? row.difference == *predicate.difference
                                : isFault(row.difference)))
        return true;
    return false;
  case Predicate::Kind::LayerCosine:
    for (const PrecisionTable &table : report.tables)
      for (const PrecisionRow &row : table.rows)
        if (table.method == AnalysisMethod::PerLayer &&
            isAt(predicate.layer, row.node, row.tensor) &&
            row.metrics.similarity() < predicate.threshold)
          return true;
    return false;
  case Predicate::Kind::OutputCosine:
    return hasOutputBelow(report, predicate.threshold);
  case Predicate::Kind::OutputBad:
    return isBad(report);
  default:
    // Nothing is wrong, and nothing may be made up.
    return problemOf(report).kind == Predicate::Kind::Analyzed;
  }
}

bool isBadOnReference(const PrecisionReport &report) {
  return std::ranges::any_of(
      judgeOutputs(report), [](const JudgedOutput &output) {
        return output.table->mode == AnalysisMode::Reference &&
               output.verdict.quality == OutputQuality::Bad;
      });
}

/// The class of a name; the error lists the names.
DifferenceClass differenceClassOf(const std::string &name) {
  std::string names;
  for (int i = 0; i <= int(DifferenceClass::Layout); ++i) {
    if (nameOf(DifferenceClass(i)) == name)
      return DifferenceClass(i);
    names += fmt::format("{}{}", i > 0 ? ", " : "", nameOf(DifferenceClass(i)));
  }
  throw Error(
      fmt::format("there is no class '{}'; the classes are {}", name, names));
}

double cosineOf(const std::string &text) {
  try {
    size_t end = 0;
    double value = std::stod(text, &end);
    if (end == text.size() && value >= -1 && value <= 1)
      return value;
  } catch (const std::exception &) {
    // Said below.
  }
  throw Error("--layer-cosine takes LAYER:COSINE, as in conv1:0.99");
}

} // namespace

std::string Predicate::words() const {
  switch (kind) {
  case Kind::Bits:
    return fmt::format("Reference and NPUBackend differ at {} ({})",
                       printable(layer),
                       difference ? nameOf(*difference) : "any fault");
  case Kind::LayerCosine:
    return fmt::format("the cosine of {} by itself is below {}",
                       printable(layer), threshold);
  case Kind::OutputCosine:
    return fmt::format("the cosine of an output is below {}", threshold);
  case Kind::OutputBad:
    return "the verdict on an output is bad";
  case Kind::Message:
    return fmt::format("the build fails and says '{}'", printable(text));
  case Kind::Crash:
    return "the build crashes";
  case Kind::Command:
    return fmt::format("'{}' ends with 0", printable(text));
  case Kind::Analyzed:
    return "the build ends with an analysis";
  }
  return "";
}

bool Predicate::holds(const ChildResult &built, const fs::path &folder) const {
  if (built.isTimeout)
    return false;
  if (kind == Kind::Command)
    return !built.isFailure();
  if (kind == Kind::Crash)
    return built.isCrash();
  if (kind == Kind::Message)
    return built.isFailure() && built.text.find(text) != std::string::npos;
  if (built.isFailure())
    return false;
  return holdsFor(*this, readPrecisionJson(analysisOf(folder / "output")));
}

Predicate problemOf(const PrecisionReport &report) {
  Predicate predicate;
  auto fault =
      std::ranges::find_if(report.differences, [](const BitDifference &row) {
        return isFault(row.difference);
      });
  bool isFaulty = fault != report.differences.end();
  // What users see; a layer may be imprecise without harm. Outputs that only
  // the simulator spoils are the harm of its fault.
  if (isFaulty ? isBadOnReference(report) : isBad(report)) {
    predicate.kind = Predicate::Kind::OutputBad;
    return predicate;
  }
  if (isFaulty) {
    predicate.kind = Predicate::Kind::Bits;
    predicate.layer = fault->node;
    predicate.difference = fault->difference;
    return predicate;
  }
  const PrecisionRow *worst = nullptr;
  for (const PrecisionTable &table : report.tables)
    for (const PrecisionRow &row : table.rows)
      if (table.method == AnalysisMethod::PerLayer &&
          row.metrics.similarity() < layerThreshold &&
          (!worst || row.metrics.similarity() < worst->metrics.similarity()))
        worst = &row;
  if (worst) {
    predicate.kind = Predicate::Kind::LayerCosine;
    predicate.layer = worst->node;
    predicate.threshold = layerThreshold;
  }
  return predicate;
}

const PrecisionRow *rowOf(const PrecisionReport &report,
                          const std::string &layer) {
  for (const PrecisionTable &table : report.tables)
    for (const PrecisionRow &row : table.rows)
      if (isAt(layer, row.node, row.tensor))
        return &row;
  return nullptr;
}

Predicate parsePredicate(Predicate::Kind kind, const std::string &text) {
  // Layers may have colons as well.
  size_t colon = text.rfind(':');
  std::string value = colon == std::string::npos ? "" : text.substr(colon + 1);
  Predicate predicate;
  predicate.kind = kind;
  predicate.layer = text.substr(0, colon);
  if (kind == Predicate::Kind::LayerCosine)
    predicate.threshold = value.empty() ? layerThreshold : cosineOf(value);
  else if (!value.empty())
    predicate.difference = differenceClassOf(value);
  return predicate;
}

} // namespace parallax
