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

static void addFunctionsOfOneNumber(ExportTable &table) {
  table.direct<nn::AbsOp>("Abs");
  table.direct<nn::AcosOp>("Acos");
  table.direct<nn::AcoshOp>("Acosh");
  table.direct<nn::AsinOp>("Asin");
  table.direct<nn::AsinhOp>("Asinh");
  table.direct<nn::AtanOp>("Atan");
  table.direct<nn::AtanhOp>("Atanh");
  table.onOp<nn::CastOp>("Cast", writeCast);
  table.direct<nn::CeilOp>("Ceil");
  table.direct<nn::CeluOp>("Celu", {copy("alpha")});
  table.onOp<nn::ClipOp>("Clip", writeClip);
  table.direct<nn::CosOp>("Cos");
  table.direct<nn::CoshOp>("Cosh");
  table.direct<nn::EluOp>("Elu", {copy("alpha")});
  table.direct<nn::ErfOp>("Erf");
  table.direct<nn::ExpOp>("Exp");
  table.direct<nn::FloorOp>("Floor");
  table.onOp<nn::GeluOp>(chooseGelu, writeGelu);
  table.direct<nn::HardSigmoidOp>("HardSigmoid", {copy("alpha"), copy("beta")});
  table.direct<nn::HardSwishOp>("HardSwish");
  table.direct<nn::IsInfOp>("IsInf",
                            {copy("detect_negative"), copy("detect_positive")});
  table.direct<nn::IsNaNOp>("IsNaN");
  table.direct<nn::LeakyReluOp>("LeakyRelu", {copy("alpha")});
  table.direct<nn::LogOp>("Log");
  table.function<nn::MishOp>("Mish");
  table.direct<nn::NegOp>("Neg");
  table.direct<nn::NotOp>("Not");
  table.direct<nn::ReciprocalOp>("Reciprocal");
  table.direct<nn::ReluOp>("Relu");
  table.direct<nn::RoundOp>("Round");
  table.direct<nn::SeluOp>("Selu", {copy("alpha"), copy("gamma")});
  table.direct<nn::ShrinkOp>("Shrink", {copy("lambd"), copy("bias")});
  table.direct<nn::SigmoidOp>("Sigmoid");
  table.direct<nn::SignOp>("Sign");
  table.function<nn::SiluOp>("Silu");
  table.direct<nn::SinOp>("Sin");
  table.direct<nn::SinhOp>("Sinh");
  table.direct<nn::SoftplusOp>("Softplus");
  table.direct<nn::SoftsignOp>("Softsign");
  table.direct<nn::SqrtOp>("Sqrt");
  table.direct<nn::TanOp>("Tan");
  table.direct<nn::TanhOp>("Tanh");
  table.direct<nn::ThresholdedReluOp>("ThresholdedRelu", {copy("alpha")});
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
