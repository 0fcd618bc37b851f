//===- FromQdq.cpp - Networks that others have quantized ------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// The way back from ONNX's spelling: a float tensor that goes through
// QuantizeLinear and DequantizeLinear is a tensor of codes, and a constant
// behind DequantizeLinear is a tensor of weights.
//===----------------------------------------------------------------------===//
#include "TypePlan.h"
#include "parallax/Passes/Quantize/Qdq.h"

#include "parallax/Dialect/NN/NNOps.h"
#include "parallax/Support/LayerName.h"
#include "parallax/Support/QuantizedType.h"
#include "parallax/Support/TensorAttr.h"
#include "parallax/Support/Views.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/Verifier.h"

using namespace mlir;

namespace parallax {
namespace {

/// The value of a constant, or nothing.
Tensor constantOf(Value value) {
  auto constant = value ? value.getDefiningOp<nn::ConstantOp>() : nullptr;
  return constant ? toTensor(constant.getValue()) : Tensor();
}

std::vector<int64_t> integersOf(const Tensor &tensor) {
  std::vector<int64_t> values;
  dispatch(tensor.dtype(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    if constexpr (std::is_integral_v<T>)
      for (T value : tensor.values<T>())
        values.push_back(int64_t(value));
  });
  return values;
}

/// The quantized type that scale and zero point of a layer describe, with
/// `offset` less than in the file, or null.
template <typename OpTy>
Type typeOf(OpTy op, DType storage, CodeLimits limits, int64_t offset = 0) {
  Tensor scale = constantOf(op.getScale());
  bool hasZero = bool(op.getZeroPoint());
  Tensor zeroPoint = constantOf(op.getZeroPoint());
  if (scale.isNull() || scale.dtype() != DType::F32 || op.getBlockSize() != 0 ||
      (hasZero && zeroPoint.isNull()) || sizeOf(storage) > 4)
    return {};
  ChannelParams params;
  params.scales.assign(scale.values<float>().begin(),
                       scale.values<float>().end());
  params.zeroPoints = hasZero ? integersOf(zeroPoint)
                              : std::vector<int64_t>(params.scales.size(), 0);
  for (int64_t &zero : params.zeroPoints)
    zero -= offset;
  auto isScale = [](float scale) { return std::isfinite(scale) && scale > 0; };
  auto isCode = [&](int64_t zero) {
    return zero >= limits.low && zero <= limits.high;
  };
  if (params.zeroPoints.size() != params.scales.size() ||
      !llvm::all_of(params.scales, isScale) ||
      !llvm::all_of(params.zeroPoints, isCode))
    return {};
  MLIRContext *context = op.getContext();
  auto scaleType = cast<RankedTensorType>(op.getScale().getType());
  if (scaleType.getRank() > 0) {
    auto rank = int64_t(cast<RankedTensorType>(op.getX().getType()).getRank());
    params.axis = int64_t(op.getAxis());
    params.axis += params.axis < 0 ? rank : 0;
    return quantizedType(context, storage, params, limits);
  }
  return quantizedType(
      context, storage,
      {params.scales[0], params.zeroPoints[0], limits.low, limits.high});
}

/// The codes that a constant may hold: those of 4 bits if it was stored so;
/// else those of its type, without the most negative one if it has no use.
CodeLimits limitsOf(const Tensor &codes, unsigned bits, bool isSymmetric) {
  CodeLimits limits = codeLimitsOf(codes.dtype());
  if (bits == 4)
    return limits.low < 0 ? CodeLimits{-8, 7} : CodeLimits{0, 15};
  if (isSymmetric && limits.low < 0 &&
      !llvm::is_contained(integersOf(codes), limits.low))
    ++limits.low;
  return limits;
}

bool hasZeroPoints(Value zeroPoint) {
  Tensor zeros = constantOf(zeroPoint);
  return zeroPoint && (zeros.isNull() ||
                       llvm::any_of(integersOf(zeros),
                                    [](int64_t zero) { return zero != 0; }));
}

constexpr int64_t middleOfBytes = 128;

/// Unsigned weights of products whose zero points are all in the middle: the
/// same numbers have signed codes without zero points, as the NPU wants them.
bool areShiftedWeights(nn::DequantizeLinearOp op, const Tensor &codes) {
  Tensor zeros = constantOf(op.getZeroPoint());
  return codes.dtype() == DType::U8 && !zeros.isNull() &&
         llvm::all_of(integersOf(zeros),
                      [](int64_t zero) { return zero == middleOfBytes; }) &&
         llvm::all_of(op->getUses(), [](OpOperand &use) {
           // Not weightPlaceOf(), which wants a constant there already.
           return nn::ruleOf(use.getOwner()) == nn::QuantRule::Mac &&
                  use.getOperandNumber() == 1;
         });
}

Tensor signedCodes(const Tensor &codes) {
  Tensor result(DType::I8, codes.shape());
  for (int64_t i = 0; i < codes.size(); ++i)
    result.data<int8_t>()[i] =
        int8_t(int64_t(codes.data<uint8_t>()[i]) - middleOfBytes);
  return result;
}

/// True for outputs, and for layers that stay in float.
bool readsFloat(Operation *op) { return nn::ruleOf(op) == nn::QuantRule::Cpu; }

class QdqReader {
public:
  explicit QdqReader(QdqReport &report) : report(report) {}

  /// A clamp whose result has codes clamps by them: what it clamps may have the
  /// same.
  static void visitClamp(Operation *op) {
    Value x = op->getOperand(0);
    Operation *producer = x.getDefiningOp();
    if (!isQuantized(op->getResult(0).getType()) || !producer ||
        isQuantized(x.getType()) || !x.hasOneUse() ||
        llvm::none_of(producer->getOperandTypes(),
                      [](Type type) { return isQuantized(type); }))
      return;
    x.setType(op->getResult(0).getType());
  }

  /// Codes that nobody in the network has made: weights, or an input.
  void visitGiven(nn::DequantizeLinearOp op) {
    auto weights = op.getX().getDefiningOp<nn::ConstantOp>();
    if (!(weights ? setWeights(op, weights) : setInput(op)))
      report.remaining.push_back(getLayerName(op).node);
  }

  /// A tensor of codes.
  void visitTensor(nn::QuantizeLinearOp op) {
    DType storage = storageOf(op.getY());
    CodeLimits limits = codeLimitsOf(storage);
    Type element = typeOf(op, storage, limits);
    SmallVector<nn::DequantizeLinearOp> readers;
    for (Operation *user : op->getUsers())
      if (auto reader = dyn_cast<nn::DequantizeLinearOp>(user))
        if (element && typeOf(reader, storage, limits) == element)
          readers.push_back(reader);
    bool isMatched =
        !readers.empty() || llvm::none_of(op->getUsers(), isReader);
    if (!element || isPerAxis(element) || !isMatched) {
      report.remaining.push_back(getLayerName(op).node);
      return;
    }
    Value x = op.getX();
    auto type = cast<RankedTensorType>(x.getType()).clone(element);
    // The tensor itself has codes if nobody reads it as float.
    bool ownCodes = isa<OpResult>(x) && x.hasOneUse() && quantize::isFloat(x) &&
                    x.getDefiningOp()->getNumOperands() > 0 &&
                    !readsFloat(x.getDefiningOp());
    if (ownCodes) {
      x.setType(type);
    } else if (readers.empty()) {
      return; // Codes that only leave the network.
    } else {
      std::string name = getLayerName(op).node;
      OpBuilder builder(op);
      Location location =
          makeLayerLocation(op.getContext(), name,
                            {llvm::StringRef(name).ends_with(suffix)
                                 ? name.substr(0, name.size() - suffix.size())
                                 : getTensorName(op.getY())});
      x = nn::RequantizeOp::create(builder, location, type, x);
    }
    ++report.tensors;
    for (nn::DequantizeLinearOp reader : readers) {
      reader.replaceAllUsesWith(x);
      reader.erase();
    }
    if (op->use_empty())
      op.erase();
  }

private:
  static bool isReader(Operation *op) {
    return isa<nn::DequantizeLinearOp>(op);
  }

  /// Makes codes of what an input's codes stand for.
  bool setInput(nn::DequantizeLinearOp op) {
    DType storage = storageOf(op.getX());
    Type element = typeOf(op, storage, codeLimitsOf(storage));
    if (!element || isPerAxis(element))
      return false;
    OpBuilder builder(op);
    builder.setInsertionPointAfter(op);
    std::string name = getTensorName(op.getY()) + "_codes";
    auto codes = nn::RequantizeOp::create(
        builder, makeLayerLocation(op.getContext(), name, {name}),
        op.getType().clone(element), op.getY());
    op.getY().replaceAllUsesExcept(codes, codes);
    ++report.tensors;
    return true;
  }

  /// Puts codes in the place of `op`, if a type can say what they stand for.
  bool setWeights(nn::DequantizeLinearOp op, nn::ConstantOp stored) {
    mlir::ElementsAttr codes = stored.getValue();
    Tensor tensor = toTensor(codes);
    auto bits = stored->getAttrOfType<mlir::IntegerAttr>("nn.bits");
    std::string name = getTensorName(stored);
    if (StringRef(name).ends_with(weightSuffix))
      name.resize(name.size() - weightSuffix.size());
    bool areShifted = !bits && areShiftedWeights(op, tensor);
    if (areShifted) {
      tensor = signedCodes(tensor);
      codes = toAttribute(op.getContext(), tensor, name + "_codes");
    }
    Type element =
        typeOf(op, tensor.dtype(),
               limitsOf(tensor, bits ? unsigned(bits.getInt()) : 0,
                        areShifted || !hasZeroPoints(op.getZeroPoint())),
               areShifted ? middleOfBytes : 0);
    if (!element)
      return false;
    OpBuilder builder(op);
    auto weights = nn::QuantizedConstantOp::create(
        builder, makeLayerLocation(op.getContext(), name, {name}),
        op.getType().clone(element), codes);
    op.replaceAllUsesWith(weights.getResult());
    op.erase();
    ++report.weights;
    return true;
  }

  static DType storageOf(Value codes) {
    return *toDType(cast<RankedTensorType>(codes.getType()).getElementType());
  }

  static constexpr StringRef suffix = "_QuantizeLinear";
  static constexpr StringRef weightSuffix = "_quantized";
  QdqReport &report;
};

/// Layers that have an integer form for codes only: with a float result, they
/// compute in float.
bool givesFloat(Operation *op) {
  return (nn::sharesScale(op) || quantize::isArithmetic(op)) &&
         llvm::none_of(op->getResultTypes(),
                       [](Type type) { return isQuantized(type); });
}

/// Gives values to what reads float.
void dequantizeForFloat(func::FuncOp view) {
  SmallVector<Value> values;
  view.walk([&](Operation *op) {
    for (Value result : op->getResults())
      if (isQuantized(result.getType()))
        values.push_back(result);
  });
  for (Value value : values) {
    Value dequantized;
    for (OpOperand &use : llvm::make_early_inc_range(value.getUses())) {
      bool isWeight = value.getDefiningOp<nn::QuantizedConstantOp>() != nullptr;
      if (!readsFloat(use.getOwner()) &&
          (isWeight || !givesFloat(use.getOwner())))
        continue;
      if (!dequantized) {
        OpBuilder builder(value.getContext());
        builder.setInsertionPointAfterValue(value);
        auto type = cast<RankedTensorType>(value.getType());
        dequantized = quantize::createRequantize(
            builder, value, type.clone(builder.getF32Type()), DataType::FP32);
      }
      use.set(dequantized);
    }
  }
}

void eraseUnused(func::FuncOp view) {
  for (Operation &op : llvm::make_early_inc_range(llvm::reverse(view.front())))
    if (!op.hasTrait<OpTrait::IsTerminator>() && op.use_empty())
      op.erase();
}

} // namespace

FailureOr<func::FuncOp> addQuantizedViewOfQdq(func::FuncOp network,
                                              QdqReport *report) {
  func::FuncOp view = addView(network, views::quantized);
  QdqReport ignored;
  QdqReader reader(report ? *report : ignored);
  // Those that read codes are erased with what makes the codes.
  SmallVector<nn::DequantizeLinearOp> given;
  SmallVector<nn::QuantizeLinearOp> tensors;
  for (Operation &op : view.front()) {
    if (auto quantize = dyn_cast<nn::QuantizeLinearOp>(op))
      tensors.push_back(quantize);
    else if (auto dequantize = dyn_cast<nn::DequantizeLinearOp>(op);
             dequantize &&
             !dequantize.getX().getDefiningOp<nn::QuantizeLinearOp>())
      given.push_back(dequantize);
  }
  for (nn::DequantizeLinearOp op : given)
    reader.visitGiven(op);
  for (nn::QuantizeLinearOp op : tensors)
    reader.visitTensor(op);
  for (Operation &op : view.front())
    if (nn::isClamp(&op))
      reader.visitClamp(&op);
  dequantizeForFloat(view);
  eraseUnused(view);
  if (failed(verify(view)))
    return emitError(
        view.getLoc(),
        "the parameters of the quantized model do not fit its layers");
  return view;
}

} // namespace parallax
