//===- Session.cpp - A model that runs on arrays --------------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Arrays for outputs are made before a run, so that Python's lock is taken once
// for a run: another thread may keep it for milliseconds.
//===----------------------------------------------------------------------===//
#include "Session.h"
#include "ModelFile.h"

#include "parallax/Backend/Core/ConcurrentRuns.h"
#include "parallax/Compiled/CompiledModel.h"
#include "parallax/Pipeline/RunModel.h"
#include "parallax/Support/Error.h"
#include "parallax/Support/Listener.h"
#include "parallax/Support/Parallel.h"

#include <cstring>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <pybind11/stl.h>
#include <shared_mutex>

namespace parallax::python {
namespace {

std::string namesOfPorts(const std::vector<PortInfo> &ports) {
  std::vector<std::string> names;
  for (const PortInfo &port : ports)
    names.push_back("'" + port.name + "'");
  return fmt::format("{}", fmt::join(names, ", "));
}

py::list describePorts(const std::vector<PortInfo> &ports) {
  py::list list;
  for (const PortInfo &port : ports)
    list.append(py::make_tuple(port.name, std::string(numpyNameOf(port.dtype)),
                               onnxNameOf(port.dtype), port.shape));
  return list;
}

std::string typeOf(const py::object &value) {
  return py::type::of(value).attr("__name__").cast<std::string>();
}

/// A name that a caller gives. Not every text of Python has an encoding.
std::string nameOf(py::handle name) {
  Py_ssize_t size = 0;
  const char *text = PyUnicode_Check(name.ptr())
                         ? PyUnicode_AsUTF8AndSize(name.ptr(), &size)
                         : nullptr;
  if (text)
    return std::string(text, size_t(size));
  PyErr_Clear();
  throw Error(fmt::format("names are texts, but this is {}",
                          py::repr(name).cast<std::string>().substr(0, 80)));
}

/// A listener of work around it, such as a tuning whose judge runs the model,
/// neither hears of it nor stops it.
template <typename Fn> auto withoutLock(Fn work) {
  py::gil_scoped_release release;
  Listener silent;
  ListenerScope scope(silent);
  return work();
}

/// The results of layers, kept for the caller.
class LayerCollector : public Observer {
public:
  explicit LayerCollector(std::vector<std::string> names)
      : names(std::move(names)) {}

  void onResult(const LayerResult &layer, const Tensor &value) override {
    auto isNamed = [&](const std::string &name) {
      return name == layer.node || name == layer.tensor;
    };
    if (names.empty() || std::ranges::any_of(names, isNamed))
      results.emplace_back(layer, value.clone());
  }

  py::list records() const {
    py::list list;
    for (const auto &[layer, value] : results) {
      py::dict record;
      record["layer"] = layer.node;
      record["tensor"] = layer.tensor;
      record["op"] = layer.op;
      record["values"] = arrayOf(value);
      record["scale"] =
          layer.codes ? py::cast(layer.codes->scale) : py::object(py::none());
      record["zero_point"] = layer.codes ? py::cast(layer.codes->zeroPoint)
                                         : py::object(py::none());
      list.append(record);
    }
    return list;
  }

  std::vector<std::string> names;
  std::vector<std::pair<LayerResult, Tensor>> results;
};

} // namespace

/// A model that was read and prepared.
struct Session::Loaded {
  Loaded(const SessionOptions &options, bool observe) {
    EngineChoice choice;
    choice.network.model = options.path;
    choice.network.inputShapes = options.inputShapes;
    choice.mode = options.mode;
    choice.target = options.target;
    PrepareOptions preparing;
    preparing.observe = observe;
    preparing.takeWeights = true;
    ThreadCountScope threads(options.threads > 0 ? options.threads
                                                 : hardwareThreads());
    model = prepareModel(choice, preparing);
    runs.emplace(model.executable, options.threads);
  }

  PreparedModel model;
  std::optional<ConcurrentRuns> runs;
};

/// What all runs share. It lives as long as one of them goes on.
struct Session::Engine {
  /// Runs share it, closing takes it alone.
  std::shared_mutex mutex;
  /// Null once it is closed.
  RunnableNetwork *network = nullptr;
  std::unique_ptr<ModelFile> file;
  std::unique_ptr<Loaded> loaded;
  /// Prepared when somebody asks for layers.
  std::mutex observing;
  std::unique_ptr<Loaded> observed;
};

Session::Session(SessionOptions given)
    : options(std::move(given)), engine(std::make_shared<Engine>()) {
  withoutLock([&] {
    if (options.bytes) {
      engine->file = std::make_unique<ModelFile>(*options.bytes);
      options.bytes.reset();
      options.path = engine->file->path();
    }
    auto load = [&] {
      compiled = isCompiledModel(options.path);
      engine->loaded = std::make_unique<Loaded>(options, /*observe=*/false);
    };
    engine->file ? engine->file->rename(load) : load();
    engine->network = &*engine->loaded->runs;
  });
  inputPorts = engine->network->inputs();
  outputPorts = engine->network->outputs();
}

Session::Session(RunnableNetwork &network)
    : inputPorts(network.inputs()), outputPorts(network.outputs()),
      engine(std::make_shared<Engine>()) {
  engine->network = &network;
}

Session::~Session() { close(); }

py::list Session::inputs() const { return describePorts(inputPorts); }
py::list Session::outputs() const { return describePorts(outputPorts); }

void Session::close() {
  if (!engine)
    return;
  std::shared_ptr<Engine> closing = std::move(engine);
  py::gil_scoped_release release;
  std::unique_lock lock(closing->mutex);
  closing->network = nullptr;
}

std::shared_ptr<Session::Engine> Session::openEngine() const {
  if (!engine)
    throw Error("the session is closed; make a new one to run the model again");
  return engine;
}

std::vector<Tensor> Session::readFeed(const py::object &feed,
                                      std::vector<py::object> &owners) const {
  if (!py::isinstance<py::dict>(feed))
    throw Error(fmt::format("the inputs of a run are a dictionary of arrays "
                            "by name, but this is {}; the names are {}",
                            typeOf(feed), namesOfPorts(inputPorts)));
  auto arrays = py::reinterpret_borrow<py::dict>(feed);
  std::vector<Tensor> tensors;
  tensors.reserve(inputPorts.size());
  for (const PortInfo &port : inputPorts) {
    PyObject *found = PyDict_GetItemString(arrays.ptr(), port.name.c_str());
    if (!found)
      throw Error(fmt::format("input '{}' is missing: it takes {} of the shape "
                              "{}",
                              port.name, numpyNameOf(port.dtype),
                              toString(port.shape)));
    tensors.push_back(tensorOf(found, port, owners));
  }
  if (arrays.size() == tensors.size())
    return tensors;
  for (auto [name, value] : arrays) {
    std::string text = nameOf(name);
    auto isInput = [&](const PortInfo &port) { return port.name == text; };
    if (std::ranges::none_of(inputPorts, isInput))
      throw Error(fmt::format("the model has no input '{}'; it has {}", text,
                              namesOfPorts(inputPorts)));
  }
  return tensors;
}

std::vector<size_t> Session::chosenOutputs(const py::object &names) const {
  std::vector<size_t> chosen;
  if (!names.is_none()) {
    if (py::isinstance<py::str>(names) || !py::isinstance<py::iterable>(names))
      throw Error(fmt::format("the outputs of a run are a list of names or "
                              "None for all, but this is {}",
                              typeOf(names)));
    for (py::handle name : names) {
      std::string text = nameOf(name);
      auto isOutput = [&](const PortInfo &port) { return port.name == text; };
      auto found = std::ranges::find_if(outputPorts, isOutput);
      if (found == outputPorts.end())
        throw Error(fmt::format("the model has no output '{}'; it has {}", text,
                                namesOfPorts(outputPorts)));
      chosen.push_back(size_t(found - outputPorts.begin()));
    }
  }
  if (chosen.empty())
    for (size_t i = 0; i < outputPorts.size(); ++i)
      chosen.push_back(i);
  return chosen;
}

py::list Session::run(const py::object &names, const py::object &feed) {
  std::shared_ptr<Engine> open = openEngine();
  std::vector<size_t> chosen = chosenOutputs(names);
  std::vector<py::object> owners;
  std::vector<Tensor> tensors = readFeed(feed, owners);
  std::vector<py::array> arrays;
  std::vector<void *> places;
  for (size_t output : chosen) {
    const PortInfo &port = outputPorts[output];
    arrays.push_back(emptyArray(port.dtype, port.shape));
    places.push_back(arrays.back().mutable_data());
  }
  std::vector<Shape> shapes;
  withoutLock([&] {
    std::shared_lock lock(open->mutex);
    if (!open->network)
      throw Error("the session was closed while a run was about to begin");
    open->network->run(tensors, [&](std::span<const Tensor> outputs) {
      for (size_t i = 0; i < chosen.size(); ++i) {
        const Tensor &output = outputs[chosen[i]];
        shapes.push_back(output.shape());
        if (output.byteSize() > 0)
          std::memcpy(places[i], output.rawData(), output.byteSize());
      }
    });
  });
  py::list results;
  for (size_t i = 0; i < chosen.size(); ++i) {
    const PortInfo &port = outputPorts[chosen[i]];
    // An extent that depends on data is known only now.
    results.append(shapes[i] == port.shape
                       ? arrays[i]
                       : arrayOf(Tensor(port.dtype, shapes[i], places[i])));
  }
  return results;
}

Session::Loaded &Session::observedModel(Engine &open) {
  std::lock_guard lock(open.observing);
  if (!open.loaded)
    throw Error("a network that is being tuned does not show its layers; make "
                "a session of a model");
  if (!open.observed) {
    auto load = [&] {
      open.observed = std::make_unique<Loaded>(options, /*observe=*/true);
    };
    open.file ? open.file->rename(load) : load();
  }
  return *open.observed;
}

py::list Session::layers(const py::object &names, const py::object &feed) {
  std::shared_ptr<Engine> open = openEngine();
  std::vector<std::string> wanted;
  if (!names.is_none())
    for (py::handle name : names)
      wanted.push_back(nameOf(name));
  LayerCollector collector(std::move(wanted));
  std::vector<py::object> owners;
  std::vector<Tensor> tensors = readFeed(feed, owners);
  withoutLock([&] {
    std::shared_lock lock(open->mutex);
    observedModel(*open).runs->run(
        tensors, [](std::span<const Tensor>) {}, &collector);
  });
  return collector.records();
}

void addSession(py::module_ &module) {
  py::class_<Session, std::shared_ptr<Session>>(module, "Session")
      .def(py::init([](std::optional<std::string> path,
                       std::optional<py::bytes> bytes, std::string mode,
                       std::string target, std::string inputShapes,
                       int threads) {
             SessionOptions options;
             options.path = path.value_or("");
             if (bytes)
               options.bytes = std::string_view(*bytes);
             options.mode = std::move(mode);
             options.target = std::move(target);
             options.inputShapes = std::move(inputShapes);
             options.threads = threads;
             return std::make_shared<Session>(std::move(options));
           }),
           py::arg("path"), py::arg("bytes"), py::arg("mode"),
           py::arg("target"), py::arg("input_shapes"), py::arg("threads"))
      .def("inputs", &Session::inputs)
      .def("outputs", &Session::outputs)
      .def_property_readonly("is_compiled", &Session::isCompiled)
      .def("run", &Session::run, py::arg("names"), py::arg("feed"))
      .def("layers", &Session::layers, py::arg("names"), py::arg("feed"))
      .def("close", &Session::close);
}

} // namespace parallax::python
