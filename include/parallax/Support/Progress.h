//===- Progress.h - How far long work has come -----------------*- C++ -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Counts the steps of long work and tells the listener of the thread that has
// started it.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_SUPPORT_PROGRESS_H
#define PARALLAX_SUPPORT_PROGRESS_H

#include "parallax/Support/Listener.h"

#include <atomic>
#include <mutex>
#include <string>

namespace parallax {

class Progress {
public:
  /// `total` steps of work begin now.
  Progress(std::string title, int64_t total);
  Progress(const Progress &) = delete;
  Progress &operator=(const Progress &) = delete;
  /// The work has ended.
  ~Progress();

  /// Any thread may call this. Throws Cancelled if the listener asks for it.
  void advance(int64_t steps = 1);

  /// What is known of the result so far, to be shown beside the progress. Any
  /// thread may call this.
  void setNote(std::string text);

private:
  void tell(bool hasEnded);

  Listener &listener;
  const std::string title;
  const int64_t total;
  std::atomic<int64_t> completed = 0;
  std::mutex noteMutex;
  std::string note;
};

} // namespace parallax

#endif // PARALLAX_SUPPORT_PROGRESS_H
