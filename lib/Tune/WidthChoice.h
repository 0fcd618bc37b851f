//===- WidthChoice.h - Which layers read 16 bits ---------------*- C++ -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Layers read 8 or 16 bits. A tensor loses nothing to its codes if all that
// read it do so in 16 bits, and each layer that does so costs more. For a price
// of a cycle the best choice is a minimum cut; all prices together give the
// front of what losses and cycles can be had.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_LIB_TUNE_WIDTHCHOICE_H
#define PARALLAX_LIB_TUNE_WIDTHCHOICE_H

#include "parallax/Analysis/LossModel.h"
#include "parallax/Analysis/Widening.h"

#include <map>
#include <set>

namespace parallax {

/// What tensors and weights lose to their codes of 8 bits, in any unit.
struct TensorLosses {
  /// By tensor, and by layer.
  std::map<std::string, double> codes, weights;

  double total() const;
};

/// What layers cost with operands of 8 bits, of 16 bits, and of 16 bits with
/// weights of 16 bits, by name. Layers that move data cost nothing here.
struct LayerCosts {
  std::map<std::string, double> narrow, wide, wideWeights;
};

struct WidthProblem {
  /// Knows which layer reads what.
  const LossModel *network = nullptr;
  TensorLosses losses;
  LayerCosts costs;
  /// Layers that may not be widened.
  std::set<std::string> fixed = {};
};

/// The choice that costs least at a price per unit of cost.
Widening chooseWidths(const WidthProblem &problem, double price);

/// The choices at all prices, the cheapest first, each once. The first is
/// empty.
std::vector<Widening> chooseFront(const WidthProblem &problem);

} // namespace parallax

#endif // PARALLAX_LIB_TUNE_WIDTHCHOICE_H
