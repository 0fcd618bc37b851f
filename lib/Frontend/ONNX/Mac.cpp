//===- Mac.cpp - Import of multiply-accumulate operators ------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Convolutions, matrix products and sums of products. Whatever ONNX leaves to
// be inferred (padding, output shapes, the result of an equation) is written
// out in the operation.
//===----------------------------------------------------------------------===//
#include "Window.h"

#include "llvm/ADT/StringExtras.h"

#include <map>

namespace parallax::onnx_import {

static Attributes windowAttributes(const Node &node, const Window &window) {
  Attributes attributes = readParameters(node, {integer("group")});
  attributes.append({node.named("strides", node.i64s(window.strides)),
                     node.named("pads", node.i64s(window.pads)),
                     node.named("dilations", node.i64s(window.dilations))});
  return attributes;
}

static void importConv(Node &node) {
  Window window = readWindow(node, readKernelOfWeights(node));
  resolvePadding(node, window);
  node.emit<nn::ConvOp>(operandsOf(node, 2, 1), windowAttributes(node, window));
}

/// The extents of the result that a ConvTranspose asks for, or nothing if they
/// follow from its padding.
static std::optional<std::vector<int64_t>>
readOutputShape(const Node &node, const Window &window, const Shape &spatial) {
  size_t length = window.dimensions();
  if (node.hasAttribute("output_shape")) {
    // Some exporters write batch and channels too.
    std::vector<int64_t> shape = node.intsAttribute("output_shape");
    if (shape.size() == length + 2) {
      shape = readSpatialList(node, "output_shape", length + 2, 0, 0);
      shape.erase(shape.begin(), shape.begin() + 2);
      return shape;
    }
    return readSpatialList(node, "output_shape", length, 0, 0);
  }
  if (!window.keepsExtent())
    return std::nullopt;
  std::vector<int64_t> shape = spatial;
  for (size_t dimension = 0; dimension < length; ++dimension)
    shape[dimension] *= window.strides[dimension];
  return shape;
}

static void importConvTranspose(Node &node) {
  Window window = readWindow(node, readKernelOfWeights(node));
  size_t length = window.dimensions();
  std::vector<int64_t> outputPadding =
      readSpatialList(node, "output_padding", length, 0, 0);
  Shape x = staticShape(node, 0), spatial(x.begin() + 2, x.end());
  for (int64_t extent : spatial)
    if (extent > INT32_MAX)
      node.fail("has an operand of shape {}, which is too large", toString(x));

  if (auto wanted = readOutputShape(node, window, spatial))
    for (size_t dimension = 0; dimension < length; ++dimension) {
      int64_t full = (spatial[dimension] - 1) * window.strides[dimension] +
                     outputPadding[dimension] + window.reach(dimension);
      int64_t total = full - (*wanted)[dimension];
      window.splitPadding(dimension, std::max<int64_t>(total, 0));
      // What no element of the operand reaches is left at the bias.
      outputPadding[dimension] += std::max<int64_t>(-total, 0);
    }
  Attributes attributes = windowAttributes(node, window);
  attributes.push_back(node.named("output_padding", node.i64s(outputPadding)));
  node.emit<nn::ConvTransposeOp>(operandsOf(node, 2, 1), attributes);
}

static void importGemm(Node &node) {
  // C became optional in version 11.
  bool optional = node.opset() >= 11;
  node.emit<nn::GemmOp>(operandsOf(node, optional ? 2 : 3, optional ? 1 : 0),
                        readParameters(node, {real("alpha"), real("beta"),
                                              flag("transA", "trans_a"),
                                              flag("transB", "trans_b")}));
}

/// The equation without spaces and with its result. A result that is not given
/// consists of the dimensions that occur once, in the order of the alphabet.
static std::string completeEquation(StringRef text) {
  std::string equation;
  llvm::copy_if(text, std::back_inserter(equation),
                [](char c) { return !llvm::isSpace(c); });
  if (StringRef(equation).contains("->"))
    return equation;
  std::map<char, int> occurrences;
  for (char c : equation)
    if (llvm::isAlpha(c))
      ++occurrences[c];
  std::string result = StringRef(equation).contains("...") ? "..." : "";
  for (auto [letter, count] : occurrences)
    if (count == 1)
      result += letter;
  return equation + "->" + result;
}

static void importEinsum(Node &node) {
  if (!node.hasAttribute("equation"))
    node.fail("attribute 'equation' is missing");
  std::string equation = completeEquation(node.stringAttribute("equation", ""));
  node.emit<nn::EinsumOp>(operandsOf(node, node.inputCount()),
                          {node.named("equation", node.word(equation))});
}

void addMacImports(ImportTable &table) {
  table.onOp("Conv", 1, importConv);
  table.onOp("ConvTranspose", 1, importConvTranspose);
  table.onOp("Einsum", 12, importEinsum);
  table.onOp("Gemm", 7, importGemm);
  table.onOp("MatMul", 1, binary<nn::MatMulOp>());
}

} // namespace parallax::onnx_import
