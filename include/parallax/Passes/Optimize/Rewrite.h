//===- Rewrite.h - Rewrites that are checked by execution -------*- C++ -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// A rewrite never changes the network. It makes a proposal: new operations
// beside the old ones, and the values that they replace. The driver executes
// both sides on the same data. If they agree it replaces the values, carries
// the layer names over and removes what has become unused; otherwise it
// discards the proposal and reports it.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_PASSES_OPTIMIZE_REWRITE_H
#define PARALLAX_PASSES_OPTIMIZE_REWRITE_H

#include "parallax/Dialect/NN/CreateOp.h"
#include "parallax/Support/Tensor.h"

#include "mlir/IR/Builders.h"

#include <functional>
#include <map>
#include <set>
#include <string>

namespace parallax {

/// What is to stand in for a part of the network.
class Proposal {
public:
  explicit Proposal(Operation *root);

  Operation *root() const { return rootOp; }
  MLIRContext *context() const { return builder.getContext(); }

  /// Creates an operation before the root and returns its first result.
  /// `step` tells operations of one proposal apart in their names.
  template <typename OpTy>
  Value create(ValueRange operands, ArrayRef<NamedAttribute> attributes = {},
               StringRef step = "") {
    mlir::OperationState state(rootOp->getLoc(), OpTy::getOperationName());
    return insert(
        state, succeeded(nn::completeState<OpTy>(state, operands, attributes)),
        step);
  }

  /// Creates an operation like `op`, with its attributes, on other operands.
  Value createLike(Operation *op, ValueRange operands,
                   ArrayRef<NamedAttribute> changes = {}, StringRef step = "");

  /// A constant that is called `name`. Names are made unique in the end.
  Value constant(Tensor value, StringRef name);
  /// A constant in place of `old`.
  Value constantLike(Value old, Tensor value);

  /// Says that `to` stands in for `from`. A rewrite without such a statement
  /// proposes nothing.
  void replace(Value from, Value to);
  /// The usual case: the result of the root.
  void replace(Value to);

  // Attributes for create().
  NamedAttribute named(StringRef name, Attribute value) const;
  NamedAttribute i64(StringRef name, int64_t value) const;
  NamedAttribute i64s(StringRef name, ArrayRef<int64_t> values) const;
  NamedAttribute f32(StringRef name, double value) const;
  NamedAttribute f64(StringRef name, double value) const;
  NamedAttribute word(StringRef name, StringRef value) const;

  // What the driver reads.
  struct Replacement {
    Value from, to;
  };
  struct Step {
    Operation *op;
    std::string name;
  };
  ArrayRef<Replacement> replacements() const { return replaced; }
  ArrayRef<Step> steps() const { return created; }
  bool isNew(Operation *op) const { return newOps.contains(op); }
  /// Why it can't be used, or empty.
  const std::string &problem() const { return problemText; }
  /// Removes the operations that it has created.
  void discard();

private:
  Value insert(mlir::OperationState &state, bool isComplete, StringRef step);
  Value track(Operation *op, StringRef step);

  Operation *rootOp;
  OpBuilder builder;
  SmallVector<Step> created;
  llvm::SmallPtrSet<Operation *, 8> newOps;
  SmallVector<Replacement> replaced;
  std::string problemText;
};

struct Rewrite {
  std::string name;
  /// The operation that it starts from, or empty for any.
  std::string rootName;
  std::function<void(Operation *, Proposal &)> propose;
  /// It has executed the operation: there is nothing left to check.
  bool isEvaluation = false;
};

/// `propose` either makes a whole proposal, or leaves it without replacement if
/// the operation is not what it looks for.
template <typename OpTy>
Rewrite rewrite(StringRef name, void (*propose)(OpTy, Proposal &)) {
  return {name.str(), OpTy::getOperationName().str(),
          [propose](Operation *op, Proposal &proposal) {
            propose(cast<OpTy>(op), proposal);
          }};
}

using Rewrites = std::vector<Rewrite>;

struct RewriteOptions {
  /// Execute both sides of every rewrite.
  bool check = true;
  /// The greatest difference, as a part of the range of the replaced value.
  double tolerance = 1e-5;
};

struct UndoneRewrite {
  std::string rewrite, layer, reason;
};

struct OptimizeReport {
  std::map<std::string, int64_t> applied;
  std::vector<UndoneRewrite> undone;
  /// Rewrite and tensor of everything undone, which is not tried again.
  std::set<std::pair<std::string, std::string>> refused;
};

/// Applies rewrites wherever they match until none does. Returns whether the
/// network has changed.
bool applyRewrites(mlir::func::FuncOp function, const Rewrites &rewrites,
                   const RewriteOptions &options, OptimizeReport &report);

} // namespace parallax

#endif // PARALLAX_PASSES_OPTIMIZE_REWRITE_H
