//===- FuzzCompiled.cpp - Hostile compiled models -------------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Any bytes must end as a network that runs, or as an Error. What was accepted
// is executed: every index and every sum of a kernel was promised to be in
// range by what the reader has verified. All else is a finding: a signal, a
// sanitizer's report, another exception, too much time or memory.
//===----------------------------------------------------------------------===//
#include "FuzzModel.h"
#include "parallax/Backend/Core/Prepare.h"
#include "parallax/Backend/NPU/NPU.h"
#include "parallax/Compiled/CompiledModel.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"

#include <cstring>

using namespace parallax;

namespace {

/// Above this, most of the time would go into a few networks.
constexpr int64_t maxElements = 200'000, maxWork = 50'000'000;

int64_t elementsOf(mlir::Type type) {
  auto tensor = mlir::dyn_cast<mlir::RankedTensorType>(type);
  return tensor && tensor.hasStaticShape()
             ? std::min(tensor.getNumElements(), maxElements)
             : 0;
}

/// An upper bound of the inputs that one result depends on.
int64_t reachOf(mlir::Operation &op) {
  int64_t reach = 1;
  for (mlir::NamedAttribute attribute : op.getAttrs())
    if (auto list =
            mlir::dyn_cast<mlir::DenseI64ArrayAttr>(attribute.getValue());
        list && attribute.getName() == "kernel")
      for (int64_t extent : list.asArrayRef())
        reach = std::min(reach * std::min(extent, maxWork), maxWork);
  for (mlir::Type type : op.getOperandTypes())
    reach = std::max(reach, elementsOf(type));
  return reach;
}

bool isSmall(mlir::func::FuncOp function) {
  int64_t elements = 0, work = 0;
  for (mlir::Type type : function.getArgumentTypes())
    elements += elementsOf(type);
  for (mlir::Operation &op : function.front())
    for (mlir::Type type : op.getResultTypes()) {
      elements += elementsOf(type);
      work += std::min(elementsOf(type) * reachOf(op), maxWork);
      if (elements >= maxElements || work >= maxWork)
        return false;
    }
  return true;
}

/// Numbers that change from element to element and reach the ends of codes.
Tensor someInput(const PortInfo &port) {
  Tensor tensor(port.dtype, port.shape);
  dispatch(port.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    for (int64_t i = 0; i < tensor.size(); ++i) {
      int64_t value = i * 37 % 256 - 128;
      if constexpr (std::is_same_v<T, bool>)
        tensor.data<T>()[i] = value % 2 != 0;
      else if constexpr (std::is_integral_v<T>)
        tensor.data<T>()[i] = T(value);
      else
        tensor.data<T>()[i] = T(float(value) / 16);
    }
  });
  return tensor;
}

void process(std::span<const std::byte> bytes) {
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  std::string file = withDigest(bytes);
  // The folder does not exist, so external data is never found.
  auto module = readCompiledModel(std::as_bytes(std::span(file)),
                                  "fuzz/compiled.axmodel", context);
  auto function = module->lookupSymbol<mlir::func::FuncOp>("npu");
  if (!isSmall(function))
    return;
  Executable executable = prepare(function, npuKernels());
  ExecutionState state(executable);
  std::vector<Tensor> inputs;
  for (const PortInfo &port : executable.inputs)
    inputs.push_back(someInput(port));
  state.run(inputs);
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  return fuzzModel(data, size, process);
}
