//===- RecurrentTest.cpp - RNN, GRU and LSTM kernels ----------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Compared with the ONNX equations for one cell, in double precision and
// element by element, in a loop over directions, batch and time.
//===----------------------------------------------------------------------===//
#include "parallax/Backend/Reference/Kernels/Recurrent.h"
#include "KernelTestSupport.h"
#include "parallax/Support/Error.h"
#include "parallax/Support/Parallel.h"

#include <optional>

using namespace parallax;
using namespace parallax::kernels;
using namespace parallax::test;

namespace {

double activate(const Activation &f, double clip, double v) {
  v = std::min(std::max(v, -clip), clip);
  double a = f.alpha, b = f.beta;
  switch (f.kind) {
  case Activation::Affine:
    return a * v + b;
  case Activation::Elu:
    return v >= 0 ? v : a * std::expm1(v);
  case Activation::HardSigmoid:
    return std::max(0.0, std::min(1.0, a * v + b));
  case Activation::LeakyRelu:
    return v >= 0 ? v : a * v;
  case Activation::Relu:
    return std::max(0.0, v);
  case Activation::ScaledTanh:
    return a * std::tanh(b * v);
  case Activation::Sigmoid:
    return 1 / (1 + std::exp(-v));
  case Activation::Softplus:
    return std::log1p(std::exp(v));
  case Activation::Softsign:
    return v / (1 + std::abs(v));
  case Activation::Tanh:
    return std::tanh(v);
  case Activation::ThresholdedRelu:
    return v > a ? v : 0;
  }
  return 0;
}

struct Problem {
  RecurrentParams params;
  Tensor x, w, r;
  std::optional<Tensor> b, lens, h0, c0, p;
  int64_t times, batches, depth, directions, gates;

  Problem(RecurrentKind kind, RecurrentDirection direction, int64_t layout,
          int64_t times, int64_t batches, int64_t depth, int64_t hidden,
          bool optional)
      : times(times), batches(batches), depth(depth) {
    params.kind = kind;
    params.direction = direction;
    params.hiddenSize = hidden;
    params.layout = layout;
    params.activations = recurrentActivations(kind, direction, {}, {}, {});
    directions = direction == RecurrentDirection::Bidirectional ? 2 : 1;
    gates = kind == RecurrentKind::LSTM  ? 4
            : kind == RecurrentKind::GRU ? 3
                                         : 1;
    x = randomFloats(layout ? Shape{batches, times, depth}
                            : Shape{times, batches, depth},
                     1);
    w = randomFloats({directions, gates * hidden, depth}, 2, -0.4f, 0.4f);
    r = randomFloats({directions, gates * hidden, hidden}, 3, -0.2f, 0.2f);
    if (!optional)
      return;
    b = randomFloats({directions, 2 * gates * hidden}, 4, -1, 1);
    Shape state = layout ? Shape{batches, directions, hidden}
                         : Shape{directions, batches, hidden};
    h0 = randomFloats(state, 5, -1, 1);
    lens = Tensor(DType::I32, {batches});
    for (int64_t i = 0; i < batches; ++i)
      lens->data<int32_t>()[i] = int32_t((times + i) % (times + 1));
    if (kind != RecurrentKind::LSTM)
      return;
    c0 = randomFloats(state, 6, -1, 1);
    p = randomFloats({directions, 3 * hidden}, 7, -1, 1);
  }

  Shape yShape() const {
    int64_t h = params.hiddenSize;
    return params.layout ? Shape{batches, times, directions, h}
                         : Shape{times, directions, batches, h};
  }
  Shape stateShape() const {
    int64_t h = params.hiddenSize;
    return params.layout ? Shape{batches, directions, h}
                         : Shape{directions, batches, h};
  }

  struct Result {
    Tensor y, yH, yC;
  };
  Result run() const {
    auto pointer = [](const std::optional<Tensor> &t) {
      return t ? &*t : nullptr;
    };
    Result result{Tensor(DType::F32, yShape()),
                  Tensor(DType::F32, stateShape()),
                  Tensor(DType::F32, stateShape())};
    std::fill_n(result.y.data<float>(), result.y.size(), 99.0f);
    std::vector<char> scratch(recurrentScratchBytes(params, x.shape()));
    recurrent(
        params,
        {x, w, pointer(b), pointer(lens), pointer(h0), pointer(c0), pointer(p)},
        prepareRecurrent(params, r),
        {&result.y, &result.yH,
         params.kind == RecurrentKind::LSTM ? &result.yC : nullptr},
        scratch.data());
    return result;
  }

  struct Expected {
    std::vector<double> y, yH, yC;
  };
  Expected expected() const {
    Expected e;
    e.y.assign(elementCount(yShape()), 0);
    e.yH.assign(elementCount(stateShape()), 0);
    e.yC = e.yH;
    for (int64_t d = 0; d < directions; ++d)
      for (int64_t n = 0; n < batches; ++n)
        sequence(d, n, e);
    return e;
  }

private:
  void sequence(int64_t d, int64_t n, Expected &e) const {
    int64_t size = params.hiddenSize;
    int64_t state =
        (params.layout ? n * directions + d : d * batches + n) * size;
    std::vector<double> h(size), c(size);
    for (int64_t i = 0; i < size; ++i) {
      h[i] = h0 ? h0->data<float>()[state + i] : 0;
      c[i] = c0 ? c0->data<float>()[state + i] : 0;
    }
    int64_t length = lens ? lens->data<int32_t>()[n] : times;
    bool reverse = params.direction == RecurrentDirection::Reverse || d == 1;
    for (int64_t step = 0; step < length; ++step) {
      int64_t t = reverse ? length - 1 - step : step;
      cell(d,
           x.data<float>() +
               (params.layout ? n * times + t : t * batches + n) * depth,
           h, c);
      int64_t row = params.layout ? (n * times + t) * directions + d
                                  : (t * directions + d) * batches + n;
      std::copy(h.begin(), h.end(), e.y.begin() + row * size);
    }
    std::copy(h.begin(), h.end(), e.yH.begin() + state);
    std::copy(c.begin(), c.end(), e.yC.begin() + state);
  }

  void cell(int64_t d, const float *xt, std::vector<double> &h,
            std::vector<double> &c) const {
    int64_t size = params.hiddenSize;
    size_t functions = params.activations.size() / size_t(directions);
    auto act = [&](size_t f, double v) {
      return activate(params.activations[d * functions + f], params.clip, v);
    };
    auto fromInput = [&](int64_t gate, int64_t i) {
      double sum = b ? b->data<float>()[(d * 2 * gates + gate) * size + i] : 0;
      for (int64_t k = 0; k < depth; ++k)
        sum += double(xt[k]) *
               w.data<float>()[((d * gates + gate) * size + i) * depth + k];
      return sum;
    };
    auto bias = [&](int64_t gate, int64_t i) {
      return b ? b->data<float>()[((d * 2 + 1) * gates + gate) * size + i] : 0;
    };
    auto fromState = [&](int64_t gate, int64_t i,
                         const std::vector<double> &s) {
      double sum = 0;
      for (int64_t k = 0; k < size; ++k)
        sum +=
            s[k] * r.data<float>()[((d * gates + gate) * size + i) * size + k];
      return sum;
    };
    auto gate = [&](int64_t g, int64_t i) {
      return fromInput(g, i) + fromState(g, i, h) + bias(g, i);
    };
    auto peephole = [&](int64_t g, int64_t i) {
      return p ? double(p->data<float>()[(d * 3 + g) * size + i]) : 0;
    };
    std::vector<double> next(size), nextC = c, reset(size), update(size);
    for (int64_t i = 0; i < size; ++i)
      if (params.kind == RecurrentKind::RNN) {
        next[i] = act(0, gate(0, i));
      } else if (params.kind == RecurrentKind::GRU) {
        update[i] = act(0, gate(0, i));
        reset[i] = act(0, gate(1, i));
      } else {
        double in = act(0, gate(0, i) + peephole(0, i) * c[i]);
        double forget = params.inputForget
                            ? 1 - in
                            : act(0, gate(2, i) + peephole(2, i) * c[i]);
        nextC[i] = forget * c[i] + in * act(1, gate(3, i));
        double out = act(0, gate(1, i) + peephole(1, i) * nextC[i]);
        next[i] = out * act(2, nextC[i]);
      }
    if (params.kind == RecurrentKind::GRU) {
      std::vector<double> masked(size);
      for (int64_t i = 0; i < size; ++i)
        masked[i] = reset[i] * h[i];
      for (int64_t i = 0; i < size; ++i) {
        double inner = params.linearBeforeReset
                           ? reset[i] * (fromState(2, i, h) + bias(2, i))
                           : fromState(2, i, masked) + bias(2, i);
        double candidate = act(1, fromInput(2, i) + inner);
        next[i] = (1 - update[i]) * candidate + update[i] * h[i];
      }
    }
    h = next;
    c = nextC;
  }
};

void checkRecurrent(const Problem &problem) {
  Problem::Result actual = problem.run();
  Problem::Expected expected = problem.expected();
  expectClose(actual.y, expected.y, 2e-6);
  expectClose(actual.yH, expected.yH, 2e-6);
  if (problem.params.kind == RecurrentKind::LSTM)
    expectClose(actual.yC, expected.yC, 2e-6);
}

constexpr RecurrentKind kinds[] = {RecurrentKind::RNN, RecurrentKind::GRU,
                                   RecurrentKind::LSTM};

TEST(RecurrentTest, AllKindsDirectionsAndLayouts) {
  for (RecurrentKind kind : kinds)
    for (auto direction :
         {RecurrentDirection::Forward, RecurrentDirection::Reverse,
          RecurrentDirection::Bidirectional})
      for (int64_t layout : {0, 1})
        for (bool optional : {false, true}) {
          SCOPED_TRACE(testing::Message()
                       << int(kind) << int(direction) << layout << optional);
          checkRecurrent(
              Problem(kind, direction, layout, 5, 3, 7, 10, optional));
        }
}

TEST(RecurrentTest, PanelsOfAnyWidth) {
  for (int64_t hidden : {1, 63, 64, 65, 130})
    for (RecurrentKind kind : kinds)
      checkRecurrent(
          Problem(kind, RecurrentDirection::Forward, 0, 3, 1, 4, hidden, true));
}

TEST(RecurrentTest, ClipInputForgetAndLinearBeforeReset) {
  for (RecurrentKind kind : kinds) {
    Problem problem(kind, RecurrentDirection::Bidirectional, 0, 4, 2, 5, 6,
                    true);
    problem.params.clip = 0.3f;
    problem.params.inputForget = true;
    problem.params.linearBeforeReset = true;
    checkRecurrent(problem);
  }
}

TEST(RecurrentTest, EveryActivation) {
  for (const char *name :
       {"Affine", "Elu", "HardSigmoid", "LeakyRelu", "Relu", "ScaledTanh",
        "Sigmoid", "Softplus", "Softsign", "tanh", "ThresholdedRelu"}) {
    SCOPED_TRACE(name);
    Problem problem(RecurrentKind::RNN, RecurrentDirection::Forward, 0, 3, 2, 5,
                    9, false);
    std::vector<std::string> names{name};
    float alpha = 0.7f, beta = 0.3f;
    problem.params.activations =
        recurrentActivations(RecurrentKind::RNN, RecurrentDirection::Forward,
                             names, {&alpha, 1}, {&beta, 1});
    checkRecurrent(problem);
  }
}

TEST(RecurrentTest, ParametersGoToTheFunctionsThatTakeThem) {
  std::vector<std::string> names{"Sigmoid", "LeakyRelu", "HardSigmoid",
                                 "Affine",  "Tanh",      "Elu"};
  std::vector<float> alphas{0.1f, 0.3f}, betas{0.6f};
  auto functions = recurrentActivations(RecurrentKind::LSTM,
                                        RecurrentDirection::Bidirectional,
                                        names, alphas, betas);
  ASSERT_EQ(functions.size(), 6u);
  EXPECT_EQ(functions[1].alpha, 0.1f);
  EXPECT_EQ(functions[2].alpha, 0.3f);
  EXPECT_EQ(functions[2].beta, 0.6f);
  EXPECT_EQ(functions[3].alpha, 1.0f); // the lists are used up: defaults
  EXPECT_EQ(functions[3].beta, 0.0f);
  EXPECT_EQ(functions[5].alpha, 1.0f);
}

TEST(RecurrentTest, WrongActivationsAndLengthsAreErrors) {
  std::vector<std::string> unknown{"Sine"}, tooMany{"Tanh", "Tanh"};
  for (const auto &names : {unknown, tooMany})
    EXPECT_THROW(recurrentActivations(RecurrentKind::RNN,
                                      RecurrentDirection::Forward, names, {},
                                      {}),
                 Error);
  Problem problem(RecurrentKind::RNN, RecurrentDirection::Forward, 0, 3, 2, 5,
                  9, true);
  problem.lens->data<int32_t>()[1] = 4;
  EXPECT_THROW(problem.run(), Error);
}

TEST(RecurrentTest, ThreadsGiveTheSameBitsAndEmptyInputsWork) {
  Problem problem(RecurrentKind::LSTM, RecurrentDirection::Bidirectional, 0, 70,
                  2, 600, 200, true);
  setThreadCount(1);
  Tensor one = problem.run().y;
  setThreadCount(2);
  Tensor two = problem.run().y;
  for (int64_t i = 0; i < one.size(); ++i)
    ASSERT_EQ(one.data<float>()[i], two.data<float>()[i]) << i;
  for (RecurrentKind kind : kinds) {
    checkRecurrent(
        Problem(kind, RecurrentDirection::Forward, 0, 0, 2, 3, 4, true));
    checkRecurrent(
        Problem(kind, RecurrentDirection::Forward, 1, 3, 0, 3, 4, true));
  }
}

} // namespace
