//===- Labels.h - Readers of labels ----------------------------*- C++ -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// The formats that data sets come with. Their files come from outside: what
// they say is checked, and errors name the file and line.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_LIB_EVALUATE_LABELS_H
#define PARALLAX_LIB_EVALUATE_LABELS_H

#include "parallax/Evaluate/EvaluationData.h"

namespace parallax::tasks {

/// A text from outside, and what messages call it.
struct LabelText {
  std::string_view text;
  std::string name;
};

/// The lines of a text without spaces at their ends, empty ones included.
std::vector<std::string> linesOf(std::string_view text);

/// The names of classes: one in each line, or the list `names` of the YAML file
/// that describes a data set for YOLO, if the file is called so.
std::vector<std::string> parseClassNames(const LabelText &file);

/// A line of a list of samples.
struct ListedSample {
  /// One path, or two for a pair.
  std::vector<std::string> paths;
  double number = 0;
};

/// Whether the first line of a list has two paths.
bool listsPairs(std::string_view text);

/// Lines of a path, or of two, and a number. Empty lines and lines that
/// begin with # are skipped.
std::vector<ListedSample> parseList(const LabelText &list, size_t paths);

/// A file that names pictures: a pair of them and a score in each line, or a
/// picture and its class. Paths start from the folder.
struct PictureList {
  std::filesystem::path file, folder;
  bool isPaired = false;
  std::vector<ListedSample> samples = {};
};

/// The objects of a file in YOLO's format: class, center and size as parts of
/// the picture. `classes` is how many there are; 0 if that is unknown.
std::vector<TruthBox> parseYolo(const LabelText &file, size_t classes);

/// A file in COCO's format.
struct CocoLabels {
  std::vector<std::string> classNames;
  struct Picture {
    std::string file;
    std::vector<TruthBox> boxes;
  };
  /// In the order of their file names.
  std::vector<Picture> pictures;
};
CocoLabels parseCoco(const LabelText &file);

/// The pictures in a folder and below it, in the order of their paths.
std::vector<std::filesystem::path>
picturesIn(const std::filesystem::path &folder);

} // namespace parallax::tasks

#endif // PARALLAX_LIB_EVALUATE_LABELS_H
