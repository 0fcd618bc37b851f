//===- Custom.cpp - Metrics that a user's command computes ----------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// The command gets a folder of outputs and prints a JSON object of numbers on
// its standard output. Whatever else it does is an error in its own words.
//===----------------------------------------------------------------------===//
#include "parallax/Evaluate/Task.h"

#include "parallax/Support/ChildProcess.h"
#include "parallax/Support/Error.h"
#include "parallax/Support/MappedFile.h"
#include "parallax/Support/Unicode.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace fs = std::filesystem;

namespace parallax {
namespace {

/// The last line that a command wrote, for messages.
std::string lastLineOf(const fs::path &file) {
  std::string text = fs::exists(file) && fs::file_size(file) > 0
                         ? readText(file)
                         : std::string();
  size_t end = text.find_last_not_of(" \t\r\n");
  if (end == std::string::npos)
    return "it wrote nothing";
  size_t begin = text.rfind('\n', end);
  begin = begin == std::string::npos ? 0 : begin + 1;
  constexpr size_t shown = 200;
  return fmt::format(
      "its last words are '{}'",
      elide(printable(text.substr(begin, end + 1 - begin)), shown));
}

} // namespace

std::vector<MetricResult> runMetricCommand(const EvaluationConfig &config,
                                           const fs::path &outputs) {
  fs::path printed = outputs.string() + ".metric.json",
           errors = outputs.string() + ".metric.log";
  // The folder and the log are words of their own, whatever is in them.
  ChildResult result = runChild(
      {"/bin/sh", "-c", "exec 2>\"$2\"; " + config.command + " \"$1\"", "sh",
       fs::absolute(outputs).string(), fs::absolute(errors).string()},
      fs::current_path(), printed, config.timeout);
  auto fail = [&](const std::string &problem, const fs::path &words) {
    throw Error(fmt::format("evaluation.command '{}' {}; {}", config.command,
                            problem, lastLineOf(words)));
  };
  if (result.isTimeout)
    fail(fmt::format("took more than {} s", config.timeout), errors);
  if (result.signal != 0)
    fail(fmt::format("was ended by signal {}", result.signal), errors);
  if (result.exitCode != 0)
    fail(fmt::format("gave exit code {}", result.exitCode), errors);
  nlohmann::ordered_json numbers =
      nlohmann::ordered_json::parse(result.text, nullptr, false);
  if (!numbers.is_object() || numbers.empty())
    fail("did not print a JSON object of numbers", printed);
  std::vector<MetricResult> metrics;
  for (const auto &[name, value] : numbers.items()) {
    if (!value.is_number())
      fail(fmt::format("printed '{}', which is not a number", name), printed);
    double number = value.get<double>();
    metrics.push_back(
        {name, name, config.higherIsBetter, {number, number, number}});
  }
  return metrics;
}

} // namespace parallax
