//===- BitEvidence.cpp - How differing bits are classified ----------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// First, whether the NPU is right at all, by the exact results; if it is not,
// which mistake leaves such a pattern. A pattern need not hold for every
// element, because a broken kernel still meets ties.
//===----------------------------------------------------------------------===//
#include "parallax/Analysis/BitEvidence.h"
#include "parallax/Support/Simd.h"

#include <cmath>
#include <map>

namespace parallax {
namespace {

/// The part of the elements for which a pattern has to hold.
constexpr double nearlyAll = 0.9;

/// From so many elements on, a number that all have in common is not an
/// accident.
constexpr size_t manyElements = 32;

bool isNearlyAll(int64_t part, int64_t all) {
  return all > 0 && double(part) >= nearlyAll * double(all);
}

class Classifier {
public:
  explicit Classifier(const BitEvidence &evidence)
      : evidence(evidence), codes(evidence.codes) {
    for (size_t i = 0; i < evidence.machine.size(); ++i)
      if (evidence.machine[i] != evidence.reference[i])
        differing.push_back(i);
  }

  DifferenceClass run() {
    if (isMachineRight() && !isMoved())
      return normalClass();
    dropTies();
    return faultClass();
  }

private:
  int64_t machine(size_t i) const { return evidence.machine[i]; }
  int64_t reference(size_t i) const { return evidence.reference[i]; }
  int64_t difference(size_t i) const { return machine(i) - reference(i); }

  /// How far the NPU is from the exact result, which saturates as well.
  double machineError(const ExactResult &result) const {
    double held =
        std::clamp(result.value, double(codes.low), double(codes.high));
    return std::abs(double(machine(size_t(result.index))) - held);
  }

  /// Without exact results, what is one code apart has the benefit of doubt;
  /// where no number is right, none is wrong.
  bool isMachineRight() const {
    if (evidence.results.empty())
      return std::ranges::all_of(
          differing, [&](size_t i) { return std::abs(difference(i)) == 1; });
    return std::ranges::all_of(
        evidence.results, [&](const ExactResult &result) {
          return std::isnan(result.value) ||
                 machineError(result) <=
                     evidence.tolerance + result.machineBound;
        });
  }

  static bool hasNoFiniteReference(const ExactResult &result) {
    return !result.isReferenceFinite || std::isnan(result.value);
  }

  /// An approximation errs to both sides, or not everywhere.
  bool isMoved() const {
    return !rounds() && evidence.machine.size() >= manyElements && isOffset();
  }

  bool rounds() const {
    return evidence.arithmetic == LayerArithmetic::Exact ||
           evidence.arithmetic == LayerArithmetic::DirectTable;
  }

  /// A broken layer has ties as well, which only blur its pattern.
  void dropTies() {
    auto isFar = [&](size_t i) { return std::abs(difference(i)) > 1; };
    if (std::ranges::any_of(differing, isFar))
      std::erase_if(differing, [&](size_t i) { return !isFar(i); });
  }

  static bool isTie(const ExactResult &result) {
    double fraction = result.value - std::floor(result.value);
    return std::abs(fraction - 0.5) <=
           result.machineBound + result.referenceBound;
  }

  DifferenceClass normalClass() const {
    if (std::ranges::any_of(evidence.results, hasNoFiniteReference))
      return DifferenceClass::ReferenceNotFinite;
    if (std::ranges::all_of(evidence.results, isTie))
      return DifferenceClass::RoundingTie;
    return rounds() ? DifferenceClass::ReferenceSum
                    : usualClassOf(evidence.arithmetic);
  }

  DifferenceClass faultClass() const {
    bool isTable = evidence.arithmetic == LayerArithmetic::DirectTable ||
                   evidence.arithmetic == LayerArithmetic::Interpolation;
    if (isOffset())
      return DifferenceClass::ScaleOrZeroPoint;
    if (isPermuted())
      return DifferenceClass::Layout;
    if (isStuck())
      return DifferenceClass::Saturation;
    // A table with an entry for every code has nothing to round.
    if (evidence.arithmetic != LayerArithmetic::DirectTable && isNextCode())
      return DifferenceClass::Rounding;
    if (isProportional())
      return DifferenceClass::ScaleOrZeroPoint;
    return isTable ? DifferenceClass::TableEntries
                   : DifferenceClass::Accumulator;
  }

  /// The codes of both sides are the same, but for what the layer may be off.
  bool isPermuted() const {
    // A few codes next to each other prove nothing.
    if (std::abs(difference(differing[0])) == 1 && differing.size() <= 2)
      return false;
    std::vector<int64_t> found = evidence.machine,
                         expected = evidence.reference;
    std::ranges::sort(found);
    std::ranges::sort(expected);
    // Of a wrong rounding, too, sorted codes are next to each other.
    bool isFar = std::abs(difference(differing[0])) > 1;
    auto allowed = isFar ? int64_t(std::ceil(evidence.tolerance)) : 0;
    for (size_t i = 0; i < found.size(); ++i)
      if (std::abs(found[i] - expected[i]) > allowed)
        return false;
    return true;
  }

  bool isWithin(size_t i) const {
    auto isInside = [&](int64_t code) {
      return code > codes.low && code < codes.high;
    };
    return isInside(machine(i)) && isInside(reference(i));
  }

  /// All codes that did not saturate are apart by one number.
  bool isOffset() const {
    std::map<int64_t, int64_t> counts;
    int64_t within = 0;
    for (size_t i = 0; i < evidence.machine.size(); ++i)
      if (isWithin(i)) {
        ++within;
        ++counts[difference(i)];
      }
    return std::ranges::any_of(counts, [&](auto &each) {
      return each.first != 0 && isNearlyAll(each.second, within);
    });
  }

  /// The NPU has one of the two codes around the exact result everywhere.
  bool isNextCode() const {
    return std::ranges::all_of(
               differing,
               [&](size_t i) { return std::abs(difference(i)) == 1; }) &&
           std::ranges::all_of(
               evidence.results, [&](const ExactResult &result) {
                 return machineError(result) <= 1 + result.machineBound;
               });
  }

  /// One side has stopped at an end of its codes, and the other has not.
  bool isStuck() const {
    auto [low, high] = std::ranges::minmax(evidence.machine);
    int64_t stuck = 0;
    for (size_t i : differing) {
      bool isMachineStuck = (machine(i) == high && reference(i) > high) ||
                            (machine(i) == low && reference(i) < low);
      bool isReferenceStuck =
          reference(i) == codes.low || reference(i) == codes.high;
      stuck += isMachineStuck || isReferenceStuck;
    }
    return isNearlyAll(stuck, int64_t(differing.size()));
  }

  /// The NPU has a multiple of the other side's steps, but for two
  /// roundings.
  bool isProportional() const {
    double products = 0, squares = 0;
    int64_t within = 0, fitting = 0;
    auto each = [&](auto fn) {
      for (size_t i : differing)
        if (isWithin(i))
          fn(double(machine(i) - codes.zeroPoint),
             double(reference(i) - codes.zeroPoint));
    };
    each([&](double a, double b) {
      products += a * b;
      squares += b * b;
    });
    if (squares == 0)
      return false;
    double factor = products / squares;
    each([&](double a, double b) {
      ++within;
      fitting += std::abs(a - factor * b) <= 0.51 * (1 + std::abs(factor));
    });
    return isNearlyAll(fitting, within);
  }

  const BitEvidence &evidence;
  const AffineParams &codes;
  std::vector<size_t> differing;
};

/// Of less than 2^31 codes.
struct CodeCounts {
  int32_t differing = 0, low = 0, high = 0, atEnds = 0;
};

template <typename T>
__attribute__((always_inline)) inline void
countAny(const T *a, const T *b, int64_t count, int32_t least, int32_t most,
         CodeCounts &result) {
  int32_t differing = 0, low = 0, high = 0, atEnds = 0;
  for (int64_t i = 0; i < count; ++i) {
    int32_t from = b[i], difference = int32_t(a[i]) - from;
    differing += difference != 0;
    low = difference < low ? difference : low;
    high = difference > high ? difference : high;
    atEnds += (difference != 0) & ((from == least) | (from == most));
  }
  result.differing = differing;
  result.low = low;
  result.high = high;
  result.atEnds = atEnds;
}

// Codes are compared in every layer of every sample: by vectors.
PARALLAX_SIMD void countCodes(const uint8_t *a, const uint8_t *b, int64_t count,
                              int32_t least, int32_t most, CodeCounts &result) {
  countAny(a, b, count, least, most, result);
}
PARALLAX_SIMD void countCodes(const uint16_t *a, const uint16_t *b,
                              int64_t count, int32_t least, int32_t most,
                              CodeCounts &result) {
  countAny(a, b, count, least, most, result);
}

} // namespace

void BitCounts::add(const Tensor &reference, const Tensor &machine,
                    const AffineParams &codes, int64_t sample) {
  dispatch(machine.dtype(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    if constexpr (std::is_same_v<T, uint8_t> || std::is_same_v<T, uint16_t>) {
      CodeCounts counts;
      countCodes(machine.data<T>(), reference.data<T>(), machine.size(),
                 int32_t(codes.low), int32_t(codes.high), counts);
      differing += counts.differing;
      low = std::min<int64_t>(low, counts.low);
      high = std::max<int64_t>(high, counts.high);
      atEnds += counts.atEnds;
    } else if constexpr (std::is_integral_v<T>) {
      const T *a = machine.data<T>(), *b = reference.data<T>();
      for (int64_t i = 0, size = machine.size(); i < size; ++i) {
        if (a[i] == b[i])
          continue;
        auto from = int64_t(b[i]);
        ++differing;
        low = std::min(low, int64_t(a[i]) - from);
        high = std::max(high, int64_t(a[i]) - from);
        atEnds += from == codes.low || from == codes.high;
      }
    }
  });
  if (differing > 0 && firstSample < 0)
    firstSample = sample;
}

void BitCounts::merge(const BitCounts &next) {
  elements += next.elements;
  differing += next.differing;
  low = std::min(low, next.low);
  high = std::max(high, next.high);
  atEnds += next.atEnds;
  if (firstSample < 0)
    firstSample = next.firstSample;
}

DifferenceClass classify(const BitEvidence &evidence) {
  return Classifier(evidence).run();
}

bool isSuspect(const CountedLayer &layer) {
  const BitCounts &counts = layer.counts;
  if (layer.arithmetic == LayerArithmetic::Interpolation ||
      layer.arithmetic == LayerArithmetic::Approximation)
    return double(counts.maxCodes()) > layer.tolerance + 0.5 ||
           (counts.part() > nearlyAll &&
            size_t(counts.elements) >= manyElements);
  // Floats of the reference hold 24 bits, so that of 16-bit codes more lie next
  // to a half than of 8-bit ones.
  double usualPart = layer.isWide ? 0.1 : 0.005;
  return counts.maxCodes() > 1 || counts.part() > usualPart ||
         2 * counts.atEnds > counts.differing;
}

DifferenceClass usualClassOf(LayerArithmetic arithmetic) {
  switch (arithmetic) {
  case LayerArithmetic::Interpolation:
    return DifferenceClass::TableInterpolation;
  case LayerArithmetic::Approximation:
    return DifferenceClass::Approximation;
  default:
    return DifferenceClass::RoundingTie;
  }
}

} // namespace parallax
