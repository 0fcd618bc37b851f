//===- ChildProcess.cpp - Programs that may fail --------------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Linux only: a child that outlives its parent is ended by the kernel.
//===----------------------------------------------------------------------===//
#include "parallax/Support/ChildProcess.h"
#include "Launcher.h"
#include "parallax/Support/AtomicFile.h"
#include "parallax/Support/Clock.h"
#include "parallax/Support/Error.h"
#include "parallax/Support/Listener.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <fstream>
#include <poll.h>
#include <string_view>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

namespace fs = std::filesystem;

namespace parallax {
namespace {

/// Enough for every message, not for a program that prints without end.
constexpr std::streamoff mostText = 1 << 20;

std::string endOf(const fs::path &path) {
  std::ifstream file(path, std::ios::binary | std::ios::ate);
  std::streamoff size = file.tellg();
  if (size <= 0)
    return "";
  std::streamoff start = std::max<std::streamoff>(0, size - mostText);
  std::string text(size_t(size - start), '\0');
  file.seekg(start);
  file.read(text.data(), std::streamsize(text.size()));
  return text;
}

/// What a launcher has said to this process. A child that heard it too would
/// take itself for a rank of the job, and wait for the others, or end them.
/// What a user may have set for his own jobs stays.
bool isOfLauncher(std::string_view variable) {
  constexpr std::string_view begins[] = {"OMPI_", "PMIX_", "PMI_", "PMI2_",
                                         "SLURM_STEP_"};
  constexpr std::string_view ofUser = "OMPI_ALLOW_RUN_AS_ROOT";
  constexpr std::string_view ofTask[] = {
      "SLURM_PROCID=", "SLURM_LOCALID=", "SLURM_NODEID=", "SLURM_GTIDS=",
      "SLURM_TASK_PID="};
  auto isBegin = [&](std::string_view begin) {
    return variable.starts_with(begin);
  };
  return !isBegin(ofUser) && (std::ranges::any_of(begins, isBegin) ||
                              std::ranges::any_of(ofTask, isBegin));
}

/// The environment of a child. Without a launcher, all of it is the user's.
std::vector<char *> variablesOfChild() {
  bool isLaunched = launcher::saysAny(launcher::counts) ||
                    launcher::saysAny(launcher::introductions);
  std::vector<char *> variables;
  for (char **variable = environ; *variable; ++variable)
    if (!isLaunched || !isOfLauncher(*variable))
      variables.push_back(*variable);
  variables.push_back(nullptr);
  return variables;
}

/// Between fork and exec: only what is safe there.
[[noreturn]] void become(char *const *words, char *const *variables,
                         const char *folder, int output, pid_t parent) {
  // A group of its own, so that a shell dies with all that it has started.
  ::setpgid(0, 0);
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent)
    ::_exit(127);
  int input = ::open("/dev/null", O_RDONLY);
  if (::chdir(folder) == 0 && ::dup2(input, 0) >= 0 && ::dup2(output, 1) >= 0 &&
      ::dup2(output, 2) >= 0)
    ::execve(words[0], words, variables);
  ::_exit(127);
}

/// How often the listener is asked whether to go on.
constexpr int askMilliseconds = 200;

/// Whether the process ended in time; it is a zombie then. False as well if the
/// listener cancels the work.
bool waitFor(pid_t process, int64_t maxSeconds) {
  int descriptor = int(::syscall(SYS_pidfd_open, process, 0));
  if (descriptor < 0)
    return true; // An old kernel: whoever asks for the result has to wait.
  pollfd event{descriptor, POLLIN, 0};
  auto begin = std::chrono::steady_clock::now();
  int ready = 0;
  do {
    ready = ::poll(&event, 1, askMilliseconds);
    if (ready < 0 && errno == EINTR)
      ready = 0;
  } while (ready == 0 && secondsSince(begin) < double(maxSeconds) &&
           !currentListener().isCancelled());
  ::close(descriptor);
  return ready > 0;
}

} // namespace

ChildResult runChild(const std::vector<std::string> &command,
                     const fs::path &folder, const fs::path &log,
                     int64_t maxSeconds) {
  auto fail = [&] {
    throw Error(fmt::format("cannot run '{}' in '{}': {}", command[0],
                            folder.string(), std::strerror(errno)));
  };
  stopIfCancelled();
  createParentDirectories(log);
  int output =
      ::open(log.c_str(), O_CREAT | O_TRUNC | O_WRONLY | O_CLOEXEC, 0666);
  if (output < 0)
    fail();
  std::vector<char *> words;
  for (const std::string &word : command)
    words.push_back(const_cast<char *>(word.c_str()));
  words.push_back(nullptr);
  std::vector<char *> variables = variablesOfChild();
  pid_t parent = ::getpid();
  pid_t process = ::fork();
  if (process == 0)
    become(words.data(), variables.data(), folder.c_str(), output, parent);
  ::close(output);
  if (process < 0)
    fail();
  ::setpgid(process, process); // Whoever of the two comes first.
  ChildResult result;
  if (!waitFor(process, maxSeconds)) {
    result.isTimeout = true;
    ::kill(-process, SIGKILL);
  }
  int status = 0;
  while (::waitpid(process, &status, 0) < 0)
    if (errno != EINTR)
      fail();
  stopIfCancelled();
  if (WIFSIGNALED(status))
    result.signal = result.isTimeout ? 0 : WTERMSIG(status);
  else
    result.exitCode = WEXITSTATUS(status);
  result.text = endOf(log);
  return result;
}

} // namespace parallax
