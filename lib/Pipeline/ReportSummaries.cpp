//===- ReportSummaries.cpp - What a report shows of large files -----------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Numbers have five digits, which is more than a curve can show.
//===----------------------------------------------------------------------===//
#include "ReportSummaries.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <numeric>

namespace parallax {
namespace {

using Json = nlohmann::ordered_json;

/// More channels are not told apart in a picture.
constexpr size_t mostChannels = 512;

Json rounded(double value) {
  return std::isfinite(value) ? Json(std::stod(fmt::format("{:.5g}", value)))
                              : Json();
}

Json roundedList(const std::vector<float> &values,
                 const std::vector<size_t> &chosen) {
  Json list = Json::array();
  for (size_t i : chosen)
    list.push_back(rounded(values[i]));
  return list;
}

/// All channels, or those with the widest ranges, in their order.
std::vector<size_t> shownChannels(const TensorRange &range) {
  std::vector<size_t> channels(range.channelMin.size());
  std::iota(channels.begin(), channels.end(), size_t(0));
  if (channels.size() <= mostChannels)
    return channels;
  auto width = [&](size_t i) {
    return double(range.channelMax[i]) - range.channelMin[i];
  };
  auto middle = channels.begin() + mostChannels;
  std::ranges::nth_element(channels, middle, [&](size_t a, size_t b) {
    return std::pair(width(b), a) < std::pair(width(a), b);
  });
  channels.erase(middle, channels.end());
  std::ranges::sort(channels);
  return channels;
}

Json rangeJson(const Interval &range) {
  return Json::array({rounded(range.low), rounded(range.high)});
}

Json tensorJson(const TensorRange &range) {
  std::vector<size_t> channels = shownChannels(range);
  Json entry{{"tensor", range.tensor},
             {"node", range.node},
             {"values", rangeJson(range.values)},
             {"u8", rangeJson(range.u8)},
             {"u16", rangeJson(range.u16)},
             {"channel_axis", range.channelAxis},
             {"channels", range.channelMin.size()},
             {"channel_min", roundedList(range.channelMin, channels)},
             {"channel_max", roundedList(range.channelMax, channels)}};
  if (channels.size() < range.channelMin.size())
    entry["channel_index"] = channels;
  if (!range.minSample.empty())
    entry["min_sample"] = range.minSample;
  if (!range.maxSample.empty())
    entry["max_sample"] = range.maxSample;
  return entry;
}

std::string textOf(const Json &json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

} // namespace

std::string calibrationSummary(const Calibration &calibration) {
  Json tensors = Json::array();
  for (const TensorRange &range : calibration.tensors)
    tensors.push_back(tensorJson(range));
  return textOf({{"method", calibration.method},
                 {"samples", calibration.samples},
                 {"odd_samples", Json::parse(toJson(calibration.oddSamples))},
                 {"tensors", std::move(tensors)}});
}

std::string weightsSummary(std::string_view quantizedParameters) {
  try {
    Json parameters = Json::parse(quantizedParameters);
    const Json &values = parameters.at("values");
    Json weights = Json::array();
    for (const auto &[layer, tensors] : parameters.at("tensor_configs").items())
      for (const auto &[name, tensor] : tensors.items()) {
        if (tensor.at("state") != "BAKED" ||
            !tensor.at("policy").at("PER_CHANNEL"))
          continue;
        const Json &codes =
            values.at(tensor.at("dominator").get<std::string>());
        double largest = tensor.at("quant_max");
        Json maxima = Json::array();
        for (double scale : codes.at("scale"))
          maxima.push_back(rounded(scale * largest));
        weights.push_back({{"operator", layer},
                           {"tensor", name},
                           {"axis", codes.at("axis")},
                           {"channel_max", std::move(maxima)}});
      }
    return textOf({{"weights", std::move(weights)}});
  } catch (const Json::exception &) {
    return "";
  }
}

} // namespace parallax
