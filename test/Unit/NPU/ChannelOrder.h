//===- ChannelOrder.h - Channels first and last ----------------*- C++ -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// The literal implementation knows [N, C, spatial...] only; kernels that want
// the channels innermost get them through here.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_TEST_UNIT_NPU_CHANNELORDER_H
#define PARALLAX_TEST_UNIT_NPU_CHANNELORDER_H

#include "parallax/Support/Tensor.h"

#include <cstring>

namespace parallax::npu::test {

/// The same shape, but elements in the order [N, spatial..., C], or back.
inline Tensor reorderChannels(const Tensor &x, bool toLast) {
  Tensor y(x.dtype(), x.shape());
  int64_t batch = x.dim(0), channels = x.dim(1), size = sizeOf(x.dtype());
  int64_t pixels = x.size() / std::max<int64_t>(batch * channels, 1);
  const auto *from = static_cast<const char *>(x.rawData());
  auto *to = static_cast<char *>(y.rawData());
  for (int64_t n = 0; n < batch; ++n)
    for (int64_t c = 0; c < channels; ++c)
      for (int64_t p = 0; p < pixels; ++p) {
        int64_t first = ((n * channels + c) * pixels + p) * size;
        int64_t last = ((n * pixels + p) * channels + c) * size;
        std::memcpy(to + (toLast ? last : first),
                    from + (toLast ? first : last), size_t(size));
      }
  return y;
}

inline Tensor channelsLast(const Tensor &x) { return reorderChannels(x, true); }
inline Tensor channelsFirst(const Tensor &x) {
  return reorderChannels(x, false);
}

} // namespace parallax::npu::test

#endif // PARALLAX_TEST_UNIT_NPU_CHANNELORDER_H
