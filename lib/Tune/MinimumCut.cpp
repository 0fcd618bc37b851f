//===- MinimumCut.cpp - Yes or no for many items at least cost ------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Items are vertices between a source and a sink, and costs are capacities: the
// side of the source is yes. Boost finds the maximum flow. What the source can
// still reach after it is the smallest of all minimum cuts.
//===----------------------------------------------------------------------===//
#include "parallax/Tune/MinimumCut.h"
#include "parallax/Support/Error.h"

#include <algorithm>
#include <bit>
#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/boykov_kolmogorov_max_flow.hpp>
#include <cassert>
#include <cmath>
#include <cstdint>
#include <fmt/format.h>
#include <limits>

namespace parallax {
namespace {

using CutTraits =
    boost::adjacency_list_traits<boost::vecS, boost::vecS, boost::directedS>;
using CutVertex = CutTraits::vertex_descriptor;
using CutEdge = CutTraits::edge_descriptor;

struct CutEdgeData {
  int64_t capacity = 0;
  int64_t residual = 0;
  CutEdge reverse;
};

struct CutVertexData {
  CutEdge predecessor;
  boost::default_color_type color{};
  int64_t distance = 0;
};

using CutGraph =
    boost::adjacency_list<boost::vecS, boost::vecS, boost::directedS,
                          CutVertexData, CutEdgeData>;

/// Integers for costs: exact powers of two apart, so that none is rounded that
/// need not be, and small enough that no sum of them overflows.
class CutScale {
public:
  void include(double cost) {
    if (cost > 0 && std::isfinite(cost)) {
      ++count;
      largest = std::max(largest, cost);
    }
  }
  /// That of one item, which a flow can fill beside those of others.
  void includeItem(double cost) {
    include(cost);
    if (std::isinf(cost))
      ++infiniteItems;
  }

  /// After all costs were included.
  void finish() {
    int exponent = 0;
    std::frexp(largest, &exponent);
    constexpr int usableBits = 62;
    shift = usableBits - exponent - int(std::bit_width(count)) -
            int(std::bit_width(infiniteItems));
    int64_t largestCapacity = std::llrint(std::ldexp(largest, shift));
    infinite = largestCapacity * int64_t(count) + 1;
  }

  int64_t capacityOf(double cost) const {
    return std::isinf(cost) ? infinite : std::llrint(std::ldexp(cost, shift));
  }

private:
  double largest = 0;
  uint64_t count = 0, infiniteItems = 0;
  int shift = 0;
  /// More than all finite costs together.
  int64_t infinite = 0;
};

void addCutEdge(CutGraph &graph, CutVertex from, CutVertex to,
                int64_t capacity) {
  if (capacity == 0)
    return;
  CutEdge edge = boost::add_edge(from, to, graph).first;
  CutEdge reverse = boost::add_edge(to, from, graph).first;
  graph[edge].capacity = capacity;
  graph[edge].reverse = reverse;
  graph[reverse].reverse = edge;
}

std::vector<bool> reachableInResidual(const CutGraph &graph, CutVertex source) {
  std::vector<bool> isReached(boost::num_vertices(graph));
  std::vector<CutVertex> open = {source};
  isReached[source] = true;
  while (!open.empty()) {
    CutVertex vertex = open.back();
    open.pop_back();
    auto [edge, end] = boost::out_edges(vertex, graph);
    for (; edge != end; ++edge) {
      CutVertex next = boost::target(*edge, graph);
      if (graph[*edge].residual > 0 && !isReached[next]) {
        isReached[next] = true;
        open.push_back(next);
      }
    }
  }
  return isReached;
}

/// Predicted costs come from measurements, and these may be NaN.
void requireCost(double cost) {
  if (!(cost >= 0))
    throw Error(fmt::format("a cost of a choice is {}, which is not a positive "
                            "number",
                            cost));
}

} // namespace

size_t BinaryChoice::add() {
  items.emplace_back();
  return items.size() - 1;
}

void BinaryChoice::costIf(size_t item, bool yes, double cost) {
  assert(item < items.size());
  requireCost(cost);
  (yes ? items[item].costOfYes : items[item].costOfNo) += cost;
}

void BinaryChoice::costIfYesAndNo(size_t a, size_t b, double cost) {
  assert(a < items.size() && b < items.size());
  requireCost(cost);
  // No item is both.
  if (a != b)
    pairs[{a, b}] += cost;
}

void BinaryChoice::require(size_t a, size_t b) {
  costIfYesAndNo(a, b, std::numeric_limits<double>::infinity());
}

std::vector<bool> BinaryChoice::solve() const {
  CutScale scale;
  for (const Item &item : items) {
    scale.includeItem(item.costOfYes);
    scale.includeItem(item.costOfNo);
  }
  for (const auto &[pair, cost] : pairs)
    scale.include(cost);
  scale.finish();

  CutVertex source = items.size(), sink = items.size() + 1;
  CutGraph graph(items.size() + 2);
  for (size_t i = 0; i < items.size(); ++i) {
    addCutEdge(graph, source, i, scale.capacityOf(items[i].costOfNo));
    addCutEdge(graph, i, sink, scale.capacityOf(items[i].costOfYes));
  }
  for (const auto &[pair, cost] : pairs)
    addCutEdge(graph, pair.first, pair.second, scale.capacityOf(cost));

  boost::boykov_kolmogorov_max_flow(
      graph, boost::get(&CutEdgeData::capacity, graph),
      boost::get(&CutEdgeData::residual, graph),
      boost::get(&CutEdgeData::reverse, graph),
      boost::get(&CutVertexData::predecessor, graph),
      boost::get(&CutVertexData::color, graph),
      boost::get(&CutVertexData::distance, graph),
      boost::get(boost::vertex_index, graph), source, sink);
  std::vector<bool> choice = reachableInResidual(graph, source);
  choice.resize(items.size());
  return choice;
}

double BinaryChoice::costOf(const std::vector<bool> &choice) const {
  assert(choice.size() == items.size());
  double sum = 0;
  for (size_t i = 0; i < items.size(); ++i)
    sum += choice[i] ? items[i].costOfYes : items[i].costOfNo;
  for (const auto &[pair, cost] : pairs)
    if (choice[pair.first] && !choice[pair.second])
      sum += cost;
  return sum;
}

} // namespace parallax
