//===- Models.cpp - Facts about models and analyses, for Python -----------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// What `parallax inspect` and `parallax diff` print, as records.
//===----------------------------------------------------------------------===//
#include "Module.h"

#include "parallax/Config/Target.h"
#include "parallax/Dialect/NN/Cost.h"
#include "parallax/Pipeline/InspectModel.h"
#include "parallax/Pipeline/OutputFiles.h"
#include "parallax/Pipeline/OutputFolder.h"
#include "parallax/Report/PrecisionDiff.h"
#include "parallax/Runtime.h"
#include "parallax/Support/Digest.h"

#include <fmt/format.h>
#include <pybind11/stl.h>

namespace fs = std::filesystem;

namespace parallax::python {
namespace {

namespace py = pybind11;
using namespace py::literals;
using onnx_import::ModelPort;
using onnx_import::ModelSummary;

py::dict portRecord(const char *kind, const std::string &name,
                    const std::string &type, const std::string &shape) {
  return py::dict("kind"_a = kind, "name"_a = name, "type"_a = type,
                  "shape"_a = shape);
}

py::dict compiledRecord(const std::string &path) {
  Runtime runtime(path, {.threads = 1});
  py::list ports;
  for (const PortInfo &port : runtime.inputs())
    ports.append(portRecord("input", port.name, std::string(nameOf(port.dtype)),
                            toString(port.shape)));
  for (const PortInfo &port : runtime.outputs())
    ports.append(portRecord("output", port.name,
                            std::string(nameOf(port.dtype)),
                            toString(port.shape)));
  return py::dict("kind"_a = "compiled", "ports"_a = ports,
                  "target"_a = runtime.info().targetName,
                  "text"_a = describeCompiledModel(path, {}));
}

py::list operatorsOf(const ModelSummary &summary) {
  py::list list;
  for (const auto &[name, count] : summary.operators)
    list.append(
        py::dict("operator"_a = name, "nodes"_a = count,
                 "is_supported"_a = !summary.unsupported.contains(name)));
  return list;
}

py::dict onnxRecord(const std::string &path, const std::string &target) {
  (void)findTarget(target); // an error here is no problem of the model
  ModelSummary summary = onnx_import::summarizeModel(path);
  py::list ports;
  for (const ModelPort &port : summary.inputs)
    ports.append(portRecord("input", port.name, port.dtype, port.shape));
  for (const ModelPort &port : summary.outputs)
    ports.append(portRecord("output", port.name, port.dtype, port.shape));
  py::dict record("kind"_a = "onnx", "ports"_a = ports,
                  "opset"_a = summary.opset, "producer"_a = summary.producer,
                  "operators"_a = operatorsOf(summary),
                  "parameters"_a = summary.parameters);
  try {
    NetworkOptions options;
    options.model = path;
    Network network(options);
    record["macs"] = nn::countCost(network.function()).macs;
    record["text"] = describeQuantizedModel(network, target, {});
  } catch (const Error &error) {
    record["problem"] = error.what();
  }
  return record;
}

py::dict inspectFor(const std::string &path, const std::string &target) {
  py::dict record =
      isCompiledFile(path) ? compiledRecord(path) : onnxRecord(path, target);
  record["sha256"] = sha256OfFile(path);
  return record;
}

/// The inputs of an ONNX model, as the importer of samples needs them.
py::list inputsOf(const std::string &path) {
  py::list list;
  for (const ModelPort &port : onnx_import::summarizeModel(path).inputs)
    list.append(py::make_tuple(port.name, port.dtype, port.extents));
  return list;
}

PrecisionReport analysisAt(const fs::path &path) {
  fs::path file =
      fs::is_directory(path) ? OutputFiles(path).precisionJson() : path;
  if (!fs::exists(file))
    throw Error(fmt::format("{} has no analysis: build it with "
                            "quant.precision_analysis",
                            path.string()));
  checkResult(file);
  return readPrecisionJson(file);
}

py::tuple diffFor(const std::string &before, const std::string &after,
                  double tolerance) {
  PrecisionDiff diff =
      diffPrecision(analysisAt(before), analysisAt(after), tolerance);
  return py::make_tuple(diffJson(diff), renderDiff(diff, /*all=*/false));
}

} // namespace

void addModels(py::module_ &module) {
  module.def("inspect", inspectFor);
  module.def("inputs_of", inputsOf);
  module.def("diff", diffFor);
}

} // namespace parallax::python
