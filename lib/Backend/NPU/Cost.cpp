//===- Cost.cpp - The estimate of a network's time ------------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Layers run one after the other, each as long as the slower of computing and
// moving. docs/targets.md has the formulas, and what they leave out.
//===----------------------------------------------------------------------===//
#include "parallax/Backend/NPU/Cost.h"
#include "Work.h"

#include "parallax/Dialect/NN/NNOps.h"
#include "parallax/Support/LayerName.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/STLExtras.h"

#include <cmath>
#include <fmt/format.h>
#include <fmt/ranges.h>

using namespace mlir;

namespace parallax {
namespace {

using npu::Products;
using npu::Work;

int64_t bytesOf(Value value) {
  auto type = cast<RankedTensorType>(value.getType());
  if (!type.hasStaticShape())
    return 0;
  return int64_t(
      llvm::divideCeil(uint64_t(type.getNumElements()) *
                           getElementTypeOrSelf(type).getIntOrFloatBitWidth(),
                       8));
}

int64_t upTo(int64_t value, int64_t multiple) {
  return (value + multiple - 1) / multiple * multiple;
}

bool isConstant(Value value) {
  return value.getDefiningOp<nn::ConstantOp>() != nullptr;
}

std::string typeText(Value value) {
  std::string text;
  llvm::raw_string_ostream(text) << getElementTypeOrSelf(value.getType());
  return text;
}

/// Which results stay on the chip until their last reader: those that fit
/// beside the ones that stay there already.
class OnChip {
public:
  OnChip(func::FuncOp npu, const Target &target)
      : target(target), free(target.memory.onChipBytes) {
    for (auto [index, op] : llvm::enumerate(npu.front()))
      order[&op] = int64_t(index);
  }

  /// The tensor whose bytes a value is.
  Value rootOf(Value value) const {
    auto it = aliases.find(value);
    return it == aliases.end() ? value : it->second;
  }
  void addAlias(Value result, Value operand) {
    aliases[result] = rootOf(operand);
  }

  bool contains(Value value) const { return kept.contains(rootOf(value)); }

  /// Makes room for a result, if there is any.
  void offer(Value result) {
    int64_t bytes = bytesOf(result);
    std::optional<int64_t> last = lastReader(result);
    if (!last || bytes > free)
      return;
    free -= bytes;
    kept[result] = *last;
  }

  /// Forgets what nobody reads after `op`.
  void leave(Operation *op) {
    int64_t now = order.lookup(op);
    for (auto it = kept.begin(); it != kept.end();) {
      auto entry = it++;
      if (entry->second > now)
        continue;
      free += bytesOf(entry->first);
      kept.erase(entry);
    }
  }

private:
  /// Nothing if the memory outside needs the value: for the CPU, or as a result
  /// of the network.
  std::optional<int64_t> lastReader(Value value) const {
    int64_t last = 0;
    for (Operation *reader : value.getUsers()) {
      if (reader->hasTrait<OpTrait::IsTerminator>())
        return {};
      Work work = npu::workOf(reader, target);
      if (work.unit == CostUnit::Cpu)
        return {};
      last = std::max(last, order.lookup(reader));
      if (!work.isAlias)
        continue;
      std::optional<int64_t> behind = lastReader(reader->getResult(0));
      if (!behind)
        return {};
      last = std::max(last, *behind);
    }
    return last;
  }

  const Target &target;
  int64_t free;
  DenseMap<Operation *, int64_t> order;
  DenseMap<Value, Value> aliases;
  DenseMap<Value, int64_t> kept;
};

double bytesPerCycleOf(const Target &target, const CostOptions &options) {
  double bandwidth = target.memory.gigabytesPerSecond;
  if (options.bandwidthLimit > 0)
    bandwidth = std::min(bandwidth, options.bandwidthLimit);
  return bandwidth * 1000 / target.clockMhz;
}

int64_t cyclesFor(double amount, double perCycle) {
  return int64_t(std::ceil(amount / perCycle));
}

class Estimate {
public:
  Estimate(func::FuncOp npu, const Target &target, const CostOptions &options)
      : target(target), cores(double(target.coresIn(options.mode))),
        bytesPerCycle(bytesPerCycleOf(target, options)), onChip(npu, target) {}

  LayerCost layer(Operation *op) {
    Work work = npu::workOf(op, target);
    LayerCost cost = describe(op, work);
    if (work.isAlias) {
      onChip.addAlias(op->getResult(0), op->getOperand(0));
    } else {
      addBytes(op, cost);
      compute(work, cost);
      cost.memoryCycles = cyclesFor(double(cost.memoryBytes), bytesPerCycle);
      cost.cycles =
          std::max(cost.computeCycles, cost.memoryCycles) + target.launchCycles;
      if (cost.cycles > 0 && work.unit == CostUnit::Mac)
        cost.utilization = double(cost.macs) / (double(cost.cycles) *
                                                macRate(work).perCycle * cores);
    }
    cost.startCycle = now;
    now += cost.cycles;
    return cost;
  }

private:
  static LayerCost describe(Operation *op, const Work &work) {
    LayerCost cost;
    cost.layer = getLayerName(op).node;
    cost.op = op->getName().getStringRef().str();
    cost.unit = work.unit;
    std::vector<std::string> from;
    for (Value operand : op->getOperands().take_front(2))
      from.push_back(typeText(operand));
    cost.types = fmt::format("{} -> {}", fmt::join(from, " x "),
                             typeText(op->getResult(0)));
    cost.shape =
        cast<RankedTensorType>(op->getResult(0).getType()).getShape().vec();
    return cost;
  }

  void addBytes(Operation *op, LayerCost &cost) {
    // An operand that is read twice is there once.
    llvm::SmallSetVector<Value, 4> operands(op->operand_begin(),
                                            op->operand_end());
    for (Value operand : operands) {
      int64_t bytes = bytesOf(operand);
      if (operand == op->getOperand(0) && npu::readsOnlyItsResult(op))
        bytes = std::min(bytes, bytesOf(op->getResult(0)));
      (isConstant(operand) ? cost.weightBytes : cost.inputBytes) += bytes;
      if (!onChip.contains(operand))
        cost.memoryBytes += bytes;
    }
    for (Value result : op->getResults()) {
      int64_t bytes = bytesOf(result);
      cost.outputBytes += bytes;
      if (cost.unit != CostUnit::Cpu)
        onChip.offer(result);
      if (!onChip.contains(result))
        cost.memoryBytes += bytes;
    }
    onChip.leave(op);
  }

  /// A pair of widths that the target does not list takes passes of 8 x 8.
  MacRate macRate(const Work &work) const {
    MacRate bytes;
    for (const MacRate &rate : target.macs) {
      if (rate.activationBits == work.activationBits &&
          rate.weightBits == work.weightBits)
        return rate;
      if (rate.activationBits == 8 && rate.weightBits == 8)
        bytes = rate;
    }
    bytes.perCycle /=
        double(work.activationBits / 8) * double(work.weightBits / 8);
    return bytes;
  }

  void compute(const Work &work, LayerCost &cost) const {
    MacRate rate = macRate(work);
    double padded = 0;
    for (const Products &products : work.products) {
      cost.macs += products.repeats * products.inputs * products.outputs;
      padded += double(products.repeats) *
                double(upTo(products.inputs, rate.inputChannels)) *
                double(upTo(products.outputs, rate.outputChannels));
    }
    if (work.unit == CostUnit::Cpu) {
      cost.computeCycles =
          cost.macs > 0 ? cyclesFor(double(cost.macs), target.cpu.products)
                        : cyclesFor(double(work.elements), target.cpu.elements);
      return;
    }
    double lanes = work.isFloat              ? target.vector.fp32
                   : work.activationBits > 8 ? target.vector.codes16
                                             : target.vector.codes8;
    cost.computeCycles = cyclesFor(padded, rate.perCycle * cores) +
                         cyclesFor(double(work.elements), lanes * cores);
  }

  const Target &target;
  double cores, bytesPerCycle;
  OnChip onChip;
  int64_t now = 0;
};

} // namespace

std::vector<LayerCost> estimateCost(func::FuncOp npu, const Target &target,
                                    const CostOptions &options) {
  Estimate estimate(npu, target, options);
  std::vector<LayerCost> costs;
  for (Operation &op : npu.front().without_terminator())
    if (!isa<nn::ConstantOp>(op))
      costs.push_back(estimate.layer(&op));
  return costs;
}

LayerCost estimateConversion(int64_t elements, const Target &target,
                             const CostOptions &options) {
  LayerCost cost;
  cost.inputBytes = 2 * elements;
  cost.outputBytes = elements;
  int64_t bytes = cost.inputBytes + cost.outputBytes;
  cost.memoryBytes = bytes > target.memory.onChipBytes ? bytes : 0;
  cost.computeCycles =
      cyclesFor(double(elements),
                target.vector.codes16 * double(target.coresIn(options.mode)));
  cost.memoryCycles =
      cyclesFor(double(cost.memoryBytes), bytesPerCycleOf(target, options));
  cost.cycles =
      std::max(cost.computeCycles, cost.memoryCycles) + target.launchCycles;
  return cost;
}

std::map<std::string, int64_t> cyclesByRow(func::FuncOp npu,
                                           const std::vector<LayerCost> &costs,
                                           const std::set<std::string> &rows) {
  // By operation: the row that it counts for, from the layers behind it.
  DenseMap<Operation *, std::string> owners;
  for (Operation &op : llvm::reverse(npu.front().without_terminator())) {
    std::string name = getLayerName(&op).node;
    if (rows.contains(name)) {
      owners[&op] = name;
      continue;
    }
    Operation *first = nullptr;
    for (Operation *reader : op.getUsers())
      if (owners.contains(reader) && (!first || reader->isBeforeInBlock(first)))
        first = reader;
    if (first)
      owners[&op] = std::string(owners.lookup(first));
  }
  std::map<std::string, int64_t> cycles;
  size_t index = 0;
  for (Operation &op : npu.front().without_terminator()) {
    if (!owners.contains(&op))
      for (Value operand : op.getOperands())
        if (Operation *maker = operand.getDefiningOp();
            maker && !isa<nn::ConstantOp>(maker) && owners.contains(maker))
          owners[&op] = std::string(owners.lookup(maker));
    if (isa<nn::ConstantOp>(op))
      continue;
    int64_t own = costs[index++].cycles;
    if (auto it = owners.find(&op); it != owners.end())
      cycles[it->second] += own;
  }
  return cycles;
}

} // namespace parallax
