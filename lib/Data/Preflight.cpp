//===- Preflight.cpp - What is wrong before calibration begins ------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Every source is looked at even if another one fails, so that a user who has
// three mistakes learns of all three.
//===----------------------------------------------------------------------===//
#include "parallax/Data/Preflight.h"
#include "parallax/Data/Dataset.h"
#include "parallax/Data/Sample.h"
#include "parallax/Support/Error.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace parallax {
namespace {

/// Fewer samples leave ranges to chance.
constexpr size_t fewSamples = 4;

class Checker {
public:
  Checker(std::span<const PortInfo> inputs,
          std::span<const CalibrationSource> sources)
      : inputs(inputs), sources(sources) {}

  PreflightReport run() {
    for (const CalibrationSource &source : sources)
      checkNormalization(source);
    std::vector<size_t> sourceOf;
    if (!attempt([&] { sourceOf = assignSources(inputs, sources); }))
      return report;
    for (size_t input = 0; input < inputs.size(); ++input)
      checkChannelOrder(inputs[input], sources[sourceOf[input]]);

    std::vector<Dataset> datasets;
    for (const CalibrationSource &source : sources)
      attempt([&] {
        const Dataset &dataset =
            datasets.emplace_back(source, archiveLimitsFor(inputs));
        for (const std::string &reason : dataset.skipped())
          report.warnings.push_back(fmt::format(
              "'{}': {}; left out", source.dataset.string(), reason));
      });
    if (!report.ok())
      return report;
    attempt([&] { checkSamples(sourceOf, datasets); });
    return report;
  }

private:
  template <typename Fn> bool attempt(Fn &&fn) {
    try {
      fn();
      return true;
    } catch (const Error &error) {
      report.problems.emplace_back(error.what());
      return false;
    }
  }

  template <typename... Args>
  void warn(fmt::format_string<Args...> format, Args &&...args) {
    report.warnings.push_back(fmt::format(format, std::forward<Args>(args)...));
  }

  /// Pixels are from 0 to 255, and the range that they are mapped to shows
  /// whether mean and std were meant for them.
  void checkNormalization(const CalibrationSource &source) {
    bool given = !source.mean.empty() || !source.std.empty();
    if (source.format != DataFormat::Image) {
      if (given)
        warn("'{}': calibration_mean and calibration_std only apply to "
             "images; data of format {} is used as it is",
             source.tensorName, configName(source.format));
      return;
    }
    bool unitMean =
        !source.mean.empty() &&
        std::all_of(source.mean.begin(), source.mean.end(),
                    [](float mean) { return mean > 0 && mean < 1; });
    // Less is a factor in place of the divisor, which the configuration's
    // reader tells.
    bool unitStd =
        !source.std.empty() &&
        std::all_of(source.std.begin(), source.std.end(),
                    [](float std) { return std >= 0.02f && std < 1; });
    if (unitMean || unitStd)
      warn("'{}': calibration_mean {} and calibration_std {} look like those "
           "for pixels from 0 to 1, but pixels are from 0 to 255: multiply "
           "them by 255",
           source.tensorName, source.mean, source.std);
    for (float mean : source.mean)
      if (mean < 0 || mean > 255)
        return warn("'{}': calibration_mean {} lies outside of the pixels, "
                    "which are from 0 to 255",
                    source.tensorName, mean);
  }

  void checkChannelOrder(const PortInfo &input,
                         const CalibrationSource &source) {
    bool hasColor =
        input.shape.size() == 4 && (input.shape[1] == 3 || input.shape[3] == 3);
    if (source.format == DataFormat::Image && hasColor &&
        source.channelOrder(input.name) == ColorSpace::Auto)
      warn("'{}': tensor_format is not given, so pictures are read as BGR",
           input.name);
  }

  void checkSamples(std::span<const size_t> sourceOf,
                    std::span<const Dataset> datasets) {
    std::vector<SampleFiles> samples =
        pairSamples(inputs, sources, sourceOf, datasets);
    report.samples = wantedSamples(sources, sourceOf, samples.size());
    if (samples.empty())
      return;
    if (report.samples < fewSamples)
      warn("only {} samples are used; with fewer than {}, ranges depend on "
           "chance",
           report.samples, fewSamples);
    for (const CalibrationSource &source : sources)
      if (source.size > int64_t(report.samples))
        warn("'{}': calibration_size is {}, but only {} samples are used",
             source.tensorName, source.size, report.samples);
    for (size_t input = 0; input < inputs.size(); ++input)
      attempt([&] {
        const CalibrationSource &source = sources[sourceOf[input]];
        const std::string &file = samples.front().files[input];
        readSample(datasets[sourceOf[input]].read(file),
                   (source.dataset / file).string(), source,
                   inputs.subspan(input, 1));
      });
  }

  std::span<const PortInfo> inputs;
  std::span<const CalibrationSource> sources;
  PreflightReport report;
};

} // namespace

PreflightReport preflight(std::span<const PortInfo> inputs,
                          std::span<const CalibrationSource> sources) {
  return Checker(inputs, sources).run();
}

} // namespace parallax
