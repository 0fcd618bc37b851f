//===- PackedGemm.h - Exact integer products of matrices -------*- C++ -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// The multiply-accumulate of the NPU, acc = sum (x - z_x) * (w - z_w), without
// an error: every sum is proven to fit before it is computed, so no order of
// additions, number of threads or instruction set can change a bit.
//
// Weights are packed once. Rows of x come from a matrix, or from pointers to
// channel vectors, one per tap of a convolution: groups, strides, dilation and
// padding are then only a matter of where pointers point. Sums go to a sink in
// tiles that are still in the cache, so that requantization reads them there.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_BACKEND_NPU_KERNELS_PACKEDGEMM_H
#define PARALLAX_BACKEND_NPU_KERNELS_PACKEDGEMM_H

#include "parallax/Support/Tensor.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <vector>

namespace parallax::npu {

/// Where the second operand lies, before it is packed: element (column, tap,
/// channel) is `data[column * columnStride + tap * tapStride + channel *
/// channelStride]`, of type I8, U8, I16 or U16.
struct WeightView {
  const void *data = nullptr;
  DType type = DType::I8;
  int32_t zeroPoint = 0;
  int64_t columns = 0, taps = 1, channels = 0;
  int64_t columnStride = 0, tapStride = 0, channelStride = 1;
};

/// A [columns, depth] matrix, row-major: the weights of a fully connected layer
/// or of a convolution whose kernel is stored as [column][tap][channel].
WeightView rowMajorWeights(const Tensor &w, int32_t zeroPoint = 0);

/// A tensor [columns, channels, taps...]: the kernel of an ONNX convolution.
WeightView convolutionWeights(const Tensor &w, int32_t zeroPoint = 0);

/// The taps of a depthwise convolution: tap `line * columns + column`.
struct DepthwiseTaps {
  int64_t lines, columns;
};

/// The second operand as 16-bit pairs along the depth, in panels of 16 columns.
///
/// The products of a pair are added in 32 bits. A panel is cut along its depth
/// where its own weights could make such a sum overflow; there the sums move on
/// to 64 bits. Weights too large for that to be rare are split into
/// `256 * high + low`, and a panel then holds both parts of 8 columns.
///
/// For processors that multiply bytes exactly, weights of bytes stay these, in
/// fours along the depth, and activations of U8 are taken with their zero
/// points, whose share columnSums() tells. Those of a depthwise convolution are
/// fours of a column of its kernel, one after the other, because neighbours
/// share the pixels of columns.
class PackedWeights {
public:
  static constexpr int64_t panelWidth = 16;

  /// A piece of a panel's depth, in pairs.
  struct Piece {
    int32_t pairs;
    /// The next piece could overflow 32 bits.
    bool isLastOfSum;
  };

  PackedWeights() = default;
  /// For activations of type `activations`.
  PackedWeights(const WeightView &view, DType activations,
                std::optional<DepthwiseTaps> depthwise = std::nullopt) {
    pack(view, activations, depthwise);
  }

  /// Packs again, in the memory of before if it suffices: for products of two
  /// activations.
  void pack(const WeightView &view, DType activations,
            std::optional<DepthwiseTaps> depthwise = std::nullopt);

  int64_t columns() const { return columnCount; }
  /// The number of products in one sum.
  int64_t depth() const { return depthCount; }
  int64_t pairs() const { return (packedDepth + 1) / 2; }
  /// What is depthwise, else nothing.
  std::optional<DepthwiseTaps> depthwiseTaps() const { return depthwise; }
  DType activations() const { return activationType; }
  bool isSplit() const { return split; }
  bool isBytes() const { return bytes; }
  /// Whether every sum and a bias of this magnitude fit into 32 bits together,
  /// for any zero point.
  bool fitsInt32(int64_t bias = 0) const {
    return hasNarrowSums &&
           bias <= std::numeric_limits<int32_t>::max() - largestSum;
  }

  int64_t columnsPerPanel() const { return split ? 8 : panelWidth; }
  int64_t panels() const {
    return (columnCount + columnsPerPanel() - 1) / columnsPerPanel();
  }
  /// Groups are pairs, or four bytes for each column: 64 bytes either way.
  static constexpr int64_t groupSize = 64;
  int64_t groups(int64_t pairs) const {
    return bytes ? (pairs + 1) / 2 : pairs;
  }
  const int8_t *panel(int64_t index) const {
    return codes.data<int8_t>() + index * groups(pairs()) * groupSize;
  }
  std::span<const Piece> pieces(int64_t panel) const {
    return {allPieces.data() + firstPiece[panel],
            size_t(firstPiece[panel + 1] - firstPiece[panel])};
  }
  /// The sum of each column of a panel, which the share of a zero point that
  /// 16 bits can't hold is multiplied with; zero in columns that don't exist.
  const int64_t *columnSums(int64_t panel) const {
    return sums.data() + panel * columnsPerPanel();
  }

private:
  template <typename T> void packAs(const WeightView &view);

  int64_t columnCount = 0, depthCount = 0;
  /// With rows of zeros where a column of the kernel is not a multiple of four.
  int64_t packedDepth = 0;
  std::optional<DepthwiseTaps> depthwise;
  DType activationType = DType::U8;
  bool split = false, bytes = false, hasNarrowSums = false;
  int64_t largestSum = 0;
  Tensor codes;
  std::vector<Piece> allPieces;
  std::vector<int64_t> firstPiece;
  std::vector<int64_t> sums;
};

/// Finds the taps of rows while they are needed: a table of all of them would
/// be larger than the picture.
class TapSource {
public:
  virtual ~TapSource() = default;
  /// Writes the taps of a row, and how many bytes further each of them is in
  /// the next row. Returns how many rows that holds for, at most `rows`.
  virtual int64_t find(int64_t row, int64_t rows, const char **taps,
                       int64_t *steps) const = 0;
};

/// The first operand: codes of type U8, I8, U16 or I16.
struct RowSource {
  DType type = DType::U8;
  int32_t zeroPoint = 0;
  int64_t rows = 0;

  /// A matrix: row r begins at element `r * rowStride` of `data`.
  const void *data = nullptr;
  int64_t rowStride = 0;

  /// Or pointers, `taps[r * tapCount + t]`, if `taps` is given or found. A tap
  /// in the padding points to a vector of zero points.
  const void *const *taps = nullptr;
  const TapSource *finder = nullptr;
  int64_t tapCount = 1;

  /// Codes that a row, or each tap of it, contributes.
  int64_t channels = 0;
  /// Added to every pointer, in elements: the first channel of a group.
  int64_t firstChannel = 0;
  /// Whether 32 bytes after the channels of every tap may be read, whatever
  /// they hold. Depthwise convolutions whose channels don't fill whole panels
  /// are then several times as fast.
  bool hasSlack = false;
};

/// Sums [row, row + rows) x [column, column + columns). Element (r, c) is
/// `sums[r * stride + c]`; `stride` is 8 or 16, and what lies beyond `columns`
/// in a row may be read.
template <typename Acc> struct SumTile {
  int64_t row = 0, rows = 0;
  int64_t column = 0, columns = 0;
  const Acc *sums = nullptr;
  int64_t stride = 0;
};

/// Takes the sums; called by several threads at once, for disjoint tiles.
template <typename Acc> class SumSink {
public:
  virtual ~SumSink() = default;
  virtual void take(const SumTile<Acc> &tile) const = 0;
};

/// Stores the sums as a row-major matrix.
template <typename Acc> class StoreSums : public SumSink<Acc> {
public:
  StoreSums(Acc *to, int64_t rowStride) : to(to), rowStride(rowStride) {}
  void take(const SumTile<Acc> &tile) const override {
    for (int64_t r = 0; r < tile.rows; ++r)
      std::copy_n(tile.sums + r * tile.stride, tile.columns,
                  to + (tile.row + r) * rowStride + tile.column);
  }

private:
  Acc *to;
  int64_t rowStride;
};

/// Every row of `x` times every column of `w`. The depth of a sum runs over
/// taps, then channels. 32-bit sums need weights that PackedWeights::fitsInt32.
template <typename Acc>
void gemm(const RowSource &x, const PackedWeights &w, const SumSink<Acc> &sink);

/// A depthwise convolution: channel c of the taps of a row times column c of
/// `w`, which was packed from a view with one channel.
template <typename Acc>
void depthwise(const RowSource &x, const PackedWeights &w,
               const SumSink<Acc> &sink);

extern template void gemm(const RowSource &, const PackedWeights &,
                          const SumSink<int32_t> &);
extern template void gemm(const RowSource &, const PackedWeights &,
                          const SumSink<int64_t> &);
extern template void depthwise(const RowSource &, const PackedWeights &,
                               const SumSink<int32_t> &);
extern template void depthwise(const RowSource &, const PackedWeights &,
                               const SumSink<int64_t> &);

} // namespace parallax::npu

#endif // PARALLAX_BACKEND_NPU_KERNELS_PACKEDGEMM_H
