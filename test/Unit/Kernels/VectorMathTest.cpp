//===- VectorMathTest.cpp - Accuracy of the branch-free functions ---------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Walks through the range of float in fine steps and measures the error in
// units in the last place against the C library's double functions.
//===----------------------------------------------------------------------===//
#include "parallax/Backend/Kernels/VectorMath.h"
#include "KernelTestSupport.h"
#include "parallax/Support/Simd.h"

#include <gtest/gtest.h>
#include <vector>

using parallax::test::infinity;
namespace vm = parallax::kernels::vm;

namespace {

double sigmoid(double x) { return 1.0 / (1.0 + std::exp(-x)); }

/// The distance of two floats, counted in steps of the exact value's grid.
double ulps(float value, double exact) {
  float nearest = float(exact);
  if (value == nearest)
    return 0;
  if (!std::isfinite(value) || !std::isfinite(nearest))
    return infinity;
  double step = std::max(std::ldexp(1.0, std::ilogb(nearest) - 23), 0x1p-149);
  return std::abs(double(value) - exact) / step;
}

/// One array function per instruction set, as the kernels compile them, and
/// one that can't be vectorised.
#define PARALLAX_ARRAY_FORM(name)                                              \
  PARALLAX_SIMD void name##Array(const float *x, float *y, size_t count) {     \
    for (size_t i = 0; i < count; ++i)                                         \
      y[i] = vm::name(x[i]);                                                   \
  }                                                                            \
  float name##Scalar(float x) { return vm::name(x); }
PARALLAX_ARRAY_FORM(exp)
PARALLAX_ARRAY_FORM(expm1)
PARALLAX_ARRAY_FORM(log)
PARALLAX_ARRAY_FORM(tanh)
PARALLAX_ARRAY_FORM(sigmoid)
PARALLAX_ARRAY_FORM(erf)
PARALLAX_ARRAY_FORM(sin)
PARALLAX_ARRAY_FORM(cos)
#undef PARALLAX_ARRAY_FORM

struct FunctionCase {
  const char *name;
  float (*scalar)(float);
  void (*array)(const float *, float *, size_t);
  double (*exact)(double);
  double worstUlps;
  /// Larger arguments are not supported.
  float limit = infinity;
  /// Whether the result at -0 is -0 where the exact one is.
  bool keepsZeroSign = true;
};

class VectorMathTest : public testing::TestWithParam<FunctionCase> {};

TEST_P(VectorMathTest, IsAccurate) {
  const FunctionCase &function = GetParam();
  std::vector<float> x;
  for (uint64_t bits = 0; bits < 0x100000000ull; bits += 1499) {
    float value = std::bit_cast<float>(uint32_t(bits));
    if (std::fabs(value) <= function.limit)
      x.push_back(value);
  }
  // The interesting part of most functions, densely.
  for (float value = -20; value < 20; value += 0x1p-14f)
    x.push_back(value);
  std::vector<float> y(x.size());
  function.array(x.data(), y.data(), x.size());
  for (size_t i = 0; i < x.size(); ++i) {
    double exact = function.exact(x[i]);
    if (std::isnan(exact)) {
      ASSERT_TRUE(std::isnan(y[i])) << x[i];
      continue;
    }
    ASSERT_LE(ulps(y[i], exact), function.worstUlps)
        << x[i] << " gives " << y[i];
    ASSERT_LE(ulps(function.scalar(x[i]), exact), function.worstUlps) << x[i];
  }
}

TEST_P(VectorMathTest, SpecialValues) {
  const FunctionCase &function = GetParam();
  EXPECT_TRUE(std::isnan(function.scalar(NAN)));
  EXPECT_TRUE(std::isnan(function.scalar(-NAN)));
  for (float x : {0.0f, -0.0f, infinity, -infinity, 1e-45f, -1e-45f, 3e38f}) {
    if (std::fabs(x) > function.limit)
      continue;
    float y = function.scalar(x), expected = float(function.exact(x));
    if (std::isnan(expected)) {
      EXPECT_TRUE(std::isnan(y)) << x;
      continue;
    }
    EXPECT_EQ(y, expected) << x;
    if (y != 0 || function.keepsZeroSign) {
      EXPECT_EQ(std::signbit(y), std::signbit(expected)) << x;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(
    All, VectorMathTest,
    testing::Values(FunctionCase{"Exp", expScalar, expArray, std::exp, 2},
                    FunctionCase{"Expm1", expm1Scalar, expm1Array, std::expm1,
                                 3, infinity, false},
                    FunctionCase{"Log", logScalar, logArray, std::log, 2},
                    FunctionCase{"Tanh", tanhScalar, tanhArray, std::tanh, 3},
                    FunctionCase{"Sigmoid", sigmoidScalar, sigmoidArray,
                                 sigmoid, 3},
                    FunctionCase{"Erf", erfScalar, erfArray, std::erf, 3},
                    FunctionCase{"Sin", sinScalar, sinArray, std::sin, 2,
                                 vm::trigonometricLimit, false},
                    FunctionCase{"Cos", cosScalar, cosArray, std::cos, 2,
                                 vm::trigonometricLimit}),
    [](const auto &info) { return std::string(info.param.name); });

TEST(VectorMathTest, LogOfOnePlusUnit) {
  for (float x = 0; x <= 1; x += 0x1p-16f)
    ASSERT_LE(ulps(vm::log1pUnit(x), std::log1p(double(x))), 3) << x;
}

} // namespace
