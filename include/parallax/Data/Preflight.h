//===- Preflight.h - What is wrong with a calibration set ------*- C++ -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// A build takes minutes, and a mistake in the calibration data ruins it at the
// end or, worse, only its accuracy. What can be checked in a second is
// checked first; data diagnostics look at every sample.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_DATA_PREFLIGHT_H
#define PARALLAX_DATA_PREFLIGHT_H

#include "parallax/Data/Calibration.h"

namespace parallax {

struct PreflightReport {
  /// What will make the build fail.
  std::vector<std::string> problems;
  /// What is probably not meant.
  std::vector<std::string> warnings;
  /// How many samples will be used, if there are no problems.
  size_t samples = 0;

  bool ok() const { return problems.empty(); }
};

/// Checks sources, files and numbers, and that the first sample fits; unpacks
/// nothing.
PreflightReport preflight(std::span<const PortInfo> inputs,
                          std::span<const CalibrationSource> sources);

struct CalibrationDiagnosis {
  /// An input whose elements are all the same: a blank picture, or data that
  /// was scaled away. Integer inputs other than pixels are often constant for
  /// good reason and are not listed.
  struct Constant {
    size_t sample;
    std::string input;
    double value;
  };
  /// A sample that equals an earlier one in every byte of every input.
  struct Duplicate {
    size_t sample, original;
  };
  struct NonFinite {
    size_t sample;
    std::string input;
    int64_t count;
  };

  /// A channel of pictures that `calibration_mean` and `calibration_std` put
  /// where no network is trained: far from 0, or with a spread (the standard
  /// deviation) that is much smaller or larger than 1.
  struct OffRange {
    std::string input;
    int64_t channel;
    /// Of the normalized data of all samples.
    double mean, spread;
    /// Of the pixels that they were made from.
    double pixelMean, pixelSpread;
  };

  std::vector<Constant> constants;
  std::vector<Duplicate> duplicates;
  std::vector<NonFinite> nonFinite;
  std::vector<OffRange> offRange;

  bool isHealthy() const {
    return constants.empty() && duplicates.empty() && nonFinite.empty() &&
           offRange.empty();
  }
};

/// Looks at samples that others load, and keeps a few numbers of each.
class DataDiagnostics {
public:
  /// `set` must stay alive.
  explicit DataDiagnostics(const CalibrationSet &set);
  ~DataDiagnostics();

  /// Any thread may call this, for each sample once and in any order.
  void look(size_t sample, std::span<const Tensor> tensors);

  /// What was seen so far; does not depend on the order of the samples. Loads
  /// again only samples that seem to be the same.
  CalibrationDiagnosis diagnosis() const;

private:
  struct Finding;
  const CalibrationSet &set;
  /// How pictures were normalized, for inputs where that can be wrong.
  std::vector<std::optional<ImageForm>> pictures;
  std::vector<Finding> findings;
};

/// Loads every sample once, on all threads, one per thread at a time.
CalibrationDiagnosis diagnose(const CalibrationSet &set);

/// The findings in sentences, at most `shown` samples named in each.
std::vector<std::string> describe(const CalibrationDiagnosis &diagnosis,
                                  const CalibrationSet &set, size_t shown = 5);

} // namespace parallax

#endif // PARALLAX_DATA_PREFLIGHT_H
