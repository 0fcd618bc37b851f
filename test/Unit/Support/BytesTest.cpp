//===- BytesTest.cpp - Values as bytes for another process ----------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// What is written is read again, and what was cut off is refused.
//===----------------------------------------------------------------------===//
#include "parallax/Support/Bytes.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

using namespace parallax;

namespace {

struct Inner {
  std::string name;
  std::vector<bool> bits;

  template <typename Archive> void transfer(Archive &archive) {
    archive(name, bits);
  }
};

struct Outer {
  int64_t number = 0;
  double value = 0;
  std::vector<Inner> parts;
  std::vector<std::vector<double>> rows;
  Tensor tensor;

  template <typename Archive> void transfer(Archive &archive) {
    archive(number, value, parts, rows, tensor);
  }
};

Outer makeOuter() {
  Outer outer;
  outer.number = -3;
  outer.value = -0.0;
  outer.parts = {{"one", {true, false, true}}, {"", {}}};
  outer.rows = {{}, {1, std::numeric_limits<double>::infinity()}, {NAN}};
  outer.tensor = Tensor::fromValues<float>({2, 1}, std::vector{1.5f, -2.0f});
  return outer;
}

TEST(Bytes, ReadsWhatWasWritten) {
  ByteWriter writer;
  writer(makeOuter(), uint8_t(7));
  ByteReader reader(writer.bytes());
  Outer read;
  uint8_t last = 0;
  reader(read, last);
  EXPECT_TRUE(reader.isAtEnd());
  EXPECT_EQ(read.number, -3);
  EXPECT_TRUE(std::signbit(read.value));
  ASSERT_EQ(read.parts.size(), 2u);
  EXPECT_EQ(read.parts[0].name, "one");
  EXPECT_EQ(read.parts[0].bits, (std::vector{true, false, true}));
  EXPECT_TRUE(read.parts[1].bits.empty());
  ASSERT_EQ(read.rows.size(), 3u);
  EXPECT_TRUE(std::isinf(read.rows[1][1]));
  EXPECT_TRUE(std::isnan(read.rows[2][0]));
  EXPECT_EQ(read.tensor.shape(), (Shape{2, 1}));
  EXPECT_EQ(read.tensor.data<float>()[1], -2.0f);
  EXPECT_EQ(last, 7);
}

TEST(Bytes, RefusesWhatIsCutOff) {
  ByteWriter writer;
  writer(makeOuter());
  for (size_t size = 0; size < writer.bytes().size(); ++size) {
    Outer read;
    ByteReader reader(std::string_view(writer.bytes()).substr(0, size));
    EXPECT_THROW(reader(read), Error) << "at " << size;
  }
}

TEST(Bytes, RefusesMoreElementsThanBytes) {
  ByteWriter writer;
  writer(uint64_t(1) << 60);
  std::vector<double> values;
  ByteReader reader(writer.bytes());
  EXPECT_THROW(reader(values), Error);
}

} // namespace
