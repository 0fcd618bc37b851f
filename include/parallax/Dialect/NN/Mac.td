//===- Mac.td - Multiply-accumulate operators -*- tablegen -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// The operators that do the arithmetic of a network: one exact integer sum of
// products and one requantization each.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_DIALECT_NN_MAC_TD
#define PARALLAX_DIALECT_NN_MAC_TD

include "parallax/Dialect/NN/NNBase.td"

def NN_ConvOp : NN_Op<"conv", "Mac", "inferConv"> {
  let summary = "Convolution over one, two or three spatial dimensions";
  let answers = ["getWeightPlace", "getChannelAxis"];
  let description = [{
    `x` is N x C x spatial, `weight` is M x C/group x kernel, `bias` is M.
    `pads` holds the begin of every spatial dimension, then the end of every
    one. Automatic padding is resolved by the importer.

    ```mlir
    %y = nn.conv %x, %w, %b {dilations = array<i64: 1, 1>,
        pads = array<i64: 1, 1, 1, 1>, strides = array<i64: 2, 2>}
      : (tensor<1x3x8x8xf32>, tensor<16x3x3x3xf32>, tensor<16xf32>)
      -> tensor<1x16x4x4xf32>
    ```
  }];
  let arguments = (ins NN_Tensor:$x, NN_Tensor:$weight,
                       Optional<NN_Tensor>:$bias,
                       DenseI64ArrayAttr:$strides, DenseI64ArrayAttr:$pads,
                       DenseI64ArrayAttr:$dilations, NN_I64<"1">:$group);
  let results = (outs NN_Tensor:$y);
}

def NN_ConvTransposeOp : NN_Op<"conv_transpose", "Mac", "inferConvTranspose"> {
  let summary = "Transposed convolution";
  let answers = ["getWeightPlace", "getChannelAxis"];
  let description = [{
    `weight` is C x M/group x kernel. The extent of a spatial dimension is
    `(in - 1) stride + output_padding + (kernel - 1) dilation + 1 - pads`.
  }];
  let arguments = (ins NN_Tensor:$x, NN_Tensor:$weight,
                       Optional<NN_Tensor>:$bias,
                       DenseI64ArrayAttr:$strides, DenseI64ArrayAttr:$pads,
                       DenseI64ArrayAttr:$dilations,
                       DenseI64ArrayAttr:$output_padding, NN_I64<"1">:$group);
  let results = (outs NN_Tensor:$y);
}

def NN_GemmOp : NN_Op<"gemm", "Mac", "inferGemm"> {
  let summary = "Matrix product with bias";
  let answers = ["getWeightPlace"];
  let description = [{
    `y = alpha op(a) op(b) + beta c` on matrices, where `op` transposes if
    `trans_a` or `trans_b` says so and `c` broadcasts to the result.
  }];
  let arguments = (ins NN_Tensor:$a, NN_Tensor:$b, Optional<NN_Tensor>:$c,
                       NN_F32<"1.0f">:$alpha, NN_F32<"1.0f">:$beta,
                       NN_Bool<"false">:$trans_a, NN_Bool<"false">:$trans_b);
  let results = (outs NN_Tensor:$y);
}

def NN_MatMulOp : NN_Op<"matmul", "Mac", "inferMatMul"> {
  let summary = "Matrix product over the last two dimensions";
  let answers = ["getWeightPlace"];
  let description = [{
    Leading dimensions broadcast; one-dimensional operands act as a row or a
    column, as in NumPy.
  }];
  let arguments = (ins NN_Tensor:$a, NN_Tensor:$b);
  let results = (outs NN_Tensor:$y);
}

def NN_FullyConnectedOp : NN_Op<"fully_connected", "Mac",
                                "inferFullyConnected"> {
  let summary = "Matrix product of the last dimension with weights";
  let answers = ["getWeightPlace"];
  let description = [{
    `y = x weight^T + bias`: `x` is any leading dimensions x K, `weight` is
    N x K, `bias` is N, and the result has N in the place of K.

    ```mlir
    %y = nn.fully_connected %x, %w, %b
      : (tensor<2x7x4xf32>, tensor<3x4xf32>, tensor<3xf32>)
      -> tensor<2x7x3xf32>
    ```
  }];
  let arguments = (ins NN_Tensor:$x, NN_Tensor:$weight,
                       Optional<NN_Tensor>:$bias);
  let results = (outs NN_Tensor:$y);
}

def NN_EinsumOp : NN_Op<"einsum", "Mac", "inferEinsum"> {
  let summary = "Sum of products in Einstein's notation";
  let answers = ["getWeightPlace"];
  let description = [{
    `equation` names the dimensions of every operand and of the result, for
    example `bij,bjk->bik`.
  }];
  let arguments = (ins Variadic<NN_Tensor>:$inputs, StrAttr:$equation);
  let results = (outs NN_Tensor:$y);
}

#endif // PARALLAX_DIALECT_NN_MAC_TD
