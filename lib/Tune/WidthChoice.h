//===- WidthChoice.h - Which layers read 16 bits ---------------*- C++ -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Layers read 8 or 16 bits. A tensor loses nothing to its codes if all that
// read it do so in 16 bits, each layer that does so costs more, and so does a
// tensor that some read in 16 bits and others in 8. For a price of a cycle the
// best choice is a minimum cut; all prices together give the front of what
// losses and cycles can be had.
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

/// What is paid for widths, in any unit.
struct LayerCosts {
  /// Of layers with operands of 8 bits, of 16 bits, of 16 bits with weights of
  /// 16 bits, and of floats, by name.
  std::map<std::string, double> narrow, wide, wideWeights, floats = {};
  /// Of making 8 bits of a tensor of 16, by tensor. Others read it in float for
  /// the same.
  std::map<std::string, double> conversions = {};
  /// Of making codes of an input of the network, which is float: of 8 bits if
  /// any layer reads these, and of 16 bits likewise.
  std::map<std::string, double> narrowInputs = {}, wideInputs = {};
};

struct WidthProblem {
  /// Knows which layer reads what.
  const LossModel *network = nullptr;
  TensorLosses losses;
  LayerCosts costs;
  /// Layers that may not be widened, and those that have to read 16 bits.
  std::set<std::string> fixed = {}, required = {};
  /// Layers that read float instead of 16 bits, if they are chosen, and those
  /// that always do.
  std::set<std::string> asFloat = {}, alwaysFloat = {};
};

/// The choice that costs least at a price per unit of cost.
Widening chooseWidths(const WidthProblem &problem, double price);

/// A choice, and what is lost with it and paid for widths and conversions.
struct WidthPoint {
  Widening choice;
  double loss = 0, cost = 0;
};

/// The choices at all prices, the cheapest first, each once: those are all
/// corners of the convex hull of what can be had. The first is empty.
std::vector<WidthPoint> chooseFront(const WidthProblem &problem);

} // namespace parallax

#endif // PARALLAX_LIB_TUNE_WIDTHCHOICE_H
