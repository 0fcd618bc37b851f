//===- Levers.h - Changes that cost no cycles ------------------*- C++ -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Calibration methods, equalization, SmoothQuant, EasyQuant and bias
// correction: chosen by the error of the outputs on a few samples.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_LIB_TUNE_LEVERS_H
#define PARALLAX_LIB_TUNE_LEVERS_H

#include "Search.h"

namespace parallax {

struct ChosenLevers {
  std::vector<ConfigEdit> edits;
  /// The part of the squared error of the outputs that they leave.
  double left = 1;
};

/// The levers that lower the error of the outputs, as far as the configuration
/// allows them; none if none does.
ChosenLevers chooseLevers(Search &search);

} // namespace parallax

#endif // PARALLAX_LIB_TUNE_LEVERS_H
