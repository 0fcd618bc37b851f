//===- Layout.cpp - Export of operators that move elements ----------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// The lists that describe a layout are operands in ONNX. They are written so
// that reading them back gives the very same lists.
//===----------------------------------------------------------------------===//
#include "ExportLine.h"

#include <cmath>

#include "llvm/ADT/STLExtras.h"

namespace parallax::onnx_export {

static void writeReshape(Layer &layer, nn::ReshapeOp op) {
  layer.addOperand(op.getX());
  layer.addInts("shape", op.getShape());
  // Otherwise 0 would mean the extent of the operand.
  if (llvm::is_contained(op.getShape(), 0))
    layer.setInt("allowzero", 1);
}

static void writeExpand(Layer &layer, nn::ExpandOp op) {
  layer.addOperand(op.getX());
  layer.addInts("shape", op.getShape());
}

static void writeTile(Layer &layer, nn::TileOp op) {
  layer.addOperand(op.getX());
  layer.addInts("repeats", op.getRepeats());
}

static void writeTrilu(Layer &layer, nn::TriluOp op) {
  layer.addOperand(op.getX());
  if (op.getK() != 0)
    layer.addInt("k", int64_t(op.getK()));
  layer.setInt("upper", op.getUpper());
}

static void writeSlice(Layer &layer, nn::SliceOp op) {
  std::vector<int64_t> axes, starts, ends, steps;
  ArrayRef<int64_t> shape = layer.operandType(0).getShape();
  for (auto [axis, extent] : llvm::enumerate(shape)) {
    int64_t start = op.getStarts()[axis], size = op.getSizes()[axis];
    int64_t step = std::clamp(op.getSteps()[axis], -extent, extent);
    if (size == 0) // Wherever nothing is taken from.
      start = 0, step = 1;
    bool isWhole = start == 0 && size == extent && step == 1;
    // At least one dimension is written: runtimes expect it.
    if (isWhole && (axis + 1 < shape.size() || !axes.empty()))
      continue;
    int64_t last = start + (size - 1) * step;
    int64_t end = size == 0 ? 0 : last + (step > 0 ? 1 : -1);
    axes.push_back(int64_t(axis));
    starts.push_back(start);
    // Negative positions count from the end; before the first element is one
    // extent further.
    ends.push_back(end < 0 ? -extent - 1 : end);
    steps.push_back(step);
  }
  layer.addOperand(op.getX());
  layer.addInts("starts", starts);
  layer.addInts("ends", ends);
  layer.addInts("axes", axes);
  layer.addInts("steps", steps);
}

static void writePad(Layer &layer, nn::PadOp op) {
  if (op.getMode() == "wrap")
    layer.needs(19);
  layer.addOperand(op.getX());
  layer.addInts("pads", op.getPads());
  double value = op.getValue().convertToDouble();
  if (op.getMode() == "constant" && (value != 0 || std::signbit(value)))
    layer.addNumber("value", layer.operandElements(0), value);
  layer.setString("mode", op.getMode());
}

static void writeSplit(Layer &layer, nn::SplitOp op) {
  layer.addOperand(op.getX());
  layer.addInts("split", op.getSizes());
  axis()(layer);
}

static void writeOneHot(Layer &layer, nn::OneHotOp op) {
  layer.addOperand(op.getIndices());
  // Runtimes have the operator for few combinations of types.
  layer.addNumber("depth", layer.operandElements(0), double(op.getDepth()));
  layer.addOperand(op.getValues());
  layer.setInt("axis",
               normalizedAxis(int64_t(op.getAxis()), layer.operandRank(0) + 1));
}

void addLayoutExports(ExportTable &table) {
  table.function<nn::ChannelShuffleOp>("ChannelShuffle", {copy("groups")});
  table.direct<nn::ConcatOp>("Concat", {axis()});
  table.direct<nn::DepthToSpaceOp>("DepthToSpace",
                                   {copy("blocksize"), copy("mode")});
  table.onOp<nn::ExpandOp>("Expand", writeExpand);
  table.onOp<nn::OneHotOp>("OneHot", writeOneHot);
  table.onOp<nn::PadOp>("Pad", writePad);
  table.onOp<nn::ReshapeOp>("Reshape", writeReshape);
  table.direct<nn::ReverseSequenceOp>("ReverseSequence",
                                      {copy("batch_axis"), copy("time_axis")});
  table.onOp<nn::SliceOp>("Slice", writeSlice);
  table.direct<nn::SpaceToDepthOp>("SpaceToDepth", {copy("blocksize")});
  table.onOp<nn::SplitOp>("Split", writeSplit);
  table.onOp<nn::TileOp>("Tile", writeTile);
  table.direct<nn::TransposeOp>("Transpose", {copy("perm")});
  table.onOp<nn::TriluOp>("Trilu", writeTrilu);
}

} // namespace parallax::onnx_export
