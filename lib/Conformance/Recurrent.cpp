//===- Recurrent.cpp - Vectors of recurrent layers ------------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// C100 to C109, and C99 in float.
//===----------------------------------------------------------------------===//
#include "Vectors.h"

#include <fmt/format.h>

namespace parallax::conformance {
namespace {

constexpr int64_t depth = 4, hidden = 3;

struct Cell {
  const char *kind;
  int64_t gates;
  const char *functions;
};
constexpr Cell lstm = {"lstm", 4, "\"Sigmoid\", \"Tanh\", \"Tanh\""};
constexpr Cell gru = {"gru", 3, "\"Sigmoid\", \"Tanh\""};
constexpr Cell rnn = {"rnn", 1, "\"Tanh\""};

struct Layer {
  std::string name, clauses;
  Cell cell;
  /// "forward", "reverse" or "bidirectional".
  std::string direction = "forward";
  std::string more = {};
  bool batchFirst = false, isFloat = false;
  /// Of the codes of x and of the results.
  std::string x = "u8:f32, 0.03125:128", y = "i8:f32, 0.0078125:3";
  std::string initial = "i16:f32, 0.00003:0", last = "i16:f32, 0.00003:7";
  int64_t steps = 5;
  std::vector<double> lengths = {5, 3};
};

void addLayer(Vectors &to, const Layer &layer) {
  int64_t directions = layer.direction == "bidirectional" ? 2 : 1, batch = 2;
  int64_t steps = layer.steps;
  int64_t rows = layer.cell.gates * hidden;
  bool isLstm = layer.cell.gates == 4;
  std::string functions = layer.cell.functions;
  if (directions == 2)
    functions += std::string(", ") + layer.cell.functions;
  std::string f32 = "f32";
  auto codes = [&](const std::string &text) {
    return layer.isFloat ? f32 : text;
  };
  auto weightsOf = [&](int64_t columns) {
    return constant(fmt::format("{}x{}x{}", directions, rows, columns),
                    codes("i8<-127:127>:f32, 0.0078125"),
                    layer.isFloat ? between(-1, 1) : any());
  };
  std::string state = layer.batchFirst
                          ? fmt::format("{}x{}x{}", batch, directions, hidden)
                          : fmt::format("{}x{}x{}", directions, batch, hidden);
  std::string sequence =
      layer.batchFirst
          ? fmt::format("{}x{}x{}x{}", batch, steps, directions, hidden)
          : fmt::format("{}x{}x{}x{}", steps, directions, batch, hidden);
  std::vector<Port> operands = {
      input(layer.batchFirst ? fmt::format("{}x{}x{}", batch, steps, depth)
                             : fmt::format("{}x{}x{}", steps, batch, depth),
            codes(layer.x)),
      weightsOf(depth),
      weightsOf(hidden),
      constant(fmt::format("{}x{}", directions, 2 * rows), f32, between(-1, 1)),
      constant(fmt::format("{}", batch), "i32", cycle(layer.lengths)),
      input(state, codes(layer.initial))};
  if (isLstm) {
    operands.push_back(input(state, codes("i16:f32, 0.00006:0")));
    operands.push_back(constant(fmt::format("{}x{}", directions, 3 * hidden),
                                f32, between(-1, 1)));
  }
  std::vector<Port> results = {result(sequence, codes(layer.y)),
                               result(state, codes(layer.last))};
  if (isLstm)
    results.push_back(result(state, codes("i16:f32, 0.0001:-5")));
  to.push_back(
      {layer.name, layer.clauses, std::string("nn.") + layer.cell.kind,
       fmt::format("activation_alpha = array<f32>, activation_beta = "
                   "array<f32>, activations = [{}], direction = \"{}\", "
                   "hidden_size = {} : i64, layout = {} : i64{}",
                   functions, layer.direction, hidden, layer.batchFirst ? 1 : 0,
                   layer.more),
       operands, results});
}

} // namespace

void addRecurrent(Vectors &to) {
  const std::string common = "C10 C100 C101 C102 C103 C104 C108 C109 ";
  addLayer(to, {"lstm", common + "C105", lstm});
  addLayer(to, {"lstm-reverse", common + "C105", lstm, "reverse"});
  addLayer(to, {"lstm-both", common + "C105", lstm, "bidirectional", "", true});
  addLayer(to,
           {"lstm-forget", "C105", lstm, "forward", ", input_forget = true"});
  addLayer(
      to, {"lstm-clip", "C101 C105", lstm, "forward", ", clip = 0.7531 : f32"});
  addLayer(to, {"gru", common + "C106", gru});
  addLayer(to, {"gru-before", common + "C106", gru, "forward",
                ", linear_before_reset = true"});
  addLayer(to, {"gru-both", common + "C106", gru, "bidirectional"});
  addLayer(to, {"rnn", common + "C107", rnn, "forward", "", true});
  addLayer(to, {"rnn-u16", common + "C107", rnn, "reverse", "", false, false,
                "u16:f32, 0.0001:32768", "u16:f32, 0.00003:32768"});
  // Many steps, of which every bit shows.
  for (Layer layer : {Layer{"lstm-long", common + "C105", lstm},
                      Layer{"gru-long", common + "C106", gru}}) {
    layer.y = "i16:f32, 0.0000305:0";
    layer.steps = 40;
    layer.lengths = {40, 33};
    addLayer(to, layer);
  }
  // No step at all: the initial state, whose units are those of the result.
  Layer none{"rnn-none", "C103 C108", rnn};
  none.lengths = {0, 0};
  none.initial = "i16:f32, 0.000000001396983861923218:0";
  none.last = "i16:f32, 0.0000000009313225746154785:0";
  addLayer(to, none);
  for (const Cell &cell : {lstm, gru, rnn})
    for (const char *direction : {"forward", "bidirectional"})
      addLayer(to, {fmt::format("float-{}-{}", cell.kind, direction), "C99",
                    cell, direction, ", clip = 1.5 : f32", false, true});
  addLayer(to, {"float-gru-before", "C99", gru, "forward",
                ", linear_before_reset = true", false, true});
  addLayer(to, {"float-lstm-forget", "C99", lstm, "reverse",
                ", input_forget = true", true, true});
}

} // namespace parallax::conformance
