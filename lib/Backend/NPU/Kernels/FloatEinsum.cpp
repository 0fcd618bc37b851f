//===- FloatEinsum.cpp - FP32 sums of products by equation ----------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Two operands, which nearly all equations have, are brought into the form of
// matrices: a product of these adds in the same order. Everything else is
// walked as the equation is written.
//===----------------------------------------------------------------------===//
#include "parallax/Backend/Kernels/EinsumEquation.h"
#include "parallax/Backend/Kernels/StridedCopy.h"
#include "parallax/Backend/NPU/Kernels/FloatLayers.h"
#include "parallax/Backend/NPU/Kernels/Mac.h"
#include "parallax/Support/Parallel.h"

namespace parallax::npu {
namespace {

using kernels::contains;
using kernels::Labels;

class FloatEinsum {
public:
  FloatEinsum(std::string_view text, std::span<const Tensor> inputs, Tensor &y)
      : inputs(inputs), y(y), equation(text, shapesOf(inputs)) {
    for (const Labels &labels : equation.inputs)
      for (int label : labels)
        if (!contains(equation.output, label) && !contains(summed, label))
          summed.push_back(label);
  }

  void run() {
    if (inputs.size() == 2)
      multiplyMatrices();
    else
      walk();
  }

private:
  static std::vector<Shape> shapesOf(std::span<const Tensor> inputs) {
    std::vector<Shape> shapes;
    for (const Tensor &input : inputs)
      shapes.push_back(input.shape());
    return shapes;
  }

  Shape shapeOf(const Labels &labels) const {
    Shape shape;
    for (int label : labels)
      shape.push_back(equation.extents[label]);
    return shape;
  }

  /// How far an operand moves along each label: 0 where it broadcasts, and
  /// along the diagonal of a label that it has twice.
  Shape stridesAlong(size_t operand, const Labels &labels) const {
    const Labels &own = equation.inputs[operand];
    const Shape &shape = inputs[operand].shape();
    Shape all = stridesOf(shape), strides(labels.size(), 0);
    for (size_t i = 0; i < labels.size(); ++i)
      for (size_t axis = 0; axis < own.size(); ++axis)
        if (own[axis] == labels[i] && shape[axis] != 1)
          strides[i] += all[axis];
    return strides;
  }

  //===--------------------------------------------------------------------===//
  // Two operands
  //===--------------------------------------------------------------------===//

  /// An operand as a row-major tensor with these labels, outermost first.
  Tensor arranged(size_t operand, const Labels &labels, Shape shape) const {
    Tensor result(DType::F32, std::move(shape));
    Shape dims = shapeOf(labels);
    if (result.size() > 0)
      kernels::stridedCopy(
          result.rawData(), inputs[operand].rawData(), sizeof(float),
          {dims, {stridesOf(dims), stridesAlong(operand, labels)}});
    return result;
  }

  void multiplyMatrices() {
    Labels batch, rows, columns;
    for (int label : equation.output) {
      bool inLeft = stridesAlong(0, {label})[0] != 0;
      bool inRight = stridesAlong(1, {label})[0] != 0;
      (inLeft && inRight ? batch : inRight ? columns : rows).push_back(label);
    }
    int64_t count = elementCount(shapeOf(batch));
    int64_t m = elementCount(shapeOf(rows)), n = elementCount(shapeOf(columns));
    int64_t depth = elementCount(shapeOf(summed));
    auto joined = [&](const Labels &first, const Labels &second) {
      Labels labels = batch;
      labels.insert(labels.end(), first.begin(), first.end());
      labels.insert(labels.end(), second.begin(), second.end());
      return labels;
    };
    Tensor left = arranged(0, joined(rows, summed), {count, m, depth});
    Tensor right = arranged(1, joined(summed, columns), {count, depth, n});
    Tensor product(DType::F32, {count, m, n});
    floatMatmul(left, right, product);

    Labels made = joined(rows, columns);
    Shape madeStrides = stridesOf(shapeOf(made)), from;
    for (int label : equation.output)
      from.push_back(madeStrides[std::find(made.begin(), made.end(), label) -
                                 made.begin()]);
    if (y.size() > 0)
      kernels::stridedCopy(y.rawData(), product.rawData(), sizeof(float),
                           {y.shape(), {stridesOf(y.shape()), from}});
  }

  //===--------------------------------------------------------------------===//
  // Any number of operands
  //===--------------------------------------------------------------------===//

  /// Where operand `i` is at element `index` of the loops over some labels.
  static int64_t offsetAt(int64_t index, const Shape &dims,
                          const Shape &strides) {
    int64_t offset = 0;
    for (size_t axis = dims.size(); axis-- > 0; index /= dims[axis])
      offset += index % dims[axis] * strides[axis];
    return offset;
  }

  void walk() {
    Shape depthDims = shapeOf(summed);
    int64_t depth = elementCount(depthDims);
    std::vector<Shape> outer, inner;
    for (size_t i = 0; i < inputs.size(); ++i) {
      outer.push_back(stridesAlong(i, equation.output));
      inner.push_back(stridesAlong(i, summed));
    }
    float *to = y.data<float>();
    parallelFor(y.size(), rowGrain(8 * depth), [&](int64_t begin, int64_t end) {
      for (int64_t o = begin; o < end; ++o) {
        float sum = 0;
        for (int64_t k = 0; k < depth; ++k) {
          float product = elementOf(0, o, k, outer, inner, depthDims);
          for (size_t i = 1; i < inputs.size(); ++i)
            product *= elementOf(i, o, k, outer, inner, depthDims);
          sum += product;
        }
        to[o] = sum;
      }
    });
  }

  float elementOf(size_t operand, int64_t output, int64_t k,
                  const std::vector<Shape> &outer,
                  const std::vector<Shape> &inner,
                  const Shape &depthDims) const {
    return inputs[operand]
        .data<float>()[offsetAt(output, y.shape(), outer[operand]) +
                       offsetAt(k, depthDims, inner[operand])];
  }

  std::span<const Tensor> inputs;
  Tensor &y;
  kernels::EinsumEquation equation;
  /// In the order in which the equation names them first.
  Labels summed;
};

} // namespace

void einsumFloat(std::string_view equation, std::span<const Tensor> inputs,
                 Tensor &y) {
  FloatEinsum(equation, inputs, y).run();
}

} // namespace parallax::npu
