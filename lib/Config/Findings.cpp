//===- Findings.cpp - The mistakes in a configuration ---------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Sorts mistakes by their position, keeps the first hundred, and formats the
// paths, values and suggestions that messages contain.
//===----------------------------------------------------------------------===//
#include "Findings.h"

#include "parallax/Support/Error.h"
#include "parallax/Support/NearestNames.h"
#include "parallax/Support/Unicode.h"

#include <cctype>
#include <fmt/format.h>

namespace parallax::config {
namespace {

constexpr size_t maxKept = 100;
constexpr int maxShown = 60;

std::string lowerCase(std::string_view text) {
  std::string lower(text);
  for (char &symbol : lower)
    symbol = char(std::tolower(static_cast<unsigned char>(symbol)));
  return lower;
}

} // namespace

std::string Path::text() const {
  if (isRoot())
    return "";
  std::string prefix = parent->text();
  if (name.data() == nullptr)
    return fmt::format("{}[{}]", prefix, index);
  return prefix + (prefix.empty() ? "" : ".") + elide(name, maxShown);
}

std::string subject(JsonPosition position, const Path &path) {
  if (path.isRoot())
    return "the configuration";
  return position.line == 0 ? "--" + path.text() : "'" + path.text() + "'";
}

std::string Findings::place(JsonPosition position) const {
  return position.line == 0
             ? ""
             : fmt::format("{}:{}:{}: ", file, position.line, position.column);
}

void Findings::error(JsonPosition position, std::string message) {
  if (count++ < maxKept)
    errors.emplace(position, std::move(message));
}

void Findings::error(JsonPosition position, const Path &path,
                     std::string_view message) {
  error(position, fmt::format("{} {}", subject(position, path), message));
}

void Findings::warning(JsonPosition position, const Path &path,
                       std::string_view message) {
  warnings.push_back(fmt::format("{}{} {}", place(position),
                                 subject(position, path), message));
}

void Findings::throwErrors() {
  if (errors.empty())
    return;
  std::vector<std::string> lines;
  for (const auto &[position, message] : errors)
    lines.push_back(place(position) + message);
  if (isFull())
    lines.push_back(fmt::format("and {} more mistakes", count - errors.size()));
  throw Error(fmt::format("{}", fmt::join(lines, "\n")));
}

std::string suggestion(std::string_view name,
                       std::span<const std::string> candidates) {
  for (const std::string &candidate : candidates)
    if (lowerCase(candidate) == lowerCase(name))
      return fmt::format("; did you mean '{}'?", candidate);
  return didYouMean(name, candidates);
}

std::string alternatives(std::span<const std::string> names) {
  if (names.empty())
    return "";
  if (names.size() == 1)
    return names[0];
  return fmt::format("{} or {}", fmt::join(names.first(names.size() - 1), ", "),
                     names.back());
}

std::string shown(const JsonValue &value) {
  if (const auto *text = value.as<std::string>())
    return "'" + elide(*text, maxShown) + "'";
  if (const auto *number = value.as<JsonNumber>())
    return elide(number->text, maxShown);
  if (const auto *truth = value.as<bool>())
    return *truth ? "true" : "false";
  if (value.as<JsonValue::List>())
    return "a list";
  if (value.as<JsonValue::Object>())
    return "an object";
  return "null";
}

} // namespace parallax::config
