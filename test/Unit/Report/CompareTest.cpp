//===- CompareTest.cpp - The subcommand `parallax compare` ----------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Whole command lines: exit codes, and what the screen says.
//===----------------------------------------------------------------------===//
#include "../../../tools/compare/Compare.h"
#include "../Support/TempDir.h"
#include "parallax/Support/NumPy.h"
#include "parallax/Support/TensorFile.h"

#include <limits>
#include <nlohmann/json.hpp>

using namespace parallax;

namespace {

struct Outcome {
  int exitCode;
  std::string out, err;

  bool says(const std::string &text) const {
    return out.find(text) != std::string::npos;
  }
  bool complains(const std::string &text) const {
    return err.find("error: ") == 0 && err.find(text) != std::string::npos;
  }
};

Outcome run(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), "compare");
  std::vector<char *> argv;
  for (std::string &argument : arguments)
    argv.push_back(argument.data());
  testing::internal::CaptureStdout();
  testing::internal::CaptureStderr();
  int exitCode = runCompare(int(argv.size()), argv.data());
  std::string out = testing::internal::GetCapturedStdout();
  return {exitCode, out, testing::internal::GetCapturedStderr()};
}

class Compare : public testing::Test {
protected:
  std::string save(const std::string &name, std::vector<float> values,
                   Shape shape = {}) {
    if (shape.empty())
      shape = {int64_t(values.size())};
    auto tensor = Tensor::fromValues<float>(shape, values);
    if (name.ends_with(".npy"))
      writeNpy(dir / name, tensor);
    else
      writeRaw(dir / name, tensor);
    return dir / name;
  }

  TempDir dir;
};

TEST_F(Compare, EqualFilesAndTheDefaultTolerance) {
  std::string a = save("a.npy", {1, 2}), b = save("b.npy", {1, 2});
  Outcome outcome = run({a, b});
  EXPECT_EQ(outcome.exitCode, 0);
  EXPECT_TRUE(outcome.says("The two tensors are equal (atol=0, rtol=0: values "
                           "must be exactly equal)."));
  EXPECT_EQ(outcome.err, "");
  EXPECT_FALSE(outcome.says("\033"));
}

TEST_F(Compare, DifferencesAndTolerances) {
  std::string a = save("a.npy", {1, 2, 3, 4}, {2, 2});
  std::string b = save("b.npy", {1, 2, 3.5, 4}, {2, 2});
  Outcome outcome = run({a, b});
  EXPECT_EQ(outcome.exitCode, 1);
  EXPECT_TRUE(outcome.says("[1,0] 3 vs 3.5"));
  EXPECT_TRUE(outcome.says("differ in 1 of 4 values, by up to 0.5 at [1,0]"));
  EXPECT_EQ(run({a, b, "--atol", "0.5"}).exitCode, 0);
  EXPECT_EQ(run({a, b, "--atol", "0.49"}).exitCode, 1);
  EXPECT_EQ(run({a, b, "--rtol", "0.15"}).exitCode, 0);
  EXPECT_EQ(run({a, b, "--cosine", "0.99"}).exitCode, 0);
  EXPECT_EQ(run({a, b, "--cosine", "0.9999"}).exitCode, 1);
  // Both criteria must hold where both are given.
  EXPECT_EQ(run({a, b, "--cosine", "0.99", "--atol", "0"}).exitCode, 1);
  EXPECT_EQ(run({a, b, "--cosine", "0.9999", "--atol", "9"}).exitCode, 1);
}

TEST_F(Compare, NanFailsEveryCriterion) {
  float nan = std::numeric_limits<float>::quiet_NaN();
  std::string a = save("a.npy", {1, nan}), b = save("b.npy", {1, 2});
  Outcome outcome = run({a, b, "--cosine", "-1"});
  EXPECT_EQ(outcome.exitCode, 1);
  EXPECT_TRUE(outcome.says("NaN 1 in A, 0 in B"));
  EXPECT_EQ(run({a, b, "--atol", "inf", "--rtol", "inf"}).exitCode, 1);
  EXPECT_EQ(run({a, a}).exitCode, 0);
}

TEST_F(Compare, RawFilesNeedAType) {
  std::string a = save("a.bin", {1, 2}), b = save("b.bin", {1, 2});
  EXPECT_TRUE(run({a, b}).complains("--dtype float32"));
  EXPECT_EQ(run({a, b}).exitCode, 2);
  Outcome flat = run({a, b, "--dtype", "float32"});
  EXPECT_EQ(flat.exitCode, 0);
  Outcome shaped = run({a, b, "--dtype", "FP32", "--shape", "1x2"});
  EXPECT_EQ(shaped.exitCode, 0);
  EXPECT_TRUE(shaped.says(" 1x2 "));
  EXPECT_TRUE(run({a, b, "--dtype", "float16", "--shape", "2"})
                  .complains("4-byte elements (float32"));
  // The .npy file describes the .bin file at its side.
  EXPECT_EQ(run({a, save("n.npy", {1, 2}, {2, 1})}).exitCode, 0);
  EXPECT_EQ(run({save("n.npy", {1, 3}), b}).exitCode, 1);
}

TEST_F(Compare, FoldersListEveryFinding) {
  for (std::string side : {"a/", "b/"}) {
    save(side + "same.npy", {1});
    save(side + "deep/er/same.npy", {2});
    save(side + "x.npy", {side == "a/" ? 1.f : 2.f});
    dir.write(side + "notes.txt", side);
  }
  save("a/mixed.npy", {1, 2}, {1, 2});
  save("b/mixed.bin", {1, 2});
  std::string a = dir / "a", b = dir / "b";
  Outcome outcome = run({a, b});
  EXPECT_EQ(outcome.exitCode, 1);
  EXPECT_TRUE(outcome.says("deep/er/same.npy"));
  EXPECT_TRUE(outcome.says("1 of 4 tensors differs"));
  EXPECT_FALSE(outcome.says("notes"));

  save("a/left.npy", {1});
  save("b/right.bin", {1});
  dir.write("a/bad.npy", "junk");
  save("b/bad.npy", {1});
  outcome = run({a, b});
  EXPECT_EQ(outcome.exitCode, 2);
  EXPECT_TRUE(outcome.says("only in A"));
  EXPECT_TRUE(outcome.says("only in B"));
  EXPECT_TRUE(outcome.says("unreadable"));
  EXPECT_TRUE(outcome.complains("bad.npy"));
  EXPECT_TRUE(outcome.says("1 of 7 tensors differs and 3 could not be"));
}

TEST_F(Compare, SameExtensionsBelongTogetherFirst) {
  for (std::string side : {"a/", "b/"}) {
    save(side + "t.npy", {1});
    save(side + "t.bin", {5});
  }
  std::string a = dir / "a", b = dir / "b";
  EXPECT_EQ(run({a, b, "--dtype", "float32"}).exitCode, 0);
  std::filesystem::remove(dir / "b/t.bin");
  Outcome outcome = run({a, b, "--dtype", "float32"});
  EXPECT_EQ(outcome.exitCode, 2);
  EXPECT_TRUE(outcome.says("only in A"));
}

TEST_F(Compare, ShapesThatDiffer) {
  Outcome outcome = run({save("a.npy", {1, 2}), save("b.npy", {1, 2}, {1, 2})});
  EXPECT_EQ(outcome.exitCode, 1);
  EXPECT_TRUE(outcome.says("2 vs 1x2"));
  EXPECT_TRUE(outcome.says("have different shapes"));
}

TEST_F(Compare, JsonIsComplete) {
  float inf = std::numeric_limits<float>::infinity();
  std::string a = save("a.npy", {1, inf}), b = save("b.npy", {2, 0});
  Outcome outcome = run({a, b, "--json"});
  EXPECT_EQ(outcome.exitCode, 1);
  auto json = nlohmann::json::parse(outcome.out);
  EXPECT_EQ(json["equal"], false);
  ASSERT_EQ(json["tensors"].size(), 1u);
  const auto &tensor = json["tensors"][0];
  EXPECT_EQ(tensor["verdict"], "differs");
  EXPECT_EQ(tensor["max_abs"], "inf");
  EXPECT_EQ(tensor["shape_a"].get<Shape>(), Shape{2});
  EXPECT_EQ(tensor["first_difference"]["index"].get<Shape>(), Shape{0});
  EXPECT_EQ(tensor["first_difference"]["a"], "1");
  EXPECT_EQ(tensor["inf_a"], 1);
}

TEST_F(Compare, UsageErrors) {
  std::string a = save("a.npy", {1}), folder = dir.path();
  std::filesystem::create_directories(dir / "empty1");
  std::filesystem::create_directories(dir / "empty2");
  dir.write("t.txt", "");
  using Arguments = std::vector<std::string>;
  for (const auto &[arguments, message] :
       {std::pair(Arguments{}, "required"),
        {Arguments{a}, "B is required"},
        {Arguments{a, a, a}, "not expected"},
        {Arguments{a, dir / "none.npy"}, "none.npy' does not exist"},
        {Arguments{a, folder}, "two files or two folders"},
        {Arguments{a, dir / "t.txt"}, "neither a .npy nor a .bin"},
        {Arguments{dir / "empty1", dir / "empty2"}, "nothing can be compared"},
        {Arguments{a, a, "--atol", "-1"}, "not a number"},
        {Arguments{a, a, "--rtol", "nan"}, "not a number"},
        {Arguments{a, a, "--cosine", "2"}, "from -1 to 1"},
        {Arguments{a, a, "--dtype", "float31"}, "not an element type"},
        {Arguments{a, a, "--shape", "1x"}, "not a shape"},
        {Arguments{a, a, "--shape", "-1"}, "not a shape"},
        {Arguments{a, a, "--shape", "99999999999999999999"}, "not a shape"},
        {Arguments{a, a, "--threads", "no"}, "--threads"}}) {
    Outcome outcome = run(arguments);
    EXPECT_EQ(outcome.exitCode, 2) << message;
    EXPECT_TRUE(outcome.complains(message)) << message << "\n" << outcome.err;
    EXPECT_EQ(outcome.out, "");
    EXPECT_EQ(std::count(outcome.err.begin(), outcome.err.end(), '\n'), 1);
  }
  EXPECT_EQ(run({"--help"}).exitCode, 0);
}

} // namespace
