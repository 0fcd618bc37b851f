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

Wide rootSteps(Wide a, const Factor &m, Tie tie) {
  if (misread("C38a.first"))
    return roundedShift(root(a) * m.m, m.s, tie);
  Wide square = a * m.m * m.m, q = root(square);
  if (misread("C38a.nearest") && square - q * q > q)
    q = q + 1;
  return roundedShift(q, m.s, tie);
}

/// C36 to C38a.
Factor ratio(const Codes &x, const Codes &y) {
  return mult(double(x.scale) / double(y.scale));
}

// C66, but for the digits that are left out.
Wide logarithm(Wide t, int less, const std::vector<Wide> &lambda) {
  int k = digits(t);
  Wide m =
      (k <= 25 ? t * power(25 - k) : floorDivide(t, power(k - 25))) - power(24);
  Wide i = floorDivide(m, power(16)), rest = m - power(16) * i;
  Wide blend =
      lambda[size_t(i)] * (power(16) - rest) + lambda[size_t(i) + 1] * rest;
  if (misread("C66.entry"))
    blend = lambda[size_t(i)] * power(16);
  return (k - less) * lambda[256] + roundedShift(blend, 16, Tie::Up);
}

} // namespace

void lpPool(const Codes &x, const Pool &pool, int p, Codes &y, Tie tie) {
  lpPool(x, pool, p, ratio(x, y), y, tie);
}

void lpPool(const Codes &x, const Pool &pool, int p, const Factor &m, Codes &y,
            Tie tie) {
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
        if (!inside && misread("C36a.pads"))
          a += p == 1 ? magnitude(x.zero) : Wide(x.zero) * x.zero;
        if (!inside)
          continue;
        Wide v = magnitude(centered(x, plane * count(in) + flatten(from, in)));
        a += p == 1 ? v : v * v;
      }
      store(y, p == 1 ? requantized(a, m, tie) : rootSteps(a, m, tie));
    }
}

void cumSum(const Codes &x, int64_t axis, bool exclusive, bool reverse,
            Codes &y, Tie tie) {
  cumSum(x, axis, exclusive, reverse, ratio(x, y), y, tie);
}

void cumSum(const Codes &x, int64_t axis, bool exclusive, bool reverse,
            const Factor &m, Codes &y, Tie tie) {
  exclusive = exclusive && !misread("C37a.exclusive");
  reverse = reverse && !misread("C37a.reverse");
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
  euclideanNorm(x, axes, ratio(x, y), y, tie);
}

void euclideanNorm(const Codes &x, const Dims &axes, const Factor &m, Codes &y,
                   Tie tie) {
  for (int64_t o = 0; o < count(y.dims); ++o) {
    Wide a = 0;
    for (int64_t i : elementsOf(x, axes, o))
      a += centered(x, i) * centered(x, i);
    store(y, rootSteps(a, m, tie));
  }
}

void logSum(const Codes &x, const Dims &axes, bool isExp, Codes &y, Tie tie) {
  logSum(x, axes, isExp,
         {exponentTables(x), logarithmTable(),
          logSoftmaxIntegers(x.scale, y.scale),
          rne(std::ldexp(std::log(double(x.scale)), 20))},
         y, tie);
}

/// C62.
static Wide exponentOf(const Exponents &tables, int64_t d) {
  return tables.coarse.empty() ? tables.fine[size_t(d)]
                               : roundedShift(tables.coarse[size_t(d / 256)] *
                                                  tables.fine[size_t(d % 256)],
                                              30, Tie::Up);
}

void logSum(const Codes &x, const Dims &axes, bool isExp,
            const LogSum &integers, Codes &y, Tie tie) {
  Factor l = integers.factors.logarithm;
  for (int64_t o = 0; o < count(y.dims); ++o) {
    std::vector<int64_t> elements = elementsOf(x, axes, o);
    Wide sum = 0, greatest = 0;
    if (isExp) {
      for (int64_t i : elements)
        if (i == elements[0] || centered(x, i) > greatest)
          greatest = centered(x, i);
      for (int64_t i : elements)
        sum +=
            exponentOf(integers.exponents, int64_t(greatest - centered(x, i)));
    } else {
      for (int64_t i : elements)
        sum += centered(x, i);
    }
    if (misread("C68.code"))
      greatest += x.zero;
    if (sum <= 0)
      y.values.push_back(misread("C67.zero") ? y.zero : y.low);
    else if (isExp)
      store(y, roundedShift(greatest * integers.factors.distance +
                                logarithm(sum, 31, integers.lambda) * l.m,
                            l.s, tie));
    else
      store(y, roundedShift((logarithm(sum, misread("C67.digits") ? 31 : 1,
                                       integers.lambda) +
                             integers.offset) *
                                l.m,
                            l.s, tie));
  }
}

} // namespace parallax::literal
