//===- AssignTypes.cpp - Scales for tensors of codes ----------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Tensors that hold the same codes are put into one class with one range:
// - what only moves elements, and what it moves;
// - a clamp (Relu, Clip) and what it clamps, if nobody else reads that: codes
//   that only cover the clamped range do the clamping;
// - the operands of a concatenation and the like and their result, where one
//   rounding to the common scale is better than two.
//===----------------------------------------------------------------------===//
#include "TypePlan.h"

#include "parallax/Dialect/NN/NNOps.h"
#include "parallax/Passes/Calibrate/Annotate.h"
#include "parallax/Support/LayerName.h"
#include "parallax/Support/QuantizedType.h"
#include "parallax/Support/TensorAttr.h"

using namespace mlir;

namespace parallax::quantize {

//===----------------------------------------------------------------------===//
// Ranges
//===----------------------------------------------------------------------===//

Ranges::Ranges(func::FuncOp function)
    : function(function), calibration(getCalibration(function)) {
  removeCalibration(function);
  for (TensorRange &range : calibration.tensors)
    ranges[range.tensor] = &range;
}

void Ranges::set(Value value, Interval range) {
  TensorRange *known = ranges.lookup(getTensorName(value));
  known->values = known->u8 = known->u16 = range;
}

const TensorRange *Ranges::find(Value value) const {
  while (auto requantized = value.getDefiningOp<nn::RequantizeOp>())
    value = requantized.getX();
  return ranges.lookup(getTensorName(value));
}

Interval Ranges::of(Value value, DataType kind) {
  const TensorRange *range = find(value);
  if (!range) {
    missing.push_back(getTensorName(value));
    return {0, 1};
  }
  return withoutMask(value, kind, known(value, kind), *this);
}

Interval Ranges::known(Value value, DataType kind) const {
  if (auto constant = value.getDefiningOp<nn::ConstantOp>())
    return finiteRangeOf(toTensor(constant.getValue()));
  const TensorRange *range = find(value);
  if (!range)
    return {0, 1};
  return bitsOf(kind) == 8 ? range->u8 : range->u16;
}

LogicalResult Ranges::finish() const {
  if (missing.empty())
    return success();
  return emitError(func::FuncOp(function).getLoc(),
                   describeMissingRanges(missing));
}

//===----------------------------------------------------------------------===//
// Operations
//===----------------------------------------------------------------------===//

Value createRequantize(OpBuilder &builder, Value value, Type type,
                       DataType kind, StringRef reader) {
  std::string name = getTensorName(value);
  name += kind == DataType::FP32 ? "_dequantized"
                                 : "_" + std::string(configName(kind));
  if (!reader.empty())
    name += "_for_" + reader.str();
  return nn::RequantizeOp::create(
      builder, makeLayerLocation(value.getContext(), name, {name}), type,
      value);
}

Value requantize(Value value, DataType kind, Operation *before, KindPlan &kinds,
                 StringRef reader) {
  OpBuilder builder(before);
  Value result =
      createRequantize(builder, value, value.getType(), kind, reader);
  kinds.set(result, kind);
  return result;
}

Type codeType(MLIRContext *context, const AffineParams &params, DataType kind) {
  static constexpr std::pair<DataType, DType> storages[] = {
      {DataType::U8, DType::U8},
      {DataType::S8, DType::I8},
      {DataType::U16, DType::U16},
      {DataType::S16, DType::I16}};
  for (auto [type, storage] : storages)
    if (type == kind)
      return quantizedType(context, storage, params);
  llvm_unreachable("no codes have this type");
}

//===----------------------------------------------------------------------===//
// Classes
//===----------------------------------------------------------------------===//

namespace {

/// Tensors that share their parameters.
struct Class {
  DataType kind = DataType::Default;
  Interval range;
  SmallVector<Value> members;
  /// Has already been widened for operands that meet in an operator.
  bool isCommon = false;
};

class TypeAssigner {
public:
  TypeAssigner(KindPlan &kinds, Ranges &ranges, const QuantizeOptions &options,
               QuantizeReport &report)
      : kinds(kinds), ranges(ranges), options(options), report(report) {}

  void visit(Operation *op) {
    if (nn::sharesScale(op))
      return visitMovement(op);
    for (Value result : op->getResults())
      if (hasCodes(result))
        start(result);
    if (options.shareParameters && nn::isClamp(op))
      visitClamp(op);
  }

  void finish() {
    for (const Class &group : classes) {
      if (group.members.empty())
        continue;
      AffineParams params = affineParams(group.range, group.kind);
      Type element =
          codeType(group.members[0].getContext(), params, group.kind);
      for (Value member : group.members)
        member.setType(cast<RankedTensorType>(member.getType()).clone(element));
      ++report.ownParameters;
      report.sharedParameters += int64_t(group.members.size()) - 1;
    }
  }

private:
  bool hasCodes(Value value) const { return isCodeType(kinds.kind(value)); }

  void start(Value value) {
    classOf[value] = classes.size();
    DataType kind = kinds.kind(value);
    classes.push_back({kind, ranges.of(value, kind), {value}, false});
  }

  Class &group(Value value) { return classes[classOf.lookup(value)]; }

  /// Puts a value that has no class yet into that of another one.
  void add(Value value, Value other) {
    size_t target = classOf.lookup(other);
    classOf[value] = target;
    classes[target].members.push_back(value);
  }

  void join(Value value, Value other) {
    size_t into = classOf.lookup(value), from = classOf.lookup(other);
    if (into == from)
      return;
    for (Value member : classes[from].members)
      classOf[member] = into;
    llvm::append_range(classes[into].members, classes[from].members);
    classes[from].members.clear();
  }

  float scaleOf(const Class &group) const {
    return affineParams(group.range, group.kind).scale;
  }

  /// Reads of a class's members by operators outside of it, other than `op`.
  int64_t otherReads(const Class &group, Operation *op) const {
    int64_t count = 0;
    for (Value member : group.members)
      for (Operation *user : member.getUsers()) {
        bool stays = user != op && nn::sharesScale(user) &&
                     llvm::all_of(user->getResults(), [&](Value result) {
                       return !hasCodes(result) ||
                              llvm::is_contained(group.members, result);
                     });
        count += user != op && !stays;
      }
    return count;
  }

  void visitClamp(Operation *op) {
    Value x = op->getOperand(0), y = op->getResult(0);
    if (!hasCodes(x) || !hasCodes(y) || kinds.kind(x) != kinds.kind(y) ||
        group(x).isCommon || otherReads(group(x), op) > 0)
      return;
    Interval clamped = group(y).range;
    join(x, y);
    group(x).range = clamped;
  }

  void visitMovement(Operation *op) {
    SmallVector<OpOperand *> moved;
    for (OpOperand &operand : op->getOpOperands())
      if (hasCodes(operand.get()))
        moved.push_back(&operand);
    SmallVector<Value> results;
    llvm::copy_if(op->getResults(), std::back_inserter(results),
                  [&](Value result) { return hasCodes(result); });
    if (results.empty())
      return;
    bool meetsConstant = llvm::any_of(op->getOperands(), [](Value operand) {
      return operand.getDefiningOp<nn::ConstantOp>() && isFloat(operand);
    });
    if (moved.size() == 1 && !meetsConstant) {
      for (Value result : results)
        add(result, moved[0]->get());
      if (auto pad = dyn_cast<nn::PadOp>(op))
        include(group(results[0]).range, pad);
      return;
    }
    start(results[0]);
    for (Value result : ArrayRef(results).drop_front())
      add(result, results[0]);
    group(results[0]).isCommon = true;
    for (OpOperand *operand : moved)
      meet(*operand, results[0]);
  }

  /// Padding must be a value that has a code, except for such that stands for
  /// an infinite one.
  static void include(Interval &range, nn::PadOp pad) {
    constexpr double beyondAll = 1e6;
    double value = pad.getValue().convertToDouble();
    double width = std::max(range.high, 0.0) - std::min(range.low, 0.0);
    if (pad.getMode() != "constant" || !std::isfinite(value) ||
        std::abs(value) > beyondAll * width)
      return;
    range.low = std::min(range.low, value);
    range.high = std::max(range.high, value);
  }

  /// An operand and the result of an operator that needs one scale for all.
  /// Squared rounding errors decide: with the common scale c and its own o, n
  /// other readers see c² or o², and this operator c² or o² + c². Nobody else
  /// may lose what the operator does not let through, as max does.
  void meet(OpOperand &operand, Value result) {
    Value value = operand.get();
    if (classOf.lookup(value) == classOf.lookup(result))
      return;
    const Class &own = group(value), &common = group(result);
    double o = scaleOf(own), c = scaleOf(common);
    auto readers = double(otherReads(own, operand.getOwner()));
    bool isSame =
        own.kind == common.kind && affineParams(own.range, own.kind) ==
                                       affineParams(common.range, common.kind);
    bool align = options.shareParameters && !own.isCommon &&
                 own.kind == common.kind &&
                 (readers == 0 || covers(common.range, own.range, c / 2)) &&
                 c * c * readers <= o * o * (1 + readers);
    const char *reason = isSame         ? "has the same codes by itself"
                         : align        ? "one rounding is less than two"
                         : own.isCommon ? "others meet in its own scale"
                         : !options.shareParameters
                             ? "nothing is shared that need not be"
                             : "others that read it would lose more";
    report.alignments.push_back(
        {getLayerName(operand.getOwner()).node, getTensorName(value),
         align || isSame ? Alignment::Shared : Alignment::Requantized, float(o),
         float(c), reason, bitsOf(common.kind)});
    if (align || isSame) {
      join(result, value);
      return;
    }
    Operation *reader = operand.getOwner();
    Value changed = requantize(value, common.kind, reader, kinds,
                               getLayerName(reader).node);
    // Also where the reader has it a second time.
    value.replaceUsesWithIf(
        changed, [&](OpOperand &use) { return use.getOwner() == reader; });
    add(changed, result);
    ++report.requantizations;
  }

  static bool covers(Interval range, Interval other, double tolerance) {
    return std::min(other.low, 0.0) >= std::min(range.low, 0.0) - tolerance &&
           std::max(other.high, 0.0) <= std::max(range.high, 0.0) + tolerance;
  }

  KindPlan &kinds;
  Ranges &ranges;
  const QuantizeOptions &options;
  QuantizeReport &report;
  llvm::DenseMap<Value, size_t> classOf;
  std::vector<Class> classes;
};

} // namespace

LogicalResult assignTypes(func::FuncOp function, KindPlan &kinds,
                          Ranges &ranges, const QuantizeOptions &options,
                          QuantizeReport &report) {
  TypeAssigner assigner(kinds, ranges, options, report);
  for (Operation &op :
       llvm::make_early_inc_range(function.front().without_terminator()))
    if (op.getNumOperands() > 0)
      assigner.visit(&op);
  if (failed(ranges.finish()))
    return failure();
  assigner.finish();
  return success();
}

} // namespace parallax::quantize
