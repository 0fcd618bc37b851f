//===- LogFile.h - What was shown, kept in a file --------------*- C++ -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// A build writes build.log: every message and table, to be read later.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_SUPPORT_LOGFILE_H
#define PARALLAX_SUPPORT_LOGFILE_H

#include "parallax/Support/Listener.h"

#include <cstdio>
#include <filesystem>
#include <mutex>
#include <string>

namespace parallax {

/// Hands everything on to another listener, and writes messages and results to
/// a file, without colors. What comes before the file is open is written first.
class LogFile : public Listener {
public:
  explicit LogFile(Listener &next) : next(next) {}
  ~LogFile() override;

  /// Throws Error.
  void open(const std::filesystem::path &path);
  /// What comes now is only handed on.
  void close();

  bool wants(LogLevel level) const override { return next.wants(level); }
  void onMessage(LogLevel level, std::string_view text) override;
  void onResult(std::string_view text) override;
  void onProgress(const ProgressEvent &event) override {
    next.onProgress(event);
  }
  TextStyle style() const override { return next.style(); }
  bool isCancelled() const override { return next.isCancelled(); }

private:
  void write(std::string_view text);

  Listener &next;
  std::mutex mutex;
  std::FILE *file = nullptr;
  /// What came before there was a file; the beginning of it is enough.
  std::string backlog;
  bool isClosed = false;
};

} // namespace parallax

#endif // PARALLAX_SUPPORT_LOGFILE_H
