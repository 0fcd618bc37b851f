//===- Diagnosis.cpp - Why a layer is bad ---------------------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// The names that tables and files give to causes.
//===----------------------------------------------------------------------===//
#include "parallax/Analysis/Diagnosis.h"

namespace parallax {

std::string_view nameOf(Cause cause) {
  switch (cause) {
  case Cause::ActivationOutliers:
    return "ActivationOutliers";
  case Cause::WideRange:
    return "WideRange";
  case Cause::DeadChannels:
    return "DeadChannels";
  case Cause::Saturation:
    return "Saturation";
  case Cause::WeightRange:
    return "WeightRange";
  case Cause::CoarseStep:
    return "CoarseStep";
  case Cause::TableInterpolation:
    return "TableInterpolation";
  case Cause::Upstream:
    return "Upstream";
  case Cause::InputPreparation:
    return "InputPreparation";
  case Cause::ReferenceArithmetic:
    return "ReferenceArithmetic";
  case Cause::MachineArithmetic:
    return "MachineArithmetic";
  }
  return "";
}

} // namespace parallax
