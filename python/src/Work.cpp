//===- Work.cpp - Build, evaluate and tune from Python --------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Functions of Python that judge networks or propose trials are called from the
// library, in the thread that has called it.
//===----------------------------------------------------------------------===//
#include "Module.h"
#include "PythonListener.h"
#include "Results.h"
#include "Session.h"

#include "parallax/Config/RelaxedJson.h"
#include "parallax/Support/MappedFile.h"

#include <fmt/format.h>
#include <pybind11/stl.h>

namespace parallax::python {
namespace {

/// Calls Python for the library. Its own errors are those of the library; any
/// other exception stops the work and goes on to the caller.
template <typename Fn> auto callPython(PythonListener &listener, Fn call) {
  py::gil_scoped_acquire acquire;
  try {
    return call();
  } catch (py::error_already_set &error) {
    if (error.matches(errorType()))
      throw Error(py::str(error.value()).cast<std::string>());
    listener.stopBecause(std::move(error));
  }
  throw Cancelled();
}

ScoreFunction scoreBy(const py::object &function, PythonListener &listener) {
  if (function.is_none())
    return {};
  return [&](RunnableNetwork &network, int64_t seconds) {
    return callPython(listener, [&] {
      auto session = std::make_shared<Session>(network);
      py::object shown = py::cast(session);
      // The network goes, whoever still has the session.
      struct Closing {
        Session &session;
        ~Closing() { session.close(); }
      } closing{*session};
      return function(shown, seconds).cast<double>();
    });
  };
}

template <typename Options>
void chooseConfig(Options &options, const std::string &file,
                  const std::string &text, int threads) {
  options.configFile = file;
  options.configText = text;
  options.threads = threads;
}

py::dict buildFor(const std::string &file, const std::string &text,
                  const py::dict &extra, py::object events) {
  CompileOptions options;
  chooseConfig(options, file, text, extra["threads"].cast<int>());
  options.onlyCheck = extra["only_check"].cast<bool>();
  options.allowUnmatched = extra["allow_unmatched"].cast<bool>();
  options.failUnder = extra["fail_under"].cast<std::optional<double>>();
  options.applySuggestions = extra["apply_suggestions"].cast<int>();
  options.phaseFrom = extra["phase_from"].cast<std::string>();
  options.phaseTo = extra["phase_to"].cast<std::string>();
  PythonListener listener(std::move(events));
  CompileResult result = listener.listenTo(
      [&](Listener *events) { return compile(options, events); });
  return recordOf(result);
}

py::dict evaluateFor(const std::string &file, const std::string &text,
                     const std::vector<std::string> &models, int threads,
                     const py::object &score, py::object events) {
  PythonListener listener(std::move(events));
  EvaluateOptions options;
  chooseConfig(options, file, text, threads);
  options.models = models;
  options.score = scoreBy(score, listener);
  Accuracy result = listener.listenTo(
      [&](Listener *events) { return evaluate(options, events); });
  return recordOf(result);
}

py::dict tuneFor(const std::string &file, const std::string &text,
                 const py::dict &extra, const py::object &score,
                 const py::object &propose, py::object events) {
  PythonListener listener(std::move(events));
  TuneOptions options;
  chooseConfig(options, file, text, extra["threads"].cast<int>());
  options.resume = extra["resume"].cast<bool>();
  options.pareto = extra["pareto"].cast<bool>();
  options.recover = extra["recover"].cast<int64_t>();
  options.score = scoreBy(score, listener);
  if (!propose.is_none())
    options.propose = [&](const std::filesystem::path &history) {
      return callPython(listener, [&] {
        return propose(history.string()).cast<std::string>();
      });
    };
  TuneResult result = listener.listenTo(
      [&](Listener *events) { return tune(options, events); });
  return recordOf(result);
}

/// The text of a configuration as strict JSON, which Python reads.
std::string strictConfig(const std::string &file) {
  JsonDocument document = parseRelaxedJson(readText(file));
  if (document.errors.empty())
    return printJson(document.root);
  const JsonError &error = document.errors.front();
  throw Error(fmt::format("{}:{}:{}: {}", file, error.position.line,
                          error.position.column, error.message));
}

} // namespace

void addWork(py::module_ &module) {
  module.def("build", buildFor);
  module.def("evaluate", evaluateFor);
  module.def("tune", tuneFor);
  module.def("strict_config", strictConfig);
}

} // namespace parallax::python
