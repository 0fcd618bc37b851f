//===- Runtime.cpp - Execute a compiled model -----------------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// The network in MLIR lives only until it is prepared.
//===----------------------------------------------------------------------===//
#include "parallax/Runtime.h"

#include "parallax/Backend/Core/Prepare.h"
#include "parallax/Backend/NPU/NPU.h"
#include "parallax/Compiled/CompiledModel.h"
#include "parallax/Support/Parallel.h"
#include "parallax/Support/Views.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"

#include <cstring>
#include <fmt/format.h>

namespace parallax {

struct Runtime::State {
  CompiledInfo info;
  Executable executable;
  std::unique_ptr<ExecutionState> execution;
  std::vector<Shape> shapes;
  int threads = 1;
};

/// All that a program has to catch is an Error.
template <typename Fn> static auto withMemoryError(Fn fn) {
  try {
    return fn();
  } catch (const std::bad_alloc &) {
    throw Error("there is not enough memory for the compiled model");
  }
}

static Executable load(const std::filesystem::path &path, CompiledInfo &info) {
  MLIRContext context(MLIRContext::Threading::DISABLED);
  OwningOpRef<ModuleOp> module = readCompiledModel(path, context, &info);
  PrepareOptions options;
  options.takeWeights = true;
  return prepare(module->lookupSymbol<mlir::func::FuncOp>(views::npu),
                 npuKernels(), options);
}

Runtime::Runtime(const std::filesystem::path &path,
                 const RuntimeOptions &options)
    : state(std::make_unique<State>()) {
  state->threads = options.threads > 0 ? options.threads : hardwareThreads();
  ThreadCountScope threads(state->threads);
  withMemoryError([&] {
    state->executable = load(path, state->info);
    state->execution = std::make_unique<ExecutionState>(state->executable);
  });
  for (const PortInfo &port : state->executable.outputs)
    state->shapes.push_back(port.shape);
}

Runtime::Runtime(Runtime &&) noexcept = default;
Runtime &Runtime::operator=(Runtime &&) noexcept = default;
Runtime::~Runtime() = default;

const std::vector<PortInfo> &Runtime::inputs() const {
  return state->executable.inputs;
}
const std::vector<PortInfo> &Runtime::outputs() const {
  return state->executable.outputs;
}
const CompiledInfo &Runtime::info() const { return state->info; }
const Shape &Runtime::lastShape(size_t output) const {
  return state->shapes.at(output);
}

template <typename Buffer>
static void checkBuffers(const char *kind, const std::vector<PortInfo> &ports,
                         std::span<const Buffer> buffers) {
  if (buffers.size() != ports.size())
    throw Error(fmt::format("the model has {} {}s, but {} buffers were given",
                            ports.size(), kind, buffers.size()));
  for (size_t i = 0; i < ports.size(); ++i) {
    const PortInfo &port = ports[i];
    if (buffers[i].size() != byteSizeOf(port))
      throw Error(fmt::format("{} '{}' is {} {} and needs a buffer of {} "
                              "bytes, but {} were given",
                              kind, port.name, nameOf(port.dtype),
                              toString(port.shape), byteSizeOf(port),
                              buffers[i].size()));
    if (reinterpret_cast<uintptr_t>(buffers[i].data()) % sizeOf(port.dtype))
      throw Error(fmt::format("the buffer of {} '{}' is not aligned to its "
                              "element type {}",
                              kind, port.name, nameOf(port.dtype)));
  }
}

void Runtime::run(std::span<const InputBuffer> inputs,
                  std::span<const OutputBuffer> outputs) {
  const Executable &executable = state->executable;
  checkBuffers("input", executable.inputs, inputs);
  checkBuffers("output", executable.outputs, outputs);
  std::vector<Tensor> tensors;
  for (size_t i = 0; i < inputs.size(); ++i) {
    const PortInfo &port = executable.inputs[i];
    // Kernels only read it.
    tensors.emplace_back(port.dtype, port.shape,
                         const_cast<std::byte *>(inputs[i].data()));
  }
  ThreadCountScope threads(state->threads);
  std::span<const Tensor> results =
      withMemoryError([&] { return state->execution->run(tensors); });
  for (size_t i = 0; i < results.size(); ++i) {
    state->shapes[i] = results[i].shape();
    if (results[i].byteSize() > 0)
      std::memcpy(outputs[i].data(), results[i].rawData(),
                  results[i].byteSize());
  }
}

} // namespace parallax
