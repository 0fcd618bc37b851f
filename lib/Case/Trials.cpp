//===- Trials.cpp - Builds of candidates ----------------------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Answers are lines of a file that only grows, so that a kill
// at any moment costs one of them at most.
//===----------------------------------------------------------------------===//
#include "Trials.h"
#include "CaseBuild.h"

#include "parallax/Case/Manifest.h"
#include "parallax/Support/AtomicFile.h"
#include "parallax/Support/Digest.h"
#include "parallax/Support/Error.h"

#include <algorithm>
#include <fmt/format.h>
#include <fstream>

namespace fs = std::filesystem;

namespace parallax {

Trials::Trials(fs::path path, Settings settings)
    : settings(std::move(settings)), folder(std::move(path)) {
  createParentDirectories(folder / "answers.txt");
  std::ifstream file(folder / "answers.txt");
  std::string key, answer;
  while (file >> key >> answer)
    if (answer == "yes" || answer == "no")
      answers[key] = answer == "yes";
}

std::string Trials::keyOf(const fs::path &files,
                          const Predicate &predicate) const {
  std::vector<std::string> lines;
  for (const fs::directory_entry &entry :
       fs::recursive_directory_iterator(files))
    if (entry.is_regular_file())
      lines.push_back(fmt::format("{} {}\n",
                                  fs::relative(entry.path(), files).string(),
                                  sha256OfFile(entry.path())));
  std::sort(lines.begin(), lines.end());
  std::string text =
      fmt::format("{}\n{}\n", describe(thisTool()), predicate.words());
  for (const std::string &line : lines)
    text += line;
  return sha256Of(std::as_bytes(std::span(text)));
}

void Trials::remember(const std::string &key, bool answer) {
  answers[key] = answer;
  std::ofstream file(folder / "answers.txt", std::ios::app);
  file << fmt::format("{} {}\n", key, answer ? "yes" : "no");
}

bool Trials::build(const fs::path &files, const Predicate &predicate) {
  ChildResult built;
  if (predicate.kind == Predicate::Kind::Command)
    built = runChild({"/bin/sh", "-c", predicate.text}, files,
                     folder / "build.txt", settings.maxSeconds);
  else
    built = buildCase(settings.builder, files, "evidence", folder / "build.txt",
                      settings.maxSeconds);
  return predicate.holds(built, files);
}

bool Trials::shows(const Candidate &candidate, const Predicate &predicate) {
  fs::path files = folder / "candidate";
  fs::remove_all(files);
  try {
    candidate.write(files, settings.target);
  } catch (const WriteError &) {
    throw;
  } catch (const Error &) {
    return false; // It is not a network that a file could hold.
  }
  std::string key = keyOf(files, predicate);
  auto known = answers.find(key);
  if (known != answers.end() && !known->second)
    return false;
  if (known == answers.end()) {
    ++tests;
    remember(key, build(files, predicate));
    if (!answers[key])
      return false;
  }
  fs::remove_all(best());
  fs::rename(files, best());
  return true;
}

} // namespace parallax
