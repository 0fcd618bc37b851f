//===- Quantize.td - What only a quantized network has -*- tablegen -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Quantization changes types, not operators. Two things have no counterpart in
// a float network: weights that are stored as codes, and the place where a
// tensor goes from one type to another.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_DIALECT_NN_QUANTIZE_TD
#define PARALLAX_DIALECT_NN_QUANTIZE_TD

include "parallax/Dialect/NN/NNBase.td"

def NN_RequantizeOp : NN_Op<"requantize", "Linear", "inferRequantize"> {
  let summary = "The same values in another type";
  let description = [{
    Float to codes, codes to float, or codes to other codes: the value of the
    operand, rounded to what the type of the result can hold.

    ```mlir
    %y = nn.requantize %x : (tensor<4x!quant.uniform<u16:f32, 1.0e-03:32768>>)
      -> tensor<4x!quant.uniform<u8:f32, 0.25:128>>
    ```
  }];
  let arguments = (ins NN_Tensor:$x);
  let results = (outs NN_Tensor:$y);
}

def NN_QuantizedConstantOp : NN_Op<"quantized_constant", "Constant",
                                   "inferQuantizedConstant"> {
  let summary = "Weights as codes";
  let description = [{
    `codes` are integers of the storage type of the result; what they stand for
    is in the result's type, with one scale for the tensor or one for each entry
    of a dimension.

    ```mlir
    %w = nn.quantized_constant dense<[[1, -2], [127, 0]]> : tensor<2x2xi8>
      : tensor<2x2x!quant.uniform<i8<-127:127>:f32:0, {0.5, 0.125}>>
    ```
  }];
  let arguments = (ins ElementsAttr:$codes);
  let results = (outs NN_Tensor:$y);
  let assemblyFormat = "attr-dict $codes `:` type($y)";
  let hasVerifier = 1;
}

#endif // PARALLAX_DIALECT_NN_QUANTIZE_TD
