//===- ShowCase.cpp - What is in a case -----------------------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// What a receiver wants to know of a case before it is unpacked: what is wrong,
// what is in it, and whether it arrived as it was sent.
//===----------------------------------------------------------------------===//
#include "parallax/Case/ShowCase.h"
#include "parallax/Support/Unicode.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace fs = std::filesystem;

namespace parallax {
namespace {

/// A file, or a folder and all that is below it.
struct Part {
  std::string_view prefix, meaning;
};

/// In the order in which a reader needs them.
constexpr Part parts[] = {
    {"ticket.md", "the problem, in words"},
    {"answers.json", "what a person said about it"},
    {"config.json", "the configuration, with paths into the case"},
    {"target.json", "the chip"},
    {"model/", "the float network"},
    {"data/", "what is calibrated on, as the network reads it, or ranges"},
    {"samples/", "the samples that were analyzed"},
    {"expected/", "what was found: log, tables, digests, tensors"},
    {"reduction.", "how the network was made small"},
    {"", "anything else"},
};

std::string formatSize(uint64_t bytes) {
  if (bytes < 10'000)
    return fmt::format("{} bytes", bytes);
  return bytes < 1'000'000 ? fmt::format("{:.1f} kB", double(bytes) / 1e3)
                           : fmt::format("{:.2f} MB", double(bytes) / 1e6);
}

std::string sizeOf(const fs::path &path) {
  return fs::is_directory(path) ? "unpacked" : formatSize(fs::file_size(path));
}

Table tableOfParts(const CaseManifest &manifest) {
  struct Sum {
    size_t files = 0;
    uint64_t bytes = 0;
  } sums[std::size(parts)];
  for (const CaseEntry &entry : manifest.files) {
    auto part = std::find_if(std::begin(parts), std::end(parts),
                             [&](const Part &candidate) {
                               return entry.path.starts_with(candidate.prefix);
                             });
    Sum &sum = sums[part - parts];
    ++sum.files;
    sum.bytes += entry.size;
  }
  Table table({Column::label("Part"), Column::number("Files"),
               Column::number("Bytes"), Column::text("What it is", 1)});
  for (size_t at = 0; at < std::size(parts); ++at)
    if (sums[at].files > 0)
      table.addRow(
          {std::string(parts[at].prefix), std::to_string(sums[at].files),
           std::to_string(sums[at].bytes), std::string(parts[at].meaning)});
  return table;
}

Table tableOfFiles(const CaseManifest &manifest) {
  Table table({Column::text("File"), Column::number("Bytes"),
               Column::label("SHA-256", 1)});
  for (const CaseEntry &entry : manifest.files)
    table.addRow({entry.path, std::to_string(entry.size), entry.sha256});
  return table;
}

std::string orNone(const std::string &text, std::string_view none) {
  return text.empty() ? std::string(none) : printable(text);
}

} // namespace

std::string describeCase(const fs::path &path, const CaseManifest &manifest,
                         bool withFiles, const TableStyle &style) {
  std::string text =
      fmt::format("{}, {}\n", printable(path.string()), sizeOf(path));
  const std::pair<std::string_view, std::string> facts[] = {
      {"verdict", orNone(manifest.verdict, "none")},
      {"packed by", printable(describe(manifest.tool))},
      {"command", orNone(manifest.command, "unknown")},
      {"replaced",
       orNone(fmt::format("{}", fmt::join(manifest.replaced, ", ")),
              "nothing: network, weights and data are the user's own")},
      {"files", fmt::format("{}, {} unpacked", manifest.files.size(),
                            formatSize(manifest.totalSize()))}};
  for (const auto &[name, fact] : facts)
    text += fmt::format("  {:<11}{}\n", fmt::format("{}:", name), fact);
  Table table = withFiles ? tableOfFiles(manifest) : tableOfParts(manifest);
  return text + table.render(style);
}

} // namespace parallax
