//===- LiteralSums.cpp - A second version of roots and logarithms ---------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Every result looks for its elements among all of x.
//===----------------------------------------------------------------------===//
#include "LiteralSums.h"
#include "LiteralDetail.h"

#include <algorithm>
#include <cmath>

namespace parallax::literal {
namespace {

/// The elements of x that a reduction puts into result `flat`.
std::vector<int64_t> elementsOf(const Codes &x, const Dims &axes,
                                int64_t flat) {
  auto isReduced = [&](size_t axis) {
    return std::find(axes.begin(), axes.end(), int64_t(axis)) != axes.end();
  };
  std::vector<int64_t> found;
  for (int64_t i = 0; i < count(x.dims); ++i) {
    Dims at = coordinates(i, x.dims);
    int64_t place = 0;
    for (size_t axis = 0; axis < at.size(); ++axis)
      if (!isReduced(axis))
        place = place * x.dims[axis] + at[axis];
    if (place == flat)
      found.push_back(i);
  }
  return found;
}

// C38a, digit by digit.
Wide root(Wide v) {
  Wide q = 0;
  for (int bit = 60; bit >= 0; --bit)
    if ((q + power(bit)) * (q + power(bit)) <= v)
      q += power(bit);
  return q;
}

Wide rootSteps(Wide a, float xScale, float yScale, Tie tie) {
  Factor m = mult(double(xScale) / double(yScale));
  return roundedShift(root(a * m.m * m.m), m.s, tie);
}

// C66, but for the digits that are left out.
Wide logarithm(Wide t, int less) {
  int k = digits(t);
  Wide m =
      (k <= 25 ? t * power(25 - k) : floorDivide(t, power(k - 25))) - power(24);
  Wide i = floorDivide(m, power(16)), rest = m - power(16) * i;
  return (k - less) * logarithmEntry(256) +
         roundedShift(logarithmEntry(i) * (power(16) - rest) +
                          logarithmEntry(i + 1) * rest,
                      16, Tie::Up);
}

} // namespace

void lpPool(const Codes &x, const Pool &pool, int p, Codes &y, Tie tie) {
  Dims in = spatial(x.dims), out = spatial(y.dims);
  for (int64_t plane = 0; plane < x.dims[0] * x.dims[1]; ++plane)
    for (int64_t o = 0; o < count(out); ++o) {
      Dims at = coordinates(o, out);
      Wide a = 0;
      for (int64_t tap = 0; tap < count(pool.kernel); ++tap) {
        Dims k = coordinates(tap, pool.kernel), from;
        bool inside = true;
        for (size_t d = 0; d < at.size(); ++d) {
          from.push_back(at[d] * pool.strides[d] - pool.padsBegin[d] +
                         k[d] * pool.dilations[d]);
          inside = inside && from[d] >= 0 && from[d] < in[d];
        }
        if (!inside)
          continue;
        Wide v = magnitude(centered(x, plane * count(in) + flatten(from, in)));
        a += p == 1 ? v : v * v;
      }
      Factor m = mult(double(x.scale) / double(y.scale));
      store(y, p == 1 ? requantized(a, m, tie)
                      : rootSteps(a, x.scale, y.scale, tie));
    }
}

void cumSum(const Codes &x, int64_t axis, bool exclusive, bool reverse,
            Codes &y, Tie tie) {
  Factor m = mult(double(x.scale) / double(y.scale));
  for (int64_t i = 0; i < count(x.dims); ++i) {
    Dims at = coordinates(i, x.dims);
    int64_t own = at[size_t(axis)];
    Wide a = 0;
    for (int64_t j = 0; j < x.dims[size_t(axis)]; ++j) {
      bool comes = reverse ? j > own : j < own;
      at[size_t(axis)] = j;
      if (comes || (j == own && !exclusive))
        a += centered(x, flatten(at, x.dims));
    }
    store(y, requantized(a, m, tie));
  }
}

void euclideanNorm(const Codes &x, const Dims &axes, Codes &y, Tie tie) {
  for (int64_t o = 0; o < count(y.dims); ++o) {
    Wide a = 0;
    for (int64_t i : elementsOf(x, axes, o))
      a += centered(x, i) * centered(x, i);
    store(y, rootSteps(a, x.scale, y.scale, tie));
  }
}

void logSum(const Codes &x, const Dims &axes, bool isExp, Codes &y, Tie tie) {
  LogSoftmax integers = logSoftmaxIntegers(x.scale, y.scale);
  Factor l = integers.logarithm;
  Wide offset = rne(std::ldexp(std::log(double(x.scale)), 20));
  for (int64_t o = 0; o < count(y.dims); ++o) {
    std::vector<int64_t> elements = elementsOf(x, axes, o);
    Wide sum = 0, greatest = 0;
    if (isExp) {
      for (int64_t i : elements)
        if (i == elements[0] || centered(x, i) > greatest)
          greatest = centered(x, i);
      for (int64_t i : elements)
        sum += exponent(x, int64_t(greatest - centered(x, i)));
    } else {
      for (int64_t i : elements)
        sum += centered(x, i);
    }
    if (sum <= 0)
      y.values.push_back(y.low);
    else if (isExp)
      store(y, roundedShift(greatest * integers.distance +
                                logarithm(sum, 31) * l.m,
                            l.s, tie));
    else
      store(y, roundedShift((logarithm(sum, 1) + offset) * l.m, l.s, tie));
  }
}

} // namespace parallax::literal
