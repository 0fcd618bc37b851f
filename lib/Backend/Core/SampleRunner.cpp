//===- SampleRunner.cpp - Many samples through one network ----------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// A pool of threads takes samples one by one; results are handed out in their
// order, however they finish. Between ranks they travel once a block is done.
//===----------------------------------------------------------------------===//
#include "parallax/Backend/Core/SampleRunner.h"
#include "parallax/Support/Clock.h"
#include "parallax/Support/Error.h"
#include "parallax/Support/Listener.h"
#include "parallax/Support/Parallel.h"
#include "parallax/Support/Ranks.h"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <fmt/format.h>
#include <mutex>
#include <system_error>
#include <thread>

namespace parallax {
namespace {

class Runner {
public:
  Runner(const Executable &executable, const SampleRange &range,
         const SampleCallbacks &callbacks)
      : executable(executable), end(range.end), callbacks(callbacks),
        next(range.begin), turn(range.begin) {}

  /// One worker: takes the next sample until there is none.
  void work() {
    ExecutionState state(executable);
    for (;;) {
      size_t sample;
      {
        std::lock_guard lock(mutex);
        if (next == end || failed)
          return;
        sample = next++;
      }
      try {
        runOne(state, sample);
      } catch (...) {
        fail(sample, std::current_exception());
      }
    }
  }

  /// A worker in a thread of its own.
  void workAside() {
    try {
      work();
    } catch (...) {
      fail(0, std::current_exception());
    }
    std::lock_guard lock(mutex);
    ++left;
    hasLeft.notify_all();
  }

  /// Waits until so many workers have left. The listener is asked here, too: it
  /// may know in the thread of its caller only, as Python does of Ctrl-C.
  void await(size_t workers, const Listener &listener) {
    constexpr std::chrono::milliseconds interval(50);
    std::unique_lock lock(mutex);
    while (!hasLeft.wait_for(lock, interval, [&] { return left == workers; })) {
      lock.unlock();
      if (listener.isCancelled())
        fail(0, std::make_exception_ptr(Cancelled()));
      lock.lock();
    }
  }

  void rethrow() {
    if (error)
      std::rethrow_exception(error);
  }

  /// For errors before a sample was taken, such as a lack of memory.
  void fail(size_t sample, std::exception_ptr reason) {
    std::lock_guard lock(mutex);
    failed = true;
    if (sample < failedSample) {
      failedSample = sample;
      error = std::move(reason);
    }
    turnChanged.notify_all();
  }

private:
  void runOne(ExecutionState &state, size_t sample) {
    std::vector<Tensor> inputs = callbacks.load(sample);
    std::unique_ptr<Observer> observer =
        callbacks.observe ? callbacks.observe(sample) : nullptr;
    std::span<const Tensor> outputs = state.run(inputs, observer.get());
    if (!callbacks.inOrder)
      return callbacks.consume(sample, outputs);
    std::unique_lock lock(mutex);
    turnChanged.wait(lock,
                     [&] { return turn == sample || sample > failedSample; });
    if (turn != sample)
      return;
    lock.unlock();
    callbacks.consume(sample, outputs);
    lock.lock();
    ++turn;
    turnChanged.notify_all();
  }

  const Executable &executable;
  const size_t end;
  const SampleCallbacks &callbacks;
  std::mutex mutex;
  std::condition_variable turnChanged, hasLeft;
  size_t next, turn, left = 0;
  bool failed = false;
  size_t failedSample = SIZE_MAX;
  std::exception_ptr error;
};

/// How many samples are dealt at once: at first one for each thread, which tell
/// how much they give, then a sixteenth of all, which tells how long they take,
/// and then those of half a minute. Ranks wait for each other rarely, and
/// whoever keeps results loses few of them. What a rank gives at once stays
/// small, since the others have to hold it.
class Blocks {
public:
  explicit Blocks(size_t count)
      : ranksAtWork(size_t(ranks().count())),
        size(ranksAtWork * size_t(ranks().mostThreads())),
        sixteenth((count + 15) / 16) {}

  size_t end(size_t begin, size_t count) const {
    return begin + std::min(size, count - begin);
  }

  /// The size of the next block by the time of one that has been run; the first
  /// rank decides for all.
  size_t next(size_t done) const {
    constexpr double secondsOfBlock = 30;
    if (size < sixteenth)
      return sixteenth;
    double each = std::max(secondsSince(begun), 1e-6) / double(done);
    return std::max(size, size_t(secondsOfBlock / each));
  }
  void start(size_t next) {
    size_t most = bytesOfSample > 0 ? mostBytes / bytesOfSample : next;
    size = std::min(next, ranksAtWork * std::max<size_t>(most, 1));
    begun = std::chrono::steady_clock::now();
  }

  /// A rank has given so many bytes for so many samples.
  void addGiven(size_t bytes, size_t samples) {
    if (samples > 0)
      bytesOfSample = std::max(bytesOfSample, bytes / samples);
  }

private:
  /// Of one rank in one block, unless a single sample has more.
  static constexpr size_t mostBytes = size_t(64) << 20;

  size_t ranksAtWork, size, sixteenth;
  size_t bytesOfSample = 0;
  std::chrono::steady_clock::time_point begun =
      std::chrono::steady_clock::now();
};

SampleRange shareOf(int rank, size_t begin, size_t end, size_t count) {
  auto at = [&](int place) {
    return begin + (end - begin) * size_t(place) / size_t(ranks().count());
  };
  return {at(rank), at(rank + 1), count};
}

void packTensors(std::span<const Tensor> tensors, ByteWriter &writer) {
  writer(tensors.size());
  for (const Tensor &tensor : tensors)
    writer(tensor);
}

void consumeTensors(const SampleCallbacks &callbacks, size_t sample,
                    ByteReader &reader) {
  size_t count = 0;
  reader(count);
  std::vector<Tensor> tensors;
  for (size_t i = 0; i < count; ++i)
    reader(tensors.emplace_back());
  callbacks.consume(sample, tensors);
}

void dealSamples(const Executable &executable, size_t count, int threads,
                 const SampleCallbacks &callbacks) {
  Blocks blocks(count);
  for (size_t begin = 0, end = 0; begin < count; begin = end) {
    end = blocks.end(begin, count);
    SampleRange own = shareOf(ranks().number(), begin, end, count);
    std::vector<std::string> packed(own.end - own.begin);
    SampleCallbacks local = callbacks;
    local.inOrder = false;
    local.consume = [&](size_t sample, std::span<const Tensor> outputs) {
      ByteWriter writer;
      if (callbacks.pack)
        callbacks.pack(sample, outputs, writer);
      else
        packTensors(outputs, writer);
      packed[sample - own.begin] = writer.take();
    };
    runSamples(executable, own, threads, local);
    ByteWriter next;
    next(blocks.next(end - begin));
    std::string all = next.take();
    for (const std::string &one : packed)
      all += one;
    packed.clear();
    size_t decided = 0;
    ranks().exchange(
        fmt::format("samples {} to {} of {}", begin, end - 1, count), all,
        [&](int rank, std::string_view bytes) {
          ByteReader reader(bytes);
          size_t proposed = 0;
          reader(proposed);
          if (rank == 0)
            decided = proposed;
          SampleRange range = shareOf(rank, begin, end, count);
          blocks.addGiven(bytes.size(), range.end - range.begin);
          for (size_t sample = range.begin; sample < range.end; ++sample)
            if (callbacks.unpack)
              callbacks.unpack(sample, reader);
            else
              consumeTensors(callbacks, sample, reader);
        });
    blocks.start(decided);
  }
}

} // namespace

SampleRange ownSamples(size_t count) {
  return shareOf(ranks().number(), 0, count, count);
}

void runSamples(const Executable &executable, size_t count, int threads,
                const SampleCallbacks &callbacks) {
  if (callbacks.isDealt && ranks().areSeveral() && count > 1)
    dealSamples(executable, count, threads, callbacks);
  else
    runSamples(executable, {0, count, std::max(count, callbacks.total)},
               threads, callbacks);
}

void runSamples(const Executable &executable, const SampleRange &range,
                int threads, const SampleCallbacks &callbacks) {
  Runner runner(executable, range, callbacks);
  size_t own = range.end - range.begin;
  size_t workers = std::min<size_t>(size_t(std::max(threads, 1)), own);
  if (workers <= 1) {
    // Float kernels may have other bits on several threads, so the last of many
    // samples gets no more than the others.
    ThreadCountScope scope(range.count > 1 ? 1 : threads);
    if (own > 0)
      runner.work();
    runner.rethrow();
    return;
  }
  Listener &listener = currentListener();
  // Joined however this function ends.
  std::vector<std::jthread> pool;
  try {
    for (size_t i = 0; i < workers; ++i)
      pool.emplace_back([&] {
        setThreadCount(1);
        ListenerScope scope(listener);
        runner.workAside();
      });
  } catch (const std::system_error &) {
    runner.fail(0, std::make_exception_ptr(Error(fmt::format(
                       "cannot start {} threads, for lack of memory or by a "
                       "limit of the system; use fewer with --threads",
                       workers))));
  }
  runner.await(pool.size(), listener);
  pool.clear();
  runner.rethrow();
}

} // namespace parallax
