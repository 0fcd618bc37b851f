//===- PrecisionMermaid.cpp - The network, coloured by similarity ---------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// A table has no branches; a picture shows which of them loses precision.
//===----------------------------------------------------------------------===//
#include "PrecisionText.h"
#include "parallax/Support/SafeText.h"

#include <algorithm>
#include <fmt/format.h>
#include <iterator>
#include <set>
#include <unordered_map>

namespace parallax {
namespace {

struct Band {
  double atLeast;
  std::string_view name, style, legend;
};
constexpr Band bands[] = {
    {0.999, "green", "fill:#c8e6c9,stroke:#2e7d32,color:#000000",
     "at least 0.999"},
    {0.99, "yellow", "fill:#fff59d,stroke:#f9a825,color:#000000",
     "at least 0.99"},
    {0.98, "orange", "fill:#ffcc80,stroke:#ef6c00,color:#000000",
     "at least 0.98"},
    {-1, "red", "fill:#ef9a9a,stroke:#c62828,color:#000000", "below 0.98"},
};
/// For inputs, and for tensors that no row has.
constexpr Band notCompared = {
    -1, "grey", "fill:#eeeeee,stroke:#757575,color:#000000", "not compared"};

const Band &bandOf(double similarity) {
  auto band = std::find_if(
      std::begin(bands), std::end(bands),
      [&](const Band &candidate) { return similarity >= candidate.atLeast; });
  return band == std::end(bands) ? bands[std::size(bands) - 1] : *band;
}

std::string escaped(std::string_view name) {
  return safeText(TextKind::Mermaid, name);
}

/// A layer, or a tensor that no row has.
struct Node {
  std::string name, type;
  /// Of each table the row with the lowest similarity, or nothing.
  std::vector<const PrecisionRow *> worst;
};

class Chart {
public:
  explicit Chart(const PrecisionReport &report) : report(report) {
    for (size_t i = 0; i < report.tables.size(); ++i)
      for (const PrecisionRow &row : report.tables[i].rows)
        addRow(i, row);
  }

  void addEdge(const PrecisionEdge &edge) {
    std::pair ends(ofTensor(edge.from), ofTensor(edge.to));
    // Layers that share several tensors are joined once.
    if (ends.first != ends.second && joined.insert(ends).second)
      edges.push_back(ends);
  }

  std::string text() const {
    std::string text = header();
    for (size_t i = 0; i < nodes.size(); ++i)
      text += nodeLine(i);
    for (auto [from, to] : edges)
      text += fmt::format("  n{} --> n{}\n", from, to);
    return text + legend();
  }

private:
  size_t newNode(std::string name, std::string type) {
    nodes.push_back({std::move(name), std::move(type), {}});
    nodes.back().worst.resize(report.tables.size());
    return nodes.size() - 1;
  }

  void addRow(size_t table, const PrecisionRow &row) {
    // Without a name of its own, a layer is known by its result.
    const std::string &name = row.node.empty() ? row.tensor : row.node;
    auto [found, isNew] = layers.try_emplace(name, nodes.size());
    if (isNew)
      newNode(name, row.type);
    tensors.try_emplace(row.tensor, found->second);
    const PrecisionRow *&worst = nodes[found->second].worst[table];
    if (!worst || similarityOf(row.metrics) < similarityOf(worst->metrics))
      worst = &row;
  }

  size_t ofTensor(const std::string &tensor) {
    auto [found, isNew] = tensors.try_emplace(tensor, nodes.size());
    return isNew ? newNode(tensor, "") : found->second;
  }

  std::string header() const {
    if (report.tables.empty())
      return "flowchart TD\n";
    const PrecisionTable &colours = report.tables.front();
    return fmt::format("---\ntitle: {}\n---\nflowchart TD\n",
                       precisionTitle(colours.method, colours.mode));
  }

  std::string nodeLine(size_t index) const {
    const Node &node = nodes[index];
    std::string label = escaped(node.name);
    if (!node.type.empty())
      label += "<br/>" + escaped(node.type);
    for (size_t i = 0; i < node.worst.size(); ++i) {
      if (!node.worst[i])
        continue;
      const PrecisionTable &table = report.tables[i];
      label += "<br/>";
      if (report.tables.size() > 1)
        label +=
            fmt::format("{} {} ", nameOf(table.method), nameOf(table.mode));
      label += cosineText(node.worst[i]->metrics);
      if (node.worst[i]->metrics.special > 0)
        label += " beside NaN or Inf";
    }
    auto coloured =
        std::find_if(node.worst.begin(), node.worst.end(),
                     [](const PrecisionRow *row) { return row != nullptr; });
    const Band &band = coloured == node.worst.end()
                           ? notCompared
                           : bandOf(similarityOf((*coloured)->metrics));
    return fmt::format("  n{}[\"{}\"]:::{}\n", index, label, band.name);
  }

  static std::string legend() {
    std::string text = "  subgraph legend [\"Similarity\"]\n";
    std::string styles;
    auto add = [&](const Band &band) {
      text += fmt::format("    legend_{}[\"{}\"]:::{}\n", band.name,
                          band.legend, band.name);
      styles += fmt::format("  classDef {} {}\n", band.name, band.style);
    };
    for (const Band &band : bands)
      add(band);
    add(notCompared);
    return text + "  end\n" + styles;
  }

  const PrecisionReport &report;
  std::vector<Node> nodes;
  std::vector<std::pair<size_t, size_t>> edges;
  std::set<std::pair<size_t, size_t>> joined;
  std::unordered_map<std::string, size_t> layers, tensors;
};

} // namespace

std::string precisionMermaid(const PrecisionReport &report,
                             const std::vector<PrecisionEdge> &edges) {
  Chart chart(report);
  for (const PrecisionEdge &edge : edges)
    chart.addEdge(edge);
  return chart.text();
}

} // namespace parallax
