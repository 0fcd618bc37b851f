//===- FloatMac.cpp - FP32 layers that multiply and accumulate ------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// C91 fixes the order in which each sum is made, so vectors hold sums of
// several columns, never several terms of one.
//===----------------------------------------------------------------------===//
#include "MatrixBatch.h"
#include "Vectorize.h"
#include "Windows.h"
#include "parallax/Backend/NPU/Kernels/InstructionSet.h"
#include "parallax/Backend/NPU/Kernels/Mac.h"
#include "parallax/Support/Parallel.h"

namespace parallax::npu {
namespace {

/// Columns whose sums are made together.
constexpr int64_t width = 16;
/// Rows that are multiplied at once: a fixed number, so that threads only
/// choose who does which block.
constexpr int64_t blockRows = 64;

/// Weights [columns, depth] in panels [depth][width], the last one filled up
/// with zeros. Element (column, k) of the source is `from[column * columnStride
/// + k * depthStride]`.
class FloatPanels {
public:
  FloatPanels(const float *from, int64_t columns, int64_t depth,
              int64_t columnStride, int64_t depthStride)
      : columns(columns), depth(depth),
        values(size_t((columns + width - 1) / width * width * depth)) {
    for (int64_t c = 0; c < columns; ++c)
      for (int64_t k = 0; k < depth; ++k)
        values[(c / width * depth + k) * width + c % width] =
            from[c * columnStride + k * depthStride];
  }
  const float *panel(int64_t first) const {
    return values.data() + first * depth;
  }

  int64_t columns, depth;

private:
  std::vector<float> values;
};

PARALLAX_INLINE void sumRow(const float *row, const float *panel, int64_t depth,
                            float *sums) {
  float own[width] = {};
  for (int64_t k = 0; k < depth; ++k)
    for (int64_t c = 0; c < width; ++c)
      own[c] += row[k] * panel[k * width + c];
  for (int64_t c = 0; c < width; ++c)
    sums[c] = own[c];
}
void portableRow(const float *row, const float *panel, int64_t depth,
                 float *sums) {
  sumRow(row, panel, depth, sums);
}
PARALLAX_AVX2 void avx2Row(const float *row, const float *panel, int64_t depth,
                           float *sums) {
  sumRow(row, panel, depth, sums);
}

/// y[r * rowStride + c * columnStride] = the sums of `rows` rows, and the bias.
void multiply(const float *a, int64_t rows, const FloatPanels &b,
              const float *bias, float *y, int64_t rowStride,
              int64_t columnStride) {
  auto sum = instructionSet() >= InstructionSet::AVX2 ? avx2Row : portableRow;
  for (int64_t first = 0; first < b.columns; first += width)
    for (int64_t r = 0; r < rows; ++r) {
      float sums[width];
      sum(a + r * b.depth, b.panel(first), b.depth, sums);
      for (int64_t c = first; c < std::min(first + width, b.columns); ++c)
        y[r * rowStride + c * columnStride] =
            bias ? sums[c - first] + bias[c] : sums[c - first];
    }
}

/// Calls fn(part, begin, end) for the blocks of `rows` rows of each part.
template <typename Fn> void forEachBlock(int64_t rows, int64_t parts, Fn fn) {
  int64_t blocks = (rows + blockRows - 1) / blockRows;
  parallelFor(blocks * parts, 1, [&](int64_t first, int64_t last) {
    for (int64_t i = first; i < last; ++i) {
      int64_t begin = i % blocks * blockRows;
      fn(i / blocks, begin, std::min(begin + blockRows, rows));
    }
  });
}

/// [C, O / groups, taps] as [O, C / groups, taps].
std::vector<float> transposeWeights(const Tensor &weights, int64_t groups,
                                    int64_t taps) {
  int64_t channels = weights.dim(0) / groups, outputs = weights.dim(1);
  std::vector<float> result(size_t(weights.size()));
  const float *from = weights.data<float>();
  for (int64_t g = 0; g < groups; ++g)
    for (int64_t c = 0; c < channels; ++c)
      for (int64_t o = 0; o < outputs; ++o, from += taps)
        std::copy_n(from, taps,
                    result.data() + ((g * outputs + o) * channels + c) * taps);
  return result;
}

} // namespace

void floatConvolution(const Tensor &x, const Tensor &weights,
                      const Tensor *bias, Tensor &y, const ConvParams &params) {
  // Without channels there may be any number of groups.
  if (y.size() == 0)
    return;
  std::span<const int64_t> in(x.shape()), out(y.shape()), w(weights.shape());
  Windows windows({in.subspan(2),
                   out.subspan(2),
                   Shape(w.begin() + 2, w.end()),
                   params.strides,
                   params.dilations,
                   params.padsBegin,
                   {},
                   params.transposed});
  int64_t taps = windows.taps(), groups = params.groups;
  int64_t channels = x.dim(1) / groups, outputs = y.dim(1) / groups;
  int64_t depth = channels * taps;
  int64_t pixels = elementCount(in.subspan(2));
  int64_t positions = elementCount(out.subspan(2));
  std::vector<float> turned;
  const float *from = weights.data<float>();
  if (params.transposed) {
    turned = transposeWeights(weights, groups, taps);
    from = turned.data();
  }
  std::vector<FloatPanels> panels;
  for (int64_t g = 0; g < groups; ++g)
    panels.emplace_back(from + g * outputs * depth, outputs, depth, depth, 1);
  forEachBlock(
      positions, x.dim(0) * groups,
      [&](int64_t part, int64_t begin, int64_t end) {
        int64_t group = part % groups;
        const float *image = x.data<float>() + part * channels * pixels;
        std::vector<int64_t> inputs(size_t(std::max<int64_t>(taps, 1)));
        std::vector<float> rows(size_t((end - begin) * depth));
        float *row = rows.data();
        for (int64_t p = begin; p < end; ++p) {
          windows.inputsOf(p, inputs.data());
          for (int64_t c = 0; c < channels; ++c)
            for (int64_t t = 0; t < taps; ++t)
              *row++ = inputs[t] < 0 ? 0.0f : image[c * pixels + inputs[t]];
        }
        multiply(rows.data(), end - begin, panels[size_t(group)],
                 bias ? bias->data<float>() + group * outputs : nullptr,
                 y.data<float>() + part * outputs * positions + begin, 1,
                 positions);
      });
}

void floatFullyConnected(const Tensor &x, const Tensor &weights,
                         const Tensor *bias, Tensor &y) {
  int64_t columns = weights.dim(0), depth = weights.dim(1);
  FloatPanels panels(weights.data<float>(), columns, depth, depth, 1);
  forEachBlock(columns ? y.size() / columns : 0, 1,
               [&](int64_t, int64_t begin, int64_t end) {
                 multiply(x.data<float>() + begin * depth, end - begin, panels,
                          bias ? bias->data<float>() : nullptr,
                          y.data<float>() + begin * columns, columns, 1);
               });
}

void floatMatmul(const Tensor &a, const Tensor &b, Tensor &y) {
  const MatrixBatch batch(a, b, y);
  int64_t size = batch.depth * batch.columns;
  for (int64_t m = 0; m < batch.count; ++m) {
    FloatPanels panels(b.data<float>() + batch.right(m) * size, batch.columns,
                       batch.depth, 1, batch.columns);
    const float *left =
        a.data<float>() + batch.left(m) * batch.rows * batch.depth;
    float *to = y.data<float>() + m * batch.rows * batch.columns;
    forEachBlock(batch.rows, 1, [&](int64_t, int64_t begin, int64_t end) {
      multiply(left + begin * batch.depth, end - begin, panels, nullptr,
               to + begin * batch.columns, batch.columns, 1);
    });
  }
}

} // namespace parallax::npu
