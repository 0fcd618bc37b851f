//===- PrecisionAttribute.cpp - The types that a layer was assigned -------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// The attribute nn.precision between assignment and quantization.
//===----------------------------------------------------------------------===//
#include "TypePlan.h"

using namespace mlir;

namespace parallax {

static constexpr StringLiteral precisionAttr = "nn.precision";

/// The parts of a precision, by the names of the attribute.
static constexpr std::pair<StringLiteral, DataType LayerPrecision::*>
    precisionParts[] = {{"data", &LayerPrecision::data},
                        {"weight", &LayerPrecision::weight},
                        {"output", &LayerPrecision::output}};

LayerPrecision getPrecision(Operation *op) {
  LayerPrecision precision;
  auto attributes = op->getAttrOfType<DictionaryAttr>(precisionAttr);
  for (auto [name, part] : precisionParts)
    if (auto type = attributes ? attributes.getAs<StringAttr>(name) : nullptr)
      precision.*part =
          parseEnum<DataType>(type.getValue()).value_or(precision.*part);
  return precision;
}

void setPrecision(Operation *op, const LayerPrecision &precision,
                  bool asksForData) {
  Builder builder(op->getContext());
  NamedAttrList attributes;
  for (auto [name, part] : precisionParts)
    if (precision.*part != LayerPrecision().*part ||
        (asksForData && part == &LayerPrecision::data))
      attributes.set(name, builder.getStringAttr(configName(precision.*part)));
  if (attributes.empty())
    op->removeAttr(precisionAttr);
  else
    op->setAttr(precisionAttr, attributes.getDictionary(op->getContext()));
}

quantize::Precisions quantize::takePrecisions(func::FuncOp function) {
  Precisions precisions;
  for (Operation &op : function.front().without_terminator()) {
    auto attributes = op.getAttrOfType<DictionaryAttr>(precisionAttr);
    precisions.set(&op, getPrecision(&op),
                   attributes && attributes.contains("data"));
    op.removeAttr(precisionAttr);
  }
  return precisions;
}

} // namespace parallax
