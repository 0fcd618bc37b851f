//===- Mpi.cpp - What ranks need of MPI, loaded when needed ---------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Errors of MPI itself end the job with a message of its own, which names the
// rank and the host: that is its default.
//===----------------------------------------------------------------------===//
#include "Mpi.h"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <mpi.h>
#include <thread>

namespace {

/// The size of a message is an int.
constexpr size_t mostAtOnce = size_t(1) << 30;

/// A variable of Open MPI, unless the user has set it.
void prefer(const char *name, const char *value) { ::setenv(name, value, 0); }

} // namespace

void parallaxMpiStart(int *rank, int *count) {
  // Ranks may be more than cores, and threads compute while one waits.
  prefer("OMPI_MCA_mpi_yield_when_idle", "1");
  // Containers often forbid to copy out of another process's memory; messages
  // are too few to notice.
  prefer("OMPI_MCA_btl_vader_single_copy_mechanism", "none");
  int provided = 0;
  MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, rank);
  MPI_Comm_size(MPI_COMM_WORLD, count);
}

bool parallaxMpiGather(const void *own, size_t size, void *all,
                       double seconds) {
  using Clock = std::chrono::steady_clock;
  using namespace std::chrono_literals;
  constexpr Clock::duration longest = 2ms;
  Clock::time_point begin = Clock::now();
  Clock::duration nap = 20us;
  MPI_Request request;
  MPI_Iallgather(own, int(size), MPI_BYTE, all, int(size), MPI_BYTE,
                 MPI_COMM_WORLD, &request);
  for (int isDone = 0;;) {
    MPI_Test(&request, &isDone, MPI_STATUS_IGNORE);
    if (isDone)
      return true;
    if (seconds >= 0 &&
        Clock::now() - begin > std::chrono::duration<double>(seconds))
      return false;
    std::this_thread::sleep_for(nap);
    nap = std::min(2 * nap, longest);
  }
}

void parallaxMpiSpread(void *bytes, size_t size, int from) {
  auto *next = static_cast<char *>(bytes);
  for (size_t left = size; left > 0;) {
    size_t part = std::min(left, mostAtOnce);
    MPI_Bcast(next, int(part), MPI_BYTE, from, MPI_COMM_WORLD);
    next += part;
    left -= part;
  }
}

void parallaxMpiEnd() { MPI_Finalize(); }

void parallaxMpiAbort(int code) { MPI_Abort(MPI_COMM_WORLD, code); }
