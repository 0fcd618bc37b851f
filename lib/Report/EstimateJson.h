//===- EstimateJson.h - Numbers with intervals for programs ----*- C++ -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// All files spell them the same way.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_LIB_REPORT_ESTIMATEJSON_H
#define PARALLAX_LIB_REPORT_ESTIMATEJSON_H

#include "parallax/Analysis/Accuracy.h"

#include <nlohmann/json.hpp>

namespace parallax {

inline nlohmann::ordered_json estimateJson(const Estimate &estimate,
                                           bool hasInterval) {
  nlohmann::ordered_json json{{"value", estimate.value}};
  if (hasInterval) {
    json["low"] = estimate.low;
    json["high"] = estimate.high;
  }
  return json;
}

} // namespace parallax

#endif // PARALLAX_LIB_REPORT_ESTIMATEJSON_H
