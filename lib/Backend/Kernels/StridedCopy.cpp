//===- StridedCopy.cpp - The engine of the layout kernels -----------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// After fusing loops, one of three things is left: runs that are contiguous on
// both sides (memcpy), an axis that is contiguous in the source and another
// that is contiguous in the target (a blocked transpose in vector registers),
// or single elements. Short runs become elements of their own, so that a
// transpose of pairs is still a transpose.
//===----------------------------------------------------------------------===//
#include "parallax/Backend/Kernels/StridedCopy.h"

#include "parallax/Support/Parallel.h"
#include "parallax/Support/Simd.h"

#include <cstring>

namespace parallax::kernels {
namespace {

constexpr int64_t byteGrain = 65536;

template <size_t S>
PARALLAX_INLINE void copyElement(std::byte *to, const std::byte *from) {
  std::memcpy(to, from, S);
}

/// Calls fn with the element size as a constant.
template <typename Fn>
PARALLAX_INLINE void dispatchBytes(size_t size, Fn &&fn) {
  switch (size) {
  case 1:
    return fn(std::integral_constant<size_t, 1>{});
  case 2:
    return fn(std::integral_constant<size_t, 2>{});
  case 4:
    return fn(std::integral_constant<size_t, 4>{});
  case 8:
    return fn(std::integral_constant<size_t, 8>{});
  default:
    assert(size == 16);
    return fn(std::integral_constant<size_t, 16>{});
  }
}

template <size_t S>
using UnsignedOf = std::conditional_t<
    S == 1, uint8_t,
    std::conditional_t<S == 2, uint16_t,
                       std::conditional_t<S == 4, uint32_t, uint64_t>>>;

/// Squares of elements whose rows fill one 16-byte register.
template <typename T> struct SquareTranspose {
  static constexpr int64_t lanes = 16 / sizeof(T);
  typedef T Row __attribute__((vector_size(16)));

  /// Alternates lanes of a and b, beginning with lane `first` of each.
  template <int64_t first, size_t... I>
  static PARALLAX_INLINE Row zip(Row a, Row b, std::index_sequence<I...>) {
    return __builtin_shufflevector(a, b, (first + I / 2 + (I % 2) * lanes)...);
  }

  /// Zipping rows i and i + lanes/2 doubles the length of the column pieces
  /// that each register holds; after log2(lanes) rounds they are complete.
  template <int64_t done>
  static PARALLAX_INLINE void zipRounds(const Row (&rows)[lanes], std::byte *to,
                                        int64_t toStride) {
    if constexpr (done == lanes) {
#pragma GCC unroll 16
      for (int64_t i = 0; i < lanes; ++i)
        std::memcpy(to + i * toStride, &rows[i], 16);
    } else {
      constexpr std::make_index_sequence<size_t(lanes)> indices;
      Row zipped[lanes];
#pragma GCC unroll 16
      for (int64_t i = 0; i < lanes / 2; ++i) {
        zipped[2 * i] = zip<0>(rows[i], rows[i + lanes / 2], indices);
        zipped[2 * i + 1] =
            zip<lanes / 2>(rows[i], rows[i + lanes / 2], indices);
      }
      zipRounds<2 * done>(zipped, to, toStride);
    }
  }

  static PARALLAX_INLINE void run(std::byte *to, int64_t toStride,
                                  const std::byte *from, int64_t fromStride) {
    Row rows[lanes];
#pragma GCC unroll 16
    for (int64_t i = 0; i < lanes; ++i)
      std::memcpy(&rows[i], from + i * fromStride, 16);
    zipRounds<1>(rows, to, toStride);
  }
};

/// `rows` runs, whose moves are too short to be worth calls. The last piece of
/// a run overlaps with the one before it.
template <int64_t piece, typename Bytes>
PARALLAX_INLINE void copyRunsInline(std::byte *to, int64_t toStride,
                                    const std::byte *from, int64_t fromStride,
                                    Bytes runBytes, int64_t rows) {
  for (; rows > 0; --rows, to += toStride, from += fromStride) {
    int64_t i = 0;
    for (; i + piece <= runBytes; i += piece)
      copyElement<piece>(to + i, from + i);
    if (i < runBytes)
      copyElement<piece>(to + runBytes - piece, from + runBytes - piece);
  }
}

constexpr int64_t shortestRun = 16, longestShortRun = 1024;
PARALLAX_SIMD void copyShortRuns(std::byte *to, int64_t toStride,
                                 const std::byte *from, int64_t fromStride,
                                 int64_t runBytes, int64_t rows) {
  if (runBytes == 32)
    copyRunsInline<32>(to, toStride, from, fromStride,
                       std::integral_constant<int64_t, 32>(), rows);
  else if (runBytes == 64)
    copyRunsInline<32>(to, toStride, from, fromStride,
                       std::integral_constant<int64_t, 64>(), rows);
  else if (runBytes > 32)
    copyRunsInline<32>(to, toStride, from, fromStride, runBytes, rows);
  else
    copyRunsInline<16>(to, toStride, from, fromStride, runBytes, rows);
}

/// A tile whose `columns` are contiguous in the target and whose `rows` are
/// contiguous in the source.
struct Tile {
  std::byte *to;
  int64_t toStride; // between rows
  const std::byte *from;
  int64_t fromStride; // between columns
  int64_t rows, columns;
};

/// Elements of a tile.
constexpr int64_t tileArea = 4096;

template <size_t S> void copyTileElements(const Tile &tile) {
  auto copy = [&](int64_t row, int64_t column) {
    copyElement<S>(tile.to + row * tile.toStride + column * int64_t(S),
                   tile.from + column * tile.fromStride + row * int64_t(S));
  };
  // The longer extent makes the inner loop.
  if (tile.columns > tile.rows)
    for (int64_t row = 0; row < tile.rows; ++row)
      for (int64_t column = 0; column < tile.columns; ++column)
        copy(row, column);
  else
    for (int64_t column = 0; column < tile.columns; ++column)
      for (int64_t row = 0; row < tile.rows; ++row)
        copy(row, column);
}

/// Writes a tile of whole squares to `to`, whose rows are `toStride` apart.
template <size_t S>
PARALLAX_INLINE void writeSquares(const Tile &tile, std::byte *to,
                                  int64_t toStride) {
  using Square = SquareTranspose<UnsignedOf<S>>;
  for (int64_t column = 0; column < tile.columns; column += Square::lanes)
    for (int64_t row = 0; row < tile.rows; row += Square::lanes)
      Square::run(to + row * toStride + column * int64_t(S), toStride,
                  tile.from + column * tile.fromStride + row * int64_t(S),
                  tile.fromStride);
}

/// The rows of the target often lie a power of two apart and would evict each
/// other from the cache; so the tile is assembled in a buffer, and its rows are
/// written in one go each. Where they follow each other, that isn't needed.
template <size_t S> void transposeSquares(const Tile &tile) {
  int64_t rowBytes = tile.columns * int64_t(S);
  if (rowBytes == tile.toStride)
    return writeSquares<S>(tile, tile.to, tile.toStride);
  alignas(64) std::byte buffer[tileArea * S];
  writeSquares<S>(tile, buffer, rowBytes);
  for (int64_t row = 0; row < tile.rows; ++row)
    std::memcpy(tile.to + row * tile.toStride, buffer + row * rowBytes,
                size_t(rowBytes));
}

/// A tile with so few columns that its rows interleave them, or with so few
/// rows that they pick apart the columns: both without gaps.
template <size_t S, int64_t few>
PARALLAX_INLINE void copyNarrowLoop(const Tile &tile, bool fewColumns) {
  constexpr int64_t size = S;
  // Copies: the bytes that are written might be those of the tile itself.
  auto [to, toStride, from, fromStride, rows, columns] = tile;
  if (fewColumns) {
    PARALLAX_INDEPENDENT
    for (int64_t row = 0; row < rows; ++row)
      for (int64_t column = 0; column < few; ++column)
        copyElement<S>(to + (row * few + column) * size,
                       from + column * fromStride + row * size);
  } else {
    PARALLAX_INDEPENDENT
    for (int64_t column = 0; column < columns; ++column)
      for (int64_t row = 0; row < few; ++row)
        copyElement<S>(to + row * toStride + column * size,
                       from + (column * few + row) * size);
  }
}

PARALLAX_SIMD void copyNarrowTile(const Tile &tile, size_t size,
                                  bool fewColumns) {
  int64_t few = fewColumns ? tile.columns : tile.rows;
  dispatchBytes(size, [&](auto constant) PARALLAX_INLINE_LAMBDA {
    constexpr size_t S = decltype(constant)::value;
    if (few == 2)
      copyNarrowLoop<S, 2>(tile, fewColumns);
    else if (few == 3)
      copyNarrowLoop<S, 3>(tile, fewColumns);
    else
      copyNarrowLoop<S, 4>(tile, fewColumns);
  });
}

template <size_t S> void transposeTile(const Tile &tile) {
  auto isNarrow = [](int64_t extent, int64_t stride) {
    return extent >= 2 && extent <= 4 && stride == extent * int64_t(S);
  };
  bool fewColumns = isNarrow(tile.columns, tile.toStride);
  if (fewColumns || isNarrow(tile.rows, tile.fromStride))
    return copyNarrowTile(tile, S, fewColumns);
  constexpr int64_t lanes = 16 / S;
  int64_t fullRows = tile.rows / lanes * lanes;
  int64_t fullColumns = tile.columns / lanes * lanes;
  if (S == 16 || fullRows == 0 || fullColumns == 0)
    return copyTileElements<S>(tile);
  Tile squares = tile, below = tile, right = tile;
  squares.rows = fullRows;
  squares.columns = fullColumns;
  below.to += fullRows * tile.toStride;
  below.from += fullRows * int64_t(S);
  below.rows -= fullRows;
  below.columns = fullColumns;
  right.to += fullColumns * int64_t(S);
  right.from += fullColumns * tile.fromStride;
  right.columns -= fullColumns;
  if constexpr (S != 16)
    transposeSquares<S>(squares);
  copyTileElements<S>(below);
  copyTileElements<S>(right);
}

/// Splits [0, extent) into pieces of `piece`.
struct Pieces {
  int64_t extent, piece;
  int64_t count() const { return (extent + piece - 1) / piece; }
  int64_t begin(int64_t i) const { return i * piece; }
  int64_t length(int64_t i) const {
    return std::min(piece, extent - i * piece);
  }
};

/// Short runs; the innermost loop of `outer` stays a plain loop.
void copyShortRuns(std::byte *to, const std::byte *from, int64_t runBytes,
                   LoopNest<2> outer) {
  int64_t perGroup = outer.dims.back();
  int64_t toStride = outer.strides[0].back();
  int64_t fromStride = outer.strides[1].back();
  outer.resize(outer.dims.size() - 1);
  parallelFor(elementCount(outer.dims) * perGroup, byteGrain / runBytes,
              [&](int64_t begin, int64_t end) {
                Odometer<2> group(outer, begin / perGroup);
                for (int64_t row = begin % perGroup; begin < end; row = 0) {
                  int64_t rows = std::min(perGroup - row, end - begin);
                  copyShortRuns(to + group[0] + row * toStride, toStride,
                                from + group[1] + row * fromStride, fromStride,
                                runBytes, rows);
                  begin += rows;
                  group.next();
                }
              });
}

/// Runs that are contiguous on both sides; strides are in bytes.
void copyRuns(std::byte *to, const std::byte *from, int64_t runBytes,
              const LoopNest<2> &outer) {
  if (!outer.dims.empty() && runBytes >= shortestRun &&
      runBytes <= longestShortRun)
    return copyShortRuns(to, from, runBytes, outer);
  int64_t rows = elementCount(outer.dims);
  Pieces pieces{runBytes, byteGrain};
  int64_t perRow = pieces.count();
  int64_t grain =
      std::max<int64_t>(1, byteGrain / std::min(runBytes, byteGrain));
  parallelFor(rows * perRow, grain, [&](int64_t begin, int64_t end) {
    Odometer<2> row(outer, begin / perRow);
    for (int64_t piece = begin % perRow; begin < end; ++begin) {
      std::memcpy(to + row[0] + pieces.begin(piece),
                  from + row[1] + pieces.begin(piece),
                  size_t(pieces.length(piece)));
      if (++piece == perRow) {
        piece = 0;
        row.next();
      }
    }
  });
}

/// The innermost loop is contiguous in the target, loop `axis` in the source.
void copyTransposed(std::byte *to, const std::byte *from, size_t size,
                    LoopNest<2> nest, size_t axis) {
  // A short extent leaves more of the tile to the other one.
  const int64_t side = 64;
  Pieces columns{nest.dims.back(), side}, rows{nest.dims[axis], side};
  if (rows.extent < side)
    columns.piece = tileArea / rows.extent / side * side;
  else if (columns.extent < side)
    rows.piece = tileArea / columns.extent / side * side;
  int64_t fromStride = nest.strides[1].back();
  int64_t toStride = nest.strides[0][axis];
  nest.resize(nest.dims.size() - 1);
  nest.erase(axis);
  int64_t perPlane = rows.count() * columns.count();
  int64_t perTile = rows.length(0) * columns.length(0);
  int64_t planes = elementCount(nest.dims);
  parallelFor(planes * perPlane, grainFor(perTile),
              [&](int64_t begin, int64_t end) {
                Odometer<2> plane(nest, begin / perPlane);
                int64_t index = begin % perPlane;
                for (; begin < end; ++begin) {
                  int64_t row = index / columns.count(),
                          column = index % columns.count();
                  dispatchBytes(size, [&](auto constant) {
                    constexpr size_t S = decltype(constant)::value;
                    transposeTile<S>(
                        {to + plane[0] + rows.begin(row) * toStride +
                             columns.begin(column) * int64_t(S),
                         toStride,
                         from + plane[1] + columns.begin(column) * fromStride +
                             rows.begin(row) * int64_t(S),
                         fromStride, rows.length(row), columns.length(column)});
                  });
                  if (++index == perPlane) {
                    index = 0;
                    plane.next();
                  }
                }
              });
}

template <size_t S>
void copyRow(std::byte *to, int64_t toStride, const std::byte *from,
             int64_t fromStride, int64_t count) {
  if (fromStride == 0 && toStride == int64_t(S)) {
    std::byte value[S];
    std::memcpy(value, from, S);
    for (int64_t i = 0; i < count; ++i)
      copyElement<S>(to + i * int64_t(S), value);
  } else if (toStride == int64_t(S)) {
    for (int64_t i = 0; i < count; ++i)
      copyElement<S>(to + i * int64_t(S), from + i * fromStride);
  } else {
    for (int64_t i = 0; i < count; ++i)
      copyElement<S>(to + i * toStride, from + i * fromStride);
  }
}

void copyElements(std::byte *to, const std::byte *from, size_t size,
                  LoopNest<2> nest) {
  Pieces pieces{nest.dims.back(), cheapGrain};
  int64_t toStride = nest.strides[0].back();
  int64_t fromStride = nest.strides[1].back();
  nest.resize(nest.dims.size() - 1);
  int64_t perRow = pieces.count();
  int64_t items = elementCount(nest.dims) * perRow;
  parallelFor(items, grainFor(pieces.length(0)),
              [&](int64_t begin, int64_t end) {
                Odometer<2> row(nest, begin / perRow);
                for (int64_t piece = begin % perRow; begin < end; ++begin) {
                  dispatchBytes(size, [&](auto constant) {
                    copyRow<decltype(constant)::value>(
                        to + row[0] + pieces.begin(piece) * toStride, toStride,
                        from + row[1] + pieces.begin(piece) * fromStride,
                        fromStride, pieces.length(piece));
                  });
                  if (++piece == perRow) {
                    piece = 0;
                    row.next();
                  }
                }
              });
}

} // namespace

void stridedCopy(void *target, const void *source, size_t elementSize,
                 LoopNest<2> nest) {
  if (elementCount(nest.dims) == 0)
    return;
  auto *to = static_cast<std::byte *>(target);
  auto *from = static_cast<const std::byte *>(source);
  for (Shape &strides : nest.strides)
    for (int64_t &stride : strides)
      stride *= int64_t(elementSize);
  nest.simplify();

  auto isContiguous = [&](size_t operand, size_t axis) {
    return nest.strides[operand][axis] == int64_t(elementSize);
  };
  size_t last = nest.dims.size() - 1;
  if (nest.dims.empty() || (isContiguous(0, last) && isContiguous(1, last))) {
    int64_t runBytes = int64_t(elementSize);
    if (!nest.dims.empty()) {
      runBytes *= nest.dims.back();
      nest.resize(last--);
    }
    bool isElement = runBytes <= 16 && (runBytes & (runBytes - 1)) == 0;
    if (!isElement || nest.dims.empty())
      return copyRuns(to, from, runBytes, nest);
    elementSize = size_t(runBytes);
  }
  if (isContiguous(0, last))
    for (size_t axis = 0; axis < last; ++axis)
      if (isContiguous(1, axis))
        return copyTransposed(to, from, elementSize, std::move(nest), axis);
  copyElements(to, from, elementSize, std::move(nest));
}

void parallelCopy(void *target, const void *source, size_t bytes) {
  if (target == source)
    return;
  auto *to = static_cast<std::byte *>(target);
  auto *from = static_cast<const std::byte *>(source);
  parallelFor(int64_t(bytes), byteGrain, [=](int64_t begin, int64_t end) {
    std::memcpy(to + begin, from + begin, size_t(end - begin));
  });
}

void parallelFill(void *target, const void *value, size_t elementSize,
                  int64_t count) {
  dispatchSize(elementSize, [&](auto tag) {
    using T = typename decltype(tag)::type;
    T element;
    std::memcpy(&element, value, sizeof(T));
    auto *to = static_cast<T *>(target);
    parallelFor(count, cheapGrain, [=](int64_t begin, int64_t end) {
      std::fill(to + begin, to + end, element);
    });
  });
}

} // namespace parallax::kernels
