//===- LiteralRecurrent.cpp - A second version of C100 to C108 ------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// One unit at a time, with all sums from scratch.
//===----------------------------------------------------------------------===//
#include "LiteralRecurrent.h"
#include "LiteralDetail.h"

#include <cmath>
#include <stdexcept>

namespace parallax::literal {
namespace {

double twoTo(int n) { return std::ldexp(1.0, n); }

Wide hold(Wide v, Wide limit) {
  return v > limit ? limit : v < -limit ? -limit : v;
}

// C10, R+
Wide up(Wide p, int s) {
  return roundedShift(p, s, misread("C10.inner") ? Tie::Even : Tie::Up);
}

// C100
Wide applied(const Knots &f, Wide p) {
  Wide u = p + power(19);
  Wide k = floorDivide(u, 256), r = u - 256 * k;
  if (misread("C100.knot"))
    r = 0;
  return up(f.values[size_t(k)] * (256 - r) + f.values[size_t(k) + 1] * r, 16);
}

// C102
const Wide stateLimit = power(31) - 1;
Wide asOperand(Wide v) { return v > 32767 ? 32767 : v < -32768 ? -32768 : v; }

int64_t gateCount(const Recurrent &layer) {
  return layer.kind == "lstm" ? 4 : layer.kind == "gru" ? 3 : 1;
}
int functionCount(const Recurrent &layer) {
  return layer.kind == "lstm" ? 3 : layer.kind == "gru" ? 2 : 1;
}

/// C100 to C104 from real numbers.
class Derivation {
public:
  Derivation(const Recurrent &layer, const Codes &x, const Codes &h0)
      : layer(layer), x(x), gates(gateCount(layer)) {
    int perDirection = functionCount(layer);
    // C101
    result.limit = power(19) - 1;
    if (layer.clip * twoTo(15) < double(result.limit))
      result.limit = rne(layer.clip * twoTo(15));
    for (auto &f : layer.functions)
      result.functions.push_back(knotsOf(f, result.limit));
    // C102
    int &fh = result.stateFraction;
    for (int d = 0; d < layer.directions; ++d) {
      auto fraction = [&](int i) {
        return result.functions[size_t(d * perDirection + i)].fraction;
      };
      fh = std::min(fh, layer.kind == "lstm" ? fraction(0) + fraction(2) - 15
                                             : fraction(perDirection - 1));
    }
    double reach = std::max(double(h0.high - h0.zero) * double(h0.scale),
                            double(h0.zero - h0.low) * double(h0.scale));
    while (reach > twoTo(15 - fh))
      --fh;
    for (int d = 0; d < layer.directions; ++d)
      for (int64_t o = 0; o < gates * layer.hidden; ++o)
        result.rows.push_back(rowOf(d, o));
  }

  RecurrentIntegers result;

private:
  // C104
  RecurrentRow rowOf(int d, int64_t o) const {
    int64_t units = layer.hidden, all = gates * units;
    int fh = result.stateFraction;
    auto scale = [&](const std::vector<float> &scales) {
      return double(scales[size_t(o) % scales.size()]);
    };
    double bw = double(layer.b[size_t(d * 2 * all + o)]);
    double br = double(layer.b[size_t(d * 2 * all + all + o)]);
    bool before = layer.linearBeforeReset && o >= 2 * units;
    int bits = before ? 20 : 15;
    double mx = twoTo(bits) * (double(x.scale) * scale(layer.wScales));
    double mh = twoTo(bits - fh) * scale(layer.rScales);
    double p = layer.p.empty() || o >= 3 * units
                   ? 0
                   : double(layer.p[size_t(d * 3 * units + o)]);
    double mc = twoTo(-5) * p;
    double t = twoTo(bits) * (before ? bw : bw + br);
    double tr = before ? twoTo(bits) * br : 0;
    double greatest = std::max({mx, mh, std::fabs(mc)});
    greatest = std::max(
        {greatest, std::fabs(t) * twoTo(-30), std::fabs(tr) * twoTo(-30)});
    Factor m = mult(greatest);
    if (m.m == 0)
      return {};
    return {rne(twoTo(m.s) * mx), rne(twoTo(m.s) * mh), rne(twoTo(m.s) * mc),
            rne(twoTo(m.s) * t),  rne(twoTo(m.s) * tr), m.s};
  }

  const Recurrent &layer;
  const Codes &x;
  int64_t gates;
};

class Run {
public:
  Run(const Recurrent &layer, const RecurrentIntegers &integers, const Codes &x,
      const Codes &w, const Codes &r)
      : layer(layer), integers(integers), fh(integers.stateFraction),
        limit(misread("C101.limit") ? power(19) - 1 : integers.limit),
        gates(gateCount(layer)), perDirection(functionCount(layer)), x(x), w(w),
        r(r) {}

  const Knots &f(int d, int i) const {
    return integers.functions[size_t(d * perDirection + i)];
  }
  const RecurrentRow &row(int d, int64_t o) const {
    return integers.rows[size_t(d * gates * layer.hidden + o)];
  }

  // C103
  Wide initial(const Codes &codes, int64_t at, const Factor &m) const {
    Wide v = codes.values[size_t(at)] - codes.zero;
    return hold(misread("C103.floor") ? floorDivide(v * m.m, power(m.s))
                                      : up(v * m.m, m.s),
                stateLimit);
  }

  // C104
  Wide inputSum(int d, int64_t xRow, int64_t o) const {
    int64_t depth = x.dims[2];
    Wide a = 0;
    for (int64_t k = 0; k < depth; ++k)
      a += Wide(x.values[size_t(xRow * depth + k)] - x.zero) *
           w.values[size_t((d * gates * layer.hidden + o) * depth + k)];
    return a;
  }
  Wide stateSum(int d, const std::vector<Wide> &h, int64_t o) const {
    Wide a = 0;
    for (int64_t j = 0; j < layer.hidden; ++j)
      a += h[size_t(j)] *
           r.values[size_t((d * gates * layer.hidden + o) * layer.hidden + j)];
    return a;
  }
  Wide argument(int d, int64_t xRow, int64_t o, const std::vector<Wide> &h,
                Wide c) const {
    const RecurrentRow &k = row(d, o);
    Wide cell = misread("C104.peephole") ? Wide(0) : c * k.c;
    Wide fromX = inputSum(d, xRow, o) * k.x;
    Wide fromH = stateSum(d, h, o) * k.h;
    if (misread("C104.apart"))
      return hold(up(fromX + k.b, k.s) + up(fromH + cell, k.s), limit);
    return hold(up(fromX + fromH + cell + k.b, k.s), limit);
  }

  /// One step of one sequence: N and C change.
  void step(int d, int64_t xRow, std::vector<Wide> &n,
            std::vector<Wide> &c) const {
    int64_t units = layer.hidden;
    std::vector<Wide> h;
    for (Wide v : n)
      h.push_back(asOperand(misread("C102.floor") ? floorDivide(v, power(15))
                                                  : up(v, 15)));
    if (layer.kind == "rnn") {
      // C107
      for (int64_t j = 0; j < units; ++j) {
        n[size_t(j)] = applied(f(d, 0), argument(d, xRow, j, h, 0)) *
                       power(fh + 15 - f(d, 0).fraction);
        if (misread("C107.inPlace"))
          h[size_t(j)] = asOperand(up(n[size_t(j)], 15));
      }
    } else if (layer.kind == "gru") {
      gru(d, xRow, h, n);
    } else {
      for (int64_t j = 0; j < units; ++j)
        lstm(d, xRow, j, h, n, c);
    }
  }

private:
  // C105
  void lstm(int d, int64_t xRow, int64_t j, const std::vector<Wide> &h,
            std::vector<Wide> &n, std::vector<Wide> &c) const {
    int64_t units = layer.hidden;
    const Knots &sigma = f(d, 0), &g = f(d, 1), &t = f(d, 2);
    Wide &cell = c[size_t(j)];
    // The gates are i, o, f, c; other libraries have i, f, c, o.
    int64_t atO = misread("C109.gates") ? 3 : 1;
    int64_t atF = misread("C109.gates") ? 1 : 2;
    int64_t atC = misread("C109.gates") ? 2 : 3;
    Wide i = applied(sigma, argument(d, xRow, j, h, cell));
    Wide forget =
        layer.inputForget && !misread("C105.forget")
            ? power(sigma.fraction) - i
            : applied(sigma, argument(d, xRow, atF * units + j, h, cell));
    Wide fresh = applied(g, argument(d, xRow, atC * units + j, h, cell));
    Wide before = cell;
    int lift = sigma.fraction + 20 - sigma.fraction - g.fraction;
    cell = hold(up(forget * cell + i * fresh * power(lift), sigma.fraction),
                stateLimit);
    Wide o = applied(sigma, argument(d, xRow, atO * units + j, h,
                                     misread("C105.output") ? before : cell));
    Wide shown = applied(t, hold(up(cell, 5), limit));
    int spare = sigma.fraction + t.fraction - fh - 15;
    n[size_t(j)] =
        hold(spare == 0 ? o * shown : up(o * shown, spare), stateLimit);
  }

  // C106
  void gru(int d, int64_t xRow, const std::vector<Wide> &h,
           std::vector<Wide> &n) const {
    int64_t units = layer.hidden;
    const Knots &sigma = f(d, 0), &g = f(d, 1);
    std::vector<Wide> z, reset, left;
    for (int64_t j = 0; j < units; ++j) {
      z.push_back(applied(sigma, argument(d, xRow, j, h, 0)));
      reset.push_back(applied(sigma, argument(d, xRow, units + j, h, 0)));
      left.push_back(
          misread("C106.operand")
              ? asOperand(up(reset.back() * h[size_t(j)], sigma.fraction))
              : asOperand(
                    up(reset.back() * n[size_t(j)], sigma.fraction + 15)));
    }
    for (int64_t j = 0; j < units; ++j) {
      int64_t o = 2 * units + j;
      Wide p = 0;
      if (layer.linearBeforeReset && !misread("C106.before")) {
        const RecurrentRow &k = row(d, o);
        Wide u = hold(up(inputSum(d, xRow, o) * k.x + k.b, k.s), stateLimit);
        Wide v = hold(up(stateSum(d, h, o) * k.h + k.stateB, k.s), stateLimit);
        p = hold(up(u * power(sigma.fraction) + reset[size_t(j)] * v,
                    sigma.fraction + 5),
                 limit);
      } else {
        p = argument(d, xRow, o, left, 0);
      }
      Wide fresh = applied(g, p);
      Wide update = misread("C106.update")
                        ? power(sigma.fraction) - z[size_t(j)]
                        : z[size_t(j)];
      Wide blend = (power(sigma.fraction) - update) * fresh *
                       power(fh + 15 - g.fraction) +
                   update * n[size_t(j)];
      n[size_t(j)] = hold(up(blend, sigma.fraction), stateLimit);
    }
  }

  const Recurrent &layer;
  const RecurrentIntegers &integers;
  int fh;
  Wide limit;
  int64_t gates;
  int perDirection;
  const Codes &x, &w, &r;
};

} // namespace

Knots knotsOf(const std::function<double(double)> &f, Wide lim) {
  double l = std::ceil(double(lim) * twoTo(-15) / twoTo(-7)) * twoTo(-7);
  std::vector<double> real;
  for (int k = 0; k <= 4096; ++k) {
    double at = double(256 * k - 524288) * twoTo(-15);
    real.push_back(f(at > l ? l : at < -l ? -l : at));
  }
  Knots knots;
  for (double v : real)
    while (std::fabs(v) > twoTo(15 - knots.fraction))
      --knots.fraction;
  if (knots.fraction < 10)
    throw std::range_error("C100");
  for (double v : real)
    knots.values.push_back(rne(twoTo(knots.fraction + 8) * v));
  return knots;
}

void recurrent(const Recurrent &layer, const Codes &x, const Codes &w,
               const Codes &r, const std::vector<int64_t> &lengths,
               const Codes &h0, const Codes &c0, Codes &y, Codes &yH, Codes &yC,
               Tie tie) {
  RecurrentIntegers integers = Derivation(layer, x, h0).result;
  int bits = integers.stateFraction + 15;
  integers.initialH = mult(twoTo(bits) * double(h0.scale));
  integers.y = mult(twoTo(-bits) / double(y.scale));
  integers.yH = mult(twoTo(-bits) / double(yH.scale));
  if (layer.kind == "lstm") {
    integers.initialC = mult(twoTo(20) * double(c0.scale));
    integers.yC = mult(twoTo(-20) / double(yC.scale));
  }
  recurrent(layer, integers, x, w, r, lengths, h0, c0, y, yH, yC, tie);
}

void recurrent(const Recurrent &layer, const RecurrentIntegers &integers,
               const Codes &x, const Codes &w, const Codes &r,
               const std::vector<int64_t> &lengths, const Codes &h0,
               const Codes &c0, Codes &y, Codes &yH, Codes &yC, Tie tie) {
  Run run(layer, integers, x, w, r);
  bool isLstm = layer.kind == "lstm";
  int64_t units = layer.hidden;
  int64_t times = x.dims[layer.batchFirst ? 1 : 0];
  int64_t batches = x.dims[layer.batchFirst ? 0 : 1];
  Dims stateDims = yH.dims;
  // C108, with the codes in any order: they are placed, not appended.
  auto place = [&](Codes &to, Dims at, Wide state, const Factor &m) {
    to.values.resize(size_t(count(to.dims)));
    Codes one = to;
    one.values.clear();
    store(one, requantized(state, m, tie));
    to.values[size_t(flatten(at, to.dims))] = one.values[0];
  };
  for (int d = 0; d < layer.directions; ++d)
    for (int64_t b = 0; b < batches; ++b) {
      auto stateAt = [&](int64_t j) {
        return layer.batchFirst ? Dims{b, d, j} : Dims{d, b, j};
      };
      auto outputAt = [&](int64_t t, int64_t j) {
        return layer.batchFirst ? Dims{b, t, d, j} : Dims{t, d, b, j};
      };
      std::vector<Wide> n, c;
      for (int64_t j = 0; j < units; ++j) {
        int64_t at = flatten(stateAt(j), stateDims);
        n.push_back(run.initial(h0, at, integers.initialH));
        c.push_back(isLstm ? run.initial(c0, at, integers.initialC) : Wide(0));
      }
      bool backwards = layer.reverse || d == 1;
      for (int64_t i = 0; i < times; ++i) {
        bool isOver = i >= lengths[size_t(b)];
        int64_t first = misread("C108.backwards") ? times : lengths[size_t(b)];
        int64_t t = backwards && !isOver ? first - 1 - i : i;
        if (!isOver)
          run.step(d, layer.batchFirst ? b * times + t : t * batches + b, n, c);
        for (int64_t j = 0; j < units; ++j)
          place(y, outputAt(t, j),
                isOver && !misread("C108.over") ? Wide(0) : n[size_t(j)],
                integers.y);
      }
      for (int64_t j = 0; j < units; ++j) {
        place(yH, stateAt(j), n[size_t(j)], integers.yH);
        if (isLstm)
          place(yC, stateAt(j), c[size_t(j)], integers.yC);
      }
    }
}

} // namespace parallax::literal
