//===- Reader.cpp - A file becomes the npu view ---------------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// A file is not trusted: names, types and sizes are checked here, each
// operation by the verifier of its dialect as soon as it is built, and the sums
// of the whole network at the end.
//===----------------------------------------------------------------------===//
#include "parallax/Compiled/CompiledModel.h"

#include "../Frontend/ONNX/Initializers.h"
#include "../Frontend/ONNX/ModelFile.h"
#include "AttributeKinds.h"
#include "CodeTypes.h"
#include "Format.h"
#include "Proof.h"
#include "parallax/Dialect/NN/NNOps.h"
#include "parallax/Dialect/NPU/NPUOps.h"
#include "parallax/Support/Error.h"
#include "parallax/Support/LayerName.h"
#include "parallax/Support/QuantizedType.h"
#include "parallax/Support/TensorAttr.h"
#include "parallax/Support/Views.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Quant/IR/Quant.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Verifier.h"

#include <charconv>
#include <fmt/format.h>
#include <map>
#include <set>

namespace parallax {
namespace compiled {
namespace {

class Reader {
public:
  Reader(onnx::ModelProto model, onnx_import::ModelSeal &seal,
         const std::string &name, MLIRContext &context)
      : model(std::move(model)), seal(seal),
        graph(*this->model.mutable_graph()), context(&context),
        tensorReader(std::filesystem::path(name).parent_path()),
        builder(&context) {}

  OwningOpRef<ModuleOp> run(CompiledInfo &info);

private:
  void readInfo(CompiledInfo &info);
  int64_t numberOf(const char *key);
  npu::TargetAttr readTarget();
  void checkContainer();
  void collectTypes();
  void collectTensors();
  void checkDigest();
  void collectCodes();
  void addFunction(ModuleOp module);
  void addNode(const onnx::NodeProto &node);
  Operation *createOperation(const onnx::NodeProto &node);
  void addReturn();

  RankedTensorType typeOf(const onnx::ValueInfoProto &info);
  Type codeTypeOf(const std::string &name, RankedTensorType type);
  Value valueOf(const std::string &name);
  void define(const std::string &name, Value value);
  mlir::NamedAttrList attributesOf(const onnx::NodeProto &node,
                                   mlir::RegisteredOperationName op,
                                   LayerName &layer);
  void verifyOrThrow(Operation *op);

  onnx::ModelProto model;
  onnx_import::ModelSeal &seal;
  onnx::GraphProto &graph;
  MLIRContext *context;
  onnx_import::TensorReader tensorReader;
  OpBuilder builder;
  mlir::func::FuncOp function;
  std::map<std::string, std::string> metadata;
  /// The types of inputs, outputs and everything between, by name.
  std::map<std::string, RankedTensorType> types;
  /// What is stored, until a node or an annotation wants it.
  std::map<std::string, Tensor> tensors;
  std::set<std::string> usedTensors;
  std::map<std::string, const onnx::TensorAnnotation *> codes;
  std::map<std::string, Value> values;
  std::set<std::string> nodeNames;
  std::string diagnostic;
};

template <typename... Args>
[[noreturn]] void fail(fmt::format_string<Args...> format, Args &&...args) {
  throw Error(fmt::format(format, std::forward<Args>(args)...));
}

//===----------------------------------------------------------------------===//
// What the file says of itself
//===----------------------------------------------------------------------===//

/// A number among the metadata.
int64_t Reader::numberOf(const char *key) {
  const std::string &text = metadata[key];
  int64_t number = 0;
  auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size())
    fail("its {} is not a number, but '{}'", key, text);
  return number;
}

npu::TargetAttr Reader::readTarget() {
  diagnostic.clear();
  auto target = npu::TargetAttr::getChecked(
      [&] { return mlir::emitError(builder.getUnknownLoc()); }, context,
      StringRef(metadata["parallax.target"]), numberOf(accumulator8Key),
      numberOf(accumulator16Key), numberOf(multiplierKey),
      StringRef(metadata[roundingKey]), numberOf(knotsKey));
  if (!target)
    fail("its target {}", diagnostic);
  return target;
}

void Reader::readInfo(CompiledInfo &info) {
  for (const onnx::StringStringEntryProto &entry : model.metadata_props())
    if (!metadata.try_emplace(entry.key(), entry.value()).second)
      fail("metadata '{}' is given twice", entry.key());
  if (metadata[formatKey] != formatName)
    fail("it is not a compiled model; `parallax build` makes one");
  info.formatVersion = numberOf(versionKey);
  if (info.formatVersion < 1)
    fail("there is no version {} of the format", info.formatVersion);
  if (info.formatVersion > compiledFormatVersion)
    fail("it has version {} of the format, and this Parallax ({}) reads up to "
         "{}; use a newer Parallax",
         info.formatVersion, PARALLAX_VERSION, compiledFormatVersion);
  for (const InfoKey &line : infoKeys) {
    if (!metadata.contains(line.key))
      fail("it lacks the metadata '{}'", line.key);
    info.*line.text = metadata[line.key];
  }
}

void Reader::checkContainer() {
  if (model.functions_size() > 0 || model.training_info_size() > 0 ||
      graph.sparse_initializer_size() > 0)
    fail("it has functions, training or sparse tensors, which a compiled model "
         "does not have");
  std::set<std::string> known;
  for (const onnx::OperatorSetIdProto &id : model.opset_import()) {
    const Domain *domain = llvm::find_if(domains, [&](const Domain &each) {
      return id.domain() == each.domain;
    });
    if (domain == std::end(domains) || !known.insert(id.domain()).second)
      fail("the domain of operators '{}' is unknown or given twice",
           id.domain());
    if (id.version() < 1 || id.version() > compiledFormatVersion)
      fail("version {} of the operators of '{}' is unknown; this Parallax ({}) "
           "knows up to {}",
           id.version(), id.domain(), PARALLAX_VERSION, compiledFormatVersion);
  }
  if (known.size() != std::size(domains))
    fail("it does not say which version of the operators it uses");
}

//===----------------------------------------------------------------------===//
// Tensors
//===----------------------------------------------------------------------===//

RankedTensorType Reader::typeOf(const onnx::ValueInfoProto &info) {
  const auto &tensor = info.type().tensor_type();
  std::optional<DType> dtype = onnx_import::fromOnnxType(tensor.elem_type());
  if (!info.type().has_tensor_type() || !tensor.has_shape() || !dtype)
    fail("tensor '{}' has no shape or an unknown type", info.name());
  Shape known, shape;
  for (const auto &dim : tensor.shape().dim()) {
    shape.push_back(dim.has_dim_value() ? dim.dim_value()
                                        : mlir::ShapedType::kDynamic);
    if (dim.has_dim_value())
      known.push_back(dim.dim_value());
  }
  if (!onnx_import::isPlausible(known))
    fail("tensor '{}' has the impossible shape {}", info.name(),
         toString(known));
  return RankedTensorType::get(shape, toElementType(context, *dtype));
}

void Reader::collectTypes() {
  for (const auto *list : {&graph.value_info(), &graph.output()})
    for (const onnx::ValueInfoProto &info : *list)
      if (!types.try_emplace(info.name(), typeOf(info)).second)
        fail("the type of tensor '{}' is given twice", info.name());
}

void Reader::collectTensors() {
  for (onnx::TensorProto &proto : *graph.mutable_initializer()) {
    Tensor tensor = tensorReader.take(proto);
    if (!tensors.try_emplace(proto.name(), std::move(tensor)).second)
      fail("tensor '{}' is stored twice", proto.name());
  }
}

/// A flipped bit in a weight or a shift would be a network like any other. So
/// all bytes count, those beside the model too.
void Reader::checkDigest() {
  const auto &entries = model.metadata_props();
  if (entries.empty() || entries.rbegin()->key() != digestKey ||
      entries.rbegin()->value() != seal.stated)
    fail("it does not end with the digest of its content, '{}': it is damaged, "
         "or not complete; build it again",
         digestKey);
  for (const auto &[name, file] : tensorReader.usedFiles())
    seal.digest.update(file->bytes());
  if (seal.digest.finish() != seal.stated)
    fail("its content does not have the digest that it states: it is damaged; "
         "copy or build it again");
}

void Reader::collectCodes() {
  for (const onnx::TensorAnnotation &annotation :
       graph.quantization_annotation())
    if (!codes.try_emplace(annotation.tensor_name(), &annotation).second)
      fail("tensor '{}' is annotated twice", annotation.tensor_name());
}

/// Null if nothing is said about the codes of the tensor.
Type Reader::codeTypeOf(const std::string &name, RankedTensorType type) {
  auto it = codes.find(name);
  if (it == codes.end())
    return {};
  static const std::set<std::string> known = {scaleKey, zeroPointKey, limitsKey,
                                              axisKey};
  CodeTensors parts;
  for (const onnx::StringStringEntryProto &entry :
       it->second->quant_parameter_tensor_names()) {
    auto tensor = tensors.find(entry.value());
    if (!known.contains(entry.key()) || tensor == tensors.end())
      fail("the annotation of tensor '{}' has an unknown key '{}', or refers "
           "to nothing",
           name, entry.key());
    if (!parts.try_emplace(entry.key(), tensor->second).second)
      fail("the annotation of tensor '{}' has {} twice", name, entry.key());
    usedTensors.insert(entry.value());
  }
  codes.erase(it);
  try {
    return joinCodeType(type, parts);
  } catch (const Error &error) {
    fail("the annotation of tensor '{}' is wrong: {}", name, error.what());
  }
}

void Reader::define(const std::string &name, Value value) {
  if (name.empty() || !values.try_emplace(name, value).second)
    fail("tensor '{}' has no name or two origins", name);
}

/// Constants are made where they are first used.
Value Reader::valueOf(const std::string &name) {
  if (auto it = values.find(name); it != values.end())
    return it->second;
  auto it = tensors.find(name);
  if (it == tensors.end())
    fail("nothing before it gives tensor '{}'", name);
  usedTensors.insert(name);
  RankedTensorType type = toTensorType(context, it->second);
  Location location = makeLayerLocation(context, name, {name});
  auto constant = nn::ConstantOp::create(
      builder, location, type, toAttribute(context, it->second, name));
  if (Type codeType = codeTypeOf(name, type))
    setCodeTypes(constant, codeType);
  verifyOrThrow(constant);
  define(name, constant.getResult());
  return constant.getResult();
}

//===----------------------------------------------------------------------===//
// Nodes
//===----------------------------------------------------------------------===//

void Reader::verifyOrThrow(Operation *op) {
  diagnostic.clear();
  if (failed(mlir::verify(op)))
    throw Error(diagnostic);
}

mlir::RegisteredOperationName operationOf(const onnx::NodeProto &node,
                                          MLIRContext *context) {
  for (const Domain &domain : domains)
    if (node.domain() == domain.domain)
      if (auto name = mlir::RegisteredOperationName::lookup(
              fmt::format("{}.{}", domain.dialect, node.op_type()), context))
        return *name;
  fail("'{}' of domain '{}' is an unknown operator", node.op_type(),
       node.domain());
}

mlir::NamedAttrList Reader::attributesOf(const onnx::NodeProto &node,
                                         mlir::RegisteredOperationName op,
                                         LayerName &layer) {
  static constexpr StringRef segments = "operandSegmentSizes";
  mlir::NamedAttrList list;
  std::set<std::string> seen;
  for (const onnx::AttributeProto &proto : node.attribute()) {
    if (!seen.insert(proto.name()).second)
      fail("attribute '{}' is given twice", proto.name());
    Attribute value = readAttribute(context, proto);
    auto text = dyn_cast<StringAttr>(value);
    auto texts = dyn_cast<mlir::ArrayAttr>(value);
    if (proto.name() == layerNodeKey && text) {
      layer.node = text.str();
    } else if (proto.name() == layerTensorsKey && texts &&
               int(texts.size()) == node.output_size()) {
      layer.tensors.clear();
      for (StringAttr tensor : texts.getAsRange<StringAttr>())
        layer.tensors.push_back(tensor.str());
    } else if (proto.name() == segments ||
               llvm::any_of(op.getAttributeNames(), [&](StringAttr known) {
                 return known.getValue() == proto.name();
               })) {
      list.set(proto.name(), value);
    } else {
      fail("attribute '{}' is unknown", proto.name());
    }
  }
  diagnostic.clear();
  if (failed(op.verifyInherentAttrs(
          list, [&] { return mlir::emitError(builder.getUnknownLoc()); })))
    throw Error(diagnostic);
  return list;
}

Operation *Reader::createOperation(const onnx::NodeProto &node) {
  mlir::RegisteredOperationName op = operationOf(node, context);
  LayerName layer{node.name(), {node.output().begin(), node.output().end()}};
  mlir::NamedAttrList attributes = attributesOf(node, op, layer);
  SmallVector<Value> operands;
  for (const std::string &input : node.input())
    operands.push_back(valueOf(input));
  SmallVector<Type> results, codeTypes;
  for (const std::string &output : node.output()) {
    auto it = types.find(output);
    if (it == types.end())
      fail("tensor '{}' has no type", output);
    results.push_back(it->second);
    codeTypes.push_back(codeTypeOf(output, it->second));
  }
  mlir::OperationState state(
      makeLayerLocation(context, layer.node, layer.tensors), op);
  state.addOperands(operands);
  state.addTypes(results);
  state.addAttributes(attributes);
  Operation *made = builder.create(state);
  if (llvm::any_of(codeTypes, [](Type type) { return bool(type); }))
    setCodeTypes(made, codeTypes);
  verifyOrThrow(made);
  return made;
}

void Reader::addNode(const onnx::NodeProto &node) {
  if (!nodeNames.insert(node.name()).second)
    fail("another node has the same name");
  if (node.domain() == domains[1].domain && node.op_type() == copyType) {
    if (node.input_size() != 1 || node.output_size() != 1 ||
        node.attribute_size() != 0)
      fail("'{}' has one input, one output and no attributes", copyType);
    return define(node.output(0), valueOf(node.input(0)));
  }
  Operation *op = createOperation(node);
  for (auto [name, result] : llvm::zip(node.output(), op->getResults())) {
    if (tensors.contains(name))
      fail("tensor '{}' is stored too", name);
    define(name, result);
  }
}

//===----------------------------------------------------------------------===//
// The function
//===----------------------------------------------------------------------===//

void Reader::addFunction(ModuleOp module) {
  SmallVector<Type> inputs, outputs;
  for (const onnx::ValueInfoProto &input : graph.input())
    inputs.push_back(typeOf(input));
  for (const onnx::ValueInfoProto &output : graph.output())
    outputs.push_back(types.at(output.name()));
  builder.setInsertionPointToEnd(module.getBody());
  function =
      mlir::func::FuncOp::create(builder, builder.getUnknownLoc(), views::npu,
                                 builder.getFunctionType(inputs, outputs));
  function->setAttr(npu::targetAttrName, readTarget());
  mlir::Block *body = function.addEntryBlock();
  builder.setInsertionPointToStart(body);
  for (auto [i, input] : llvm::enumerate(graph.input())) {
    if (!cast<RankedTensorType>(inputs[i]).hasStaticShape())
      fail("input '{}' has an unknown extent", input.name());
    if (tensors.contains(input.name()))
      fail("input '{}' is stored too", input.name());
    define(input.name(), body->getArgument(unsigned(i)));
    function.setArgAttr(unsigned(i), "nn.name",
                        builder.getStringAttr(input.name()));
  }
}

void Reader::addReturn() {
  SmallVector<Value> results;
  for (auto [i, output] : llvm::enumerate(graph.output())) {
    Value value = valueOf(output.name());
    if (value.getType() != types.at(output.name()))
      fail("output '{}' has another type than its origin", output.name());
    results.push_back(value);
    function.setResultAttr(unsigned(i), "nn.name",
                           builder.getStringAttr(output.name()));
  }
  if (results.empty())
    fail("it has no output");
  mlir::func::ReturnOp::create(builder, builder.getUnknownLoc(), results);
  if (!codes.empty())
    fail("there is no tensor '{}' to annotate", codes.begin()->first);
  for (const auto &[name, tensor] : tensors)
    if (!usedTensors.contains(name))
      fail("nothing uses the stored tensor '{}'", name);
}

OwningOpRef<ModuleOp> Reader::run(CompiledInfo &info) {
  mlir::ScopedDiagnosticHandler handler(context,
                                        [&](mlir::Diagnostic &problem) {
                                          if (diagnostic.empty())
                                            diagnostic = problem.str();
                                          return success();
                                        });
  readInfo(info);
  collectTensors();
  checkDigest();
  checkContainer();
  collectTypes();
  collectCodes();
  OwningOpRef<ModuleOp> module(ModuleOp::create(builder.getUnknownLoc()));
  addFunction(*module);
  for (const onnx::NodeProto &node : graph.node())
    try {
      addNode(node);
    } catch (const Error &error) {
      fail("node '{}': {}", node.name(), error.what());
    }
  addReturn();
  verifyOrThrow(*module);
  proveAccumulators(function);
  return module;
}

OwningOpRef<ModuleOp> read(onnx::ModelProto model, onnx_import::ModelSeal &seal,
                           const std::string &name, MLIRContext &context,
                           CompiledInfo *info) {
  context.loadDialect<nn::NNDialect, npu::NPUDialect, mlir::func::FuncDialect,
                      mlir::quant::QuantDialect>();
  CompiledInfo ignored;
  try {
    return Reader(std::move(model), seal, name, context)
        .run(info ? *info : ignored);
  } catch (const std::bad_alloc &) {
    throw;
  } catch (const std::exception &error) {
    fail("{}: {}", name, error.what());
  }
}

} // namespace
} // namespace compiled

OwningOpRef<ModuleOp> readCompiledModel(const std::filesystem::path &path,
                                        MLIRContext &context,
                                        CompiledInfo *info) {
  onnx_import::ModelSeal seal;
  return compiled::read(onnx_import::readModelFile(path.string(), &seal), seal,
                        path.string(), context, info);
}

OwningOpRef<ModuleOp> readCompiledModel(std::span<const std::byte> bytes,
                                        const std::string &name,
                                        MLIRContext &context,
                                        CompiledInfo *info) {
  onnx_import::ModelSeal seal;
  return compiled::read(onnx_import::readModelBytes(bytes, name, &seal), seal,
                        name, context, info);
}

} // namespace parallax
