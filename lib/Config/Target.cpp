//===- Target.cpp - The chip that a network is compiled for ---------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// The files of configs/targets are part of the program, so that it finds them
// wherever it is installed.
//===----------------------------------------------------------------------===//
#include "parallax/Config/Target.h"
#include "ReadText.h"
#include "TargetFields.h"

#include "parallax/Support/Error.h"

#include <algorithm>
#include <fmt/format.h>

namespace parallax {
namespace {

struct EmbeddedFile {
  const char *name, *text;
};

constexpr EmbeddedFile embeddedFiles[] = {
#include "EmbeddedTargets.inc"
};

char lowerOf(char letter) {
  return letter >= 'A' && letter <= 'Z' ? char(letter - 'A' + 'a') : letter;
}

/// How names are compared; those of operators have no underscores.
std::string plainName(std::string_view name, bool isOperator) {
  std::string plain;
  for (char letter : name)
    if (!isOperator || letter != '_')
      plain += lowerOf(letter);
  return plain;
}

const std::vector<Target> &embeddedTargets() {
  static const std::vector<Target> targets = [] {
    std::vector<Target> result;
    for (const EmbeddedFile &file : embeddedFiles)
      result.push_back(parseTarget(file.text, file.name));
    return result;
  }();
  return targets;
}

} // namespace

const OperatorTypes *Target::find(std::string_view opType) const {
  std::string wanted = plainName(opType, true);
  for (const OperatorTypes &types : operators)
    for (const std::string &name : types.opTypes)
      if (plainName(name, true) == wanted)
        return &types;
  return nullptr;
}

const std::vector<DataType> &
Target::activationTypesOf(std::string_view opType) const {
  const OperatorTypes *types = find(opType);
  return types ? types->activationTypes : activationTypes;
}

const std::vector<DataType> &
Target::weightTypesOf(std::string_view opType) const {
  const OperatorTypes *types = find(opType);
  return types ? types->weightTypes : weightTypes;
}

int64_t Target::coresIn(NpuMode mode) const {
  std::vector<std::string> names;
  for (const TargetMode &each : modes) {
    if (each.npuMode == mode)
      return each.cores;
    names.emplace_back(configName(each.npuMode));
  }
  throw Error(fmt::format("npu_mode must be {} on {}, not {}",
                          config::alternatives(names), name, configName(mode)));
}

bool isSameChip(std::string_view name, std::string_view other) {
  return plainName(name, false) == plainName(other, false);
}

bool isTargetFile(std::string_view hardwareOrPath) {
  return hardwareOrPath.ends_with(".json") ||
         hardwareOrPath.find('/') != std::string_view::npos;
}

std::vector<std::string> targetNames() {
  std::vector<std::string> names;
  for (const Target &target : embeddedTargets())
    names.push_back(target.name);
  return names;
}

Target parseTarget(std::string_view text, const std::string &fileName) {
  config::Findings findings(fileName, &config::targetMessage());
  JsonDocument document = parseRelaxedJson(text);
  for (JsonError &error : document.errors)
    findings.error(error.position, std::move(error.message));
  Target target;
  config::readMessage(config::targetMessage(), &target,
                      {{}, document.root, {}, findings, nullptr});
  findings.throwErrors();
  return target;
}

std::string toJson(const Target &target) {
  return printJson(config::writeMessage(config::targetMessage(), &target)) +
         "\n";
}

Target readTarget(const std::filesystem::path &file) {
  constexpr size_t maxBytes = size_t(1) << 20;
  std::string text = config::readText(file, maxBytes + 1, "target");
  if (text.size() > maxBytes)
    throw Error(fmt::format("{}: a target file may have {} bytes at most",
                            file.string(), maxBytes));
  return parseTarget(text, file.string());
}

Target findTarget(const std::string &hardwareOrPath) {
  if (isTargetFile(hardwareOrPath))
    return readTarget(hardwareOrPath);
  for (const Target &target : embeddedTargets())
    if (isSameChip(target.name, hardwareOrPath))
      return target;
  throw Error(fmt::format("there is no description of the chip '{}'; take {}, "
                          "or give target_hardware the path of a .json file "
                          "that describes it (docs/targets.md)",
                          hardwareOrPath, config::alternatives(targetNames())));
}

} // namespace parallax
