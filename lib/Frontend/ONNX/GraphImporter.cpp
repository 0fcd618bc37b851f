//===- GraphImporter.cpp - A graph becomes a function ---------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Nodes are imported one by one in an order in which operands come first. A
// node that can't be imported is noted, and so is every other one that fails
// for a reason of its own, so that the user sees the whole list at once.
//===----------------------------------------------------------------------===//
#include "GraphImporter.h"
#include "Functions.h"
#include "ModelFile.h"
#include "parallax/Support/Error.h"
#include "parallax/Support/TensorAttr.h"
#include "parallax/Support/Views.h"

#include "mlir/IR/Verifier.h"
#include "llvm/ADT/ScopeExit.h"

#include <queue>

using namespace mlir;

namespace parallax::onnx_import {

// Import lines say since which version they hold. Those of operators that have
// not changed since reach back below 7, so older models may work too.
constexpr int64_t oldestOpset = 1, newestOpset = 23;
constexpr int maxCallDepth = 32;
// Far above any network; functions that call each other twice get there fast.
constexpr size_t maxNodes = 200'000;

/// A known condition leaves one branch. Otherwise both are computed, which is
/// the same to an observer since operators have no side effects, and the
/// condition selects.
static void importIf(Node &node) {
  if (node.inputType(0).getNumElements() != 1 ||
      !node.inputType(0).getElementType().isInteger(1))
    node.fail("its condition must be a single Boolean");
  if (std::optional<Tensor> condition = node.tryConstantInput(0)) {
    bool taken = *condition->data<bool>();
    if (auto results = node.inlineBranch(taken ? "then_branch" : "else_branch"))
      node.emitResults(*results);
    return;
  }
  auto whenTrue = node.inlineBranch("then_branch");
  auto whenFalse = node.inlineBranch("else_branch");
  if (!whenTrue || !whenFalse)
    return;
  Value condition = node.create<nn::ReshapeOp>(
      "condition", {node.input(0)}, {node.named("shape", node.i64s({}))});
  SmallVector<Value> results;
  for (auto [i, a, b] : llvm::enumerate(*whenTrue, *whenFalse)) {
    if (a.getType() != b.getType())
      node.fail(
          "its branches give results of different types, so its condition "
          "must be a constant");
    results.push_back(node.create<nn::WhereOp>("select_" + std::to_string(i),
                                               {condition, a, b}));
  }
  node.emitResults(results);
}

void addAllImports(ImportTable &table) {
  addConstantImports(table);
  addElementwiseImports(table);
  addIndexingImports(table);
  addLayoutImports(table);
  addMacImports(table);
  addNormalizeImports(table);
  addPoolImports(table);
  addQuantizeImports(table);
  addRecurrentImports(table);
  addReduceImports(table);
  addResizeImports(table);
  table.onOp("If", 1, importIf);
}

GraphImporter::GraphImporter(onnx::ModelProto &model,
                             const std::string &fileName, MLIRContext *context,
                             const ImportOptions &options)
    : builder(context), options(options),
      reader(std::filesystem::path(fileName).parent_path()), model(model),
      fileName(fileName), context(context), functions(model) {
  addAllImports(table);
}

OwningOpRef<ModuleOp> GraphImporter::run() {
  const onnx::GraphProto &graph = model.graph();
  readOpsets();
  checkOptionNames(graph);
  OwningOpRef<ModuleOp> module =
      ModuleOp::create(NameLoc::get(builder.getStringAttr(fileName)));
  builder.setInsertionPointToStart(module->getBody());
  auto function = func::FuncOp::create(builder, module->getLoc(), views::main,
                                       builder.getFunctionType({}, {}));
  builder.setInsertionPointToStart(function.addEntryBlock());

  scopes.emplace_back();
  addInitializers(graph);
  addInputs(graph, function);
  if (problems.empty())
    importNodes(graph.node());
  if (problems.empty())
    addOutputs(graph, function);
  finish();
  return module;
}

void GraphImporter::readOpsets() {
  opset = opsetOf(model);
  if (opset < oldestOpset || opset > newestOpset)
    throw Error(fmt::format("{}: operator set version {} is not supported "
                            "(7 to {} are); convert the model",
                            fileName, opset, newestOpset));
}

void GraphImporter::addInitializers(const onnx::GraphProto &graph) {
  // The protobuf is ours: reading an initializer moves its bytes out.
  auto &mutableGraph = const_cast<onnx::GraphProto &>(graph);
  for (onnx::TensorProto &tensor : *mutableGraph.mutable_initializer())
    scopes.back().initializers[tensor.name()] = &tensor;
}

//===----------------------------------------------------------------------===//
// Nodes
//===----------------------------------------------------------------------===//

/// The tensors that a node needs, those that its sub-graphs capture included.
static std::set<std::string> namesReadBy(const onnx::NodeProto &node,
                                         int depth = 0) {
  std::set<std::string> names(node.input().begin(), node.input().end());
  if (depth >= maxCallDepth)
    return names;
  for (const onnx::AttributeProto &attribute : node.attribute()) {
    std::set<std::string> captured;
    for (const onnx::NodeProto &inner : attribute.g().node())
      captured.merge(namesReadBy(inner, depth + 1));
    for (const onnx::ValueInfoProto &output : attribute.g().output())
      captured.insert(output.name());
    // What the sub-graph defines itself hides the names around it.
    for (const onnx::NodeProto &inner : attribute.g().node())
      for (const std::string &output : inner.output())
        captured.erase(output);
    for (const onnx::TensorProto &initializer : attribute.g().initializer())
      captured.erase(initializer.name());
    names.merge(captured);
  }
  return names;
}

/// Imports nodes in an order in which operands come first; of several such
/// orders, the one closest to the file.
void GraphImporter::importNodes(const NodeList &nodes) {
  std::map<std::string, int> producers;
  for (int i = 0; i < nodes.size(); ++i) {
    nodeNumbers[&nodes[i]] = nodeCount++;
    for (const std::string &output : nodes[i].output())
      if (!output.empty() && !producers.try_emplace(output, i).second)
        report(nodes[i], fmt::format("its output '{}' is also produced by "
                                     "another node",
                                     output));
  }
  std::vector<std::vector<int>> users(size_t(nodes.size()));
  std::vector<int> waiting(size_t(nodes.size()), 0);
  std::priority_queue<int, std::vector<int>, std::greater<>> ready;
  for (int i = 0; i < nodes.size(); ++i) {
    std::set<int> operands;
    for (const std::string &name : namesReadBy(nodes[i]))
      if (auto it = producers.find(name); it != producers.end())
        operands.insert(it->second);
    for (int operand : operands)
      users[size_t(operand)].push_back(i);
    waiting[size_t(i)] = int(operands.size());
    if (operands.empty())
      ready.push(i);
  }
  int imported = 0;
  while (!ready.empty()) {
    int i = ready.top();
    ready.pop();
    ++imported;
    importNode(nodes[i]);
    for (int user : users[size_t(i)])
      if (--waiting[size_t(user)] == 0)
        ready.push(user);
  }
  if (imported < nodes.size())
    for (int i = 0; i < nodes.size(); ++i)
      if (waiting[size_t(i)] > 0) {
        report(nodes[i], "is part of a cycle, or depends on one");
        break;
      }
  for (const onnx::NodeProto &node : nodes)
    nodeNumbers.erase(&node);
}

void GraphImporter::importNode(const onnx::NodeProto &proto) {
  if (nodeCount > maxNodes)
    throw Error(fmt::format("{} has more than {} nodes, those of called "
                            "functions included",
                            fileName, maxNodes));
  for (const std::string &input : proto.input())
    if (isPoisoned(input))
      return poison(proto);

  // What our own functions compute is one operation to us.
  if (const ImportFunction *import =
          functions.find(proto.domain(), proto.op_type()))
    return importWith(*import, proto);

  for (const onnx::FunctionProto &function : model.functions())
    if (function.name() == proto.op_type() &&
        function.domain() == proto.domain())
      return importFunctionCall(proto, function);

  if (!proto.domain().empty() && proto.domain() != "ai.onnx")
    return report(proto, fmt::format("operators of the domain '{}' are not "
                                     "supported",
                                     proto.domain()));
  const ImportFunction *import = table.find(proto.op_type(), opset);
  if (!import)
    return report(proto, "the operator is not supported");
  importWith(*import, proto);
}

void GraphImporter::importWith(const ImportFunction &import,
                               const onnx::NodeProto &proto) {
  try {
    Node node(*this, proto, opset);
    import(node);
  } catch (const ImportError &error) {
    report(proto, error.what());
  }
}

std::optional<SmallVector<Value>>
GraphImporter::inlineGraph(const onnx::GraphProto &body, size_t count,
                           Scope scope) {
  // Ends the import: with two recursive calls in a function, every further
  // level would double the number of problems.
  if (callDepth >= maxCallDepth)
    throw Error(fmt::format("{}: sub-graphs or function calls are nested more "
                            "than {} deep",
                            fileName, maxCallDepth));
  ++callDepth;
  scopes.push_back(std::move(scope));
  llvm::scope_exit leave([&] {
    scopes.pop_back();
    --callDepth;
  });
  addInitializers(body);
  importNodes(body.node());
  if (size_t(body.output_size()) < count)
    throw ImportError(fmt::format("its sub-graph has {} outputs, but {} are "
                                  "expected",
                                  body.output_size(), count));
  SmallVector<Value> results;
  for (int i = 0; i < int(count); ++i) {
    if (isPoisoned(body.output(i).name()))
      return std::nullopt;
    results.push_back(lookup(body.output(i).name()));
  }
  return results;
}

/// Puts the attributes of a call in where a node of the function's body, or of
/// a sub-graph in it, refers to them, and drops operands that the call leaves
/// out.
static void bindCall(onnx::NodeProto &node, const onnx::NodeProto &call,
                     const std::set<std::string> &absent, int depth) {
  for (std::string &input : *node.mutable_input())
    if (absent.contains(input))
      input.clear();
  google::protobuf::RepeatedPtrField<onnx::AttributeProto> attributes;
  for (const onnx::AttributeProto &attribute : node.attribute()) {
    if (attribute.ref_attr_name().empty()) {
      *attributes.Add() = attribute;
      continue;
    }
    for (const onnx::AttributeProto &given : call.attribute())
      if (given.name() == attribute.ref_attr_name()) {
        onnx::AttributeProto &bound = *attributes.Add();
        bound = given;
        bound.set_name(attribute.name());
      }
  }
  node.mutable_attribute()->Swap(&attributes);
  for (onnx::AttributeProto &attribute : *node.mutable_attribute())
    if (attribute.has_g() && depth < maxCallDepth)
      for (onnx::NodeProto &inner : *attribute.mutable_g()->mutable_node())
        bindCall(inner, call, absent, depth + 1);
}

/// A call of a model-local function becomes the nodes of its body.
void GraphImporter::importFunctionCall(const onnx::NodeProto &node,
                                       const onnx::FunctionProto &callee) {
  std::set<std::string> absent;
  for (int i = 0; i < callee.input_size(); ++i)
    if (i >= node.input_size() || node.input(i).empty())
      absent.insert(callee.input(i));
  onnx::GraphProto body;
  *body.mutable_node() = callee.node();
  for (onnx::NodeProto &inner : *body.mutable_node())
    bindCall(inner, node, absent, 0);
  for (const std::string &name : callee.output())
    body.add_output()->set_name(name);

  std::string outerPath = std::exchange(callPath, nameOf(node) + "/");
  llvm::scope_exit restore([&] { callPath = outerPath; });
  try {
    Scope formals;
    formals.isFunction = true;
    for (int i = 0; i < std::min(callee.input_size(), node.input_size()); ++i)
      if (!node.input(i).empty())
        formals.values[callee.input(i)] = lookup(node.input(i));
    std::optional<SmallVector<Value>> results =
        inlineGraph(body, size_t(node.output_size()), std::move(formals));
    if (!results)
      return poison(node);
    for (auto [i, value] : llvm::enumerate(*results))
      define(node.output(int(i)), value);
  } catch (const ImportError &error) {
    report(node, error.what());
  }
}

//===----------------------------------------------------------------------===//
// Names and values
//===----------------------------------------------------------------------===//

Value GraphImporter::lookup(const std::string &name) {
  for (size_t i = scopes.size(); i-- > 0;) {
    Scope &scope = scopes[i];
    if (auto it = scope.values.find(name); it != scope.values.end())
      return it->second;
    if (auto it = scope.initializers.find(name);
        it != scope.initializers.end()) {
      bool hasHalfBytes = hasFourBits(it->second->data_type());
      Value value = makeConstant(reader.take(*it->second), name);
      if (hasHalfBytes)
        value.getDefiningOp()->setAttr("nn.bits", builder.getI64IntegerAttr(4));
      scope.values[name] = value;
      return value;
    }
    if (scope.isFunction)
      break;
  }
  throw ImportError(fmt::format("tensor '{}' is not defined: no node, input "
                                "or initializer has this name",
                                name));
}

const Tensor *GraphImporter::constantOf(Value value) const {
  auto it = constants.find(value);
  return it == constants.end() ? nullptr : &it->second;
}

Value GraphImporter::makeConstant(Tensor tensor, const std::string &name) {
  ElementsAttr attribute = toAttribute(context, tensor, name);
  Value value = nn::ConstantOp::create(
      builder, makeLayerLocation(context, name, {name}), attribute);
  constants[value] = std::move(tensor);
  return value;
}

void GraphImporter::define(const std::string &name, Value value) {
  scopes.back().values[name] = value;
}

std::string GraphImporter::nameOf(const onnx::NodeProto &node) const {
  auto it = nodeNumbers.find(&node);
  return callPath + layerNameOf(node, it == nodeNumbers.end() ? 0 : it->second);
}

bool GraphImporter::isPoisoned(const std::string &name) const {
  for (const Scope &scope : llvm::reverse(scopes)) {
    if (scope.poisoned.contains(name))
      return true;
    if (scope.isFunction)
      break;
  }
  return false;
}

void GraphImporter::poison(const onnx::NodeProto &node) {
  scopes.back().poisoned.insert(node.output().begin(), node.output().end());
}

void GraphImporter::report(const onnx::NodeProto &node,
                           const std::string &problem) {
  problems.push_back(
      fmt::format("node '{}' ({}): {}", nameOf(node), node.op_type(), problem));
  poison(node);
}

void GraphImporter::finish() {
  if (!problems.empty()) {
    std::string text =
        fmt::format("{} can't be imported, {} problem{}:", fileName,
                    problems.size(), problems.size() == 1 ? "" : "s");
    for (const std::string &problem : problems)
      text += "\n  " + problem;
    throw Error(text);
  }
  // Constants that folding has used up, and their memory.
  for (auto &[value, tensor] : constants) {
    auto constant = value.getDefiningOp<nn::ConstantOp>();
    if (!constant.use_empty())
      continue;
    tensor = {};
    takeTensor(constant.getValue());
    constant.erase();
  }
}

} // namespace parallax::onnx_import
