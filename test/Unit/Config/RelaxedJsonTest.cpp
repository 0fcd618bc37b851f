//===- RelaxedJsonTest.cpp - JSON as people write it ----------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// What people write is understood, and what is wrong is told with its place.
//===----------------------------------------------------------------------===//
#include "parallax/Config/RelaxedJson.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

using namespace parallax;

namespace {

/// The text again without comments and blanks, or the first error.
std::string normalized(const std::string &text) {
  JsonDocument document = parseRelaxedJson(text);
  if (!document.errors.empty())
    return "error: " + document.errors[0].message;
  return printJson(document.root);
}

/// "line:column message" of all errors.
std::vector<std::string> jsonErrors(const std::string &text) {
  std::vector<std::string> errors;
  for (const JsonError &error : parseRelaxedJson(text).errors)
    errors.push_back(fmt::format("{}:{} {}", error.position.line,
                                 error.position.column, error.message));
  return errors;
}

void expectErrors(const std::string &text,
                  const std::vector<std::string> &errors) {
  EXPECT_EQ(jsonErrors(text), errors) << text;
}

TEST(RelaxedJson, StrictJson) {
  for (const char *text :
       {"{}", "[]", "3", "-0.5e-3", "null", "true", "\"\"", "[1, false, null]",
        "{\n  \"a\": [1, 2],\n  \"b\": {\n    \"c\": \"d\"\n  }\n}",
        "[\n  {\n    \"a\": []\n  },\n  {}\n]"})
    EXPECT_EQ(normalized(text), text);
  EXPECT_EQ(normalized("\xef\xbb\xbf \t\r\n[ 1 ]\n"), "[1]");
}

TEST(RelaxedJson, Comments) {
  EXPECT_EQ(normalized("// x\n[1, // \"quoted\n 2 # last\r\n]#"), "[1, 2]");
  EXPECT_EQ(normalized("/**/[1/* x\n ] */,2]/***/"), "[1, 2]");
  EXPECT_EQ(normalized("[# // /*\r1]"), "[1]");
  EXPECT_EQ(normalized("[\"// a\", \"# b\", \"/* c */\"]"),
            "[\"// a\", \"# b\", \"/* c */\"]");
}

TEST(RelaxedJson, BlanksOfPagesAndEditors) {
  EXPECT_EQ(normalized("\ufeff[\u00a01,\u3000\u00a0 2\u00a0]\u00a0"), "[1, 2]");
  EXPECT_EQ(normalized("[\"\u00a0\"]"), "[\"\u00a0\"]");
}

TEST(RelaxedJson, TrailingCommas) {
  EXPECT_EQ(normalized("[1,]"), "[1]");
  EXPECT_EQ(normalized("[[1, ] , // last\n ]"), "[\n  [1]\n]");
  EXPECT_EQ(normalized("{\"a\": 1, }"), "{\n  \"a\": 1\n}");
}

TEST(RelaxedJson, Strings) {
  auto text = [](const std::string &source) {
    JsonDocument document = parseRelaxedJson(source);
    EXPECT_TRUE(document.errors.empty()) << source;
    const auto *value = document.root.as<std::string>();
    return value ? *value : "no string";
  };
  EXPECT_EQ(text(R"("\"\\\/\b\f\n\r\t")"), "\"\\/\b\f\n\r\t");
  EXPECT_EQ(text(R"("\u00e4\u4E2d\ud83d\ude00")"), "ä中😀");
  EXPECT_EQ(text("\"ä中😀\xef\xbf\xbd\""), "ä中😀\xef\xbf\xbd");
}

TEST(RelaxedJson, PrintedStringsAreReadAgain) {
  JsonValue value{std::string("\"\\/\b\n\x01 ä"), {}};
  EXPECT_EQ(parseRelaxedJson(printJson(value)).root, value);
  EXPECT_EQ(printJson({std::string("a\xff"), {}}), "\"a\xef\xbf\xbd\"");
}

TEST(RelaxedJson, ValuesKnowTheirPlace) {
  JsonDocument document =
      parseRelaxedJson("{ # ä\n  \"ä\": /* x\n */ [1,\r\n 2], \"b\": 3}");
  const auto *members = document.root.as<JsonValue::Object>();
  ASSERT_TRUE(members && members->size() == 2);
  EXPECT_EQ((*members)[0].position, (JsonPosition{2, 3}));
  EXPECT_EQ((*members)[0].value.position, (JsonPosition{3, 5}));
  const auto *list = (*members)[0].value.as<JsonValue::List>();
  ASSERT_TRUE(list && list->size() == 2);
  EXPECT_EQ((*list)[1].position, (JsonPosition{4, 2}));
  EXPECT_EQ((*members)[1].position, (JsonPosition{4, 6}));
  EXPECT_EQ((*members)[1].value.position, (JsonPosition{4, 11}));
}

TEST(RelaxedJson, Numbers) {
  for (const char *text : {"0", "-0", "10", "1.5", "1e5", "1E+05", "-1.25e-3"})
    EXPECT_TRUE(isJsonNumber(text)) << text;
  for (const char *text : {"", "-", "01", "+1", ".5", "1.", "1e", "1e+", "1.e5",
                           "0x10", "nan", "inf", "1 ", "--1", "1.2.3"})
    EXPECT_FALSE(isJsonNumber(text)) << text;
}

TEST(RelaxedJson, ReadingGoesOnAfterClearMistakes) {
  expectErrors("{\"a\": True, b: nan,\n \"c\": [1 2, 012, text]}",
               {"1:7 'True' is not a value in JSON; write true",
                "1:13 a name needs quotes: \"b\"",
                "1:16 'nan' is not allowed: give a finite number",
                "2:10 a comma is missing before this",
                "2:13 '012' is not a number in JSON",
                "2:18 'text' is not a value; a text needs quotes: \"text\""});
  expectErrors("[-Infinity, False, None, .5, +1, 0x1]",
               {"1:2 '-Infinity' is not allowed: give a finite number",
                "1:13 'False' is not a value in JSON; write false",
                "1:20 'None' is not a value in JSON; write null",
                "1:26 '.5' is not a number in JSON",
                "1:30 '+1' is not a number in JSON",
                "1:34 '0x1' is not a number in JSON"});
  expectErrors("{\"a\": 1\n \"b\": 2}", {"2:2 a comma is missing before this"});
  expectErrors(R"(["\x", "\u12", "\ud800", "\ud800\u0041", "\u0000"])",
               {"1:3 there is no such escape; a backslash is written as \\\\",
                "1:9 this escape is not a character",
                "1:17 this escape is not a character",
                "1:27 this escape is not a character",
                "1:43 this escape is not a character"});
  expectErrors("[\"a\tb\", \"ä\xff\"]",
               {"1:4 a control character must be written as an escape, such as "
                "\\t",
                "1:11 this is not UTF-8; save the file in that encoding"});
}

TEST(RelaxedJson, OtherMistakesEndTheReading) {
  expectErrors("", {"1:1 a value is missing: the text ends here"});
  expectErrors("# only\n", {"2:1 a value is missing: the text ends here"});
  expectErrors("{} x", {"1:4 the configuration ends before this; remove the "
                        "rest"});
  expectErrors("[1,,]", {"1:4 a value is missing before ','"});
  expectErrors("[,]", {"1:2 a value is missing before ','"});
  expectErrors("{\"a\":}", {"1:6 a value is missing before '}'"});
  expectErrors("{,}", {"1:2 a name in double quotes is missing before this"});
  expectErrors("{\"a\" 1}", {"1:6 ':' is missing after the name 'a'"});
  expectErrors("[\n [1, 2", {"2:2 this '[' has no end: ']' is missing"});
  expectErrors("{\"a\": 1,", {"1:1 this '{' has no end: '}' is missing"});
  expectErrors("[1}", {"1:3 ',' or ']' is missing before this"});
  expectErrors("[1;", {"1:3 ',' or ']' is missing before this"});
  expectErrors("[\"a\n\"]", {"1:2 this text has no closing quote in its line"});
  expectErrors("\"\\", {"1:1 this text has no closing quote in its line"});
  expectErrors("[1 /* x ]", {"1:4 this comment has no end: */ is missing"});
  expectErrors("['a']",
               {"1:2 a text needs double quotes instead of single ones"});
  expectErrors("[&]", {"1:2 no value begins with this character"});
  expectErrors("/", {"1:1 no value begins with this character"});
}

TEST(RelaxedJson, LimitsOfNestingAndMistakes) {
  EXPECT_EQ(jsonErrors(std::string(65, '[') + std::string(65, ']')).size(), 0u);
  for (size_t depth : {66, 1000000}) {
    JsonDocument document = parseRelaxedJson(std::string(depth, '['));
    ASSERT_EQ(document.errors.size(), 1u);
    EXPECT_EQ(document.errors[0].message,
              "values are nested more than 64 deep here");
    EXPECT_EQ(document.errors[0].position, (JsonPosition{1, 66}));
  }
  std::string words = "[";
  for (int i = 0; i < 1000; ++i)
    words += "x, ";
  EXPECT_EQ(jsonErrors(words + "]").size(), 100u);
}

TEST(RelaxedJson, NoTextCrashes) {
  const std::string text =
      "{\"a\": [1, -2.5e3, \"x\\u00e4\\n\"], // c\n \"b\": {\"c\": null}, }";
  const std::string symbols = "{}[]\":,\\/#*'u0e-+.tn\n\r\xff\xc3";
  for (size_t i = 0; i < text.size(); ++i) {
    parseRelaxedJson(text.substr(0, i));
    parseRelaxedJson(text.substr(i));
    for (char symbol : symbols) {
      std::string changed = text;
      changed[i] = symbol;
      JsonDocument document = parseRelaxedJson(changed);
      // What was understood in full can be printed and read again.
      if (document.errors.empty())
        EXPECT_EQ(parseRelaxedJson(printJson(document.root)).root,
                  document.root)
            << changed;
    }
  }
}

} // namespace
