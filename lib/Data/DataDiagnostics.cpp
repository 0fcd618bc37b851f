//===- DataDiagnostics.cpp - Diagnostics of calibration samples -----------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Finds blank samples, duplicates and outliers, and pictures outside of the
// range that networks are trained on. Hashes only propose duplicates; their
// bytes are compared.
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

/// Count, mean and squared deviations of numbers that come in pieces.
struct Moments {
  double count = 0, mean = 0, squares = 0;

  void merge(const Moments &other) {
    if (other.count == 0)
      return;
    double all = count + other.count, distance = other.mean - mean;
    squares += other.squares + distance * distance * count / all * other.count;
    mean += distance * other.count / all;
    count = all;
  }
  double spread() const { return std::sqrt(squares / count); }
};

/// Of each channel; values that are not finite don't count.
std::vector<Moments> momentsOf(std::span<const float> values,
                               const ImageForm &form) {
  auto channels = size_t(form.channels);
  auto plane = size_t(form.height * form.width);
  auto channelOf = [&](size_t i) {
    return form.channelsLast ? i % channels : i / plane % channels;
  };
  auto forEach = [&](auto &&visit) {
    for (size_t i = 0; i < values.size(); ++i)
      if (std::isfinite(values[i]))
        visit(channelOf(i), double(values[i]));
  };
  std::vector<Moments> result(channels);
  forEach([&](size_t channel, double value) {
    ++result[channel].count;
    result[channel].mean += value;
  });
  for (Moments &moments : result)
    moments.mean /= std::max(moments.count, 1.0);
  forEach([&](size_t channel, double value) {
    double distance = value - result[channel].mean;
    result[channel].squares += distance * distance;
  });
  return result;
}

/// The form of an input's pictures, if mean and std change their pixels.
std::optional<ImageForm> normalizedForm(const PortInfo &input,
                                        const CalibrationSource &source) {
  if (source.format != DataFormat::Image || input.dtype != DType::F32)
    return std::nullopt;
  ImageForm form = imageFormOf(
      input.name, input.dtype, input.shape, source.channelOrder(input.name),
      source.layout(input.name), source.mean, source.std);
  auto areAll = [](const std::vector<float> &numbers, float value) {
    return std::count(numbers.begin(), numbers.end(), value) ==
           std::ssize(numbers);
  };
  if (areAll(form.mean, 0) && areAll(form.std, 1))
    return std::nullopt;
  return form;
}

bool isOffRange(const CalibrationDiagnosis::OffRange &channel, double divisor) {
  constexpr double far = 3, narrow = 0.02, wide = 30;
  // Pixels that are nearly the same can't have any other spread.
  if (channel.pixelSpread < 1)
    return false;
  double distance = std::fabs(channel.mean);
  return (distance > far && distance > far * channel.spread) ||
         channel.spread < narrow ||
         // Some networks are trained on pixels less their mean, undivided.
         (channel.spread > wide && divisor != 1);
}

} // namespace

/// What one look at a sample shows.
struct DataDiagnostics::Finding {
  bool isSeen = false;
  size_t hash = 0;
  std::vector<CalibrationDiagnosis::Constant> constants;
  std::vector<CalibrationDiagnosis::NonFinite> nonFinite;
  /// By input, and then by channel.
  std::vector<std::vector<Moments>> moments;
};

DataDiagnostics::DataDiagnostics(const CalibrationSet &set)
    : set(set), findings(set.size()) {
  for (size_t input = 0; input < set.inputs().size(); ++input)
    pictures.push_back(normalizedForm(set.inputs()[input], set.source(input)));
}

DataDiagnostics::~DataDiagnostics() = default;

void DataDiagnostics::look(size_t sample, std::span<const Tensor> tensors) {
  Finding &finding = findings[sample];
  finding.isSeen = true;
  finding.moments.resize(tensors.size());
  for (size_t input = 0; input < tensors.size(); ++input) {
    const Tensor &tensor = tensors[input];
    const std::string &name = set.inputs()[input].name;
    finding.hash =
        finding.hash * 31 + std::hash<std::string_view>{}(textOf(tensor));
    if (pictures[input])
      finding.moments[input] =
          momentsOf(tensor.values<float>(), *pictures[input]);
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
}

CalibrationDiagnosis DataDiagnostics::diagnosis() const {
  CalibrationDiagnosis diagnosis;
  std::unordered_multimap<size_t, size_t> originals;
  for (size_t sample = 0; sample < findings.size(); ++sample) {
    const Finding &finding = findings[sample];
    if (!finding.isSeen)
      continue;
    diagnosis.constants.insert(diagnosis.constants.end(),
                               finding.constants.begin(),
                               finding.constants.end());
    diagnosis.nonFinite.insert(diagnosis.nonFinite.end(),
                               finding.nonFinite.begin(),
                               finding.nonFinite.end());
    auto [begin, end] = originals.equal_range(finding.hash);
    auto original = std::find_if(begin, end, [&](const auto &candidate) {
      return isSame(set.load(candidate.second), set.load(sample));
    });
    if (original != end)
      diagnosis.duplicates.push_back({sample, original->second});
    else
      originals.emplace(finding.hash, sample);
  }
  for (size_t input = 0; input < pictures.size(); ++input) {
    if (!pictures[input])
      continue;
    const ImageForm &form = *pictures[input];
    for (size_t channel = 0; channel < size_t(form.channels); ++channel) {
      Moments all;
      for (const Finding &finding : findings)
        if (finding.isSeen)
          all.merge(finding.moments[input][channel]);
      if (all.count == 0)
        continue;
      double divisor = double(form.std[channel]);
      CalibrationDiagnosis::OffRange item{set.inputs()[input].name,
                                          int64_t(channel),
                                          all.mean,
                                          all.spread(),
                                          all.mean * divisor +
                                              double(form.mean[channel]),
                                          all.spread() * divisor};
      if (isOffRange(item, divisor))
        diagnosis.offRange.push_back(std::move(item));
    }
  }
  return diagnosis;
}

CalibrationDiagnosis diagnose(const CalibrationSet &set) {
  DataDiagnostics diagnostics(set);
  parallelFor(int64_t(set.size()), 1, [&](int64_t begin, int64_t end) {
    for (int64_t sample = begin; sample < end; ++sample)
      diagnostics.look(size_t(sample), set.load(size_t(sample)));
  });
  return diagnostics.diagnosis();
}

namespace {

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
  addSentence(
      sentences, diagnosis.offRange,
      "channels of pictures have values that no network is trained on; give "
      "the calibration_mean and calibration_std of the training, which are "
      "near the mean and spread of the pixels as a rule",
      shown, [&](const auto &item) {
        return fmt::format("channel {} of {} has mean {:.4g} and spread {:.4g} "
                           "(pixels: {:.4g} and {:.4g})",
                           item.channel, item.input, item.mean, item.spread,
                           item.pixelMean, item.pixelSpread);
      });
  return sentences;
}

} // namespace parallax
