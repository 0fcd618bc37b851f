//===- PythonListener.h - Events of the library in Python ------*- C++ -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Messages and progress reach functions of Python, whose exceptions stop the
// work. So does Ctrl-C, which Python only notices when somebody asks.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_PYTHON_PYTHONLISTENER_H
#define PARALLAX_PYTHON_PYTHONLISTENER_H

#include "parallax/Support/Listener.h"

#include <atomic>
#include <chrono>
#include <mutex>
#include <pybind11/pybind11.h>
#include <thread>

namespace parallax::python {

namespace py = pybind11;

class PythonListener final : public Listener {
public:
  /// `events` has the methods message(level, text), result(text) and
  /// progress(title, done, total, has_ended, note), and the number of levels
  /// that are wanted, from errors on.
  explicit PythonListener(py::object events);

  bool wants(LogLevel level) const override { return int(level) < levels; }
  void onMessage(LogLevel level, std::string_view text) override;
  void onResult(std::string_view text) override;
  void onProgress(const ProgressEvent &event) override;
  bool isCancelled() const override;

  /// Keeps the exception that Python has now, and stops the work.
  void stopBecause(py::error_already_set &&error) const;

  /// Does some work without Python's lock. An exception of Python that has
  /// stopped it goes on to the caller.
  template <typename Fn> auto listenTo(Fn work) {
    try {
      auto result = [&] {
        py::gil_scoped_release release;
        return work(static_cast<Listener *>(this));
      }();
      // Ctrl-C may come too late to stop anything; it still has to arrive.
      raiseStored();
      return result;
    } catch (const Error &) {
      raiseStored();
      throw;
    }
  }

private:
  template <typename Fn> void tell(Fn call) const;
  void raiseStored();

  py::object events;
  int levels;
  std::thread::id caller = std::this_thread::get_id();
  mutable std::atomic<bool> isStopped = false;
  mutable std::unique_ptr<py::error_already_set> stored;
  mutable std::atomic<std::chrono::steady_clock::rep> lastLook = 0;
  std::atomic<std::chrono::steady_clock::rep> lastProgress = 0;
};

} // namespace parallax::python

#endif // PARALLAX_PYTHON_PYTHONLISTENER_H
