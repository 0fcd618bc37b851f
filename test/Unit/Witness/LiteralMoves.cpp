//===- LiteralMoves.cpp - Movement in the NPU's view ----------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Operations of the nn dialect on integers (C47 to C49).
//===----------------------------------------------------------------------===//
#include "../NPU/LiteralMovement.h"
#include "LiteralNetwork.h"

#include "parallax/Dialect/NN/NNOps.h"

#include "llvm/ADT/TypeSwitch.h"

namespace parallax::literal {
namespace {

int64_t axisOf(uint64_t attribute, const Codes &x) {
  auto axis = int64_t(attribute);
  return axis < 0 ? axis + int64_t(x.dims.size()) : axis;
}

void resizeNearestCodes(nn::ResizeOp op, const Codes &x, Codes &y) {
  std::vector<Dims> inputs;
  for (size_t i = 0; i < x.dims.size(); ++i) {
    Sampling axis{x.dims[i], y.dims[i], op.getScales()[i], "nearest",
                  op.getCoordinateMode().str()};
    axis.nearest = op.getNearestMode().str();
    inputs.push_back(nearestInputs(axis));
  }
  resizeNearest(x, inputs, y);
}

} // namespace

bool moveLiterally(Operation *op, const Items &operands, Items &results) {
  std::vector<Codes> x;
  for (const Item &item : operands)
    if (item.isFloat)
      return false;
    else
      x.push_back(item.codes);
  if (x.empty())
    return false;
  Codes &y = results[0].codes;
  bool isKnown = true;
  llvm::TypeSwitch<Operation *>(op)
      .Case([&](nn::ReshapeOp) { reshape(x[0], y); })
      .Case([&](nn::TransposeOp op) { transpose(x[0], op.getPerm().vec(), y); })
      .Case<nn::ExpandOp, nn::TileOp>([&](auto) { repeat(x[0], y); })
      .Case([&](nn::DepthToSpaceOp op) {
        depthToSpace(x[0], int64_t(op.getBlocksize()), op.getMode().str(), y);
      })
      .Case([&](nn::SpaceToDepthOp op) {
        spaceToDepth(x[0], int64_t(op.getBlocksize()), y);
      })
      .Case([&](nn::ChannelShuffleOp op) {
        channelShuffle(x[0], int64_t(op.getGroups()), y);
      })
      .Case([&](nn::TriluOp op) {
        trilu(x[0], int64_t(op.getK()), op.getUpper(), 0, y);
      })
      .Case([&](nn::SliceOp op) {
        slice(x[0], op.getStarts().vec(), op.getSteps().vec(), y);
      })
      .Case([&](nn::PadOp op) {
        ArrayRef<int64_t> pads = op.getPads();
        pad(x[0], pads.take_front(pads.size() / 2).vec(), op.getMode().str(),
            int64_t(op.getValue().convertToDouble()), y);
      })
      .Case([&](nn::ConcatOp op) { concat(x, axisOf(op.getAxis(), y), y); })
      .Case([&](nn::SplitOp op) {
        int64_t start = 0, axis = axisOf(op.getAxis(), x[0]);
        for (Item &item : results) {
          part(x[0], axis, start, item.codes);
          start += item.codes.dims[axis];
        }
      })
      .Case([&](nn::GatherOp op) {
        gather(x[0], x[1], axisOf(op.getAxis(), x[0]), y);
      })
      .Case([&](nn::GatherElementsOp op) {
        gatherElements(x[0], x[1], axisOf(op.getAxis(), x[0]), y);
      })
      .Case([&](nn::GatherNDOp op) {
        gatherTuples(x[0], x[1], int64_t(op.getBatchDims()), y);
      })
      .Case([&](nn::ScatterElementsOp op) {
        scatterElements(x[0], x[1], x[2], axisOf(op.getAxis(), x[0]),
                        op.getReduction().str(), y);
      })
      .Case([&](nn::ScatterNDOp op) {
        scatterTuples(x[0], x[1], x[2], op.getReduction().str(), y);
      })
      .Case([&](nn::ReverseSequenceOp op) {
        reverseSequence(x[0], x[1], axisOf(op.getBatchAxis(), x[0]),
                        axisOf(op.getTimeAxis(), x[0]), y);
      })
      .Case([&](nn::ResizeOp op) {
        isKnown = op.getMode() == "nearest";
        if (isKnown)
          resizeNearestCodes(op, x[0], y);
      })
      .Case([&](nn::WhereOp) { where(x[0], x[1], x[2], y); })
      .Case([&](nn::MaxOp) { extreme(x[0], x[1], true, y); })
      .Case([&](nn::MinOp) { extreme(x[0], x[1], false, y); })
      .Case([&](nn::MaxPoolOp op) { maxPool(x[0], poolOf(op), y); })
      .Case([&](nn::ReduceMaxOp op) {
        reduceExtreme(x[0], op.getAxes().vec(), true, y);
      })
      .Case([&](nn::ReduceMinOp op) {
        reduceExtreme(x[0], op.getAxes().vec(), false, y);
      })
      .Case<nn::ArgMaxOp, nn::ArgMinOp>([&](auto op) {
        argExtreme(x[0], axisOf(op.getAxis(), x[0]),
                   std::is_same_v<decltype(op), nn::ArgMaxOp>,
                   op.getSelectLastIndex(), y);
      })
      .Case([&](nn::TopKOp op) {
        topK(x[0], axisOf(op.getAxis(), x[0]), op.getLargest(), y,
             results[1].codes);
      })
      .Default([&](Operation *) { isKnown = false; });
  return isKnown;
}

} // namespace parallax::literal
