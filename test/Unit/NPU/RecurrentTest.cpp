//===- RecurrentTest.cpp - C100 to C108 -----------------------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Recurrent layers with all options, bit for bit; and against the float kernel
// within the bounds that the page states for steps.
//===----------------------------------------------------------------------===//
#include "parallax/Backend/NPU/Kernels/Recurrent.h"
#include "LiteralRecurrent.h"
#include "NpuTestSupport.h"
#include "parallax/Backend/Reference/Kernels/Recurrent.h"

using namespace parallax;
using namespace parallax::npu;
using namespace parallax::npu::test;
using kernels::Activation;
using kernels::RecurrentDirection;
using kernels::RecurrentKind;

namespace {

double sigmoid(double x) { return 1 / (1 + std::exp(-x)); }

int64_t gatesOf(RecurrentKind kind) {
  return kind == RecurrentKind::LSTM ? 4 : kind == RecurrentKind::GRU ? 3 : 1;
}

/// A layer with codes, and the same in real numbers.
struct Layer {
  kernels::RecurrentParams params;
  literal::Recurrent literal;
  Codes x, w, r, h0, c0;
  std::vector<int64_t> lengths;
  Tensor b, p;
  bool hasPeepholes = false;

  int64_t times, batches, hidden;
  int64_t directions() const { return literal.directions; }

  Layer(RecurrentKind kind, RecurrentDirection direction, int64_t layout,
        const CodeType &xType, const CodeType &wType, int64_t times,
        uint64_t seed, double weight = 0.5)
      : times(times), batches(3), hidden(5) {
    params.kind = kind;
    params.direction = direction;
    params.hiddenSize = hidden;
    params.layout = layout;
    params.activations =
        kernels::recurrentActivations(kind, direction, {}, {}, {});
    literal.kind = kind == RecurrentKind::LSTM  ? "lstm"
                   : kind == RecurrentKind::GRU ? "gru"
                                                : "rnn";
    literal.directions = direction == RecurrentDirection::Bidirectional ? 2 : 1;
    literal.reverse = direction == RecurrentDirection::Reverse;
    literal.batchFirst = layout == 1;
    literal.hidden = hidden;
    for (int d = 0; d < directions(); ++d) {
      if (kind != RecurrentKind::RNN)
        literal.functions.push_back(sigmoid);
      for (int i = 0; i < (kind == RecurrentKind::LSTM ? 2 : 1); ++i)
        literal.functions.push_back([](double v) { return std::tanh(v); });
    }
    int64_t depth = 4, rows = gatesOf(kind) * hidden;
    x = codesOf(xType,
                layout ? Shape{batches, times, depth}
                       : Shape{times, batches, depth},
                float(4 / std::ldexp(1.0, xType.bits)), 0.4, seed);
    w = weightsOf(wType, {directions(), rows, depth}, seed + 1);
    r = weightsOf(wType, {directions(), rows, hidden}, seed + 2);
    Random random(seed + 3);
    auto uniform = [&](double low, double high) {
      return float(low + (high - low) * double(random.next() >> 11) * 0x1p-53);
    };
    double unit = weight / std::ldexp(1.0, wType.bits - 1);
    for (int64_t o = 0; o < rows; ++o) {
      literal.wScales.push_back(float(unit) * uniform(0.5, 1));
      literal.rScales.push_back(float(unit) * uniform(0.5, 1));
    }
    b = Tensor(DType::F32, {directions(), 2 * rows});
    std::generate_n(b.data<float>(), b.size(),
                    [&] { return uniform(-0.5, 0.5); });
    p = Tensor(DType::F32, {directions(), 3 * hidden});
    std::generate_n(p.data<float>(), p.size(),
                    [&] { return uniform(-0.5, 0.5); });
    Shape state = stateShape();
    h0 = codesOf(codeTypes[seed % 4], state, 1, 0.5, seed + 4);
    h0.scale = float(0.9 * 2 / std::ldexp(1.0, h0.bits));
    c0 = codesOf(codeTypes[(seed + 1) % 4], state, 1, 0.5, seed + 5);
    c0.scale = float(1.5 * 2 / std::ldexp(1.0, c0.bits));
    for (int64_t i = 0; i < batches; ++i)
      lengths.push_back(seed % 2 ? times : (times + i) % (times + 1));
  }

  Shape yShape() const {
    return params.layout ? Shape{batches, times, directions(), hidden}
                         : Shape{times, directions(), batches, hidden};
  }
  Shape stateShape() const {
    return params.layout ? Shape{batches, directions(), hidden}
                         : Shape{directions(), batches, hidden};
  }

  Tensor lengthTensor() const {
    Tensor tensor(DType::I32, {batches});
    std::copy(lengths.begin(), lengths.end(), tensor.data<int32_t>());
    return tensor;
  }

  RecurrentIntegers integers(std::array<float, 3> scales) const {
    RecurrentReals reals{.params = params,
                         .xScale = x.scale,
                         .wScales = literal.wScales,
                         .rScales = literal.rScales,
                         .b = b,
                         .p = hasPeepholes ? &p : nullptr};
    reals.initialHScale = h0.scale;
    reals.initialCScale = c0.scale;
    reals.initialReach =
        std::max(double(h0.high - h0.zero), double(h0.zero - h0.low)) *
        double(h0.scale);
    reals.resultScales = scales;
    RecurrentIntegers result = recurrentIntegers(reals);
    result.xZero = x.zero;
    result.initialH.zeroPoint = h0.zero;
    result.initialC.zeroPoint = c0.zero;
    return result;
  }

  void run(const RecurrentIntegers &layer, Tensor &y, Tensor &yH,
           Tensor &yC) const {
    Tensor xs = toTensor(x), ws = toTensor(w), rs = toTensor(r),
           h = toTensor(h0), c = toTensor(c0), lens = lengthTensor();
    bool isLstm = params.kind == RecurrentKind::LSTM;
    recurrent(layer, {xs, ws, rs, lens, h, isLstm ? &c : nullptr}, y, yH,
              isLstm ? &yC : nullptr);
  }
};

Codes resultCodes(const CodeType &type, Shape dims, double reach,
                  double zeroPart) {
  return codesOf(type, std::move(dims),
                 float(2 * reach / std::ldexp(1.0, type.bits)), zeroPart);
}

constexpr std::array kinds{RecurrentKind::RNN, RecurrentKind::GRU,
                           RecurrentKind::LSTM};
constexpr std::array allDirections{RecurrentDirection::Forward,
                                   RecurrentDirection::Reverse,
                                   RecurrentDirection::Bidirectional};

void expectLiteral(Layer &layer, const CodeType &yType, Tie tie,
                   uint64_t seed) {
  layer.literal.b.assign(layer.b.values<float>().begin(),
                         layer.b.values<float>().end());
  if (layer.hasPeepholes)
    layer.literal.p.assign(layer.p.values<float>().begin(),
                           layer.p.values<float>().end());
  double zero = double(seed % 5) / 4;
  Codes y = resultCodes(yType, layer.yShape(), 0.4, zero);
  Codes yH = resultCodes(codeTypes[seed % 4], layer.stateShape(), 0.5, 0.5);
  Codes yC = resultCodes(codeTypes[(seed + 2) % 4], layer.stateShape(), 1, 0.4);
  literal::recurrent(layer.literal, layer.x, layer.w, layer.r, layer.lengths,
                     layer.h0, layer.c0, y, yH, yC, tie);
  RecurrentIntegers integers = layer.integers({y.scale, yH.scale, yC.scale});
  integers.results[0].codes = outputOf(y, tie);
  integers.results[1].codes = outputOf(yH, tie);
  integers.results[2].codes = outputOf(yC, tie);
  Tensor stateH(dtypeOf(yH), yH.dims), stateC(dtypeOf(yC), yC.dims);
  expectBits(y, [&](Tensor &to) { layer.run(integers, to, stateH, stateC); });
  EXPECT_EQ(valuesOf(stateH), yH.values);
  if (layer.params.kind == RecurrentKind::LSTM)
    EXPECT_EQ(valuesOf(stateC), yC.values);
}

TEST(Recurrent, C104_C108_EveryKindDirectionAndType) {
  CoversCodes covers;
  uint64_t seed = 1;
  for (RecurrentKind kind : kinds)
    for (RecurrentDirection direction : allDirections)
      for (const CodeType &xType : codeTypes)
        for (const CodeType &wType : weightTypes)
          for (const CodeType &yType : codeTypes) {
            Layer layer(kind, direction, int64_t(seed % 2), xType, wType, 6,
                        seed);
            SCOPED_TRACE(seed);
            expectLiteral(layer, yType, ties[seed % 3], seed);
            ++seed;
          }
}

TEST(Recurrent, C101_C105_C106_Options) {
  CoversCodes covers;
  uint64_t seed = 1;
  for (RecurrentKind kind : kinds)
    for (int options = 0; options < 8; ++options)
      for (RecurrentDirection direction : allDirections) {
        Layer layer(kind, direction, int64_t(seed % 2), codeTypes[seed % 4],
                    weightTypes[seed % 2], 7, seed, 2.0);
        SCOPED_TRACE(seed);
        layer.hasPeepholes = options & 1 && kind == RecurrentKind::LSTM;
        bool changed = options & 2;
        layer.params.inputForget = layer.literal.inputForget =
            changed && kind == RecurrentKind::LSTM;
        layer.params.linearBeforeReset = layer.literal.linearBeforeReset =
            changed && kind == RecurrentKind::GRU;
        if (options & 4) {
          layer.params.clip = 0.75f;
          layer.literal.clip = 0.75;
        }
        expectLiteral(layer, codeTypes[2], ties[seed % 3], seed);
        ++seed;
      }
}

/// Functions whose values need bits before the point, and initial states that
/// do.
TEST(Recurrent, C100_C102_OtherFunctionsAndWideStates) {
  CoversCodes covers;
  uint64_t seed = 1;
  for (RecurrentKind kind : kinds)
    for (int wide = 0; wide < 2; ++wide) {
      Layer layer(kind, RecurrentDirection::Forward, 0, codeTypes[0],
                  weightTypes[0], 6, seed, 2.0);
      layer.params.clip = 3.0f;
      layer.literal.clip = 3.0;
      for (size_t i = 0; i < layer.params.activations.size(); ++i) {
        if (layer.params.activations[i].kind != Activation::Tanh)
          continue;
        layer.params.activations[i] = {Activation::LeakyRelu, 0.25f, 0};
        layer.literal.functions[i] = [](double v) {
          return v < 0 ? 0.25 * v : v;
        };
      }
      if (wide)
        layer.h0.scale *= 7;
      expectLiteral(layer, codeTypes[3], ties[seed % 3], seed);
      ++seed;
    }
}

TEST(Recurrent, C100_C101_RefusesFunctionsThatNoTableHolds) {
  Layer layer(RecurrentKind::RNN, RecurrentDirection::Forward, 0, codeTypes[0],
              weightTypes[0], 2, 1);
  layer.params.activations = {{Activation::Relu, 0, 0}};
  EXPECT_THROW(layer.integers({1, 1, 1}), Error);
  layer.params.clip = 4;
  EXPECT_NO_THROW(layer.integers({1, 1, 1}));
  layer.params.activations = {{Activation::Affine, 100, 0}};
  EXPECT_THROW(layer.integers({1, 1, 1}), Error);
  layer.params.clip = std::numeric_limits<float>::infinity();
  layer.params.activations = {{Activation::HardSigmoid, 0.2f, 0.5f}};
  EXPECT_NO_THROW(layer.integers({1, 1, 1}));
}

TEST(Recurrent, C108_RefusesLengthsBeyondTheInput) {
  Layer layer(RecurrentKind::GRU, RecurrentDirection::Forward, 0, codeTypes[0],
              weightTypes[0], 4, 1);
  RecurrentIntegers integers = layer.integers({1, 1, 1});
  Tensor y(DType::F32, layer.yShape()), yH(DType::F32, layer.stateShape()), yC;
  layer.lengths[1] = 5;
  EXPECT_THROW(layer.run(integers, y, yH, yC), Error);
}

TEST(Recurrent, C103_ConstantStatesHave16Bits) {
  float values[] = {0.5f, -2.0f, 0.0f, 1e-9f};
  StateCodes state =
      initialStateCodes(Tensor::fromValues<float>({4}, std::span(values)));
  EXPECT_EQ(state.scale, float(2.0 / 32767));
  EXPECT_EQ(valuesOf(state.codes), (std::vector<int64_t>{8192, -32767, 0, 0}));
  float zeros[] = {0, 0};
  state = initialStateCodes(Tensor::fromValues<float>({2}, std::span(zeros)));
  EXPECT_EQ(state.scale, 0x1p-15f);
}

//===----------------------------------------------------------------------===//
// Against real numbers
//===----------------------------------------------------------------------===//

Tensor realOf(const Codes &codes, const std::vector<float> &rowScales = {}) {
  Tensor tensor(DType::F32, codes.dims);
  int64_t depth = codes.dims.back();
  for (int64_t i = 0; i < tensor.size(); ++i) {
    double scale =
        rowScales.empty()
            ? double(codes.scale)
            : double(rowScales[size_t(i / depth) % rowScales.size()]);
    tensor.data<float>()[i] =
        float(double(codes.values[size_t(i)] - codes.zero) * scale);
  }
  return tensor;
}

/// Y of the float kernel.
Tensor floatResult(const Layer &layer) {
  Tensor x = realOf(layer.x), w = realOf(layer.w, layer.literal.wScales),
         r = realOf(layer.r, layer.literal.rScales), h = realOf(layer.h0),
         c = realOf(layer.c0), lens = layer.lengthTensor();
  Tensor y(DType::F32, layer.yShape()), yH(DType::F32, layer.stateShape()),
      yC(DType::F32, layer.stateShape());
  std::vector<char> scratch(
      kernels::recurrentScratchBytes(layer.params, x.shape()));
  bool isLstm = layer.params.kind == RecurrentKind::LSTM;
  kernels::recurrent(layer.params,
                     {x, w, &layer.b, &lens, &h, isLstm ? &c : nullptr},
                     kernels::prepareRecurrent(layer.params, r),
                     {&y, &yH, isLstm ? &yC : nullptr}, scratch.data());
  return y;
}

/// Y of the integer kernel as floats.
Tensor integerResult(const Layer &layer) {
  Tensor y(DType::F32, layer.yShape()), yH(DType::F32, layer.stateShape()),
      yC(DType::F32, layer.stateShape());
  layer.run(layer.integers({}), y, yH, yC);
  return y;
}

/// Every step of Y is as close to the float kernel as C108 says.
void expectWithinBound(RecurrentKind kind, int64_t times, bool before,
                       uint64_t seed) {
  Layer layer(kind, RecurrentDirection::Forward, 0, codeTypes[seed % 4],
              weightTypes[seed % 2], times, seed, 1.0);
  layer.params.linearBeforeReset = before;
  std::fill(layer.lengths.begin(), layer.lengths.end(), times);
  Tensor y = integerResult(layer), expected = floatResult(layer);
  Tensor r = realOf(layer.r, layer.literal.rScales);
  double rho = 0, cell = 1.5 + double(times);
  for (int64_t row = 0; row < r.dim(1); ++row) {
    double sum = std::abs(double(layer.b.data<float>()[r.dim(1) + row]));
    for (int64_t j = 0; j < layer.hidden; ++j)
      sum += std::abs(double(r.data<float>()[row * layer.hidden + j]));
    rho = std::max(rho, sum);
  }
  double step = kind == RecurrentKind::RNN   ? 1.3 * 0x1p-15
                : kind == RecurrentKind::GRU ? 0x1p-14 * (1.5 + rho)
                                             : 0x1p-13 * (1 + cell);
  double bound = 0;
  for (int64_t t = 0; t < times; ++t) {
    bound = bound * (1 + rho) + (t > 0 ? 0x1p-16 * (1 + rho) : 0) + step;
    // The first step reads a state that was rounded as well.
    if (t == 0)
      bound += 0x1p-16 * rho;
    for (int64_t i = t * 15; i < (t + 1) * 15; ++i)
      ASSERT_NEAR(y.data<float>()[i], expected.data<float>()[i], bound + 1e-6)
          << "step " << t << " seed " << seed;
  }
}

TEST(Recurrent, C108_StepsAreWithinTheBound) {
  for (uint64_t seed = 1; seed <= 40; ++seed)
    for (RecurrentKind kind : kinds)
      for (int64_t times : {1, 3})
        for (bool before : {false, true})
          expectWithinBound(kind, times, before && kind == RecurrentKind::GRU,
                            seed);
}

/// What the bounds of steps don't tell: errors don't pile up.
TEST(Recurrent, C108_LongSequencesStayClose) {
  for (RecurrentKind kind : kinds) {
    Layer layer(kind, RecurrentDirection::Forward, 0, codeTypes[2],
                weightTypes[1], 200, 1, 0.6);
    std::fill(layer.lengths.begin(), layer.lengths.end(), 200);
    Tensor y = integerResult(layer), expected = floatResult(layer);
    for (int64_t i = 0; i < y.size(); ++i)
      ASSERT_NEAR(y.data<float>()[i], expected.data<float>()[i], 0x1p-12);
  }
}

} // namespace
