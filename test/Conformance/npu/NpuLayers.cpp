//===- NpuLayers.cpp - The simulator against the Reference engine ---------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Both engines run one quantized network. Each operation of the machine gets
// the codes that the Reference engine has computed for its operands, so that
// its result tells about this operation alone; then whole networks are compared
// with the float one. Bounds that are broken are named, and make the exit code.
//
//   npu-layers FLOAT.onnx QUANTIZED.onnx INPUT_DIR... [options]
//
// Layers are compared on the first sample. A code on the other side of a tie
// may change everything behind it, so that 8-bit samples scatter: the two
// engines are compared by their means over all samples, and what chance
// explains is no difference.
//===----------------------------------------------------------------------===//
#include "parallax/Analysis/Metrics.h"
#include "parallax/Backend/NPU/Kernels/Codes.h"
#include "parallax/Backend/NPU/Kernels/Elementwise.h"
#include "parallax/Backend/NPU/NPU.h"
#include "parallax/Backend/Reference/Reference.h"
#include "parallax/Data/TensorFolder.h"
#include "parallax/Dialect/NN/NNOps.h"
#include "parallax/Dialect/NPU/NPUOps.h"
#include "parallax/Passes/Lower/Lower.h"
#include "parallax/Passes/Quantize/Qdq.h"
#include "parallax/Pipeline/Network.h"
#include "parallax/Report/Table.h"
#include "parallax/Support/Diagnostics.h"
#include "parallax/Support/Error.h"
#include "parallax/Support/LayerName.h"
#include "parallax/Support/Parallel.h"
#include "parallax/Support/QuantizedType.h"
#include "parallax/Support/TensorAttr.h"

#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/TypeSwitch.h"

#include <CLI/CLI.hpp>
#include <cmath>
#include <fmt/format.h>
#include <map>
#include <numeric>

using namespace parallax;
using mlir::func::FuncOp;

namespace {

/// The inputs and the constants of a function, and what operations make of
/// them, for as long as somebody reads it.
class Values {
public:
  Values(FuncOp function, std::span<const Tensor> inputs,
         const KernelSet &kernels)
      : kernels(kernels) {
    for (auto [argument, input] : llvm::zip(function.getArguments(), inputs))
      tensors[argument] = input;
  }

  Tensor get(Value value) {
    if (auto constant = value.getDefiningOp<nn::ConstantOp>())
      return toTensor(constant.getValue());
    if (Operation *op = value.getDefiningOp(); op && op->getNumOperands() == 0)
      return evaluate(op, {}, kernels)[0];
    auto found = tensors.find(value);
    if (found == tensors.end())
      throw Error(
          fmt::format("tensor '{}' is not there", getTensorName(value)));
    return found->second;
  }

  void set(Operation *op, std::span<const Tensor> results) {
    for (auto [value, tensor] : llvm::zip(op->getResults(), results))
      tensors[value] = tensor;
  }

  void drop(Value value) { tensors.erase(value); }

  const KernelSet &kernels;

private:
  DenseMap<Value, Tensor> tensors;
};

/// The Reference engine, layer by layer as far as somebody asks.
class ReferenceRun {
public:
  ReferenceRun(FuncOp function, std::span<const Tensor> inputs)
      : values(function, inputs, referenceKernels()),
        next(function.front().begin()) {
    auto note = [&](Value value) {
      named[getTensorName(value)] = value;
      readers[value] = int64_t(llvm::range_size(value.getUses()));
    };
    llvm::for_each(function.getArguments(), note);
    for (Operation &op : function.front().without_terminator())
      llvm::for_each(op.getResults(), note);
  }

  /// Null if the network has no such tensor.
  Value find(StringRef name) const { return named.lookup(name); }

  Tensor get(Value value) {
    Operation *wanted = value.getDefiningOp();
    if (wanted && wanted->getNumOperands() > 0)
      while (!done.contains(wanted))
        step();
    return values.get(value);
  }

  /// Nobody will ask for this tensor any more.
  void release(Value value) {
    released.insert(value);
    dropUnread(value);
  }

private:
  void step() {
    Operation *op = &*next++;
    if (op->getNumOperands() > 0) {
      std::vector<Tensor> operands;
      for (Value operand : op->getOperands())
        operands.push_back(values.get(operand));
      values.set(op, evaluate(op, operands, values.kernels));
      for (Value operand : op->getOperands()) {
        --readers[operand];
        dropUnread(operand);
      }
    }
    done.insert(op);
  }

  void dropUnread(Value value) {
    if (released.contains(value) && readers[value] <= 0)
      values.drop(value);
  }

  Values values;
  mlir::Block::iterator next;
  llvm::StringMap<Value> named;
  DenseMap<Value, int64_t> readers;
  llvm::DenseSet<Value> released;
  llvm::DenseSet<Operation *> done;
};

//===----------------------------------------------------------------------===//
// Families and their bounds
//===----------------------------------------------------------------------===//

/// What docs/numerics.md promises about the codes of a family: how far most are
/// off at most, and how many may be farther.
struct Family {
  StringRef name;
  int64_t within;
  double share;
};

constexpr double few = 0.001;
enum Kind {
  Mac,
  Linear,
  Moved,
  DirectTable,
  KnotTable,
  Softmax,
  Norm,
  Recurrent,
  Float
};
constexpr Family families[] = {{"multiply-accumulate", 1, few},
                               {"linear", 1, few},
                               {"movement", 1, few},
                               {"table, 8 bits", 1, 0},
                               {"table, 16 bits", 8, 0},
                               {"softmax", 1, 0},
                               {"normalization", 1, 0},
                               {"recurrent", 8, 0},
                               {"from float", 1, 0}};

Kind kindOf(Operation *op) {
  return llvm::TypeSwitch<Operation *, Kind>(op)
      .Case<npu::ConvOp, npu::FullyConnectedOp, npu::MatMulOp>(
          [](auto) { return Mac; })
      .Case([](npu::TableOp table) {
        return table.getEntries().size() == 256 ? DirectTable : KnotTable;
      })
      .Case<npu::SoftmaxOp, npu::LogSoftmaxOp>([](auto) { return Softmax; })
      .Case([](npu::NormalizeOp) { return Norm; })
      .Case<npu::LSTMOp, npu::GRUOp, npu::RNNOp>([](auto) { return Recurrent; })
      .Case([](npu::QuantizeOp) { return Float; })
      .Default([](Operation *op) {
        return isa<npu::NPUDialect>(op->getDialect()) ? Linear : Moved;
      });
}

struct Totals {
  int64_t layers = 0, elements = 0, differing = 0, beyondOne = 0, farther = 0,
          most = 0;

  void add(const Totals &other) {
    layers += other.layers;
    elements += other.elements;
    differing += other.differing;
    beyondOne += other.beyondOne;
    farther += other.farther;
    most = std::max(most, other.most);
  }
};

Totals compareCodes(const Tensor &ours, const Tensor &theirs, int64_t within) {
  Totals totals{1, ours.size()};
  npu::dispatchCodes("codes", ours.dtype(), [&]<typename T>(TypeTag<T>) {
    for (int64_t i = 0; i < ours.size(); ++i) {
      int64_t steps =
          std::abs(int64_t(ours.data<T>()[i]) - int64_t(theirs.data<T>()[i]));
      totals.differing += steps != 0;
      totals.beyondOne += steps > 1;
      totals.farther += steps > within;
      totals.most = std::max(totals.most, steps);
    }
  });
  return totals;
}

//===----------------------------------------------------------------------===//
// Layers
//===----------------------------------------------------------------------===//

struct Findings {
  std::map<Kind, Totals> families;
  std::vector<std::string> broken;
};

class LayerCheck {
public:
  LayerCheck(FuncOp machine, FuncOp quantized, std::span<const Tensor> inputs,
             bool verbose)
      : machine(machine), reference(quantized, inputs),
        values(machine, inputs, npuKernels()), verbose(verbose) {}

  Findings run() {
    // Values of one name are forms of one tensor.
    llvm::StringMap<Operation *> last;
    auto named = [](Operation &op, auto fn) {
      for (auto values :
           {ValueRange(op.getOperands()), ValueRange(op.getResults())})
        for (Value value : values)
          fn(value, getTensorName(value));
    };
    for (Operation &op : machine.front().without_terminator())
      named(op, [&](Value, const std::string &name) { last[name] = &op; });
    for (Operation &op : machine.front().without_terminator()) {
      if (op.getNumOperands() == 0)
        continue;
      check(&op);
      named(op, [&](Value value, const std::string &name) {
        if (last.lookup(name) != &op)
          return;
        values.drop(value);
        if (Value twin = reference.find(name))
          reference.release(twin);
      });
    }
    return std::move(findings);
  }

private:
  /// The tensor of the Reference engine in the form of the machine; null if it
  /// has none, because it is between two layers of the network.
  Tensor expected(Value value) {
    Value twin = reference.find(getTensorName(value));
    if (!twin || isa<mlir::BlockArgument>(value))
      return {};
    auto type = cast<RankedTensorType>(value.getType());
    if (!isQuantized(twin.getType()))
      return twin.getType() == type ? reference.get(twin) : Tensor();
    if (isPerAxis(twin.getType()) ||
        type.getElementType() !=
            toElementType(type.getContext(), storageOf(twin.getType())))
      return {};
    Tensor codes(storageOf(twin.getType()), type.getShape().vec());
    npu::quantize(reference.get(twin), codes, affineParamsOf(twin.getType()));
    return codes;
  }

  Tensor operandOf(Value value) {
    Operation *op = value.getDefiningOp();
    if (op && op->getNumOperands() > 0)
      if (Tensor tensor = expected(value); !tensor.isNull())
        return tensor;
    return values.get(value);
  }

  void check(Operation *op) {
    std::vector<Tensor> operands;
    for (Value operand : op->getOperands())
      operands.push_back(operandOf(operand));
    std::vector<Tensor> results = evaluate(op, operands, values.kernels);
    values.set(op, results);
    for (auto [value, ours] : llvm::zip(op->getResults(), results))
      if (isCodes(value))
        if (Tensor theirs = expected(value); !theirs.isNull())
          note(op, compareCodes(ours, theirs, families[kindOf(op)].within));
  }

  bool isCodes(Value value) const {
    Value twin = reference.find(getTensorName(value));
    return twin && isQuantized(twin.getType());
  }

  void note(Operation *op, const Totals &layer) {
    const Family &family = families[kindOf(op)];
    findings.families[kindOf(op)].add(layer);
    std::string text = fmt::format(
        "{} '{}' ({}): {} of {} codes are off by more than {}, by up to {}",
        op->getName().getStringRef().str(), getLayerName(op).node,
        family.name.str(), layer.farther, layer.elements, family.within,
        layer.most);
    if (double(layer.farther) > family.share * double(layer.elements))
      findings.broken.push_back(text);
    else if (verbose && layer.most > 1)
      fmt::print("{}\n", text);
  }

  FuncOp machine;
  ReferenceRun reference;
  Values values;
  bool verbose;
  Findings findings;
};

//===----------------------------------------------------------------------===//
// Networks
//===----------------------------------------------------------------------===//

using Outputs = std::vector<Tensor>;

std::vector<Outputs> runNetwork(FuncOp function, const KernelSet &kernels,
                                std::span<const std::vector<Tensor>> samples) {
  Executable executable = prepare(function, kernels);
  ExecutionState state(executable);
  std::vector<Outputs> results;
  for (const std::vector<Tensor> &inputs : samples)
    for (Outputs &outputs = results.emplace_back();
         const Tensor &output : state.run(inputs))
      outputs.push_back(output.clone());
  return results;
}

/// The cosine of the worst output with the float network, by sample.
std::vector<double> cosinesOf(std::span<const Outputs> actual,
                              std::span<const Outputs> expected) {
  std::vector<double> cosines;
  for (auto [a, b] : llvm::zip_equal(actual, expected)) {
    double &worst = cosines.emplace_back(1);
    for (auto [ours, theirs] : llvm::zip_equal(a, b))
      worst = std::min(worst, measure(ours, theirs).cosine);
  }
  return cosines;
}

double meanOf(std::span<const double> numbers) {
  return std::accumulate(numbers.begin(), numbers.end(), 0.0) /
         double(numbers.size());
}

/// The standard error of their mean; 0 for a single one.
double errorOfMean(std::span<const double> numbers) {
  double mean = meanOf(numbers), squares = 0;
  for (double number : numbers)
    squares += (number - mean) * (number - mean);
  auto count = double(numbers.size());
  return count > 1 ? std::sqrt(squares / (count - 1) / count) : 0;
}

struct Options {
  std::string floatModel, quantizedModel;
  std::vector<std::string> inputDirs;
  double minCosine = -1, maxLoss = 2;
  bool verbose = false;
};

int check(const Options &options) {
  setThreadCount(1);
  NetworkOptions floatOptions, quantizedOptions;
  floatOptions.model = options.floatModel;
  quantizedOptions.model = options.quantizedModel;
  Network floats(floatOptions), network(quantizedOptions);
  std::vector<std::vector<Tensor>> samples;
  for (const std::string &folder : options.inputDirs)
    samples.push_back(readFolder(folder, network.inputs()));
  FuncOp floatView = network.function();
  mlir::MLIRContext *context = floatView.getContext();
  FuncOp quantized =
      orThrow(context, [&] { return addQuantizedViewOfQdq(floatView); });
  LowerReport report;
  FuncOp machine = orThrow(
      context, [&] { return lowerNetwork(quantized, Target(), &report); });
  if (options.verbose)
    for (const LowerReport::Island &island : report.islands)
      fmt::print("'{}' ({}) computes in float: {}\n", island.layer, island.op,
                 island.why);

  Findings findings =
      LayerCheck(machine, quantized, samples[0], options.verbose).run();
  Table table({Column::label("family"), Column::number("layers"),
               Column::number("codes"), Column::number("differing"),
               Column::number("by more than 1"),
               Column::number("beyond the bound"), Column::number("most")});
  Totals all;
  for (const auto &[kind, totals] : findings.families) {
    all.add(totals);
    table.addRow({families[kind].name.str(), std::to_string(totals.layers),
                  std::to_string(totals.elements),
                  std::to_string(totals.differing),
                  std::to_string(totals.beyondOne),
                  std::to_string(totals.farther), std::to_string(totals.most)});
  }
  fmt::print("{}", table.render());
  if (all.layers == 0)
    findings.broken.push_back("no layer of codes could be compared");

  std::vector<Outputs> expected =
      runNetwork(floats.function(), referenceKernels(), samples);
  std::vector<double> reference =
      cosinesOf(runNetwork(quantized, referenceKernels(), samples), expected);
  std::vector<double> simulated =
      cosinesOf(runNetwork(machine, npuKernels(), samples), expected);
  std::vector<double> losses;
  for (auto [ours, theirs] : llvm::zip_equal(simulated, reference))
    losses.push_back(theirs - ours);
  double least = *llvm::min_element(simulated);
  double loss = meanOf(losses), scatter = errorOfMean(losses);
  fmt::print(
      "codes {} off by more than 1 {} islands {} cosine Reference {:.6f} "
      "NPUBackend {:.6f} error {:.6f} least {:.6f}\n",
      all.elements, all.beyondOne, report.islands.size(), meanOf(reference),
      meanOf(simulated), scatter, least);
  if (least < options.minCosine)
    findings.broken.push_back(
        fmt::format("the cosine with the float network is {:.6f}, below {}",
                    least, options.minCosine));
  // Beyond what chance explains in 999 of 1000 cases.
  if (loss - 3 * scatter > options.maxLoss)
    findings.broken.push_back(
        fmt::format("the cosine with the float network is {:.6f} +- {:.6f} "
                    "below that of the Reference engine",
                    loss, scatter));
  for (const std::string &text : findings.broken)
    fmt::print(stderr, "error: {}\n", text);
  return findings.broken.empty() ? 0 : 1;
}

} // namespace

int main(int argc, char **argv) {
  Options options;
  CLI::App app("Compares the simulator with the Reference engine.");
  app.add_option("float", options.floatModel, "the float network")->required();
  app.add_option("quantized", options.quantizedModel, "its quantized network")
      ->required();
  app.add_option("inputs", options.inputDirs,
                 "folders with one file per input, one folder per sample")
      ->required();
  app.add_option("--min_cosine", options.minCosine,
                 "the least cosine of any output with the float network");
  app.add_option("--max_loss", options.maxLoss,
                 "how far that may be below the Reference engine's");
  app.add_flag("--verbose", options.verbose,
               "name layers in float and layers with codes off by more than 1");
  CLI11_PARSE(app, argc, argv);
  try {
    return check(options);
  } catch (const Error &error) {
    fmt::print(stderr, "error: {}\n", error.what());
    return 1;
  }
}
