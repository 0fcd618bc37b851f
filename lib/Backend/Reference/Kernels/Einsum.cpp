//===- Einsum.cpp - From an equation to its steps -------------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Reduces an equation to products of two operands, in which every remaining
// label has one of four roles (EinsumProduct.cpp). Labels that only one operand
// has are summed before, so that products stay small.
//===----------------------------------------------------------------------===//
#include "parallax/Backend/Reference/Kernels/Einsum.h"

#include "EinsumProgram.h"
#include "parallax/Backend/Kernels/StridedCopy.h"
#include "parallax/Backend/Reference/Kernels/Reduce.h"
#include "parallax/Support/Error.h"

#include <cstring>
#include <fmt/format.h>

namespace parallax::kernels {
namespace {

/// The view of an input: a repeated label walks its diagonal.
EinsumOperand viewOf(size_t buffer, const Labels &labels, const Shape &shape) {
  EinsumOperand view{buffer, {}, {}};
  Shape strides = stridesOf(shape);
  for (size_t axis = 0; axis < labels.size(); ++axis) {
    if (shape[axis] == 1)
      continue;
    auto known =
        std::find(view.labels.begin(), view.labels.end(), labels[axis]);
    if (known != view.labels.end()) {
      view.strides[known - view.labels.begin()] += strides[axis];
      continue;
    }
    view.labels.push_back(labels[axis]);
    view.strides.push_back(strides[axis]);
  }
  return view;
}

/// `operand` summed over the labels outside of `kept`; into `target`, if given,
/// when that has just the labels that remain.
EinsumOperand sumOthers(EinsumProgram &program, EinsumOperand operand,
                        const Labels &kept,
                        const EinsumOperand *target = nullptr) {
  Labels remaining;
  Shape axes;
  for (size_t axis = 0; axis < operand.labels.size(); ++axis)
    if (contains(kept, operand.labels[axis]))
      remaining.push_back(operand.labels[axis]);
    else
      axes.push_back(int64_t(axis));
  if (axes.empty())
    return operand;

  Shape shape = program.shapeOf(operand.labels);
  if (operand.strides != stridesOf(shape)) {
    EinsumOperand dense = program.makeTemporary(operand.labels);
    program.addCopy(operand, dense);
    operand = dense;
  }
  EinsumOperand sum = target && remaining == target->labels
                          ? *target
                          : program.makeTemporary(remaining);
  program.steps.push_back(
      [dtype = program.dtype, from = operand.buffer, to = sum.buffer, shape,
       axes, sums = program.shapeOf(remaining)](EinsumBuffers buffers) {
        Tensor x(dtype, shape, buffers[from]), y(dtype, sums, buffers[to]);
        reduce(ReduceKind::Sum, x, y, axes);
      });
  return sum;
}

void addAll(EinsumProgram &program, std::vector<EinsumOperand> operands,
            const EinsumOperand &output) {
  if (operands.size() == 1) {
    EinsumOperand sum = sumOthers(program, operands[0], output.labels, &output);
    if (sum.buffer != output.buffer)
      program.addCopy(sum, output);
    return;
  }
  EinsumOperand product = operands[0];
  for (size_t next = 1; next < operands.size(); ++next) {
    EinsumOperand factor = operands[next];
    Labels needed = output.labels;
    for (size_t later = next + 1; later < operands.size(); ++later)
      needed.insert(needed.end(), operands[later].labels.begin(),
                    operands[later].labels.end());
    auto sumAlone = [&](const EinsumOperand &one, const EinsumOperand &other) {
      Labels kept = needed;
      kept.insert(kept.end(), other.labels.begin(), other.labels.end());
      return sumOthers(program, one, kept);
    };
    EinsumOperand left = sumAlone(product, factor);
    EinsumOperand right = sumAlone(factor, product);

    Labels result;
    for (const EinsumOperand *side : {&left, &right})
      for (int label : side->labels)
        if (contains(needed, label) && !contains(result, label))
          result.push_back(label);
    product =
        next + 1 == operands.size() ? output : program.makeTemporary(result);
    program.addProduct(left, right, product);
  }
}

} // namespace

EinsumOperand EinsumProgram::operandIn(size_t buffer, Labels labels) const {
  Shape strides = stridesOf(shapeOf(labels));
  return {buffer, std::move(labels), std::move(strides)};
}

EinsumOperand EinsumProgram::makeTemporary(Labels labels) {
  constexpr size_t alignment = 64;
  size_t bytes = size_t(countOf(labels)) * sizeOf(dtype);
  offsets.push_back(scratchBytes);
  scratchBytes += (bytes + alignment - 1) / alignment * alignment;
  return operandIn(inputCount + offsets.size(), std::move(labels));
}

void EinsumProgram::addCopy(const EinsumOperand &from,
                            const EinsumOperand &to) {
  LoopNest<2> nest{shapeOf(to.labels), {to.strides, {}}};
  for (int label : to.labels)
    nest.strides[1].push_back(from.strideOf(label));
  steps.push_back([nest, size = sizeOf(dtype), source = from.buffer,
                   target = to.buffer](EinsumBuffers buffers) {
    stridedCopy(buffers[target], buffers[source], size, nest);
  });
}

EinsumPlan::EinsumPlan(std::string_view text, std::span<const Shape> inputs,
                       DType dtype) {
  if (dtype != DType::F32 && dtype != DType::F64 && dtype != DType::I32 &&
      dtype != DType::I64)
    throw Error(fmt::format("Einsum has no kernel for {}; convert its inputs "
                            "with Cast to float32",
                            nameOf(dtype)));
  EinsumEquation equation(text, inputs);
  EinsumProgram steps{dtype, inputs.size(), equation.extents, {}, 0, {}};
  output = steps.shapeOf(equation.output);
  bool isEmpty = false;
  std::vector<EinsumOperand> operands;
  for (size_t i = 0; i < inputs.size(); ++i) {
    operands.push_back(viewOf(i, equation.inputs[i], inputs[i]));
    isEmpty = isEmpty || elementCount(inputs[i]) == 0;
  }
  Labels walked;
  for (int label : equation.output)
    if (equation.extents[label] != 1)
      walked.push_back(label);
  if (!isEmpty)
    addAll(steps, std::move(operands), steps.operandIn(inputs.size(), walked));
  program = std::make_shared<const EinsumProgram>(std::move(steps));
}

size_t EinsumPlan::scratchBytes() const { return program->scratchBytes; }

void EinsumPlan::run(std::span<const Tensor> inputs, Tensor &y,
                     void *scratch) const {
  assert(inputs.size() == program->inputCount && y.shape() == output);
  std::vector<std::byte *> buffers;
  for (const Tensor &input : inputs) {
    if (input.dtype() != program->dtype)
      throw Error(fmt::format("an Einsum that was planned for {} got an input "
                              "of {}; plan it for the type of its inputs",
                              nameOf(program->dtype), nameOf(input.dtype())));
    // No step writes to an input.
    buffers.push_back(
        static_cast<std::byte *>(const_cast<void *>(input.rawData())));
  }
  buffers.push_back(static_cast<std::byte *>(y.rawData()));
  for (size_t offset : program->offsets)
    buffers.push_back(static_cast<std::byte *>(scratch) + offset);
  if (program->steps.empty() && y.byteSize() > 0)
    std::memset(y.rawData(), 0, y.byteSize());
  for (const EinsumStep &step : program->steps)
    step(buffers);
}

} // namespace parallax::kernels
