//===- Listener.h - What the library tells its caller ----------*- C++ -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// The library prints nothing. Messages, tables and progress go to the listener
// of the calling thread, which may also ask for the work to stop. A terminal
// is one listener, a log file another, a notebook a third.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_SUPPORT_LISTENER_H
#define PARALLAX_SUPPORT_LISTENER_H

#include "parallax/Support/Error.h"

#include <cstdint>
#include <string_view>

namespace parallax {

enum class LogLevel { Error, Warning, Info, Debug };

/// How text for people is laid out.
struct TextStyle {
  bool color = false;
  /// The columns of the terminal; 0 sets no limit.
  int width = 0;
};

/// How far a long piece of work has come.
struct ProgressEvent {
  std::string_view title;
  int64_t done = 0, total = 0;
  /// The last event of this work. It was stopped if `done` is below `total`.
  bool hasEnded = false;
  /// What is known of the result so far; often nothing.
  std::string_view note = {};
};

/// Thrown out of work that its listener has cancelled.
class Cancelled : public Error {
public:
  Cancelled() : Error("the work was cancelled") {}
};

/// Events come from any thread, also from several at once.
class Listener {
public:
  virtual ~Listener();
  /// Whether messages of a level are worth writing.
  virtual bool wants(LogLevel) const { return true; }
  virtual void onMessage(LogLevel, std::string_view /*text*/) {}
  /// A table or paragraph of the results, laid out in style().
  virtual void onResult(std::string_view /*text*/) {}
  virtual void onProgress(const ProgressEvent &) {}
  virtual TextStyle style() const { return {}; }
  /// Looked at between two steps of long work.
  virtual bool isCancelled() const { return false; }
};

/// Hears nothing, but is cancelled when another listener is.
class QuietListener final : public Listener {
public:
  explicit QuietListener(Listener &outer) : outer(outer) {}
  bool wants(LogLevel) const override { return false; }
  bool isCancelled() const override { return outer.isCancelled(); }

private:
  Listener &outer;
};

/// The listener of this thread; one that ignores everything if there is none.
Listener &currentListener();

/// Throws Cancelled if the listener of this thread asks for it.
void stopIfCancelled();

/// Makes a listener that of this thread, and of those that its parallel loops
/// use, for as long as the scope exists.
class ListenerScope {
public:
  explicit ListenerScope(Listener &listener);
  ~ListenerScope();
  ListenerScope(const ListenerScope &) = delete;
  ListenerScope &operator=(const ListenerScope &) = delete;

private:
  Listener *outer;
};

} // namespace parallax

#endif // PARALLAX_SUPPORT_LISTENER_H
