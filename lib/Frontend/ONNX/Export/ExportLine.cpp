//===- ExportLine.cpp - The vocabulary of export lines --------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Copies MLIR attributes to ONNX attributes by their type, and builds the table
// of export lines from all families.
//===----------------------------------------------------------------------===//
#include "ExportLine.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace parallax::onnx_export {

Parameter copy(StringRef name, StringRef target) {
  StringRef written = target.empty() ? name : target;
  return [=](Layer &layer) {
    // Only an optional attribute may be absent: defaults are filled in.
    Attribute value = layer.op->getAttr(name);
    if (!value)
      return;
    llvm::TypeSwitch<Attribute>(value)
        .Case([&](BoolAttr attr) { layer.setInt(written, attr.getValue()); })
        .Case([&](IntegerAttr attr) { layer.setInt(written, attr.getInt()); })
        .Case([&](FloatAttr attr) {
          layer.setFloat(written, float(attr.getValueAsDouble()));
        })
        .Case([&](StringAttr attr) { layer.setString(written, attr); })
        .Case([&](DenseI64ArrayAttr attr) { layer.setInts(written, attr); })
        .Case([&](DenseF32ArrayAttr attr) { layer.setFloats(written, attr); })
        .Case([&](ArrayAttr attr) {
          SmallVector<StringRef> words(attr.getAsValueRange<StringAttr>());
          layer.setStrings(written, words);
        })
        .Default([&](Attribute) {
          layer.fail("attribute '{}' has a type that ONNX does not have",
                     name.str());
        });
  };
}

Parameter axis() {
  return [](Layer &layer) {
    int64_t axis = layer.op->getAttrOfType<IntegerAttr>("axis").getInt();
    layer.setInt("axis", normalizedAxis(axis, layer.operandRank(0)));
  };
}

void writeParameters(Layer &layer, const std::vector<Parameter> &parameters) {
  for (const Parameter &parameter : parameters)
    parameter(layer);
}

ExportLine &ExportTable::add(StringRef operation, Operator name,
                             std::vector<Parameter> parameters) {
  ExportLine &line = lines[operation];
  line.choose = [name](Operation *) { return name; };
  line.write = [parameters = std::move(parameters)](Layer &layer) {
    layer.addOperands(layer.op->getOperands());
    writeParameters(layer, parameters);
  };
  return line;
}

const ExportLine *ExportTable::find(OperationName name) const {
  auto it = lines.find(name.getStringRef());
  return it == lines.end() ? nullptr : &it->second;
}

const ExportTable &exportTable() {
  static const ExportTable table = [] {
    ExportTable table;
    addElementwiseExports(table);
    addIndexingExports(table);
    addLayoutExports(table);
    addMacExports(table);
    addNormalizeExports(table);
    addPoolExports(table);
    addQuantizeExports(table);
    addRecurrentExports(table);
    addReduceExports(table);
    addResizeExports(table);
    return table;
  }();
  return table;
}

} // namespace parallax::onnx_export
