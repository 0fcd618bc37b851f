//===- Executable.cpp - Running a prepared network ------------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Binds the plan to memory once, then runs it without allocating.
//===----------------------------------------------------------------------===//
#include "parallax/Backend/Core/Executable.h"
#include "parallax/Support/Error.h"
#include "parallax/Support/Listener.h"
#include "parallax/Support/Parallel.h"

#include <chrono>
#include <cstdlib>
#include <fmt/format.h>

namespace parallax {
namespace {

std::shared_ptr<std::byte> allocateBlock(size_t bytes, const char *what) {
  constexpr size_t alignment = 64;
  size_t rounded =
      (std::max<size_t>(bytes, 1) + alignment - 1) / alignment * alignment;
  auto *block =
      static_cast<std::byte *>(std::aligned_alloc(alignment, rounded));
  if (!block)
    throw Error(fmt::format("the network needs {:.1f} MB of {}, which this "
                            "machine does not have; use smaller input shapes",
                            double(bytes) / 1e6, what));
  return {block, [](std::byte *pointer) { std::free(pointer); }};
}

} // namespace

Shape physicalShape(const Shape &shape, Layout layout) {
  if (layout.isPlain())
    return shape;
  Shape physical = shape;
  physical[1] = (shape[1] + layout.channelBlock - 1) / layout.channelBlock;
  physical.push_back(layout.channelBlock);
  return physical;
}

ExecutionState::ExecutionState(const Executable &executable)
    : executable(executable),
      arena(allocateBlock(executable.arenaBytes, "working memory")),
      scratch(allocateBlock(executable.scratchBytes, "scratch memory")) {
  steps.reserve(executable.steps.size());
  for (const Executable::Step &step : executable.steps) {
    BoundStep &bound = steps.emplace_back();
    for (const Executable::Slot &slot : step.inputs) {
      if (slot.buffer != Executable::Slot::noBuffer &&
          executable.buffers[slot.buffer].kind ==
              Executable::Buffer::Kind::Input)
        inputUses.push_back({executable.buffers[slot.buffer].index,
                             steps.size() - 1, bound.inputs.size()});
      bound.inputs.push_back(view(slot));
    }
    for (const Executable::Slot &slot : step.outputs)
      bound.outputs.push_back(view(slot));
    if (step.kernel.makeState)
      bound.state = step.kernel.makeState();
  }
}

Tensor ExecutionState::view(const Executable::Slot &slot) const {
  if (slot.buffer == Executable::Slot::noBuffer)
    return {};
  const Executable::Buffer &buffer = executable.buffers[slot.buffer];
  const void *bytes = nullptr;
  switch (buffer.kind) {
  case Executable::Buffer::Kind::Arena:
    bytes = arena.get() + buffer.offset;
    break;
  case Executable::Buffer::Kind::Constant:
    bytes = executable.constants[buffer.index].rawData();
    break;
  case Executable::Buffer::Kind::Input:
    // Known only during a run.
    if (buffer.index < currentInputs.size())
      bytes = currentInputs[buffer.index].rawData();
    break;
  }
  return Tensor(slot.dtype, slot.shape, const_cast<void *>(bytes));
}

/// Only 0 and 1 are Booleans in memory.
static void checkTruths(const PortInfo &port, const Tensor &input) {
  if (port.dtype != DType::Bool)
    return;
  const auto *bytes = static_cast<const unsigned char *>(input.rawData());
  for (size_t i = 0; i < input.byteSize(); ++i)
    if (bytes[i] > 1)
      throw Error(fmt::format("input '{}' has Booleans that are neither "
                              "0 nor 1",
                              port.name));
}

static void checkInputs(const Executable &executable,
                        std::span<const Tensor> inputs) {
  if (inputs.size() != executable.inputs.size())
    throw Error(fmt::format("the network has {} inputs, but {} were given",
                            executable.inputs.size(), inputs.size()));
  for (size_t i = 0; i < inputs.size(); ++i) {
    const PortInfo &port = executable.inputs[i];
    if (inputs[i].dtype() != port.dtype || inputs[i].shape() != port.shape)
      throw Error(fmt::format("input '{}' must be {} {}, but {} {} was given",
                              port.name, nameOf(port.dtype),
                              toString(port.shape), nameOf(inputs[i].dtype()),
                              toString(inputs[i].shape())));
    checkTruths(port, inputs[i]);
  }
}

std::span<const Tensor> ExecutionState::run(std::span<const Tensor> inputs,
                                            Observer *observer) {
  checkInputs(executable, inputs);
  currentInputs = inputs;
  for (const InputUse &use : inputUses) {
    Tensor &operand = steps[use.step].inputs[use.operand];
    operand = Tensor(operand.dtype(), operand.shape(),
                     const_cast<void *>(inputs[use.input].rawData()));
  }

  for (auto [step, number] : executable.dynamicResults)
    steps[step].outputs[number].setShape(
        executable.steps[step].outputs[number].shape);

  using Clock = std::chrono::steady_clock;
  const Listener &listener = currentListener();
  int threads = threadCount(), current = threads;
  ThreadCountScope restore(threads); // Also when a kernel throws.
  size_t probe = 0;
  for (size_t i = 0; i < steps.size(); ++i) {
    BoundStep &step = steps[i];
    if (listener.isCancelled())
      throw Cancelled();
    if (int wanted = executable.steps[i].isShort ? 1 : threads;
        wanted != current)
      setThreadCount(current = wanted);
    Clock::time_point start;
    if (!profile.empty())
      start = Clock::now();
    executable.steps[i].kernel.run(
        {step.inputs, step.outputs, scratch.get(), step.state.get()});
    if (!profile.empty())
      profile[i] += std::chrono::duration<double>(Clock::now() - start).count();
    for (;
         probe < executable.probes.size() && executable.probes[probe].step == i;
         ++probe)
      if (observer)
        observer->onResult(executable.probes[probe].layer,
                           view(executable.probes[probe].slot));
  }

  results.clear();
  for (const Executable::Slot &slot : executable.outputSlots)
    results.push_back(view(slot));
  for (const Executable::DynamicOutput &dynamic : executable.dynamicOutputs)
    results[dynamic.output].setShape(
        steps[dynamic.step].outputs[dynamic.result].shape());
  return results;
}

} // namespace parallax
