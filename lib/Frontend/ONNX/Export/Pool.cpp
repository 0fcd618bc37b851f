//===- Pool.cpp - Export of pooling operators -----------------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Every pool has a window in nn. In ONNX some attributes of it came late to
// some pools, so they are written only if they say something.
//===----------------------------------------------------------------------===//
#include "ExportLine.h"

#include "llvm/ADT/STLExtras.h"

namespace parallax::onnx_export {

/// The dilations, which the operator has had since a version.
static Parameter dilations(int64_t since) {
  return [=](Layer &layer) {
    auto list = layer.op->getAttrOfType<mlir::DenseI64ArrayAttr>("dilations");
    if (llvm::all_of(list.asArrayRef(), [](int64_t d) { return d == 1; }))
      return;
    layer.needs(since);
    layer.setInts("dilations", list);
  };
}

static Parameter ceilMode(int64_t since) {
  return [=](Layer &layer) {
    if (!layer.op->getAttrOfType<mlir::BoolAttr>("ceil_mode").getValue())
      return;
    layer.needs(since);
    layer.setInt("ceil_mode", 1);
  };
}

static std::vector<Parameter> window(int64_t dilationsSince,
                                     int64_t ceilModeSince,
                                     std::vector<Parameter> more = {}) {
  std::vector<Parameter> parameters = {
      copy("kernel", "kernel_shape"), copy("pads"), copy("strides"),
      dilations(dilationsSince), ceilMode(ceilModeSince)};
  parameters.insert(parameters.end(), more.begin(), more.end());
  return parameters;
}

void addPoolExports(ExportTable &table) {
  table.direct<nn::AveragePoolOp>("AveragePool",
                                  window(19, 10, {copy("count_include_pad")}));
  table.direct<nn::GlobalAveragePoolOp>("GlobalAveragePool");
  table.direct<nn::GlobalLpPoolOp>("GlobalLpPool", {copy("p")});
  table.direct<nn::GlobalMaxPoolOp>("GlobalMaxPool");
  table.direct<nn::LpPoolOp>("LpPool", window(18, 18, {copy("p")}));
  table.direct<nn::MaxPoolOp>("MaxPool", window(10, 10));
  table.direct<nn::MaxPoolWithIndicesOp>(
      "MaxPool", window(10, 10, {copy("storage_order")}));
}

} // namespace parallax::onnx_export
