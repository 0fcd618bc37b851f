//===- QuantizeTestSupport.h - Networks to be quantized --------*- C++ -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Ranges are given by hand, or found by running the network; tensors are looked
// up by name.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_TEST_UNIT_PASSES_QUANTIZETESTSUPPORT_H
#define PARALLAX_TEST_UNIT_PASSES_QUANTIZETESTSUPPORT_H

#include "OptimizeTestSupport.h"
#include "parallax/Backend/Core/Prepare.h"
#include "parallax/Backend/Reference/Reference.h"
#include "parallax/Config/Target.h"
#include "parallax/Passes/Calibrate/Annotate.h"
#include "parallax/Passes/Calibrate/Calibrate.h"
#include "parallax/Passes/Lower/Lower.h"
#include "parallax/Passes/Quantize/Quantize.h"
#include "parallax/Support/Diagnostics.h"
#include "parallax/Support/LayerName.h"
#include "parallax/Support/QuantizedType.h"
#include "parallax/Support/TensorAttr.h"

#include "mlir/AsmParser/AsmParser.h"
#include "mlir/IR/TypeUtilities.h"

#include <fmt/format.h>
#include <map>
#include <random>

namespace parallax {

/// A chain, a branch with a clamp, and a place where both meet.
inline constexpr const char *branches = R"(
func.func @main(%x: tensor<1x2x4x4xf32> {nn.name = "x"}) -> (tensor<1x4x4x4xf32> {nn.name = "out"}) {
  %w = nn.constant dense<[[[[0.5]], [[-1.0]]], [[[2.0]], [[0.25]]]]> : tensor<2x2x1x1xf32> loc("w"("w"))
  %b = nn.constant dense<[0.25, -1.5]> : tensor<2xf32> loc("b"("b"))
  %0 = nn.conv %x, %w, %b {dilations = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1>}
    : (tensor<1x2x4x4xf32>, tensor<2x2x1x1xf32>, tensor<2xf32>) -> tensor<1x2x4x4xf32> loc("conv"("c"))
  %1 = nn.relu %0 : (tensor<1x2x4x4xf32>) -> tensor<1x2x4x4xf32> loc("relu"("r"))
  %2 = nn.transpose %1 {perm = array<i64: 0, 1, 3, 2>} : (tensor<1x2x4x4xf32>) -> tensor<1x2x4x4xf32> loc("transpose"("t"))
  %3 = nn.add %2, %x : (tensor<1x2x4x4xf32>, tensor<1x2x4x4xf32>) -> tensor<1x2x4x4xf32> loc("add"("a"))
  %4 = nn.sigmoid %3 : (tensor<1x2x4x4xf32>) -> tensor<1x2x4x4xf32> loc("sigmoid"("s"))
  %5 = nn.concat %3, %4 {axis = 1 : i64} : (tensor<1x2x4x4xf32>, tensor<1x2x4x4xf32>) -> tensor<1x4x4x4xf32> loc("concat"("y"))
  return %5 : tensor<1x4x4x4xf32>
}
)";

/// Every result by its name.
struct Recorder : Observer {
  void onResult(const LayerResult &layer, const Tensor &value) override {
    results[layer.tensor] = value.clone();
  }
  std::map<std::string, Tensor> results;
};

class QuantizeTest : public OptimizeTest {
protected:
  using FuncOp = mlir::func::FuncOp;

  QuantizeTest() { context.loadDialect<mlir::quant::QuantDialect>(); }

  void setRange(const std::string &tensor, double low, double high) {
    TensorRange range;
    range.tensor = tensor;
    range.values = range.u8 = range.u16 = {low, high};
    calibration.tensors.push_back(range);
  }

  /// Ranges of all values on samples.
  static Calibration calibrate(FuncOp network,
                               const std::vector<std::vector<Tensor>> &samples);

  /// One entry of layer_configs.
  void setType(const std::string &layer, DataType data,
               DataType weight = DataType::Default,
               DataType output = DataType::Default) {
    LayerConfig rule;
    rule.layerName = layer;
    rule.dataType = data;
    rule.weightDataType = weight;
    rule.outputDataType = output;
    config.layerConfigs.push_back(rule);
  }

  /// One type for all layers.
  void setAll(DataType data, DataType weight = DataType::Default) {
    LayerConfig rule;
    rule.layerNameRegex = ".*";
    rule.dataType = data;
    rule.weightDataType = weight;
    config.layerConfigs.push_back(rule);
  }

  FuncOp quantize() {
    setCalibration(function(), calibration);
    view = orThrow(&context, [&]() -> mlir::FailureOr<FuncOp> {
      if (failed(assignPrecision(function(), config, {})))
        return mlir::failure();
      return addQuantizedView(function(), options, &report);
    });
    return view;
  }

  /// The network of the NPU for a quantized view.
  FuncOp lowerView(FuncOp quantized, const Target &target = Target(),
                   LowerReport *lowering = nullptr) {
    return orThrow(&context,
                   [&] { return lowerNetwork(quantized, target, lowering); });
  }

  /// The tensor of that name in the quantized view.
  Value find(const std::string &tensor) {
    Value found;
    view.walk([&](Operation *op) {
      if (op == view)
        return;
      for (Value result : op->getResults())
        if (getTensorName(result) == tensor) {
          EXPECT_FALSE(found) << "two tensors are called " << tensor;
          found = result;
        }
    });
    EXPECT_TRUE(found) << "no tensor is called " << tensor;
    return found;
  }

  Type typeOf(const std::string &tensor) {
    Value value = find(tensor);
    return value ? mlir::getElementTypeOrSelf(value.getType()) : Type();
  }

  bool isFloat(const std::string &tensor) {
    Type type = typeOf(tensor);
    return type && type.isF32();
  }

  AffineParams paramsOf(const std::string &tensor) {
    Type type = typeOf(tensor);
    return type && isQuantized(type) ? affineParamsOf(type) : AffineParams();
  }

  /// How many operations of a kind the view has.
  template <typename OpTy> int64_t count() {
    int64_t count = 0;
    view.walk([&](OpTy) { ++count; });
    return count;
  }

  static std::vector<Tensor> run(FuncOp function,
                                 const std::vector<Tensor> &inputs,
                                 bool observe = false) {
    PrepareOptions options;
    options.observe = observe;
    Executable executable = prepare(function, referenceKernels(), options);
    ExecutionState state(executable);
    std::vector<Tensor> results;
    for (const Tensor &result : state.run(inputs))
      results.push_back(result.clone());
    return results;
  }

  /// Numbers for a type: floats between `low` and `high`, small integers.
  Tensor random(Type type, float low = -2, float high = 2) {
    auto tensorType = cast<RankedTensorType>(type);
    Tensor tensor(*toDType(tensorType.getElementType()),
                  Shape(tensorType.getShape()));
    dispatch(tensor.dtype(), [&](auto tag) {
      using T = typename decltype(tag)::type;
      for (int64_t i = 0; i < tensor.size(); ++i)
        if constexpr (std::is_integral_v<T>)
          tensor.data<T>()[i] = T(generator() % 2);
        else
          tensor.data<T>()[i] =
              T(std::uniform_real_distribution<float>(low, high)(generator));
    });
    return tensor;
  }

  /// The text of a network in which the constant RANDOM stands for any numbers.
  std::string withRandomWeights(std::string text) {
    const std::string marker = "RANDOM";
    for (size_t at; (at = text.find(marker)) != std::string::npos;) {
      size_t type = text.find("tensor<", at);
      size_t end = text.find('>', type) + 1;
      Tensor values =
          random(mlir::parseType(text.substr(type, end - type), &context),
                 -0.4f, 0.5f);
      std::string bytes = "dense<\"0x";
      auto *from = static_cast<const unsigned char *>(values.rawData());
      for (size_t i = 0; i < values.byteSize(); ++i)
        bytes += fmt::format("{:02X}", from[i]);
      text.replace(at, marker.size(), bytes + "\">");
    }
    return text;
  }

  std::mt19937 generator{7};
  Calibration calibration;
  QuantConfig config;
  QuantizeOptions options;
  QuantizeReport report;
  FuncOp view;
};

inline Calibration
QuantizeTest::calibrate(FuncOp network,
                        const std::vector<std::vector<Tensor>> &samples) {
  CalibrationOptions options;
  NetworkStatistics statistics = collectStatistics(
      prepareCalibration(network), samples.size(),
      [&](size_t i) { return samples[i]; }, options);
  return chooseRanges(network, statistics, options, samples.size());
}

} // namespace parallax

#endif // PARALLAX_TEST_UNIT_PASSES_QUANTIZETESTSUPPORT_H
