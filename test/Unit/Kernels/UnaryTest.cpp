//===- UnaryTest.cpp - Tests of the unary kernels -------------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Every operator against its formula in double precision, and the values at
// the ends of the range. VectorMathTest measures the functions themselves.
//===----------------------------------------------------------------------===//
#include "KernelTestSupport.h"

#include "parallax/Backend/Kernels/Elementwise.h"
#include "parallax/Support/Error.h"

#include <bit>
#include <cmath>
#include <gtest/gtest.h>

using namespace parallax;
using namespace parallax::test;
namespace k = parallax::kernels;
using k::UnaryKind;

namespace {

std::vector<float> unaryOf(UnaryKind kind, const std::vector<float> &values,
                           float alpha = 0, float beta = 0) {
  Tensor x = tensorOf<float>({int64_t(values.size())}, values);
  k::unary(kind, x, x, alpha, beta);
  return valuesOf<float>(x);
}

/// Floats of both signs with magnitudes in [lo, hi], evenly over their bits.
std::vector<float> denseSamples(float lo, float hi) {
  constexpr uint32_t count = 400000;
  uint32_t first = std::bit_cast<uint32_t>(lo);
  uint64_t range = std::bit_cast<uint32_t>(hi) - first;
  std::vector<float> samples;
  for (uint32_t i = 0; i <= count; ++i) {
    float value = std::bit_cast<float>(first + uint32_t(range * i / count));
    samples.insert(samples.end(), {value, -value});
  }
  return samples;
}

/// The largest error in units in the last place of the expected float.
double worstUlps(UnaryKind kind, double (*expected)(double), float lo,
                 float hi) {
  std::vector<float> x = denseSamples(lo, hi), y = unaryOf(kind, x);
  double worst = 0;
  for (size_t i = 0; i < x.size(); ++i) {
    double truth = expected(double(x[i]));
    float rounded = float(truth);
    float magnitude = std::max(std::fabs(rounded), 0x1p-126f);
    double ulp =
        double(std::nextafter(magnitude, infinity)) - double(magnitude);
    double error = std::fabs(double(y[i]) - truth) / ulp;
    EXPECT_FALSE(std::isnan(error)) << x[i];
    worst = std::max(worst, error);
  }
  return worst;
}

/// Where the vectorised functions end, the kernel goes on.
TEST(UnaryTest, LargeAnglesAreAccurate) {
  using Fn = double (*)(double);
  EXPECT_LE(worstUlps(UnaryKind::Sin, Fn(std::sin), 5e3f, 3e38f), 2);
  EXPECT_LE(worstUlps(UnaryKind::Cos, Fn(std::cos), 5e3f, 3e38f), 2);
}

TEST(UnaryTest, LimitsOfVectorisedFunctions) {
  struct Case {
    UnaryKind kind;
    float atMinusInf, atInf;
  };
  const Case cases[] = {
      {UnaryKind::Exp, 0, infinity},     {UnaryKind::Log, NAN, infinity},
      {UnaryKind::Tanh, -1, 1},          {UnaryKind::Sigmoid, 0, 1},
      {UnaryKind::Erf, -1, 1},           {UnaryKind::Sin, NAN, NAN},
      {UnaryKind::Cos, NAN, NAN},        {UnaryKind::Relu, 0, infinity},
      {UnaryKind::Softplus, 0, infinity}};
  for (const Case &c : cases) {
    // Long enough for the vector loop, with a rest for the scalar one.
    auto y = unaryOf(c.kind, std::vector<float>(37, NAN));
    for (float value : y)
      EXPECT_TRUE(std::isnan(value)) << int(c.kind);
    for (float at : {-infinity, infinity}) {
      float expected = at < 0 ? c.atMinusInf : c.atInf;
      for (float value : unaryOf(c.kind, std::vector<float>(37, at)))
        EXPECT_TRUE(value == expected ||
                    (std::isnan(value) && std::isnan(expected)))
            << int(c.kind) << " at " << at << " gives " << value;
    }
  }
  EXPECT_EQ(unaryOf(UnaryKind::Silu, {0, infinity, -1000, 1000}),
            (std::vector<float>{0, infinity, 0, 1000}));
  EXPECT_TRUE(std::isnan(unaryOf(UnaryKind::Silu, {NAN})[0]));
  EXPECT_EQ(unaryOf(UnaryKind::Log, {0})[0], -infinity);
  EXPECT_TRUE(std::isnan(unaryOf(UnaryKind::Log, {-1})[0]));
  EXPECT_TRUE(std::signbit(unaryOf(UnaryKind::Tanh, {-0.0f})[0]));
}

/// A value does not depend on where in a tensor it stands.
TEST(UnaryTest, VectorAndScalarPartsAgree) {
  Tensor x = random<float>({67}, -8, 8);
  for (int kind = 0; kind < k::unaryKindCount; ++kind) {
    if (UnaryKind(kind) == UnaryKind::IsNaN)
      continue;
    auto together = unaryOf(UnaryKind(kind), valuesOf<float>(x), 0.7f, 0.3f);
    for (int i = 0; i < 67; ++i) {
      float alone =
          unaryOf(UnaryKind(kind), {x.data<float>()[i]}, 0.7f, 0.3f)[0];
      ASSERT_TRUE(alone == together[i] ||
                  (std::isnan(alone) && std::isnan(together[i])))
          << kind;
    }
  }
}

TEST(UnaryTest, EveryKindMatchesItsScalarFunction) {
  Tensor x = random<float>({2000}, -6, 6);
  for (int kind = 0; kind < k::unaryKindCount; ++kind) {
    if (UnaryKind(kind) == UnaryKind::IsNaN)
      continue;
    auto y = unaryOf(UnaryKind(kind), valuesOf<float>(x), 0.7f, 0.3f);
    for (int i = 0; i < 2000; ++i) {
      double value = x.data<float>()[i];
      double expected = k::scalarUnary(UnaryKind(kind), value, 0.7f, 0.3f);
      if (std::isnan(expected))
        ASSERT_TRUE(std::isnan(y[i])) << kind << " at " << value;
      else
        ASSERT_NEAR(y[i], expected, 1e-6 * std::max(1.0, std::fabs(expected)))
            << kind << " at " << value;
    }
  }
}

TEST(UnaryTest, ScalarFunctionsByHand) {
  auto f = [](UnaryKind kind, double x, double a = 0, double b = 0) {
    return k::scalarUnary(kind, x, a, b);
  };
  EXPECT_EQ(f(UnaryKind::Abs, -2), 2);
  EXPECT_EQ(f(UnaryKind::Neg, 2), -2);
  EXPECT_EQ(f(UnaryKind::Ceil, 1.2), 2);
  EXPECT_EQ(f(UnaryKind::Floor, -1.2), -2);
  EXPECT_EQ(f(UnaryKind::Reciprocal, 4), 0.25);
  EXPECT_EQ(f(UnaryKind::Sqrt, 9), 3);
  EXPECT_EQ(f(UnaryKind::Sign, -7), -1);
  EXPECT_DOUBLE_EQ(f(UnaryKind::Tan, 0.5), std::tan(0.5));
  EXPECT_DOUBLE_EQ(f(UnaryKind::Acosh, 2), std::acosh(2));
  EXPECT_DOUBLE_EQ(f(UnaryKind::Softplus, 1), std::log(1 + std::exp(1.0)));
  EXPECT_EQ(f(UnaryKind::Softplus, 1000), 1000);
  EXPECT_EQ(f(UnaryKind::Softsign, -3), -0.75);
  EXPECT_EQ(f(UnaryKind::HardSigmoid, 1, 0.25, 0.5), 0.75);
  EXPECT_EQ(f(UnaryKind::HardSigmoid, 9, 0.25, 0.5), 1);
  EXPECT_DOUBLE_EQ(f(UnaryKind::HardSwish, 1), 4.0 / 6);
  EXPECT_EQ(f(UnaryKind::HardSwish, -4), 0);
  EXPECT_DOUBLE_EQ(f(UnaryKind::Silu, 2), 2 / (1 + std::exp(-2.0)));
  EXPECT_DOUBLE_EQ(f(UnaryKind::Mish, 1.5),
                   1.5 * std::tanh(std::log1p(std::exp(1.5))));
  EXPECT_DOUBLE_EQ(f(UnaryKind::Mish, 500), 500);
  EXPECT_DOUBLE_EQ(f(UnaryKind::GeluErf, 1),
                   0.5 * (1 + std::erf(std::sqrt(0.5))));
  EXPECT_DOUBLE_EQ(f(UnaryKind::GeluTanh, 1),
                   0.5 * (1 + std::tanh(std::sqrt(2 / M_PI) * 1.044715)));
  EXPECT_DOUBLE_EQ(f(UnaryKind::Elu, -1, 2), 2 * std::expm1(-1));
  EXPECT_DOUBLE_EQ(f(UnaryKind::Selu, -1, 2, 3), 6 * std::expm1(-1));
  EXPECT_EQ(f(UnaryKind::Selu, 2, 2, 3), 6);
  EXPECT_DOUBLE_EQ(f(UnaryKind::Celu, -1, 2), 2 * std::expm1(-0.5));
  EXPECT_EQ(f(UnaryKind::LeakyRelu, -4, 0.25), -1);
  EXPECT_EQ(f(UnaryKind::ThresholdedRelu, 2, 2), 0);
  EXPECT_EQ(f(UnaryKind::ThresholdedRelu, 3, 2), 3);
  EXPECT_EQ(f(UnaryKind::Shrink, -3, 1, 0.5), -2.5);
  EXPECT_EQ(f(UnaryKind::Shrink, 3, 1, 0.5), 2.5);
  EXPECT_EQ(f(UnaryKind::Shrink, 1, 1, 0.5), 0);
  EXPECT_EQ(f(UnaryKind::IsNaN, NAN), 1);
}

TEST(UnaryTest, RoundHalfToEven) {
  EXPECT_EQ(unaryOf(UnaryKind::Round, {0.5f, 1.5f, 2.5f, -0.5f, -1.5f, -2.6f}),
            (std::vector<float>{0, 2, 2, -0.0f, -2, -3}));
}

TEST(UnaryTest, SmallResultsKeepTheirDigits) {
  for (float x : {1e-6f, 1e-3f, -1e-6f, -1e-3f}) {
    float elu = unaryOf(UnaryKind::Elu, {x}, 1)[0];
    double expected = x > 0 ? double(x) : std::expm1(double(x));
    EXPECT_NEAR(elu / expected, 1, 3e-7);
    EXPECT_NEAR(unaryOf(UnaryKind::Tanh, {x})[0] / std::tanh(double(x)), 1,
                3e-7);
  }
  EXPECT_NEAR(unaryOf(UnaryKind::Softplus, {-20})[0] /
                  std::log1p(std::exp(-20.0)),
              1, 3e-7);
}

TEST(UnaryTest, IntegersAndBool) {
  auto run = [](UnaryKind kind, Tensor x) {
    k::unary(kind, x, x);
    return x;
  };
  using V8 = std::vector<int8_t>;
  Tensor x = tensorOf<int8_t>({3}, {-128, -5, 7});
  EXPECT_EQ(valuesOf<int8_t>(run(UnaryKind::Abs, x.clone())), (V8{-128, 5, 7}));
  EXPECT_EQ(valuesOf<int8_t>(run(UnaryKind::Neg, x.clone())),
            (V8{-128, 5, -7}));
  EXPECT_EQ(valuesOf<int8_t>(run(UnaryKind::Sign, x.clone())), (V8{-1, -1, 1}));
  EXPECT_EQ(valuesOf<int8_t>(run(UnaryKind::Relu, x.clone())), (V8{0, 0, 7}));
  EXPECT_EQ(valuesOf<int8_t>(run(UnaryKind::Not, x.clone())), (V8{127, 4, -8}));
  Tensor bits = tensorOf<uint32_t>({1}, {0xffu});
  EXPECT_EQ(valuesOf<uint32_t>(run(UnaryKind::Not, bits))[0], 0xffffff00u);
  Tensor flags = tensorOf<bool>({2}, {true, false});
  EXPECT_EQ(valuesOf<bool>(run(UnaryKind::Not, flags)),
            (std::vector<bool>{false, true}));
  Tensor half(DType::F16, {1});
  EXPECT_THROW(k::unary(UnaryKind::Exp, half, half), Error);
  Tensor big = tensorOf<int64_t>({1}, {-(int64_t(1) << 60) - 1});
  EXPECT_EQ(valuesOf<int64_t>(run(UnaryKind::Abs, big))[0],
            (int64_t(1) << 60) + 1);
}

TEST(UnaryTest, DoublesEmptyTensorsAndScalars) {
  Tensor x = tensorOf<double>({2}, {0.5, 3}), y(DType::F64, {2});
  k::unary(UnaryKind::Log, x, y);
  EXPECT_EQ(y.data<double>()[1], std::log(3.0));
  Tensor empty(DType::F32, {0, 4});
  k::unary(UnaryKind::Exp, empty, empty);
  Tensor scalar = tensorOf<float>({}, {-3});
  k::unary(UnaryKind::Abs, scalar, scalar);
  EXPECT_EQ(*scalar.data<float>(), 3);
}

TEST(UnaryTest, NaNAndInfinityTests) {
  Tensor x = tensorOf<float>({4}, {NAN, infinity, -infinity, 1}),
         y(DType::Bool, {4});
  using V = std::vector<bool>;
  k::unary(UnaryKind::IsNaN, x, y);
  EXPECT_EQ(valuesOf<bool>(y), (V{true, false, false, false}));
  k::isInf(x, y, true, true);
  EXPECT_EQ(valuesOf<bool>(y), (V{false, true, true, false}));
  k::isInf(x, y, false, true);
  EXPECT_EQ(valuesOf<bool>(y), (V{false, true, false, false}));
  k::isInf(x, y, true, false);
  EXPECT_EQ(valuesOf<bool>(y), (V{false, false, true, false}));
}

} // namespace
