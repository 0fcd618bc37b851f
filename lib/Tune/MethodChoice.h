//===- MethodChoice.h - Which tensor gets which calibration ----*- C++ -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// What each tensor loses alone adds up, so that each can have the method that
// it loses least with, and nothing has to be built to know what they would lose
// together.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_LIB_TUNE_METHODCHOICE_H
#define PARALLAX_LIB_TUNE_METHODCHOICE_H

#include "Levers.h"

#include "parallax/Support/AffineParams.h"

#include <map>

namespace parallax {

/// What an entry of tensor_configs says.
struct TensorMethod {
  std::string name;
  /// Of Percentile, else 0.
  double percentile = 0;

  auto operator<=>(const TensorMethod &) const = default;
};

/// What tensors lose alone if all ranges are chosen with one method, as parts
/// of the squared error of the outputs, and the codes that they get.
struct MethodLosses {
  TensorMethod method;
  /// On separate parts of the samples, which have as many each.
  std::vector<std::map<std::string, double>> losses;
  std::map<std::string, AffineParams> codes;
};

struct MethodChoice {
  /// By method, the tensors that get another one than the first.
  std::map<TensorMethod, std::vector<std::string>> tensors;
  /// The sum of all losses before and after.
  double before = 0, after = 0;
};

/// Gives tensors other methods than the first where that leaves less than
/// `mostLeft` of what they lose, on every part of the samples: what helps some
/// by cutting their rare values cuts what others need. Tensors that share their
/// codes stay together.
MethodChoice chooseMethods(const std::vector<MethodLosses> &methods,
                           double mostLeft);

/// Entries of tensor_configs beside other levers; none if they don't lower the
/// error of the outputs.
ChosenLevers chooseTensorMethods(Search &search,
                                 const std::vector<ConfigEdit> &levers);

} // namespace parallax

#endif // PARALLAX_LIB_TUNE_METHODCHOICE_H
