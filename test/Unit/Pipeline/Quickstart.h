//===- Quickstart.h - The digits network for tests of builds ---*- C++ -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// The quickstart with its files wherever the test runs.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_TEST_UNIT_PIPELINE_QUICKSTART_H
#define PARALLAX_TEST_UNIT_PIPELINE_QUICKSTART_H

#include "parallax/Compiler.h"

#include <filesystem>
#include <fmt/format.h>

namespace parallax {

inline CompileOptions quickstart(const std::filesystem::path &outputDir) {
  std::filesystem::path data =
      std::filesystem::path(PARALLAX_ROOT) / "configs" / "quickstart";
  CompileOptions options;
  options.configText = fmt::format(
      R"({{"input": "{0}/digits.onnx", "target_hardware": "AX650",
          "output_dir": "{1}",
          "quant": {{"input_configs": [{{"tensor_name": "image",
            "calibration_dataset": "{0}/calibration.tar",
            "calibration_format": "Numpy"}}]}}}})",
      data.string(), outputDir.string());
  return options;
}

} // namespace parallax

#endif // PARALLAX_TEST_UNIT_PIPELINE_QUICKSTART_H
