//===- Fusion.cpp - Layers that are computed together ---------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Starts at a convolution or matrix product and absorbs one reader after the
// other, as long as nobody else needs what is in between.
//===----------------------------------------------------------------------===//
#include "Fusion.h"
#include "parallax/Support/QuantizedType.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/TypeSwitch.h"

#include <cmath>

using namespace mlir;

namespace parallax::reference {
namespace {

using kernels::PostOp;

bool isConstant(Value value) {
  return value.getDefiningOp<nn::ConstantOp>() != nullptr;
}

Type typeOf(Value value) { return withoutRange(value.getType()); }

bool isFloat(Value value) {
  return cast<RankedTensorType>(typeOf(value)).getElementType().isF32();
}

std::optional<PostOp> activationOf(Operation *op) {
  using Kind = PostOp::Kind;
  return llvm::TypeSwitch<Operation *, std::optional<PostOp>>(op)
      .Case([](nn::ReluOp) { return PostOp{Kind::Relu}; })
      .Case([](nn::LeakyReluOp op) {
        return PostOp{Kind::LeakyRelu, op.getAlpha().convertToFloat()};
      })
      .Case([](nn::ClipOp op) -> std::optional<PostOp> {
        auto min = float(op.getMin().convertToDouble());
        auto max = float(op.getMax().convertToDouble());
        // oneDNN refuses bounds that cross; to ONNX it is the upper one.
        return min <= max ? std::optional(PostOp{Kind::Clip, min, max})
                          : std::nullopt;
      })
      .Case([](nn::EluOp op) {
        return PostOp{Kind::Elu, op.getAlpha().convertToFloat()};
      })
      .Case([](nn::SigmoidOp) { return PostOp{Kind::Sigmoid}; })
      .Case([](nn::TanhOp) { return PostOp{Kind::Tanh}; })
      .Case([](nn::SiluOp) { return PostOp{Kind::Silu}; })
      .Case([](nn::HardSwishOp) { return PostOp{Kind::HardSwish}; })
      .Case([](nn::MishOp) { return PostOp{Kind::Mish}; })
      .Case([](nn::GeluOp op) {
        return PostOp{op.getApproximate() == "tanh" ? Kind::GeluTanh
                                                    : Kind::GeluErf};
      })
      .Default(std::nullopt);
}

/// x sigmoid(x), whose two operations exporters leave apart, or the same with
/// the piecewise linear sigmoid of slope 1/6.
std::optional<PostOp> gateOf(Operation *op) {
  if (isa<nn::SigmoidOp>(op))
    return PostOp{PostOp::Kind::Silu};
  if (auto hard = dyn_cast<nn::HardSigmoidOp>(op))
    if (std::abs(hard.getAlpha().convertToFloat() - 1.0f / 6) < 1e-6f &&
        hard.getBeta().convertToFloat() == 0.5f)
      return PostOp{PostOp::Kind::HardSwish};
  return std::nullopt;
}

/// One number per column: [N], or N after leading ones.
bool isColumnBias(Value value, int64_t columns) {
  auto type = cast<RankedTensorType>(value.getType());
  return isConstant(value) && type.getRank() > 0 &&
         type.getNumElements() == columns && type.getShape().back() == columns;
}

bool hasKnownStatistics(nn::BatchNormalizationOp op) {
  return llvm::all_of(op->getOperands().drop_front(), isConstant);
}

class EpilogueMatcher {
public:
  EpilogueMatcher(Operation *root,
                  const std::function<bool(Operation *)> &mayAbsorb)
      : root(root), current(root->getResult(0)), mayAbsorb(mayAbsorb) {}

  Epilogue match() {
    if (!isFloat(current))
      return std::move(result);
    if (isa<nn::BatchNormalizationOp>(root)) {
      if (auto relu = dyn_cast_or_null<nn::ReluOp>(onlyUser()))
        absorb(relu);
      return std::move(result);
    }
    // What has codes is rounded, and only the last result of a group can be.
    while (isFloat(current) &&
           (absorbBatchNorm() || absorbBias() || absorbActivation() ||
            absorbGate() || absorbAddition()))
      ;
    return std::move(result);
  }

private:
  /// The only user of the current value, if it may be absorbed.
  Operation *onlyUser() const {
    if (!current.hasOneUse())
      return nullptr;
    Operation *user = *current.getUsers().begin();
    return user->getNumResults() == 1 && mayAbsorb(user) ? user : nullptr;
  }

  void absorb(Operation *op) {
    result.absorbed.push_back(op);
    current = op->getResult(0);
  }

  size_t addOperand(Value value) {
    result.extraOperands.push_back(value);
    return root->getNumOperands() + result.extraOperands.size() - 1;
  }

  bool absorbBatchNorm() {
    auto op = dyn_cast_or_null<nn::BatchNormalizationOp>(onlyUser());
    if (!op || !isa<nn::ConvOp>(root) || !result.absorbed.empty() ||
        op.getX() != current || !hasKnownStatistics(op) ||
        !llvm::all_of(root->getOperands().drop_front(), isConstant))
      return false;
    result.batchNormEpsilon = op.getEpsilon().convertToFloat();
    for (Value parameter : op->getOperands().drop_front())
      addOperand(parameter);
    result.batchNormInput = int(root->getNumOperands());
    absorb(op);
    return true;
  }

  bool absorbBias() {
    auto op = dyn_cast_or_null<nn::AddOp>(onlyUser());
    // The columns of the result are those of a matrix, not of a vector.
    if (!op || !isa<nn::MatMulOp, nn::FullyConnectedOp>(root) ||
        root->getNumOperands() != 2 || !result.absorbed.empty() ||
        typeOf(op) != typeOf(current) ||
        cast<RankedTensorType>(root->getOperand(1).getType()).getRank() < 2)
      return false;
    Value other = op.getA() == current ? op.getB() : op.getA();
    if (!isColumnBias(other, op.getType().getShape().back()))
      return false;
    result.biasInput = int(addOperand(other));
    absorb(op);
    return true;
  }

  bool absorbActivation() {
    Operation *user = onlyUser();
    std::optional<PostOp> activation = user ? activationOf(user) : std::nullopt;
    if (!activation)
      return false;
    result.postOps.push_back(*activation);
    absorb(user);
    return true;
  }

  bool absorbGate() {
    if (!current.hasNUses(2))
      return false;
    for (Operation *user : current.getUsers()) {
      std::optional<PostOp> gate = gateOf(user);
      if (!gate || !user->hasOneUse() || !mayAbsorb(user) ||
          !isFloat(user->getResult(0)))
        continue;
      Operation *product = *user->getUsers().begin();
      if (!isa<nn::MulOp>(product) || !mayAbsorb(product) ||
          !llvm::is_contained(product->getOperands(), current))
        continue;
      result.postOps.push_back(*gate);
      absorb(user);
      absorb(product);
      return true;
    }
    return false;
  }

  bool absorbAddition() {
    auto op = dyn_cast_or_null<nn::AddOp>(onlyUser());
    bool added = llvm::any_of(result.postOps, [](const PostOp &op) {
      return op.kind == PostOp::Kind::Add;
    });
    if (!op || added)
      return false;
    Value other = op.getA() == current ? op.getB() : op.getA();
    if (typeOf(other) != typeOf(current) || isConstant(other) ||
        typeOf(op) != typeOf(current))
      return false;
    PostOp add{PostOp::Kind::Add};
    add.input = addOperand(other);
    result.postOps.push_back(add);
    absorb(op);
    return true;
  }

  Operation *root;
  Value current;
  const std::function<bool(Operation *)> &mayAbsorb;
  Epilogue result;
};

bool isRoot(Operation *op) {
  if (isa<nn::ConvOp>(op))
    return isConstant(op->getOperand(1));
  if (auto norm = dyn_cast<nn::BatchNormalizationOp>(op)) {
    // One behind a convolution belongs to that.
    auto conv = norm.getX().getDefiningOp<nn::ConvOp>();
    return hasKnownStatistics(norm) &&
           !(conv && isRoot(conv) && conv->hasOneUse());
  }
  // A product over no elements is not a product to the library.
  return isa<nn::MatMulOp, nn::FullyConnectedOp>(op) &&
         !llvm::is_contained(
             cast<RankedTensorType>(op->getOperand(0).getType()).getShape(), 0);
}

} // namespace

Epilogue matchEpilogue(Operation *root,
                       const std::function<bool(Operation *)> &mayAbsorb) {
  return EpilogueMatcher(root, mayAbsorb).match();
}

Epilogue plannedEpilogue(Operation *root, ArrayRef<Operation *> absorbed) {
  return matchEpilogue(
      root, [&](Operation *op) { return llvm::is_contained(absorbed, op); });
}

FusionPlan planFusion(func::FuncOp function,
                      const std::function<bool(Operation *)> &mayAbsorb) {
  FusionPlan plan;
  llvm::DenseSet<Operation *> taken;
  // From the end: of two branches that meet in an addition, the later one
  // absorbs it, when the other is already computed.
  for (Operation &op : llvm::reverse(function.front())) {
    if (!isRoot(&op))
      continue;
    Epilogue epilogue = matchEpilogue(&op, [&](Operation *user) {
      return !taken.contains(user) && mayAbsorb(user);
    });
    if (epilogue.absorbed.empty())
      continue;
    taken.insert(epilogue.absorbed.begin(), epilogue.absorbed.end());
    plan[&op] = {std::move(epilogue.absorbed),
                 std::move(epilogue.extraOperands)};
  }
  return plan;
}

kernels::ChannelAffine channelAffine(KernelBuilder &builder, size_t first,
                                     float epsilon) {
  const float *parameters[4];
  for (size_t i = 0; i < 4; ++i) {
    parameters[i] = builder.constant(first + i)->data<float>();
    builder.releaseConstant(first + i);
  }
  auto [scale, bias, mean, var] = parameters;
  kernels::ChannelAffine affine;
  for (int64_t i = 0; i < builder.constant(first)->size(); ++i) {
    double factor =
        double(scale[i]) / std::sqrt(double(var[i]) + double(epsilon));
    affine.scale.push_back(float(factor));
    affine.shift.push_back(float(double(bias[i]) - double(mean[i]) * factor));
  }
  return affine;
}

} // namespace parallax::reference
