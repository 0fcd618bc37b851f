//===- FloatRecurrent.cpp - LSTM, GRU and RNN in FP32 layers --------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Every step is written in the operations of C99. Weights lie with the rows
// innermost, so that vectors hold sums of several rows, never several terms of
// one. Sequences of a batch don't depend on each other.
//===----------------------------------------------------------------------===//
#include "Vectorize.h"
#include "parallax/Backend/NPU/Kernels/FloatFunctions.h"
#include "parallax/Backend/NPU/Kernels/FloatLayers.h"
#include "parallax/Backend/NPU/Kernels/InstructionSet.h"
#include "parallax/Support/Parallel.h"

namespace parallax::npu {
namespace {

using kernels::Activation;
using kernels::RecurrentKind;
using kernels::UnaryKind;

//===----------------------------------------------------------------------===//
// Sums of products
//===----------------------------------------------------------------------===//

/// [rows, depth] as [depth][rows].
class TurnedWeights {
public:
  TurnedWeights(const float *from, int64_t rows, int64_t depth)
      : rows(rows), depth(depth), values(size_t(rows * depth)) {
    for (int64_t r = 0; r < rows; ++r)
      for (int64_t k = 0; k < depth; ++k)
        values[k * rows + r] = from[r * depth + k];
  }
  const float *column(int64_t k) const { return values.data() + k * rows; }

  int64_t rows, depth;

private:
  std::vector<float> values;
};

PARALLAX_INLINE void addScaled(float *sums, const float *weights, float x,
                               int64_t count) {
  for (int64_t r = 0; r < count; ++r)
    sums[r] += x * weights[r];
}
void portableAddScaled(float *sums, const float *weights, float x,
                       int64_t count) {
  addScaled(sums, weights, x, count);
}
PARALLAX_AVX2 void avx2AddScaled(float *sums, const float *weights, float x,
                                 int64_t count) {
  addScaled(sums, weights, x, count);
}

/// The sums of rows [first, end) in the order of C91.
void multiplyTurned(const TurnedWeights &weights, const float *x, float *sums,
                    int64_t first, int64_t end) {
  auto add = instructionSet() >= InstructionSet::AVX2 ? avx2AddScaled
                                                      : portableAddScaled;
  std::fill(sums + first, sums + end, 0.0f);
  for (int64_t k = 0; k < weights.depth; ++k)
    add(sums + first, weights.column(k) + first, x[k], end - first);
}

//===----------------------------------------------------------------------===//
// Activations
//===----------------------------------------------------------------------===//

float activate(const Activation &activation, float clip, float x) {
  x = x > clip ? clip : x;
  x = x < -clip ? -clip : x;
  float alpha = activation.alpha, beta = activation.beta;
  auto unary = [&](UnaryKind kind) {
    return floatFunction(kind, x, alpha, beta);
  };
  switch (activation.kind) {
  case Activation::Affine:
    return alpha * x + beta;
  case Activation::Elu:
    return unary(UnaryKind::Elu);
  case Activation::HardSigmoid:
    return unary(UnaryKind::HardSigmoid);
  case Activation::LeakyRelu:
    return unary(UnaryKind::LeakyRelu);
  case Activation::Relu:
    return unary(UnaryKind::Relu);
  case Activation::ScaledTanh:
    return alpha * floatFunction(UnaryKind::Tanh, beta * x);
  case Activation::Sigmoid:
    return unary(UnaryKind::Sigmoid);
  case Activation::Softplus:
    return unary(UnaryKind::Softplus);
  case Activation::Softsign:
    return unary(UnaryKind::Softsign);
  case Activation::Tanh:
    return unary(UnaryKind::Tanh);
  case Activation::ThresholdedRelu:
    return unary(UnaryKind::ThresholdedRelu);
  }
  return 0;
}

//===----------------------------------------------------------------------===//
// One direction
//===----------------------------------------------------------------------===//

int64_t gateCount(RecurrentKind kind) {
  return kind == RecurrentKind::LSTM ? 4 : kind == RecurrentKind::GRU ? 3 : 1;
}

class Direction {
public:
  Direction(const kernels::RecurrentParams &params,
            const kernels::RecurrentInputs &inputs, const Tensor &recurrent,
            const kernels::RecurrentOutputs &outputs, int64_t direction)
      : params(params), inputs(inputs), outputs(outputs), direction(direction),
        directions(inputs.w.dim(0)), hidden(params.hiddenSize),
        gates(gateCount(params.kind)),
        times(inputs.x.dim(params.layout ? 1 : 0)),
        batches(inputs.x.dim(params.layout ? 0 : 1)), depth(inputs.x.dim(2)),
        reverse(params.direction == kernels::RecurrentDirection::Reverse ||
                direction == 1),
        w(inputs.w.data<float>() + direction * gates * hidden * depth,
          gates * hidden, depth),
        r(recurrent.data<float>() + direction * gates * hidden * hidden,
          gates * hidden, hidden),
        activations(params.activations.data() +
                    direction * int64_t(params.activations.size()) /
                        directions) {}

  void run() const {
    parallelFor(batches, 1, [&](int64_t begin, int64_t end) {
      for (int64_t b = begin; b < end; ++b)
        runSequence(b);
    });
  }

private:
  struct State {
    std::vector<float> h, c, reset, fromInput, fromState;
  };

  void runSequence(int64_t batch) const {
    State state;
    state.h = initial(inputs.initialH, batch);
    state.c = initial(inputs.initialC, batch);
    state.reset.resize(size_t(hidden));
    state.fromInput.resize(size_t(gates * hidden));
    state.fromState.resize(size_t(gates * hidden));
    int64_t length = inputs.sequenceLens->data<int32_t>()[batch];
    for (int64_t step = 0; step < times; ++step) {
      int64_t time = reverse && step < length ? length - 1 - step : step;
      float *result = outputRow(time, batch);
      if (step < length) {
        advance(inputs.x.data<float>() + rowOf(time, batch) * depth, state);
        std::copy_n(state.h.data(), hidden, result);
      } else {
        std::fill_n(result, hidden, 0.0f);
      }
    }
    store(outputs.yH, batch, state.h);
    store(outputs.yC, batch, state.c);
  }

  //===--------------------------------------------------------------------===//
  // Where things are
  //===--------------------------------------------------------------------===//

  int64_t rowOf(int64_t time, int64_t batch) const {
    return params.layout ? batch * times + time : time * batches + batch;
  }
  float *outputRow(int64_t time, int64_t batch) const {
    int64_t row = params.layout
                      ? (batch * times + time) * directions + direction
                      : (time * directions + direction) * batches + batch;
    return outputs.y->data<float>() + row * hidden;
  }
  int64_t stateOffset(int64_t batch) const {
    return (params.layout ? batch * directions + direction
                          : direction * batches + batch) *
           hidden;
  }
  std::vector<float> initial(const Tensor *states, int64_t batch) const {
    if (!states)
      return std::vector<float>(size_t(hidden), 0.0f);
    const float *from = states->data<float>() + stateOffset(batch);
    return {from, from + hidden};
  }
  void store(Tensor *states, int64_t batch,
             const std::vector<float> &state) const {
    if (states)
      std::copy_n(state.data(), hidden,
                  states->data<float>() + stateOffset(batch));
  }
  /// A bias from the input (0) or the recurrent (1) half of B.
  float bias(int64_t half, int64_t gate, int64_t unit) const {
    return inputs.b->data<
        float>()[((direction * 2 + half) * gates + gate) * hidden + unit];
  }

  //===--------------------------------------------------------------------===//
  // Steps
  //===--------------------------------------------------------------------===//

  void advance(const float *x, State &state) const {
    multiplyTurned(w, x, state.fromInput.data(), 0, gates * hidden);
    multiplyTurned(r, state.h.data(), state.fromState.data(), 0,
                   gates * hidden);
    switch (params.kind) {
    case RecurrentKind::LSTM:
      return advanceLstm(state);
    case RecurrentKind::GRU:
      return advanceGru(state);
    case RecurrentKind::RNN:
      for (int64_t j = 0; j < hidden; ++j)
        state.h[j] = function(0, sum(state, 0, j));
    }
  }

  float function(int64_t number, float x) const {
    return activate(activations[number], params.clip, x);
  }

  /// What comes from the input, without the recurrent bias.
  float inputSum(const State &state, int64_t gate, int64_t unit) const {
    return state.fromInput[gate * hidden + unit] + bias(0, gate, unit);
  }
  float sum(const State &state, int64_t gate, int64_t unit) const {
    float value = inputSum(state, gate, unit) + bias(1, gate, unit);
    return value + state.fromState[gate * hidden + unit];
  }

  /// The gates are in the order i, o, f, c; the peepholes i, o, f.
  void advanceLstm(State &state) const {
    const float *peepholes = inputs.p->data<float>() + direction * 3 * hidden;
    for (int64_t j = 0; j < hidden; ++j) {
      auto gateSum = [&](int64_t gate) {
        return sum(state, gate, j) + peepholes[gate * hidden + j] * state.c[j];
      };
      float input = function(0, gateSum(0));
      float forget =
          params.inputForget ? 1.0f - input : function(0, gateSum(2));
      float candidate = function(1, sum(state, 3, j));
      float kept = state.c[j] * forget, added = input * candidate;
      state.c[j] = kept + added;
      float output = function(0, gateSum(1));
      state.h[j] = function(2, state.c[j]) * output;
    }
  }

  void advanceGru(State &state) const {
    std::vector<float> update = state.h, candidate = state.h;
    for (int64_t j = 0; j < hidden; ++j) {
      update[j] = function(0, sum(state, 0, j));
      float reset = function(0, sum(state, 1, j));
      candidate[j] = reset * (state.fromState[2 * hidden + j] + bias(1, 2, j));
      state.reset[j] = reset * state.h[j];
    }
    if (!params.linearBeforeReset)
      multiplyTurned(r, state.reset.data(), state.fromState.data(), 2 * hidden,
                     3 * hidden);
    for (int64_t j = 0; j < hidden; ++j) {
      float value = params.linearBeforeReset
                        ? inputSum(state, 2, j) + candidate[j]
                        : sum(state, 2, j);
      float fresh = (1.0f - update[j]) * function(1, value);
      float kept = update[j] * state.h[j];
      state.h[j] = fresh + kept;
    }
  }

  const kernels::RecurrentParams &params;
  const kernels::RecurrentInputs &inputs;
  const kernels::RecurrentOutputs &outputs;
  int64_t direction, directions, hidden, gates, times, batches, depth;
  bool reverse;
  TurnedWeights w, r;
  const Activation *activations;
};

} // namespace

void recurrentFloat(const kernels::RecurrentParams &params,
                    const kernels::RecurrentInputs &inputs,
                    const Tensor &recurrent,
                    const kernels::RecurrentOutputs &outputs) {
  int64_t times = inputs.x.dim(params.layout ? 1 : 0);
  for (int32_t length : inputs.sequenceLens->values<int32_t>())
    if (length < 0 || length > times)
      throw Error(fmt::format("sequence_lens of a recurrent operator holds "
                              "{}, but its input has {} time steps",
                              length, times));
  for (int64_t direction = 0; direction < inputs.w.dim(0); ++direction)
    Direction(params, inputs, recurrent, outputs, direction).run();
}

} // namespace parallax::npu
