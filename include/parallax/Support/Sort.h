//===- Sort.h - Stable sorting by a key ------------------------*- C++ -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// std::stable_sort allocates in a way that compilers warn about, so elements
// with equal keys are kept in order by comparing their indices.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_SUPPORT_SORT_H
#define PARALLAX_SUPPORT_SORT_H

#include <algorithm>
#include <utility>
#include <vector>

namespace parallax {

/// The smallest key first; equal ones stay in their order.
template <typename T, typename Key>
void sortByKey(std::vector<T> &items, Key keyOf) {
  std::vector<std::pair<decltype(keyOf(items[0])), size_t>> order;
  for (size_t i = 0; i < items.size(); ++i)
    order.emplace_back(keyOf(items[i]), i);
  std::ranges::sort(order);
  std::vector<T> sorted;
  for (const auto &[key, i] : order)
    sorted.push_back(std::move(items[i]));
  items = std::move(sorted);
}

} // namespace parallax

#endif // PARALLAX_SUPPORT_SORT_H
