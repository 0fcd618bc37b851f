//===- TargetTest.cpp - The numbers that a target decides about -----------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Multipliers of other lengths, accumulators of other widths and tables with
// more or fewer knots, against the literal implementation with the same
// numbers.
//===----------------------------------------------------------------------===//
#include "NpuTestSupport.h"
#include "parallax/Backend/NPU/Kernels/Elementwise.h"
#include "parallax/Backend/NPU/Kernels/Mac.h"
#include "parallax/Backend/NPU/Kernels/Normalize.h"
#include "parallax/Backend/NPU/Kernels/Pool.h"
#include "parallax/Backend/NPU/Kernels/Reduce.h"
#include "parallax/Backend/NPU/Kernels/Resize.h"

using namespace parallax;
using namespace parallax::npu;
using namespace parallax::npu::test;

namespace {

/// What the literal implementation goes by, until the end of a scope.
class MachineScope {
public:
  explicit MachineScope(literal::Machine machine) {
    literal::machine = machine;
  }
  ~MachineScope() { literal::machine = literal::Machine(); }
};

literal::Machine withMultiplierBits(int bits) {
  literal::Machine machine;
  machine.multiplierBits = bits;
  return machine;
}

/// Calls fn(bits, tie, type of the operands, type of the result, seed).
template <typename Fn> void forEachMachine(Fn fn) {
  uint64_t seed = 1;
  for (int bits : {8, 15, 16, 24, 30})
    for (const CodeType &xType : codeTypes)
      for (const CodeType &yType : codeTypes)
        for (Tie tie : ties) {
          // Longer codes of the same range need a factor beyond 2^7.
          if (bits == 8 && yType.bits > xType.bits)
            continue;
          MachineScope scope(withMultiplierBits(bits));
          fn(bits, tie, xType, yType, seed++);
        }
}

TEST(Target, C12_MultipliersOfEveryLength) {
  Random random(1);
  for (int bits = minMultiplierBits; bits <= defaultMultiplierBits; ++bits) {
    MachineScope scope(withMultiplierBits(bits));
    std::vector<double> factors{0, 0x1p-48, 0x1.fffffffffffffp-49, 0.5};
    for (int exponent = -50; exponent < bits - 1; ++exponent) {
      double unit = std::ldexp(1.0, -bits);
      factors.push_back(std::ldexp(1 - 0x1p-53, exponent));
      factors.push_back(std::ldexp(1 - unit / 2, exponent));     // to 2^bits
      factors.push_back(std::ldexp(1 - unit * 3 / 2, exponent)); // a tie
      for (int i = 0; i < 20; ++i)
        factors.push_back(
            std::ldexp(double(random.next() >> 11) * 0x1p-53, exponent));
    }
    for (double factor : factors) {
      literal::Factor expected = literal::mult(factor);
      Multiplier got = multiplierFor(factor, bits);
      ASSERT_EQ(got.mantissa, int64_t(expected.m)) << factor << " " << bits;
      ASSERT_EQ(got.shift, expected.s) << factor << " " << bits;
      ASSERT_TRUE(got == Multiplier() ||
                  (got.mantissa >> (bits - 1) == 1 && got.shift >= 1 &&
                   got.shift <= bits + 47))
          << factor << " " << bits;
      literal::Combination pair = literal::coef({factor, -factor / 3});
      double both[] = {factor, -factor / 3};
      Coefficients found = coefficientsFor(both, bits);
      ASSERT_EQ(found.shift, pair.s);
      for (size_t i = 0; i < 2; ++i)
        ASSERT_EQ(found.values[i], int64_t(pair.k[i]));
    }
    double beyond = std::ldexp(1.0, bits - 1);
    for (double illegal : {beyond, std::nextafter(beyond, 0), -1.0}) {
      EXPECT_THROW(multiplierFor(illegal, bits), Error) << bits;
      EXPECT_THROW(literal::mult(illegal), std::range_error) << bits;
    }
  }
}

TEST(Target, C25_ProductsWithShortMultipliers) {
  CoversCodes covers;
  forEachMachine([](int bits, Tie tie, const CodeType &xType,
                    const CodeType &yType, uint64_t seed) {
    const CodeType &wType = weightTypes[seed % 2];
    Codes x = codesOf(xType, {5, 19}, 0.02f, double(seed % 5) / 4, seed);
    Codes w = weightsOf(wType, {18, 19}, seed + 1);
    std::vector<float> scales;
    for (int i = 0; i < 18; ++i)
      scales.push_back(0.001f * float(1 + i % 7));
    double reach = 0.02 * 0.003 * std::ldexp(1.0, xType.bits + wType.bits - 1);
    Codes y = codesOf(yType, {5, 18}, scaleFor(reach, yType), 0.4);
    literal::fullyConnected(x, w, scales, {}, y, tie);
    Tensor xTensor = toTensor(x), wTensor = toTensor(w);
    MacOutput output{
        outputOf(y, tie), macMultipliers(x.scale, scales, y.scale, bits), {}};
    expectBits(y, [&](Tensor &result) {
      FullyConnected(xType.dtype, x.zero, wTensor, nullptr, yType.dtype, output)
          .run(xTensor, result);
    });
  });
}

TEST(Target, C31_C33_SumsWithShortMultipliers) {
  CoversCodes covers;
  forEachMachine([](int bits, Tie tie, const CodeType &xType,
                    const CodeType &yType, uint64_t seed) {
    Codes a = codesOf(xType, {4, 50}, scaleFor(3, xType), 0.3, seed);
    Codes b = codesOf(xType, {4, 50}, scaleFor(2, xType), 0.7, seed + 1);
    Codes y = codesOf(yType, {4, 50}, scaleFor(2.5, yType), 0.5);
    literal::linear({a, b}, {1, -1}, y, tie);
    Tensor aTensor = toTensor(a), bTensor = toTensor(b);
    float scales[] = {a.scale, b.scale};
    int signs[] = {1, -1};
    Coefficients k = linearCoefficients(scales, signs, y.scale, bits);
    CodesOperand operands[] = {{aTensor, a.zero}, {bTensor, b.zero}};
    expectBits(y, [&](Tensor &result) {
      linear(operands, result, k, outputOf(y, tie));
    });

    Codes z = codesOf(yType, {4, 50}, scaleFor(2.5, yType), 0.5);
    std::vector<float> mean{0.1f, -0.2f, 0.3f, 0}, std{0.5f, 1, 1.5f, 0.7f};
    literal::normalizePixels(a, mean, std, 0, z, tie);
    ChannelAffine channels = normalizeAffine(a.scale, mean, std, z.scale, bits);
    expectBits(z, [&](Tensor &result) {
      affine({aTensor, a.zero}, result, 0, channels, outputOf(z, tie));
    });
  });
}

TEST(Target, C40_C44_C46_PairsWithShortMultipliers) {
  CoversCodes covers;
  forEachMachine([](int bits, Tie tie, const CodeType &xType,
                    const CodeType &yType, uint64_t seed) {
    Codes a = codesOf(xType, {300}, scaleFor(3, xType), 0.3, seed);
    Codes b = codesOf(xType, {300}, scaleFor(2, xType), 0.6, seed + 1);
    Tensor aTensor = toTensor(a), bTensor = toTensor(b);
    CodesOperand left{aTensor, a.zero}, right{bTensor, b.zero};
    auto result = [&](double reach) {
      return codesOf(yType, {300}, scaleFor(reach, yType), 0.5);
    };
    Codes product = result(2);
    literal::mul(a, b, product, tie);
    expectBits(product, [&](Tensor &y) {
      mul(left, right, y,
          productMultiplier(a.scale, b.scale, product.scale, bits),
          outputOf(product, tie));
    });
    Codes rectified = result(2);
    literal::prelu(a, b, rectified, tie);
    expectBits(rectified, [&](Tensor &y) {
      prelu(left, right, y,
            preluMultipliers(a.scale, b.scale, rectified.scale, bits),
            outputOf(rectified, tie));
    });
    // A quotient of long codes by short ones needs a factor that 8 bits lack.
    if (bits > 8) {
      Codes quotient = result(8);
      literal::div(a, b, quotient, tie);
      expectBits(quotient, [&](Tensor &y) {
        div(left, right, y,
            quotientMultiplier(a.scale, b.scale, quotient.scale, bits),
            outputOf(quotient, tie));
      });
    }
    std::vector<int> order = literal::compare(a, b, {300});
    Coefficients k = compareCoefficients(a.scale, b.scale, bits);
    Tensor isLess(DType::Bool, {300});
    compare(CompareKind::Less, left, right, isLess, k);
    for (int64_t i = 0; i < 300; ++i)
      ASSERT_EQ(isLess.data<bool>()[i], order[size_t(i)] < 0);
  });
}

TEST(Target, C36_C37_ReductionsWithShortMultipliers) {
  CoversCodes covers;
  forEachMachine([](int bits, Tie tie, const CodeType &xType,
                    const CodeType &yType, uint64_t seed) {
    Codes x = codesOf(xType, {2, 3, 7, 5}, scaleFor(3, xType),
                      double(seed % 5) / 4, seed);
    Tensor xTensor = toTensor(x);
    Codes pooled = codesOf(yType, {2, 3, 6, 4}, scaleFor(2, yType), 0.5);
    literal::averagePool(x, {{2, 2}, {1, 1}, {1, 1}, {0, 0}, {0, 0}}, pooled,
                         tie);
    kernels::PoolParams pool;
    pool.kernel = {2, 2};
    pool.strides = pool.dilations = {1, 1};
    pool.padsBegin = pool.padsEnd = {0, 0};
    expectBits(pooled, [&](Tensor &y) {
      averagePool(xTensor, x.zero, y, pool,
                  averageMultipliers(x.scale, pooled.scale, 4, bits),
                  outputOf(pooled, tie));
    });
    Codes mean = codesOf(yType, {2, 3, 1, 1}, scaleFor(0.5, yType), 0.5);
    literal::reduce("mean", x, {2, 3}, mean, tie);
    int64_t axes[] = {2, 3};
    expectBits(mean, [&](Tensor &y) {
      reduceSum(SumKind::Mean, xTensor, x.zero, y, axes,
                sumMultiplier(SumKind::Mean, x.scale, mean.scale, 35, bits),
                outputOf(mean, tie));
    });
  });
}

TEST(Target, C64_C66_C75_RowsWithShortMultipliers) {
  CoversCodes covers;
  forEachMachine([](int bits, Tie tie, const CodeType &xType,
                    const CodeType &yType, uint64_t seed) {
    // 1 / s_y must be below 2^(bits-1).
    if (bits < yType.bits + 6)
      return;
    Codes x = codesOf(xType, {3, 40}, scaleFor(8, xType), 0.5, seed);
    Tensor xTensor = toTensor(x);
    Codes soft = codesOf(yType, {3, 40}, scaleFor(0.3, yType), 0);
    literal::softmax(x, 1, soft, tie);
    expectBits(soft, [&](Tensor &y) {
      softmax(xTensor, y, 1,
              softmaxTables(dtypeOf(x), x.scale, soft.scale, bits),
              outputOf(soft, tie));
    });
    Codes logs = codesOf(yType, {3, 40}, scaleFor(9, yType), 1);
    literal::logSoftmax(x, 1, logs, tie);
    expectBits(logs, [&](Tensor &y) {
      logSoftmax(xTensor, y, 1,
                 logSoftmaxTables(dtypeOf(x), x.scale, logs.scale, bits),
                 outputOf(logs, tie));
    });
    Codes normal = codesOf(yType, {3, 40}, scaleFor(3, yType), 0.5);
    std::vector<float> gamma, beta;
    for (int i = 0; i < 40; ++i) {
      gamma.push_back(0.5f + 0.02f * float(i));
      beta.push_back(0.1f * float(i % 5) - 0.2f);
    }
    literal::normalize(
        "layer", x, 40, 1e-5f, gamma, beta,
        [](int64_t, int64_t i) { return i; }, normal, tie);
    NormCoefficients k =
        normCoefficients(NormKind::Centered, x.scale, 40, 1e-5f, gamma, beta,
                         normal.scale, bits);
    expectBits(normal, [&](Tensor &y) {
      normalizeRows(NormKind::Centered, xTensor, x.zero, y, {40, 1, 1}, k,
                    outputOf(normal, tie));
    });
  });
}

kernels::ResizePlan resizePlan(const Shape &in, const Shape &out) {
  kernels::ResizeParams params;
  params.mode = kernels::ResizeMode::Linear;
  std::vector<float> scales;
  for (size_t i = 0; i < in.size(); ++i)
    scales.push_back(float(double(out[i]) / double(in[i])));
  return kernels::ResizePlan(in, out, scales, {}, params);
}

TEST(Target, C39_ResizeWithNarrowAccumulators) {
  for (int narrow : {16, 24, 32})
    for (int wide : {24, 40, 48})
      for (const CodeType &type : codeTypes)
        for (Tie tie : ties) {
          literal::Machine machine;
          machine.accumulator8 = narrow;
          machine.accumulator16 = wide;
          MachineScope scope(machine);
          Shape in{1, 2, 5, 6}, out{1, 2, 9, 11};
          kernels::ResizePlan plan = resizePlan(in, out);
          Codes x = codesOf(type, in, 0.02f, 0.4, 3);
          Codes y = codesOf(type, out, 0.019f, 0.5);
          std::vector<literal::ResizeAxis> axes;
          for (const kernels::ResizeAxis &axis : plan.axes)
            axes.push_back(
                {axis.in, axis.out, axis.taps, axis.index, axis.weight});
          literal::resize(x, plan.outer, axes, plan.inner, y, tie);
          int bits = accumulatorBits(type.dtype, type.dtype, narrow, wide);
          IntegerResize integers = integerResize(plan, type.dtype, bits);
          EXPECT_EQ(integers.fractionBits,
                    std::min(15, (bits - type.bits - 2) / 2));
          Tensor xTensor = toTensor(x);
          expectBits(y, [&](Tensor &result) {
            resize(integers, xTensor, x.zero, result,
                   resizeMultiplier(integers, x.scale, y.scale),
                   outputOf(y, tie));
          });
        }
  EXPECT_THROW(
      integerResize(resizePlan({1, 1, 5, 6}, {1, 1, 9, 11}), DType::U16, 19),
      Error);
}

TEST(Target, C52_C53_TablesWithOtherKnots) {
  CoversCodes covers;
  auto fn = [](double x) { return x / (1 + std::exp(-x)); };
  for (int64_t knots : {5, 17, 257, 1025, 8193, 65537})
    for (const CodeType &xType : {codeTypes[2], codeTypes[3]})
      for (const CodeType &yType : codeTypes) {
        literal::Machine machine;
        machine.knots = knots;
        MachineScope scope(machine);
        Codes x = codesOf(xType, {65536}, scaleFor(16, xType), 0.5);
        for (int64_t code = x.low; code <= x.high; ++code)
          x.values.push_back(code);
        Codes y = codesOf(yType, {65536}, scaleFor(7, yType), 0.02);
        Tie tie = ties[size_t(knots + yType.bits) % 3];
        literal::table(fn, x, y, tie);
        std::vector<int32_t> entries =
            knotTable(fn, paramsOf(x), paramsOf(y), knots);
        ASSERT_EQ(int64_t(entries.size()), knots);
        Tensor xTensor = toTensor(x);
        expectBits(y, [&](Tensor &result) {
          table(xTensor, result, entries, outputOf(y, tie));
        });
      }
}

TEST(Target, C53_EntriesThatAreNoTable) {
  Tensor x(DType::U16, {4}), y(DType::U8, {4});
  for (size_t count : {0, 1, 256, 512, 131073})
    EXPECT_THROW(table(x, y, std::vector<int32_t>(count), {0, 0, 255}), Error)
        << count;
}

} // namespace
