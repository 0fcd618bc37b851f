//===- ConstantDataTest.cpp - New values for a constant -------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Every source of values, every type, and the values that no type takes.
//===----------------------------------------------------------------------===//
#include "../../../lib/Frontend/ONNX/ConstantData.h"
#include "../Support/TempDir.h"
#include "parallax/Support/NumPy.h"
#include "parallax/Support/TensorFile.h"

#include <cmath>
#include <fmt/format.h>

using namespace parallax;
using onnx_import::readConstantData;

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double nan = std::numeric_limits<double>::quiet_NaN();

template <typename T> std::vector<T> valuesOf(const Tensor &tensor) {
  EXPECT_EQ(tensor.dtype(), dtypeOf<T>());
  std::span<const T> values = tensor.values<T>();
  return {values.begin(), values.end()};
}

Tensor fromList(std::vector<double> data, DType dtype, const Shape &shape) {
  return readConstantData({"c", std::move(data), ""}, dtype, shape);
}

Tensor fromFile(const std::filesystem::path &path, DType dtype,
                const Shape &shape) {
  return readConstantData({"c", {}, path.string()}, dtype, shape);
}

/// Expects exactly this message.
template <typename Fn> void expectMessage(Fn &&fn, const std::string &message) {
  try {
    fn();
    ADD_FAILURE() << "no error; expected: " << message;
  } catch (const Error &error) {
    EXPECT_EQ(error.what(), message);
  }
}

/// One value of a list into a constant of one element.
void expectRefused(double value, DType dtype, const std::string &shown) {
  expectMessage([&] { fromList({value}, dtype, {}); },
                fmt::format("element 0 is {}, which {} can't hold", shown,
                            configNameOf(dtype)));
}

TEST(ConstantData, ListsKeepTheShape) {
  Tensor tensor = fromList({1, 2, 3, 4}, DType::F32, {2, 2});
  EXPECT_EQ(tensor.shape(), (Shape{2, 2}));
  EXPECT_EQ(valuesOf<float>(tensor), (std::vector<float>{1, 2, 3, 4}));
  EXPECT_EQ(fromList({5}, DType::I64, {}).shape(), Shape{});
  EXPECT_EQ(fromList({5}, DType::I64, {1, 1}).shape(), (Shape{1, 1}));
}

TEST(ConstantData, OneDimensionTakesTheNewLength) {
  EXPECT_EQ(fromList({-1, 96, 48}, DType::I64, {2}).shape(), Shape{3});
  EXPECT_EQ(fromList({7}, DType::I64, {4}).shape(), Shape{1});
  EXPECT_EQ(fromList({7}, DType::I64, {0}).shape(), Shape{1});
  std::vector<double> many(3'000'000, 2.5);
  EXPECT_EQ(fromList(many, DType::F32, {1}).shape(), Shape{3'000'000});
}

TEST(ConstantData, OtherShapesKeepTheirCount) {
  expectMessage(
      [] {
        fromList({1, 2, 3}, DType::F32, {2, 2});
      },
      "3 values can't replace the 4 of a constant of shape 2x2");
  expectMessage(
      [] {
        fromList({1, 2}, DType::F32, {});
      },
      "2 values can't replace the 1 of a constant of shape scalar");
  expectMessage(
      [] {
        fromList(std::vector<double>(3'000'000), DType::F32, {1, 2});
      },
      "3000000 values can't replace the 2 of a constant of shape 1x2");
}

TEST(ConstantData, ExactlyOneSource) {
  std::string message =
      "give either data, with at least one number, or data_path";
  expectMessage([] { fromList({}, DType::F32, {3}); }, message);
  expectMessage(
      [] {
        readConstantData({"c", {1}, "a.npy"}, DType::F32, {1});
      },
      message);
}

template <typename T> void expectRange() {
  DType dtype = dtypeOf<T>();
  auto least = double(std::numeric_limits<T>::min());
  // The greatest 64-bit integers have no double of their own.
  double tooLarge = std::ldexp(1.0, std::numeric_limits<T>::digits);
  double greatest = std::floor(std::nextafter(tooLarge, 0));
  double tooSmall = std::floor(std::nextafter(least, -infinity));
  EXPECT_EQ(valuesOf<T>(fromList({least, greatest, 0, -0.0}, dtype, {4})),
            (std::vector<T>{T(least), T(greatest), 0, 0}));
  expectRefused(tooLarge, dtype, fmt::format("{}", tooLarge));
  expectRefused(tooSmall, dtype, fmt::format("{}", tooSmall));
  expectRefused(1.5, dtype, "1.5");
  expectRefused(nan, dtype, "nan");
  expectRefused(infinity, dtype, "inf");
  expectRefused(-infinity, dtype, "-inf");
  expectRefused(1e300, dtype, "1e+300");
  expectRefused(-1e300, dtype, "-1e+300");
  expectRefused(5e-324, dtype, "5e-324");
}

TEST(ConstantData, IntegersAreExactAndInRange) {
  expectRange<int8_t>();
  expectRange<int16_t>();
  expectRange<int32_t>();
  expectRange<int64_t>();
  expectRange<uint8_t>();
  expectRange<uint16_t>();
  expectRange<uint32_t>();
  expectRange<uint64_t>();
  expectRefused(-1, DType::U8, "-1");
  expectRefused(-1, DType::U64, "-1");
  EXPECT_EQ(valuesOf<uint8_t>(fromList({255}, DType::U8, {})),
            std::vector<uint8_t>{255});
}

TEST(ConstantData, TruthIsZeroOrOne) {
  EXPECT_EQ(valuesOf<bool>(fromList({0, 1}, DType::Bool, {2})),
            (std::vector<bool>{false, true}));
  expectRefused(2, DType::Bool, "2");
  expectRefused(-1, DType::Bool, "-1");
  expectRefused(0.5, DType::Bool, "0.5");
  expectRefused(nan, DType::Bool, "nan");
}

TEST(ConstantData, FloatsAreRounded) {
  EXPECT_EQ(valuesOf<float>(fromList({0.1, 16777217, 1e-60}, DType::F32, {3})),
            (std::vector<float>{0.1f, 16777216, 0}));
  EXPECT_EQ(valuesOf<double>(fromList({0.1}, DType::F64, {})),
            std::vector<double>{0.1});
  auto half = [](double value) {
    return float(valuesOf<Half>(fromList({value}, DType::F16, {}))[0]);
  };
  EXPECT_EQ(half(0.1), 0.0999755859375f);
  EXPECT_EQ(half(65504), 65504);
  EXPECT_EQ(half(65519.99), 65504);
  // Just beside the middle of two halves: by way of the nearest float, both
  // would end in the middle and then at the even half.
  EXPECT_EQ(half(1 + 0x1p-11), 1);
  EXPECT_EQ(half(1 + 0x1p-11 + 0x1p-40), 1 + 0x1p-10);
  EXPECT_EQ(half(1 + 0x3p-11 - 0x1p-40), 1 + 0x1p-10);
  EXPECT_EQ(half(-1 - 0x1p-11 - 0x1p-40), -1 - 0x1p-10);
  EXPECT_EQ(float(valuesOf<BFloat16>(
                fromList({1 + 0x1p-8 + 0x1p-40}, DType::BF16, {}))[0]),
            1 + 0x1p-7);
}

TEST(ConstantData, FloatsDoNotBecomeInfinite) {
  expectRefused(1e300, DType::F32, "1e+300");
  expectRefused(-1e300, DType::F32, "-1e+300");
  expectRefused(3.5e38, DType::F32, "3.5e+38");
  expectRefused(65520, DType::F16, "65520");
  expectRefused(1e300, DType::F16, "1e+300");
  expectRefused(1e39, DType::BF16, "1e+39");
  // What is not finite already may stay so.
  for (DType dtype : {DType::F32, DType::F64, DType::F16, DType::BF16}) {
    Tensor tensor = fromList({nan, infinity, -infinity}, dtype, {3});
    dispatch(dtype, [&](auto tag) {
      using T = typename decltype(tag)::type;
      if constexpr (!std::is_integral_v<T>) {
        EXPECT_TRUE(std::isnan(double(tensor.data<T>()[0])));
        EXPECT_EQ(double(tensor.data<T>()[1]), infinity);
        EXPECT_EQ(double(tensor.data<T>()[2]), -infinity);
      }
    });
  }
}

TEST(ConstantData, MessagesNameTheElement) {
  expectMessage(
      [] {
        fromList({1, 2, 300}, DType::U8, {3});
      },
      "element 2 is 300, which U8 can't hold");
}

class ConstantFileTest : public testing::Test {
protected:
  template <typename T>
  std::filesystem::path npy(Shape shape, const std::vector<T> &values) {
    std::filesystem::path path = folder / "a.npy";
    writeNpy(path, Tensor::fromValues<T>(std::move(shape),
                                         std::span<const T>(values)));
    return path;
  }

  template <typename T> std::vector<T> text(const std::string &contents) {
    Tensor tensor =
        fromFile(folder.write("a.txt", contents), dtypeOf<T>(), {1});
    EXPECT_EQ(tensor.shape().size(), 1u);
    return valuesOf<T>(tensor);
  }

  TempDir folder;
};

TEST_F(ConstantFileTest, ArraysOfTheSameType) {
  Tensor tensor = fromFile(npy<float>({2, 2}, {1, 2, 3, 4}), DType::F32, {4});
  EXPECT_EQ(tensor.shape(), (Shape{2, 2}));
  EXPECT_EQ(valuesOf<float>(tensor), (std::vector<float>{1, 2, 3, 4}));
}

TEST_F(ConstantFileTest, ArraysBringTheirShape) {
  auto shapeFor = [&](Shape stored, Shape constant) {
    std::vector<int64_t> values(size_t(elementCount(stored)));
    return fromFile(npy(stored, values), DType::I64, constant).shape();
  };
  EXPECT_EQ(shapeFor({4}, {2, 2}), Shape{4});
  EXPECT_EQ(shapeFor({1, 4}, {2, 2}), (Shape{1, 4}));
  EXPECT_EQ(shapeFor({5}, {4}), Shape{5});
  EXPECT_EQ(shapeFor({2, 3}, {4}), (Shape{2, 3}));
  EXPECT_EQ(shapeFor({0}, {4}), Shape{0});
  EXPECT_EQ(shapeFor({}, {1, 1}), Shape{});
  expectMessage(
      [&] {
        shapeFor({5}, {2, 2});
      },
      "5 values can't replace the 4 of a constant of shape 2x2");
  expectMessage([&] { shapeFor({2}, {}); },
                "2 values can't replace the 1 of a constant of shape scalar");
}

TEST_F(ConstantFileTest, ArraysConvertWithoutLoss) {
  EXPECT_EQ(
      valuesOf<int64_t>(fromFile(npy<int32_t>({2}, {-7, 7}), DType::I64, {2})),
      (std::vector<int64_t>{-7, 7}));
  EXPECT_EQ(
      valuesOf<int8_t>(fromFile(npy<double>({1}, {-128}), DType::I8, {1})),
      std::vector<int8_t>{-128});
  EXPECT_EQ(valuesOf<float>(fromFile(npy<double>({1}, {0.5}), DType::F32, {1})),
            std::vector<float>{0.5});
  EXPECT_EQ(valuesOf<float>(fromFile(npy<int64_t>({1}, {-(int64_t(1) << 40)}),
                                     DType::F32, {1})),
            std::vector<float>{-0x1p40f});
  EXPECT_EQ(valuesOf<uint64_t>(
                fromFile(npy<int64_t>({1}, {INT64_MAX}), DType::U64, {1})),
            std::vector<uint64_t>{INT64_MAX});
  EXPECT_TRUE(std::isnan(
      valuesOf<float>(fromFile(npy<double>({1}, {nan}), DType::F32, {1}))[0]));
}

TEST_F(ConstantFileTest, ArraysThatDoNotConvert) {
  expectMessage(
      [&] {
        fromFile(npy<double>({2}, {0.5, 0.1}), DType::F32, {2});
      },
      "element 1 is 0.1, which FP32 can't hold exactly");
  expectMessage(
      [&] { fromFile(npy<int64_t>({1}, {16777217}), DType::F32, {1}); },
      "element 0 is 16777217, which FP32 can't hold exactly");
  expectMessage(
      [&] { fromFile(npy<int64_t>({1}, {INT64_MAX}), DType::F64, {1}); },
      "element 0 is 9223372036854775807, which FP64 can't hold exactly");
  expectMessage([&] { fromFile(npy<int32_t>({1}, {70000}), DType::F16, {1}); },
                "element 0 is 70000, which FP16 can't hold exactly");
  expectMessage([&] { fromFile(npy<int64_t>({1}, {-1}), DType::U8, {1}); },
                "element 0 is -1, which U8 can't hold");
  expectMessage(
      [&] { fromFile(npy<uint64_t>({1}, {UINT64_MAX}), DType::I64, {1}); },
      "element 0 is 18446744073709551615, which S64 can't hold");
  expectMessage([&] { fromFile(npy<float>({1}, {NAN}), DType::I32, {1}); },
                "element 0 is nan, which S32 can't hold");
}

TEST_F(ConstantFileTest, RawBytes) {
  writeRaw(folder / "a.bin", fromList({1, -2}, DType::I16, {2}));
  Tensor tensor = fromFile(folder / "a.bin", DType::I16, {2, 1});
  EXPECT_EQ(tensor.shape(), (Shape{2, 1}));
  EXPECT_EQ(valuesOf<int16_t>(tensor), (std::vector<int16_t>{1, -2}));
  for (Shape shape : {Shape{1}, Shape{3}, Shape{}, Shape{0}})
    expectError([&] { fromFile(folder / "a.bin", DType::I16, shape); },
                "a.bin' has 4 bytes, but ");
}

TEST_F(ConstantFileTest, Text) {
  EXPECT_EQ(text<int64_t>("1 2,3\n4\r\n5\t6,\n"),
            (std::vector<int64_t>{1, 2, 3, 4, 5, 6}));
  EXPECT_EQ(text<int64_t>(""), std::vector<int64_t>{});
  EXPECT_EQ(text<int64_t>(" \n,"), std::vector<int64_t>{});
  EXPECT_EQ(text<int64_t>("9223372036854775807 -9223372036854775808 +3 1e3"),
            (std::vector<int64_t>{INT64_MAX, INT64_MIN, 3, 1000}));
  EXPECT_EQ(text<uint64_t>("18446744073709551615"),
            std::vector<uint64_t>{UINT64_MAX});
  EXPECT_EQ(text<float>("0.1 -1e-3 .5 +2"),
            (std::vector<float>{0.1f, -1e-3f, 0.5f, 2}));
  EXPECT_EQ(text<float>("-inf"), std::vector<float>{-INFINITY});
  Tensor tensor =
      fromFile(folder.write("b.txt", "1 2\n3 4\n"), DType::F32, {2, 2});
  EXPECT_EQ(tensor.shape(), (Shape{2, 2}));
}

TEST_F(ConstantFileTest, BadText) {
  auto path = [&] { return (folder / "a.txt").string(); };
  auto expectWord = [&](const std::string &contents, const std::string &word,
                        int line) {
    expectMessage(
        [&] { text<int64_t>(contents); },
        fmt::format("line {} of '{}' has '{}', which is not a number or is "
                    "out of range",
                    line, path(), word));
  };
  expectWord("1 2\n3 x\n", "x", 2);
  expectWord("1;2", "1;2", 1);
  expectWord("\n\n0x10", "0x10", 3);
  expectWord("--1", "--1", 1);
  expectWord("+-1", "+-1", 1);
  expectWord("+", "+", 1);
  expectWord("1e999", "1e999", 1);
  expectWord(std::string(100, 'x'), std::string(40, 'x'), 1);
  expectMessage([&] { text<int64_t>("1.5"); },
                "element 0 is 1.5, which S64 can't hold");
  expectMessage([&] { text<int64_t>("9223372036854775808"); },
                "element 0 is 9223372036854775808, which S64 can't hold");
  expectMessage([&] { text<uint8_t>("256"); },
                "element 0 is 256, which U8 can't hold");
  expectMessage(
      [&] {
        fromFile(folder.write("a.txt", "1 2 3"), DType::F32, {2, 2});
      },
      "3 values can't replace the 4 of a constant of shape 2x2");
}

TEST_F(ConstantFileTest, FilesThatAreNone) {
  for (const char *name : {"none.npy", "none.bin", "none.txt"})
    expectError([&] { fromFile(folder / name, DType::F32, {1}); }, name);
  for (const char *name : {"a.csv", "npy", "a.npy.gz"})
    expectMessage([&] { fromFile(name, DType::F32, {1}); },
                  fmt::format("'{}' must be a .npy, .bin or .txt file", name));
  expectError(
      [&] { fromFile(folder.write("a.npy", "no array"), DType::F32, {1}); },
      "a.npy' as .npy: ");
}

} // namespace
