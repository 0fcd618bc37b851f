//===- Window.h - The sliding window of Conv and the pools -----*- C++ -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Convolutions and pools share their attributes and the rules of automatic
// padding, which is resolved to numbers here.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_LIB_FRONTEND_ONNX_WINDOW_H
#define PARALLAX_LIB_FRONTEND_ONNX_WINDOW_H

#include "ImportLine.h"

namespace parallax::onnx_import {

/// A list attribute with one entry per spatial dimension, each at least
/// `minimum` and small enough to calculate with.
std::vector<int64_t> readSpatialList(const Node &node, StringRef name,
                                     size_t length, int64_t otherwise,
                                     int64_t minimum);

struct Window {
  std::vector<int64_t> kernel, strides, dilations;
  /// The begin of every spatial dimension, then the end of every one.
  std::vector<int64_t> pads;
  /// NOTSET, SAME_UPPER, SAME_LOWER or VALID.
  std::string autoPad;

  size_t dimensions() const { return kernel.size(); }
  bool hasAutomaticPadding() const { return autoPad != "NOTSET"; }
  bool keepsExtent() const { return autoPad.starts_with("SAME"); }
  /// Entries of the kernel including the gaps of dilation.
  int64_t reach(size_t dimension) const {
    return (kernel[dimension] - 1) * dilations[dimension] + 1;
  }
  /// Distributes padding over both ends. SAME_UPPER gives an odd one to the
  /// end, everything else to the begin.
  void splitPadding(size_t dimension, int64_t total);
};

/// The kernel's extents from the weights, which `kernel_shape` may repeat.
std::vector<int64_t> readKernelOfWeights(const Node &node);
/// The kernel's extents from `kernel_shape`.
std::vector<int64_t> readKernel(const Node &node);

/// The window with explicit padding; automatic padding is left at zero.
Window readWindow(const Node &node, std::vector<int64_t> kernel);

/// Resolves automatic padding of a window that slides over the first operand.
void resolvePadding(const Node &node, Window &window);

} // namespace parallax::onnx_import

#endif // PARALLAX_LIB_FRONTEND_ONNX_WINDOW_H
