//===- Normalize.td - Normalizations and softmax -*- tablegen -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Operators that divide by a statistic of their own operand, which have integer
// algorithms of their own on the NPU, and those whose statistics are known.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_DIALECT_NN_NORMALIZE_TD
#define PARALLAX_DIALECT_NN_NORMALIZE_TD

include "parallax/Dialect/NN/NNBase.td"

class NN_NormalizationOp<string mnemonic, string shapeRule, string title,
                         dag operands, dag parameters,
                         string quantRule = "Composite">
    : NN_Op<mnemonic, quantRule, shapeRule> {
  let summary = title;
  let arguments = !con((ins NN_Tensor:$x), operands, parameters);
  let results = (outs NN_Tensor:$y);
}

def NN_NormalizeOp : NN_NormalizationOp<"normalize", "inferNormalize",
    "Normalization of what arrives at an input", (ins),
    (ins DenseF32ArrayAttr:$mean, DenseF32ArrayAttr:$std, NN_I64<"1">:$axis),
    "Linear"> {
  let description = [{
    `y = (x - mean) / std` with one entry of `mean` and `std` for each entry of
    `axis`: one subtraction and one division in single precision, the very bits
    that a calibration picture has. `std` must be positive.
  }];
}

def NN_BatchNormalizationOp : NN_NormalizationOp<"batch_normalization",
    "inferChannelNormalization", "Normalization with recorded statistics",
    (ins NN_Tensor:$scale, NN_Tensor:$bias, NN_Tensor:$mean, NN_Tensor:$var),
    (ins NN_F32<"1e-5f">:$epsilon), "Linear"> {
  let answers = ["getChannelAxis"];
  let description = [{
    `y = scale (x - mean) / sqrt(var + epsilon) + bias` per channel, dimension
    1.
  }];
}

def NN_InstanceNormalizationOp : NN_NormalizationOp<"instance_normalization",
    "inferChannelNormalization",
    "Normalization of every channel of every sample",
    (ins NN_Tensor:$scale, NN_Tensor:$bias), (ins NN_F32<"1e-5f">:$epsilon)>;

def NN_GroupNormalizationOp : NN_NormalizationOp<"group_normalization",
    "inferGroupNormalization", "Normalization of groups of channels",
    (ins NN_Tensor:$scale, NN_Tensor:$bias),
    (ins NN_F32<"1e-5f">:$epsilon, I64Attr:$num_groups)> {
  let description = [{ `scale` and `bias` have one entry per channel. }];
}

def NN_LayerNormalizationOp : NN_Op<"layer_normalization", "Composite",
                                    "inferLayerNormalization"> {
  let summary = "Normalization of the dimensions from an axis on";
  let description = [{
    `y = scale (x - mean) / sqrt(var + epsilon) + bias`, with mean and variance
    over the dimensions from `axis` on. Mean and inverse deviation are results
    only if they are used.
  }];
  let arguments = (ins NN_Tensor:$x, NN_Tensor:$scale,
                       Optional<NN_Tensor>:$bias, NN_I64<"-1">:$axis,
                       NN_F32<"1e-5f">:$epsilon,
                       NN_Bool<"false">:$with_statistics);
  let results = (outs NN_Tensor:$y, Variadic<NN_Tensor>:$statistics);
}

def NN_RMSNormalizationOp : NN_NormalizationOp<"rms_normalization",
    "inferRMSNormalization", "Division by the root mean square",
    (ins NN_Tensor:$scale),
    (ins NN_I64<"-1">:$axis, NN_F32<"1e-5f">:$epsilon)>;

def NN_LpNormalizationOp : NN_NormalizationOp<"lp_normalization",
    "inferAlongAxis", "Division by the p-norm", (ins),
    (ins NN_I64<"-1">:$axis, NN_I64In<"2", 1, 2>:$p,
         NN_F32<"0.0f">:$epsilon)> {
  let description = [{
    `y = x / max(norm, epsilon)` along `axis`, and 0 where the norm is 0.
  }];
}

def NN_LRNOp : NN_NormalizationOp<"lrn", "inferLRN",
    "Normalization across close channels",
    (ins), (ins NN_F32<"1e-4f">:$alpha, NN_F32<"0.75f">:$beta,
                NN_F32<"1.0f">:$bias, I64Attr:$size)>;

def NN_MeanVarianceNormalizationOp : NN_NormalizationOp<
    "mean_variance_normalization", "inferMeanVarianceNormalization",
    "Zero mean and unit variance", (ins), (ins DenseI64ArrayAttr:$axes)>;

def NN_SoftmaxOp : NN_NormalizationOp<"softmax", "inferAlongAxis",
    "Exponentials that sum to one", (ins), (ins NN_I64<"-1">:$axis)>;
def NN_LogSoftmaxOp : NN_NormalizationOp<"log_softmax", "inferAlongAxis",
    "Logarithm of the softmax", (ins), (ins NN_I64<"-1">:$axis)>;
def NN_HardmaxOp : NN_NormalizationOp<"hardmax", "inferAlongAxis",
    "One for the first maximum",
    (ins), (ins NN_I64<"-1">:$axis), "Cpu">;

#endif // PARALLAX_DIALECT_NN_NORMALIZE_TD
