//===- LiteralMovement.cpp - The second version of movement ---------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Every result is asked for its elements in order, and looks up where each
// comes from.
//===----------------------------------------------------------------------===//
#include "LiteralMovement.h"
#include "LiteralDetail.h"

#include <algorithm>
#include <numeric>

namespace parallax::literal {

static int64_t element(const Codes &x, const Dims &at) {
  return x.values[flatten(at, x.dims)];
}

/// The element of an operand that broadcasts.
static int64_t broadcastCode(const Codes &x, const Dims &at) {
  Dims own;
  for (size_t i = 0; i < x.dims.size(); ++i)
    own.push_back(x.dims[i] == 1 ? 0 : at[at.size() - x.dims.size() + i]);
  return element(x, own);
}

/// Negative indices count from the end.
static int64_t fromEnd(int64_t index, int64_t extent) {
  if (misread("C47b.negative"))
    return index < 0 ? 0 : index;
  return index < 0 ? index + extent : index;
}

/// Calls fn(coordinates) for every element in order.
static void forEach(const Dims &dims, const std::function<void(Dims)> &fn) {
  for (int64_t flat = 0; flat < count(dims); ++flat)
    fn(coordinates(flat, dims));
}

//===----------------------------------------------------------------------===//
// C47
//===----------------------------------------------------------------------===//

void move(const Codes &x, Codes &y, const std::function<Dims(Dims)> &from) {
  forEach(y.dims, [&](Dims at) { y.values.push_back(element(x, from(at))); });
}

void reshape(const Codes &x, Codes &y) { y.values = x.values; }

void transpose(const Codes &x, const Dims &perm, Codes &y) {
  move(x, y, [&](Dims at) {
    Dims source(at.size());
    for (size_t i = 0; i < at.size(); ++i)
      source[perm[i]] = at[i];
    if (misread("C47.transpose"))
      for (size_t i = 0; i < at.size(); ++i)
        source[i] = at[perm[i]] % x.dims[i];
    return source;
  });
}

void repeat(const Codes &x, Codes &y) {
  move(x, y, [&](Dims at) {
    at.erase(at.begin(), at.end() - int64_t(x.dims.size()));
    for (size_t i = 0; i < at.size(); ++i)
      at[i] = misread("C47.tile")
                  ? at[i] * x.dims[i] / y.dims[y.dims.size() - at.size() + i]
                  : at[i] % x.dims[i];
    return at;
  });
}

void slice(const Codes &x, const Dims &starts, const Dims &steps, Codes &y) {
  move(x, y, [&](Dims at) {
    for (size_t i = 0; i < at.size(); ++i)
      at[i] = starts[i] +
              at[i] * (misread("C47.slice") ? steps[i] < 0 ? -1 : 1 : steps[i]);
    return at;
  });
}

/// What is left of x if negative pads are cut off first.
static Codes cropped(const Codes &x, const Dims &begin) {
  Codes rest = x;
  rest.values.clear();
  for (size_t i = 0; i < begin.size(); ++i)
    rest.dims[i] += std::min<int64_t>(begin[i], 0);
  move(x, rest, [&](Dims at) {
    for (size_t i = 0; i < at.size(); ++i)
      at[i] -= std::min<int64_t>(begin[i], 0);
    return at;
  });
  return rest;
}

void pad(const Codes &x, const Dims &begin, const std::string &mode,
         int64_t value, Codes &y) {
  if (misread("C47a.crop") &&
      *std::min_element(begin.begin(), begin.end()) < 0) {
    Dims added = begin;
    for (int64_t &extent : added)
      extent = std::max<int64_t>(extent, 0);
    return pad(cropped(x, begin), added, mode, value, y);
  }
  if (misread("C47.pad"))
    value = 0;
  forEach(y.dims, [&](Dims at) {
    bool isInside = true;
    for (size_t i = 0; i < at.size(); ++i) {
      int64_t extent = x.dims[i];
      at[i] -= begin[i];
      isInside = isInside && at[i] >= 0 && at[i] < extent;
      if (mode == "edge")
        at[i] = std::clamp<int64_t>(at[i], 0, extent - 1);
      if (mode == "wrap" && !misread("C47a.once"))
        at[i] = (at[i] % extent + extent) % extent;
      if (mode == "reflect" && extent == 1)
        at[i] = 0;
      int64_t edge = misread("C47a.symmetric") ? 1 : 0;
      while (mode == "reflect" && (at[i] < 0 || at[i] >= extent))
        at[i] = at[i] < 0 ? -at[i] - edge : 2 * (extent - 1) - at[i] + edge;
      if (misread("C47a.once"))
        at[i] = std::clamp<int64_t>(at[i], 0, extent - 1);
    }
    y.values.push_back(mode == "constant" && !isInside ? value
                                                       : element(x, at));
  });
}

void concat(const std::vector<Codes> &x, int64_t axis, Codes &y) {
  forEach(y.dims, [&](Dims at) {
    size_t operand = 0;
    for (; at[axis] >= x[operand].dims[axis]; ++operand)
      at[axis] -= x[operand].dims[axis];
    y.values.push_back(element(x[operand], at));
  });
}

void part(const Codes &x, int64_t axis, int64_t start, Codes &y) {
  move(x, y, [&](Dims at) {
    at[axis] += start;
    return at;
  });
}

void gather(const Codes &x, const Codes &indices, int64_t axis, Codes &y) {
  move(x, y, [&](Dims at) {
    auto first = at.begin() + axis;
    auto last = first + int64_t(indices.dims.size());
    int64_t index = element(indices, Dims(first, last));
    Dims source(at.begin(), first);
    source.push_back(fromEnd(index, x.dims[axis]));
    source.insert(source.end(), last, at.end());
    return source;
  });
}

void gatherElements(const Codes &x, const Codes &indices, int64_t axis,
                    Codes &y) {
  move(x, y, [&](Dims at) {
    Dims source = at;
    source[axis] = fromEnd(element(indices, at), x.dims[axis]);
    return source;
  });
}

/// The tuple that the leading coordinates `at` select.
static Dims tupleOf(const Codes &indices, const Dims &at, const Dims &extents) {
  Dims tuple;
  for (int64_t i = 0; i < indices.dims.back(); ++i) {
    Dims entry = at;
    entry.push_back(i);
    tuple.push_back(fromEnd(element(indices, entry), extents[i]));
  }
  return tuple;
}

void gatherTuples(const Codes &x, const Codes &indices, int64_t batchDims,
                  Codes &y) {
  auto leading = int64_t(indices.dims.size()) - 1;
  move(x, y, [&](Dims at) {
    Dims source(at.begin(), at.begin() + batchDims);
    Dims extents(x.dims.begin() + batchDims, x.dims.end());
    for (int64_t i :
         tupleOf(indices, Dims(at.begin(), at.begin() + leading), extents))
      source.push_back(i);
    source.insert(source.end(), at.begin() + leading, at.end());
    return source;
  });
}

static void put(Codes &y, const Dims &at, int64_t code,
                const std::string &reduction) {
  int64_t &target = y.values[flatten(at, y.dims)];
  bool keeps = misread("C47.scatter")
                   ? false
                   : (reduction == "min" && target < code) ||
                         (reduction == "max" && target > code);
  target = keeps ? target : code;
}

void scatterElements(const Codes &x, const Codes &indices, const Codes &updates,
                     int64_t axis, const std::string &reduction, Codes &y) {
  y.values = x.values;
  forEach(updates.dims, [&](Dims at) {
    Dims target = at;
    target[axis] = fromEnd(element(indices, at), x.dims[axis]);
    put(y, target, element(updates, at), reduction);
  });
}

void scatterTuples(const Codes &x, const Codes &indices, const Codes &updates,
                   const std::string &reduction, Codes &y) {
  y.values = x.values;
  auto leading = int64_t(indices.dims.size()) - 1;
  forEach(updates.dims, [&](Dims at) {
    Dims target =
        tupleOf(indices, Dims(at.begin(), at.begin() + leading), x.dims);
    target.insert(target.end(), at.begin() + leading, at.end());
    put(y, target, element(updates, at), reduction);
  });
}

void depthToSpace(const Codes &x, int64_t block, const std::string &mode,
                  Codes &y) {
  move(x, y, [&](Dims at) {
    int64_t row = at[2] % block, column = at[3] % block;
    bool isDepthFirst = (mode == "DCR") != misread("C47.depth");
    int64_t channel = isDepthFirst ? (row * block + column) * y.dims[1] + at[1]
                                   : (at[1] * block + row) * block + column;
    return Dims{at[0], channel, at[2] / block, at[3] / block};
  });
}

void spaceToDepth(const Codes &x, int64_t block, Codes &y) {
  move(x, y, [&](Dims at) {
    int64_t place = at[1] / x.dims[1];
    if (misread("C47.space"))
      return Dims{at[0], at[1] / (block * block),
                  at[2] * block + at[1] % (block * block) / block,
                  at[3] * block + at[1] % block};
    return Dims{at[0], at[1] % x.dims[1], at[2] * block + place / block,
                at[3] * block + place % block};
  });
}

void channelShuffle(const Codes &x, int64_t groups, Codes &y) {
  move(x, y, [&](Dims at) {
    int64_t number = misread("C47.shuffle") ? x.dims[1] / groups : groups;
    int64_t perGroup = x.dims[1] / number;
    at[1] = at[1] % number * perGroup + at[1] / number;
    return at;
  });
}

void trilu(const Codes &x, int64_t k, bool isUpper, int64_t rest, Codes &y) {
  forEach(y.dims, [&](Dims at) {
    int64_t diagonal = at[at.size() - 1] - at[at.size() - 2];
    bool isKept = isUpper ? diagonal >= k : diagonal <= k;
    y.values.push_back(isKept ? element(x, at) : rest);
  });
}

void reverseSequence(const Codes &x, const Codes &lengths, int64_t batchAxis,
                     int64_t timeAxis, Codes &y) {
  move(x, y, [&](Dims at) {
    int64_t length = misread("C47.reverse") ? x.dims[timeAxis]
                                            : lengths.values[at[batchAxis]];
    if (at[timeAxis] < length)
      at[timeAxis] = length - 1 - at[timeAxis];
    return at;
  });
}

void where(const Codes &condition, const Codes &a, const Codes &b, Codes &y) {
  forEach(y.dims, [&](Dims at) {
    y.values.push_back(broadcastCode(
        (broadcastCode(condition, at) != 0) != misread("C47.where") ? a : b,
        at));
  });
}

//===----------------------------------------------------------------------===//
// C48, C49
//===----------------------------------------------------------------------===//

void extreme(const Codes &a, const Codes &b, bool isMax, Codes &y) {
  forEach(y.dims, [&](Dims at) {
    int64_t left = broadcastCode(a, at), right = broadcastCode(b, at);
    if (misread("C48.unsigned")) {
      y.values.push_back(((left & 255) > (right & 255)) == isMax ? left
                                                                 : right);
      return;
    }
    y.values.push_back((left > right) == isMax ? left : right);
  });
}

void maxPool(const Codes &x, const Pool &pool, Codes &y) {
  forEach(y.dims, [&](Dims at) {
    int64_t best = x.leastOfType();
    bool isEmpty = true;
    forEach(pool.kernel, [&](Dims k) {
      Dims source{at[0], at[1]};
      for (size_t axis = 0; axis < k.size(); ++axis) {
        int64_t i = at[axis + 2] * pool.strides[axis] - pool.padsBegin[axis] +
                    k[axis] * pool.dilations[axis];
        if (i < 0 || i >= x.dims[axis + 2]) {
          if (misread("C48.pads"))
            best = std::max<int64_t>(best, 0);
          return;
        }
        source.push_back(i);
      }
      best = std::max(best, element(x, source));
      isEmpty = false;
    });
    y.values.push_back(isEmpty && misread("C48.none") ? 0 : best);
  });
}

void reduceExtreme(const Codes &x, const Dims &axes, bool isMax, Codes &y) {
  Dims kept = x.dims;
  for (int64_t axis : axes)
    kept[axis] = 1;
  forEach(kept, [&](Dims at) {
    std::vector<int64_t> row;
    forEach(x.dims, [&](Dims source) {
      for (size_t i = 0; i < at.size(); ++i)
        if (kept[i] == x.dims[i] && source[i] != at[i])
          return;
      row.push_back(element(x, source));
    });
    y.values.push_back(isMax ? *std::max_element(row.begin(), row.end())
                             : *std::min_element(row.begin(), row.end()));
  });
}

std::vector<int64_t> ranking(const Codes &x, Dims at, int64_t axis,
                             bool isLargest, bool isLastFirst) {
  std::vector<int64_t> codes, places(size_t(x.dims[axis]));
  for (at[axis] = 0; at[axis] < x.dims[axis]; ++at[axis])
    codes.push_back(element(x, at));
  std::iota(places.begin(), places.end(), 0);
  std::sort(places.begin(), places.end(), [&](int64_t i, int64_t j) {
    if (codes[i] != codes[j])
      return isLargest ? codes[i] > codes[j] : codes[i] < codes[j];
    if (misread("C49.last"))
      return i > j;
    return isLastFirst && !misread("C49.first") ? i > j : i < j;
  });
  return places;
}

void argExtreme(const Codes &x, int64_t axis, bool isMax, bool isLast,
                Codes &y) {
  Dims kept = x.dims;
  kept[axis] = 1;
  forEach(kept, [&](Dims at) {
    y.values.push_back(ranking(x, at, axis, isMax, isLast)[0]);
  });
}

void topK(const Codes &x, int64_t axis, bool isLargest, Codes &values,
          Codes &indices) {
  forEach(values.dims, [&](Dims at) {
    int64_t place = ranking(x, at, axis, isLargest, false)[at[axis]];
    indices.values.push_back(place);
    at[axis] = place;
    values.values.push_back(element(x, at));
  });
}

} // namespace parallax::literal
