//===- Compare.cpp - The subcommand `parallax compare` --------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Reads the command line and measures pair after pair, so that only two
// tensors are in memory at a time.
//===----------------------------------------------------------------------===//
#include "Compare.h"

#include "../common/Subcommand.h"
#include "parallax/Report/Comparison.h"
#include "parallax/Support/Error.h"
#include "parallax/Support/Unicode.h"

#include <CLI/CLI.hpp>
#include <charconv>
#include <cmath>
#include <fmt/format.h>

namespace parallax {
namespace {

struct CompareFlags {
  std::string a, b, dtype, shape;
  Criterion criterion;
  bool json = false;
  CommonOptions common;
};

Shape parseShape(const std::string &text) {
  Shape shape;
  if (text == "scalar")
    return shape;
  for (const char *at = text.data(), *end = at + text.size();;) {
    int64_t dim = 0;
    auto [next, error] = std::from_chars(at, end, dim);
    bool isSeparator = next != end && (*next == 'x' || *next == ',');
    if (error != std::errc() || dim < 0 || (next != end && !isSeparator))
      throw Error(fmt::format("--shape '{}' is not a shape; write it as in "
                              "--shape 1x3x224x224",
                              text));
    shape.push_back(dim);
    if (next == end)
      return shape;
    at = next + 1;
  }
}

RawFormat rawFormatOf(const CompareFlags &options) {
  RawFormat format;
  if (!options.dtype.empty()) {
    format.dtype = parseDType(options.dtype);
    if (!format.dtype)
      throw Error(fmt::format("--dtype '{}' is not an element type; use a "
                              "NumPy name such as float32, int8 or bool",
                              options.dtype));
  }
  if (!options.shape.empty())
    format.shape = parseShape(options.shape);
  return format;
}

void addOptions(CLI::App &app, CompareFlags &options) {
  app.add_option("A", options.a, "a .npy or .bin file, or a folder of them")
      ->required()
      ->type_name("");
  app.add_option("B", options.b, "the reference that A is compared with")
      ->required()
      ->type_name("");
  app.add_option("--dtype", options.dtype,
                 "element type of .bin files, such as float32 or U8")
      ->type_name("TYPE");
  app.add_option("--shape", options.shape,
                 "shape of .bin files, such as 1x3x4; otherwise flat")
      ->type_name("SHAPE");

  auto between = [](double least, double most) {
    return [=](const std::string &text) -> std::string {
      double value = 0;
      if (CLI::detail::lexical_cast(text, value) && value >= least &&
          value <= most)
        return "";
      return fmt::format("'{}' is not a number from {:g} to {:g}", text, least,
                         most);
    };
  };
  app.add_option("--atol", options.criterion.atol,
                 "largest absolute difference that counts as equal;\n"
                 "0 if not given")
      ->type_name("X")
      ->check(between(0, HUGE_VAL));
  app.add_option("--rtol", options.criterion.rtol,
                 "the same, relative to the value in B: equal means\n"
                 "|A-B| <= atol + rtol*|B|; 0 if not given")
      ->type_name("X")
      ->check(between(0, HUGE_VAL));
  app.add_option("--cosine", options.criterion.cosine,
                 "smallest cosine similarity; without --atol and\n"
                 "--rtol it is the only criterion")
      ->type_name("MIN")
      ->check(between(-1, 1));
  app.add_flag("--json", options.json, "print JSON in place of the table");
}

int compareAll(const CompareFlags &options) {
  RawFormat format = rawFormatOf(options);
  FileComparison comparison{options.a, options.b, options.criterion, {}};
  bool anyRaw = false;
  for (const FilePair &pair : pairFiles(options.a, options.b)) {
    anyRaw |= isRawFile(pair.a) || isRawFile(pair.b);
    comparison.findings.push_back(
        compareFiles(pair, format, options.criterion));
  }
  if (!anyRaw && (format.dtype || format.shape))
    log(LogLevel::Warning, "--dtype and --shape have no effect: they describe "
                           ".bin files, and all files are .npy");
  const std::vector<Finding> &findings = comparison.findings;
  if (options.json)
    showResult(toJson(comparison));
  else if (findings.size() == 1 && findings[0].verdict == Verdict::Failed)
    log(LogLevel::Error, "{}", printable(findings[0].message));
  else
    showComparison(comparison);
  return comparison.exitCode();
}

constexpr const char *examples = R"(
Exit code: 0 if equal within the tolerance, 1 if different, 2 if a file is
missing or unreadable or the command line is wrong. Without --atol, --rtol and
--cosine, values must be exactly equal.

Examples:
  parallax compare npu.npy float.npy --cosine 0.99
  parallax compare out.bin golden.bin --dtype float32 --shape 1x1000
  parallax compare dump_a/ dump_b/ --atol 1e-4 --rtol 1e-3)";

} // namespace

int runCompare(int argc, char **argv) {
  CompareFlags options;
  CLI::App app("Compares two tensors, or two folders of tensors, value by "
               "value.",
               "parallax compare");
  app.footer(examples);
  addOptions(app, options);
  return runSubcommand(app, options.common, argc, argv,
                       [&] { return compareAll(options); });
}

} // namespace parallax
