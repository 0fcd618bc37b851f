//===- Doctor.cpp - Samples that teach calibration nothing ----------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Blank and repeated samples are not wrong, but they narrow what a set shows of
// the world. Hashes only propose duplicates; bytes decide.
//===----------------------------------------------------------------------===//
#include "parallax/Data/Preflight.h"
#include "parallax/Support/Parallel.h"
#include "parallax/Support/TensorFile.h"
#include "parallax/Support/Unicode.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <unordered_map>

namespace parallax {
namespace {

std::string_view textOf(const Tensor &tensor) {
  auto bytes = bytesOf(tensor);
  return {reinterpret_cast<const char *>(bytes.data()), bytes.size()};
}

bool isSame(const std::vector<Tensor> &a, const std::vector<Tensor> &b) {
  return std::equal(
      a.begin(), a.end(), b.begin(), b.end(),
      [](const Tensor &x, const Tensor &y) { return textOf(x) == textOf(y); });
}

/// What one look at a sample shows.
struct Finding {
  size_t hash = 0;
  std::vector<CalibrationDiagnosis::Constant> constants;
  std::vector<CalibrationDiagnosis::NonFinite> nonFinite;
};

Finding examine(const CalibrationSet &set, size_t sample) {
  Finding finding;
  std::vector<Tensor> tensors = set.load(sample);
  for (size_t input = 0; input < tensors.size(); ++input) {
    const Tensor &tensor = tensors[input];
    const std::string &name = set.inputs()[input].name;
    finding.hash =
        finding.hash * 31 + std::hash<std::string_view>{}(textOf(tensor));
    if (!isFloat(tensor.dtype()) && tensor.dtype() != DType::U8)
      continue;
    dispatch(tensor.dtype(), [&]<typename T>(TypeTag<T>) {
      auto values = tensor.values<T>();
      auto asDouble = [](T value) {
        if constexpr (std::is_same_v<T, double>)
          return value;
        else
          return double(float(value));
      };
      auto badCount = std::count_if(values.begin(), values.end(), [&](T value) {
        return !std::isfinite(asDouble(value));
      });
      if (badCount > 0)
        finding.nonFinite.push_back({sample, name, badCount});
      bool constant = values.size() > 1 && badCount == 0 &&
                      std::all_of(values.begin(), values.end(), [&](T value) {
                        return asDouble(value) == asDouble(values[0]);
                      });
      if (constant)
        finding.constants.push_back({sample, name, asDouble(values[0])});
    });
  }
  return finding;
}

/// "3 samples hold NaN or infinity: 'a', 'b', 'c'".
template <typename Items, typename Name>
void addSentence(std::vector<std::string> &sentences, const Items &items,
                 std::string_view what, size_t shown, Name &&nameOf) {
  if (items.empty())
    return;
  std::vector<std::string> names;
  for (const auto &item : items)
    if (names.size() < shown)
      names.push_back(nameOf(item));
  sentences.push_back(fmt::format("{} {}: {}{}", items.size(), what,
                                  fmt::join(names, ", "),
                                  items.size() > shown ? ", ..." : ""));
}

} // namespace

CalibrationDiagnosis diagnose(const CalibrationSet &set) {
  std::vector<Finding> findings(set.size());
  parallelFor(int64_t(set.size()), 1, [&](int64_t begin, int64_t end) {
    for (int64_t sample = begin; sample < end; ++sample)
      findings[size_t(sample)] = examine(set, size_t(sample));
  });

  CalibrationDiagnosis diagnosis;
  std::unordered_multimap<size_t, size_t> originals;
  for (size_t sample = 0; sample < findings.size(); ++sample) {
    Finding &finding = findings[sample];
    std::move(finding.constants.begin(), finding.constants.end(),
              std::back_inserter(diagnosis.constants));
    std::move(finding.nonFinite.begin(), finding.nonFinite.end(),
              std::back_inserter(diagnosis.nonFinite));
    auto [begin, end] = originals.equal_range(finding.hash);
    auto original = std::find_if(begin, end, [&](const auto &candidate) {
      return isSame(set.load(candidate.second), set.load(sample));
    });
    if (original != end)
      diagnosis.duplicates.push_back({sample, original->second});
    else
      originals.emplace(finding.hash, sample);
  }
  return diagnosis;
}

std::vector<std::string> describe(const CalibrationDiagnosis &diagnosis,
                                  const CalibrationSet &set, size_t shown) {
  auto sampleName = [&](size_t sample) { return elide(set.name(sample), 60); };
  std::vector<std::string> sentences;
  addSentence(sentences, diagnosis.nonFinite,
              "inputs of samples hold NaN or infinity", shown,
              [&](const auto &item) {
                return fmt::format("'{}' ({} in {})", sampleName(item.sample),
                                   item.count, item.input);
              });
  addSentence(sentences, diagnosis.constants, "inputs of samples are constant",
              shown, [&](const auto &item) {
                return fmt::format("'{}' ({} is {:g})", sampleName(item.sample),
                                   item.input, item.value);
              });
  addSentence(sentences, diagnosis.duplicates, "samples repeat an earlier one",
              shown, [&](const auto &item) {
                return fmt::format("'{}' is '{}'", sampleName(item.sample),
                                   sampleName(item.original));
              });
  return sentences;
}

} // namespace parallax
