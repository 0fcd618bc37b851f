//===- Calibration.h - The samples that a network is calibrated on -*- C++ -*-//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// One sample is one tensor for each input of the network. Several threads load
// samples in any order and keep only those they work on, so a set may be larger
// than memory; its order is fixed by the names of its files.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_DATA_CALIBRATION_H
#define PARALLAX_DATA_CALIBRATION_H

#include "parallax/Data/Image.h"
#include "parallax/Support/PortInfo.h"

#include <filesystem>
#include <map>

namespace parallax {

/// Where the samples of an input come from: one element of
/// `quant.input_configs`.
struct CalibrationSource {
  /// The name of an input; "DEFAULT" serves all inputs that are not named.
  std::string tensorName = "DEFAULT";
  /// A tar, tar.gz or zip file, or a folder.
  std::filesystem::path dataset;
  DataFormat format = DataFormat::Image;
  /// The number of samples that are used, if there are as many; -1 is all.
  int64_t size = 32;
  /// Only for images.
  std::vector<float> mean, std;
  ColorSpace tensorFormat = ColorSpace::Auto;
  /// Of inputs that take the same pictures in another order, by name.
  std::map<std::string, ColorSpace> tensorFormatOf;
  /// Of inputs whose shape doesn't tell, by name.
  std::map<std::string, TensorLayout> tensorLayoutOf;
  ImageFit fit = ImageFit::Default;

  ColorSpace channelOrder(const std::string &input) const {
    auto own = tensorFormatOf.find(input);
    return own == tensorFormatOf.end() ? tensorFormat : own->second;
  }
  TensorLayout layout(const std::string &input) const {
    auto own = tensorLayoutOf.find(input);
    return own == tensorLayoutOf.end() ? TensorLayout::Default : own->second;
  }
};

/// How samples are kept apart from those that a network is calibrated on.
struct HoldOut {
  /// Whether samples that could calibrate are held out where there are no
  /// others.
  bool splits = false;
  /// The number of those that are made available.
  size_t most = 0;
};

/// The source of each input, by its index. Throws Error if an input has none,
/// if a source names no input, or if two name the same.
std::vector<size_t> assignSources(std::span<const PortInfo> inputs,
                                  std::span<const CalibrationSource> sources);

class CalibrationSet {
public:
  /// Pairs the files of all inputs by name, and unpacks those that are needed
  /// to `workDir`/quant/`folder`/<tensor>/. Throws Error.
  static CalibrationSet open(std::vector<PortInfo> inputs,
                             std::vector<CalibrationSource> sources,
                             const std::filesystem::path &workDir,
                             const std::string &folder = "dataset",
                             const HoldOut &holdOut = {});

  /// The number of samples to calibrate on.
  size_t size() const { return calibrated; }
  /// The number of those that are held out. They have the indices after them.
  size_t heldOut() const { return samples.size() - calibrated; }
  std::span<const PortInfo> inputs() const { return specs; }
  /// Where the samples of an input come from.
  const CalibrationSource &source(size_t input) const {
    return sources[sourceOf[input]];
  }

  /// The path of the sample's files without folders that all share and without
  /// extension.
  const std::string &name(size_t index) const { return samples[index].name; }

  /// One tensor per input, in the order of inputs(). Any thread may call this.
  /// Throws Error if a file does not fit its input.
  std::vector<Tensor> load(size_t index) const;

private:
  struct Sample {
    std::string name;
    /// One file per input; inputs may share one.
    std::vector<std::filesystem::path> files;
  };

  std::vector<PortInfo> specs;
  std::vector<CalibrationSource> sources;
  std::vector<size_t> sourceOf;
  std::vector<Sample> samples;
  size_t calibrated = 0;
};

} // namespace parallax

#endif // PARALLAX_DATA_CALIBRATION_H
