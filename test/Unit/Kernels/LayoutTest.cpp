//===- LayoutTest.cpp - Tests of the kernels that move elements -----------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// The strided copy has several fast paths, so shapes on both sides of each of
// its limits are compared to naive index arithmetic, in all element sizes.
//===----------------------------------------------------------------------===//
#include "KernelTestSupport.h"

#include "parallax/Backend/Kernels/Layout.h"
#include "parallax/Support/Error.h"
#include "parallax/Support/Parallel.h"

#include <gtest/gtest.h>

using namespace parallax;
using namespace parallax::test;
namespace k = parallax::kernels;

namespace {

template <typename T> void expectTranspose(const Shape &shape, Shape perm) {
  Tensor x = iota<T>(shape);
  Shape out;
  for (int64_t axis : perm)
    out.push_back(shape[axis]);
  Tensor y(dtypeOf<T>(), out);
  k::transpose(x, y, perm);
  int64_t linear = 0, wrong = 0;
  forEachIndex(out, [&](const Shape &index) {
    Shape source(index.size());
    for (size_t axis = 0; axis < perm.size(); ++axis)
      source[perm[axis]] = index[axis];
    int64_t offset = 0;
    for (size_t axis = 0; axis < shape.size(); ++axis)
      offset = offset * shape[axis] + source[axis];
    wrong += y.data<T>()[linear++] != T(offset);
  });
  EXPECT_EQ(wrong, 0) << toString(shape) << " by " << toString(perm);
}

TEST(LayoutTest, TransposeMatchesIndexArithmetic) {
  const std::pair<Shape, Shape> cases[] = {
      {{}, {}},
      {{5}, {0}},
      {{3, 4}, {1, 0}},
      {{65, 130}, {1, 0}},
      {{64, 64}, {1, 0}},
      {{2, 3, 4, 5}, {0, 2, 3, 1}},
      {{2, 17, 19, 3}, {0, 3, 1, 2}},
      {{1, 3, 70, 70}, {0, 2, 3, 1}},
      {{3, 5, 7, 2}, {2, 1, 0, 3}},
      {{3, 5, 7, 4}, {1, 0, 2, 3}},
      {{3, 5, 7, 9}, {1, 0, 2, 3}},
      {{4, 3, 2, 5}, {3, 2, 1, 0}},
      {{2, 1, 3, 1, 4}, {4, 3, 2, 1, 0}},
      {{2, 2, 2, 2, 2, 2}, {5, 0, 4, 1, 3, 2}},
      {{33, 2, 40, 3}, {2, 1, 0, 3}},
      {{0, 3}, {1, 0}},
  };
  for (const auto &[shape, perm] : cases) {
    expectTranspose<uint8_t>(shape, perm);
    expectTranspose<int16_t>(shape, perm);
    expectTranspose<float>(shape, perm);
    expectTranspose<int64_t>(shape, perm);
  }
}

TEST(LayoutTest, TransposeOnThreads) {
  int before = threadCount();
  setThreadCount(3);
  expectTranspose<float>({4, 200, 300}, {0, 2, 1});
  expectTranspose<float>({200, 100, 7}, {1, 0, 2});
  setThreadCount(before);
}

TEST(LayoutTest, ConcatAndSplitAreInverse) {
  for (int64_t axis : {0, 1, 2}) {
    Shape shapeA{2, 3, 4}, shapeB{2, 3, 4}, shapeC{2, 3, 4};
    shapeB[axis] = 5;
    shapeC[axis] = 0;
    Tensor a = iota<float>(shapeA), b = random<float>(shapeB, -1, 1);
    Tensor c(DType::F32, shapeC);
    Shape whole = shapeA;
    whole[axis] = shapeA[axis] + 5;
    Tensor y(DType::F32, whole);
    const Tensor *inputs[] = {&a, &c, &b};
    k::concat(inputs, y, axis);
    forEachIndex(whole, [&](Shape index) {
      float value = y.data<float>()[offsetOf(whole, index)];
      bool first = index[axis] < shapeA[axis];
      index[axis] -= first ? 0 : shapeA[axis];
      EXPECT_EQ(value, first ? a.data<float>()[offsetOf(shapeA, index)]
                             : b.data<float>()[offsetOf(shapeB, index)]);
    });
    Tensor a2(DType::F32, shapeA), b2(DType::F32, shapeB);
    Tensor *outputs[] = {&a2, &c, &b2};
    k::split(y, outputs, axis);
    EXPECT_EQ(valuesOf<float>(a2), valuesOf<float>(a));
    EXPECT_EQ(valuesOf<float>(b2), valuesOf<float>(b));
  }
}

TEST(LayoutTest, SliceWithStepsOfBothSigns) {
  Tensor x = iota<int32_t>({3, 4, 5});
  auto sliced = [&](Shape starts, Shape steps, Shape shape) {
    Tensor y(DType::I32, shape);
    k::slice(x, y, starts, steps);
    forEachIndex(shape, [&](const Shape &index) {
      Shape source(3);
      for (int axis = 0; axis < 3; ++axis)
        source[axis] = starts[axis] + index[axis] * steps[axis];
      EXPECT_EQ(y.data<int32_t>()[offsetOf(shape, index)],
                offsetOf(x.shape(), source));
    });
    return valuesOf<int32_t>(y);
  };
  EXPECT_EQ(sliced({1, 1, 1}, {1, 1, 2}, {1, 2, 2}),
            (std::vector<int32_t>{26, 28, 31, 33}));
  sliced({0, 0, 0}, {1, 1, 1}, {3, 4, 5});
  sliced({2, 3, 4}, {-1, -1, -1}, {3, 4, 5});
  sliced({2, 0, 4}, {-2, 3, -4}, {2, 2, 2});
  sliced({0, 1, 0}, {1, 1, 1}, {3, 2, 5});
  sliced({0, 0, 0}, {1, 1, 1}, {3, 0, 5});
}

TEST(LayoutTest, SliceOfLargeRows) {
  Tensor x = iota<float>({3, 100000});
  Tensor y(DType::F32, {3, 49999});
  k::slice(x, y, Shape{0, 99999}, Shape{1, -2});
  EXPECT_EQ(y.data<float>()[0], 99999);
  EXPECT_EQ(y.data<float>()[49998], 3);
  EXPECT_EQ(y.data<float>()[2 * 49999 + 49998], 200003);
}

TEST(LayoutTest, PadConstantAndCrop) {
  Tensor x = tensorOf<float>({2, 2}, {1, 2, 3, 4});
  float value = 9;
  Tensor y(DType::F32, {3, 4});
  k::pad(x, y, Shape{1, 1}, k::PadMode::Constant, &value);
  EXPECT_EQ(valuesOf<float>(y),
            (std::vector<float>{9, 9, 9, 9, 9, 1, 2, 9, 9, 3, 4, 9}));
  Tensor cropped(DType::F32, {1, 3});
  k::pad(x, cropped, Shape{-1, 0}, k::PadMode::Constant, &value);
  EXPECT_EQ(valuesOf<float>(cropped), (std::vector<float>{3, 4, 9}));
  Tensor away(DType::F32, {1, 1});
  k::pad(x, away, Shape{-5, 0}, k::PadMode::Constant, &value);
  EXPECT_EQ(valuesOf<float>(away), (std::vector<float>{9}));
  Tensor empty(DType::F32, {0, 2}), filled(DType::F32, {2, 2});
  k::pad(empty, filled, Shape{1, 0}, k::PadMode::Constant, &value);
  EXPECT_EQ(valuesOf<float>(filled), (std::vector<float>{9, 9, 9, 9}));
}

TEST(LayoutTest, PadModesOnOneAxis) {
  Tensor x = tensorOf<int64_t>({4}, {1, 2, 3, 4});
  auto padded = [&](k::PadMode mode, int64_t begin, int64_t size) {
    Tensor y(DType::I64, {size});
    k::pad(x, y, Shape{begin}, mode, nullptr);
    return valuesOf<int64_t>(y);
  };
  using V = std::vector<int64_t>;
  EXPECT_EQ(padded(k::PadMode::Reflect, 2, 8), (V{3, 2, 1, 2, 3, 4, 3, 2}));
  EXPECT_EQ(padded(k::PadMode::Reflect, 7, 12),
            (V{2, 1, 2, 3, 4, 3, 2, 1, 2, 3, 4, 3}));
  EXPECT_EQ(padded(k::PadMode::Edge, 2, 8), (V{1, 1, 1, 2, 3, 4, 4, 4}));
  EXPECT_EQ(padded(k::PadMode::Wrap, 2, 8), (V{3, 4, 1, 2, 3, 4, 1, 2}));
  EXPECT_EQ(padded(k::PadMode::Edge, -1, 5), (V{2, 3, 4, 4, 4}));
}

TEST(LayoutTest, PadModesOnTwoAxes) {
  Tensor x = tensorOf<uint8_t>({2, 3}, {1, 2, 3, 4, 5, 6});
  Tensor y(DType::U8, {4, 5});
  k::pad(x, y, Shape{1, 1}, k::PadMode::Reflect, nullptr);
  EXPECT_EQ(valuesOf<uint8_t>(y),
            (std::vector<uint8_t>{5, 4, 5, 6, 5, 2, 1, 2, 3, 2,
                                  5, 4, 5, 6, 5, 2, 1, 2, 3, 2}));
}

TEST(LayoutTest, ExpandMatchesBroadcasting) {
  const std::pair<Shape, Shape> cases[] = {
      {{}, {2, 3}},           {{3, 1}, {2, 3, 4}},   {{1, 4}, {3, 4}},
      {{2, 1, 3}, {2, 5, 3}}, {{1}, {40000}},        {{5, 1, 1}, {5, 6, 70}},
      {{1, 0}, {4, 0}},       {{2, 1, 2}, {2, 3, 2}}};
  for (const auto &[from, to] : cases) {
    Tensor x = iota<float>(from), y(DType::F32, to);
    k::expand(x, y);
    int64_t linear = 0;
    forEachIndex(to, [&](const Shape &index) {
      ASSERT_EQ(y.data<float>()[linear++], float(offsetOf(from, index)));
    });
  }
}

TEST(LayoutTest, TileRepeatsEveryAxis) {
  Tensor x = iota<int16_t>({2, 1, 3});
  Tensor y(DType::I16, {4, 5, 9});
  k::tile(x, y);
  forEachIndex(y.shape(), [&](const Shape &index) {
    Shape source{index[0] % 2, 0, index[2] % 3};
    ASSERT_EQ(y.data<int16_t>()[offsetOf(y.shape(), index)],
              offsetOf(x.shape(), source));
  });
  Tensor scalar = tensorOf<float>({}, {3}), same(DType::F32, {});
  k::tile(scalar, same);
  EXPECT_EQ(*same.data<float>(), 3);
}

TEST(LayoutTest, DepthToSpaceInBothOrders) {
  Tensor x = iota<float>({1, 8, 1, 2});
  Tensor y(DType::F32, {1, 2, 2, 4});
  k::depthToSpace(x, y, 2, false);
  EXPECT_EQ(valuesOf<float>(y), (std::vector<float>{0, 4, 1, 5, 8, 12, 9, 13, 2,
                                                    6, 3, 7, 10, 14, 11, 15}));
  Tensor back(DType::F32, {1, 8, 1, 2});
  k::spaceToDepth(y, back, 2);
  EXPECT_EQ(valuesOf<float>(back), valuesOf<float>(x));
  k::depthToSpace(x, y, 2, true);
  EXPECT_EQ(valuesOf<float>(y),
            (std::vector<float>{0, 2, 1, 3, 4, 6, 5, 7, 8, 10, 9, 11, 12, 14,
                                13, 15}));
}

TEST(LayoutTest, ChannelShuffle) {
  for (const Shape &shape : {Shape{2, 12, 3, 5}, {3, 12}, {1, 12, 2}}) {
    Tensor x = iota<int32_t>(shape), y(DType::I32, shape);
    for (int64_t groups : {1, 2, 3, 12}) {
      k::channelShuffle(x, y, groups);
      int64_t perGroup = 12 / groups;
      forEachIndex(shape, [&](const Shape &index) {
        Shape target = index;
        target[1] = index[1] % perGroup * groups + index[1] / perGroup;
        ASSERT_EQ(y.data<int32_t>()[offsetOf(shape, target)],
                  x.data<int32_t>()[offsetOf(shape, index)]);
      });
    }
  }
  Tensor codes = tensorOf<uint8_t>({1, 6}, {0, 1, 2, 3, 4, 5});
  Tensor shuffled(DType::U8, {1, 6});
  k::channelShuffle(codes, shuffled, 2);
  EXPECT_EQ(valuesOf<uint8_t>(shuffled),
            (std::vector<uint8_t>{0, 3, 1, 4, 2, 5}));
  for (const Shape &shape : {Shape{0, 4, 2}, {2, 0, 2}, {2, 4, 0}}) {
    Tensor empty(DType::F32, shape), same(DType::F32, shape);
    k::channelShuffle(empty, same, 2);
  }
}

TEST(LayoutTest, TriluOnBothSides) {
  Tensor x = tensorOf<int32_t>({2, 3}, {1, 2, 3, 4, 5, 6});
  auto cut = [&](int64_t diagonal, bool upper) {
    Tensor y = random<int32_t>({2, 3}, 7, 9);
    k::trilu(x, y, diagonal, upper);
    return valuesOf<int32_t>(y);
  };
  using V = std::vector<int32_t>;
  EXPECT_EQ(cut(0, true), (V{1, 2, 3, 0, 5, 6}));
  EXPECT_EQ(cut(0, false), (V{1, 0, 0, 4, 5, 0}));
  EXPECT_EQ(cut(1, true), (V{0, 2, 3, 0, 0, 6}));
  EXPECT_EQ(cut(-1, false), (V{0, 0, 0, 4, 0, 0}));
  EXPECT_EQ(cut(9, true), V(6, 0));
  EXPECT_EQ(cut(-9, true), valuesOf<int32_t>(x));
  EXPECT_EQ(cut(INT64_MAX, false), valuesOf<int32_t>(x));
  EXPECT_EQ(cut(INT64_MIN, true), valuesOf<int32_t>(x));
}

TEST(LayoutTest, OneHotOnAnyAxis) {
  Tensor indices = tensorOf<int64_t>({3}, {1, -1, 7});
  Tensor values = tensorOf<float>({2}, {-1, 5});
  Tensor last(DType::F32, {3, 3}), first(DType::F32, {3, 3});
  k::oneHot(indices, values, last, 1);
  EXPECT_EQ(valuesOf<float>(last),
            (std::vector<float>{-1, 5, -1, -1, -1, 5, -1, -1, -1}));
  k::oneHot(indices, values, first, 0);
  EXPECT_EQ(valuesOf<float>(first),
            (std::vector<float>{-1, -1, -1, 5, -1, -1, -1, 5, -1}));
  Tensor single = tensorOf<float>({}, {2}), y(DType::F32, {3});
  k::oneHot(single, values, y, 0);
  EXPECT_EQ(valuesOf<float>(y), (std::vector<float>{-1, -1, 5}));
}

TEST(LayoutTest, ReverseSequenceChecksLengths) {
  Tensor x = iota<float>({2, 3});
  Tensor lens = tensorOf<int64_t>({2}, {3, 2});
  Tensor y(DType::F32, {2, 3});
  k::reverseSequence(x, lens, y, 0, 1);
  EXPECT_EQ(valuesOf<float>(y), (std::vector<float>{2, 1, 0, 4, 3, 5}));
  Tensor times = tensorOf<int64_t>({3}, {1, 2, 2});
  k::reverseSequence(x, times, y, 1, 0);
  EXPECT_EQ(valuesOf<float>(y), (std::vector<float>{0, 4, 5, 3, 1, 2}));
  Tensor wrong = tensorOf<int64_t>({2}, {3, 4});
  EXPECT_THROW(k::reverseSequence(x, wrong, y, 0, 1), Error);
}

} // namespace
