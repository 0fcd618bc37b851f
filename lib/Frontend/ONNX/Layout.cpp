//===- Layout.cpp - Import of operators that move elements ----------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// ONNX describes layouts relative to the operand: copied, inferred and negative
// extents, clamped positions, parts of equal size. All of that is resolved
// here, so that the operations hold plain numbers, one per dimension.
//===----------------------------------------------------------------------===//
#include "ImportLine.h"

#include "llvm/ADT/STLExtras.h"

namespace parallax::onnx_import {

//===----------------------------------------------------------------------===//
// Other shapes of the same elements
//===----------------------------------------------------------------------===//

static void emitReshape(Node &node, ArrayRef<int64_t> shape) {
  node.emit<nn::ReshapeOp>({node.input(0)},
                           {node.named("shape", node.i64s(shape))});
}

static void importReshape(Node &node) {
  Shape source = staticShape(node, 0);
  Shape shape = node.intsInput(1);
  bool zeroCopies = node.intAttribute("allowzero", 0) == 0;
  std::optional<size_t> open;
  for (size_t index = 0; index < shape.size(); ++index) {
    if (shape[index] == 0 && zeroCopies) {
      if (index >= source.size())
        node.fail("copies extent {} of an operand of rank {}", index,
                  source.size());
      shape[index] = source[index];
    } else if (shape[index] == -1) {
      if (open)
        node.fail("leaves more than one extent open");
      open = index;
    }
  }
  if (open) {
    shape[*open] = 1;
    int64_t known = countElements(node, shape, maxElements);
    int64_t total = countElements(node, source, maxElements);
    if (known == 0 || total % known != 0)
      node.fail("cannot divide shape {} by the {} elements of the other "
                "extents",
                toString(source), known);
    shape[*open] = total / known;
  }
  emitReshape(node, shape);
}

static void importFlatten(Node &node) {
  Shape shape = staticShape(node, 0);
  int64_t rank = int64_t(shape.size()), axis = node.intAttribute("axis", 1);
  if (axis < -rank || axis > rank)
    node.fail("axis {} is out of range for rank {}", axis, rank);
  axis += axis < 0 ? rank : 0;
  ArrayRef<int64_t> extents(shape);
  emitReshape(node,
              {countElements(node, extents.take_front(axis), maxElements),
               countElements(node, extents.drop_front(axis), maxElements)});
}

static void importSqueeze(Node &node) {
  Shape shape = staticShape(node, 0), kept;
  std::optional<std::vector<int64_t>> axes = node.intsParameter("axes", 1, 13);
  if (axes)
    axes = node.normalizedAxes(*axes, int64_t(shape.size()));
  for (auto [index, extent] : llvm::enumerate(shape)) {
    bool dropped =
        axes ? llvm::is_contained(*axes, int64_t(index)) : extent == 1;
    if (!dropped)
      kept.push_back(extent);
    else if (extent != 1)
      node.fail("removes dimension {} of extent {}", index, extent);
  }
  emitReshape(node, kept);
}

static void importUnsqueeze(Node &node) {
  Shape shape = staticShape(node, 0);
  std::optional<std::vector<int64_t>> axes = node.intsParameter("axes", 1, 13);
  if (!axes)
    node.fail("does not say which dimensions it adds: 'axes' is missing");
  axes = node.normalizedAxes(*axes, int64_t(shape.size() + axes->size()));
  for (int64_t axis : *axes)
    shape.insert(shape.begin() + axis, 1);
  emitReshape(node, shape);
}

static void importExpand(Node &node) {
  Shape source = staticShape(node, 0), shape = node.intsInput(1);
  // Both shapes broadcast, so the result may be larger than what is asked for.
  if (shape.size() < source.size())
    shape.insert(shape.begin(), source.size() - shape.size(), 1);
  size_t offset = shape.size() - source.size();
  for (auto [index, extent] : llvm::enumerate(source))
    if (shape[offset + index] == 1)
      shape[offset + index] = extent;
  if (shape == source)
    return node.setOutput(0, node.input(0));
  node.emit<nn::ExpandOp>({node.input(0)},
                          {node.named("shape", node.i64s(shape))});
}

//===----------------------------------------------------------------------===//
// Parts and borders
//===----------------------------------------------------------------------===//

static void importTranspose(Node &node) {
  std::vector<int64_t> perm = node.intsAttribute("perm");
  if (!node.hasAttribute("perm"))
    for (int64_t axis = node.inputRank(0); axis-- > 0;)
      perm.push_back(axis);
  node.emit<nn::TransposeOp>({node.input(0)},
                             {node.named("perm", node.i64s(perm))});
}

static void importConcat(Node &node) {
  int64_t axis =
      node.normalizedAxis(node.requiredInt("axis"), node.inputRank(0));
  node.emit<nn::ConcatOp>(operandsOf(node, node.inputCount()),
                          {node.named("axis", node.i64(axis))});
}

static std::vector<int64_t> splitEqually(const Node &node, int64_t extent) {
  int64_t parts = int64_t(node.outputCount());
  if (parts == 0)
    node.fail("has no outputs");
  if (node.opset() < 18) {
    if (extent % parts != 0)
      node.fail("cannot split {} into {} equal parts", extent, parts);
    return std::vector<int64_t>(parts, extent / parts);
  }
  if (node.requiredInt("num_outputs") != parts)
    node.fail("has {} outputs, but 'num_outputs' is {}", parts,
              node.requiredInt("num_outputs"));
  // Only the last part may be smaller.
  std::vector<int64_t> sizes(parts, (extent + parts - 1) / parts);
  sizes.back() = extent - sizes.front() * (parts - 1);
  if (sizes.back() < 0)
    node.fail("cannot split {} into {} parts", extent, parts);
  return sizes;
}

static void importSplit(Node &node) {
  Shape shape = staticShape(node, 0);
  int64_t axis =
      node.normalizedAxis(node.intAttribute("axis", 0), int64_t(shape.size()));
  std::optional<std::vector<int64_t>> sizes =
      node.intsParameter("split", 1, 13);
  if (!sizes)
    sizes = splitEqually(node, shape[axis]);
  node.emit<nn::SplitOp>({node.input(0)},
                         {node.named("axis", node.i64(axis)),
                          node.named("sizes", node.i64s(*sizes))});
}

namespace {
struct SlicedDimension {
  int64_t start, size, step;
};
} // namespace

/// Positions count from the end if negative and are then clamped to the
/// dimension; a slice against the direction starts at the last element and may
/// end before the first.
static SlicedDimension sliceDimension(int64_t extent, int64_t start,
                                      int64_t end, int64_t step) {
  if (extent == 0)
    return {0, 0, 1};
  // A step over the whole dimension leaves one element, however large it is.
  step = std::clamp(step, -extent, extent);
  int64_t first = step > 0 ? 0 : -1;
  auto position = [&](int64_t value, int64_t low) {
    value += value < 0 ? extent : 0;
    return std::max(std::min(value, extent + first), low);
  };
  start = position(start, 0);
  end = position(end, first);
  int64_t distance = step > 0 ? end - start : start - end;
  if (distance <= 0)
    return {0, 0, 1};
  int64_t stride = std::abs(step);
  return {start, (distance + stride - 1) / stride, step};
}

static void importSlice(Node &node) {
  Shape shape = staticShape(node, 0);
  size_t rank = shape.size();
  auto parameter = [&](StringRef name, size_t index) {
    return node.intsParameter(name, index, 10);
  };
  std::optional<std::vector<int64_t>> starts = parameter("starts", 1),
                                      ends = parameter("ends", 2),
                                      axes = parameter("axes", 3), steps;
  if (node.opset() >= 10)
    steps = parameter("steps", 4);
  if (!starts || !ends)
    node.fail("does not say where it starts and ends");
  size_t count = starts->size();
  if (!axes)
    axes = firstAxes(count);
  if (!steps)
    steps.emplace(count, 1);
  if (ends->size() != count || axes->size() != count || steps->size() != count)
    node.fail("has {} starts, {} ends, {} axes and {} steps", count,
              ends->size(), axes->size(), steps->size());
  axes = orderedAxes(node, *axes, int64_t(rank));

  Shape allStarts(rank, 0), allSizes = shape, allSteps(rank, 1);
  for (size_t index = 0; index < count; ++index) {
    int64_t axis = (*axes)[index];
    if ((*steps)[index] == 0)
      node.fail("has a step of 0");
    auto [start, size, step] = sliceDimension(shape[axis], (*starts)[index],
                                              (*ends)[index], (*steps)[index]);
    allStarts[axis] = start;
    allSizes[axis] = size;
    allSteps[axis] = step;
  }
  node.emit<nn::SliceOp>({node.input(0)},
                         {node.named("starts", node.i64s(allStarts)),
                          node.named("sizes", node.i64s(allSizes)),
                          node.named("steps", node.i64s(allSteps))});
}

static double readPadValue(const Node &node) {
  if (node.opset() < 11)
    return node.floatAttribute("value", 0);
  if (!node.hasInput(2))
    return 0;
  std::optional<double> value = exactNumberOf(scalarInput(node, 2));
  if (!value)
    node.fail("pads with an integer beyond 2^53, which is not supported");
  return *value;
}

static void importPad(Node &node) {
  int64_t rank = node.inputRank(0);
  std::optional<std::vector<int64_t>> pads = node.intsParameter("pads", 1, 11);
  if (!pads)
    node.fail("does not say how much it pads: 'pads' is missing");
  if (node.opset() >= 18 && node.hasInput(3)) {
    std::vector<int64_t> axes = orderedAxes(node, node.intsInput(3), rank);
    if (pads->size() != 2 * axes.size())
      node.fail("has {} pads for {} axes", pads->size(), axes.size());
    std::vector<int64_t> all(2 * rank, 0);
    for (auto [index, axis] : llvm::enumerate(axes)) {
      all[axis] = (*pads)[index];
      all[rank + axis] = (*pads)[index + axes.size()];
    }
    pads = all;
  }
  std::string mode =
      oneOf(node, "mode", {"constant", "reflect", "edge", "wrap"});
  Attributes attributes = {node.named("pads", node.i64s(*pads)),
                           node.named("mode", node.word(mode))};
  if (mode == "constant")
    attributes.push_back(node.named("value", node.f64(readPadValue(node))));
  node.emit<nn::PadOp>({node.input(0)}, attributes);
}

//===----------------------------------------------------------------------===//
// The rest
//===----------------------------------------------------------------------===//

static void importTile(Node &node) {
  node.emit<nn::TileOp>({node.input(0)},
                        {node.named("repeats", node.i64s(node.intsInput(1)))});
}

static void importTrilu(Node &node) {
  Attributes attributes = readParameters(node, {flag("upper")});
  if (node.hasInput(1)) {
    // Beyond any matrix, k only says whether all or nothing is kept.
    int64_t k = std::clamp(integerInput(node, 1), -maxElements, maxElements);
    attributes.push_back(node.named("k", node.i64(k)));
  }
  node.emit<nn::TriluOp>({node.input(0)}, attributes);
}

static void importOneHot(Node &node) {
  // Depth and indices may have any type of number.
  double depth = numberOf(scalarInput(node, 1));
  if (!(depth >= 0 && depth <= double(maxElements)))
    node.fail("has a depth of {}", depth);
  Value indices = node.input(0);
  Type type = node.inputType(0).getElementType();
  if (!type.isSignlessInteger(32) && !type.isSignlessInteger(64))
    indices = node.create<nn::CastOp>(
        "indices", {indices},
        {node.named("to",
                    node.type(mlir::IntegerType::get(node.context(), 64)))});
  int64_t axis =
      node.normalizedAxis(node.intAttribute("axis", -1), node.inputRank(0) + 1);
  node.emit<nn::OneHotOp>({indices, node.input(2)},
                          {node.named("depth", node.i64(int64_t(depth))),
                           node.named("axis", node.i64(axis))});
}

void addLayoutImports(ImportTable &table) {
  table.onOp("Concat", 4, importConcat);
  table.onOp("DepthToSpace", 1,
             unary<nn::DepthToSpaceOp>(
                 {requiredInteger("blocksize"), word("mode", {"DCR", "CRD"})}));
  table.onOp("Expand", 8, importExpand);
  table.onOp("Flatten", 1, importFlatten);
  table.onOp("OneHot", 9, importOneHot);
  table.onOp("Pad", 2, importPad);
  table.onOp("Reshape", 5, importReshape);
  table.onOp("ReverseSequence", 10,
             binary<nn::ReverseSequenceOp>(
                 {integer("batch_axis"), integer("time_axis")}));
  table.onOp("Slice", 1, importSlice);
  table.onOp("SpaceToDepth", 1,
             unary<nn::SpaceToDepthOp>({requiredInteger("blocksize")}));
  table.onOp("Split", 2, importSplit);
  table.onOp("Squeeze", 1, importSqueeze);
  table.onOp("Tile", 6, importTile);
  table.onOp("Transpose", 1, importTranspose);
  table.onOp("Trilu", 14, importTrilu);
  table.onOp("Unsqueeze", 1, importUnsqueeze);
}

} // namespace parallax::onnx_import
