//===- Arrays.h - NumPy's arrays as tensors --------------------*- C++ -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// The elements of an array that lies in memory as a network reads it are used
// where they are. NumPy is loaded with the first array, not with the module.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_PYTHON_ARRAYS_H
#define PARALLAX_PYTHON_ARRAYS_H

#include "parallax/Support/PortInfo.h"

#include <pybind11/numpy.h>

namespace parallax::python {

namespace py = pybind11;

/// What NumPy calls an element type. It has no bfloat16, whose bits are
/// "uint16".
std::string_view numpyNameOf(DType type);
/// What ONNX Runtime calls it: "tensor(float)".
std::string onnxNameOf(DType type);

/// An array whose elements are not set.
py::array emptyArray(DType type, const Shape &shape);
/// A copy of a tensor.
py::array arrayOf(const Tensor &tensor);

/// A view of what `value` holds for an input. `owners` keeps alive what the
/// view needs, which is a copy where the array is not contiguous. Throws Error,
/// with what was expected, for any other type or shape.
Tensor tensorOf(py::handle value, const PortInfo &port,
                std::vector<py::object> &owners);

} // namespace parallax::python

#endif // PARALLAX_PYTHON_ARRAYS_H
