//===- Movement.cpp - Lowering of clamps and data movement ----------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Operators that make no new codes: clamps become limits of other layers, and
// what moves or compares codes stays an operation of the nn dialect.
//===----------------------------------------------------------------------===//
#include "Lowering.h"

#include "parallax/Backend/NPU/Kernels/Elementwise.h"
#include "parallax/Support/LayerName.h"

#include "mlir/IR/TypeUtilities.h"

#include <fmt/format.h>

using namespace mlir;

namespace parallax::lower {
namespace {

/// The limits of C3.
AffineParams clamped(Operation *op, AffineParams params) {
  double low = 0, high = std::numeric_limits<double>::infinity();
  if (auto clip = dyn_cast<nn::ClipOp>(op)) {
    low = clip.getMin().convertToDouble();
    high = clip.getMax().convertToDouble();
  }
  auto codeOf = [&](double value) {
    double steps = std::clamp(value / double(params.scale),
                              double(params.low - params.zeroPoint),
                              double(params.high - params.zeroPoint));
    return params.zeroPoint + roundHalfEven(steps);
  };
  AffineParams result = params;
  result.low = codeOf(low);
  result.high = std::max(result.low, codeOf(high));
  return result;
}

/// A layer and the clamp after it are one: its result is that of the clamp.
void nameAfter(Value codes, Value clamped) {
  auto result = dyn_cast<OpResult>(codes);
  if (!result)
    return;
  Operation *maker = result.getOwner();
  LayerName name = getLayerName(maker);
  name.tensors.resize(maker->getNumResults());
  name.tensors[result.getResultNumber()] = getTensorName(clamped);
  maker->setLoc(
      makeLayerLocation(maker->getContext(), name.node, name.tensors));
}

} // namespace

/// The code of a number (C6).
static Tensor codeOf(float number, Type type) {
  Tensor value = Tensor::fromValues<float>({1}, std::span(&number, 1));
  Tensor code(storageOf(type), {1});
  npu::quantize(value, code, affineParamsOf(type));
  return code;
}

/// Which elements of matrices with the shape of `type` are kept.
static Tensor triangleOf(nn::TriluOp op, RankedTensorType type) {
  int64_t rows = type.getDimSize(type.getRank() - 2);
  int64_t columns = type.getDimSize(type.getRank() - 1);
  auto k = int64_t(op.getK());
  Tensor mask(DType::Bool, {rows, columns});
  for (int64_t r = 0; r < rows; ++r)
    for (int64_t c = 0; c < columns; ++c)
      mask.data<bool>()[r * columns + c] =
          op.getUpper() ? c - r >= k : c - r <= k;
  return mask;
}

Refusal Lowering::lowerClamp(Operation *op) {
  Value x = op->getOperand(0), y = op->getResult(0);
  if (!hasCodes(x) || !hasCodes(y))
    return "its operand or its result is float";
  AffineParams to = affineParamsOf(y.getType());
  AffineParams limits = clamped(op, to);
  bool sameCodes = elementOf(x) == elementOf(y);
  if (sameCodes && limits == to) {
    if (!x.hasOneUse())
      shared.insert(lowered(x));
    else
      nameAfter(lowered(x), y);
    mapping.map(y, lowered(x));
    ++report.clamps;
    return {};
  }
  // Entries of a table have their limits in themselves.
  Operation *producer = lowered(x).getDefiningOp();
  bool isNarrowed = sameCodes && x.hasOneUse() && producer &&
                    !shared.contains(lowered(x)) &&
                    isa<npu::NPUDialect>(producer->getDialect()) &&
                    !isa<npu::TableOp>(producer) && producer->hasAttr("low");
  if (!isNarrowed) {
    emit<npu::LinearOp>(op, lowered(x),
                        linear(affineParamsOf(x.getType()), 1, limits));
    return {};
  }
  // It may have been clamped before.
  for (StringRef name : {"low", "high"}) {
    int64_t limit = producer->getAttrOfType<IntegerAttr>(name).getInt();
    producer->setAttr(name, builder.getI64IntegerAttr(
                                std::clamp(limit, limits.low, limits.high)));
  }
  nameAfter(lowered(x), y);
  mapping.map(y, lowered(x));
  ++report.clamps;
  return {};
}

Refusal Lowering::lowerMovement(Operation *op) {
  // The scale that all codes have: that of the result, or where the result are
  // positions that of the first operand.
  Type type;
  for (Value value : op->getResults())
    if (isQuantized(value.getType()))
      type = value.getType();
  bool isResize = isa<nn::ResizeOp>(op);
  for (Value value : op->getOperands()) {
    bool isFloat = isa<FloatType>(elementOf(value));
    if (isFloat || (isQuantized(value.getType()) && !hasCodes(value)))
      return fmt::format("operand '{}' is not codes with one scale",
                         getTensorName(value));
    if (isQuantized(value.getType()) && (!type || isResize))
      type = value.getType();
  }
  if (llvm::any_of(op->getResultTypes(), [](Type type) {
        return isa<FloatType>(getElementTypeOrSelf(type));
      }))
    return "its result is float";

  SmallVector<Value> operands;
  for (Value value : op->getOperands())
    operands.push_back(isQuantized(value.getType()) ? codesAs(value, type, op)
                                                    : lowered(value));
  SmallVector<Type> types;
  for (Type result : op->getResultTypes())
    types.push_back(isQuantized(result)
                        ? loweredType(cast<RankedTensorType>(result).clone(
                              getElementTypeOrSelf(type)))
                        : result);
  OperationState state(op->getLoc(), op->getName());
  if (auto triangle = dyn_cast<nn::TriluOp>(op)) {
    // What is left out is the code of 0, which need not be 0 (C47).
    state.name =
        OperationName(nn::WhereOp::getOperationName(), builder.getContext());
    operands.insert(
        operands.begin(),
        constant(op, "_mask",
                 triangleOf(triangle, cast<RankedTensorType>(types[0]))));
    operands.push_back(constant(op, "_zero", codeOf(0, type)));
  } else {
    state.addAttributes(op->getAttrs());
  }
  state.addOperands(operands);
  state.addTypes(types);
  if (isa<nn::GlobalMaxPoolOp>(op)) {
    // The float operator takes floats only; the reduction takes all numbers.
    state.name = OperationName(nn::ReduceMaxOp::getOperationName(),
                               builder.getContext());
    auto rank = cast<RankedTensorType>(types[0]).getRank();
    auto axes = llvm::to_vector(llvm::seq<int64_t>(2, rank));
    state.addAttribute("axes", builder.getDenseI64ArrayAttr(axes));
    state.addAttribute("keepdims", builder.getBoolAttr(true));
  }
  Operation *made = builder.create(state);
  if (auto pad = dyn_cast<nn::PadOp>(made)) {
    // What is added is the code of a number (C47).
    Tensor code = codeOf(float(pad.getValue().convertToDouble()), type);
    dispatch(code.dtype(), [&](auto tag) {
      using T = typename decltype(tag)::type;
      made->setAttr("value", builder.getF64FloatAttr(double(
                                 static_cast<float>(code.data<T>()[0]))));
    });
  }
  for (auto [from, to] : llvm::zip(op->getResults(), made->getResults()))
    mapping.map(from, to);
  ++report.movements;
  // A resize whose result has codes of its own.
  if (Value y = op->getResult(0);
      isQuantized(y.getType()) && elementOf(y) != getElementTypeOrSelf(type)) {
    made->setLoc(helperLocation(op, "_moved"));
    codeTypes[made->getResult(0)] = type;
    emit<npu::LinearOp>(
        op, made->getResult(0),
        linear(affineParamsOf(type), 1, affineParamsOf(y.getType())));
  }
  return {};
}

} // namespace parallax::lower
