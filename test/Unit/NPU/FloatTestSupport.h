//===- FloatTestSupport.h - Floats for kernels and literal code -*- C++ -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Makes difficult floats (NaN, infinities, subnormals, zeros of both signs) and
// compares the bits of kernels with those of the literal implementation, with
// any instructions and threads.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_TEST_UNIT_NPU_FLOATTESTSUPPORT_H
#define PARALLAX_TEST_UNIT_NPU_FLOATTESTSUPPORT_H

#include "LiteralFloat.h"
#include "parallax/Backend/NPU/Kernels/FloatFunctions.h"
#include "parallax/Backend/NPU/Kernels/InstructionSet.h"
#include "parallax/Support/Parallel.h"
#include "parallax/Support/Random.h"

#include <bit>
#include <cmath>
#include <gtest/gtest.h>

namespace parallax::npu::test {

using literal::Array;
using literal::Dims;
using literal::Floats;

inline const Floats &extremes() {
  constexpr float infinity = std::numeric_limits<float>::infinity();
  static const Floats values{0.0f,
                             -0.0f,
                             1.0f,
                             -1.0f,
                             infinity,
                             -infinity,
                             NAN,
                             0x1p-149f,
                             -0x1p-149f,
                             0x3p-149f,
                             -0x3p-149f,
                             0x1p-126f,
                             0x1.fffffep127f,
                             -0x1.fffffep127f,
                             0x1p-30f,
                             0.5f,
                             -0.5f,
                             2.5f,
                             -3.5f};
  return values;
}

/// Within +-range / 2; every eighth is an extreme if wanted.
inline Floats randomFloats(int64_t count, float range, uint64_t seed,
                           bool hasExtremes = false) {
  Random random(seed);
  Floats values;
  for (int64_t i = 0; i < count; ++i) {
    float value = (random.real() - 0.5f) * range;
    uint64_t choice = random.next();
    if (hasExtremes && choice % 8 == 0)
      value = extremes()[(choice >> 8) % extremes().size()];
    values.push_back(value);
  }
  return values;
}

inline Array randomArray(Dims dims, float range, uint64_t seed,
                         bool hasExtremes = false) {
  Array array(std::move(dims));
  array.values = randomFloats(array.size(), range, seed, hasExtremes);
  return array;
}

inline Tensor toTensor(const Array &array) {
  return Tensor::fromValues<float>(array.dims, array.values);
}
inline Tensor toTensor(const Floats &values) {
  return Tensor::fromValues<float>({int64_t(values.size())}, values);
}

/// One NaN is as good as another.
inline uint32_t bitsOf(float value) {
  return std::isnan(value) ? 0x7FC00000 : std::bit_cast<uint32_t>(value);
}

inline void expectBits(const Tensor &got, const Floats &expected,
                       const std::string &what) {
  ASSERT_EQ(got.size(), int64_t(expected.size())) << what;
  for (size_t i = 0; i < expected.size(); ++i)
    ASSERT_EQ(bitsOf(got.data<float>()[i]), bitsOf(expected[i]))
        << what << " element " << i << ": " << got.data<float>()[i]
        << " instead of " << expected[i];
}

/// Runs kernel(y) with one thread and two, with plain and fast instructions.
template <typename Kernel>
void expectFloats(const Array &expected, Kernel kernel,
                  const std::string &what = "") {
  InstructionSet best = instructionSet();
  for (InstructionSet set : {best, InstructionSet::Portable})
    for (int threads : {1, 2}) {
      setInstructionSet(set);
      ThreadCountScope scope(threads);
      Tensor y(DType::F32, expected.dims);
      kernel(y);
      expectBits(y, expected.values, what);
    }
  setInstructionSet(best);
}

} // namespace parallax::npu::test

#endif // PARALLAX_TEST_UNIT_NPU_FLOATTESTSUPPORT_H
