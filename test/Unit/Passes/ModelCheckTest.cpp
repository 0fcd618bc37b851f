//===- ModelCheckTest.cpp - Networks before and after ---------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// The check of whole networks has to tell rounding from a mistake.
//===----------------------------------------------------------------------===//
#include "parallax/Passes/Optimize/ModelCheck.h"
#include "OptimizeTestSupport.h"
#include "parallax/Backend/Reference/Reference.h"

using namespace parallax;

namespace {

class ModelCheckTest : public OptimizeTest {
protected:
  /// y = a x, twice over with different numbers.
  Executable scaled(const std::string &factor) {
    parse("func.func @main(%x: tensor<1x64xf32> {nn.name = \"x\"}) -> "
          "(tensor<1x64xf32> {nn.name = \"y\"}) {\n"
          "  %a = nn.constant dense<" +
          factor +
          "> : tensor<f32>\n"
          "  %y = nn.mul %x, %a : (tensor<1x64xf32>, tensor<f32>) -> "
          "tensor<1x64xf32>\n  return %y : tensor<1x64xf32>\n}");
    return prepare(function(), referenceKernels(), {false, true});
  }

  /// Numbers from -1 to 1; the second sample is ten times as large.
  static Samples samples() {
    std::vector<std::vector<Tensor>> result;
    for (float scale : {1.0f, 10.0f}) {
      Tensor tensor(DType::F32, {1, 64});
      for (int64_t i = 0; i < 64; ++i)
        tensor.data<float>()[i] = scale * (float(i) / 32 - 1);
      result.push_back({tensor});
    }
    return samplesInMemory(std::move(result));
  }

  OutputCheck compare(const std::string &before, const std::string &after) {
    ModelCheck check(samples(), 2);
    check.record(scaled(before));
    std::vector<OutputCheck> outputs = check.compare(scaled(after));
    EXPECT_EQ(outputs.size(), 1u);
    EXPECT_EQ(outputs[0].name, "y");
    return outputs[0];
  }
};

TEST_F(ModelCheckTest, TheSameNetworkPasses) {
  OutputCheck check = compare("2.0", "2.0");
  EXPECT_TRUE(check.passes());
  EXPECT_EQ(check.error, 0);
  EXPECT_EQ(check.cosine, 1);
}

TEST_F(ModelCheckTest, RoundingPasses) {
  OutputCheck check = compare("2.0", "2.00001");
  EXPECT_TRUE(check.passes());
  EXPECT_GT(check.error, 0);
}

TEST_F(ModelCheckTest, AMistakeFails) {
  OutputCheck check = compare("2.0", "2.001");
  EXPECT_FALSE(check.passes());
  // 0.001 where the operand is -1, of a range from -2 to 2 * 31 / 32.
  EXPECT_NEAR(check.error, 0.001 / 3.9375, 1e-6);
}

TEST_F(ModelCheckTest, SensitivityIsThatOfTheLastBit) {
  OutputCheck check = compare("2.0", "2.0");
  EXPECT_GT(check.sensitivity, 0);
  EXPECT_LT(check.sensitivity, 1e-6);
}

TEST_F(ModelCheckTest, NotANumberFails) {
  OutputCheck check = compare("2.0", "0x7FC00000");
  EXPECT_FALSE(check.passes());
}

} // namespace
