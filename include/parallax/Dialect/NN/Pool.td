//===- Pool.td - Pooling operators -*- tablegen -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// A window slides over the spatial dimensions and each stop gives one number.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_DIALECT_NN_POOL_TD
#define PARALLAX_DIALECT_NN_POOL_TD

include "parallax/Dialect/NN/NNBase.td"

class NN_PoolOp<string mnemonic, string quantRule, string title,
                dag parameters = (ins)> : NN_Op<mnemonic, quantRule,
                                                "inferPool"> {
  let summary = title;
  let description = [{
    `pads` holds the begin of every spatial dimension, then the end of every
    one. With `ceil_mode` a last, partial window is kept if it starts inside
    the padded input.
  }];
  let arguments = !con((ins NN_Tensor:$x, DenseI64ArrayAttr:$kernel,
                            DenseI64ArrayAttr:$strides,
                            DenseI64ArrayAttr:$pads,
                            DenseI64ArrayAttr:$dilations,
                            NN_Bool<"false">:$ceil_mode), parameters);
  let results = (outs NN_Tensor:$y);
}

def NN_AveragePoolOp : NN_PoolOp<"average_pool", "Linear",
    "Average of each window", (ins NN_Bool<"false">:$count_include_pad)> {
  let answers = ["getChannelAxis"];
}
def NN_LpPoolOp : NN_PoolOp<"lp_pool", "Composite",
    "p-norm of each window", (ins NN_I64From<"2", 1>:$p)>;
def NN_MaxPoolOp : NN_PoolOp<"max_pool", "SameScale",
    "Maximum of each window"> {
  let answers = ["getChannelAxis"];
}
def NN_MaxPoolWithIndicesOp : NN_PoolOp<"max_pool_with_indices", "Cpu",
    "Maximum of each window and where it was",
    (ins NN_I64In<"0", 0, 1>:$storage_order)> {
  let results = (outs NN_Tensor:$y, NN_Tensor:$indices);
}

class NN_GlobalPoolOp<string mnemonic, string quantRule, string title,
                      dag parameters = (ins)>
    : NN_Op<mnemonic, quantRule, "inferGlobalPool"> {
  let summary = title # " over all spatial dimensions";
  let description = [{ N x C x spatial becomes N x C x 1 x ... x 1. }];
  let arguments = !con((ins NN_Tensor:$x), parameters);
  let results = (outs NN_Tensor:$y);
}

def NN_GlobalAveragePoolOp : NN_GlobalPoolOp<"global_average_pool", "Linear",
    "Average">;
def NN_GlobalLpPoolOp : NN_GlobalPoolOp<"global_lp_pool", "Composite",
    "p-norm", (ins NN_I64From<"2", 1>:$p)>;
def NN_GlobalMaxPoolOp : NN_GlobalPoolOp<"global_max_pool", "SameScale",
    "Maximum">;

#endif // PARALLAX_DIALECT_NN_POOL_TD
