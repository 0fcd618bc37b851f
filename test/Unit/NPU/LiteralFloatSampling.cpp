//===- LiteralFloatSampling.cpp - A second version of float layers --------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Operators that read at computed positions, and recurrent layers (C97 to C99).
//===----------------------------------------------------------------------===//
#include "LiteralFloat.h"

#include <algorithm>
#include <cmath>
#include <limits>

// For this file alone, whatever it is compiled with.
#pragma float_control(push)
#pragma STDC FP_CONTRACT OFF

namespace parallax::literal {

//===----------------------------------------------------------------------===//
// C97
//===----------------------------------------------------------------------===//

static double cubic(double t, double a) {
  t = std::fabs(t);
  if (t <= 1)
    return ((a + 2) * t - (a + 3)) * t * t + 1;
  return t < 2 ? ((a * t - 5 * a) * t + 8 * a) * t - 4 * a : 0;
}

namespace {
struct FloatTaps {
  Dims inputs;
  Floats weights;
  bool isOutside = false;
};
} // namespace

/// Where output o of an axis of n inputs and m outputs lies.
static double positionOf(int64_t o, double n, double m, float scale,
                         double start, double end, const std::string &mode) {
  auto out = double(o);
  bool isRatio = scale == float(m / n);
  double r = isRatio ? m / n : double(scale), length = isRatio ? m : r * n;
  auto scaled = [&](double v) { return isRatio ? v * n / m : v / r; };
  if (mode == "half_pixel_symmetric")
    return n / 2 * (1 - m / length) + scaled(out + 0.5) - 0.5;
  if (mode == "pytorch_half_pixel" && m == 1)
    return 0;
  if (mode == "align_corners")
    return m == 1 ? 0 : out * (n - 1) / (length - 1);
  if (mode == "asymmetric")
    return scaled(out);
  if (mode == "tf_half_pixel_for_nn")
    return scaled(out + 0.5);
  if (mode == "tf_crop_and_resize")
    return m == 1 ? 0.5 * (start + end) * (n - 1)
                  : start * (n - 1) + out * (end - start) * (n - 1) / (m - 1);
  return scaled(out + 0.5) - 0.5;
}

static FloatTaps tapsOf(int64_t o, int64_t n, int64_t m, size_t axis,
                        size_t rank, const FloatResize &params) {
  bool crops = params.coordinates == "tf_crop_and_resize";
  float scale = params.scales[axis];
  double p =
      positionOf(o, double(n), double(m), scale, crops ? params.roi[axis] : 0,
                 crops ? params.roi[rank + axis] : 0, params.coordinates);
  FloatTaps taps;
  if (crops && !(p >= 0 && p <= double(n - 1))) {
    taps.isOutside = true;
    p = 0;
  }
  double r = scale == float(double(m) / double(n)) ? double(m) / double(n)
                                                   : double(scale);
  double sigma =
      params.antialias ? std::min(std::max(r, 0.5 / double(n)), 1.0) : 1;
  double support = params.mode == "cubic" ? 2 : 1;
  auto before = int64_t(std::ceil(support / sigma)) - 1;
  double reach = double(2 * before + 2);
  p = std::min(std::max(p, -reach), double(n) + reach);
  auto first = int64_t(std::floor(p)) - before;
  std::vector<double> k;
  double sum = 0;
  for (int64_t j = first; j <= first + 2 * before + 1; ++j) {
    double t = (double(j) - p) * sigma;
    double value = params.mode == "cubic" ? cubic(t, double(params.a))
                                          : std::max(1 - std::fabs(t), 0.0);
    if (params.excludeOutside && (j < 0 || j >= n))
      value = 0;
    k.push_back(value);
    sum += value;
    taps.inputs.push_back(std::min(std::max<int64_t>(j, 0), n - 1));
  }
  if (misread("C97.merged"))
    for (size_t i = k.size() - 1; i > 0; --i)
      if (taps.inputs[i] == taps.inputs[i - 1]) {
        k[i - 1] += k[i];
        k[i] = 0;
      }
  for (double value : k)
    taps.weights.push_back(float(value / sum));
  return taps;
}

/// Whether every output is its input.
static bool isUntouched(const std::vector<FloatTaps> &all, int64_t n) {
  if (int64_t(all.size()) != n)
    return false;
  for (int64_t o = 0; o < n; ++o)
    for (size_t i = 0; i < all[size_t(o)].inputs.size(); ++i) {
      float weight = all[size_t(o)].weights[i];
      if (all[size_t(o)].isOutside ||
          (weight != 0 && (weight != 1 || all[size_t(o)].inputs[i] != o)))
        return false;
    }
  return true;
}

Array floatResize(const Array &x, Dims yDims, const FloatResize &params) {
  Array current = x;
  size_t rank = x.dims.size();
  std::vector<std::vector<FloatTaps>> all(rank);
  for (size_t i = 0; i < rank; ++i) {
    size_t axis = misread("C97.order") ? rank - 1 - i : i;
    int64_t n = x.dims[axis], m = yDims[axis];
    for (int64_t o = 0; o < m; ++o)
      all[axis].push_back(tapsOf(o, n, m, axis, rank, params));
    if (isUntouched(all[axis], n))
      continue;
    Dims dims = current.dims;
    dims[axis] = m;
    Array next(dims);
    for (int64_t flat = 0; flat < next.size(); ++flat) {
      Dims at = indexOf(flat, dims);
      const FloatTaps &taps = all[axis][size_t(at[axis])];
      float acc = 0;
      for (size_t t = 0; t < taps.inputs.size(); ++t) {
        if (taps.weights[t] == 0)
          continue;
        at[axis] = taps.inputs[t];
        float product = current.at(at) * taps.weights[t];
        acc = acc + product;
      }
      next.values[size_t(flat)] = acc;
    }
    current = next;
  }
  for (int64_t flat = 0; flat < current.size(); ++flat) {
    Dims at = indexOf(flat, current.dims);
    for (size_t axis = 0; axis < rank; ++axis)
      if (all[axis][size_t(at[axis])].isOutside)
        current.values[size_t(flat)] = params.extrapolation;
  }
  return current;
}

//===----------------------------------------------------------------------===//
// C98
//===----------------------------------------------------------------------===//

static double reflected(double p, double l, double h) {
  if (h <= l)
    return l;
  if (p >= l && p <= h)
    return p;
  bool isBelow = p < l;
  double d = isBelow ? l - p : p - h;
  double f = std::floor(d / (h - l));
  double rho = d - f * (h - l);
  bool sameEnd = std::fmod(f, 2) == 0;
  bool fromLow = isBelow == sameEnd;
  return fromLow ? l + rho : h - rho;
}

/// The taps of a coordinate g on an axis of n pixels; -1 is outside.
static FloatTaps gridTaps(float g, int64_t n, const std::string &mode,
                          const std::string &padding, bool alignCorners) {
  auto size = float(n);
  if (std::isnan(g))
    g = -1;
  float sum = g + 1, position;
  if (alignCorners) {
    float half = sum / 2, last = size - 1;
    position = half * last;
  } else {
    float product = sum * size;
    float difference = product - 1;
    position = difference / 2;
  }
  if (std::isnan(position))
    position = 0;
  double p = std::min(std::max(double(position), -0x1p40), 0x1p40);
  double l = alignCorners ? 0 : -0.5;
  double h = alignCorners ? double(n) - 1 : double(n) - 0.5;
  if (mode == "nearest")
    p = misread("C98.halves") ? std::round(p) : std::nearbyint(p);
  if (padding == "border" && (p < l || p > h) && !misread("C98.border"))
    p = std::min(std::max(p, 0.0), double(n) - 1);
  if (padding == "reflection")
    p = reflected(p, l, h);
  auto pixel = [&](int64_t j) -> int64_t {
    if (j >= 0 && j < n)
      return j;
    if (padding == "zeros")
      return -1;
    if (padding == "border")
      return j < 0 ? 0 : n - 1;
    return int64_t(reflected(double(j), l, h));
  };
  FloatTaps taps;
  if (mode == "nearest") {
    taps.inputs = {pixel(int64_t(p))};
    taps.weights = {1.0f};
    return taps;
  }
  auto floor = int64_t(std::floor(p));
  int64_t first = mode == "linear" ? floor : floor - 1;
  int64_t last = mode == "linear" ? floor + 1 : floor + 2;
  double part = p - std::floor(p);
  for (int64_t j = first; j <= last; ++j) {
    double t = std::fabs(part - double(j - floor));
    taps.inputs.push_back(pixel(j));
    double a = misread("C98.cubic") ? -0.5 : -0.75;
    taps.weights.push_back(float(mode == "linear" ? 1 - t : cubic(t, a)));
  }
  return taps;
}

Array floatGridSample(const Array &x, const Array &grid, Dims yDims,
                      const std::string &mode, const std::string &padding,
                      bool alignCorners) {
  Array y(std::move(yDims));
  size_t spatial = x.dims.size() - 2;
  for (int64_t flat = 0; flat < y.size(); ++flat) {
    Dims at = indexOf(flat, y.dims), counts;
    std::vector<FloatTaps> taps;
    for (size_t i = 0; i < spatial; ++i) {
      Dims point{at[0]};
      point.insert(point.end(), at.begin() + 2, at.end());
      point.push_back(int64_t(spatial - 1 - i)); // x comes first.
      taps.push_back(
          gridTaps(grid.at(point), x.dims[i + 2], mode, padding, alignCorners));
      counts.push_back(int64_t(taps.back().inputs.size()));
    }
    int64_t all = 1;
    for (int64_t count : counts)
      all *= count;
    float acc = 0;
    for (int64_t k = 0; k < all; ++k) {
      Dims tap = indexOf(k, counts), from{at[0], at[1]};
      float weight = 1;
      bool isOutside = false;
      for (size_t i = 0; i < spatial; ++i) {
        int64_t pixel = taps[i].inputs[size_t(tap[i])];
        isOutside = isOutside || pixel < 0;
        from.push_back(pixel);
        weight = weight * taps[i].weights[size_t(tap[i])];
      }
      float product = isOutside ? 0.0f : x.at(from) * weight;
      acc = acc + product;
    }
    y.values[size_t(flat)] = acc;
  }
  return y;
}

namespace {
struct RoiSample {
  int64_t low = 0, high = 0;
  float lowWeight = 0, highWeight = 0;
};
} // namespace

static std::vector<RoiSample> roiSamples(float start, float end, int64_t n,
                                         int64_t bins, int64_t bin,
                                         int64_t ratio, float scale,
                                         bool halfPixel) {
  float delta = halfPixel && !misread("C98a.half") ? 0.5f : 0.0f;
  float b = start * scale;
  b = b - delta;
  float length = end * scale;
  length = length - delta;
  length = length - b;
  if (!halfPixel && length < 1)
    length = 1;
  float s = length / float(bins);
  int64_t count = ratio > 0 ? ratio : int64_t(std::ceil(s));
  std::vector<RoiSample> samples;
  for (int64_t i = 0; i < count; ++i) {
    float offset = float(bin) * s;
    float step = float(i) + 0.5f;
    step = step * s;
    step = step / float(count);
    float p = b + offset;
    p = p + step;
    RoiSample sample;
    if (p >= -1 && p <= float(n)) {
      p = p < 0 ? 0 : p;
      auto low = int64_t(p);
      if (low >= n - 1) {
        sample = {n - 1, n - 1, 1, 0};
      } else {
        float t = p - float(low);
        sample = {low, low + 1, 1 - t, t};
      }
    }
    samples.push_back(sample);
  }
  return samples;
}

Array floatRoiAlign(const Array &x, const Array &rois, const Dims &batch,
                    Dims yDims, bool isMax, int64_t ratio, float scale,
                    bool halfPixel) {
  Array y(std::move(yDims));
  for (int64_t flat = 0; flat < y.size(); ++flat) {
    Dims at = indexOf(flat, y.dims);
    auto side = [&](int64_t i) { return rois.at({at[0], i}); };
    auto rows = roiSamples(side(1), side(3), x.dims[2], y.dims[2], at[2], ratio,
                           scale, halfPixel);
    auto columns = roiSamples(side(0), side(2), x.dims[3], y.dims[3], at[3],
                              ratio, scale, halfPixel);
    float sum = 0, best = -std::numeric_limits<float>::infinity();
    Floats corners;
    for (const RoiSample &r : rows)
      for (const RoiSample &c : columns) {
        auto corner = [&](int64_t row, float rowWeight, int64_t column,
                          float columnWeight) {
          float weight = rowWeight * columnWeight;
          corners.push_back(weight *
                            x.at({batch[size_t(at[0])], at[1], row, column}));
          return corners.back();
        };
        float part = corner(r.low, r.lowWeight, c.low, c.lowWeight);
        part = part + corner(r.low, r.lowWeight, c.high, c.highWeight);
        part = part + corner(r.high, r.highWeight, c.low, c.lowWeight);
        part = part + corner(r.high, r.highWeight, c.high, c.highWeight);
        sum = sum + part;
        if (misread("C98a.max"))
          best = std::max(best, part);
        for (size_t i = corners.size() - 4; i < corners.size(); ++i)
          if (!std::isnan(best) && !misread("C98a.max"))
            best = best > corners[i] ? best : corners[i];
      }
    float &result = y.values[size_t(flat)];
    if (corners.empty())
      result = 0;
    else if (isMax)
      result = best;
    else
      result = sum / float(rows.size() * columns.size());
  }
  return y;
}

bool floatOverlap(const Floats &candidate, const Floats &chosen, bool isCentre,
                  float threshold) {
  // left, top, right, bottom
  auto sides = [&](const Floats &box) -> Floats {
    if (!isCentre)
      return {std::min(box[1], box[3]), std::min(box[0], box[2]),
              std::max(box[1], box[3]), std::max(box[0], box[2])};
    float halfWidth = box[2] / 2, halfHeight = box[3] / 2;
    return {box[0] - halfWidth, box[1] - halfHeight, box[0] + halfWidth,
            box[1] + halfHeight};
  };
  auto area = [](const Floats &s) {
    float width = s[2] - s[0], height = s[3] - s[1];
    return width * height;
  };
  Floats a = sides(candidate), b = sides(chosen);
  float w = (b[2] < a[2] ? b[2] : a[2]) - (b[0] > a[0] ? b[0] : a[0]);
  float h = (b[3] < a[3] ? b[3] : a[3]) - (b[1] > a[1] ? b[1] : a[1]);
  if (!(w > 0) || !(h > 0) || area(a) <= 0 || area(b) <= 0)
    return false;
  float i = w * h;
  float both = area(a) + area(b);
  float u = both - i;
  if (misread("C98b.equal"))
    return u > 0 && i / u >= threshold;
  return u > 0 && i / u > threshold;
}

//===----------------------------------------------------------------------===//
// C99
//===----------------------------------------------------------------------===//

std::vector<Floats> floatRecurrent(const FloatCell &cell,
                                   const std::vector<Floats> &x, Floats &h,
                                   Floats &c) {
  int64_t hidden = cell.hidden;
  int64_t gates = int64_t(cell.b.size()) / 2 / hidden;
  auto call = [&](size_t function, float value) {
    if (misread("C99.clip"))
      return cell.functions[function](value);
    value = value > cell.clip ? cell.clip : value;
    value = value < -cell.clip ? -cell.clip : value;
    return cell.functions[function](value);
  };
  auto dot = [&](const Floats &weights, int64_t row, const Floats &values) {
    float acc = 0;
    auto depth = int64_t(values.size());
    for (int64_t k = 0; k < depth; ++k) {
      float product = values[size_t(k)] * weights[size_t(row * depth + k)];
      acc = acc + product;
    }
    return acc;
  };
  std::vector<Floats> states;
  for (const Floats &input : x) {
    Floats nextH(h.size());
    auto fromInput = [&](int64_t gate, int64_t j) {
      int64_t row = gate * hidden + j;
      return dot(cell.w, row, input) + cell.b[size_t(row)];
    };
    auto recurrentBias = [&](int64_t gate, int64_t j) {
      return cell.b[size_t((gates + gate) * hidden + j)];
    };
    auto p = [&](int64_t gate, int64_t j, const Floats &state) {
      if (misread("C99.bias")) {
        float sums = dot(cell.w, gate * hidden + j, input) +
                     dot(cell.r, gate * hidden + j, state);
        float biases =
            cell.b[size_t(gate * hidden + j)] + recurrentBias(gate, j);
        return sums + biases;
      }
      float value = fromInput(gate, j) + recurrentBias(gate, j);
      return value + dot(cell.r, gate * hidden + j, state);
    };
    auto withPeephole = [&](int64_t gate, int64_t j) {
      float product = cell.p[size_t(gate * hidden + j)] * c[size_t(j)];
      return p(gate, j, h) + product;
    };
    Floats resetH(h.size());
    if (cell.kind == "GRU")
      for (int64_t j = 0; j < hidden; ++j)
        resetH[size_t(j)] = call(0, p(1, j, h)) * h[size_t(j)];
    for (int64_t j = 0; j < hidden; ++j) {
      auto unit = size_t(j);
      if (cell.kind == "RNN") {
        nextH[unit] = call(0, p(0, j, h));
      } else if (cell.kind == "LSTM") {
        float i = call(0, withPeephole(0, j));
        float f = cell.inputForget && !misread("C99.forget")
                      ? 1 - i
                      : call(0, withPeephole(2, j));
        float g = call(1, p(3, j, h));
        float kept = c[unit] * f, added = i * g;
        c[unit] = kept + added;
        float o = call(0, withPeephole(1, j));
        nextH[unit] = call(2, c[unit]) * o;
      } else {
        float z = call(0, p(0, j, h)), r = call(0, p(1, j, h)), sum;
        if (cell.linearBeforeReset && !misread("C99.before")) {
          float linear = dot(cell.r, 2 * hidden + j, h) + recurrentBias(2, j);
          float product = r * linear;
          sum = fromInput(2, j) + product;
        } else {
          sum = p(2, j, resetH);
        }
        float rest = 1 - z;
        float fresh = rest * call(1, sum), kept = z * h[unit];
        nextH[unit] = fresh + kept;
      }
    }
    h = nextH;
    states.push_back(h);
  }
  return states;
}

} // namespace parallax::literal

#pragma float_control(pop)
