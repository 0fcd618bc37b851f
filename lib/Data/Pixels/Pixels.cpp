//===- Pixels.cpp - The picture decoder, loaded when needed ---------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Decoding and resizing are OpenCV's, because that is what the scripts use with
// which networks are trained, and a calibration set must give the same pixels.
//===----------------------------------------------------------------------===//
#include "Pixels.h"

#include <opencv2/core/utility.hpp>
#include <opencv2/core/utils/logger.hpp>
#include <opencv2/imgcodecs.hpp>
#include <opencv2/imgproc.hpp>
#include <string>

/// Samples are loaded by several threads, each of which needs no more threads,
/// and what goes wrong is told by our own messages.
static void configureOpenCV() {
  static const bool done = [] {
    cv::setNumThreads(1);
    cv::utils::logging::setLogLevel(cv::utils::logging::LOG_LEVEL_SILENT);
    cv::redirectError([](int, const char *, const char *, const char *, int,
                         void *) { return 0; });
    return true;
  }();
  (void)done;
}

const char *parallaxDecodePixels(const void *file, size_t size, int width,
                                 int height, ParallaxPixelOrder order,
                                 uint8_t *pixels) {
  static thread_local std::string problem;
  configureOpenCV();
  bool isGray = order == ParallaxGray;
  try {
    cv::Mat bytes(1, int(size), CV_8U, const_cast<void *>(file));
    cv::Mat decoded =
        cv::imdecode(bytes, isGray ? cv::IMREAD_GRAYSCALE : cv::IMREAD_COLOR);
    if (decoded.empty())
      return "the picture is damaged";
    cv::Mat resized(height, width, isGray ? CV_8UC1 : CV_8UC3, pixels);
    cv::resize(decoded, resized, resized.size(), 0, 0, cv::INTER_LINEAR);
    if (order == ParallaxRGB)
      cv::cvtColor(resized, resized, cv::COLOR_BGR2RGB);
    if (resized.data != pixels)
      return "OpenCV gave pixels of another size";
  } catch (const cv::Exception &error) {
    problem = error.err;
    return problem.c_str();
  } catch (const std::bad_alloc &) {
    return "there is too little memory";
  }
  return nullptr;
}
