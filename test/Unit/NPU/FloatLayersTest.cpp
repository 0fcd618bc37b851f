//===- FloatLayersTest.cpp - C92 to C94 -----------------------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Bits of float sums against the literal reading, and values against double.
//===----------------------------------------------------------------------===//
#include "parallax/Backend/NPU/Kernels/FloatLayers.h"
#include "NpuTestSupport.h"

using namespace parallax;
using namespace parallax::npu;
using namespace parallax::npu::test;

namespace {

std::vector<float> randomFloats(int64_t count, float range, uint64_t seed) {
  Random random(seed);
  std::vector<float> values;
  for (int64_t i = 0; i < count; ++i)
    values.push_back((random.real() - 0.5f) * range);
  return values;
}

/// Compares bits, with one thread and with two.
template <typename Kernel>
void expectFloats(const Shape &shape, const std::vector<float> &expected,
                  Kernel kernel) {
  for (int threads : {1, 2}) {
    ThreadCountScope scope(threads);
    Tensor y(DType::F32, shape);
    kernel(y);
    for (size_t i = 0; i < expected.size(); ++i)
      ASSERT_EQ(y.data<float>()[i], expected[i]) << i;
  }
}

TEST(FloatLayers, C92_SumsInEightLanes) {
  for (int64_t count : {0, 1, 3, 7, 8, 9, 15, 16, 17, 1000, 4097}) {
    std::vector<float> x = randomFloats(count, 1000, uint64_t(count) + 1);
    EXPECT_EQ(sumFloats(x.data(), count), literal::floatSum(x));
  }
  // Each 1 is lost beside 2^24 unless it meets another 1 first.
  std::vector<float> x(16, 0.0f);
  x[0] = 0x1p24f;
  x[2] = x[6] = 1;
  EXPECT_EQ(sumFloats(x.data(), 16), 0x1p24f + 2);
  x[6] = 0;
  x[8] = 1;
  EXPECT_EQ(sumFloats(x.data(), 16), 0x1p24f);
}

TEST(FloatLayers, C93_Softmax) {
  for (bool isLog : {false, true})
    for (int64_t count : {1, 5, 8, 77, 1000})
      for (int64_t inner : {1, 3}) {
        Shape shape{4, count, inner};
        std::vector<float> values =
            randomFloats(4 * count * inner, 30, uint64_t(count));
        Tensor x = Tensor::fromValues<float>(shape, values);
        std::vector<float> expected(values.size());
        for (int64_t r = 0; r < 4 * inner; ++r) {
          std::vector<float> row;
          int64_t offset = r / inner * count * inner + r % inner;
          for (int64_t i = 0; i < count; ++i)
            row.push_back(values[offset + i * inner]);
          row = literal::floatSoftmax(row, isLog);
          for (int64_t i = 0; i < count; ++i)
            expected[offset + i * inner] = row[i];
        }
        expectFloats(shape, expected,
                     [&](Tensor &y) { softmaxFloat(x, y, 1, isLog); });
      }
}

TEST(FloatLayers, C94_Normalizations) {
  struct Name {
    NormKind kind;
    const char *name;
  };
  for (Name norm : {Name{NormKind::Centered, "layer"},
                    Name{NormKind::Rms, "rms"}, Name{NormKind::L2, "l2"}})
    for (NormRows rows : {NormRows{1, 1, 1}, NormRows{77, 1, 1},
                          NormRows{768, 1, 1}, NormRows{60, 2, 20}})
      for (bool learned : {false, true}) {
        Shape shape{4, rows.count};
        std::vector<float> values = randomFloats(4 * rows.count, 5, 3);
        std::fill_n(values.begin(), rows.count, 0.0f); // A deviation of 0.
        int64_t entries = rows.groups * (rows.count / rows.inner);
        std::vector<float> gamma, beta;
        if (learned) {
          gamma = randomFloats(entries, 4, 4);
          beta = randomFloats(entries, 4, 5);
        }
        float epsilon = rows.count == 77 ? 0.0f : 1e-5f;
        auto entryOf = [&](int64_t row, int64_t i) {
          return row % rows.groups * (rows.count / rows.inner) + i / rows.inner;
        };
        std::vector<float> expected = literal::floatNormalize(
            norm.name, values, rows.count, epsilon, gamma, beta, entryOf);
        Tensor x = Tensor::fromValues<float>(shape, values);
        expectFloats(shape, expected, [&](Tensor &y) {
          normalizeFloat(norm.kind, x, y, rows, epsilon, gamma, beta);
        });
      }
}

} // namespace
