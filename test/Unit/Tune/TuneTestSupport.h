//===- TuneTestSupport.h - Trials for tests --------------------*- C++ -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Records to write and to read, and what was said while doing so.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_TEST_UNIT_TUNE_TUNETESTSUPPORT_H
#define PARALLAX_TEST_UNIT_TUNE_TUNETESTSUPPORT_H

#include "parallax/Support/Listener.h"
#include "parallax/Tune/History.h"

namespace parallax {

inline const std::string tuneIdentity = "configuration=1 model=2 version=3";

/// No two members of a trial have the same value.
inline TrialRecord trialRecord(int64_t number) {
  TrialRecord record;
  record.number = number;
  record.purpose = "cut 3";
  record.edits = {{"quant.layer_configs",
                   "{\"layer_name\": \"a\\nb\", \"data_type\": \"U16\"}", true},
                  {"quant.calibration_method", "\"MSE\"", false}};
  record.metric = {0.1 + 0.2, 0.1, 1.0 / 3};
  record.loss = {-1e-300, -0.0, 5e-324};
  record.samples = 50;
  record.cycles = 1234567890123456789;
  record.predictedMetric = 0.4401;
  record.predictedCycles = -1;
  record.seconds = 12.5;
  record.digest = "0f1e";
  return record;
}

/// Collects the warnings of a thread.
class Warnings : public Listener {
public:
  void onMessage(LogLevel level, std::string_view text) override {
    if (level == LogLevel::Warning)
      texts.emplace_back(text);
  }

  std::vector<std::string> texts;

private:
  ListenerScope scope{*this};
};

} // namespace parallax

#endif // PARALLAX_TEST_UNIT_TUNE_TUNETESTSUPPORT_H
