//===- NNBase.td - The nn dialect and the base class of its operators -*- tablegen -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Every operator names two rules in its first line: how it is quantized, which
// later gives its lowering and its integer kernel, and how its result types
// follow from its operands, which is one function of ShapeInference.h.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_DIALECT_NN_NNBASE_TD
#define PARALLAX_DIALECT_NN_NNBASE_TD

include "mlir/IR/OpBase.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def NN_Dialect : Dialect {
  let name = "nn";
  let cppNamespace = "::parallax::nn";
  let summary = "A network as its author drew it: layers, tensors and names.";
  let description = [{
    Operators follow ONNX in meaning and name, with three simplifications that
    the importer guarantees: every shape is static (the few results whose
    extent depends on data say so in their type), everything that
    parameterizes an operator (axes, pads, repeats, ...) is an attribute, and
    16-bit floats are widened to `f32`.

    One function is one view of the network. The element types tell its stage:
    `f32` as imported, `!quant.calibrated` with ranges, `!quant.uniform` once
    it is quantized. The location of an operator is its layer name.
  }];
  let dependentDialects = ["::mlir::quant::QuantDialect"];
  let hasConstantMaterializer = 1;
  let useDefaultAttributePrinterParser = 0;
  let discardableAttrs = (ins "::mlir::StringAttr":$name);
}

def NN_QuantizableOpInterface : OpInterface<"QuantizableOpInterface"> {
  let cppNamespace = "::parallax::nn";
  let description = [{
    Tells how an operator is quantized. What an operator doesn't answer itself
    follows from its rule. QuantRule.h asks the same of any operation.
  }];
  let methods = [
    StaticInterfaceMethod<
      "The rule from which lowering and integer kernel follow.",
      "::parallax::nn::QuantRule", "getQuantRule">,
    StaticInterfaceMethod<"Whether constants that it reads are weights.",
      "bool", "hasWeights", (ins), [{}],
      [{ return traitsOf(ConcreteOp::getQuantRule()).hasWeights; }]>,
    StaticInterfaceMethod<"Whether it holds numbers within limits.",
      "bool", "isClamp", (ins), [{}], [{ return false; }]>,
    InterfaceMethod<[{
      Whether the machine only moves or compares codes for it, given that all
      of them have one scale.
    }], "bool", "movesCodes", (ins), [{}],
      [{ return traitsOf(ConcreteOp::getQuantRule()).sharesScale; }]>,
    InterfaceMethod<[{
      Whether it puts a number between the elements that it moves which need
      not have a code.
    }], "bool", "addsNumber", (ins), [{}], [{ return false; }]>,
    InterfaceMethod<"Which operands are weights and what belongs to them.",
      "::parallax::nn::WeightPlace", "getWeightPlace", (ins), [{}],
      [{ return {}; }]>,
    InterfaceMethod<[{
      The dimension of a result of this rank along which its channels lie:
      pictures have them in the second one, transformers in the last one.
    }], "int64_t", "getChannelAxis", (ins "int64_t":$rank), [{}],
      [{ return rank >= 4 ? 1 : rank - 1; }]>,
  ];
}

def NN_Tensor : TypeAlias<AnyRankedTensor, "tensor of any element type">;

/// The operators that C++ builds by class. All others are built from operands
/// and attributes (CreateOp.h): MLIR's twenty builders of each would be half of
/// the generated code, so they have only the one that MLIR insists on.
defvar NN_builtByClass = [
  "add", "cast", "concat", "constant", "conv", "conv_transpose", "cum_sum",
  "div", "einsum", "expand", "fully_connected", "gemm", "matmul", "mul", "neg",
  "pad", "quantized_constant", "reduce_sum", "requantize", "reshape", "slice",
  "transpose", "where"
];

/// `quantRule` is a member of QuantRule; `shapeRule` a function of
/// ShapeInference.h that takes the operator's adaptor.
class NN_Op<string mnemonic, string quantRule, string shapeRule,
            list<Trait> ownTraits = []> : Op<NN_Dialect, mnemonic> {
  /// Methods of QuantizableOpInterface that don't follow from the rule; they
  /// are in lib/Dialect/NN/QuantRule.cpp.
  list<string> answers = [];
  let traits = !listconcat(ownTraits, [Pure,
    DeclareOpInterfaceMethods<NN_QuantizableOpInterface, answers>,
    DeclareOpInterfaceMethods<InferTypeOpInterface>]);
  /// Set for operators whose result has an extent that depends on data.
  bit dataDependent = 0;
  let skipDefaultBuilders =
      !empty(!filter(name, NN_builtByClass, !eq(name, mnemonic)));
  let builders = !if(skipDefaultBuilders, [OpBuilder<
    (ins "::mlir::TypeRange":$types, "::mlir::ValueRange":$operands),
    [{ $_state.addTypes(types); $_state.addOperands(operands); }]>], []);
  let extraClassDeclaration = [{
    static bool isCompatibleReturnTypes(::mlir::TypeRange inferred,
                                        ::mlir::TypeRange actual);
  }];
  let extraClassDefinition = [{
    ::parallax::nn::QuantRule $cppClass::getQuantRule() {
      return ::parallax::nn::QuantRule::}] # quantRule # [{;
    }
    ::llvm::LogicalResult $cppClass::inferReturnTypes(
        ::mlir::MLIRContext *context,
        ::std::optional<::mlir::Location> location,
        ::mlir::ValueRange operands, ::mlir::DictionaryAttr attributes,
        ::mlir::OpaqueProperties properties, ::mlir::RegionRange regions,
        ::llvm::SmallVectorImpl<::mlir::Type> &types) {
      Adaptor adaptor(operands, attributes, properties, regions);
      ::parallax::nn::ResultTypes results(getOperationName(), location,
          /*dataDependent=*/}] # !if(dataDependent, "true", "false") # [{,
          types);
      if (failed(results.checkOperands(operands)))
        return ::mlir::failure();
      return ::parallax::nn::}] # shapeRule # [{(adaptor, results);
    }
    bool $cppClass::isCompatibleReturnTypes(::mlir::TypeRange inferred,
                                            ::mlir::TypeRange actual) {
      return ::parallax::nn::areCompatibleResults(inferred, actual);
    }
  }];
  let assemblyFormat =
      "operands attr-dict `:` functional-type(operands, results)";
}

// Attributes that default to what ONNX defaults to.
class NN_I64<string value> : DefaultValuedAttr<I64Attr, value>;
/// The same, confined to a range.
class NN_I64From<string value, int low>
    : DefaultValuedAttr<ConfinedAttr<I64Attr, [IntMinValue<low>]>, value>;
class NN_I64In<string value, int low, int high>
    : DefaultValuedAttr<
        ConfinedAttr<I64Attr, [IntMinValue<low>, IntMaxValue<high>]>, value>;
class NN_F32<string value> : DefaultValuedAttr<F32Attr, value>;
class NN_Bool<string value> : DefaultValuedAttr<BoolAttr, value>;

/// A word out of a fixed list; the first one is the default.
class NN_Word<list<string> words>
    : DefaultValuedStrAttr<
        ConfinedAttr<StrAttr, [AttrConstraint<
          Or<!foreach(word, words,
             CPred<"::llvm::cast<::mlir::StringAttr>($_self).getValue() == \""
                   # word # "\"">)>,
          "one of: " # !interleave(words, ", ")>]>,
        !head(words)>;

#endif // PARALLAX_DIALECT_NN_NNBASE_TD
