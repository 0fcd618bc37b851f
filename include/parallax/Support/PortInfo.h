//===- PortInfo.h - A tensor of a network's interface ----------*- C++ -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// The name, type and shape of an input or output. Engines provide it and
// readers of samples use it, so it belongs to neither.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_SUPPORT_PORTINFO_H
#define PARALLAX_SUPPORT_PORTINFO_H

#include "parallax/Support/Tensor.h"

namespace parallax {

struct PortInfo {
  std::string name;
  DType dtype = DType::F32;
  /// A dimension that depends on data has its upper bound.
  Shape shape;
};

} // namespace parallax

#endif // PARALLAX_SUPPORT_PORTINFO_H
