//===- Passes.td - The pass that measures precision ----*- tablegen -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// For tests and experiments; tools call the function itself.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_PASSES_ANALYZE_PASSES_TD
#define PARALLAX_PASSES_ANALYZE_PASSES_TD

include "mlir/Pass/PassBase.td"

def PrecisionAnalysis : Pass<"nn-precision-analysis", "::mlir::ModuleOp"> {
  let summary = "What each layer loses, as attributes of the layers";
  let description = [{
    Runs the float function of the module, which is the first one, beside the
    functions `quantized` and, if there is one, `npu`, and compares them layer
    by layer. Each layer of a view that makes a tensor of the float function
    gets two attributes with the similarity by tensor: `analysis.per_layer`, if
    the layer reads the tensors of the float function, and
    `analysis.end_to_end`, if it reads those of its own view. Tensors that a
    view does not have are reported as remarks.

    Samples are random numbers, in the ranges of the codes that they become.

    ```mlir
    // before
    %y = nn.sigmoid %x : (tensor<4x!quant.uniform<u8:f32, 0.5:10>>)
      -> tensor<4x!quant.uniform<u8:f32, 0.25>>
    // after
    %y = nn.sigmoid %x {analysis.end_to_end = {y = 0.98 : f64},
                        analysis.per_layer = {y = 0.99 : f64}}
      : (tensor<4x!quant.uniform<u8:f32, 0.5:10>>)
      -> tensor<4x!quant.uniform<u8:f32, 0.25>>
    ```
  }];
  let dependentDialects = ["::parallax::nn::NNDialect",
                           "::parallax::npu::NPUDialect"];
  let options = [
    Option<"samples", "samples", "unsigned", /*default=*/"2",
           "How many samples to compare">,
    Option<"seed", "seed", "unsigned", /*default=*/"1",
           "What the random numbers of the samples begin with">];
}

#endif // PARALLAX_PASSES_ANALYZE_PASSES_TD
