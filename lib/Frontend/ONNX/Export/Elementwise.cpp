//===- Elementwise.cpp - Export of element-wise operators -----------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Names and attributes are those of ONNX; the bounds of Clip and the target of
// Cast have another form there.
//===----------------------------------------------------------------------===//
#include "ExportLine.h"

#include <limits>

namespace parallax::onnx_export {

namespace {
/// What a type can hold.
struct Range {
  double lowest, highest;
};
} // namespace

static Range rangeOf(DType dtype) {
  return dispatch(dtype, [](auto tag) -> Range {
    using T = typename decltype(tag)::type;
    if constexpr (std::is_integral_v<T>)
      return {double(std::numeric_limits<T>::lowest()),
              double(std::numeric_limits<T>::max())};
    constexpr double infinity = std::numeric_limits<double>::infinity();
    return {-infinity, infinity};
  });
}

static void writeClip(Layer &layer, nn::ClipOp op) {
  DType dtype = layer.operandElements(0);
  Range range = rangeOf(dtype);
  double min = op.getMin().convertToDouble();
  double max = op.getMax().convertToDouble();
  // A bound that every number respects is left out, but a layer without bounds
  // would not be one.
  bool hasMax = max < range.highest;
  bool hasMin = min > range.lowest || !hasMax;
  layer.addOperand(op.getX());
  if (hasMin)
    layer.addNumber("min", dtype, std::max(min, range.lowest));
  else
    layer.addOperand({});
  if (hasMax)
    layer.addNumber("max", dtype, max);
}

static void writeCast(Layer &layer, nn::CastOp op) {
  layer.addOperand(op.getX());
  layer.setInt("to", toOnnxType(elementsOf(op.getY().getType(), describe(op))));
}

static Operator chooseGelu(nn::GeluOp op) {
  return {op.getApproximate() == "tanh" ? "GeluTanh" : "Gelu", true};
}

static void writeGelu(Layer &layer, nn::GeluOp op) {
  layer.addOperand(op.getX());
}

static std::vector<Parameter> copies(ArrayRef<StringRef> names) {
  std::vector<Parameter> parameters;
  for (StringRef name : names)
    parameters.push_back(copy(name));
  return parameters;
}

static void addFunctionsOfOneNumber(ExportTable &table) {
#define PARAMETERS(...) __VA_ARGS__
#define UNARY_ONNX(name, since, rule, parameters, ...)                         \
  table.direct<nn::name##Op>(#name, copies({PARAMETERS parameters}));
#include "parallax/Support/UnaryFunctions.def"
#undef PARAMETERS
  table.onOp<nn::CastOp>("Cast", writeCast);
  table.onOp<nn::ClipOp>("Clip", writeClip);
  table.onOp<nn::GeluOp>(chooseGelu, writeGelu);
  table.direct<nn::IsInfOp>("IsInf",
                            {copy("detect_negative"), copy("detect_positive")});
  table.function<nn::MishOp>("Mish");
  table.function<nn::SiluOp>("Silu");
}

static void addFunctionsOfMoreNumbers(ExportTable &table) {
  table.direct<nn::AddOp>("Add");
  table.direct<nn::AndOp>("And");
  table.direct<nn::BitShiftOp>("BitShift", {copy("direction")});
  table.direct<nn::DivOp>("Div");
  table.direct<nn::EqualOp>("Equal");
  table.direct<nn::GreaterOp>("Greater");
  table.direct<nn::GreaterOrEqualOp>("GreaterOrEqual");
  table.direct<nn::LessOp>("Less");
  table.direct<nn::LessOrEqualOp>("LessOrEqual");
  table.direct<nn::MaxOp>("Max");
  table.direct<nn::MinOp>("Min");
  table.direct<nn::ModOp>("Mod", {copy("fmod")});
  table.direct<nn::MulOp>("Mul");
  table.direct<nn::OrOp>("Or");
  table.direct<nn::PowOp>("Pow");
  table.direct<nn::PReluOp>("PRelu");
  table.direct<nn::SubOp>("Sub");
  table.direct<nn::WhereOp>("Where");
  table.direct<nn::XorOp>("Xor");
}

void addElementwiseExports(ExportTable &table) {
  addFunctionsOfOneNumber(table);
  addFunctionsOfMoreNumbers(table);
}

} // namespace parallax::onnx_export
