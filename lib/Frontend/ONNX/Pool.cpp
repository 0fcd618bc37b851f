//===- Pool.cpp - Import of pooling operators -----------------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// The pools differ in one or two attributes. Those that a version did not have
// yet are absent from its models, which means their default.
//===----------------------------------------------------------------------===//
#include "Window.h"

namespace parallax::onnx_import {

static Attributes poolAttributes(const Node &node) {
  Window window = readWindow(node, readKernel(node));
  resolvePadding(node, window);
  // Automatic padding fixes the number of stops, whatever the rounding.
  bool ceilMode =
      !window.hasAutomaticPadding() && node.intAttribute("ceil_mode", 0) != 0;
  return {node.named("kernel", node.i64s(window.kernel)),
          node.named("strides", node.i64s(window.strides)),
          node.named("pads", node.i64s(window.pads)),
          node.named("dilations", node.i64s(window.dilations)),
          node.named("ceil_mode", node.boolean(ceilMode))};
}

template <typename OpTy> static ImportFunction pool(Parameter parameter) {
  return [parameter](Node &node) {
    Attributes attributes = poolAttributes(node);
    parameter(node, attributes);
    node.emit<OpTy>(operandsOf(node, 1), attributes);
  };
}

static void importMaxPool(Node &node) {
  Attributes attributes = poolAttributes(node);
  if (!node.hasOutput(1))
    return node.emit<nn::MaxPoolOp>(operandsOf(node, 1), attributes);
  choice("storage_order", {0, 1})(node, attributes);
  node.emit<nn::MaxPoolWithIndicesOp>(operandsOf(node, 1), attributes);
}

void addPoolImports(ImportTable &table) {
  table.onOp("AveragePool", 7,
             pool<nn::AveragePoolOp>(flag("count_include_pad")));
  table.onOp("GlobalAveragePool", 1, unary<nn::GlobalAveragePoolOp>());
  table.onOp("GlobalLpPool", 2, unary<nn::GlobalLpPoolOp>({integer("p")}));
  table.onOp("GlobalMaxPool", 1, unary<nn::GlobalMaxPoolOp>());
  table.onOp("LpPool", 2, pool<nn::LpPoolOp>(integer("p")));
  table.onOp("MaxPool", 1, importMaxPool);
}

} // namespace parallax::onnx_import
