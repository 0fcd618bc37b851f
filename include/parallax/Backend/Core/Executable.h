//===- Executable.h - A prepared network -----------------------*- C++ -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// The result of preparing a function: kernels in order, packed weights and a
// memory plan. It is immutable; every concurrent run brings an ExecutionState
// with its own arena, so one Executable serves many samples at a time.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_BACKEND_CORE_EXECUTABLE_H
#define PARALLAX_BACKEND_CORE_EXECUTABLE_H

#include "parallax/Backend/Core/Kernel.h"
#include "parallax/Support/AffineParams.h"
#include "parallax/Support/PortInfo.h"

#include <optional>

namespace parallax {

/// A layer result as an observer sees it.
struct LayerResult {
  /// Number of the result in execution order.
  size_t index = 0;
  std::string node;
  std::string tensor;
  /// The operator's name in the dialect, for example "nn.conv".
  std::string op;
  /// The tensor that an observer sees is physicalShape(shape, layout).
  Shape shape;
  Layout layout;
  /// What the codes stand for if the result has one scale and zero point. The
  /// tensor holds codes, or in an engine of floats their values.
  std::optional<AffineParams> codes;
};

/// Sees each layer's result while a run goes on. It must not keep the tensor:
/// the memory is reused as soon as the call returns.
class Observer {
public:
  virtual ~Observer() = default;
  virtual void onResult(const LayerResult &layer, const Tensor &value) = 0;
};

/// Offsets in one block of memory for buffers that live in intervals of steps.
struct BufferLifetime {
  size_t bytes = 0;
  size_t firstStep = 0;
  size_t lastStep = 0;
};
struct MemoryPlan {
  std::vector<size_t> offsets;
  size_t arenaBytes = 0;
  /// The greatest sum of sizes that are alive at one step: no plan can be
  /// smaller.
  size_t peakLiveBytes = 0;
};
MemoryPlan planMemory(std::span<const BufferLifetime> buffers);

class Executable {
public:
  struct Buffer {
    enum class Kind { Arena, Input, Constant };
    Kind kind = Kind::Arena;
    size_t index = 0; ///< Input number, or the place in `constants`.
    BufferLifetime lifetime;
    size_t offset = 0;
  };
  /// A tensor that a step reads or writes: a buffer and how to look at it.
  struct Slot {
    static constexpr size_t noBuffer = SIZE_MAX;
    size_t buffer = noBuffer; ///< None for an operand that is not passed.
    DType dtype = DType::F32;
    Shape shape; ///< Physical.
  };
  struct Step {
    Kernel kernel;
    std::vector<Slot> inputs, outputs;
    std::string name; ///< For messages and profiles.
    /// Too short to be worth waking other threads.
    bool isShort = false;
  };
  /// A layer result that can be observed after a step.
  struct Probe {
    size_t step = 0;
    Slot slot;
    LayerResult layer;
  };

  std::vector<PortInfo> inputs, outputs;
  std::vector<Buffer> buffers;
  std::vector<Tensor> constants;
  std::vector<Step> steps;
  std::vector<Slot> outputSlots;
  /// Outputs whose extent the kernel of a step decides.
  struct DynamicOutput {
    size_t output = 0, step = 0, result = 0;
  };
  std::vector<DynamicOutput> dynamicOutputs;
  /// All results (step, number) of that kind, whether somebody reads them or
  /// not: their shapes are set back to the bounds before a run.
  std::vector<std::pair<size_t, size_t>> dynamicResults;
  /// In execution order; filled when prepared for observation.
  std::vector<Probe> probes;
  size_t arenaBytes = 0;
  size_t scratchBytes = 0;
  size_t peakLiveBytes = 0;
};

/// What one run changes. Not shared between threads.
class ExecutionState {
public:
  explicit ExecutionState(const Executable &executable);

  /// Runs the network. The returned tensors are views that stay valid until
  /// the next run. Inputs are checked against the executable's ports.
  std::span<const Tensor> run(std::span<const Tensor> inputs,
                              Observer *observer = nullptr);

  /// Wall time per step of all runs so far, in seconds; needs enableProfile.
  const std::vector<double> &stepSeconds() const { return profile; }
  void enableProfile() { profile.assign(executable.steps.size(), 0.0); }

private:
  Tensor view(const Executable::Slot &slot) const;

  const Executable &executable;
  std::shared_ptr<std::byte> arena, scratch;
  struct BoundStep {
    std::vector<Tensor> inputs, outputs;
    std::shared_ptr<void> state;
  };
  std::vector<BoundStep> steps;
  struct InputUse {
    size_t input, step, operand;
  };
  std::vector<InputUse> inputUses;
  std::span<const Tensor> currentInputs;
  std::vector<Tensor> results;
  std::vector<double> profile;
};

} // namespace parallax

#endif // PARALLAX_BACKEND_CORE_EXECUTABLE_H
