//===- ReduceTest.cpp - C36 to C39, C47 to C49 ----------------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// What combines neighbours: pooling, reductions and resize, bit for bit; and
// that the float engine's templates move codes as the page says.
//===----------------------------------------------------------------------===//
#include "parallax/Backend/NPU/Kernels/Reduce.h"
#include "NpuTestSupport.h"
#include "parallax/Backend/Kernels/Elementwise.h"
#include "parallax/Backend/Kernels/Scan.h"
#include "parallax/Backend/NPU/Kernels/Mac.h"
#include "parallax/Backend/NPU/Kernels/Pool.h"
#include "parallax/Backend/NPU/Kernels/Resize.h"
#include "parallax/Backend/Reference/Kernels/Pool.h"

using namespace parallax;
using namespace parallax::npu;
using namespace parallax::npu::test;

namespace {

struct PoolCase {
  Shape x, y;
  kernels::PoolParams params;
};

/// Odd shapes, dilation, uneven pads, windows beyond the padding (ceil_mode)
/// and windows that see nothing.
std::vector<PoolCase> poolCases() {
  return {
      {{1, 1, 1}, {1, 1, 1}, {{1}, {1}, {1}, {0}, {0}}},
      {{2, 3, 7}, {2, 3, 5}, {{3}, {2}, {1}, {2}, {1}}},
      {{1, 5, 9, 7}, {1, 5, 5, 4}, {{3, 2}, {2, 2}, {1, 1}, {1, 0}, {1, 0}}},
      {{2, 2, 8, 8}, {2, 2, 4, 4}, {{3, 3}, {1, 1}, {2, 2}, {0, 0}, {0, 0}}},
      {{1, 3, 5, 5}, {1, 3, 9, 9}, {{2, 2}, {1, 1}, {1, 1}, {3, 3}, {2, 2}}},
      {{1, 2, 4, 5, 6},
       {1, 2, 2, 2, 3},
       {{3, 3, 2}, {2, 2, 2}, {1, 1, 1}, {1, 0, 0}, {1, 0, 0}}},
      {{1, 2, 13, 13},
       {1, 2, 1, 1},
       {{13, 13}, {1, 1}, {1, 1}, {0, 0}, {0, 0}}},
  };
}

TEST(Pool, C36_AverageOfEveryTypeAndShape) {
  CoversCodes covers;
  uint64_t seed = 1;
  for (PoolCase &c : [] {
         static std::vector<PoolCase> cases = poolCases();
         return std::span(cases);
       }())
    for (const CodeType &xType : codeTypes)
      for (const CodeType &yType : codeTypes)
        for (bool includePad : {false, true})
          for (Fill fill : fills) {
            Tie tie = ties[seed % 3];
            c.params.countIncludePad = includePad;
            Codes x =
                codesOf(xType, c.x, 0.02f, double(seed % 7) / 6, seed, fill);
            float scale =
                0.015f * float(std::ldexp(1.0, xType.bits - yType.bits));
            Codes y = codesOf(yType, c.y, scale, double(seed % 5) / 4);
            literal::averagePool(x,
                                 {c.params.kernel, c.params.strides,
                                  c.params.dilations, c.params.padsBegin,
                                  c.params.padsEnd, includePad},
                                 y, tie);
            Tensor xTensor = toTensor(x);
            std::vector<Multiplier> m = averageMultipliers(
                x.scale, y.scale, elementCount(c.params.kernel));
            expectBits(y, [&](Tensor &result) {
              averagePool(xTensor, x.zero, result, c.params, m,
                          outputOf(y, tie));
            });
            ++seed;
          }
}

TEST(Pool, C48_MaxPoolMovesCodes) {
  // Pads never win, even where all codes are below the zero point.
  Codes x = codesOf(codeTypes[1], {1, 1, 3, 3}, 1.0f, 1.0, 1, Fill::Low);
  x.values[4] = -100;
  Tensor xTensor = toTensor(x), y(DType::I8, {1, 1, 4, 4});
  kernels::maxPool(xTensor, y, nullptr,
                   {{2, 2}, {1, 1}, {1, 1}, {1, 1}, {1, 1}});
  std::vector<int64_t> expected(16, -128);
  for (int at : {5, 6, 9, 10})
    expected[at] = -100;
  EXPECT_EQ(valuesOf(y), expected);
}

TEST(Reduce, C47_C48_SelectionsMoveCodes) {
  for (const CodeType &type : codeTypes) {
    Codes a = codesOf(type, {3, 50}, 1.0f, 0.5, 1);
    Codes b = codesOf(type, {50}, 1.0f, 0.5, 2);
    Tensor aTensor = toTensor(a), bTensor = toTensor(b);
    Tensor condition(DType::Bool, {3, 1}), greater(type.dtype, a.dims);
    Tensor less(type.dtype, a.dims), chosen(type.dtype, a.dims);
    condition.data<bool>()[1] = true;
    kernels::binary(kernels::BinaryKind::Max, aTensor, bTensor, greater);
    kernels::binary(kernels::BinaryKind::Min, aTensor, bTensor, less);
    kernels::where(condition, aTensor, bTensor, chosen);
    for (int64_t i = 0; i < 150; ++i) {
      int64_t x = a.values[i], y = b.values[i % 50];
      ASSERT_EQ(valuesOf(greater)[i], std::max(x, y));
      ASSERT_EQ(valuesOf(less)[i], std::min(x, y));
      ASSERT_EQ(valuesOf(chosen)[i], i / 50 == 1 ? x : y);
    }
  }
}

TEST(Reduce, C37_C38_EveryKindTypeAndAxes) {
  CoversCodes covers;
  struct Kind {
    SumKind kind;
    const char *name;
  };
  uint64_t seed = 1;
  Shape dims{3, 5, 4, 7};
  std::vector<Shape> axesOf{{0}, {3}, {1, 2}, {0, 3}, {2, 3}, {0, 1, 2, 3}, {}};
  for (Kind kind :
       {Kind{SumKind::Sum, "sum"}, Kind{SumKind::Mean, "mean"},
        Kind{SumKind::L1, "l1"}, Kind{SumKind::SumSquare, "square"}})
    for (const CodeType &xType : codeTypes)
      for (const CodeType &yType : codeTypes)
        for (const Shape &axes : axesOf) {
          Shape out = dims;
          for (int64_t axis : axes)
            out[axis] = 1;
          int64_t count = elementCount(dims) / elementCount(out);
          Codes x = codesOf(xType, dims, 0.02f, double(seed % 7) / 6, seed,
                            fills[seed % 5]);
          double reach = 0.01 * std::ldexp(1.0, xType.bits);
          reach = kind.kind == SumKind::SumSquare ? reach * reach : reach;
          reach *= kind.kind == SumKind::Mean ? 1 : double(count);
          Codes y = codesOf(yType, out, float(std::ldexp(reach, -yType.bits)),
                            double(seed % 5) / 4);
          Tie tie = ties[seed % 3];
          literal::reduce(kind.name, x, axes, y, tie);
          Tensor xTensor = toTensor(x);
          Multiplier m = sumMultiplier(kind.kind, x.scale, y.scale, count);
          expectBits(
              y,
              [&](Tensor &result) {
                reduceSum(kind.kind, xTensor, x.zero, result, axes, m,
                          outputOf(y, tie));
              },
              kind.name);
          ++seed;
        }
}

TEST(Reduce, C37_MeanOfNothingIsZero) {
  Tensor x(DType::U8, {2, 0}), y(DType::U8, {2, 1});
  int64_t axis = 1;
  reduceSum(SumKind::Mean, x, 3, y, {&axis, 1},
            sumMultiplier(SumKind::Mean, 1, 1, 0), {7, 0, 255});
  EXPECT_EQ(valuesOf(y), (std::vector<int64_t>{7, 7}));
}

TEST(Reduce, C49_EqualCodesAreTakenInOrder) {
  Codes x = codesOf(codeTypes[2], {1, 6}, 1.0f, 0.5);
  x.values = {3, 65535, 9, 65535, 3, 0};
  Tensor xTensor = toTensor(x), index(DType::I64, {1, 1});
  kernels::argReduce(true, xTensor, index, 1, false);
  EXPECT_EQ(index.data<int64_t>()[0], 1);
  kernels::argReduce(true, xTensor, index, 1, true);
  EXPECT_EQ(index.data<int64_t>()[0], 3);
  Tensor values(DType::U16, {1, 4}), indices(DType::I64, {1, 4});
  kernels::topk(xTensor, values, indices, 1, true, true);
  EXPECT_EQ(valuesOf(values), (std::vector<int64_t>{65535, 65535, 9, 3}));
  std::vector<int64_t> order(indices.data<int64_t>(),
                             indices.data<int64_t>() + 4);
  EXPECT_EQ(order, (std::vector<int64_t>{1, 3, 2, 0}));
}

//===----------------------------------------------------------------------===//
// Resize
//===----------------------------------------------------------------------===//

struct ResizeCase {
  Shape in, out;
  kernels::ResizeMode mode;
  kernels::CoordinateMode coordinates;
};

std::vector<ResizeCase> resizeCases() {
  using enum kernels::ResizeMode;
  using enum kernels::CoordinateMode;
  return {{{1, 2, 5}, {1, 2, 13}, Linear, HalfPixel},
          {{2, 3, 4, 5}, {2, 3, 8, 10}, Linear, HalfPixel},
          {{1, 2, 7, 9}, {1, 2, 3, 4}, Linear, AlignCorners},
          {{1, 2, 3, 3}, {1, 2, 7, 5}, Linear, Asymmetric},
          {{1, 5, 6, 3}, {1, 11, 13, 3}, Linear, HalfPixel},
          {{1, 1, 3, 4, 5}, {1, 1, 5, 7, 9}, Linear, HalfPixel},
          {{1, 2, 5, 6}, {1, 2, 9, 11}, Cubic, HalfPixel}};
}

kernels::ResizePlan planOf(const ResizeCase &c) {
  std::vector<float> scales;
  for (size_t i = 0; i < c.in.size(); ++i)
    scales.push_back(float(double(c.out[i]) / double(c.in[i])));
  kernels::ResizeParams params;
  params.mode = c.mode;
  params.coordinates = c.coordinates;
  return kernels::ResizePlan(c.in, c.out, scales, {}, params);
}

TEST(Resize, C39_WeightedSumsOfEveryTypeAndShape) {
  CoversCodes covers;
  uint64_t seed = 1;
  for (const ResizeCase &c : resizeCases())
    for (const CodeType &xType : codeTypes)
      for (const CodeType &yType : codeTypes)
        for (Fill fill : fills) {
          Tie tie = ties[seed % 3];
          kernels::ResizePlan plan = planOf(c);
          Codes x =
              codesOf(xType, c.in, 0.02f, double(seed % 7) / 6, seed, fill);
          float scale =
              0.017f * float(std::ldexp(1.0, xType.bits - yType.bits));
          Codes y = codesOf(yType, c.out, scale, double(seed % 5) / 4);
          std::vector<literal::ResizeAxis> axes;
          for (const kernels::ResizeAxis &axis : plan.axes)
            axes.push_back(
                {axis.in, axis.out, axis.taps, axis.index, axis.weight});
          literal::resize(x, plan.outer, axes, plan.inner, y, tie);
          IntegerResize integers = integerResize(
              plan, xType.dtype, accumulatorBits(xType.dtype, xType.dtype));
          Multiplier m = resizeMultiplier(integers, x.scale, y.scale);
          Tensor xTensor = toTensor(x);
          expectBits(y, [&](Tensor &result) {
            resize(integers, xTensor, x.zero, result, m, outputOf(y, tie));
          });
          ++seed;
        }
}

TEST(Resize, C39_IntegerWeights) {
  for (const ResizeCase &c : resizeCases())
    for (const CodeType &type : codeTypes) {
      kernels::ResizePlan plan = planOf(c);
      IntegerResize integers = integerResize(
          plan, type.dtype, accumulatorBits(type.dtype, type.dtype));
      for (size_t a = 0; a < plan.axes.size(); ++a) {
        const kernels::ResizeAxis &axis = plan.axes[a];
        for (int64_t o = 0; o < axis.out; ++o) {
          auto first = axis.weight.begin() + o * axis.taps;
          std::vector<literal::Wide> expected = literal::resizeWeights(
              {first, first + axis.taps}, integers.fractionBits);
          for (int64_t t = 0; t < axis.taps; ++t)
            ASSERT_EQ(integers.axes[a].weight[o * axis.taps + t],
                      int64_t(expected[t]));
        }
      }
    }
  // Equal weights that do not divide 2^F: the first takes the rest.
  kernels::ResizePlan thirds = planOf(resizeCases()[0]);
  thirds.axes.assign(1, {3, 1, 3, {0, 1, 2}, {1 / 3.f, 1 / 3.f, 1 / 3.f}, {}});
  EXPECT_EQ(
      integerResize(thirds, DType::U8, accumulatorBits(DType::U8, DType::U8))
          .axes[0]
          .weight,
      (std::vector<int32_t>{10922, 10923, 10923}));
}

TEST(Resize, C39_WeightsSumToOneSoConstantsStay) {
  for (const ResizeCase &c : resizeCases())
    for (const CodeType &type : codeTypes) {
      IntegerResize integers = integerResize(
          planOf(c), type.dtype, accumulatorBits(type.dtype, type.dtype));
      for (int64_t code : {0, 1, 77, 127}) {
        Codes x = codesOf(type, c.in, 0.1f, 0.4);
        x.values.assign(size_t(elementCount(c.in)), code);
        Tensor xTensor = toTensor(x), y(type.dtype, c.out);
        resize(integers, xTensor, x.zero, y,
               resizeMultiplier(integers, 0.1f, 0.1f), outputOf(x, Tie::Up));
        for (int64_t got : valuesOf(y))
          ASSERT_EQ(got, code);
      }
    }
}

TEST(Resize, C39_LinearWithinItsBoundOfTheRealWeights) {
  for (const ResizeCase &c : resizeCases()) {
    if (c.mode != kernels::ResizeMode::Linear)
      continue;
    for (const CodeType &type : codeTypes) {
      kernels::ResizePlan plan = planOf(c);
      Codes x = codesOf(type, c.in, 0.02f, 0.5, 3, Fill::Ends);
      Tensor real(DType::F64, c.in), expected(DType::F64, c.out);
      for (int64_t i = 0; i < real.size(); ++i)
        real.data<double>()[i] = valueAt(x, i);
      kernels::resize(plan, real, expected);
      IntegerResize integers = integerResize(
          plan, type.dtype, accumulatorBits(type.dtype, type.dtype));
      Codes y = codesOf(type, c.out, 0.021f, 0.5);
      Tensor xTensor = toTensor(x), result(type.dtype, c.out);
      resize(integers, xTensor, x.zero, result,
             resizeMultiplier(integers, x.scale, y.scale),
             outputOf(y, Tie::Up));
      double error = double(plan.axes.size()) *
                     std::ldexp(0.5, -integers.fractionBits) *
                     double(x.high - x.low) * 0.02 / 0.021;
      for (int64_t i = 0; i < expected.size(); ++i) {
        double steps = expected.data<double>()[i] / double(y.scale);
        ASSERT_LE(std::fabs(double(valuesOf(result)[i] - y.zero) - steps),
                  0.5 + error + 0x1p-8);
      }
    }
  }
}

} // namespace
