//===- FloatLayersTest.cpp - C90 to C96 -----------------------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Functions, products, sums and normalizations of floats against the literal
// implementation, bit by bit.
//===----------------------------------------------------------------------===//
#include "parallax/Backend/NPU/Kernels/FloatLayers.h"
#include "FloatTestSupport.h"
#include "parallax/Backend/NPU/Kernels/Mac.h"

using namespace parallax;
using namespace parallax::npu;
using namespace parallax::npu::test;
using kernels::PoolKind;
using kernels::ReduceKind;
using kernels::UnaryKind;

namespace {

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

struct NamedFunction {
  const char *name;
  UnaryKind kind;
  float alpha = 0, beta = 0;
};
const NamedFunction namedFunctions[] = {
    {"Abs", UnaryKind::Abs},
    {"Neg", UnaryKind::Neg},
    {"Ceil", UnaryKind::Ceil},
    {"Floor", UnaryKind::Floor},
    {"Round", UnaryKind::Round},
    {"Sign", UnaryKind::Sign},
    {"Sqrt", UnaryKind::Sqrt},
    {"Reciprocal", UnaryKind::Reciprocal},
    {"Exp", UnaryKind::Exp},
    {"Log", UnaryKind::Log},
    {"Erf", UnaryKind::Erf},
    {"Sin", UnaryKind::Sin},
    {"Cos", UnaryKind::Cos},
    {"Tan", UnaryKind::Tan},
    {"Asin", UnaryKind::Asin},
    {"Acos", UnaryKind::Acos},
    {"Atan", UnaryKind::Atan},
    {"Sinh", UnaryKind::Sinh},
    {"Cosh", UnaryKind::Cosh},
    {"Asinh", UnaryKind::Asinh},
    {"Acosh", UnaryKind::Acosh},
    {"Atanh", UnaryKind::Atanh},
    {"Tanh", UnaryKind::Tanh},
    {"Sigmoid", UnaryKind::Sigmoid},
    {"Softplus", UnaryKind::Softplus},
    {"Softsign", UnaryKind::Softsign},
    {"HardSigmoid", UnaryKind::HardSigmoid, 0.2f, 0.5f},
    {"HardSwish", UnaryKind::HardSwish},
    {"Silu", UnaryKind::Silu},
    {"Mish", UnaryKind::Mish},
    {"Gelu", UnaryKind::GeluErf},
    {"GeluTanh", UnaryKind::GeluTanh},
    {"Elu", UnaryKind::Elu, 1.7f},
    {"Selu", UnaryKind::Selu, 1.67326319f, 1.05070102f},
    // 4097 * 4099 is the middle between two floats.
    {"Selu", UnaryKind::Selu, 4097, 4099},
    {"Celu", UnaryKind::Celu, 0.3f},
    {"LeakyRelu", UnaryKind::LeakyRelu, 0.01f},
    {"Relu", UnaryKind::Relu},
    {"ThresholdedRelu", UnaryKind::ThresholdedRelu, 0.7f},
    {"Shrink", UnaryKind::Shrink, 0.5f, 0.3f},
};

TEST(FloatLayers, C95_FunctionsAreRoundedOnce) {
  Floats x = extremes();
  Random random(7);
  for (int i = 0; i < 6000; ++i) // All magnitudes, then those of networks.
    x.push_back(std::bit_cast<float>(uint32_t(random.next())));
  for (float range : {0.01f, 2.0f, 20.0f, 250.0f})
    for (float value : randomFloats(2000, range, uint64_t(range) + 1))
      x.push_back(value);
  for (int i = 1; i < 64; ++i) { // Halves of these are not floats.
    x.push_back(float(i) * 0x1p-149f);
    x.push_back(-float(i) * 0x1p-149f);
    x.push_back(std::ldexp(-1.0f - float(i) * 0x1p-23f, -2 * i));
  }
  Tensor xTensor = toTensor(x);
  for (const NamedFunction &f : namedFunctions) {
    Array expected({int64_t(x.size())});
    for (size_t i = 0; i < x.size(); ++i)
      expected.values[i] =
          literal::floatFunction(f.name, x[i], f.alpha, f.beta);
    Tensor y(DType::F32, {int64_t(x.size())});
    for (int threads : {1, 2}) {
      ThreadCountScope scope(threads);
      floatUnary(f.kind, xTensor, y, f.alpha, f.beta);
      expectBits(y, expected.values, f.name);
    }
  }
}

TEST(FloatLayers, C95_PowersAreRoundedOnce) {
  Floats bases = randomFloats(3000, 40, 1, true), exponents;
  for (float value : randomFloats(3000, 30, 2, true))
    exponents.push_back(std::fabs(value) < 8 ? std::round(value) : value);
  Array expected({int64_t(bases.size())});
  for (size_t i = 0; i < bases.size(); ++i)
    expected.values[i] = literal::floatPow(bases[i], double(exponents[i]));
  expectFloats(expected, [&](Tensor &y) {
    floatPower(toTensor(bases), toTensor(exponents), y);
  });
  // Integers of 25 digits, the last one 1: the even neighbour wins.
  EXPECT_EQ(floatPower(4097, 2), float(4097.0 * 4097.0));
  EXPECT_EQ(floatPower(4099, 2), float(4099.0 * 4099.0));
  EXPECT_EQ(floatPower(289 * 289, 1.5), float(289.0 * 289 * 289));
  EXPECT_EQ(floatPower(-289, 3), float(-289.0 * 289 * 289));
  EXPECT_EQ(floatPower(2, -150), 0.0f);
  EXPECT_EQ(floatPower(0.5f, 149), 0x1p-149f);
  EXPECT_TRUE(std::isnan(floatPower(-2, 0.5)));
  EXPECT_EQ(floatPower(NAN, 0), 1.0f);
}

TEST(FloatLayers, C90_OneNaN) {
  uint32_t bits[] = {0xFFC00001, 0x7F800001, 0x80000000, 0xFF800000};
  Tensor y(DType::F32, {4});
  std::memcpy(y.rawData(), bits, sizeof(bits));
  unifyNaNs(y);
  uint32_t expected[] = {0x7FC00000, 0x7FC00000, 0x80000000, 0xFF800000};
  EXPECT_EQ(std::memcmp(y.rawData(), expected, sizeof(expected)), 0);
}

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

TEST(FloatLayers, C91_Convolutions) {
  struct Case {
    Dims x, w, y, strides, dilations, pads;
    int64_t groups;
    bool transposed;
  };
  const Case cases[] = {
      {{2, 6, 7, 5},
       {10, 3, 3, 2},
       {2, 10, 4, 6},
       {2, 1},
       {1, 2},
       {1, 2},
       2,
       false},
      {{1, 3, 11}, {17, 3, 4}, {1, 17, 9}, {1}, {1}, {1}, 1, false},
      {{1, 5, 4, 4},
       {5, 1, 3, 3},
       {1, 5, 4, 4},
       {1, 1},
       {1, 1},
       {1, 1},
       5,
       false},
      {{2, 4, 3, 5},
       {4, 3, 2, 3},
       {2, 6, 6, 11},
       {2, 2},
       {1, 1},
       {0, 1},
       2,
       true},
      {{0, 3, 4}, {2, 3, 2}, {0, 2, 3}, {1}, {1}, {0}, 1, false},
  };
  for (const Case &c : cases)
    for (bool extreme : {false, true}) {
      Array x = randomArray(c.x, 100, 1, extreme), w = randomArray(c.w, 3, 2);
      Floats bias = randomFloats(c.y[1], 10, 3);
      Tensor xTensor = toTensor(x), wTensor = toTensor(w);
      Tensor biasTensor = toTensor(bias);
      ConvParams params;
      params.strides = c.strides;
      params.dilations = c.dilations;
      params.padsBegin = c.pads;
      params.groups = c.groups;
      params.transposed = c.transposed;
      expectFloats(literal::floatConv(x, w, bias, c.y, c.strides, c.dilations,
                                      c.pads, c.groups, c.transposed),
                   [&](Tensor &y) {
                     floatConvolution(xTensor, wTensor, &biasTensor, y, params);
                   });
      expectFloats(literal::floatConv(x, w, {}, c.y, c.strides, c.dilations,
                                      c.pads, c.groups, c.transposed),
                   [&](Tensor &y) {
                     floatConvolution(xTensor, wTensor, nullptr, y, params);
                   });
    }
}

TEST(FloatLayers, C91_GroupsWithoutChannels) {
  Tensor x(DType::F32, {1, 0, 3}), w(DType::F32, {0, 0, 1});
  Tensor y(DType::F32, {1, 0, 3});
  ConvParams params;
  params.strides = params.dilations = {1};
  params.padsBegin = {0};
  params.groups = int64_t(1) << 60;
  floatConvolution(x, w, nullptr, y, params);
}

TEST(FloatLayers, C91_Matrices) {
  for (bool extreme : {false, true})
    for (int64_t columns : {1, 15, 33}) {
      Array a = randomArray({2, 1, 5, 37}, 9, 1, extreme);
      Array b = randomArray({3, 37, columns}, 9, 2, extreme);
      expectFloats(
          literal::floatMatmul(a, b, {2, 3, 5, columns}),
          [&](Tensor &y) { floatMatmul(toTensor(a), toTensor(b), y); });
    }
}

TEST(FloatLayers, C91_Einsum) {
  struct Case {
    const char *equation;
    std::vector<std::string> labels;
    std::vector<Dims> dims;
    std::string output;
    Dims y;
  };
  const Case cases[] = {
      {"ij,jk->ik", {"ij", "jk"}, {{5, 19}, {19, 7}}, "ik", {5, 7}},
      {"bhid,bhjd->bhij",
       {"bhid", "bhjd"},
       {{2, 3, 4, 5}, {2, 3, 6, 5}},
       "bhij",
       {2, 3, 4, 6}},
      // Summed labels in the order of the equation, also those of one operand.
      {"ckb,bka->ac", {"ckb", "bka"}, {{3, 4, 5}, {5, 4, 6}}, "ac", {6, 3}},
      {"aij,bj->ba", {"aij", "bj"}, {{3, 4, 5}, {2, 5}}, "ba", {2, 3}},
      {"ij,ij->", {"ij", "ij"}, {{3, 9}, {3, 9}}, "", {}},
      {"ii,ij->j", {"ii", "ij"}, {{4, 4}, {4, 3}}, "j", {3}},
      {"ij,jk->ik", {"ij", "jk"}, {{4, 1}, {6, 5}}, "ik", {4, 5}},
      {"ij,jk->ik", {"ij", "jk"}, {{4, 0}, {0, 5}}, "ik", {4, 5}},
      {"iji->j", {"iji"}, {{4, 3, 4}}, "j", {3}},
      {"ij,jk,kl->il",
       {"ij", "jk", "kl"},
       {{2, 3}, {3, 4}, {4, 5}},
       "il",
       {2, 5}},
  };
  for (const Case &c : cases)
    for (bool extreme : {false, true}) {
      std::vector<Array> inputs;
      std::vector<Tensor> tensors;
      for (const Dims &dims : c.dims) {
        inputs.push_back(
            randomArray(dims, 50, 10 + uint64_t(inputs.size()), extreme));
        tensors.push_back(toTensor(inputs.back()));
      }
      expectFloats(
          literal::floatEinsum(inputs, c.labels, c.output, c.y),
          [&](Tensor &y) { einsumFloat(c.equation, tensors, y); }, c.equation);
    }
}

//===----------------------------------------------------------------------===//
// Sums
//===----------------------------------------------------------------------===//

TEST(FloatLayers, C92_SumsInEightLanes) {
  for (int64_t count : {0, 1, 3, 7, 8, 9, 15, 16, 17, 1000, 4097}) {
    Floats x = randomFloats(count, 1000, uint64_t(count) + 1);
    EXPECT_EQ(sumFloats(x.data(), count), literal::floatSum(x));
  }
  // Each 1 is lost beside 2^24 unless it meets another 1 first.
  Floats x(16, 0.0f);
  x[0] = 0x1p24f;
  x[2] = x[6] = 1;
  EXPECT_EQ(sumFloats(x.data(), 16), 0x1p24f + 2);
  x[6] = 0;
  x[8] = 1;
  EXPECT_EQ(sumFloats(x.data(), 16), 0x1p24f);
}

TEST(FloatLayers, C92_Reductions) {
  const std::pair<const char *, ReduceKind> kinds[] = {
      {"Sum", ReduceKind::Sum},
      {"Mean", ReduceKind::Mean},
      {"Max", ReduceKind::Max},
      {"Min", ReduceKind::Min},
      {"Prod", ReduceKind::Prod},
      {"L1", ReduceKind::L1},
      {"L2", ReduceKind::L2},
      {"LogSum", ReduceKind::LogSum},
      {"LogSumExp", ReduceKind::LogSumExp},
      {"SumSquare", ReduceKind::SumSquare}};
  const std::pair<Dims, Dims> shapes[] = {
      {{3, 4, 37}, {2}},      {{3, 19, 21}, {1}}, {{3, 4, 5, 6}, {1, 3}},
      {{7, 9}, {0, 1}},       {{2, 3}, {}},       {{3, 0, 2}, {1}},
      {{2, 0, 3, 4}, {1, 3}}, {{0, 3}, {1}},      {{2, 5, 1, 18}, {0, 2}}};
  for (auto [name, kind] : kinds)
    for (const auto &[dims, axes] : shapes)
      for (bool extreme : {false, true}) {
        Array x = randomArray(dims, 4, 5, extreme);
        Tensor xTensor = toTensor(x);
        expectFloats(
            literal::floatReduce(name, x, axes),
            [&, kind = kind, axes = axes](Tensor &y) {
              reduceFloat(kind, xTensor, y, axes);
            },
            name);
      }
}

TEST(FloatLayers, C92_Pooling) {
  struct Case {
    Dims x, y, kernel, strides, dilations, padsBegin, padsEnd;
  };
  const Case cases[] = {
      {{2, 3, 9, 8}, {2, 3, 5, 4}, {3, 3}, {2, 2}, {1, 1}, {1, 1}, {1, 1}},
      {{1, 2, 17}, {1, 2, 8}, {5}, {2}, {2}, {2}, {4}},
      {{1, 1, 3, 3}, {1, 1, 3, 3}, {2, 2}, {2, 2}, {1, 1}, {1, 1}, {2, 2}},
      {{1, 2, 3, 4, 5},
       {1, 2, 2, 3, 4},
       {2, 2, 2},
       {1, 1, 1},
       {1, 1, 1},
       {0, 0, 0},
       {0, 0, 0}},
  };
  for (const Case &c : cases)
    for (bool extreme : {false, true}) {
      Array x = randomArray(c.x, 10, 3, extreme);
      Tensor xTensor = toTensor(x);
      kernels::PoolParams params{c.kernel, c.strides, c.dilations, c.padsBegin,
                                 c.padsEnd};
      auto check = [&](const char *name, PoolKind kind) {
        expectFloats(
            literal::floatPool(name, x, c.y, c.kernel, c.strides, c.dilations,
                               c.padsBegin, c.padsEnd, params.countIncludePad,
                               params.p),
            [&](Tensor &y) { poolFloat(kind, xTensor, y, params); }, name);
      };
      check("Max", PoolKind::Max);
      for (bool counts : {false, true}) {
        params.countIncludePad = counts;
        check("Average", PoolKind::Average);
      }
      for (int64_t p : {1, 2, 3}) {
        params.p = p;
        check("Norm", PoolKind::Lp);
        Dims global = c.x, axes;
        for (size_t i = 2; i < global.size(); ++i)
          axes.push_back(int64_t(i)), global[i] = 1;
        Array expected(global);
        int64_t plane = x.size() / (c.x[0] * c.x[1]);
        for (int64_t i = 0; i < expected.size(); ++i)
          expected.values[size_t(i)] = literal::floatReduction(
              "Norm",
              Floats(x.values.begin() + i * plane,
                     x.values.begin() + (i + 1) * plane),
              p);
        expectFloats(expected,
                     [&](Tensor &y) { globalLpPoolFloat(xTensor, y, p); });
      }
    }
}

//===----------------------------------------------------------------------===//
// Normalizations
//===----------------------------------------------------------------------===//

TEST(FloatLayers, C93_Softmax) {
  for (bool isLog : {false, true})
    for (int64_t count : {1, 5, 8, 77, 1000})
      for (int64_t inner : {1, 3})
        for (bool extreme : {false, true}) {
          Array x =
              randomArray({4, count, inner}, 30, uint64_t(count), extreme);
          Array expected(x.dims);
          for (int64_t r = 0; r < 4 * inner; ++r) {
            Floats row;
            int64_t offset = r / inner * count * inner + r % inner;
            for (int64_t i = 0; i < count; ++i)
              row.push_back(x.values[size_t(offset + i * inner)]);
            row = literal::floatSoftmax(row, isLog);
            for (int64_t i = 0; i < count; ++i)
              expected.values[size_t(offset + i * inner)] = row[size_t(i)];
          }
          Tensor xTensor = toTensor(x);
          expectFloats(expected,
                       [&](Tensor &y) { softmaxFloat(xTensor, y, 1, isLog); });
        }
}

TEST(FloatLayers, C94_Normalizations) {
  for (NormKind kind : {NormKind::Centered, NormKind::Rms})
    for (NormRows rows : {NormRows{1, 1, 1}, NormRows{77, 1, 1},
                          NormRows{768, 1, 1}, NormRows{60, 2, 20}})
      for (bool learned : {false, true})
        for (bool extreme : {false, true}) {
          Array x = randomArray({4, rows.count}, 5, 3, extreme);
          std::fill_n(x.values.begin(), rows.count, 0.0f); // q is 0.
          int64_t entries = rows.groups * (rows.count / rows.inner);
          Floats gamma, beta;
          if (learned) {
            gamma = randomFloats(entries, 4, 4);
            beta = randomFloats(entries, 4, 5);
          }
          float epsilon = rows.count == 77 ? 0.0f : 1e-5f;
          auto entryOf = [&](int64_t row, int64_t i) {
            return row % rows.groups * (rows.count / rows.inner) +
                   i / rows.inner;
          };
          Array expected(x.dims,
                         literal::floatNormalize(kind == NormKind::Centered,
                                                 x.values, rows.count, epsilon,
                                                 gamma, beta, entryOf));
          Tensor xTensor = toTensor(x);
          expectFloats(expected, [&](Tensor &y) {
            normalizeFloat(kind, xTensor, y, rows, epsilon, gamma, beta);
          });
        }
}

TEST(FloatLayers, C94_Statistics) {
  Array x = randomArray({3, 19}, 5, 1);
  Tensor xTensor = toTensor(x), y(DType::F32, {3, 19});
  Tensor mean(DType::F32, {3, 1}), inverse(DType::F32, {3, 1});
  normalizeFloat(NormKind::Centered, xTensor, y, {19, 1, 1}, 1e-3f, {}, {},
                 {&mean, &inverse});
  for (int64_t r = 0; r < 3; ++r) {
    Floats row(x.values.begin() + r * 19, x.values.begin() + (r + 1) * 19);
    float m = literal::floatSum(row) / 19;
    for (float &value : row) {
      float d = value - m;
      value = d * d;
    }
    float v = literal::floatSum(row) / 19;
    float sum = v + 1e-3f;
    EXPECT_EQ(mean.data<float>()[r], m);
    EXPECT_EQ(inverse.data<float>()[r], 1 / std::sqrt(sum));
  }
}

TEST(FloatLayers, C94_NothingToNormalize) {
  Tensor x(DType::F32, {2, 3, 0}), y(DType::F32, {2, 3, 0});
  Tensor mean(DType::F32, {2}), inverse(DType::F32, {2});
  normalizeFloat(NormKind::Centered, x, y, {0, 3, 0}, 1e-3f, {}, {},
                 {&mean, &inverse});
  for (const Tensor *values : {&mean, &inverse})
    for (float value : values->values<float>())
      EXPECT_TRUE(std::isnan(value));
}

TEST(FloatLayers, C96_OtherNormalizations) {
  for (bool extreme : {false, true}) {
    Array x = randomArray({2, 5, 3, 7}, 20, 1, extreme);
    std::fill_n(x.values.begin(), 105, 0.0f);
    Tensor xTensor = toTensor(x);
    Floats gamma = randomFloats(5, 3, 2), beta = randomFloats(5, 3, 3);
    Floats mean = randomFloats(5, 3, 4), var{0.5f, 2, 1e-9f, 7, 0};
    Tensor gammaTensor = toTensor(gamma), betaTensor = toTensor(beta);
    Tensor meanTensor = toTensor(mean), varTensor = toTensor(var);
    expectFloats(literal::floatBatchNorm(x, gamma, beta, mean, var, 1e-5f),
                 [&](Tensor &y) {
                   batchNormFloat(
                       xTensor,
                       {gammaTensor, betaTensor, meanTensor, varTensor, 1e-5f},
                       y);
                 });
    for (int64_t axis : {1, 3})
      for (int64_t p : {1, 2})
        for (float epsilon : {0.0f, 9.0f})
          expectFloats(
              literal::floatLpNorm(x, axis, p, epsilon),
              [&](Tensor &y) { lpNormFloat(xTensor, y, axis, p, epsilon); });
    for (const Dims &axes : {Dims{0, 2, 3}, Dims{1}})
      expectFloats(literal::floatMeanVarianceNorm(x, axes),
                   [&](Tensor &y) { meanVarianceNormFloat(xTensor, y, axes); });
    for (int64_t size : {1, 4, 5})
      for (float power : {0.75f, 0.5f, 2.0f})
        expectFloats(literal::floatLrn(x, size, 1e-2f, power, 1.5f),
                     [&](Tensor &y) {
                       lrnFloat(xTensor, y, {size, 1e-2f, power, 1.5f});
                     });
  }
}

} // namespace
