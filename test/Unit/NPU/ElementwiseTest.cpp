//===- ElementwiseTest.cpp - C6, C7, C30 to C35, C40 to C53 ---------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Element-wise operators, bit for bit, for every mixture of types.
//===----------------------------------------------------------------------===//
#include "parallax/Backend/NPU/Kernels/Elementwise.h"
#include "NpuTestSupport.h"

using namespace parallax;
using namespace parallax::npu;
using namespace parallax::npu::test;

namespace {

/// Pairs of shapes that broadcast to a third.
struct Shapes {
  Shape a, b, y;
};
const std::vector<Shapes> shapes{{{1}, {1}, {1}},
                                 {{3, 1, 5}, {4, 1}, {3, 4, 5}},
                                 {{2, 7, 300}, {7, 1}, {2, 7, 300}},
                                 {{1111}, {1111}, {1111}},
                                 {{1}, {2, 3}, {2, 3}}};

double reachOf(const Codes &x) {
  return double(x.scale) * std::ldexp(1.0, x.bits);
}

/// Calls check(a, b, y, tie) with codes of all pairs of types, shapes and
/// fills; the scale of y is still to be set.
template <typename Check> void forEachPair(Check check) {
  uint64_t seed = 1;
  for (const Shapes &s : shapes)
    for (const CodeType &aType : codeTypes)
      for (const CodeType &bType : codeTypes)
        for (const CodeType &yType : codeTypes) {
          Fill fill = fills[seed % 5];
          Codes a =
              codesOf(aType, s.a, 0.013f, double(seed % 5) / 4, seed, fill);
          Codes b =
              codesOf(bType, s.b, 0.07f, double(seed % 3) / 2, seed + 1, fill);
          Codes y = codesOf(yType, s.y, 1.0f, double(seed % 4) / 3);
          check(a, b, y, yType, ties[seed % 3]);
          ++seed;
        }
}

TEST(Elementwise, C30_C31_AddAndSub) {
  CoversCodes covers;
  for (int sign : {1, -1})
    forEachPair(
        [&](Codes &a, Codes &b, Codes &y, const CodeType &yType, Tie tie) {
          y.scale = scaleFor((reachOf(a) + reachOf(b)) / 2, yType);
          literal::linear({a, b}, {1, sign}, y, tie);
          Tensor aTensor = toTensor(a), bTensor = toTensor(b);
          CodesOperand operands[] = {{aTensor, a.zero}, {bTensor, b.zero}};
          float scales[] = {a.scale, b.scale};
          int signs[] = {1, sign};
          Coefficients k = linearCoefficients(scales, signs, y.scale);
          expectBits(y, [&](Tensor &result) {
            linear(operands, result, k, outputOf(y, tie));
          });
        });
}

TEST(Elementwise, C30_C31_RequantizeEveryCode) {
  CoversCodes covers;
  uint64_t seed = 1;
  for (const CodeType &xType : codeTypes)
    for (const CodeType &yType : codeTypes)
      for (float ratio : {0.5f, 1.0f, 2.0f, 0.0039f, 257.0f, 0.3337f})
        for (Tie tie : ties) {
          Codes x = codesOf(xType, {int64_t(1) << xType.bits}, 0.5f,
                            double(seed % 9) / 8);
          for (int64_t code = x.low; code <= x.high; ++code)
            x.values.push_back(code);
          Codes y = codesOf(yType, x.dims, 0.5f * ratio, double(seed % 4) / 3);
          literal::linear({x}, {1}, y, tie);
          Tensor xTensor = toTensor(x);
          CodesOperand operands[] = {{xTensor, x.zero}};
          int sign = 1;
          Coefficients k =
              linearCoefficients({&x.scale, 1}, {&sign, 1}, y.scale);
          expectBits(y, [&](Tensor &result) {
            linear(operands, result, k, outputOf(y, tie));
          });
          ++seed;
        }
}

TEST(Elementwise, C31_ThreeOperands) {
  for (Tie tie : ties) {
    std::vector<Codes> x;
    std::vector<Tensor> tensors;
    std::vector<float> scales{0.5f, 0.0001f, 3.0f};
    for (size_t i = 0; i < 3; ++i) {
      x.push_back(codesOf(codeTypes[i + 1], {5, 77}, scales[i], 0.25, i + 1));
      tensors.push_back(toTensor(x.back()));
    }
    Codes y = codesOf(codeTypes[2], {5, 77}, 1.5f, 0.5);
    literal::linear(x, {1, -1, 1}, y, tie);
    CodesOperand operands[] = {{tensors[0], x[0].zero},
                               {tensors[1], x[1].zero},
                               {tensors[2], x[2].zero}};
    int signs[] = {1, -1, 1};
    Coefficients k = linearCoefficients(scales, signs, y.scale);
    expectBits(y, [&](Tensor &result) {
      linear(operands, result, k, outputOf(y, tie));
    });
  }
}

TEST(Elementwise, C33_C34_NormalizedPixels) {
  CoversCodes covers;
  std::vector<float> mean{123.675f, 116.28f, 0.0f}, std{58.395f, 57.12f, 1.0f};
  for (const CodeType &xType : codeTypes)
    for (const CodeType &yType : codeTypes)
      for (Tie tie : ties)
        for (int64_t axis : {1, 3}) {
          Shape dims = axis == 1 ? Shape{2, 3, 16, 17} : Shape{2, 16, 17, 3};
          Codes x = codesOf(xType, dims, 1.0f, 0, 5);
          Codes y = codesOf(yType, dims, yType.bits == 8 ? 0.015f : 6e-5f, 0.5);
          literal::normalizePixels(x, mean, std, axis, y, tie);
          Tensor xTensor = toTensor(x);
          ChannelAffine k = normalizeAffine(x.scale, mean, std, y.scale);
          expectBits(y, [&](Tensor &result) {
            affine({xTensor, x.zero}, result, axis, k, outputOf(y, tie));
          });
        }
}

TEST(Elementwise, C33_C35_BatchNormalization) {
  CoversCodes covers;
  // A factor of 0, an offset that dwarfs its factor, and nothing at all.
  std::vector<float> gamma{1.5f, -0.3f, 0.0f, 1e-6f, 0.0f};
  std::vector<float> beta{0.1f, -2.0f, 0.7f, 3.0f, 0.0f};
  std::vector<float> mean{0.4f, -0.6f, 3.0f, 0.0f, 0.0f};
  std::vector<float> var{0.5f, 2.0f, 1e-9f, 1.0f, 1.0f};
  for (const CodeType &xType : codeTypes)
    for (const CodeType &yType : codeTypes)
      for (Tie tie : ties) {
        Codes x =
            codesOf(xType, {3, 5, 33}, xType.bits == 8 ? 0.02f : 8e-5f, 0.4, 6);
        Codes y = codesOf(yType, x.dims, yType.bits == 8 ? 0.015f : 6e-5f, 0.6);
        literal::batchNorm(x, gamma, beta, mean, var, 1e-5f, 1, y, tie);
        Tensor xTensor = toTensor(x);
        ChannelAffine k =
            batchNormAffine(x.scale, gamma, beta, mean, var, 1e-5f, y.scale);
        expectBits(y, [&](Tensor &result) {
          affine({xTensor, x.zero}, result, 1, k, outputOf(y, tie));
        });
      }
}

TEST(Elementwise, C33_IntegersOfFactorAndOffset) {
  Random random(12);
  std::vector<double> factors, offsets;
  for (int i = 0; i < 3000; ++i) {
    int exponent = int(random.next() % 40) - 25;
    factors.push_back(std::ldexp(double(random.real()) - 0.5, exponent));
    exponent += int(random.next() % 35) - 10; // offsets rule from 2^15 on
    offsets.push_back(std::ldexp(double(random.real()) - 0.5, exponent));
  }
  ChannelAffine got = channelAffine(factors, offsets);
  for (size_t i = 0; i < factors.size(); ++i) {
    literal::Affine expected = literal::affineIntegers(factors[i], offsets[i]);
    ASSERT_EQ(got.factors[i], int64_t(expected.k)) << i;
    ASSERT_EQ(got.offsets[i], int64_t(expected.b)) << i;
    ASSERT_EQ(got.shifts[i], expected.s) << i;
  }
}

TEST(Elementwise, C40_Mul) {
  CoversCodes covers;
  forEachPair([&](Codes &a, Codes &b, Codes &y, const CodeType &yType,
                  Tie tie) {
    y.scale = scaleFor(reachOf(a) * reachOf(b) / 4, yType);
    literal::mul(a, b, y, tie);
    Tensor aTensor = toTensor(a), bTensor = toTensor(b);
    Multiplier m = productMultiplier(a.scale, b.scale, y.scale);
    expectBits(y, [&](Tensor &result) {
      mul({aTensor, a.zero}, {bTensor, b.zero}, result, m, outputOf(y, tie));
    });
  });
}

TEST(Elementwise, C42_PRelu) {
  CoversCodes covers;
  forEachPair([&](Codes &a, Codes &b, Codes &y, const CodeType &yType,
                  Tie tie) {
    y.scale = scaleFor(reachOf(a) / 2, yType);
    literal::prelu(a, b, y, tie);
    Tensor aTensor = toTensor(a), bTensor = toTensor(b);
    PReluMultipliers m = preluMultipliers(a.scale, b.scale, y.scale);
    expectBits(y, [&](Tensor &result) {
      prelu({aTensor, a.zero}, {bTensor, b.zero}, result, m, outputOf(y, tie));
    });
  });
}

TEST(Elementwise, C43_C44_Div) {
  CoversCodes covers;
  forEachPair([&](Codes &a, Codes &b, Codes &y, const CodeType &yType,
                  Tie tie) {
    y.scale = scaleFor(8 * reachOf(a) / reachOf(b), yType);
    literal::div(a, b, y, tie);
    Tensor aTensor = toTensor(a), bTensor = toTensor(b);
    Multiplier m = quotientMultiplier(a.scale, b.scale, y.scale);
    expectBits(y, [&](Tensor &result) {
      div({aTensor, a.zero}, {bTensor, b.zero}, result, m, outputOf(y, tie));
    });
  });
}

TEST(Elementwise, C44_DivAtEveryTie) {
  CoversCodes covers;
  // Quotients of small integers: halves of both signs, and divisions by 0.
  Codes a = codesOf(codeTypes[1], {81, 1}, 1.0f, 0);
  Codes b = codesOf(codeTypes[1], {33}, 1.0f, 0);
  a.zero = b.zero = 0;
  for (int64_t i = -40; i <= 40; ++i)
    a.values.push_back(i);
  for (int64_t i = -16; i <= 16; ++i)
    b.values.push_back(i);
  for (Tie tie : ties) {
    Codes y = codesOf(codeTypes[1], {81, 33}, 1.0f, 0.5);
    literal::div(a, b, y, tie);
    Tensor aTensor = toTensor(a), bTensor = toTensor(b);
    expectBits(y, [&](Tensor &result) {
      div({aTensor, 0}, {bTensor, 0}, result, quotientMultiplier(1, 1, 1),
          outputOf(y, tie));
    });
  }
}

TEST(Elementwise, C46_Comparisons) {
  auto check = [](const Codes &a, const Codes &b, const Shape &dims) {
    std::vector<int> order = literal::compare(a, b, dims);
    Tensor aTensor = toTensor(a), bTensor = toTensor(b);
    Coefficients k = compareCoefficients(a.scale, b.scale);
    for (CompareKind kind :
         {CompareKind::Equal, CompareKind::Less, CompareKind::LessOrEqual,
          CompareKind::Greater, CompareKind::GreaterOrEqual}) {
      Tensor y(DType::Bool, dims);
      compare(kind, {aTensor, a.zero}, {bTensor, b.zero}, y, k);
      for (size_t i = 0; i < order.size(); ++i) {
        bool expected =
            (order[i] == 0 &&
             (kind == CompareKind::Equal || kind == CompareKind::LessOrEqual ||
              kind == CompareKind::GreaterOrEqual)) ||
            (order[i] < 0 &&
             (kind == CompareKind::Less || kind == CompareKind::LessOrEqual)) ||
            (order[i] > 0 && (kind == CompareKind::Greater ||
                              kind == CompareKind::GreaterOrEqual));
        ASSERT_EQ(y.data<bool>()[i], expected) << int(kind) << " " << i;
      }
    }
  };
  forEachPair([&](Codes &a, Codes &b, Codes &y, const CodeType &, Tie) {
    check(a, b, y.dims);
    b.scale = a.scale; // Equal scales compare exactly.
    check(a, b, y.dims);
  });
}

//===----------------------------------------------------------------------===//
// Tables
//===----------------------------------------------------------------------===//

struct Function {
  const char *name;
  RealFunction f;
  double low, high; // of y
};
const std::vector<Function> tableFunctions{
    {"sigmoid", [](double x) { return 1 / (1 + std::exp(-x)); }, 0, 1},
    {"tanh", [](double x) { return std::tanh(x); }, -1, 1},
    {"gelu", [](double x) { return x * 0.5 * std::erfc(-x * M_SQRT1_2); }, -0.2,
     6},
    {"exp", [](double x) { return std::exp(x); }, 0, 20},
    {"log", [](double x) { return std::log(x); }, -4, 2},
    {"sqrt", [](double x) { return std::sqrt(x); }, 0, 2.5},
    {"reciprocal", [](double x) { return 1 / x; }, -100, 100},
    {"relu", [](double x) { return x < 0 ? 0 : x; }, 0, 6}};

/// All codes of a type over [-8, 8) or [0, 16), and a result over the range of
/// the function.
void makeTableCodes(const Function &fn, const CodeType &xType,
                    const CodeType &yType, double zeroPart, Codes &x,
                    Codes &y) {
  x = codesOf(xType, {int64_t(1) << xType.bits},
              float(16 / std::ldexp(1.0, xType.bits)), zeroPart);
  for (int64_t code = x.low; code <= x.high; ++code)
    x.values.push_back(code);
  double span = fn.high - fn.low;
  y = codesOf(yType, x.dims, float(span / (std::ldexp(1.0, yType.bits) - 1)),
              -fn.low / span);
}

TEST(Elementwise, C50_C51_C52_C53_TablesOfEveryCode) {
  CoversCodes covers;
  for (const Function &fn : tableFunctions)
    for (const CodeType &xType : codeTypes)
      for (const CodeType &yType : codeTypes)
        for (double zeroPart : {0.0, 0.5, 0.503}) {
          Codes x, y;
          makeTableCodes(fn, xType, yType, zeroPart, x, y);
          Tie tie = ties[size_t(yType.bits + xType.bits + int(zeroPart)) % 3];
          literal::table(fn.f, x, y, tie);
          std::vector<int32_t> entries =
              xType.bits == 8 ? directTable(fn.f, paramsOf(x), paramsOf(y))
                              : knotTable(fn.f, paramsOf(x), paramsOf(y));
          Tensor xTensor = toTensor(x);
          expectBits(
              y,
              [&](Tensor &result) {
                table(xTensor, result, entries, outputOf(y, tie));
              },
              fn.name);
        }
}

TEST(Elementwise, C52_KnotsOfEveryFunction) {
  for (const Function &fn : tableFunctions)
    for (const CodeType &xType : {codeTypes[2], codeTypes[3]})
      for (const CodeType &yType : codeTypes) {
        Codes x, y;
        makeTableCodes(fn, xType, yType, 0.5, x, y);
        std::vector<int32_t> knots = knotTable(fn.f, paramsOf(x), paramsOf(y));
        ASSERT_EQ(knots.size(), 513u);
        for (int64_t i = 0; i <= 512; ++i)
          ASSERT_EQ(knots[i], int64_t(literal::knot(fn.f, x, y, i)))
              << fn.name << " " << i;
      }
}

TEST(Elementwise, C50_TableIsTheFunctionRoundedOnce) {
  for (const Function &fn : tableFunctions) {
    Codes x, y;
    makeTableCodes(fn, codeTypes[0], codeTypes[0], 0.5, x, y);
    literal::table(fn.f, x, y, Tie::Up);
    std::vector<double> real;
    for (size_t i = 0; i < x.values.size(); ++i) {
      double v = fn.f(valueAt(x, int64_t(i)));
      real.push_back(std::isnan(v) ? fn.low : std::clamp(v, -1e6, 1e6));
    }
    EXPECT_EQ(worstDistance(y, real), 0) << fn.name;
  }
}

TEST(Elementwise, C53_InterpolationStaysWithinItsBound) {
  // The greatest |f''| and |f'''| of the sigmoid, tanh and gelu.
  double curvature[] = {0.0963, 0.7699, 0.7979}, change[] = {0.125, 2, 0.78};
  for (size_t i = 0; i < 3; ++i)
    for (const CodeType &xType : {codeTypes[2], codeTypes[3]}) {
      Codes x, y;
      makeTableCodes(tableFunctions[i], xType, codeTypes[2], 0.5, x, y);
      literal::table(tableFunctions[i].f, x, y, Tie::Up);
      double step = 128 * double(x.scale);
      double bound = step * step / 16 * (curvature[i] + 2 * step * change[i]) /
                         double(y.scale) +
                     0x1p-9 + 0.5;
      for (size_t j = 0; j < x.values.size(); ++j) {
        double real =
            tableFunctions[i].f(valueAt(x, int64_t(j))) / double(y.scale) +
            double(y.zero);
        real = std::clamp(real, double(y.low), double(y.high));
        ASSERT_LE(std::fabs(real - double(y.values[j])), bound)
            << tableFunctions[i].name << " " << j;
      }
    }
}

TEST(Elementwise, C51_TableOfAnotherLengthIsRefused) {
  Tensor x(DType::U8, {1}), y(DType::U8, {1});
  std::vector<int32_t> entries(255);
  EXPECT_THROW(table(x, y, entries, {}), Error);
}

//===----------------------------------------------------------------------===//
// Floats
//===----------------------------------------------------------------------===//

TEST(Elementwise, C6_C7_BetweenCodesAndFloats) {
  CoversCodes covers;
  std::vector<float> values{0.0f,  -0.0f,     0.5f,     1.5f,   2.5f,
                            -0.5f, -1.5f,     1e30f,    -1e30f, INFINITY,
                            NAN,   -INFINITY, 0.49999f, 1e-40f, -3.0f};
  Random random(9);
  for (int i = 0; i < 3000; ++i)
    values.push_back((random.real() - 0.5f) * 300);
  Tensor x = Tensor::fromValues<float>({int64_t(values.size())}, values);
  for (const CodeType &type : codeTypes)
    for (float scale : {1.0f, 0.37f, 0.001f})
      for (double zero : {0.0, 0.3, 1.0}) {
        Codes y = codesOf(type, x.shape(), scale, zero);
        y.low += 3; // a fused clamp (C3)
        y.zero = std::max(y.zero, y.low);
        literal::quantize(values, y);
        expectBits(y, [&](Tensor &codes) { quantize(x, codes, paramsOf(y)); });
        Tensor back(DType::F32, x.shape());
        dequantize(toTensor(y), back, paramsOf(y));
        std::vector<float> expected = literal::dequantize(y);
        for (size_t i = 0; i < expected.size(); ++i)
          ASSERT_EQ(back.data<float>()[i], expected[i]);
      }
}

} // namespace
