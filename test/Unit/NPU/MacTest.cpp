//===- MacTest.cpp - C20 to C28 -------------------------------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Convolutions and matrix products, bit for bit, for every pair of types.
//===----------------------------------------------------------------------===//
#include "parallax/Backend/NPU/Kernels/Mac.h"
#include "ChannelOrder.h"
#include "NpuTestSupport.h"

using namespace parallax;
using namespace parallax::npu;
using namespace parallax::npu::test;

namespace {

std::vector<float> channelScales(int64_t count, uint64_t seed) {
  Random random(seed);
  std::vector<float> scales;
  for (int64_t i = 0; i < count; ++i)
    scales.push_back(0.001f + 0.01f * random.real());
  return scales;
}

std::vector<int64_t> biases(int64_t count, uint64_t seed) {
  Random random(seed);
  std::vector<int64_t> result;
  for (int64_t i = 0; i < count; ++i)
    result.push_back(int64_t(random.next() % 200001) - 100000);
  return result;
}

Tensor biasTensor(const std::vector<int64_t> &bias, DType type) {
  Tensor tensor(type, {int64_t(bias.size())});
  for (size_t i = 0; i < bias.size(); ++i)
    if (type == DType::I32)
      tensor.data<int32_t>()[i] = int32_t(bias[i]);
    else
      tensor.data<int64_t>()[i] = bias[i];
  return tensor;
}

/// A scale at which results of random operands fill the codes of y and pass
/// them on both sides.
float resultScale(const Codes &x, const Codes &w, int64_t depth,
                  const CodeType &y) {
  double sum = std::ldexp(std::sqrt(double(depth)), x.bits + w.bits - 4);
  return float(double(x.scale) * 0.005 * sum * 4 / std::ldexp(1.0, y.bits));
}

struct ConvCase {
  Shape x, w, y;
  ConvParams params;
};

/// Odd shapes: 1, 2 and 3 spatial dimensions, groups, depthwise with a
/// multiplier, dilation, uneven pads, windows that see only padding.
std::vector<ConvCase> convCases() {
  return {
      {{1, 1, 1}, {1, 1, 1}, {1, 1, 1}, {{1}, {1}, {0}}},
      {{2, 3, 7}, {5, 3, 3}, {2, 5, 5}, {{2}, {1}, {3}}},
      {{1, 4, 5, 7}, {6, 2, 3, 2}, {1, 6, 3, 8}, {{2, 1}, {1, 2}, {2, 1}, 2}},
      {{2, 5, 6, 5}, {10, 1, 3, 3}, {2, 10, 6, 5}, {{1, 1}, {1, 1}, {1, 1}, 5}},
      {{1, 3, 9, 11}, {4, 3, 3, 3}, {1, 4, 9, 7}, {{1, 2}, {2, 3}, {2, 4}}},
      {{1, 2, 3, 4, 5},
       {3, 2, 2, 2, 2},
       {1, 3, 2, 3, 4},
       {{1, 1, 1}, {1, 1, 1}, {0, 0, 0}}},
      {{1, 2, 3, 3}, {2, 2, 1, 1}, {1, 2, 9, 9}, {{1, 1}, {1, 1}, {3, 3}}},
      {{1, 130, 9, 9}, {3, 130, 1, 1}, {1, 3, 9, 9}, {{1, 1}, {1, 1}, {0, 0}}},
      {{2, 3, 5}, {3, 4, 3}, {2, 4, 11}, {{2}, {1}, {0}, 1, true}},
      {{1, 4, 4, 5},
       {4, 3, 3, 2},
       {1, 6, 9, 14},
       {{2, 3}, {2, 1}, {1, 0}, 2, true}},
      {{1, 3, 3, 3},
       {3, 1, 4, 4},
       {1, 3, 6, 6},
       {{2, 2}, {1, 1}, {1, 1}, 3, true}},
      // Depthwise, with channels that fill panels and that don't.
      {{1, 16, 4, 3},
       {16, 1, 3, 3},
       {1, 16, 4, 3},
       {{1, 1}, {1, 1}, {1, 1}, 16}},
      {{2, 70, 3, 3},
       {70, 1, 2, 3},
       {2, 70, 2, 3},
       {{1, 1}, {1, 1}, {0, 1}, 70}},
      {{1, 2, 1, 2}, {2, 1, 1, 1}, {1, 2, 1, 2}, {{1, 1}, {1, 1}, {0, 0}, 2}},
      {{1, 34, 2, 2},
       {34, 1, 2, 2},
       {1, 34, 4, 4},
       {{2, 2}, {1, 1}, {0, 0}, 34, true}},
      // Pointwise: alone, in groups, and with a stride.
      {{3, 17, 2, 5}, {33, 17, 1, 1}, {3, 33, 2, 5}, {{1, 1}, {1, 1}, {0, 0}}},
      {{2, 6, 3, 2}, {4, 3, 1, 1}, {2, 4, 3, 2}, {{1, 1}, {1, 1}, {0, 0}, 2}},
      {{1, 5, 4, 5}, {7, 5, 1, 1}, {1, 7, 2, 3}, {{2, 2}, {1, 1}, {0, 0}}},
  };
}

void checkConv(const ConvCase &c, const CodeType &xType, const CodeType &wType,
               const CodeType &yType, double zeroPart, Fill fill, Tie tie,
               uint64_t seed, bool withBias) {
  Codes x = codesOf(xType, c.x, 0.02f, zeroPart, seed, fill);
  Codes w = weightsOf(wType, c.w, seed + 1, fill);
  int64_t outputs = c.y[1];
  std::vector<float> scales = channelScales(outputs, seed + 2);
  std::vector<int64_t> bias;
  if (withBias)
    bias = biases(outputs, seed + 3);
  int64_t depth = elementCount(c.w) / outputs;
  Codes y = codesOf(yType, c.y, resultScale(x, w, depth, yType), 0.4);
  literal::Conv plain{c.params.strides, c.params.dilations, c.params.padsBegin,
                      c.params.groups, c.params.transposed};
  literal::convolution(x, w, scales, bias, plain, y, tie);
  Tensor xTensor = toTensor(x), wTensor = toTensor(w);
  Tensor bTensor = biasTensor(bias, seed % 2 ? DType::I32 : DType::I64);
  MacOutput output{
      outputOf(y, tie), macMultipliers(x.scale, scales, y.scale), {}};
  Convolution layer({dtypeOf(x), dtypeOf(y), c.x, c.y, x.zero, wTensor,
                     withBias ? &bTensor : nullptr, c.params, output});
  Tensor innermost = channelsLast(xTensor);
  expectBits(y, [&](Tensor &result) {
    Tensor codes(result.dtype(), result.shape());
    layer.run(innermost, codes);
    result = channelsFirst(codes);
  });
  if (seed % 8)
    return;
  // C26
  for (float scale : scales)
    output.scales.push_back(double(x.scale) * double(scale));
  Tensor real(DType::F32, c.y);
  Convolution({dtypeOf(x), DType::F32, c.x, c.y, x.zero, wTensor,
               withBias ? &bTensor : nullptr, c.params, output})
      .run(innermost, real);
  std::vector<float> expected = literal::floatSums(
      literal::convolutionSums(x, w, bias, plain, c.y), output.scales, c.y, 1);
  for (size_t i = 0; i < expected.size(); ++i)
    ASSERT_EQ(real.data<float>()[i], expected[i]);
}

TEST(Mac, C21_C22_C25_ConvolutionOfEveryTypeAndShape) {
  CoversCodes covers;
  uint64_t seed = 100;
  for (const ConvCase &c : convCases())
    for (const CodeType &x : codeTypes)
      for (const CodeType &w : weightTypes)
        for (const CodeType &y : codeTypes) {
          Tie tie = ties[seed % 3];
          checkConv(c, x, w, y, double(seed % 5) / 4, Fill::Random, tie, seed,
                    seed % 4 != 0);
          ++seed;
        }
}

/// Lines long enough for rows whose taps move alike, with edges, strides and
/// dilations that interrupt these, and channels around the width of vectors.
TEST(Mac, C21_C22_ConvolutionOfLongLines) {
  CoversCodes covers;
  Random random(9);
  auto any = [&](std::initializer_list<int64_t> values) {
    return values.begin()[random.next() % values.size()];
  };
  for (uint64_t turn = 0; turn < 150; ++turn) {
    int64_t inputs = any({1, 3, 4, 8, 15, 16, 17, 24}), outputs = inputs;
    int64_t groups = turn % 2 ? inputs : 1;
    if (groups == 1)
      outputs = any({1, 2, 5, 16, 17, 24, 33});
    bool transposed = turn % 5 == 4;
    ConvParams params;
    Shape in{any({1, 2, 6}), any({1, 13, 40})}, out, kernel;
    for (int64_t extent : in) {
      int64_t taps = any({1, 2, 3, 5}), stride = any({1, 1, 2, 3});
      int64_t dilation = any({1, 1, 2, 3}), pad = any({0, 1, 2, 4});
      int64_t reach = (taps - 1) * dilation + 1;
      kernel.push_back(taps);
      params.strides.push_back(stride);
      params.dilations.push_back(dilation);
      params.padsBegin.push_back(transposed ? std::min(pad, reach - 1) : pad);
      out.push_back(transposed ? (extent - 1) * stride + reach -
                                     params.padsBegin.back()
                               : extent / stride + 1);
    }
    params.groups = groups;
    params.transposed = transposed;
    auto shape = [](int64_t batch, int64_t channels, const Shape &places) {
      return Shape{batch, channels, places[0], places[1]};
    };
    ConvCase c{shape(2, inputs, in),
               shape(transposed ? inputs : outputs,
                     (transposed ? outputs : inputs) / groups, kernel),
               shape(2, outputs, out), params};
    checkConv(c, codeTypes[turn % 3 ? 0 : random.next() % 4],
              weightTypes[turn % 4 == 3], codeTypes[0], double(turn % 5) / 4,
              fills[random.next() % std::size(fills)], Tie::Up, turn + 1, true);
    if (HasFatalFailure())
      return;
  }
}

TEST(Mac, C4_C21_SaturationAndExtremeCodes) {
  CoversCodes covers;
  uint64_t seed = 1;
  ConvCase c = convCases()[2];
  for (Fill fill : fills)
    for (const CodeType &x : codeTypes)
      for (const CodeType &w : weightTypes)
        for (double zero : {0.0, 0.5, 1.0})
          checkConv(c, x, w, codeTypes[seed % 4], zero, fill, ties[seed % 3],
                    seed, true),
              ++seed;
}

TEST(Mac, C21_PaddingIsEveryZeroPoint) {
  CoversCodes covers;
  ConvCase c{
      {1, 2, 3, 3}, {2, 2, 2, 2}, {1, 2, 4, 4}, {{1, 1}, {1, 1}, {1, 1}}};
  for (int zero = 0; zero < 256; ++zero)
    for (const CodeType &x : {codeTypes[0], codeTypes[1]})
      checkConv(c, x, weightTypes[0], codeTypes[0], zero / 255.0, Fill::Random,
                Tie::Up, uint64_t(zero) + 7, true);
  for (int part = 0; part <= 64; ++part)
    for (const CodeType &x : {codeTypes[2], codeTypes[3]})
      checkConv(c, x, weightTypes[1], codeTypes[2], part / 64.0, Fill::Random,
                Tie::Up, uint64_t(part) + 7, true);
}

TEST(Mac, C23_FullyConnectedOfEveryDepth) {
  CoversCodes covers;
  uint64_t seed = 500;
  for (int64_t depth :
       {1,  2,   3,   7,   8,   15,  16,   17,   31,   33,   63,  64,
        65, 127, 129, 255, 257, 511, 1000, 2047, 4096, 4999, 5000})
    for (const CodeType &xType : codeTypes)
      for (const CodeType &wType : weightTypes) {
        Fill fill = seed % 3 ? Fill::Random : Fill::Ends;
        Tie tie = ties[seed % 3];
        Codes x = codesOf(xType, {2, 3, depth}, 0.01f, double(seed % 7) / 6,
                          seed, fill);
        Codes w = weightsOf(wType, {5, depth}, seed + 1, fill);
        std::vector<float> scales = channelScales(5, seed + 2);
        std::vector<int64_t> bias = biases(5, seed + 3);
        const CodeType &yType = codeTypes[seed % 4];
        Codes y =
            codesOf(yType, {2, 3, 5}, resultScale(x, w, depth, yType), 0.3);
        literal::fullyConnected(x, w, scales, bias, y, tie);
        Tensor xTensor = toTensor(x), wTensor = toTensor(w);
        Tensor bTensor = biasTensor(bias, DType::I32);
        MacOutput output{
            outputOf(y, tie), macMultipliers(x.scale, scales, y.scale), {}};
        expectBits(y, [&](Tensor &result) {
          FullyConnected(xType.dtype, x.zero, wTensor, &bTensor, yType.dtype,
                         output)
              .run(xTensor, result);
        });
        // C26
        std::vector<float> real =
            literal::fullyConnectedFloat(x, w, scales, bias, 5);
        for (float scale : scales)
          output.scales.push_back(double(x.scale) * double(scale));
        Tensor floats(DType::F32, {2, 3, 5});
        FullyConnected(xType.dtype, x.zero, wTensor, &bTensor, DType::F32,
                       output)
            .run(xTensor, floats);
        for (size_t i = 0; i < real.size(); ++i)
          ASSERT_EQ(floats.data<float>()[i], real[i]);
        ++seed;
      }
}

TEST(Mac, C25_TiesInEveryRoundingMode) {
  CoversCodes covers;
  // The factor 1/2: every odd sum is a tie.
  Codes x = codesOf(codeTypes[1], {64, 1}, 1.0f, 0);
  x.zero = 0;
  for (int64_t i = 0; i < 64; ++i)
    x.values.push_back(i - 32);
  Codes w = weightsOf(weightTypes[0], {1, 1}, 1, Fill::Zero);
  w.values = {1};
  for (Tie tie : ties) {
    Codes y = codesOf(codeTypes[1], {64, 1}, 2.0f, 0);
    y.zero = 3;
    y.low = -10; // a fused clamp (C3)
    y.high = 14;
    literal::fullyConnected(x, w, {1.0f}, {}, y, tie);
    Tensor xTensor = toTensor(x), wTensor = toTensor(w);
    float one = 1.0f;
    MacOutput output{
        outputOf(y, tie), macMultipliers(1.0f, {&one, 1}, 2.0f), {}};
    expectBits(y, [&](Tensor &result) {
      FullyConnected(dtypeOf(x), 0, wTensor, nullptr, result.dtype(), output)
          .run(xTensor, result);
    });
  }
}

TEST(Mac, C23_ProductsOfActivationsWithBothZeroPoints) {
  CoversCodes covers;
  struct Case {
    Shape a, b, y;
  };
  std::vector<Case> cases{{{1, 1}, {1, 1}, {1, 1}},
                          {{3, 5}, {5, 2}, {3, 2}},
                          {{2, 3, 70, 9}, {2, 3, 9, 5}, {2, 3, 70, 5}},
                          {{2, 1, 3, 4}, {5, 4, 3}, {2, 5, 3, 3}},
                          {{4, 17}, {3, 17, 2}, {3, 4, 2}},
                          {{2, 600}, {600, 3}, {2, 3}}};
  uint64_t seed = 900;
  for (const Case &c : cases)
    for (const CodeType &aType : codeTypes)
      for (const CodeType &bType : codeTypes) {
        Fill fill = fills[seed % 5];
        Tie tie = ties[seed % 3];
        Codes a = codesOf(aType, c.a, 0.02f, double(seed % 5) / 4, seed, fill);
        Codes b =
            codesOf(bType, c.b, 0.005f, double(seed % 3) / 2, seed + 1, fill);
        const CodeType &yType = codeTypes[seed % 4];
        Codes y =
            codesOf(yType, c.y, resultScale(a, b, c.a.back(), yType), 0.6);
        literal::matmul(a, b, y, tie);
        Tensor aTensor = toTensor(a), bTensor = toTensor(b);
        float bScale = b.scale;
        MacOutput output{outputOf(y, tie),
                         macMultipliers(a.scale, {&bScale, 1}, y.scale),
                         {}};
        expectBits(y, [&](Tensor &result) {
          matmul(aTensor, a.zero, bTensor, b.zero, result, output);
        });
        ++seed;
      }
}

TEST(Mac, C24_BiasRoundsHalfToEvenAndMustFit) {
  EXPECT_EQ(biasCode(2.5f, 1.0f, 1.0f, 32), 2);
  EXPECT_EQ(biasCode(-3.5f, 1.0f, 1.0f, 32), -4);
  EXPECT_EQ(biasCode(-0x1p31f, 1.0f, 1.0f, 32), INT32_MIN);
  EXPECT_THROW(biasCode(0x1p31f, 1.0f, 1.0f, 32), Error);
  EXPECT_EQ(biasCode(0x1p31f, 1.0f, 1.0f, 48), int64_t(1) << 31);
  EXPECT_THROW(biasCode(1.0f, 0x1p-30f, 0x1p-30f, 48), Error);
}

TEST(Mac, C27_BoundIsReachedAndCountsBits) {
  Random random(11);
  for (int i = 0; i < 500; ++i) {
    std::vector<int64_t> weights;
    std::vector<int32_t> narrow;
    for (uint64_t n = random.next() % 50; n-- > 0;) {
      weights.push_back(int64_t(random.next() % 65535) - 32767);
      narrow.push_back(int32_t(weights.back()));
    }
    auto bias = int64_t(random.next() % (uint64_t(1) << 32)) - (1LL << 31);
    int64_t zero = int64_t(random.next() % 65536);
    literal::Bound expected =
        literal::bound(weights, bias, -zero, 65535 - zero, 48);
    AccumulatorBound got = boundOf(narrow, bias, -zero, 65535 - zero, 48);
    ASSERT_TRUE(got.low == expected.low && got.high == expected.high);
    ASSERT_EQ(got.marginBits, expected.margin);
  }
  // 255 * 127 * n: 2^31 is passed between 66311 and 66312 terms.
  EXPECT_EQ(boundOf(std::vector<int32_t>(66311, 127), 0, 0, 255, 32).marginBits,
            0);
  EXPECT_EQ(boundOf(std::vector<int32_t>(66312, 127), 0, 0, 255, 32).marginBits,
            -1);
  // -2^31 is the last that fits below.
  EXPECT_EQ(boundOf({}, INT32_MIN, 0, 255, 32).marginBits, 0);
  EXPECT_EQ(boundOf({}, int64_t(INT32_MIN) - 1, 0, 255, 32).marginBits, -1);
  // A clamp may leave 0 out; padding does not.
  std::vector<int32_t> one{1};
  EXPECT_TRUE(boundOf(one, 0, 5, 9, 32).low == 0);
}

TEST(Mac, C20_C28_ProductsOfActivations) {
  EXPECT_EQ(accumulatorBits(DType::U8, DType::I8), 32);
  EXPECT_EQ(accumulatorBits(DType::U16, DType::I8), 48);
  EXPECT_EQ(accumulatorBits(DType::I8, DType::I16), 48);
  EXPECT_EQ(productBound(32768, 65535, 65535, 48).marginBits, 0);
  EXPECT_EQ(productBound(32770, 65535, 65535, 48).marginBits, -1);
}

TEST(Mac, C91_FloatLayersSumInOrder) {
  // 2^24 + 1 is lost in single precision unless the ones come first.
  float x[] = {0x1p24f, 1, 1, 1, 1, 0x1p24f}, w[] = {1, 1, 1};
  float bias[] = {0.5f};
  Tensor xTensor = Tensor::fromValues<float>({2, 3}, x);
  Tensor wTensor = Tensor::fromValues<float>({1, 3}, w);
  Tensor bTensor = Tensor::fromValues<float>({1}, bias), y(DType::F32, {2, 1});
  floatFullyConnected(xTensor, wTensor, &bTensor, y);
  EXPECT_EQ(y.data<float>()[0], 0x1p24f);
  EXPECT_EQ(y.data<float>()[1], 0x1p24f + 2);
  // No fused multiply-add: (1 + 2^-12)^2 rounds before -1 is added.
  float a[] = {1 + 0x1p-12f, -1}, b[] = {1 + 0x1p-12f, 1};
  Tensor left = Tensor::fromValues<float>({1, 2}, a);
  Tensor right = Tensor::fromValues<float>({2, 1}, b), z(DType::F32, {1, 1});
  floatMatmul(left, right, z);
  EXPECT_EQ(z.data<float>()[0], 0x1p-11f);
}

TEST(Mac, RefusesOtherTypes) {
  Tensor x(DType::I32, {1, 1}), w(DType::I8, {1, 1}), y(DType::U8, {1, 1});
  EXPECT_THROW(
      FullyConnected(x.dtype(), 0, w, nullptr, y.dtype(), {{}, {{}}, {}})
          .run(x, y),
      Error);
}

} // namespace
