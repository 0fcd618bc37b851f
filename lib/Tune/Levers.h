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

/// The levers that lower the error of the outputs, as far as the configuration
/// allows them; empty if none does.
std::vector<ConfigEdit> chooseLevers(Search &search);

} // namespace parallax

#endif // PARALLAX_LIB_TUNE_LEVERS_H
