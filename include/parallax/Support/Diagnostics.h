//===- Diagnostics.h - From diagnostics to errors --------------*- C++ -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Passes report through MLIR's diagnostics and say that they have failed. The
// library that calls them promises an Error with one clear text instead.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_SUPPORT_DIAGNOSTICS_H
#define PARALLAX_SUPPORT_DIAGNOSTICS_H

#include "parallax/Support/Error.h"
#include "parallax/Support/LLVM.h"

#include "mlir/IR/Diagnostics.h"

#include <type_traits>

namespace parallax {

/// Adds an error to `errors`, one per line, and hands anything milder on to the
/// listener of this thread.
void takeDiagnostic(mlir::Diagnostic &diagnostic, std::string &errors);

/// Calls a function that returns LogicalResult or FailureOr. Returns what it
/// made, or throws Error with what it has reported.
template <typename Function>
auto orThrow(MLIRContext *context, Function &&function) {
  std::string errors;
  mlir::ScopedDiagnosticHandler handler(context,
                                        [&](mlir::Diagnostic &diagnostic) {
                                          takeDiagnostic(diagnostic, errors);
                                          return mlir::success();
                                        });
  auto result = function();
  if (mlir::failed(result))
    throw Error(errors);
  if constexpr (!std::is_same_v<decltype(result), mlir::LogicalResult>)
    return std::move(*result);
}

} // namespace parallax

#endif // PARALLAX_SUPPORT_DIAGNOSTICS_H
