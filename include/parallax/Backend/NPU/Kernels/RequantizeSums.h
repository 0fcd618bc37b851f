//===- RequantizeSums.h - From exact sums to codes -------------*- C++ -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// The sink that most products end in: bias, multiplier, rounding and clamp, on
// tiles of sums that are still in the cache. It gives the bits of requantize(),
// several columns at a time.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_BACKEND_NPU_KERNELS_REQUANTIZESUMS_H
#define PARALLAX_BACKEND_NPU_KERNELS_REQUANTIZESUMS_H

#include "parallax/Backend/NPU/Kernels/Codes.h"
#include "parallax/Backend/NPU/Kernels/PackedGemm.h"

#include <algorithm>
#include <span>
#include <vector>

namespace parallax::npu {

/// What each column is requantized with; made once for a layer. Sums and their
/// bias fit 32 bits together, or 48 for Acc = int64_t.
template <typename Acc> class Requantization {
public:
  /// One multiplier for all columns or one for each; no bias or one for each.
  Requantization(int64_t columns, std::span<const Multiplier> multipliers,
                 std::span<const int64_t> bias, const OutputCodes &output);

  /// The constants of 16 columns, in the form that the loops use. Others follow
  /// the last column, so that whole tiles can be computed.
  struct Columns {
    const int64_t *bias, *mantissa, *addend, *lift;
    const Acc *shift;
  };
  Columns from(int64_t column) const {
    return {bias.data() + column, mantissa.data() + column,
            addend.data() + column, lift.data() + column,
            shift.data() + column};
  }
  const OutputCodes &output() const { return codes; }
  /// Whether the shifts of all columns are those that vectors can do.
  bool isOrdinary() const { return odd.empty(); }
  /// The columns of a tile whose shifts vectors can't do; a few of them must
  /// not slow down the others.
  std::span<const int64_t> oddColumns(int64_t column, int64_t columns) const {
    auto first = std::ranges::lower_bound(odd, column);
    return {first, std::lower_bound(first, odd.end(), column + columns)};
  }
  Multiplier multiplier(int64_t column) const {
    return multipliers[multipliers.size() == 1 ? 0 : size_t(column)];
  }

private:
  OutputCodes codes;
  std::vector<int64_t> odd;
  std::vector<Multiplier> multipliers;
  std::vector<int64_t> bias, mantissa, addend, lift;
  std::vector<Acc> shift;
};

/// y[row * rowStride + column] = the code of a sum.
template <typename Acc> class RequantizeSums : public SumSink<Acc> {
public:
  /// `y` points to the code of row 0, column 0.
  RequantizeSums(const Requantization<Acc> &layer, DType type, void *y,
                 int64_t rowStride)
      : layer(layer), type(type), y(y), rowStride(rowStride) {}
  void take(const SumTile<Acc> &tile) const override;

private:
  const Requantization<Acc> &layer;
  DType type;
  void *y;
  int64_t rowStride;
};

extern template class Requantization<int32_t>;
extern template class Requantization<int64_t>;
extern template class RequantizeSums<int32_t>;
extern template class RequantizeSums<int64_t>;

} // namespace parallax::npu

#endif // PARALLAX_BACKEND_NPU_KERNELS_REQUANTIZESUMS_H
