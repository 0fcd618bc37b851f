//===- Histogram.cpp - How values are distributed -------------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Bins have a width of a power of two. When the range grows, neighbouring bins
// are merged in pairs, which is exact.
//===----------------------------------------------------------------------===//
#include "parallax/Analysis/Histogram.h"
#include "parallax/Support/Simd.h"

#include <algorithm>
#include <cassert>
#include <cmath>

namespace parallax {
namespace {

/// The bins of values. Magnitudes are below 2^25 bins, which is what the finest
/// width that a histogram begins with leaves of a float.
PARALLAX_SIMD void findIndices(const float *values, int64_t count, float scale,
                               int32_t first, int32_t *indices) {
  for (int64_t i = 0; i < count; ++i)
    indices[i] = int32_t(__builtin_floorf(values[i] * scale)) - first;
}

} // namespace

double Histogram::binWidth() const { return std::ldexp(1.0, exponent); }

double Histogram::binStart(size_t i) const {
  return std::ldexp(double(first + int64_t(i)), exponent);
}

static int64_t indexAt(double value, int exponent) {
  return int64_t(std::floor(std::ldexp(value, -exponent)));
}

int64_t Histogram::indexOf(double value) const {
  return indexAt(value, exponent);
}

void Histogram::halve() {
  // Bin 2k and 2k + 1 become bin k; the first one may be odd.
  int64_t newFirst = first >> 1;
  size_t count =
      size_t(((first + int64_t(bins.size()) - 1) >> 1) - newFirst + 1);
  std::vector<int64_t> merged(count);
  for (size_t i = 0; i < bins.size(); ++i)
    merged[size_t(((first + int64_t(i)) >> 1) - newFirst)] += bins[i];
  bins = std::move(merged);
  first = newFirst;
  ++exponent;
}

void Histogram::cover(double low, double high) {
  // As fine as floats of this magnitude are, or as the number of bins allows.
  // The coarsest of all that was added counts, so that order doesn't matter.
  double magnitude = std::max({std::abs(low), std::abs(high), 1e-38});
  int wanted = std::max(std::ilogb(magnitude) - 24, -149);
  while (indexAt(high, wanted) - indexAt(low, wanted) >= maxBins)
    ++wanted;
  if (bins.empty()) {
    exponent = wanted;
    first = indexOf(low);
    bins.assign(1, 0);
  }
  while (exponent < wanted)
    halve();
  auto lastIndex = [&] { return first + int64_t(bins.size()) - 1; };
  while (std::max(indexOf(high), lastIndex()) - std::min(indexOf(low), first) >=
         maxBins)
    halve();
  if (int64_t below = first - indexOf(low); below > 0) {
    bins.insert(bins.begin(), size_t(below), 0);
    first -= below;
  }
  if (int64_t above = indexOf(high) - lastIndex(); above > 0)
    bins.resize(bins.size() + size_t(above));
}

void Histogram::addExtremes(int64_t count, const Extremes &extremes) {
  if (count == 0)
    return;
  finite += count;
  lowest = std::min(lowest, extremes.low);
  highest = std::max(highest, extremes.high);
}

void Histogram::add(std::span<const float> values, const Extremes &extremes) {
  if (extremes.special > 0)
    for (float value : values) {
      nans += std::isnan(value);
      infs += std::isinf(value);
    }
  int64_t added = int64_t(values.size()) - extremes.special;
  addExtremes(added, extremes);
  if (maxBins == 0 || added == 0)
    return;
  cover(extremes.low, extremes.high);
  // A product with a power of two is exact.
  auto scale = float(std::ldexp(1.0, -exponent));
  if (extremes.special == 0 && std::isnormal(scale))
    return countFinite(values, scale);
  for (float value : values)
    if (std::isfinite(value))
      ++bins[size_t(indexOf(value) - first)];
}

void Histogram::countFinite(std::span<const float> values, float scale) {
  constexpr size_t tables = 4, block = 512;
  int32_t indices[block];
  // Neighbours are often alike; of several tables, no two increments in a row
  // wait for each other. Few values are not worth adding up the tables.
  bool areMany = values.size() > tables * bins.size();
  std::vector<int32_t> counts(areMany ? tables * bins.size() : 0);
  int32_t *table = counts.data();
  for (size_t begin = 0; begin < values.size(); begin += block) {
    size_t count = std::min(block, values.size() - begin), i = 0;
    findIndices(values.data() + begin, int64_t(count), scale, int32_t(first),
                indices);
    if (areMany)
      for (; i + tables <= count; i += tables)
        for (size_t number = 0; number < tables; ++number)
          ++table[size_t(indices[i + number]) * tables + number];
    for (; i < count; ++i)
      ++bins[size_t(indices[i])];
  }
  for (size_t i = 0; i < counts.size(); ++i)
    bins[i / tables] += counts[i];
}

void Histogram::merge(const Histogram &other) {
  assert(maxBins == other.maxBins);
  nans += other.nans;
  infs += other.infs;
  if (other.finite == 0)
    return;
  finite += other.finite;
  lowest = std::min(lowest, other.lowest);
  highest = std::max(highest, other.highest);
  if (maxBins == 0)
    return;
  if (bins.empty()) {
    exponent = other.exponent;
    first = other.first;
    bins = other.bins;
    return;
  }
  Histogram finer = other;
  while (finer.exponent < exponent)
    finer.halve();
  while (exponent < finer.exponent)
    halve();
  while (true) {
    int64_t low = std::min(first, finer.first);
    int64_t high = std::max(first + int64_t(bins.size()),
                            finer.first + int64_t(finer.bins.size()));
    if (high - low <= maxBins) {
      bins.insert(bins.begin(), size_t(first - low), 0);
      bins.resize(size_t(high - low));
      first = low;
      break;
    }
    halve();
    finer.halve();
  }
  for (size_t i = 0; i < finer.bins.size(); ++i)
    bins[size_t(finer.first - first) + i] += finer.bins[i];
}

Histogram::Form Histogram::form() const {
  return {min(), max(), nans, infs, binStart(0), binWidth(), bins};
}

std::optional<Histogram> Histogram::restore(const Form &form) {
  // Beyond that, numbers of bins are no longer exact.
  constexpr double maxFirst = 0x1p53;
  // A hostile file may ask for any number.
  constexpr size_t mostBins = 1 << 20;
  int exponent = 0;
  bool isWidth = std::frexp(form.width, &exponent) == 0.5;
  double first = isWidth ? form.start / form.width : 0;
  constexpr double most = std::numeric_limits<float>::max();
  bool isRange = -most <= form.min && form.min <= form.max && form.max <= most;
  if (!isWidth || !isRange || !(std::abs(first) < maxFirst) ||
      std::floor(first) != first || form.counts.size() > mostBins ||
      form.nans < 0 || form.infs < 0)
    return std::nullopt;
  Histogram result(std::max<int64_t>(2, int64_t(form.counts.size())));
  for (int64_t count : form.counts)
    if (count < 0 ||
        __builtin_add_overflow(result.finite, count, &result.finite))
      return std::nullopt;
  result.exponent = exponent - 1;
  result.first = int64_t(first);
  result.bins = form.counts;
  result.nans = form.nans;
  result.infs = form.infs;
  if (result.finite > 0) {
    result.lowest = float(form.min);
    result.highest = float(form.max);
  }
  return result;
}

} // namespace parallax
