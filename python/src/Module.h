//===- Module.h - The parts of the module _core ----------------*- C++ -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Each file adds its functions; the package around them has the names that
// users see.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_PYTHON_MODULE_H
#define PARALLAX_PYTHON_MODULE_H

#include <pybind11/pybind11.h>

namespace parallax::python {

/// parallax.Error.
pybind11::handle errorType();

void addSession(pybind11::module_ &module);
void addWork(pybind11::module_ &module);
void addModels(pybind11::module_ &module);
void addCases(pybind11::module_ &module);

} // namespace parallax::python

#endif // PARALLAX_PYTHON_MODULE_H
