//===- Cases.cpp - Cases from Python --------------------------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// A case is built by a process of its own, which is the tool that comes with
// the package.
//===----------------------------------------------------------------------===//
#include "Module.h"
#include "PythonListener.h"

#include "parallax/Case/ReduceCase.h"
#include "parallax/Case/ReplayCase.h"

#include <pybind11/stl.h>

namespace parallax::python {
namespace {

using namespace py::literals;

Concealment concealmentOf(const py::dict &options) {
  return {.names = options["strip_names"].cast<bool>(),
          .weights = options["replace_weights"].cast<bool>(),
          .samples = options["replace_images"].cast<bool>()};
}

std::string packFor(const std::string &from, const std::string &config,
                    const std::string &file, const std::string &note,
                    const py::dict &options, const std::string &program,
                    int threads, py::object events) {
  PythonListener listener(std::move(events));
  Concealment conceal = concealmentOf(options);
  return listener.listenTo([&](Listener *events) {
    ListenerScope scope(*events);
    PackRequest request;
    request.build =
        from.empty() ? plannedBuild(config) : readFinishedBuild(from);
    request.caseFile = file;
    request.answers.note = note;
    request.builder = {program, threads};
    return conceal.isAnything() ? packConcealed(request, conceal)
                                : packCase(request);
  });
}

py::dict replayFor(const std::string &file, const std::string &folder,
                   const std::string &program, int threads, py::object events) {
  PythonListener listener(std::move(events));
  ReplayResult result = listener.listenTo([&](Listener *events) {
    ListenerScope scope(*events);
    return replayCase({file, folder, {program, threads}});
  });
  return py::dict("difference"_a = result.difference,
                  "tensors"_a = result.tensors, "rows"_a = result.rows);
}

py::dict reduceFor(const std::string &file, const std::string &result,
                   const py::dict &options, const std::string &program,
                   int threads, py::object events) {
  PythonListener listener(std::move(events));
  ReduceRequest request;
  request.caseFile = file;
  request.result = result;
  request.conceal = concealmentOf(options);
  request.maxSeconds = options["max_seconds"].cast<int64_t>();
  request.builder = {program, threads};
  ReduceResult found = listener.listenTo([&](Listener *events) {
    ListenerScope scope(*events);
    return reduceCase(request);
  });
  return py::dict("verdict"_a = found.verdict, "predicate"_a = found.predicate,
                  "layers_before"_a = found.layersBefore,
                  "layers_after"_a = found.layersAfter,
                  "bytes_before"_a = found.bytesBefore,
                  "bytes_after"_a = found.bytesAfter, "tests"_a = found.tests,
                  "kept"_a = found.kept);
}

} // namespace

void addCases(py::module_ &module) {
  module.def("case_pack", packFor);
  module.def("case_replay", replayFor);
  module.def("case_reduce", reduceFor);
}

} // namespace parallax::python
