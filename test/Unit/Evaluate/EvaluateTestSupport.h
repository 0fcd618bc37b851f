//===- EvaluateTestSupport.h - Tasks made by tests -------------*- C++ -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Data sets in a scratch folder, and networks that are only their outputs.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_TEST_UNIT_EVALUATE_EVALUATETESTSUPPORT_H
#define PARALLAX_TEST_UNIT_EVALUATE_EVALUATETESTSUPPORT_H

#include "../Support/TempDir.h"
#include "parallax/Evaluate/Task.h"
#include "parallax/Support/NumPy.h"

#include <fstream>
#include <opencv2/imgcodecs.hpp>

namespace parallax {

inline void writeText(const std::filesystem::path &path,
                      const std::string &text) {
  std::filesystem::create_directories(path.parent_path());
  std::ofstream(path) << text;
}

/// A gray or colored picture with all pixels alike.
inline void writePicture(const std::filesystem::path &path, int width,
                         int height, cv::Scalar color = {10, 20, 30},
                         int type = CV_8UC3) {
  std::filesystem::create_directories(path.parent_path());
  cv::imwrite(path.string(), cv::Mat(height, width, type, color));
}

template <typename T>
void writeArray(const std::filesystem::path &path, Shape shape,
                std::vector<T> values) {
  writeNpy(path, Tensor::fromValues<T>(std::move(shape), values));
}

inline Tensor floats(Shape shape, std::vector<float> values) {
  return Tensor::fromValues<float>(std::move(shape), values);
}

/// A data set and the task on it, for a network with such ports.
struct TestTask {
  TestTask(EvaluationConfig given, std::vector<PortInfo> inputPorts,
           std::vector<PortInfo> outputPorts)
      : config(std::move(given)), data(config), inputs(std::move(inputPorts)),
        outputs(std::move(outputPorts)),
        task(makeTask(config, data, inputs, outputs)) {}

  /// The metrics of a network that answered so.
  std::vector<double> score(const std::vector<Answer> &answers) const {
    return task->scorer(answers)->score(std::vector<uint32_t>(data.size(), 1));
  }
  Accuracy judge(const std::vector<Answer> &before,
                 const std::vector<Answer> &after) const {
    return judgeAnswers(
        *task, config, data,
        std::vector<NetworkAnswers>{{"Float", before}, {"NPUBackend", after}});
  }

  EvaluationConfig config;
  EvaluationData data;
  std::vector<PortInfo> inputs, outputs;
  std::unique_ptr<Task> task;
};

} // namespace parallax

#endif // PARALLAX_TEST_UNIT_EVALUATE_EVALUATETESTSUPPORT_H
