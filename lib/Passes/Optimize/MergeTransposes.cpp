//===- MergeTransposes.cpp - Transposes and reshapes that cancel ----------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// A region lies between equal movements and one operation, its root. If its
// operations work in any layout, they can work on what the movements read, and
// one movement after the root replaces all of them; if the root is a movement
// itself, the two are merged or cancel. A rewrite must reduce the number of
// movements, so the process ends.
//===----------------------------------------------------------------------===//
#include "Families.h"
#include "Match.h"
#include "parallax/Backend/Kernels/Layout.h"

#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace parallax {
namespace {

using Extents = SmallVector<int64_t>;

//===----------------------------------------------------------------------===//
// Transposes
//===----------------------------------------------------------------------===//

/// The axes that an operation works along, if it treats all others equally and
/// keeps its rank. `attribute` is where it says so.
struct WorkingAxes {
  StringRef attribute;
  Extents axes;
};

std::optional<WorkingAxes> workingAxesOf(Operation *op) {
  return llvm::TypeSwitch<Operation *, std::optional<WorkingAxes>>(op)
      .Case<nn::ConcatOp, nn::HardmaxOp, nn::LogSoftmaxOp,
            nn::LpNormalizationOp, nn::SoftmaxOp>([](auto op) {
        int64_t axis = int64_t(op.getAxis());
        int64_t rank = rankOf(op.getY());
        return WorkingAxes{"axis", {axis < 0 ? axis + rank : axis}};
      })
      .Case<nn::ReduceL1Op, nn::ReduceL2Op, nn::ReduceLogSumExpOp,
            nn::ReduceLogSumOp, nn::ReduceMaxOp, nn::ReduceMeanOp,
            nn::ReduceMinOp, nn::ReduceProdOp, nn::ReduceSumOp,
            nn::ReduceSumSquareOp>([](auto op) -> std::optional<WorkingAxes> {
        if (!op.getKeepdims())
          return std::nullopt;
        return WorkingAxes{"axes", Extents(op.getAxes())};
      })
      .Default(std::nullopt);
}

struct Permutation {
  using MoveOp = nn::TransposeOp;
  /// Two that follow each other are always better merged.
  static constexpr bool mergesNeighbours = true;

  Extents perm;

  explicit Permutation(nn::TransposeOp op) : perm(op.getPerm()) {}
  bool operator==(const Permutation &) const = default;

  void append(nn::TransposeOp next) {
    Extents merged;
    for (int64_t axis : next.getPerm())
      merged.push_back(perm[size_t(axis)]);
    perm = std::move(merged);
  }
  bool isIdentity() const { return llvm::is_sorted(perm); }

  static bool mayCross(Operation *op) {
    return isElementwise(op) || workingAxesOf(op);
  }

  /// Every operand has all dimensions, or broadcasts from a constant.
  bool crosses(Operation *op) const {
    int64_t rank = int64_t(perm.size());
    return rankOf(op->getResult(0)) == rank &&
           llvm::all_of(op->getOperands(), [&](Value operand) {
             return rankOf(operand) == rank ||
                    (rankOf(operand) < rank && !constantOf(operand).isNull());
           });
  }

  SmallVector<NamedAttribute> changesOf(Operation *op,
                                        const Proposal &proposal) const {
    std::optional<WorkingAxes> working = workingAxesOf(op);
    if (!working)
      return {};
    for (int64_t &axis : working->axes)
      axis = perm[size_t(axis)];
    llvm::sort(working->axes);
    if (working->attribute == "axis")
      return {proposal.i64("axis", working->axes[0])};
    return {proposal.i64s("axes", working->axes)};
  }

  Value constantBefore(Value constant, Proposal &proposal) const {
    Tensor tensor = constantOf(constant);
    if (tensor.size() == 1)
      return constant;
    Shape full(perm.size() - size_t(tensor.rank()), 1);
    llvm::append_range(full, tensor.shape());
    Shape inverse(perm.size()), shape(perm.size());
    for (size_t i = 0; i < perm.size(); ++i) {
      inverse[size_t(perm[i])] = int64_t(i);
      shape[size_t(perm[i])] = full[i];
    }
    Tensor moved(tensor.dtype(), shape);
    kernels::transpose(tensor.reshaped(full), moved, inverse);
    return proposal.constantLike(constant, std::move(moved));
  }

  Value apply(Value value, Proposal &proposal) const {
    return proposal.create<nn::TransposeOp>(value, proposal.i64s("perm", perm));
  }
};

//===----------------------------------------------------------------------===//
// Reshapes
//===----------------------------------------------------------------------===//

struct Reshaping {
  using MoveOp = nn::ReshapeOp;
  /// Another rewrite does.
  static constexpr bool mergesNeighbours = false;

  Extents from, to;

  explicit Reshaping(nn::ReshapeOp op)
      : from(shapeOf(op.getX())), to(shapeOf(op.getY())) {}
  bool operator==(const Reshaping &) const = default;

  void append(nn::ReshapeOp next) { to = Extents(shapeOf(next.getY())); }
  bool isIdentity() const { return from == to; }

  static bool mayCross(Operation *op) { return isElementwise(op); }

  bool crosses(Operation *op) const {
    return shapeOf(op->getResult(0)) == ArrayRef<int64_t>(to) &&
           llvm::all_of(op->getOperands(), [&](Value operand) {
             Tensor constant = constantOf(operand);
             return constant.isNull()
                        ? shapeOf(operand) == ArrayRef<int64_t>(to)
                        : shapeBefore(constant).has_value();
           });
  }

  SmallVector<NamedAttribute> changesOf(Operation *, const Proposal &) const {
    return {};
  }

  Value constantBefore(Value constant, Proposal &proposal) const {
    Tensor tensor = constantOf(constant);
    Shape shape = *shapeBefore(tensor);
    if (shape == tensor.shape())
      return constant;
    return proposal.constantLike(constant, tensor.reshaped(shape));
  }

  Value apply(Value value, Proposal &proposal) const {
    return proposal.create<nn::ReshapeOp>(value, proposal.i64s("shape", to));
  }

private:
  /// The shape under which a constant broadcasts to the operand as it did to
  /// the result. One number always does; others only if nothing but dimensions
  /// of extent 1 come or go.
  std::optional<Shape> shapeBefore(const Tensor &constant) const {
    if (constant.size() == 1)
      return constant.rank() <= int64_t(from.size()) ? constant.shape()
                                                     : Shape{};
    if (constant.rank() > int64_t(to.size()))
      return std::nullopt;
    Shape full(to.size() - size_t(constant.rank()), 1);
    llvm::append_range(full, constant.shape());
    Shape shape;
    size_t next = 0;
    auto skipUnits = [&] {
      while (next < to.size() && to[next] == 1)
        ++next;
    };
    for (int64_t extent : from) {
      if (extent == 1) {
        shape.push_back(1);
        continue;
      }
      skipUnits();
      if (next == to.size() || to[next] != extent)
        return std::nullopt;
      shape.push_back(full[next++]);
    }
    skipUnits();
    return next == to.size() ? std::optional(shape) : std::nullopt;
  }
};

//===----------------------------------------------------------------------===//
// Regions
//===----------------------------------------------------------------------===//

template <typename Move> class Region {
  using MoveOp = typename Move::MoveOp;

public:
  explicit Region(Operation *root) : root(root), last(dyn_cast<MoveOp>(root)) {
    isWhole = (last || Move::mayCross(root)) &&
              llvm::all_of(root->getOperands(),
                           [&](Value operand) { return add(operand); }) &&
              move && canBeCrossed();
  }

  /// True if moving the root is an improvement.
  bool isWorthMoving() const {
    if (!isWhole)
      return false;
    if (ops.empty() && last)
      return Move::mergesNeighbours;
    size_t kept = size_t(llvm::count_if(leaves, [&](Operation *leaf) {
      return !llvm::all_of(leaf->getUsers(),
                           [&](Operation *user) { return isInside(user); });
    }));
    return kept + !total().isIdentity() < leaves.size() + (last ? 1 : 0);
  }

  void propose(Proposal &proposal) const {
    DenseMap<Value, Value> before;
    for (Operation *leaf : leaves)
      before[leaf->getResult(0)] = leaf->getOperand(0);
    auto moveOp = [&](Operation *op) {
      SmallVector<Value> operands;
      for (Value operand : op->getOperands()) {
        Value moved = before.lookup(operand);
        operands.push_back(moved ? moved
                                 : move->constantBefore(operand, proposal));
      }
      return proposal.createLike(op, operands, move->changesOf(op, proposal));
    };
    // In the order of the network, in which names are carried over.
    SmallVector<Operation *> sorted(ops.begin(), ops.end());
    llvm::sort(sorted, [](Operation *a, Operation *b) {
      return a->isBeforeInBlock(b);
    });
    for (Operation *op : sorted)
      before[op->getResult(0)] = moveOp(op);
    Value result = last ? before.lookup(root->getOperand(0)) : moveOp(root);
    Move rest = total();
    proposal.replace(rest.isIdentity() ? result : rest.apply(result, proposal));
  }

private:
  /// Follows a value back to movements and constants.
  bool add(Value value) {
    Operation *op = value.getDefiningOp();
    if (!op)
      return false;
    if (isa<nn::ConstantOp>(op))
      return true;
    if (auto leaf = dyn_cast<MoveOp>(op)) {
      leaves.insert(leaf);
      if (!move)
        move = Move(leaf);
      return *move == Move(leaf);
    }
    constexpr size_t maxOps = 256; // Far more than stands between movements.
    if (!Move::mayCross(op) || ops.size() > maxOps)
      return false;
    return !ops.insert(op) ||
           llvm::all_of(op->getOperands(),
                        [&](Value operand) { return add(operand); });
  }

  /// What is computed inside has no other consumers.
  bool canBeCrossed() const {
    return (last || move->crosses(root)) &&
           llvm::all_of(ops, [&](Operation *op) {
             return move->crosses(op) &&
                    llvm::all_of(op->getUsers(), [&](Operation *user) {
                      return isInside(user);
                    });
           });
  }

  bool isInside(Operation *op) const { return op == root || ops.contains(op); }

  Move total() const {
    Move result = *move;
    if (last)
      result.append(last);
    return result;
  }

  Operation *root;
  MoveOp last; ///< The root, if it is a movement.
  bool isWhole = false;
  std::optional<Move> move;
  llvm::SetVector<Operation *> leaves, ops;
};

template <typename Move> void mergeMoves(Operation *op, Proposal &proposal) {
  Region<Move> region(op);
  if (region.isWorthMoving())
    region.propose(proposal);
}

} // namespace

Rewrites mergeTransposesRewrites() {
  return {{"merge-transposes", "", mergeMoves<Permutation>},
          {"move-reshapes", "", mergeMoves<Reshaping>}};
}

} // namespace parallax
