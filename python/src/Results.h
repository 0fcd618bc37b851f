//===- Results.h - Results of the library for Python -----------*- C++ -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Dictionaries and lists of records: what results.py makes objects of, and what
// pandas takes as it is.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_PYTHON_RESULTS_H
#define PARALLAX_PYTHON_RESULTS_H

#include "parallax/Compiler.h"

#include <pybind11/pybind11.h>

namespace parallax::python {

namespace py = pybind11;

py::dict recordOf(const CompileResult &result);
py::dict recordOf(const Accuracy &accuracy);
py::dict recordOf(const TuneResult &result);

} // namespace parallax::python

#endif // PARALLAX_PYTHON_RESULTS_H
