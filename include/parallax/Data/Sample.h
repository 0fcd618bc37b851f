//===- Sample.h - One calibration file as tensors --------------*- C++ -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Calibration runs the network as it was trained, so a file must hold exactly
// what an input reads; a file that almost fits gets told what would make it
// fit.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_DATA_SAMPLE_H
#define PARALLAX_DATA_SAMPLE_H

#include "parallax/Data/Calibration.h"

namespace parallax {

/// The tensors that one file of `source` holds for `inputs`. All formats but
/// NumpyObject give every input the same file. Throws Error, naming
/// `sourceName`, if the file is damaged or does not fit.
std::vector<Tensor> readSample(std::span<const std::byte> bytes,
                               const std::string &sourceName,
                               const CalibrationSource &source,
                               std::span<const PortInfo> inputs);

} // namespace parallax

#endif // PARALLAX_DATA_SAMPLE_H
