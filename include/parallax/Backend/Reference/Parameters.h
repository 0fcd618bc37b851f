//===- Parameters.h - From operations to parameters of kernels -*- C++ -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// What more than one engine reads from an operation.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_BACKEND_REFERENCE_PARAMETERS_H
#define PARALLAX_BACKEND_REFERENCE_PARAMETERS_H

#include "parallax/Backend/Reference/Kernels/Resize.h"
#include "parallax/Dialect/NN/NNOps.h"

namespace parallax::reference {

kernels::ResizeParams resizeParams(nn::ResizeOp op);

} // namespace parallax::reference

#endif // PARALLAX_BACKEND_REFERENCE_PARAMETERS_H
