//===- EvaluationData.h - Labelled samples ---------------------*- C++ -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// The samples that a configuration names, in one order whatever form they come
// in, with what the answers should be. Pictures and arrays are read when they
// are needed, so a set may be larger than memory.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_EVALUATE_EVALUATIONDATA_H
#define PARALLAX_EVALUATE_EVALUATIONDATA_H

#include "parallax/Config/BuildConfig.h"
#include "parallax/Data/Image.h"
#include "parallax/Support/PortInfo.h"

#include <filesystem>

namespace parallax {
namespace tasks {
struct PictureList;
} // namespace tasks

/// A box that a detector should find.
struct TruthBox {
  int64_t label = 0;
  double left = 0, top = 0, right = 0, bottom = 0;
  /// A region with many objects, in which detections don't count.
  bool isCrowd = false;
};

/// What the answers should be; a task uses one kind of it.
struct Labels {
  /// Names of classes, where they are known.
  std::vector<std::string> classNames = {};
  /// A class or value for each sample.
  std::vector<double> numbers = {};
  /// The objects in each picture.
  std::vector<std::vector<TruthBox>> boxes = {};
  /// Whether boxes are parts of the picture, not pixels.
  bool areRelative = false;
  /// A mask or picture for each sample.
  std::vector<std::filesystem::path> files = {};
  /// All answers as arrays, stacked along the first dimension.
  Tensor stack = {};

  /// "3", or "3 (cat)" where classes have names.
  std::string nameOf(int64_t label) const;
};

/// One of the arrays that are stacked along the first dimension, as a view.
Tensor rowOfStack(const Tensor &stack, size_t row);

/// How the inputs of a network are made of a sample.
struct InputPreparation {
  std::vector<PortInfo> inputs = {};
  /// For inputs that read pictures, in the order of the inputs.
  std::vector<std::optional<ImageForm>> forms = {};
};

class EvaluationData {
public:
  /// Finds samples and labels. Throws Error for what doesn't fit together.
  explicit EvaluationData(const EvaluationConfig &config);

  /// How many samples there are: pictures, rows of arrays, or pairs of them.
  size_t size() const { return chosen.size(); }
  /// The network runs once for each sample, and twice for a pair.
  size_t runs() const { return size() * (isPaired ? 2 : 1); }
  size_t sampleOf(size_t run) const { return isPaired ? run / 2 : run; }
  /// A path below the folder of the pictures, or the number of a row.
  const std::string &name(size_t sample) const { return names[sample]; }
  /// The row of a sample in arrays that hold the whole set.
  size_t row(size_t sample) const { return chosen[sample]; }
  bool hasPairs() const { return isPaired; }
  /// Whether the samples are pictures in files.
  bool hasPictures() const { return !files.empty(); }
  const Labels &labels() const { return truth; }

  /// How a network reads the samples; `picture` says how pictures are brought
  /// to it. Throws Error if it can't.
  InputPreparation prepare(std::vector<PortInfo> inputs,
                           const ImageForm &picture,
                           TensorLayout layout = TensorLayout::Default) const;

  /// The inputs of a run, and where a picture came to lie in them. Any thread
  /// may call this. Throws Error.
  std::vector<Tensor> load(size_t run, const InputPreparation &preparation,
                           Placement &placement) const;

private:
  /// The arrays that an input reads, or the number that it is filled with.
  struct Stack {
    std::string input;
    std::string path;
    Tensor data[2];
    double value = 0;
  };

  void openStacks(const EvaluationConfig &config);
  void openPictures(const EvaluationConfig &config);
  void openList(const tasks::PictureList &list);
  void openClassFolders(const EvaluationConfig &config);
  void readLabels(const EvaluationConfig &config);
  void matchFiles(const std::filesystem::path &folder);
  void chooseSamples(int64_t size);
  Tensor rowOf(const Stack &stack, size_t run, const PortInfo &input,
               const std::optional<ImageForm> &form) const;

  bool isPaired = false;
  /// Pictures; two after each other for a pair.
  std::vector<std::filesystem::path> files;
  std::vector<Stack> stacks;
  std::vector<std::string> names;
  /// The samples that are used, by their place in the set.
  std::vector<size_t> chosen;
  Labels truth;
};

/// The pictures that a list names, wherever they are; none without a list.
/// They need not exist. Throws Error for a list that can't be read.
std::vector<std::filesystem::path>
listedPictures(const EvaluationConfig &config);

} // namespace parallax

#endif // PARALLAX_EVALUATE_EVALUATIONDATA_H
