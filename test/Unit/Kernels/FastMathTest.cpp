//===- FastMathTest.cpp - Accuracy of the branch-free functions -----------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Walks through the whole range of float in fine steps and measures the error
// in ulp against the C library's double functions.
//===----------------------------------------------------------------------===//
#include "parallax/Backend/Reference/Kernels/FastMath.h"
#include "parallax/Support/Simd.h"

#include <cmath>
#include <gtest/gtest.h>
#include <vector>

using namespace parallax::kernels;

namespace {

constexpr float infinity = std::numeric_limits<float>::infinity();

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

/// One array function per instruction set, as the kernels compile them.
#define PARALLAX_ARRAY_FORM(name)                                              \
  PARALLAX_SIMD void name##Array(const float *x, float *y, size_t count) {     \
    for (size_t i = 0; i < count; ++i)                                         \
      y[i] = name(x[i]);                                                       \
  }
PARALLAX_ARRAY_FORM(fastExp)
PARALLAX_ARRAY_FORM(fastLog)
PARALLAX_ARRAY_FORM(fastTanh)
PARALLAX_ARRAY_FORM(fastSigmoid)
PARALLAX_ARRAY_FORM(fastErf)
#undef PARALLAX_ARRAY_FORM

struct Case {
  const char *name;
  float (*scalar)(float);
  void (*array)(const float *, float *, size_t);
  double (*exact)(double);
};

class FastMathTest : public testing::TestWithParam<Case> {};

TEST_P(FastMathTest, WithinFourUlp) {
  std::vector<float> x;
  for (uint64_t bits = 0; bits < 0x100000000ull; bits += 1499) {
    float value = std::bit_cast<float>(uint32_t(bits));
    if (!std::isnan(value))
      x.push_back(value);
  }
  // The interesting part of most functions, densely.
  for (float value = -20; value < 20; value += 0x1p-14f)
    x.push_back(value);
  std::vector<float> y(x.size());
  GetParam().array(x.data(), y.data(), x.size());
  for (size_t i = 0; i < x.size(); ++i) {
    double exact = GetParam().exact(x[i]);
    if (std::isnan(exact)) {
      ASSERT_TRUE(std::isnan(y[i])) << x[i];
      continue;
    }
    ASSERT_LE(ulps(y[i], exact), 4) << x[i] << " gives " << y[i];
    ASSERT_LE(ulps(GetParam().scalar(x[i]), exact), 4) << x[i];
  }
}

TEST_P(FastMathTest, SpecialValues) {
  auto [name, scalar, array, exact] = GetParam();
  EXPECT_TRUE(std::isnan(scalar(NAN)));
  EXPECT_TRUE(std::isnan(scalar(-NAN)));
  for (float x : {0.0f, -0.0f, infinity, -infinity, 1e-45f, -1e-45f, 3e38f}) {
    float y = scalar(x), expected = float(exact(x));
    if (std::isnan(expected)) {
      EXPECT_TRUE(std::isnan(y)) << x;
      continue;
    }
    EXPECT_EQ(y, expected) << x;
    EXPECT_EQ(std::signbit(y), std::signbit(expected)) << x;
  }
}

INSTANTIATE_TEST_SUITE_P(
    All, FastMathTest,
    testing::Values(Case{"Exp", fastExp, fastExpArray, std::exp},
                    Case{"Log", fastLog, fastLogArray, std::log},
                    Case{"Tanh", fastTanh, fastTanhArray, std::tanh},
                    Case{"Sigmoid", fastSigmoid, fastSigmoidArray, sigmoid},
                    Case{"Erf", fastErf, fastErfArray, std::erf}),
    [](const auto &info) { return std::string(info.param.name); });

} // namespace
