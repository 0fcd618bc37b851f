//===- CalibrationTest.cpp - The samples a network is calibrated on -------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// From archives and folders of each format to the tensors of a sample.
//===----------------------------------------------------------------------===//
#include "parallax/Data/Calibration.h"
#include "DataTestSupport.h"
#include "parallax/Data/Dataset.h"
#include "parallax/Data/Preflight.h"
#include "parallax/Support/ConsoleListener.h"

#include <atomic>
#include <cmath>
#include <cstring>
#include <fmt/format.h>
#include <fstream>
#include <opencv2/imgcodecs.hpp>
#include <optional>
#include <random>
#include <thread>

using namespace parallax;
namespace fs = std::filesystem;

namespace {

const PortInfo floats{"x", DType::F32, {1, 2}};
const PortInfo tokens{"ids", DType::I64, {2}};

std::string floatNpy(float a, float b) {
  return npyBytes<float>({1, 2}, {a, b});
}
std::string tokenNpy(int64_t a, int64_t b) {
  return npyBytes<int64_t>({2}, {a, b});
}

CalibrationSource sourceOf(const fs::path &dataset,
                           std::string name = "DEFAULT",
                           DataFormat format = DataFormat::Numpy,
                           int64_t size = 32) {
  CalibrationSource source;
  source.tensorName = std::move(name);
  source.dataset = dataset;
  source.format = format;
  source.size = size;
  return source;
}

std::vector<std::string> namesOf(const CalibrationSet &set) {
  std::vector<std::string> names;
  for (size_t sample = 0; sample < set.size(); ++sample)
    names.push_back(set.name(sample));
  return names;
}

/// The files below a folder, hidden ones too, without the folders themselves.
std::vector<std::string> filesBelow(const fs::path &folder) {
  std::vector<std::string> files;
  for (const auto &entry : fs::recursive_directory_iterator(folder))
    if (!entry.is_directory())
      files.push_back(entry.path().lexically_relative(folder).string());
  std::sort(files.begin(), files.end());
  return files;
}

class Calibration : public ::testing::Test {
protected:
  CalibrationSet open(std::vector<PortInfo> inputs,
                      std::vector<CalibrationSource> sources) const {
    return CalibrationSet::open(std::move(inputs), std::move(sources),
                                dir / "work");
  }

  void expectRefused(std::vector<PortInfo> inputs,
                     std::vector<CalibrationSource> sources,
                     const std::string &reason) const {
    expectError([&] { open(inputs, sources); }, reason);
  }

  TempDir dir;
};

TEST_F(Calibration, UnpacksOnlyWhatIsNeededInOrderOfNames) {
  auto archive = pack(dir / "a.tar", Packing::Tar,
                      {{"set/10.npy", floatNpy(10, 0)},
                       {"set/2.npy", floatNpy(2, 0)},
                       {"set/B.npy", floatNpy(66, 0)},
                       {"set/.DS_Store", "junk"},
                       {"set/._2.npy", "junk"},
                       {"__MACOSX/set/2.npy", "junk"},
                       {"set/1.npy", floatNpy(1, 0)}});
  CalibrationSet all =
      open({floats}, {sourceOf(archive, "x", DataFormat::Numpy, -1)});
  EXPECT_EQ(namesOf(all), (std::vector<std::string>{"1", "10", "2", "B"}));
  CalibrationSet two =
      open({floats}, {sourceOf(archive, "x", DataFormat::Numpy, 2)});
  EXPECT_EQ(namesOf(two), (std::vector<std::string>{"1", "10"}));
  EXPECT_EQ(filesBelow(dir / "work"),
            (std::vector<std::string>{"quant/dataset/x/set/1.npy",
                                      "quant/dataset/x/set/10.npy"}));
  EXPECT_EQ(valuesOf<float>(two.load(1)[0]), (std::vector<float>{10, 0}));
}

using Indices = std::vector<size_t>;

/// What this process has read from files so far; nothing if the system does not
/// count that.
std::optional<uint64_t> bytesRead() {
  std::ifstream counters("/proc/self/io");
  uint64_t bytes = 0;
  for (std::string name; counters >> name >> bytes;)
    if (name == "rchar:")
      return bytes;
  return std::nullopt;
}

TEST_F(Calibration, ReadsArchivesAsOftenForManySamplesAsForOne) {
  if (!bytesRead())
    GTEST_SKIP() << "/proc/self/io can't be read";
  PortInfo input{"x", DType::F32, {1, 1024}};
  std::vector<PackedEntry> entries;
  std::mt19937 random(1);
  for (int sample = 0; sample < 200; ++sample) {
    std::vector<float> values(1024);
    for (float &value : values)
      value = float(random());
    entries.push_back(
        {fmt::format("{:03}.npy", sample), npyBytes<float>({1, 1024}, values)});
  }
  auto archive = pack(dir / "a.tar.gz", Packing::TarGz, entries);
  uint64_t before = *bytesRead();
  CalibrationSet set =
      open({input}, {sourceOf(archive, "x", DataFormat::Numpy, -1)});
  ASSERT_EQ(set.size(), entries.size());
  for (size_t i = 0; i < set.size(); ++i)
    set.load(i);
  // To list the samples, to unpack them, and the samples themselves.
  EXPECT_LT(*bytesRead() - before, 4 * std::filesystem::file_size(archive));
}

TEST(ChooseSamples, TakesThoseBeyondTheWantedOnes) {
  SampleChoice choice = chooseSamples(40, 32, {true, 8});
  EXPECT_EQ(choice.calibrated.size(), 32u);
  EXPECT_EQ(choice.heldOut, (Indices{32, 33, 34, 35, 36, 37, 38, 39}));
  EXPECT_EQ(chooseSamples(132, 32, {true, 4}).heldOut,
            (Indices{32, 57, 82, 107}))
      << "neighbours are alike";
  EXPECT_TRUE(chooseSamples(132, 32, {true, 0}).heldOut.empty());
}

TEST(ChooseSamples, HoldsEveryFourthOutWhereThereAreNoOthers) {
  SampleChoice choice = chooseSamples(16, 16, {true, 8});
  EXPECT_EQ(choice.calibrated,
            (Indices{0, 1, 2, 4, 5, 6, 8, 9, 10, 12, 13, 14}));
  EXPECT_EQ(choice.heldOut, (Indices{3, 7, 11, 15}));
  EXPECT_EQ(chooseSamples(16, 16, {true, 0}).calibrated, choice.calibrated)
      << "an analysis must not change the ranges";
  EXPECT_EQ(chooseSamples(19, 16, {true, 8}).heldOut,
            (Indices{3, 7, 11, 15, 16, 17, 18}));
  EXPECT_EQ(chooseSamples(20, 16, {true, 8}).calibrated.size(), 16u);
}

TEST(ChooseSamples, KeepsSmallSetsWhole) {
  EXPECT_EQ(chooseSamples(15, 15, {true, 8}).calibrated.size(), 15u);
  EXPECT_TRUE(chooseSamples(15, 15, {true, 8}).heldOut.empty());
  EXPECT_EQ(chooseSamples(16, 16, {false, 8}).calibrated.size(), 16u);
  EXPECT_EQ(chooseSamples(3, 2, {true, 8}).heldOut, (Indices{2}));
}

TEST_F(Calibration, ProvidesWhatIsHeldOutAfterTheOthers) {
  std::vector<PackedEntry> files;
  for (int i = 0; i < 6; ++i)
    files.push_back({fmt::format("{}.npy", i), floatNpy(float(i), 0)});
  auto archive = pack(dir / "a.tar", Packing::Tar, files);
  CalibrationSet set = CalibrationSet::open(
      {floats}, {sourceOf(archive, "x", DataFormat::Numpy, 2)}, dir / "work",
      "dataset", {true, 2});
  EXPECT_EQ(set.size(), 2u);
  ASSERT_EQ(set.heldOut(), 2u);
  EXPECT_EQ(set.name(3), "4");
  EXPECT_EQ(valuesOf<float>(set.load(3)[0]), (std::vector<float>{4, 0}));
  EXPECT_EQ(filesBelow(dir / "work").size(), 4u);
}

TEST_F(Calibration, SaysWhatItDoes) {
  auto archive = pack(dir / "a.zip", Packing::Zip, {{"1.npy", floatNpy(1, 0)}});
  ConsoleListener console;
  ListenerScope scope(console);
  testing::internal::CaptureStderr();
  open({floats}, {sourceOf(archive)});
  std::string text = testing::internal::GetCapturedStderr();
  EXPECT_NE(text.find("extract [" + archive.string() + "] to [" +
                      (dir / "work/quant/dataset/x").string() + "]..."),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("1 File(s) Loaded."), std::string::npos) << text;
}

TEST_F(Calibration, LeavesTheOldSetUntilTheNewOneIsComplete) {
  auto archive = pack(dir / "a.tar", Packing::Tar, {{"1.npy", floatNpy(1, 0)}});
  open({floats}, {sourceOf(archive)});
  std::string zip = contentsOf(
      pack(dir / "b.zip", Packing::Zip, {{"1.npy", floatNpy(2, 0)}}));
  zip[60] ^= 0x55; // data no longer fit their checksum
  expectRefused({floats}, {sourceOf(dir.write("b.zip", zip))}, "b.zip");
  EXPECT_EQ(filesBelow(dir / "work"),
            std::vector<std::string>{"quant/dataset/x/1.npy"});
  EXPECT_EQ(contentsOf(dir / "work/quant/dataset/x/1.npy"), floatNpy(1, 0));

  auto inside = pack(dir / "work/quant/dataset/x/c.tar", Packing::Tar,
                     {{"1.npy", floatNpy(1, 0)}});
  expectRefused({floats}, {sourceOf(inside)}, "move it elsewhere");
  EXPECT_TRUE(fs::exists(inside));
}

TEST_F(Calibration, ReadsFoldersInPlace) {
  dir.write("set/a/1.npy", floatNpy(1, 2));
  dir.write("set/b/1.npy", floatNpy(3, 4));
  dir.write("set/.hidden/1.npy", "junk");
  fs::create_symlink(dir / "set/a/1.npy", dir / "set/linked.npy");
  fs::create_directory_symlink(dir / "set", dir / "set/b/circle");
  CalibrationSet set = open({floats}, {sourceOf(dir / "set")});
  EXPECT_EQ(namesOf(set), (std::vector<std::string>{"a/1", "b/1", "linked"}));
  EXPECT_EQ(valuesOf<float>(set.load(2)[0]), (std::vector<float>{1, 2}));
  EXPECT_EQ(valuesOf<float>(set.load(1)[0]), (std::vector<float>{3, 4}));
  EXPECT_FALSE(fs::exists(dir / "work"));
}

TEST_F(Calibration, PairsInputsByName) {
  auto x = pack(dir / "x.tar", Packing::TarGz,
                {{"x/1.npy", floatNpy(1, 0)}, {"x/2.npy", floatNpy(2, 0)}});
  int64_t raw[] = {20, 21};
  auto ids = pack(dir / "ids.zip", Packing::Zip,
                  {{"2.bin", std::string(reinterpret_cast<char *>(raw), 16)},
                   {"1.bin", std::string(16, '\0')}});
  CalibrationSet set =
      open({tokens, floats},
           {sourceOf(x, "x"), sourceOf(ids, "ids", DataFormat::Binary)});
  ASSERT_EQ(namesOf(set), (std::vector<std::string>{"1", "2"}));
  std::vector<Tensor> second = set.load(1);
  EXPECT_EQ(valuesOf<int64_t>(second[0]), (std::vector<int64_t>{20, 21}));
  EXPECT_EQ(valuesOf<float>(second[1]), (std::vector<float>{2, 0}));

  auto more = pack(dir / "more.tar", Packing::Tar,
                   {{"1.npy", floatNpy(1, 0)},
                    {"2.npy", floatNpy(2, 0)},
                    {"3.npy", ""},
                    {"4.npy", ""},
                    {"5.npy", ""},
                    {"6.npy", ""}});
  expectRefused({tokens, floats},
                {sourceOf(more, "x"), sourceOf(ids, "ids", DataFormat::Binary)},
                "4 samples of input 'x' have no partner of the same file name "
                "for input 'ids': '3', '4', '5', ...");
}

TEST_F(Calibration, FindsTheFolderOfAnInput) {
  auto archive = pack(dir / "a.tar", Packing::Tar,
                      {{"data/x/1.npy", floatNpy(1, 2)},
                       {"data/ids/1.npy", tokenNpy(3, 4)},
                       {"data/readme.npy", ""}});
  CalibrationSet set = open({floats, tokens}, {sourceOf(archive)});
  ASSERT_EQ(namesOf(set), std::vector<std::string>{"1"});
  EXPECT_EQ(valuesOf<float>(set.load(0)[0]), (std::vector<float>{1, 2}));
  EXPECT_EQ(valuesOf<int64_t>(set.load(0)[1]), (std::vector<int64_t>{3, 4}));
  EXPECT_TRUE(fs::exists(dir / "work/quant/dataset/DEFAULT/data/x/1.npy"));
}

TEST_F(Calibration, ReadsObjects) {
  std::string header =
      "{'descr': '|O', 'fortran_order': False, 'shape': (), }\n";
  auto array = [](const std::string &shape, const std::string &type,
                  const std::string &data) {
    return "cnumpy.core.numeric\n_frombuffer\n(S'" + data +
           "'\ncnumpy\ndtype\n(S'" + type + "'\ntR(" + shape + "tS'C'\ntR";
  };
  std::string pickle =
      "cnumpy.core.multiarray\n_reconstruct\n(cnumpy\nndarray\n(I0\ntS'b'\n"
      "tR(I1\n(tcnumpy\ndtype\n(S'O8'\ntRI00\n((VX\nNVids\n" +
      array("I2\n", "i8",
            std::string("\\x05") + std::string(7, '\x7f') +
                "\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00") +
      "Vx\n" +
      array("I1\nI2\n", "f4", "\\x00\\x00\\x80\\x3f\\x00\\x00\\x00\\x40") +
      "dltb.";
  std::string file = std::string("\x93NUMPY\x01\0", 8) + char(header.size()) +
                     '\0' + header + pickle;
  auto archive = pack(dir / "a.tar", Packing::Tar, {{"1.npy", file}});
  CalibrationSet set =
      open({floats, tokens},
           {sourceOf(archive, "DEFAULT", DataFormat::NumpyObject)});
  std::vector<Tensor> sample = set.load(0);
  EXPECT_EQ(valuesOf<float>(sample[0]), (std::vector<float>{1, 2}));
  EXPECT_EQ(valuesOf<int64_t>(sample[1]),
            (std::vector<int64_t>{0x7f7f7f7f7f7f7f05, 0}));
  CalibrationSet other =
      open({{"y", DType::F32, {1}}},
           {sourceOf(archive, "y", DataFormat::NumpyObject)});
  expectError([&] { other.load(0); }, "no array named 'y'");
}

TEST_F(Calibration, ReadsImages) {
  cv::Mat pixels(4, 4, CV_8UC3, cv::Scalar(10, 20, 30));
  std::vector<uint8_t> png;
  cv::imencode(".png", pixels, png);
  auto archive = pack(dir / "a.tar", Packing::Tar,
                      {{"1.PNG", std::string(png.begin(), png.end())}});
  CalibrationSource source = sourceOf(archive, "x", DataFormat::Image);
  source.tensorFormat = ColorSpace::Rgb;
  source.mean = {0, 10, 0};
  source.std = {1, 1, 2};
  CalibrationSet set = open({{"x", DType::F32, {1, 3, 1, 2}}}, {source});
  EXPECT_EQ(valuesOf<float>(set.load(0)[0]),
            (std::vector<float>{30, 30, 10, 10, 5, 5}));
}

TEST_F(Calibration, RefusesFilesThatDoNotFit) {
  auto load = [&](const std::string &file, const PortInfo &input,
                  DataFormat format = DataFormat::Numpy) {
    std::string name = format == DataFormat::Numpy ? "1.npy" : "1.bin";
    auto archive = pack(dir / "a.tar", Packing::Tar, {{name, file}});
    open({input}, {sourceOf(archive, "DEFAULT", format)}).load(0);
  };
  expectError(
      [&] {
        load(npyBytes<uint8_t>({1, 2}, {1, 2}), floats);
      },
      "holds uint8, but input 'x' is float32");
  expectError(
      [&] {
        load(npyBytes<double>({1, 2}, {1, 2}), floats);
      },
      "save x.astype(numpy.float32)");
  expectError(
      [&] {
        load(npyBytes<int32_t>({2}, {1, 2}), tokens);
      },
      "holds int32, but input 'ids' is int64");
  expectError(
      [&] {
        load(npyBytes<float>({2}, {1, 2}), floats);
      },
      "batch dimension is missing: save x[None]");
  expectError(
      [&] {
        load(npyBytes<float>({2, 1}, {1, 2}), floats);
      },
      "has the shape 2x1, but input 'x' is 1x2");
  PortInfo image{"x", DType::F32, {1, 3, 1, 2}};
  expectError(
      [&] {
        load(npyBytes<float>({1, 1, 2, 3}, {1, 2, 3, 4, 5, 6}), image);
      },
      "it is NHWC");
  expectError([&] { load("1234", floats, DataFormat::Binary); },
              "has 4 bytes, but input 'x' (1x2 of float32) needs 8");
  std::string header = "{'descr': '<f4', 'fortran_order': False, 'shape': "
                       "(1000000000, 1000000000), }\n";
  expectError(
      [&] {
        load(std::string("\x93NUMPY\x01\0", 8) + char(header.size()) + '\0' +
                 header + "12345678",
             floats);
      },
      "work/quant/dataset/x/1.npy' as .npy");
}

TEST_F(Calibration, RefusesSetsWithoutSamples) {
  expectRefused({floats}, {sourceOf(dir / "none.tar")}, "does not exist");
  expectRefused({floats}, {sourceOf("")}, "no calibration_dataset");
  auto junk = pack(dir / "junk.tar", Packing::Tar,
                   {{".DS_Store", "x"}, {"__MACOSX/1.npy", "x"}});
  expectRefused({floats}, {sourceOf(junk)},
                "junk.tar' holds no file of calibration_format Numpy (.npy)");
  auto images = pack(dir / "i.tar", Packing::Tar, {{"1.jpg", "x"}});
  expectRefused({floats}, {sourceOf(images)},
                "1 files are not of format Numpy, such as '1.jpg'");
  auto twice =
      pack(dir / "t.tar", Packing::Tar, {{"1.jpg", "x"}, {"1.png", "x"}});
  expectRefused({floats}, {sourceOf(twice, "x", DataFormat::Image)},
                "two files for the sample '1'");
  auto good = pack(dir / "g.tar", Packing::Tar, {{"1.npy", floatNpy(1, 2)}});
  for (int64_t size : {0, -2})
    expectRefused({floats}, {sourceOf(good, "x", DataFormat::Numpy, size)},
                  "calibration_size of 'x'");
  expectRefused({floats, tokens}, {sourceOf(good, "x")},
                "input 'ids' has no calibration data");
  expectRefused({floats, tokens}, {sourceOf(good), sourceOf(good, "idz")},
                "names 'idz', which is not an input of the model; did you mean "
                "'ids'?");
  expectRefused({floats}, {sourceOf(good), sourceOf(good)}, "more than once");
}

TEST_F(Calibration, LoadsFromSeveralThreads) {
  std::vector<PackedEntry> entries;
  for (int sample = 0; sample < 40; ++sample)
    entries.push_back(
        {std::to_string(100 + sample) + ".npy", floatNpy(float(sample), 1)});
  CalibrationSet set =
      open({floats}, {sourceOf(pack(dir / "a.tar", Packing::TarGz, entries),
                               "x", DataFormat::Numpy, -1)});
  ASSERT_EQ(set.size(), 40u);
  std::atomic<int> right = 0;
  std::vector<std::thread> threads;
  for (size_t thread = 0; thread < 4; ++thread)
    threads.emplace_back([&, thread] {
      for (size_t sample = set.size(); sample-- > 0;)
        if (sample % 4 == thread)
          right += set.load(sample)[0].data<float>()[0] == float(sample);
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(right, 40);
}

//===- Preflight and data diagnostics -------------------------------------===//

bool contains(const std::vector<std::string> &texts, const std::string &part) {
  for (const std::string &text : texts)
    if (text.find(part) != std::string::npos)
      return true;
  return false;
}

TEST_F(Calibration, PreflightFindsEveryProblem) {
  auto good = pack(dir / "g.tar", Packing::Tar,
                   {{"1.npy", floatNpy(1, 2)},
                    {"2.npy", floatNpy(1, 2)},
                    {"link.npy", "", AE_IFLNK, "1.npy"},
                    {"readme.txt", ""}});
  std::vector<PortInfo> inputs = {floats};
  std::vector<CalibrationSource> sources = {sourceOf(good)};
  PreflightReport report = preflight(inputs, sources);
  EXPECT_TRUE(report.ok());
  EXPECT_EQ(report.samples, 2u);
  EXPECT_TRUE(contains(report.warnings, "'link.npy' is a symbolic link"));
  EXPECT_TRUE(contains(report.warnings, "1 files are not of format Numpy"));
  EXPECT_TRUE(contains(report.warnings, "only 2 samples"));
  EXPECT_TRUE(contains(report.warnings, "calibration_size is 32"));
  EXPECT_FALSE(fs::exists(dir / "work"));

  inputs = {{"x", DType::F32, {1, 3}}, {"y", DType::F32, {2}}};
  sources = {sourceOf(dir / "no.tar", "x"), sourceOf(dir / "nor.tar", "y")};
  report = preflight(inputs, sources);
  EXPECT_EQ(report.problems.size(), 2u);
  sources = {sourceOf(good)};
  report = preflight(inputs, sources);
  EXPECT_EQ(report.problems.size(), 2u);
  EXPECT_TRUE(contains(report.problems, "g.tar/1.npy' has the shape 1x2"));
}

TEST_F(Calibration, PreflightDoubtsMeanAndStd) {
  cv::Mat pixels(4, 4, CV_8UC3, cv::Scalar(10, 20, 30));
  std::vector<uint8_t> png;
  cv::imencode(".png", pixels, png);
  auto archive = pack(dir / "a.tar", Packing::Tar,
                      {{"1.png", std::string(png.begin(), png.end())}});
  std::vector<PortInfo> inputs = {{"x", DType::F32, {1, 3, 4, 4}}};
  auto warningsOf = [&](std::vector<float> mean, std::vector<float> std,
                        ColorSpace order = ColorSpace::Rgb) {
    CalibrationSource source = sourceOf(archive, "x", DataFormat::Image, 1);
    source.mean = std::move(mean);
    source.std = std::move(std);
    source.tensorFormat = order;
    PreflightReport report = preflight(inputs, {&source, 1});
    EXPECT_TRUE(report.ok());
    // That one sample is few is not the point here.
    std::erase_if(report.warnings, [](const std::string &text) {
      return text.starts_with("only 1 samples");
    });
    return report.warnings;
  };
  EXPECT_TRUE(warningsOf({}, {}).empty());
  EXPECT_TRUE(warningsOf({123.7f, 116.3f, 103.5f}, {58, 57, 57}).empty());
  EXPECT_TRUE(warningsOf({0, 0, 0}, {255, 255, 255}).empty());
  // The reader of the configuration has warned about that.
  EXPECT_TRUE(warningsOf({}, {1 / 255.0f}).empty());
  EXPECT_TRUE(contains(warningsOf({.485f, .456f, .406f}, {.229f, .224f, .225f}),
                       "multiply them by 255"));
  EXPECT_TRUE(contains(warningsOf({300}, {}), "outside of the pixels"));
  EXPECT_TRUE(contains(warningsOf({}, {}, ColorSpace::Auto), "read as BGR"));
}

TEST_F(Calibration, InputsTakeTheSamePicturesInTheirOwnOrder) {
  cv::Mat pixels(1, 1, CV_8UC3, cv::Scalar(10, 20, 30));
  std::vector<uint8_t> png;
  cv::imencode(".png", pixels, png);
  auto archive = pack(dir / "a.tar", Packing::Tar,
                      {{"1.png", std::string(png.begin(), png.end())}});
  CalibrationSource source = sourceOf(archive, "DEFAULT", DataFormat::Image, 1);
  source.tensorFormat = ColorSpace::Rgb;
  source.tensorFormatOf["y"] = ColorSpace::Bgr;
  std::vector<PortInfo> inputs = {{"x", DType::F32, {1, 3, 1, 1}},
                                  {"y", DType::F32, {1, 3, 1, 1}}};
  std::vector<Tensor> sample = open(inputs, {source}).load(0);
  EXPECT_EQ(valuesOf<float>(sample[0]), (std::vector<float>{30, 20, 10}));
  EXPECT_EQ(valuesOf<float>(sample[1]), (std::vector<float>{10, 20, 30}));

  source.tensorFormatOf["y"] = ColorSpace::Auto;
  std::vector<std::string> warnings = preflight(inputs, {&source, 1}).warnings;
  EXPECT_TRUE(contains(warnings, "'y': tensor_format is not given"));
  EXPECT_FALSE(contains(warnings, "'x': tensor_format is not given"));
}

TEST_F(Calibration, ShapesThatDoNotTellAreToldTheirLayout) {
  cv::Mat pixels(3, 2, CV_8UC3, cv::Scalar(10, 20, 30));
  std::vector<uint8_t> png;
  cv::imencode(".png", pixels, png);
  auto archive = pack(dir / "a.tar", Packing::Tar,
                      {{"1.png", std::string(png.begin(), png.end())}});
  CalibrationSource source = sourceOf(archive, "x", DataFormat::Image, 1);
  std::vector<PortInfo> inputs = {{"x", DType::F32, {1, 3, 2, 3}}};
  EXPECT_EQ(valuesOf<float>(open(inputs, {source}).load(0)[0]),
            (std::vector<float>{10, 10, 10, 10, 10, 10, 20, 20, 20, 20, 20, 20,
                                30, 30, 30, 30, 30, 30}));
  source.tensorLayoutOf["x"] = TensorLayout::NHWC;
  EXPECT_EQ(valuesOf<float>(open(inputs, {source}).load(0)[0]),
            (std::vector<float>{10, 20, 30, 10, 20, 30, 10, 20, 30, 10, 20, 30,
                                10, 20, 30, 10, 20, 30}));
}

TEST_F(Calibration, FindsBlankAndRepeatedSamples) {
  auto archive = pack(dir / "a.tar", Packing::Tar,
                      {{"a.npy", floatNpy(1, 2)},
                       {"b.npy", floatNpy(3, 3)},
                       {"c.npy", floatNpy(1, 2)},
                       {"d.npy", floatNpy(NAN, INFINITY)},
                       {"e.npy", floatNpy(1, 3)}});
  CalibrationSet set = open({floats}, {sourceOf(archive)});
  CalibrationDiagnosis diagnosis = diagnose(set);
  EXPECT_FALSE(diagnosis.isHealthy());
  ASSERT_EQ(diagnosis.constants.size(), 1u);
  EXPECT_EQ(diagnosis.constants[0].sample, 1u);
  EXPECT_EQ(diagnosis.constants[0].value, 3);
  ASSERT_EQ(diagnosis.duplicates.size(), 1u);
  EXPECT_EQ(diagnosis.duplicates[0].sample, 2u);
  EXPECT_EQ(diagnosis.duplicates[0].original, 0u);
  ASSERT_EQ(diagnosis.nonFinite.size(), 1u);
  EXPECT_EQ(diagnosis.nonFinite[0].count, 2);
  EXPECT_EQ(describe(diagnosis, set),
            (std::vector<std::string>{
                "1 inputs of samples hold NaN or infinity: 'd' (2 in x)",
                "1 inputs of samples are constant: 'b' (x is 3)",
                "1 samples repeat an earlier one: 'c' is 'a'"}));

  // Masks are constant for good reason.
  auto masks = pack(dir / "m.tar", Packing::Tar, {{"a.npy", tokenNpy(1, 1)}});
  EXPECT_TRUE(diagnose(open({tokens}, {sourceOf(masks)})).isHealthy());
}

TEST_F(Calibration, DoubtsMeanAndStd) {
  // Channels with the pixel values 90 +- 30, 120 +- 40 and 150 +- 50.
  cv::Mat pixels(4, 4, CV_8UC3);
  for (int i = 0; i < 16; ++i) {
    int sign = i % 2 ? 1 : -1;
    pixels.at<cv::Vec3b>(i / 4, i % 4) = {uint8_t(90 + sign * 30),
                                          uint8_t(120 + sign * 40),
                                          uint8_t(150 + sign * 50)};
  }
  std::vector<PackedEntry> entries;
  for (int sample = 0; sample < 3; ++sample) {
    std::vector<uint8_t> png;
    cv::imencode(".png", pixels, png);
    entries.push_back(
        {std::to_string(sample) + ".png", std::string(png.begin(), png.end())});
    cv::flip(pixels.clone(), pixels, sample == 0 ? 1 : 0);
  }
  auto archive = pack(dir / "a.tar", Packing::Tar, entries);
  auto diagnosisOf = [&](std::vector<float> mean, std::vector<float> std,
                         Shape shape = {1, 3, 4, 4}) {
    CalibrationSource source = sourceOf(archive, "x", DataFormat::Image);
    source.mean = std::move(mean);
    source.std = std::move(std);
    source.tensorFormat = ColorSpace::Bgr;
    CalibrationSet set = open({{"x", DType::F32, std::move(shape)}}, {source});
    return diagnose(set).offRange;
  };
  // Whatever networks are trained with.
  for (const auto &[mean, std] :
       std::vector<std::pair<std::vector<float>, std::vector<float>>>{
           {{}, {}},
           {{0, 0, 0}, {1, 1, 1}},
           {{0, 0, 0}, {255, 255, 255}},
           {{127.5f}, {127.5f}},
           {{103.9f, 116.8f, 123.7f}, {}},
           {{103.9f, 116.8f, 123.7f}, {1, 1, 1}},
           {{103.5f, 116.3f, 123.7f}, {57.4f, 57.1f, 58.4f}}})
    EXPECT_TRUE(diagnosisOf(mean, std).empty());

  for (const Shape &shape : {Shape{1, 3, 4, 4}, Shape{1, 4, 4, 3}}) {
    auto channels = diagnosisOf({90, 270, 150}, {30, 40, 5000}, shape);
    ASSERT_EQ(channels.size(), 2u);
    EXPECT_EQ(channels[0].channel, 1);
    EXPECT_NEAR(channels[0].mean, -3.75, 1e-5);
    EXPECT_NEAR(channels[0].spread, 1, 1e-5);
    EXPECT_NEAR(channels[0].pixelMean, 120, 1e-3);
    EXPECT_NEAR(channels[0].pixelSpread, 40, 1e-3);
    EXPECT_EQ(channels[1].channel, 2);
    EXPECT_NEAR(channels[1].spread, 0.01, 1e-5);
  }
  // At the edges: mean 3 and spread 1, spread 30, spread 0.02.
  EXPECT_EQ(diagnosisOf({0.1f, 0, 0}, {30, 1, 1}).size(), 0u);
  EXPECT_EQ(diagnosisOf({-0.1f, 0, 0}, {30, 1, 1}).size(), 1u);
  EXPECT_EQ(diagnosisOf({90, 120, 150}, {0.999f, 1.4f, 1.7f}).size(), 1u);
  EXPECT_EQ(diagnosisOf({90, 120, 150}, {1490, 1990, 2510}).size(), 1u);

  CalibrationSource source = sourceOf(archive, "x", DataFormat::Image);
  source.std = {1 / 255.0f};
  source.tensorFormat = ColorSpace::Bgr;
  CalibrationSet set = open({{"x", DType::F32, {1, 3, 4, 4}}}, {source});
  EXPECT_TRUE(contains(describe(diagnose(set), set),
                       "channel 0 of x has mean 2.295e+04 and spread 7650 "
                       "(pixels: 90 and 30)"));
  EXPECT_TRUE(contains(describe(diagnose(set), set),
                       "give the calibration_mean and calibration_std of the "
                       "training"));
}

TEST_F(Calibration, DoesNotBlameNormalizationForBlankPictures) {
  cv::Mat pixels(4, 4, CV_8UC3, cv::Scalar(255, 255, 255));
  std::vector<uint8_t> png;
  cv::imencode(".png", pixels, png);
  auto archive = pack(dir / "a.tar", Packing::Tar,
                      {{"1.png", std::string(png.begin(), png.end())}});
  CalibrationSource source = sourceOf(archive, "x", DataFormat::Image);
  source.mean = {100};
  source.std = {40};
  CalibrationSet set = open({{"x", DType::F32, {1, 3, 4, 4}}}, {source});
  CalibrationDiagnosis diagnosis = diagnose(set);
  EXPECT_TRUE(diagnosis.offRange.empty());
  EXPECT_EQ(diagnosis.constants.size(), 1u);
}

TEST_F(Calibration, DiagnosesInAnyOrder) {
  std::vector<PackedEntry> entries;
  for (int sample = 0; sample < 6; ++sample)
    entries.push_back(
        {std::to_string(sample) + ".npy", floatNpy(float(sample / 2), 1)});
  CalibrationSet set =
      open({floats}, {sourceOf(pack(dir / "a.tar", Packing::Tar, entries))});
  DataDiagnostics diagnostics(set);
  EXPECT_TRUE(diagnostics.diagnosis().isHealthy());
  for (size_t sample : {5, 1, 4, 0, 2})
    diagnostics.look(sample, set.load(sample));
  CalibrationDiagnosis diagnosis = diagnostics.diagnosis();
  // The third was not seen.
  ASSERT_EQ(diagnosis.duplicates.size(), 2u);
  EXPECT_EQ(diagnosis.duplicates[0].sample, 1u);
  EXPECT_EQ(diagnosis.duplicates[0].original, 0u);
  EXPECT_EQ(diagnosis.duplicates[1].sample, 5u);
  EXPECT_EQ(diagnosis.duplicates[1].original, 4u);
  ASSERT_EQ(diagnosis.constants.size(), 1u);
  EXPECT_EQ(diagnosis.constants[0].sample, 2u);
}

} // namespace
