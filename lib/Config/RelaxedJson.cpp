//===- RelaxedJson.cpp - JSON as people write it --------------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// A recursive descent over the text. A mistake after which the rest can still
// be understood is noted; any other ends the parsing.
//===----------------------------------------------------------------------===//
#include "parallax/Config/RelaxedJson.h"
#include "parallax/Support/Unicode.h"

#include <algorithm>
#include <cctype>
#include <fmt/format.h>

namespace parallax {
namespace {

constexpr std::string_view blanks[] = {" ",      "\t",     "\r",    "\n",
                                       "\u00a0", "\u3000", "\ufeff"};

/// No configuration is nested deeper, and the stack holds many times as much.
constexpr int maxDepth = 64;
/// After so many mistakes the text is not a configuration.
constexpr size_t maxErrors = 100;

bool isDigit(char symbol) { return symbol >= '0' && symbol <= '9'; }

bool isWordSymbol(char symbol) {
  return std::isalnum(static_cast<unsigned char>(symbol)) ||
         std::string_view("_+-.$").find(symbol) != std::string_view::npos;
}

/// Why a word without quotes is not a value.
std::string complaintAbout(std::string_view word) {
  for (auto [wrong, right] :
       {std::pair{"True", "true"}, {"False", "false"}, {"None", "null"}})
    if (word == wrong)
      return fmt::format("'{}' is not a value in JSON; write {}", word, right);
  for (std::string_view wrong : {"nan", "inf", "infinity"}) {
    std::string_view bare = word;
    if (bare.starts_with('-') || bare.starts_with('+'))
      bare.remove_prefix(1);
    if (bare.size() == wrong.size() &&
        std::equal(bare.begin(), bare.end(), wrong.begin(), [](char a, char b) {
          return std::tolower(static_cast<unsigned char>(a)) == b;
        }))
      return fmt::format("'{}' is not allowed: give a finite number", word);
  }
  if (isDigit(word[0]) ||
      std::string_view("+-.").find(word[0]) != std::string_view::npos)
    return fmt::format("'{}' is not a number in JSON", word);
  return fmt::format("'{0}' is not a value; a text needs quotes: \"{0}\"",
                     word);
}

class Parser {
  struct Stopped {};

public:
  explicit Parser(std::string_view text) : rest(text) {
    if (rest.starts_with("\xef\xbb\xbf"))
      rest.remove_prefix(3);
  }

  JsonDocument parse() {
    try {
      skipBlanks();
      document.root = parseValue(0);
      skipBlanks();
      if (!rest.empty())
        stop(here, "the configuration ends before this; remove the rest");
    } catch (const Stopped &) {
    }
    return std::move(document);
  }

private:
  void note(JsonPosition position, std::string message) {
    document.errors.push_back({position, std::move(message)});
    if (document.errors.size() >= maxErrors)
      throw Stopped();
  }

  [[noreturn]] void stop(JsonPosition position, std::string message) {
    document.errors.push_back({position, std::move(message)});
    throw Stopped();
  }

  bool at(char symbol) const { return rest.starts_with(symbol); }

  /// Takes one character, which may be several bytes.
  char32_t take() {
    bool isLineEnd = at('\n') || (at('\r') && !rest.starts_with("\r\n"));
    char32_t symbol = takeCodePoint(rest);
    here = isLineEnd ? JsonPosition{here.line + 1, 1}
                     : JsonPosition{here.line, here.column + 1};
    return symbol;
  }

  /// Text that was copied from a page has no-break spaces, some editors begin a
  /// file with a byte order mark, and Chinese keyboards give wide spaces.
  bool atBlank() const {
    return std::ranges::any_of(blanks, [&](std::string_view blank) {
      return rest.starts_with(blank);
    });
  }

  void skipBlanks() {
    while (!rest.empty()) {
      if (atBlank())
        take();
      else if (at('#') || rest.starts_with("//"))
        while (!rest.empty() && !at('\n') && !at('\r'))
          take();
      else if (rest.starts_with("/*"))
        skipBlockComment();
      else
        return;
    }
  }

  void skipBlockComment() {
    JsonPosition start = here;
    take(), take();
    while (!rest.starts_with("*/")) {
      if (rest.empty())
        stop(start, "this comment has no end: */ is missing");
      take();
    }
    take(), take();
  }

  JsonValue parseValue(int depth) {
    if (depth > maxDepth)
      stop(here,
           fmt::format("values are nested more than {} deep here", maxDepth));
    JsonValue value;
    value.position = here;
    if (rest.empty())
      stop(here, "a value is missing: the text ends here");
    if (at('{'))
      value.data = parseObject(depth);
    else if (at('['))
      value.data = parseList(depth);
    else if (at('"'))
      value.data = parseString();
    else if (isWordSymbol(rest[0]))
      value.data = parseWord();
    else if (at('\''))
      stop(here, "a text needs double quotes instead of single ones");
    else if (at(',') || at(':') || at(']') || at('}'))
      stop(here, fmt::format("a value is missing before '{}'", rest[0]));
    else
      stop(here, "no value begins with this character");
    return value;
  }

  JsonValue::Data parseWord() {
    JsonPosition start = here;
    std::string word = takeWord();
    if (word == "true" || word == "false")
      return word == "true";
    if (word == "null")
      return nullptr;
    if (isJsonNumber(word))
      return JsonNumber{std::move(word)};
    note(start, complaintAbout(elide(word, maxShown)));
    return JsonValue::Invalid();
  }

  std::string takeWord() {
    std::string word;
    while (!rest.empty() && isWordSymbol(rest[0]))
      word += char(take());
    return word;
  }

  /// Calls `parseElement` for each element between brackets; the comma after
  /// the last one is optional.
  template <typename Fn> void parseElements(char close, Fn parseElement) {
    JsonPosition start = here;
    char open = char(take());
    skipBlanks();
    while (!at(close)) {
      if (rest.empty())
        stop(start,
             fmt::format("this '{}' has no end: '{}' is missing", open, close));
      parseElement();
      skipBlanks();
      if (at(',')) {
        take();
        skipBlanks();
      } else if (at('"') || at('{') || at('[') ||
                 (!rest.empty() && isWordSymbol(rest[0]))) {
        note(here, "a comma is missing before this");
      } else if (!at(close) && !rest.empty()) {
        stop(here, fmt::format("',' or '{}' is missing before this", close));
      }
    }
    take();
  }

  JsonValue::List parseList(int depth) {
    JsonValue::List list;
    parseElements(']', [&] { list.push_back(parseValue(depth + 1)); });
    return list;
  }

  JsonValue::Object parseObject(int depth) {
    JsonValue::Object object;
    parseElements('}', [&] {
      JsonMember member;
      member.position = here;
      member.name = parseName();
      skipBlanks();
      if (!at(':'))
        stop(here, fmt::format("':' is missing after the name '{}'",
                               elide(member.name, maxShown)));
      take();
      skipBlanks();
      member.value = parseValue(depth + 1);
      object.push_back(std::move(member));
    });
    return object;
  }

  std::string parseName() {
    if (at('"'))
      return parseString();
    JsonPosition start = here;
    std::string word = takeWord();
    if (word.empty())
      stop(start, "a name in double quotes is missing before this");
    note(start,
         fmt::format("a name needs quotes: \"{}\"", elide(word, maxShown)));
    return word;
  }

  std::string parseString() {
    JsonPosition start = here;
    take();
    std::string text;
    while (!at('"')) {
      if (rest.empty() || at('\n') || at('\r'))
        stop(start, "this text has no closing quote in its line");
      JsonPosition position = here;
      bool isMarker = rest.starts_with("\xef\xbf\xbd");
      char32_t symbol = take();
      if (symbol == '\\')
        parseEscape(text, position);
      else if (symbol < 0x20)
        note(position, "a control character must be written as an escape, such "
                       "as \\t");
      else if (symbol == 0xfffd && !isMarker)
        note(position, "this is not UTF-8; save the file in that encoding");
      else
        appendUtf8(text, symbol);
    }
    take();
    return text;
  }

  void parseEscape(std::string &text, JsonPosition position) {
    constexpr std::string_view letters = "\"\\/bfnrt";
    constexpr std::string_view symbols = "\"\\/\b\f\n\r\t";
    if (rest.empty())
      return;
    char32_t letter = take();
    size_t index = letter < 0x80 ? letters.find(char(letter)) : letters.npos;
    if (index != letters.npos)
      text += symbols[index];
    else if (letter == 'u')
      parseUnicodeEscape(text, position);
    else
      note(position, "there is no such escape; a backslash is written as \\\\");
  }

  void parseUnicodeEscape(std::string &text, JsonPosition position) {
    char32_t symbol = takeHexDigits();
    bool isHigh = symbol >= 0xd800 && symbol < 0xdc00;
    if (isHigh && rest.starts_with("\\u")) {
      take(), take();
      char32_t low = takeHexDigits();
      bool isPair = low >= 0xdc00 && low < 0xe000;
      symbol =
          isPair ? 0x10000 + ((symbol - 0xd800) << 10) + (low - 0xdc00) : 0;
    }
    if (symbol == 0 || (symbol >= 0xd800 && symbol < 0xe000))
      note(position, "this escape is not a character");
    else
      appendUtf8(text, symbol);
  }

  /// 0, which is not allowed either, if there are not four of them.
  char32_t takeHexDigits() {
    char32_t value = 0;
    for (int i = 0; i < 4; ++i) {
      if (rest.empty() || !std::isxdigit(static_cast<unsigned char>(rest[0])))
        return 0;
      auto digit = static_cast<unsigned char>(char(take()));
      value = value * 16 +
              (isDigit(char(digit)) ? digit - '0' : (digit | 0x20) - 'a' + 10);
    }
    return value;
  }

  static constexpr int maxShown = 60;

  std::string_view rest;
  JsonPosition here{1, 1};
  JsonDocument document;
};

} // namespace

bool isJsonNumber(std::string_view text) {
  auto takeDigits = [&] {
    size_t count = 0;
    while (count < text.size() && isDigit(text[count]))
      ++count;
    text.remove_prefix(count);
    return count;
  };
  if (text.starts_with('-'))
    text.remove_prefix(1);
  bool leadingZero = text.starts_with('0');
  size_t digits = takeDigits();
  if (digits == 0 || (leadingZero && digits > 1))
    return false;
  if (text.starts_with('.')) {
    text.remove_prefix(1);
    if (takeDigits() == 0)
      return false;
  }
  if (text.starts_with('e') || text.starts_with('E')) {
    text.remove_prefix(1);
    if (text.starts_with('+') || text.starts_with('-'))
      text.remove_prefix(1);
    if (takeDigits() == 0)
      return false;
  }
  return text.empty();
}

JsonDocument parseRelaxedJson(std::string_view text) {
  return Parser(text).parse();
}

} // namespace parallax
