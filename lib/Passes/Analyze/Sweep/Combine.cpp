//===- Combine.cpp - All views in one function ---------------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Views are matched by the names of tensors, which lowering and quantization
// keep. What a view has beside them (codes in another type, gates, floats
// between codes) belongs to the layer that reads it.
//===----------------------------------------------------------------------===//
#include "Combine.h"

#include "parallax/Backend/NPU/NPU.h"
#include "parallax/Backend/Reference/Reference.h"
#include "parallax/Dialect/NN/NNOps.h"
#include "parallax/Dialect/NN/TypeName.h"
#include "parallax/Dialect/NPU/NPUOps.h"
#include "parallax/Support/LayerName.h"
#include "parallax/Support/QuantizedType.h"
#include "parallax/Support/TensorAttr.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/StringMap.h"

using namespace mlir;

namespace parallax::analyze {

bool isKnown(Value value) {
  Operation *op = value.getDefiningOp();
  return op && op->getNumOperands() == 0;
}

namespace {

int64_t channelAxisOf(Operation *op, int64_t rank) {
  return cast<nn::QuantizableOpInterface>(op).getChannelAxis(rank);
}

/// Of an output of rank 3, boxes may be the channels according to the layer
/// that makes it, and what is known of each box the rest. Tokens with features
/// are rarely so far apart. In between, values decide.
void findOutputChannels(FloatTensor &tensor) {
  constexpr int64_t farApart = 8;
  const Shape &shape = tensor.shape;
  if (shape.size() != 3) {
    // A number is a channel.
    tensor.channelAxis = std::max<int64_t>(tensor.channelAxis, 0);
    return;
  }
  for (int64_t axis : {1, 2})
    if (int64_t own = shape[size_t(axis)], other = shape[size_t(3 - axis)];
        own > 1 && own * farApart <= other) {
      tensor.channelAxis = axis;
      return;
    }
  if (tensor.channelAxis > 0 && shape[1] > 1 && shape[2] > 1)
    tensor.otherAxis = 3 - tensor.channelAxis;
}

class Combiner {
public:
  Combiner(AnalyzedNetwork views, const std::vector<Comparison> &comparisons)
      : views(views), comparisons(comparisons),
        builder(this->views.network.getContext()) {}

  Combination run();

private:
  /// A view that follows the float network.
  struct Follower {
    func::FuncOp view;
    AnalysisMode mode = AnalysisMode::Reference;
    bool endToEnd = false, perLayer = false;
    Block::iterator next;
    IRMapping mapping;
    /// The last operation that gives a tensor of this name.
    llvm::StringMap<Operation *> makers;
  };

  bool isFused(Value value);
  bool findFused(Value value);
  void addFloatLayer(Operation *op);
  void follow(Follower &follower, Operation *floatLayer);
  void copyTo(Follower &follower, Operation *last);
  void addEndToEnd(Follower &follower, Operation *op);
  void addPerLayer(Follower &follower, Operation *op);
  Operation *cloneFed(Follower &follower, Operation *op, IRMapping &local);
  Value fed(Follower &follower, Value operand, IRMapping &local);
  Value quantized(Value values, Type type, bool forMachine);
  void addObservation(Value value, Type codeType, size_t tensor,
                      std::optional<Comparison> comparison);
  Follower makeFollower(func::FuncOp view, AnalysisMode mode);

  AnalyzedNetwork views;
  const std::vector<Comparison> &comparisons;
  OpBuilder builder;
  Combination result;
  IRMapping floats;
  llvm::StringMap<Value> floatValues;
  llvm::StringMap<size_t> numbers;
  DenseMap<std::pair<Value, Type>, Value> quantizedValues[2];
  DenseMap<Value, bool> fused;
  /// Of the quantized network, by tensor.
  llvm::StringMap<Type> quantizedTypes;
  /// By tensor that has other codes of a value: the tensor that they are of.
  llvm::StringMap<std::string> changedCodes;
};

Combiner::Follower Combiner::makeFollower(func::FuncOp view,
                                          AnalysisMode mode) {
  Follower follower;
  follower.view = view;
  follower.mode = mode;
  auto wants = [&](AnalysisMethod method) {
    return llvm::is_contained(comparisons, Comparison{method, mode});
  };
  follower.endToEnd = wants(AnalysisMethod::EndToEnd);
  follower.perLayer = wants(AnalysisMethod::PerLayer);
  follower.next = view.front().begin();
  for (auto [from, to] :
       llvm::zip(view.getArguments(), result.function.getArguments()))
    follower.mapping.map(from, to);
  for (Operation &op : view.front())
    for (const std::string &tensor : getLayerName(&op).tensors)
      if (!tensor.empty())
        follower.makers[tensor] = &op;
  return follower;
}

Combination Combiner::run() {
  builder.setInsertionPointAfter(views.network);
  result.function = func::FuncOp::create(
      builder, views.network.getLoc(), "analysis",
      builder.getFunctionType(views.network.getArgumentTypes(), {}));
  if (ArrayAttr names = views.network.getAllArgAttrs())
    result.function.setAllArgAttrs(names);
  Block *body = result.function.addEntryBlock();
  builder.setInsertionPointToStart(body);
  for (auto [from, to] :
       llvm::zip(views.network.getArguments(), body->getArguments())) {
    floats.map(from, to);
    floatValues[getTensorName(from)] = to;
  }
  for (Operation &op : views.quantized.front())
    for (Value value : op.getResults())
      if (isQuantized(value.getType()))
        quantizedTypes[getTensorName(value)] =
            getElementTypeOrSelf(value.getType());
  for (auto change : views.quantized.front().getOps<nn::RequantizeOp>())
    changedCodes[getTensorName(change.getResult())] =
        getTensorName(change.getX());
  SmallVector<Follower> followers;
  followers.push_back(makeFollower(views.quantized, AnalysisMode::Reference));
  if (views.machine)
    followers.push_back(makeFollower(views.machine, AnalysisMode::NPUBackend));

  for (Operation &op : views.network.front().without_terminator()) {
    addFloatLayer(&op);
    for (Follower &follower : followers)
      follow(follower, &op);
  }
  for (Value value : views.network.front().getTerminator()->getOperands())
    if (auto it = numbers.find(getTensorName(value)); it != numbers.end()) {
      FloatTensor &tensor = result.tensors[it->second];
      tensor.isOutput = true;
      tensor.choosesClasses = choosesClasses(value);
      findOutputChannels(tensor);
    }
  func::ReturnOp::create(builder, result.function.getLoc());
  result.floats = std::move(floats);
  return std::move(result);
}

void Combiner::addObservation(Value value, Type codeType, size_t tensor,
                              std::optional<Comparison> comparison) {
  value.getDefiningOp()->setAttr(observedAttr, builder.getUnitAttr());
  result.observations.push_back({tensor, comparison});
  result.codeTypes.push_back(codeType);
  result.values.push_back(value);
}

/// Whether a value only exists to be clamped, at once or after it was moved:
/// the layer that makes it and the clamp have the same codes, and are one
/// layer.
bool Combiner::isFused(Value value) {
  // A chain of movements asks for all of its rest, again and again.
  if (auto it = fused.find(value); it != fused.end())
    return it->second;
  bool answer = findFused(value);
  fused[value] = answer;
  return answer;
}

bool Combiner::findFused(Value value) {
  if (!value.hasOneUse())
    return false;
  Operation *reader = *value.user_begin();
  if (reader->getNumResults() != 1 || reader->getNumOperands() != 1)
    return false;
  Value moved = reader->getResult(0);
  auto typeOf = [&](Value tensor) {
    return quantizedTypes.lookup(getTensorName(tensor));
  };
  Type type = typeOf(value);
  return type && type == typeOf(moved) &&
         (nn::isSingleClamp(reader) ||
          (nn::sharesScale(reader) && isFused(moved)));
}

void Combiner::addFloatLayer(Operation *op) {
  Operation *made = builder.clone(*op, floats);
  if (op->getNumOperands() == 0)
    return;
  LayerName name = getLayerName(op);
  // A clamp that is a part of another layer goes under the name of that one.
  Operation *layer = op;
  while (layer->getNumOperands() > 0 && isFused(layer->getOperand(0)) &&
         layer->getOperand(0).getDefiningOp())
    layer = layer->getOperand(0).getDefiningOp();
  std::vector<std::string> inputs;
  for (Value operand : layer->getOperands())
    if (!isKnown(operand))
      inputs.push_back(getTensorName(operand));
  for (auto [i, value] : llvm::enumerate(made->getResults())) {
    auto type = cast<RankedTensorType>(value.getType());
    std::optional<DType> dtype = toDType(type.getElementType());
    if (i >= name.tensors.size() || name.tensors[i].empty() || !dtype ||
        !type.hasStaticShape() || isFused(op->getResult(unsigned(i))))
      continue;
    floatValues[name.tensors[i]] = value;
    numbers[name.tensors[i]] = result.tensors.size();
    result.tensors.push_back({getLayerName(layer).node, name.tensors[i],
                              typeNameOf(layer), type.getShape().vec(), *dtype,
                              channelAxisOf(layer, type.getRank()), inputs});
    result.tensors.back().moves = nn::sharesScale(layer);
    addObservation(value, Type(), result.tensors.size() - 1, std::nullopt);
  }
}

/// Copies the view up to the layer that gives the same tensors.
void Combiner::follow(Follower &follower, Operation *floatLayer) {
  Operation *last = nullptr;
  for (const std::string &tensor : getLayerName(floatLayer).tensors)
    if (Operation *maker = follower.makers.lookup(tensor))
      if (!last || last->isBeforeInBlock(maker))
        last = maker;
  if (last && (follower.next == follower.view.front().end() ||
               !last->isBeforeInBlock(&*follower.next)))
    copyTo(follower, last);
}

void Combiner::copyTo(Follower &follower, Operation *last) {
  while (true) {
    Operation *op = &*follower.next++;
    if (op->getNumOperands() == 0 || follower.endToEnd) {
      addEndToEnd(follower, op);
    }
    if (op->getNumOperands() > 0 && follower.perLayer)
      addPerLayer(follower, op);
    if (op == last)
      return;
  }
}

void Combiner::addEndToEnd(Follower &follower, Operation *op) {
  bool isMachine = follower.mode == AnalysisMode::NPUBackend;
  Operation *made = builder.clone(*op, follower.mapping);
  if (isMachine)
    made->setAttr(machineAttr, builder.getUnitAttr());
  if (op->getNumOperands() == 0)
    return;
  LayerName name = getLayerName(op);
  for (auto [from, to, tensor] :
       llvm::zip(op->getResults(), made->getResults(), name.tensors))
    if (auto it = numbers.find(tensor); it != numbers.end())
      addObservation(to, codeTypeOf(cast<OpResult>(from)), it->second,
                     Comparison{AnalysisMethod::EndToEnd, follower.mode});
}

/// A layer of a view on the tensors of the float network.
void Combiner::addPerLayer(Follower &follower, Operation *op) {
  LayerName name = getLayerName(op);
  if (llvm::none_of(name.tensors, [&](const std::string &tensor) {
        return numbers.contains(tensor);
      }))
    return;
  IRMapping local;
  Operation *made = cloneFed(follower, op, local);
  for (auto [from, to, tensor] :
       llvm::zip(op->getResults(), made->getResults(), name.tensors))
    if (auto it = numbers.find(tensor); it != numbers.end())
      addObservation(to, codeTypeOf(cast<OpResult>(from)), it->second,
                     Comparison{AnalysisMethod::PerLayer, follower.mode});
}

Operation *Combiner::cloneFed(Follower &follower, Operation *op,
                              IRMapping &local) {
  for (Value operand : op->getOperands())
    if (!local.contains(operand))
      local.map(operand, fed(follower, operand, local));
  Operation *made = builder.clone(*op, local);
  if (follower.mode == AnalysisMode::NPUBackend)
    made->setAttr(machineAttr, builder.getUnitAttr());
  return made;
}

/// The operand of a layer as the float network has it: its values, or codes of
/// them. What has no counterpart there is computed from what has.
Value Combiner::fed(Follower &follower, Value operand, IRMapping &local) {
  if (isKnown(operand) || isa<BlockArgument>(operand))
    return follower.mapping.lookup(operand);
  std::string name = getTensorName(operand);
  // A change of codes is not a layer: the new codes are those of the values.
  Value source = operand;
  while (auto requantize = source.getDefiningOp<nn::RequantizeOp>())
    source = requantize.getX();
  Value values =
      floatValues.lookup(source == operand ? name : getTensorName(source));
  // On the NPU it is an operation like any other.
  for (auto it = changedCodes.find(name);
       !values && it != changedCodes.end() && it->second != it->getKey();
       it = changedCodes.find(it->second))
    values = floatValues.lookup(it->second);
  if (!values) {
    Operation *made = cloneFed(follower, operand.getDefiningOp(), local);
    return made->getResult(cast<OpResult>(operand).getResultNumber());
  }
  Type type = codeTypeOf(cast<OpResult>(operand));
  if (!type)
    return values;
  return quantized(values, type, follower.mode == AnalysisMode::NPUBackend);
}

Value Combiner::quantized(Value values, Type type, bool forMachine) {
  if (Value known = quantizedValues[forMachine].lookup({values, type}))
    return known;
  Value &made = quantizedValues[forMachine][{values, type}];
  auto shaped = cast<RankedTensorType>(values.getType());
  Location location = builder.getUnknownLoc();
  if (!forMachine) {
    made =
        nn::RequantizeOp::create(builder, location, shaped.clone(type), values);
    return made;
  }
  // Both engines start from the same rounding: values of codes have just one
  // code, whatever a kernel makes of a tie.
  Value rounded = nn::RequantizeOp::create(
      builder, location, shaped, quantized(values, type, /*forMachine=*/false));
  AffineParams params = affineParamsOf(type);
  Type codes =
      shaped.clone(toElementType(builder.getContext(), storageOf(type)));
  made = npu::QuantizeOp::create(builder, location, codes, rounded,
                                 llvm::APFloat(params.scale), params.zeroPoint,
                                 params.low, params.high);
  made.getDefiningOp()->setAttr(machineAttr, builder.getUnitAttr());
  return made;
}

} // namespace

Combination combine(const AnalyzedNetwork &views,
                    const std::vector<Comparison> &comparisons) {
  return Combiner(views, comparisons).run();
}

const KernelSet &combinedKernels() {
  static const KernelSet kernels = [] {
    KernelSet set;
    populateReferenceKernels(set);
    set.addFrom(npuKernels(),
                [](Operation *op) { return op->hasAttr(machineAttr); });
    set.makeReorder = npuKernels().makeReorder;
    return set;
  }();
  return kernels;
}

PrepareOptions sweepOptions() {
  PrepareOptions options;
  options.observe = true;
  options.isObserved = [](Operation *op) { return op->hasAttr(observedAttr); };
  return options;
}

} // namespace parallax::analyze
