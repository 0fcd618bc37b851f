//===- CodeMap.h - Functions of one code, spelled out ----------*- C++ -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// There are so few codes that the result for each of them can be computed
// before a network runs, by the kernel itself. What remains to be done for an
// element is one look-up, however much its formula does.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_BACKEND_NPU_KERNELS_CODEMAP_H
#define PARALLAX_BACKEND_NPU_KERNELS_CODEMAP_H

#include "parallax/Backend/NPU/Kernels/Codes.h"

#include <functional>

namespace parallax::npu {

class CodeMap {
public:
  /// `kernel` computes y from x, a vector of all codes.
  CodeMap(DType xType, DType yType,
          const std::function<void(const Tensor &x, Tensor &y)> &kernel);

  void run(const Tensor &x, Tensor &y) const;

private:
  Tensor entries;
};

} // namespace parallax::npu

#endif // PARALLAX_BACKEND_NPU_KERNELS_CODEMAP_H
