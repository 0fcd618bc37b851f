//===- Exact.cpp - What a layer should have given -------------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Products are summed up in integers, element by element. Everything else is
// the float layer itself, computed in 64 bits: of layers that treat every
// element alike, just for the elements that were asked for.
//===----------------------------------------------------------------------===//
#include "Exact.h"
#include "../Sweep/Combine.h"
#include "Products.h"

#include "parallax/Backend/Core/Prepare.h"
#include "parallax/Backend/Reference/Reference.h"
#include "parallax/Dialect/NN/NNOps.h"
#include "parallax/Dialect/NPU/NPUOps.h"
#include "parallax/Support/Error.h"
#include "parallax/Support/QuantizedType.h"
#include "parallax/Support/TensorAttr.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/DenseSet.h"

#include <cmath>
#include <fmt/format.h>

using namespace mlir;

namespace parallax::analyze {

Shape coordinatesOf(int64_t index, const Shape &shape) {
  Shape result(shape.size());
  for (size_t i = shape.size(); i-- > 0; index /= shape[i])
    result[i] = index % shape[i];
  return result;
}

namespace {

std::optional<AffineParams> codesOf(Value value) {
  auto result = dyn_cast<OpResult>(value);
  Type type = result ? codeTypeOf(result) : Type();
  if (!type || isPerAxis(type))
    return std::nullopt;
  return affineParamsOf(type);
}

/// The steps of a value of codes. Floats that overflow are at an end of them.
double stepsOf(double value, const AffineParams &codes) {
  return std::clamp(std::nearbyint(value / double(codes.scale)),
                    double(codes.low - codes.zeroPoint),
                    double(codes.high - codes.zeroPoint));
}

bool isElementwise(Operation *op) {
  return nn::ruleOf(op) == nn::QuantRule::Table ||
         isa<nn::AddOp, nn::SubOp, nn::MulOp, nn::DivOp, nn::PReluOp,
             nn::RequantizeOp>(op);
}

//===----------------------------------------------------------------------===//
// The float layer in 64 bits
//===----------------------------------------------------------------------===//

/// Values in 64 bits, if they are floats: those of codes without the rounding
/// of 32 bits.
Tensor exactValues(const Tensor &tensor,
                   const std::optional<AffineParams> &codes) {
  if (!isFloat(tensor.dtype()))
    return tensor;
  Tensor result(DType::F64, tensor.shape());
  dispatch(tensor.dtype(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    for (int64_t i = 0; i < tensor.size(); ++i)
      result.data<double>()[i] = double(tensor.data<T>()[i]);
  });
  if (codes)
    for (int64_t i = 0; i < tensor.size(); ++i)
      result.data<double>()[i] =
          stepsOf(result.data<double>()[i], *codes) * double(codes->scale);
  return result;
}

Tensor exactConstant(Value value) {
  bool hasCodes = isQuantized(value.getType()) && !isPerAxis(value.getType());
  return exactValues(constantOf(value),
                     hasCodes ? std::optional(affineParamsOf(value.getType()))
                              : std::nullopt);
}

Tensor asFloats(const Tensor &tensor) {
  if (tensor.dtype() != DType::F64)
    return tensor;
  Tensor result(DType::F32, tensor.shape());
  for (int64_t i = 0; i < tensor.size(); ++i)
    result.data<float>()[i] = float(tensor.data<double>()[i]);
  return result;
}

/// Computes operations one after the other, without rounding to codes. What has
/// no kernel for 64 bits is computed in 32 bits.
class Interpreter {
public:
  /// `type` is F64, or F32 for what the reference computes.
  Interpreter(MLIRContext *context, DType type)
      : builder(context), type(type) {}

  DType numbers() const { return type; }
  void set(Value value, Tensor tensor) { values[value] = std::move(tensor); }
  const Tensor &get(Value value) const { return values.find(value)->second; }

  void run(Operation *op) {
    std::vector<Tensor> operands;
    for (Value operand : op->getOperands())
      operands.push_back(get(operand));
    // Codes that change their type keep their values.
    if (isa<nn::RequantizeOp>(op))
      return set(op->getResult(0), operands[0]);
    std::vector<Tensor> results;
    try {
      results = compute(op, operands, type);
    } catch (const Error &) {
      isRounded = true;
      for (Tensor &operand : operands)
        operand = asFloats(operand);
      results = compute(op, operands, DType::F32);
    }
    for (auto [value, tensor] : llvm::zip(op->getResults(), results))
      set(value,
          type == DType::F64 ? exactValues(tensor, std::nullopt) : tensor);
  }

private:
  std::vector<Tensor> compute(Operation *op, std::span<const Tensor> operands,
                              DType type) {
    Block block;
    builder.setInsertionPointToEnd(&block);
    IRMapping mapping;
    for (auto [value, tensor] : llvm::zip(op->getOperands(), operands)) {
      RankedTensorType shaped = toTensorType(builder.getContext(), tensor);
      mapping.map(value, block.addArgument(shaped, op->getLoc()));
    }
    Operation *made = builder.clone(*op, mapping);
    for (Value result : made->getResults()) {
      auto old = cast<RankedTensorType>(result.getType());
      bool isNumber = isQuantized(old) || isa<FloatType>(old.getElementType());
      // Chosen elements are a list.
      ArrayRef<int64_t> shape =
          isList ? ArrayRef(operands[0].shape()) : old.getShape();
      result.setType(RankedTensorType::get(
          shape, isNumber ? toElementType(builder.getContext(), type)
                          : old.getElementType()));
    }
    return evaluate(made, operands, referenceKernels());
  }

  OpBuilder builder;
  DType type;
  DenseMap<Value, Tensor> values;

public:
  /// Whether tensors are elements that were chosen from larger ones.
  bool isList = false;
  /// Whether 32 bits had to do.
  bool isRounded = false;
};

/// The place of an element of `shape` in an operand that is broadcast to it.
int64_t broadcastIndex(int64_t index, const Shape &shape,
                       const Shape &operand) {
  int64_t place = 0, stride = 1;
  for (size_t i = 0; i < shape.size(); ++i) {
    size_t fromEnd = shape.size() - 1 - i;
    int64_t coordinate = index % shape[fromEnd];
    index /= shape[fromEnd];
    if (i >= operand.size())
      continue;
    int64_t extent = operand[operand.size() - 1 - i];
    if (extent > 1)
      place += coordinate * stride;
    stride *= extent;
  }
  return place;
}

Tensor chosenElements(const Tensor &tensor, const Shape &shape,
                      std::span<const int64_t> indices) {
  Tensor result(tensor.dtype(), {int64_t(indices.size())});
  dispatch(tensor.dtype(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    for (size_t i = 0; i < indices.size(); ++i)
      result.data<T>()[i] =
          tensor.data<T>()[broadcastIndex(indices[i], shape, tensor.shape())];
  });
  return result;
}

/// "a = 17 (zero 3)".
std::string elementText(const std::string &name, Value input,
                        const Tensor &values, size_t i) {
  double value = values.dtype() == DType::F64
                     ? values.data<double>()[i]
                     : double(integersOf(values, std::nullopt)[i]);
  std::optional<AffineParams> codes = codesOf(input);
  if (!codes)
    return fmt::format("{} = {:.9g}", name, value);
  return fmt::format("{} = {} (zero {}, scale {:.9g})", name,
                     int64_t(std::nearbyint(value / double(codes->scale))) +
                         codes->zeroPoint,
                     codes->zeroPoint, codes->scale);
}

/// "x = 4096 codes from 12 to 250 (zero 128, scale 0.1)".
std::string tensorText(const std::string &name, Value input,
                       const Tensor &tensor) {
  std::optional<AffineParams> codes = codesOf(input);
  if (!codes || tensor.size() == 0)
    return fmt::format("{} = {} values", name, tensor.size());
  std::vector<int64_t> integers = integersOf(tensor, codes);
  auto [low, high] = std::ranges::minmax(integers);
  return fmt::format("{} = {} codes from {} to {} (zero {}, scale {:.9g})",
                     name, integers.size(), low, high, codes->zeroPoint,
                     codes->scale);
}

/// How far real numbers can be from what the engines make of them.
ExactResult resultOf(const LayerSample &layer, int64_t index, double value,
                     bool isRounded) {
  // Floats are rounded once for the result and once for its steps.
  constexpr double floatBound = 0x1p-22, fractionBound = 0x1p-8;
  double reach = std::abs(value - double(layer.codes.zeroPoint)) +
                 double(layer.codes.high) - double(layer.codes.low);
  double machineBound =
      fractionBound + std::ldexp(reach, 1 - layer.multiplierBits);
  double referenceBound = reach * floatBound;
  if (isRounded)
    machineBound += referenceBound;
  return {index, value, machineBound, referenceBound};
}

/// Computes what leads to some elements of a layer, or all of them.
void interpret(Interpreter &interpreter, const LayerSample &layer,
               std::span<const int64_t> indices) {
  const LayerSlice &slice = layer.reference;
  Shape shape(cast<RankedTensorType>(slice.result.getType()).getShape());
  interpreter.isList = llvm::all_of(slice.operations, isElementwise);
  auto set = [&](Value value, const Tensor &tensor) {
    interpreter.set(value, interpreter.isList
                               ? chosenElements(tensor, shape, indices)
                               : tensor);
  };
  bool isExact = interpreter.numbers() == DType::F64;
  for (auto [value, tensor] : llvm::zip(slice.inputs, layer.referenceInputs))
    set(value, isExact ? exactValues(tensor, codesOf(value)) : tensor);
  for (Operation *op : slice.operations) {
    for (Value operand : op->getOperands())
      if (isKnown(operand))
        set(operand, isExact ? exactConstant(operand) : constantOf(operand));
    interpreter.run(op);
  }
}

std::vector<ExactElement> computeLayer(const LayerSample &layer,
                                       std::span<const int64_t> indices) {
  const LayerSlice &slice = layer.reference;
  Interpreter interpreter(slice.result.getContext(), DType::F64);
  interpret(interpreter, layer, indices);
  const Tensor &results = interpreter.get(slice.result);
  std::vector<int64_t> integers;
  if (results.dtype() != DType::F64)
    integers = integersOf(results, std::nullopt);
  std::vector<ExactElement> elements;
  for (size_t i = 0; i < indices.size(); ++i) {
    size_t at = interpreter.isList ? i : size_t(indices[i]);
    double value = integers.empty() ? results.data<double>()[at] /
                                              double(layer.codes.scale) +
                                          double(layer.codes.zeroPoint)
                                    : double(integers[at]);
    ExactElement element{
        resultOf(layer, indices[i], value, interpreter.isRounded), ""};
    for (auto [value, tensor] :
         llvm::zip(slice.inputs, layer.referenceInputs)) {
      std::string name = layer.nameOf(value);
      element.operands += element.operands.empty() ? "" : ", ";
      element.operands +=
          interpreter.isList
              ? elementText(name, value, interpreter.get(value), i)
              : tensorText(name, value, tensor);
    }
    elements.push_back(std::move(element));
  }
  return elements;
}

//===----------------------------------------------------------------------===//
// What an operation of the NPU is allowed
//===----------------------------------------------------------------------===//

bool isWide(Value value) {
  return getElementTypeOrSelf(value.getType()).getIntOrFloatBitWidth() == 16;
}

/// Bounds of docs/numerics.md, with the half code that the reference rounds.
MachineRule ruleOf(Operation *op) {
  using enum LayerArithmetic;
  bool isWideResult = isWide(op->getResult(0));
  if (isa<npu::TableOp>(op)) {
    if (!isWide(op->getOperand(0)))
      return {DirectTable, 0.5};
    return {Interpolation, isWideResult ? 16.5 : 1.5};
  }
  if (isa<npu::ResizeOp>(op))
    return {Approximation, isWideResult ? 3.5 : 1.5};
  if (isa<npu::SoftmaxOp, npu::LogSoftmaxOp, npu::ReduceLogOp,
          npu::NormalizeOp>(op))
    return {Approximation, 1.5};
  if (isa<npu::LSTMOp, npu::GRUOp, npu::RNNOp>(op))
    return {Approximation, 8.5};
  return {};
}

/// Operations that round: others move codes, or are the way to floats.
bool rounds(Operation *op) {
  if (isa<npu::NPUDialect>(op->getDialect()))
    return !isa<npu::QuantizeOp, npu::DequantizeOp>(op);
  return !nn::sharesScale(op);
}

} // namespace

LayerSlice sliceOf(Value result) {
  LayerSlice slice{result, {}, {}};
  llvm::DenseSet<Value> seen;
  auto isSeenBySweep = [](Value value) {
    Operation *op = value.getDefiningOp();
    return !op || op->hasAttr(observedAttr);
  };
  // Values that were made to feed a layer, and codes of what the network reads.
  auto isFeed = [&](Operation *op) {
    return isa<UnknownLoc>(op->getLoc()) ||
           (isa<nn::RequantizeOp, npu::QuantizeOp>(op) &&
            isSeenBySweep(op->getOperand(0)));
  };
  std::function<void(Value)> visit = [&](Value value) {
    if (!seen.insert(value).second || isKnown(value))
      return;
    Operation *op = value.getDefiningOp();
    if (value != result && (isSeenBySweep(value) || isFeed(op))) {
      slice.inputs.push_back(value);
      return;
    }
    for (Value operand : op->getOperands())
      visit(operand);
    if (!llvm::is_contained(slice.operations, op))
      slice.operations.push_back(op);
  };
  visit(result);
  return slice;
}

MachineRule ruleOf(const LayerSlice &machine) {
  MachineRule rule;
  size_t roundings = 0;
  for (Operation *op : machine.operations) {
    if (!rounds(op))
      continue;
    ++roundings;
    // A layer in float is as good as floats are.
    bool isFloatLayer = !isa<npu::NPUDialect>(op->getDialect());
    MachineRule own = isFloatLayer
                          ? MachineRule{LayerArithmetic::Approximation, 1.5}
                          : ruleOf(op);
    if (own.tolerance > rule.tolerance ||
        own.arithmetic == LayerArithmetic::DirectTable)
      rule = own;
  }
  if (roundings > 1 && rule.tolerance < 1.5)
    rule = {LayerArithmetic::Approximation, 1.5};
  return rule;
}

Tensor constantOf(Value value) {
  Operation *op = value.getDefiningOp();
  if (ElementsAttr attribute; matchPattern(op, m_Constant(&attribute)))
    return toTensor(attribute);
  return evaluate(op, {}, referenceKernels())[0];
}

std::vector<int64_t> integersOf(const Tensor &tensor,
                                const std::optional<AffineParams> &codes) {
  std::vector<int64_t> result(size_t(tensor.size()));
  dispatch(tensor.dtype(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    for (size_t i = 0; i < result.size(); ++i)
      if constexpr (std::is_integral_v<T>)
        result[i] = int64_t(tensor.data<T>()[i]);
      else if (codes)
        result[i] = codes->zeroPoint +
                    int64_t(stepsOf(double(tensor.data<T>()[i]), *codes));
  });
  return result;
}

void markNotFinite(const LayerSample &layer,
                   std::vector<ExactElement> &elements) {
  std::vector<int64_t> indices;
  for (const ExactElement &element : elements)
    indices.push_back(element.result.index);
  Interpreter interpreter(layer.reference.result.getContext(), DType::F32);
  try {
    interpret(interpreter, layer, indices);
  } catch (const Error &) {
    return;
  }
  const Tensor &floats = interpreter.get(layer.reference.result);
  for (size_t i = 0; floats.dtype() == DType::F32 && i < indices.size(); ++i) {
    size_t at = interpreter.isList ? i : size_t(indices[i]);
    elements[i].result.isReferenceFinite =
        std::isfinite(floats.data<float>()[at]);
  }
}

std::vector<ExactElement> exactResults(const LayerSample &layer,
                                       std::span<const int64_t> indices) {
  if (auto products = ProductSums::of(layer)) {
    std::vector<ExactElement> elements;
    for (int64_t index : indices)
      elements.push_back(products->at(index));
    return elements;
  }
  try {
    return computeLayer(layer, indices);
  } catch (const Error &) {
    return {};
  }
}

} // namespace parallax::analyze
