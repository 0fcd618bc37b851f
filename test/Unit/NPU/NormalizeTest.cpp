//===- NormalizeTest.cpp - C62 to C75 -------------------------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Softmax and normalizations: bit for bit against the literal implementation,
// and within the bounds that the page states against the real formulas.
//===----------------------------------------------------------------------===//
#include "parallax/Backend/NPU/Kernels/Normalize.h"
#include "NpuTestSupport.h"

using namespace parallax;
using namespace parallax::npu;
using namespace parallax::npu::test;

namespace {

float spread(double range, const CodeType &type) {
  return float(range / (std::ldexp(1.0, type.bits) - 1));
}

//===----------------------------------------------------------------------===//
// Softmax
//===----------------------------------------------------------------------===//

struct AxisCase {
  Shape dims;
  int64_t axis;
};
const std::vector<AxisCase> axisCases{{{1}, 0},       {{3, 1}, 1},
                                      {{5, 37}, 1},   {{2, 11, 3}, 1},
                                      {{4, 3, 5}, 0}, {{2, 67}, 1}};

template <typename Check> void forEachSoftmax(Check check) {
  uint64_t seed = 1;
  for (const AxisCase &c : axisCases)
    for (const CodeType &xType : codeTypes)
      for (const CodeType &yType : codeTypes)
        for (double range : {0.01, 10.0, 200.0})
          for (Fill fill : fills) {
            Codes x = codesOf(xType, c.dims, spread(range, xType),
                              double(seed % 5) / 4, seed, fill);
            Codes y = codesOf(yType, c.dims, 1.0f, 0);
            check(x, y, yType, c.axis, ties[seed % 3], seed);
            ++seed;
          }
}

TEST(Softmax, C62_C63_C64_EveryTypeAndShape) {
  CoversCodes covers;
  forEachSoftmax([](Codes &x, Codes &y, const CodeType &yType, int64_t axis,
                    Tie tie, uint64_t seed) {
    y.scale = spread(seed % 2 ? 1.0 : 0.03, yType);
    y.zero += int64_t(seed % 4);
    literal::softmax(x, axis, y, tie);
    Tensor xTensor = toTensor(x);
    SoftmaxTables tables = softmaxTables(dtypeOf(x), x.scale, y.scale);
    expectBits(y, [&](Tensor &result) {
      softmax(xTensor, result, axis, tables, outputOf(y, tie));
    });
  });
}

TEST(Softmax, C62_ExponentOfEveryDistance) {
  for (const CodeType &type : codeTypes)
    for (double range : {0.01, 1.0, 16.0, 200.0}) {
      Codes x = codesOf(type, {1}, spread(range, type), 0);
      ExponentTable table = exponentTable(type.dtype, x.scale);
      for (int64_t d = 0; d < int64_t(1) << type.bits; ++d)
        ASSERT_EQ(table(d), int64_t(literal::exponent(x, d))) << d;
    }
}

TEST(Softmax, C65_IntegersOfTheLogarithm) {
  for (const CodeType &type : codeTypes)
    for (float yScale : {1e-5f, 0.003f, 0.1f, 1e12f}) {
      float xScale = spread(40, type);
      LogSoftmaxTables got = logSoftmaxTables(type.dtype, xScale, yScale);
      literal::LogSoftmax expected =
          literal::logSoftmaxIntegers(xScale, yScale);
      EXPECT_EQ(got.logarithm, int64_t(expected.logarithm.m));
      EXPECT_EQ(got.shift, expected.logarithm.s);
      EXPECT_EQ(got.distance, int64_t(expected.distance));
      for (int i = 0; i <= 256; ++i)
        EXPECT_EQ(got.logarithms[i], int64_t(literal::logarithmEntry(i)));
    }
}

TEST(Softmax, C65_C66_LogarithmOfEveryTypeAndShape) {
  CoversCodes covers;
  forEachSoftmax([](Codes &x, Codes &y, const CodeType &yType, int64_t axis,
                    Tie tie, uint64_t seed) {
    y.scale = spread(seed % 2 ? 20.0 : 3.0, yType);
    y.zero = y.high - int64_t(seed % 4);
    literal::logSoftmax(x, axis, y, tie);
    Tensor xTensor = toTensor(x);
    LogSoftmaxTables tables = logSoftmaxTables(dtypeOf(x), x.scale, y.scale);
    expectBits(y, [&](Tensor &result) {
      logSoftmax(xTensor, result, axis, tables, outputOf(y, tie));
    });
  });
}

TEST(Softmax, C65_InputsOverTooWideARangeAreRefused) {
  EXPECT_THROW(logSoftmaxTables(DType::U8, 4.1f, 0.1f), Error);
  EXPECT_NO_THROW(logSoftmaxTables(DType::U8, 4.0f, 0.1f));
  EXPECT_THROW(logSoftmaxTables(DType::U16, 0.016f, 0.1f), Error);
}

/// Rows with one peak, with several and with none, of up to 4096 elements.
template <typename Check> void forEachLongRow(Check check) {
  uint64_t seed = 1;
  for (const CodeType &type : codeTypes)
    for (int64_t length : {1, 2, 10, 300, 4096})
      for (double range : {0.1, 16.0, 300.0})
        for (Fill fill : {Fill::Random, Fill::Ends, Fill::Low}) {
          Codes x =
              codesOf(type, {4, length}, spread(range, type), 0.5, seed, fill);
          for (int64_t row = 1; row < 4; ++row)
            x.values[row * length + row * length / 5] = x.high;
          check(x, type, length);
          ++seed;
        }
}

std::vector<double> realSoftmax(const Codes &x, int64_t length, bool isLog) {
  std::vector<double> result;
  for (size_t row = 0; row < x.values.size(); row += size_t(length)) {
    double greatest = -1e300, sum = 0;
    for (int64_t i = 0; i < length; ++i)
      greatest = std::max(greatest, valueAt(x, int64_t(row) + i));
    for (int64_t i = 0; i < length; ++i)
      sum += std::exp(valueAt(x, int64_t(row) + i) - greatest);
    for (int64_t i = 0; i < length; ++i) {
      double d = valueAt(x, int64_t(row) + i) - greatest;
      result.push_back(isLog ? d - std::log(sum) : std::exp(d) / sum);
    }
  }
  return result;
}

TEST(Softmax, C64_WithinOneCodeOfTheRealFormula) {
  forEachLongRow([](const Codes &x, const CodeType &type, int64_t length) {
    std::vector<double> real = realSoftmax(x, length, false);
    Codes y = codesOf(type, x.dims, spread(1.0, type), 0);
    Tensor xTensor = toTensor(x), result(type.dtype, x.dims);
    softmax(xTensor, result, 1, softmaxTables(type.dtype, x.scale, y.scale),
            outputOf(y, Tie::Up));
    y.values = valuesOf(result);
    ASSERT_LE(worstDistance(y, real), 1) << length;
  });
}

TEST(Softmax, C66_WithinItsBoundOfTheRealFormula) {
  forEachLongRow([](const Codes &x, const CodeType &type, int64_t length) {
    std::vector<double> real = realSoftmax(x, length, true);
    for (double range : {1.0, 4.0, 30.0}) {
      Codes y = codesOf(type, x.dims, spread(range, type), 1.0);
      Tensor xTensor = toTensor(x), result(type.dtype, x.dims);
      logSoftmax(xTensor, result, 1,
                 logSoftmaxTables(type.dtype, x.scale, y.scale),
                 outputOf(y, Tie::Up));
      y.values = valuesOf(result);
      ASSERT_LE(worstDistance(y, real), type.bits == 16 && range < 4 ? 2 : 1)
          << length << " " << range;
    }
  });
}

//===----------------------------------------------------------------------===//
// Normalizations
//===----------------------------------------------------------------------===//

struct NormCase {
  Shape dims;
  NormRows rows;
  int64_t entries; // of gamma and beta; 0 for none
};

/// Trailing dimensions, groups and instances; one element; a long row whose
/// fraction has fewer bits (C71).
const std::vector<NormCase> normCases{{{3, 1}, {1, 1, 1}, 1},
                                      {{5, 7}, {7, 1, 1}, 7},
                                      {{2, 3, 129}, {129, 1, 1}, 129},
                                      {{2, 6, 3, 5}, {45, 2, 15}, 6},
                                      {{2, 3, 4, 4}, {16, 3, 16}, 3},
                                      {{4, 50}, {50, 1, 1}, 0},
                                      {{2, 2, 30, 33}, {990, 2, 990}, 2},
                                      {{1, 140000}, {140000, 1, 1}, 0}};

struct NormName {
  NormKind kind;
  const char *name;
};
const std::vector<NormName> normNames{{NormKind::Centered, "layer"},
                                      {NormKind::Rms, "rms"},
                                      {NormKind::L2, "l2"}};

std::vector<float> learned(int64_t count, float middle, uint64_t seed) {
  Random random(seed);
  std::vector<float> values;
  for (int64_t i = 0; i < count; ++i)
    values.push_back(middle + 2 * (random.real() - 0.5f));
  return values;
}

void checkNorm(const NormCase &c, const NormName &norm, const CodeType &xType,
               const CodeType &yType, Fill fill, float epsilon, uint64_t seed) {
  Tie tie = ties[seed % 3];
  Codes x = codesOf(xType, c.dims, spread(6.0, xType), double(seed % 5) / 4,
                    seed, fill);
  double range = norm.kind == NormKind::L2 ? 1.0 : 6.0;
  Codes y = codesOf(yType, c.dims, spread(range, yType), 0.5);
  std::vector<float> gamma = learned(c.entries, 1.0f, seed + 1);
  std::vector<float> beta = learned(c.entries, 0.1f, seed + 2);
  auto entryOf = [&](int64_t row, int64_t i) {
    return row % c.rows.groups * (c.rows.count / c.rows.inner) +
           i / c.rows.inner;
  };
  literal::normalize(norm.name, x, c.rows.count, epsilon, gamma, beta, entryOf,
                     y, tie);
  NormCoefficients k = normCoefficients(norm.kind, x.scale, c.rows.count,
                                        epsilon, gamma, beta, y.scale);
  Tensor xTensor = toTensor(x);
  expectBits(
      y,
      [&](Tensor &result) {
        normalizeRows(norm.kind, xTensor, x.zero, result, c.rows, k,
                      outputOf(y, tie));
      },
      norm.name);
}

TEST(Norm, C70_C75_EveryKindTypeAndShape) {
  CoversCodes covers;
  uint64_t seed = 1;
  for (const NormCase &c : normCases)
    for (const NormName &norm : normNames)
      for (const CodeType &xType : codeTypes)
        for (const CodeType &yType : codeTypes) {
          bool isLong = c.rows.count > 1000;
          if (isLong && xType.bits != yType.bits)
            continue;
          for (Fill fill : fills) {
            if (isLong && fill != Fill::Random)
              continue;
            float epsilon = seed % 3 == 0 ? 0.0f : seed % 3 == 1 ? 1e-5f : 1e3f;
            checkNorm(c, norm, xType, yType, fill, epsilon, seed);
            ++seed;
          }
        }
}

TEST(Norm, C70_EpsilonOfManyBits) {
  // A tiny scale makes epsilon, in steps of x, longer than 64 bits.
  Codes x = codesOf(codeTypes[2], {2, 64}, 1e-12f, 0.5, 3);
  Codes y = codesOf(codeTypes[2], x.dims, 1e-8f, 0.5);
  literal::normalize(
      "layer", x, 64, 1e-3f, {}, {}, [](int64_t, int64_t) { return 0; }, y,
      Tie::Up);
  NormCoefficients k =
      normCoefficients(NormKind::Centered, x.scale, 64, 1e-3f, {}, {}, y.scale);
  EXPECT_TRUE(k.epsilon > Int128(1) << 64);
  Tensor xTensor = toTensor(x);
  expectBits(y, [&](Tensor &result) {
    normalizeRows(NormKind::Centered, xTensor, x.zero, result, {64, 1, 1}, k,
                  outputOf(y, Tie::Up));
  });
}

TEST(Norm, C70_C71_Integers) {
  uint64_t seed = 1;
  for (const NormName &norm : normNames)
    for (int64_t count : {1, 2, 77, 768, 65536, 65537, 131073, 1 << 24})
      for (float epsilon : {0.0f, 1e-12f, 1e-5f, 1.0f})
        for (float scale : {1e-6f, 0.02f, 3.0f})
          for (float ratio : {0.01f, 1.0f, 1000.0f}) {
            std::vector<float> gamma = learned(5, 0.5f, seed++);
            std::vector<float> beta = learned(5, ratio, seed++);
            if (seed % 5 == 0)
              gamma.clear();
            if (seed % 7 == 0)
              beta.clear();
            literal::Norm expected = literal::normIntegers(
                norm.name, scale, count, epsilon, gamma, beta, 0.01f);
            NormCoefficients got = normCoefficients(
                norm.kind, scale, count, epsilon, gamma, beta, 0.01f);
            ASSERT_TRUE(got.epsilon == expected.epsilon);
            ASSERT_EQ(got.fractionBits, expected.fraction) << count;
            ASSERT_EQ(got.shift, expected.s);
            ASSERT_EQ(got.factors.size(), expected.k.size());
            ASSERT_EQ(got.offsets.size(), expected.b.size());
            for (size_t i = 0; i < expected.k.size(); ++i)
              ASSERT_EQ(got.factors[i], int64_t(expected.k[i]));
            for (size_t i = 0; i < expected.b.size(); ++i)
              ASSERT_EQ(got.offsets[i], int64_t(expected.b[i]));
          }
}

TEST(Norm, C75_InnerTiesGoUpInEveryRoundingMode) {
  // The root of 2^46 and a little is 2^23 after rounding down, so an odd
  // distance is a tie at 22 bits of fraction; y has the steps of U.
  for (Tie tie : ties) {
    Codes x = codesOf(codeTypes[3], {1, 9}, 1.0f, 0);
    x.zero = 0;
    x.values = {-7, -5, -3, -1, 0, 1, 3, 5, 7};
    Codes y = codesOf(codeTypes[3], {1, 9}, 0x1p-22f, 0.5);
    y.zero = 0;
    literal::normalize(
        "l2", x, 9, 0x1p46f, {}, {}, [](int64_t, int64_t) { return 0; }, y,
        tie);
    EXPECT_EQ(y.values, (std::vector<int64_t>{-3, -2, -1, 0, 0, 1, 2, 3, 4}));
    NormCoefficients k =
        normCoefficients(NormKind::L2, 1.0f, 9, 0x1p46f, {}, {}, y.scale);
    Tensor xTensor = toTensor(x);
    expectBits(y, [&](Tensor &result) {
      normalizeRows(NormKind::L2, xTensor, 0, result, {9, 1, 1}, k,
                    outputOf(y, tie));
    });
  }
}

TEST(Norm, C71_RowsBeyondTheLimitAreRefused) {
  EXPECT_NO_THROW(normCoefficients(NormKind::Rms, 1, 1 << 24, 0, {}, {}, 1));
  EXPECT_THROW(normCoefficients(NormKind::Rms, 1, (1 << 24) + 1, 0, {}, {}, 1),
               Error);
}

/// y = gamma (x - mean) / sqrt(var + eps) + beta and its relatives, in double.
std::vector<double> realNorm(NormKind kind, const Codes &x, int64_t count,
                             double epsilon, const std::vector<float> &gamma,
                             const std::vector<float> &beta) {
  std::vector<double> result;
  for (int64_t row = 0; row < int64_t(x.values.size()); row += count) {
    double mean = 0, squares = 0;
    for (int64_t i = 0; i < count && kind == NormKind::Centered; ++i)
      mean += valueAt(x, row + i) / double(count);
    for (int64_t i = 0; i < count; ++i) {
      double v = valueAt(x, row + i) - mean;
      squares += v * v;
    }
    double n = kind == NormKind::L2 ? 1.0 : double(count);
    double deviation = std::sqrt(squares / n + epsilon);
    for (int64_t i = 0; i < count; ++i) {
      double v = valueAt(x, row + i) - mean;
      v = deviation > 0 ? v / deviation : 0;
      result.push_back(v * double(gamma[i]) + double(beta[i]));
    }
  }
  return result;
}

TEST(Norm, C75_WithinOneCodeOfTheRealFormula) {
  uint64_t seed = 1;
  for (const NormName &norm : normNames)
    for (const CodeType &type : codeTypes)
      for (int64_t count : {2, 8, 64, 768, 5000})
        for (double range : {0.01, 1.0, 50.0})
          for (Fill fill : {Fill::Random, Fill::Ends}) {
            Codes x = codesOf(type, {3, count}, spread(range, type), 0.37, seed,
                              fill);
            // One element far from all others, which is what networks do.
            for (int64_t i = 1; i < count; ++i)
              x.values[i] = x.zero + int64_t(i % 3);
            std::vector<float> gamma = learned(count, 0.5f, seed + 1);
            std::vector<float> beta = learned(count, 0.0f, seed + 2);
            std::vector<double> real =
                realNorm(norm.kind, x, count, 1e-5f, gamma, beta);
            double low = 0, high = 0;
            for (double v : real) {
              low = std::min(low, v);
              high = std::max(high, v);
            }
            Codes y = codesOf(type, x.dims, spread(high - low, type),
                              -low / (high - low));
            NormCoefficients k = normCoefficients(norm.kind, x.scale, count,
                                                  1e-5f, gamma, beta, y.scale);
            Tensor xTensor = toTensor(x), result(type.dtype, x.dims);
            normalizeRows(norm.kind, xTensor, x.zero, result, {count, 1, 1}, k,
                          outputOf(y, Tie::Up));
            y.values = valuesOf(result);
            ASSERT_LE(worstDistance(y, real), 1)
                << norm.name << " " << count << " " << range << " "
                << type.bits;
            ++seed;
          }
}

} // namespace
