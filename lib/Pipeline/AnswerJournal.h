//===- AnswerJournal.h - Answers that outlive their process ----*- C++ -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// While networks are evaluated, what they have answered is on the disk, and a
// later evaluation of the same goes on from there.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_LIB_PIPELINE_ANSWERJOURNAL_H
#define PARALLAX_LIB_PIPELINE_ANSWERJOURNAL_H

#include "parallax/Evaluate/Task.h"
#include "parallax/Support/AppendedFile.h"

#include <chrono>
#include <map>
#include <mutex>
#include <optional>

namespace parallax {

class AnswerJournal {
public:
  /// Takes what an earlier evaluation has left if `resume`, else starts anew.
  /// The identity is that of all that answers depend on, as words. Resuming
  /// under another one is an Error that names the words that differ. All ranks
  /// of a job read the file of the first one.
  AnswerJournal(std::filesystem::path file, const std::string &identity,
                bool resume);

  /// The answers of a network that are known, by run.
  const std::map<size_t, Answer> &known(const std::string &network);
  /// One more answer; any thread may call this. Now and then they are written.
  void add(const std::string &network, size_t run, const Answer &answer);
  /// Writes what is left of a network.
  void flush();
  /// The results are there: nothing is left to go on from.
  void remove();

private:
  /// Answers of one network, as they are written.
  struct Block {
    std::string network;
    std::vector<uint64_t> runs;
    std::vector<Answer> answers;

    template <typename Archive> void transfer(Archive &archive) {
      archive(network, runs, answers);
    }
  };

  size_t read(std::string_view text);
  void write();

  std::filesystem::path file;
  std::string header;
  /// Only the first rank writes.
  bool isWriter;
  /// None before there are answers.
  std::optional<AppendedFile> out;
  std::map<std::string, std::map<size_t, Answer>> before;
  std::mutex mutex;
  Block block;
  std::chrono::steady_clock::time_point written =
      std::chrono::steady_clock::now();
};

} // namespace parallax

#endif // PARALLAX_LIB_PIPELINE_ANSWERJOURNAL_H
