//===- Session.h - A model that runs on arrays -----------------*- C++ -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// What InferenceSession is made of. Runs release Python's lock, and any number
// of them go on at the same time.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_PYTHON_SESSION_H
#define PARALLAX_PYTHON_SESSION_H

#include "Arrays.h"

#include "parallax/Support/RunnableNetwork.h"

namespace parallax::python {

/// Which model, and who executes it.
struct SessionOptions {
  std::string path;
  /// The model itself, where it has no path; only for the constructor.
  std::optional<std::string_view> bytes;
  /// "" for what the file says, "Reference" or "NPUBackend".
  std::string mode;
  std::string target;
  /// "x:1x3x224x224", for inputs whose shape the file leaves open.
  std::string inputShapes;
  /// 0 takes all processors.
  int threads = 0;
};

class Session {
public:
  /// Throws Error unless the model can be executed as asked.
  explicit Session(SessionOptions options);
  /// Borrows a network until close().
  explicit Session(RunnableNetwork &network);
  ~Session();

  /// (name, NumPy's type, ONNX Runtime's type, shape) of each.
  py::list inputs() const;
  py::list outputs() const;
  /// Whether the model was compiled.
  bool isCompiled() const { return compiled; }

  /// Arrays of the outputs with these names, or of all if there are none.
  py::list run(const py::object &names, const py::object &feed);

  /// The result of every layer whose name or tensor is one of `names`, or of
  /// all of them.
  py::list layers(const py::object &names, const py::object &feed);

  /// Waits for runs that go on.
  void close();

private:
  struct Engine;
  struct Loaded;
  std::vector<Tensor> readFeed(const py::object &feed,
                               std::vector<py::object> &owners) const;
  std::vector<size_t> chosenOutputs(const py::object &names) const;
  std::shared_ptr<Engine> openEngine() const;
  Loaded &observedModel(Engine &engine);

  SessionOptions options;
  std::vector<PortInfo> inputPorts, outputPorts;
  bool compiled = false;
  std::shared_ptr<Engine> engine;
};

void addSession(py::module_ &module);

} // namespace parallax::python

#endif // PARALLAX_PYTHON_SESSION_H
