//===- Reduce.cpp - Reductions along axes ---------------------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// After fusing, the innermost axis is either reduced (each output combines
// contiguous rows) or kept (rows are combined column by column). Rows are taken
// in pieces of a fixed length, so that a single large reduction can use all
// threads and still give the same bits on any number of them.
//===----------------------------------------------------------------------===//
#include "parallax/Backend/Reference/Kernels/Reduce.h"

#include "ReduceSteps.h"

#include "parallax/Backend/Kernels/Loops.h"
#include "parallax/Support/Error.h"
#include "parallax/Support/Parallel.h"
#include "parallax/Support/Simd.h"

#include <fmt/format.h>

namespace parallax::kernels {
namespace {

constexpr int64_t pieceLength = 4096;
/// Outputs that are computed together.
constexpr int64_t blockLength = 256;

Step stepOf(ReduceKind kind) {
  switch (kind) {
  case ReduceKind::Max:
    return Step::Max;
  case ReduceKind::Min:
    return Step::Min;
  case ReduceKind::Prod:
    return Step::Mul;
  case ReduceKind::L1:
    return Step::AddAbs;
  case ReduceKind::L2:
  case ReduceKind::SumSquare:
    return Step::AddSquare;
  case ReduceKind::LogSumExp:
    return Step::AddExp;
  default:
    return Step::Add;
  }
}

template <typename W>
PARALLAX_INLINE Accumulator<W> rowByStep(Step step, const W *x, int64_t count,
                                         W shift) {
  Accumulator<W> result{};
  dispatchKind<stepCount>(step, [&](auto s) PARALLAX_INLINE_LAMBDA {
    if constexpr (s() == Step::AddExp)
      result = reduceExpRowLoop<W>(x, count, shift);
    else
      result = reduceRowLoop<s(), W>(x, count, shift);
  });
  return result;
}

template <typename W>
PARALLAX_INLINE void columnsByStep(Step step, const ColumnRows<W> &in,
                                   const W *shifts, Accumulator<W> *results) {
  dispatchKind<stepCount>(step, [&](auto s) PARALLAX_INLINE_LAMBDA {
    reduceColumnsLoop<s(), W>(in, shifts, results);
  });
}

template <typename W>
Accumulator<W> reduceRow(Step step, const W *x, int64_t count, W shift) {
  return rowByStep<W>(step, x, count, shift);
}
PARALLAX_SIMD double reduceRow(Step step, const float *x, int64_t count,
                               float shift) {
  return rowByStep<float>(step, x, count, shift);
}

template <typename W>
void reduceColumns(Step step, const ColumnRows<W> &in, const W *shifts,
                   Accumulator<W> *results) {
  columnsByStep<W>(step, in, shifts, results);
}
PARALLAX_SIMD void reduceColumns(Step step, const ColumnRows<float> &in,
                                 const float *shifts, double *results) {
  columnsByStep<float>(step, in, shifts, results);
}

template <typename A> A neutralOf(Step step) {
  A result{};
  dispatchKind<stepCount>(step, [&](auto s) { result = neutral<s(), A>(); });
  return result;
}
template <typename A> A combineBy(Step step, A a, A b) {
  A result{};
  dispatchKind<stepCount>(step, [&](auto s) { result = combine<s()>(a, b); });
  return result;
}

/// The result in the output's type. `count` elements were combined.
template <typename T, typename A>
T finish(ReduceKind kind, A value, A shift, int64_t count) {
  if (count == 0 && kind == ReduceKind::Max)
    return neutral<Step::Max, T>();
  if (count == 0 && kind == ReduceKind::Min)
    return neutral<Step::Min, T>();
  auto convert = [](double number) {
    if constexpr (std::is_integral_v<T>)
      return saturateTo<T>(number);
    else
      return T(number);
  };
  switch (kind) {
  case ReduceKind::Mean:
    if constexpr (std::is_integral_v<A>)
      return count == 0 ? T(0) : T(value / A(count));
    else
      return convert(value / double(count));
  case ReduceKind::L2:
    return convert(std::sqrt(double(value)));
  case ReduceKind::LogSum:
    return convert(std::log(double(value)));
  case ReduceKind::LogSumExp:
    return convert(std::log(double(value)) + double(shift));
  default:
    if constexpr (std::is_integral_v<A>)
      return T(value);
    else
      return convert(value);
  }
}

/// One reduction in numbers of type W.
template <typename W> class Reduction {
  using A = Accumulator<W>;

public:
  Reduction(ReduceKind kind, const Tensor &x, Tensor &y,
            std::span<const int64_t> axes)
      : kind(kind), x(x), y(y) {
    // Operand 0 marks kept axes by a stride that is not 0, operand 1 is x.
    LoopNest<2> nest{x.shape(), {stridesOf(x.shape()), stridesOf(x.shape())}};
    int64_t stride = 1;
    for (int64_t axis = x.rank(); axis-- > 0;) {
      bool isReduced = std::find(axes.begin(), axes.end(), axis) != axes.end();
      nest.strides[0][axis] = isReduced ? 0 : stride;
      stride *= isReduced ? 1 : x.dim(axis);
      count *= isReduced ? x.dim(axis) : 1;
    }
    nest.simplify();
    for (size_t axis = 0; axis < nest.dims.size(); ++axis) {
      LoopNest<1> &loops = nest.strides[0][axis] != 0 ? kept : reduced;
      loops.dims.push_back(nest.dims[axis]);
      loops.strides[0].push_back(nest.strides[1][axis]);
    }
    bool innerIsReduced = !nest.dims.empty() && nest.strides[0].back() == 0;
    inner = 1;
    if (!nest.dims.empty()) {
      LoopNest<1> &loops = innerIsReduced ? reduced : kept;
      inner = loops.dims.back();
      loops.resize(loops.dims.size() - 1);
    }
    usesRows = innerIsReduced;
    // Without a need to widen, the kernel for columns takes several rows.
    if (!usesRows && x.dtype() == dtypeOf<W>() && !reduced.dims.empty()) {
      rowsPerCall = reduced.dims.back();
      rowStride = reduced.strides[0].back();
      reduced.resize(reduced.dims.size() - 1);
    }
  }

  void run() {
    if (x.size() == 0)
      return storeEmpty();
    usesRows ? runRows() : runColumns();
  }

private:
  /// Elements of x as numbers of type W; `buffer` is only used to widen.
  const W *load(int64_t element, int64_t length, W *buffer) const {
    if (x.dtype() == dtypeOf<W>())
      return x.data<W>() + element;
    dispatch(x.dtype(), [&](auto tag) {
      using T = typename decltype(tag)::type;
      const T *from = x.data<T>() + element;
      for (int64_t i = 0; i < length; ++i)
        buffer[i] = W(from[i]);
    });
    return buffer;
  }

  void store(int64_t first, int64_t length, const A *values, const W *shifts) {
    dispatch(y.dtype(), [&](auto tag) {
      using T = typename decltype(tag)::type;
      if constexpr (std::is_arithmetic_v<T>) {
        T *to = y.data<T>() + first;
        for (int64_t i = 0; i < length; ++i)
          to[i] = finish<T, A>(kind, values[i], A(shifts[i]), count);
      }
    });
  }

  void storeEmpty() {
    A value = neutralOf<A>(stepOf(kind));
    W shift{};
    for (int64_t i = 0; i < y.size(); ++i)
      store(i, 1, &value, &shift);
  }

  /// What the maximum becomes as a shift: infinities would give NaN.
  static W shiftFor(A maximum) {
    if constexpr (std::is_floating_point_v<W>)
      return std::isinf(maximum) ? W(0) : W(maximum);
    else
      return W(0);
  }

  /// Piece `index` of the elements that reduce to the output at `base`.
  A reducePiece(Step step, int64_t base, int64_t index, W shift) const {
    int64_t perRow = (inner + pieceLength - 1) / pieceLength;
    Odometer<1> row(reduced, index / perRow);
    return reducePieceOfRow(step, base + row[0], index % perRow, shift);
  }
  A reducePieceOfRow(Step step, int64_t rowBase, int64_t piece, W shift) const {
    W buffer[std::is_same_v<W, float> ? 1 : pieceLength];
    int64_t begin = piece * pieceLength;
    int64_t length = std::min(pieceLength, inner - begin);
    return reduceRow(step, load(rowBase + begin, length, buffer), length,
                     shift);
  }

  size_t pieceCount() const {
    return elementCount(reduced.dims) *
           ((inner + pieceLength - 1) / pieceLength);
  }

  /// One output, from the pieces in their order.
  A reduceAt(Step step, int64_t base, W shift) const {
    if (reduced.dims.empty() && inner <= pieceLength)
      return reducePieceOfRow(step, base, 0, shift);
    A value = neutralOf<A>(step);
    Odometer<1> row(reduced, 0);
    int64_t rows = elementCount(reduced.dims);
    for (int64_t r = 0; r < rows; ++r, row.next())
      for (int64_t piece = 0; piece * pieceLength < inner; ++piece)
        value = combineBy(step, value,
                          reducePieceOfRow(step, base + row[0], piece, shift));
    return value;
  }

  /// The same from pieces that were computed on several threads.
  A reduceAtParallel(Step step, int64_t base, W shift) const {
    std::vector<A> parts(pieceCount());
    parallelFor(int64_t(parts.size()), grainFor(pieceLength),
                [&](int64_t begin, int64_t end) {
                  for (int64_t i = begin; i < end; ++i)
                    parts[i] = reducePiece(step, base, i, shift);
                });
    A value = neutralOf<A>(step);
    for (A part : parts)
      value = combineBy(step, value, part);
    return value;
  }

  void runRows() {
    int64_t outputs = elementCount(kept.dims);
    bool splitsRows = outputs < threadCount() && count > 2 * cheapGrain;
    auto reduceOutputs = [&](int64_t begin, int64_t end) {
      A values[blockLength];
      W shifts[blockLength] = {};
      Odometer<1> base(kept, begin);
      for (int64_t first = begin; first < end; first += blockLength) {
        int64_t length = std::min(blockLength, end - first);
        for (int64_t i = 0; i < length; ++i, base.next()) {
          auto reduceBy = [&](Step step) {
            return splitsRows ? reduceAtParallel(step, base[0], shifts[i])
                              : reduceAt(step, base[0], shifts[i]);
          };
          if (kind == ReduceKind::LogSumExp)
            shifts[i] = shiftFor(reduceBy(Step::Max));
          values[i] = reduceBy(stepOf(kind));
        }
        store(first, length, values, shifts);
      }
    };
    if (splitsRows)
      reduceOutputs(0, outputs);
    else
      parallelFor(outputs, grainFor(count), reduceOutputs);
  }

  void columnsBy(Step step, int64_t base, int64_t length, const W *shifts,
                 A *values) const {
    std::fill_n(values, length, neutralOf<A>(step));
    ColumnRows<W> in{nullptr, rowsPerCall, rowStride, length};
    W buffer[blockLength];
    Odometer<1> row(reduced, 0);
    int64_t rows = elementCount(reduced.dims);
    for (int64_t r = 0; r < rows; ++r, row.next()) {
      in.x = load(base + row[0], length, buffer);
      reduceColumns(step, in, shifts, values);
    }
  }

  void runColumns() {
    int64_t perRow = (inner + blockLength - 1) / blockLength;
    int64_t items = elementCount(kept.dims) * perRow;
    int64_t perItem = count * std::min(inner, blockLength);
    parallelFor(items, grainFor(perItem), [&](int64_t begin, int64_t end) {
      A values[blockLength];
      W shifts[blockLength] = {};
      Odometer<1> base(kept, begin / perRow);
      for (int64_t block = begin % perRow, i = begin; i < end; ++i) {
        int64_t column = block * blockLength;
        int64_t length = std::min(blockLength, inner - column);
        if (kind == ReduceKind::LogSumExp) {
          columnsBy(Step::Max, base[0] + column, length, shifts, values);
          std::transform(values, values + length, shifts, shiftFor);
        }
        columnsBy(stepOf(kind), base[0] + column, length, shifts, values);
        store(i / perRow * inner + column, length, values, shifts);
        if (++block == perRow) {
          block = 0;
          base.next();
        }
      }
    });
  }

  ReduceKind kind;
  const Tensor &x;
  Tensor &y;
  /// The loops around the innermost one, which has `inner` iterations.
  LoopNest<1> kept, reduced;
  int64_t inner = 1;
  bool usesRows = false;
  int64_t rowsPerCall = 1, rowStride = 0;
  /// Elements per output.
  int64_t count = 1;
};

} // namespace

void reduce(ReduceKind kind, const Tensor &x, Tensor &y,
            std::span<const int64_t> axes) {
  DType type = x.dtype();
  if (type == DType::F16 || type == DType::BF16)
    throw Error(fmt::format("reductions do not compute in {}; insert a Cast to "
                            "float32 before them",
                            nameOf(type)));
  if (type == DType::F32)
    Reduction<float>(kind, x, y, axes).run();
  else if (type == DType::F64 || kind == ReduceKind::LogSumExp)
    Reduction<double>(kind, x, y, axes).run();
  else if (type == DType::U64)
    Reduction<uint64_t>(kind, x, y, axes).run();
  else
    Reduction<int64_t>(kind, x, y, axes).run();
}

} // namespace parallax::kernels
