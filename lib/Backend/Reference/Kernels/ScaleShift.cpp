//===- ScaleShift.cpp - Scale and shift per channel -----------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// One loop for plain tensors and one for channels in blocks, compiled for
// several processors.
//===----------------------------------------------------------------------===//
#include "parallax/Backend/Reference/Kernels/ScaleShift.h"
#include "parallax/Support/Parallel.h"
#include "parallax/Support/Simd.h"

#include <algorithm>
#include <limits>

namespace parallax::kernels {
namespace {

/// `count` numbers of one channel.
PARALLAX_SIMD void plainRun(const float *x, float *y, int64_t count, float mul,
                            float add, float floor) {
  for (int64_t i = 0; i < count; ++i)
    y[i] = std::max(x[i] * mul + add, floor);
}

/// `count` groups of `Block` numbers, one of each channel. Inlined, because
/// templates themselves can't be compiled for several processors.
template <int64_t Block>
[[gnu::always_inline]] inline void blockedLoop(const float *x, float *y,
                                               int64_t count, const float *mul,
                                               const float *add, float floor) {
  float m[Block], a[Block];
  std::copy_n(mul, Block, m);
  std::copy_n(add, Block, a);
  for (int64_t i = 0; i < count; ++i)
    for (int64_t j = 0; j < Block; ++j)
      y[i * Block + j] = std::max(x[i * Block + j] * m[j] + a[j], floor);
}

PARALLAX_SIMD void blockedRun(const float *x, float *y, int64_t count,
                              const float *mul, const float *add, float floor,
                              int64_t block) {
  if (block == 8)
    blockedLoop<8>(x, y, count, mul, add, floor);
  else
    blockedLoop<16>(x, y, count, mul, add, floor);
}

} // namespace

void scaleShiftBlocks(const Tensor &x, const Tensor &mul, const Tensor &add,
                      Tensor &y, int64_t block, bool relu) {
  if (x.size() == 0)
    return;
  // Without a rectifier nothing is below the floor; NaN passes both ways.
  float floor = relu ? 0.0f : -std::numeric_limits<float>::infinity();
  int64_t groups = x.rank() > 1 ? x.dim(1) : 1;
  int64_t rows = x.rank() > 0 ? x.dim(0) * groups : 1;
  int64_t perRow = x.size() / rows;
  const float *source = x.data<float>();
  float *target = y.data<float>();
  parallelFor(rows, std::max<int64_t>(1, 16384 / perRow),
              [&](int64_t begin, int64_t end) {
                for (int64_t row = begin; row < end; ++row) {
                  const float *from = source + row * perRow;
                  float *to = target + row * perRow;
                  const float *m = mul.data<float>() + row % groups * block;
                  const float *a = add.data<float>() + row % groups * block;
                  if (block == 1)
                    plainRun(from, to, perRow, *m, *a, floor);
                  else
                    blockedRun(from, to, perRow / block, m, a, floor, block);
                }
              });
}

} // namespace parallax::kernels
