//===- Network.cpp - A network and its views ------------------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Import, checkpoints, and the constants that --bake makes of inputs.
//===----------------------------------------------------------------------===//
#include "parallax/Pipeline/Network.h"

#include "parallax/Backend/Reference/Reference.h"
#include "parallax/Dialect/NN/NNOps.h"
#include "parallax/Dialect/NPU/NPUOps.h"
#include "parallax/Frontend/ONNX/Import.h"
#include "parallax/Support/AtomicFile.h"
#include "parallax/Support/Digest.h"
#include "parallax/Support/Error.h"
#include "parallax/Support/LayerName.h"
#include "parallax/Support/MappedFile.h"
#include "parallax/Support/NumPy.h"
#include "parallax/Support/TensorAttr.h"

#include "mlir/Bytecode/BytecodeWriter.h"
#include "mlir/Dialect/Quant/IR/Quant.h"
#include "mlir/Parser/Parser.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/SourceMgr.h"

#include <algorithm>
#include <charconv>
#include <fmt/format.h>
#include <new>

namespace parallax {
namespace {

/// A number in the type of the input that it stands for.
Tensor parseNumber(const std::string &text, DType dtype, const Shape &shape,
                   const std::string &option) {
  Tensor tensor(dtype, shape);
  dispatch(dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    using Parsed =
        std::conditional_t<std::is_integral_v<T> && !std::is_same_v<T, bool>, T,
                           double>;
    Parsed value{};
    auto [end, error] =
        std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size())
      throw Error(fmt::format("--bake {}: '{}' is neither a .npy file nor a "
                              "number of type {}",
                              option, text, nameOf(dtype)));
    if constexpr (std::is_same_v<T, Half> || std::is_same_v<T, BFloat16>)
      tensor.data<T>()[0] = T(float(value));
    else
      tensor.data<T>()[0] = static_cast<T>(value);
  });
  return tensor;
}

/// `name=file.npy`, or `name=number` for an input of one element.
std::map<std::string, Tensor> readBaked(const NetworkOptions &options) {
  std::map<std::string, Tensor> baked;
  if (options.bake.empty())
    return baked;
  onnx_import::ModelSummary summary =
      onnx_import::summarizeModel(options.model);
  for (const std::string &option : options.bake) {
    size_t equals = option.rfind('=');
    if (equals == std::string::npos)
      throw Error(fmt::format("--bake {}: write it as name=file.npy or "
                              "name=number",
                              option));
    std::string name = option.substr(0, equals);
    std::string value = option.substr(equals + 1);
    if (value.ends_with(".npy")) {
      baked[name] = readNpy(value);
      continue;
    }
    DType dtype = DType::I64;
    Shape shape;
    for (const onnx_import::ModelPort &port : summary.inputs)
      if (port.name == name) {
        dtype = parseDType(port.dtype).value_or(DType::I64);
        shape.assign(
            port.shape.empty()
                ? 0
                : size_t(std::count(port.shape.begin(), port.shape.end(), 'x') +
                         1),
            1);
      }
    baked[name] = parseNumber(value, dtype, shape, option);
  }
  return baked;
}

/// The attribute of a checkpoint that says which model it was made of.
constexpr StringRef digestAttribute = "nn.model_digest";

/// The bytecode in a checkpoint, which ends with its digest: most flipped bits
/// would only make it another network. Blobs in it need the alignment.
std::unique_ptr<llvm::MemoryBuffer>
bytecodeOf(const std::filesystem::path &checkpoint) {
  std::shared_ptr<MappedFile> file = MappedFile::open(checkpoint);
  std::string_view text = file->text();
  size_t size = text.size() - std::min(text.size(), digestDigits);
  auto copy = llvm::WritableMemoryBuffer::getNewUninitMemBuffer(
      size, checkpoint.string(), llvm::Align(64));
  if (!copy)
    throw std::bad_alloc();
  std::ranges::copy(text.substr(0, size), copy->getBufferStart());
  if (sha256Of(std::string_view(copy->getBufferStart(), size)) !=
      text.substr(size))
    throw Error(fmt::format("{} is damaged, or no checkpoint of a build; build "
                            "again with --phase-to {}",
                            checkpoint.string(), checkpoint.stem().string()));
  return copy;
}

PortInfo portOf(Value value, std::string name) {
  auto type = cast<RankedTensorType>(value.getType());
  return {std::move(name), toDType(type.getElementType()).value_or(DType::F32),
          type.getShape().vec()};
}

} // namespace

Network::Network(const NetworkOptions &options)
    // Our passes are small; a thread pool of MLIR's would only cost start-up.
    : context(std::make_unique<MLIRContext>(MLIRContext::Threading::DISABLED)) {
  onnx_import::ImportOptions importing;
  importing.inputShapes = onnx_import::parseInputShapes(options.inputShapes);
  importing.bakedInputs = readBaked(options);
  importing.opProcessors = options.opProcessors;
  importing.constProcessors = options.constProcessors;
  importing.summary = &modelSummary;
  importing.evaluate = [](Operation *op, std::span<const Tensor> operands) {
    return evaluate(op, operands, referenceKernels());
  };
  moduleOp = onnx_import::importModel(options.model, context.get(), importing);
}

Network::Network(const NetworkOptions &options,
                 const std::filesystem::path &checkpoint)
    : context(std::make_unique<MLIRContext>(MLIRContext::Threading::DISABLED)) {
  context->loadDialect<mlir::func::FuncDialect, mlir::quant::QuantDialect,
                       nn::NNDialect, npu::NPUDialect>();
  if (!std::filesystem::exists(checkpoint))
    throw Error(fmt::format("there is no checkpoint {} to go on from; build "
                            "with --phase-to {} first",
                            checkpoint.string(), checkpoint.stem().string()));
  std::string problem;
  mlir::ScopedDiagnosticHandler handler(context.get(),
                                        [&](mlir::Diagnostic &diagnostic) {
                                          problem = diagnostic.str();
                                          return success();
                                        });
  auto sources = std::make_shared<llvm::SourceMgr>();
  sources->AddNewSourceBuffer(bytecodeOf(checkpoint), llvm::SMLoc());
  moduleOp = mlir::parseSourceFile<ModuleOp>(sources, context.get());
  if (!moduleOp || moduleOp->getOps<mlir::func::FuncOp>().empty())
    throw Error(fmt::format("{} is not a checkpoint of a build: {}",
                            checkpoint.string(), problem));
  modelSummary = onnx_import::summarizeModel(options.model);
  auto digest = (*moduleOp)->getAttrOfType<StringAttr>(digestAttribute);
  if (!digest || digest != digestOfModel(options.model, modelSummary))
    throw Error(fmt::format("{} was not made of {} as it is now; build again "
                            "without --phase-from",
                            checkpoint.string(), options.model));
  (*moduleOp)->removeAttr(digestAttribute);
}

std::string digestOfModel(const std::string &model,
                          const onnx_import::ModelSummary &summary) {
  std::string digests = sha256OfFile(model);
  std::filesystem::path folder = std::filesystem::path(model).parent_path();
  for (const std::string &file : summary.externalFiles)
    digests += " " + sha256OfFile(folder / file);
  return summary.externalFiles.empty() ? digests : sha256Of(digests);
}

std::string digestOfModel(const std::string &model) {
  return digestOfModel(model, onnx_import::summarizeModel(model));
}

mlir::func::FuncOp Network::function() {
  return *moduleOp->getOps<mlir::func::FuncOp>().begin();
}

mlir::func::FuncOp Network::view(StringRef name) {
  return moduleOp->lookupSymbol<mlir::func::FuncOp>(name);
}

void Network::save(const std::filesystem::path &checkpoint,
                   const std::string &modelDigest) {
  std::string bytes;
  llvm::raw_string_ostream stream(bytes);
  (*moduleOp)->setAttr(digestAttribute,
                       StringAttr::get(context.get(), modelDigest));
  LogicalResult written = mlir::writeBytecodeToFile(*moduleOp, stream);
  (*moduleOp)->removeAttr(digestAttribute);
  if (failed(written))
    throw Error(fmt::format("{} can't be written", checkpoint.string()));
  bytes += sha256Of(bytes);
  writeFileAtomically(checkpoint, bytes);
}

std::vector<PortInfo> Network::inputs() {
  std::vector<PortInfo> ports;
  for (mlir::BlockArgument argument : function().getArguments())
    ports.push_back(portOf(argument, getTensorName(argument)));
  return ports;
}

std::vector<PortInfo> Network::outputs() {
  std::vector<PortInfo> ports;
  mlir::func::FuncOp network = function();
  for (mlir::OpOperand &value :
       network.front().getTerminator()->getOpOperands()) {
    auto name = network.getResultAttrOfType<mlir::StringAttr>(
        value.getOperandNumber(), "nn.name");
    ports.push_back(
        portOf(value.get(), name ? name.str() : getTensorName(value.get())));
  }
  return ports;
}

Executable Network::prepareView(StringRef name, const PrepareOptions &options) {
  return parallax::prepare(view(name), referenceKernels(), options);
}

Executable Network::prepare(const PrepareOptions &options) {
  Executable executable =
      parallax::prepare(function(), referenceKernels(), options);
  if (options.takeWeights) {
    moduleOp = nullptr;
    context.reset();
  }
  return executable;
}

} // namespace parallax
