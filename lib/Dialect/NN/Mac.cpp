//===- Mac.cpp - Shape rules: multiply-accumulate -------------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Convolutions and matrix products: channels, groups and inner dimensions of
// the operands have to agree.
//===----------------------------------------------------------------------===//
#include "ShapeHelpers.h"

#include "llvm/ADT/StringExtras.h"

#include <map>

namespace parallax::nn {

//===----------------------------------------------------------------------===//
// Convolutions
//===----------------------------------------------------------------------===//

/// Checks that convolution and transposed convolution share.
template <typename Adaptor>
static LogicalResult checkConv(Adaptor op, const SlidingWindow &window,
                               const ResultTypes &results) {
  Operand x{op.getX(), "x"};
  Operand weight{op.getWeight(), "weight"};
  int64_t group = op.getGroup();
  if (failed(checkElements(x, Elements::Float, results)) ||
      failed(checkRank(x, 3, 5, results)) ||
      failed(checkSameElements({x, weight, {op.getBias(), "bias"}}, results)) ||
      failed(checkRank(weight, getRank(x.value), results)) ||
      failed(window.check(results)))
    return failure();
  int64_t channels = getShape(x.value)[1];
  if (channels == 0)
    return results.fail("x has no channels");
  if (group < 1 || channels % group != 0)
    return results.fail("cannot divide ", channels, " channels into ", group,
                        " groups");
  return success();
}

static LogicalResult checkBias(Value bias, int64_t channels,
                               const ResultTypes &results) {
  return bias ? checkShape({bias, "bias"}, channels, results) : success();
}

/// The spatial extents of a weight, none if its rank is too small.
static ArrayRef<int64_t> getKernel(Value weight) {
  ArrayRef<int64_t> shape = getShape(weight);
  return shape.drop_front(std::min<size_t>(shape.size(), 2));
}

LogicalResult inferConv(ConvOp::Adaptor op, ResultTypes &results) {
  Value x = op.getX();
  SlidingWindow window{getKernel(op.getWeight()), op.getStrides(), op.getPads(),
                       op.getDilations()};
  if (failed(checkConv(op, window, results)))
    return failure();
  ArrayRef<int64_t> weight = getShape(op.getWeight());
  int64_t group = op.getGroup();
  int64_t channels = getShape(x)[1];
  if (weight[1] != channels / group)
    return results.fail("weight expects ", weight[1],
                        " channels per group, but x has ", channels, " in ",
                        group, " groups");
  if (weight[0] % group != 0)
    return results.fail("cannot divide ", weight[0],
                        " channels of the result into ", group, " groups");

  SmallVector<int64_t> shape{getShape(x)[0], weight[0]};
  if (failed(checkBias(op.getBias(), weight[0], results)) ||
      failed(window.countStops(getShape(x).drop_front(2), /*ceilMode=*/false,
                               shape, results)))
    return failure();
  return results.add(shape, getExpressedElementType(x.getType()));
}

LogicalResult inferConvTranspose(ConvTransposeOp::Adaptor op,
                                 ResultTypes &results) {
  Value x = op.getX();
  SlidingWindow window{getKernel(op.getWeight()), op.getStrides(), op.getPads(),
                       op.getDilations()};
  List extra{op.getOutputPadding(), "output_padding"};
  if (failed(checkConv(op, window, results)) ||
      failed(checkList(extra, window.kernel.size(), 0, results)))
    return failure();
  ArrayRef<int64_t> weight = getShape(op.getWeight());
  if (weight[0] != getShape(x)[1])
    return results.fail("weight expects ", weight[0], " channels, but x has ",
                        getShape(x)[1]);
  int64_t channels = (CheckedInt(weight[1]) * int64_t(op.getGroup())).get();
  if (failed(checkBias(op.getBias(), channels, results)))
    return failure();

  SmallVector<int64_t> shape{getShape(x)[0], channels};
  for (auto [i, extent] : llvm::enumerate(getShape(x).drop_front(2))) {
    int64_t stride = window.strides[i];
    if (extra.values[i] >= std::max(stride, window.dilations[i]))
      return results.fail("output_padding of spatial dimension ", i,
                          " must be less than the stride or the dilation");
    int64_t result = ((CheckedInt(extent) - 1) * stride + extra.values[i] +
                      window.reach(i) - window.padding(i))
                         .get();
    if (extent == 0 || result < 1)
      return results.fail("nothing is left of spatial dimension ", i);
    shape.push_back(result);
  }
  return results.add(shape, getExpressedElementType(x.getType()));
}

//===----------------------------------------------------------------------===//
// Matrix products
//===----------------------------------------------------------------------===//

static LogicalResult checkInner(int64_t left, int64_t right,
                                const ResultTypes &results) {
  if (left == right)
    return success();
  return results.fail("cannot multiply ", left, " columns of a by ", right,
                      " rows of b");
}

LogicalResult inferGemm(GemmOp::Adaptor op, ResultTypes &results) {
  Operand a{op.getA(), "a"};
  Operand b{op.getB(), "b"};
  Operand c{op.getC(), "c"};
  if (failed(checkElements(a, Elements::Number, results)) ||
      failed(checkSameElements({a, b, c}, results)) ||
      failed(checkRank(a, 2, results)) || failed(checkRank(b, 2, results)))
    return failure();
  ArrayRef<int64_t> left = getShape(a.value);
  ArrayRef<int64_t> right = getShape(b.value);
  bool transA = op.getTransA();
  bool transB = op.getTransB();
  if (failed(checkInner(left[transA ? 0 : 1], right[transB ? 1 : 0], results)))
    return failure();
  int64_t shape[] = {left[transA ? 1 : 0], right[transB ? 0 : 1]};
  if (c.value && failed(checkBroadcastsTo(c, shape, results)))
    return failure();
  return results.add(shape, getExpressedElementType(a.value.getType()));
}

LogicalResult inferMatMul(MatMulOp::Adaptor op, ResultTypes &results) {
  Operand a{op.getA(), "a"};
  Operand b{op.getB(), "b"};
  if (failed(checkElements(a, Elements::Number, results)) ||
      failed(checkSameElements({a, b}, results)) ||
      failed(checkRank(a, 1, INT64_MAX, results)) ||
      failed(checkRank(b, 1, INT64_MAX, results)))
    return failure();
  ArrayRef<int64_t> left = getShape(a.value);
  ArrayRef<int64_t> right = getShape(b.value);
  bool hasRows = left.size() > 1;
  bool hasColumns = right.size() > 1;
  SmallVector<int64_t> shape;
  if (failed(checkInner(left.back(),
                        hasColumns ? right[right.size() - 2] : right[0],
                        results)) ||
      failed(broadcastShapes({left.drop_back(hasRows ? 2 : 1),
                              right.drop_back(hasColumns ? 2 : 1)},
                             shape, results)))
    return failure();
  if (hasRows)
    shape.push_back(left[left.size() - 2]);
  if (hasColumns)
    shape.push_back(right.back());
  return results.add(shape, getExpressedElementType(a.value.getType()));
}

LogicalResult inferFullyConnected(FullyConnectedOp::Adaptor op,
                                  ResultTypes &results) {
  Operand x{op.getX(), "x"};
  Operand weight{op.getWeight(), "weight"};
  Operand bias{op.getBias(), "bias"};
  if (failed(checkElements(x, Elements::Float, results)) ||
      failed(checkSameElements({x, weight, bias}, results)) ||
      failed(checkRank(x, 1, INT64_MAX, results)) ||
      failed(checkRank(weight, 2, results)))
    return failure();
  SmallVector<int64_t> shape(getShape(x.value));
  int64_t rows = getShape(weight.value)[0];
  if (failed(checkShape(weight, {rows, shape.back()}, results)) ||
      failed(checkBias(bias.value, rows, results)))
    return failure();
  shape.back() = rows;
  return results.add(shape, getExpressedElementType(x.value.getType()));
}

//===----------------------------------------------------------------------===//
// Einstein's notation
//===----------------------------------------------------------------------===//

namespace {
/// The labels of one term; an ellipsis stands between labels `ellipsis - 1` and
/// `ellipsis`.
struct EinsumTerm {
  std::string labels;
  std::optional<size_t> ellipsis;
};

/// The extents that the operands give to labels and to the ellipsis.
struct EinsumExtents {
  std::map<char, int64_t> ofLabel;
  std::map<char, int> uses;
  SmallVector<int64_t> ofEllipsis;
};
} // namespace

static LogicalResult parseTerm(StringRef text, EinsumTerm &term,
                               const ResultTypes &results) {
  for (text = text.ltrim(); !text.empty(); text = text.ltrim()) {
    if (text.consume_front("...")) {
      if (term.ellipsis)
        return results.fail("equation has a term with two ellipses");
      term.ellipsis = term.labels.size();
      continue;
    }
    if (!llvm::isAlpha(text.front()))
      return results.fail("equation has unexpected character '",
                          text.take_front(), "'");
    term.labels += text.front();
    text = text.drop_front();
  }
  return success();
}

static LogicalResult bindTerm(const EinsumTerm &term, ArrayRef<int64_t> shape,
                              EinsumExtents &extents,
                              const ResultTypes &results) {
  size_t labels = term.labels.size();
  if (term.ellipsis ? labels > shape.size() : labels != shape.size())
    return results.fail("equation names ", labels,
                        " dimensions of an operand of shape ",
                        shapeText(shape));
  size_t hidden = shape.size() - labels;
  if (term.ellipsis) {
    SmallVector<int64_t> merged;
    if (failed(broadcastShapes(
            {extents.ofEllipsis, shape.slice(*term.ellipsis, hidden)}, merged,
            results)))
      return failure();
    extents.ofEllipsis = merged;
  }
  std::map<char, int64_t> own;
  for (auto [i, label] : llvm::enumerate(term.labels)) {
    bool beyondEllipsis = term.ellipsis && i >= *term.ellipsis;
    int64_t extent = shape[i + (beyondEllipsis ? hidden : 0)];
    ++extents.uses[label];
    // A label twice in one term is a diagonal; between operands, an extent of 1
    // broadcasts.
    int64_t &common = extents.ofLabel.try_emplace(label, extent).first->second;
    int64_t same = own.try_emplace(label, extent).first->second;
    if (same != extent || (common != extent && common != 1 && extent != 1))
      return results.fail("label '", StringRef(&label, 1), "' stands for ",
                          same != extent ? same : common, " and for ", extent);
    if (common == 1)
      common = extent;
  }
  return success();
}

/// Without an arrow, the result has the ellipsis and then, in alphabetical
/// order, the labels that occur once.
static EinsumTerm getImplicitResult(const EinsumExtents &extents) {
  EinsumTerm term{"", 0};
  for (auto [label, uses] : extents.uses)
    if (uses == 1)
      term.labels += label;
  return term;
}

static LogicalResult checkResultTerm(const EinsumTerm &term,
                                     const EinsumExtents &extents,
                                     const ResultTypes &results) {
  for (char label : term.labels) {
    if (!extents.ofLabel.contains(label))
      return results.fail("label '", StringRef(&label, 1),
                          "' of the result is in no operand");
    if (llvm::count(term.labels, label) > 1)
      return results.fail("label '", StringRef(&label, 1),
                          "' occurs twice in the result");
  }
  if (!term.ellipsis && !extents.ofEllipsis.empty())
    return results.fail("equation drops the ellipsis from the result");
  return success();
}

LogicalResult inferEinsum(EinsumOp::Adaptor op, ResultTypes &results) {
  ValueRange inputs = op.getInputs();
  StringRef equation = op.getEquation();
  size_t arrow = equation.find("->");
  SmallVector<StringRef> texts;
  equation.take_front(arrow).split(texts, ',');
  if (inputs.empty() || texts.size() != inputs.size())
    return results.fail("equation has ", texts.size(), " terms for ",
                        inputs.size(), " operands");

  EinsumExtents extents;
  for (auto [input, text] : llvm::zip(inputs, texts)) {
    EinsumTerm term;
    if (failed(checkElements({input, "operand"}, Elements::Number, results)) ||
        failed(checkSameElements(
            {{inputs[0], "the first operand"}, {input, "an operand"}},
            results)) ||
        failed(parseTerm(text, term, results)) ||
        failed(bindTerm(term, getShape(input), extents, results)))
      return failure();
  }

  EinsumTerm result;
  if (arrow == StringRef::npos)
    result = getImplicitResult(extents);
  else if (failed(parseTerm(equation.drop_front(arrow + 2), result, results)))
    return failure();
  if (failed(checkResultTerm(result, extents, results)))
    return failure();
  SmallVector<int64_t> shape;
  for (char label : result.labels)
    shape.push_back(extents.ofLabel[label]);
  if (result.ellipsis)
    shape.insert(shape.begin() + *result.ellipsis, extents.ofEllipsis.begin(),
                 extents.ofEllipsis.end());
  return results.add(shape, getExpressedElementType(inputs[0].getType()));
}

} // namespace parallax::nn
