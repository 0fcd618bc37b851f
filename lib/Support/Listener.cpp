//===- Listener.cpp - What the library tells its caller -------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// One listener per thread, so that two builds in one process don't mix their
// messages. Parallel loops hand theirs on (Parallel.cpp, SampleRunner.cpp).
//===----------------------------------------------------------------------===//
#include "parallax/Support/Listener.h"

#include <utility>

namespace parallax {

static thread_local Listener *listenerOfThread = nullptr;

Listener::~Listener() = default;

Listener &currentListener() {
  static Listener silent;
  return listenerOfThread ? *listenerOfThread : silent;
}

void stopIfCancelled() {
  if (currentListener().isCancelled())
    throw Cancelled();
}

ListenerScope::ListenerScope(Listener &listener)
    : outer(std::exchange(listenerOfThread, &listener)) {}

ListenerScope::~ListenerScope() { listenerOfThread = outer; }

} // namespace parallax
