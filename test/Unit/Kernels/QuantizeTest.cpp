//===- QuantizeTest.cpp - QuantizeLinear and back -------------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Rounding and saturation by hand, and every granularity against one loop that
// looks up the scale of each element.
//===----------------------------------------------------------------------===//
#include "parallax/Backend/Reference/Kernels/Quantize.h"
#include "KernelTestSupport.h"
#include "parallax/Support/Error.h"

using namespace parallax;
using namespace parallax::kernels;
using namespace parallax::test;

namespace {

TEST(QuantizeTest, RoundsHalfToEvenAndSaturates) {
  Tensor x = tensorOf({10}, {1.f, 3.f, 5.f, -1.f, -3.f, 1e9f, -1e9f, infinity,
                             -infinity, 7.2f});
  Tensor scale = tensorOf({}, {2.f});
  Tensor zero = tensorOf<uint8_t>({}, {128});
  Tensor u8(DType::U8, {10}), i8(DType::I8, {10}), i32(DType::I32, {10});
  quantizeLinear(x, scale, &zero, u8);
  expectValues<uint8_t>(u8, {128, 130, 130, 128, 126, 255, 0, 255, 0, 132});
  quantizeLinear(x, scale, nullptr, i8);
  expectValues<int8_t>(i8, {0, 2, 2, 0, -2, 127, -128, 127, -128, 4});
  quantizeLinear(x, scale, nullptr, i32);
  expectValues<int32_t>(
      i32, {0, 2, 2, 0, -2, 500000000, -500000000, INT32_MAX, INT32_MIN, 4});
}

TEST(QuantizeTest, SixteenBitsAndIntegerInputs) {
  Tensor x = tensorOf({4}, {65534.5f, 70000.f, -0.5f, 32767.5f});
  Tensor one = tensorOf({1}, {1.f});
  Tensor u16(DType::U16, {4}), i16(DType::I16, {4});
  quantizeLinear(x, one, nullptr, u16);
  expectValues<uint16_t>(u16, {65534, 65535, 0, 32768});
  Tensor zero = tensorOf<int16_t>({1}, {-32768});
  quantizeLinear(x, one, &zero, i16);
  expectValues<int16_t>(i16, {32766, 32767, -32768, 0});
  Tensor xi = tensorOf<int32_t>({3}, {INT32_MAX, INT32_MIN, 16777217});
  Tensor yi(DType::I32, {3});
  quantizeLinear(xi, one, nullptr, yi);
  expectValues<int32_t>(yi, {INT32_MAX, INT32_MIN, 16777217});
}

TEST(QuantizeTest, NanIsDeterministic) {
  Tensor x = tensorOf({1}, {NAN}), one = tensorOf({1}, {1.f});
  Tensor y(DType::I8, {1});
  quantizeLinear(x, one, nullptr, y);
  expectValues<int8_t>(y, {-128});
}

/// The position of an element's scale, by coordinates.
int64_t scaleAt(int64_t flat, const Shape &shape, int64_t axis, int64_t block,
                int64_t scales) {
  if (block == 0 && scales == 1)
    return 0;
  Shape at(shape.size()), extent = shape;
  int64_t rest = flat;
  for (size_t i = shape.size(); i-- > 0;) {
    at[i] = rest % shape[i];
    rest /= shape[i];
  }
  if (block == 0)
    return at[axis];
  at[axis] /= block;
  extent[axis] = (shape[axis] + block - 1) / block;
  int64_t position = 0;
  for (size_t i = 0; i < shape.size(); ++i)
    position = position * extent[i] + at[i];
  return position;
}

template <typename Code>
void checkGranularities(DType dtype, int low, int high) {
  Shape shape{3, 10, 7};
  Tensor x = randomFloats(shape, 1, -300, 300);
  struct {
    Shape scale;
    int64_t axis, block;
  } tests[] = {{{}, 1, 0},        {{3}, 0, 0},       {{10}, 1, 0},
               {{7}, 2, 0},       {{3, 4, 7}, 1, 3}, {{3, 10, 2}, 2, 4},
               {{2, 10, 7}, 0, 2}};
  for (auto &test : tests) {
    Tensor scale = randomFloats(test.scale, 2, 0.1f, 3);
    Tensor zero(dtype, test.scale);
    for (int64_t i = 0; i < zero.size(); ++i)
      zero.data<Code>()[i] = Code(low + (37 * i + 11) % (high - low));
    for (bool withZero : {false, true}) {
      Tensor y(dtype, shape), back(DType::F32, shape);
      quantizeLinear(x, scale, withZero ? &zero : nullptr, y, test.axis,
                     test.block);
      dequantizeLinear(y, scale, withZero ? &zero : nullptr, back, test.axis,
                       test.block);
      for (int64_t i = 0; i < x.size(); ++i) {
        int64_t k = scaleAt(i, shape, test.axis, test.block, scale.size());
        float s = scale.data<float>()[k];
        int z = withZero ? int(zero.data<Code>()[k]) : 0;
        double code = std::nearbyint(x.data<float>()[i] / s) + z;
        code = std::clamp(code, double(low), double(high));
        ASSERT_EQ(double(y.data<Code>()[i]), code)
            << i << " of scale " << toString(test.scale);
        ASSERT_EQ(back.data<float>()[i], float(code - z) * s) << i;
      }
    }
  }
}

TEST(QuantizeTest, EveryGranularity) {
  checkGranularities<uint8_t>(DType::U8, 0, 255);
  checkGranularities<int8_t>(DType::I8, -128, 127);
  checkGranularities<uint16_t>(DType::U16, 0, 65535);
  checkGranularities<int16_t>(DType::I16, -32768, 32767);
}

TEST(QuantizeTest, DequantizesBiasesAndToHalf) {
  Tensor x = tensorOf<int32_t>({3}, {INT32_MIN, 0, 1 << 20});
  Tensor scale = tensorOf({1}, {0.5f}), y(DType::F32, {3});
  dequantizeLinear(x, scale, nullptr, y);
  expectValues<float>(y, {-0x1p30f, 0, 0x1p19f});
  Tensor codes = tensorOf<uint8_t>({2}, {0, 255}), h(DType::F16, {2});
  Tensor zero = tensorOf<uint8_t>({1}, {128});
  dequantizeLinear(codes, scale, &zero, h);
  EXPECT_EQ(float(h.data<Half>()[0]), -64.0f);
  EXPECT_EQ(float(h.data<Half>()[1]), 63.5f);
  Tensor q(DType::U8, {2});
  quantizeLinear(h, scale, &zero, q);
  expectValues<uint8_t>(q, {0, 255});
}

TEST(QuantizeTest, Dynamic) {
  Tensor y(DType::U8, {6}), scale(DType::F32, {}), zero(DType::U8, {});
  // The range is [-2.5, 2], the scale 4.5 / 255.
  Tensor x = tensorOf({6}, {0.f, 2.f, -1.f, -2.5f, 1.34f, 0.5f});
  dynamicQuantizeLinear(x, y, scale, zero);
  EXPECT_EQ(scale.data<float>()[0], 4.5f / 255.0f);
  expectValues<uint8_t>(zero, {142});
  expectValues<uint8_t>(y, {142, 255, 85, 0, 218, 170});
  // Positive values only: zero stays in the range.
  Tensor positive = tensorOf({6}, {1.f, 2.f, 3.f, 4.f, 5.f, 5.1f});
  dynamicQuantizeLinear(positive, y, scale, zero);
  expectValues<uint8_t>(zero, {0});
  expectValues<uint8_t>(y, {50, 100, 150, 200, 250, 255});
  Tensor zeros(DType::F32, {6});
  dynamicQuantizeLinear(zeros, y, scale, zero);
  EXPECT_EQ(scale.data<float>()[0], 1.0f);
  expectValues<uint8_t>(y, {0, 0, 0, 0, 0, 0});
}

TEST(QuantizeTest, DynamicRangeOfLongTensors) {
  for (int64_t special : {0, 31, 32, 63, 64, 69}) {
    Tensor x(DType::F32, {70}), y(DType::U8, {70}), scale(DType::F32, {}),
        zero(DType::U8, {});
    x.data<float>()[special] = 51;
    dynamicQuantizeLinear(x, y, scale, zero);
    EXPECT_EQ(scale.data<float>()[0], 0.2f);
    EXPECT_EQ(y.data<uint8_t>()[special], 255);
  }
}

TEST(QuantizeTest, EmptyTensorsAndWrongTypes) {
  Tensor x(DType::F32, {0, 3}), y(DType::U8, {0, 3});
  quantizeLinear(x, tensorOf({3}, {1.f, 1.f, 1.f}), nullptr, y, 1);
  Tensor scale(DType::F32, {}), zero(DType::U8, {});
  dynamicQuantizeLinear(x, y, scale, zero);
  EXPECT_EQ(scale.data<float>()[0], 1.0f);
  Tensor wrong(DType::I64, {0, 3});
  EXPECT_THROW(quantizeLinear(x, scale, nullptr, wrong), Error);
}

} // namespace
