//===- Attribution.cpp - Who causes the error of the outputs --------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// The loss of an output is the inner product of its error with a vector that
// says what each element is worth. A layer's error is what it adds itself and a
// secant of the errors of its operands, so that the worth of a tensor goes back
// to those it was computed from, and what a layer adds itself is multiplied by
// the worth of its result. All parts together are the loss, up to the rounding
// of floats: the parts come from running layers forward, the worth from going
// back, so that their sum is a check of both.
//===----------------------------------------------------------------------===//
#include "Attribution.h"
#include "Adjoint.h"

#include "parallax/Backend/Core/SampleRunner.h"
#include "parallax/Support/LayerName.h"

#include <cmath>

using namespace mlir;

namespace parallax::analyze {
namespace {

/// Random vectors that go back through the network.
constexpr size_t probeCount = 1;
/// What a layer adds is found as: the inner product of its worth with the error
/// that weights make, and with that of the result; then what probes say of both
/// errors.
constexpr int64_t partCount = 4;

/// Of operands: what a result is worth, probes, and one or two errors; then,
/// with `isRounded`, what the codes alone make of the float network.
Bind partsOf(int64_t channelAxis, bool isRounded) {
  return [channelAxis, isRounded](BindContext &context) {
    const Shape &shape = context.input(0).shape;
    Layout layout;
    for (const KernelBuilder::Input &input : context.inputs)
      if (channelAxis == 1 && !input.info.layout.isPlain())
        layout = input.info.layout;
    for (size_t i = 0; i < context.inputCount(); ++i)
      context.wantLayout(i, layout);
    ChannelBlocks blocks;
    if (int64_t rank = int64_t(shape.size()); rank > 0) {
      std::span<const int64_t> dims(shape);
      auto axis = size_t(std::clamp<int64_t>(channelAxis, 0, rank - 1));
      blocks = {elementCount(dims.first(axis)),
                physicalShape(shape, layout)[axis],
                elementCount(dims.subspan(axis + 1)), layout.channelBlock};
    }
    return Kernel{[blocks, isRounded](const KernelArgs &args) {
      double *found = args.outputs[0].data<double>();
      std::fill_n(found, partCount, 0.0);
      // The error of the result comes last, that of weights before it.
      size_t errors = args.inputs.size() - 1 - probeCount - isRounded;
      for (size_t i = 0; i < errors; ++i) {
        size_t part = 2 - errors + i;
        Values error = in(args, 1 + probeCount + i);
        found[part] = innerProduct(in(args, 0), error);
        for (size_t k = 0; k < probeCount; ++k)
          found[2 + part] +=
              expectedSquare(in(args, 1 + k), error, blocks) / probeCount;
      }
      // Errors of other layers may have pushed values out of the range.
      if (isRounded) {
        double alone = 0;
        for (size_t k = 0; k < probeCount; ++k)
          alone += expectedSquare(in(args, 1 + k),
                                  in(args, args.inputs.size() - 1), blocks) /
                   probeCount;
        found[3] = std::min(found[3], alone);
      }
    }};
  };
}

/// The loss of an error of which only the size is known, and that it has
/// nothing to do with the signal: small ones add up, large ones turn the whole
/// vector away.
double lossOf(double square) { return 1 - 1 / std::sqrt(1 + 2 * square); }

class Attributor {
public:
  Attributor(const AnalyzedNetwork &views, AnalysisMode mode,
             const AnalysisOptions &options)
      : views(views), options(options), values(views, mode) {
    attribution.mode = mode;
  }

  std::optional<Attribution> run(const Samples &samples);

private:
  void findErrors();
  void addLosses();
  void addRow(Value value);
  void goBack(Operation *op);
  void addSample(std::span<const Tensor> outputs);
  void addRows();
  void addApproximated();

  AnalyzedNetwork views;
  const AnalysisOptions &options;
  LayerValues values;
  /// What tensors are worth, and the random vectors that went back.
  Gradients worth, probes[probeCount];
  /// Tensors that have an error of their own, or get one from others.
  llvm::DenseSet<Value> matters;
  /// Integers and truth values that are computed from floats.
  llvm::DenseSet<Value> derived;
  /// What the function returns: losses of outputs, then parts of layers.
  SmallVector<Value> results;
  size_t losses = 0;
  /// Whose parts they are, and their sums over samples.
  std::vector<Value> parts;
  std::vector<AttributionRow> sums;
  /// Layers whose secant is a rough one.
  llvm::DenseSet<Operation *> rough;
  /// Layers with a secant, what it leaves unexplained of their change, and the
  /// sums of that over samples.
  std::vector<Operation *> steep;
  SmallVector<Value> unexplained;
  std::vector<double> unexplainedSums;
  Attribution attribution;
};

void Attributor::findErrors() {
  for (Value input : views.network.getArguments())
    if (values.hasOwnError(input))
      matters.insert(input);
  for (Operation &op : views.network.front().without_terminator()) {
    if (op.getNumOperands() == 0)
      continue;
    bool isDerived = llvm::any_of(op.getOperands(), [&](Value operand) {
      return matters.contains(operand) || derived.contains(operand);
    });
    for (Value value : op.getResults())
      if (!isReal(value)) {
        if (isDerived)
          derived.insert(value);
      } else if ((isDerived || values.hasOwnError(value)) &&
                 cast<RankedTensorType>(value.getType()).getNumElements() > 0) {
        matters.insert(value);
      }
  }
}

void Attributor::addLosses() {
  OpBuilder &end = values.atEnd();
  Type scalar = RankedTensorType::get({}, end.getF64Type());
  auto outputs = views.network.front().getTerminator()->getOperands();
  bool areWeighed = options.weigh && llvm::all_of(outputs, isReal);
  for (auto [number, output] : llvm::enumerate(outputs)) {
    if (!isReal(output) || !output.getDefiningOp() || isKnown(output) ||
        worth.contains(output))
      continue;
    // Beside the output itself, all outputs that its errors are weighed by.
    auto run = [weigh = areWeighed ? options.weigh : nullptr,
                index = size_t(number)](const KernelArgs &args) {
      *args.outputs[1].data<double>() =
          cosineLoss(in(args, 0), in(args, 1), out(args, 0));
      std::vector<std::vector<float>> weights;
      std::vector<std::span<float>> filled;
      for (const Tensor &output : args.inputs.subspan(2))
        weights.emplace_back(size_t(output.size()));
      for (std::vector<float> &own : weights)
        filled.emplace_back(own);
      bool isWeighed = weigh && weigh(args.inputs.subspan(2), filled);
      for (size_t k = 0; k < probeCount; ++k)
        if (isWeighed)
          weightedProbe(in(args, 1), weights[index], k, out(args, 2 + k));
        else
          probe(in(args, 1), k, out(args, 2 + k));
    };
    SmallVector<Type> types = {output.getType(), scalar};
    types.append(probeCount, output.getType());
    SmallVector<Value> operands = {values.quantized(output),
                                   values.floats(output)};
    if (areWeighed)
      for (Value other : outputs)
        operands.push_back(values.floats(other));
    SmallVector<Value> made =
        values.compute(end, plainly(run), operands, types);
    worth[output] = made[0];
    results.push_back(made[1]);
    for (size_t k = 0; k < probeCount; ++k)
      probes[k][output] = made[2 + k];
  }
  losses = results.size();
}

/// What a layer adds itself, times what it is worth.
void Attributor::addRow(Value value) {
  Value gradient = worth.lookup(value);
  if (!gradient || !values.hasOwnError(value))
    return;
  Operation *op = value.getDefiningOp();
  OpBuilder beside = op ? values.beside(op) : values.atEnd();
  Type type = value.getType();
  SmallVector<Value> operands = {gradient};
  for (const Gradients &way : probes)
    operands.push_back(way.lookup(value));
  Value rounded = values.quantized(value), exact = values.recomputed(value);
  if (op && values.readsCodes(op)) {
    Value codes = values.recomputedOfCodes(value);
    operands.push_back(values.difference(beside, codes, exact, type));
    exact = codes;
  }
  operands.push_back(values.difference(beside, rounded, exact, type));
  Value codes = values.roundedFloats(value);
  if (codes)
    operands.push_back(
        values.difference(beside, codes, values.floats(value), type));
  OpBuilder &end = values.atEnd();
  results.push_back(values.compute(
      end, partsOf(values.channelAxisOf(value), bool(codes)), operands,
      RankedTensorType::get({partCount}, end.getF64Type()))[0]);
  parts.push_back(value);
}

void Attributor::goBack(Operation *op) {
  static const AdjointTable adjoints;
  bool isAsked = llvm::any_of(op->getResults(), [&](Value value) {
    return worth.contains(value) && matters.contains(value);
  });
  bool isWanted = llvm::any_of(op->getOperands(), [&](Value operand) {
    return matters.contains(operand);
  });
  if (!isAsked || !isWanted)
    return;
  // Parts are what all errors together did. A probe stands for one small error
  // that comes alone, so it meets layers as steep as the float network has
  // them.
  Layer secant(op, values, matters), nearby(op, values, matters, true);
  // A choice that turned out otherwise is not a change of numbers.
  bool isSmooth = llvm::none_of(op->getOperands(), [&](Value operand) {
    return derived.contains(operand);
  });
  const Adjoint *adjoint = isSmooth ? adjoints.find(op) : nullptr;
  Value weight = nn::weightOf(op);
  bool isLinear = adjoint && weight && isKnown(weight);
  auto go = [&](Gradients &way, Layer &layer, auto otherwise) {
    layer.start(way);
    bool isKnownLayer = adjoint && (*adjoint)(layer);
    if (!isKnownLayer)
      otherwise(layer);
    return isKnownLayer;
  };
  if (!go(worth, secant, giveAlongError)) {
    rough.insert(op);
  } else if (Value left = closeSecant(secant)) {
    steep.push_back(op);
    unexplained.push_back(left);
  }
  secant.handOn();
  for (Gradients &way : probes) {
    Layer &layer = isLinear ? secant : nearby;
    go(way, layer, giveEvenly);
    layer.handOn();
  }
}

/// Losses and parts of one sample, as means over its outputs.
void Attributor::addSample(std::span<const Tensor> outputs) {
  double loss = 0, count = 0;
  for (const Tensor &output : outputs.first(losses))
    if (double value = *output.data<double>(); !std::isnan(value)) {
      loss += value;
      ++count;
    }
  if (count == 0)
    return;
  ++attribution.samples;
  attribution.measured += loss / count;
  for (auto [sum, output] :
       llvm::zip(unexplainedSums, outputs.subspan(losses + sums.size())))
    sum += *output.data<double>() / count;
  for (auto [sum, output] :
       llvm::zip(sums, outputs.subspan(losses, sums.size()))) {
    sum.weights += output.data<double>()[0] / count;
    sum.activations += output.data<double>()[1] / count;
    double weights = output.data<double>()[2] / count;
    double all = weights + output.data<double>()[3] / count;
    sum.alone += lossOf(all);
    sum.aloneWeights += all > 0 ? lossOf(all) * weights / all : 0;
  }
}

std::optional<Attribution> Attributor::run(const Samples &samples) {
  findErrors();
  addLosses();
  if (losses == 0)
    return std::nullopt;
  for (Operation &op :
       llvm::reverse(views.network.front().without_terminator())) {
    for (Value value : op.getResults())
      addRow(value);
    goBack(&op);
  }
  for (Value input : views.network.getArguments())
    addRow(input);
  sums.resize(parts.size());
  unexplainedSums.resize(unexplained.size());
  results.append(unexplained);

  Executable executable = values.finish(results);
  SampleCallbacks callbacks;
  callbacks.load = samples.load;
  callbacks.consume = [&](size_t, std::span<const Tensor> outputs) {
    addSample(outputs);
  };
  callbacks.isDealt = true;
  runSamples(executable, std::min(samples.count, options.attributedSamples),
             options.threads, callbacks);
  if (attribution.samples == 0)
    return std::nullopt;
  addRows();
  addApproximated();
  return std::move(attribution);
}

/// In the order of the network, layers without an adjoint and those whose
/// secant misses so much that it matters.
void Attributor::addApproximated() {
  constexpr double mattering = 0.01;
  auto count = double(attribution.samples);
  for (auto [op, sum] : llvm::zip(steep, unexplainedSums))
    if (sum / count > mattering * attribution.measured)
      rough.insert(op);
  for (Operation &op : views.network.front().without_terminator())
    if (rough.contains(&op))
      attribution.approximated.push_back(getLayerName(&op).node);
}

/// All tensors that can have a part, in the order of the network.
void Attributor::addRows() {
  auto count = double(attribution.samples);
  attribution.measured /= count;
  llvm::StringMap<AttributionRow> found;
  for (auto [value, sum] : llvm::zip(parts, sums)) {
    for (double AttributionRow::*number :
         {&AttributionRow::weights, &AttributionRow::activations,
          &AttributionRow::alone, &AttributionRow::aloneWeights})
      sum.*number /= count;
    found[getTensorName(value)] = sum;
  }
  auto add = [&](const std::string &node, const std::string &tensor,
                 const std::string &type) {
    AttributionRow row = found.lookup(tensor);
    row.node = node;
    row.tensor = tensor;
    row.type = type;
    attribution.rows.push_back(std::move(row));
  };
  for (Value input : views.network.getArguments())
    if (values.hasOwnError(input))
      add(getTensorName(input), getTensorName(input), "Input");
  const Combination &combination = values.combined();
  for (const Observation &observation : combination.observations)
    if (const FloatTensor &tensor = combination.tensors[observation.tensor];
        observation.comparison && tensor.dtype == DType::F32)
      add(tensor.node, tensor.name, tensor.type);
}

} // namespace

std::optional<Attribution> attribute(const AnalyzedNetwork &views,
                                     AnalysisMode mode, const Samples &samples,
                                     const AnalysisOptions &options) {
  if (samples.count == 0)
    return std::nullopt;
  return Attributor(views, mode, options).run(samples);
}

} // namespace parallax::analyze
