//===- PresentTest.cpp - What a tuning shows ------------------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// The sentence about what was changed.
//===----------------------------------------------------------------------===//
#include "../../../lib/Tune/Present.h"

#include <gtest/gtest.h>

using namespace parallax;

namespace {

/// What it says of a best trial with these changes.
std::string changesOf(std::vector<ConfigEdit> edits) {
  TuneResult result;
  result.isMet = true;
  result.best.edits = std::move(edits);
  std::string text = describeResult(result);
  size_t begin = text.find(": ") + 2;
  return text.substr(begin, text.find(". It takes") - begin);
}

ConfigEdit rule(const std::string &text) {
  return {"quant.layer_configs", text, true};
}

TEST(PresentTest, EachLayerCountsOnce) {
  // The second rule overrides what layers had to have by op_type_dict.
  EXPECT_EQ(changesOf({rule(R"({"layer_names":["a","b","c"],"data_type":"U8",
                               "weight_data_type":"S8"})"),
                       rule(R"({"layer_names":["b"],"data_type":"FP32"})")}),
            "changed: 8 bits for 2 layers, float for 1 layer");
  EXPECT_EQ(changesOf({rule(R"({"layer_names":["a"],"data_type":"U8"})"),
                       rule(R"({"layer_name":"a","data_type":"U16"})")}),
            "changed: 16 bits for 1 layer");
  // A result may have another type than what it is computed in.
  EXPECT_EQ(
      changesOf({rule(R"({"layer_names":["a"],"data_type":"U8"})"),
                 rule(R"({"layer_names":["a"],"output_data_type":"U16"})")}),
      "changed: 16 bits for 1 layer, 8 bits for 1 layer");
}

TEST(PresentTest, TensorsAreCountedNotListed) {
  EXPECT_EQ(
      changesOf({{"quant.tensor_configs",
                  R"({"tensor_names":["t","u"],"calibration_method":"KL",
                      "bits":8})",
                  true},
                 {"quant.tensor_configs",
                  R"({"tensor_names":["v"],"calibration_method":"Percentile",
                      "percentile":0.99999})",
                  true},
                 {"quant.calibration_method", R"("MSE")", false}}),
      "changed: KL for the 8 bits of 2 tensors, Percentile 0.99999 for 1 "
      "tensor, quant.calibration_method = \"MSE\"");
}

} // namespace
