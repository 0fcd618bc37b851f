//===- InnermostTest.cpp - Kernels with the channels innermost ------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// What convolutions leave with their channels innermost goes through vectors of
// channels. Every number of channels, with and without the instructions of this
// processor, gives the codes of the literal implementation.
//===----------------------------------------------------------------------===//
#include "ChannelOrder.h"
#include "NpuTestSupport.h"
#include "parallax/Backend/NPU/Kernels/ChannelPool.h"
#include "parallax/Backend/NPU/Kernels/CodeMap.h"
#include "parallax/Backend/NPU/Kernels/Elementwise.h"
#include "parallax/Backend/NPU/Kernels/InstructionSet.h"
#include "parallax/Backend/NPU/Kernels/Mac.h"
#include "parallax/Backend/NPU/Kernels/Reduce.h"
#include "parallax/Backend/Reference/Kernels/Pool.h"

using namespace parallax;
using namespace parallax::npu;
using namespace parallax::npu::test;

namespace {

/// Runs `fn` with every instruction set of this processor.
template <typename Fn> void withEverySet(Fn fn) {
  InstructionSet before = instructionSet();
  for (InstructionSet set : instructionSets) {
    setInstructionSet(set);
    fn();
  }
  setInstructionSet(before);
}

/// Compares a kernel that writes [N, spatial..., C].
template <typename Kernel>
void expectInnermost(const Codes &expected, Kernel kernel) {
  withEverySet([&] {
    expectBits(expected, [&](Tensor &result) {
      Tensor codes(result.dtype(), result.shape());
      kernel(codes);
      result = channelsFirst(codes);
    });
  });
}

TEST(Innermost, C21_ConvolutionsOfEveryNumberOfChannels) {
  CoversCodes covers;
  uint64_t seed = 1;
  for (int64_t channels = 1; channels <= 70; ++channels)
    for (bool isDepthwise : {false, true})
      for (const CodeType &xType : codeTypes) {
        const CodeType &wType = weightTypes[seed % 2];
        const CodeType &yType = codeTypes[seed / 2 % 4];
        Tie tie = ties[seed % 3];
        int64_t outputs = isDepthwise ? channels : 71 - channels;
        Codes x = codesOf(xType, {1, channels, 3, 4}, 0.02f,
                          double(seed % 5) / 4, seed, fills[seed % 4]);
        Codes w = weightsOf(wType, {outputs, isDepthwise ? 1 : channels, 2, 2},
                            seed + 1);
        std::vector<float> scales(size_t(outputs), 0.004f);
        int64_t depth = 4 * (isDepthwise ? 1 : channels);
        double sum = std::ldexp(std::sqrt(double(depth)), x.bits + w.bits - 4);
        auto yScale =
            float(0.02 * 0.004 * sum * 4 / std::ldexp(1.0, yType.bits));
        // A dead channel has the factor 0, or one that leaves nothing.
        scales[0] = seed % 3 == 0   ? 0x1p-100f
                    : seed % 3 == 1 ? 0x1p-40f
                                    : scales[0];
        Codes y = codesOf(yType, {1, outputs, 2, 2}, yScale, 0.4);
        ConvParams params{{1, 2}, {1, 1}, {0, 0}, isDepthwise ? channels : 1};
        literal::convolution(x, w, scales, {},
                             {params.strides, params.dilations,
                              params.padsBegin, params.groups, false},
                             y, tie);
        Tensor xTensor = channelsLast(toTensor(x)), wTensor = toTensor(w);
        Convolution layer(
            {xType.dtype,
             yType.dtype,
             x.dims,
             y.dims,
             x.zero,
             wTensor,
             nullptr,
             params,
             {outputOf(y, tie), macMultipliers(x.scale, scales, y.scale), {}}});
        expectInnermost(y, [&](Tensor &to) { layer.run(xTensor, to); });
        ++seed;
      }
}

/// Windows with dilation, uneven pads, and some that see nothing.
struct SpatialPool {
  Shape in, out;
  kernels::PoolParams params;
};
std::vector<SpatialPool> spatialPools() {
  return {{{7}, {5}, {{3}, {2}, {1}, {2}, {1}}},
          {{5, 4}, {3, 2}, {{3, 2}, {2, 2}, {1, 1}, {1, 0}, {1, 0}}},
          {{5, 5}, {9, 9}, {{2, 2}, {1, 1}, {1, 1}, {3, 3}, {2, 2}}},
          {{6, 6}, {2, 2}, {{3, 3}, {1, 1}, {2, 2}, {0, 0}, {0, 0}}}};
}

TEST(Innermost, C36_C48_PoolingOfEveryNumberOfChannels) {
  CoversCodes covers;
  uint64_t seed = 1;
  for (SpatialPool c : spatialPools())
    for (int64_t channels : {1, 2, 7, 15, 16, 17, 31, 32, 33, 48, 65, 70})
      for (const CodeType &xType : codeTypes) {
        Tie tie = ties[seed % 3];
        c.params.countIncludePad = seed % 2;
        Shape in{2, channels}, out{2, channels};
        in.insert(in.end(), c.in.begin(), c.in.end());
        out.insert(out.end(), c.out.begin(), c.out.end());
        Codes x = codesOf(xType, in, 0.02f, double(seed % 7) / 6, seed,
                          fills[seed % 5]);
        const CodeType &yType = codeTypes[seed % 4];
        float scale = 0.015f * float(std::ldexp(1.0, xType.bits - yType.bits));
        Codes y = codesOf(yType, out, scale, double(seed % 5) / 4);
        literal::averagePool(x,
                             {c.params.kernel, c.params.strides,
                              c.params.dilations, c.params.padsBegin,
                              c.params.padsEnd, c.params.countIncludePad},
                             y, tie);
        Tensor plain = toTensor(x), xTensor = channelsLast(plain);
        std::vector<Multiplier> m =
            averageMultipliers(x.scale, y.scale, elementCount(c.params.kernel));
        ChannelPool pool(in, out, c.params);
        expectInnermost(y, [&](Tensor &to) {
          pool.average(xTensor, x.zero, to, m, outputOf(y, tie));
        });
        Tensor greatest(xType.dtype, out);
        kernels::maxPool(plain, greatest, nullptr, c.params);
        withEverySet([&] {
          Tensor codes(xType.dtype, out);
          pool.max(xTensor, codes);
          ASSERT_EQ(valuesOf(channelsFirst(codes)), valuesOf(greatest));
        });
        ++seed;
      }
}

TEST(Innermost, C33_AffineChannelsInEitherPlace) {
  Random random(5);
  uint64_t seed = 1;
  for (int64_t channels : {1, 3, 16, 37, 70})
    for (const CodeType &xType : codeTypes)
      for (const CodeType &yType : codeTypes) {
        std::vector<double> factors, offsets;
        for (int64_t c = 0; c < channels; ++c) {
          factors.push_back((random.real() - 0.5) *
                            std::ldexp(2.0, yType.bits - xType.bits));
          offsets.push_back((random.real() - 0.5) *
                            std::ldexp(1.0, yType.bits));
        }
        ChannelAffine integers = channelAffine(factors, offsets);
        Codes x = codesOf(xType, {2, channels, 3, 3}, 1, 0.3, seed);
        Codes y = codesOf(yType, x.dims, 1, 0.5);
        OutputCodes output = outputOf(y, ties[seed % 3]);
        for (int64_t i = 0; i < int64_t(x.values.size()); ++i) {
          auto c = size_t(i / 9 % channels);
          y.values.push_back(output.code(
              roundShift((x.values[size_t(i)] - x.zero) * integers.factors[c] +
                             integers.offsets[c],
                         integers.shifts[c], output.rounding)));
        }
        Tensor plain = toTensor(x), xTensor = channelsLast(plain);
        withEverySet([&] {
          expectBits(y, [&](Tensor &to) {
            affine({plain, x.zero}, to, 1, integers, output);
          });
        });
        expectInnermost(y, [&](Tensor &to) {
          Tensor from = xTensor.reshaped({18, channels});
          Tensor rows = to.reshaped({18, channels});
          affine({from, x.zero}, rows, 1, integers, output);
        });
        ++seed;
      }
}

TEST(Innermost, C51_C53_LookUpsAreTheTable) {
  uint64_t seed = 1;
  for (const CodeType &xType : codeTypes)
    for (const CodeType &yType : codeTypes) {
      Codes x = codesOf(xType, {70000}, 0.001f, 0.4, seed++);
      Codes y = codesOf(yType, x.dims, 0.01f, 0.3);
      auto fn = [](double value) { return std::sin(value); };
      std::vector<int32_t> entries =
          xType.bits == 8 ? directTable(fn, paramsOf(x), paramsOf(y))
                          : knotTable(fn, paramsOf(x), paramsOf(y));
      Tensor from = toTensor(x), expected(yType.dtype, x.dims);
      OutputCodes output = outputOf(y, Tie::Up);
      table(from, expected, entries, output);
      CodeMap map(xType.dtype, yType.dtype, [&](const Tensor &x, Tensor &y) {
        table(x, y, entries, output);
      });
      Tensor got(yType.dtype, x.dims);
      map.run(from, got);
      ASSERT_EQ(valuesOf(got), valuesOf(expected));
    }
}

} // namespace
