//===- runtime.cpp - Time of a call of Runtime.h --------------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Prints the median of a run of a compiled model in microseconds: what
// python.mjs sets session.run against.
//===----------------------------------------------------------------------===//
#include "parallax/Runtime.h"

#include <algorithm>
#include <chrono>
#include <iostream>

using namespace parallax;

int main(int argc, char **argv) {
  if (argc != 3) {
    std::cerr << "usage: bench-runtime MODEL CALLS\n";
    return 2;
  }
  try {
    Runtime runtime(argv[1]);
    std::vector<Tensor> inputs, outputs;
    std::vector<Runtime::InputBuffer> reads;
    std::vector<Runtime::OutputBuffer> writes;
    for (const PortInfo &port : runtime.inputs())
      reads.emplace_back(
          static_cast<const std::byte *>(
              inputs.emplace_back(port.dtype, port.shape).rawData()),
          byteSizeOf(port));
    for (const PortInfo &port : runtime.outputs())
      writes.emplace_back(
          static_cast<std::byte *>(
              outputs.emplace_back(port.dtype, port.shape).rawData()),
          byteSizeOf(port));
    std::vector<double> times(size_t(std::max(1, std::atoi(argv[2]))));
    using Clock = std::chrono::steady_clock;
    for (double &time : times) {
      Clock::time_point start = Clock::now();
      runtime.run(reads, writes);
      time = std::chrono::duration<double, std::micro>(Clock::now() - start)
                 .count();
    }
    std::ranges::nth_element(times, times.begin() + times.size() / 2);
    std::cout << times[times.size() / 2] << "\n";
  } catch (const Error &error) {
    std::cerr << error.what() << "\n";
    return 1;
  }
}
