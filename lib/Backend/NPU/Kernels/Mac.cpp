//===- Mac.cpp - Integer kernels: multiply and accumulate -----------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Everything comes down to rows times columns: a convolution first writes the
// codes under each window into a row, with the zero point where a tap falls
// outside, so that multiply() is the only inner loop.
//===----------------------------------------------------------------------===//
#include "parallax/Backend/NPU/Kernels/Mac.h"

#include "Windows.h"
#include "parallax/Support/Parallel.h"

#include <type_traits>

namespace parallax::npu {
namespace {

/// FP32 layers sum in single precision, all others exactly.
template <typename A>
using SumOf = std::conditional_t<std::is_same_v<A, float>, float, int64_t>;

/// rows x depth codes, row after row.
template <typename T> struct Matrix {
  const T *data;
  int64_t zero, rows, depth;
};

/// sums[r, c] = the sum over k, in ascending order, of (a[r, k] - aZero)
/// (b[c, k] - bZero).
template <typename A, typename B>
void multiply(const Matrix<A> &a, const Matrix<B> &b, SumOf<A> *sums) {
  constexpr bool narrow = sizeof(A) == 1 && sizeof(B) == 1;
  using Factor =
      std::conditional_t<std::is_same_v<A, float>, float,
                         std::conditional_t<narrow, int32_t, int64_t>>;
  auto aZero = Factor(a.zero), bZero = Factor(b.zero);
  for (int64_t r = 0; r < a.rows; ++r)
    for (int64_t c = 0; c < b.rows; ++c) {
      const A *left = a.data + r * a.depth;
      const B *right = b.data + c * b.depth;
      SumOf<A> sum = 0;
      for (int64_t k = 0; k < a.depth; ++k)
        sum += (Factor(left[k]) - aZero) * (Factor(right[k]) - bZero);
      sums[r * b.rows + c] = sum;
    }
}

//===----------------------------------------------------------------------===//
// From sums to results
//===----------------------------------------------------------------------===//

/// Adds the bias of channel `channel` and stores the result in the type of y.
template <typename Sum> class Store {
public:
  Store(const Tensor *bias, Tensor &y, const MacOutput &output)
      : bias(bias), y(y), output(output) {}

  void operator()(Sum sum, int64_t channel, int64_t offset) const {
    if constexpr (std::is_same_v<Sum, float>) {
      y.data<float>()[offset] = bias ? sum + bias->data<float>()[channel] : sum;
    } else {
      sum += biasOf(channel);
      if (y.dtype() == DType::F32) {
        y.data<float>()[offset] =
            float(double(sum) * of(output.scales, channel));
        return;
      }
      int64_t code = output.codes.code(requantize(
          sum, of(output.multipliers, channel), output.codes.rounding));
      dispatchCodes("a product", y.dtype(), [&]<typename T>(TypeTag<T>) {
        y.data<T>()[offset] = T(code);
      });
    }
  }

private:
  template <typename T>
  static const T &of(const std::vector<T> &values, int64_t channel) {
    return values[values.size() == 1 ? 0 : size_t(channel)];
  }

  int64_t biasOf(int64_t channel) const {
    if (!bias)
      return 0;
    return bias->dtype() == DType::I32 ? bias->data<int32_t>()[channel]
                                       : bias->data<int64_t>()[channel];
  }

  const Tensor *bias;
  Tensor &y;
  const MacOutput &output;
};

/// Calls fn with the types of both operands.
template <typename Fn>
void dispatchOperands(const Tensor &a, const Tensor &b, Fn fn) {
  if (a.dtype() == DType::F32 && b.dtype() == DType::F32)
    return fn(TypeTag<float>{}, TypeTag<float>{});
  dispatchCodes("a product", a.dtype(), [&]<typename A>(TypeTag<A>) {
    dispatchCodes("a product", b.dtype(), [&]<typename B>(TypeTag<B>) {
      fn(TypeTag<A>{}, TypeTag<B>{});
    });
  });
}

/// Rows that are multiplied at once: a fixed number, so that threads only
/// choose who does which block.
constexpr int64_t blockRows = 64;

/// Calls fn(begin, end) for the blocks of `rows` rows.
template <typename Fn> void forEachBlock(int64_t rows, int64_t outer, Fn fn) {
  int64_t blocks = (rows + blockRows - 1) / blockRows;
  parallelFor(blocks * outer, 1, [&](int64_t first, int64_t last) {
    for (int64_t i = first; i < last; ++i) {
      int64_t begin = i % blocks * blockRows;
      fn(i / blocks, begin, std::min(begin + blockRows, rows));
    }
  });
}

//===----------------------------------------------------------------------===//
// Convolution
//===----------------------------------------------------------------------===//

/// [C, O / groups, taps] as [O, C / groups, taps].
template <typename B>
std::vector<B> transposeWeights(const Tensor &weights, int64_t groups,
                                int64_t taps) {
  int64_t channels = weights.dim(0) / groups, outputs = weights.dim(1);
  std::vector<B> result(size_t(weights.size()));
  const B *from = weights.data<B>();
  for (int64_t g = 0; g < groups; ++g)
    for (int64_t c = 0; c < channels; ++c)
      for (int64_t o = 0; o < outputs; ++o, from += taps)
        std::copy_n(from, taps,
                    result.data() + ((g * outputs + o) * channels + c) * taps);
  return result;
}

template <typename A, typename B>
void convolve(const Tensor &x, int64_t xZero, const Tensor &weights,
              const Tensor *bias, Tensor &y, const ConvParams &params,
              const MacOutput &output) {
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
  std::vector<B> packed;
  const B *weightData = weights.data<B>();
  if (params.transposed) {
    packed = transposeWeights<B>(weights, groups, taps);
    weightData = packed.data();
  }
  Store<SumOf<A>> store(bias, y, output);
  forEachBlock(
      positions, x.dim(0) * groups,
      [&](int64_t part, int64_t begin, int64_t end) {
        int64_t group = part % groups;
        const A *image = x.data<A>() + part * channels * pixels;
        std::vector<int64_t> inputs(size_t(std::max<int64_t>(taps, 1)));
        std::vector<A> rows(size_t((end - begin) * depth));
        A *row = rows.data();
        for (int64_t p = begin; p < end; ++p) {
          windows.inputsOf(p, inputs.data());
          for (int64_t c = 0; c < channels; ++c)
            for (int64_t t = 0; t < taps; ++t)
              *row++ = inputs[t] < 0 ? A(xZero) : image[c * pixels + inputs[t]];
        }
        std::vector<SumOf<A>> sums(size_t((end - begin) * outputs));
        multiply<A, B>(
            {rows.data(), xZero, end - begin, depth},
            {weightData + group * outputs * depth, 0, outputs, depth},
            sums.data());
        for (int64_t p = begin; p < end; ++p)
          for (int64_t o = 0; o < outputs; ++o)
            store(sums[(p - begin) * outputs + o], group * outputs + o,
                  (part * outputs + o) * positions + p);
      });
}

} // namespace

void convolution(const Tensor &x, int64_t xZero, const Tensor &weights,
                 const Tensor *bias, Tensor &y, const ConvParams &params,
                 const MacOutput &output) {
  dispatchOperands(x, weights,
                   [&]<typename A, typename B>(TypeTag<A>, TypeTag<B>) {
                     convolve<A, B>(x, xZero, weights, bias, y, params, output);
                   });
}

//===----------------------------------------------------------------------===//
// Matrix products
//===----------------------------------------------------------------------===//

/// Multiplies rows x depth codes at `a` by columns x depth codes at `b`; the
/// results start at element `offset` of y.
template <typename A, typename B>
static void multiplyBlock(const Matrix<A> &a, const Matrix<B> &b,
                          int64_t offset, const Store<SumOf<A>> &store) {
  std::vector<SumOf<A>> sums(size_t(a.rows * b.rows));
  multiply(a, b, sums.data());
  for (size_t i = 0; i < sums.size(); ++i)
    store(sums[i], int64_t(i) % b.rows, offset + int64_t(i));
}

void fullyConnected(const Tensor &x, int64_t xZero, const Tensor &weights,
                    const Tensor *bias, Tensor &y, const MacOutput &output) {
  int64_t columns = weights.dim(0), depth = weights.dim(1);
  int64_t rows = columns ? y.size() / columns : 0;
  dispatchOperands(
      x, weights, [&]<typename A, typename B>(TypeTag<A>, TypeTag<B>) {
        Store<SumOf<A>> store(bias, y, output);
        forEachBlock(rows, 1, [&](int64_t, int64_t begin, int64_t end) {
          multiplyBlock<A, B>(
              {x.data<A>() + begin * depth, xZero, end - begin, depth},
              {weights.data<B>(), 0, columns, depth}, begin * columns, store);
        });
      });
}

/// The matrix of a broadcast operand that belongs to matrix `index` of y.
static int64_t matrixOf(const Tensor &operand, const Tensor &y, int64_t index) {
  int64_t result = 0, stride = 1;
  for (int64_t i = 3; i <= y.rank(); ++i) {
    int64_t extent = y.dim(y.rank() - i), at = index % extent;
    index /= extent;
    if (i > operand.rank())
      continue;
    int64_t own = operand.dim(operand.rank() - i);
    result += (own == 1 ? 0 : at) * stride;
    stride *= own;
  }
  return result;
}

void matmul(const Tensor &a, int64_t aZero, const Tensor &b, int64_t bZero,
            Tensor &y, const MacOutput &output) {
  int64_t rows = y.dim(y.rank() - 2), columns = y.dim(y.rank() - 1);
  int64_t depth = a.dim(a.rank() - 1);
  int64_t matrices = y.size() == 0 ? 0 : y.size() / (rows * columns);
  dispatchOperands(a, b, [&]<typename A, typename B>(TypeTag<A>, TypeTag<B>) {
    Store<SumOf<A>> store(nullptr, y, output);
    for (int64_t m = 0; m < matrices; ++m) {
      const B *from = b.data<B>() + matrixOf(b, y, m) * depth * columns;
      std::vector<B> transposed(size_t(depth * columns));
      for (int64_t k = 0; k < depth; ++k)
        for (int64_t c = 0; c < columns; ++c)
          transposed[c * depth + k] = from[k * columns + c];
      const A *left = a.data<A>() + matrixOf(a, y, m) * rows * depth;
      forEachBlock(rows, 1, [&](int64_t, int64_t begin, int64_t end) {
        multiplyBlock<A, B>({left + begin * depth, aZero, end - begin, depth},
                            {transposed.data(), bZero, columns, depth},
                            (m * rows + begin) * columns, store);
      });
    }
  });
}

} // namespace parallax::npu
