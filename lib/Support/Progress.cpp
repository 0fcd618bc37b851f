//===- Progress.cpp - How far long work has come --------------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// One event per step: a listener that draws decides how often.
//===----------------------------------------------------------------------===//
#include "parallax/Support/Progress.h"
#include "parallax/Support/Unicode.h"

#include <algorithm>

namespace parallax {

Progress::Progress(std::string name, int64_t steps)
    : listener(currentListener()), title(printable(name)),
      total(std::max<int64_t>(steps, 0)) {
  listener.onProgress({title, 0, total});
}

Progress::~Progress() { tell(/*hasEnded=*/true); }

void Progress::advance(int64_t steps) {
  completed += steps;
  tell(/*hasEnded=*/false);
  if (listener.isCancelled())
    throw Cancelled();
}

void Progress::setNote(std::string text) {
  std::lock_guard lock(noteMutex);
  note = std::move(text);
}

void Progress::tell(bool hasEnded) {
  std::string shown;
  {
    std::lock_guard lock(noteMutex);
    shown = note;
  }
  listener.onProgress({title, completed, total, hasEnded, shown});
}

} // namespace parallax
