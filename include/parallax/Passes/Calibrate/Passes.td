//===- Passes.td - The pass that finds ranges ----------*- tablegen -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// For tests and experiments; the pipeline calls the functions themselves, with
// the samples of the user.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_PASSES_CALIBRATE_PASSES_TD
#define PARALLAX_PASSES_CALIBRATE_PASSES_TD

include "mlir/Pass/PassBase.td"

def NNCalibrate : Pass<"nn-calibrate", "::mlir::ModuleOp"> {
  let summary = "Give float tensors their ranges";
  let description = [{
    Runs the float function of the module, which is the first one, on samples,
    and writes the range of every float tensor into its type. What a type can't
    hold goes into the attribute `nn.calibration` of the operation or argument:
    the range for 16-bit codes and that of all values, where they differ, and
    the extremes of each channel.

    Before: a float network. After: the same network, in which every float
    tensor but constants is calibrated. It computes the same.

    Samples are random numbers between -1 and 1; or no sample is run, and the
    ranges come from the `quant/calibration.json` of a build. A float tensor
    that this file lacks is an error.

    ```mlir
    // before
    %y = nn.sigmoid %x : (tensor<4xf32>) -> tensor<4xf32>
    // after
    %y = nn.sigmoid %x
      : (tensor<4x!quant.calibrated<f32<-0.9:0.8>>>)
      -> tensor<4x!quant.calibrated<f32<0.28:0.69>>>
    ```
  }];
  let dependentDialects = ["::parallax::nn::NNDialect",
                           "::mlir::quant::QuantDialect"];
  let options = [
    Option<"ranges", "ranges", "std::string", /*default=*/"",
           "The calibration.json to take ranges from">,
    Option<"method", "method", "std::string", /*default=*/"\"MinMax\"",
           "How ranges are chosen: MinMax, Percentile, MSE or KL">,
    Option<"samples", "samples", "unsigned", /*default=*/"4",
           "How many samples to run">,
    Option<"seed", "seed", "unsigned", /*default=*/"1",
           "What the random numbers of the samples begin with">];
}

#endif // PARALLAX_PASSES_CALIBRATE_PASSES_TD
