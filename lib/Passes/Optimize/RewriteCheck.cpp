//===- RewriteCheck.cpp - Both sides of a rewrite, executed ---------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// The values that both sides read are filled with numbers that are the same on
// every run. The old side is followed backwards until it meets them; whatever
// else it reads gets numbers too, so that a rewrite which ignores an operand
// that matters is found out.
//
// A replica of both sides is executed, on images and sequences that are cut
// short where the operations allow it: a check takes milliseconds, whatever
// the size of the network's data.
//===----------------------------------------------------------------------===//
#include "RewriteCheck.h"
#include "parallax/Analysis/Metrics.h"
#include "parallax/Backend/Reference/Reference.h"
#include "parallax/Dialect/NN/ShapeInference.h"
#include "parallax/Support/Error.h"
#include "parallax/Support/Random.h"
#include "parallax/Support/TensorAttr.h"

#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/SetVector.h"

#include <cmath>
#include <cstring>
#include <fmt/format.h>

using namespace mlir;

namespace parallax {
namespace {

//===----------------------------------------------------------------------===//
// Data
//===----------------------------------------------------------------------===//

/// How made-up numbers are distributed.
enum class Numbers { Symmetric, Positive };

Tensor makeUp(Value value, Numbers numbers, uint64_t seed) {
  auto type = cast<RankedTensorType>(value.getType());
  constexpr int64_t maxElements = int64_t(1) << 30;
  if (type.getNumElements() > maxElements)
    throw std::bad_alloc();
  Tensor tensor(*toDType(type.getElementType()), type.getShape().vec());
  Random random(seed);
  // Wide enough for both ends of an activation's curve.
  float low = numbers == Numbers::Positive ? 0.1f : -4.0f;
  dispatch(tensor.dtype(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    T *data = tensor.data<T>();
    for (int64_t i = 0, size = tensor.size(); i < size; ++i)
      if constexpr (std::is_same_v<T, bool>)
        data[i] = random.next() & 1;
      else if constexpr (std::is_integral_v<T>)
        data[i] = T(random.next() & 1); // Small enough to be an index.
      else
        data[i] = T(low + (4.0f - low) * random.real());
  });
  return tensor;
}

//===----------------------------------------------------------------------===//
// A replica of both sides
//===----------------------------------------------------------------------===//

/// Which dimensions of the data are cut short. Layers do the same at every
/// place of an image or a sequence, so a few places show it as well as many.
enum class Cut { Image, Sequence, None };

bool isCut(Cut cut, int64_t rank, int64_t dimension) {
  return (cut == Cut::Image && rank >= 3 && dimension >= 2) ||
         (cut == Cut::Sequence && rank == 3 && dimension == 1);
}

RankedTensorType cutType(RankedTensorType type, Cut cut) {
  SmallVector<int64_t> shape(type.getShape());
  for (auto [i, extent] : llvm::enumerate(shape))
    if (isCut(cut, type.getRank(), int64_t(i)) && extent > 24)
      extent = 16 + extent % 8; // What divided by 8 still does.
  return type.clone(shape);
}

/// The operations of both sides, copied so that they work on less data.
class Replica {
public:
  explicit Replica(const Proposal &proposal) : proposal(proposal) {
    for (const Proposal::Step &step : proposal.steps())
      for (Value operand : step.op->getOperands())
        addShared(operand);
    for (const Proposal::Replacement &replacement : proposal.replacements())
      addShared(replacement.to);
  }

  /// False if the operations can't work on data that are cut like this.
  bool build(Cut cut) {
    for (const Proposal::Replacement &replacement : proposal.replacements()) {
      Value from = copyOf(replacement.from, cut);
      Value to = copyOf(replacement.to, cut);
      if (!from || !to || from.getType() != to.getType())
        return false;
      outputs.emplace_back(from, to);
    }
    return true;
  }

  /// Computes every value on made-up numbers.
  void run(Numbers numbers) {
    values.clear();
    for (BlockArgument argument : block.getArguments())
      values[argument] = makeUp(argument, numbers, argument.getArgNumber() + 1);
    for (Operation &op : block) {
      std::vector<Tensor> operands;
      for (Value operand : op.getOperands())
        operands.push_back(valueOf(operand));
      std::vector<Tensor> results = evaluate(&op, operands, referenceKernels());
      for (auto [result, tensor] : llvm::zip(op.getResults(), results))
        values[result] = tensor;
    }
  }

  Tensor valueOf(Value value) {
    Tensor &tensor = values[value];
    if (auto constant = value.getDefiningOp<nn::ConstantOp>();
        constant && tensor.isNull())
      tensor = toTensor(constant.getValue());
    return tensor;
  }

  /// The copies of what is replaced and what replaces it.
  ArrayRef<std::pair<Value, Value>> results() const { return outputs; }

private:
  /// What the new operations read is the same for both sides.
  void addShared(Value value) {
    Operation *op = value.getDefiningOp();
    if (!op || (!proposal.isNew(op) && !isa<nn::ConstantOp>(op)))
      shared.insert(value);
  }

  Value copyOf(Value value, Cut cut) {
    if (Value copy = mapping.lookupOrNull(value))
      return copy;
    Operation *op = value.getDefiningOp();
    if (isa_and_nonnull<nn::ConstantOp>(op))
      return value;
    // A side that reaches far back may read anything there.
    constexpr int maxDepth = 64;
    if (!op || shared.contains(value) || depth >= maxDepth) {
      Type type = cutType(nn::getTensorType(value), cut);
      mapping.map(value, block.addArgument(type, value.getLoc()));
      return mapping.lookup(value);
    }
    ++depth;
    SmallVector<Value> operands;
    for (Value operand : op->getOperands())
      operands.push_back(copyOf(operand, cut));
    --depth;
    if (llvm::is_contained(operands, Value()))
      return Value();
    Operation *copy = op->cloneWithoutRegions();
    block.push_back(copy);
    copy->setOperands(operands);
    if (failed(nn::inferTypesAgain(copy)))
      return Value();
    mapping.map(op->getResults(), copy->getResults());
    return mapping.lookup(value);
  }

  const Proposal &proposal;
  llvm::SetVector<Value> shared;
  Block block;
  IRMapping mapping;
  SmallVector<std::pair<Value, Value>> outputs;
  DenseMap<Value, Tensor> values;
  int depth = 0;
};

//===----------------------------------------------------------------------===//
// Comparison
//===----------------------------------------------------------------------===//

struct Comparison {
  double error = 0; ///< Of the range of the expected values.
  int64_t finite = 0;
  bool isSame = true; ///< Of everything but finite numbers.
};

template <typename T>
Comparison compareReals(const Tensor &expected, const Tensor &actual) {
  Comparison result;
  double low = INFINITY, high = -INFINITY, error = 0;
  const T *e = expected.data<T>(), *a = actual.data<T>();
  for (int64_t i = 0, size = expected.size(); i < size; ++i) {
    if (!std::isfinite(e[i])) {
      result.isSame &= std::isnan(e[i]) ? std::isnan(a[i]) : a[i] == e[i];
      continue;
    }
    if (!std::isfinite(a[i])) {
      result.isSame = false;
      continue;
    }
    ++result.finite;
    low = std::min(low, double(e[i]));
    high = std::max(high, double(e[i]));
    error = std::max(error, std::abs(double(a[i]) - double(e[i])));
  }
  result.error = errorOfRange(error, low, high);
  return result;
}

Comparison compareTensors(const Tensor &expected, const Tensor &actual) {
  if (expected.dtype() == DType::F32)
    return compareReals<float>(expected, actual);
  if (expected.dtype() == DType::F64)
    return compareReals<double>(expected, actual);
  Comparison result;
  result.finite = expected.size();
  result.isSame = std::memcmp(expected.rawData(), actual.rawData(),
                              expected.byteSize()) == 0;
  return result;
}

/// How the two sides of a replica differ, or nothing.
std::optional<std::string> compareSides(Replica &replica, double tolerance) {
  for (Numbers numbers : {Numbers::Symmetric, Numbers::Positive}) {
    replica.run(numbers);
    int64_t finite = 0, all = 0;
    for (auto [from, to] : replica.results()) {
      Tensor expected = replica.valueOf(from);
      Comparison comparison = compareTensors(expected, replica.valueOf(to));
      if (!comparison.isSame)
        return "its result differs";
      if (!(comparison.error <= tolerance))
        return fmt::format("its result differs by {:.2g} of the range, more "
                           "than {:.0e}",
                           comparison.error, tolerance);
      finite += comparison.finite;
      all += expected.size();
    }
    // Roots and logarithms of negative numbers prove nothing.
    if (2 * finite >= all)
      return std::nullopt;
    if (numbers == Numbers::Positive && finite == 0)
      return "it can't be checked: no result is a number";
  }
  return std::nullopt;
}

} // namespace

std::optional<std::string> findDifference(const Proposal &proposal,
                                          double tolerance) {
  std::optional<std::string> difference;
  for (Cut cut : {Cut::Image, Cut::Sequence, Cut::None}) {
    Replica replica(proposal);
    if (!replica.build(cut))
      continue;
    // A cut may do what the network never meets, such as an index beyond the
    // end: only the full size condemns.
    try {
      difference = compareSides(replica, tolerance);
      if (!difference)
        return std::nullopt;
    } catch (const Error &error) {
      difference = fmt::format("it can't be executed: {}", error.what());
    } catch (const std::bad_alloc &) {
      difference = "it can't be executed: there is too little memory";
    }
  }
  return difference;
}

} // namespace parallax
