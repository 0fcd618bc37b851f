//===- Passes.td - The pass that lowers to the target -*- tablegen -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// For tests and experiments; tools call the function itself.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_PASSES_LOWER_PASSES_TD
#define PARALLAX_PASSES_LOWER_PASSES_TD

include "mlir/Pass/PassBase.td"

def NpuLower : Pass<"npu-lower", "::mlir::ModuleOp"> {
  let summary = "Lower the quantized view to the integers of a target";
  let description = [{
    Adds a function `npu` that computes what the function `quantized` does, in
    the integers of docs/numerics.md. A layer that has no integer kernel is
    reported and computes in float.

    ```mlir
    // before
    %y = nn.add %a, %b : (tensor<4x!quant.uniform<u8:f32, 0.5:10>>,
                          tensor<4x!quant.uniform<u8:f32, 0.25>>)
      -> tensor<4x!quant.uniform<u8:f32, 1.0:5>>
    // after
    %y = npu.linear %a, %b {coefficients = array<i64: 1073741824, 536870912>,
        input_zero_points = array<i64: 10, 0>, shift = 31 : i32,
        zero_point = 5, low = 0, high = 255, rounding = "half_up"}
      : (tensor<4xui8>, tensor<4xui8>) -> tensor<4xui8>
    ```
  }];
  let dependentDialects = ["::parallax::nn::NNDialect",
                           "::parallax::npu::NPUDialect"];
  let options = [Option<"target", "target", "std::string",
      /*default=*/"\"generic\"",
      "The chip: a name, or the path of a .json file that describes it">];
}

#endif // PARALLAX_PASSES_LOWER_PASSES_TD
