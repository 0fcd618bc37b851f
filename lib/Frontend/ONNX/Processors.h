//===- Processors.h - Changes to a model before its import -----*- C++ -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Applies op_processors and const_processors to the parsed model, so that the
// importer sees only the result.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_LIB_FRONTEND_ONNX_PROCESSORS_H
#define PARALLAX_LIB_FRONTEND_ONNX_PROCESSORS_H

#include "parallax/Support/ModelPatches.h"

#include <onnx/onnx_pb.h>
#include <span>

namespace parallax::onnx_import {

/// Sets attributes of nodes and logs each. `fileName` is for messages; throws
/// Error for what the model does not have or can't hold.
void applyOpProcessors(onnx::ModelProto &model, const std::string &fileName,
                       std::span<const OpProcessor> processors);

/// The same for the values of constants. Both reach into sub-graphs, and refuse
/// a name that more than one node or constant has.
void applyConstProcessors(onnx::ModelProto &model, const std::string &fileName,
                          std::span<const ConstProcessor> processors);

} // namespace parallax::onnx_import

#endif // PARALLAX_LIB_FRONTEND_ONNX_PROCESSORS_H
