//===- ScaleShiftTest.cpp - Tests of scale and shift per channel ----------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// The plain and the blocked layouts against the formula in double precision.
//===----------------------------------------------------------------------===//
#include "parallax/Backend/Reference/Kernels/ScaleShift.h"
#include "KernelTestSupport.h"
#include "parallax/Support/Parallel.h"

using namespace parallax;
using namespace parallax::kernels;
using namespace parallax::test;

namespace {

/// The channel of a position in [N, C, ...] or [N, C / block, ..., block].
int64_t channelOf(const Shape &at, int64_t block) {
  int64_t group = at.size() > 1 ? at[1] : 0;
  return block == 1 ? group : group * block + at.back();
}

std::vector<double> scaledAndShifted(const Tensor &x, const Tensor &mul,
                                     const Tensor &add, int64_t block,
                                     bool relu) {
  std::vector<double> result;
  forEachIndex(x.shape(), [&](const Shape &at) {
    int64_t c = channelOf(at, block);
    double y = double(x.data<float>()[offsetOf(x.shape(), at)]) *
                   double(mul.data<float>()[c]) +
               double(add.data<float>()[c]);
    result.push_back(relu && y < 0 ? 0 : y);
  });
  return result;
}

struct ScaleShiftCase {
  Shape shape;
  int64_t block, channels;
};

class ScaleShiftTest : public ::testing::TestWithParam<ScaleShiftCase> {};

TEST_P(ScaleShiftTest, MatchesTheFormula) {
  const auto &[shape, block, channels] = GetParam();
  Tensor x = randomFloats(shape, 1), mul = randomFloats({channels}, 2),
         add = randomFloats({channels}, 3);
  for (bool relu : {false, true}) {
    Tensor y(DType::F32, shape), inPlace = x.clone();
    std::vector<double> wanted = scaledAndShifted(x, mul, add, block, relu);
    scaleShiftBlocks(x, mul, add, y, block, relu);
    expectClose(y, wanted);
    scaleShiftBlocks(inPlace, mul, add, inPlace, block, relu);
    EXPECT_EQ(valuesOf<float>(inPlace), valuesOf<float>(y));
  }
}

TEST_P(ScaleShiftTest, NanPasses) {
  const auto &[shape, block, channels] = GetParam();
  Tensor x = randomFloats(shape, 4), y(DType::F32, shape);
  Tensor mul = randomFloats({channels}, 5), add = randomFloats({channels}, 6);
  for (int64_t i = 0; i < x.size(); i += 3)
    x.data<float>()[i] = NAN;
  for (bool relu : {false, true}) {
    scaleShiftBlocks(x, mul, add, y, block, relu);
    for (int64_t i = 0; i < x.size(); ++i)
      ASSERT_EQ(std::isnan(y.data<float>()[i]), i % 3 == 0) << i;
  }
}

TEST_P(ScaleShiftTest, ThreadsGiveTheSameBits) {
  const auto &[shape, block, channels] = GetParam();
  Tensor x = randomFloats(shape, 7), one(DType::F32, shape), two = one.clone();
  Tensor mul = randomFloats({channels}, 8), add = randomFloats({channels}, 9);
  int before = threadCount();
  setThreadCount(1);
  scaleShiftBlocks(x, mul, add, one, block, true);
  setThreadCount(2);
  scaleShiftBlocks(x, mul, add, two, block, true);
  setThreadCount(before);
  EXPECT_EQ(valuesOf<float>(one), valuesOf<float>(two));
}

INSTANTIATE_TEST_SUITE_P(
    All, ScaleShiftTest,
    ::testing::Values(ScaleShiftCase{{2, 3, 5, 7}, 1, 3},
                      ScaleShiftCase{{4, 37}, 1, 37}, ScaleShiftCase{{5}, 1, 1},
                      ScaleShiftCase{{2, 3, 0}, 1, 3},
                      ScaleShiftCase{{1, 2, 170, 171}, 1, 2},
                      ScaleShiftCase{{2, 3, 5, 7, 8}, 8, 24},
                      ScaleShiftCase{{1, 1, 8}, 8, 8},
                      ScaleShiftCase{{2, 2, 3, 11, 16}, 16, 32}));

} // namespace
