//===- Constant.cpp - Import of operators that are known values -----------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Shapes are static and whatever parameterizes an operator is known, so these
// operators become constants on the spot. Their size is a number in a file: it
// is checked before memory is taken.
//===----------------------------------------------------------------------===//
#include "ImportLine.h"

#include <cmath>
#include <cstring>

namespace parallax::onnx_import {

static void importConstant(Node &node) {
  auto list = [&]<typename T>(std::vector<T> values) {
    Shape shape = {int64_t(values.size())};
    return node.constant<T>(std::move(shape), std::move(values));
  };
  auto read = [&]() -> Value {
    if (node.hasAttribute("value"))
      return node.constant(node.tensorAttribute("value"));
    if (node.hasAttribute("value_int"))
      return node.constant<int64_t>({}, {node.requiredInt("value_int")});
    if (node.hasAttribute("value_float"))
      return node.constant<float>({}, {node.floatAttribute("value_float", 0)});
    if (node.hasAttribute("value_ints"))
      return list(node.intsAttribute("value_ints"));
    if (node.hasAttribute("value_floats"))
      return list(node.floatsAttribute("value_floats"));
    node.fail("has a value that is not a dense tensor of numbers, which is not "
              "supported");
  };
  node.setOutput(0, read());
}

static void importConstantOfShape(Node &node) {
  Tensor element = node.hasAttribute("value") ? node.tensorAttribute("value")
                                              : Tensor(DType::F32, {1});
  if (element.size() != 1)
    node.fail("attribute 'value' has {} elements, expected one",
              element.size());
  Shape shape = node.intsInput(0);
  int64_t count = countElements(node, shape);
  Tensor result(element.dtype(), std::move(shape));
  size_t bytes = sizeOf(element.dtype());
  auto *target = static_cast<char *>(result.rawData());
  for (int64_t index = 0; index < count; ++index)
    std::memcpy(target + size_t(index) * bytes, element.rawData(), bytes);
  node.setOutput(0, node.constant(std::move(result)));
}

static void importShape(Node &node) {
  int64_t rank = node.inputRank(0);
  auto position = [&](StringRef name, int64_t otherwise) {
    int64_t value = node.intAttribute(name, otherwise);
    return std::clamp<int64_t>(value < 0 ? value + rank : value, 0, rank);
  };
  int64_t start = position("start", 0);
  int64_t count = std::max<int64_t>(position("end", rank) - start, 0);
  Shape shape = staticShape(node, 0);
  node.setOutput(
      0, node.constant<int64_t>(
             {count}, {shape.begin() + start, shape.begin() + start + count}));
}

static void importSize(Node &node) {
  int64_t count = countElements(node, staticShape(node, 0), maxElements);
  node.setOutput(0, node.constant<int64_t>({}, {count}));
}

/// How many steps lead from `start` to before `limit`. The result may be any
/// number, or none if a bound is not finite.
template <typename T> static double countSteps(T start, T limit, T delta) {
  if constexpr (std::is_integral_v<T>) {
    // Differences of 64-bit integers need one bit more.
    __int128 distance = __int128(limit) - start, step = delta;
    bool partial = distance % step != 0 && (distance > 0) == (step > 0);
    return double(distance / step + partial);
  } else {
    return std::ceil(double(limit - start) / double(delta));
  }
}

template <typename T>
static Value createRange(const Node &node, T start, T limit, T delta) {
  if (delta == T(0))
    node.fail("has a step of 0");
  double steps = std::max(countSteps(start, limit, delta), 0.0);
  if (!(steps <= double(maxGeneratedElements)))
    node.fail("has {} elements, more than {}", steps, maxGeneratedElements);
  std::vector<T> values(static_cast<size_t>(steps));
  using Wide = std::conditional_t<std::is_integral_v<T>, __int128, T>;
  for (size_t index = 0; index < values.size(); ++index)
    values[index] = T(Wide(start) + Wide(index) * Wide(delta));
  Shape shape = {int64_t(values.size())};
  return node.constant<T>(std::move(shape), std::move(values));
}

static void importRange(Node &node) {
  Tensor start = scalarInput(node, 0), limit = scalarInput(node, 1),
         delta = scalarInput(node, 2);
  if (limit.dtype() != start.dtype() || delta.dtype() != start.dtype())
    node.fail("has operands of different element types");
  node.setOutput(0, dispatch(start.dtype(), [&](auto tag) -> Value {
                   using T = typename decltype(tag)::type;
                   if constexpr (std::is_arithmetic_v<T> &&
                                 !std::is_same_v<T, bool>)
                     return createRange<T>(node, *start.data<T>(),
                                           *limit.data<T>(), *delta.data<T>());
                   else
                     node.fail("of element type {} is not supported",
                               nameOf(start.dtype()));
                 }));
}

static void importEyeLike(Node &node) {
  Shape shape = staticShape(node, 0);
  if (shape.size() != 2)
    node.fail("has an operand of rank {}, expected 2", shape.size());
  countElements(node, shape);
  int64_t rows = shape[0], columns = shape[1], k = node.intAttribute("k", 0);
  Type type = node.hasAttribute("dtype")
                  ? node.elementType(node.requiredInt("dtype"))
                  : node.inputType(0).getElementType();
  Tensor result(storageType(node, type), std::move(shape));
  if (k > -rows && k < columns)
    dispatch(result.dtype(), [&](auto tag) {
      using T = typename decltype(tag)::type;
      for (int64_t row = std::max<int64_t>(-k, 0);
           row < rows && row + k < columns; ++row)
        result.data<T>()[row * columns + row + k] = T(1);
    });
  node.setOutput(0, node.constant(std::move(result)));
}

void addConstantImports(ImportTable &table) {
  table.onOp("Constant", 1, importConstant);
  table.onOp("ConstantOfShape", 9, importConstantOfShape);
  table.onOp("EyeLike", 9, importEyeLike);
  table.onOp("Range", 11, importRange);
  table.onOp("Shape", 1, importShape);
  table.onOp("Size", 1, importSize);
}

} // namespace parallax::onnx_import
