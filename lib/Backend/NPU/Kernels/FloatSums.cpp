//===- FloatSums.cpp - Reductions and pooling of FP32 layers --------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Whatever is reduced is first gathered into a row, in the order that C92
// gives; the row is then summed in lanes of a fixed number, so that vectors of
// any width may be used and give the same bits.
//===----------------------------------------------------------------------===//
#include "PoolWindows.h"
#include "parallax/Backend/Kernels/Loops.h"
#include "parallax/Backend/NPU/Kernels/FloatFunctions.h"
#include "parallax/Backend/NPU/Kernels/FloatLayers.h"
#include "parallax/Support/Parallel.h"

#include <cmath>

namespace parallax::npu {

using kernels::LoopNest;
using kernels::Odometer;
using kernels::PoolKind;
using kernels::ReduceKind;

float sumFloats(const float *x, int64_t count) {
  constexpr int64_t lanes = 8;
  float sums[lanes] = {};
  int64_t i = 0;
  for (; i + lanes <= count; i += lanes)
    for (int64_t lane = 0; lane < lanes; ++lane)
      sums[lane] += x[i + lane];
  for (; i < count; ++i)
    sums[i % lanes] += x[i];
  for (int64_t half : {4, 2, 1})
    for (int64_t lane = 0; lane < half; ++lane)
      sums[lane] += sums[lane + half];
  return sums[0];
}

//===----------------------------------------------------------------------===//
// Rows
//===----------------------------------------------------------------------===//

template <typename Fn>
static float sumOf(float *row, int64_t count, Fn element) {
  for (int64_t i = 0; i < count; ++i)
    row[i] = element(row[i]);
  return sumFloats(row, count);
}

/// The first of the extreme elements; NaN wins.
static float extremeOf(const float *row, int64_t count, bool isMax) {
  constexpr float infinity = std::numeric_limits<float>::infinity();
  if (count == 0)
    return isMax ? -infinity : infinity;
  float best = row[0];
  for (int64_t i = 1; i < count && best == best; ++i) {
    float value = row[i];
    bool isBetter = isMax ? value > best : value < best;
    best = isBetter || value != value ? value : best;
  }
  return best;
}

/// The logarithm of the sum of exponentials.
static float logSumExp(float *row, int64_t count) {
  float greatest = extremeOf(row, count, true);
  if (std::isinf(greatest))
    greatest = 0;
  float sum =
      sumOf(row, count, [=](float v) { return floatExp(v - greatest); });
  return floatLog(sum) + greatest;
}

/// The p-norm.
static float normOf(float *row, int64_t count, int64_t p) {
  if (p == 1)
    return sumOf(row, count, [](float v) { return std::fabs(v); });
  if (p == 2)
    return std::sqrt(sumOf(row, count, [](float v) { return v * v; }));
  float sum = sumOf(
      row, count, [p](float v) { return floatPower(std::fabs(v), double(p)); });
  return floatPower(sum, double(1.0f / float(p)));
}

/// Overwrites the row.
static float reduceRow(ReduceKind kind, float *row, int64_t count) {
  switch (kind) {
  case ReduceKind::Sum:
    return sumFloats(row, count);
  case ReduceKind::Mean:
    return sumFloats(row, count) / float(count);
  case ReduceKind::Max:
    return extremeOf(row, count, true);
  case ReduceKind::Min:
    return extremeOf(row, count, false);
  case ReduceKind::Prod: {
    float product = 1;
    for (int64_t i = 0; i < count; ++i)
      product *= row[i];
    return product;
  }
  case ReduceKind::L1:
    return normOf(row, count, 1);
  case ReduceKind::L2:
    return normOf(row, count, 2);
  case ReduceKind::LogSum:
    return floatLog(sumFloats(row, count));
  case ReduceKind::LogSumExp:
    return logSumExp(row, count);
  case ReduceKind::SumSquare:
    return sumOf(row, count, [](float v) { return v * v; });
  }
  return 0;
}

//===----------------------------------------------------------------------===//
// Reductions
//===----------------------------------------------------------------------===//

/// Outputs whose rows are gathered together, along contiguous memory.
static constexpr int64_t blockColumns = 16;

/// Calls store(output, row, count) with a row for each output.
template <typename Store>
static void forEachReducedRow(const Tensor &x, std::span<const int64_t> axes,
                              Store store) {
  LoopNest<1> kept, reduced;
  Shape strides = stridesOf(x.shape());
  for (int64_t axis = 0; axis < x.rank(); ++axis) {
    bool isReduced = std::find(axes.begin(), axes.end(), axis) != axes.end();
    LoopNest<1> &loops = isReduced ? reduced : kept;
    loops.dims.push_back(x.dim(axis));
    loops.strides[0].push_back(strides[axis]);
  }
  int64_t count = elementCount(reduced.dims);
  int64_t outputs = elementCount(kept.dims);
  kept.simplify();
  int64_t inner = 1;
  if (!kept.dims.empty() && kept.strides[0].back() == 1) {
    inner = kept.dims.back();
    kept.resize(kept.dims.size() - 1);
  }
  reduced.simplify();
  int64_t run = 1, runStride = 0;
  if (!reduced.dims.empty()) {
    run = reduced.dims.back();
    runStride = reduced.strides[0].back();
    reduced.resize(reduced.dims.size() - 1);
  }
  int64_t blocks = (inner + blockColumns - 1) / blockColumns;
  int64_t items = inner == 0 ? 0 : outputs / inner * blocks;
  auto gather = [&](const float *base, int64_t columns, float *rows) {
    if (count == 0)
      return;
    Odometer<1> element(reduced, 0);
    for (int64_t i = 0; i < count; i += run, element.next())
      for (int64_t k = 0; k < run; ++k)
        for (int64_t c = 0; c < columns; ++c)
          rows[c * count + i + k] = base[element[0] + k * runStride + c];
  };
  const float *from = x.data<float>();
  parallelFor(items, rowGrain(4 * count * std::min(inner, blockColumns)),
              [&](int64_t begin, int64_t end) {
                std::vector<float> rows(size_t(blockColumns * count));
                for (int64_t item = begin; item < end; ++item) {
                  int64_t first = item % blocks * blockColumns;
                  int64_t columns = std::min(blockColumns, inner - first);
                  const float *base =
                      from + Odometer<1>(kept, item / blocks)[0] + first;
                  gather(base, columns, rows.data());
                  for (int64_t c = 0; c < columns; ++c)
                    store(item / blocks * inner + first + c,
                          rows.data() + c * count, count);
                }
              });
}

void reduceFloat(ReduceKind kind, const Tensor &x, Tensor &y,
                 std::span<const int64_t> axes) {
  float *to = y.data<float>();
  forEachReducedRow(x, axes, [&](int64_t output, float *row, int64_t count) {
    to[output] = reduceRow(kind, row, count);
  });
}

void globalLpPoolFloat(const Tensor &x, Tensor &y, int64_t p) {
  Shape axes;
  for (int64_t axis = 2; axis < x.rank(); ++axis)
    axes.push_back(axis);
  float *to = y.data<float>();
  forEachReducedRow(x, axes, [&](int64_t output, float *row, int64_t count) {
    to[output] = normOf(row, count, p);
  });
}

//===----------------------------------------------------------------------===//
// Pooling
//===----------------------------------------------------------------------===//

void poolFloat(PoolKind kind, const Tensor &x, Tensor &y,
               const kernels::PoolParams &params) {
  forEachWindow<float, float>(
      x, y, params,
      [kind, p = params.p, row = std::vector<float>()](
          const float *from, std::span<const int64_t> inside,
          int64_t taps) mutable {
        auto count = int64_t(inside.size());
        row.resize(inside.size());
        for (int64_t i = 0; i < count; ++i)
          row[i] = from[inside[i]];
        if (kind == PoolKind::Max)
          return extremeOf(row.data(), count, true);
        if (kind == PoolKind::Lp)
          return normOf(row.data(), count, p);
        return taps == 0 ? 0.0f : sumFloats(row.data(), count) / float(taps);
      });
}

} // namespace parallax::npu
