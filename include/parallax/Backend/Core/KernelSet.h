//===- KernelSet.h - The kernels of one engine -----------------*- C++ -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// An engine is a table from operation to kernel, filled by functions such as
// populateReferenceKernels, in the manner of a RewritePatternSet. One executor
// serves all engines.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_BACKEND_CORE_KERNELSET_H
#define PARALLAX_BACKEND_CORE_KERNELSET_H

#include "parallax/Backend/Core/Executable.h"
#include "parallax/Support/LLVM.h"

#include "mlir/IR/Operation.h"
#include "llvm/ADT/StringMap.h"

namespace parallax {

/// A kernel builder that also knows which operations were merged into this one.
class BindContext : public KernelBuilder {
public:
  /// Operations that the kernel has to compute after its own, in order. Their
  /// operands from outside the group follow those of the operation itself.
  ArrayRef<Operation *> absorbed;
};

/// Operations that one kernel computes: a root and what follows it. The group
/// is executed where its last operation stands.
struct FusionGroup {
  SmallVector<Operation *> absorbed;
  SmallVector<Value> extraOperands;
};
using FusionPlan = DenseMap<Operation *, FusionGroup>;

class KernelSet {
public:
  using Binder = std::function<Kernel(Operation *, BindContext &)>;

  /// Registers `bind(OpTy, BindContext &) -> Kernel`.
  template <typename OpTy, typename Bind> void add(Bind bind) {
    binders[OpTy::getOperationName()] =
        [bind = std::move(bind)](Operation *op,
                                 BindContext &context) -> Kernel {
      return bind(cast<OpTy>(op), context);
    };
  }

  void add(StringRef operation, Binder bind) {
    binders[operation] = std::move(bind);
  }

  /// Takes over the operations of another engine. Of those that both know, the
  /// other one gets what `isOthers` says.
  void addFrom(const KernelSet &other, bool (*isOthers)(Operation *)) {
    for (const auto &entry : other.binders) {
      Binder &binder = binders[entry.getKey()];
      if (!binder)
        binder = entry.getValue();
      else
        binder = [own = binder, theirs = entry.getValue(),
                  isOthers](Operation *op, BindContext &context) {
          return isOthers(op) ? theirs(op, context) : own(op, context);
        };
    }
  }

  const Binder *find(StringRef operation) const {
    auto it = binders.find(operation);
    return it == binders.end() ? nullptr : &it->second;
  }

  /// Decides which operations are computed together; `mayAbsorb` tells which
  /// ones may follow another.
  std::function<FusionPlan(mlir::func::FuncOp,
                           const std::function<bool(Operation *)> &mayAbsorb)>
      planFusion;
  /// Makes the kernel that brings a value into another layout.
  std::function<Kernel(const ValueInfo &from, Layout to)> makeReorder;
  /// Makes the kernel that rounds a result in place to what its type can hold,
  /// for engines that keep the values of codes instead of codes. A kernel
  /// without a function is not needed.
  std::function<Kernel(mlir::OpResult)> makeRounding;

private:
  llvm::StringMap<Binder> binders;
};

} // namespace parallax

#endif // PARALLAX_BACKEND_CORE_KERNELSET_H
