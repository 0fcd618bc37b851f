//===- RequantizeSums.cpp - From exact sums to codes ----------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// requantize() in steps that vectors have. They multiply 32 by 32 bits: a sum
// of 48 bits is taken apart as `high * 2^17 + low`, and
//   floor((sum * m + r) / 2^s) =
//       floor((high * m + floor((low * m + r) / 2^17)) / 2^(s - 17)),
// because nested floors of powers of two are one floor. And they only shift
// unsigned numbers of 64 bits: 2^63 is added before, and 2^63 / 2^s subtracted
// after. Of a 32-bit sum, that is nested too: the product's upper half is all
// that the rest of the shift needs, and a vector holds twice as many halves.
//===----------------------------------------------------------------------===//
#include "parallax/Backend/NPU/Kernels/RequantizeSums.h"
#include "Rescale.h"

#include <cstring>
#include <type_traits>

namespace parallax::npu {

static constexpr int64_t tileWidth = PackedWeights::panelWidth;
static constexpr int lowBits = 17;
static constexpr uint64_t signBit = uint64_t(1) << 63;

template <typename Acc>
static constexpr bool isNarrow = std::is_same_v<Acc, int32_t>;

/// Below, a 32-bit sum could give more than 32 bits, or `low` is too long;
/// above, the half has no place beside a product.
template <typename Acc>
static constexpr int minShift = isNarrow<Acc> ? 32 : lowBits;
static constexpr int maxShift = 62;
/// What is shifted before the shift of a column.
template <typename Acc>
static constexpr int firstShift = isNarrow<Acc> ? 32 : lowBits;

/// Whether the product of bias and multiplier is part of the addend: where
/// nobody asks for the sign of a sum, and 64 bits can hold it.
template <typename Acc> static constexpr bool foldsBias(Rounding rounding) {
  return isNarrow<Acc> && rounding == Rounding::HalfUp;
}

template <typename Acc>
Requantization<Acc>::Requantization(int64_t columns,
                                    std::span<const Multiplier> multipliers,
                                    std::span<const int64_t> biases,
                                    const OutputCodes &output)
    : codes(output), multipliers(multipliers.begin(), multipliers.end()) {
  // Nothing remains of a sum times zero, nor of 32 bits that are shifted
  // further than any half: dead channels must not slow down the others.
  for (Multiplier &each : this->multipliers)
    if (each.mantissa == 0 || (isNarrow<Acc> && each.shift > maxShift))
      each = {0, maxShift};
  // A tile may begin at the last column, and has up to `tileWidth` of them.
  for (std::vector<int64_t> *constants : {&bias, &mantissa, &addend, &lift})
    constants->assign(columns + tileWidth, 0);
  shift.assign(columns + tileWidth, 0);
  for (int64_t c = 0; c < columns; ++c) {
    bias[c] = biases.empty() ? 0 : biases[c];
    if (int32_t shift = multiplier(c).shift;
        shift < minShift<Acc> || shift > maxShift) {
      odd.push_back(c);
      continue;
    }
    mantissa[c] = multiplier(c).mantissa;
    shift[c] = Acc(multiplier(c).shift - firstShift<Acc>);
    addend[c] = int64_t(1) << (multiplier(c).shift - 1);
    if (!isNarrow<Acc>)
      lift[c] = int64_t((signBit >> shift[c]) - uint64_t(codes.zeroPoint));
    if (foldsBias<Acc>(codes.rounding))
      addend[c] += bias[c] * mantissa[c];
  }
}

/// floor((sum * mantissa + addend) / 2^s).
static PARALLAX_INLINE int32_t scaleDown(int32_t sum, int64_t mantissa,
                                         int64_t addend, int32_t shift) {
  // Casts tell the compiler that 32 bits are multiplied.
  int64_t product = int64_t(sum) * int32_t(mantissa) + addend;
  return int32_t(product >> 32) >> shift;
}

/// The same, + 2^63 / 2^shift.
static PARALLAX_INLINE uint64_t scaleDown(int64_t sum, int64_t mantissa,
                                          int64_t addend, int64_t shift) {
  int64_t low = sum & ((int64_t(1) << lowBits) - 1), high = sum >> lowBits;
  int64_t lowProduct = int64_t(int32_t(low)) * int32_t(mantissa);
  int64_t product = int64_t(int32_t(high)) * int32_t(mantissa);
  uint64_t carry = uint64_t(lowProduct + addend) >> lowBits;
  return (uint64_t(product) + carry + signBit) >> shift;
}

/// All 8 or 16 columns of one row. Codes are bytes, which could overlap
/// anything if nobody said that they don't.
template <typename Acc, Rounding rounding, int64_t count, typename Code>
static PARALLAX_INLINE void
requantizeRow(const Acc *__restrict sums,
              const typename Requantization<Acc>::Columns columns, Acc zero,
              Acc low, Acc high, Code *__restrict codes) {
  for (int64_t c = 0; c < count; ++c) {
    Acc sum = sums[c];
    if constexpr (!foldsBias<Acc>(rounding))
      sum += Acc(columns.bias[c]);
    int64_t mantissa = columns.mantissa[c];
    Acc shift = columns.shift[c];
    // Halves go up if exactly a half is added, and down if it is one less.
    int64_t addend = columns.addend[c];
    if constexpr (rounding == Rounding::HalfAway)
      addend -= sum < 0;
    if constexpr (rounding == Rounding::HalfEven)
      addend += int64_t(scaleDown(sum, mantissa, 0, shift) & 1) - 1;
    auto scaled = scaleDown(sum, mantissa, addend, shift);
    Acc code;
    if constexpr (isNarrow<Acc>)
      code = scaled + zero;
    else
      code = int64_t(scaled - uint64_t(columns.lift[c]));
    code = code < low ? low : code;
    code = code > high ? high : code;
    codes[c] = Code(code);
  }
}

/// Copies fewer than `count` codes, which is a power of two, without a loop.
template <int64_t count, typename Code>
static PARALLAX_INLINE void copyCodes(const Code *from, int64_t columns,
                                      Code *to) {
  if constexpr (count > 1) {
    constexpr int64_t half = count / 2;
    if (columns & half) {
      std::memcpy(to, from, half * sizeof(Code));
      from += half;
      to += half;
    }
    copyCodes<half>(from, columns, to);
  }
}

template <typename Acc, Rounding rounding, int64_t count, typename Code>
static PARALLAX_INLINE void requantizeTile(const SumTile<Acc> &tile,
                                           const Requantization<Acc> &layer,
                                           Code *y, int64_t rowStride) {
  const auto columns = layer.from(tile.column);
  const Acc zero = Acc(layer.output().zeroPoint);
  const Acc low = Acc(layer.output().low), high = Acc(layer.output().high);
  const Acc *sums = tile.sums;
  const int64_t rows = tile.rows;
  if (tile.columns == count) {
    for (int64_t r = 0; r < rows; ++r, sums += count, y += rowStride)
      requantizeRow<Acc, rounding, count>(sums, columns, zero, low, high, y);
    return;
  }
  // The last 8 of 24 or 40 channels.
  constexpr int64_t half = count / 2;
  if (tile.columns == half) {
    for (int64_t r = 0; r < rows; ++r, sums += count, y += rowStride)
      requantizeRow<Acc, rounding, half>(sums, columns, zero, low, high, y);
    return;
  }
  for (int64_t r = 0; r < rows; ++r, sums += count, y += rowStride) {
    Code codes[count];
    requantizeRow<Acc, rounding, count>(sums, columns, zero, low, high, codes);
    copyCodes<count>(codes, tile.columns, y);
  }
}

template <typename Acc, Rounding rounding, int64_t count, typename Code>
static void portableTile(const SumTile<Acc> &tile,
                         const Requantization<Acc> &layer, Code *y,
                         int64_t rowStride) {
  requantizeTile<Acc, rounding, count>(tile, layer, y, rowStride);
}

template <typename Acc, Rounding rounding, int64_t count, typename Code>
PARALLAX_AVX2 static void avx2Tile(const SumTile<Acc> &tile,
                                   const Requantization<Acc> &layer, Code *y,
                                   int64_t rowStride) {
  requantizeTile<Acc, rounding, count>(tile, layer, y, rowStride);
}

template <typename Acc, Rounding rounding, int64_t count, typename Code>
PARALLAX_AVX512 static void avx512Tile(const SumTile<Acc> &tile,
                                       const Requantization<Acc> &layer,
                                       Code *y, int64_t rowStride) {
  requantizeTile<Acc, rounding, count>(tile, layer, y, rowStride);
}

template <typename Acc, Rounding rounding, int64_t count, typename Code>
static void runTile(const SumTile<Acc> &tile, const Requantization<Acc> &layer,
                    Code *y, int64_t rowStride) {
  choose(portableTile<Acc, rounding, count, Code>,
         avx2Tile<Acc, rounding, count, Code>,
         avx512Tile<Acc, rounding, count, Code>)(tile, layer, y, rowStride);
}

/// One column whose shift requantizeTile() can't do.
template <typename Acc, typename Code>
static void scalarColumn(const SumTile<Acc> &tile, int64_t column,
                         const Requantization<Acc> &layer, Code *y,
                         int64_t rowStride) {
  const OutputCodes &output = layer.output();
  const int64_t bias = *layer.from(column).bias;
  const Multiplier multiplier = layer.multiplier(column);
  const Acc *sums = tile.sums + (column - tile.column);
  for (int64_t r = 0; r < tile.rows; ++r, sums += tile.stride, y += rowStride)
    *y = Code(output.code(
        requantize(int64_t(*sums) + bias, multiplier, output.rounding)));
}

template <typename Acc>
void RequantizeSums<Acc>::take(const SumTile<Acc> &tile) const {
  dispatchCodes("requantization", type, [&]<typename Code>(TypeTag<Code>) {
    Code *to = static_cast<Code *>(y) + tile.row * rowStride + tile.column;
    const auto odd = layer.oddColumns(tile.column, tile.columns);
    if (int64_t(odd.size()) < tile.columns)
      dispatchRounding(layer.output().rounding, [&](auto tag) {
        constexpr Rounding rounding = decltype(tag)::value;
        if (tile.stride == tileWidth)
          runTile<Acc, rounding, tileWidth>(tile, layer, to, rowStride);
        else
          runTile<Acc, rounding, tileWidth / 2>(tile, layer, to, rowStride);
      });
    for (int64_t column : odd)
      scalarColumn(tile, column, layer, to + (column - tile.column), rowStride);
  });
}

template class Requantization<int32_t>;
template class Requantization<int64_t>;
template class RequantizeSums<int32_t>;
template class RequantizeSums<int64_t>;

} // namespace parallax::npu
