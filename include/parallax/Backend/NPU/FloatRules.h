//===- FloatRules.h - Who computes layers in float -------------*- C++ -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Which statement of docs/numerics.md an nn operator follows when the simulator
// executes it on floats, and which operators are left to the float engine. The
// latter need a reason why its bits are those of the page, on any processor and
// with any number of threads.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_BACKEND_NPU_FLOATRULES_H
#define PARALLAX_BACKEND_NPU_FLOATRULES_H

#include <string>
#include <vector>

namespace parallax {

struct FloatRule {
  /// The operator's name in the dialect, for example "nn.conv".
  std::string op;
  /// A statement of docs/numerics.md, for example "C91".
  std::string label;
  /// Why the kernel of the float engine is exact; empty for operators with a
  /// kernel of their own.
  std::string exactBecause;
};

/// What npuKernels() registers, in alphabetical order.
const std::vector<FloatRule> &floatRules();

} // namespace parallax

#endif // PARALLAX_BACKEND_NPU_FLOATRULES_H
