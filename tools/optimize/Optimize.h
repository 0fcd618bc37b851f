//===- Optimize.h - The subcommand `parallax optimize` ---------*- C++ -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// An ONNX file in, the optimized ONNX file out.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_TOOLS_OPTIMIZE_OPTIMIZE_H
#define PARALLAX_TOOLS_OPTIMIZE_OPTIMIZE_H

namespace parallax {

int runOptimize(int argc, char **argv);

} // namespace parallax

#endif // PARALLAX_TOOLS_OPTIMIZE_OPTIMIZE_H
