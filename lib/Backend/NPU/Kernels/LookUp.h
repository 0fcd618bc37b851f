//===- LookUp.h - Tables of bytes ------------------------------*- C++ -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// A table of 256 bytes fits into registers, whose bytes vectors can select.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_LIB_BACKEND_NPU_KERNELS_LOOKUP_H
#define PARALLAX_LIB_BACKEND_NPU_KERNELS_LOOKUP_H

#include <cstdint>

namespace parallax::npu {

/// y[i] = table[x[i]], with the instruction set in use.
void lookUpBytes(const uint8_t *x, int64_t count, const uint8_t *table,
                 uint8_t *y);

} // namespace parallax::npu

#endif // PARALLAX_LIB_BACKEND_NPU_KERNELS_LOOKUP_H
