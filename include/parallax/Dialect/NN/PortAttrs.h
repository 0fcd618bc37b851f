//===- PortAttrs.h - Attributes of inputs and outputs ----------*- C++ -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// What a function says about its arguments and results, beside their names.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_DIALECT_NN_PORTATTRS_H
#define PARALLAX_DIALECT_NN_PORTATTRS_H

namespace parallax {

/// Of an argument or a result: the network's own tensor.
inline constexpr const char *networkTensorAttr = "nn.tensor";
/// Of a result: the type that leaves, if it is not that of the network.
inline constexpr const char *outputTypeAttr = "nn.output_dtype";

} // namespace parallax

#endif // PARALLAX_DIALECT_NN_PORTATTRS_H
