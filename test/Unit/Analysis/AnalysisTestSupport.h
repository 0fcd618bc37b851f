//===- AnalysisTestSupport.h - Tensors to measure --------------*- C++ -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Short ways to write tensors, and constants for NaN and infinity.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_TEST_UNIT_ANALYSIS_ANALYSISTESTSUPPORT_H
#define PARALLAX_TEST_UNIT_ANALYSIS_ANALYSISTESTSUPPORT_H

#include "parallax/Support/Tensor.h"

#include <initializer_list>
#include <limits>
#include <span>

namespace parallax {

inline constexpr double inf = std::numeric_limits<double>::infinity();

/// A vector, unless there is a shape.
template <typename T>
Tensor tensorOf(std::initializer_list<T> values, Shape shape = {}) {
  if (shape.empty())
    shape = {int64_t(values.size())};
  return Tensor::fromValues<T>(shape, std::span(values.begin(), values.size()));
}

} // namespace parallax

#endif // PARALLAX_TEST_UNIT_ANALYSIS_ANALYSISTESTSUPPORT_H
