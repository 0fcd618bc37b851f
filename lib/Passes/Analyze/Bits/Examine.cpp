//===- Examine.cpp - A second look at layers that differ ------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// What the chosen layers need is cut out of the combined function, so that a
// second look takes about as long as the float network.
//===----------------------------------------------------------------------===//
#include "Examine.h"
#include "Exact.h"

#include "parallax/Backend/Core/Prepare.h"
#include "parallax/Support/LayerName.h"
#include "parallax/Support/QuantizedType.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/MapVector.h"

#include <map>
#include <set>

using namespace mlir;

namespace parallax::analyze {
namespace {

/// How many samples are run again for layers that nobody suspects.
constexpr size_t maxSamples = 2;
/// How many elements have to speak for a layer, and how many are shown.
constexpr size_t witnesses = 64, shownExamples = 3;

/// A layer and the operations that it consists of.
struct Subject {
  ExaminedLayer &layer;
  LayerSlice reference, machine;
  MachineRule rule;

  explicit Subject(ExaminedLayer &layer)
      : layer(layer), reference(sliceOf(layer.reference)),
        machine(sliceOf(layer.machine)), rule(ruleOf(machine)) {}

  bool isWide() const {
    return layer.codes && layer.codes->high - layer.codes->low > 255;
  }
  bool isSuspicious() const {
    return isSuspect({layer.counts, rule.arithmetic, rule.tolerance, isWide()});
  }
};

/// Suspects, and in a few samples also others: the first on their branches
/// before those with most differences.
std::vector<Subject *> choose(std::vector<Subject> &subjects, size_t worst) {
  std::vector<Subject *> chosen, others;
  std::set<int64_t> samples;
  for (Subject &subject : subjects) {
    bool isSuspicious = subject.isSuspicious();
    (isSuspicious ? chosen : others).push_back(&subject);
    if (isSuspicious)
      samples.insert(subject.layer.counts.firstSample);
  }
  auto take = [&](auto isWanted) {
    size_t taken = 0;
    for (Subject *&subject : others) {
      if (!subject || taken == worst || !isWanted(*subject))
        continue;
      int64_t sample = subject->layer.counts.firstSample;
      if (samples.size() >= maxSamples && !samples.contains(sample))
        continue;
      samples.insert(sample);
      chosen.push_back(std::exchange(subject, nullptr));
      ++taken;
    }
  };
  take([](const Subject &subject) { return subject.layer.isFirst; });
  llvm::erase(others, nullptr);
  llvm::sort(others, [](Subject *a, Subject *b) {
    double left = a->layer.counts.part(), right = b->layer.counts.part();
    return left != right ? left > right : a < b;
  });
  take([](const Subject &) { return true; });
  return chosen;
}

/// A function that gives some values of another one.
class Excerpt {
public:
  explicit Excerpt(func::FuncOp whole) : whole(whole) {}

  void add(Value value) { places.try_emplace(value, places.size()); }
  size_t placeOf(Value value) const { return places.lookup(value); }

  func::FuncOp make() {
    llvm::DenseSet<Operation *> needed;
    SmallVector<Value> open;
    for (auto &[value, place] : places)
      open.push_back(value);
    while (!open.empty())
      if (Operation *op = open.pop_back_val().getDefiningOp())
        if (needed.insert(op).second)
          llvm::append_range(open, op->getOperands());

    OpBuilder builder(whole.getContext());
    builder.setInsertionPointAfter(whole);
    SmallVector<Type> types;
    for (auto &[value, place] : places)
      types.push_back(value.getType());
    auto made = func::FuncOp::create(
        builder, whole.getLoc(), "examination",
        builder.getFunctionType(whole.getArgumentTypes(), types));
    if (ArrayAttr names = whole.getAllArgAttrs())
      made.setAllArgAttrs(names);
    Block *body = made.addEntryBlock();
    builder.setInsertionPointToStart(body);
    IRMapping mapping;
    mapping.map(whole.getArguments(), body->getArguments());
    for (Operation &op : whole.front())
      if (needed.contains(&op))
        builder.clone(op, mapping);
    SmallVector<Value> results;
    for (auto &[value, place] : places)
      results.push_back(mapping.lookup(value));
    func::ReturnOp::create(builder, whole.getLoc(), results);
    return made;
  }

private:
  func::FuncOp whole;
  llvm::MapVector<Value, size_t> places;
};

/// The codes that the NPU holds a result within: a clamp may be a part of
/// its operation.
AffineParams limitsOf(const Subject &subject) {
  AffineParams codes = subject.layer.codes.value_or(
      AffineParams{1, 0, std::numeric_limits<int64_t>::min(),
                   std::numeric_limits<int64_t>::max()});
  Operation *last = subject.layer.machine.getDefiningOp();
  auto low = last->getAttrOfType<IntegerAttr>("low");
  auto high = last->getAttrOfType<IntegerAttr>("high");
  if (subject.layer.codes && low && high) {
    codes.low = low.getInt();
    codes.high = high.getInt();
  }
  return codes;
}

/// Differing elements from all over the tensor; the first one, and the first
/// with the largest difference, are in front.
std::vector<int64_t> witnessesOf(const BitEvidence &evidence) {
  std::vector<int64_t> differing;
  int64_t largest = 0;
  auto distance = [&](int64_t i) {
    return std::abs(evidence.machine[size_t(i)] -
                    evidence.reference[size_t(i)]);
  };
  for (size_t i = 0; i < evidence.machine.size(); ++i)
    if (distance(int64_t(i)) > 0) {
      differing.push_back(int64_t(i));
      if (distance(int64_t(i)) > distance(differing[size_t(largest)]))
        largest = int64_t(differing.size()) - 1;
    }
  if (differing.empty())
    return {};
  std::vector<int64_t> chosen = {differing[0]};
  auto add = [&](int64_t index) {
    if (!llvm::is_contained(chosen, index))
      chosen.push_back(index);
  };
  add(differing[size_t(largest)]);
  size_t count = std::min(differing.size(), witnesses);
  for (size_t i = 0; i < count; ++i)
    add(differing[(i * 2 + 1) * differing.size() / (2 * count)]);
  return chosen;
}

/// Whether elements are farther apart than any rounding of floats.
bool isFar(const BitEvidence &evidence, std::span<const int64_t> indices) {
  return llvm::any_of(indices, [&](int64_t i) {
    return std::abs(evidence.machine[size_t(i)] -
                    evidence.reference[size_t(i)]) > 1;
  });
}

/// The names that values of the combined function have in the network.
class Names {
public:
  explicit Names(const Combination &combination) {
    for (auto [observation, value] :
         llvm::zip(combination.observations, combination.values))
      names[value] = combination.tensors[observation.tensor].name;
  }

  std::string operator()(Value value) const {
    if (auto it = names.find(value); it != names.end())
      return it->second;
    // Codes are called after the values that they were made of.
    if (Operation *op = value.getDefiningOp(); op && op->getNumOperands() > 0)
      return (*this)(op->getOperand(0));
    return getTensorName(value);
  }

private:
  DenseMap<Value, std::string> names;
};

/// Whether an operand that both engines read in the same codes has others.
bool hasOtherOperands(const LayerSample &layer) {
  auto typeOf = [](Value value) {
    auto result = dyn_cast<OpResult>(value);
    return result ? codeTypeOf(result) : Type();
  };
  for (auto [value, tensor] :
       llvm::zip(layer.machine.inputs, layer.machineInputs))
    for (auto [partner, values] :
         llvm::zip(layer.reference.inputs, layer.referenceInputs)) {
      Type type = typeOf(value);
      if (!type || type != typeOf(partner) || isPerAxis(type) ||
          tensor.shape() != values.shape() ||
          layer.nameOf(value) != layer.nameOf(partner))
        continue;
      AffineParams codes = affineParamsOf(type);
      if (integersOf(tensor, codes) != integersOf(values, codes))
        return true;
    }
  return false;
}

/// One layer on one sample.
void examineLayer(Subject &subject, int64_t sample, int multiplierBits,
                  const Names &names,
                  const std::function<Tensor(Value)> &valueOf) {
  ExaminedLayer &layer = subject.layer;
  auto allOf = [&](ArrayRef<Value> values) {
    std::vector<Tensor> tensors;
    for (Value value : values)
      tensors.push_back(valueOf(value));
    return tensors;
  };
  LayerSample onSample{subject.reference,
                       subject.machine,
                       allOf(subject.reference.inputs),
                       allOf(subject.machine.inputs),
                       limitsOf(subject),
                       multiplierBits,
                       names};
  layer.hasOtherOperands = hasOtherOperands(onSample);
  if (layer.hasOtherOperands)
    return;
  Tensor machine = valueOf(layer.machine);
  BitEvidence evidence;
  evidence.machine = integersOf(machine, layer.codes);
  evidence.reference = integersOf(valueOf(layer.reference), layer.codes);
  evidence.codes = onSample.codes;
  evidence.arithmetic = subject.rule.arithmetic;
  evidence.tolerance = subject.rule.tolerance;
  std::vector<int64_t> indices = witnessesOf(evidence);
  if (indices.empty())
    return;
  std::vector<ExactElement> elements = exactResults(onSample, indices);
  if (isFar(evidence, indices))
    markNotFinite(onSample, elements);
  for (const ExactElement &element : elements)
    evidence.results.push_back(element.result);
  layer.difference = classify(evidence);
  for (size_t i = 0; i < std::min(indices.size(), shownExamples); ++i) {
    auto at = size_t(indices[i]);
    DifferenceExample example;
    example.sample = sample;
    example.index = coordinatesOf(indices[i], machine.shape());
    example.reference = evidence.reference[at];
    example.machine = evidence.machine[at];
    if (!elements.empty()) {
      example.exact = elements[i].result.value;
      example.operands = elements[i].operands;
    }
    layer.examples.push_back(std::move(example));
  }
}

} // namespace

void examine(const Combination &combination,
             MutableArrayRef<ExaminedLayer> layers, const Samples &samples,
             const ExamineOptions &options) {
  std::vector<Subject> subjects;
  for (ExaminedLayer &layer : layers) {
    subjects.emplace_back(layer);
    layer.difference = usualClassOf(subjects.back().rule.arithmetic);
  }
  std::vector<Subject *> chosen = choose(subjects, options.worst);
  if (chosen.empty())
    return;
  Excerpt excerpt(combination.function);
  std::map<int64_t, std::vector<Subject *>> bySample;
  for (Subject *subject : chosen) {
    bySample[subject->layer.counts.firstSample].push_back(subject);
    for (const LayerSlice *slice : {&subject->reference, &subject->machine}) {
      excerpt.add(slice->result);
      for (Value input : slice->inputs)
        excerpt.add(input);
    }
  }
  func::FuncOp function = excerpt.make();
  Executable executable = prepare(function, combinedKernels(), sweepOptions());
  ExecutionState state(executable);
  Names names(combination);
  for (auto &[sample, subjects] : bySample) {
    std::vector<Tensor> inputs = samples.load(size_t(sample));
    std::span<const Tensor> values = state.run(inputs);
    for (Subject *subject : subjects)
      examineLayer(*subject, sample, options.multiplierBits, names,
                   [&](Value value) { return values[excerpt.placeOf(value)]; });
  }
  function.erase();
}

} // namespace parallax::analyze
