//===- Interruption.cpp - Ctrl-C while a case is made ---------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Signals are a matter of the program; the library only asks its listener.
//===----------------------------------------------------------------------===//
#include "Interruption.h"

#include "parallax/Support/Listener.h"
#include "parallax/Support/Log.h"

#include <array>
#include <csignal>

namespace parallax {
namespace {

/// The signal; 0 if there was none.
volatile std::sig_atomic_t interruption = 0;

extern "C" void noteInterruption(int signal) { interruption = signal; }

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
    return interruption || next.isCancelled();
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
  try {
    InterruptionListener listener;
    ListenerScope listening(listener);
    SignalScope signals;
    return body();
  } catch (const Cancelled &) {
    if (!interruption)
      throw;
  }
  // All is tidy now. The end is that of every other program, so that a shell
  // sees 130 after Ctrl-C, and stops its loop.
  log(LogLevel::Error, "interrupted");
  std::signal(interruption, SIG_DFL); // it may have been ignored before
  std::raise(interruption);
  throw Error("interrupted");
}

} // namespace parallax
