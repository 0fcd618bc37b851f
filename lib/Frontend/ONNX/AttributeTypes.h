//===- AttributeTypes.h - Which attributes an operator takes ---*- C++ -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// An attribute that a node does not carry has its default; to set it one must
// know its type.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_LIB_FRONTEND_ONNX_ATTRIBUTETYPES_H
#define PARALLAX_LIB_FRONTEND_ONNX_ATTRIBUTETYPES_H

#include <map>
#include <onnx/onnx_pb.h>
#include <optional>
#include <string>

namespace parallax::onnx_import {

using AttributeType = onnx::AttributeProto::AttributeType;

/// The attributes of a standard operator in a version of the operator set, or
/// nothing if there is no such operator.
std::optional<std::map<std::string, AttributeType>>
attributesOf(const std::string &opType, int64_t opset);

} // namespace parallax::onnx_import

#endif // PARALLAX_LIB_FRONTEND_ONNX_ATTRIBUTETYPES_H
