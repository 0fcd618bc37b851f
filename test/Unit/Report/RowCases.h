//===- RowCases.h - Every field of a row of the table ----------*- C++ -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// One line per field of the file and column of the full table: what they show
// of sampleTable(), written by hand.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_TEST_UNIT_REPORT_ROWCASES_H
#define PARALLAX_TEST_UNIT_REPORT_ROWCASES_H

#include "parallax/Report/Table.h"

#include <array>
#include <nlohmann/json.hpp>

namespace parallax {

/// A field of the JSON file, and what the first row has in it.
struct FieldValue {
  const char *field;
  nlohmann::json value;
};

inline std::vector<FieldValue> rowFields() {
  using nlohmann::json;
  return {{"operator", "conv"},
          {"type", "Conv"},
          {"tensor", "conv_out"},
          {"shape", {1, 32, 112, 112}},
          {"dtype", "FP32"},
          {"qdtype", "U8"},
          {"is_output", false},
          {"cosine", 0.9999999},
          {"mse", 0.000034},
          {"similarity", 0.9999999},
          {"sqnr_db", 35.5},
          {"max_abs", 0.25},
          {"max_steps", 2.5},
          {"worst_sample", 1},
          {"worst_sample_cosine", 0.875},
          {"channels", 32},
          {"worst_channel", 7},
          {"worst_channel_cosine", 0.5},
          {"dead_channels", 3},
          {"sparse_channels", 0},
          {"saturated", 0.0001},
          {"rows", 0},
          {"agreement", nullptr},
          {"clearly_moved", 0},
          {"is_exact", false},
          {"samples", 2},
          {"count", 802816},
          {"nan_quantized", 0},
          {"nan_float", 0},
          {"inf_quantized", 0},
          {"inf_float", 0},
          {"special", 0},
          {"unequal", 0},
          {"inputs", json::array()},
          {"cycles", 0},
          {"moves", false},
          {"groups", json::array()}};
}

/// A column that only the full table has, and what it shows of all four rows.
struct ColumnTexts {
  const char *heading;
  std::array<const char *, 4> texts;
};

/// In their order; row 0 takes 1234567 cycles, and row 3 has 8 rows of classes
/// of which 7 agree.
inline std::vector<ColumnTexts> fullColumns() {
  return {{"SQNR dB", {"35.50", "35.50", "-", "inf"}},
          {"Max Error", {"2.50", "2.50", "-", "0.00"}},
          {"Worst Sample", {"0.87500 (1)", "0.87500 (1)", "0.50000 (0)", "-"}},
          {"Worst Channel", {"0.50000 (7)", "0.50000 (7)", "-", "-"}},
          {"Saturated", {"< 0.1 %", "< 0.1 %", "-", "0.0 %"}},
          {"Dead Channels", {"3/32", "3/32", "-", "-"}},
          {"Argmax", {"-", "-", "-", "7/8"}},
          {"Cycles", {"1234567", "-", "-", "-"}}};
}

} // namespace parallax

#endif // PARALLAX_TEST_UNIT_REPORT_ROWCASES_H
