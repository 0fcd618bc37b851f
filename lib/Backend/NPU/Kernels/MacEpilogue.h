//===- MacEpilogue.h - What follows a product ------------------*- C++ -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Bias, multipliers and scales of a layer in the form that sinks take. It knows
// both widths of sums: which one a product needs depends on its weights, and
// those of two activations come anew with every run.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_LIB_BACKEND_NPU_KERNELS_MACEPILOGUE_H
#define PARALLAX_LIB_BACKEND_NPU_KERNELS_MACEPILOGUE_H

#include "parallax/Backend/NPU/Kernels/Mac.h"
#include "parallax/Backend/NPU/Kernels/RequantizeSums.h"

#include <optional>

namespace parallax::npu {

/// A bias of int32 or int64, or none, as int64.
std::vector<int64_t> biasValues(const Tensor *bias);

class MacEpilogue {
public:
  /// For channels [first, first + columns) of a layer.
  MacEpilogue(const MacOutput &output, std::span<const int64_t> bias,
              DType type, int64_t first, int64_t columns);

  /// Where results lie, in elements. Only float results have columns and
  /// pictures apart.
  struct Places {
    void *y;
    int64_t rowStride;
    int64_t columnStride = 1;
    int64_t pictureRows = std::numeric_limits<int64_t>::max();
    int64_t pictureStride = 0;
  };

  /// Multiplies and stores.
  void multiply(const RowSource &x, const PackedWeights &w,
                const Places &places, bool isDepthwise = false) const;

private:
  template <typename Acc>
  void run(const RowSource &x, const PackedWeights &w, const Places &places,
           bool isDepthwise) const;

  DType type;
  int64_t largestBias = 0;
  std::vector<int64_t> bias;
  std::vector<double> scales;
  std::optional<Requantization<int32_t>> narrow;
  std::optional<Requantization<int64_t>> wide;
};

} // namespace parallax::npu

#endif // PARALLAX_LIB_BACKEND_NPU_KERNELS_MACEPILOGUE_H
