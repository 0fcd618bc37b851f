//===- IndexingTest.cpp - Tests of gather, scatter and NonZero ------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Values by hand and against naive index arithmetic, and the errors that bad
// indices must give.
//===----------------------------------------------------------------------===//
#include "KernelTestSupport.h"

#include "parallax/Backend/Kernels/Indexing.h"
#include "parallax/Support/Error.h"

#include <gtest/gtest.h>

using namespace parallax;
using namespace parallax::test;
namespace k = parallax::kernels;
using k::ScatterReduction;

namespace {

TEST(IndexingTest, GatherOnEveryAxis) {
  Tensor data = iota<float>({3, 4, 5});
  Tensor indices = tensorOf<int32_t>({2, 2}, {0, 2, -1, 1});
  for (int64_t axis : {0, 1, 2}) {
    Shape shape = data.shape();
    shape[axis] = 2;
    shape.insert(shape.begin() + axis, 2);
    Tensor y(DType::F32, shape);
    k::gather(data, indices, y, axis);
    forEachIndex(shape, [&](Shape index) {
      float value = y.data<float>()[offsetOf(shape, index)];
      int64_t i = indices.data<int32_t>()[index[axis] * 2 + index[axis + 1]];
      index.erase(index.begin() + axis);
      index[axis] = i < 0 ? i + data.dim(axis) : i;
      EXPECT_EQ(value, float(offsetOf(data.shape(), index)));
    });
  }
  Tensor one = tensorOf<int64_t>({}, {-2}), row(DType::F32, {4, 5});
  k::gather(data, one, row, 0);
  EXPECT_EQ(row.data<float>()[0], 20);
  Tensor none(DType::I64, {0}), nothing(DType::F32, {0, 4, 5});
  k::gather(data, none, nothing, 0);
}

TEST(IndexingTest, GatherNamesTheBadIndex) {
  Tensor data = iota<float>({3, 4});
  Tensor y(DType::F32, {3, 1});
  for (int64_t bad : {4, -5}) {
    Tensor indices = tensorOf<int64_t>({1}, {bad});
    try {
      k::gather(data, indices, y, 1);
      FAIL();
    } catch (const Error &error) {
      std::string text = error.what();
      EXPECT_NE(text.find("index " + std::to_string(bad)), text.npos) << text;
      EXPECT_NE(text.find("axis 1"), text.npos) << text;
      EXPECT_NE(text.find("4 elements"), text.npos) << text;
    }
  }
}

TEST(IndexingTest, GatherElementsWithSmallerIndices) {
  Tensor data = iota<float>({3, 3});
  Tensor indices = tensorOf<int64_t>({2, 3}, {1, 2, 0, 2, 0, -3});
  Tensor y(DType::F32, {2, 3});
  k::gatherElements(data, indices, y, 0);
  EXPECT_EQ(valuesOf<float>(y), (std::vector<float>{3, 7, 2, 6, 1, 2}));
  Tensor narrow = tensorOf<int32_t>({3, 2}, {0, 0, 1, -1, 2, 1});
  Tensor z(DType::F32, {3, 2});
  k::gatherElements(data, narrow, z, 1);
  EXPECT_EQ(valuesOf<float>(z), (std::vector<float>{0, 0, 4, 5, 8, 7}));
  Tensor bad = tensorOf<int64_t>({1, 1}, {3}), w(DType::F32, {1, 1});
  EXPECT_THROW(k::gatherElements(data, bad, w, 1), Error);
}

TEST(IndexingTest, GatherNDWithBatches) {
  Tensor data = iota<int32_t>({2, 2, 2});
  Tensor points = tensorOf<int64_t>({2, 3}, {0, 0, 1, 1, -1, 0});
  Tensor y(DType::I32, {2});
  k::gatherND(data, points, y, 0);
  EXPECT_EQ(valuesOf<int32_t>(y), (std::vector<int32_t>{1, 6}));
  Tensor rows = tensorOf<int64_t>({2, 1}, {1, 0}), z(DType::I32, {2, 2, 2});
  k::gatherND(data, rows, z, 0);
  EXPECT_EQ(valuesOf<int32_t>(z),
            (std::vector<int32_t>{4, 5, 6, 7, 0, 1, 2, 3}));
  Tensor w(DType::I32, {2, 2});
  k::gatherND(data, rows, w, 1);
  EXPECT_EQ(valuesOf<int32_t>(w), (std::vector<int32_t>{2, 3, 4, 5}));
  Tensor bad = tensorOf<int64_t>({1, 2}, {0, 2}), v(DType::I32, {1, 2});
  EXPECT_THROW(k::gatherND(data, bad, v, 0), Error);
}

std::vector<float> scattered(ScatterReduction reduction) {
  Tensor data = tensorOf<float>({1, 5}, {1, 2, 3, 4, 5});
  Tensor indices = tensorOf<int64_t>({1, 3}, {1, -4, 3});
  Tensor updates = tensorOf<float>({1, 3}, {10, -20, 0.5f});
  Tensor y(DType::F32, {1, 5});
  k::scatterElements(data, indices, updates, y, 1, reduction);
  return valuesOf<float>(y);
}

TEST(IndexingTest, ScatterElementsReductions) {
  using V = std::vector<float>;
  EXPECT_EQ(scattered(ScatterReduction::None), (V{1, -20, 3, 0.5f, 5}));
  EXPECT_EQ(scattered(ScatterReduction::Add), (V{1, -8, 3, 4.5f, 5}));
  EXPECT_EQ(scattered(ScatterReduction::Mul), (V{1, -400, 3, 2, 5}));
  EXPECT_EQ(scattered(ScatterReduction::Min), (V{1, -20, 3, 0.5f, 5}));
  EXPECT_EQ(scattered(ScatterReduction::Max), (V{1, 10, 3, 4, 5}));
}

TEST(IndexingTest, ScatterElementsOnTheOuterAxis) {
  Tensor data(DType::F32, {3, 3});
  Tensor indices = tensorOf<int32_t>({2, 3}, {1, 0, 2, 0, 2, 1});
  Tensor updates = tensorOf<float>({2, 3}, {1, 2, 3, 4, 5, 6});
  Tensor y(DType::F32, {3, 3});
  k::scatterElements(data, indices, updates, y, 0, ScatterReduction::None);
  EXPECT_EQ(valuesOf<float>(y),
            (std::vector<float>{4, 2, 0, 1, 0, 6, 0, 5, 3}));
  Tensor bad = tensorOf<int32_t>({1, 1}, {-4});
  EXPECT_THROW(
      k::scatterElements(data, bad, updates, y, 0, ScatterReduction::None),
      Error);
}

TEST(IndexingTest, ScatterNDInPlaceAndWithRuns) {
  Tensor data = iota<int64_t>({8});
  Tensor indices = tensorOf<int64_t>({4, 1}, {4, 3, 1, -1});
  Tensor updates = tensorOf<int64_t>({4}, {9, 10, 11, 12});
  k::scatterND(data, indices, updates, data, ScatterReduction::None);
  EXPECT_EQ(valuesOf<int64_t>(data),
            (std::vector<int64_t>{0, 11, 2, 10, 9, 5, 6, 12}));

  Tensor matrix = tensorOf<float>({2, 2}, {1, 2, 3, 4}), y(DType::F32, {2, 2});
  Tensor twice = tensorOf<int64_t>({2, 1}, {1, 1});
  Tensor rows = tensorOf<float>({2, 2}, {10, 20, 30, 40});
  k::scatterND(matrix, twice, rows, y, ScatterReduction::Add);
  EXPECT_EQ(valuesOf<float>(y), (std::vector<float>{1, 2, 43, 64}));
  Tensor bad = tensorOf<int64_t>({1, 1}, {2});
  EXPECT_THROW(k::scatterND(matrix, bad, rows, y, ScatterReduction::None),
               Error);
}

TEST(IndexingTest, IndicesMustBeIntegers) {
  Tensor data = iota<float>({3}), y(DType::F32, {1});
  Tensor indices = tensorOf<float>({1}, {0});
  EXPECT_THROW(k::gather(data, indices, y, 0), Error);
}

TEST(IndexingTest, NonZeroIsCompact) {
  Tensor x = tensorOf<float>({2, 3}, {0, 1, 0, 2, 0, 3});
  Tensor y(DType::I64, {2, 6});
  k::nonZero(x, y);
  EXPECT_EQ(y.shape(), (Shape{2, 3}));
  EXPECT_EQ(valuesOf<int64_t>(y), (std::vector<int64_t>{0, 1, 1, 1, 0, 2}));
  Tensor none = tensorOf<bool>({2}, {false, false}), empty(DType::I64, {1, 2});
  k::nonZero(none, empty);
  EXPECT_EQ(empty.shape(), (Shape{1, 0}));
  Tensor scalar = tensorOf<int32_t>({}, {5}), z(DType::I64, {0, 1});
  k::nonZero(scalar, z);
  EXPECT_EQ(z.shape(), (Shape{0, 1}));
}

} // namespace
