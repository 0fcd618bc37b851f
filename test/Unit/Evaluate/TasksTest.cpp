//===- TasksTest.cpp - Metrics by hand, and verdicts ----------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Every metric on a case small enough to compute on paper.
//===----------------------------------------------------------------------===//
#include "../Report/HostileNames.h"
#include "EvaluateTestSupport.h"
#include "parallax/Report/Accuracy.h"
#include "parallax/Support/Parallel.h"

#include <cmath>
#include <nlohmann/json.hpp>

namespace parallax {
namespace {

struct TaskTest : testing::Test {
  TempDir dir;
  EvaluationConfig config;

  /// `count` samples of one number, with labels.
  template <typename T> void writeSamples(std::vector<T> labels) {
    auto count = int64_t(labels.size());
    writeArray<float>(dir / "x.npy", {count, 1},
                      std::vector<float>(labels.size()));
    writeArray<T>(dir / "y.npy", {count}, labels);
    config.images = (dir / "x.npy").string();
    config.labels = (dir / "y.npy").string();
  }
  PortInfo input{"x", DType::F32, {1, 1}};
};

Answer answerOf(const TestTask &test, size_t run, Tensor output) {
  return test.task->answer(run, {}, std::vector{std::move(output)});
}

TEST_F(TaskTest, Classification) {
  writeSamples<int64_t>({0, 1, 2, 6});
  TestTask test(config, {input}, {{"scores", DType::F32, {1, 7}}});
  auto answer = [&](size_t run, std::vector<float> scores) {
    return answerOf(test, run, floats({1, 7}, std::move(scores)));
  };
  std::vector<Answer> answers = {
      answer(0, {9, 0, 0, 0, 0, 0, 0}), answer(1, {9, 8, 0, 0, 0, 0, 0}),
      answer(2, {0, 0, NAN, 0, 0, 0, 0}), answer(3, {6, 5, 4, 3, 2, 1, 0})};
  // One is right, one is second, one has no answer, one is last.
  EXPECT_EQ(test.score(answers), (std::vector<double>{0.25, 0.5}));
  EXPECT_EQ(test.task->describe(2, std::span(answers).subspan(2, 1)), "NaN");
  EXPECT_EQ(test.task->scoreClasses(answers),
            (std::vector<double>{1, 0, 0, 0}));
  // Of equal scores, the first class wins.
  EXPECT_EQ(answer(0, {1, 1, 1, 1, 1, 1, 1})[1], 0);
  EXPECT_EQ(answer(3, {1, 1, 1, 1, 1, 1, 1})[1], 6);
  expectError(
      [&] {
        TestTask narrow(config, {input}, {{"scores", DType::F32, {1, 6}}});
      },
      "the label of '000003' is 6, but output 'scores' has scores for the "
      "classes 0 to 5");
  config.output = "absent";
  expectError(
      [&] {
        TestTask lost(config, {input}, {{"s", DType::F32, {1, 7}}});
      },
      "evaluation.output: the network has no output 'absent'; its outputs are "
      "'s' 1x7");
}

TEST_F(TaskTest, HostileNamesAreNoFormulas) {
  for (const std::string &name : hostileNames)
    writeText(dir / "set" / name / (name + ".png"), "");
  config.images = (dir / "set").string();
  TestTask test(config, {input}, {{"scores", DType::F32, {1, 5}}});
  ASSERT_EQ(test.data.size(), 5u);
  for (const std::string &name : hostileNames) {
    NetworkAnswers network{name};
    for (size_t i = 0; i < test.data.size(); ++i)
      network.answers.push_back(
          answerOf(test, i, floats({1, 5}, {9, 8, 7, 6, 5})));
    expectNoFormula(answersCsv(*test.task, test.data, {{network}}), "answers");
  }
}

TEST_F(TaskTest, Segmentation) {
  config.task = EvaluationTask::Segmentation;
  config.images = (dir / "images").string();
  config.labels = (dir / "masks").string();
  writePicture(dir / "images/a.png", 4, 2);
  cv::Mat mask(2, 4, CV_8UC1, cv::Scalar(0));
  mask.at<uint8_t>(0, 0) = 1;
  mask.at<uint8_t>(0, 1) = 1;
  mask.at<uint8_t>(1, 3) = 255; // does not count
  std::filesystem::create_directories(dir / "masks");
  cv::imwrite((dir / "masks/a.png").string(), mask);
  PortInfo pixels{"x", DType::F32, {1, 3, 4, 4}};
  TestTask test(config, {pixels}, {{"y", DType::F32, {1, 2, 4, 4}}});
  // The picture lies in lines 1 and 2; class 1 is given to its first column.
  Tensor output(DType::F32, {1, 2, 4, 4});
  for (int64_t y = 0; y < 4; ++y)
    output.data<float>()[16 + y * 4] = 5;
  Placement placement{4, 2, 1, 1, 0, 1};
  Answer answer = test.task->answer(0, placement, std::vector{output});
  // Class 1: one of two found, one too many. Class 0: four of five right.
  std::vector<double> score = test.score({answer});
  EXPECT_DOUBLE_EQ(score[0], (1.0 / 3 + 4.0 / 6) / 2);
  EXPECT_DOUBLE_EQ(score[1], 5.0 / 7);
  expectError(
      [&] {
        TestTask flat(config, {pixels}, {{"y", DType::F32, {1, 16}}});
      },
      "output 'y' is 1x16, but segmentation needs 1xClassesxHeightxWidth");
  mask.at<uint8_t>(0, 0) = 2;
  cv::imwrite((dir / "masks/a.png").string(), mask);
  expectError(
      [&] { test.task->answer(0, placement, std::vector{output}); },
      "the mask of 'a.png' has class 2 at (0, 0), but the network has the "
      "classes 0 to 1");
  writePicture(dir / "masks/a.png", 4, 2);
  expectError([&] { test.task->answer(0, placement, std::vector{output}); },
              "it is not gray with 8 bits");
  std::filesystem::remove(dir / "masks/a.png");
  writePicture(dir / "masks/b.png", 4, 2);
  expectError([&] { EvaluationData data(config); },
              "has labels without a picture: b.png");
}

TEST_F(TaskTest, PairsOfVectors) {
  config.task = EvaluationTask::Embedding;
  std::string x = (dir / "x.npy").string();
  writeArray<float>(dir / "x.npy", {4, 1}, {0, 0, 0, 0});
  writeArray<float>(dir / "y.npy", {4}, {1, 2, 2, 5});
  config.inputs = {{"x", x, x, 0}};
  config.labels = (dir / "y.npy").string();
  TestTask test(config, {input}, {{"y", DType::F32, {1, 2}}});
  std::vector<Answer> answers;
  for (float cosine : {0.1f, 0.5f, 0.3f, 0.9f}) {
    answers.push_back(answerOf(test, 0, floats({1, 2}, {2, 0})));
    answers.push_back(answerOf(
        test, 0, floats({1, 2}, {cosine, std::sqrt(1 - cosine * cosine)})));
  }
  // Ranks 1 3 2 4 and 1 2.5 2.5 4: their correlation.
  EXPECT_NEAR(test.score(answers)[0], 4.5 / std::sqrt(5 * 4.5), 1e-12);
  // What is the same everywhere has no order, and zeros have no direction.
  EXPECT_EQ(test.score(std::vector<Answer>(
                8, answerOf(test, 0, floats({1, 2}, {0, 0}))))[0],
            0);
  config.metric = "retrieval1";
  expectError(
      [&] {
        TestTask other(config, {input}, {{"y", DType::F32, {1, 2}}});
      },
      "evaluation.metric retrieval1 needs samples with a class, not pairs");
}

TEST_F(TaskTest, VectorsOfTokens) {
  config.task = EvaluationTask::Embedding;
  std::string mask = (dir / "m.npy").string();
  writeArray<int64_t>(dir / "m.npy", {2, 3}, {1, 1, 0, 1, 0, 0});
  writeArray<float>(dir / "y.npy", {2}, {1, 2});
  config.inputs = {{"attention_mask", mask, mask, 0}};
  config.labels = (dir / "y.npy").string();
  std::vector<PortInfo> inputs = {{"attention_mask", DType::I64, {1, 3}}};
  std::vector<PortInfo> outputs = {{"y", DType::F32, {1, 3, 2}}};
  TestTask test(config, inputs, outputs);
  Tensor output = floats({1, 3, 2}, {3, 0, 0, 4, 100, 100});
  // The mean of the first two tokens, of length one; only the first token.
  EXPECT_EQ(answerOf(test, 0, output), (Answer{0.6, 0.8}));
  EXPECT_EQ(answerOf(test, 2, output), (Answer{1, 0}));
  config.pooling = Pooling::First;
  TestTask first(config, inputs, outputs);
  EXPECT_EQ(answerOf(first, 0, output), (Answer{1, 0}));
  expectError(
      [&] {
        TestTask flat(config, inputs, {{"y", DType::F32, {1, 2}}});
      },
      "evaluation.pooling First needs an output of 1xTokensxFeatures, "
      "but 'y' is 1x2");
}

TEST_F(TaskTest, Retrieval) {
  config.task = EvaluationTask::Embedding;
  writeSamples<int64_t>({0, 0, 1, 1});
  TestTask test(config, {input}, {{"y", DType::F32, {1, 2}}});
  std::vector<Answer> answers;
  for (float angle : {0.0f, 0.1f, 0.15f, 1.0f})
    answers.push_back(
        answerOf(test, 0, floats({1, 2}, {std::cos(angle), std::sin(angle)})));
  // The second and the third are nearer to each other than to their own.
  EXPECT_EQ(test.score(answers), (std::vector<double>{0.5, 1, 1}));
}

TEST_F(TaskTest, Regression) {
  config.task = EvaluationTask::Regression;
  writeSamples<float>({1, 2});
  {
    TestTask test(config, {input}, {{"y", DType::F32, {1, 1}}});
    std::vector<Answer> answers = {answerOf(test, 0, floats({1, 1}, {4})),
                                   answerOf(test, 1, floats({1, 1}, {6}))};
    EXPECT_DOUBLE_EQ(test.score(answers)[0], std::sqrt(12.5));
    EXPECT_EQ(test.task->metrics().size(), 1u);
  }
  config.images = (dir / "images").string();
  config.labels = (dir / "targets").string();
  config.std = {255};
  writePicture(dir / "images/a.png", 2, 2);
  writePicture(dir / "targets/a.png", 2, 2, {51, 51, 51});
  TestTask test(config, {{"x", DType::F32, {1, 3, 2, 2}}},
                {{"y", DType::F32, {1, 3, 2, 2}}});
  Answer answer =
      answerOf(test, 0, floats({1, 3, 2, 2}, std::vector<float>(12, 0.3f)));
  // An error of 0.1 where the peak is 1.
  EXPECT_NEAR(test.score({answer})[1], 20, 1e-5);
  expectError(
      [&] {
        config.images = (dir / "x.npy").string();
        config.labels = (dir / "y.npy").string();
        TestTask wide(config, {input}, {{"y", DType::F32, {1, 2}}});
      },
      "y.npy holds 2, but output 'y' gives 1x2 for each sample");
}

/// A classifier of 400 samples that is right for some of them.
struct VerdictTest : TaskTest {
  static constexpr size_t count = 400;
  VerdictTest() { writeSamples<int64_t>(std::vector<int64_t>(count, 1)); }
  static std::vector<Answer> rightFor(size_t from, size_t right) {
    std::vector<Answer> answers;
    for (size_t i = 0; i < count; ++i)
      answers.push_back(i >= from && i < from + right ? Answer{1, 0}
                                                      : Answer{0, 1});
    return answers;
  }
  Accuracy judge(const std::vector<Answer> &before,
                 const std::vector<Answer> &after) {
    return TestTask(config, {input}, {{"y", DType::F32, {1, 2}}})
        .judge(before, after);
  }
};

TEST_F(VerdictTest, FollowsTheInterval) {
  Accuracy same = judge(rightFor(0, 360), rightFor(0, 360));
  EXPECT_EQ(same.verdict, AccuracyVerdict::Good);
  EXPECT_EQ(same.changedCount, 0);
  EXPECT_NE(same.sentence.find("good: NPUBackend loses 0.0000 (95 %: 0.0000 to "
                               "0.0075) of Float's top-1 0.9000"),
            std::string::npos)
      << same.sentence;
  // The table says the same.
  EXPECT_NE(renderAccuracy(same).find("0.0000 [0.0000, 0.0075]"),
            std::string::npos);
  // Half as good can't be an accident; one sample less may be one.
  Accuracy half = judge(rightFor(0, 360), rightFor(0, 180));
  EXPECT_EQ(half.verdict, AccuracyVerdict::Bad);
  EXPECT_NEAR(half.networks[1].metrics[0].loss.value, 0.45, 1e-12);
  EXPECT_EQ(half.changed.size(), 100u);
  EXPECT_EQ(half.changedCount, 180);
  Accuracy few = judge(rightFor(0, 360), rightFor(0, 356));
  EXPECT_EQ(few.verdict, AccuracyVerdict::Undecided);
  EXPECT_NE(few.sentence.find("undecided, 400 samples are too few"),
            std::string::npos);
  // The same number right, but others: that nothing was lost is not known.
  EXPECT_EQ(judge(rightFor(0, 360), rightFor(40, 360)).verdict,
            AccuracyVerdict::Undecided);
  config.criterion = LossCriterion::Absolute;
  config.tolerableLoss = 0.5;
  EXPECT_EQ(judge(rightFor(0, 360), rightFor(0, 180)).verdict,
            AccuracyVerdict::Good);
}

TEST_F(VerdictTest, IntervalsDependOnTheSeedAlone) {
  auto interval = [&](int threads) {
    ThreadCountScope scope(threads);
    Estimate loss =
        judge(rightFor(0, 360), rightFor(0, 300)).networks[1].metrics[0].loss;
    return std::pair(loss.low, loss.high);
  };
  auto [low, high] = interval(1);
  EXPECT_EQ(interval(2), std::pair(low, high));
  // 15 % of 400: two standard deviations are 3.6 %.
  EXPECT_NEAR(low, 0.15 - 0.035, 0.006);
  EXPECT_NEAR(high, 0.15 + 0.035, 0.006);
  config.randomSeed = 1;
  EXPECT_NE(interval(1), std::pair(low, high));
}

TEST_F(VerdictTest, IsShownAndWritten) {
  Accuracy accuracy = judge(rightFor(0, 360), rightFor(0, 180));
  std::string text = renderAccuracy(accuracy);
  for (const char *part :
       {"Accuracy (Classification, 400 samples)", "Loss [95 % interval]",
        "Classes that lose most", "Samples with another answer",
        "180 of 400 samples have another answer.", "Accuracy is bad: "})
    EXPECT_NE(text.find(part), std::string::npos) << part << text;
  auto json = nlohmann::json::parse(accuracyJson(accuracy));
  EXPECT_EQ(json["verdict"], "bad");
  EXPECT_EQ(json["metric"], "top1");
  EXPECT_NEAR(json["networks"][1]["metrics"]["top1"]["loss"]["value"], 0.45,
              1e-12);
  EXPECT_EQ(json["changed_count"], 180);
}

struct CommandTest : testing::Test {
  TempDir dir;
  EvaluationConfig config;
  CommandTest() { config.task = EvaluationTask::Custom; }

  std::vector<MetricResult> run(const std::string &command) {
    config.command = command;
    return runMetricCommand(config, dir / "outputs");
  }
};

TEST_F(CommandTest, PrintsNumbers) {
  std::vector<MetricResult> metrics =
      run("echo chatter >&2; echo '{\"wer\": 0.25, \"n\": 3}' #");
  ASSERT_EQ(metrics.size(), 2u);
  EXPECT_EQ(metrics[0].name, "wer");
  EXPECT_EQ(metrics[0].value.value, 0.25);
  // It gets the folder of outputs.
  EXPECT_EQ(run("basename_of() { case \"$1\" in */outputs) echo "
                "'{\"ok\": 1}';; esac; }; basename_of")[0]
                .value.value,
            1);
  config.higherIsBetter = false;
  std::vector<NetworkAnswers> networks = {
      {"a", {}, run("echo '{\"wer\": 1}' #")},
      {"b", {}, run("echo '{\"wer\": 2}' #")}};
  Accuracy accuracy = judgeNumbers(config, 3, networks);
  EXPECT_EQ(accuracy.verdict, AccuracyVerdict::Bad);
  EXPECT_EQ(accuracy.networks[1].metrics[0].loss.value, 1);
  config.metric = "cer";
  expectError([&] { judgeNumbers(config, 3, networks); },
              "evaluation.metric: there is no 'cer' here; there are wer");
}

TEST_F(CommandTest, SaysWhatWentWrong) {
  expectError([&] { run("echo 'no module' >&2; exit 3;"); },
              "gave exit code 3; its last words are 'no module'");
  expectError([&] { run("kill -SEGV $$;"); }, "was ended by signal 11");
  expectError([&] { run("echo 0.5 #"); },
              "did not print a JSON object of numbers; its last words are "
              "'0.5'");
  expectError([&] { run("true"); }, "did not print a JSON object of numbers; "
                                    "it wrote nothing");
  expectError([&] { run("echo '{\"a\": \"b\"}' #"); },
              "printed 'a', which is not a number");
  config.timeout = 1;
  expectError([&] { run("sleep 60 #"); }, "took more than 1 s");
}

} // namespace
} // namespace parallax
