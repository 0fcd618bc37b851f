//===- Recurrent.cpp - Import of recurrent layers -------------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// The three layers share their operands and attributes. What a model leaves out
// is supplied, so that later stages need not know the defaults.
//===----------------------------------------------------------------------===//
#include "ImportLine.h"

namespace parallax::onnx_import {

namespace {
/// What differs between the layers.
struct Cell {
  int64_t gates;
  /// The default functions of one direction.
  std::vector<std::string> activations;
  bool hasCellState = false;
};

/// The extents that the shapes of all operands are made of.
struct Extents {
  int64_t directions, steps, batch, hidden;
  /// 0 for time x batch, 1 for batch x time.
  int64_t layout;

  Shape state() const {
    return layout == 0 ? Shape{directions, batch, hidden}
                       : Shape{batch, directions, hidden};
  }
};
} // namespace

static Extents readExtents(const Node &node, StringRef direction) {
  Shape x = staticShape(node, 0), r = staticShape(node, 2);
  if (x.size() != 3 || r.size() != 3)
    node.fail("has operands X and R of shapes {} and {}, expected rank 3",
              toString(x), toString(r));
  Extents extents;
  extents.layout = node.intAttribute("layout", 0);
  extents.directions = direction == "bidirectional" ? 2 : 1;
  extents.steps = x[extents.layout == 0 ? 0 : 1];
  extents.batch = x[extents.layout == 0 ? 1 : 0];
  extents.hidden = node.intAttribute("hidden_size", r[2]);
  if (extents.hidden < 1 || extents.hidden > INT32_MAX ||
      extents.steps > INT32_MAX)
    node.fail("has {} time steps and a hidden size of {}", extents.steps,
              extents.hidden);
  return extents;
}

static SmallVector<Value> completeOperands(const Node &node, const Cell &cell,
                                           const Extents &extents) {
  DType dtype = storageType(node, node.inputType(0).getElementType());
  auto orElse = [&](size_t index, DType dtype, Shape shape, double value) {
    Value given = node.optionalInput(index);
    return given ? given : splat(node, dtype, std::move(shape), value);
  };
  int64_t directions = extents.directions, hidden = extents.hidden;
  SmallVector<Value> operands = {node.input(0), node.input(1), node.input(2)};
  operands.push_back(
      orElse(3, dtype, {directions, 2 * cell.gates * hidden}, 0));
  operands.push_back(
      orElse(4, DType::I32, {extents.batch}, double(extents.steps)));
  operands.push_back(orElse(5, dtype, extents.state(), 0));
  if (cell.hasCellState) {
    operands.push_back(orElse(6, dtype, extents.state(), 0));
    operands.push_back(orElse(7, dtype, {directions, 3 * hidden}, 0));
  }
  return operands;
}

static std::vector<std::string>
readActivations(const Node &node, const Cell &cell, int64_t directions) {
  std::vector<std::string> names = node.stringsAttribute("activations");
  if (names.empty())
    for (int64_t direction = 0; direction < directions; ++direction)
      names.insert(names.end(), cell.activations.begin(),
                   cell.activations.end());
  return names;
}

template <typename OpTy>
static ImportFunction recurrent(Cell cell, std::vector<Parameter> parameters) {
  parameters.insert(parameters.end(), {choice("layout", {0, 1}), real("clip")});
  return [cell, parameters](Node &node) {
    operandsOf(node, 3, cell.hasCellState ? 5 : 3);
    Attributes attributes = readParameters(node, parameters);
    std::string direction =
        oneOf(node, "direction", {"forward", "reverse", "bidirectional"});
    Extents extents = readExtents(node, direction);
    attributes.append(
        {node.named("hidden_size", node.i64(extents.hidden)),
         node.named("direction", node.word(direction)),
         node.named("activations", node.words(readActivations(
                                       node, cell, extents.directions))),
         node.named("activation_alpha",
                    node.f32s(node.floatsAttribute("activation_alpha"))),
         node.named("activation_beta",
                    node.f32s(node.floatsAttribute("activation_beta")))});
    node.emit<OpTy>(completeOperands(node, cell, extents), attributes);
  };
}

void addRecurrentImports(ImportTable &table) {
  table.onOp("GRU", 7,
             recurrent<nn::GRUOp>({3, {"Sigmoid", "Tanh"}},
                                  {flag("linear_before_reset")}));
  table.onOp("LSTM", 7,
             recurrent<nn::LSTMOp>({4, {"Sigmoid", "Tanh", "Tanh"}, true},
                                   {flag("input_forget")}));
  table.onOp("RNN", 7, recurrent<nn::RNNOp>({1, {"Tanh"}}, {}));
}

} // namespace parallax::onnx_import
