//===- PrecisionReport.cpp - The result of an analysis --------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// The names that tables and files give to methods and modes, and the levels of
// outlier channels.
//===----------------------------------------------------------------------===//
#include "parallax/Analysis/PrecisionReport.h"

#include <algorithm>
#include <cmath>

namespace parallax {

std::string_view nameOf(AnalysisMethod method) { return configName(method); }

std::string_view nameOf(AnalysisMode mode) {
  return mode == AnalysisMode::Reference ? "Reference" : "NPUBackend";
}

std::string_view nameOf(SampleOrigin origin) {
  switch (origin) {
  case SampleOrigin::HeldOut:
    return "held_out";
  case SampleOrigin::Calibrated:
    return "calibrated";
  case SampleOrigin::Others:
    break;
  }
  return "others";
}

double Attribution::attributed() const {
  double sum = 0;
  for (const AttributionRow &row : rows)
    sum += row.total();
  return sum;
}

double Attribution::gap() const {
  return measured == 0 ? 0 : std::abs(attributed() - measured) / measured;
}

double Attribution::sizes() const {
  double sum = 0;
  for (const AttributionRow &row : rows)
    sum += std::abs(row.total());
  return measured > 0 ? sum / measured : 0;
}

bool Attribution::closes() const {
  // Of parts that are so much larger than their sum, one hundredth is the whole
  // loss: nobody is to blame for that.
  constexpr double widestGap = 0.15, largestSizes = 100;
  return gap() <= widestGap && sizes() <= largestSizes;
}

double decidingSimilarity(const PrecisionRow &output) {
  double whole = output.metrics.similarity();
  // Numbers that are NaN on one side alone count against all groups.
  return std::min(whole, weakestCosine(output.groups, whole));
}

ChannelPeak peakOf(std::span<const float> channelMaxima) {
  ChannelPeak peak;
  std::vector<float> used;
  for (float maximum : channelMaxima)
    if (maximum > 0)
      used.push_back(maximum);
  if (used.empty())
    return peak;
  auto largest = std::ranges::max_element(channelMaxima);
  peak.channel = largest - channelMaxima.begin();
  peak.largest = *largest;
  auto middle = used.begin() + long(used.size() / 2);
  std::ranges::nth_element(used, middle);
  peak.median = *middle;
  return peak;
}

std::optional<OutlierRow> outliersOf(const std::string &tensor,
                                     std::span<const float> channelMaxima) {
  if (channelMaxima.empty())
    return std::nullopt;
  constexpr int firstLevel = 3;
  ChannelPeak peak = peakOf(channelMaxima);
  double largest = peak.largest;
  double channels = double(channelMaxima.size());
  OutlierRow row{.tensor = tensor, .channels = int64_t(channelMaxima.size())};
  row.peak = peak;
  // A power of two times a float is exact, a logarithm is not.
  for (int i = 0; i < int(std::size(row.level)); ++i)
    row.level[i] = double(std::ranges::count_if(
                       channelMaxima,
                       [&](double maximum) {
                         return maximum > 0 &&
                                std::ldexp(maximum, firstLevel + i) <= largest;
                       })) /
                   channels;
  if (row.level[0] == 0)
    return std::nullopt;
  row.sparse =
      double(std::ranges::count_if(
          channelMaxima, [](float maximum) { return !(maximum > 0); })) /
      channels;
  return row;
}

} // namespace parallax
