//===- BitDifference.cpp - Where NPU and reference differ -----------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// The names that tables and files give to the classes of differences.
//===----------------------------------------------------------------------===//
#include "parallax/Analysis/BitDifference.h"

namespace parallax {

std::string_view nameOf(DifferenceClass difference) {
  switch (difference) {
  case DifferenceClass::RoundingTie:
    return "RoundingTie";
  case DifferenceClass::Saturation:
    return "Saturation";
  case DifferenceClass::TableInterpolation:
    return "TableInterpolation";
  case DifferenceClass::ScaleOrZeroPoint:
    return "ScaleOrZeroPoint";
  case DifferenceClass::Accumulator:
    return "Accumulator";
  case DifferenceClass::ReferenceSum:
    return "ReferenceSum";
  case DifferenceClass::ReferenceNotFinite:
    return "ReferenceNotFinite";
  case DifferenceClass::Approximation:
    return "Approximation";
  case DifferenceClass::Rounding:
    return "Rounding";
  case DifferenceClass::TableEntries:
    return "TableEntries";
  case DifferenceClass::Layout:
    return "Layout";
  }
  return "";
}

bool isFault(DifferenceClass difference) {
  switch (difference) {
  case DifferenceClass::RoundingTie:
  case DifferenceClass::TableInterpolation:
  case DifferenceClass::ReferenceSum:
  case DifferenceClass::ReferenceNotFinite:
  case DifferenceClass::Approximation:
    return false;
  default:
    return true;
  }
}

bool isFaultOfReference(DifferenceClass difference) {
  return difference == DifferenceClass::ReferenceNotFinite;
}

} // namespace parallax
