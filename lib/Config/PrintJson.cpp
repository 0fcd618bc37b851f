//===- PrintJson.cpp - JSON for people to read ----------------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Prints short lists on one line, such as a mean of three numbers.
//===----------------------------------------------------------------------===//
#include "parallax/Config/RelaxedJson.h"
#include "parallax/Support/Unicode.h"

#include <algorithm>
#include <fmt/format.h>

namespace parallax {
namespace {

/// What is not UTF-8, such as in the name of a file, becomes U+FFFD.
std::string quotedText(std::string_view text) {
  std::string result = "\"";
  while (!text.empty()) {
    char32_t symbol = takeCodePoint(text);
    if (symbol == '"' || symbol == '\\')
      result += {'\\', char(symbol)};
    else if (symbol < 0x20)
      result += fmt::format("\\u{:04x}", uint32_t(symbol));
    else
      appendUtf8(result, symbol);
  }
  return result + "\"";
}

bool isScalar(const JsonValue &value) {
  return !value.as<JsonValue::List>() && !value.as<JsonValue::Object>();
}

class Printer {
public:
  std::string print(const JsonValue &value) {
    if (const auto *list = value.as<JsonValue::List>())
      return printList(*list);
    if (const auto *members = value.as<JsonValue::Object>())
      return printElements('{', '}', *members, [&](const JsonMember &member) {
        return quotedText(member.name) + ": " + print(member.value);
      });
    if (const auto *text = value.as<std::string>())
      return quotedText(*text);
    if (const auto *number = value.as<JsonNumber>())
      return number->text;
    if (const auto *truth = value.as<bool>())
      return *truth ? "true" : "false";
    return "null";
  }

private:
  std::string printList(const JsonValue::List &list) {
    auto printElement = [&](const JsonValue &value) { return print(value); };
    if (!std::all_of(list.begin(), list.end(), isScalar))
      return printElements('[', ']', list, printElement);
    std::vector<std::string> texts(list.size());
    std::transform(list.begin(), list.end(), texts.begin(), printElement);
    return fmt::format("[{}]", fmt::join(texts, ", "));
  }

  template <typename List, typename Fn>
  std::string printElements(char open, char close, const List &list,
                            Fn printElement) {
    if (list.empty())
      return {open, close};
    indent += 2;
    std::vector<std::string> texts;
    for (const auto &element : list)
      texts.push_back(std::string(indent, ' ') + printElement(element));
    indent -= 2;
    return fmt::format("{}\n{}\n{}{}", open, fmt::join(texts, ",\n"),
                       std::string(indent, ' '), close);
  }

  size_t indent = 0;
};

} // namespace

std::string printJson(const JsonValue &value) { return Printer().print(value); }

} // namespace parallax
