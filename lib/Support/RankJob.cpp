//===- RankJob.cpp - Joining the job of a launcher ------------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Every exchange begins with a header of fixed size from each rank, in which
// failures travel, too: a rank that waits for results learns of them where it
// stands. A rank that has failed does not wait for those that still compute; it
// says why and ends them.
//===----------------------------------------------------------------------===//
#include "parallax/Support/RankJob.h"
#include "Launcher.h"
#include "Mpi/Mpi.h"
#include "parallax/Support/Bytes.h"
#include "parallax/Support/Digest.h"
#include "parallax/Support/HostName.h"
#include "parallax/Support/Listener.h"
#include "parallax/Support/Parallel.h"
#include "parallax/Support/Plugin.h"
#include "parallax/Support/Ranks.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <dlfcn.h>
#include <fmt/format.h>
#include <new>
#include <optional>
#include <sched.h>
#include <thread>
#include <unistd.h>

namespace parallax {
namespace {

/// How long a rank that has failed waits for the others to hear of it.
constexpr double secondsToHear = 2;

/// Open MPI ends a job as soon as a process of it has failed, and drops what is
/// then still on the way from its output. This is time to read it.
constexpr std::chrono::milliseconds timeToRead{300};

/// How many processes the launcher says that it has started; 1 without one.
int launchedCount() {
  for (const char *name : launcher::counts)
    if (const char *text = std::getenv(name))
      return std::max(1, std::atoi(text));
  return 1;
}

/// Open MPI would end with a page about how it was compiled, or take each
/// process for a job of its own.
void requireIntroduction() {
  if (!launcher::saysAny(launcher::introductions))
    throw Error(fmt::format(
        "a launcher has started {} processes that don't know of each other; "
        "start them with Open MPI's mpirun, or with srun --mpi=pmix",
        launchedCount()));
}

/// The functions of Mpi/.
class Mpi {
public:
  Mpi() {
    std::string path = pluginPath("libparallax-mpi.so").string();
    // Open MPI loads parts of itself, which look for its functions.
    library = dlopen(path.c_str(), RTLD_NOW | RTLD_GLOBAL);
    if (!library)
      throw Error(fmt::format(
          "a launcher has started {} processes, but MPI can't be loaded: {}; "
          "install Open MPI (openmpi-bin, and libopenmpi-dev before building), "
          "or start the command without a launcher",
          launchedCount(), dlerror()));
    load(start, "parallaxMpiStart");
    load(gather, "parallaxMpiGather");
    load(spread, "parallaxMpiSpread");
    load(end, "parallaxMpiEnd");
    load(abort, "parallaxMpiAbort");
  }

  decltype(&parallaxMpiStart) start;
  decltype(&parallaxMpiGather) gather;
  decltype(&parallaxMpiSpread) spread;
  decltype(&parallaxMpiEnd) end;
  decltype(&parallaxMpiAbort) abort;

private:
  template <typename Fn> void load(Fn &function, const char *name) {
    function = reinterpret_cast<Fn>(dlsym(library, name));
    if (!function)
      throw Error(fmt::format("cannot load MPI: {}; build or install all of "
                              "Parallax",
                              dlerror()));
  }

  void *library;
};

struct RankNote {
  uint64_t size = 0;
  bool hasFailed = false;
  /// Where the rank is, or why it has failed.
  char text[1000] = {};

  void setText(std::string_view from) {
    size_t length = std::min(from.size(), sizeof(text) - 1);
    std::copy_n(from.data(), length, text);
    text[length] = 0;
  }
};

void waitForReaders() {
  std::fflush(nullptr);
  std::this_thread::sleep_for(timeToRead);
}

/// What a rank tells the others about itself.
struct Hello {
  std::string host, tool, cores;
  int threads = 0;

  template <typename Archive> void transfer(Archive &archive) {
    archive(host, tool, cores, threads);
  }
};

/// The cores that this process may use, as they are to be compared.
std::string ownCores() {
  cpu_set_t set;
  return ::sched_getaffinity(0, sizeof(set), &set) == 0
             ? std::string(reinterpret_cast<const char *>(&set), sizeof(set))
             : "";
}

class RankJob final : public Ranks {
public:
  explicit RankJob(const RankProcess &process)
      : process(process), outer(currentListener()) {
    mpi.start(&own, &size);
    if (size != launchedCount())
      throw Error(fmt::format(
          "the launcher has started {} processes, but Open MPI knows of {} of "
          "them; start them with its mpirun, or with srun --mpi=pmix",
          launchedCount(), size));
    hosts.resize(size_t(size), "an unknown host");
  }

  /// Compares the tools, and shares out the cores.
  void greet() {
    ByteWriter hello;
    hello(Hello{hostName(),
                fmt::format("{}, program {}", process.version,
                            sha256OfFile("/proc/self/exe").substr(0, 12)),
                ownCores(), process.threads});
    std::vector<Hello> all;
    exchange("starting", hello.bytes(), [&](int, std::string_view bytes) {
      ByteReader{bytes}(all.emplace_back());
    });
    for (size_t rank = 0; rank < all.size(); ++rank)
      hosts[rank] = all[rank].host;
    for (size_t rank = 1; rank < all.size(); ++rank)
      if (all[rank].tool != all[0].tool)
        throw RankFailure(fmt::format(
            "the ranks of a job need the same version of the tool: {} has {}, "
            "and {} has {}",
            nameOf(0), all[0].tool, nameOf(int(rank)), all[rank].tool));
    for (size_t rank = 0; rank < all.size(); ++rank) {
      int wanted = threadsOf(all[rank], all);
      threads = std::max(threads, wanted);
      if (int(rank) == own)
        ownThreads = wanted;
    }
  }

  int threadsToUse() const { return ownThreads; }

  void exchange(std::string_view step, std::string_view bytes,
                const Take &take) override {
    RankNote header;
    header.size = bytes.size();
    header.setText(step);
    std::vector<RankNote> all = gather(header, -1).value();
    requireTogether(all);
    std::string received;
    for (int rank = 0; rank < size; ++rank) {
      bool isOwn = rank == own;
      received = isOwn ? std::string(bytes)
                       : std::string(size_t(all[size_t(rank)].size), 0);
      mpi.spread(received.data(), received.size(), rank);
      take(rank, received);
    }
  }

  void requireSame(std::string_view what, std::string_view text) override {
    std::string first;
    std::vector<int> others;
    exchange(fmt::format("comparing: {}", what), text,
             [&](int rank, std::string_view bytes) {
               if (rank == 0)
                 first = bytes;
               else if (bytes != first)
                 others.push_back(rank);
             });
    if (!others.empty())
      throw RankFailure(
          fmt::format("{} has another {} than {}; all ranks need the same",
                      nameOf(others.front()), what, nameOf(0)));
  }

  /// Tells the others of a failure. Returns what the first rank is to say, if
  /// all have heard of it; else the others are at work, and end with this.
  std::string fail(const std::string &reason) {
    RankNote header;
    header.hasFailed = true;
    header.setText(reason);
    if (std::optional<std::vector<RankNote>> all =
            gather(header, secondsToHear))
      return describe(*all);
    {
      ListenerScope loud(outer);
      process.report(fmt::format("{}: {}", nameOf(own), reason));
    }
    waitForReaders();
    mpi.abort(2);
    ::_exit(2);
  }

  void end() const { mpi.end(); }

private:
  /// Ranks that a launcher has bound to cores of their own share them with
  /// nobody; others share what they may use.
  static int threadsOf(const Hello &rank, const std::vector<Hello> &all) {
    if (rank.threads > 0)
      return rank.threads;
    auto sharing = std::ranges::count_if(all, [&](const Hello &other) {
      return other.host == rank.host && other.cores == rank.cores;
    });
    return std::max(1, coresOf(rank) / int(sharing));
  }

  static int coresOf(const Hello &hello) {
    cpu_set_t set;
    if (hello.cores.size() != sizeof(set))
      return 1;
    std::copy_n(hello.cores.data(), sizeof(set),
                reinterpret_cast<char *>(&set));
    return CPU_COUNT(&set);
  }

  std::optional<std::vector<RankNote>> gather(const RankNote &header,
                                              double seconds) const {
    std::vector<RankNote> all{size_t(size)};
    if (!mpi.gather(&header, sizeof(RankNote), all.data(), seconds))
      return std::nullopt;
    return all;
  }

  std::string nameOf(int rank) const {
    return fmt::format("rank {} on {}", rank, hosts[size_t(rank)]);
  }

  void requireTogether(const std::vector<RankNote> &all) const {
    if (std::ranges::any_of(all, &RankNote::hasFailed))
      throw RankFailure(describe(all));
    for (int rank = 1; rank < size; ++rank)
      if (std::string_view(all[size_t(rank)].text) != all[0].text)
        throw RankFailure(fmt::format(
            "the ranks don't do the same: {} is at '{}', and {} at '{}'",
            nameOf(0), all[0].text, nameOf(rank), all[size_t(rank)].text));
  }

  /// What all of them find wrong needs no name of a rank.
  std::string describe(const std::vector<RankNote> &all) const {
    auto failed = std::ranges::find_if(all, &RankNote::hasFailed);
    if (std::ranges::all_of(all, [&](const RankNote &header) {
          return header.hasFailed &&
                 std::string_view(header.text) == failed->text;
        }))
      return failed->text;
    return fmt::format("{}: {}", nameOf(int(failed - all.begin())),
                       failed->text);
  }

  const RankProcess &process;
  Listener &outer;
  Mpi mpi;
  int ownThreads = 1;
  std::vector<std::string> hosts;
};

/// Runs the body, and sees to it that all ranks end in the same way. Returns
/// its exit code, or nothing and what is to be said.
std::optional<int> runTogether(RankJob &job, const std::function<int()> &body,
                               std::string &problem) {
  try {
    int code = body();
    job.exchange("the end", "", [](int, std::string_view) {});
    return code;
  } catch (const RankFailure &failure) { // The others know of it.
    problem = failure.what();
  } catch (const std::bad_alloc &) {
    problem = job.fail("there is not enough memory for this");
  } catch (const std::exception &error) {
    problem = job.fail(error.what());
  }
  return std::nullopt;
}

int runInJob(const RankProcess &process,
             const std::function<int(int threads)> &body) {
  requireIntroduction();
  RankJob job(process);
  // The other ranks leave the results to the first one.
  QuietListener silent(currentListener());
  std::string problem;
  std::optional<int> code;
  {
    ListenerScope listenerScope(job.isFirst() ? currentListener() : silent);
    RanksScope ranksScope(job);
    code = runTogether(
        job,
        [&] {
          job.greet();
          setThreadCount(job.threadsToUse());
          return body(job.threadsToUse());
        },
        problem);
  }
  // The first rank alone gives the code, and all wait in end() for what it
  // says.
  if (!code && job.isFirst())
    process.report(problem);
  job.end();
  return job.isFirst() ? code.value_or(2) : 0;
}

} // namespace

bool isLaunchedWithOthers() { return launchedCount() > 1; }

int runAsRank(const RankProcess &process,
              const std::function<int(int threads)> &body) {
  int code = 2;
  try {
    code = runInJob(process, body);
  } catch (const std::exception &error) {
    process.report(error.what());
  }
  if (code != 0)
    waitForReaders();
  return code;
}

} // namespace parallax
