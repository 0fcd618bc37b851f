//===- MethodTrialsTest.cpp - What trials take from an analysis -----------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Outputs that an analysis has seen are not computed again, so none may be
// missing or be of another engine.
//===----------------------------------------------------------------------===//
#include "../../../lib/Pipeline/MethodTrials.h"

#include <gtest/gtest.h>

namespace parallax {
namespace {

Tensor numberOf(float value) {
  Tensor tensor(DType::F32, {});
  *tensor.data<float>() = value;
  return tensor;
}

constexpr Comparison onNpu{AnalysisMethod::EndToEnd, AnalysisMode::NPUBackend};

TEST(SeenOutputs, AreCompleteWithEachOutputOfBothEngines) {
  PortInfo a{"a", DType::F32, {}}, b{"b", DType::F32, {}};
  SeenOutputs seen({a, b}, 2);
  auto take = [&](size_t sample, const std::string &tensor, float value,
                  std::optional<Comparison> comparison) {
    EXPECT_FALSE(seen.areComplete(2));
    seen.take({sample, tensor, comparison, numberOf(value)});
  };
  for (size_t sample : {1, 0})
    for (float k : {0.0f, 1.0f}) {
      std::string name = k == 0 ? "a" : "b";
      take(sample, name, float(10 * sample) + k, std::nullopt);
      take(sample, name, -1,
           Comparison{AnalysisMethod::EndToEnd, AnalysisMode::Reference});
      take(sample, "inside", -1, onNpu);
      take(sample, name, float(100 * sample) + k, onNpu);
    }
  // One more than is asked for.
  seen.take({2, "a", onNpu, numberOf(-1)});
  EXPECT_TRUE(seen.areComplete(2));
  // Fewer than the trials want.
  EXPECT_FALSE(seen.areComplete(3));
  EXPECT_EQ(*seen.floats[1][1].data<float>(), 11);
  EXPECT_EQ(*seen.machine[1][0].data<float>(), 100);
}

TEST(SeenOutputs, LargeOnesAreNotKept) {
  SeenOutputs seen({{"a", DType::F32, {150, 512, 512}}}, 1);
  seen.take({0, "a", std::nullopt, numberOf(1)});
  seen.take({0, "a", onNpu, numberOf(1)});
  EXPECT_FALSE(seen.areComplete(1));
}

} // namespace
} // namespace parallax
