//===- MacLayerTest.cpp - Products of layers with weights -----------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// What tunes a network compares sums of products, so these may not depend on
// how many threads have added them up.
//===----------------------------------------------------------------------===//
#include "../../../lib/Passes/Quantize/MacLayer.h"
#include "QuantizeTestSupport.h"
#include "parallax/Support/Parallel.h"

#include <fmt/format.h>

namespace parallax {
namespace {

class MacLayerTest : public QuantizeTest {
protected:
  /// A product of rows with random weights.
  void load(int64_t rows, int64_t depth, int64_t outputs) {
    parse(withRandomWeights(fmt::format(
        R"(
func.func @main(%x: tensor<{0}x{1}xf32> {{nn.name = "x"}}) -> (tensor<{0}x{2}xf32> {{nn.name = "y"}}) {{
  %w = nn.constant RANDOM : tensor<{1}x{2}xf32> loc("w"("w"))
  %y = nn.matmul %x, %w : (tensor<{0}x{1}xf32>, tensor<{1}x{2}xf32>) -> tensor<{0}x{2}xf32> loc("product"("y"))
  return %y : tensor<{0}x{2}xf32>
}}
)",
        rows, depth, outputs)));
    values = random(function().getArgumentTypes()[0]);
  }

  Tensor product(int threads) {
    Operation *op = &*std::next(function().front().begin());
    std::optional<quantize::MacLayer> layer = quantize::MacLayer::of(op);
    EXPECT_TRUE(layer);
    ThreadCountScope scope(threads);
    return layer->product(values, layer->matrix());
  }

  Tensor values;
};

TEST_F(MacLayerTest, ProductsHaveTheSameBitsWithAnyNumberOfThreads) {
  for (auto [rows, depth, outputs] : {std::array<int64_t, 3>{1, 4096, 8},
                                      {4, 16384, 4},
                                      {64, 1152, 16},
                                      {7, 20000, 33},
                                      {256, 300, 10}}) {
    SCOPED_TRACE(fmt::format("{} x {} x {}", rows, depth, outputs));
    load(rows, depth, outputs);
    Tensor one = product(1);
    for (int threads : {2, 3, 4, 8}) {
      Tensor many = product(threads);
      EXPECT_TRUE(std::ranges::equal(one.values<float>(), many.values<float>()))
          << threads << " threads";
    }
  }
}

} // namespace
} // namespace parallax
