//===- Resize.cpp - Export of resampling and of detection operators -------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// nn holds scales and sizes of a resize, ONNX one of them. The one is written
// from which the other follows.
//===----------------------------------------------------------------------===//
#include "ExportLine.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSwitch.h"

#include <cmath>

namespace parallax::onnx_export {

//===----------------------------------------------------------------------===//
// Resize
//===----------------------------------------------------------------------===//

namespace {
/// What a resize does, dimension by dimension.
struct Grid {
  ArrayRef<int64_t> extents, sizes;
  ArrayRef<float> scales;

  float ratio(size_t axis) const {
    return float(sizes[axis]) / float(extents[axis]);
  }
  bool sizesFollow() const {
    return llvm::all_of(llvm::seq(sizes.size()), [&](size_t axis) {
      return float(sizes[axis]) ==
             std::floor(float(extents[axis]) * scales[axis]);
    });
  }
  bool scalesFollow() const {
    return llvm::all_of(llvm::seq(sizes.size()), [&](size_t axis) {
      return extents[axis] > 0 && scales[axis] == ratio(axis);
    });
  }
};
} // namespace

/// Proportions that were kept: sizes are rounded products of a common scale.
/// An axis that limits it gets its size, the others have room for more.
static void addLimitingSizes(Layer &layer, const Grid &grid) {
  std::vector<int64_t> axes, limits;
  bool anyLimit = false;
  auto scaled = llvm::find_if(grid.scales, [](float s) { return s != 1; });
  float common = scaled == grid.scales.end() ? 1 : *scaled;
  for (auto [axis, scale] : llvm::enumerate(grid.scales)) {
    int64_t extent = grid.extents[axis], size = grid.sizes[axis];
    bool kept = scale == 1 && size == extent;
    if (kept && common != 1)
      continue;
    if (scale != common || float(size) != std::round(common * float(extent)))
      layer.fail("its sizes follow neither from its scales nor the other way "
                 "round");
    bool isLimit = grid.ratio(axis) == common;
    anyLimit |= isLimit;
    axes.push_back(int64_t(axis));
    limits.push_back(isLimit ? size : size + 1);
  }
  if (!anyLimit)
    layer.fail("no dimension has the scale that all share");
  layer.needs(18);
  layer.addOperand({});
  layer.addInts("sizes", limits);
  layer.setInts("axes", axes);
  layer.setString("keep_aspect_ratio_policy", "not_larger");
}

static void addExtents(Layer &layer, const Grid &grid, bool preferSizes) {
  bool bySizes = grid.scalesFollow(), byScales = grid.sizesFollow();
  if (byScales && !(bySizes && preferSizes))
    return layer.addFloats("scales", grid.scales);
  if (!bySizes)
    return addLimitingSizes(layer, grid);
  layer.addOperand({});
  layer.addInts("sizes", grid.sizes);
}

static void writeResize(Layer &layer, nn::ResizeOp op) {
  StringRef coordinates = op.getCoordinateMode();
  bool crops = coordinates == "tf_crop_and_resize";
  if (op.getAntialias())
    layer.needs(18);
  if (coordinates == "half_pixel_symmetric")
    layer.needs(19);
  layer.addOperand(op.getX());
  if (crops)
    layer.addFloats("roi", op.getRoi());
  else
    layer.addOperand({});
  // The size of a cropped result would depend on the region too.
  addExtents(layer,
             {layer.operandType(0).getShape(), op.getSizes(), op.getScales()},
             /*preferSizes=*/crops);

  layer.setString("mode", op.getMode());
  layer.setString("coordinate_transformation_mode", coordinates);
  if (op.getMode() == "nearest")
    layer.setString("nearest_mode", op.getNearestMode());
  if (op.getMode() == "cubic")
    copy("cubic_coeff_a")(layer);
  if (op.getExcludeOutside())
    layer.setInt("exclude_outside", 1);
  if (crops)
    copy("extrapolation_value")(layer);
  if (op.getAntialias())
    layer.setInt("antialias", 1);
}

//===----------------------------------------------------------------------===//
// Sampling at computed places, and detection
//===----------------------------------------------------------------------===//

static void writeGridSample(Layer &layer, nn::GridSampleOp op) {
  // Version 20 renamed the modes when it admitted any number of dimensions.
  if (layer.operandRank(0) != 4)
    layer.needs(20);
  bool isOld = layer.opset() < 20 && op.getMode() != "nearest";
  layer.addOperands(op->getOperands());
  layer.setString("mode", (isOld ? "bi" : "") + op.getMode().str());
  writeParameters(layer, {copy("padding_mode"), copy("align_corners")});
}

static void writeNonMaxSuppression(Layer &layer, nn::NonMaxSuppressionOp op) {
  layer.addOperands(op->getOperands());
  layer.addInt("max_output_boxes_per_class",
               int64_t(op.getMaxOutputBoxesPerClass()));
  layer.addNumber("iou_threshold", DType::F32,
                  op.getIouThreshold().convertToDouble());
  if (auto threshold = op.getScoreThreshold())
    layer.addNumber("score_threshold", DType::F32,
                    threshold->convertToDouble());
  copy("center_point_box")(layer);
}

static Operator chooseColorConvert(nn::ColorConvertOp op) {
  StringRef type = llvm::StringSwitch<StringRef>(op.getFormat())
                       .Case("YUV420SP", "Yuv420spToColors")
                       .Case("YVU420SP", "Yvu420spToColors")
                       .Case("YUYV422", "Yuyv422ToColors")
                       .Default("Uyvy422ToColors");
  return {type, /*isFunction=*/true};
}

static void writeColorConvert(Layer &layer, nn::ColorConvertOp op) {
  layer.addOperand(op.getX());
  writeParameters(layer, {copy("matrix"), copy("min_luma")});
}

void addResizeExports(ExportTable &table) {
  table.onOp<nn::ColorConvertOp>(chooseColorConvert, writeColorConvert);
  table.onOp<nn::GridSampleOp>("GridSample", writeGridSample);
  table.onOp<nn::NonMaxSuppressionOp>("NonMaxSuppression",
                                      writeNonMaxSuppression);
  table.onOp<nn::ResizeOp>("Resize", writeResize);
  table.direct<nn::RoiAlignOp>(
      "RoiAlign", {copy("mode"), copy("output_height"), copy("output_width"),
                   copy("sampling_ratio"), copy("spatial_scale"),
                   copy("coordinate_mode", "coordinate_transformation_mode")});
}

} // namespace parallax::onnx_export
