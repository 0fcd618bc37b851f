//===- FoldAffine.cpp - Scales and shifts move into weights ---------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// All new weights and biases are computed in double precision and rounded once.
//===----------------------------------------------------------------------===//
#include "Families.h"
#include "Match.h"
#include "parallax/Support/LayerName.h"

#include "llvm/ADT/TypeSwitch.h"

#include <cmath>

using namespace mlir;

namespace parallax {
namespace {

//===----------------------------------------------------------------------===//
// scale x + shift
//===----------------------------------------------------------------------===//

/// An operation that scales and shifts `x`, with one number each per entry of
/// a dimension.
struct Affine {
  Value x;
  std::vector<double> scale, shift;

  bool shifts() const {
    return llvm::any_of(shift, [](double s) { return s != 0; });
  }
  /// True if the shift is what brings `x` near zero. Behind a sum of products
  /// it would take away digits that are lost by then: the range of pixels is
  /// fine, pressure in pascal is not.
  bool shiftsFar() const {
    constexpr double far = 256;
    return llvm::any_of(shift, [](double s) { return !(std::abs(s) <= far); });
  }
  bool scales() const {
    return llvm::any_of(scale, [](double s) { return s != 1; });
  }
};

std::optional<Affine> batchNormalization(nn::BatchNormalizationOp op) {
  std::array<Tensor, 4> parameters;
  for (size_t i = 0; i < 4; ++i) {
    parameters[i] = constantOf(op->getOperand(unsigned(i) + 1));
    if (parameters[i].isNull() || parameters[i].dtype() != DType::F32)
      return std::nullopt;
  }
  auto &[scale, bias, mean, var] = parameters;
  Affine affine{op.getX(), {}, {}};
  double epsilon = op.getEpsilon().convertToFloat();
  for (int64_t i = 0; i < scale.size(); ++i) {
    double factor = scale.data<float>()[i] /
                    std::sqrt(double(var.data<float>()[i]) + epsilon);
    affine.scale.push_back(factor);
    affine.shift.push_back(bias.data<float>()[i] -
                           mean.data<float>()[i] * factor);
  }
  return affine;
}

/// Arithmetic with a constant.
std::optional<Affine> arithmetic(Operation *op, int64_t axis) {
  std::optional<ConstantOperand> split = splitConstant(op);
  auto type = cast<RankedTensorType>(op->getResult(0).getType());
  if (!split || split->other.getType() != type)
    return std::nullopt;
  std::optional<std::vector<double>> numbers =
      numbersAlong(split->constant, type, axis);
  if (!numbers)
    return std::nullopt;
  bool constantIsLast = split->constant == op->getOperand(1);
  Affine affine{split->other, std::vector<double>(numbers->size(), 1),
                std::vector<double>(numbers->size(), 0)};
  if (isa<nn::AddOp>(op)) {
    affine.shift = std::move(*numbers);
  } else if (isa<nn::SubOp>(op)) {
    affine.scale.assign(numbers->size(), constantIsLast ? 1 : -1);
    for (size_t i = 0; i < numbers->size(); ++i)
      affine.shift[i] = constantIsLast ? -(*numbers)[i] : (*numbers)[i];
  } else if (isa<nn::MulOp>(op)) {
    affine.scale = std::move(*numbers);
  } else if (constantIsLast) {
    for (size_t i = 0; i < numbers->size(); ++i)
      affine.scale[i] = 1 / (*numbers)[i];
  } else {
    return std::nullopt;
  }
  return affine;
}

/// What `op` does to each entry of dimension `axis`, if it is no more than a
/// scale and a shift.
std::optional<Affine> affineOf(Operation *op, int64_t axis) {
  if (!op || !isFloat(op->getResult(0)))
    return std::nullopt;
  if (auto norm = dyn_cast<nn::BatchNormalizationOp>(op))
    return axis == 1 ? batchNormalization(norm) : std::nullopt;
  if (isa<nn::AddOp, nn::SubOp, nn::MulOp, nn::DivOp>(op))
    return arithmetic(op, axis);
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// Layers with weights
//===----------------------------------------------------------------------===//

/// Weights and bias of a layer, by channel. Weights are a matrix of kernels;
/// what its rows and columns stand for depends on the layer.
class WeightedLayer {
public:
  /// Not valid for other operations, or if weights or bias are not constant.
  explicit WeightedLayer(Operation *op) : op(op) {
    if (!isa_and_nonnull<nn::ConvOp, nn::ConvTransposeOp, nn::FullyConnectedOp>(
            op))
      return;
    Tensor old = constantOf(op->getOperand(1));
    Tensor oldBias;
    if (op->getNumOperands() > 2)
      oldBias = constantOf(op->getOperand(2));
    if (old.isNull() || old.dtype() != DType::F32 ||
        (op->getNumOperands() > 2 && oldBias.isNull()))
      return;
    weight = old;
    channelAxis = isa<nn::FullyConnectedOp>(op) ? rankOf(x()) - 1 : 1;
    groups = llvm::TypeSwitch<Operation *, int64_t>(op)
                 .Case<nn::ConvOp, nn::ConvTransposeOp>(
                     [](auto op) { return int64_t(op.getGroup()); })
                 .Default(int64_t(1));
    outputs = shapeOf(op->getResult(0))[size_t(channelAxis)];
    inputs = shapeOf(x())[size_t(channelAxis)];
    bias.assign(size_t(outputs), 0);
    for (int64_t i = 0; i < oldBias.size() && !oldBias.isNull(); ++i)
      bias[size_t(i)] = oldBias.data<float>()[i];
  }

  bool isValid() const { return !weight.isNull(); }
  Value x() const { return op->getOperand(0); }
  /// The dimension of operand and result that the weights mix.
  int64_t axis() const { return channelAxis; }

  /// True if every result sees as many operands as any other.
  bool hasUniformReach() const {
    if (auto conv = dyn_cast<nn::ConvOp>(op))
      return llvm::all_of(conv.getPads(), [](int64_t pad) { return pad == 0; });
    return isa<nn::FullyConnectedOp>(op);
  }

  void scaleOutputs(const Affine &affine) {
    edit([&](float &w, int64_t output, int64_t) {
      w = float(w * affine.scale[size_t(output)]);
    });
    for (size_t i = 0; i < bias.size(); ++i)
      bias[i] = bias[i] * affine.scale[i] + affine.shift[i];
  }

  void scaleInputs(const Affine &affine) {
    edit([&](float &w, int64_t output, int64_t input) {
      bias[size_t(output)] += w * affine.shift[size_t(input)];
      w = float(w * affine.scale[size_t(input)]);
    });
  }

  /// The same layer with the edited weights, on another operand.
  Value rebuild(Proposal &proposal, Value operand) const {
    Value oldWeight = op->getOperand(1);
    SmallVector<Value> operands{operand,
                                proposal.constantLike(oldWeight, weight)};
    bool hadBias = op->getNumOperands() > 2;
    if (hadBias || llvm::any_of(bias, [](double b) { return b != 0; })) {
      Tensor tensor(DType::F32, {outputs});
      llvm::transform(bias, tensor.data<float>(),
                      [](double b) { return float(b); });
      operands.push_back(hadBias
                             ? proposal.constantLike(op->getOperand(2), tensor)
                             : proposal.constant(tensor, biasName(oldWeight)));
    }
    return proposal.createLike(op, operands);
  }

private:
  /// Calls `change(weight, output channel, input channel)` for every weight.
  template <typename Change> void edit(Change change) {
    weight = weight.clone();
    bool inputsFirst = isa<nn::ConvTransposeOp>(op);
    int64_t rows = weight.dim(0), columns = weight.dim(1);
    int64_t kernel = weight.size() / std::max<int64_t>(rows * columns, 1);
    int64_t rowsPerGroup = rows / groups;
    float *w = weight.data<float>();
    for (int64_t row = 0; row < rows; ++row)
      for (int64_t column = 0; column < columns; ++column) {
        int64_t far = row / rowsPerGroup * columns + column;
        int64_t output = inputsFirst ? far : row;
        int64_t input = inputsFirst ? row : far;
        for (int64_t i = 0; i < kernel; ++i)
          change(*w++, output, input);
      }
  }

  static std::string biasName(Value weight) {
    std::string name = getTensorName(weight);
    StringRef stem(name);
    return stem.consume_back("weight") ? stem.str() + "bias" : name + "_bias";
  }

  Operation *op;
  Tensor weight;
  std::vector<double> bias;
  int64_t channelAxis = 0, groups = 1, outputs = 0, inputs = 0;
};

//===----------------------------------------------------------------------===//
// Rewrites
//===----------------------------------------------------------------------===//

/// layer, then scale and shift.
void foldBehind(Operation *op, Proposal &proposal) {
  if (op->getNumOperands() == 0)
    return;
  for (Value operand : op->getOperands()) {
    WeightedLayer layer(operand.hasOneUse() ? operand.getDefiningOp()
                                            : nullptr);
    if (!layer.isValid())
      continue;
    if (std::optional<Affine> affine = affineOf(op, layer.axis())) {
      layer.scaleOutputs(*affine);
      return proposal.replace(layer.rebuild(proposal, layer.x()));
    }
  }
}

/// What one channel is becomes what each of its elements is.
Affine repeated(const Affine &affine, int64_t times) {
  Affine result{affine.x, {}, {}};
  for (size_t i = 0; i < affine.scale.size(); ++i) {
    result.scale.insert(result.scale.end(), size_t(times), affine.scale[i]);
    result.shift.insert(result.shift.end(), size_t(times), affine.shift[i]);
  }
  return result;
}

/// Scale and shift, then layer.
void foldAhead(Operation *op, Proposal &proposal) {
  WeightedLayer layer(op);
  if (!layer.isValid() || !layer.x().hasOneUse())
    return;
  std::optional<Affine> affine =
      affineOf(layer.x().getDefiningOp(), layer.axis());
  if (!affine || affine->shiftsFar() ||
      (affine->shifts() && !layer.hasUniformReach()))
    return;
  layer.scaleInputs(*affine);
  proposal.replace(layer.rebuild(proposal, affine->x));
}

/// Scale and shift per channel, then a reshape of every sample to a vector,
/// then a fully connected layer.
void foldAheadOfFlatten(nn::FullyConnectedOp op, Proposal &proposal) {
  WeightedLayer layer(op);
  auto flatten = soleProducer<nn::ReshapeOp>(op.getX());
  if (!layer.isValid() || !flatten || rankOf(op.getX()) != 2 ||
      rankOf(flatten.getX()) < 3 || !flatten.getX().hasOneUse() ||
      shapeOf(flatten.getX())[0] != shapeOf(op.getX())[0])
    return;
  std::optional<Affine> affine = affineOf(flatten.getX().getDefiningOp(), 1);
  if (!affine || affine->scale.empty() || affine->shiftsFar())
    return;
  int64_t perChannel = shapeOf(op.getX())[1] / int64_t(affine->scale.size());
  layer.scaleInputs(repeated(*affine, perChannel));
  Value x = proposal.createLike(flatten, affine->x);
  proposal.replace(layer.rebuild(proposal, x));
}

/// Scale, then shift, then a layer whose padding keeps the shift out: the shift
/// goes first, and the scale into the layer.
void foldScaleAheadOfShift(nn::ConvOp op, Proposal &proposal) {
  WeightedLayer layer(op);
  if (!layer.isValid() || layer.hasUniformReach())
    return;
  auto add = soleProducer<nn::AddOp>(op.getX());
  std::optional<Affine> shift = affineOf(add, 1);
  if (!shift || !shift->x.hasOneUse())
    return;
  std::optional<Affine> scale = affineOf(shift->x.getDefiningOp(), 1);
  if (!scale || scale->shifts() || !scale->scales() ||
      llvm::is_contained(scale->scale, 0.0))
    return;
  std::optional<ConstantOperand> split = splitConstant(add);
  Shape shape(size_t(rankOf(op.getX())), 1);
  shape[1] = int64_t(scale->scale.size());
  Tensor offset(DType::F32, shape);
  for (size_t i = 0; i < scale->scale.size(); ++i)
    offset.data<float>()[i] = float(shift->shift[i] / scale->scale[i]);
  Value shifted = proposal.createLike(
      add, {scale->x, proposal.constantLike(split->constant, offset)});
  layer.scaleInputs(*scale);
  proposal.replace(layer.rebuild(proposal, shifted));
}

/// A single factor after reshapes, transposes and products: it may as well be
/// applied to the weights that all of it comes from.
void foldFactorThroughMovement(Operation *op, Proposal &proposal) {
  if (!isa<nn::MulOp, nn::DivOp>(op) || !isFloat(op->getResult(0)))
    return;
  std::optional<ConstantOperand> split = splitConstant(op);
  if (!split || split->other.getType() != op->getResult(0).getType())
    return;
  std::optional<double> factor = numberOf(split->constant);
  if (!factor || (isa<nn::DivOp>(op) && split->constant != op->getOperand(1)))
    return;
  SmallVector<Operation *> between;
  Operation *source = split->other.getDefiningOp();
  while (
      isa_and_nonnull<nn::ReshapeOp, nn::TransposeOp, nn::MatMulOp>(source) &&
      source->hasOneUse()) {
    between.push_back(source);
    source = source->getOperand(0).getDefiningOp();
  }
  WeightedLayer layer(source && source->hasOneUse() ? source : nullptr);
  if (between.empty() || !layer.isValid())
    return;
  size_t channels = size_t(shapeOf(source->getResult(0))[size_t(layer.axis())]);
  Affine affine{{}, {}, std::vector<double>(channels, 0)};
  affine.scale.assign(channels, isa<nn::DivOp>(op) ? 1 / *factor : *factor);
  layer.scaleOutputs(affine);
  Value value = layer.rebuild(proposal, layer.x());
  for (Operation *step : llvm::reverse(between)) {
    SmallVector<Value> operands(step->getOperands());
    operands[0] = value;
    value = proposal.createLike(step, operands);
  }
  proposal.replace(value);
}

} // namespace

Rewrites foldAffineRewrites() {
  return {{"fold-affine-behind", "", foldBehind},
          {"fold-affine-ahead", "", foldAhead},
          rewrite("fold-affine-ahead-of-flatten", foldAheadOfFlatten),
          rewrite("fold-scale-ahead-of-shift", foldScaleAheadOfShift),
          {"fold-factor-through-movement", "", foldFactorThroughMovement}};
}

} // namespace parallax
