//===- TensorFileTest.cpp - Raw tensor files and their names --------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Sizes that lie, and names that collide.
//===----------------------------------------------------------------------===//
#include "parallax/Support/TensorFile.h"
#include "TempDir.h"
#include "parallax/Support/Digest.h"

#include <cstring>
#include <limits>

using namespace parallax;

namespace {

TEST(TensorFile, RoundTripsEveryType) {
  TempDir dir;
  for (int type = 0; type <= int(DType::Bool); ++type) {
    Tensor tensor(DType(type), {2, 3});
    auto *bytes = static_cast<uint8_t *>(tensor.rawData());
    for (size_t i = 0; i < tensor.byteSize(); ++i)
      bytes[i] = DType(type) == DType::Bool ? i % 2 : uint8_t(7 * i);
    writeRaw(dir / "t.bin", tensor);
    Tensor read = readRaw(dir / "t.bin", DType(type), {2, 3});
    EXPECT_EQ(std::memcmp(read.rawData(), bytes, tensor.byteSize()), 0);
    EXPECT_EQ(readRaw(dir / "t.bin", DType(type)).shape(), Shape{6});
  }
}

TEST(TensorFile, AnyNonZeroByteIsTrue) {
  TempDir dir;
  Tensor read = readRaw(dir.write("b.bin", "\x02\xff"), DType::Bool, {2});
  auto *bytes = static_cast<const uint8_t *>(read.rawData());
  EXPECT_EQ(bytes[0], 1);
  EXPECT_EQ(bytes[1], 1);
}

TEST(TensorFile, SizeMismatchNamesBothSizesAndTheLikelyType) {
  TempDir dir;
  auto path = dir.write("t.bin", std::string(24, 'x'));
  auto read = [&](DType type, Shape shape) {
    return [=] { readRaw(path, type, shape); };
  };
  expectError(read(DType::F32, {1, 3, 4}), "has 24 bytes");
  expectError(read(DType::F32, {1, 3, 4}), "needs 48 bytes");
  expectError(read(DType::F32, {1, 3, 4}), "2-byte elements (float16, ");
  try {
    readRaw(path, DType::F32, {5});
    FAIL();
  } catch (const Error &error) {
    EXPECT_EQ(std::string(error.what()).find("fits"), std::string::npos);
  }
  expectError([&] { readRaw(dir.write("odd.bin", "123"), DType::F16); },
              "not a multiple");
}

TEST(TensorFile, ImpossibleShapes) {
  TempDir dir;
  auto path = dir.write("t.bin", "1234");
  int64_t huge = std::numeric_limits<int64_t>::max();
  for (Shape shape : {Shape{-1}, Shape{-2, -2}, Shape{huge, 2}, Shape{huge},
                      Shape{0, huge, huge}})
    expectError([&] { readRaw(path, DType::F32, shape); }, "impossible");
  EXPECT_EQ(byteSizeOf(DType::F64, Shape{3, 0, 5}), 0u);
  EXPECT_EQ(byteSizeOf(DType::F64, Shape{}), 8u);
}

TEST(TensorFile, FileNamesReplaceCharactersNotBytes) {
  EXPECT_EQ(fileNameOf("/model/conv.1:0"), "_model_conv_1_0");
  EXPECT_EQ(fileNameOf("a-b_C9"), "a-b_C9");
  EXPECT_EQ(fileNameOf("层x"), "_x");
  EXPECT_EQ(fileNameOf("\xff\xfex"), "__x");
  EXPECT_EQ(fileNameOf("../../etc/passwd"), "______etc_passwd");
  EXPECT_EQ(fileNameOf(std::string_view("a\0b", 3)), "a_b");
}

TEST(TensorFile, LongNamesEndWithTheirDigest) {
  std::string longest(200, 'n');
  EXPECT_EQ(fileNameOf(longest), longest);
  // Two names that only differ at the end, and one that only differs in what a
  // file name can't have.
  std::string name = longest + "/a", a = fileNameOf(name),
              b = fileNameOf(longest + "/b"), c = fileNameOf(longest + ".a");
  EXPECT_EQ(a, longest.substr(0, 183) + "-" +
                   sha256Of(std::as_bytes(std::span(name))).substr(0, 16));
  EXPECT_EQ(b.size(), 200u);
  EXPECT_NE(a, b);
  EXPECT_NE(a, c);
  // Whatever a digest may be, names in one folder differ.
  std::vector<std::string> names =
      uniqueFileNames(std::vector<std::string>{name, a, a});
  EXPECT_EQ(names, (std::vector<std::string>{a, a + "_2", a + "_3"}));
}

TEST(TensorFile, UniqueFileNames) {
  using Names = std::vector<std::string>;
  EXPECT_EQ(uniqueFileNames(Names{"a/b", "c", "a.b", "a:b"}),
            (Names{"a_b", "c", "a_b_2", "a_b_3"}));
  // The suffixed name must not take what belongs to another tensor.
  EXPECT_EQ(uniqueFileNames(Names{"a/b", "a.b", "a_b_2"}),
            (Names{"a_b", "a_b_3", "a_b_2"}));
  EXPECT_EQ(uniqueFileNames(Names{"x", "x", "x"}), (Names{"x", "x_2", "x_3"}));
}

} // namespace
