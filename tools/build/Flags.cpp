//===- Flags.cpp - Fields of a configuration as flags ---------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Only splits the command line into words: what they mean, and whether they are
// right, the reader of configurations knows.
//===----------------------------------------------------------------------===//
#include "Flags.h"
#include "parallax/Config/BuildConfig.h"
#include "parallax/Config/Description.h"

#include <CLI/CLI.hpp>

namespace parallax {

void addConfigFlags(CLI::App &app, std::vector<ConfigOverride> &given) {
  for (const ConfigFlag &flag : configFlags())
    app.add_option(
           "--" + flag.field,
           [&given, field = flag.field](const CLI::results_t &words) {
             given.push_back({field, words});
             return true;
           },
           flag.help)
        ->expected(int(flag.minWords), int(flag.maxWords))
        // Else "[a,b]", which is a regular expression, would become two words.
        ->allow_extra_args(false)
        ->type_name(flag.valueName)
        ->group(flag.group.empty() ? "Fields of the configuration"
                                   : "Fields of '" + flag.group + "'");
}

} // namespace parallax
