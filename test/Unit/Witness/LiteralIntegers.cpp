//===- LiteralIntegers.cpp - A literal reading of plain integers ----------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// C49a and C49b of docs/numerics.md, in 128-bit integers, and conversions
// between integers and floats.
//===----------------------------------------------------------------------===//
#include "../NPU/LiteralDetail.h"
#include "LiteralNetwork.h"

#include "parallax/Dialect/NN/NNOps.h"

#include "llvm/ADT/TypeSwitch.h"

#include <cmath>

namespace parallax::literal {
namespace {

/// The low bits.
Wide lowBitsOf(Wide v, const Codes &type) {
  Wide span = power(type.bits);
  v = (v % span + span) % span;
  return type.isSigned && v >= span / 2 ? v - span : v;
}

Wide saturatedTo(Wide v, const Codes &type) {
  Wide least = type.isSigned ? -power(type.bits - 1) : Wide(0);
  Wide greatest = least + power(type.bits) - 1;
  return v < least ? least : v > greatest ? greatest : v;
}

Wide quotient(Wide a, Wide b) {
  if (b == 0)
    return misread("C49a.byZero") ? -1 : 0;
  return misread("C49a.floor") ? floorDivide(a, b) : a / b;
}

Wide remainder(Wide a, Wide b, bool isFmod) {
  if (b == 0)
    return 0;
  return isFmod != misread("C49a.mod") ? a % b : a - floorDivide(a, b) * b;
}

Wide powerOf(Wide base, Wide exponent, const Codes &type) {
  if (exponent < 0) {
    bool isUnit = base == 1 || base == -1;
    if (!isUnit || misread("C49a.pow"))
      return 0;
    return exponent % 2 == 0 ? 1 : base;
  }
  Wide result = 1;
  for (; exponent > 0; --exponent)
    result = lowBitsOf(result * base, type);
  return result;
}

Wide shifted(Wide a, Wide by, bool isLeft, const Codes &type) {
  if (misread("C49a.shift"))
    by = by % type.bits;
  if (by >= type.bits)
    return 0;
  return isLeft ? a << int(by) : a >> int(by);
}

/// One element of two operands.
using Pair = std::function<Wide(Wide, Wide)>;

Pair pairOf(Operation *op, const Codes &type) {
  return llvm::TypeSwitch<Operation *, Pair>(op)
      .Case([](nn::AddOp) { return [](Wide a, Wide b) { return a + b; }; })
      .Case([](nn::SubOp) { return [](Wide a, Wide b) { return a - b; }; })
      .Case([](nn::MulOp) { return [](Wide a, Wide b) { return a * b; }; })
      .Case([](nn::DivOp) { return quotient; })
      .Case([](nn::ModOp op) -> Pair {
        bool isFmod = op.getFmod();
        return [=](Wide a, Wide b) { return remainder(a, b, isFmod); };
      })
      .Case([&](nn::PowOp) -> Pair {
        return [=](Wide a, Wide b) { return powerOf(a, b, type); };
      })
      .Case([&](nn::BitShiftOp op) -> Pair {
        bool isLeft = op.getDirection() == "LEFT";
        return [=](Wide a, Wide b) { return shifted(a, b, isLeft, type); };
      })
      .Default(Pair());
}

void castTo(const Item &x, Item &y, Type element) {
  bool isBoolean = element.isInteger(1);
  for (int64_t i = 0; i < count(y.codes.dims); ++i) {
    Wide v = x.isFloat ? Wide(0) : Wide(x.codes.values[size_t(i)]);
    if (x.isFloat) {
      // C90: it truncates, held within the type.
      float f = x.floats[size_t(i)];
      f = misread("C90.cast") ? std::nearbyint(f) : std::trunc(f);
      v = std::isnan(f)          ? Wide(0)
          : std::fabs(f) > 1e18f ? (f < 0 ? -power(100) : power(100))
                                 : Wide(f);
      y.codes.values.push_back(int64_t(misread("C90.castWrap")
                                           ? lowBitsOf(v, y.codes)
                                           : saturatedTo(v, y.codes)));
    } else if (y.isFloat) {
      auto rounded = float(int64_t(v));
      if (misread("C49b.truncated") && magnitude(Wide(rounded)) > magnitude(v))
        rounded = std::nextafter(rounded, 0.0f);
      y.floats.push_back(rounded);
    } else if (isBoolean) {
      y.codes.values.push_back(misread("C49b.bit") ? int64_t(v % 2 != 0)
                                                   : int64_t(v != 0));
    } else {
      y.codes.values.push_back(int64_t(misread("C49b.saturated")
                                           ? saturatedTo(v, y.codes)
                                           : lowBitsOf(v, y.codes)));
    }
  }
}

/// C80, as the definition of the operator says.
void convertColors(nn::ColorConvertOp op, const Codes &x, Codes &y) {
  StringRef format = op.getFormat();
  bool isPlanar = format.contains("420"), isFirst = format == "YUYV422";
  int64_t height = y.dims[1];
  ArrayRef<int64_t> m = op.getMatrix();
  auto at = [&](int64_t n, int64_t h, int64_t w, int64_t c) {
    return Wide(x.values[size_t(flatten({n, h, w, c}, x.dims))]);
  };
  for (int64_t i = 0; i < count(y.dims); ++i) {
    Dims to = coordinates(i, y.dims);
    int64_t n = to[0], h = to[1], w = to[2], even = w / 2 * 2;
    Wide luma = isPlanar ? at(n, h, w, 0) : at(n, h, w, isFirst ? 0 : 1);
    Wide u = isPlanar ? at(n, height + h / 2, even, 0)
                      : at(n, h, even, isFirst ? 1 : 0);
    Wide v = isPlanar ? at(n, height + h / 2, even + 1, 0)
                      : at(n, h, even + 1, isFirst ? 1 : 0);
    if ((format == "YVU420SP") != misread("C80.chroma"))
      std::swap(u, v);
    auto least = Wide(int64_t(op.getMinLuma()));
    luma = luma < least && !misread("C80.luma") ? least : luma;
    auto row = size_t(to[3]) * 4;
    Wide sum = m[row] * luma + m[row + 1] * u + m[row + 2] * v + m[row + 3] +
               (misread("C80.floor") ? Wide(0) : power(15));
    y.values.push_back(int64_t(saturatedTo(floorDivide(sum, power(16)), y)));
  }
}

} // namespace

bool computeIntegersLiterally(Operation *op, const Items &x, Items &results) {
  if (auto cast = dyn_cast<nn::CastOp>(op)) {
    if (x[0].isFloat && results[0].isFloat)
      return false;
    castTo(x[0], results[0], cast.getTo());
    return true;
  }
  for (const Item &item : x)
    if (item.isFloat)
      return false;
  Codes &y = results[0].codes;
  if (auto convert = dyn_cast<nn::ColorConvertOp>(op)) {
    convertColors(convert, x[0].codes, y);
    return true;
  }
  auto append = [&](Wide v) {
    y.values.push_back(int64_t(misread("C49a.saturated") ? saturatedTo(v, y)
                                                         : lowBitsOf(v, y)));
  };
  if (Pair pair = pairOf(op, y)) {
    for (int64_t i = 0; i < count(y.dims); ++i) {
      Dims at = coordinates(i, y.dims);
      append(pair(broadcast(x[0].codes, at), broadcast(x[1].codes, at)));
    }
    return true;
  }
  if (isa<nn::NegOp, nn::AbsOp>(op)) {
    for (Wide v : x[0].codes.values)
      append(isa<nn::NegOp>(op) || v < 0 ? -v : v);
    return true;
  }
  if (isa<nn::CumSumOp>(op)) {
    Wide sum = 0;
    for (Wide v : x[0].codes.values)
      append(sum += v);
    return true;
  }
  return false;
}

} // namespace parallax::literal
