//===- Scan.h - Walks along one axis ---------------------------*- C++ -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Arg-reductions, selection and prefix sums with the semantics of ONNX, for
// floats and codes alike. Axes are normalised (not negative).
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_BACKEND_KERNELS_SCAN_H
#define PARALLAX_BACKEND_KERNELS_SCAN_H

#include "parallax/Support/Tensor.h"

namespace parallax::kernels {

/// The index (int64) of the extreme element along `axis`; the first one of
/// equals unless `selectLast`. NaN beats every number.
void argReduce(bool isMax, const Tensor &x, Tensor &y, int64_t axis,
               bool selectLast);

/// The k extreme elements along `axis`, where k is that dimension of the
/// outputs. Of equal elements the lower index comes first; NaN is larger than
/// every number. Without `sorted` their order is unspecified.
void topk(const Tensor &x, Tensor &values, Tensor &indices, int64_t axis,
          bool largest, bool sorted);

void cumsum(const Tensor &x, Tensor &y, int64_t axis, bool exclusive,
            bool reverse);

} // namespace parallax::kernels

#endif // PARALLAX_BACKEND_KERNELS_SCAN_H
