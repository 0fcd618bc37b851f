//===- FindPairs.cpp - Where scales can move between layers ---------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Follows the result of every layer that can be scaled to all that read it.
//===----------------------------------------------------------------------===//
#include "PairScaling.h"

#include "parallax/Dialect/NN/NNOps.h"
#include "parallax/Support/LayerName.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace parallax::quantize {
namespace {

ArrayRef<int64_t> shapeOf(Value value) {
  return cast<RankedTensorType>(value.getType()).getShape();
}

int64_t product(ArrayRef<int64_t> dims) {
  return elementCount({dims.data(), dims.size()});
}

/// The dimension of a reshaped tensor that has exactly the entries of `axis`.
std::optional<int64_t> axisAfterReshape(ArrayRef<int64_t> from,
                                        ArrayRef<int64_t> to, int64_t axis) {
  auto at = size_t(axis);
  for (size_t i = 0; i < to.size(); ++i)
    if (to[i] == from[at] &&
        product(to.take_front(i)) == product(from.take_front(at)))
      return int64_t(i);
  return std::nullopt;
}

/// Where the channels of an operand are in the result, if scaling the one by
/// positive numbers scales the other.
std::optional<int64_t> axisThrough(OpOperand &use, int64_t axis) {
  using Axis = std::optional<int64_t>;
  return llvm::TypeSwitch<Operation *, Axis>(use.getOwner())
      .Case<nn::ReluOp, nn::LeakyReluOp>([&](auto) { return Axis(axis); })
      .Case([&](nn::PReluOp) {
        return use.getOperandNumber() == 0 ? Axis(axis) : Axis();
      })
      .Case([&](nn::MulOp op) {
        bool isWhole =
            op.getA() != op.getB() && shapeOf(use.get()) == shapeOf(op.getY());
        return isWhole ? Axis(axis) : Axis();
      })
      .Case<nn::MaxPoolOp, nn::GlobalMaxPoolOp>(
          [&](auto) { return axis == 1 ? Axis(axis) : Axis(); })
      .Case([&](nn::TransposeOp op) {
        return Axis(llvm::find(op.getPerm(), axis) - op.getPerm().begin());
      })
      .Case([&](nn::ReshapeOp op) {
        return axisAfterReshape(shapeOf(op.getX()), shapeOf(op.getY()), axis);
      })
      .Default(Axis());
}

bool contains(const Pair &pair, Value value) {
  return llvm::any_of(pair.tensors, [&](const ScaledTensor &tensor) {
    return tensor.value == value;
  });
}

/// Adds all that is scaled with a tensor; false if somebody reads it who can't
/// undo the scale.
bool follow(Pair &pair, Value value, int64_t axis) {
  auto type = cast<RankedTensorType>(value.getType());
  if (contains(pair, value) || !type.hasStaticShape() ||
      !type.getElementType().isF32() || value.use_empty())
    return false;
  pair.tensors.push_back({value, axis});
  for (OpOperand &use : value.getUses()) {
    Operation *user = use.getOwner();
    if (std::optional<MacLayer> layer = MacLayer::of(user);
        layer && use.getOperandNumber() == 0) {
      if (layer->geometry().channelAxis(type.getRank()) != axis)
        return false;
      pair.consumers.push_back(*layer);
    } else {
      std::optional<int64_t> next = axisThrough(use, axis);
      if (!next || !follow(pair, user->getResult(0), *next))
        return false;
    }
  }
  return true;
}

/// Uses are listed last first.
void sortByPlace(std::vector<MacLayer> &layers) {
  llvm::sort(layers, [](const MacLayer &a, const MacLayer &b) {
    return a.operation()->isBeforeInBlock(b.operation());
  });
}

/// The dimension of channels that a producer can scale; nothing if it can't.
std::optional<int64_t> producedAxis(Operation *op) {
  if (std::optional<MacLayer> layer = MacLayer::of(op))
    return layer->hasPlainBias() ? std::optional(layer->outputAxis())
                                 : std::nullopt;
  int64_t last = isa<nn::LayerNormalizationOp, nn::RMSNormalizationOp>(op)
                     ? int64_t(shapeOf(op->getResult(0)).size()) - 1
                     : 1;
  if (!isa<nn::LayerNormalizationOp, nn::RMSNormalizationOp,
           nn::InstanceNormalizationOp, nn::GroupNormalizationOp,
           nn::BatchNormalizationOp>(op))
    return std::nullopt;
  int64_t channels = shapeOf(op->getResult(0))[size_t(last)];
  for (unsigned i = 1; i < std::min(op->getNumOperands(), 3u); ++i) {
    Tensor values = floatConstant(op->getOperand(i));
    if (values.isNull() || values.shape().empty() ||
        values.shape().back() != channels)
      return std::nullopt;
  }
  return last;
}

} // namespace

std::vector<Pair> findPairs(func::FuncOp network) {
  std::vector<Pair> pairs;
  for (Operation &op : network.front().without_terminator()) {
    if (op.getNumOperands() == 0)
      continue;
    std::optional<int64_t> axis = producedAxis(&op);
    if (!axis)
      continue;
    Pair pair;
    pair.producer = &op;
    if (!follow(pair, op.getResult(0), *axis) || pair.consumers.empty())
      continue;
    pair.channels = shapeOf(op.getResult(0))[size_t(*axis)];
    sortByPlace(pair.consumers);
    pairs.push_back(std::move(pair));
  }
  return pairs;
}

/// One slope for all channels, or one for each; nothing if they are not known.
static std::optional<std::vector<float>> slopesOf(Operation *op,
                                                  int64_t channels) {
  if (isa<nn::ReluOp>(op))
    return std::vector<float>{0.0f};
  if (auto leaky = dyn_cast<nn::LeakyReluOp>(op))
    return std::vector<float>{leaky.getAlpha().convertToFloat()};
  if (!isa<nn::PReluOp>(op))
    return std::nullopt;
  Tensor slopes = floatConstant(op->getOperand(1));
  if (slopes.isNull() || (slopes.size() != 1 && slopes.size() != channels))
    return std::nullopt;
  std::span<const float> values = slopes.values<float>();
  return std::vector<float>(values.begin(), values.end());
}

std::optional<TensorSource> sourceOf(const Pair &pair, Value tensor) {
  if (tensor == pair.tensors[0].value)
    return std::nullopt;
  Operation *op = tensor.getDefiningOp();
  if (auto mul = dyn_cast<nn::MulOp>(op)) {
    TensorSource source{mul.getA(), mul.getB(), {}};
    if (!contains(pair, mul.getA()))
      std::swap(source.from, source.gate);
    bool isKnown = source.gate.getType() == tensor.getType() &&
                   !source.gate.getDefiningOp<nn::ConstantOp>();
    return isKnown ? std::optional(source) : std::nullopt;
  }
  // A rectifier is a part of the layer that nobody else reads.
  if (isa<nn::ReluOp>(op) && op->getOperand(0).hasOneUse())
    return std::nullopt;
  if (auto slopes = slopesOf(op, pair.channels))
    return TensorSource{op->getOperand(0), {}, std::move(*slopes)};
  return std::nullopt;
}

ScaledPair outcomeOf(const Pair &pair) {
  ScaledPair outcome;
  outcome.producer = getLayerName(pair.producer).node;
  outcome.tensor = getTensorName(pair.mainTensor());
  for (const MacLayer &layer : pair.consumers)
    outcome.consumers.push_back(getLayerName(layer.operation()).node);
  return outcome;
}

double outlierRatio(std::vector<float> maxima) {
  std::erase(maxima, 0.0f);
  if (maxima.empty())
    return 1;
  auto middle = maxima.begin() + long(maxima.size() / 2);
  float greatest = *std::ranges::max_element(maxima);
  std::ranges::nth_element(maxima, middle);
  return double(greatest) / double(*middle);
}

} // namespace parallax::quantize
