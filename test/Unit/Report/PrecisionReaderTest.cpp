//===- PrecisionReaderTest.cpp - A precision analysis from its file -------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// What was written is read again in full, and what is not such a file is
// refused with the place of the mistake.
//===----------------------------------------------------------------------===//
#include "../Support/TempDir.h"
#include "PrecisionSamples.h"
#include "parallax/Support/AtomicFile.h"
#include "parallax/Support/Error.h"

#include <cstdlib>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

using namespace parallax;

namespace {

using nlohmann::json;

std::string messageOf(const std::string &text) {
  try {
    parsePrecisionJson(text, "a.json");
  } catch (const Error &error) {
    return error.what();
  }
  return "no error";
}

/// The complete file with one value in another way; null removes it.
std::string changed(const std::string &pointer, const json &value) {
  json file = json::parse(precisionJson(completeReport()));
  json::json_pointer place(pointer);
  if (value.is_null())
    file[place.parent_pointer()].erase(place.back());
  else
    file[place] = value;
  return file.dump();
}

TEST(PrecisionReader, GivesTheBytesThatItRead) {
  PrecisionReport special = completeReport();
  ComparisonResult &metrics = special.tables[0].rows[0].metrics;
  metrics.sqnrDb = -std::numeric_limits<double>::infinity();
  metrics.mse = std::numeric_limits<double>::quiet_NaN();
  metrics.maxAbs = 5e-324;
  special.tables[0].rows[0].node = "broken\xff";
  special.sampleSource = "\"层\"\n\x01";
  for (const PrecisionReport &report :
       {PrecisionReport(), sampleReport(), completeReport(), special}) {
    std::string text = precisionJson(report);
    EXPECT_EQ(precisionJson(parsePrecisionJson(text, "a.json")), text);
  }
}

/// The fuzzer starts from this file.
TEST(PrecisionReader, ReadsAFile) {
  const char *seeds = std::getenv("PARALLAX_PRECISION_SEEDS");
  TempDir folder;
  std::filesystem::path path = seeds ? seeds : folder.path();
  path /= "precision.json";
  std::string text = precisionJson(completeReport());
  writeFileAtomically(path, std::string_view(text));
  PrecisionReport report = readPrecisionJson(path);
  EXPECT_EQ(precisionJson(report), text);
  EXPECT_EQ(report.tables[1].rows[1].metrics.cosine, 0.97);
  EXPECT_EQ(report.histograms[1].values.count(), 5);
  ASSERT_TRUE(report.histograms[1].quantized);
  EXPECT_EQ(report.histograms[1].quantized->min(), -0.5);
  EXPECT_THROW(readPrecisionJson(path.parent_path() / "nowhere.json"), Error);
}

TEST(PrecisionReader, KnowsAllNames) {
  int classes = 0, causes = 0;
  for (std::string_view name;
       !(name = nameOf(DifferenceClass(classes))).empty(); ++classes)
    EXPECT_EQ(messageOf(changed("/differences/0/class", name)), "no error");
  for (std::string_view name; !(name = nameOf(Cause(causes))).empty(); ++causes)
    EXPECT_EQ(messageOf(changed("/diagnoses/0/cause", name)), "no error");
  EXPECT_GE(classes, 6);
  EXPECT_GE(causes, 9);
}

TEST(PrecisionReader, RefusesWhatIsNoCosine) {
  std::string row = "/tables/0/rows/0/", group = "/tables/1/rows/1/groups/0/";
  for (const std::string &place :
       {row + "cosine", row + "worst_sample_cosine",
        row + "worst_channel_cosine", group + "cosine", group + "lowest"})
    for (const json &value : {json(1.5), json(-2), json("nan"), json("inf")})
      EXPECT_NE(messageOf(changed(place, value))
                    .find("is not between -1 and 1; write the file again"),
                std::string::npos)
          << place << value;
  json file = json::parse(precisionJson(completeReport()));
  file["tables"][0]["rows"][0]["cosine"] = nullptr;
  EXPECT_NE(messageOf(file.dump())
                .find("tables[0].rows[0].cosine is not a "
                      "number"),
            std::string::npos);
}

TEST(PrecisionReader, SkipsWhatItDoesNotKnow) {
  EXPECT_EQ(messageOf(changed("/color", "red")), "no error");
  EXPECT_EQ(messageOf(changed("/tables/0/rows/0/color", json::array())),
            "no error");
  // Files of the first version have fewer members.
  for (const char *member :
       {"/inputs", "/weights", "/attribution", "/histograms", "/suggestions",
        "/tables/0/rows/0/codes", "/tables/0/rows/0/cycles",
        "/tables/0/rows/0/reference"})
    EXPECT_EQ(messageOf(changed(member, nullptr)), "no error") << member;
}

TEST(PrecisionReader, SaysWhatIsWrongAndWhere) {
  struct Case {
    const char *place;
    json value;
    const char *message;
  };
  const Case cases[] = {
      {"/tables", nullptr, "tables is missing"},
      {"/tables/0/rows/0/tensor", nullptr,
       "tables[0].rows[0].tensor is missing"},
      {"/tables/0/rows/0/tensor", 7, "tables[0].rows[0].tensor is not text"},
      {"/tables/0/rows/1/cosine", "high",
       "tables[0].rows[1].cosine is not a number"},
      {"/tables/0/rows/0/codes/scale", 1e300,
       "tables[0].rows[0].codes.scale is not a number of 32 bits"},
      {"/tables/0/rows/0/codes", "none",
       "tables[0].rows[0].codes is not an object"},
      {"/tables/0/rows/0/is_output", 1,
       "tables[0].rows[0].is_output is neither true nor false"},
      {"/tables/0/rows/0/shape", "(1,)",
       "tables[0].rows[0].shape is not a list"},
      {"/tables/0/rows/0/shape/1", 0.5,
       "tables[0].rows[0].shape[1] is not an integer of 64 bits"},
      {"/samples", uint64_t(1) << 63, "samples is not an integer of 64 bits"},
      {"/tables/0/mode", "Slow",
       "tables[0].mode is not a name that this version knows"},
      {"/histograms/1/values/width", 0.3,
       "histograms[1].values is not a histogram"},
      {"/histograms/1/values/width", 0,
       "histograms[1].values is not a histogram"},
      {"/histograms/1/values/start", 0.01,
       "histograms[1].values is not a histogram"},
      {"/histograms/1/values/start", 1e300,
       "histograms[1].values is not a histogram"},
      {"/histograms/1/values/max", -3,
       "histograms[1].values is not a histogram"},
      {"/histograms/1/values/max", 1e300,
       "histograms[1].values is not a histogram"},
      {"/histograms/1/values/counts",
       {-1},
       "histograms[1].values is not a histogram"},
      {"/histograms/1/values/counts",
       {std::numeric_limits<int64_t>::max(), 1},
       "histograms[1].values is not a histogram"},
      {"/histograms/1/clip",
       {1},
       "histograms[1].clip is not a pair of numbers"},
  };
  for (const Case &wrong : cases)
    EXPECT_EQ(messageOf(changed(wrong.place, wrong.value)),
              std::string("a.json: ") + wrong.message +
                  "; write the file again with parallax build");
  EXPECT_EQ(messageOf("[]"),
            "a.json: the file is not an object; write the file "
            "again with parallax build");
}

TEST(PrecisionReader, RefusesANewerSchema) {
  EXPECT_EQ(messageOf(changed("/schema", 2)),
            "a.json has schema 2, and this version of Parallax knows 1: read "
            "it with a newer one");
  EXPECT_EQ(messageOf(changed("/schema", 0)), "a.json: schema 0 never existed");
}

TEST(PrecisionReader, RefusesWhatIsNoJson) {
  EXPECT_EQ(messageOf("").find("a.json is not JSON: parse error at line 1"), 0u)
      << messageOf("");
  EXPECT_EQ(messageOf("{\"schema\": 1e999}").find("a.json is not JSON: "), 0u);
  EXPECT_EQ(messageOf("{\"a\": \"\xff\"}").find("a.json is not JSON: "), 0u);
  // Deep enough for a stack to overflow.
  std::string deep(1 << 20, '[');
  EXPECT_EQ(messageOf(deep).find("a.json is not JSON: "), 0u);
  deep += std::string(1 << 20, ']');
  EXPECT_EQ(messageOf("{\"schema\": 1, \"a\": " + deep + "}"),
            "a.json: samples is missing; write the file again with parallax "
            "build");
}

} // namespace
