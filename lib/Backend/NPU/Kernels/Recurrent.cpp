//===- Recurrent.cpp - Integer kernels: RNN, GRU and LSTM -----------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// The sums of all inputs are computed first; each step then multiplies the
// states of all sequences by the recurrent weights, row by row.
//===----------------------------------------------------------------------===//
#include "parallax/Backend/NPU/Kernels/Recurrent.h"

#include "Vectorize.h"
#include "parallax/Backend/NPU/Kernels/InstructionSet.h"
#include "parallax/Support/Parallel.h"

namespace parallax::npu {
namespace {

using kernels::RecurrentDirection;
using kernels::RecurrentKind;

//===----------------------------------------------------------------------===//
// Sums of products
//===----------------------------------------------------------------------===//

/// A product of 16 bits and a sign with weights of 16 bits fits 32 bits.
template <typename Weight>
PARALLAX_INLINE int64_t dot(const int32_t *x, const Weight *w, int64_t count) {
  int64_t sum = 0;
  for (int64_t i = 0; i < count; ++i)
    sum += int64_t(x[i] * int32_t(w[i]));
  return sum;
}

template <typename Weight>
int64_t plainDot(const int32_t *x, const Weight *w, int64_t count) {
  return dot(x, w, count);
}

template <typename Weight>
PARALLAX_AVX2 int64_t avx2Dot(const int32_t *x, const Weight *w,
                              int64_t count) {
  return dot(x, w, count);
}

/// sums[v * stride + row] for the given vectors and rows of weights.
void multiplyRows(const Tensor &weights, int64_t firstRow, int64_t rows,
                  std::span<const int32_t> vectors, int64_t depth,
                  int64_t stride, int64_t *sums) {
  int64_t count = depth == 0 ? 0 : int64_t(vectors.size()) / depth;
  dispatchCodes(
      "a recurrent layer", weights.dtype(), [&]<typename W>(TypeTag<W>) {
        bool isWide = instructionSet() >= InstructionSet::AVX2;
        auto product = isWide ? avx2Dot<W> : plainDot<W>;
        parallelFor(
            rows, rowGrain(depth * count), [&](int64_t begin, int64_t end) {
              for (int64_t row = begin; row < end; ++row) {
                const W *w = weights.data<W>() + (firstRow + row) * depth;
                for (int64_t v = 0; v < count; ++v)
                  sums[v * stride + row] =
                      product(vectors.data() + v * depth, w, depth);
              }
            });
      });
}

//===----------------------------------------------------------------------===//
// Fixed point
//===----------------------------------------------------------------------===//

constexpr int64_t stateLimit = (int64_t(1) << 31) - 1;

int64_t held(int64_t value, int64_t limit) {
  return std::clamp(value, -limit, limit);
}

/// Inner results go half up (C10).
template <typename Integer> Integer rounded(Integer value, int shift) {
  return roundShift<Integer>(value, shift, Rounding::HalfUp);
}

/// A sum of 80 bits, rounded and held.
int64_t roundedSum(Int128 sum, int shift, int64_t limit) {
  return int64_t(
      std::clamp<Int128>(rounded<Int128>(sum, shift), -limit, limit));
}

/// One function (C100).
struct Function {
  const int32_t *knots;
  int32_t fraction;

  int64_t operator()(int64_t argument) const {
    int64_t u = argument + (int64_t(1) << 19), k = u >> 8, r = u & 255;
    return rounded<int64_t>(
        int64_t(knots[k]) * (256 - r) + int64_t(knots[k + 1]) * r, 16);
  }
};

//===----------------------------------------------------------------------===//
// One direction
//===----------------------------------------------------------------------===//

class DirectionRun {
public:
  DirectionRun(const RecurrentIntegers &layer, const RecurrentCodes &inputs,
               int64_t direction)
      : layer(layer), inputs(inputs), direction(direction),
        directions(inputs.w.dim(0)), hidden(inputs.r.dim(2)),
        rows(inputs.w.dim(1)), times(inputs.x.dim(layer.layout ? 1 : 0)),
        batches(inputs.x.dim(layer.layout ? 0 : 1)), depth(inputs.x.dim(2)),
        reverse(layer.direction == RecurrentDirection::Reverse ||
                direction == 1),
        hiddenBits(layer.stateFraction + hiddenGuardBits),
        inputSums(size_t(times * batches * rows)),
        stateSums(size_t(batches * rows)), h(size_t(batches * hidden)),
        n(size_t(batches * hidden)), c(size_t(batches * hidden)),
        gates(size_t(batches * rows)) {}

  void run(Tensor &y, Tensor &yH, Tensor *yC) {
    project();
    load(inputs.initialH, layer.initialH, n);
    if (inputs.initialC)
      load(*inputs.initialC, layer.initialC, c);
    clearEnds(y);
    int64_t steps = 0;
    for (int64_t b = 0; b < batches; ++b)
      steps = std::max(steps, lengthOf(b));
    for (int64_t step = 0; step < steps; ++step)
      runStep(step, y);
    for (int64_t b = 0; b < batches; ++b) {
      store(n.data() + b * hidden, yH, stateRow(b), 1);
      if (yC)
        store(c.data() + b * hidden, *yC, stateRow(b), 2);
    }
  }

private:
  int64_t lengthOf(int64_t batch) const {
    return inputs.sequenceLens.data<int32_t>()[batch];
  }
  /// A reversed sequence begins at its own last element.
  int64_t timeOf(int64_t step, int64_t batch) const {
    return reverse ? lengthOf(batch) - 1 - step : step;
  }
  int64_t inputRow(int64_t time, int64_t batch) const {
    return layer.layout ? batch * times + time : time * batches + batch;
  }
  int64_t outputRow(int64_t time, int64_t batch) const {
    return layer.layout ? (batch * times + time) * directions + direction
                        : (time * directions + direction) * batches + batch;
  }
  int64_t stateRow(int64_t batch) const {
    return layer.layout ? batch * directions + direction
                        : direction * batches + batch;
  }

  //===--------------------------------------------------------------------===//
  // Between codes and states
  //===--------------------------------------------------------------------===//

  void project() {
    std::vector<int32_t> centered(size_t(inputs.x.size()));
    dispatchCodes("a recurrent layer", inputs.x.dtype(),
                  [&]<typename A>(TypeTag<A>) {
                    const A *x = inputs.x.data<A>();
                    for (size_t i = 0; i < centered.size(); ++i)
                      centered[i] = int32_t(int64_t(x[i]) - layer.xZero);
                  });
    multiplyRows(inputs.w, direction * rows, rows, centered, depth, rows,
                 inputSums.data());
  }

  void load(const Tensor &codes, const InitialState &from,
            std::vector<int64_t> &state) const {
    dispatchCodes(
        "a recurrent layer", codes.dtype(), [&]<typename A>(TypeTag<A>) {
          for (int64_t b = 0; b < batches; ++b)
            for (int64_t j = 0; j < hidden; ++j) {
              int64_t code = codes.data<A>()[stateRow(b) * hidden + j];
              state[size_t(b * hidden + j)] =
                  held(requantize(code - from.zeroPoint, from.multiplier,
                                  Rounding::HalfUp),
                       stateLimit);
            }
        });
  }

  /// The states of a sequence as row `row` of result `index`; zeros for null.
  void store(const int64_t *state, Tensor &result, int64_t row,
             size_t index) const {
    const StateResult &to = layer.results[index];
    auto at = [&](int64_t unit) { return state ? state[unit] : 0; };
    if (result.dtype() == DType::F32) {
      int bits = index == 2 ? cellBits : hiddenBits;
      double unit = 1.0 / double(int64_t(1) << bits);
      for (int64_t j = 0; j < hidden; ++j)
        result.data<float>()[row * hidden + j] = float(double(at(j)) * unit);
      return;
    }
    dispatchCodes("a recurrent layer", result.dtype(),
                  [&]<typename T>(TypeTag<T>) {
                    T *codes = result.data<T>() + row * hidden;
                    for (int64_t j = 0; j < hidden; ++j)
                      codes[j] = T(to.codes.code(
                          requantize(at(j), to.multiplier, to.codes.rounding)));
                  });
  }

  void clearEnds(Tensor &y) const {
    for (int64_t b = 0; b < batches; ++b)
      for (int64_t t = lengthOf(b); t < times; ++t)
        store(nullptr, y, outputRow(t, b), 0);
  }

  //===--------------------------------------------------------------------===//
  // Steps
  //===--------------------------------------------------------------------===//

  Function function(int64_t index) const {
    auto perDirection = int64_t(layer.functions.size()) / directions;
    int64_t place = layer.functions[size_t(direction * perDirection + index)];
    return {layer.tables.data() + place * functionKnots,
            layer.fractions[size_t(place)]};
  }

  bool resetsFirst() const {
    return layer.kind == RecurrentKind::GRU && !layer.linearBeforeReset;
  }

  void multiplyStates(int64_t firstRow, int64_t endRow) {
    multiplyRows(inputs.r, direction * rows + firstRow, endRow - firstRow, h,
                 hidden, rows, stateSums.data() + firstRow);
  }

  void runStep(int64_t step, Tensor &y) {
    for (size_t i = 0; i < h.size(); ++i)
      h[i] = product(n[i], hiddenGuardBits);
    multiplyStates(0, resetsFirst() ? 2 * hidden : rows);
    auto forRunning = [&](auto fn) {
      for (int64_t b = 0; b < batches; ++b)
        if (step < lengthOf(b))
          fn(b, inputRow(timeOf(step, b), b));
    };
    if (layer.kind == RecurrentKind::GRU)
      forRunning([&](int64_t b, int64_t row) { beginGru(b, row); });
    if (resetsFirst())
      multiplyStates(2 * hidden, rows);
    forRunning([&](int64_t b, int64_t row) {
      switch (layer.kind) {
      case RecurrentKind::RNN:
        endRnn(b, row);
        break;
      case RecurrentKind::GRU:
        endGru(b, row);
        break;
      case RecurrentKind::LSTM:
        endLstm(b, row);
        break;
      }
      store(n.data() + b * hidden, y, outputRow(timeOf(step, b), b), 0);
    });
  }

  static int32_t product(int64_t value, int shift) {
    return int32_t(
        std::clamp(rounded<int64_t>(value, shift), hiddenLow, hiddenHigh));
  }

  /// P of a gate's unit (C104).
  int64_t argument(int64_t batch, int64_t inputRow, int64_t row,
                   Int128 extra = 0) const {
    auto at = size_t(direction * rows + row);
    Int128 sum =
        Int128(inputSums[size_t(inputRow * rows + row)]) *
            layer.inputFactors[at] +
        Int128(stateSums[size_t(batch * rows + row)]) * layer.stateFactors[at] +
        layer.offsets[at] + extra;
    return roundedSum(sum, layer.shifts[at], layer.limit);
  }

  void endRnn(int64_t batch, int64_t inputRow) {
    Function f = function(0);
    for (int64_t j = 0; j < hidden; ++j)
      n[size_t(batch * hidden + j)] = f(argument(batch, inputRow, j)) *
                                      (int64_t(1) << (hiddenBits - f.fraction));
  }

  /// z and r, and what of the state r leaves.
  void beginGru(int64_t batch, int64_t inputRow) {
    Function f = function(0);
    for (int64_t row = 0; row < 2 * hidden; ++row)
      gates[size_t(batch * rows + row)] = f(argument(batch, inputRow, row));
    if (!resetsFirst())
      return;
    for (int64_t j = 0; j < hidden; ++j)
      h[size_t(batch * hidden + j)] =
          product(gates[size_t(batch * rows + hidden + j)] *
                      n[size_t(batch * hidden + j)],
                  f.fraction + hiddenGuardBits);
  }

  void endGru(int64_t batch, int64_t inputRow) {
    Function f = function(0), g = function(1);
    int64_t one = int64_t(1) << f.fraction;
    const int64_t *gate = gates.data() + batch * rows;
    for (int64_t j = 0; j < hidden; ++j) {
      int64_t z = gate[j], row = 2 * hidden + j;
      int64_t candidate = g(
          layer.linearBeforeReset
              ? resetArgument(batch, inputRow, j, gate[hidden + j], f.fraction)
              : argument(batch, inputRow, row));
      int64_t &state = n[size_t(batch * hidden + j)];
      int64_t fresh =
          (one - z) * candidate * (int64_t(1) << (hiddenBits - g.fraction));
      state = held(rounded<int64_t>(fresh + z * state, f.fraction), stateLimit);
    }
  }

  /// P of the row of h with linear_before_reset (C106).
  int64_t resetArgument(int64_t batch, int64_t inputRow, int64_t unit,
                        int64_t reset, int fraction) const {
    int64_t row = 2 * hidden + unit;
    auto at = size_t(direction * rows + row);
    Int128 input = Int128(inputSums[size_t(inputRow * rows + row)]) *
                       layer.inputFactors[at] +
                   layer.offsets[at];
    Int128 state =
        Int128(stateSums[size_t(batch * rows + row)]) * layer.stateFactors[at] +
        layer.stateOffsets[size_t(direction * hidden + unit)];
    int64_t u = roundedSum(input, layer.shifts[at], stateLimit);
    int64_t v = roundedSum(state, layer.shifts[at], stateLimit);
    return held(rounded<int64_t>(u * (int64_t(1) << fraction) + reset * v,
                                 fraction + cellBits - argumentBits),
                layer.limit);
  }

  /// The gates are in the order i, o, f, c; peepholes in that of i, o, f.
  void endLstm(int64_t batch, int64_t inputRow) {
    Function f = function(0), g = function(1), t = function(2);
    const int64_t *peepholes =
        layer.peepholes.empty()
            ? nullptr
            : layer.peepholes.data() + direction * 3 * hidden;
    int64_t lift = int64_t(1)
                   << (cellBits - g.fraction); // F_i is F_f: one function.
    int spare = f.fraction + t.fraction - hiddenBits;
    for (int64_t j = 0; j < hidden; ++j) {
      auto gate = [&](int64_t index, int64_t cell) {
        int64_t row = index * hidden + j;
        Int128 extra =
            peepholes && index < 3 ? Int128(cell) * peepholes[row] : Int128(0);
        return argument(batch, inputRow, row, extra);
      };
      int64_t &cell = c[size_t(batch * hidden + j)];
      int64_t input = f(gate(0, cell));
      int64_t forget = layer.inputForget ? (int64_t(1) << f.fraction) - input
                                         : f(gate(2, cell));
      int64_t fresh = input * g(gate(3, cell)) * lift;
      cell =
          held(rounded<int64_t>(forget * cell + fresh, f.fraction), stateLimit);
      int64_t output = f(gate(1, cell));
      int64_t shown =
          t(held(rounded<int64_t>(cell, cellBits - argumentBits), layer.limit));
      int64_t value = output * shown;
      n[size_t(batch * hidden + j)] =
          held(spare == 0 ? value : rounded<int64_t>(value, spare), stateLimit);
    }
  }

  const RecurrentIntegers &layer;
  const RecurrentCodes &inputs;
  int64_t direction, directions, hidden, rows, times, batches, depth;
  bool reverse;
  int hiddenBits;
  std::vector<int64_t> inputSums, stateSums;
  std::vector<int32_t> h;
  std::vector<int64_t> n, c, gates;
};

} // namespace

void recurrent(const RecurrentIntegers &layer, const RecurrentCodes &inputs,
               Tensor &y, Tensor &yH, Tensor *yC) {
  int64_t times = inputs.x.dim(layer.layout ? 1 : 0);
  for (int32_t length : inputs.sequenceLens.values<int32_t>())
    if (length < 0 || length > times)
      throw Error(fmt::format("sequence_lens of a recurrent layer holds {}, "
                              "but its input has {} time steps",
                              length, times));
  for (int64_t d = 0; d < inputs.w.dim(0); ++d)
    DirectionRun(layer, inputs, d).run(y, yH, yC);
}

} // namespace parallax::npu
