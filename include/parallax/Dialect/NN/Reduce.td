//===- Reduce.td - Reductions along axes -*- tablegen -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// `axes` are normalised: non-negative, sorted, each once. Without axes a
// reduction applies its function to every element by itself.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_DIALECT_NN_REDUCE_TD
#define PARALLAX_DIALECT_NN_REDUCE_TD

include "parallax/Dialect/NN/NNBase.td"

class NN_ReduceOp<string mnemonic, string quantRule, string title>
    : NN_Op<mnemonic, quantRule, "inferReduce"> {
  let summary = title # " along axes";
  let description = [{ Reduced dimensions stay as 1 with `keepdims`. }];
  let arguments = (ins NN_Tensor:$x, DenseI64ArrayAttr:$axes,
                       NN_Bool<"true">:$keepdims);
  let results = (outs NN_Tensor:$y);
}

def NN_ReduceL1Op : NN_ReduceOp<"reduce_l1", "Composite", "Sum of magnitudes">;
def NN_ReduceL2Op : NN_ReduceOp<"reduce_l2", "Composite", "Euclidean norm">;
def NN_ReduceLogSumOp : NN_ReduceOp<"reduce_log_sum", "Composite",
    "Logarithm of the sum">;
def NN_ReduceLogSumExpOp : NN_ReduceOp<"reduce_log_sum_exp", "Composite",
    "Logarithm of the sum of exponentials">;
def NN_ReduceMaxOp : NN_ReduceOp<"reduce_max", "SameScale", "Maximum">;
def NN_ReduceMeanOp : NN_ReduceOp<"reduce_mean", "Linear", "Mean">;
def NN_ReduceMinOp : NN_ReduceOp<"reduce_min", "SameScale", "Minimum">;
def NN_ReduceProdOp : NN_ReduceOp<"reduce_prod", "Cpu", "Product">;
def NN_ReduceSumOp : NN_ReduceOp<"reduce_sum", "Linear", "Sum">;
def NN_ReduceSumSquareOp : NN_ReduceOp<"reduce_sum_square", "Composite",
    "Sum of squares">;

class NN_ArgReduceOp<string mnemonic, string title>
    : NN_Op<mnemonic, "SameScale", "inferArgReduce"> {
  let summary = "Index of the " # title # " along an axis";
  let description = [{
    Of equal elements the first counts, or the last with `select_last_index`.
  }];
  let arguments = (ins NN_Tensor:$x, NN_I64<"0">:$axis,
                       NN_Bool<"true">:$keepdims,
                       NN_Bool<"false">:$select_last_index);
  let results = (outs NN_Tensor:$y);
}

def NN_ArgMaxOp : NN_ArgReduceOp<"arg_max", "maximum">;
def NN_ArgMinOp : NN_ArgReduceOp<"arg_min", "minimum">;

def NN_TopKOp : NN_Op<"top_k", "SameScale", "inferTopK"> {
  let summary = "The k largest or smallest elements along an axis";
  let description = [{ Of equal elements the one with the lower index wins. }];
  let arguments = (ins NN_Tensor:$x, I64Attr:$k, NN_I64<"-1">:$axis,
                       NN_Bool<"true">:$largest, NN_Bool<"true">:$sorted);
  let results = (outs NN_Tensor:$values, NN_Tensor:$indices);
}

def NN_CumSumOp : NN_Op<"cum_sum", "Linear", "inferCumSum"> {
  let summary = "Running sum along an axis";
  let description = [{
    `exclusive` leaves the element itself out; `reverse` sums from the end.
  }];
  let arguments = (ins NN_Tensor:$x, I64Attr:$axis,
                       NN_Bool<"false">:$exclusive, NN_Bool<"false">:$reverse);
  let results = (outs NN_Tensor:$y);
}

#endif // PARALLAX_DIALECT_NN_REDUCE_TD
