//===- CodeMapTest.cpp - Functions of one code, spelled out ---------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Every code of every pair of types, in tensors around the width of vectors,
// with every instruction set.
//===----------------------------------------------------------------------===//
#include "parallax/Backend/NPU/Kernels/CodeMap.h"
#include "parallax/Backend/NPU/Kernels/InstructionSet.h"

#include <gtest/gtest.h>

using namespace parallax;
using namespace parallax::npu;

namespace {

/// No two neighbours alike, and no order that a wrong index could keep.
int64_t scrambled(int64_t code) { return (code * 167 + 91) ^ (code >> 3); }

template <typename A, typename T> void checkMap(int64_t size) {
  CodeMap map(dtypeOf<A>(), dtypeOf<T>(), [](const Tensor &x, Tensor &y) {
    for (int64_t i = 0; i < x.size(); ++i)
      y.data<T>()[i] = T(scrambled(x.data<A>()[i]));
  });
  Tensor x(dtypeOf<A>(), {size});
  for (int64_t i = 0; i < size; ++i)
    x.data<A>()[i] = A(i * 37 + i / 256);
  InstructionSet outer = instructionSet();
  for (InstructionSet set : instructionSets) {
    setInstructionSet(set);
    Tensor y(dtypeOf<T>(), {size});
    map.run(x, y);
    for (int64_t i = 0; i < size; ++i)
      ASSERT_EQ(y.data<T>()[i], T(scrambled(x.data<A>()[i])))
          << "element " << i << " of " << size << ", set " << int(set);
  }
  setInstructionSet(outer);
}

TEST(CodeMap, EveryCodeAndSize) {
  for (int64_t size : {0, 1, 2, 15, 16, 17, 31, 32, 33, 63, 64, 65, 96, 127,
                       128, 129, 256, 1000}) {
    checkMap<uint8_t, uint8_t>(size);
    checkMap<uint8_t, int8_t>(size);
    checkMap<int8_t, uint8_t>(size);
    checkMap<int8_t, int8_t>(size);
    checkMap<uint8_t, uint16_t>(size);
    checkMap<int16_t, uint8_t>(size);
  }
}

} // namespace
