//===- DetectionDecoders.h - Decoders of known heads -----------*- C++ -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// What the decoders share, and how they are made. Which one fits a network,
// DetectionHead.cpp finds out.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_LIB_EVALUATE_DETECTIONDECODERS_H
#define PARALLAX_LIB_EVALUATE_DETECTIONDECODERS_H

#include "DetectionHead.h"

namespace parallax::tasks {

/// Numbers of boxes and scores in a matrix that is stored by rows or by
/// columns.
struct Matrix {
  const float *data = nullptr;
  int64_t rowStride = 0, columnStride = 1;

  float at(int64_t row, int64_t column) const {
    return data[row * rowStride + column * columnStride];
  }
};

/// How the four numbers of a box are meant.
struct BoxForm {
  BoxFormat format = BoxFormat::CenterSize;
  double scaleX = 1, scaleY = 1;

  Candidate make(float a, float b, float c, float d) const {
    if (format == BoxFormat::CornersYX) {
      std::swap(a, b);
      std::swap(c, d);
    }
    if (format == BoxFormat::CenterSize) {
      float x = a, y = b;
      a = x - c / 2;
      b = y - d / 2;
      c = x + c / 2;
      d = y + d / 2;
    }
    auto sx = float(scaleX), sy = float(scaleY);
    return {a * sx, b * sy, c * sx, d * sy};
  }
};

/// Where the parts of decoded boxes are.
struct DecodedForm {
  /// Outputs, and whether their last dimension is that of channels.
  size_t boxes = 0, scores = 0;
  bool boxesLast = false, scoresLast = false;
  /// The first channel of the scores, and of the score of any object; -1 if
  /// there is none.
  int64_t firstScore = 4, objectness = -1;
  int64_t count = 0, classes = 0;
  BoxForm boxForm;
};

std::unique_ptr<DetectionDecoder> makeDecodedHead(const DecodedForm &form,
                                                  double threshold);

/// Boxes that the network has chosen itself: corners, score and class.
std::unique_ptr<DetectionDecoder>
makeFinalBoxes(const BoxForm &boxForm, int64_t classes, double threshold);

/// The outputs of one scale.
struct RawScale {
  size_t boxes = 0, scores = 0;
  bool channelsLast = false;
  int64_t height = 0, width = 0;
  /// The first channel of scores in their output.
  int64_t firstScore = 0;
};

/// How finely YOLOv8 says where a side of a box is.
constexpr int64_t distanceBins = 16;

/// YOLOv8 without its last layers: distances to the four sides as distributions
/// over 16 numbers, and scores before their sigmoid.
std::unique_ptr<DetectionDecoder> makeRawYoloV8(std::vector<RawScale> scales,
                                                int64_t classes,
                                                InputSize input,
                                                double threshold);

/// YOLOv5 without its last layers: three anchors at each position.
std::unique_ptr<DetectionDecoder>
makeRawYoloV5(std::vector<RawScale> scales, int64_t classes, InputSize input,
              std::vector<double> anchors, double threshold);

} // namespace parallax::tasks

#endif // PARALLAX_LIB_EVALUATE_DETECTIONDECODERS_H
