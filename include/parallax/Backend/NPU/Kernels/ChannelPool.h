//===- ChannelPool.h - Pooling with the channels innermost -----*- C++ -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// The windows of codes [N, spatial..., C], as convolutions leave them: vectors
// hold channels. Same codes as the kernels of row-major tensors in Pool.h.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_BACKEND_NPU_KERNELS_CHANNELPOOL_H
#define PARALLAX_BACKEND_NPU_KERNELS_CHANNELPOOL_H

#include "parallax/Backend/NPU/Kernels/Pool.h"

#include <memory>

namespace parallax::npu {

class ChannelPool {
public:
  /// Shapes are those of ONNX, [N, C, spatial...].
  ChannelPool(const Shape &x, const Shape &y,
              const kernels::PoolParams &params);
  ~ChannelPool();

  /// A window without an element gives the lowest code of the type.
  void max(const Tensor &x, Tensor &y) const;

  /// As averagePool().
  void average(const Tensor &x, int64_t xZero, Tensor &y,
               std::span<const Multiplier> multipliers,
               const OutputCodes &output) const;

private:
  struct Plan;
  std::unique_ptr<const Plan> plan;
};

} // namespace parallax::npu

#endif // PARALLAX_BACKEND_NPU_KERNELS_CHANNELPOOL_H
