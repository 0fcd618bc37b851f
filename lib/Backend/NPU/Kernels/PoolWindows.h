//===- PoolWindows.h - The loop of all poolings ----------------*- C++ -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// The inputs of a window are the same for all channels, so they are looked up
// once for each position.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_LIB_BACKEND_NPU_KERNELS_POOLWINDOWS_H
#define PARALLAX_LIB_BACKEND_NPU_KERNELS_POOLWINDOWS_H

#include "Windows.h"
#include "parallax/Backend/Kernels/OperatorParams.h"
#include "parallax/Backend/NPU/Kernels/Codes.h"
#include "parallax/Support/Parallel.h"

namespace parallax::npu {

/// Stores fn(the first element of a channel, the inputs of a window as offsets
/// from it, how many taps count) for every position. Each thread has a copy of
/// fn, so that fn may keep memory.
template <typename A, typename T, typename Fn>
void forEachWindow(const Tensor &x, Tensor &y,
                   const kernels::PoolParams &params, const Fn &fn) {
  std::span<const int64_t> in(x.shape()), out(y.shape());
  Windows windows({in.subspan(2), out.subspan(2), params.kernel, params.strides,
                   params.dilations, params.padsBegin, params.padsEnd});
  int64_t planes = x.dim(0) * x.dim(1);
  int64_t pixels = elementCount(in.subspan(2));
  int64_t positions = elementCount(out.subspan(2));
  const A *from = x.data<A>();
  T *to = y.data<T>();
  parallelFor(positions, rowGrain(planes * windows.taps()),
              [&](int64_t begin, int64_t end) {
                Fn pool = fn;
                std::vector<int64_t> inputs(size_t(windows.taps()));
                for (int64_t p = begin; p < end; ++p) {
                  windows.inputsOf(p, inputs.data());
                  auto outside = std::remove(inputs.begin(), inputs.end(), -1);
                  std::span<const int64_t> inside(inputs.begin(), outside);
                  int64_t count = params.countIncludePad
                                      ? windows.paddedTaps(p)
                                      : int64_t(inside.size());
                  for (int64_t plane = 0; plane < planes; ++plane)
                    to[plane * positions + p] =
                        T(pool(from + plane * pixels, inside, count));
                }
              });
}

} // namespace parallax::npu

#endif // PARALLAX_LIB_BACKEND_NPU_KERNELS_POOLWINDOWS_H
