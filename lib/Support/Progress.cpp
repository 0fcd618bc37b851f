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

Progress::~Progress() {
  listener.onProgress({title, completed, total, /*hasEnded=*/true});
}

void Progress::advance(int64_t steps) {
  int64_t done = completed += steps;
  listener.onProgress({title, done, total});
  if (listener.isCancelled())
    throw Cancelled();
}

} // namespace parallax
