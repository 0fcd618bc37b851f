//===- Resize.cpp - Import of resampling and of detection operators -------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// A resize is asked for by scales or by sizes, for all or for some dimensions.
// The operation holds both, for every dimension.
//===----------------------------------------------------------------------===//
#include "ImportLine.h"

#include "llvm/ADT/STLExtras.h"

#include <cmath>

namespace parallax::onnx_import {

namespace {
/// What becomes of the dimensions of an operand.
struct Grid {
  Shape sizes;
  std::vector<float> scales;

  explicit Grid(Shape shape)
      : sizes(std::move(shape)), scales(sizes.size(), 1.0f) {}
};
} // namespace

static Attributes gridAttributes(const Node &node, const Grid &grid) {
  return {node.named("sizes", node.i64s(grid.sizes)),
          node.named("scales", node.f32s(grid.scales))};
}

/// Scales one dimension; the product is in float, as the specification of the
/// result's shape computes it.
static void applyScale(const Node &node, Grid &grid, int64_t axis,
                       float scale) {
  float extent = std::floor(float(grid.sizes[axis]) * scale);
  if (!(scale > 0) || !(extent <= float(maxElements)))
    node.fail("scales a dimension of extent {} by {}", grid.sizes[axis], scale);
  grid.sizes[axis] = int64_t(extent);
  grid.scales[axis] = scale;
}

static void checkEntryCount(const Node &node, StringRef name, size_t actual,
                            size_t expected) {
  if (actual != expected)
    node.fail("'{}' has {} entries, expected {}", name.str(), actual, expected);
}

//===----------------------------------------------------------------------===//
// Resize
//===----------------------------------------------------------------------===//

/// Optional operands may also be given as empty tensors.
static bool hasEntries(const Node &node, size_t index) {
  return node.hasInput(index) &&
         !llvm::is_contained(node.inputType(index).getShape(), 0);
}

/// Resizes the axes to `sizes`, or as close as the policy allows without
/// changing their proportions.
static void applySizes(const Node &node, Grid &grid, ArrayRef<int64_t> axes,
                       ArrayRef<int64_t> sizes) {
  checkEntryCount(node, "sizes", sizes.size(), axes.size());
  std::string policy = oneOf(node, "keep_aspect_ratio_policy",
                             {"stretch", "not_larger", "not_smaller"});
  const Shape shape = grid.sizes;
  for (auto [axis, size] : llvm::zip(axes, sizes)) {
    if (size < 0 || size > maxElements || shape[axis] == 0)
      node.fail("resizes a dimension of extent {} to {}", shape[axis], size);
    grid.sizes[axis] = size;
    grid.scales[axis] = float(size) / float(shape[axis]);
  }
  if (policy == "stretch" || axes.empty())
    return;
  auto scales =
      llvm::map_range(axes, [&](int64_t axis) { return grid.scales[axis]; });
  float common = policy == "not_larger" ? *llvm::min_element(scales)
                                        : *llvm::max_element(scales);
  for (int64_t axis : axes) {
    float extent = std::round(common * float(shape[axis]));
    if (!(extent <= float(maxElements)))
      node.fail("scales a dimension of extent {} by {}", shape[axis], common);
    grid.sizes[axis] = int64_t(extent);
    grid.scales[axis] = common;
  }
}

static std::vector<float> readRegion(const Node &node, ArrayRef<int64_t> axes,
                                     size_t rank) {
  std::vector<float> given = node.floatsInput(1), region(2 * rank, 0);
  checkEntryCount(node, "roi", given.size(), 2 * axes.size());
  std::fill(region.begin() + rank, region.end(), 1.0f);
  for (auto [index, axis] : llvm::enumerate(axes)) {
    region[axis] = given[index];
    region[rank + axis] = given[axes.size() + index];
  }
  return region;
}

static void importResize(Node &node) {
  Grid grid(staticShape(node, 0));
  size_t rank = grid.sizes.size();
  std::vector<int64_t> axes = orderedAxes(
      node, node.intsAttribute("axes", firstAxes(rank)), int64_t(rank));

  bool byScales = hasEntries(node, 2), bySizes = hasEntries(node, 3);
  if (byScales == bySizes)
    node.fail("needs either scales or sizes");
  if (byScales) {
    std::vector<float> scales = node.floatsInput(2);
    checkEntryCount(node, "scales", scales.size(), axes.size());
    for (auto [axis, scale] : llvm::zip(axes, scales))
      applyScale(node, grid, axis, scale);
  } else {
    applySizes(node, grid, axes, node.intsInput(3));
  }

  Attributes attributes = gridAttributes(node, grid);
  std::string coordinates =
      oneOf(node, "coordinate_transformation_mode",
            {"half_pixel", "half_pixel_symmetric", "pytorch_half_pixel",
             "align_corners", "asymmetric", "tf_half_pixel_for_nn",
             "tf_crop_and_resize"});
  attributes.push_back(node.named("coordinate_mode", node.word(coordinates)));
  if (coordinates == "tf_crop_and_resize")
    attributes.push_back(
        node.named("roi", node.f32s(readRegion(node, axes, rank))));
  attributes.append(readParameters(
      node, {word("mode", {"nearest", "linear", "cubic"}),
             word("nearest_mode",
                  {"round_prefer_floor", "round_prefer_ceil", "floor", "ceil"}),
             real("cubic_coeff_a"), flag("exclude_outside"),
             real("extrapolation_value"), flag("antialias")}));
  node.emit<nn::ResizeOp>({node.input(0)}, attributes);
}

//===----------------------------------------------------------------------===//
// Before version 11
//===----------------------------------------------------------------------===//

/// Upsample and the first Resize. They sample at `index / scale`; the nearest
/// element is the one before that point when a dimension grows and the one
/// after it when it shrinks.
static void importScaled(Node &node, ArrayRef<float> scales) {
  Grid grown(staticShape(node, 0));
  checkEntryCount(node, "scales", scales.size(), grown.sizes.size());
  std::string mode = oneOf(node, "mode", {"nearest", "linear"});
  auto attributesOf = [&](const Grid &grid, StringRef nearest) {
    Attributes attributes = gridAttributes(node, grid);
    attributes.append({node.named("mode", node.word(mode)),
                       node.named("coordinate_mode", node.word("asymmetric")),
                       node.named("nearest_mode", node.word(nearest))});
    return attributes;
  };

  // Dimensions are independent of each other, so both ways may follow one
  // another; the result of `linear` does not depend on them.
  bool shrinks = llvm::any_of(scales, [](float scale) { return scale < 1; });
  bool grows = llvm::any_of(scales, [](float scale) { return scale > 1; });
  bool separate = mode == "nearest" && shrinks && grows;
  for (auto [axis, scale] : llvm::enumerate(scales))
    if (!separate || scale >= 1)
      applyScale(node, grown, int64_t(axis), scale);
  if (!separate)
    return node.emit<nn::ResizeOp>(
        {node.input(0)}, attributesOf(grown, shrinks ? "ceil" : "floor"));

  Value x = node.create<nn::ResizeOp>("grown", {node.input(0)},
                                      attributesOf(grown, "floor"));
  Grid shrunk(grown.sizes);
  for (auto [axis, scale] : llvm::enumerate(scales))
    if (!(scale >= 1))
      applyScale(node, shrunk, int64_t(axis), scale);
  node.emit<nn::ResizeOp>({x}, attributesOf(shrunk, "ceil"));
}

//===----------------------------------------------------------------------===//
// Sampling at computed places, and detection
//===----------------------------------------------------------------------===//

static void importGridSample(Node &node) {
  // Version 20 renamed the modes when it admitted any number of dimensions.
  std::string mode = oneOf(
      node, "mode", {"linear", "bilinear", "nearest", "cubic", "bicubic"});
  StringRef name = mode;
  name.consume_front("bi");
  Attributes attributes = readParameters(
      node, {word("padding_mode", {"zeros", "border", "reflection"}),
             flag("align_corners")});
  attributes.push_back(node.named("mode", node.word(name)));
  node.emit<nn::GridSampleOp>(operandsOf(node, 2), attributes);
}

static void importRoiAlign(Node &node) {
  Attributes attributes =
      readParameters(node, {word("mode", {"avg", "max"}),
                            integer("output_height"), integer("output_width"),
                            integer("sampling_ratio"), real("spatial_scale")});
  // The first version did not shift by half a pixel and had no choice.
  std::string coordinates = node.opset() < 16
                                ? "output_half_pixel"
                                : oneOf(node, "coordinate_transformation_mode",
                                        {"half_pixel", "output_half_pixel"});
  attributes.push_back(node.named("coordinate_mode", node.word(coordinates)));
  node.emit<nn::RoiAlignOp>(operandsOf(node, 3), attributes);
}

static void importNonMaxSuppression(Node &node) {
  operandsOf(node, 2, 3);
  Attributes attributes = readParameters(node, {flag("center_point_box")});
  if (node.hasInput(2))
    attributes.push_back(node.named("max_output_boxes_per_class",
                                    node.i64(integerInput(node, 2))));
  auto addThreshold = [&](StringRef name, size_t index) {
    if (node.hasInput(index))
      attributes.push_back(node.named(
          name, node.f32(float(numberOf(scalarInput(node, index))))));
  };
  addThreshold("iou_threshold", 3);
  addThreshold("score_threshold", 4);
  node.emit<nn::NonMaxSuppressionOp>({node.input(0), node.input(1)},
                                     attributes);
}

void addResizeImports(ImportTable &table) {
  auto scalesOfAttribute = [](Node &node) {
    importScaled(node, node.floatsAttribute("scales"));
  };
  auto scalesOfOperand = [](Node &node) {
    importScaled(node, node.floatsInput(1));
  };
  table.onOp("GridSample", 16, importGridSample);
  table.onOp("NonMaxSuppression", 10, importNonMaxSuppression);
  table.onOp("Resize", 10, scalesOfOperand);
  table.onOp("Resize", 11, importResize);
  table.onOp("RoiAlign", 10, importRoiAlign);
  table.onOp("Upsample", 7, scalesOfAttribute);
  table.onOp("Upsample", 9, scalesOfOperand);
}

} // namespace parallax::onnx_import
