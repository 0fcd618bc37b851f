//===- DetectionTest.cpp - Boxes, heads and average precision -------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Average precision against a literal reading of COCO's definition, and every
// head against boxes that are known.
//===----------------------------------------------------------------------===//
#include "../../../lib/Evaluate/AveragePrecision.h"
#include "EvaluateTestSupport.h"
#include "parallax/Support/Random.h"
#include "parallax/Support/Sort.h"

#include <cmath>
#include <numeric>

namespace parallax::tasks {
namespace {

/// The best first; equal ones keep their order.
template <typename T> void sortByScore(std::vector<T> &items) {
  sortByKey(items, [](const T &item) { return -item.score; });
}

/// Pictures with objects and detections of one class.
struct Picture {
  std::vector<TruthBox> objects;
  std::vector<Candidate> detections;
};

/// COCO's average precision, in the order of its definition: all detections by
/// score, precision and recall after each, the best precision to the right, and
/// its mean at 101 levels.
double literalPrecision(const std::vector<Picture> &pictures,
                        double threshold) {
  struct Item {
    float score;
    bool isHit;
  };
  std::vector<Item> items;
  size_t objects = 0;
  for (const Picture &picture : pictures) {
    std::vector<bool> taken(picture.objects.size());
    objects += picture.objects.size();
    std::vector<Candidate> sorted = picture.detections;
    sortByScore(sorted);
    for (const Candidate &detection : sorted) {
      int best = -1;
      double most = 0;
      for (size_t o = 0; o < picture.objects.size(); ++o) {
        const TruthBox &object = picture.objects[o];
        double x = std::min<double>(detection.right, object.right) -
                   std::max<double>(detection.left, object.left);
        double y = std::min<double>(detection.bottom, object.bottom) -
                   std::max<double>(detection.top, object.top);
        double both = std::max(0.0, x) * std::max(0.0, y);
        double all =
            double(detection.right - detection.left) *
                double(detection.bottom - detection.top) +
            (object.right - object.left) * (object.bottom - object.top) - both;
        if (!taken[o] && both / all >= threshold && both / all > most) {
          most = both / all;
          best = int(o);
        }
      }
      if (best >= 0)
        taken[size_t(best)] = true;
      items.push_back({detection.score, best >= 0});
    }
  }
  sortByScore(items);
  double sum = 0;
  for (int level = 0; level <= 100; ++level) {
    double best = 0, hits = 0;
    for (size_t i = 0; i < items.size(); ++i) {
      hits += items[i].isHit;
      if (hits / double(objects) >= level / 100.0)
        best = std::max(best, hits / double(i + 1));
    }
    sum += best;
  }
  return sum / 101;
}

double precisionOf(const std::vector<Picture> &pictures, size_t threshold,
                   std::vector<uint32_t> counts = {}) {
  ClassPrecision own;
  counts.resize(pictures.size(), 1);
  for (size_t i = 0; i < pictures.size(); ++i) {
    for (const Match &match :
         matchDetections(pictures[i].detections, pictures[i].objects))
      own.add(i, match);
    int64_t objects = 0;
    for (const TruthBox &object : pictures[i].objects)
      objects += !object.isCrowd;
    own.addObjects(i, objects);
  }
  own.finish();
  return own.averagePrecision(threshold, counts);
}

TEST(AveragePrecision, EqualsItsDefinition) {
  Random random(5);
  for (int round = 0; round < 20; ++round) {
    std::vector<Picture> pictures(6);
    for (Picture &picture : pictures) {
      for (uint64_t i = 0, n = random.next() % 4; i < n; ++i) {
        double x = random.real() * 50, y = random.real() * 50;
        picture.objects.push_back({0, x, y, x + 20, y + 20});
      }
      for (uint64_t i = 0, n = random.next() % 8; i < n; ++i) {
        float x = random.real() * 50, y = random.real() * 50;
        // Codes give few different scores, so ties are common.
        picture.detections.push_back(
            {x, y, x + 20, y + 20, float(random.next() % 5) / 4, 0});
        if (!picture.objects.empty() && random.next() % 2) {
          const TruthBox &object = picture.objects[0];
          picture.detections.back() = {float(object.left) + 1,
                                       float(object.top) + 1,
                                       float(object.right),
                                       float(object.bottom),
                                       picture.detections.back().score,
                                       0};
        }
      }
      sortByScore(picture.detections);
    }
    pictures[0].objects.push_back({0, 0, 0, 30, 30});
    for (size_t t : {size_t(0), size_t(5), size_t(9)})
      EXPECT_NEAR(precisionOf(pictures, t),
                  literalPrecision(pictures, 0.5 + 0.05 * double(t)), 1e-12)
          << round;
  }
}

TEST(AveragePrecision, OfSimplePictures) {
  TruthBox object{0, 10, 10, 20, 20};
  Candidate right{10, 10, 20, 20, 0.9f, 0}, wrong{40, 40, 50, 50, 0.8f, 0};
  EXPECT_EQ(precisionOf({{{object}, {right}}}, 9), 1);
  // A wrong one behind the right one costs nothing, one before it half.
  EXPECT_EQ(precisionOf({{{object}, {right, wrong}}}, 0), 1);
  wrong.score = 0.95f;
  EXPECT_EQ(precisionOf({{{object}, {wrong, right}}}, 0), 0.5);
  // The second one that finds an object is wrong.
  TruthBox other{0, 60, 60, 70, 70};
  Candidate again = right;
  again.score = 0.8f;
  Candidate last{60, 60, 70, 70, 0.7f, 0};
  EXPECT_NEAR(precisionOf({{{object, other}, {right, again, last}}}, 0),
              (51 + 50 * 2.0 / 3) / 101, 1e-12);
  // Nothing is found; there is nothing to find.
  EXPECT_EQ(precisionOf({{{object}, {}}}, 0), 0);
  EXPECT_EQ(precisionOf({{{}, {right}}}, 0), -1);
  // In a crowd, detections count neither way.
  TruthBox crowd{0, 30, 30, 80, 80, true};
  EXPECT_EQ(precisionOf({{{object, crowd}, {wrong, right}}}, 0), 1);
  // Another class is another matter.
  Candidate stranger = right;
  stranger.label = 1;
  std::vector<Match> matches =
      matchDetections(std::vector{stranger}, std::vector{object});
  EXPECT_EQ(matches[0].hits, 0);
}

TEST(AveragePrecision, CountsPicturesAsOftenAsAsked) {
  TruthBox object{0, 10, 10, 20, 20};
  Picture found{{object}, {{10, 10, 20, 20, 0.9f, 0}}};
  Picture missed{{object}, {{50, 50, 60, 60, 0.95f, 0}}};
  EXPECT_EQ(precisionOf({found, missed}, 0, {1, 0}), 1);
  EXPECT_EQ(precisionOf({found, missed}, 0, {0, 1}), 0);
  EXPECT_NEAR(precisionOf({found, missed}, 0, {3, 1}),
              precisionOf({found, found, found, missed}, 0), 1e-12);
}

TEST(Suppress, DropsWhatABetterOneCovers) {
  std::vector<Candidate> boxes = {{0, 0, 10, 10, 0.5f, 0, 0},
                                  {0, 0, 10, 9, 0.9f, 0, 1},
                                  {0, 0, 10, 9, 0.4f, 1, 2},
                                  {20, 20, 30, 30, 0.3f, 0, 3}};
  std::vector<Candidate> kept = suppress(boxes, 0.7, 10);
  ASSERT_EQ(kept.size(), 3u);
  EXPECT_EQ(kept[0].score, 0.9f);
  EXPECT_EQ(kept[1].label, 1);
  EXPECT_EQ(suppress(boxes, 0.7, 2).size(), 2u);
  EXPECT_EQ(suppress(boxes, 0.95, 10).size(), 4u);
  // Boxes without extent, and numbers that are not.
  float nan = NAN;
  EXPECT_EQ(
      suppress({{5, 5, 5, 5, 0.5f, 0}, {nan, nan, nan, nan, 0.4f, 0}}, 0.5, 10)
          .size(),
      2u);
}

/// One picture with one object of class 1, from 16 to 48 pixels.
struct HeadTest : testing::Test {
  TempDir dir;
  EvaluationConfig config;

  HeadTest() {
    writePicture(dir / "images/a.png", 64, 64);
    writeText(dir / "labels/a.txt", "1 0.5 0.5 0.5 0.5\n");
    writeText(dir / "classes.txt", "cat\ndog\n");
    config.task = EvaluationTask::Detection;
    config.images = (dir / "images").string();
    config.labels = (dir / "labels").string();
    config.classes = (dir / "classes.txt").string();
  }

  /// The mean average precision for outputs of a network of 64 x 64 pixels.
  double precision(const std::vector<Tensor> &tensors) {
    std::vector<PortInfo> outputs;
    for (const Tensor &tensor : tensors)
      outputs.push_back(
          {std::to_string(outputs.size()), tensor.dtype(), tensor.shape()});
    TestTask test(config, {{"x", DType::F32, {1, 3, 64, 64}}}, outputs);
    Placement placement{64, 64};
    return test.score({test.task->answer(0, placement, tensors)})[0];
  }
};

/// Rows of boxes, as columns of another matrix.
std::vector<float> transposed(const std::vector<float> &values, size_t rows) {
  std::vector<float> result;
  size_t columns = values.size() / rows;
  for (size_t c = 0; c < columns; ++c)
    for (size_t r = 0; r < rows; ++r)
      result.push_back(values[r * columns + c]);
  return result;
}

TEST_F(HeadTest, Merged) {
  std::vector<float> v8(7 * 6), v5(8 * 7);
  auto put = [](std::vector<float> &rows, std::vector<float> row, size_t at) {
    std::copy(row.begin(), row.end(), rows.begin() + long(at * row.size()));
  };
  put(v8, {32, 32, 32, 32, 0.1f, 0.8f}, 3);
  put(v5, {32, 32, 32, 32, 0.9f, 0.1f, 0.8f}, 3);
  EXPECT_EQ(precision({floats({1, 6, 7}, transposed(v8, 7))}), 1);
  EXPECT_EQ(precision({floats({1, 7, 6}, v8)}), 1);
  EXPECT_EQ(precision({floats({1, 8, 7}, v5)}), 1);
  // Without names of classes, the order of dimensions tells them apart.
  config.classes.clear();
  EXPECT_EQ(precision({floats({1, 6, 7}, transposed(v8, 7))}), 1);
  EXPECT_EQ(precision({floats({1, 8, 7}, v5)}), 1);
  // Boxes as parts of the input.
  put(v8, {0.5f, 0.5f, 0.5f, 0.5f, 0.1f, 0.8f}, 3);
  config.boxUnit = BoxUnit::Relative;
  EXPECT_EQ(precision({floats({1, 6, 7}, transposed(v8, 7))}), 1);
  config.boxUnit = BoxUnit::Default;
  EXPECT_EQ(precision({floats({1, 6, 7}, transposed(v8, 7))}), 0);
}

/// An error of a pixel matters by the size of the box, and if somebody takes it
/// for an object.
TEST_F(HeadTest, ErrorsAreWeighedByBoxes) {
  // Center, size, two scores: a large and a small box that are seen, one that
  // is not, and nothing.
  std::vector<float> rows = {32, 32, 32, 16, 0,  0.5f, 10, 10, 8,
                             8,  1,  0,  50, 50, 8,    8,  0,  0.001f};
  constexpr size_t places = 7;
  rows.resize(6 * places);
  std::vector<Tensor> outputs = {
      floats({1, 6, places}, transposed(rows, places))};
  TestTask test(config, {{"x", DType::F32, {1, 3, 64, 64}}},
                {{"y", DType::F32, {1, 6, places}}});
  std::vector<float> weights(rows.size());
  std::vector<std::span<float>> filled = {weights};
  ASSERT_TRUE(test.task->weighErrors(outputs, filled));
  auto at = [&](size_t place, size_t channel) {
    return weights[channel * places + place];
  };
  // Half as high as wide: a pixel of its height counts four times as much.
  EXPECT_FLOAT_EQ(at(0, 1) / at(0, 0), 4);
  EXPECT_FLOAT_EQ(at(0, 3) / at(0, 2), 4);
  // Twice as sure, and a quarter of the width.
  EXPECT_FLOAT_EQ(at(1, 0) / at(0, 0), 4 * 16);
  EXPECT_LT(at(2, 0), 1e-5 * at(1, 0));
  EXPECT_GT(at(0, 5), 10 * at(2, 5));
}

TEST_F(HeadTest, BoxesAndScores) {
  Tensor boxes = floats(
      {1, 3, 4}, {0, 0, 1, 1, 0.25f, 0.25f, 0.75f, 0.75f, 0, 0, 0.1f, 0.1f});
  // The first class is that of nothing.
  Tensor scores = floats({1, 3, 3}, {0.9f, 0, 0.1f, 0, 0.1f, 0.9f, 1, 0, 0});
  EXPECT_EQ(precision({boxes, scores}), 1);
  EXPECT_EQ(precision({scores, boxes}), 1);
  config.boxFormat = BoxFormat::CornersYX;
  EXPECT_EQ(precision({boxes, scores}), 1);
  // YOLO's parts: center and size, in pixels.
  config.boxFormat = BoxFormat::Default;
  EXPECT_EQ(
      precision({floats({1, 4, 5}, {0, 32, 0, 0, 0, 0, 32, 0, 0, 0,
                                    0, 32, 0, 0, 0, 0, 32, 0, 0, 0}),
                 floats({1, 2, 5}, {0, 0.1f, 0, 0, 0, 0, 0.9f, 0, 0, 0})}),
      1);
  // Boxes that the network has chosen itself.
  config.classes.clear();
  EXPECT_EQ(precision({floats({1, 2, 6},
                              {16, 16, 48, 48, 0.9f, 1, 0, 0, 5, 5, 0.0f, 0})}),
            1);
}

TEST_F(HeadTest, Raw) {
  // One scale of 4 x 4 positions: the object's center is the corner of four of
  // them, 1.5 positions from the left and the right of the one at (1, 1) …
  constexpr int64_t bins = 16;
  Tensor output(DType::F32, {1, 4 * bins + 2, 4, 4});
  float *data = output.data<float>();
  std::fill_n(data + 64 * 16, 32, -20.0f);
  int64_t at = 1 * 4 + 1;
  auto setDistance = [&](int64_t side, int64_t bin) {
    data[(side * bins + bin) * 16 + at] = 40;
  };
  // (1.5 - 0.5) * 16 = 16, and (1.5 + 1.5) * 16 = 48: between bins 1 and 2.
  for (int64_t side : {0, 1})
    data[(side * bins + 0) * 16 + at] = data[(side * bins + 1) * 16 + at] = 40;
  for (int64_t side : {2, 3})
    data[(side * bins + 1) * 16 + at] = data[(side * bins + 2) * 16 + at] = 40;
  data[(64 + 1) * 16 + at] = 3;
  EXPECT_EQ(precision({output}), 1);
  // The same as two outputs, channels last.
  Tensor boxes = floats({1, 4, 4, 64}, transposed({data, data + 64 * 16}, 64));
  Tensor scores =
      floats({1, 4, 4, 2}, transposed({data + 64 * 16, data + 66 * 16}, 2));
  EXPECT_EQ(precision({scores, boxes}), 1);
  setDistance(0, 5);
  setDistance(0, 6);
  EXPECT_LT(precision({output}), 1);

  // YOLOv5: three anchors; the second one has the size of the object.
  Tensor v5(DType::F32, {1, 21, 4, 4});
  std::fill_n(v5.data<float>(), v5.size(), -20.0f);
  config.anchors = {8, 8, 32, 32, 64, 64};
  auto put = [&](int64_t channel, float value) {
    v5.data<float>()[(7 + channel) * 16 + at] = value;
  };
  // 2 * 0.75 - 0.5 + 1 = 2 positions of 16 pixels; (2 * 0.5)² * 32.
  put(0, std::log(3.0f));
  put(1, std::log(3.0f));
  put(2, 0);
  put(3, 0);
  put(4, 5);
  put(6, 5);
  EXPECT_EQ(precision({v5}), 1);
}

/// What is drawn into a picture: sure detections, in its pixels.
TEST_F(HeadTest, Shows) {
  writePicture(dir / "images/a.png", 128, 64);
  Tensor output = floats({1, 3, 6}, {16, 16, 48, 48, 0.9f, 1, //
                                     0, 0, 5, 5, 0.2f, 0,     //
                                     8, 20, 24, 40, 0.5f, 0});
  TestTask test(config, {{"x", DType::F32, {1, 3, 64, 64}}},
                {{"y", DType::F32, output.shape()}});
  // A letterbox: half as large, with 16 lines above.
  Placement placement{128, 64, 0.5, 0.5, 0, 16};
  Answer answer = test.task->answer(0, placement, std::span(&output, 1));
  std::vector<ShownBox> boxes = test.task->boxes(answer);
  ASSERT_EQ(boxes.size(), 2u);
  EXPECT_EQ(boxes[0].label, "dog");
  EXPECT_NEAR(boxes[0].score, 0.9, 1e-6);
  EXPECT_EQ(boxes[0].left, 32);
  EXPECT_EQ(boxes[0].top, 0);
  EXPECT_EQ(boxes[0].width, 64);
  EXPECT_EQ(boxes[0].height, 64);
  EXPECT_EQ(boxes[1].label, "cat");
  std::vector<ShownBox> expected = test.task->expectedBoxes(0, answer);
  ASSERT_EQ(expected.size(), 1u);
  EXPECT_EQ(expected[0].left, 32);
  EXPECT_EQ(expected[0].top, 16);
  EXPECT_EQ(expected[0].width, 64);
  EXPECT_EQ(expected[0].height, 32);
}

TEST_F(HeadTest, Arrays) {
  writeArray<float>(dir / "x.npy", {1, 3, 64, 64},
                    std::vector<float>(3 * 64 * 64));
  writeText(dir / "numbered/000000.txt", "1 0.5 0.5 0.5 0.5\n");
  config.images = (dir / "x.npy").string();
  config.labels = (dir / "numbered").string();
  std::vector<Tensor> found = {
      floats({1, 2, 6}, {16, 16, 48, 48, 0.9f, 1, 0, 0, 5, 5, 0.0f, 0})};
  auto precisionWith = [&](Shape input) {
    TestTask test(config, {{"x", DType::F32, std::move(input)}},
                  {{"y", DType::F32, found[0].shape()}});
    return test.score({test.task->answer(0, Placement(), found)})[0];
  };
  EXPECT_EQ(precisionWith({1, 3, 64, 64}), 1);
  EXPECT_EQ(precisionWith({1, 64, 64, 3}), 1);
  EXPECT_EQ(precisionWith({1, 3, 96, 128}), 0);
  expectError(
      [&] {
        precisionWith({1, 3, 4096});
      },
      "a detector needs an input of pictures");
  config.labels = (dir / "numbered/000000.txt").string();
  expectError(
      [&] {
        precisionWith({1, 3, 64, 64});
      },
      "must be a folder of YOLO's .txt files with the numbers of "
      "samples as names (000000.txt, …), not ");
}

TEST_F(HeadTest, TellsWhatDoesNotFit) {
  expectError(
      [&] {
        precision({floats({1, 10}, std::vector<float>(10))});
      },
      "the outputs are not those of a detector that is known: there is "
      "no head with such outputs ('0' 1x10)");
  expectError(
      [&] {
        precision({floats({1, 3, 4}, std::vector<float>(12)),
                   floats({1, 5, 2}, std::vector<float>(10))});
      },
      "there are 3 boxes, but no scores for as many");
  writeText(dir / "labels/a.txt", "0 0.5 0.5 0.5 0.5\n1 0.5 0.5 0.5 0.5\n");
  config.classes.clear();
  expectError(
      [&] {
        precision({floats({1, 5, 7}, std::vector<float>(35))});
      },
      "'a.png' has an object of class 1, but the network has the "
      "classes 0 to 0");
  writeText(dir / "labels/a.txt", "");
  expectError(
      [&] {
        precision({floats({1, 6, 7}, std::vector<float>(42))});
      },
      "the labels have no objects to detect");
}

} // namespace
} // namespace parallax::tasks
