//===- parallax.cpp - The driver ------------------------------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// A table of subcommands, nothing else. Under another name the program is the
// subcommand of that name: `build --config …` means `parallax build …`.
//===----------------------------------------------------------------------===//
#include "../build/Build.h"
#include "../compare/Compare.h"
#include "../inspect/Inspect.h"
#include "../optimize/Optimize.h"
#include "../run/Run.h"

#include <cstdio>
#include <malloc.h>
#include <string_view>

namespace {

struct Subcommand {
  std::string_view name, summary;
  int (*run)(int argc, char **argv);
};

constexpr Subcommand subcommands[] = {
    {"build", "compile a model as a configuration says", parallax::runBuild},
    {"run", "execute a model on files", parallax::runRun},
    {"compare", "compare two tensors or folders of tensors",
     parallax::runCompare},
    {"optimize", "optimize a float model", parallax::runOptimize},
    {"inspect", "show what an ONNX file contains", parallax::runInspect},
};

const Subcommand *find(std::string_view name) {
  for (const Subcommand &subcommand : subcommands)
    if (subcommand.name == name)
      return &subcommand;
  return nullptr;
}

void printHelp(std::FILE *stream) {
  std::fputs("Parallax: an open NPU compiler toolchain for precision analysis\n"
             "\nUsage: parallax <subcommand> [options]\n\nSubcommands:\n",
             stream);
  for (const Subcommand &subcommand : subcommands)
    std::fprintf(stream, "  %-10s%s\n", subcommand.name.data(),
                 subcommand.summary.data());
  std::fputs("  version   print the version\n"
             "\n`parallax <subcommand> --help` shows the options.\n",
             stream);
}

} // namespace

int main(int argc, char **argv) {
  // Tensors get pages of their own, which go back to the system as soon as a
  // tensor is gone. By default glibc would stop doing so after a while.
  mallopt(M_MMAP_THRESHOLD, 256 << 10);
  std::string_view program = argv[0];
  program.remove_prefix(program.rfind('/') + 1);
  if (const Subcommand *subcommand = find(program))
    return subcommand->run(argc, argv);
  std::string_view word = argc > 1 ? argv[1] : "";
  if (const Subcommand *subcommand = find(word))
    return subcommand->run(argc - 1, argv + 1);
  if (word == "--help" || word == "-h" || word == "help") {
    printHelp(stdout);
    return 0;
  }
  if (word == "version" || word == "--version") {
    std::puts("version: " PARALLAX_VERSION);
    return 0;
  }
  if (!word.empty())
    std::fprintf(stderr, "error: '%s' is not a subcommand\n\n", argv[1]);
  printHelp(stderr);
  return 2;
}
