//===- Allowed.h - Types that layers may have ------------------*- C++ -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// What op_name_dict and op_type_dict of a tuning allow.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_LIB_TUNE_ALLOWED_H
#define PARALLAX_LIB_TUNE_ALLOWED_H

#include "parallax/Analysis/Diagnosis.h"
#include "parallax/Config/BuildConfig.h"
#include "parallax/Support/LLVM.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace parallax {

/// Whether a layer may have a type. Names win over operators, and the first
/// pattern that matches decides; without one all types are allowed.
bool isAllowed(const TuningConfig &config, const std::string &layer,
               const std::string &opType, DataType type);

/// The rules for layers that have no choice between 8 and 16 bits. Throws Error
/// if a pattern matches no layer.
std::vector<ConfigEdit> requiredTypes(const TuningConfig &config,
                                      mlir::func::FuncOp network);

} // namespace parallax

#endif // PARALLAX_LIB_TUNE_ALLOWED_H
