//===- CompilerTest.cpp - A build without a command line ------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// The quickstart through parallax/Compiler.h: results come as data, everything
// else through the listener, and nothing is printed.
//===----------------------------------------------------------------------===//
#include "../Support/TempDir.h"
#include "Quickstart.h"

#include <algorithm>
#include <fmt/format.h>
#include <fstream>
#include <gtest/gtest.h>
#include <mutex>
#include <set>
#include <thread>

using namespace parallax;
namespace fs = std::filesystem;

namespace {

/// Keeps what it hears; cancels while a work of some title is under way.
class Recorder : public Listener {
public:
  explicit Recorder(std::string stopsIn = "") : stopsIn(std::move(stopsIn)) {}

  void onMessage(LogLevel, std::string_view text) override {
    std::lock_guard lock(mutex);
    messages += std::string(text) + "\n";
  }
  void onResult(std::string_view text) override {
    std::lock_guard lock(mutex);
    results += text;
  }
  void onProgress(const ProgressEvent &event) override {
    std::lock_guard lock(mutex);
    if (event.hasEnded && event.done == event.total)
      ended.insert(std::string(event.title));
    cancelled |= event.title == stopsIn && event.done >= 2;
  }
  bool isCancelled() const override {
    std::lock_guard lock(mutex);
    return cancelled;
  }

  std::string messages, results;
  std::set<std::string> ended;

private:
  mutable std::mutex mutex;
  const std::string stopsIn;
  bool cancelled = false;
};

std::set<std::string> filesBelow(const fs::path &folder) {
  std::set<std::string> names;
  for (const auto &entry : fs::recursive_directory_iterator(folder))
    if (entry.is_regular_file())
      names.insert(fs::relative(entry.path(), folder).generic_string());
  return names;
}

bool isTemporary(const std::string &name) {
  return name.find(".parallax-") != std::string::npos || name.ends_with(".tmp");
}

std::string errorOf(const CompileOptions &options) {
  try {
    compile(options);
  } catch (const Error &error) {
    return error.what();
  }
  return "";
}

TEST(Compiler, TellsEverythingAndPrintsNothing) {
  TempDir dir;
  fs::path data = fs::path(PARALLAX_ROOT) / "configs" / "quickstart";
  CompileOptions options = quickstart(dir / "out");
  options.overrides = {
      {"quant.precision_analysis", {"true"}},
      {"quant.precision_analysis_mode", {"Both"}},
      {"evaluation.images", {(data / "evaluation_images.npy").string()}},
      {"evaluation.labels", {(data / "evaluation_labels.npy").string()}}};
  options.failUnder = 0.9;
  Recorder recorder;
  testing::internal::CaptureStdout();
  testing::internal::CaptureStderr();
  CompileResult result = compile(options, &recorder);
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "");
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");

  EXPECT_NE(recorder.messages.find("save compiled model to ["),
            std::string::npos);
  EXPECT_NE(recorder.results.find("Quant Precision Table"), std::string::npos);
  EXPECT_NE(recorder.results.find("Accuracy is good"), std::string::npos);
  EXPECT_TRUE(recorder.ended.contains("Calibrating"));
  EXPECT_TRUE(recorder.ended.contains("Analyzing precision"));

  ASSERT_EQ(result.outputs.size(), 1u);
  EXPECT_EQ(result.outputs[0].name, "logits");
  EXPECT_GT(result.outputs[0].cosine, 0.98);
  EXPECT_LE(result.outputs[0].worstSampleCosine, result.outputs[0].cosine);
  EXPECT_GE(result.outputs[0].worstSample, 0);
  EXPECT_EQ(result.outputs[0].verdict, "good");
  ASSERT_FALSE(result.layers.empty());
  int64_t cycles = 0;
  for (const LayerScores &layer : result.layers) {
    EXPECT_EQ(layer.scores.size(), 4u) << layer.layer;
    EXPECT_FALSE(layer.op.empty());
    EXPECT_FALSE(layer.type.empty());
    cycles += layer.cycles;
  }
  EXPECT_GT(cycles, 0);
  EXPECT_GT(result.cycles, 0);
  EXPECT_TRUE(result.isPreciseEnough);
  ASSERT_TRUE(result.accuracy);
  ASSERT_EQ(result.accuracy->networks.size(), 3u);
  EXPECT_EQ(result.accuracy->networks[2].network, "NPUBackend");
  EXPECT_GT(result.accuracy->networks[2].metrics[0].value.value, 0.98);
  EXPECT_EQ(result.accuracy->verdict, AccuracyVerdict::Good);

  const CompileFiles &files = result.files;
  for (const fs::path &file :
       {files.log, files.optimizedModel, files.calibration,
        files.quantizedModel, files.compiledModel, files.analysisText,
        files.analysisJson})
    EXPECT_TRUE(fs::is_regular_file(file)) << file;
  EXPECT_EQ(files.suggestions.empty(), result.suggestions.empty());
}

TEST(Compiler, WithoutAListenerNothingIsSaid) {
  TempDir dir;
  CompileOptions options = quickstart(dir / "out");
  options.onlyCheck = true;
  testing::internal::CaptureStdout();
  testing::internal::CaptureStderr();
  CompileResult result = compile(options);
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "");
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
  EXPECT_FALSE(fs::exists(dir / "out"));
  EXPECT_TRUE(result.files.log.empty());
  EXPECT_TRUE(result.outputs.empty());
}

TEST(Compiler, SaysIfAnOutputIsTooImprecise) {
  TempDir dir;
  CompileOptions options = quickstart(dir / "out");
  options.overrides = {{"quant.precision_analysis", {"true"}},
                       {"quant.precision_analysis_size", {"1"}}};
  options.failUnder = 0.9999999;
  EXPECT_FALSE(compile(options).isPreciseEnough);
}

TEST(Compiler, CancelledInTheMiddleOfCalibration) {
  for (int threads : {1, 2}) {
    TempDir dir;
    CompileOptions options = quickstart(dir / "out");
    options.threads = threads;
    Recorder recorder("Calibrating");
    EXPECT_THROW(compile(options, &recorder), Cancelled);
    EXPECT_FALSE(recorder.ended.contains("Calibrating"));
    std::set<std::string> files = filesBelow(dir / "out");
    EXPECT_TRUE(files.contains("frontend/optimized.onnx"));
    EXPECT_FALSE(files.contains("quant/calibration.json"));
    EXPECT_EQ(std::ranges::count_if(files, isTemporary), 0);
    // What is left does not disturb the next build.
    CompileResult result = compile(options);
    EXPECT_TRUE(fs::exists(result.files.compiledModel));
  }
}

TEST(Compiler, TwoAtOnceDoNotMix) {
  TempDir dir;
  CompileOptions options[] = {quickstart(dir / "0"), quickstart(dir / "1")};
  Recorder recorders[2];
  CompileResult results[2];
  std::vector<std::thread> threads;
  for (int i : {0, 1})
    threads.emplace_back([&, i] {
      options[i].threads = 2;
      results[i] = compile(options[i], &recorders[i]);
    });
  for (std::thread &thread : threads)
    thread.join();
  for (int i : {0, 1}) {
    std::string other = (dir / std::to_string(1 - i)).string();
    EXPECT_EQ(recorders[i].messages.find(other), std::string::npos);
    EXPECT_TRUE(recorders[i].ended.contains("Calibrating"));
  }
  EXPECT_EQ(contentsOf(results[0].files.compiledModel),
            contentsOf(results[1].files.compiledModel));
}

TEST(Compiler, CheckpointsGoOn) {
  TempDir dir;
  CompileOptions options = quickstart(dir / "out");
  options.phaseTo = "compile";
  CompileResult first = compile(options);
  EXPECT_TRUE(first.outputs.empty());
  options.phaseFrom = "analyze";
  options.phaseTo.clear();
  options.overrides = {{"quant.precision_analysis", {"true"}}};
  Recorder recorder;
  CompileResult second = compile(options, &recorder);
  ASSERT_EQ(second.outputs.size(), 1u);
  EXPECT_EQ(second.cycles, first.cycles);
  EXPECT_TRUE(second.files.compiledModel.empty());
  // The checkpoint has the network as it was imported.
  EXPECT_NE(recorder.results.find("Imported"), std::string::npos)
      << recorder.results;
}

/// Writes to a file as soon as a work of some title has ended.
class Intruder final : public Recorder {
public:
  Intruder(fs::path file, std::string after)
      : file(std::move(file)), after(std::move(after)) {}

  void onProgress(const ProgressEvent &event) override {
    Recorder::onProgress(event);
    if (event.title == after && event.hasEnded)
      std::ofstream(file, std::ios::app) << '\0';
  }

private:
  const fs::path file;
  const std::string after;
};

TEST(Compiler, AModelThatChangesIsRefused) {
  TempDir dir;
  CompileOptions options = quickstart(dir / "out");
  fs::path model = dir / "model.onnx";
  fs::copy_file(fs::path(PARALLAX_ROOT) / "configs/quickstart/digits.onnx",
                model);
  options.overrides = {{"input", {model.string()}}};
  compile(options);
  EXPECT_TRUE(fs::exists(dir / "out/manifest.json"));
  Intruder intruder(model, "Calibrating");
  std::string message;
  try {
    compile(options, &intruder);
  } catch (const Error &error) {
    message = error.what();
  }
  EXPECT_NE(message.find("model.onnx"), std::string::npos) << message;
  EXPECT_NE(message.find("changed while the build ran"), std::string::npos)
      << message;
  EXPECT_FALSE(fs::exists(dir / "out/manifest.json"));
}

/// A copy of the digits that may change, and a configuration that evaluates on
/// it.
class ChangingDigits : public testing::Test {
protected:
  ChangingDigits() { copyFiles(); }

  void copyFiles() const {
    for (const char *name : {"digits.onnx", "calibration.tar",
                             "evaluation_images.npy", "evaluation_labels.npy"})
      fs::copy_file(fs::path(PARALLAX_ROOT) / "configs/quickstart" / name,
                    dir / name, fs::copy_options::overwrite_existing);
  }

  std::string config() const {
    return fmt::format(
        R"({{"input": "{0}/digits.onnx", "output_dir": "{0}/out",
            "quant": {{"input_configs": [{{"tensor_name": "image",
              "calibration_dataset": "{0}/calibration.tar",
              "calibration_format": "Numpy"}}]}},
            "evaluation": {{"images": "{0}/evaluation_images.npy",
              "labels": "{0}/evaluation_labels.npy"}}}})",
        dir.path().string());
  }

  TempDir dir;
};

TEST_F(ChangingDigits, AreNotEvaluatedOn) {
  EvaluateOptions options;
  options.configText = config();
  evaluate(options);
  fs::path figures = dir / "out/evaluation/accuracy.json";
  std::string before = contentsOf(figures);
  for (auto [name, words] :
       {std::pair("digits.onnx", "a model changed while the evaluation ran"),
        std::pair("evaluation_labels.npy",
                  "labels of the evaluation changed while networks ran")}) {
    Intruder intruder(dir / name, "Evaluating Float");
    std::string message;
    try {
      evaluate(options, &intruder);
    } catch (const Error &error) {
      message = error.what();
    }
    EXPECT_NE(message.find(words), std::string::npos) << message;
    EXPECT_EQ(contentsOf(figures), before);
    copyFiles();
  }
}

TEST_F(ChangingDigits, AreNotTunedOn) {
  TuneOptions options;
  options.configText = config();
  Intruder intruder(dir / "evaluation_labels.npy", "Evaluating trial");
  try {
    tune(options, &intruder);
    ADD_FAILURE() << "no error";
  } catch (const Error &error) {
    EXPECT_NE(std::string(error.what()).find("changed while networks ran"),
              std::string::npos)
        << error.what();
  }
  EXPECT_FALSE(fs::exists(dir / "out/compiled.axmodel"));
  // Nor do trials on other labels count.
  copyFiles();
  tune(options);
  options.resume = true;
  tune(options);
  std::fstream labels(dir / "evaluation_labels.npy",
                      std::ios::binary | std::ios::in | std::ios::out);
  labels.seekg(-8, std::ios::end);
  char last = char(labels.peek() ^ 1);
  labels.seekp(-8, std::ios::end);
  labels.write(&last, 1);
  labels.close();
  try {
    tune(options);
    ADD_FAILURE() << "no error";
  } catch (const Error &error) {
    EXPECT_NE(std::string(error.what()).find("data"), std::string::npos)
        << error.what();
  }
}

TEST(Compiler, MistakesAreErrors) {
  TempDir dir;
  CompileOptions options = quickstart(dir / "out");
  options.overrides = {{"npu_mode", {"NPU7"}}};
  EXPECT_NE(errorOf(options).find("npu_mode"), std::string::npos);
  options.overrides = {{"npu_mod", {"NPU1"}}};
  EXPECT_NE(errorOf(options).find("npu_mod"), std::string::npos);
  options.overrides = {{"input", {(dir / "absent.onnx").string()}}};
  EXPECT_NE(errorOf(options).find("absent.onnx"), std::string::npos);
  options = {};
  options.configText = R"({"output_dir": "x"})";
  EXPECT_EQ(errorOf(options), "name a model with --input, or in the field "
                              "'input' of the configuration");
  options = {};
  options.configFile = dir / "absent.json";
  EXPECT_NE(errorOf(options).find("absent.json"), std::string::npos);
  EXPECT_FALSE(fs::exists(dir / "out"));
}

} // namespace
