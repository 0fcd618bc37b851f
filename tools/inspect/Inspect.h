//===- Inspect.h - The subcommand `parallax inspect` -----------*- C++ -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Shows what an ONNX file contains.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_TOOLS_INSPECT_INSPECT_H
#define PARALLAX_TOOLS_INSPECT_INSPECT_H

namespace parallax {

int runInspect(int argc, char **argv);

} // namespace parallax

#endif // PARALLAX_TOOLS_INSPECT_INSPECT_H
