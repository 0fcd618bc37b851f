//===- QuantFile.cpp - The parameters of every tensor ---------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// A tensor's numbers are found under its `hash`, or under that of the tensor
// whose codes it shares, its `dominator`.
//===----------------------------------------------------------------------===//
#include "parallax/Passes/Quantize/QuantFile.h"

#include "parallax/Dialect/NN/NNOps.h"
#include "parallax/Passes/Quantize/Precision.h"
#include "parallax/Support/LargeObject.h"
#include "parallax/Support/LayerName.h"
#include "parallax/Support/QuantizedType.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Quant/IR/QuantTypes.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/Support/xxhash.h"

#include <nlohmann/json.hpp>

using namespace mlir;
using Json = nlohmann::ordered_json;

namespace parallax {
namespace {

/// The same on every machine, because it is made of the name.
std::string hashOf(const std::string &tensor) {
  return std::to_string(llvm::xxh3_64bits(tensor));
}

class QuantFileWriter {
public:
  explicit QuantFileWriter(func::FuncOp function) : function(function) {}

  Json write() {
    LargeObject configs, dispatchings;
    for (Operation &op : function.front().without_terminator()) {
      if (op.getNumOperands() == 0)
        continue;
      std::string layer = getLayerName(&op).node;
      Json tensors = Json::object();
      bool usesCodes = false;
      auto add = [&](Value value) {
        tensors[getTensorName(value)] = describe(value);
        usesCodes |= isQuantized(value.getType());
      };
      llvm::for_each(op.getOperands(), add);
      llvm::for_each(op.getResults(), add);
      configs[layer] = std::move(tensors);
      dispatchings[layer] = usesCodes ? "NPU" : "FP32";
    }
    Json file;
    file["tensor_configs"] = configs.take();
    file["values"] = values.take();
    file["dispatchings"] = dispatchings.take();
    return file;
  }

private:
  /// The tensor that `value` has its codes from.
  static Value dominatorOf(Value value) {
    for (Operation *op = value.getDefiningOp(); op;
         op = value.getDefiningOp()) {
      bool keepsCodes = nn::sharesScale(op) || nn::isClamp(op);
      if (!keepsCodes)
        break;
      auto operand = llvm::find_if(op->getOperands(), [&](Value operand) {
        return getElementTypeOrSelf(operand.getType()) ==
               getElementTypeOrSelf(value.getType());
      });
      if (operand == op->getOperands().end())
        break;
      value = *operand;
    }
    return value;
  }

  static std::string_view stateOf(Value value, Value dominator) {
    if (!isQuantized(value.getType()))
      return isa<FloatType>(getElementTypeOrSelf(value.getType())) ? "FP32"
                                                                   : "SOI";
    if (value.getDefiningOp<nn::QuantizedConstantOp>())
      return storageOf(value.getType()) == DType::I32 ? "PASSIVE_BAKED"
                                                      : "BAKED";
    return value == dominator ? "ACTIVATED" : "OVERLAPPED";
  }

  Json describe(Value value) {
    std::string name = getTensorName(value);
    Value dominator = isQuantized(value.getType()) ? dominatorOf(value) : value;
    Json result;
    result["state"] = stateOf(value, dominator);
    if (!isQuantized(value.getType()))
      return result;
    Type type = value.getType();
    bool perChannel = isPerAxis(type);
    ChannelParams params = channelParamsOf(type);
    bool symmetric =
        llvm::all_of(params.zeroPoints, [](int64_t zero) { return zero == 0; });
    auto quantized = cast<quant::QuantizedType>(getElementTypeOrSelf(type));
    result["bit_width"] = quantized.getStorageTypeIntegralWidth();
    result["policy"] = {{"PER_TENSOR", !perChannel},
                        {"PER_CHANNEL", perChannel},
                        {"LINEAR", true},
                        {"EXPONENTIAL", false},
                        {"SYMMETRICAL", symmetric},
                        {"ASYMMETRICAL", !symmetric},
                        {"POWER_OF_2", false}};
    result["quant_min"] = quantized.getStorageTypeMin();
    result["quant_max"] = quantized.getStorageTypeMax();
    result["signed"] = quantized.isSigned();
    result["hash"] = hashOf(name);
    result["dominator"] = hashOf(getTensorName(dominator));
    Json numbers;
    if (perChannel) {
      numbers["axis"] = params.axis;
      numbers["scale"] = params.scales;
      numbers["zero_point"] = params.zeroPoints;
    } else {
      numbers["scale"] = params.scales[0];
      numbers["zero_point"] = params.zeroPoints[0];
    }
    values[hashOf(getTensorName(dominator))] = std::move(numbers);
    return result;
  }

  func::FuncOp function;
  LargeObject values;
};

} // namespace

std::string quantFileText(func::FuncOp quantized) {
  constexpr auto replace = Json::error_handler_t::replace;
  return QuantFileWriter(quantized).write().dump(1, ' ', false, replace) + "\n";
}

} // namespace parallax
