//===- LayerEvidence.h - One sample, layer by layer ------------*- C++ -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// What a case shows of a network beside its analysis: one sample with its
// outputs, the digest of every layer's integers on both engines, and the
// tensors of layers that are bad.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_LIB_PIPELINE_LAYEREVIDENCE_H
#define PARALLAX_LIB_PIPELINE_LAYEREVIDENCE_H

#include "parallax/Passes/Analyze/Analyze.h"

#include <filesystem>

namespace parallax {

/// Runs all views on one sample. In `folder`: tensors.json; input, float,
/// reference and npu with what the network reads and gives; layers with the
/// tensors of bad layers, as far as they are small.
void writeEvidence(const std::filesystem::path &folder,
                   const AnalyzedNetwork &views,
                   const std::vector<Tensor> &sample,
                   const PrecisionReport &report);

} // namespace parallax

#endif // PARALLAX_LIB_PIPELINE_LAYEREVIDENCE_H
