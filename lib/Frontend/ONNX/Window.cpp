//===- Window.cpp - The sliding window of Conv and the pools --------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Reads kernels, strides, dilations and pads. Entries are bounded when they are
// read, so that products and sums of them fit.
//===----------------------------------------------------------------------===//
#include "Window.h"

namespace parallax::onnx_import {

static void checkEntries(const Node &node, StringRef name,
                         ArrayRef<int64_t> values, size_t length,
                         int64_t minimum) {
  if (values.size() != length)
    node.fail("attribute '{}' has {} entries, expected {}", name.str(),
              values.size(), length);
  for (int64_t value : values)
    if (value < minimum || value > INT32_MAX)
      node.fail("attribute '{}' has an entry of {}, expected {} to {}",
                name.str(), value, minimum, INT32_MAX);
}

std::vector<int64_t> readSpatialList(const Node &node, StringRef name,
                                     size_t length, int64_t otherwise,
                                     int64_t minimum) {
  std::vector<int64_t> values =
      node.intsAttribute(name, std::vector<int64_t>(length, otherwise));
  checkEntries(node, name, values, length, minimum);
  return values;
}

void Window::splitPadding(size_t dimension, int64_t total) {
  int64_t smaller = total / 2, larger = total - smaller;
  bool upper = autoPad == "SAME_UPPER";
  pads[dimension] = upper ? smaller : larger;
  pads[dimension + dimensions()] = upper ? larger : smaller;
}

static size_t spatialRank(const Node &node) {
  int64_t rank = node.inputRank(0);
  if (rank < 3)
    node.fail("has an operand of rank {}, expected at least 3", rank);
  return size_t(rank - 2);
}

std::vector<int64_t> readKernel(const Node &node) {
  if (!node.hasAttribute("kernel_shape"))
    node.fail("attribute 'kernel_shape' is missing");
  return readSpatialList(node, "kernel_shape", spatialRank(node), 1, 1);
}

std::vector<int64_t> readKernelOfWeights(const Node &node) {
  Shape weights = staticShape(node, 1);
  if (weights.size() != spatialRank(node) + 2)
    node.fail("has weights of rank {} for an operand of rank {}",
              weights.size(), node.inputRank(0));
  std::vector<int64_t> kernel(weights.begin() + 2, weights.end());
  checkEntries(node, "kernel_shape", kernel, kernel.size(), 1);
  if (node.hasAttribute("kernel_shape") && readKernel(node) != kernel)
    node.fail("attribute 'kernel_shape' does not match weights of shape {}",
              toString(weights));
  return kernel;
}

Window readWindow(const Node &node, std::vector<int64_t> kernel) {
  size_t length = kernel.size();
  Window window;
  window.kernel = std::move(kernel);
  window.strides = readSpatialList(node, "strides", length, 1, 1);
  window.dilations = readSpatialList(node, "dilations", length, 1, 1);
  window.autoPad =
      oneOf(node, "auto_pad", {"NOTSET", "SAME_UPPER", "SAME_LOWER", "VALID"});
  window.pads = window.hasAutomaticPadding()
                    ? std::vector<int64_t>(2 * length, 0)
                    : readSpatialList(node, "pads", 2 * length, 0, 0);
  return window;
}

void resolvePadding(const Node &node, Window &window) {
  if (!window.keepsExtent())
    return;
  Shape shape = staticShape(node, 0);
  for (size_t dimension = 0; dimension < window.dimensions(); ++dimension) {
    int64_t extent = shape[dimension + 2];
    int64_t stride = window.strides[dimension];
    // One stop per stride, the last one possibly partial.
    int64_t lastStop = extent <= 0 ? 0 : (extent - 1) / stride * stride;
    int64_t total = lastStop + window.reach(dimension) - extent;
    window.splitPadding(dimension, std::max<int64_t>(total, 0));
  }
}

} // namespace parallax::onnx_import
