//===- Witness.h - The same arithmetic by upstream MLIR --------*- C++ -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// A case is one operation of the machine and a function of the TOSA dialect
// that means the same. The simulator executes the first; mlir-opt lowers the
// second to linalg and LLVM, mlir-runner executes it, and all codes must be
// equal. What TOSA can't say is left out: docs/numerics.md lists, operator by
// operator, which part of the parameters is compared.
//
// Codes without a sign become TOSA's signed ones by subtracting half their
// range from codes and zero points, which changes no difference of both.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_TEST_CONFORMANCE_TOSA_WITNESS_H
#define PARALLAX_TEST_CONFORMANCE_TOSA_WITNESS_H

#include "../../Unit/NPU/NpuTestSupport.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <string>
#include <vector>

namespace parallax::tosa {

using literal::Codes;
using literal::Dims;
using npu::test::CodeType;
using npu::test::Fill;

//===----------------------------------------------------------------------===//
// Text
//===----------------------------------------------------------------------===//

/// "2x3xi8" for dimensions and an element type.
std::string typeText(const Dims &dims, const std::string &element);
/// The element type of codes in the npu dialect ("ui8", "i8", ...), and the
/// signed one of TOSA.
std::string npuElement(const Codes &codes);
std::string tosaElement(const Codes &codes);
/// What is subtracted from codes for TOSA.
int64_t tosaOffset(const Codes &codes);
inline int64_t tosaZero(const Codes &codes) {
  return codes.zero - tosaOffset(codes);
}

/// dense<"0x..."> of integers with a number of bytes each.
std::string denseText(const std::vector<int64_t> &values, int bytes);

/// `%name = tosa.const`, of one dimension.
std::string tosaConstant(const std::string &name, const std::string &element,
                         const std::vector<int64_t> &values);

/// The values in the order of a transposed tensor.
std::vector<int64_t> transposed(const std::vector<int64_t> &values,
                                const Dims &dims, const Dims &perm);
Dims permuted(const Dims &dims, const Dims &perm);
/// Of pictures as the machine has them.
inline const Dims channelsLast = {0, 2, 3, 1};

/// Attributes that every operation with codes has: zero_point, low, high and
/// rounding.
std::string outputText(const Codes &y);

//===----------------------------------------------------------------------===//
// Numbers
//===----------------------------------------------------------------------===//

class Chance {
public:
  explicit Chance(uint64_t seed) : random(seed) {}
  int64_t between(int64_t low, int64_t high) {
    return low + int64_t(random.next() % uint64_t(high - low + 1));
  }
  template <typename List> auto pick(const List &list) {
    return *(std::begin(list) + between(0, int64_t(std::size(list)) - 1));
  }

private:
  Random random;
};

/// Codes of any zero point and filling; with `centred` the zero point is that
/// of TOSA's 16-bit codes, which is 0.
Codes someCodes(Chance &chance, const CodeType &type, const Dims &dims,
                bool centred);
/// A result without values; sometimes with limits as a fused Relu or Clip has.
Codes someResult(Chance &chance, const CodeType &type, const Dims &dims,
                 bool centred);

/// Factors for accumulators of less than `bound` in magnitude: results that use
/// and exceed the codes of y, and now and then any shift that TOSA allows,
/// which is one that leaves a result of 32 bits. With `isShort` the multiplier
/// is one of 15 bits times 2^16: TOSA's for 48-bit sums.
struct Factors {
  std::vector<int64_t> multipliers, shifts;
  bool isShort = false;
};
Factors someFactors(Chance &chance, size_t count, double bound, const Codes &y,
                    bool isShort);

/// `multipliers = ..., shifts = ...` of an npu operation.
std::string factorsText(const Factors &factors);

/// tosa.rescale of %from to %to, the codes of y, with its limits.
std::string rescaleText(const std::string &from, const std::string &fromElement,
                        const std::string &to, const Codes &y, const Dims &dims,
                        const Factors &factors);

//===----------------------------------------------------------------------===//
// Cases
//===----------------------------------------------------------------------===//

struct Case {
  std::string what;
  /// Operands of both functions, called %x0, %x1, ...; `layout` brings those
  /// of the machine into TOSA's order.
  std::vector<Codes> operands;
  std::vector<Dims> layouts;
  /// Operations that make %y of these and %r, of the type of `result` and of
  /// `tosaType`.
  std::string npu, tosa, tosaType;
  Codes result;
  Dims resultLayout;
};

/// A batch of cases for one start of the tools.
class Batch {
public:
  explicit Batch(std::string name) : name(std::move(name)) {}

  void add(Case made) { cases.push_back(std::move(made)); }

  /// Runs both sides; fails for every case with other codes, and unless there
  /// are at least `minCases`.
  void check(size_t minCases) const;

  /// How many cases differ if the first code of each case of the simulator is
  /// changed by one.
  size_t countDisturbed() const;

private:
  std::vector<std::vector<int64_t>> runMachine() const;
  std::vector<std::vector<int64_t>> runTosa() const;
  bool isEqual(const Case &one, const std::vector<int64_t> &machine,
               const std::vector<int64_t> &tosa) const;

  std::string name;
  std::vector<Case> cases;
};

} // namespace parallax::tosa

#endif // PARALLAX_TEST_CONFORMANCE_TOSA_WITNESS_H
