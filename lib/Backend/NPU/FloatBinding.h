//===- FloatBinding.h - From nn operations to float kernels -----*- C++ -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// An nn operator may come with codes, integers or floats. Here its binder is
// replaced for floats only, and what was done is written down as a rule.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_LIB_BACKEND_NPU_FLOATBINDING_H
#define PARALLAX_LIB_BACKEND_NPU_FLOATBINDING_H

#include "Binding.h"
#include "parallax/Backend/NPU/FloatRules.h"
#include "parallax/Dialect/NN/NNOps.h"

namespace parallax::npu {

class FloatKernels {
public:
  FloatKernels(KernelSet &kernels, std::vector<FloatRule> &rules)
      : kernels(kernels), rules(rules) {}

  /// bind(OpTy, BindContext &) makes the kernel for floats.
  template <typename OpTy, typename Bind> void add(StringRef label, Bind bind) {
    addNamed(OpTy::getOperationName(), label,
             [bind](Operation *op, BindContext &context) -> Kernel {
               return bind(cast<OpTy>(op), context);
             });
  }
  void addNamed(StringRef name, StringRef label, KernelSet::Binder bind);

  /// The kernels of the float engine are exact, for this reason. Those that
  /// compute numbers have their NaNs unified.
  template <typename... OpTy>
  void keepComputing(StringRef label, StringRef because) {
    (keepNamed(OpTy::getOperationName(), label, because, true), ...);
  }
  template <typename... OpTy>
  void keepMoving(StringRef label, StringRef because) {
    (keepNamed(OpTy::getOperationName(), label, because, false), ...);
  }

private:
  void keepNamed(StringRef name, StringRef label, StringRef because,
                 bool computes);

  KernelSet &kernels;
  std::vector<FloatRule> &rules;
};

// One function per file.
void addFloatComposites(FloatKernels &kernels);
void addFloatElementwise(FloatKernels &kernels);
void addFloatMac(FloatKernels &kernels);

inline int64_t normalizedAxis(int64_t axis, const ValueInfo &x) {
  return axis < 0 ? axis + int64_t(x.shape.size()) : axis;
}

} // namespace parallax::npu

#endif // PARALLAX_LIB_BACKEND_NPU_FLOATBINDING_H
