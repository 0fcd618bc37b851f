//===- Samples.h - Inputs of a network, one sample at a time ---*- C++ -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Samples are loaded when they are needed and not kept, so that memory doesn't
// grow with their number.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_SUPPORT_SAMPLES_H
#define PARALLAX_SUPPORT_SAMPLES_H

#include "parallax/Support/Tensor.h"

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace parallax {

struct Samples {
  size_t count = 0;
  /// The inputs of the network for a sample; may be called from any thread.
  std::function<std::vector<Tensor>(size_t sample)> load;
  /// Where they come from, for people.
  std::string source;
};

/// Those that are in memory already.
inline Samples samplesInMemory(std::vector<std::vector<Tensor>> tensors,
                               std::string source = "") {
  auto all =
      std::make_shared<std::vector<std::vector<Tensor>>>(std::move(tensors));
  return {all->size(), [all](size_t i) { return (*all)[i]; },
          std::move(source)};
}

} // namespace parallax

#endif // PARALLAX_SUPPORT_SAMPLES_H
