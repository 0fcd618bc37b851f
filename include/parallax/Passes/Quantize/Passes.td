//===- Passes.td - The passes that quantize a network --*- tablegen -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// For tests and experiments; the pipeline calls the functions themselves, with
// the samples of the user.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_PASSES_QUANTIZE_PASSES_TD
#define PARALLAX_PASSES_QUANTIZE_PASSES_TD

include "mlir/Pass/PassBase.td"

class NetworkPass<string name> : Pass<name, "::mlir::ModuleOp"> {
  let dependentDialects = ["::parallax::nn::NNDialect",
                           "::mlir::quant::QuantDialect"];
}

/// What is measured on samples.
class MeasuringPass<string name> : NetworkPass<name> {
  list<Option> measuringOptions = [
    Option<"samples", "samples", "unsigned", /*default=*/"8",
           "How many samples to measure on">,
    Option<"seed", "seed", "unsigned", /*default=*/"1",
           "What the random numbers of the samples begin with">];
  let options = measuringOptions;
}

def NNAssignPrecision : NetworkPass<"nn-assign-precision"> {
  let summary = "Give layers the types that layer_configs asks for";
  let description = [{
    Applies rules of `quant.layer_configs` to the float function of the module,
    which is the first one. The types of a layer become its attribute
    `nn.precision`, a dictionary of what differs from U8 with weights S8:
    `data`, `weight` and `output`. A layer that only runs in float gets FP32.

    A rule that can't be granted, or that matches nothing, is an error; one
    error lists all of them, and nothing is changed then.

    ```mlir
    // before, with a rule for op_type Sigmoid and data_type U16
    %y = nn.sigmoid %x : (tensor<4xf32>) -> tensor<4xf32>
    // after
    %y = nn.sigmoid %x {nn.precision = {data = "U16"}}
      : (tensor<4xf32>) -> tensor<4xf32>
    ```
  }];
  let options = [
    Option<"rules", "rules", "std::string", /*default=*/"\"[]\"",
           "quant.layer_configs, as JSON">,
    Option<"highest", "highest", "bool", /*default=*/"false",
           "quant.highest_mix_precision">,
    Option<"allowUnmatched", "allow-unmatched", "bool", /*default=*/"false",
           "Whether rules may match nothing">];
}

def NNEqualize : MeasuringPass<"nn-equalize"> {
  let summary = "Make the weights of consecutive layers alike";
  let description = [{
    Cross-layer equalization on the calibrated function of the module, which is
    the first one: where one layer with weights reads what another one makes,
    with nothing in between that scales can't pass, the channels of the tensor
    between them are scaled such that the weights on both sides have the same
    extremes. Types and `nn.calibration` follow.

    Every pair is measured on samples, in the types of `nn.precision`, and left
    alone unless both layers gain. The network computes the same in float, up to
    rounding. A remark tells what became of each pair.

    Samples are random numbers in the ranges of the inputs.
  }];
}

def NNSmoothQuant : MeasuringPass<"nn-smooth-quant"> {
  let summary = "Move outliers of activations into weights";
  let description = [{
    SmoothQuant on the calibrated function of the module, which is the first
    one: a tensor whose channels differ much in magnitude is divided by
    `max|X|^strength / max|W|^(1 - strength)` for each channel, and the weights
    that read it are multiplied by the same. The division becomes part of the
    weights, or of the scale of the normalization, that the tensor comes from.
    Types and `nn.calibration` follow.

    Every tensor is measured on samples, in the types of `nn.precision`, and
    left alone unless its readers compute more precisely. The network computes
    the same in float, up to rounding. A remark tells what became of each
    tensor.

    Samples are random numbers in the ranges of the inputs.
  }];
  let options = !listconcat(measuringOptions, [
    Option<"threshold", "threshold", "double", /*default=*/"0.2",
           "quant.smooth_quant_threshold">,
    Option<"strength", "strength", "double", /*default=*/"0.6",
           "quant.smooth_quant_strength; 0 searches the best">]);
}

def NNQuantize : NetworkPass<"nn-quantize"> {
  let summary = "Add the quantized view of a calibrated network";
  let description = [{
    Adds a function `quantized` beside the calibrated function of the module,
    which is the first one. A tensor has the type of codes that its readers
    compute in, as `nn.precision` says, and the scale of its calibrated range;
    weights and biases are codes; a change of type is an `nn.requantize`.

    Before: every float tensor but constants is calibrated, else it is an error.
    After: the first function is as it was; the second one has quantized types,
    and neither `nn.calibration` nor `nn.precision`.

    ```mlir
    // before
    %y = nn.sigmoid %x
      : (tensor<4x!quant.calibrated<f32<-1.0:1.0>>>)
      -> tensor<4x!quant.calibrated<f32<0.25:0.75>>>
    // after
    %y = nn.sigmoid %x : (tensor<4x!quant.uniform<u8:f32, 0.0078:128>>)
      -> tensor<4x!quant.uniform<u8:f32, 0.0029>>
    ```
  }];
  let options = [
    Option<"shareParameters", "share-parameters", "bool", /*default=*/"true",
           "Whether tensors share scales where that saves a rounding">];
}

#endif // PARALLAX_PASSES_QUANTIZE_PASSES_TD
