//===- CodeMap.cpp - Functions of one code, spelled out -------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Look-ups in a table.
//===----------------------------------------------------------------------===//
#include "parallax/Backend/NPU/Kernels/CodeMap.h"

#include "LookUp.h"
#include "parallax/Support/Parallel.h"

#include <limits>
#include <type_traits>

namespace parallax::npu {

CodeMap::CodeMap(DType xType, DType yType,
                 const std::function<void(const Tensor &, Tensor &)> &kernel) {
  dispatchCodes("a look-up", xType, [&]<typename A>(TypeTag<A>) {
    Tensor codes(xType, {int64_t(1) << (8 * sizeof(A))});
    A *to = codes.data<A>();
    for (int64_t i = 0; i < codes.size(); ++i)
      to[i] = A(i + std::numeric_limits<A>::lowest());
    entries = Tensor(yType, codes.shape());
    kernel(codes, entries);
  });
}

/// Bytes could overlap anything if nobody said that they don't.
template <typename A, typename T>
static void lookUp(const A *x, int64_t count, const T *__restrict entryOfZero,
                   T *__restrict y) {
  if constexpr (std::is_same_v<A, uint8_t> && sizeof(T) == 1)
    return lookUpBytes(x, count, reinterpret_cast<const uint8_t *>(entryOfZero),
                       reinterpret_cast<uint8_t *>(y));
  for (int64_t i = 0; i < count; ++i)
    y[i] = entryOfZero[x[i]];
}

void CodeMap::run(const Tensor &x, Tensor &y) const {
  dispatchCodes("a look-up", x.dtype(), [&]<typename A>(TypeTag<A>) {
    dispatchCodes("a look-up", y.dtype(), [&]<typename T>(TypeTag<T>) {
      const A *from = x.data<A>();
      T *to = y.data<T>();
      // The entry of code 0.
      const T *zero =
          entries.data<T>() - int64_t(std::numeric_limits<A>::lowest());
      parallelFor(x.size(), codeGrain, [&](int64_t begin, int64_t end) {
        lookUp(from + begin, end - begin, zero, to + begin);
      });
    });
  });
}

} // namespace parallax::npu
