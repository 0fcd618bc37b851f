//===- Elementwise.cpp - Import of element-wise operators -----------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Versions of these operators differ in the element types that they admit,
// which the shape rules check, so that most operators have a single line.
//===----------------------------------------------------------------------===//
#include "ImportLine.h"

#include <limits>

namespace parallax::onnx_import {

//===----------------------------------------------------------------------===//
// Clip
//===----------------------------------------------------------------------===//

static void importClipWithAttributes(Node &node) {
  // The defaults are finite: infinities are clipped too.
  constexpr float largest = std::numeric_limits<float>::max();
  node.emit<nn::ClipOp>(
      operandsOf(node, 1),
      {node.named("min", node.f64(node.floatAttribute("min", -largest))),
       node.named("max", node.f64(node.floatAttribute("max", largest)))});
}

namespace {
/// A bound of Clip: a number, or what computes it, or neither.
struct Bound {
  std::optional<double> number;
  Value computed;
};
} // namespace

static Bound readBound(Node &node, size_t index, StringRef step) {
  if (!node.hasInput(index))
    return {};
  if (countElements(node, node.inputType(index).getShape()) != 1)
    node.fail("operand {} must be a single number", index);
  if (std::optional<Tensor> value = node.tryConstantInput(index))
    if (std::optional<double> number = exactNumberOf(*value))
      return {number, {}};
  Value bound = node.input(index);
  return {{},
          node.inputRank(index) == 0 ? bound
                                     : reshapeStep(node, step, bound, {})};
}

static void importClip(Node &node) {
  operandsOf(node, 1, 2);
  Bound low = readBound(node, 1, "min"), high = readBound(node, 2, "max");
  Value x = node.input(0);

  Attributes lowAttributes, highAttributes;
  if (low.number)
    lowAttributes.push_back(node.named("min", node.f64(*low.number)));
  if (high.number)
    highAttributes.push_back(node.named("max", node.f64(*high.number)));

  if (!low.computed && !high.computed) {
    lowAttributes.append(highAttributes);
    if (lowAttributes.empty())
      return node.setOutput(0, x);
    return node.emit<nn::ClipOp>({x}, lowAttributes);
  }
  // First the lower bound: if the bounds cross, the upper one counts.
  bool onlyLow = !high.computed && !high.number;
  StringRef lowStep = onlyLow ? "" : "from_below";
  if (low.computed)
    x = node.create<nn::MaxOp>(lowStep, {x, low.computed});
  else if (low.number)
    x = node.create<nn::ClipOp>(lowStep, {x}, lowAttributes);
  if (high.computed)
    x = node.create<nn::MinOp>("", {x, high.computed});
  else if (high.number)
    x = node.create<nn::ClipOp>("", {x}, highAttributes);
  node.setOutput(0, x);
}

//===----------------------------------------------------------------------===//
// Operators that are not one operation
//===----------------------------------------------------------------------===//

/// `last` names the last step of the chain; no name makes it the node itself.
template <typename OpTy>
static Value combineOperands(Node &node, StringRef last) {
  size_t count = node.inputCount();
  Value result = node.input(0);
  for (size_t index = 1; index < count; ++index) {
    std::string step =
        index + 1 == count ? last.str() : fmt::format("first_{}", index + 1);
    result = node.create<OpTy>(step, {result, node.input(index)});
  }
  return result;
}

template <typename OpTy> static void importVariadic(Node &node) {
  node.setOutput(0, combineOperands<OpTy>(node, ""));
}

static void importMean(Node &node) {
  size_t count = node.inputCount();
  Value sum = combineOperands<nn::AddOp>(node, "sum");
  if (count == 1)
    return node.setOutput(0, sum);
  DType dtype = storageType(node, node.inputType(0).getElementType());
  if (!isFloat(dtype))
    node.fail("of element type {} is not supported", nameOf(dtype));
  node.emit<nn::MulOp>({sum, splat(node, dtype, {}, 1.0 / double(count))});
}

static void importSwish(Node &node) {
  Value x = node.input(0);
  float alpha = node.floatAttribute("alpha", 1);
  if (alpha == 1)
    return node.emit<nn::SiluOp>({x});
  DType dtype = storageType(node, node.inputType(0).getElementType());
  Value scaled =
      node.create<nn::MulOp>("scaled", {x, splat(node, dtype, {}, alpha)});
  node.emit<nn::MulOp>({x, node.create<nn::SigmoidOp>("sigmoid", {scaled})});
}

static void importIdentity(Node &node) { node.setOutput(0, node.input(0)); }

static void importDropout(Node &node) {
  bool training = node.opset() >= 12 && node.hasInput(2) &&
                  numberOf(scalarInput(node, 2)) != 0;
  if (training && (!node.hasInput(1) || numberOf(scalarInput(node, 1)) != 0))
    node.fail("training mode is not supported");
  node.setOutput(0, node.input(0));
  if (!node.hasOutput(1))
    return;
  DType dtype = node.opset() < 10
                    ? storageType(node, node.inputType(0).getElementType())
                    : DType::Bool;
  node.setOutput(1, splat(node, dtype, staticShape(node, 0), 1));
}

static void castTo(Node &node, Type type) {
  // 16-bit floats are widened, so a cast between floats may be none.
  if (node.inputType(0).getElementType() == type)
    return node.setOutput(0, node.input(0));
  node.emit<nn::CastOp>({node.input(0)}, {node.named("to", node.type(type))});
}

static void importCast(Node &node) {
  castTo(node, node.elementType(node.requiredInt("to")));
}

static void importCastLike(Node &node) {
  castTo(node, node.inputType(1).getElementType());
}

static void importBitShift(Node &node) {
  if (!node.hasAttribute("direction"))
    node.fail("attribute 'direction' is missing");
  node.emit<nn::BitShiftOp>(
      operandsOf(node, 2),
      readParameters(node, {word("direction", {"LEFT", "RIGHT"})}));
}

//===----------------------------------------------------------------------===//
// The table
//===----------------------------------------------------------------------===//

static std::vector<Parameter> realParameters(ArrayRef<StringRef> names) {
  std::vector<Parameter> parameters;
  for (StringRef name : names)
    parameters.push_back(real(name));
  return parameters;
}

static void addFunctionsOfOneNumber(ImportTable &table) {
#define PARAMETERS(...) __VA_ARGS__
#define UNARY_ONNX(name, since, rule, parameters, ...)                         \
  table.onOp(#name, since,                                                     \
             unary<nn::name##Op>(realParameters({PARAMETERS parameters})));
#include "parallax/Support/UnaryFunctions.def"
#undef PARAMETERS
  table.onOp("Cast", 6, importCast);
  table.onOp("CastLike", 15, importCastLike);
  table.onOp("Clip", 6, importClipWithAttributes);
  table.onOp("Clip", 11, importClip);
  table.onOp("Dropout", 7, importDropout);
  table.onOp("Gelu", 20,
             unary<nn::GeluOp>({word("approximate", {"none", "tanh"})}));
  table.onOp("Identity", 1, importIdentity);
  table.onOp(
      "IsInf", 10,
      unary<nn::IsInfOp>({flag("detect_negative"), flag("detect_positive")}));
  table.onOp("Mish", 18, unary<nn::MishOp>());
  table.onOp("Swish", 24, importSwish);
}

static void addFunctionsOfMoreNumbers(ImportTable &table) {
  table.onOp("Add", 7, binary<nn::AddOp>());
  table.onOp("And", 7, binary<nn::AndOp>());
  table.onOp("BitShift", 11, importBitShift);
  table.onOp("Div", 7, binary<nn::DivOp>());
  table.onOp("Equal", 7, binary<nn::EqualOp>());
  table.onOp("Greater", 7, binary<nn::GreaterOp>());
  table.onOp("GreaterOrEqual", 12, binary<nn::GreaterOrEqualOp>());
  table.onOp("Less", 7, binary<nn::LessOp>());
  table.onOp("LessOrEqual", 12, binary<nn::LessOrEqualOp>());
  table.onOp("Max", 6, importVariadic<nn::MaxOp>);
  table.onOp("Mean", 6, importMean);
  table.onOp("Min", 6, importVariadic<nn::MinOp>);
  table.onOp("Mod", 10, binary<nn::ModOp>({flag("fmod")}));
  table.onOp("Mul", 7, binary<nn::MulOp>());
  table.onOp("Or", 7, binary<nn::OrOp>());
  table.onOp("Pow", 7, binary<nn::PowOp>());
  table.onOp("PRelu", 7, binary<nn::PReluOp>());
  table.onOp("Sub", 7, binary<nn::SubOp>());
  table.onOp("Sum", 6, importVariadic<nn::AddOp>);
  table.onOp("Where", 9, ternary<nn::WhereOp>());
  table.onOp("Xor", 7, binary<nn::XorOp>());
}

void addElementwiseImports(ImportTable &table) {
  addFunctionsOfOneNumber(table);
  addFunctionsOfMoreNumbers(table);
}

} // namespace parallax::onnx_import
