//===- Recurrent.td - Recurrent layers -*- tablegen -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// A layer is one operator: the time loop is inside. Optional operands of ONNX
// are always given (the importer supplies zeros and full lengths).
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_DIALECT_NN_RECURRENT_TD
#define PARALLAX_DIALECT_NN_RECURRENT_TD

include "parallax/Dialect/NN/NNBase.td"

class NN_RecurrentOp<string mnemonic, string title, dag extraOperands,
                     dag parameters, dag outputs>
    : NN_Op<mnemonic, "Composite", "inferRecurrent"> {
  let summary = title;
  let answers = ["hasWeights", "getWeightPlace"];
  let description = [{
    `w`, `r` and `b` are stacked by direction and gate as in ONNX. `y` holds
    the hidden state of every step, `y_h` that of the last one.
  }];
  let arguments = !con((ins NN_Tensor:$x, NN_Tensor:$w, NN_Tensor:$r,
                            NN_Tensor:$b, NN_Tensor:$sequence_lens,
                            NN_Tensor:$initial_h), extraOperands,
                       (ins I64Attr:$hidden_size,
                            NN_Word<["forward", "reverse",
                                     "bidirectional"]>:$direction,
                            NN_I64<"0">:$layout,
                            OptionalAttr<F32Attr>:$clip,
                            StrArrayAttr:$activations,
                            DenseF32ArrayAttr:$activation_alpha,
                            DenseF32ArrayAttr:$activation_beta), parameters);
  let results = !con((outs NN_Tensor:$y, NN_Tensor:$y_h), outputs);
}

def NN_RNNOp : NN_RecurrentOp<"rnn", "Simple recurrent layer", (ins), (ins),
                              (outs)>;
def NN_GRUOp : NN_RecurrentOp<"gru", "Gated recurrent units", (ins),
    (ins NN_Bool<"false">:$linear_before_reset), (outs)>;
def NN_LSTMOp : NN_RecurrentOp<"lstm", "Long short-term memory",
    (ins NN_Tensor:$initial_c, NN_Tensor:$p),
    (ins NN_Bool<"false">:$input_forget), (outs NN_Tensor:$y_c)>;

#endif // PARALLAX_DIALECT_NN_RECURRENT_TD
