//===- Format.h - Names in the compiled model ------------------*- C++ -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Names that the writer and the reader share; docs/compiled-model.md lists all
// of them.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_LIB_COMPILED_FORMAT_H
#define PARALLAX_LIB_COMPILED_FORMAT_H

#include "parallax/Compiled/CompiledInfo.h"

namespace parallax::compiled {

/// A domain of operators holds those of one dialect. Its version is that of the
/// format.
struct Domain {
  const char *domain, *dialect;
};
inline constexpr Domain domains[] = {{"parallax.npu", "npu"},
                                     {"parallax.nn", "nn"}};

/// Gives an output the value of another tensor; it is not an operation.
inline constexpr const char *copyType = "output";

/// The newest version of ONNX's container that any reader of it needs.
inline constexpr int64_t irVersion = 8;

// Metadata of the model.
inline constexpr const char *formatKey = "parallax.format";
inline constexpr const char *formatName = "compiled";
inline constexpr const char *versionKey = "parallax.format_version";
/// The last entry of the file. Its value is the digest of all bytes before it.
inline constexpr const char *digestKey = "parallax.content_sha256";
struct InfoKey {
  const char *key;
  std::string CompiledInfo::*text;
};
inline constexpr InfoKey infoKeys[] = {
    {"parallax.tool_version", &CompiledInfo::toolVersion},
    {"parallax.target", &CompiledInfo::targetName},
    {"parallax.target_json", &CompiledInfo::targetJson},
    {"parallax.model_sha256", &CompiledInfo::modelSha256},
    {"parallax.config_sha256", &CompiledInfo::configSha256},
    {"parallax.calibration_sha256", &CompiledInfo::calibrationSha256},
};

// What the target decides about bits.
inline constexpr const char *accumulator8Key = "parallax.accumulator_bits_8";
inline constexpr const char *accumulator16Key = "parallax.accumulator_bits_16";
inline constexpr const char *multiplierKey = "parallax.multiplier_bits";
inline constexpr const char *roundingKey = "parallax.rounding";
inline constexpr const char *knotsKey = "parallax.table_knots";

// Attributes of nodes whose layer has names that the file could not take over
// as they are.
inline constexpr const char *layerNodeKey = "layer.node";
inline constexpr const char *layerTensorsKey = "layer.tensors";

// What an annotation of a tensor refers to. The first two are ONNX's.
inline constexpr const char *scaleKey = "SCALE_TENSOR";
inline constexpr const char *zeroPointKey = "ZERO_POINT_TENSOR";
inline constexpr const char *limitsKey = "PARALLAX_LIMITS_TENSOR";
inline constexpr const char *axisKey = "PARALLAX_AXIS_TENSOR";

} // namespace parallax::compiled

#endif // PARALLAX_LIB_COMPILED_FORMAT_H
