//===- Recurrent.cpp - Reference kernels: RNN, GRU and LSTM ---------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// The input projection of all time steps is one matrix product by oneDNN. The
// recurrent product is a matrix times the state of the previous step and
// bounded by memory: its weights are packed into panels that are read front to
// back, one panel per task.
//===----------------------------------------------------------------------===//
#include "parallax/Backend/Reference/Kernels/Recurrent.h"

#include "parallax/Backend/Kernels/KernelSupport.h"
#include "parallax/Support/Parallel.h"
#include "parallax/Support/Simd.h"

#include <dnnl.h>

namespace parallax::kernels {
namespace {

/// Output columns of one panel: as many accumulators as registers hold.
constexpr int64_t panelWidth = 64;

int64_t gateCount(RecurrentKind kind) {
  return kind == RecurrentKind::LSTM ? 4 : kind == RecurrentKind::GRU ? 3 : 1;
}

int64_t panelsPerGate(int64_t hidden) {
  return (hidden + panelWidth - 1) / panelWidth;
}

/// Sums column j of a panel over the state: h[k] * panel[k][j].
PARALLAX_SIMD void multiplyPanel(const float *h, int64_t hidden,
                                 const float *panel, float *out,
                                 int64_t width) {
  float sums[panelWidth] = {};
  for (int64_t k = 0; k < hidden; ++k)
    for (int64_t j = 0; j < panelWidth; ++j)
      sums[j] += h[k] * panel[k * panelWidth + j];
  std::copy_n(sums, width, out);
}

PARALLAX_SIMD void addTo(float *y, const float *x, int64_t count) {
  for (int64_t i = 0; i < count; ++i)
    y[i] += x[i];
}

PARALLAX_SIMD void addProduct(float *y, const float *a, const float *b,
                              int64_t count) {
  for (int64_t i = 0; i < count; ++i)
    y[i] += a[i] * b[i];
}

PARALLAX_SIMD void multiplyTo(float *y, const float *a, const float *b,
                              int64_t count) {
  for (int64_t i = 0; i < count; ++i)
    y[i] = a[i] * b[i];
}

/// Mixes x into y, where a says how much of y stays.
PARALLAX_SIMD void blendStates(float *y, const float *a, const float *x,
                               int64_t count) {
  for (int64_t i = 0; i < count; ++i)
    y[i] = (1.0f - a[i]) * x[i] + a[i] * y[i];
}

PARALLAX_SIMD void oneMinus(float *y, const float *x, int64_t count) {
  for (int64_t i = 0; i < count; ++i)
    y[i] = 1.0f - x[i];
}

/// C = A * B^T for A of `rows` rows. oneDNN splits sums by the number of
/// threads, so each block of rows is computed by one.
void multiplyTransposed(const float *a, const float *b, float *c, int64_t rows,
                        int64_t columns, int64_t depth) {
  constexpr int64_t blockRows = 64;
  int64_t blocks = (rows + blockRows - 1) / blockRows;
  parallelFor(blocks, 1, [&](int64_t begin, int64_t end) {
    ThreadCountScope oneThread(1);
    for (int64_t block = begin; block < end; ++block) {
      int64_t first = block * blockRows;
      dnnl_sgemm('N', 'T', std::min(blockRows, rows - first), columns, depth,
                 1.0f, a + first * depth, depth, b, depth, 0.0f,
                 c + first * columns, columns);
    }
  });
}

/// One direction of one run.
class DirectionRun {
public:
  DirectionRun(const RecurrentParams &params, const RecurrentInputs &inputs,
               const RecurrentWeights &weights, int64_t direction,
               float *scratch)
      : params(params), inputs(inputs), direction(direction),
        directions(inputs.w.dim(0)), hidden(params.hiddenSize),
        gates(gateCount(params.kind)),
        times(inputs.x.dim(params.layout ? 1 : 0)),
        batches(inputs.x.dim(params.layout ? 0 : 1)), depth(inputs.x.dim(2)),
        reverse(params.direction == RecurrentDirection::Reverse ||
                direction == 1),
        packed(weights.packed.data() +
               direction * gates * panelsPerGate(hidden) * hidden * panelWidth),
        activations(params.activations.data() +
                    direction * (params.activations.size() / directions)) {
    projected = scratch;
    recurrentPart = projected + times * batches * gates * hidden;
    h = recurrentPart + batches * gates * hidden;
    c = h + batches * hidden;
    resetState = c + batches * hidden;
  }

  static int64_t scratchFloats(int64_t times, int64_t batches, int64_t gates,
                               int64_t hidden) {
    return batches * hidden * (times * gates + gates + 3);
  }

  void run(const RecurrentOutputs &outputs) {
    project();
    loadState(inputs.initialH, h);
    loadState(inputs.initialC, c);
    if (outputs.y)
      clearOutput(*outputs.y);
    int64_t steps = 0;
    for (int64_t b = 0; b < batches; ++b)
      steps = std::max(steps, lengthOf(b));
    for (int64_t step = 0; step < steps; ++step) {
      multiplyState(0, firstProductGates(), h);
      for (int64_t b = 0; b < batches; ++b)
        if (step < lengthOf(b))
          beginCell(b, gatesAt(timeOf(step, b), b));
      if (needsResetProduct())
        multiplyState(2, 3, resetState);
      for (int64_t b = 0; b < batches; ++b) {
        if (step >= lengthOf(b))
          continue;
        int64_t t = timeOf(step, b);
        endCell(b, gatesAt(t, b));
        if (outputs.y)
          std::copy_n(h + b * hidden, hidden, outputRow(*outputs.y, t, b));
      }
    }
    storeState(outputs.yH, h);
    storeState(outputs.yC, c);
  }

private:
  //===--------------------------------------------------------------------===//
  // Where things are
  //===--------------------------------------------------------------------===//

  int64_t lengthOf(int64_t batch) const {
    return inputs.sequenceLens ? inputs.sequenceLens->data<int32_t>()[batch]
                               : times;
  }
  /// A reversed sequence begins at its own last element.
  int64_t timeOf(int64_t step, int64_t batch) const {
    return reverse ? lengthOf(batch) - 1 - step : step;
  }
  float *gatesAt(int64_t time, int64_t batch) const {
    int64_t row = params.layout ? batch * times + time : time * batches + batch;
    return projected + row * gates * hidden;
  }
  float *outputRow(Tensor &y, int64_t time, int64_t batch) const {
    int64_t row = params.layout
                      ? (batch * times + time) * directions + direction
                      : (time * directions + direction) * batches + batch;
    return y.data<float>() + row * hidden;
  }
  int64_t stateOffset(int64_t batch) const {
    int64_t row = params.layout ? batch * directions + direction
                                : direction * batches + batch;
    return row * hidden;
  }

  void loadState(const Tensor *initial, float *state) const {
    for (int64_t b = 0; b < batches; ++b)
      if (initial)
        std::copy_n(initial->data<float>() + stateOffset(b), hidden,
                    state + b * hidden);
      else
        std::fill_n(state + b * hidden, hidden, 0.0f);
  }
  void storeState(Tensor *output, const float *state) const {
    if (output)
      for (int64_t b = 0; b < batches; ++b)
        std::copy_n(state + b * hidden, hidden,
                    output->data<float>() + stateOffset(b));
  }
  void clearOutput(Tensor &y) const {
    for (int64_t b = 0; b < batches; ++b)
      for (int64_t t = lengthOf(b); t < times; ++t)
        std::fill_n(outputRow(y, t, b), hidden, 0.0f);
  }

  //===--------------------------------------------------------------------===//
  // The two products
  //===--------------------------------------------------------------------===//

  /// The bias of a gate: from the input (0) or the recurrent (1) half of B.
  const float *biasOf(int64_t gate, int64_t half) const {
    return inputs.b->data<float>() +
           ((direction * 2 + half) * gates + gate) * hidden;
  }

  /// The GRU's linear_before_reset multiplies its recurrent bias by r.
  bool biasAfterReset(int64_t gate) const {
    return params.kind == RecurrentKind::GRU && params.linearBeforeReset &&
           gate == 2;
  }

  void project() {
    int64_t columns = gates * hidden, rows = times * batches;
    multiplyTransposed(inputs.x.data<float>(),
                       inputs.w.data<float>() + direction * columns * depth,
                       projected, rows, columns, depth);
    if (!inputs.b)
      return;
    for (int64_t row = 0; row < rows; ++row)
      for (int64_t gate = 0; gate < gates; ++gate) {
        float *values = projected + (row * gates + gate) * hidden;
        addTo(values, biasOf(gate, 0), hidden);
        if (!biasAfterReset(gate))
          addTo(values, biasOf(gate, 1), hidden);
      }
  }

  void multiplyState(int64_t firstGate, int64_t endGate, const float *state) {
    int64_t panels = panelsPerGate(hidden);
    parallelFor((endGate - firstGate) * panels,
                grainFor(batches * hidden * panelWidth),
                [&](int64_t begin, int64_t end) {
                  for (int64_t i = begin; i < end; ++i) {
                    int64_t gate = firstGate + i / panels;
                    int64_t column = i % panels * panelWidth;
                    const float *panel =
                        packed + (firstGate * panels + i) * hidden * panelWidth;
                    for (int64_t b = 0; b < batches; ++b)
                      multiplyPanel(state + b * hidden, hidden, panel,
                                    recurrentPart +
                                        (b * gates + gate) * hidden + column,
                                    std::min(panelWidth, hidden - column));
                  }
                });
  }

  /// The GRU's plain form needs r before the last product.
  bool needsResetProduct() const {
    return params.kind == RecurrentKind::GRU && !params.linearBeforeReset;
  }
  int64_t firstProductGates() const { return needsResetProduct() ? 2 : gates; }

  //===--------------------------------------------------------------------===//
  // The cells
  //===--------------------------------------------------------------------===//

  const float *recurrentGate(int64_t batch, int64_t gate) const {
    return recurrentPart + (batch * gates + gate) * hidden;
  }
  void activate(int64_t function, float *values) const {
    applyActivation(activations[function], params.clip, values, hidden);
  }

  /// Adds the recurrent part to the gates in `v`, and activates those that the
  /// rest of the step depends on.
  void beginCell(int64_t batch, float *v) {
    int64_t ready = params.kind == RecurrentKind::GRU ? 2 : gates;
    for (int64_t gate = 0; gate < ready; ++gate)
      addTo(v + gate * hidden, recurrentGate(batch, gate), hidden);
    if (params.kind != RecurrentKind::GRU)
      return;
    activate(0, v);
    activate(0, v + hidden);
    if (needsResetProduct())
      multiplyTo(resetState + batch * hidden, v + hidden, h + batch * hidden,
                 hidden);
  }

  void endCell(int64_t batch, float *v) {
    float *hb = h + batch * hidden;
    switch (params.kind) {
    case RecurrentKind::RNN:
      activate(0, v);
      std::copy_n(v, hidden, hb);
      return;
    case RecurrentKind::GRU:
      return endGru(batch, v, hb);
    case RecurrentKind::LSTM:
      return endLstm(v, hb, c + batch * hidden);
    }
  }

  void endGru(int64_t batch, float *v, float *hb) {
    float *candidate = v + 2 * hidden;
    float *fromState = recurrentPart + (batch * gates + 2) * hidden;
    if (params.linearBeforeReset) {
      if (inputs.b)
        addTo(fromState, biasOf(2, 1), hidden);
      addProduct(candidate, v + hidden, fromState, hidden);
    } else {
      addTo(candidate, fromState, hidden);
    }
    activate(1, candidate);
    blendStates(hb, v, candidate, hidden);
  }

  /// The gates are in the order i, o, f, c; the peepholes i, o, f.
  void endLstm(float *v, float *hb, float *cb) {
    float *input = v, *output = v + hidden, *forget = v + 2 * hidden,
          *candidate = v + 3 * hidden;
    const float *peephole =
        inputs.p ? inputs.p->data<float>() + direction * 3 * hidden : nullptr;
    if (peephole)
      addProduct(input, peephole, cb, hidden);
    activate(0, input);
    if (params.inputForget) {
      oneMinus(forget, input, hidden);
    } else {
      if (peephole)
        addProduct(forget, peephole + 2 * hidden, cb, hidden);
      activate(0, forget);
    }
    activate(1, candidate);
    multiplyTo(cb, cb, forget, hidden);
    addProduct(cb, input, candidate, hidden);
    if (peephole)
      addProduct(output, peephole + hidden, cb, hidden);
    activate(0, output);
    std::copy_n(cb, hidden, hb);
    activate(2, hb);
    multiplyTo(hb, hb, output, hidden);
  }

  const RecurrentParams &params;
  const RecurrentInputs &inputs;
  int64_t direction, directions, hidden, gates, times, batches, depth;
  bool reverse;
  const float *packed;
  const Activation *activations;
  // In the scratch memory: the gates of all steps, the recurrent part of one
  // step, and the states of the batch.
  float *projected, *recurrentPart, *h, *c, *resetState;
};

void checkLengths(const RecurrentInputs &inputs, int64_t times) {
  if (!inputs.sequenceLens)
    return;
  for (int32_t length : inputs.sequenceLens->values<int32_t>())
    if (length < 0 || length > times)
      throw Error(fmt::format("sequence_lens of a recurrent operator holds {}, "
                              "but its input has {} time steps",
                              length, times));
}

} // namespace

RecurrentWeights prepareRecurrent(const RecurrentParams &params,
                                  const Tensor &r) {
  requireFloat("a recurrent operator", r);
  int64_t hidden = params.hiddenSize, panels = panelsPerGate(hidden);
  int64_t gates = r.dim(0) * gateCount(params.kind);
  RecurrentWeights weights;
  weights.packed.assign(gates * panels * hidden * panelWidth, 0.0f);
  float *to = weights.packed.data();
  for (int64_t gate = 0; gate < gates; ++gate)
    for (int64_t panel = 0; panel < panels; ++panel) {
      int64_t first = panel * panelWidth;
      int64_t width = std::min(panelWidth, hidden - first);
      const float *from = r.data<float>() + (gate * hidden + first) * hidden;
      for (int64_t k = 0; k < hidden; ++k, to += panelWidth)
        for (int64_t j = 0; j < width; ++j)
          to[j] = from[j * hidden + k];
    }
  return weights;
}

size_t recurrentScratchBytes(const RecurrentParams &params,
                             const Shape &xShape) {
  return sizeof(float) *
         size_t(DirectionRun::scratchFloats(
             xShape[params.layout ? 1 : 0], xShape[params.layout ? 0 : 1],
             gateCount(params.kind), params.hiddenSize));
}

void recurrent(const RecurrentParams &params, const RecurrentInputs &inputs,
               const RecurrentWeights &weights, const RecurrentOutputs &outputs,
               void *scratch) {
  requireFloat("a recurrent operator", inputs.x);
  checkLengths(inputs, inputs.x.dim(params.layout ? 1 : 0));
  for (int64_t direction = 0; direction < inputs.w.dim(0); ++direction)
    DirectionRun(params, inputs, weights, direction,
                 static_cast<float *>(scratch))
        .run(outputs);
}

} // namespace parallax::kernels
