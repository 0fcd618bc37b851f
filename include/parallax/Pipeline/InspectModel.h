//===- InspectModel.h - What quantized models hold -------------*- C++ -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Types, scales, digests and cost of models that are not float any more.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_PIPELINE_INSPECTMODEL_H
#define PARALLAX_PIPELINE_INSPECTMODEL_H

#include "parallax/Pipeline/Network.h"
#include "parallax/Support/Listener.h"

namespace parallax {

/// Whether the file claims to be a compiled model.
bool isCompiledFile(const std::filesystem::path &model);

/// A compiled model: where it comes from, its ports, and its layers with types,
/// codes and cycles. Throws Error.
std::string describeCompiledModel(const std::filesystem::path &model,
                                  const TextStyle &style);

/// The codes of the tensors that go through QuantizeLinear and
/// DequantizeLinear, and what the network would cost on a target; empty for a
/// float network. Adds views to it. Throws Error.
std::string describeQuantizedModel(Network &network, const std::string &target,
                                   const TextStyle &style);

} // namespace parallax

#endif // PARALLAX_PIPELINE_INSPECTMODEL_H
