//===- BuildConfig.cpp - What `parallax build` is asked to do -------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// From text and flags to a configuration, and back to text.
//===----------------------------------------------------------------------===//
#include "parallax/Config/BuildConfig.h"
#include "Field.h"
#include "Flags.h"
#include "ReadText.h"

#include "parallax/Support/Error.h"

#include <filesystem>
#include <fmt/format.h>

namespace parallax {
namespace {

/// What is larger belongs into files that the configuration names.
constexpr size_t maxBytes = size_t(4) << 20;

/// `object` is a message as it is written, with all of its fields in order.
void collectInactive(const config::Message &message, const JsonValue &object,
                     const std::string &prefix,
                     std::vector<InactiveField> &fields) {
  const auto &members = std::get<JsonValue::Object>(object.data);
  for (size_t i = 0; i < members.size(); ++i) {
    const config::Field &field = message.fields[i];
    const JsonValue &value = members[i].value;
    std::string name = prefix + std::string(field.name);
    const config::Type *element = field.type->element();
    if (!field.inactiveBecause.empty()) {
      if (value != message.defaultOf(field.name))
        fields.push_back({name, std::string(field.inactiveBecause)});
    } else if (const config::Message *inner = field.type->message()) {
      collectInactive(*inner, value, name + ".", fields);
    } else if (element && element->message()) {
      const auto &elements = std::get<JsonValue::List>(value.data);
      for (size_t k = 0; k < elements.size(); ++k)
        collectInactive(*element->message(), elements[k],
                        fmt::format("{}[{}].", name, k), fields);
    }
  }
}

/// What a file is that is not JSON, and what to do about it; empty if that is
/// not obvious.
std::string otherFormat(std::string_view text, const std::string &name) {
  std::string extension = std::filesystem::path(name).extension().string();
  if (extension == ".onnx" || extension == ".axmodel")
    return "this is a model; name it with --input, and give --config a "
           "configuration";
  // "key: value", where JSON begins with a brace.
  std::string_view line = text.substr(0, text.find('\n'));
  size_t colon = line.find(':');
  bool isKey = colon != std::string_view::npos && colon > 0 &&
               line.find_first_of("{}[]\"' ") > colon;
  if (extension == ".yaml" || extension == ".yml" || isKey ||
      line.starts_with("---"))
    return "this is YAML; a configuration is JSON: {\"input\": \"model.onnx\", "
           "...}";
  return "";
}

} // namespace

BuildConfig parseBuildConfig(std::string_view text, const std::string &name,
                             const std::vector<ConfigOverride> &flags,
                             std::vector<std::string> *warnings) {
  if (text.size() > maxBytes)
    throw Error(fmt::format("{}: a configuration may have {} bytes at most; "
                            "give large constants in files of their own",
                            name, maxBytes));
  config::Findings findings(name, &config::rootMessage());
  JsonDocument document = parseRelaxedJson(text);
  if (std::string what = otherFormat(text, name);
      !document.errors.empty() && !what.empty())
    throw Error(fmt::format("{}: {}", name, what));
  for (JsonError &error : document.errors)
    findings.error(error.position, std::move(error.message));
  config::addFlags(document.root, flags);

  BuildConfig result;
  config::readMessage(config::rootMessage(), &result,
                      {{}, document.root, {}, findings, nullptr});
  findings.throwErrors();
  if (warnings)
    for (std::string &warning : findings.takeWarnings())
      warnings->push_back(std::move(warning));
  return result;
}

BuildConfig readBuildConfig(const std::string &path,
                            const std::vector<ConfigOverride> &flags,
                            std::vector<std::string> *warnings) {
  return parseBuildConfig(config::readText(path, maxBytes + 1, "configuration"),
                          path, flags, warnings);
}

std::string toJson(const BuildConfig &config) {
  return printJson(config::writeMessage(config::rootMessage(), &config)) + "\n";
}

std::vector<InactiveField> inactiveFields(const BuildConfig &config) {
  std::vector<InactiveField> fields;
  const config::Message &root = config::rootMessage();
  collectInactive(root, config::writeMessage(root, &config), "", fields);
  return fields;
}

} // namespace parallax
