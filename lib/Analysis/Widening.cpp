//===- Widening.cpp - What is to have 16 bits -----------------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Layers that get the same types share a rule.
//===----------------------------------------------------------------------===//
#include "parallax/Analysis/Widening.h"

#include <algorithm>
#include <nlohmann/json.hpp>

namespace parallax {

using Json = nlohmann::ordered_json;

void LayerList::add(const std::string &name) {
  if (!name.empty() && !contains(name))
    names.push_back(name);
}

bool LayerList::contains(const std::string &name) const {
  return std::ranges::find(names, name) != names.end();
}

std::vector<ConfigEdit> Widening::edits() const {
  LayerList both, dataOnly, weightsOnly;
  for (const std::string &name : data.names)
    (weights.contains(name) ? both : dataOnly).add(name);
  for (const std::string &name : weights.names)
    if (!data.contains(name))
      weightsOnly.add(name);
  std::vector<ConfigEdit> result;
  auto append = [&](const LayerList &layers, const Json &types) {
    if (layers.names.empty())
      return;
    Json entry = {{"layer_names", layers.names}};
    entry.update(types);
    result.push_back(
        {"quant.layer_configs",
         entry.dump(-1, ' ', false, Json::error_handler_t::replace), true});
  };
  append(both, {{"data_type", "U16"}, {"weight_data_type", "S16"}});
  append(dataOnly, {{"data_type", "U16"}});
  append(weightsOnly, {{"weight_data_type", "S16"}});
  append(results, {{"output_data_type", "U16"}});
  append(floats, {{"data_type", "FP32"}});
  return result;
}

std::vector<std::string> Widening::layers() const {
  LayerList all;
  for (const LayerList *list : {&data, &weights, &results, &floats})
    for (const std::string &name : list->names)
      all.add(name);
  return all.names;
}

} // namespace parallax
