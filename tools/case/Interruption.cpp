//===- Interruption.cpp - Ctrl-C while a case is made ---------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Signals are a matter of the program; the library only asks its listener.
//===----------------------------------------------------------------------===//
#include "Interruption.h"

#include "parallax/Support/Listener.h"

#include <array>
#include <csignal>

namespace parallax {
namespace {

volatile std::sig_atomic_t isInterrupted = 0;

extern "C" void noteInterruption(int) { isInterrupted = 1; }

/// Hands everything on, and cancels after an interruption.
class InterruptionListener : public Listener {
public:
  bool wants(LogLevel level) const override { return next.wants(level); }
  void onMessage(LogLevel level, std::string_view text) override {
    next.onMessage(level, text);
  }
  void onResult(std::string_view text) override { next.onResult(text); }
  void onProgress(const ProgressEvent &event) override {
    next.onProgress(event);
  }
  TextStyle style() const override { return next.style(); }
  bool isCancelled() const override {
    return isInterrupted || next.isCancelled();
  }

private:
  Listener &next = currentListener();
};

class SignalScope {
public:
  SignalScope() {
    struct sigaction action = {};
    action.sa_handler = noteInterruption;
    for (size_t i = 0; i < numbers.size(); ++i)
      ::sigaction(numbers[i], &action, &before[i]);
  }
  SignalScope(const SignalScope &) = delete;
  SignalScope &operator=(const SignalScope &) = delete;
  ~SignalScope() {
    for (size_t i = 0; i < numbers.size(); ++i)
      ::sigaction(numbers[i], &before[i], nullptr);
  }

private:
  static constexpr std::array numbers = {SIGINT, SIGTERM};
  std::array<struct sigaction, numbers.size()> before;
};

} // namespace

int runInterruptible(const std::function<int()> &body) {
  InterruptionListener listener;
  ListenerScope listening(listener);
  SignalScope signals;
  try {
    return body();
  } catch (const Cancelled &) {
    if (!isInterrupted)
      throw;
    throw Error("interrupted");
  }
}

} // namespace parallax
