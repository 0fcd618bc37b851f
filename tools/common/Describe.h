//===- Describe.h - The commands and options of the tool -------*- C++ -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// What a command line may contain, as data, out of the tables by which the
// subcommands parse it: a list of its own would be out of date soon.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_TOOLS_COMMON_DESCRIBE_H
#define PARALLAX_TOOLS_COMMON_DESCRIBE_H

#include <string>
#include <vector>

namespace CLI {
class App;
} // namespace CLI

namespace parallax {

struct Subcommand;
struct SubcommandTable;

/// The words behind an option, or one that is given without an option.
struct OptionValue {
  enum class Kind { None, Optional, One, Many } kind = Kind::None;
  /// "FILE", or "Reference|NPUBackend".
  std::string name;
  /// Words that are right, if they can be listed.
  std::vector<std::string> choices;
  /// Whether the name of a file or folder may be right as well.
  bool mayBeFile = false, mayBeFolder = false;
};

struct OptionInfo {
  /// As they are typed, with dashes.
  std::vector<std::string> names;
  /// One sentence.
  std::string summary;
  OptionValue value;
};

struct CommandInfo {
  std::string name, summary;
  std::vector<CommandInfo> subcommands;
  std::vector<OptionInfo> options;
  /// In the order in which they are given.
  std::vector<OptionValue> operands;
};

/// All that can be typed behind `name`. Throws Error if a subcommand declares
/// its options in an unknown way.
CommandInfo describe(std::string name, const SubcommandTable &table);

/// What the subcommand that is being described, if one is, fills in in place of
/// running; null otherwise.
CommandInfo *describedCommand();

void describeOptions(const CLI::App &app, CommandInfo &command);
void describeSubcommands(const SubcommandTable &table, CommandInfo &command);

} // namespace parallax

#endif // PARALLAX_TOOLS_COMMON_DESCRIBE_H
