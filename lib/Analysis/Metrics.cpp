//===- Metrics.cpp - How far two tensors are apart ------------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Floating-point sums depend on their order. Tensors are therefore cut into
// blocks of a fixed size; each block is summed by one thread and the blocks
// are merged in order, so that any number of threads gives the same bits.
//===----------------------------------------------------------------------===//
#include "parallax/Analysis/Metrics.h"
#include "parallax/Support/Error.h"
#include "parallax/Support/Parallel.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <limits>

namespace parallax {
namespace {

constexpr int64_t blockSize = 4096;
constexpr double wideInfinity = std::numeric_limits<double>::infinity();

/// Converts elements [begin, begin + count) so that one set of loops serves
/// all pairs of types.
template <typename Wide>
void load(const Tensor &tensor, int64_t begin, int64_t count, Wide *values) {
  dispatch(tensor.dtype(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    // A bool may come from memory that holds other bytes than 0 and 1.
    using Stored = std::conditional_t<std::is_same_v<T, bool>, uint8_t, T>;
    auto *from = static_cast<const Stored *>(tensor.rawData()) + begin;
    for (int64_t i = 0; i < count; ++i) {
      if constexpr (std::is_same_v<T, bool>)
        values[i] = from[i] != 0;
      else if constexpr (std::is_integral_v<T>)
        values[i] = Wide(from[i]);
      else
        values[i] = Wide(double(from[i]));
    }
  });
}

/// Powers of two that keep squares of extreme values in range. They are 1
/// unless the plain sums overflow or vanish.
struct Scales {
  double a = 1, b = 1, difference = 1;
};

struct Partial {
  int64_t measured = 0, differing = 0, unordered = 0;
  int64_t nanA = 0, nanB = 0, infA = 0, infB = 0;
  int64_t maxAbsIndex = -1, firstDifferingIndex = -1;
  double maxAbs = 0, sumAbs = 0, sumSquares = 0;
  double dot = 0, normA = 0, normB = 0, maxA = 0, absMaxB = 0;
  double minB = wideInfinity, maxB = -wideInfinity;

  void addDifference(double distance, int64_t index) {
    if (distance > maxAbs) {
      maxAbs = distance;
      maxAbsIndex = index;
    }
  }

  void addDiffering(int64_t index) {
    ++differing;
    if (firstDifferingIndex < 0)
      firstDifferingIndex = index;
  }

  template <typename Wide> void addSpecial(Wide a, Wide b, int64_t index) {
    bool aIsNan = std::isnan(a), bIsNan = std::isnan(b);
    nanA += aIsNan;
    nanB += bIsNan;
    infA += std::isinf(a);
    infB += std::isinf(b);
    if (aIsNan != bIsNan) {
      ++unordered;
      addDiffering(index);
    } else if (!aIsNan && a != b) {
      // No relative tolerance makes a finite number equal to infinity.
      addDifference(wideInfinity, index);
      addDiffering(index);
    }
  }

  template <typename Wide>
  void add(Wide a, Wide b, int64_t index, Tolerance tolerance,
           const Scales &scales) {
    if (!std::isnan(b)) {
      minB = std::min(minB, double(b));
      maxB = std::max(maxB, double(b));
    }
    if (!std::isfinite(a) || !std::isfinite(b))
      return addSpecial(a, b, index);
    ++measured;
    double x = double(a), y = double(b);
    double distance = std::abs(double(a - b));
    addDifference(distance, index);
    // The negation also rejects a tolerance that is not a number.
    if (a != b &&
        !(distance <= tolerance.absolute + tolerance.relative * std::abs(y)))
      addDiffering(index);
    maxA = std::max(maxA, std::abs(x));
    absMaxB = std::max(absMaxB, std::abs(y));
    distance *= scales.difference;
    x *= scales.a;
    y *= scales.b;
    sumAbs += distance;
    sumSquares += distance * distance;
    dot += x * y;
    normA += x * x;
    normB += y * y;
  }

  /// Appends the block that follows.
  void merge(const Partial &next) {
    if (next.maxAbsIndex >= 0)
      addDifference(next.maxAbs, next.maxAbsIndex);
    if (firstDifferingIndex < 0)
      firstDifferingIndex = next.firstDifferingIndex;
    for (auto count :
         {&Partial::measured, &Partial::differing, &Partial::unordered,
          &Partial::nanA, &Partial::nanB, &Partial::infA, &Partial::infB})
      this->*count += next.*count;
    for (auto sum : {&Partial::sumAbs, &Partial::sumSquares, &Partial::dot,
                     &Partial::normA, &Partial::normB})
      this->*sum += next.*sum;
    maxA = std::max(maxA, next.maxA);
    absMaxB = std::max(absMaxB, next.absMaxB);
    minB = std::min(minB, next.minB);
    maxB = std::max(maxB, next.maxB);
  }
};

template <typename Wide>
Partial accumulate(const Tensor &a, const Tensor &b, Tolerance tolerance,
                   const Scales &scales) {
  int64_t count = a.size();
  std::vector<Partial> partials(size_t((count + blockSize - 1) / blockSize));
  parallelFor(int64_t(partials.size()), 16, [&](int64_t first, int64_t last) {
    std::vector<Wide> valuesA(blockSize), valuesB(blockSize);
    for (int64_t block = first; block < last; ++block) {
      int64_t begin = block * blockSize;
      int64_t length = std::min(blockSize, count - begin);
      load(a, begin, length, valuesA.data());
      load(b, begin, length, valuesB.data());
      Partial partial;
      for (int64_t i = 0; i < length; ++i)
        partial.add(valuesA[i], valuesB[i], begin + i, tolerance, scales);
      partials[size_t(block)] = partial;
    }
  });
  Partial total;
  for (const Partial &partial : partials)
    total.merge(partial);
  return total;
}

/// A power of two near 1 / largest.
double scaleFor(double largest) {
  if (largest == 0 || std::isinf(largest))
    return 1;
  return std::ldexp(1.0, -std::clamp(std::ilogb(largest), -1000, 1000));
}

/// True if a sum of squares left the range in which it is accurate, although
/// its largest term is neither zero nor infinite.
bool isOutOfRange(double sumOfSquares, double largest) {
  return largest > 0 && std::isfinite(largest) &&
         !(sumOfSquares > 1e-140 && sumOfSquares < 1e140);
}

/// What became of the largest element of a row.
enum class Largest : uint8_t { Stays, MovesSlightly, MovesClearly };

/// Whether the row of a reference has less at `place` than at `largest`, by
/// more than what users of scores would call a tie.
template <typename Wide>
bool isClearlyLess(const Tensor &reference, int64_t row, int64_t length,
                   int64_t place, int64_t largest) {
  constexpr double tie = 1.0 / 16;
  std::vector<Wide> values(static_cast<size_t>(length));
  load(reference, row * length, length, values.data());
  auto [min, max] = std::ranges::minmax(values);
  // The negation also takes NaN.
  return !(values[size_t(largest)] - values[size_t(place)] <=
           tie * (max - min));
}

template <typename Wide>
RowAgreement countAgreeing(const Tensor &a, const Tensor &b, int64_t length) {
  if (a.size() == 0)
    return {};
  int64_t rows = a.size() / length;
  std::vector<Largest> outcomes(static_cast<size_t>(rows));
  parallelFor(rows, std::max<int64_t>(1, 65536 / length),
              [&](int64_t first, int64_t last) {
                std::vector<Wide> values(size_t(std::min(length, blockSize)));
                auto argmax = [&](const Tensor &tensor, int64_t row) {
                  Wide best = -wideInfinity;
                  int64_t bestAt = 0;
                  for (int64_t begin = 0; begin < length; begin += blockSize) {
                    int64_t count = std::min(blockSize, length - begin);
                    load(tensor, row * length + begin, count, values.data());
                    for (int64_t i = 0; i < count; ++i) {
                      if (std::isnan(values[i]))
                        return begin + i;
                      if (values[i] > best) {
                        best = values[i];
                        bestAt = begin + i;
                      }
                    }
                  }
                  return bestAt;
                };
                for (int64_t row = first; row < last; ++row) {
                  int64_t place = argmax(a, row), largest = argmax(b, row);
                  if (place != largest)
                    outcomes[size_t(row)] =
                        isClearlyLess<Wide>(b, row, length, place, largest)
                            ? Largest::MovesClearly
                            : Largest::MovesSlightly;
                }
              });
  return {rows, std::ranges::count(outcomes, Largest::Stays),
          std::ranges::count(outcomes, Largest::MovesClearly)};
}

template <typename Wide>
Metrics measureAs(const Tensor &a, const Tensor &b, Tolerance tolerance) {
  Scales scales;
  Partial total = accumulate<Wide>(a, b, tolerance, scales);
  if (isOutOfRange(total.normA, total.maxA) ||
      isOutOfRange(total.normB, total.absMaxB) ||
      isOutOfRange(total.sumSquares, total.maxAbs)) {
    scales = {scaleFor(total.maxA), scaleFor(total.absMaxB),
              scaleFor(total.maxAbs)};
    total = accumulate<Wide>(a, b, tolerance, scales);
  }

  Metrics metrics;
  metrics.count = a.size();
  metrics.measured = total.measured;
  metrics.maxAbs = total.maxAbs;
  if (std::isinf(total.maxAbs)) {
    metrics.meanAbs = metrics.mse = metrics.rmse = wideInfinity;
  } else if (total.measured > 0) {
    double count = double(total.measured), scale = scales.difference;
    metrics.meanAbs = total.sumAbs / count / scale;
    metrics.mse = total.sumSquares / count / scale / scale;
    metrics.rmse = std::sqrt(total.sumSquares / count) / scale;
  }
  metrics.cosine = total.measured == 0 && total.differing > 0
                       ? 0
                       : cosineOf(total.dot, total.normA, total.normB);
  metrics.maxAbsIndex = total.maxAbsIndex;
  metrics.firstDifferingIndex = total.firstDifferingIndex;
  metrics.differing = total.differing;
  metrics.nanA = total.nanA;
  metrics.nanB = total.nanB;
  metrics.infA = total.infA;
  metrics.infB = total.infB;
  metrics.unordered = total.unordered;
  int64_t length = a.rank() > 0 ? a.shape().back() : 1;
  if (RowAgreement found = countAgreeing<Wide>(a, b, length); found.rows > 0)
    metrics.argmaxAgreement = double(found.agreeing) / double(found.rows);
  if (total.minB <= total.maxB) {
    metrics.minB = total.minB;
    metrics.maxB = total.maxB;
  }
  return metrics;
}

bool needsMoreThanDouble(const Tensor &tensor) {
  return tensor.dtype() == DType::I64 || tensor.dtype() == DType::U64;
}

} // namespace

Metrics measure(const Tensor &a, const Tensor &b, Tolerance tolerance) {
  if (a.shape() != b.shape())
    throw Error(fmt::format("tensors of the shapes {} and {} can't be compared "
                            "element by element",
                            toString(a.shape()), toString(b.shape())));
  // A double skips integers above 2^53: two different ones could look equal.
  if (needsMoreThanDouble(a) || needsMoreThanDouble(b)) {
    static_assert(std::numeric_limits<long double>::digits >= 64);
    return measureAs<long double>(a, b, tolerance);
  }
  return measureAs<double>(a, b, tolerance);
}

double cosineOf(double dot, double squareA, double squareB) {
  if (squareA == 0 || squareB == 0)
    return squareA == squareB ? 1 : 0;
  // One root of the product is exact for equal sides; two roots are not.
  return std::clamp(dot / std::sqrt(squareA * squareB), -1.0, 1.0);
}

RowAgreement agreementOfRows(const Tensor &a, const Tensor &b) {
  // Classes of a picture that is one element large are a row as well.
  int64_t length = 1;
  for (int64_t axis = a.rank() - 1; axis >= 0 && length == 1; --axis)
    length = a.dim(axis);
  return needsMoreThanDouble(a) || needsMoreThanDouble(b)
             ? countAgreeing<long double>(a, b, length)
             : countAgreeing<double>(a, b, length);
}

double errorOfRange(double maxAbs, double minB, double maxB) {
  double magnitude = std::max(std::abs(minB), std::abs(maxB));
  constexpr double lastBits = 4 * std::numeric_limits<float>::epsilon();
  if (maxAbs <= lastBits * magnitude)
    return maxAbs == 0 ? 0 : maxAbs / std::max(maxB - minB, magnitude);
  double range = maxB > minB ? maxB - minB : magnitude;
  return range > 0 ? maxAbs / range : maxAbs;
}

} // namespace parallax
