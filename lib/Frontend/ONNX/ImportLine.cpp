//===- ImportLine.cpp - The vocabulary of import lines --------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Reads attributes and operands for import lines. A file may hold any number,
// so nothing here multiplies extents or allocates before it has checked them.
//===----------------------------------------------------------------------===//
#include "ImportLine.h"

#include "parallax/Support/TensorAttr.h"

#include "llvm/ADT/STLExtras.h"

#include <numeric>

namespace parallax::onnx_import {

//===----------------------------------------------------------------------===//
// Attributes
//===----------------------------------------------------------------------===//

template <typename Read>
static Parameter ifPresent(StringRef name, StringRef target, Read read) {
  return [=](const Node &node, Attributes &attributes) {
    if (node.hasAttribute(name))
      attributes.push_back(
          node.named(target.empty() ? name : target, read(node)));
  };
}

Parameter integer(StringRef name, StringRef target) {
  return ifPresent(name, target, [=](const Node &node) {
    return node.i64(node.requiredInt(name));
  });
}

Parameter choice(StringRef name, std::vector<int64_t> allowed) {
  return ifPresent(name, name, [=](const Node &node) {
    int64_t value = node.requiredInt(name);
    if (!llvm::is_contained(allowed, value))
      node.fail("attribute '{}' = {} is not supported", name.str(), value);
    return node.i64(value);
  });
}

Parameter requiredInteger(StringRef name) {
  return [=](const Node &node, Attributes &attributes) {
    attributes.push_back(node.named(name, node.i64(node.requiredInt(name))));
  };
}

Parameter real(StringRef name) {
  return ifPresent(name, name, [=](const Node &node) {
    return node.f32(node.floatAttribute(name, 0));
  });
}

Parameter integers(StringRef name) {
  return [=](const Node &node, Attributes &attributes) {
    attributes.push_back(node.named(name, node.i64s(node.intsAttribute(name))));
  };
}

Parameter reals(StringRef name) {
  return [=](const Node &node, Attributes &attributes) {
    attributes.push_back(
        node.named(name, node.f32s(node.floatsAttribute(name))));
  };
}

Parameter flag(StringRef name, StringRef target) {
  return ifPresent(name, target, [=](const Node &node) {
    return node.boolean(node.requiredInt(name) != 0);
  });
}

Parameter word(StringRef name, std::vector<StringRef> allowed,
               StringRef target) {
  return ifPresent(name, target, [=](const Node &node) {
    return node.word(oneOf(node, name, allowed));
  });
}

Parameter axis(int64_t otherwise) {
  return [=](const Node &node, Attributes &attributes) {
    int64_t axis = node.intAttribute("axis", otherwise);
    attributes.push_back(node.named(
        "axis", node.i64(node.normalizedAxis(axis, node.inputRank(0)))));
  };
}

Attributes readParameters(const Node &node,
                          const std::vector<Parameter> &parameters) {
  Attributes attributes;
  for (const Parameter &parameter : parameters)
    parameter(node, attributes);
  return attributes;
}

std::string oneOf(const Node &node, StringRef name,
                  ArrayRef<StringRef> allowed) {
  std::string value = node.stringAttribute(name, allowed.front());
  if (!llvm::is_contained(allowed, value))
    node.fail("attribute '{}' = '{}' is not supported", name.str(), value);
  return value;
}

//===----------------------------------------------------------------------===//
// Operands
//===----------------------------------------------------------------------===//

SmallVector<Value> operandsOf(const Node &node, size_t required,
                              size_t optional) {
  SmallVector<Value> operands;
  for (size_t index = 0; index < required; ++index)
    operands.push_back(node.input(index));
  for (size_t index = required; index < node.inputCount(); ++index) {
    if (!node.hasInput(index))
      continue;
    if (index >= required + optional)
      node.fail("has more than {} operands", required + optional);
    operands.push_back(node.input(index));
  }
  return operands;
}

Shape staticShape(const Node &node, size_t index) {
  RankedTensorType type = node.inputType(index);
  if (!type.hasStaticShape())
    node.fail("needs to know the shape of operand {}, which depends on data",
              index);
  return type.getShape().vec();
}

Tensor scalarInput(const Node &node, size_t index) {
  Tensor value = node.constantInput(index);
  if (value.size() != 1)
    node.fail("operand {} has shape {}, expected a single number", index,
              toString(value.shape()));
  return value;
}

int64_t integerInput(const Node &node, size_t index) {
  scalarInput(node, index);
  return node.intsInput(index).front();
}

double numberOf(const Tensor &tensor, int64_t index) {
  return dispatch(tensor.dtype(), [&](auto tag) {
    return double(tensor.data<typename decltype(tag)::type>()[index]);
  });
}

std::optional<double> exactNumberOf(const Tensor &tensor, int64_t index) {
  double number = numberOf(tensor, index);
  bool exact = dispatch(tensor.dtype(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    if constexpr (std::is_integral_v<T>)
      return __int128(number) == __int128(tensor.data<T>()[index]);
    return true;
  });
  return exact ? std::optional(number) : std::nullopt;
}

std::vector<int64_t> firstAxes(size_t count) {
  std::vector<int64_t> axes(count);
  std::iota(axes.begin(), axes.end(), 0);
  return axes;
}

std::vector<int64_t> orderedAxes(const Node &node, std::vector<int64_t> axes,
                                 int64_t rank) {
  node.normalizedAxes(axes, rank); // Refuses what is out of range or twice.
  for (int64_t &axis : axes)
    axis = node.normalizedAxis(axis, rank);
  return axes;
}

//===----------------------------------------------------------------------===//
// Constants
//===----------------------------------------------------------------------===//

int64_t countElements(const Node &node, ArrayRef<int64_t> shape,
                      int64_t limit) {
  int64_t count = 1;
  for (int64_t extent : shape) {
    // An extent is checked by itself, since a later 0 would hide it.
    bool fits = extent >= 0 && extent <= limit &&
                !__builtin_mul_overflow(count, extent, &count) &&
                count <= limit;
    if (!fits)
      node.fail("shape {} has a negative extent or more than {} elements",
                toString(shape), limit);
  }
  return count;
}

DType storageType(const Node &node, Type elementType) {
  std::optional<DType> dtype = toDType(elementType);
  if (!dtype)
    node.fail("has an element type without constants");
  return *dtype;
}

Value splat(const Node &node, DType dtype, Shape shape, double value) {
  int64_t count = countElements(node, shape);
  Tensor tensor(dtype, std::move(shape));
  dispatch(dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    std::fill_n(tensor.data<T>(), count, static_cast<T>(value));
  });
  return node.constant(std::move(tensor));
}

Value reshapeStep(Node &node, StringRef step, Value value,
                  ArrayRef<int64_t> shape) {
  return node.create<nn::ReshapeOp>(step, {value},
                                    {node.named("shape", node.i64s(shape))});
}

} // namespace parallax::onnx_import
