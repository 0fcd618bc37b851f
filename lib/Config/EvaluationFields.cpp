//===- EvaluationFields.cpp - The fields about accuracy -------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// What a network is for, the samples that show whether it does that, and what
// decides whether it does it well enough.
//===----------------------------------------------------------------------===//
#include "Rules.h"

#include "parallax/Config/TaskMetrics.h"

#include <algorithm>
#include <fmt/format.h>

namespace parallax {

std::span<const MetricInfo> metricsOf(EvaluationTask task) {
  static constexpr MetricInfo classification[] = {{"top1", "top-1"},
                                                  {"top5", "top-5"}};
  static constexpr MetricInfo detection[] = {{"map50_95", "mAP50-95"},
                                             {"map50", "mAP50"}};
  static constexpr MetricInfo segmentation[] = {
      {"miou", "mIoU"}, {"pixel_accuracy", "pixel accuracy"}};
  static constexpr MetricInfo embedding[] = {{"spearman", "Spearman"}};
  static constexpr MetricInfo regression[] = {{"rmse", "RMSE", false},
                                              {"psnr", "PSNR (dB)"}};
  switch (task) {
  case EvaluationTask::Classification:
    return classification;
  case EvaluationTask::Detection:
    return detection;
  case EvaluationTask::Segmentation:
    return segmentation;
  case EvaluationTask::Embedding:
    return embedding;
  case EvaluationTask::Regression:
    return regression;
  case EvaluationTask::Custom:
    break;
  }
  return {};
}

std::span<const MetricInfo> retrievalMetrics() {
  static constexpr MetricInfo metrics[] = {{"retrieval1", "retrieval@1"},
                                           {"retrieval5", "retrieval@5"},
                                           {"retrieval10", "retrieval@10"}};
  return metrics;
}

namespace config {
namespace {

void checkMetric(const EvaluationConfig &config, const ObjectScope &scope) {
  if (config.task == EvaluationTask::Custom || config.metric.empty())
    return;
  std::vector<std::string> names;
  for (const MetricInfo &metric : metricsOf(config.task))
    names.emplace_back(metric.name);
  if (config.task == EvaluationTask::Embedding)
    for (const MetricInfo &metric : retrievalMetrics())
      names.emplace_back(metric.name);
  if (std::find(names.begin(), names.end(), config.metric) == names.end())
    scope.error("metric",
                fmt::format("must be {} for {}, not '{}'", alternatives(names),
                            configName(config.task), config.metric));
}

void checkEvaluation(const EvaluationConfig &config, const ObjectScope &scope) {
  if (scope.hasErrors())
    return;
  bool isCustom = config.task == EvaluationTask::Custom;
  if (!config.images.empty() && !config.inputs.empty())
    return scope.error("inputs", "can't stand beside images: either pictures "
                                 "for the only input, or data for each input");
  if (!config.isGiven() && !config.labels.empty())
    return scope.error("needs images or inputs beside labels");
  if (!config.isGiven())
    return;
  if (isCustom && config.command.empty())
    return scope.error("needs a command, which scores the outputs");
  // A folder for each class, and a list of paths and labels, are both.
  bool isStack = config.images.ends_with(".npy") || !config.inputs.empty();
  bool needsLabels = isStack || config.task == EvaluationTask::Detection ||
                     config.task == EvaluationTask::Segmentation;
  if (!isCustom && needsLabels && config.labels.empty())
    return scope.error("needs labels beside images");
  checkNormalization(scope, {"mean", config.mean}, {"std", config.std});
  checkMetric(config, scope);
  if (config.anchors.size() % 6 != 0)
    scope.error("anchors", "needs a width and a height for each of three "
                           "anchors of every scale");
}

} // namespace

template <> Message describe<EvaluationInput>() {
  using C = EvaluationInput;
  return message<C>(
      "EvaluationInput", "What one input of a network reads.",
      {
          field("tensor_name", &C::tensorName, "The input of the model.")
              .required(),
          field("data", &C::data,
                "A .npy file of all samples, stacked along the first "
                "dimension.")
              .path(),
          field("pair_data", &C::pairData,
                "The same for the second one of each pair, for the similarity "
                "of pairs.")
              .path(),
          field("value", &C::value,
                "Without data, the number that all elements have."),
      });
}

template <> Message describe<EvaluationConfig>() {
  using C = EvaluationConfig;
  return message<C>(
      "EvaluationConfig",
      "What the network is for, and labelled samples that show how well it "
      "does that: docs/evaluation.md.",
      {
          field("task", &C::task,
                "What is computed from the outputs: Classification, Detection, "
                "Segmentation, Embedding or Regression, or what a command of "
                "yours prints."),
          field("images", &C::images,
                "The samples: a folder of pictures, a folder with a folder "
                "for each class, a .txt file with a path and a label in each "
                "line, or a .npy file of all inputs, stacked along the first "
                "dimension.")
              .path(),
          field("labels", &C::labels,
                "What the answers should be: a .npy file, a .txt file as "
                "above, a folder of YOLO's .txt files, a .json file in COCO's "
                "format, or a folder of masks or pictures.")
              .path(),
          field("inputs", &C::inputs,
                "Instead of images, .npy files for each input of the network."),
          field("size", &C::size, "How many samples to use; -1 means all.")
              .atLeast(1)
              .orExactly(-1),
          field("classes", &C::classes,
                "A file with the name of a class in each line, in the order "
                "of the network; or the YAML file of a data set for YOLO.")
              .path(),
          field("output", &C::output,
                "The output that holds the answer; empty means the first one, "
                "or all those that a detector needs."),
          field("resize", &C::resize,
                "How pictures are brought to the size of the input: Stretch, "
                "Letterbox or CenterCrop; by default as in the calibration."),
          field("crop_fraction", &C::cropFraction,
                "With CenterCrop, how much of the shorter side of a picture "
                "is kept.")
              .between(0.01, 1),
          field("border", &C::border,
                "With Letterbox, the value of the pixels around a picture.")
              .between(0, 255),
          field("tensor_format", &C::tensorFormat,
                "The order of colors that the network reads; by default that "
                "of input_processors, and BGR without them.")
              .oneOf({"AutoColorSpace", "BGR", "RGB", "GRAY"}),
          field("mean", &C::mean,
                "Subtracted from pictures, per channel; by default "
                "calibration_mean."),
          field("std", &C::std,
                "What pictures are divided by after that, per channel; by "
                "default calibration_std.")
              .above(0),
          field("metric", &C::metric,
                "The metric that decides; by default top1, map50_95, miou, "
                "spearman or retrieval1, rmse, or the first one that the "
                "command prints."),
          field("criterion", &C::criterion,
                "Whether tolerable_loss is a part of the metric of the float "
                "network, or a difference to it."),
          field("tolerable_loss", &C::tolerableLoss,
                "How much of the metric the NPU may lose.")
              .atLeast(0),
          field("bootstrap_samples", &C::bootstrapSamples,
                "How often the samples are drawn again for the confidence "
                "interval of a metric.")
              .between(100, 100000),
          field("random_seed", &C::randomSeed,
                "Where that drawing starts; the same seed gives the same "
                "intervals.")
              .atLeast(0),
          field("head", &C::head,
                "What the outputs of a detector are: YOLOv5, YOLOv8 (also "
                "YOLO11), SSD (boxes and scores), or whatever their shapes "
                "say."),
          field("box_format", &C::boxFormat,
                "The numbers of a box: center and size (the default of YOLO), "
                "left, top, right and bottom (of SSD), or top, left, bottom "
                "and right."),
          field("box_unit", &C::boxUnit,
                "What boxes are measured in: pixels of the input (the default "
                "of YOLO), or its width and height (of SSD)."),
          field("background_class", &C::backgroundClass,
                "Whether the first score of a detector is that of nothing."),
          field("anchors", &C::anchors,
                "Of YOLOv5 with raw outputs: width and height in pixels of "
                "three anchors for each scale; empty means those of YOLOv5 at "
                "640 pixels."),
          field("score_threshold", &C::scoreThreshold,
                "Detections with a smaller score don't count.")
              .between(0, 1),
          field("nms_threshold", &C::nmsThreshold,
                "Of two boxes of a class that overlap by more than this "
                "(intersection over union), the one with the smaller score is "
                "dropped.")
              .between(0, 1),
          field("max_detections", &C::maxDetections,
                "How many detections of a picture count.")
              .atLeast(1),
          field("ignore_label", &C::ignoreLabel,
                "Pixels of this class don't count; -1 means that all do.")
              .between(-1, 255),
          field("mask_threshold", &C::maskThreshold,
                "For outputs with a single channel: values above it are class "
                "1, others class 0."),
          field("pooling", &C::pooling,
                "How the vectors of tokens become one: their mean over the "
                "mask, the first one, or all of them as they are."),
          field("mask_input", &C::maskInput,
                "The input that says which tokens count."),
          field("command", &C::command,
                "A command for the shell that gets a folder of outputs as its "
                "last argument, and prints a JSON object of numbers."),
          field("higher_is_better", &C::higherIsBetter,
                "Whether the metric of the command is better if it is "
                "higher."),
          field("timeout", &C::timeout,
                "How many seconds the command may take.")
              .atLeast(1),
      },
      checkEvaluation);
}

} // namespace config
} // namespace parallax
