//===- ProcessGuard.cpp - A message instead of a signal -------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// A fault may come on any thread and inside of any library, so nothing can be
// thrown from here: handlers write and leave. Results appear by renaming and
// the manifest of a build comes last, so whatever was being written does not
// count.
//===----------------------------------------------------------------------===//
#include "parallax/Support/ProcessGuard.h"
#include "parallax/Support/MappedFile.h"

#include <atomic>
#include <csignal>
#include <cstddef>
#include <cstdlib>
#include <exception>
#include <initializer_list>
#include <new>
#include <string_view>
#include <sys/mman.h>
#include <unistd.h>

namespace parallax {
namespace {

/// Threads that may call exit() at the same time.
constexpr int mostLeaving = 256;

bool isGuarded = false;
std::terminate_handler previousTerminate = nullptr;
struct sigaction previousBus, previousSegment;

[[noreturn]] void
endWith(std::initializer_list<std::string_view> parts) noexcept {
  // Where memory ends, it does so for all threads; one message is enough.
  static std::atomic_flag isEnding;
  while (isEnding.test_and_set())
    ::pause();
  for (std::string_view part : parts)
    if (::write(STDERR_FILENO, part.data(), part.size()) < 0)
      break;
  ::_exit(2);
}

/// Lets a signal do what it would have done.
void passOn(int number, const siginfo_t *info,
            const struct sigaction &previous) {
  ::sigaction(number, &previous, nullptr);
  // A fault comes again by itself, what another process sent does not.
  if (info->si_code <= 0)
    ::raise(number);
}

void onBusError(int number, siginfo_t *info, void *) {
  if (const char *path = mappedPathAt(info->si_addr))
    endWith({"\nerror: '", path,
             "' became shorter while it was read; try again when nothing "
             "writes to it\n"});
  passOn(number, info, previousBus);
}

/// Whether even this little is refused, as under `ulimit -v`.
bool isMemoryShort() {
  constexpr size_t little = 64 << 20;
  void *address = ::mmap(nullptr, little, PROT_READ | PROT_WRITE,
                         MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (address == MAP_FAILED)
    return true;
  ::munmap(address, little);
  return false;
}

/// Libraries, oneDNN's compiler among them, write to what malloc gave them
/// without a look.
void onSegmentationFault(int number, siginfo_t *info, void *) {
  if (info->si_code > 0 && isMemoryShort())
    endForLackOfMemory();
  passOn(number, info, previousSegment);
}

/// LLVM aborts where it gets no memory. Otherwise abort() goes on after this.
void onAbort(int) {
  if (isMemoryShort())
    endForLackOfMemory();
}

[[noreturn]] void onTerminate() {
  try {
    if (std::exception_ptr error = std::current_exception())
      std::rethrow_exception(error);
  } catch (const std::bad_alloc &) {
    endForLackOfMemory();
  } catch (...) { // Whatever it is, the previous handler describes it.
  }
  if (previousTerminate)
    previousTerminate();
  std::abort();
}

/// OpenMP exits with code 1, which means something else here.
void onExit() {
  if (isGuarded)
    endWith({"\nerror: a library has ended the program, most likely because "
             "there is not enough memory for a thread; use fewer with "
             "--threads, or allow more memory\n"});
}

void handle(int number, void (*handler)(int, siginfo_t *, void *),
            struct sigaction &previous) {
  struct sigaction action {};
  action.sa_sigaction = handler;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK;
  ::sigaction(number, &action, &previous);
}

} // namespace

ProcessGuard::ProcessGuard() {
  // Writing fails with an error instead, which names the file.
  ::signal(SIGXFSZ, SIG_IGN);
  // A stack that can't grow leaves no room for a handler.
  alignas(16) static std::byte handlerStack[64 << 10];
  stack_t stack{};
  stack.ss_sp = handlerStack;
  stack.ss_size = sizeof(handlerStack);
  ::sigaltstack(&stack, nullptr);
  handle(SIGBUS, onBusError, previousBus);
  handle(SIGSEGV, onSegmentationFault, previousSegment);
  ::signal(SIGABRT, onAbort);
  previousTerminate = std::set_terminate(onTerminate);
  // Several threads may leave at once, and each takes a handler of its own;
  // one that found none would choose the code.
  static const bool isRegistered = [] {
    for (int thread = 0; thread < mostLeaving; ++thread)
      if (std::atexit(onExit) != 0)
        return false;
    return true;
  }();
  isGuarded = isRegistered;
}

ProcessGuard::~ProcessGuard() { isGuarded = false; }

void endForLackOfMemory() noexcept {
  endWith({"\nerror: there is not enough memory for this\n"});
}

} // namespace parallax
