//===- Vision.h - Reference kernels: sampling and detection ----*- C++ -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Operators that read an image at computed positions, and the selection of
// boxes. Positions come from data: any value, NaN included, is safe.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_BACKEND_KERNELS_VISION_H
#define PARALLAX_BACKEND_KERNELS_VISION_H

#include "parallax/Support/Tensor.h"

namespace parallax::kernels {

enum class GridMode { Linear, Nearest, Cubic };
enum class GridPadding { Zeros, Border, Reflection };

/// float32; x is N x C x spatial with two or three spatial dimensions, grid is
/// N x output spatial x (x, y[, z]). NaN in the grid counts as -1.
void gridSample(const Tensor &x, const Tensor &grid, Tensor &y, GridMode mode,
                GridPadding padding, bool alignCorners);

struct RoiAlignParams {
  bool isMax = false;
  /// Samples per bin and direction; 0 chooses by the size of the region.
  int64_t samplingRatio = 0;
  float spatialScale = 1;
  /// The coordinate mode of opset 16; false is output_half_pixel.
  bool halfPixel = true;
};

/// float32; rois is R x (x1, y1, x2, y2), batchIndices int64. As ONNX defines
/// it, the maximum is over the weighted corner pixels of the samples. Throws
/// Error for an index outside of the batch or a region that is not finite.
void roiAlign(const Tensor &x, const Tensor &rois, const Tensor &batchIndices,
              Tensor &y, const RoiAlignParams &params);

struct NonMaxSuppressionParams {
  int64_t maxPerClass = 0;
  float iouThreshold = 0;
  /// Boxes must score more than this; without it, every box is a candidate.
  const float *scoreThreshold = nullptr;
  /// Boxes are (x, y, width, height) around a centre instead of corners.
  bool centerPointBox = false;
};

/// y is int64 [capacity, 3] and is given the shape [found, 3]: rows (batch,
/// class, box) by batch, class and falling score. Throws Error if the capacity
/// is too small.
void nonMaxSuppression(const Tensor &boxes, const Tensor &scores, Tensor &y,
                       const NonMaxSuppressionParams &params);

} // namespace parallax::kernels

#endif // PARALLAX_BACKEND_KERNELS_VISION_H
