//===- EvaluationDataTest.cpp - Samples and labels in all forms -----------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// What is found, in which order, and what is said about what doesn't fit.
//===----------------------------------------------------------------------===//
#include "../../../lib/Evaluate/Labels.h"
#include "EvaluateTestSupport.h"

#include <opencv2/imgproc.hpp>

namespace parallax {
namespace {

struct DataTest : testing::Test {
  TempDir dir;
  EvaluationConfig config;

  void expectRefused(const std::string &text) {
    expectError([&] { EvaluationData data(config); }, text);
  }
};

TEST_F(DataTest, AFolderForEachClass) {
  for (const char *name : {"dog/2.png", "dog/1.jpg", "cat/3.bmp", "cat/x.txt"})
    if (std::string(name).ends_with("txt"))
      writeText(dir / name, "");
    else
      writePicture(dir / name, 4, 4);
  config.images = dir.path().string();
  EvaluationData data(config);
  ASSERT_EQ(data.size(), 3u);
  EXPECT_EQ(data.name(0), "cat/3.bmp");
  EXPECT_EQ(data.name(1), "dog/1.jpg");
  EXPECT_EQ(data.labels().numbers, (std::vector<double>{0, 1, 1}));
  EXPECT_EQ(data.labels().nameOf(1), "1 (dog)");
  EXPECT_EQ(data.labels().nameOf(7), "7");
  // The order of the network, where it is given.
  writeText(dir / "names", "dog\nbird\ncat\n");
  config.classes = (dir / "names").string();
  EXPECT_EQ(EvaluationData(config).labels().numbers,
            (std::vector<double>{2, 0, 0}));
  writeText(dir / "names", "dog\n");
  expectRefused("has a folder 'cat', which is not one of the classes of");
  config.images = (dir / "cat").string();
  expectRefused("holds no folders: give labels, or a folder for each class");
  config.images = (dir / "absent").string();
  expectRefused("is neither a folder nor a .npy or .txt file");
}

TEST_F(DataTest, Lists) {
  writePicture(dir / "a b.png", 4, 4);
  writePicture(dir / "c.png", 4, 4);
  writeText(dir / "list.txt", "# samples\n\na b.png  3\nc.png 1\n");
  config.images = (dir / "list.txt").string();
  EvaluationData data(config);
  ASSERT_EQ(data.size(), 2u);
  EXPECT_EQ(data.name(0), "a b.png");
  EXPECT_EQ(data.labels().numbers, (std::vector<double>{3, 1}));
  // The pictures may be elsewhere.
  config.images = dir.path().string();
  config.labels = (dir / "list.txt").string();
  EXPECT_EQ(EvaluationData(config).size(), 2u);
  writeText(dir / "list.txt", "c.png one\n");
  expectRefused("list.txt:1: a line holds the path of a picture and a number");
  writeText(dir / "list.txt", "d.png 1\n");
  expectRefused("names 'd.png', but there is no picture");
  writeText(dir / "list.txt", "# none\n");
  expectRefused("list.txt names no sample");
  // Pairs.
  config.task = EvaluationTask::Embedding;
  writeText(dir / "list.txt", "c.png c.png 4.5\n");
  EvaluationData pairs(config);
  EXPECT_TRUE(pairs.hasPairs());
  EXPECT_EQ(pairs.runs(), 2u);
}

TEST_F(DataTest, Yolo) {
  writePicture(dir / "images/a.png", 4, 4);
  writePicture(dir / "images/b.png", 4, 4);
  writeText(dir / "labels/a.txt", "3 0.5 0.5 1 0.5\n");
  config.task = EvaluationTask::Detection;
  config.images = (dir / "images").string();
  config.labels = (dir / "labels").string();
  EvaluationData data(config);
  ASSERT_EQ(data.labels().boxes.size(), 2u);
  ASSERT_EQ(data.labels().boxes[0].size(), 1u);
  EXPECT_EQ(data.labels().boxes[0][0].top, 0.25);
  EXPECT_TRUE(data.labels().areRelative);
  // A picture without a file has no objects.
  EXPECT_TRUE(data.labels().boxes[1].empty());
  writeText(dir / "labels/c.txt", "");
  expectRefused("has labels without a picture: c.txt");
  std::filesystem::remove(dir / "labels/c.txt");
  auto expectLine = [&](const std::string &line, const std::string &text) {
    writeText(dir / "labels/a.txt", "0 0 0 0 0\n" + line + "\n");
    expectRefused("a.txt:2: " + text);
  };
  expectLine("0 0.5 0.5 1", "a line holds a class and center x, center y");
  expectLine("0 0.5 0.5 1 x", "'x' is not a number");
  expectLine("0 0.5 0.5 100 1", "100 is outside of 0 to 1");
  expectLine("-1 0.5 0.5 1 1", "class -1 is not one of the numbered classes");
  writeText(dir / "names", "cat\n");
  config.classes = (dir / "names").string();
  expectLine("1 0.5 0.5 1 1", "class 1 is not one of the 1 classes");
  std::filesystem::remove_all(dir / "labels");
  std::filesystem::create_directories(dir / "labels");
  expectRefused("has no labels for a.png, b.png");
  config.labels = (dir / "images/a.png").string();
  expectRefused("evaluation.labels of a detector must be a folder of YOLO's");
}

// Links choose samples of a larger set; they have names of their own.
TEST_F(DataTest, PicturesAndLabelsMayBeLinks) {
  writePicture(dir / "all/images/1.png", 4, 4);
  writeText(dir / "all/labels/1.txt", "3 0.5 0.5 1 0.5\n");
  for (std::string kind : {"images", "labels"}) {
    std::string extension = kind == "images" ? ".png" : ".txt";
    std::filesystem::create_directories(dir / kind);
    std::filesystem::create_symlink(dir / ("all/" + kind + "/1" + extension),
                                    dir / (kind + "/first" + extension));
  }
  config.task = EvaluationTask::Detection;
  config.images = (dir / "images").string();
  config.labels = (dir / "labels").string();
  EvaluationData data(config);
  EXPECT_EQ(data.name(0), "first.png");
  EXPECT_EQ(data.labels().boxes[0].size(), 1u);
}

TEST_F(DataTest, Coco) {
  writePicture(dir / "images/a.png", 4, 4);
  config.task = EvaluationTask::Detection;
  config.images = (dir / "images").string();
  config.labels = (dir / "labels.json").string();
  auto write = [&](const std::string &annotations,
                   const std::string &file = "a.png") {
    writeText(config.labels,
              R"({"images": [{"id": 7, "file_name": ")" + file +
                  R"("}], "categories": [{"id": 90, "name": "dog"}, )"
                  R"({"id": 3, "name": "cat"}], "annotations": [)" +
                  annotations + "]}");
  };
  write(R"({"image_id": 7, "category_id": 90, "bbox": [1, 2, 3, 4],
            "iscrowd": 1})");
  EvaluationData data(config);
  ASSERT_EQ(data.labels().boxes[0].size(), 1u);
  const TruthBox &box = data.labels().boxes[0][0];
  // Classes are numbered in the order of their ids.
  EXPECT_EQ(box.label, 1);
  EXPECT_EQ(data.labels().nameOf(1), "1 (dog)");
  EXPECT_EQ(box.right, 4);
  EXPECT_EQ(box.bottom, 6);
  EXPECT_TRUE(box.isCrowd);
  write(R"({"image_id": 8, "category_id": 90, "bbox": [1, 2, 3, 4]})");
  expectRefused("a box is of picture 8, which is not there");
  write(R"({"image_id": 7, "category_id": 1, "bbox": [1, 2, 3, 4]})");
  expectRefused("a box has category 1, which is not there");
  write(R"({"image_id": 7, "category_id": 3, "bbox": [1, 2, -3, 4]})");
  expectRefused("a box of 'a.png' has no x, y, width and height");
  write("", "b.png");
  expectRefused("has labels of pictures that are not in");
  writeText(config.labels, "{\"images\": 3");
  expectRefused("is not in COCO's format: it is not a JSON object");
  writeText(config.labels, "{\"images\": 3}");
  expectRefused("is not in COCO's format");
}

TEST_F(DataTest, StacksOfArrays) {
  writeArray<float>(dir / "x.npy", {4, 2, 3}, std::vector<float>(24, 1));
  writeArray<int64_t>(dir / "y.npy", {4}, {0, 1, 2, 3});
  config.images = (dir / "x.npy").string();
  config.labels = (dir / "y.npy").string();
  EvaluationData data(config);
  PortInfo input{"x", DType::F32, {1, 2, 3}};
  InputPreparation preparation = data.prepare({input}, {});
  Placement placement;
  EXPECT_EQ(data.load(3, preparation, placement)[0].shape(), input.shape);
  // A part of a set is spread over all of it.
  config.size = 2;
  EvaluationData part(config);
  EXPECT_EQ(part.labels().numbers, (std::vector<double>{0, 2}));
  EXPECT_EQ(part.row(1), 2u);
  config.size = -1;
  expectError(
      [&] {
        data.prepare({input, input}, {});
      },
      "evaluation.images serves networks with one input, but this one "
      "has 2: 'x', 'x'; use evaluation.inputs");
  input.shape = {1, 3, 3};
  preparation = data.prepare({input}, {});
  expectError([&] { data.load(0, preparation, placement); },
              "x.npy holds float32 4x2x3, but input 'x' takes float32 1x3x3 at "
              "a time");
  writeArray<int64_t>(dir / "y.npy", {3}, {0, 1, 2});
  expectRefused("must hold one label for each of the 4 samples, not 3");
}

TEST_F(DataTest, InputsByName) {
  writeArray<int64_t>(dir / "a.npy", {2, 3}, {1, 2, 3, 4, 5, 6});
  writeArray<int64_t>(dir / "b.npy", {2, 3}, {6, 5, 4, 3, 2, 1});
  writeArray<float>(dir / "scores.npy", {2}, {1, 2});
  config.task = EvaluationTask::Embedding;
  config.labels = (dir / "scores.npy").string();
  std::string a = (dir / "a.npy").string(), b = (dir / "b.npy").string();
  config.inputs = {{"ids", a, b, 0}, {"types", "", "", 7}};
  EvaluationData data(config);
  EXPECT_EQ(data.runs(), 4u);
  PortInfo ids{"ids", DType::I64, {1, 3}}, types{"types", DType::I64, {1, 3}};
  InputPreparation preparation = data.prepare({types, ids}, {});
  Placement placement;
  std::vector<Tensor> inputs = data.load(3, preparation, placement);
  EXPECT_EQ(inputs[0].data<int64_t>()[0], 7);
  EXPECT_EQ(inputs[1].data<int64_t>()[0], 3);
  expectError([&] { data.prepare({ids}, {}); },
              "evaluation.inputs: the network has no input 'types'");
  PortInfo other{"other", DType::I64, {1, 3}};
  expectError(
      [&] {
        data.prepare({ids, types, other}, {});
      },
      "evaluation.inputs has no data for input 'other'");
  config.inputs = {{"ids", a, b, 0}, {"types", a, "", 7}};
  expectRefused("gives pair_data for some inputs only");
  config.inputs = {{"ids", "", "", 0}};
  expectRefused("evaluation.inputs gives no data");
}

TEST_F(DataTest, PicturesAreFittedAsDeploymentDoesIt) {
  // Twice as wide as high, black on the left and white on the right.
  cv::Mat picture(10, 20, CV_8UC3, cv::Scalar(0, 0, 0));
  picture(cv::Rect(10, 0, 10, 10)).setTo(cv::Scalar(255, 255, 255));
  std::filesystem::create_directories(dir / "p/class");
  cv::imwrite((dir / "p/class/a.png").string(), picture);
  config.images = (dir / "p").string();
  EvaluationData data(config);
  PortInfo input{"x", DType::F32, {1, 3, 40, 40}};
  auto load = [&](ImageFit fit, Placement &placement) {
    ImageForm form;
    form.fit = fit;
    form.cropFraction = 1;
    return data.load(0, data.prepare({input}, form), placement)[0];
  };
  Placement placement;
  Tensor boxed = load(ImageFit::Letterbox, placement);
  EXPECT_EQ(boxed.data<float>()[0], 114);
  EXPECT_EQ(boxed.data<float>()[20 * 40], 0);
  EXPECT_EQ(boxed.data<float>()[20 * 40 + 39], 255);
  EXPECT_EQ(placement.scaleX, 2);
  EXPECT_EQ(placement.offsetY, 10);
  EXPECT_EQ(placement.width, 20);
  Tensor cropped = load(ImageFit::CenterCrop, placement);
  EXPECT_EQ(cropped.data<float>()[0], 0);
  EXPECT_EQ(cropped.data<float>()[39], 255);
  EXPECT_EQ(placement.scaleX, 4);
  EXPECT_EQ(placement.offsetX, -20);
  EXPECT_EQ(placement.offsetY, 0);
  load(ImageFit::Stretch, placement);
  EXPECT_EQ(placement.scaleX, 2);
  EXPECT_EQ(placement.scaleY, 4);
  writeText(dir / "p/class/a.png", "no picture");
  expectError([&] { load(ImageFit::Stretch, placement); },
              "it is not a JPEG, PNG or BMP picture");
}

TEST(ClassNames, OfTextAndOfYaml) {
  using Names = std::vector<std::string>;
  auto namesIn = [](std::string_view text, const char *name = "data.yaml") {
    return tasks::parseClassNames({text, name});
  };
  EXPECT_EQ(namesIn("cat\n\nsea lion\n", "names.txt"),
            (Names{"cat", "sea lion"}));
  EXPECT_EQ(namesIn("# COCO\npath: .\n\nnames:\n  1: 'sea lion'\n  0: cat\n"
                    "  # more\n  2: \"a: b\"\ndownload: x\n"),
            (Names{"cat", "sea lion", "a: b"}));
  EXPECT_EQ(namesIn("names:\n- cat\n- sea lion\nnc: 2\n"),
            (Names{"cat", "sea lion"}));
  expectError([&] { namesIn("path: .\n"); },
              "data.yaml: there is no list 'names' of classes; or give a text "
              "file with a name in each line");
  expectError([&] { namesIn("names: [cat, dog]\n"); },
              "data.yaml:1: the names must follow one by one, each in a line");
  expectError([&] { namesIn("names:\n  cat\n"); },
              "data.yaml:2: '3: cat' or '- cat' is expected in 'names'");
  expectError([&] { namesIn("names:\n  1: cat\n"); },
              "data.yaml: there is no class 0");
}

} // namespace
} // namespace parallax
