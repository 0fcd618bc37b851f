//===- Measure.cpp - How long a model takes -------------------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// All runs are on the same random inputs.
//===----------------------------------------------------------------------===//
#include "Measure.h"

#include "parallax/Data/TensorFolder.h"
#include "parallax/Support/Clock.h"
#include "parallax/Support/Log.h"
#include "parallax/Support/Parallel.h"
#include "parallax/Support/Unicode.h"

#include <algorithm>
#include <fmt/format.h>
#include <iostream>

namespace parallax {

static void printProfile(const Executable &executable,
                         const std::vector<double> &seconds, int runs) {
  std::vector<size_t> order(seconds.size());
  for (size_t i = 0; i < order.size(); ++i)
    order[i] = i;
  std::sort(order.begin(), order.end(),
            [&](size_t a, size_t b) { return seconds[a] > seconds[b]; });
  for (size_t i : order)
    showResult(
        fmt::format("{:10.3f} ms  {}  {}\n", seconds[i] * 1e3 / runs,
                    printable(executable.steps[i].name),
                    executable.steps[i].outputs.empty()
                        ? ""
                        : toString(executable.steps[i].outputs[0].shape)));
}

int profileSteps(const Executable &executable, int threads) {
  constexpr int runs = 10;
  setThreadCount(threads);
  ExecutionState state(executable);
  std::vector<Tensor> inputs = randomInputs(executable.inputs, 1);
  state.run(inputs);
  state.enableProfile();
  for (int i = 0; i < runs; ++i)
    state.run(inputs);
  printProfile(executable, state.stepSeconds(), runs);
  return 0;
}

int serveRuns(const Executable &executable, int threads,
              double prepareSeconds) {
  setThreadCount(threads);
  ExecutionState state(executable);
  std::vector<Tensor> inputs = randomInputs(executable.inputs, 1);
  fmt::print("prepare-time {:.3f}\n", prepareSeconds * 1e3);
  std::fflush(stdout);
  for (std::string line; std::getline(std::cin, line) && line != "quit";) {
    auto start = std::chrono::steady_clock::now();
    state.run(inputs);
    fmt::print("time {:.4f}\n", secondsSince(start) * 1e3);
    std::fflush(stdout);
  }
  return 0;
}

} // namespace parallax
