//===- AnswerJournal.cpp - Answers that outlive their process -------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// A line with the identity, then blocks of bytes, each with its size and its
// digest. What a killed process has half written is dropped.
//===----------------------------------------------------------------------===//
#include "AnswerJournal.h"

#include "parallax/Support/Bytes.h"
#include "parallax/Support/Clock.h"
#include "parallax/Support/Digest.h"
#include "parallax/Support/Log.h"
#include "parallax/Support/MappedFile.h"
#include "parallax/Support/Ranks.h"

#include <fmt/format.h>

namespace fs = std::filesystem;

namespace parallax {
namespace {

/// So many answers, or so many seconds of them, are written at once.
constexpr size_t mostAnswers = 256;
constexpr double mostSeconds = 5;

constexpr std::string_view title = "parallax answers: ";

} // namespace

AnswerJournal::AnswerJournal(fs::path path, const std::string &identity,
                             bool resume)
    : file(std::move(path)), header(fmt::format("{}{}\n", title, identity)),
      isWriter(ranks().isFirst()) {
  if (resume) {
    std::string text = ranks().fromFirst("earlier answers", [&] {
      return fs::exists(file) ? readText(file) : std::string();
    });
    if (size_t size = read(text); size > 0 && isWriter)
      out.emplace(file, size);
  } else if (isWriter) {
    std::error_code ignored;
    fs::remove(file, ignored);
  }
}

/// Returns where the last whole block ends.
size_t AnswerJournal::read(std::string_view text) {
  if (text.empty()) {
    log(LogLevel::Info, "there are no answers in {} to go on from",
        file.parent_path().string());
    return 0;
  }
  size_t done = text.find('\n') + 1;
  if (!text.starts_with(title) || done == 0)
    throw Error(fmt::format("{}: these are no answers of an evaluation; "
                            "evaluate without --resume to start anew",
                            file.string()));
  if (text.substr(0, done) != header) {
    auto identityIn = [](std::string_view line) {
      return std::string(line.substr(title.size()));
    };
    throw Error(fmt::format(
        "{}: these answers were given before {} changed; evaluate without "
        "--resume to start anew",
        file.string(),
        namesOfChanges(identityIn(text.substr(0, done)), identityIn(header))));
  }
  while (done + sizeof(uint64_t) + digestDigits <= text.size()) {
    uint64_t size = 0;
    ByteReader(text.substr(done))(size);
    size_t begin = done + sizeof(size) + digestDigits;
    if (size > text.size() - begin)
      break;
    std::string_view bytes = text.substr(begin, size);
    if (sha256Of(bytes) != text.substr(done + sizeof(size), digestDigits))
      break;
    Block found;
    ByteReader{bytes}(found);
    for (size_t i = 0; i < found.runs.size() && i < found.answers.size(); ++i)
      before[found.network][size_t(found.runs[i])] = found.answers[i];
    done = begin + size;
  }
  return done;
}

const std::map<size_t, Answer> &
AnswerJournal::known(const std::string &network) {
  return before[network];
}

void AnswerJournal::add(const std::string &network, size_t run,
                        const Answer &answer) {
  if (!isWriter)
    return;
  std::lock_guard lock(mutex);
  block.network = network;
  block.runs.push_back(run);
  block.answers.push_back(answer);
  if (block.runs.size() >= mostAnswers || secondsSince(written) > mostSeconds)
    write();
}

void AnswerJournal::flush() {
  std::lock_guard lock(mutex);
  if (!block.runs.empty())
    write();
}

void AnswerJournal::write() {
  ByteWriter bytes;
  bytes(block);
  ByteWriter size;
  size(uint64_t(bytes.bytes().size()));
  // A command that fails before there are answers leaves no file.
  if (!out)
    out.emplace(file, header);
  out->append(size.bytes() + sha256Of(bytes.bytes()) + bytes.bytes());
  block = {};
  written = std::chrono::steady_clock::now();
}

void AnswerJournal::remove() {
  std::error_code ignored;
  if (out)
    fs::remove(file, ignored);
  out.reset();
}

} // namespace parallax
