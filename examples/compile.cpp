//===- compile.cpp - A program that compiles a model ----------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Compiles and analyzes a model as a configuration says, and prints how precise
// its outputs are:
//
//   compile-model config.json OUTPUT_DIR
//===----------------------------------------------------------------------===//
#include "parallax/Compiler.h"

#include <iostream>

using namespace parallax;

namespace {

/// Shows what deserves attention. Events come from any thread.
class Warnings : public Listener {
public:
  bool wants(LogLevel level) const override {
    return level <= LogLevel::Warning;
  }
  void onMessage(LogLevel, std::string_view text) override {
    std::cerr << std::string(text) + "\n";
  }
};

} // namespace

int main(int argc, char **argv) {
  if (argc != 3) {
    std::cerr << "usage: compile-model config.json OUTPUT_DIR\n";
    return 2;
  }
  CompileOptions options;
  options.configFile = argv[1];
  options.overrides = {{"output_dir", {argv[2]}},
                       {"quant.precision_analysis", {"true"}}};
  try {
    Warnings warnings;
    CompileResult result = compile(options, &warnings);
    for (const OutputPrecision &output : result.outputs)
      std::cout << "output '" << output.name << "': cosine " << output.cosine
                << ", " << output.verdict << "\n";
    std::cout << result.cycles << " cycles, "
              << result.files.compiledModel.string() << "\n";
  } catch (const Error &error) {
    std::cerr << error.what() << "\n";
    return 1;
  }
  return 0;
}
