//===- Module.cpp - The module parallax._core -----------------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// What the package needs of the library. Its functions are for the package,
// whose own ones have the names, defaults and texts that users see.
//===----------------------------------------------------------------------===//
#include "Module.h"

#include "parallax/Support/Error.h"

#include <filesystem>

namespace parallax::python {

static PyObject *errorClass = nullptr;

pybind11::handle errorType() { return errorClass; }

static void addError(pybind11::module_ &module) {
  errorClass = PyErr_NewExceptionWithDoc(
      "parallax.Error",
      "A mistake that the caller can mend. Its text names the file, layer or "
      "input, and says what to do.",
      PyExc_RuntimeError, nullptr);
  module.add_object("Error", errorClass);
  pybind11::register_exception_translator([](std::exception_ptr raised) {
    try {
      std::rethrow_exception(raised);
    } catch (const Error &error) {
      PyErr_SetString(errorClass, error.what());
    } catch (const std::filesystem::filesystem_error &error) {
      PyErr_SetString(errorClass, error.what());
    } catch (const std::bad_alloc &) {
      PyErr_SetString(errorClass, "there is not enough memory for this");
    }
  });
}

} // namespace parallax::python

PYBIND11_MODULE(_core, module) {
  using namespace parallax::python;
  module.attr("__version__") = PARALLAX_VERSION;
  addError(module);
  addSession(module);
  addWork(module);
  addModels(module);
  addCases(module);
}
