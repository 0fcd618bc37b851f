//===- NodeTests.cpp - ONNX's own operator tests --------------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Runs the backend node tests of the ONNX project through import and float
// engine. What passes is exported, and the exported file must be valid, give
// the same results, and be the same file when it is exported once more. Every
// test passes or stands in the list of exclusions with a reason; an exclusion
// that starts to pass is a failure too, so the list stays honest.
//
// Usage: onnx-node-tests FOLDER EXCLUSIONS [--only NAME]
//===----------------------------------------------------------------------===//
#include "parallax/Analysis/Metrics.h"
#include "parallax/Backend/Reference/Reference.h"
#include "parallax/Frontend/ONNX/Export.h"
#include "parallax/Frontend/ONNX/Import.h"
#include "parallax/Support/Error.h"
#include "parallax/Support/Parallel.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <onnx/checker.h>
#include <onnx/onnx_pb.h>
#include <set>
#include <unistd.h>

namespace fs = std::filesystem;
using namespace parallax;

namespace {

/// Operands that only parameterize an operator: a network has them as
/// constants, the tests feed them as inputs.
const std::map<std::string, std::set<int>> parameterOperands = {
    {"Clip", {1, 2}},
    {"Compress", {1}},
    {"ConstantOfShape", {0}},
    {"CumSum", {1}},
    {"Dropout", {1, 2}},
    {"Expand", {1}},
    {"If", {0}},
    {"NonMaxSuppression", {2, 3, 4}},
    {"OneHot", {1}},
    {"Pad", {1, 2, 3}},
    {"Range", {0, 1, 2}},
    {"ReduceSum", {1}},
    {"Reshape", {1}},
    {"Resize", {1, 2, 3}},
    {"Slice", {1, 2, 3, 4}},
    {"Split", {1}},
    {"Squeeze", {1}},
    {"Tile", {1}},
    {"TopK", {1}},
    {"Trilu", {1}},
    {"Unsqueeze", {1}},
    {"Upsample", {1}},
};

std::string readBytes(const fs::path &path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

DType dtypeOf(const onnx::TensorProto &proto) {
  switch (proto.data_type()) {
  case onnx::TensorProto::FLOAT:
    return DType::F32;
  case onnx::TensorProto::DOUBLE:
    return DType::F64;
  case onnx::TensorProto::FLOAT16:
    return DType::F16;
  case onnx::TensorProto::BFLOAT16:
    return DType::BF16;
  case onnx::TensorProto::INT8:
    return DType::I8;
  case onnx::TensorProto::INT16:
    return DType::I16;
  case onnx::TensorProto::INT32:
    return DType::I32;
  case onnx::TensorProto::INT64:
    return DType::I64;
  case onnx::TensorProto::UINT8:
    return DType::U8;
  case onnx::TensorProto::UINT16:
    return DType::U16;
  case onnx::TensorProto::UINT32:
    return DType::U32;
  case onnx::TensorProto::UINT64:
    return DType::U64;
  case onnx::TensorProto::BOOL:
    return DType::Bool;
  default:
    throw Error(fmt::format("test data of type {}", proto.data_type()));
  }
}

/// The test data come as raw bytes; the importer's own reader is not used, so
/// that its mistakes show.
Tensor readTensor(const fs::path &path, const onnx::ValueInfoProto &port) {
  onnx::TensorProto proto;
  if (!proto.ParseFromString(readBytes(path)))
    throw Error(fmt::format("{} is not a tensor", path.string()));
  // ONNX 1.12 stores bfloat16 as the integers of its bits.
  if (port.type().tensor_type().elem_type() == onnx::TensorProto::BFLOAT16)
    proto.set_data_type(onnx::TensorProto::BFLOAT16);
  Tensor tensor(dtypeOf(proto),
                Shape(proto.dims().begin(), proto.dims().end()));
  if (proto.raw_data().size() == tensor.byteSize()) {
    std::memcpy(tensor.rawData(), proto.raw_data().data(), tensor.byteSize());
    return tensor;
  }
  // Some tests of 16-bit floats keep their bits in an integer list.
  if (int64_t(proto.int32_data_size()) != tensor.size() ||
      sizeOf(tensor.dtype()) != 2)
    throw Error(fmt::format("{} has no raw data", path.string()));
  for (int64_t i = 0; i < tensor.size(); ++i)
    static_cast<uint16_t *>(tensor.rawData())[i] =
        uint16_t(proto.int32_data(int(i)));
  return tensor;
}

/// The inputs that are parameters, or from which parameters are computed.
std::set<std::string> parameterNames(const onnx::GraphProto &graph) {
  std::set<std::string> names;
  for (int i = graph.node_size(); i-- > 0;) {
    const onnx::NodeProto &node = graph.node(i);
    if (auto it = parameterOperands.find(node.op_type());
        it != parameterOperands.end())
      for (int operand : it->second)
        if (operand < node.input_size())
          names.insert(node.input(operand));
    // The shape of a tensor is known without its values.
    if (node.op_type() == "Shape" || node.op_type() == "Size")
      continue;
    for (const std::string &output : node.output())
      if (names.contains(output))
        names.insert(node.input().begin(), node.input().end());
  }
  return names;
}

/// True if some node needs the values of a tensor; CastLike needs only the type
/// of its second operand.
bool isRead(const onnx::GraphProto &graph, const std::string &name) {
  for (const onnx::NodeProto &node : graph.node())
    for (int i = 0; i < node.input_size(); ++i)
      if (node.input(i) == name && !(node.op_type() == "CastLike" && i == 1))
        return true;
  return false;
}

/// Float results within the tolerance of ONNX's own runner; everything else
/// exact.
void expectEqual(const std::string &name, const Tensor &actual,
                 const Tensor &expected) {
  if (actual.dtype() != expected.dtype() || actual.shape() != expected.shape())
    throw Error(fmt::format("output '{}' is {} {}, expected {} {}", name,
                            nameOf(actual.dtype()), toString(actual.shape()),
                            nameOf(expected.dtype()),
                            toString(expected.shape())));
  bool isExact = !isFloat(expected.dtype());
  double rtol = isExact ? 0 : 1e-3, atol = isExact ? 0 : 1e-7;
  dispatch(expected.dtype(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    for (int64_t i = 0; i < expected.size(); ++i) {
      T a = actual.data<T>()[i], b = expected.data<T>()[i];
      auto x = double(a), y = double(b);
      bool equal = isExact ? a == b
                           : (std::isnan(x) && std::isnan(y)) || x == y ||
                                 std::abs(x - y) <= atol + rtol * std::abs(y);
      if (!equal)
        throw Error(fmt::format("output '{}' differs at {}: {} instead of {}",
                                name, i, x, y));
    }
  });
}

/// A folder that goes away with the program.
class ScratchFolder {
public:
  ScratchFolder()
      : path(fs::temp_directory_path() /
             fmt::format("onnx-node-tests-{}", ::getpid())) {
    fs::create_directories(path);
  }
  ~ScratchFolder() {
    std::error_code ignored;
    fs::remove_all(path, ignored);
  }
  const fs::path path;
};

mlir::func::FuncOp networkOf(OwningOpRef<ModuleOp> &module) {
  return *module->getOps<mlir::func::FuncOp>().begin();
}

/// The checker knows operators up to the version that it came with.
void checkFile(const fs::path &path, int64_t opset) {
  constexpr int64_t newestKnownOpset = 17;
  if (opset <= newestKnownOpset)
    onnx::checker::check_model(path.string());
}

/// Exports a network, imports the file, and hands what it is then to `run`.
void checkExport(mlir::func::FuncOp network, const KernelSet &kernels,
                 const fs::path &scratch,
                 llvm::function_ref<void(mlir::func::FuncOp)> run) {
  fs::path first = scratch / "model.onnx", second = scratch / "again.onnx";
  try {
    onnx_export::ExportSummary summary =
        onnx_export::exportModel(network, first);
    checkFile(first, summary.opset);
    onnx_import::ImportOptions options;
    options.evaluate = [&](Operation *op, std::span<const Tensor> operands) {
      return evaluate(op, operands, kernels);
    };
    mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
    auto module = onnx_import::importModel(first.string(), &context, options);
    run(networkOf(module));
    onnx_export::exportModel(networkOf(module), second);
    if (readBytes(first) != readBytes(second))
      throw Error("a second export differs from the first one");
  } catch (const std::exception &error) {
    throw Error(fmt::format("exported: {}", error.what()));
  }
}

void runDataSet(const std::string &modelBytes, const onnx::ModelProto &model,
                const fs::path &folder, const KernelSet &kernels,
                const fs::path &scratch) {
  onnx_import::ImportOptions options;
  options.evaluate = [&](Operation *op, std::span<const Tensor> operands) {
    return evaluate(op, operands, kernels);
  };
  std::set<std::string> parameters = parameterNames(model.graph());
  std::vector<Tensor> inputs;
  for (int i = 0; i < model.graph().input_size(); ++i) {
    const onnx::ValueInfoProto &input = model.graph().input(i);
    if (!input.type().has_tensor_type())
      throw Error(fmt::format("input '{}' is not a tensor", input.name()));
    Tensor tensor = readTensor(folder / fmt::format("input_{}.pb", i), input);
    if (parameters.contains(input.name())) {
      options.bakedInputs[input.name()] = tensor;
      continue;
    }
    if (!isRead(model.graph(), input.name())) {
      // Its data need not even have the declared shape.
      Shape shape;
      for (const auto &dim : input.type().tensor_type().shape().dim())
        shape.push_back(dim.dim_value());
      tensor = Tensor(tensor.dtype(), shape);
    }
    options.inputShapes[input.name()] = tensor.shape();
    inputs.push_back(std::move(tensor));
  }
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  auto module = onnx_import::importModel(std::as_bytes(std::span(modelBytes)),
                                         (folder / "model.onnx").string(),
                                         &context, options);
  auto run = [&](mlir::func::FuncOp network) {
    Executable executable = prepare(network, kernels);
    ExecutionState state(executable);
    std::span<const Tensor> outputs = state.run(inputs);
    for (int i = 0; i < model.graph().output_size(); ++i)
      expectEqual(model.graph().output(i).name(), outputs[size_t(i)],
                  readTensor(folder / fmt::format("output_{}.pb", i),
                             model.graph().output(i)));
  };
  run(networkOf(module));
  checkExport(networkOf(module), kernels, scratch, run);
}

void runTest(const fs::path &folder, const KernelSet &kernels,
             const fs::path &scratch) {
  std::string bytes = readBytes(folder / "model.onnx");
  onnx::ModelProto model;
  if (!model.ParseFromString(bytes))
    throw Error("the model can't be parsed");
  bool any = false;
  for (const fs::directory_entry &entry : fs::directory_iterator(folder))
    if (entry.path().filename().string().starts_with("test_data_set_")) {
      any = true;
      runDataSet(bytes, model, entry.path(), kernels, scratch);
    }
  if (!any)
    throw Error("there is no test data");
}

/// Lines "name: reason"; comments begin with '#'.
std::map<std::string, std::string> readExclusions(const fs::path &path) {
  std::ifstream file(path);
  if (!file)
    throw Error(fmt::format("{}: there is no such list", path.string()));
  std::map<std::string, std::string> exclusions;
  for (std::string line; std::getline(file, line);) {
    if (line.empty() || line[0] == '#')
      continue;
    size_t colon = line.find(": ");
    if (colon == std::string::npos || colon + 2 >= line.size())
      throw Error(fmt::format("{}: '{}' gives no reason", path.string(), line));
    exclusions[line.substr(0, colon)] = line.substr(colon + 2);
  }
  return exclusions;
}

} // namespace

int main(int argc, char **argv) {
  if (argc < 3) {
    fmt::print(stderr, "usage: {} FOLDER EXCLUSIONS [--only NAME]\n", argv[0]);
    return 2;
  }
  std::string only = argc > 4 ? argv[4] : "";
  KernelSet kernels;
  populateReferenceKernels(kernels);
  setThreadCount(1);
  ScratchFolder scratch;
  std::map<std::string, std::string> exclusions = readExclusions(argv[2]);
  std::vector<fs::path> folders;
  for (const fs::directory_entry &entry : fs::directory_iterator(argv[1]))
    folders.push_back(entry.path());
  std::sort(folders.begin(), folders.end());

  int passed = 0, failed = 0, excluded = 0;
  for (const fs::path &folder : folders) {
    std::string name = folder.filename().string();
    if (!only.empty() && name != only)
      continue;
    std::string problem;
    try {
      runTest(folder, kernels, scratch.path);
    } catch (const std::exception &error) {
      problem = error.what();
    }
    auto exclusion = exclusions.find(name);
    bool isExcluded = exclusion != exclusions.end();
    if (isExcluded)
      exclusions.erase(exclusion);
    if (isExcluded && !problem.empty()) {
      ++excluded;
    } else if (isExcluded) {
      ++failed;
      fmt::print("FAILED {}: it passes, so remove it from the exclusions\n",
                 name);
    } else if (!problem.empty()) {
      ++failed;
      fmt::print("FAILED {}: {}\n", name, problem);
    } else {
      ++passed;
    }
  }
  if (only.empty())
    for (const auto &[name, reason] : exclusions) {
      ++failed;
      fmt::print("FAILED {}: excluded, but there is no such test\n", name);
    }
  fmt::print("{} passed, {} failed, {} excluded\n", passed, failed, excluded);
  return failed == 0 && passed > 0 ? 0 : 1;
}
