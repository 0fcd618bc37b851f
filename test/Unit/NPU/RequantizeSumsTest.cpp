//===- RequantizeSumsTest.cpp - From exact sums to codes ------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Tiles of sums against division in 128-bit integers: every shift, every
// rounding, sums at the limits of their width and exactly between two codes.
//===----------------------------------------------------------------------===//
#include "parallax/Backend/NPU/Kernels/RequantizeSums.h"
#include "parallax/Backend/NPU/Kernels/InstructionSet.h"
#include "parallax/Support/Random.h"

#include <gtest/gtest.h>

using namespace parallax;
using namespace parallax::npu;

namespace {

/// value / 2^shift by quotient and remainder.
__int128 literalRound(__int128 value, int shift, Rounding rounding) {
  __int128 divisor = __int128(1) << shift;
  __int128 floor = value / divisor, rest = value % divisor;
  if (rest < 0) {
    rest += divisor;
    floor -= 1;
  }
  if (2 * rest != divisor)
    return floor + (2 * rest > divisor);
  switch (rounding) {
  case Rounding::HalfUp:
    return floor + 1;
  case Rounding::HalfAway:
    return value < 0 ? floor : floor + 1;
  case Rounding::HalfEven:
    break;
  }
  return floor + (floor & 1);
}

int64_t literalCode(int64_t sum, const Multiplier &multiplier,
                    const OutputCodes &output) {
  __int128 code =
      output.zeroPoint + literalRound(__int128(sum) * multiplier.mantissa,
                                      multiplier.shift, output.rounding);
  return code < output.low    ? output.low
         : code > output.high ? output.high
                              : int64_t(code);
}

template <typename Acc> constexpr int bits = sizeof(Acc) == 4 ? 32 : 48;

/// Any magnitude alike, with the limits and numbers around zero among them.
template <typename Acc> int64_t anySum(Random &random) {
  int64_t limit = int64_t(1) << (bits<Acc> - 1);
  switch (random.next() % 8) {
  case 0:
    return -limit;
  case 1:
    return limit - 1;
  case 2:
    return int64_t(random.next() % 5) - 2;
  default:
    return (int64_t(random.next()) >> (64 - bits<Acc>)) >>
           (random.next() % (bits<Acc> - 1));
  }
}

template <typename Acc, typename Code>
void checkTile(Rounding rounding, int shift, int64_t stride, int64_t columns,
               bool isPowerOfTwo, bool mixesShifts, Random &random) {
  constexpr int64_t rows = 7, firstColumn = 16, firstRow = 2;
  const int64_t total = firstColumn + columns, rowStride = total + 3;
  OutputCodes output{.zeroPoint = int64_t(random.next() % 200),
                     .low = int64_t(random.next() % 3),
                     .high = std::numeric_limits<Code>::max() -
                             int64_t(random.next() % 3),
                     .rounding = rounding};
  std::vector<Multiplier> multipliers;
  std::vector<int64_t> bias;
  for (int64_t c = 0; c < total; ++c) {
    int32_t mantissa = int32_t((1u << 30) + random.next() % (1u << 30));
    // A column of its own kind among others.
    bool isOther = mixesShifts && c % 5 == 3;
    multipliers.push_back({isPowerOfTwo ? 1 << 30 : mantissa,
                           isOther ? int(1 + random.next() % 78) : shift});
    bias.push_back(int64_t(random.next() % 1001) - 500);
  }
  std::vector<Acc> sums(rows * stride);
  std::vector<int64_t> expected(rows * columns);
  int64_t limit = int64_t(1) << (bits<Acc> - 1);
  for (int64_t r = 0; r < rows; ++r)
    for (int64_t c = 0; c < columns; ++c) {
      // The sum with its bias fits the accumulator.
      int64_t own = bias[firstColumn + c];
      int64_t sum =
          std::clamp(anySum<Acc>(random), std::max(-limit, -limit - own),
                     std::min(limit - 1, limit - 1 - own));
      sums[r * stride + c] = Acc(sum);
      expected[r * columns + c] =
          literalCode(sum + own, multipliers[firstColumn + c], output);
    }
  Requantization<Acc> layer(total, multipliers, bias, output);
  for (InstructionSet set : instructionSets) {
    InstructionSet outer = instructionSet();
    setInstructionSet(set);
    std::vector<Code> y((firstRow + rows) * rowStride, Code(77));
    RequantizeSums<Acc>(layer, dtypeOf<Code>(), y.data(), rowStride)
        .take({firstRow, rows, firstColumn, columns, sums.data(), stride});
    setInstructionSet(outer);
    for (int64_t r = 0; r < firstRow + rows; ++r)
      for (int64_t c = 0; c < rowStride; ++c) {
        bool isInside = r >= firstRow && c >= firstColumn && c < total;
        int64_t at = (r - firstRow) * columns + c - firstColumn;
        ASSERT_EQ(int64_t(y[r * rowStride + c]), isInside ? expected[at] : 77)
            << "shift " << shift << ", rounding " << int(rounding) << ", row "
            << r << ", column " << c << ", set " << int(set);
      }
  }
}

template <typename Acc, typename Code> void checkAllShifts(uint64_t seed) {
  Random random(seed);
  for (int shift = 1; shift <= 78; ++shift)
    for (Rounding rounding :
         {Rounding::HalfUp, Rounding::HalfAway, Rounding::HalfEven})
      for (bool isPowerOfTwo : {false, true})
        for (int turn = 0; turn < 8; ++turn) {
          int64_t stride = sizeof(Acc) == 8 && turn % 2 ? 8 : 16;
          int64_t columns = turn < 3   ? stride
                            : turn < 5 ? stride / 2
                                       : 1 + random.next() % stride;
          checkTile<Acc, Code>(rounding, shift, stride, columns, isPowerOfTwo,
                               turn % 3 == 0, random);
          if (testing::Test::HasFatalFailure())
            return;
        }
}

TEST(RequantizeSums, NarrowSums) {
  checkAllShifts<int32_t, uint8_t>(1);
  checkAllShifts<int32_t, int8_t>(2);
  checkAllShifts<int32_t, uint16_t>(3);
}

TEST(RequantizeSums, WideSums) {
  checkAllShifts<int64_t, uint16_t>(4);
  checkAllShifts<int64_t, int16_t>(5);
  checkAllShifts<int64_t, uint8_t>(6);
}

TEST(RequantizeSums, OneMultiplierWithoutBias) {
  Multiplier half{1 << 30, 31};
  Requantization<int32_t> layer(3, {&half, 1}, {}, {.zeroPoint = 10});
  const int32_t sums[16] = {1, -1, 7};
  uint8_t codes[3];
  RequantizeSums<int32_t>(layer, DType::U8, codes, 3)
      .take({0, 1, 0, 3, sums, 16});
  EXPECT_EQ(codes[0], 11);
  EXPECT_EQ(codes[1], 10);
  EXPECT_EQ(codes[2], 14);
}

} // namespace
