//===- PythonListener.cpp - Events of the library in Python ---------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Python's lock is taken for an event only, and seldom: all threads of a sweep
// report progress, which nobody can read more than a few times a second.
//===----------------------------------------------------------------------===//
#include "PythonListener.h"

namespace parallax::python {
namespace {

using SteadyClock = std::chrono::steady_clock;

/// True at most once in an interval, whichever thread asks.
bool isDue(std::atomic<SteadyClock::rep> &last,
           SteadyClock::duration interval) {
  SteadyClock::rep now = SteadyClock::now().time_since_epoch().count();
  SteadyClock::rep before = last.load();
  return now - before >= interval.count() &&
         last.compare_exchange_strong(before, now);
}

} // namespace

PythonListener::PythonListener(py::object given)
    : events(std::move(given)), levels(events.attr("levels").cast<int>()) {}

template <typename Fn> void PythonListener::tell(Fn call) const {
  if (isStopped)
    return;
  py::gil_scoped_acquire acquire;
  try {
    call();
  } catch (py::error_already_set &error) {
    stopBecause(std::move(error));
  }
}

void PythonListener::stopBecause(py::error_already_set &&error) const {
  if (!stored)
    stored = std::make_unique<py::error_already_set>(std::move(error));
  isStopped = true;
}

void PythonListener::onMessage(LogLevel level, std::string_view text) {
  tell([&] {
    events.attr("message")(int(level), py::str(text.data(), text.size()));
  });
}

void PythonListener::onResult(std::string_view text) {
  tell([&] { events.attr("result")(py::str(text.data(), text.size())); });
}

void PythonListener::onProgress(const ProgressEvent &event) {
  constexpr auto interval = std::chrono::milliseconds(50);
  bool isEdge = event.hasEnded || event.done == 0;
  if (!isEdge && !isDue(lastProgress, interval))
    return;
  tell([&] {
    events.attr("progress")(py::str(event.title.data(), event.title.size()),
                            event.done, event.total, event.hasEnded,
                            py::str(event.note.data(), event.note.size()));
  });
}

bool PythonListener::isCancelled() const {
  // Python handles signals in its first thread only, which waits for us if it
  // is the caller.
  constexpr auto interval = std::chrono::milliseconds(50);
  if (!isStopped && std::this_thread::get_id() == caller &&
      isDue(lastLook, interval))
    tell([] {
      if (PyErr_CheckSignals() != 0)
        throw py::error_already_set();
    });
  return isStopped;
}

void PythonListener::raiseStored() {
  if (!stored)
    return;
  py::error_already_set error = std::move(*stored);
  stored.reset();
  throw error;
}

} // namespace parallax::python
