//===- ExportLine.h - The vocabulary of export lines -----------*- C++ -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Most nn operations differ from their ONNX operator in names only. The words
// here let such an operation be one line of a table.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_LIB_FRONTEND_ONNX_EXPORT_EXPORTLINE_H
#define PARALLAX_LIB_FRONTEND_ONNX_EXPORT_EXPORTLINE_H

#include "Layer.h"

#include "llvm/ADT/StringMap.h"

#include <functional>

namespace parallax::onnx_export {

/// Writes one attribute.
using Parameter = std::function<void(Layer &)>;

/// The attribute as it is; `target` is its name in ONNX, if it is another one.
Parameter copy(StringRef name, StringRef target = "");
/// The attribute `axis` as a dimension of the first operand.
Parameter axis();

/// Maps [-rank, rank) to [0, rank).
inline int64_t normalizedAxis(int64_t axis, int64_t rank) {
  return axis < 0 ? axis + rank : axis;
}

void writeParameters(Layer &layer, const std::vector<Parameter> &parameters);

/// What an operation is in ONNX.
struct Operator {
  StringRef type;
  /// Of ours: a function that the file defines itself.
  bool isFunction = false;
};

/// An export line.
struct ExportLine {
  std::function<Operator(Operation *)> choose;
  std::function<void(Layer &)> write;
  /// Results from this one on are left out if they have no consumers.
  unsigned requiredResults = ~0u;
};

class ExportTable {
public:
  /// The operator takes the same operands.
  template <typename OpTy>
  ExportLine &direct(StringRef type, std::vector<Parameter> parameters = {}) {
    return add(OpTy::getOperationName(), {type}, std::move(parameters));
  }
  /// The same for one of our functions.
  template <typename OpTy>
  ExportLine &function(StringRef type, std::vector<Parameter> parameters = {}) {
    return add(OpTy::getOperationName(), {type, true}, std::move(parameters));
  }
  /// `write` does all the work.
  template <typename OpTy>
  ExportLine &onOp(StringRef type, void (*write)(Layer &, OpTy)) {
    return add<OpTy>([=](Operation *) { return Operator{type}; }, write);
  }
  /// The operator depends on the operation.
  template <typename OpTy>
  ExportLine &onOp(Operator (*choose)(OpTy), void (*write)(Layer &, OpTy)) {
    return add<OpTy>([=](Operation *op) { return choose(cast<OpTy>(op)); },
                     write);
  }

  /// The line of an operation, or null.
  const ExportLine *find(mlir::OperationName name) const;

private:
  template <typename OpTy, typename Choose>
  ExportLine &add(Choose choose, void (*write)(Layer &, OpTy)) {
    ExportLine &line = lines[OpTy::getOperationName()];
    line.choose = choose;
    line.write = [=](Layer &layer) { write(layer, cast<OpTy>(layer.op)); };
    return line;
  }
  ExportLine &add(StringRef operation, Operator name,
                  std::vector<Parameter> parameters);

  llvm::StringMap<ExportLine> lines;
};

/// All export lines.
const ExportTable &exportTable();

// One function per operator family, each in the source file of its name.
void addElementwiseExports(ExportTable &table);
void addIndexingExports(ExportTable &table);
void addLayoutExports(ExportTable &table);
void addMacExports(ExportTable &table);
void addNormalizeExports(ExportTable &table);
void addPoolExports(ExportTable &table);
void addQuantizeExports(ExportTable &table);
void addRecurrentExports(ExportTable &table);
void addReduceExports(ExportTable &table);
void addResizeExports(ExportTable &table);

} // namespace parallax::onnx_export

#endif // PARALLAX_LIB_FRONTEND_ONNX_EXPORT_EXPORTLINE_H
