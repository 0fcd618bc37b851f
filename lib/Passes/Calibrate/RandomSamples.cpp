//===- RandomSamples.cpp - Made-up inputs of a network --------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// The distributions of the standard library differ from one implementation to
// the other, so numbers are made of bits here.
//===----------------------------------------------------------------------===//
#include "parallax/Passes/Calibrate/RandomSamples.h"
#include "parallax/Dialect/NN/NNOps.h"
#include "parallax/Support/LayerName.h"
#include "parallax/Support/QuantizedType.h"
#include "parallax/Support/TensorAttr.h"

#include "mlir/Dialect/Quant/IR/QuantTypes.h"
#include "mlir/IR/TypeUtilities.h"

#include <fmt/format.h>
#include <random>

using namespace mlir;

namespace parallax {
namespace {

struct RandomInput {
  DType dtype;
  Shape shape;
  float low = -1, high = 1;
};

/// The range of the type, or of the codes that an input becomes.
void setRange(BlockArgument input, RandomInput &random) {
  if (auto type = dyn_cast<quant::CalibratedQuantizedType>(
          getElementTypeOrSelf(input.getType()))) {
    random.low = float(type.getMin());
    random.high = float(type.getMax());
    return;
  }
  for (Operation *reader : input.getUsers())
    if (isa<nn::RequantizeOp>(reader) &&
        isQuantized(reader->getResult(0).getType())) {
      AffineParams params = affineParamsOf(reader->getResult(0).getType());
      auto at = [&](int64_t code) {
        return float(code - params.zeroPoint) * params.scale;
      };
      random.low = at(params.low);
      random.high = at(params.high);
      return;
    }
}

std::vector<Tensor> makeSample(const std::vector<RandomInput> &inputs,
                               unsigned seed) {
  std::mt19937 generator(seed);
  std::vector<Tensor> sample;
  for (const RandomInput &input : inputs) {
    Tensor &tensor = sample.emplace_back(input.dtype, input.shape);
    auto next = [&] {
      return input.low +
             (input.high - input.low) * float(generator() >> 8) * 0x1p-24f;
    };
    dispatch(input.dtype, [&](auto tag) {
      using T = typename decltype(tag)::type;
      for (T &value :
           std::span(static_cast<T *>(tensor.rawData()), size_t(tensor.size())))
        if constexpr (std::is_integral_v<T>)
          value = T(generator() & 1);
        else
          value = T(next());
    });
  }
  return sample;
}

} // namespace

FailureOr<Samples> randomSamples(func::FuncOp network, size_t count,
                                 unsigned seed) {
  std::vector<RandomInput> inputs;
  for (BlockArgument argument : network.getArguments()) {
    auto type = dyn_cast<RankedTensorType>(argument.getType());
    std::optional<DType> dtype =
        type ? toDType(type.getElementType()) : std::nullopt;
    if (!dtype || !type.hasStaticShape())
      return emitError(
          network.getLoc(),
          fmt::format("input '{}' has no type and shape to make samples of",
                      getTensorName(argument)));
    setRange(argument,
             inputs.emplace_back(RandomInput{*dtype, type.getShape().vec()}));
  }
  return Samples{count,
                 [inputs, seed](size_t sample) {
                   return makeSample(inputs, seed + unsigned(sample));
                 },
                 "random numbers"};
}

} // namespace parallax
