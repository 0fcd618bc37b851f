//===- ChildProcessTest.cpp - Processes that may fail ---------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// However a process ends, it is told, and none is left behind.
//===----------------------------------------------------------------------===//
#include "parallax/Support/ChildProcess.h"
#include "TempDir.h"
#include "parallax/Support/Listener.h"

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <thread>
#include <utility>

namespace parallax {
namespace {

struct ShellTest : testing::Test {
  TempDir temp;

  ChildResult shell(const std::string &command, int64_t maxSeconds = 60) {
    return runChild({"/bin/sh", "-c", command}, temp.path(), temp / "log.txt",
                    maxSeconds);
  }
};

TEST_F(ShellTest, TellsHowItEnded) {
  ChildResult result = shell("pwd; echo problem >&2; exit 2");
  EXPECT_EQ(result.exitCode, 2);
  EXPECT_TRUE(result.isFailure());
  EXPECT_FALSE(result.isCrash());
  EXPECT_EQ(result.text, temp.path().string() + "\nproblem\n");
  EXPECT_FALSE(shell("true").isFailure());
}

TEST_F(ShellTest, ACrashIsASignal) {
  ChildResult result = shell("kill -SEGV $$");
  EXPECT_EQ(result.signal, SIGSEGV);
  EXPECT_TRUE(result.isCrash());
}

TEST_F(ShellTest, StopsWhatTakesTooLong) {
  ChildResult result = shell("sleep 100", /*maxSeconds=*/0);
  EXPECT_TRUE(result.isTimeout);
  EXPECT_EQ(result.signal, 0);
}

TEST_F(ShellTest, IsNoRankOfTheJobOfItsParent) {
  std::pair<const char *, bool> variables[] = {
      {"OMPI_COMM_WORLD_SIZE", false},
      {"OMPI_MCA_orte_jobid", false},
      {"PMIX_RANK", false},
      {"PMI_SIZE", false},
      {"PMI2_RANK", false},
      {"SLURM_STEP_NUM_TASKS", false},
      {"SLURM_PROCID", false},
      {"SLURM_JOB_ID", true},
      {"OMPI_ALLOW_RUN_AS_ROOT", true},
      {"PARALLAX_PMI_SIZE", true},
  };
  for (auto [name, stays] : variables)
    ASSERT_EQ(::setenv(name, "77", 1), 0);
  std::string text = "\n" + shell("env").text;
  for (auto [name, stays] : variables) {
    EXPECT_EQ(text.find(std::string("\n") + name + "=77\n") !=
                  std::string::npos,
              stays)
        << name;
    ::unsetenv(name);
  }
  EXPECT_NE(text.find("\nPATH="), std::string::npos);
  // Of a user who has a job of his own to start.
  ASSERT_EQ(::setenv("OMPI_MCA_btl", "tcp", 1), 0);
  EXPECT_NE(shell("env").text.find("OMPI_MCA_btl=tcp"), std::string::npos);
  ::unsetenv("OMPI_MCA_btl");
}

struct Canceller : Listener {
  std::filesystem::path file;
  bool isCancelled() const override { return std::filesystem::exists(file); }
};

TEST_F(ShellTest, AListenerStopsItWithAllThatItHasStarted) {
  Canceller listener;
  listener.file = temp / "started";
  ListenerScope scope(listener);
  EXPECT_THROW(shell("sleep 100 & echo $! > process; touch started; wait"),
               Cancelled);
  int process = std::stoi(contentsOf(temp / "process"));
  // It was killed, which takes a moment, and may be a zombie until somebody has
  // asked for it.
  auto isGone = [&] {
    std::string state =
        contentsOf("/proc/" + std::to_string(process) + "/stat");
    return state.empty() || state.find(") Z ") != std::string::npos;
  };
  for (int i = 0; i < 100 && !isGone(); ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  EXPECT_TRUE(isGone());
  EXPECT_THROW(shell("true"), Cancelled);
}

} // namespace
} // namespace parallax
