//===- NamePattern.cpp - Regular expressions for names --------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Wraps std::regex: checks a pattern for nested repetitions and lookaheads
// before it is compiled, and explains errors in plain words.
//===----------------------------------------------------------------------===//
#include "parallax/Support/NamePattern.h"
#include "parallax/Support/Error.h"

#include <algorithm>
#include <cctype>
#include <fmt/format.h>
#include <regex>
#include <vector>

namespace parallax {
namespace {

using ErrorCode = std::regex_constants::error_type;

std::string_view explain(ErrorCode code) {
  using namespace std::regex_constants;
  static const std::pair<ErrorCode, std::string_view> texts[] = {
      {error_ctype,
       "no class of characters has the name between '[:' and ':]'"},
      {error_collate, "no character has the name between '[.' and '.]'"},
      {error_escape, "a '\\' stands before a character that it can't escape"},
      {error_backref, "it refers to a group that it does not have"},
      {error_brack, "a '[' is not closed"},
      {error_paren, "'(' and ')' don't pair up"},
      {error_brace, "a '{' is not closed"},
      {error_badbrace, "'{' and '}' must enclose one or two numbers"},
      {error_range, "a range between '[' and ']' ends before it begins"},
      {error_badrepeat, "'*', '+', '?' or '{' has nothing before it to repeat"},
      {error_complexity, "it refers back to a group, which is not supported"},
  };
  for (const auto &[known, text] : texts)
    if (known == code)
      return text;
  return "it is too large";
}

/// Nested counts multiply the size of the automaton, and nested lookaheads the
/// time that it takes; nothing else can make either large.
class BoundsCheck {
public:
  explicit BoundsCheck(std::string_view pattern) : pattern(pattern) {}

  void run() {
    for (; at < pattern.size(); ++at)
      switch (pattern[at]) {
      case '\\':
        ++at;
        break;
      case '[':
        skipClass();
        break;
      case '(':
        open();
        break;
      case ')':
        if (lookaheads.empty())
          hasExtraParenthesis = true;
        else
          lookaheads.pop_back();
        break;
      case '{':
        count();
        break;
      }
  }

  bool hasPairs() const { return lookaheads.empty() && !hasExtraParenthesis; }

private:
  void skipClass() {
    while (++at < pattern.size() && pattern[at] != ']')
      at += pattern[at] == '\\';
  }

  void open() {
    std::string_view next = pattern.substr(at + 1, 2);
    bool isLookahead = next == "?=" || next == "?!";
    if (isLookahead && std::ranges::count(lookaheads, true) > 0)
      throw Error("has a lookahead inside of another one, which would take too "
                  "long");
    lookaheads.push_back(isLookahead);
  }

  void count() {
    size_t largest = 1, number = 0;
    for (++at; at < pattern.size() && pattern[at] != '}'; ++at) {
      bool isDigit = std::isdigit(static_cast<unsigned char>(pattern[at]));
      number = isDigit ? std::min<size_t>(number * 10 + (pattern[at] - '0'),
                                          NamePattern::maxRepetitions + 1)
                       : 0;
      largest = std::max(largest, number);
    }
    repetitions *= largest;
    if (repetitions > NamePattern::maxRepetitions)
      throw Error(fmt::format("repeats something more than {} times with '{{' "
                              "and '}}'; use '*' or '+'",
                              NamePattern::maxRepetitions));
  }

  std::string_view pattern;
  size_t at = 0;
  size_t repetitions = 1;
  /// For each group that is open, whether it is a lookahead.
  std::vector<bool> lookaheads;
  bool hasExtraParenthesis = false;
};

} // namespace

struct NamePattern::Compiled {
  std::regex regex;
};

NamePattern::NamePattern(const std::string &pattern) {
  if (pattern.size() > maxLength)
    throw Error(fmt::format("is longer than {} characters", maxLength));
  BoundsCheck check(pattern);
  check.run();
  auto options = std::regex::ECMAScript | std::regex::nosubs;
#ifdef __GLIBCXX__
  // Follows all alternatives at once, instead of one after the other.
  options |= std::regex_constants::__polynomial;
#endif
  try {
    compiled =
        std::make_shared<Compiled>(Compiled{std::regex(pattern, options)});
  } catch (const std::regex_error &error) {
    ErrorCode code = error.code();
    // The library takes whatever can't begin an expression for a parenthesis.
    if (code == std::regex_constants::error_paren && check.hasPairs())
      code = std::regex_constants::error_badrepeat;
    throw Error(fmt::format("is not a regular expression: {}", explain(code)));
  }
}

bool NamePattern::matches(const std::string &name) const {
  return name.size() <= maxNameLength &&
         std::regex_match(name, compiled->regex);
}

} // namespace parallax
