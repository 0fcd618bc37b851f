//===- PrecisionComplete.cpp - What layers got in the end -----------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// The quantized network itself says in which types a layer reads and writes.
// What is not as it was asked for is explained by whoever reads the result.
//===----------------------------------------------------------------------===//
#include "PrecisionReaders.h"

#include "parallax/Config/DataTypes.h"
#include "parallax/Dialect/NN/NNOps.h"
#include "parallax/Passes/Quantize/Precision.h"
#include "parallax/Support/LayerName.h"
#include "parallax/Support/QuantizedType.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringMap.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

using namespace mlir;

namespace parallax {
namespace {

/// Default for integers and truth values of the model.
DataType dataTypeOf(Value value) {
  if (!isQuantized(value.getType()))
    return isa<FloatType>(getElementTypeOrSelf(value.getType()))
               ? DataType::FP32
               : DataType::Default;
  return parallax::dataTypeOf(storageOf(value.getType()));
}

/// The types of the activations, each once; those of constants count where
/// there is nothing else.
llvm::SetVector<DataType> typesReadBy(Operation *op) {
  llvm::SetVector<DataType> activations, constants;
  for (Value operand : op->getOperands()) {
    bool isConstant = isa_and_nonnull<nn::ConstantOp, nn::QuantizedConstantOp>(
        operand.getDefiningOp());
    if (DataType type = dataTypeOf(operand); type != DataType::Default)
      (isConstant ? constants : activations).insert(type);
  }
  return activations.empty() ? constants : activations;
}

DataType resultTypeOf(Operation *op) {
  for (Value result : op->getResults())
    if (DataType type = dataTypeOf(result); type != DataType::Default)
      return type;
  return DataType::Default;
}

class LayerAudit {
public:
  LayerAudit(AuditedLayer &layer, Operation *op) : layer(layer), op(op) {}

  void run() {
    LayerPrecision planned = layer.granted;
    llvm::SetVector<DataType> read = typesReadBy(op);
    Value weight = nn::weightOf(op);
    layer.granted = {read.empty() ? DataType::Default : read[0],
                     weight ? dataTypeOf(weight) : DataType::Default,
                     resultTypeOf(op)};
    // Otherwise others decide, and the reason says so already.
    if (!layer.overridden && nn::sharesScale(op))
      explainFloats();
    if (layer.overridden || nn::sharesScale(op))
      return;
    if (isPlanned(&LayerPrecision::data, planned)) {
      explainInputs(read.getArrayRef());
      explainFloatProduct();
    }
    if (isPlanned(&LayerPrecision::weight, planned) &&
        layer.granted.weight != planned.weight)
      add(fmt::format("its weights are {}", configName(layer.granted.weight)));
    if (isPlanned(&LayerPrecision::output, planned)) {
      explainResult(planned.output);
      explainNarrowing();
    } else if (planned.output == DataType::Default &&
               isPlanned(&LayerPrecision::data, planned))
      explainResult(planned.data);
  }

private:
  /// Whether the rule asks for a part and the layer was to have it. If not, a
  /// reason was found before the network was quantized.
  bool isPlanned(DataType LayerPrecision::*part,
                 const LayerPrecision &planned) const {
    return layer.requested.*part != DataType::Default &&
           planned.*part == layer.requested.*part;
  }

  void add(const std::string &reason) {
    layer.reason += (layer.reason.empty() ? "" : "; ") + reason;
  }

  void explainInputs(ArrayRef<DataType> read) {
    std::vector<std::string_view> names;
    for (DataType type : read)
      names.push_back(configName(type));
    if (read.size() > 1 ||
        (read.size() == 1 && read[0] != layer.requested.data))
      add(fmt::format("it reads {}", fmt::join(names, " and ")));
  }

  /// No NPU multiplies and accumulates floats: that is a way to find out
  /// whether a layer is to blame, and not one to deploy.
  void explainFloatProduct() {
    if (nn::ruleOf(op) == nn::QuantRule::Mac &&
        layer.granted.data == DataType::FP32)
      add("for diagnosis: its products are float and run on the CPU");
  }

  /// Parts that meet have codes with one scale, or are floats.
  void explainFloats() {
    bool isMeeting = llvm::count_if(op->getOperands(), [](Value operand) {
                       return dataTypeOf(operand) != DataType::Default;
                     }) > 1;
    if (isMeeting && layer.granted.data == DataType::FP32 &&
        layer.requested.data != DataType::FP32)
      add("its parts keep their own scales, and it moves floats");
  }

  /// Fine codes that everyone reads as coarse ones cost cycles for nothing.
  void explainNarrowing() {
    if (layer.granted.output != DataType::U16)
      return;
    size_t readers = 0;
    for (Value result : op->getResults())
      for (Operation *user : result.getUsers()) {
        auto requantize = dyn_cast<nn::RequantizeOp>(user);
        if (!requantize || dataTypeOf(requantize.getY()) != DataType::U8)
          return;
        ++readers;
      }
    if (readers > 0)
      add("nothing is gained: its result is requantized to U8 for every layer "
          "that reads it; give those data_type U16");
  }

  void explainResult(DataType expected) {
    DataType result = layer.granted.output;
    if (result == DataType::Default || result == expected)
      return;
    std::string reason = fmt::format("its result is {}", configName(result));
    quantize::Reader reader;
    for (Value value : op->getResults())
      if (reader.layer.empty())
        reader = quantize::findReader(value, /*behindRequantization=*/false);
    if (!reader.layer.empty())
      reason += fmt::format(" because that is what '{}' reads", reader.layer);
    else if (!reader.output.empty())
      reason += fmt::format(" because it is the output '{}' of the network",
                            reader.output);
    if (layer.granted.data == layer.requested.data)
      reason += fmt::format("; the {} itself is computed from {}", noun(),
                            configName(layer.granted.data));
    add(reason);
  }

  std::string_view noun() const {
    if (isa<nn::AddOp>(op))
      return "sum";
    if (isa<nn::SubOp>(op))
      return "difference";
    if (isa<nn::MulOp>(op))
      return "product";
    return "result";
  }

  AuditedLayer &layer;
  Operation *op;
};

} // namespace

void completeAudit(std::vector<AuditedRule> &audit, func::FuncOp quantized) {
  llvm::StringMap<Operation *> byName;
  for (Operation &op : quantized.front().without_terminator())
    if (!isa<nn::ConstantOp, nn::QuantizedConstantOp, nn::RequantizeOp>(op))
      byName.try_emplace(getLayerName(&op).node, &op);
  for (AuditedRule &rule : audit)
    for (AuditedLayer &layer : rule.layers) {
      if (Operation *op = byName.lookup(layer.layer))
        LayerAudit(layer, op).run();
      else
        layer.reason += (layer.reason.empty() ? "" : "; ") +
                        std::string("is not in the quantized network");
    }
}

} // namespace parallax
