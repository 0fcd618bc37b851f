//===- Passes.cpp - The pass that measures precision ----------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Writes the tables of an analysis into the views that they are about.
//===----------------------------------------------------------------------===//
#include "parallax/Passes/Analyze/Passes.h"

#include "parallax/Dialect/NN/NNOps.h"
#include "parallax/Dialect/NPU/NPUOps.h"
#include "parallax/Passes/Analyze/Analyze.h"
#include "parallax/Passes/Calibrate/RandomSamples.h"
#include "parallax/Support/Error.h"
#include "parallax/Support/LayerName.h"
#include "parallax/Support/QuantizedType.h"
#include "parallax/Support/TensorAttr.h"
#include "parallax/Support/Views.h"

#include "mlir/IR/Builders.h"
#include "llvm/ADT/StringMap.h"

#include <fmt/format.h>

using namespace mlir;

namespace parallax {

#define GEN_PASS_DEF_PRECISIONANALYSIS
#include "parallax/Passes/Analyze/Passes.h.inc"

namespace {

/// Adds a table to the layers of its view.
void annotate(const PrecisionTable &table, func::FuncOp view) {
  llvm::StringMap<Operation *> makers;
  for (Operation &op : view.front())
    for (const std::string &tensor : getLayerName(&op).tensors)
      if (!tensor.empty())
        makers[tensor] = &op;
  Builder builder(view.getContext());
  StringRef name = table.method == AnalysisMethod::PerLayer
                       ? "analysis.per_layer"
                       : "analysis.end_to_end";
  for (const PrecisionRow &row : table.rows) {
    Operation *op = makers.lookup(row.tensor);
    NamedAttrList values(op->getAttrOfType<DictionaryAttr>(name));
    values.set(row.tensor, builder.getF64FloatAttr(row.metrics.similarity()));
    op->setAttr(name, values.getDictionary(view.getContext()));
  }
  for (const std::string &tensor : table.unmatched)
    emitRemark(view.getLoc(),
               fmt::format("{} {}: tensor '{}' is not compared",
                           nameOf(table.method), nameOf(table.mode), tensor));
}

struct PrecisionAnalysis : impl::PrecisionAnalysisBase<PrecisionAnalysis> {
  using PrecisionAnalysisBase::PrecisionAnalysisBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    auto fail = [&](const std::string &why) {
      emitError(module.getLoc(), why);
      signalPassFailure();
    };
    auto quantized = module.lookupSymbol<func::FuncOp>(views::quantized);
    if (!quantized)
      return fail("there is no function called quantized");
    AnalyzedNetwork views{*module.getOps<func::FuncOp>().begin(), quantized,
                          module.lookupSymbol<func::FuncOp>(views::npu)};
    if (views.network == quantized)
      return fail("the first function has to be the float network");
    auto types =
        llvm::map_to_vector(views.network.getArgumentTypes(), withoutRange);
    if (!llvm::equal(types, quantized.getArgumentTypes()))
      return fail("the float network and the quantized one have different "
                  "inputs");
    std::vector<Comparison> comparisons;
    for (auto method : {AnalysisMethod::PerLayer, AnalysisMethod::EndToEnd}) {
      comparisons.push_back({method, AnalysisMode::Reference});
      if (views.machine)
        comparisons.push_back({method, AnalysisMode::NPUBackend});
    }
    FailureOr<Samples> made = randomSamples(quantized, samples, seed);
    if (failed(made))
      return signalPassFailure();
    try {
      for (const PrecisionTable &table :
           analyzePrecision(views, comparisons, *made).tables)
        annotate(table, table.mode == AnalysisMode::Reference ? quantized
                                                              : views.machine);
    } catch (const Error &error) {
      fail(error.what());
    }
  }
};

} // namespace
} // namespace parallax
