//===- RunnableNetwork.h - A network that a program runs -------*- C++ -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// What a program gets to see of a network that it is asked to judge: it brings
// its own samples and its own metric.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_SUPPORT_RUNNABLENETWORK_H
#define PARALLAX_SUPPORT_RUNNABLENETWORK_H

#include "parallax/Support/PortInfo.h"

#include <functional>

namespace parallax {

/// Any thread may run it, also several at once.
class RunnableNetwork {
public:
  virtual ~RunnableNetwork() = default;

  virtual const std::vector<PortInfo> &inputs() const = 0;
  virtual const std::vector<PortInfo> &outputs() const = 0;

  /// The outputs are valid during the call only.
  using Consumer = std::function<void(std::span<const Tensor> outputs)>;
  /// Throws Error if the inputs are not those of the network.
  virtual void run(std::span<const Tensor> inputs, const Consumer &consume) = 0;
};

/// Judges a network by a number. It throws Error if it can't, or if it takes
/// longer than `seconds`.
using ScoreFunction =
    std::function<double(RunnableNetwork &network, int64_t seconds)>;

} // namespace parallax

#endif // PARALLAX_SUPPORT_RUNNABLENETWORK_H
