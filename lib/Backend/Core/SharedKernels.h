//===- SharedKernels.h - One kernel for equal operations -------*- C++ -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// A function may compute the same layer several times on different tensors, as
// precision analysis does. What a kernel keeps of weights then exists once, in
// memory and in the time that it takes to pack them.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_LIB_BACKEND_CORE_SHAREDKERNELS_H
#define PARALLAX_LIB_BACKEND_CORE_SHAREDKERNELS_H

#include "parallax/Backend/Core/KernelSet.h"

#include <unordered_map>

namespace parallax {

class SharedKernels {
public:
  /// What `bind` makes of an operation, or has made of one that differs in
  /// nothing but the tensors that are not known yet.
  Kernel get(Operation *op, BindContext &context,
             llvm::function_ref<Kernel()> bind);

private:
  struct Entry {
    Operation *op = nullptr;
    std::vector<ValueInfo> offered;
    BindContext answer;
    Kernel kernel;
  };
  /// By hash.
  std::unordered_multimap<size_t, Entry> entries;
};

} // namespace parallax

#endif // PARALLAX_LIB_BACKEND_CORE_SHAREDKERNELS_H
