//===- ElementwiseTest.cpp - Elements and windows by upstream MLIR --------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Requantization, sums and products of codes, tables, pooling, reductions and
// positions of maxima.
//===----------------------------------------------------------------------===//
#include "Witness.h"

namespace parallax::tosa {
namespace {

using npu::test::codeTypes;

/// %name = x - z in 32 bits. `operand` is one of TOSA's signed codes.
std::string centredText(const std::string &name, const std::string &operand,
                        const Codes &x) {
  std::string wide = typeText(x.dims, "i32");
  Dims one(x.dims.size(), 1);
  std::string unit = typeText(one, "i32");
  return fmt::format(
      "  %c{0} = tosa.cast %{1} : ({2}) -> {3}\n"
      "  %z{0} = \"tosa.const\"() <{{values = dense<{4}> : {5}}}> : () -> {5}\n"
      "  %{0} = tosa.sub %c{0}, %z{0} : ({3}, {5}) -> {3}\n",
      name, operand, typeText(x.dims, tosaElement(x)), wide, tosaZero(x), unit);
}

/// %name = a times b in 32 bits, without a shift.
std::string productText(const std::string &name, const std::string &a,
                        const Dims &aDims, const std::string &b,
                        const Dims &bDims, const Dims &dims) {
  return tosaConstant("n" + name, "i8", {0}) +
         fmt::format("  %{0} = tosa.mul %{1}, %{2}, %n{0} : ({3}, {4}, "
                     "tensor<1xi8>) -> {5}\n",
                     name, a, b, typeText(aDims, "i32"), typeText(bDims, "i32"),
                     typeText(dims, "i32"));
}

Case caseOf(const std::string &what, const std::vector<Codes> &operands,
            const Codes &y) {
  Case one;
  one.what = what + ":";
  for (const Codes &codes : operands)
    one.what += " " + npuElement(codes);
  one.what += " -> " + npuElement(y);
  one.operands = operands;
  one.layouts.assign(operands.size(), {});
  one.result = y;
  one.tosaType = tosaElement(y);
  return one;
}

std::string npuTypes(const Case &one) {
  std::vector<std::string> types;
  for (const Codes &codes : one.operands)
    types.push_back(typeText(codes.dims, npuElement(codes)));
  return fmt::format("({}) -> {}", fmt::join(types, ", "),
                     typeText(one.result.dims, npuElement(one.result)));
}

//===----------------------------------------------------------------------===//
// Element by element
//===----------------------------------------------------------------------===//

/// C31 with one operand. Here TOSA takes codes without a sign as they are.
Case requantization(Chance &chance, const CodeType &from, const CodeType &to) {
  Codes x = someCodes(chance, from, {600}, true);
  Codes y = someResult(chance, to, {600}, true);
  Factors factors =
      someFactors(chance, 1, double(int64_t(1) << x.bits), y, false);
  Case one = caseOf("requantization", {x}, y);
  one.npu = fmt::format("  %y = npu.linear %x0 {{input_zero_points = "
                        "array<i64: {}>, coefficients = array<i64: {}>, shift "
                        "= {} : i32, {}}} : {}\n",
                        x.zero, factors.multipliers[0], factors.shifts[0],
                        outputText(y), npuTypes(one));
  // TOSA's rescale with its own zero points; the shifted codes get back the
  // bits that they have without a sign.
  std::string element = tosaElement(x), type = typeText(x.dims, element);
  std::string text;
  std::string operand = "x0";
  if (!x.isSigned) {
    text += fmt::format("  %flip = \"tosa.const\"() <{{values = dense<{}> : "
                        "tensor<1x{}>}}> : () -> tensor<1x{}>\n"
                        "  %bits = tosa.bitwise_xor %x0, %flip : ({}, "
                        "tensor<1x{}>) -> {}\n",
                        -tosaOffset(x), element, element, type, element, type);
    operand = "bits";
  }
  std::string to8 = tosaElement(y), result = typeText(y.dims, to8);
  text +=
      tosaConstant("m", "i32", factors.multipliers) +
      tosaConstant("s", "i8", factors.shifts) +
      tosaConstant("zi", element, {x.zero}) +
      tosaConstant("zo", to8, {tosaZero(y)}) +
      fmt::format("  %q = tosa.rescale %{}, %m, %s, %zi, %zo {{scale32 = "
                  "true, rounding_mode = SINGLE_ROUND, per_channel = "
                  "false, input_unsigned = {}, output_unsigned = false}} : "
                  "({}, tensor<1xi32>, tensor<1xi8>, tensor<1x{}>, "
                  "tensor<1x{}>) -> {}\n",
                  operand, !x.isSigned, type, element, to8, result) +
      fmt::format("  %r = tosa.clamp %q {{min_val = {0} : {1}, max_val = "
                  "{2} : {1}}} : ({3}) -> {3}\n",
                  y.low - tosaOffset(y), to8, y.high - tosaOffset(y), result);
  one.tosa = text;
  return one;
}

/// C31 with two operands, whose products with the coefficients and whose sum
/// fit 32 bits.
Case sum(Chance &chance, const CodeType &left, const CodeType &right,
         const CodeType &to) {
  Codes a = someCodes(chance, left, {5, 40}, false);
  Codes b = someCodes(chance, right, {5, chance.between(0, 1) ? 40 : 1}, false);
  Codes y = someResult(chance, to, {5, 40}, true);
  // |x - z| is below 2^bits and so each product below 2^30.
  int64_t ka = chance.between(1, (int64_t(1) << (30 - a.bits)) - 1);
  int64_t kb = chance.between(1, (int64_t(1) << (30 - b.bits)) - 1);
  if (chance.between(0, 3) == 0)
    ka = kb = int64_t(1) << (29 - std::max(a.bits, b.bits));
  if (chance.between(0, 1))
    kb = -kb;
  auto shift = std::clamp<int64_t>(30 - y.bits + chance.between(-3, 3), 1, 32);
  Case one = caseOf("sum", {a, b}, y);
  one.npu =
      fmt::format("  %y = npu.linear %x0, %x1 {{input_zero_points = "
                  "array<i64: {}, {}>, coefficients = array<i64: {}, "
                  "{}>, shift = {} : i32, {}}} : {}\n",
                  a.zero, b.zero, ka, kb, shift, outputText(y), npuTypes(one));
  std::string wide = typeText(y.dims, "i32");
  auto coefficient = [](const std::string &name, int64_t value) {
    return fmt::format("  %{} = \"tosa.const\"() <{{values = dense<{}> : "
                       "tensor<1x1xi32>}}> : () -> tensor<1x1xi32>\n",
                       name, value);
  };
  one.tosa = centredText("a", "x0", a) + centredText("b", "x1", b) +
             coefficient("ka", ka) + coefficient("kb", kb) +
             productText("pa", "a", a.dims, "ka", {1, 1}, a.dims) +
             productText("pb", "b", b.dims, "kb", {1, 1}, b.dims) +
             fmt::format("  %sum = tosa.add %pa, %pb : ({}, {}) -> {}\n", wide,
                         typeText(b.dims, "i32"), wide) +
             rescaleText("sum", "i32", "r", y, y.dims,
                         {{int64_t(1) << 30}, {30 + shift}, false});
  return one;
}

/// C40, with products that fit 32 bits.
Case product(Chance &chance, const CodeType &left, const CodeType &right,
             const CodeType &to) {
  Codes a = someCodes(chance, left, {3, 50}, false);
  Codes b = someCodes(chance, right, {chance.between(0, 1) ? 3 : 1, 50}, false);
  for (Codes *x : {&a, &b})
    if (x->bits == 16)
      x->zero = tosaOffset(*x) + chance.between(-13000, 13000);
  Codes y = someResult(chance, to, {3, 50}, true);
  Factors factors =
      someFactors(chance, 1, double(int64_t(1) << (a.bits + b.bits)), y, false);
  Case one = caseOf("product", {a, b}, y);
  one.npu = fmt::format("  %y = npu.mul %x0, %x1 {{a_zero_point = {} : i64, "
                        "b_zero_point = {} : i64, {}, {}}} : {}\n",
                        a.zero, b.zero, factorsText(factors), outputText(y),
                        npuTypes(one));
  one.tosa = centredText("a", "x0", a) + centredText("b", "x1", b) +
             productText("p", "a", a.dims, "b", b.dims, y.dims) +
             rescaleText("p", "i32", "r", y, y.dims, factors);
  return one;
}

/// C51.
Case table8(Chance &chance, const CodeType &from, const CodeType &to) {
  Codes x = someCodes(chance, from, {256}, false);
  for (int64_t i = 0; i < 256; ++i)
    x.values[i] = x.low + i;
  Codes y = someResult(chance, to, {256}, true);
  std::vector<int64_t> entries, shifted;
  for (int i = 0; i < 256; ++i) {
    entries.push_back(chance.between(y.low, y.high));
    shifted.push_back(entries.back() - tosaOffset(y));
  }
  Case one = caseOf("table", {x}, y);
  one.npu = fmt::format("  %y = npu.table %x0 {{entries = array<i32: {}>, {}}} "
                        ": {}\n",
                        fmt::join(entries, ", "), outputText(y), npuTypes(one));
  one.tosa = tosaConstant("t", "i8", shifted) +
             "  %r = tosa.table %x0, %t : (tensor<256xi8>, tensor<256xi8>) -> "
             "tensor<256xi8>\n";
  return one;
}

/// C53: TOSA gives the sum, with 15 bits too many, for knots of 16 bits.
Case table16(Chance &chance, const CodeType &from, const CodeType &to) {
  Codes x = someCodes(chance, from, {3000}, false);
  for (int64_t i = 0; i < 3000; ++i)
    x.values[i] = i < 100   ? x.low + i
                  : i < 200 ? x.high - (i - 100)
                            : chance.between(x.low, x.high);
  Codes y = someResult(chance, to, {3000}, true);
  std::vector<int64_t> knots;
  int64_t reach = chance.pick(std::array<int64_t, 3>{300, 4000, 32767});
  for (int i = 0; i < 513; ++i)
    knots.push_back(chance.between(-reach - 1, reach));
  Case one = caseOf("table", {x}, y);
  one.npu = fmt::format("  %y = npu.table %x0 {{entries = array<i32: {}>, {}}} "
                        ": {}\n",
                        fmt::join(knots, ", "), outputText(y), npuTypes(one));
  one.tosa = tosaConstant("t", "i16", knots) +
             "  %sum = tosa.table %x0, %t : (tensor<3000xi16>, "
             "tensor<513xi16>) -> tensor<3000xi32>\n" +
             rescaleText("sum", "i32", "r", y, y.dims,
                         {{int64_t(1) << 30}, {45}, false});
  return one;
}

//===----------------------------------------------------------------------===//
// Windows and axes
//===----------------------------------------------------------------------===//

struct Window {
  Dims kernel, strides, begin, end, in, out;
};

/// TOSA's pads are smaller than the window, and strides divide the rest.
Window someWindow(Chance &chance) {
  Window window;
  for (int i = 0; i < 2; ++i) {
    int64_t kernel = chance.between(1, 4), stride = chance.between(1, 3);
    int64_t begin = chance.between(0, kernel - 1);
    int64_t end = chance.between(0, kernel - 1);
    int64_t out = chance.between(1, 5);
    int64_t in = (out - 1) * stride + kernel - begin - end;
    for (; in < 1; in += stride)
      ++out;
    window.kernel.push_back(kernel);
    window.strides.push_back(stride);
    window.begin.push_back(begin);
    window.end.push_back(end);
    window.in.push_back(in);
    window.out.push_back(out);
  }
  return window;
}

std::string npuWindow(const Window &w) {
  return fmt::format("kernel = array<i64: {}>, strides = array<i64: {}>, pads "
                     "= array<i64: {}, {}>, dilations = array<i64: 1, 1>",
                     fmt::join(w.kernel, ", "), fmt::join(w.strides, ", "),
                     fmt::join(w.begin, ", "), fmt::join(w.end, ", "));
}

std::string tosaWindow(const Window &w) {
  return fmt::format("kernel = array<i64: {}>, stride = array<i64: {}>, pad = "
                     "array<i64: {}, {}, {}, {}>",
                     fmt::join(w.kernel, ", "), fmt::join(w.strides, ", "),
                     w.begin[0], w.end[0], w.begin[1], w.end[1]);
}

Case pool(Chance &chance, const CodeType &type, bool isMax) {
  Window window = someWindow(chance);
  int64_t batch = chance.between(1, 2), channels = chance.between(1, 6);
  Codes x = someCodes(chance, type,
                      {batch, channels, window.in[0], window.in[1]}, true);
  Codes y = npu::test::codesOf(
      type, {batch, channels, window.out[0], window.out[1]}, 1.0f, 0);
  y.zero = type.bits == 16 ? tosaOffset(y) : chance.between(y.low, y.high);
  Case one = caseOf(isMax ? "maximum" : "average", {x}, y);
  one.layouts = {channelsLast};
  one.resultLayout = channelsLast;
  std::string element = tosaElement(x);
  std::string types =
      fmt::format("({}", typeText(permuted(x.dims, channelsLast), element));
  std::string result = typeText(permuted(y.dims, channelsLast), element);
  if (isMax) {
    one.npu = fmt::format("  %y = nn.max_pool %x0 {{{}}} : {}\n",
                          npuWindow(window), npuTypes(one));
    one.tosa = fmt::format("  %r = tosa.max_pool2d %x0 {{{}}} : {}) -> {}\n",
                           tosaWindow(window), types, result);
    return one;
  }
  // C36 with TOSA's own reciprocals: (2^30 + 1) 2^k / n, rounded down, where k
  // is the number of binary digits of n - 1.
  Factors factors{{0}, {1}, false};
  for (int64_t n = 1; n <= window.kernel[0] * window.kernel[1]; ++n) {
    int k = 0;
    while ((n - 1) >> k)
      ++k;
    factors.multipliers.push_back((((int64_t(1) << 30) + 1) << k) / n);
    factors.shifts.push_back(30 + k);
  }
  one.npu = fmt::format("  %y = npu.average_pool %x0 {{x_zero_point = {} : i64,"
                        " {}, {}, {}}} : {}\n",
                        x.zero, npuWindow(window), factorsText(factors),
                        outputText(y), npuTypes(one));
  one.tosa = tosaConstant("zi", element, {tosaZero(x)}) +
             tosaConstant("zo", element, {tosaZero(y)}) +
             fmt::format("  %r = tosa.avg_pool2d %x0, %zi, %zo {{{}, acc_type "
                         "= i32}} : {}, tensor<1x{}>, tensor<1x{}>) -> {}\n",
                         tosaWindow(window), types, element, element, result);
  return one;
}

/// C37: sums and means along one axis.
Case reduction(Chance &chance, const CodeType &from, const CodeType &to) {
  int64_t axis = chance.between(0, 2);
  Dims dims = {chance.between(1, 6), chance.between(1, 6),
               chance.between(1, 40)};
  Codes x = someCodes(chance, from, dims, false);
  int64_t count = dims[axis];
  dims[axis] = 1;
  Codes y = someResult(chance, to, dims, true);
  Factors factors = someFactors(chance, 1, double(count << x.bits), y, false);
  Case one = caseOf("reduction", {x}, y);
  one.npu = fmt::format("  %y = npu.reduce %x0 {{kind = \"{}\", x_zero_point = "
                        "{} : i64, axes = array<i64: {}>, {}, {}}} : {}\n",
                        chance.between(0, 1) ? "sum" : "mean", x.zero, axis,
                        factorsText(factors), outputText(y), npuTypes(one));
  one.tosa = centredText("c", "x0", x) +
             fmt::format("  %a = tosa.reduce_sum %c {{axis = {} : i32}} : ({}) "
                         "-> {}\n",
                         axis, typeText(x.dims, "i32"), typeText(dims, "i32")) +
             rescaleText("a", "i32", "r", y, dims, factors);
  return one;
}

/// C49: of equal codes the first counts.
Case position(Chance &chance, const CodeType &type) {
  Dims dims = {chance.between(1, 5), chance.between(2, 30),
               chance.between(1, 5)};
  Codes x = someCodes(chance, type, dims, true);
  for (int64_t &value : x.values)
    value = x.low + (value - x.low) % 7;
  Case one;
  one.what = "position of the maximum: " + npuElement(x);
  one.operands = {x};
  one.layouts = {{}};
  one.result.dims = {dims[0], dims[2]};
  one.result.bits = 64;
  one.result.isSigned = true;
  one.tosaType = "i32";
  one.npu = fmt::format("  %y = nn.arg_max %x0 {{axis = 1 : i64, keepdims = "
                        "false}} : {}\n",
                        npuTypes(one));
  one.tosa = fmt::format("  %r = tosa.argmax %x0 {{axis = 1 : i32}} : ({}) -> "
                         "{}\n",
                         typeText(dims, tosaElement(x)),
                         typeText(one.result.dims, "i32"));
  return one;
}

//===----------------------------------------------------------------------===//
// Tests
//===----------------------------------------------------------------------===//

TEST(TosaWitness, Requantization) {
  Batch batch("requantization");
  Chance chance(31);
  for (int i = 0; i < 5; ++i)
    for (const CodeType &from : codeTypes)
      for (const CodeType &to : codeTypes)
        batch.add(requantization(chance, from, to));
  batch.check(80);
}

TEST(TosaWitness, Sum) {
  Batch batch("sum");
  Chance chance(32);
  for (const CodeType &left : codeTypes)
    for (const CodeType &right : codeTypes)
      for (const CodeType &to : codeTypes)
        batch.add(sum(chance, left, right, to));
  batch.check(64);
}

TEST(TosaWitness, Product) {
  Batch batch("product");
  Chance chance(33);
  for (const CodeType &left : codeTypes)
    for (const CodeType &right : codeTypes)
      for (const CodeType &to : codeTypes)
        batch.add(product(chance, left, right, to));
  batch.check(64);
}

TEST(TosaWitness, Tables) {
  Batch batch("tables");
  Chance chance(34);
  for (int i = 0; i < 5; ++i)
    for (size_t from : {0, 1})
      for (size_t to : {0, 1})
        batch.add(table8(chance, codeTypes[from], codeTypes[to]));
  for (int i = 0; i < 4; ++i)
    for (size_t from : {2, 3})
      for (const CodeType &to : codeTypes)
        batch.add(table16(chance, codeTypes[from], to));
  batch.check(52);
}

TEST(TosaWitness, Pools) {
  Batch batch("pools");
  Chance chance(35);
  for (int i = 0; i < 15; ++i)
    for (const CodeType &type : codeTypes)
      for (bool isMax : {false, true})
        batch.add(pool(chance, type, isMax));
  batch.check(120);
}

TEST(TosaWitness, Reductions) {
  Batch batch("reductions");
  Chance chance(36);
  for (int i = 0; i < 3; ++i)
    for (const CodeType &from : codeTypes)
      for (const CodeType &to : codeTypes)
        batch.add(reduction(chance, from, to));
  batch.check(48);
}

TEST(TosaWitness, Positions) {
  Batch batch("positions");
  Chance chance(37);
  for (int i = 0; i < 10; ++i)
    for (const CodeType &type : codeTypes)
      batch.add(position(chance, type));
  batch.check(40);
}

} // namespace
} // namespace parallax::tosa
