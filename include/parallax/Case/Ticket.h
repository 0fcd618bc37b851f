//===- Ticket.h - The problem in words -------------------------*- C++ -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// The form that support engineers ask for. What the tool knows is filled in;
// what only a person knows is asked for, or left as a blank that can be seen.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_CASE_TICKET_H
#define PARALLAX_CASE_TICKET_H

#include "parallax/Analysis/PrecisionReport.h"
#include "parallax/Config/BuildConfig.h"

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace parallax {

/// What only a person knows.
struct TicketAnswers {
  std::string note;
  std::string otherPlatforms;
  std::string otherFiles;
  std::string floatAccuracy, boardAccuracy;
};

/// The file of a case in which they are for programs.
inline constexpr const char *answersName = "answers.json";
std::string toJson(const TicketAnswers &answers);
/// Answers that are not given are taken from a file, if it has them.
void completeAnswers(TicketAnswers &answers, const std::filesystem::path &file);

struct Ticket {
  TicketAnswers answers;
  /// As it is in the case.
  BuildConfig config;
  std::string command, tool;
  /// What is wrong, in one line.
  std::string verdict;
  /// None if the build ended before the analysis.
  std::optional<PrecisionReport> report;
  /// The end of what a build printed that failed.
  std::string failure;
  std::vector<std::string> replaced;
  /// How the network was made small; empty if it was not.
  std::vector<std::string> reduction;
};

/// What is wrong, in one line.
std::string oneLineVerdict(const PrecisionReport &report);

/// ticket.md.
std::string ticketText(const Ticket &ticket);

} // namespace parallax

#endif // PARALLAX_CASE_TICKET_H
