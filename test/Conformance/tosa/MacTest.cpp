//===- MacTest.cpp - Sums of products by upstream MLIR --------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Convolutions in all forms that TOSA has, fully connected layers and products
// of two activations, each with its requantization (C21 to C25).
//===----------------------------------------------------------------------===//
#include "Witness.h"

namespace parallax::tosa {
namespace {

using npu::test::codeTypes;
using npu::test::weightsOf;

/// The accumulator of TOSA: 48 bits if an operand has 16.
std::string sumElement(const Codes &x) { return x.bits == 8 ? "i32" : "i48"; }

std::string npuConstant(const std::string &name, const Codes &codes) {
  return fmt::format("  %{} = nn.constant {} : {}\n", name,
                     denseText(codes.values, codes.bits / 8),
                     typeText(codes.dims, npuElement(codes)));
}

std::vector<int64_t> someBias(Chance &chance, int64_t channels) {
  std::vector<int64_t> bias;
  for (int64_t i = 0; i < channels; ++i)
    bias.push_back(chance.between(-100000, 100000));
  return bias;
}

std::string npuBias(const std::vector<int64_t> &bias) {
  return fmt::format("  %b = nn.constant {} : {}\n", denseText(bias, 4),
                     typeText({int64_t(bias.size())}, "i32"));
}

/// Weights, bias if there is one, and zero points.
std::string tosaWeights(const Codes &x, const Codes &w, const Dims &layout,
                        const std::vector<int64_t> &bias) {
  std::string type = typeText(permuted(w.dims, layout), tosaElement(w));
  return fmt::format(
             "  %w = \"tosa.const\"() <{{values = {} : {}}}> : () -> "
             "{}\n",
             denseText(transposed(w.values, w.dims, layout), w.bits / 8), type,
             type) +
         (bias.empty() ? "" : tosaConstant("b", sumElement(x), bias)) +
         tosaConstant("zx", tosaElement(x), {tosaZero(x)}) +
         tosaConstant("zw", tosaElement(w), {0});
}

std::string tosaTypes(const Codes &x, const Dims &xLayout, const Codes &w,
                      const Dims &wLayout, int64_t channels) {
  return fmt::format("({}, {}, {}, {}, {})",
                     typeText(permuted(x.dims, xLayout), tosaElement(x)),
                     typeText(permuted(w.dims, wLayout), tosaElement(w)),
                     typeText({channels}, sumElement(x)),
                     typeText({1}, tosaElement(x)),
                     typeText({1}, tosaElement(w)));
}

/// What no sum of that many products and a bias reaches.
double boundOf(const Codes &x, const Codes &w, int64_t terms) {
  return double(terms) * double(int64_t(1) << x.bits) *
             double(int64_t(1)
                    << (w.isSigned && w.zero == 0 ? w.bits - 1 : w.bits)) +
         200000;
}

enum class Form { Full, Depthwise, Transposed };

/// TOSA demands that strides divide what is left of the padded input, so the
/// input is made for the output.
Case convolution(Chance &chance, const CodeType &xType, const CodeType &yType,
                 Form form) {
  bool isTransposed = form == Form::Transposed;
  bool isDepthwise = form == Form::Depthwise;
  Dims kernel, strides, dilations, begin, end, in, out;
  for (int i = 0; i < 2; ++i) {
    kernel.push_back(chance.between(1, 4));
    // MLIR 22 can't lower strides of transposed ones whose operands differ in
    // type.
    strides.push_back(isTransposed && xType.bits == 16 ? 1
                                                       : chance.between(1, 3));
    dilations.push_back(isTransposed ? 1 : chance.between(1, 2));
    int64_t reach = (kernel[i] - 1) * dilations[i] + 1;
    begin.push_back(chance.between(0, reach - 1));
    end.push_back(chance.between(0, reach - 1));
    int64_t few = chance.between(1, 5);
    int64_t many = (few - 1) * strides[i] + reach - begin[i] - end[i];
    while (many < 1) {
      ++few;
      many += strides[i];
    }
    in.push_back(isTransposed ? few : many);
    out.push_back(isTransposed ? many : few);
  }
  int64_t batch = chance.between(1, 2), group = 1;
  int64_t inputs = chance.between(1, 9), outputs = chance.between(1, 9);
  if (isDepthwise) {
    group = inputs;
    outputs = inputs * chance.between(1, 3);
  }
  Dims weightDims =
      isTransposed ? Dims{inputs, outputs} : Dims{outputs, inputs / group};
  weightDims.insert(weightDims.end(), kernel.begin(), kernel.end());

  Case one;
  Codes x = someCodes(chance, xType, {batch, inputs, in[0], in[1]}, true);
  Codes w = weightsOf(npu::test::weightTypes[0], weightDims,
                      uint64_t(chance.between(0, 1 << 30)),
                      chance.between(0, 3) == 0 ? Fill::Ends : Fill::Random);
  std::vector<int64_t> bias = someBias(chance, outputs);
  Codes y = someResult(chance, yType, {batch, outputs, out[0], out[1]}, true);
  int64_t terms = inputs / group * kernel[0] * kernel[1];
  Factors factors = someFactors(chance, size_t(outputs), boundOf(x, w, terms),
                                y, x.bits == 16);
  one.what = fmt::format("convolution {} -> {}", npuElement(x), npuElement(y));
  one.operands = {x};
  one.layouts = {channelsLast};
  one.result = y;
  one.resultLayout = channelsLast;
  one.tosaType = tosaElement(y);
  one.npu =
      npuConstant("w", w) + npuBias(bias) +
      fmt::format("  %y = npu.conv %x0, %w, %b {{x_zero_point = {} : i64, "
                  "strides = array<i64: {}>, pads = array<i64: {}, {}>, "
                  "dilations = array<i64: {}>, group = {} : i64, transposed = "
                  "{}, {}, {}}} : ({}, {}, {}) -> {}\n",
                  x.zero, fmt::join(strides, ", "), fmt::join(begin, ", "),
                  fmt::join(end, ", "), fmt::join(dilations, ", "), group,
                  isTransposed, factorsText(factors), outputText(y),
                  typeText(x.dims, npuElement(x)),
                  typeText(w.dims, npuElement(w)), typeText({outputs}, "i32"),
                  typeText(y.dims, npuElement(y)));

  Dims yDims = permuted(y.dims, channelsLast);
  std::string sum = sumElement(x);
  std::string pads =
      fmt::format("{}, {}, {}, {}", begin[0], end[0], begin[1], end[1]);
  std::string attributes = fmt::format("acc_type = {}, stride = array<i64: {}>",
                                       sum, fmt::join(strides, ", "));
  std::string name = "conv2d";
  // [O, I, h, w] as O h w I; depthwise [C m, 1, h, w] as h w C m; transposed
  // [I, O, h, w] as O h w I.
  Dims layout = {0, 2, 3, 1};
  Codes held = w;
  if (isDepthwise) {
    name = "depthwise_conv2d";
    held.dims = {inputs, outputs / inputs, kernel[0], kernel[1]};
    layout = {2, 3, 0, 1};
  }
  if (isTransposed) {
    name = "transpose_conv2d";
    layout = {1, 2, 3, 0};
    attributes += fmt::format(", out_pad = array<i64: {}, {}, {}, {}>",
                              -begin[0], -end[0], -begin[1], -end[1]);
  } else {
    attributes +=
        fmt::format(", pad = array<i64: {}>, dilation = array<i64: {}>", pads,
                    fmt::join(dilations, ", "));
  }
  one.tosa = tosaWeights(x, held, layout, bias) +
             fmt::format("  %a = tosa.{} %x0, %w, %b, %zx, %zw {{{}}} : {} -> "
                         "{}\n",
                         name, attributes,
                         tosaTypes(x, channelsLast, held, layout, outputs),
                         typeText(yDims, sum)) +
             rescaleText("a", sum, "r", y, yDims, factors);
  return one;
}

/// A convolution of one pixel. With 16-bit weights, which TOSA's convolutions
/// don't take, a product of matrices.
Case fullyConnected(Chance &chance, const CodeType &xType,
                    const CodeType &yType, const CodeType &wType,
                    int64_t depth) {
  int64_t rows = chance.between(1, 4), outputs = chance.between(1, 9);
  Codes x = someCodes(chance, xType, {rows, depth}, true);
  Codes w =
      weightsOf(wType, {outputs, depth}, uint64_t(chance.between(0, 1 << 30)),
                chance.between(0, 3) == 0 ? Fill::Ends : Fill::Random);
  Codes y = someResult(chance, yType, {rows, outputs}, true);
  bool isWide = wType.bits == 16;
  // One factor for all, where TOSA has no channels in the last dimension.
  Factors factors = someFactors(chance, isWide ? 1 : size_t(outputs),
                                boundOf(x, w, depth), y, x.bits == 16);
  std::vector<int64_t> bias = someBias(chance, outputs);
  std::string types = fmt::format("{}, {}", typeText(x.dims, npuElement(x)),
                                  typeText(w.dims, npuElement(w)));
  std::string sum = sumElement(x);

  Case one;
  one.what = fmt::format("fully connected, depth {}, {} -> {}", depth,
                         npuElement(x), npuElement(y));
  one.operands = {x};
  one.layouts = {{}};
  one.result = y;
  one.tosaType = tosaElement(y);
  one.npu = npuConstant("w", w);
  if (!isWide) {
    one.npu += npuBias(bias);
    types += ", " + typeText({outputs}, "i32");
  }
  one.npu += fmt::format("  %y = npu.fully_connected %x0, %w{} {{x_zero_point "
                         "= {} : i64, {}, {}}} : ({}) -> {}\n",
                         isWide ? "" : ", %b", x.zero, factorsText(factors),
                         outputText(y), types, typeText(y.dims, npuElement(y)));
  Dims from = isWide ? Dims{1, rows, depth} : Dims{rows, 1, 1, depth};
  Dims to = isWide ? Dims{1, rows, outputs} : Dims{rows, 1, 1, outputs};
  auto reshape = [](const std::string &name, const std::string &operand,
                    const Dims &old, const Dims &dims,
                    const std::string &element) {
    return fmt::format(
        "  %s{0} = tosa.const_shape {{values = dense<[{1}]> : "
        "tensor<{2}xindex>}} : () -> !tosa.shape<{2}>\n"
        "  %{0} = tosa.reshape %{3}, %s{0} : ({4}, !tosa.shape<{2}>) -> {5}\n",
        name, fmt::join(dims, ", "), dims.size(), operand,
        typeText(old, element), typeText(dims, element));
  };
  one.tosa = reshape("x", "x0", x.dims, from, tosaElement(x));
  if (isWide) {
    Codes matrix = w;
    matrix.dims = {1, outputs, depth};
    one.tosa +=
        tosaWeights(x, matrix, {0, 2, 1}, {}) +
        fmt::format("  %a = tosa.matmul %x, %w, %zx, %zw : ({}, {}, {}, {}) -> "
                    "{}\n",
                    typeText(from, "i16"), typeText({1, depth, outputs}, "i16"),
                    typeText({1}, "i16"), typeText({1}, "i16"),
                    typeText(to, sum));
  } else {
    Codes pixel = w, image = x;
    pixel.dims = {outputs, 1, 1, depth};
    image.dims = from;
    one.tosa +=
        tosaWeights(x, pixel, {}, bias) +
        fmt::format("  %a = tosa.conv2d %x, %w, %b, %zx, %zw {{acc_type "
                    "= {}, pad = array<i64: 0, 0, 0, 0>, stride = "
                    "array<i64: 1, 1>, dilation = array<i64: 1, 1>}} : "
                    "{} -> {}\n",
                    sum, tosaTypes(image, {}, pixel, {}, outputs),
                    typeText(to, sum));
  }
  one.tosa += rescaleText("a", sum, "q", y, to, factors) +
              reshape("r", "q", to, y.dims, tosaElement(y));
  return one;
}

Case matmul(Chance &chance, const CodeType &type, const CodeType &yType,
            int64_t depth) {
  int64_t batch = chance.between(1, 3), rows = chance.between(1, 5);
  int64_t columns = chance.between(1, 5);
  const CodeType &other =
      npu::test::codeTypes[type.bits == 8 ? chance.between(0, 1)
                                          : chance.between(2, 3)];
  Codes a = someCodes(chance, type, {batch, rows, depth}, true);
  Codes b = someCodes(chance, other, {batch, depth, columns}, true);
  Codes y = someResult(chance, yType, {batch, rows, columns}, true);
  Factors factors =
      someFactors(chance, 1, boundOf(a, b, depth), y, type.bits == 16);
  std::string sum = sumElement(a), element = tosaElement(a);
  Case one;
  one.what = fmt::format("matmul, depth {}, {} x {} -> {}", depth,
                         npuElement(a), npuElement(b), npuElement(y));
  one.operands = {a, b};
  one.layouts = {{}, {}};
  one.result = y;
  one.tosaType = tosaElement(y);
  one.npu = fmt::format("  %y = npu.matmul %x0, %x1 {{a_zero_point = {} : i64, "
                        "b_zero_point = {} : i64, {}, {}}} : ({}, {}) -> {}\n",
                        a.zero, b.zero, factorsText(factors), outputText(y),
                        typeText(a.dims, npuElement(a)),
                        typeText(b.dims, npuElement(b)),
                        typeText(y.dims, npuElement(y)));
  one.tosa = tosaConstant("za", element, {tosaZero(a)}) +
             tosaConstant("zb", element, {tosaZero(b)}) +
             fmt::format("  %a = tosa.matmul %x0, %x1, %za, %zb : ({}, {}, {}, "
                         "{}) -> {}\n",
                         typeText(a.dims, element), typeText(b.dims, element),
                         typeText({1}, element), typeText({1}, element),
                         typeText(y.dims, sum)) +
             rescaleText("a", sum, "r", y, y.dims, factors);
  return one;
}

Batch convolutions(Form form, const std::string &name, int repetitions) {
  Batch batch(name);
  Chance chance(11 + uint64_t(form));
  for (int i = 0; i < repetitions; ++i)
    for (const CodeType &x : codeTypes)
      for (const CodeType &y : codeTypes)
        batch.add(convolution(chance, x, y, form));
  return batch;
}

TEST(TosaWitness, Convolution) {
  convolutions(Form::Full, "convolution", 5).check(80);
}
TEST(TosaWitness, DepthwiseConvolution) {
  convolutions(Form::Depthwise, "depthwise", 5).check(80);
}
TEST(TosaWitness, TransposedConvolution) {
  convolutions(Form::Transposed, "transposed", 3).check(48);
}

TEST(TosaWitness, FullyConnected) {
  Batch batch("fully_connected");
  Chance chance(21);
  for (int64_t depth : {1, 2, 15, 16, 17, 64, 333, 5000})
    for (const CodeType &x : codeTypes) {
      for (const CodeType &y : {codeTypes[0], codeTypes[3]})
        batch.add(
            fullyConnected(chance, x, y, npu::test::weightTypes[0], depth));
      if (x.bits == 16)
        batch.add(fullyConnected(chance, x, chance.pick(codeTypes),
                                 npu::test::weightTypes[1], depth));
    }
  batch.check(80);
}

TEST(TosaWitness, MatMul) {
  Batch batch("matmul");
  Chance chance(22);
  for (int64_t depth : {1, 3, 16, 31, 100, 2000})
    for (const CodeType &type : codeTypes)
      for (const CodeType &y : codeTypes)
        batch.add(matmul(chance, type, y, depth));
  batch.check(96);
}

/// The comparison sees a single code that is wrong by one.
TEST(TosaWitness, FindsOneWrongCode) {
  EXPECT_EQ(convolutions(Form::Full, "disturbed", 1).countDisturbed(), 16u);
}

} // namespace
} // namespace parallax::tosa
