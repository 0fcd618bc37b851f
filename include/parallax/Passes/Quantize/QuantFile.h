//===- QuantFile.h - The parameters of every tensor ------------*- C++ -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// quant/quant_axmodel.json, in the form that users of Pulsar2 know: what each
// layer reads and writes, and the numbers behind it.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_PASSES_QUANTIZE_QUANTFILE_H
#define PARALLAX_PASSES_QUANTIZE_QUANTFILE_H

#include "parallax/Support/LLVM.h"

#include <string>

namespace parallax {

/// The text of the file for a quantized network.
std::string quantFileText(mlir::func::FuncOp quantized);

} // namespace parallax

#endif // PARALLAX_PASSES_QUANTIZE_QUANTFILE_H
