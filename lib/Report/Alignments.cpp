//===- Alignments.cpp - What becomes of tensors that meet -----------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Of the many tensors that simply share a scale only the file tells.
//===----------------------------------------------------------------------===//
#include "parallax/Report/Alignments.h"
#include "parallax/Support/Unicode.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace parallax {
namespace {

constexpr std::string_view decisionNames[] = {"shared", "requantized", "float"};

/// "'a', 'b' and 3 more".
std::string listMeetings(const std::vector<std::string> &names) {
  constexpr size_t shown = 2;
  std::string list;
  for (size_t i = 0; i < std::min(names.size(), shown); ++i)
    list += fmt::format("{}'{}'", i > 0 ? ", " : "", printable(names[i]));
  return names.size() <= shown
             ? list
             : fmt::format("{} and {} more", list, names.size() - shown);
}

} // namespace

std::string toJson(const std::vector<AlignmentChoice> &choices) {
  using Json = nlohmann::ordered_json;
  auto list = Json::array();
  for (const AlignmentChoice &choice : choices) {
    Json &entry = list.emplace_back(
        Json{{"layer", choice.layer},
             {"tensor", choice.tensor},
             {"decision", decisionNames[size_t(choice.decision)]},
             {"reason", choice.reason},
             {"own_scale", choice.ownScale},
             {"common_scale", choice.sharedScale}});
    if (!choice.wideCodes.empty())
      entry["wide_codes"] = choice.wideCodes;
  }
  // Names come from the model and need not be UTF-8.
  return Json{{"meetings", std::move(list)}}.dump(
             2, ' ', false, nlohmann::json::error_handler_t::replace) +
         "\n";
}

std::string describeAlignments(const std::vector<AlignmentChoice> &choices) {
  std::vector<std::string> floats, wide, starved;
  double least = fewestSteps;
  for (const AlignmentChoice &choice : choices) {
    if (choice.decision != Alignment::Float) {
      if (choice.bits > 8 && !choice.wideCodes.empty() &&
          std::ranges::find(wide, choice.layer) == wide.end())
        wide.push_back(choice.layer);
      if (choice.stepsLeft() < fewestSteps) {
        starved.push_back(choice.tensor);
        least = std::min(least, choice.stepsLeft());
      }
    } else if (std::ranges::find(floats, choice.layer) == floats.end()) {
      floats.push_back(choice.layer);
    }
  }
  std::string text;
  if (!floats.empty())
    text = fmt::format("outputs keep the scales of their parts: {} {} floats",
                       listMeetings(floats),
                       floats.size() == 1 ? "moves" : "move");
  if (!wide.empty())
    text += fmt::format("{}what meets in {} has 16 bits, because 8 would leave "
                        "too few steps to a part",
                        text.empty() ? "" : "; ", listMeetings(wide));
  if (!starved.empty())
    text += fmt::format("{}the common scale of a layer leaves fewer than {} "
                        "steps to {}",
                        text.empty() ? "" : "; ", std::ceil(least),
                        listMeetings(starved));
  return text;
}

} // namespace parallax
