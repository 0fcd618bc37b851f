//===- LargeObjectTest.cpp - JSON objects with many keys ------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// The same text as the library's own object gives.
//===----------------------------------------------------------------------===//
#include "parallax/Support/LargeObject.h"

#include <gtest/gtest.h>

using namespace parallax;

namespace {

TEST(LargeObject, IsAnOrderedObject) {
  LargeObject large;
  nlohmann::ordered_json plain = nlohmann::ordered_json::object();
  for (int i = 0; i < 100; ++i) {
    std::string key = std::to_string(i * 37 % 50);
    large[key] = i;
    plain[key] = i;
  }
  EXPECT_EQ(large.take().dump(), plain.dump());
  EXPECT_EQ(large.take().dump(), "{}");
}

} // namespace
