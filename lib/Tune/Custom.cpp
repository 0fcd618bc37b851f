//===- Custom.cpp - The strategy 'custom' ---------------------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// A command of the user reads the history and prints the changes of the next
// trial: an object of fields and values, such as {"quant.calibration_method":
// "KL", "quant.layer_configs": [...]}. Nothing, or an empty object, ends it.
//===----------------------------------------------------------------------===//
#include "Search.h"

#include "parallax/Support/ChildProcess.h"
#include "parallax/Support/Error.h"
#include "parallax/Support/Listener.h"
#include "parallax/Support/Ranks.h"

#include <algorithm>
#include <fmt/format.h>
#include <iterator>
#include <nlohmann/json.hpp>

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

namespace parallax {
namespace {

std::vector<ConfigEdit> editsOf(const Json &patch) {
  std::vector<ConfigEdit> edits;
  auto text = [](const Json &value) {
    return value.dump(-1, ' ', false, Json::error_handler_t::replace);
  };
  for (const auto &[field, value] : patch.items())
    // Rules are added to those that there are.
    if (field == "quant.layer_configs" && value.is_array())
      for (const Json &rule : value)
        edits.push_back({field, text(rule), true});
    else
      edits.push_back({field, text(value)});
  return edits;
}

/// The changes that a text stands for; an object only if it is right.
Json patchOf(const std::string &text) {
  if (text.find_first_not_of(" \t\r\n") == std::string::npos)
    return Json::object();
  return Json::parse(text, nullptr, false);
}

/// What the command of the configuration prints. Throws Error.
std::string askCommand(const Search &search, const fs::path &history) {
  const std::string &command = search.config.customCommand;
  fs::path printed = history.parent_path() / "custom.json";
  ChildResult result =
      runChild({"/bin/sh", "-c", command + " \"$1\"", "sh", history.string()},
               fs::current_path(), printed, search.config.exitPolicy.timeout);
  auto fail = [&](const std::string &problem) {
    throw Error(fmt::format("tuning.custom_command '{}' {}", command, problem));
  };
  if (result.isTimeout)
    fail("took longer than the timeout");
  if (result.signal != 0)
    fail(fmt::format("was ended by signal {}", result.signal));
  if (result.exitCode != 0)
    fail(fmt::format("gave exit code {}", result.exitCode));
  if (!patchOf(result.text).is_object())
    fail("did not print a JSON object of fields and values");
  return result.text;
}

/// Fields that are the same for all trials: what is compared, what it is
/// measured by and where files go. Without a name, it is all of them.
bool isShared(std::string_view field) {
  static constexpr std::string_view shared[] = {
      "",           "input",           "output_dir", "output_name", "work_dir",
      "model_type", "target_hardware", "npu_mode",   "evaluation",  "tuning"};
  std::string_view section = field.substr(0, field.find('.'));
  return std::ranges::find(shared, section) != std::end(shared);
}

/// What was found so far is kept, whatever comes from outside.
std::vector<ConfigEdit> proposedEdits(const std::string &text) {
  Json patch = patchOf(text);
  if (!patch.is_object())
    throw SearchEnded{
        "a custom strategy did not give a JSON object of fields and values, "
        "such as {\"quant.calibration_method\": \"KL\"}"};
  for (const auto &[field, value] : patch.items())
    if (isShared(field))
      throw SearchEnded{fmt::format("a custom strategy wanted to change '{}', "
                                    "which is the same for all trials",
                                    field)};
  return editsOf(patch);
}

} // namespace

void searchByProposals(Search &search, const Proposer &propose) {
  search.measureAll({{"as configured", {}}});
  // Proposals go on from all that the history has.
  std::vector<Search::Question> earlier;
  for (const TrialRecord &trial : search.history.trials())
    earlier.push_back({trial.purpose, search.ownEdits(trial)});
  search.measureAll(earlier);
  while (true) {
    int64_t before = search.count();
    std::vector<ConfigEdit> edits =
        proposedEdits(propose(fs::absolute(search.historyFile)));
    if (edits.empty())
      return;
    search.measureAll({{"custom", edits}});
    // One that repeats itself has nothing more to say.
    if (search.count() == before)
      return;
  }
}

void searchByCommand(Search &search) {
  searchByProposals(search, [&](const fs::path &history) {
    // What was found so far is kept, so all ranks have to know of a failure.
    std::string answer = ranks().fromFirst("a proposal", [&] {
      try {
        return "+" + askCommand(search, history);
      } catch (const Cancelled &) {
        throw;
      } catch (const Error &error) {
        return std::string("-") + error.what();
      }
    });
    if (answer.starts_with('-'))
      throw SearchEnded{answer.substr(1)};
    return answer.substr(1);
  });
}

} // namespace parallax
