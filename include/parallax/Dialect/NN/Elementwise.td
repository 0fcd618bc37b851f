//===- Elementwise.td - Operators that act on each element alone -*- tablegen -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// An activation costs one line here, where its formula is its documentation,
// and one in UnaryFunctions.def.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_DIALECT_NN_ELEMENTWISE_TD
#define PARALLAX_DIALECT_NN_ELEMENTWISE_TD

include "parallax/Dialect/NN/NNBase.td"

class NN_UnaryOp<string mnemonic, string title, string formula,
                 dag parameters = (ins), string quantRule = "Table",
                 string shapeRule = "inferFloatFunction">
    : NN_Op<mnemonic, quantRule, shapeRule> {
  let summary = title;
  let description = "`y = " # formula # "`";
  let arguments = !con((ins NN_Tensor:$x), parameters);
  let results = (outs NN_Tensor:$y);
}

class NN_BinaryOp<string mnemonic, string title, string formula,
                  string quantRule, string shapeRule = "inferBroadcast">
    : NN_Op<mnemonic, quantRule, shapeRule> {
  let summary = title;
  let description = "`y = " # formula # "`, operands broadcast as in NumPy.";
  let arguments = (ins NN_Tensor:$a, NN_Tensor:$b);
  let results = (outs NN_Tensor:$y);
}

//===----------------------------------------------------------------------===//
// Functions of one number
//===----------------------------------------------------------------------===//

def NN_AbsOp : NN_UnaryOp<"abs", "Absolute value", "|x|",
    shapeRule = "inferNumberFunction">;
def NN_AcosOp : NN_UnaryOp<"acos", "Inverse cosine", "acos(x)">;
def NN_AcoshOp : NN_UnaryOp<"acosh", "Inverse hyperbolic cosine", "acosh(x)">;
def NN_AsinOp : NN_UnaryOp<"asin", "Inverse sine", "asin(x)">;
def NN_AsinhOp : NN_UnaryOp<"asinh", "Inverse hyperbolic sine", "asinh(x)">;
def NN_AtanOp : NN_UnaryOp<"atan", "Inverse tangent", "atan(x)">;
def NN_AtanhOp : NN_UnaryOp<"atanh", "Inverse hyperbolic tangent", "atanh(x)">;
def NN_CeilOp : NN_UnaryOp<"ceil", "Round up", "the least integer >= x">;
def NN_CeluOp : NN_UnaryOp<"celu", "Continuously differentiable ELU",
    "max(0, x) + min(0, alpha (exp(x / alpha) - 1))",
    (ins NN_F32<"1.0f">:$alpha)>;
def NN_ClipOp : NN_UnaryOp<"clip", "Clip to a range",
    "min(max(x, min), max)",
    (ins DefaultValuedAttr<F64Attr,
           "-std::numeric_limits<double>::infinity()">:$min,
         DefaultValuedAttr<F64Attr,
           "std::numeric_limits<double>::infinity()">:$max),
    shapeRule = "inferNumberFunction"> {
  let answers = ["isClamp"];
}
def NN_CosOp : NN_UnaryOp<"cos", "Cosine", "cos(x)">;
def NN_CoshOp : NN_UnaryOp<"cosh", "Hyperbolic cosine", "cosh(x)">;
def NN_EluOp : NN_UnaryOp<"elu", "Exponential linear unit",
    "x if x >= 0, else alpha (exp(x) - 1)", (ins NN_F32<"1.0f">:$alpha)>;
def NN_ErfOp : NN_UnaryOp<"erf", "Error function", "erf(x)">;
def NN_ExpOp : NN_UnaryOp<"exp", "Exponential", "exp(x)">;
def NN_FloorOp : NN_UnaryOp<"floor", "Round down",
    "the greatest integer <= x">;
def NN_GeluOp : NN_UnaryOp<"gelu", "Gaussian error linear unit",
    "x / 2 (1 + erf(x / sqrt(2))), or its tanh approximation",
    (ins NN_Word<["none", "tanh"]>:$approximate)>;
def NN_HardSigmoidOp : NN_UnaryOp<"hard_sigmoid", "Piecewise linear sigmoid",
    "min(max(alpha x + beta, 0), 1)",
    (ins NN_F32<"0.2f">:$alpha, NN_F32<"0.5f">:$beta)>;
def NN_HardSwishOp : NN_UnaryOp<"hard_swish", "Piecewise linear swish",
    "x min(max(x / 6 + 1/2, 0), 1)">;
def NN_LeakyReluOp : NN_UnaryOp<"leaky_relu", "Leaky rectifier",
    "x if x >= 0, else alpha x", (ins NN_F32<"0.01f">:$alpha)>;
def NN_LogOp : NN_UnaryOp<"log", "Natural logarithm", "ln(x)">;
def NN_MishOp : NN_UnaryOp<"mish", "Mish", "x tanh(ln(1 + exp(x)))">;
def NN_NegOp : NN_UnaryOp<"neg", "Negation", "-x",
    shapeRule = "inferNumberFunction">;
def NN_NotOp : NN_UnaryOp<"not", "Logical not", "not x", (ins), "Boolean",
    "inferLogical">;
def NN_ReciprocalOp : NN_UnaryOp<"reciprocal", "Reciprocal", "1 / x">;
def NN_ReluOp : NN_UnaryOp<"relu", "Rectifier", "max(x, 0)",
    shapeRule = "inferNumberFunction"> {
  let answers = ["isClamp"];
}
def NN_RoundOp : NN_UnaryOp<"round", "Round to nearest, ties to even",
    "the nearest integer">;
def NN_SeluOp : NN_UnaryOp<"selu", "Scaled ELU",
    "gamma (x if x > 0, else alpha (exp(x) - 1))",
    (ins NN_F32<"1.67326319217681884765625f">:$alpha,
         NN_F32<"1.05070102214813232421875f">:$gamma)>;
def NN_ShrinkOp : NN_UnaryOp<"shrink", "Shrink towards zero",
    "x + bias if x < -lambd, x - bias if x > lambd, else 0",
    (ins NN_F32<"0.5f">:$lambd, NN_F32<"0.0f">:$bias),
    shapeRule = "inferNumberFunction">;
def NN_SigmoidOp : NN_UnaryOp<"sigmoid", "Logistic sigmoid",
    "1 / (1 + exp(-x))">;
def NN_SignOp : NN_UnaryOp<"sign", "Sign", "-1, 0 or 1",
    shapeRule = "inferNumberFunction">;
def NN_SiluOp : NN_UnaryOp<"silu", "Sigmoid linear unit",
    "x / (1 + exp(-x))">;
def NN_SinOp : NN_UnaryOp<"sin", "Sine", "sin(x)">;
def NN_SinhOp : NN_UnaryOp<"sinh", "Hyperbolic sine", "sinh(x)">;
def NN_SoftplusOp : NN_UnaryOp<"softplus", "Soft rectifier", "ln(1 + exp(x))">;
def NN_SoftsignOp : NN_UnaryOp<"softsign", "Soft sign", "x / (1 + |x|)">;
def NN_SqrtOp : NN_UnaryOp<"sqrt", "Square root", "sqrt(x)">;
def NN_TanOp : NN_UnaryOp<"tan", "Tangent", "tan(x)">;
def NN_TanhOp : NN_UnaryOp<"tanh", "Hyperbolic tangent", "tanh(x)">;
def NN_ThresholdedReluOp : NN_UnaryOp<"thresholded_relu",
    "Thresholded rectifier", "x if x > alpha, else 0",
    (ins NN_F32<"1.0f">:$alpha)>;

def NN_CastOp : NN_UnaryOp<"cast", "Change of element type", "(to) x",
    (ins TypeAttr:$to), "Cpu", "inferCast">;
def NN_IsInfOp : NN_UnaryOp<"is_inf", "Test for infinity", "x is infinite",
    (ins NN_Bool<"true">:$detect_negative, NN_Bool<"true">:$detect_positive),
    "Boolean", "inferPredicate">;
def NN_IsNaNOp : NN_UnaryOp<"is_nan", "Test for NaN", "x is not a number",
    (ins), "Boolean", "inferPredicate">;

//===----------------------------------------------------------------------===//
// Functions of two or three numbers
//===----------------------------------------------------------------------===//

def NN_AddOp : NN_BinaryOp<"add", "Sum", "a + b", "Linear">;
def NN_AndOp : NN_BinaryOp<"and", "Logical and", "a and b", "Boolean",
    "inferLogical">;
def NN_DivOp : NN_BinaryOp<"div", "Quotient", "a / b", "Composite">;
def NN_EqualOp : NN_BinaryOp<"equal", "Equality", "a = b", "Boolean",
    "inferComparison">;
def NN_GreaterOp : NN_BinaryOp<"greater", "Greater", "a > b", "Boolean",
    "inferComparison">;
def NN_GreaterOrEqualOp : NN_BinaryOp<"greater_or_equal", "Greater or equal",
    "a >= b", "Boolean", "inferComparison">;
def NN_LessOp : NN_BinaryOp<"less", "Less", "a < b", "Boolean",
    "inferComparison">;
def NN_LessOrEqualOp : NN_BinaryOp<"less_or_equal", "Less or equal",
    "a <= b", "Boolean", "inferComparison">;
def NN_MaxOp : NN_BinaryOp<"max", "Maximum", "max(a, b)", "SameScale">;
def NN_MinOp : NN_BinaryOp<"min", "Minimum", "min(a, b)", "SameScale">;
def NN_MulOp : NN_BinaryOp<"mul", "Product", "a b", "Linear">;
def NN_OrOp : NN_BinaryOp<"or", "Logical or", "a or b", "Boolean",
    "inferLogical">;
def NN_PowOp : NN_BinaryOp<"pow", "Power", "a to the power of b", "Composite",
    "inferPow">;
def NN_PReluOp : NN_BinaryOp<"prelu", "Rectifier with a learned slope",
    "a if a >= 0, else a b", "Linear", "inferPRelu">;
def NN_SubOp : NN_BinaryOp<"sub", "Difference", "a - b", "Linear">;
def NN_XorOp : NN_BinaryOp<"xor", "Exclusive or", "a xor b", "Boolean",
    "inferLogical">;

def NN_ModOp : NN_BinaryOp<"mod", "Remainder", "a mod b", "Cpu"> {
  let description = [{
    The remainder of `a / b`. It takes the sign of the divisor, or with `fmod`
    the sign of the dividend.
  }];
  let arguments = (ins NN_Tensor:$a, NN_Tensor:$b, NN_Bool<"false">:$fmod);
}

def NN_BitShiftOp : NN_BinaryOp<"bit_shift", "Bit shift", "a << b or a >> b",
                                "Cpu", "inferShift"> {
  let arguments = (ins NN_Tensor:$a, NN_Tensor:$b,
                       NN_Word<["LEFT", "RIGHT"]>:$direction);
}

def NN_WhereOp : NN_Op<"where", "SameScale", "inferWhere"> {
  let summary = "Selection";
  let description = [{ `y = condition ? a : b`, broadcast as in NumPy. }];
  let arguments = (ins NN_Tensor:$condition, NN_Tensor:$a, NN_Tensor:$b);
  let results = (outs NN_Tensor:$y);
}

#endif // PARALLAX_DIALECT_NN_ELEMENTWISE_TD
