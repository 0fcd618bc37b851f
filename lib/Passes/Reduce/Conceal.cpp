//===- Conceal.cpp - What a network need not tell -------------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Names, weights and samples may be private while the problem that they show is
// not. What replaces them keeps shapes and ranges, on which quantization rests.
//===----------------------------------------------------------------------===//
#include "parallax/Passes/Reduce/Reduce.h"

#include "parallax/Dialect/NN/NNOps.h"
#include "parallax/Support/LayerName.h"
#include "parallax/Support/Random.h"
#include "parallax/Support/TensorAttr.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/TypeUtilities.h"

#include <cmath>
#include <cstring>
#include <fmt/format.h>

using namespace mlir;

namespace parallax {
namespace {

/// Random values between the least and the greatest finite one, which change
/// their places.
template <typename T> void randomize(T *values, int64_t count, Random &random) {
  std::vector<int64_t> finite;
  for (int64_t i = 0; i < count; ++i)
    if (std::isfinite(double(values[i])))
      finite.push_back(i);
  if (finite.empty())
    return;
  T low = values[finite[0]], high = low;
  for (int64_t i : finite) {
    low = std::min(low, values[i]);
    high = std::max(high, values[i]);
  }
  for (int64_t i : finite) {
    double value =
        double(low) + (double(high) - double(low)) * double(random.real());
    values[i] = std::is_integral_v<T> ? T(std::floor(value)) : T(value);
  }
  size_t first = random.next() % finite.size();
  values[finite[first]] = low;
  if (finite.size() > 1) {
    size_t other = random.next() % (finite.size() - 1);
    values[finite[other + (other >= first)]] = high;
  }
}

/// Each entry of a dimension by itself; all at once without one.
void randomizeChannels(Tensor &tensor, int64_t axis, Random &random) {
  auto *values = tensor.data<float>();
  if (axis < 0)
    return randomize(values, tensor.size(), random);
  Shape strides = stridesOf(tensor.shape());
  int64_t channels = tensor.dim(axis), inner = strides[size_t(axis)];
  int64_t outer = channels * inner > 0 ? tensor.size() / (channels * inner) : 0;
  // A channel is `outer` runs of `inner` elements.
  for (int64_t channel = 0; channel < channels; ++channel) {
    std::vector<float> own;
    for (int64_t o = 0; o < outer; ++o)
      for (int64_t i = 0; i < inner; ++i)
        own.push_back(values[(o * channels + channel) * inner + i]);
    randomize(own.data(), int64_t(own.size()), random);
    for (int64_t o = 0, at = 0; o < outer; ++o)
      for (int64_t i = 0; i < inner; ++i)
        values[(o * channels + channel) * inner + i] = own[size_t(at++)];
  }
}

/// The dimension of output channels, as the first reader has it.
int64_t channelAxisOf(Operation *constant) {
  for (Operation *user : constant->getUsers()) {
    nn::WeightPlace place = nn::weightPlaceOf(user);
    if (place.weight >= 0 &&
        user->getOperand(unsigned(place.weight)) == constant->getResult(0))
      return place.axis;
  }
  return -1;
}

} // namespace

NewNames stripNames(func::FuncOp network) {
  NewNames names;
  MLIRContext *context = network.getContext();
  Builder builder(context);
  auto renameTensor = [&](const std::string &name, const char *kind) {
    if (name.empty())
      return std::string();
    return names.tensors
        .try_emplace(name, fmt::format("{}_{}", kind, names.tensors.size()))
        .first->second;
  };
  for (auto [i, input] : llvm::enumerate(network.getArguments()))
    network.setArgAttr(
        unsigned(i), "nn.name",
        builder.getStringAttr(renameTensor(getTensorName(input), "input")));
  for (Operation &op : network.front().without_terminator()) {
    LayerName name = getLayerName(&op);
    bool isConstant = op.getNumOperands() == 0;
    for (std::string &tensor : name.tensors)
      tensor = renameTensor(tensor, isConstant ? "weight" : "tensor");
    auto [layer, isNew] = names.layers.try_emplace(
        name.node, fmt::format("layer_{}", names.layers.size()));
    op.setLoc(makeLayerLocation(context, layer->second, name.tensors));
  }
  for (auto [i, output] :
       llvm::enumerate(network.front().getTerminator()->getOperands()))
    network.setResultAttr(unsigned(i), "nn.name",
                          builder.getStringAttr(getTensorName(output)));
  return names;
}

bool replaceWeights(func::FuncOp network, uint64_t seed) {
  Random random(seed);
  bool isChanged = false;
  for (Operation &op : network.front().without_terminator()) {
    auto constant = dyn_cast<nn::ConstantOp>(op);
    if (!constant || !getElementTypeOrSelf(op.getResult(0).getType()).isF32())
      continue;
    Tensor before = toTensor(constant.getValue());
    Tensor tensor = before.clone();
    randomizeChannels(tensor, channelAxisOf(&op), random);
    isChanged |=
        std::memcmp(before.rawData(), tensor.rawData(), before.byteSize()) != 0;
    constant.setValueAttr(
        toAttribute(op.getContext(), tensor, getTensorName(op.getResult(0))));
  }
  return isChanged;
}

Tensor randomLike(const Tensor &tensor, uint64_t seed) {
  Tensor result = tensor.clone();
  Random random(seed);
  dispatch(result.dtype(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    if constexpr (std::is_same_v<T, float> || std::is_same_v<T, double> ||
                  (std::is_integral_v<T> && !std::is_same_v<T, bool>))
      randomize(result.data<T>(), result.size(), random);
  });
  return result;
}

} // namespace parallax
