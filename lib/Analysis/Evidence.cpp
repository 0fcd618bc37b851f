//===- Evidence.cpp - What layers gave for one sample ---------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// One tensor per line, for readers and for diff.
//===----------------------------------------------------------------------===//
#include "parallax/Analysis/Evidence.h"
#include "parallax/Support/Error.h"
#include "parallax/Support/MappedFile.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>
#include <unordered_map>

namespace parallax {
namespace {

using Json = nlohmann::ordered_json;

constexpr int64_t evidenceSchema = 1;

std::string linesOf(const std::vector<TensorEvidence> &tensors) {
  std::vector<std::string> lines;
  for (const TensorEvidence &tensor : tensors) {
    Json json{{"layer", tensor.layer},
              {"tensor", tensor.tensor},
              {"dtype", tensor.dtype},
              {"shape", tensor.shape},
              {"sha256", tensor.sha256}};
    lines.push_back(json.dump(-1, ' ', false, Json::error_handler_t::replace));
  }
  return fmt::format("[\n  {}\n ]", fmt::join(lines, ",\n  "));
}

[[noreturn]] void fail(const std::string &file, std::string_view reason) {
  throw Error(fmt::format("cannot read '{}': {}", file, reason));
}

std::vector<TensorEvidence> tensorsOf(const Json &json, const char *name,
                                      const std::string &file) {
  std::vector<TensorEvidence> tensors;
  auto list = json.find(name);
  if (list == json.end() || !list->is_array())
    fail(file, fmt::format("it has no list '{}'", name));
  for (const Json &entry : *list) {
    auto text = [&](const char *field) {
      auto found = entry.is_object() ? entry.find(field) : entry.end();
      if (!entry.is_object() || found == entry.end() || !found->is_string())
        fail(file,
             fmt::format("an entry of '{}' has no text '{}'", name, field));
      return found->get<std::string>();
    };
    TensorEvidence tensor{
        text("layer"), text("tensor"), text("dtype"), {}, text("sha256")};
    auto shape = entry.find("shape");
    if (shape == entry.end() || !shape->is_array())
      fail(file, fmt::format("an entry of '{}' has no list 'shape'", name));
    for (const Json &extent : *shape) {
      if (!extent.is_number_integer())
        fail(file, fmt::format("an extent in '{}' is no integer", name));
      tensor.shape.push_back(extent.get<int64_t>());
    }
    tensors.push_back(std::move(tensor));
  }
  return tensors;
}

} // namespace

std::string toJson(const Evidence &evidence) {
  return fmt::format("{{\n \"schema\": {},\n \"npu\": {},\n \"reference\": "
                     "{}\n}}\n",
                     evidenceSchema, linesOf(evidence.machine),
                     linesOf(evidence.reference));
}

Evidence parseEvidence(std::string_view text, const std::string &file) {
  Json json = Json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (!json.is_object())
    fail(file, "it is no JSON object");
  auto schema = json.find("schema");
  if (schema == json.end() || !schema->is_number_integer())
    fail(file, "it has no number 'schema'");
  if (*schema != evidenceSchema)
    fail(file, "its schema is not 1; take the Parallax that wrote it");
  return {tensorsOf(json, "npu", file), tensorsOf(json, "reference", file)};
}

Evidence readEvidence(const std::filesystem::path &file) {
  return parseEvidence(MappedFile::open(file)->text(), file.string());
}

EvidenceDifference firstDifference(const std::vector<TensorEvidence> &expected,
                                   const std::vector<TensorEvidence> &found,
                                   size_t &differing) {
  std::unordered_map<std::string_view, const TensorEvidence *> byName;
  for (const TensorEvidence &tensor : found)
    byName.try_emplace(tensor.tensor, &tensor);
  EvidenceDifference first;
  differing = 0;
  auto note = [&](const TensorEvidence *a, const TensorEvidence *b) {
    ++differing;
    if (!first)
      first = {a, b};
  };
  for (const TensorEvidence &tensor : expected) {
    auto it = byName.find(tensor.tensor);
    if (it == byName.end()) {
      note(&tensor, nullptr);
      continue;
    }
    if (!(*it->second == tensor))
      note(&tensor, it->second);
    byName.erase(it);
  }
  // What nobody expected, in the order of the network.
  for (const TensorEvidence &tensor : found)
    if (auto it = byName.find(tensor.tensor);
        it != byName.end() && it->second == &tensor)
      note(nullptr, &tensor);
  return first;
}

} // namespace parallax
