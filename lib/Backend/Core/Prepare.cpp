//===- Prepare.cpp - A function becomes an executable ---------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Walks the function once. For every operation (or group of operations that
// are computed together) it asks the engine for a kernel, brings the operands
// into the layouts that the kernel wants, and records who uses which buffer
// until when. Memory is planned at the end, from those lifetimes.
//===----------------------------------------------------------------------===//
#include "parallax/Backend/Core/Prepare.h"
#include "SharedKernels.h"
#include "parallax/Support/Error.h"
#include "parallax/Support/LayerName.h"
#include "parallax/Support/Parallel.h"
#include "parallax/Support/QuantizedType.h"
#include "parallax/Support/TensorAttr.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/DenseSet.h"

#include <cstring>
#include <fmt/format.h>
#include <map>

using namespace mlir;

namespace parallax {
namespace {

using Slot = Executable::Slot;
using Buffer = Executable::Buffer;

/// A quantized tensor is kept as the values of its codes.
ValueInfo infoOf(Value value) {
  auto type = cast<RankedTensorType>(value.getType());
  std::optional<DType> dtype =
      isQuantized(type) ? DType::F32 : toDType(type.getElementType());
  if (!dtype)
    throw Error(fmt::format("tensor '{}' has an element type that this engine "
                            "does not execute",
                            getTensorName(value)));
  return {*dtype, type.getShape().vec(), {}};
}

std::string describe(Operation *op) {
  LayerName name = getLayerName(op);
  std::string opName = op->getName().getStringRef().str();
  return name.node.empty() ? opName : fmt::format("{} '{}'", opName, name.node);
}

/// Makes the kernel of an operation, with its name in front of any error.
Kernel bind(Operation *op, const KernelSet &kernels, BindContext &context) {
  const KernelSet::Binder *binder = kernels.find(op->getName().getStringRef());
  if (!binder)
    throw Error(fmt::format("{} has no kernel in this engine", describe(op)));
  try {
    return (*binder)(op, context);
  } catch (const Error &error) {
    throw Error(fmt::format("{}: {}", describe(op), error.what()));
  }
}

/// Runs a kernel that is not part of a plan, with memory of its own.
void runOnce(const Kernel &kernel, std::span<const Tensor> inputs,
             std::span<Tensor> outputs) {
  std::shared_ptr<void> state = kernel.makeState ? kernel.makeState() : nullptr;
  // Tensors are aligned as kernels like their scratch memory.
  Tensor scratch(DType::U8, {int64_t(kernel.scratchBytes)});
  kernel.run({inputs, outputs, scratch.rawData(), state.get()});
}

/// A constant in another layout.
Tensor reordered(const Tensor &tensor, const ValueInfo &from, Layout to,
                 const KernelSet &kernels) {
  if (from.layout == to)
    return tensor;
  ValueInfo target = from;
  target.layout = to;
  Tensor moved(from.dtype, target.physical());
  runOnce(kernels.makeReorder(from, to), std::span(&tensor, 1),
          std::span(&moved, 1));
  return moved;
}

/// Whether a value lies in memory alike in both layouts: a vector of channels
/// does, unless its last block is padded.
bool isSameMemory(const ValueInfo &from, Layout to) {
  return elementCount(from.shape) == from.shape[0] * from.shape[1] &&
         from.shape[1] % from.layout.channelBlock == 0 &&
         from.shape[1] % to.channelBlock == 0;
}

class Preparation {
public:
  Preparation(func::FuncOp function, const KernelSet &kernels,
              const PrepareOptions &options)
      : function(function), kernels(kernels), options(options) {}

  Executable run();

private:
  struct ValueState {
    ValueInfo info;
    Tensor constant;
    /// Uses that are not prepared yet; a constant is dropped with the last.
    size_t remainingUses = 0;
    std::map<int64_t, Slot> versions; ///< By channel block.
    bool isConstant = false;
  };

  void checkKernels();
  void addArguments();
  void addConstant(Operation *op);
  void addRounding(mlir::OpResult value);
  void addOperation(Operation *op, ArrayRef<Operation *> absorbed,
                    ArrayRef<Value> operands, ValueRange results);
  void addOutputs(Operation *terminator);
  void addProbes(Operation *op, ValueRange results);
  Slot version(Value value, Layout layout);
  Slot newArenaSlot(const ValueInfo &info);
  void addStep(Kernel kernel, std::vector<Slot> inputs,
               std::vector<Slot> outputs, std::string name);
  void touch(const Slot &slot, size_t step);
  void shareBuffers();
  void placeBuffers();

  func::FuncOp function;
  const KernelSet &kernels;
  const PrepareOptions &options;
  Executable result;
  SharedKernels sharedKernels;
  DenseMap<Value, ValueState> values;
  /// (step, output, input): the output may overwrite the input.
  struct Share {
    size_t step, output, input;
  };
  std::vector<Share> shares;
  /// Where a value with a data-dependent extent is produced.
  DenseMap<Value, std::pair<size_t, size_t>> dynamicValues;
};

Executable Preparation::run() {
  checkKernels();
  addArguments();
  FusionPlan fusion;
  if (kernels.planFusion && (!options.observe || options.fusesObserved))
    fusion = kernels.planFusion(function, [&](Operation *op) {
      return !options.observe || options.fusesObserved(op);
    });
  DenseMap<Operation *, Operation *> rootOfLast;
  llvm::DenseSet<Operation *> postponed;
  for (auto &[root, group] : fusion) {
    rootOfLast[group.absorbed.back()] = root;
    postponed.insert(root);
    for (Operation *op : ArrayRef(group.absorbed).drop_back())
      postponed.insert(op);
  }

  for (Operation &op : function.front()) {
    if (op.hasTrait<OpTrait::IsTerminator>()) {
      addOutputs(&op);
    } else if (op.getNumOperands() == 0) {
      addConstant(&op);
    } else if (Operation *root = rootOfLast.lookup(&op)) {
      FusionGroup &group = fusion[root];
      SmallVector<Value> operands(root->getOperands());
      llvm::append_range(operands, group.extraOperands);
      addOperation(root, group.absorbed, operands, op.getResults());
    } else if (!postponed.contains(&op)) {
      addOperation(&op, {}, SmallVector<Value>(op.getOperands()),
                   op.getResults());
    }
  }
  shareBuffers();
  placeBuffers();
  return std::move(result);
}

void Preparation::checkKernels() {
  std::string missing;
  for (Operation &op : function.front())
    if (!op.hasTrait<OpTrait::IsTerminator>() &&
        !op.hasTrait<OpTrait::ConstantLike>() &&
        !kernels.find(op.getName().getStringRef()))
      missing += "\n  " + describe(&op);
  if (!missing.empty())
    throw Error("these operations have no kernel in this engine:" + missing);
}

void Preparation::addArguments() {
  for (BlockArgument argument : function.getArguments()) {
    ValueState &state = values[argument];
    state.info = infoOf(argument);
    Slot slot{result.buffers.size(), state.info.dtype, state.info.shape};
    result.buffers.push_back(
        {Buffer::Kind::Input, size_t(argument.getArgNumber()), {}, 0});
    state.versions[1] = slot;
    result.inputs.push_back(
        {getTensorName(argument), state.info.dtype, state.info.shape});
  }
}

/// An operation without operands always gives the same: it is computed now.
void Preparation::addConstant(Operation *op) {
  ValueState &state = values[op->getResult(0)];
  state.info = infoOf(op->getResult(0));
  if (ElementsAttr attribute; matchPattern(op, m_Constant(&attribute)))
    state.constant =
        options.takeWeights ? takeTensor(attribute) : toTensor(attribute);
  else
    state.constant = evaluate(op, {}, kernels).front();
  state.isConstant = true;
  // A use as an output of the network is never done.
  state.remainingUses = size_t(llvm::range_size(op->getResult(0).getUses()));
}

void Preparation::addOperation(Operation *op, ArrayRef<Operation *> absorbed,
                               ArrayRef<Value> operands, ValueRange results) {
  BindContext context;
  context.absorbed = absorbed;
  for (Value operand : operands) {
    ValueState &state = values[operand];
    KernelBuilder::Input &input = context.inputs.emplace_back();
    input.info = state.info;
    // The layout that costs nothing: the one in which the value exists.
    if (!state.versions.empty() && !state.versions.contains(1))
      input.info.layout = {state.versions.begin()->first};
    input.constant = state.constant;
  }
  for (Value value : results)
    context.outputs.push_back({infoOf(value)});
  Kernel kernel = sharedKernels.get(op, context,
                                    [&] { return bind(op, kernels, context); });

  std::vector<Slot> inputs, outputs;
  for (auto [operand, input] : llvm::zip(operands, context.inputs)) {
    inputs.push_back(input.released ? Slot() : version(operand, input.wanted));
    ValueState &state = values[operand];
    if (state.isConstant && --state.remainingUses == 0)
      state.constant = {};
  }
  // What is rounded in place must not be somebody else's.
  bool isAlias = context.aliasInput >= 0;
  if (isAlias && kernels.makeRounding &&
      kernels.makeRounding(cast<OpResult>(results[0])).run) {
    isAlias = false;
    inputs = {inputs[size_t(context.aliasInput)]};
    kernel = {[](const KernelArgs &args) {
      std::memcpy(args.outputs[0].rawData(), args.inputs[0].rawData(),
                  args.inputs[0].byteSize());
    }};
  }
  if (isAlias) {
    ValueState &state = values[results[0]];
    state.info = context.outputs[0].info;
    Slot slot = inputs[context.aliasInput];
    slot.shape = state.info.shape;
    state.versions[1] = slot;
    if (options.observe) // A step of its own, for the observer to look after.
      addStep({[](const KernelArgs &) {}}, {slot}, {}, describe(op));
  } else {
    for (auto [value, output] : llvm::zip(results, context.outputs)) {
      ValueState &state = values[value];
      state.info = output.info;
      Slot slot = newArenaSlot(output.info);
      state.versions[output.info.layout.channelBlock] = slot;
      if (cast<ShapedType>(value.getType()).getNumDynamicDims() > 0) {
        dynamicValues[value] = {result.steps.size(), outputs.size()};
        result.dynamicResults.emplace_back(result.steps.size(), outputs.size());
      }
      if (output.shares >= 0)
        shares.push_back(
            {result.steps.size(), outputs.size(), size_t(output.shares)});
      outputs.push_back(std::move(slot));
    }
    addStep(std::move(kernel), std::move(inputs), std::move(outputs),
            describe(op));
    for (Value value : results)
      addRounding(cast<OpResult>(value));
  }
  if (Operation *last = absorbed.empty() ? op : absorbed.back();
      options.observe && (!options.isObserved || options.isObserved(last)))
    addProbes(last, results);
}

/// Rounds a result in place, in the layout in which it was made.
void Preparation::addRounding(OpResult value) {
  Kernel rounding =
      kernels.makeRounding ? kernels.makeRounding(value) : Kernel();
  if (!rounding.run)
    return;
  const Slot &slot = values[value].versions.begin()->second;
  addStep(std::move(rounding), {slot}, {slot}, "rounding");
}

void Preparation::addProbes(Operation *op, ValueRange results) {
  LayerName name = getLayerName(op);
  for (auto [i, value] : llvm::enumerate(results)) {
    if (dynamicValues.contains(value))
      continue;
    const ValueState &state = values[value];
    Layout layout;
    if (int64_t block = state.versions.begin()->first;
        options.observeBlocks && !state.versions.contains(1))
      layout = {block};
    Slot slot = version(value, layout);
    size_t step = result.steps.size() - 1;
    touch(slot, step);
    std::string tensor = name.tensors.empty() ? "" : name.tensors[i];
    std::optional<AffineParams> codes;
    if (Type type = codeTypeOf(cast<OpResult>(value)); type && !isPerAxis(type))
      codes = affineParamsOf(type);
    if (options.willShow)
      options.willShow(value);
    result.probes.push_back({step,
                             slot,
                             {result.probes.size(), name.node, tensor,
                              op->getName().getStringRef().str(),
                              values[value].info.shape, layout, codes}});
  }
  if (options.readsBeside)
    for (Value value : options.readsBeside(op))
      touch(version(value, Layout()), result.steps.size() - 1);
}

void Preparation::addOutputs(Operation *terminator) {
  for (auto [i, value] : llvm::enumerate(terminator->getOperands())) {
    Slot slot = version(value, Layout());
    auto name =
        function.getResultAttrOfType<StringAttr>(unsigned(i), "nn.name");
    result.outputs.push_back({name ? name.str() : getTensorName(value),
                              slot.dtype, values[value].info.shape});
    if (auto it = dynamicValues.find(value); it != dynamicValues.end())
      result.dynamicOutputs.push_back({i, it->second.first, it->second.second});
    result.outputSlots.push_back(std::move(slot));
  }
  // Outputs live until the end, beyond the reorders that were just added.
  for (const Slot &slot : result.outputSlots)
    touch(slot, result.steps.size());
}

/// The slot that holds a value in a layout; adds a reorder if there is none.
Slot Preparation::version(Value value, Layout layout) {
  ValueState &state = values[value];
  auto [it, isNew] = state.versions.try_emplace(layout.channelBlock);
  if (!isNew)
    return it->second;

  ValueInfo wanted = state.info;
  wanted.layout = layout;
  if (state.isConstant) {
    it->second = {result.buffers.size(), wanted.dtype, wanted.physical()};
    result.buffers.push_back(
        {Buffer::Kind::Constant, result.constants.size(), {}, 0});
    result.constants.push_back(
        reordered(state.constant, state.info, layout, kernels));
    return it->second;
  }

  auto source = llvm::find_if(state.versions,
                              [&](auto &entry) { return &entry != &*it; });
  ValueInfo from = state.info;
  from.layout = {source->first};
  if (isSameMemory(from, layout)) {
    it->second = source->second;
    it->second.shape = wanted.physical();
    return it->second;
  }
  it->second = newArenaSlot(wanted);
  addStep(kernels.makeReorder(from, layout), {source->second}, {it->second},
          "reorder");
  return it->second;
}

Slot Preparation::newArenaSlot(const ValueInfo &info) {
  Slot slot{result.buffers.size(), info.dtype, info.physical()};
  Buffer buffer;
  buffer.lifetime.bytes = size_t(elementCount(slot.shape)) * sizeOf(info.dtype);
  buffer.lifetime.firstStep = SIZE_MAX;
  result.buffers.push_back(buffer);
  return slot;
}

void Preparation::addStep(Kernel kernel, std::vector<Slot> inputs,
                          std::vector<Slot> outputs, std::string name) {
  size_t step = result.steps.size();
  for (const Slot &slot : inputs)
    touch(slot, step);
  for (const Slot &slot : outputs)
    touch(slot, step);
  result.scratchBytes = std::max(result.scratchBytes, kernel.scratchBytes);
  if (kernel.work == 0)
    for (const std::vector<Slot> *slots : {&inputs, &outputs})
      for (const Slot &slot : *slots)
        kernel.work += double(elementCount(slot.shape));
  constexpr double shortWork = 40000; // about 10 microseconds
  bool isShort = kernel.work < shortWork;
  result.steps.push_back({std::move(kernel), std::move(inputs),
                          std::move(outputs), std::move(name), isShort});
}

void Preparation::touch(const Slot &slot, size_t step) {
  if (slot.buffer == Slot::noBuffer)
    return;
  BufferLifetime &lifetime = result.buffers[slot.buffer].lifetime;
  lifetime.firstStep = std::min(lifetime.firstStep, step);
  lifetime.lastStep = std::max(lifetime.lastStep, step);
}

/// Lets results overwrite operands that nobody needs any more.
void Preparation::shareBuffers() {
  std::vector<size_t> target(result.buffers.size());
  for (size_t i = 0; i < target.size(); ++i)
    target[i] = i;
  for (const Share &share : shares) {
    Executable::Step &step = result.steps[share.step];
    const Slot &input = step.inputs[share.input];
    const Slot &output = step.outputs[share.output];
    if (input.buffer == Slot::noBuffer)
      continue;
    size_t from = target[input.buffer];
    BufferLifetime &donor = result.buffers[from].lifetime;
    BufferLifetime &heir = result.buffers[output.buffer].lifetime;
    bool readTwice =
        llvm::count_if(step.inputs, [&](const Slot &slot) {
          return slot.buffer != Slot::noBuffer && target[slot.buffer] == from;
        }) > 1;
    if (result.buffers[from].kind != Buffer::Kind::Arena || readTwice ||
        donor.lastStep != share.step || donor.bytes != heir.bytes)
      continue;
    donor.lastStep = heir.lastStep;
    target[output.buffer] = from;
  }
  auto redirect = [&](Slot &slot) {
    if (slot.buffer != Slot::noBuffer)
      slot.buffer = target[slot.buffer];
  };
  for (Executable::Step &step : result.steps) {
    llvm::for_each(step.inputs, redirect);
    llvm::for_each(step.outputs, redirect);
  }
  llvm::for_each(result.outputSlots, redirect);
  for (Executable::Probe &probe : result.probes)
    redirect(probe.slot);
  for (size_t i = 0; i < target.size(); ++i)
    if (target[i] != i)
      result.buffers[i].lifetime.bytes = 0;
}

void Preparation::placeBuffers() {
  std::vector<BufferLifetime> lifetimes;
  std::vector<size_t> ids;
  for (auto [id, buffer] : llvm::enumerate(result.buffers))
    if (buffer.kind == Buffer::Kind::Arena && buffer.lifetime.bytes > 0) {
      lifetimes.push_back(buffer.lifetime);
      ids.push_back(id);
    }
  MemoryPlan plan = planMemory(lifetimes);
  for (auto [id, offset] : llvm::zip(ids, plan.offsets))
    result.buffers[id].offset = offset;
  result.arenaBytes = plan.arenaBytes;
  result.peakLiveBytes = plan.peakLiveBytes;
}

} // namespace

Executable prepare(func::FuncOp function, const KernelSet &kernels,
                   const PrepareOptions &options) {
  // A library's kernel wants as many threads as there were when it was made.
  ThreadCountScope threads(options.observe ? 1 : threadCount());
  return Preparation(function, kernels, options).run();
}

std::vector<Tensor> evaluate(Operation *op, std::span<const Tensor> operands,
                             const KernelSet &kernels) {
  BindContext context;
  for (auto [value, tensor] : llvm::zip(op->getOperands(), operands)) {
    KernelBuilder::Input &input = context.inputs.emplace_back();
    input.info = infoOf(value);
    input.constant = tensor;
  }
  for (Value value : op->getResults())
    context.outputs.push_back({infoOf(value)});
  Kernel kernel = bind(op, kernels, context);
  auto round = [&](OpResult value, Tensor &tensor) {
    if (Kernel rounding =
            kernels.makeRounding ? kernels.makeRounding(value) : Kernel();
        rounding.run)
      runOnce(rounding, std::span(&tensor, 1), std::span(&tensor, 1));
  };
  if (context.aliasInput >= 0) {
    const Tensor &operand = operands[size_t(context.aliasInput)];
    const Shape &shape = context.outputs[0].info.shape;
    if (!isQuantized(op->getResult(0).getType()))
      return {operand.reshaped(shape)};
    Tensor own = operand.clone().reshaped(shape);
    round(op->getResult(0), own);
    return {own};
  }

  // Constants are plain, and so is the result: bring back what a kernel wants
  // in blocks.
  std::vector<Tensor> inputs, outputs;
  for (auto [input, tensor] : llvm::zip(context.inputs, operands))
    inputs.push_back(
        input.released ? Tensor()
                       : reordered(tensor, input.info, input.wanted, kernels));
  for (const KernelBuilder::Output &output : context.outputs)
    outputs.emplace_back(output.info.dtype, output.info.physical());
  runOnce(kernel, inputs, outputs);
  for (auto [value, tensor] : llvm::zip(op->getResults(), outputs))
    round(value, tensor);
  for (auto [tensor, output] : llvm::zip(outputs, context.outputs))
    tensor = reordered(tensor, output.info, Layout(), kernels);
  return outputs;
}

} // namespace parallax
