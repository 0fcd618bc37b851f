//===- Normalization.cpp - Normalizations and their parameters ------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Reads the normalization operators into one structure, in which scales and
// shifts can be changed, and builds the operator again.
//===----------------------------------------------------------------------===//
#include "Normalization.h"
#include "parallax/Support/LayerName.h"

#include "llvm/ADT/TypeSwitch.h"

#include <functional>

using namespace mlir;

namespace parallax {

bool Parameter::isAll(double number) const {
  return llvm::all_of(numbers, [&](double n) { return n == number; });
}

/// The elements of a float constant, broadcast to the dimensions from `first`
/// to `last` of `shape`. Nothing if it differs along others.
static std::optional<std::vector<double>> broadcastTo(Value constant,
                                                      ArrayRef<int64_t> shape,
                                                      int64_t first,
                                                      int64_t last) {
  Tensor tensor = constantOf(constant);
  int64_t offset = int64_t(shape.size()) - tensor.rank();
  if (tensor.isNull() || tensor.dtype() != DType::F32 || offset < 0)
    return std::nullopt;
  Shape strides = stridesOf(tensor.shape());
  for (int64_t i = 0; i < tensor.rank(); ++i) {
    int64_t dim = i + offset;
    if (tensor.dim(i) == 1)
      strides[size_t(i)] = 0;
    else if (dim < first || dim >= last || tensor.dim(i) != shape[size_t(dim)])
      return std::nullopt;
  }
  std::vector<double> numbers(
      size_t(elementCount(shape.slice(size_t(first), size_t(last - first)))));
  for (size_t n = 0; n < numbers.size(); ++n) {
    auto rest = int64_t(n);
    int64_t index = 0;
    for (int64_t dim = last; dim-- > first;) {
      if (dim >= offset)
        index += rest % shape[size_t(dim)] * strides[size_t(dim - offset)];
      rest /= shape[size_t(dim)];
    }
    numbers[n] = tensor.data<float>()[index];
  }
  return numbers;
}

SmallVector<int64_t> Normalization::parameterShape() const {
  return SmallVector<int64_t>(
      shapeOf(x).slice(size_t(firstDim()), size_t(lastDim() - firstDim())));
}

/// Spreads uniform parameters over the parameters of another kind.
void Normalization::resize() {
  auto count = size_t(elementCount(parameterShape()));
  for (Parameter *parameter : {&scale, &bias}) {
    double number = parameter->numbers.front();
    parameter->numbers.assign(count, number);
    parameter->isChanged = true;
  }
}

Normalization Normalization::make(Kind kind, Value x, int64_t axis,
                                  double epsilon) {
  Normalization result{kind, x, axis, 1, epsilon, {{1}, {}}, {{0}, {}}};
  result.resize();
  return result;
}

std::optional<Normalization> Normalization::read(Operation *op) {
  if (!op || op->getNumOperands() == 0 || op->getNumResults() != 1 ||
      !isFloat(op->getResult(0)))
    return std::nullopt;
  Value x = op->getOperand(0);
  auto make = [&](Kind kind, int64_t axis, APFloat epsilon) {
    return Normalization{kind,
                         x,
                         axis < 0 ? axis + rankOf(x) : axis,
                         1,
                         epsilon.convertToDouble(),
                         {},
                         {}};
  };
  auto result =
      llvm::TypeSwitch<Operation *, std::optional<Normalization>>(op)
          .Case([&](nn::LayerNormalizationOp op) {
            return make(Layer, int64_t(op.getAxis()), op.getEpsilon());
          })
          .Case([&](nn::RMSNormalizationOp op) {
            return make(RMS, int64_t(op.getAxis()), op.getEpsilon());
          })
          .Case([&](nn::InstanceNormalizationOp op) {
            return make(Instance, 2, op.getEpsilon());
          })
          .Case([&](nn::GroupNormalizationOp op) {
            Normalization group = make(Group, 1, op.getEpsilon());
            group.groups = int64_t(op.getNumGroups());
            return group;
          })
          .Default(std::nullopt);
  if (!result || result->lastDim() > rankOf(x))
    return std::nullopt;
  // Parameters of channels have a shape of their own; those of trailing
  // dimensions broadcast to the operand.
  SmallVector<int64_t> shape = result->isTrailing()
                                   ? SmallVector<int64_t>(shapeOf(x))
                                   : result->parameterShape();
  int64_t first = result->isTrailing() ? result->axis : 0;
  Parameter *const parameters[] = {&result->scale, &result->bias};
  for (auto [parameter, value] :
       llvm::zip(parameters, op->getOperands().drop_front())) {
    std::optional<std::vector<double>> numbers =
        broadcastTo(value, shape, first, int64_t(shape.size()));
    if (!numbers || numbers->empty())
      return std::nullopt;
    *parameter = {std::move(*numbers), value, /*isChanged=*/false};
  }
  if (result->bias.numbers.empty())
    result->bias = {std::vector<double>(result->scale.numbers.size()), {}};
  return result;
}

/// The same normalization with parameters per channel instead of per element of
/// what is normalized, or the other way round.
std::optional<Normalization> Normalization::otherKind() const {
  if (!scale.isUniform() || !bias.isUniform() || rankOf(x) < 2)
    return std::nullopt;
  Normalization other = *this;
  if (kind == Layer && axis == 2)
    other.kind = Instance;
  else if (kind == Layer && axis == 1)
    other.kind = Group;
  else if (kind == Instance || (kind == Group && groups == 1))
    other.kind = Layer;
  else
    return std::nullopt;
  other.resize();
  return other;
}

std::optional<std::vector<double>> Normalization::takeNumbers(Value constant) {
  auto take = [&] {
    return broadcastTo(constant, shapeOf(x), firstDim(), lastDim());
  };
  std::optional<std::vector<double>> numbers = take();
  if (numbers)
    return numbers;
  std::optional<Normalization> other = otherKind();
  if (!other)
    return std::nullopt;
  std::swap(*this, *other);
  return take();
}

/// `combine(number, operand)` for each number of a parameter. One that has not
/// been anything but `neutral` takes the name of the operand.
template <typename Combine>
static void update(Parameter &parameter, double neutral,
                   ArrayRef<double> operands, Value source, Combine combine) {
  if (parameter.isAll(neutral))
    parameter.source = source;
  for (auto [number, operand] : llvm::zip(parameter.numbers, operands))
    number = combine(number, operand);
  parameter.isChanged = true;
}

void Normalization::multiply(ArrayRef<double> numbers, Value source) {
  update(scale, 1, numbers, source, std::multiplies<double>());
  if (!bias.isAll(0))
    update(bias, 0, numbers, Value(), std::multiplies<double>());
}

void Normalization::multiply(double number) {
  multiply(std::vector<double>(scale.numbers.size(), number), Value());
}

void Normalization::add(ArrayRef<double> numbers, Value source) {
  update(bias, 0, numbers, source, std::plus<double>());
}

Value Normalization::build(Proposal &proposal) const {
  auto create = [&](const Parameter &parameter, StringRef name) {
    if (!parameter.isChanged)
      return parameter.source;
    std::vector<float> values(parameter.numbers.begin(),
                              parameter.numbers.end());
    SmallVector<int64_t> shape = parameterShape();
    auto tensor =
        Tensor::fromValues<float>(Shape(shape.begin(), shape.end()), values);
    if (parameter.source)
      return proposal.constantLike(parameter.source, std::move(tensor));
    std::string root = getTensorName(proposal.root()->getResult(0));
    return proposal.constant(std::move(tensor), root + "/" + name.str());
  };
  SmallVector<Value> operands = {x, create(scale, "scale")};
  if (kind != RMS && (kind != Layer || !bias.isAll(0)))
    operands.push_back(create(bias, "bias"));
  NamedAttribute eps = proposal.f32("epsilon", epsilon);
  switch (kind) {
  case Layer:
    return proposal.create<nn::LayerNormalizationOp>(
        operands, {proposal.i64("axis", axis), eps});
  case RMS:
    return proposal.create<nn::RMSNormalizationOp>(
        operands, {proposal.i64("axis", axis), eps});
  case Instance:
    return proposal.create<nn::InstanceNormalizationOp>(operands, eps);
  case Group:
    return proposal.create<nn::GroupNormalizationOp>(
        operands, {proposal.i64("num_groups", groups), eps});
  }
  llvm_unreachable("all kinds are handled");
}

} // namespace parallax
