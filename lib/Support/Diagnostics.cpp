//===- Diagnostics.cpp - From diagnostics to errors -----------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// The sentences of passes name the layer themselves, so locations are left out.
//===----------------------------------------------------------------------===//
#include "parallax/Support/Diagnostics.h"
#include "parallax/Support/Log.h"

namespace parallax {

void takeDiagnostic(mlir::Diagnostic &diagnostic, std::string &errors) {
  switch (diagnostic.getSeverity()) {
  case mlir::DiagnosticSeverity::Error:
    errors += (errors.empty() ? "" : "\n") + diagnostic.str();
    return;
  case mlir::DiagnosticSeverity::Warning:
    return log(LogLevel::Warning, "{}", diagnostic.str());
  case mlir::DiagnosticSeverity::Note:
  case mlir::DiagnosticSeverity::Remark:
    return log(LogLevel::Debug, "{}", diagnostic.str());
  }
}

} // namespace parallax
