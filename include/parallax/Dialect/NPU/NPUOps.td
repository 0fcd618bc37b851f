//===- NPUOps.td - The operations of the NPU -*- tablegen -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Few operations, each one a formula of docs/numerics.md with all its integers
// as attributes. What only moves codes stays an operation of the nn dialect on
// tensors of integers.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_DIALECT_NPU_NPUOPS_TD
#define PARALLAX_DIALECT_NPU_NPUOPS_TD

include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/OpBase.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def NPU_Dialect : Dialect {
  let name = "npu";
  let cppNamespace = "::parallax::npu";
  let summary = "A network as the NPU executes it: codes and integers.";
  let description = [{
    Tensors have plain integer element types: `ui8`, `i8`, `ui16` and `i16` are
    codes, `i32` and `i64` biases. Scales exist only where codes meet floats, in
    `npu.quantize` and `npu.dequantize` and in products with a float result.
    docs/numerics.md defines every operation; labels such as C11 refer to it.

    `zero_point`, `low` and `high` are those of the result (C2, C3), `rounding`
    says where an exact half goes (C10). A pair of `multipliers` and `shifts`
    is a factor (C11).

    A function may have the attribute `npu.target`: the numbers that the target
    decides about. Without it they have their default values.
  }];
  let dependentDialects = ["::parallax::nn::NNDialect"];
  let useDefaultAttributePrinterParser = 1;
  let hasOperationAttrVerify = 1;
}

def NPU_TargetAttr : AttrDef<NPU_Dialect, "Target"> {
  let mnemonic = "target";
  let summary = "What a target decides about bits (C10, C11, C20, C52)";
  let parameters = (ins StringRefParameter<"the chip">:$name,
      "int64_t":$accumulator_bits_8, "int64_t":$accumulator_bits_16,
      "int64_t":$multiplier_bits,
      StringRefParameter<"as in operations">:$rounding,
      "int64_t":$table_knots);
  let assemblyFormat = "`<` struct(params) `>`";
  let genVerifyDecl = 1;
}

def NPU_Codes : StaticShapeTensorOf<[UI8, I8, UI16, I16]>;
def NPU_CodesOrFloat : StaticShapeTensorOf<[UI8, I8, UI16, I16, F32]>;
def NPU_Bias : StaticShapeTensorOf<[I32, I64]>;
def NPU_Float : StaticShapeTensorOf<[F32]>;
def NPU_Truth : StaticShapeTensorOf<[I1]>;
def NPU_Lengths : StaticShapeTensorOf<[I32]>;

/// A word out of a fixed list.
class NPU_Word<list<string> words>
    : ConfinedAttr<StrAttr, [AttrConstraint<
        Or<!foreach(word, words,
           CPred<"::llvm::cast<::mlir::StringAttr>($_self).getValue() == \""
                 # word # "\"">)>,
        "one of: " # !interleave(words, ", ")>]>;

def NPU_Rounding : NPU_Word<["half_up", "half_away", "half_even"]>;

class NPU_Op<string mnemonic, string title, dag operands, dag parameters>
    : Op<NPU_Dialect, mnemonic, [Pure]> {
  // As in the nn dialect, of which this one knows nothing: lowering builds from
  // operands and attributes.
  let skipDefaultBuilders =
      !not(!or(!eq(mnemonic, "quantize"), !eq(mnemonic, "dequantize")));
  let builders = !if(skipDefaultBuilders, [OpBuilder<
    (ins "::mlir::TypeRange":$types, "::mlir::ValueRange":$operands),
    [{ $_state.addTypes(types); $_state.addOperands(operands); }]>], []);
  let summary = title;
  let arguments = !con(operands, parameters);
  let results = (outs NPU_Codes:$y);
  let hasVerifier = 1;
  let assemblyFormat =
      "operands attr-dict `:` functional-type(operands, results)";
}

/// An operation that ends in codes (C4).
class NPU_CodesOp<string mnemonic, string title, dag operands, dag parameters>
    : NPU_Op<mnemonic, title, operands,
             !con(parameters, (ins I64Attr:$zero_point, I64Attr:$low,
                                   I64Attr:$high, NPU_Rounding:$rounding))>;

//===----------------------------------------------------------------------===//
// Multiply and accumulate
//===----------------------------------------------------------------------===//

/// For a float result, `scales` are in the place of multipliers (C26).
class NPU_MacOp<string mnemonic, string title, dag operands, dag parameters>
    : NPU_CodesOp<mnemonic, title, operands,
        !con(parameters, (ins DenseI32ArrayAttr:$multipliers,
                              DenseI32ArrayAttr:$shifts,
                              DefaultValuedAttr<DenseF64ArrayAttr,
                                                "{}">:$scales))> {
  let results = (outs NPU_CodesOrFloat:$y);
}

def NPU_ConvOp : NPU_MacOp<"conv", "Convolution (C21, C22)",
    (ins NPU_Codes:$x, NPU_Codes:$weight, Optional<NPU_Bias>:$bias),
    (ins I64Attr:$x_zero_point, DenseI64ArrayAttr:$strides,
         DenseI64ArrayAttr:$pads, DenseI64ArrayAttr:$dilations,
         I64Attr:$group, DefaultValuedAttr<BoolAttr, "false">:$transposed)>;
def NPU_FullyConnectedOp : NPU_MacOp<"fully_connected",
    "Product of the last dimension with weights (C23)",
    (ins NPU_Codes:$x, NPU_Codes:$weight, Optional<NPU_Bias>:$bias),
    (ins I64Attr:$x_zero_point)>;
def NPU_MatMulOp : NPU_MacOp<"matmul", "Product of matrices (C23)",
    (ins NPU_Codes:$a, NPU_Codes:$b),
    (ins I64Attr:$a_zero_point, I64Attr:$b_zero_point)>;

//===----------------------------------------------------------------------===//
// Element by element
//===----------------------------------------------------------------------===//

def NPU_LinearOp : NPU_CodesOp<"linear",
    "Requantization, sum or difference of up to three operands (C31)",
    (ins Variadic<NPU_Codes>:$inputs),
    (ins DenseI64ArrayAttr:$input_zero_points, DenseI64ArrayAttr:$coefficients,
         I32Attr:$shift)>;
def NPU_AffineOp : NPU_CodesOp<"affine", "Factor and offset per channel (C33)",
    (ins NPU_Codes:$x),
    (ins I64Attr:$x_zero_point, I64Attr:$axis, DenseI64ArrayAttr:$factors,
         DenseI64ArrayAttr:$offsets, DenseI32ArrayAttr:$shifts)>;

class NPU_PairOp<string mnemonic, string title>
    : NPU_CodesOp<mnemonic, title, (ins NPU_Codes:$a, NPU_Codes:$b),
        (ins I64Attr:$a_zero_point, I64Attr:$b_zero_point,
             DenseI32ArrayAttr:$multipliers, DenseI32ArrayAttr:$shifts)>;

def NPU_MulOp : NPU_PairOp<"mul", "Product (C40)">;
def NPU_DivOp : NPU_PairOp<"div", "Quotient (C44)">;
def NPU_PReluOp : NPU_PairOp<"prelu",
    "Rectifier; the factors of positive and of negative elements (C42)">;

def NPU_CompareOp : NPU_Op<"compare", "Comparison of values (C46)",
    (ins NPU_Codes:$a, NPU_Codes:$b),
    (ins NPU_Word<["equal", "less", "less_or_equal", "greater",
                   "greater_or_equal"]>:$kind,
         I64Attr:$a_zero_point, I64Attr:$b_zero_point,
         DenseI64ArrayAttr:$coefficients)> {
  let results = (outs NPU_Truth:$y);
}

def NPU_TableOp : NPU_CodesOp<"table",
    "Function by table: 256 entries, or knots for 16 bits (C51, C53)",
    (ins NPU_Codes:$x), (ins DenseI32ArrayAttr:$entries)>;

def NPU_QuantizeOp : NPU_Op<"quantize", "From float to codes (C6)",
    (ins NPU_Float:$x), (ins F32Attr:$scale, I64Attr:$zero_point,
                             I64Attr:$low, I64Attr:$high)>;
def NPU_DequantizeOp : NPU_Op<"dequantize", "From codes to float (C7)",
    (ins NPU_Codes:$x), (ins F32Attr:$scale, I64Attr:$x_zero_point)> {
  let results = (outs NPU_Float:$y);
}

//===----------------------------------------------------------------------===//
// Sums
//===----------------------------------------------------------------------===//

def NPU_AveragePoolOp : NPU_CodesOp<"average_pool",
    "Average of each window; entry n of the factors is for n taps (C36)",
    (ins NPU_Codes:$x),
    (ins I64Attr:$x_zero_point, DenseI64ArrayAttr:$kernel,
         DenseI64ArrayAttr:$strides, DenseI64ArrayAttr:$pads,
         DenseI64ArrayAttr:$dilations,
         DefaultValuedAttr<BoolAttr, "false">:$count_include_pad,
         DenseI32ArrayAttr:$multipliers, DenseI32ArrayAttr:$shifts)>;
def NPU_LpPoolOp : NPU_CodesOp<"lp_pool",
    "Sum of magnitudes or Euclidean norm of each window (C36a)",
    (ins NPU_Codes:$x),
    (ins NPU_Word<["l1", "l2"]>:$kind, I64Attr:$x_zero_point,
         DenseI64ArrayAttr:$kernel, DenseI64ArrayAttr:$strides,
         DenseI64ArrayAttr:$pads, DenseI64ArrayAttr:$dilations,
         DenseI32ArrayAttr:$multipliers, DenseI32ArrayAttr:$shifts)>;
def NPU_CumSumOp : NPU_CodesOp<"cum_sum", "Running sums along an axis (C37a)",
    (ins NPU_Codes:$x),
    (ins I64Attr:$x_zero_point, I64Attr:$axis,
         DefaultValuedAttr<BoolAttr, "false">:$exclusive,
         DefaultValuedAttr<BoolAttr, "false">:$reverse,
         DenseI32ArrayAttr:$multipliers, DenseI32ArrayAttr:$shifts)>;
def NPU_ReduceOp : NPU_CodesOp<"reduce",
    "Sums along axes (C37, C38) and their root (C38a)",
    (ins NPU_Codes:$x),
    (ins NPU_Word<["sum", "mean", "l1", "sum_square", "l2"]>:$kind,
         I64Attr:$x_zero_point, DenseI64ArrayAttr:$axes,
         DenseI32ArrayAttr:$multipliers, DenseI32ArrayAttr:$shifts)>;
def NPU_ResizeOp : NPU_CodesOp<"resize",
    "Resize by weights; indices and weights of all axes (C39)",
    (ins NPU_Codes:$x),
    (ins I64Attr:$x_zero_point, I64Attr:$outer, I64Attr:$inner,
         DenseI64ArrayAttr:$axis_in, DenseI64ArrayAttr:$axis_out,
         DenseI64ArrayAttr:$axis_taps, DenseI32ArrayAttr:$indices,
         DenseI32ArrayAttr:$weights, I32Attr:$fraction_bits,
         DenseI32ArrayAttr:$multipliers, DenseI32ArrayAttr:$shifts)>;

//===----------------------------------------------------------------------===//
// Statistics of rows
//===----------------------------------------------------------------------===//

def NPU_SoftmaxOp : NPU_CodesOp<"softmax", "Softmax (C64)",
    (ins NPU_Codes:$x),
    (ins I64Attr:$axis, DenseI64ArrayAttr:$fine, DenseI64ArrayAttr:$coarse,
         DenseI32ArrayAttr:$multipliers, DenseI32ArrayAttr:$shifts)>;
def NPU_LogSoftmaxOp : NPU_CodesOp<"log_softmax", "Log-softmax (C66)",
    (ins NPU_Codes:$x),
    (ins I64Attr:$axis, DenseI64ArrayAttr:$fine, DenseI64ArrayAttr:$coarse,
         DenseI64ArrayAttr:$logarithms, I64Attr:$distance, I64Attr:$logarithm,
         I32Attr:$shift)>;
def NPU_ReduceLogOp : NPU_CodesOp<"reduce_log",
    "Logarithm of a sum, or of a sum of exponentials (C67, C68)",
    (ins NPU_Codes:$x),
    (ins NPU_Word<["sum", "sum_exp"]>:$kind, I64Attr:$x_zero_point,
         DenseI64ArrayAttr:$axes, DenseI64ArrayAttr:$fine,
         DenseI64ArrayAttr:$coarse, DenseI64ArrayAttr:$logarithms,
         I64Attr:$distance, I64Attr:$offset, I64Attr:$logarithm,
         I32Attr:$shift)>;
def NPU_NormalizeOp : NPU_CodesOp<"normalize", "Normalization of rows (C75)",
    (ins NPU_Codes:$x),
    (ins NPU_Word<["centered", "rms", "l2"]>:$kind, I64Attr:$x_zero_point,
         I64Attr:$count, I64Attr:$groups, I64Attr:$inner,
         DenseI64ArrayAttr:$factors, DenseI64ArrayAttr:$offsets,
         I32Attr:$shift, I32Attr:$fraction_bits, APIntAttr:$epsilon)>;

//===----------------------------------------------------------------------===//
// Recurrent layers
//===----------------------------------------------------------------------===//

/// Rows of weights, factors, offsets and shifts are stacked by direction and
/// gate as in ONNX. `initial_*` lead from the codes of the initial states to
/// the states, the lists at the end from the states to the results, one entry
/// each; a float result has the factor 0.
class NPU_RecurrentOp<string mnemonic, string title, dag states,
                      dag parameters, dag more>
    : NPU_Op<mnemonic, title,
             !con((ins NPU_Codes:$x, NPU_Codes:$weight, NPU_Codes:$recurrent,
                       NPU_Lengths:$sequence_lens, NPU_Codes:$initial_h),
                  states),
             !con((ins NPU_Word<["forward", "reverse",
                                 "bidirectional"]>:$direction,
                       I64Attr:$layout, I64Attr:$x_zero_point,
                       DenseI64ArrayAttr:$initial_zero_points,
                       DenseI32ArrayAttr:$initial_multipliers,
                       DenseI32ArrayAttr:$initial_shifts,
                       DenseI64ArrayAttr:$input_factors,
                       DenseI64ArrayAttr:$state_factors,
                       DenseI64ArrayAttr:$offsets,
                       DenseI32ArrayAttr:$gate_shifts, I64Attr:$limit,
                       DenseI32ArrayAttr:$tables,
                       DenseI32ArrayAttr:$table_fractions,
                       DenseI64ArrayAttr:$functions,
                       I32Attr:$state_fraction),
                  parameters,
                  (ins DenseI64ArrayAttr:$zero_points,
                       DenseI64ArrayAttr:$lows, DenseI64ArrayAttr:$highs,
                       DenseI32ArrayAttr:$multipliers,
                       DenseI32ArrayAttr:$shifts, NPU_Rounding:$rounding))> {
  let results = !con((outs NPU_CodesOrFloat:$y, NPU_CodesOrFloat:$y_h), more);
}

def NPU_RNNOp : NPU_RecurrentOp<"rnn", "Simple recurrent layer (C107)", (ins),
                                (ins), (outs)>;
def NPU_GRUOp : NPU_RecurrentOp<"gru", "Gated recurrent units (C106)", (ins),
    (ins DefaultValuedAttr<BoolAttr, "false">:$linear_before_reset,
         DenseI64ArrayAttr:$state_offsets), (outs)>;
def NPU_LSTMOp : NPU_RecurrentOp<"lstm", "Long short-term memory (C105)",
    (ins NPU_Codes:$initial_c),
    (ins DefaultValuedAttr<BoolAttr, "false">:$input_forget,
         DenseI64ArrayAttr:$peepholes), (outs NPU_CodesOrFloat:$y_c)>;

#endif // PARALLAX_DIALECT_NPU_NPUOPS_TD
