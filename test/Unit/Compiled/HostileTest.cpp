//===- HostileTest.cpp - Damaged compiled models are refused --------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Each line changes one thing in a valid file. The answer is one sentence that
// names the file and, where it is about one, the node.
//===----------------------------------------------------------------------===//
#include "CompiledTestSupport.h"
#include "Sealing.h"

#include <functional>
#include <onnx/onnx_pb.h>

using namespace parallax;

namespace {

//===----------------------------------------------------------------------===//
// Changes
//===----------------------------------------------------------------------===//

using Change = std::function<void(onnx::ModelProto &)>;

/// The first node of a type.
onnx::NodeProto &nodeOf(onnx::ModelProto &model, const std::string &type) {
  for (onnx::NodeProto &node : *model.mutable_graph()->mutable_node())
    if (node.op_type() == type)
      return node;
  throw Error("there is no " + type);
}

onnx::AttributeProto &attributeOf(onnx::NodeProto &node,
                                  const std::string &name) {
  for (onnx::AttributeProto &attribute : *node.mutable_attribute())
    if (attribute.name() == name)
      return attribute;
  throw Error("there is no attribute " + name);
}

onnx::TensorProto &tensorOf(onnx::ModelProto &model, const std::string &name) {
  for (onnx::TensorProto &tensor :
       *model.mutable_graph()->mutable_initializer())
    if (tensor.name() == name)
      return tensor;
  throw Error("there is no tensor " + name);
}

/// The declaration of a node's result.
onnx::TypeProto_Tensor &typeOf(onnx::ModelProto &model,
                               const std::string &name) {
  for (auto *list : {model.mutable_graph()->mutable_value_info(),
                     model.mutable_graph()->mutable_output()})
    for (onnx::ValueInfoProto &info : *list)
      if (info.name() == name)
        return *info.mutable_type()->mutable_tensor_type();
  throw Error("there is no type of " + name);
}

std::string &metadataOf(onnx::ModelProto &model, const std::string &key) {
  for (onnx::StringStringEntryProto &entry : *model.mutable_metadata_props())
    if (entry.key() == key)
      return *entry.mutable_value();
  throw Error("there is no metadata " + key);
}

Change set(const std::string &type, const std::string &name, int64_t value) {
  return [=](onnx::ModelProto &model) {
    attributeOf(nodeOf(model, type), name).set_i(value);
  };
}

Change setEntry(const std::string &type, const std::string &name, int index,
                int64_t value) {
  return [=](onnx::ModelProto &model) {
    attributeOf(nodeOf(model, type), name).set_ints(index, value);
  };
}

Change shorten(const std::string &type, const std::string &name) {
  return [=](onnx::ModelProto &model) {
    attributeOf(nodeOf(model, type), name).mutable_ints()->RemoveLast();
  };
}

Change setText(const std::string &type, const std::string &name,
               const std::string &value) {
  return [=](onnx::ModelProto &model) {
    attributeOf(nodeOf(model, type), name).set_s(value);
  };
}

Change setExtent(const std::string &type, int dimension, int64_t extent) {
  return [=](onnx::ModelProto &model) {
    typeOf(model, nodeOf(model, type).output(0))
        .mutable_shape()
        ->mutable_dim(dimension)
        ->set_dim_value(extent);
  };
}

Change setType(const std::string &type, int elementType) {
  return [=](onnx::ModelProto &model) {
    typeOf(model, nodeOf(model, type).output(0)).set_elem_type(elementType);
  };
}

Change setMetadata(const std::string &key, const std::string &value) {
  return [=](onnx::ModelProto &model) { metadataOf(model, key) = value; };
}

onnx::StringStringEntryProto &annotationOf(onnx::ModelProto &model,
                                           const std::string &type,
                                           const std::string &key) {
  std::string name = nodeOf(model, type).output(0);
  for (auto &annotation :
       *model.mutable_graph()->mutable_quantization_annotation())
    if (annotation.tensor_name() == name)
      for (auto &entry : *annotation.mutable_quant_parameter_tensor_names())
        if (entry.key() == key)
          return entry;
  throw Error("there is no annotation " + key);
}

//===----------------------------------------------------------------------===//
// The table
//===----------------------------------------------------------------------===//

struct Case {
  const char *name, *sample;
  Change change;
  const char *message;
};

constexpr int64_t huge = int64_t(1) << 62;

const Case cases[] = {
    // The container.
    {"NoMetadata", "vision8",
     [](onnx::ModelProto &model) { model.clear_metadata_props(); },
     "it is not a compiled model; `parallax build` makes one"},
    {"NewerVersion", "vision8", setMetadata("parallax.format_version", "2"),
     "it has version 2 of the format, and this Parallax"},
    {"NoVersion", "vision8", setMetadata("parallax.format_version", "one"),
     "its parallax.format_version is not a number, but 'one'"},
    {"VersionZero", "vision8", setMetadata("parallax.format_version", "0"),
     "there is no version 0 of the format"},
    {"MetadataTwice", "vision8",
     [](onnx::ModelProto &model) {
       *model.add_metadata_props() = model.metadata_props(0);
     },
     "metadata 'parallax.format' is given twice"},
    {"AccumulatorOf64Bits", "vision8",
     setMetadata("parallax.accumulator_bits_16", "64"),
     "its target violates C20: accumulator_bits_16 64 is not from 32 to 48"},
    {"AccumulatorTooNarrow", "sequence8",
     setMetadata("parallax.accumulator_bits_8", "12"),
     "'npu.fully_connected' violates C27: its sums need"},
    {"MetadataMissing", "vision8",
     [](onnx::ModelProto &model) {
       model.mutable_metadata_props()->DeleteSubrange(3, 1);
     },
     "it lacks the metadata 'parallax.target'"},
    {"NewerOperators", "vision8",
     [](onnx::ModelProto &model) {
       model.mutable_opset_import(0)->set_version(2);
     },
     "version 2 of the operators of 'parallax.npu' is unknown"},
    {"OtherDomain", "vision8",
     [](onnx::ModelProto &model) {
       model.mutable_opset_import(0)->set_domain("ai.onnx");
     },
     "the domain of operators 'ai.onnx' is unknown"},
    {"NoDomains", "vision8",
     [](onnx::ModelProto &model) { model.clear_opset_import(); },
     "it does not say which version of the operators it uses"},
    {"Functions", "vision8",
     [](onnx::ModelProto &model) { model.add_functions(); },
     "it has functions, training or sparse tensors"},
    {"NoOutput", "vision8",
     [](onnx::ModelProto &model) {
       model.mutable_graph()->clear_output();
     },
     "tensor 'out' has no type"},

    // Nodes and names.
    {"UnknownOperator", "vision8",
     [](onnx::ModelProto &model) {
       nodeOf(model, "conv").set_op_type("conf");
     },
     "node 'conv': 'conf' of domain 'parallax.npu' is an unknown operator"},
    {"StandardOperator", "vision8",
     [](onnx::ModelProto &model) { nodeOf(model, "conv").clear_domain(); },
     "node 'conv': 'conv' of domain '' is an unknown operator"},
    {"ConstantAsNode", "vision8",
     [](onnx::ModelProto &model) {
       nodeOf(model, "max_pool").set_op_type("constant");
     },
     "node 'max': "},
    {"SameNodeName", "vision8",
     [](onnx::ModelProto &model) {
       nodeOf(model, "softmax").set_name("conv");
     },
     "node 'conv': another node has the same name"},
    {"UndefinedInput", "vision8",
     [](onnx::ModelProto &model) {
       nodeOf(model, "conv").set_input(0, "nowhere");
     },
     "node 'conv': nothing before it gives tensor 'nowhere'"},
    {"Cycle", "vision8",
     [](onnx::ModelProto &model) {
       onnx::NodeProto &node = nodeOf(model, "max_pool");
       node.set_input(0, node.output(0));
     },
     "node 'max': nothing before it gives tensor 'p'"},
    {"TwoOrigins", "vision8",
     [](onnx::ModelProto &model) {
       onnx::GraphProto &graph = *model.mutable_graph();
       *graph.add_node() = nodeOf(model, "max_pool");
       graph.mutable_node(graph.node_size() - 1)->set_name("other");
     },
     "node 'other': tensor 'p' has no name or two origins"},
    {"EmptyName", "vision8",
     [](onnx::ModelProto &model) {
       nodeOf(model, "max_pool").set_output(0, "");
     },
     "node 'max': tensor '' has no type"},
    {"TooFewOperands", "vision8",
     [](onnx::ModelProto &model) {
       nodeOf(model, "conv").mutable_input()->RemoveLast();
       nodeOf(model, "conv").mutable_input()->RemoveLast();
     },
     "node 'conv': 'npu.conv' op expected 2 or more operands, but found 1"},
    {"TooManyOperands", "vision8",
     [](onnx::ModelProto &model) {
       onnx::NodeProto &node = nodeOf(model, "softmax");
       node.add_input(node.input(0));
     },
     "node 'softmax': 'npu.softmax' op"},
    {"TooManyResults", "vision8",
     [](onnx::ModelProto &model) {
       onnx::NodeProto &node = nodeOf(model, "max_pool");
       node.add_output("second");
       onnx::ValueInfoProto &info = *model.mutable_graph()->add_value_info();
       info.set_name("second");
       *info.mutable_type()->mutable_tensor_type() =
           typeOf(model, node.output(0));
     },
     "node 'max': "},
    {"NoOrigin", "vision8",
     [](onnx::ModelProto &model) {
       model.mutable_graph()->mutable_output(0)->set_name("nowhere");
     },
     "tensor 'out' has no type"},

    // Attributes.
    {"UnknownAttribute", "vision8",
     [](onnx::ModelProto &model) {
       attributeOf(nodeOf(model, "conv"), "group").set_name("groups");
     },
     "node 'conv': attribute 'groups' is unknown"},
    {"MissingAttribute", "vision8",
     [](onnx::ModelProto &model) {
       onnx::NodeProto &node = nodeOf(model, "softmax");
       for (int i = 0; i < node.attribute_size(); ++i)
         if (node.attribute(i).name() == "axis")
           node.mutable_attribute()->DeleteSubrange(i, 1);
     },
     "node 'softmax': 'npu.softmax' op requires attribute 'axis'"},
    {"AttributeTwice", "vision8",
     [](onnx::ModelProto &model) {
       onnx::NodeProto &node = nodeOf(model, "conv");
       *node.add_attribute() = node.attribute(0);
     },
     "is given twice"},
    {"AttributeOfOtherKind", "vision8",
     [](onnx::ModelProto &model) {
       attributeOf(nodeOf(model, "conv"), "group").set_doc_string("i32");
     },
     "node 'conv': attribute 'group' failed to satisfy"},
    {"UnknownKind", "vision8",
     [](onnx::ModelProto &model) {
       attributeOf(nodeOf(model, "conv"), "group").set_doc_string("i7");
     },
     "node 'conv': attribute 'group' is of the unknown kind 'i7'"},
    {"ValueBeyondKind", "vision8", setEntry("conv", "shifts", 0, huge),
     "node 'conv': attribute 'shifts' has no value of its kind, i32[]"},
    {"OtherProtobufType", "vision8",
     [](onnx::ModelProto &model) {
       attributeOf(nodeOf(model, "conv"), "group")
           .set_type(onnx::AttributeProto::FLOAT);
     },
     "node 'conv': attribute 'group' has no value of its kind, i64"},
    {"EpsilonIsNoNumber", "sequence8",
     setText("normalize", "epsilon", "12g4"),
     "node 'norm': attribute 'epsilon' has no value of its kind, i128"},
    {"EpsilonTooLarge", "sequence8",
     setText("normalize", "epsilon", "40000000000000000000000000000000"),
     "node 'norm': 'npu.normalize' op violates C70"},
    {"UnknownWord", "vision8", setText("conv", "rounding", "up"),
     "node 'conv': attribute 'rounding' failed to satisfy"},

    // Numbers.
    {"ShiftZero", "vision8", setEntry("conv", "shifts", 0, 0),
     "node 'conv': 'npu.conv' op violates C11: shift 0 is not from 1 to 78"},
    {"ShiftTooLarge", "vision8", setEntry("conv", "shifts", 0, 79),
     "node 'conv': 'npu.conv' op violates C11: shift 79"},
    {"MultiplierTooSmall", "vision8", setEntry("conv", "multipliers", 0, 1),
     "node 'conv': 'npu.conv' op violates C11: multiplier 1"},
    {"MultiplierNegative", "vision8",
     setEntry("conv", "multipliers", 0, -(int64_t(1) << 30)),
     "node 'conv': 'npu.conv' op violates C11: multiplier -1073741824"},
    {"FewerShifts", "vision8", shorten("conv", "shifts"),
     "node 'conv': 'npu.conv' op violates C11: 8 multipliers have 7 shifts"},
    {"TableTooShort", "vision8", shorten("table", "entries"),
     "violates C50: it has 255 entries in place of 256"},
    {"EntryBeyondLimits", "vision8", setEntry("table", "entries", 3, 256),
     "violates C50: entry 256 is not from 0 to 255"},
    {"KnotTooLarge", "vision16",
     setEntry("table", "entries", 3, (int64_t(1) << 30) + 1), "violates C52"},
    {"ZeroPointIsNoCode", "vision8", set("conv", "x_zero_point", 256),
     "node 'conv': 'npu.conv' op violates C2: x_zero_point 256 is not a code"},
    {"LimitsReversed", "vision8", set("conv", "low", 255 + 1),
     "node 'conv': 'npu.conv' op violates C3"},
    {"CoefficientTooLarge", "vision8",
     setEntry("linear", "coefficients", 0, INT64_MIN), "violates C14"},
    {"CompareCoefficient", "sequence8",
     setEntry("compare", "coefficients", 0, huge), "violates C46"},
    {"OffsetTooLarge", "vision8", setEntry("affine", "offsets", 0, huge),
     "violates C33: offset"},
    {"ExponentNotOne", "vision8", setEntry("softmax", "fine", 0, 0),
     "violates C62: the first entry is not 2^30"},
    {"ExponentNegative", "vision8", setEntry("softmax", "fine", 1, -1),
     "violates C62: entry -1"},
    {"LogarithmTooLarge", "sequence8",
     setEntry("log_softmax", "logarithms", 5, huge), "violates C65"},
    {"DistanceTooLarge", "sequence8", set("log_softmax", "distance", huge),
     "violates C65: distance"},
    {"FractionBits", "sequence8", set("normalize", "fraction_bits", 30),
     "violates C71: it has 30 bits of fraction in place of 22"},
    {"NormOffset", "sequence8", setEntry("normalize", "offsets", 0, huge),
     "violates C71: offset"},
    {"RowsDoNotFit", "sequence8", set("normalize", "count", 7),
     "violates C70: rows of 7 elements"},
    {"ScaleOfZero", "vision8",
     [](onnx::ModelProto &model) {
       attributeOf(nodeOf(model, "quantize"), "scale").set_f(0);
     },
     "violates C2: a scale is positive and normal"},
    {"KnotOfRecurrent", "recurrent8",
     setEntry("lstm", "tables", 0, INT32_MAX), "violates C100"},
    {"FunctionUnknown", "recurrent8", setEntry("lstm", "functions", 0, 99),
     "violates C100: there is no function 99"},

    // Axes, windows and indices.
    {"AxisTooLarge", "vision8", set("softmax", "axis", 2),
     "node 'softmax': 'npu.softmax' op has no dimension 2"},
    {"AxisNegative", "vision8", set("softmax", "axis", -1),
     "node 'softmax': 'npu.softmax' op has no dimension -1"},
    {"AxesNotSorted", "vision8", setEntry("reduce", "axes", 0, 3),
     "violates C37: axis 3 does not exist or is not in ascending order"},
    {"StrideZero", "vision8", setEntry("conv", "strides", 0, 0),
     "violates C21: strides can't be 0"},
    {"PadNegative", "vision8", setEntry("average_pool", "pads", 0, -1),
     "violates C36: pads can't be -1"},
    {"PadsTooFew", "vision8", shorten("conv", "pads"),
     "violates C21: it has 3 pads in place of 4"},
    {"KernelHuge", "vision8", setEntry("average_pool", "kernel", 0, huge),
     "violates C36: extents of the window can't be"},
    {"DilationHuge", "vision8", setEntry("conv", "dilations", 0, INT32_MAX),
     "violates C21: windows over 8 elements of spatial dimension 0"},
    {"GroupZero", "vision8", set("conv", "group", 0), "don't fit together"},
    {"GroupHuge", "vision8", set("conv", "group", INT64_MIN),
     "don't fit together"},
    {"IndexOutside", "vision8", setEntry("resize", "indices", 0, 8),
     "violates C39a: index 8 is outside of 8 inputs"},
    {"IndexNegative", "vision8", setEntry("resize", "indices", 0, -1),
     "violates C39a: index -1"},
    {"WeightsOfResize", "vision8", setEntry("resize", "weights", 0, 1 << 20),
     "violates C39: the weights of an output sum to"},
    {"TapsHuge", "vision8", setEntry("resize", "axis_taps", 0, huge),
     "violates C39"},
    {"OuterHuge", "vision8", set("resize", "outer", huge),
     "violates C39: its lengths don't lead from"},
    {"NothingToTranspose", "sequence8",
     setEntry("transpose", "perm", 0, 1), "node 'transpose': 'nn.transpose'"},

    // Types and shapes.
    {"ResultTooLarge", "vision8", setExtent("conv", 2, 9),
     "violates C21: windows over 8 elements of spatial dimension 0 don't give "
     "9"},
    {"ResultOfProduct", "vision8", setExtent("fully_connected", 0, 2),
     "violates C23"},
    {"ResultOfReduction", "vision8", setExtent("reduce", 0, 2),
     "violates C37"},
    {"ResultOfSoftmax", "vision8", setExtent("softmax", 0, 2), "violates C64"},
    {"ResultOfSum", "vision8", setExtent("linear", 0, 2), "violates C31"},
    {"ResultOfPool", "vision8", setExtent("max_pool", 1, 17),
     "node 'max': 'nn.max_pool' op"},
    {"NegativeExtent", "vision8", setExtent("conv", 2, -8),
     "tensor 'r' has the impossible shape 1x8x-8x8"},
    {"HugeExtent", "vision8", setExtent("conv", 2, huge),
     "tensor 'r' has the impossible shape"},
    {"UnknownExtent", "vision8",
     [](onnx::ModelProto &model) {
       typeOf(model, nodeOf(model, "conv").output(0))
           .mutable_shape()
           ->mutable_dim(2)
           ->clear_value();
     },
     "node 'conv': 'npu.conv' op result #0 must be statically shaped tensor"},
    {"UnknownInput", "vision8",
     [](onnx::ModelProto &model) {
       model.mutable_graph()
           ->mutable_input(0)
           ->mutable_type()
           ->mutable_tensor_type()
           ->mutable_shape()
           ->mutable_dim(0)
           ->clear_value();
     },
     "input 'x' has an unknown extent"},
    {"ResultOfInt32", "vision8", setType("conv", onnx::TensorProto::INT32),
     "tensor 'r' is wrong: its ZERO_POINT_TENSOR has another type"},
    {"UnknownElements", "vision8", setType("conv", onnx::TensorProto::STRING),
     "tensor 'r' has no shape or an unknown type"},
    {"OutputOfOtherType", "ports",
     [](onnx::ModelProto &model) {
       model.mutable_graph()
           ->mutable_output(3)
           ->mutable_type()
           ->mutable_tensor_type()
           ->set_elem_type(onnx::TensorProto::INT32);
     },
     "output 'copy' has another type than its origin"},
    {"TypeTwice", "vision8",
     [](onnx::ModelProto &model) {
       *model.mutable_graph()->add_value_info() =
           model.graph().value_info(0);
     },
     "is given twice"},

    // Stored tensors.
    {"BytesMissing", "vision8",
     [](onnx::ModelProto &model) {
       tensorOf(model, nodeOf(model, "conv").input(1))
           .mutable_raw_data()
           ->pop_back();
     },
     "must have 288 bytes, but the file has 287"},
    {"WeightShapeLies", "vision8",
     [](onnx::ModelProto &model) {
       onnx::TensorProto &weight =
           tensorOf(model, nodeOf(model, "conv").input(1));
       weight.set_dims(1, 2);
       weight.set_dims(2, 6);
     },
     "node 'conv': 'npu.conv' op violates C21"},
    {"WeightDimNegative", "vision8",
     [](onnx::ModelProto &model) {
       tensorOf(model, nodeOf(model, "conv").input(1)).set_dims(0, -8);
     },
     "has the impossible shape -8x4x3x3"},
    {"WeightDimsOverflow", "vision8",
     [](onnx::ModelProto &model) {
       tensorOf(model, nodeOf(model, "conv").input(1)).set_dims(0, huge);
     },
     "has the impossible shape"},
    {"WeightUnsigned", "vision8",
     [](onnx::ModelProto &model) {
       std::string name = nodeOf(model, "conv").input(1);
       tensorOf(model, name).set_data_type(onnx::TensorProto::UINT8);
       auto &list = *model.mutable_graph()->mutable_quantization_annotation();
       for (int i = list.size() - 1; i >= 0; --i)
         if (list[i].tensor_name() == name)
           list[i].clear_quant_parameter_tensor_names();
     },
     "node 'conv': "},
    {"WeightsFromANode", "sequence8",
     [](onnx::ModelProto &model) {
       onnx::NodeProto &node = nodeOf(model, "fully_connected");
       node.set_input(1, node.input(0));
     },
     "node 'query': 'npu.fully_connected' op"},
    {"BiasOverflows", "vision8",
     [](onnx::ModelProto &model) {
       onnx::TensorProto &bias =
           tensorOf(model, nodeOf(model, "conv").input(2));
       size_t size = bias.data_type() == onnx::TensorProto::INT32 ? 4 : 8;
       std::string &bytes = *bias.mutable_raw_data();
       // The greatest integer of its type.
       std::fill_n(bytes.begin(), size, '\xff');
       bytes[size - 1] = '\x7f';
     },
     "node 'conv': 'npu.conv' violates C27: its sums need"},
    {"External", "vision8",
     [](onnx::ModelProto &model) {
       onnx::TensorProto &tensor = *model.mutable_graph()->mutable_initializer(0);
       tensor.set_data_location(onnx::TensorProto::EXTERNAL);
       auto &entry = *tensor.add_external_data();
       entry.set_key("location");
       entry.set_value("../../../../etc/passwd");
     },
     "which is not inside the model's folder"},
    {"StoredTwice", "vision8",
     [](onnx::ModelProto &model) {
       *model.mutable_graph()->add_initializer() =
           model.graph().initializer(0);
     },
     "is stored twice"},
    {"Unused", "vision8",
     [](onnx::ModelProto &model) {
       onnx::TensorProto tensor = model.graph().initializer(0);
       tensor.set_name("unused");
       *model.mutable_graph()->add_initializer() = tensor;
     },
     "nothing uses the stored tensor 'unused'"},

    // Annotations.
    {"ScaleNotPositive", "vision8",
     [](onnx::ModelProto &model) {
       *tensorOf(model, annotationOf(model, "conv", "SCALE_TENSOR").value())
            .mutable_raw_data() = std::string(4, '\0');
     },
     "the annotation of tensor 'r' is wrong: its SCALE_TENSOR violates C2"},
    {"AnnotationOfNothing", "vision8",
     [](onnx::ModelProto &model) {
       model.mutable_graph()
           ->mutable_quantization_annotation(0)
           ->set_tensor_name("nowhere");
     },
     "there is no tensor 'nowhere' to annotate"},
    {"AnnotationRefersToNothing", "vision8",
     [](onnx::ModelProto &model) {
       annotationOf(model, "conv", "SCALE_TENSOR").set_value("nowhere");
     },
     "refers to nothing"},
    {"AnnotationTwice", "vision8",
     [](onnx::ModelProto &model) {
       *model.mutable_graph()->add_quantization_annotation() =
           model.graph().quantization_annotation(0);
     },
     "is annotated twice"},
};

std::ostream &operator<<(std::ostream &stream, const Case &each) {
  return stream << each.name;
}

class HostileTest : public CompiledTest,
                    public testing::WithParamInterface<Case> {
protected:
  /// Compiled once for all cases.
  const std::string &bytesOf(const char *name) {
    static std::map<std::string, std::string> files;
    std::string &bytes = files[name];
    if (bytes.empty()) {
      writeCompiledModel(lower(sample(name)), folder / "a.axmodel", someInfo());
      bytes = contentsOf(folder / "a.axmodel");
    }
    return bytes;
  }

  /// The message of the refusal; empty if there is none.
  std::string refusalOf(const std::string &bytes) {
    MLIRContext other(MLIRContext::Threading::DISABLED);
    try {
      readCompiledModel(std::as_bytes(std::span(bytes)), "dir/net.axmodel",
                        other);
    } catch (const Error &error) {
      return error.what();
    }
    return {};
  }
};

TEST_P(HostileTest, IsRefused) {
  onnx::ModelProto model;
  ASSERT_TRUE(model.ParseFromString(bytesOf(GetParam().sample)));
  ASSERT_EQ(refusalOf(sealed(model)), "");
  GetParam().change(model);
  std::string message = refusalOf(sealed(model));
  EXPECT_TRUE(message.starts_with("dir/net.axmodel: ")) << message;
  EXPECT_NE(message.find(GetParam().message), std::string::npos) << message;
  EXPECT_EQ(message.find('\n'), std::string::npos) << message;
}

INSTANTIATE_TEST_SUITE_P(Cases, HostileTest, testing::ValuesIn(cases),
                         [](const auto &info) { return info.param.name; });

using HostileFileTest = HostileTest;

TEST_F(HostileFileTest, TruncatedFilesAreRefused) {
  const std::string &bytes = bytesOf("ports");
  for (size_t size = 0; size < bytes.size(); ++size)
    EXPECT_NE(refusalOf(bytes.substr(0, size)), "") << size;
  EXPECT_EQ(refusalOf(bytes), "");
}

/// Whoever forges the digest too gets another network or an Error, and no
/// crash.
TEST_F(HostileFileTest, ChangedBytesDoNoHarm) {
  std::string bytes = bytesOf("ports");
  for (size_t at = 0; at < bytes.size(); ++at)
    for (unsigned flip : {0x01u, 0x80u, 0xffu}) {
      std::string changed = bytes;
      changed[at] = char(uint8_t(changed[at]) ^ flip);
      onnx::ModelProto model;
      if (model.ParseFromString(changed))
        refusalOf(sealed(model));
    }
}

TEST_F(HostileFileTest, EveryFlippedBitIsRefused) {
  std::string bytes = bytesOf("ports");
  for (size_t at = 0; at < bytes.size(); ++at)
    for (unsigned bit = 0; bit < 8; ++bit) {
      bytes[at] = char(uint8_t(bytes[at]) ^ 1u << bit);
      EXPECT_NE(refusalOf(bytes), "") << "bit " << bit << " of byte " << at;
      bytes[at] = char(uint8_t(bytes[at]) ^ 1u << bit);
    }
  EXPECT_EQ(refusalOf(bytes), "");
}

/// A weight is as good as any other, so only the digest can tell.
TEST_F(HostileFileTest, DamageAndAMissingDigestAreCalledSo) {
  onnx::ModelProto model;
  ASSERT_TRUE(model.ParseFromString(bytesOf("vision8")));
  std::string &weight = *tensorOf(model, nodeOf(model, "conv").input(1))
                             .mutable_raw_data();
  weight[0] = char(weight[0] ^ 1);
  EXPECT_NE(refusalOf(model.SerializeAsString()).find("it is damaged; copy or "
                                                      "build it again"),
            std::string::npos);
  EXPECT_EQ(refusalOf(sealed(model)), "");
  model.mutable_metadata_props()->RemoveLast();
  EXPECT_NE(refusalOf(model.SerializeAsString())
                .find("it does not end with the digest of its content"),
            std::string::npos);
  // Bytes behind the digest would not be covered by it.
  EXPECT_NE(refusalOf(sealed(model) + "\x72\x02\x0a" + std::string(1, '\0')),
            "");
}

TEST_F(HostileFileTest, OtherFilesAreRefused) {
  MLIRContext other(MLIRContext::Threading::DISABLED);
  auto read = [&](const std::filesystem::path &path) {
    expectError([&] { readCompiledModel(path, other); }, path.string());
  };
  read(folder / "absent");
  read(folder.path());
  read(folder.write("empty", ""));
  read(folder.write("text", "this is not a model"));
  read(PARALLAX_ROOT "/configs/quickstart/digits.onnx");
}

} // namespace
