//===- AttributeTypes.cpp - Which attributes an operator takes ------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// The packaged ONNX library describes operators up to set 17, and the importer
// reads newer ones: what came and went since is in a table here.
//===----------------------------------------------------------------------===//
#include "AttributeTypes.h"

#include <algorithm>
#include <climits>
#include <onnx/defs/schema.h>

namespace parallax::onnx_import {
namespace {

using Proto = onnx::AttributeProto;

struct Change {
  const char *opType;
  int64_t since;
  const char *attribute;
  /// UNDEFINED if the attribute is gone.
  AttributeType type;
};

// By operator, then by version.
const Change changes[] = {
    {"AffineGrid", 20, "align_corners", Proto::INT},
    {"Attention", 23, "is_causal", Proto::INT},
    {"Attention", 23, "kv_num_heads", Proto::INT},
    {"Attention", 23, "q_num_heads", Proto::INT},
    {"Attention", 23, "qk_matmul_output_mode", Proto::INT},
    {"Attention", 23, "scale", Proto::FLOAT},
    {"Attention", 23, "softcap", Proto::FLOAT},
    {"Attention", 23, "softmax_precision", Proto::INT},
    {"AveragePool", 19, "dilations", Proto::INTS},
    {"Cast", 19, "saturate", Proto::INT},
    {"CastLike", 19, "saturate", Proto::INT},
    {"CenterCropPad", 18, "axes", Proto::INTS},
    {"Col2Im", 18, "dilations", Proto::INTS},
    {"Col2Im", 18, "pads", Proto::INTS},
    {"Col2Im", 18, "strides", Proto::INTS},
    {"DFT", 20, "axis", Proto::UNDEFINED},
    {"DeformConv", 19, "dilations", Proto::INTS},
    {"DeformConv", 19, "group", Proto::INT},
    {"DeformConv", 19, "kernel_shape", Proto::INTS},
    {"DeformConv", 19, "offset_group", Proto::INT},
    {"DeformConv", 19, "pads", Proto::INTS},
    {"DeformConv", 19, "strides", Proto::INTS},
    {"DequantizeLinear", 21, "block_size", Proto::INT},
    {"DequantizeLinear", 23, "output_dtype", Proto::INT},
    {"Gelu", 20, "approximate", Proto::STRING},
    {"GroupNormalization", 18, "epsilon", Proto::FLOAT},
    {"GroupNormalization", 18, "num_groups", Proto::INT},
    {"GroupNormalization", 21, "stash_type", Proto::INT},
    {"LpPool", 18, "ceil_mode", Proto::INT},
    {"LpPool", 18, "dilations", Proto::INTS},
    {"QuantizeLinear", 19, "saturate", Proto::INT},
    {"QuantizeLinear", 21, "block_size", Proto::INT},
    {"QuantizeLinear", 21, "output_dtype", Proto::INT},
    {"QuantizeLinear", 23, "precision", Proto::INT},
    {"RMSNormalization", 23, "axis", Proto::INT},
    {"RMSNormalization", 23, "epsilon", Proto::FLOAT},
    {"RMSNormalization", 23, "stash_type", Proto::INT},
    {"Resize", 18, "antialias", Proto::INT},
    {"Resize", 18, "axes", Proto::INTS},
    {"Resize", 18, "keep_aspect_ratio_policy", Proto::STRING},
    {"RotaryEmbedding", 23, "interleaved", Proto::INT},
    {"RotaryEmbedding", 23, "num_heads", Proto::INT},
    {"RotaryEmbedding", 23, "rotary_embedding_dim", Proto::INT},
    {"Split", 18, "num_outputs", Proto::INT},
    {"Swish", 24, "alpha", Proto::FLOAT},
};

/// The reductions whose axes became an operand in set 18; those of ReduceSum
/// had before.
bool lostAxes(const std::string &opType) {
  return opType.starts_with("Reduce") && opType != "ReduceSum";
}

} // namespace

std::optional<std::map<std::string, AttributeType>>
attributesOf(const std::string &opType, int64_t opset) {
  std::optional<std::map<std::string, AttributeType>> attributes;
  const onnx::OpSchema *schema = onnx::OpSchemaRegistry::Schema(
      opType, int(std::clamp<int64_t>(opset, 0, INT_MAX)));
  if (schema) {
    attributes.emplace();
    for (const auto &[name, attribute] : schema->attributes())
      (*attributes)[name] = attribute.type;
  }
  for (const Change &change : changes)
    if (opType == change.opType && opset >= change.since) {
      if (!attributes)
        attributes.emplace();
      (*attributes)[change.attribute] = change.type;
    }
  if (!attributes)
    return attributes;
  if (opset >= 18 && lostAxes(opType)) {
    (*attributes)["axes"] = Proto::UNDEFINED;
    (*attributes)["noop_with_empty_axes"] = Proto::INT;
  }
  std::erase_if(*attributes, [](const auto &entry) {
    return entry.second == Proto::UNDEFINED;
  });
  return attributes;
}

} // namespace parallax::onnx_import
