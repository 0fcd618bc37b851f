//===- Arrays.cpp - NumPy's arrays as tensors -----------------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Nothing is converted: an array of another type is a mistake of the caller,
// who is told how to convert it.
//===----------------------------------------------------------------------===//
#include "Arrays.h"

#include "parallax/Support/Error.h"

#include <cstring>
#include <fmt/format.h>

namespace parallax::python {
namespace {

/// What NumPy and ONNX Runtime call a type, and the kind of NumPy's.
struct TypeNames {
  std::string_view numpy, onnx;
  char kind;
};

TypeNames namesOf(DType type) {
  switch (type) {
  case DType::F32:
    return {"float32", "float", 'f'};
  case DType::F64:
    return {"float64", "double", 'f'};
  case DType::F16:
    return {"float16", "float16", 'f'};
  case DType::BF16:
    return {"uint16", "bfloat16", 'u'};
  case DType::I8:
    return {"int8", "int8", 'i'};
  case DType::I16:
    return {"int16", "int16", 'i'};
  case DType::I32:
    return {"int32", "int32", 'i'};
  case DType::I64:
    return {"int64", "int64", 'i'};
  case DType::U8:
    return {"uint8", "uint8", 'u'};
  case DType::U16:
    return {"uint16", "uint16", 'u'};
  case DType::U32:
    return {"uint32", "uint32", 'u'};
  case DType::U64:
    return {"uint64", "uint64", 'u'};
  case DType::Bool:
    break;
  }
  return {"bool", "bool", 'b'};
}

std::string typeNameOf(const py::dtype &type) {
  return py::str(static_cast<const py::object &>(type)).cast<std::string>();
}

void checkType(const py::array &array, const PortInfo &port) {
  py::dtype type = array.dtype();
  TypeNames wanted = namesOf(port.dtype);
  char order = type.byteorder();
  if (type.kind() == wanted.kind &&
      size_t(type.itemsize()) == sizeOf(port.dtype) &&
      (order == '=' || order == '|'))
    return;
  throw Error(fmt::format("input '{}' takes {}, but the array is {}; convert "
                          "it by array.astype(numpy.{})",
                          port.name, wanted.numpy, typeNameOf(type),
                          wanted.numpy == "bool" ? "bool_" : wanted.numpy));
}

void checkShape(const py::array &array, const PortInfo &port) {
  Shape given(array.shape(), array.shape() + array.ndim());
  if (given != port.shape)
    throw Error(fmt::format("input '{}' has the shape {}, but the array is {}",
                            port.name, toString(port.shape), toString(given)));
}

bool liesAsRead(const py::array &array) {
  constexpr int needed = py::detail::npy_api::NPY_ARRAY_C_CONTIGUOUS_ |
                         py::detail::npy_api::NPY_ARRAY_ALIGNED_;
  return (array.flags() & needed) == needed;
}

} // namespace

std::string_view numpyNameOf(DType type) { return namesOf(type).numpy; }

std::string onnxNameOf(DType type) {
  return fmt::format("tensor({})", namesOf(type).onnx);
}

py::array emptyArray(DType type, const Shape &shape) {
  std::string_view name = namesOf(type).numpy;
  return py::array(py::dtype(std::string(name)),
                   std::vector<py::ssize_t>(shape.begin(), shape.end()));
}

py::array arrayOf(const Tensor &tensor) {
  py::array array = emptyArray(tensor.dtype(), tensor.shape());
  if (tensor.byteSize() > 0)
    std::memcpy(array.mutable_data(), tensor.rawData(), tensor.byteSize());
  return array;
}

Tensor tensorOf(py::handle value, const PortInfo &port,
                std::vector<py::object> &owners) {
  py::object owner = py::reinterpret_borrow<py::object>(value);
  if (!py::isinstance<py::array>(owner)) {
    // Tensors of other libraries, lists and numbers: NumPy says what they are.
    try {
      owner = py::module_::import("numpy").attr("asarray")(owner);
    } catch (const py::error_already_set &error) {
      throw Error(fmt::format("input '{}' takes an array: {}", port.name,
                              py::str(error.value()).cast<std::string>()));
    }
  }
  auto array = py::reinterpret_borrow<py::array>(owner);
  checkType(array, port);
  checkShape(array, port);
  if (!liesAsRead(array)) {
    owner = py::module_::import("numpy").attr("array")(
        array, py::arg("order") = "C", py::arg("copy") = true);
    array = py::reinterpret_borrow<py::array>(owner);
  }
  owners.push_back(std::move(owner));
  // Engines only read it.
  return Tensor(port.dtype, port.shape, const_cast<void *>(array.data()));
}

} // namespace parallax::python
