//===- ProcessGuardTest.cpp - A message instead of a signal ---------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Each fault in a process of its own, which has to end with code 2.
//===----------------------------------------------------------------------===//
#include "parallax/Support/ProcessGuard.h"
#include "TempDir.h"
#include "parallax/Support/AtomicFile.h"
#include "parallax/Support/Error.h"
#include "parallax/Support/MappedFile.h"
#include "parallax/Support/Parallel.h"

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <latch>
#include <new>
#include <sys/mman.h>
#include <sys/resource.h>
#include <thread>
#include <unistd.h>
#include <vector>

using namespace parallax;

namespace {

void limit(int resource, rlim_t value) {
  rlimit limits{value, value};
  ::setrlimit(decltype(RLIMIT_AS)(resource), &limits);
}

[[noreturn]] void findNoMemory() { throw std::bad_alloc(); }

/// Address space in use, and a little more: nothing of some size is left.
void takeAllMemory() {
  size_t pages = 0;
  if (std::FILE *file = std::fopen("/proc/self/statm", "r")) {
    if (std::fscanf(file, "%zu", &pages) != 1)
      pages = 0;
    std::fclose(file);
  }
  limit(RLIMIT_AS, (pages + 256) * size_t(::sysconf(_SC_PAGESIZE)));
}

void touchNothing() {
  // As a library does with what malloc gave it.
  volatile char *nothing = nullptr;
  *nothing = 1;
}

TEST(ProcessGuardDeathTest, NamesAMappedFileThatBecameShorter) {
  TempDir dir;
  dir.write("weights.bin", std::string(1 << 20, 'x'));
  EXPECT_EXIT(
      {
        ProcessGuard guard;
        auto file = MappedFile::open(dir / "weights.bin");
        std::filesystem::resize_file(dir / "weights.bin", 100);
        volatile std::byte last = file->bytes().back();
        (void)last;
      },
      testing::ExitedWithCode(2), "error: '.*weights.bin' became shorter");
}

TEST(ProcessGuardDeathTest, OtherFaultsStaySignals) {
  EXPECT_EXIT(
      {
        ProcessGuard guard;
        touchNothing();
      },
      testing::KilledBySignal(SIGSEGV), "");
  EXPECT_EXIT(
      {
        ProcessGuard guard;
        ::raise(SIGBUS);
      },
      testing::KilledBySignal(SIGBUS), "");
  EXPECT_EXIT(
      {
        ProcessGuard guard;
        std::abort();
      },
      testing::KilledBySignal(SIGABRT), "");
}

TEST(ProcessGuardDeathTest, SaysThatMemoryIsShort) {
  constexpr const char *text = "error: there is not enough memory for this";
  EXPECT_EXIT(
      {
        ProcessGuard guard;
        takeAllMemory();
        touchNothing();
      },
      testing::ExitedWithCode(2), text);
  EXPECT_EXIT(
      {
        ProcessGuard guard;
        takeAllMemory();
        std::abort();
      },
      testing::ExitedWithCode(2), text);
  EXPECT_EXIT(
      {
        ProcessGuard guard;
        []() noexcept { findNoMemory(); }();
      },
      testing::ExitedWithCode(2), text);
}

TEST(ProcessGuardDeathTest, LibrariesDoNotChooseTheExitCode) {
  EXPECT_EXIT(
      {
        ProcessGuard guard;
        std::exit(1);
      },
      testing::ExitedWithCode(2), "error: a library has ended the program");
  EXPECT_EXIT(
      {
        { ProcessGuard guard; }
        std::exit(1);
      },
      testing::ExitedWithCode(1), "");
}

TEST(ProcessGuardDeathTest, ThreadsThatLeaveTogetherSpeakOnce) {
  for (int round = 0; round < 20; ++round)
    EXPECT_EXIT(
        {
          ProcessGuard guard;
          std::vector<std::thread> threads;
          std::latch all(8);
          for (int i = 0; i < 8; ++i)
            threads.emplace_back([&] {
              all.arrive_and_wait();
              std::exit(1);
            });
          for (std::thread &thread : threads)
            thread.join();
        },
        testing::ExitedWithCode(2), "^.error: a library has .*memory.$");
}

TEST(ProcessGuardDeathTest, AFileThatIsTooLargeIsAnError) {
  TempDir dir;
  EXPECT_EXIT(
      {
        ProcessGuard guard;
        limit(RLIMIT_FSIZE, 100000); // Enough for messages.
        try {
          writeFileAtomically(dir / "large.txt", std::string(200000, 'x'));
        } catch (const Error &error) {
          std::fputs(error.what(), stderr);
          ::_exit(2);
        }
      },
      testing::ExitedWithCode(2), "cannot write '.*large.txt': File too large");
}

TEST(ProcessGuardDeathTest, ThreadsThatCanNotStartAreAnError) {
  EXPECT_EXIT(
      {
        setThreadCount(8);
        takeAllMemory();
        try {
          startThreads();
        } catch (const Error &error) {
          std::fputs(error.what(), stderr);
          ::_exit(2);
        }
      },
      testing::ExitedWithCode(2), "cannot start 8 threads");
}

} // namespace
