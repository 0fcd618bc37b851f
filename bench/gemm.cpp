//===- gemm.cpp - Exact integer products against float --------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Prints, for shapes of convolutions, how long exact products of codes take in
// ratio to oneDNN's float product of the same shape. The products gather the
// taps of the convolution and end in codes; the float one does neither. All of
// them are timed in turns, so that other work of the computer falls on each
// alike; the least time of each counts. `bench-gemm [threads]`.
//===----------------------------------------------------------------------===//
#include "parallax/Backend/NPU/Kernels/InstructionSet.h"
#include "parallax/Backend/NPU/Kernels/RequantizeSums.h"
#include "parallax/Support/Parallel.h"
#include "parallax/Support/Random.h"

#include <array>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <fmt/format.h>
#include <functional>
#include <oneapi/dnnl/dnnl.h>

using namespace parallax;
using namespace parallax::npu;

namespace {

struct Size {
  const char *name;
  int64_t rows, columns, taps, channels;
  int64_t depth() const { return taps * channels; }
};

const Size sizes[] = {
    {"3x3 64 at 56x56", 3136, 64, 9, 64},
    {"3x3 128 at 28x28", 784, 128, 9, 128},
    {"3x3 256 at 14x14", 196, 256, 9, 256},
    {"3x3 512 at 7x7", 49, 512, 9, 512},
    {"1x1 64 at 56x56", 3136, 64, 1, 64},
    {"1x1 256-64 at 56x56", 3136, 64, 1, 256},
    {"1x1 1024-256 at 14x14", 196, 256, 1, 1024},
    {"7x7 3-64 at 112x112", 12544, 64, 49, 3},
    {"fully connected 2048-1000", 1, 1000, 1, 2048},
    {"square 512", 512, 512, 1, 512},
};

struct Operands {
  const char *name;
  DType x, w;
  bool is32;
};
const Operands operands[] = {{"U8xS8", DType::U8, DType::I8, true},
                             {"U16xS8", DType::U16, DType::I8, false},
                             {"U16xS16", DType::U16, DType::I16, false}};

/// Weights as training makes them: bell-shaped, a few of them at the limit.
Tensor weightsOf(DType type, int64_t columns, int64_t depth, Random &random) {
  Tensor w(type, {columns, depth});
  auto fill = [&]<typename T>(T *to, double limit) {
    for (int64_t i = 0; i < w.size(); ++i) {
      double bell = 0;
      for (int n = 0; n < 4; ++n)
        bell += random.real() - 0.5;
      to[i] = T(std::lround(bell / 2 * limit));
    }
  };
  if (type == DType::I8)
    fill(w.data<int8_t>(), 127);
  else
    fill(w.data<int16_t>(), 32767);
  return w;
}

Tensor randomBytes(DType type, Shape shape, Random &random) {
  Tensor x(type, std::move(shape));
  auto *bytes = static_cast<uint8_t *>(x.rawData());
  for (size_t i = 0; i < x.byteSize(); ++i)
    bytes[i] = uint8_t(random.next() >> 32);
  return x;
}

/// A picture of `rows` pixels, one channel vector each, and taps on it that
/// lie as those of a convolution do: runs of neighbours in a few lines.
std::vector<const void *> tapsOf(const Tensor &x, const Size &size) {
  int64_t side = int64_t(std::lround(std::sqrt(double(size.taps))));
  int64_t width = int64_t(std::lround(std::sqrt(double(size.rows))));
  int64_t bytes = size.channels * int64_t(sizeOf(x.dtype()));
  std::vector<const void *> taps;
  for (int64_t row = 0; row < size.rows; ++row)
    for (int64_t t = 0; t < size.taps; ++t)
      taps.push_back(static_cast<const char *>(x.rawData()) +
                     (row + t / side * width + t % side) * bytes);
  return taps;
}

/// The least time of several turns, in microseconds.
double timeOnce(const std::function<void()> &run) {
  auto begin = std::chrono::steady_clock::now();
  run();
  std::chrono::duration<double, std::micro> time =
      std::chrono::steady_clock::now() - begin;
  return time.count();
}

void measure(const Size &size) {
  Random random(1);
  const int64_t m = size.rows, n = size.columns, k = size.depth();
  std::vector<std::function<void()>> runs;

  std::vector<float> a(m * k, 0.5f), b(k * n, 0.25f), c(m * n);
  runs.push_back([&] {
    dnnl_sgemm('N', 'N', m, n, k, 1.0f, a.data(), k, b.data(), n, 0.0f,
               c.data(), n);
  });

  struct Case {
    Tensor x, y;
    std::vector<const void *> taps;
    PackedWeights w;
    RowSource rows;
  };
  const Multiplier multiplier = multiplierFor(1.0 / double(1 << 12));
  const std::vector<int64_t> bias(n, 1234);
  const OutputCodes output{.zeroPoint = 100};
  std::vector<Case> cases(std::size(operands));
  for (size_t i = 0; i < cases.size(); ++i) {
    const Operands &types = operands[i];
    Case &item = cases[i];
    int64_t border = 8 * int64_t(std::sqrt(double(m)) + 1);
    item.x = randomBytes(types.x, {m + border, size.channels}, random);
    item.y = Tensor(types.x, {m, n});
    Tensor w = weightsOf(types.w, n, k, random);
    item.w.pack(rowMajorWeights(w), types.x);
    item.rows = {.type = types.x, .zeroPoint = 117, .rows = m};
    item.rows.channels = size.channels;
    if (size.taps > 1) {
      item.taps = tapsOf(item.x, size);
      item.rows.taps = item.taps.data();
      item.rows.tapCount = size.taps;
    } else {
      item.rows.data = item.x.rawData();
      item.rows.rowStride = size.channels;
    }
    runs.push_back([&, i] {
      Case &item = cases[i];
      auto run = [&]<typename Acc>(TypeTag<Acc>) {
        Requantization<Acc> layer(n, {&multiplier, 1}, bias, output);
        gemm<Acc>(
            item.rows, item.w,
            RequantizeSums<Acc>(layer, operands[i].x, item.y.rawData(), n));
      };
      operands[i].is32 ? run(TypeTag<int32_t>{}) : run(TypeTag<int64_t>{});
    });
  }

  std::vector<double> best(runs.size(), 1e30);
  for (int turn = 0; turn < 15; ++turn)
    for (size_t i = 0; i < runs.size(); ++i)
      best[i] = std::min(best[i], timeOnce(runs[i]));
  std::string line =
      fmt::format("{:26} {:6} {:5} {:5} {:9.0f} {:7.0f}", size.name, m, n, k,
                  best[0], 2e-3 * double(m * n * k) / best[0]);
  for (size_t i = 1; i < best.size(); ++i)
    line += fmt::format(" {:8.2f} ({:4.0f})", best[i] / best[0],
                        2e-3 * double(m * n * k) / best[i]);
  fmt::print("{}\n", line);
}

} // namespace

int main(int argc, char **argv) {
  setThreadCount(argc > 1 ? std::atoi(argv[1]) : 1);
  fmt::print(
      "{} thread(s), {}\n", threadCount(),
      std::to_array({"portable", "AVX2", "AVX-512"})[size_t(instructionSet())]);
  fmt::print("{:26} {:>6} {:>5} {:>5} {:>9} {:>7}", "time / time of float",
             "rows", "cols", "depth", "float us", "GOP/s");
  for (const Operands &types : operands)
    fmt::print(" {:>8} GOP/s ", types.name);
  fmt::print("\n");
  for (const Size &size : sizes)
    measure(size);
}
