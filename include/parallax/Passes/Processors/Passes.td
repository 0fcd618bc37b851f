//===- Passes.td - The pass that adds processors -*- tablegen -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// For tests and experiments; a build calls the function itself.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_PASSES_PROCESSORS_PASSES_TD
#define PARALLAX_PASSES_PROCESSORS_PASSES_TD

include "mlir/Pass/PassBase.td"

def AddProcessors : Pass<"nn-add-processors", "::mlir::func::FuncOp"> {
  let summary = "Layers for what arrives at inputs and leaves at outputs";
  let description = [{
    Adds what `input_processors` and `output_processors` of a configuration ask
    for; see docs/processors.md.

    ```mlir
    // before
    func.func @main(%x: tensor<1x3x224x224xf32> {nn.name = "x"})
    // after
    func.func @main(%x: tensor<1x224x224x3xui8> {nn.name = "x", ...}) {
      %0 = nn.cast %x {to = f32}
      %1 = nn.normalize %0 {mean = ..., std = ..., axis = 3}
      %2 = nn.transpose %1 {perm = array<i64: 0, 3, 1, 2>}
    ```
  }];
  let dependentDialects = ["::parallax::nn::NNDialect"];
  let options = [Option<"config", "config", "std::string", /*default=*/"",
      "The configuration of the build">];
}

#endif // PARALLAX_PASSES_PROCESSORS_PASSES_TD
