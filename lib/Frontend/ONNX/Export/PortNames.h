//===- PortNames.h - What a file calls its interface -----------*- C++ -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// A network has the same inputs and outputs in every file that is written of
// it.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_LIB_FRONTEND_ONNX_EXPORT_PORTNAMES_H
#define PARALLAX_LIB_FRONTEND_ONNX_EXPORT_PORTNAMES_H

#include "parallax/Support/LayerName.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <fmt/format.h>

namespace parallax::onnx_export {

inline ValueRange resultsOf(mlir::func::FuncOp function) {
  return function.getBody().front().getTerminator()->getOperands();
}

inline std::string inputName(mlir::BlockArgument argument) {
  std::string name = getTensorName(argument);
  return name.empty() ? fmt::format("input_{}", argument.getArgNumber()) : name;
}

inline std::string outputName(mlir::func::FuncOp function, unsigned number) {
  auto given = function.getResultAttrOfType<StringAttr>(number, "nn.name");
  std::string name =
      given ? given.str() : getTensorName(resultsOf(function)[number]);
  return name.empty() ? fmt::format("output_{}", number) : name;
}

} // namespace parallax::onnx_export

#endif // PARALLAX_LIB_FRONTEND_ONNX_EXPORT_PORTNAMES_H
