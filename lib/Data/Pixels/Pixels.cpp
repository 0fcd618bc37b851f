//===- Pixels.cpp - The picture decoder, loaded when needed ---------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Decoding and resizing are OpenCV's, because that is what the scripts use with
// which networks are trained, and a calibration set must give the same pixels.
//===----------------------------------------------------------------------===//
#include "Pixels.h"

#include <algorithm>
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

namespace {

/// The part of a picture that is shown, the size that it is given, and where in
/// the input it lies.
struct Layout {
  cv::Rect part;
  cv::Rect place;
};

Layout layOut(cv::Size picture, const ParallaxPixelForm &form) {
  cv::Rect whole({0, 0}, picture), input(0, 0, form.width, form.height);
  if (form.fit == ParallaxLetterbox) {
    double scale = std::min(double(form.width) / picture.width,
                            double(form.height) / picture.height);
    cv::Size size(std::max(1, cvRound(picture.width * scale)),
                  std::max(1, cvRound(picture.height * scale)));
    return {whole,
            {(form.width - size.width) / 2, (form.height - size.height) / 2,
             size.width, size.height}};
  }
  if (form.fit == ParallaxCrop) {
    double scale = form.crop * std::min(double(picture.width) / form.width,
                                        double(picture.height) / form.height);
    cv::Size size(std::clamp(cvRound(form.width * scale), 1, picture.width),
                  std::clamp(cvRound(form.height * scale), 1, picture.height));
    return {{(picture.width - size.width) / 2,
             (picture.height - size.height) / 2, size.width, size.height},
            input};
  }
  return {whole, input};
}

ParallaxPixelPlacement placementOf(cv::Size picture, const Layout &layout) {
  double scaleX = double(layout.place.width) / layout.part.width;
  double scaleY = double(layout.place.height) / layout.part.height;
  return {picture.width,
          picture.height,
          scaleX,
          scaleY,
          layout.place.x - layout.part.x * scaleX,
          layout.place.y - layout.part.y * scaleY};
}

/// Calls a function of OpenCV's and tells what it throws.
template <typename Fn> const char *explain(Fn decode) {
  static thread_local std::string problem;
  configureOpenCV();
  try {
    return decode();
  } catch (const cv::Exception &error) {
    problem = error.err;
    return problem.c_str();
  } catch (const std::bad_alloc &) {
    return "there is too little memory";
  }
}

cv::Mat bytesOf(const void *file, size_t size) {
  return {1, int(size), CV_8U, const_cast<void *>(file)};
}

} // namespace

const char *parallaxDecodePixels(const void *file, size_t size,
                                 const ParallaxPixelForm *form, uint8_t *pixels,
                                 ParallaxPixelPlacement *placement) {
  return explain([&]() -> const char * {
    bool isGray = form->order == ParallaxGray;
    cv::Mat decoded = cv::imdecode(
        bytesOf(file, size), isGray ? cv::IMREAD_GRAYSCALE : cv::IMREAD_COLOR);
    if (decoded.empty())
      return "the picture is damaged";
    cv::Mat input(form->height, form->width, isGray ? CV_8UC1 : CV_8UC3,
                  pixels);
    Layout layout = layOut(decoded.size(), *form);
    if (layout.place.size() != input.size())
      input.setTo(cv::Scalar::all(form->border));
    cv::Mat place = input(layout.place);
    const uchar *expected = place.data;
    cv::resize(decoded(layout.part), place, place.size(), 0, 0,
               cv::INTER_LINEAR);
    if (place.data != expected)
      return "OpenCV gave pixels of another size";
    if (form->order == ParallaxRGB)
      cv::cvtColor(input, input, cv::COLOR_BGR2RGB);
    *placement = placementOf(decoded.size(), layout);
    return nullptr;
  });
}

const char *parallaxDecodeMask(const void *file, size_t size, int width,
                               int height, uint8_t *pixels) {
  return explain([&]() -> const char * {
    cv::Mat decoded = cv::imdecode(bytesOf(file, size), cv::IMREAD_UNCHANGED);
    if (decoded.empty())
      return "the picture is damaged";
    if (decoded.type() != CV_8UC1)
      return "it is not gray with 8 bits; a mask holds the number of a class "
             "in every pixel";
    if (decoded.cols != width || decoded.rows != height)
      return "it has another size than its header says";
    cv::Mat mask(height, width, CV_8UC1, pixels);
    decoded.copyTo(mask);
    return nullptr;
  });
}

const char *parallaxMakeThumbnail(const void *file, size_t size, int width,
                                  int height, int longest,
                                  ParallaxTakePicture take, void *context) {
  return explain([&]() -> const char * {
    int reduced = cv::IMREAD_COLOR;
    // JPEG files are decoded at a part of their size in a part of the time;
    // nothing may be left of a narrow one.
    for (auto [factor, flag] : {std::pair(8, cv::IMREAD_REDUCED_COLOR_8),
                                {4, cv::IMREAD_REDUCED_COLOR_4},
                                {2, cv::IMREAD_REDUCED_COLOR_2}})
      if (std::max(width, height) / factor >= longest &&
          std::min(width, height) >= factor) {
        reduced = flag;
        break;
      }
    cv::Mat picture = cv::imdecode(bytesOf(file, size), reduced);
    if (picture.empty())
      return "the picture is damaged";
    double scale =
        std::min(1.0, double(longest) / std::max(picture.cols, picture.rows));
    cv::Size small(std::max(1, cvRound(picture.cols * scale)),
                   std::max(1, cvRound(picture.rows * scale)));
    cv::resize(picture, picture, small, 0, 0, cv::INTER_AREA);
    constexpr int quality = 75;
    std::vector<uchar> bytes;
    if (!cv::imencode(".jpg", picture, bytes,
                      {cv::IMWRITE_JPEG_QUALITY, quality}))
      return "OpenCV can't write JPEG files";
    take(context, bytes.data(), bytes.size(), small.width, small.height);
    return nullptr;
  });
}
