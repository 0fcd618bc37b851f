//===- Functions.cpp - Operators that ONNX lacks --------------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Each function is defined once: its body in ONNX's own textual form beside the
// operation that it is to us. The bodies use only operators that have the same
// form in every operator set since 17.
//===----------------------------------------------------------------------===//
#include "Functions.h"
#include "ImportLine.h"

#include <onnx/defs/parser.h>

namespace parallax::onnx_import {
namespace {

struct LocalFunction {
  StringRef name;
  /// Formal parameters and nodes.
  std::string definition;
  ImportFunction import;
};

/// A line whose operation has one more attribute, which the name implies.
template <typename OpTy>
ImportFunction implying(StringRef attribute,
                        std::function<Attribute(const Node &)> value,
                        std::vector<Parameter> parameters = {}) {
  return [=](Node &node) {
    Attributes attributes = readParameters(node, parameters);
    attributes.push_back(node.named(attribute, value(node)));
    node.emit<OpTy>(operandsOf(node, 1), attributes);
  };
}

ImportFunction gelu(StringRef approximation) {
  return implying<nn::GeluOp>("approximate", [=](const Node &node) {
    return node.word(approximation);
  });
}

ImportFunction boundedNormalization(int64_t p) {
  return implying<nn::LpNormalizationOp>(
      "p", [=](const Node &node) { return node.i64(p); },
      {axis(-1), real("epsilon")});
}

/// The conversion of YUV pictures. `planes` defines height, luma of N x H x W x
/// 1, chroma of pairs of codes, and how many rows repeat the same chroma;
/// `order` says whether U or V is the first of a pair.
LocalFunction colorConvert(StringRef name, StringRef format, StringRef planes,
                           StringRef order) {
  std::string definition = R"(<matrix, min_luma> (x) => (y) {
         zero = Constant <value_ints = [0]> ()
         one = Constant <value_ints = [1]> ()
         two = Constant <value_ints = [2]> ()
         three = Constant <value_ints = [3]> ()
         four = Constant <value_ints = [4]> ()
         wide = Cast <to = 7> (x)
         batch = Shape <start = 0, end = 1> (x)
         rows = Shape <start = 1, end = 2> (x)
         width = Shape <start = 2, end = 3> (x)
         pairs = Div (width, two)
         )" + planes.str() +
                           R"(
         picture = Concat <axis = 0> (batch, height, width)
         chroma_rows = Div (height, repeat)
         folded_shape = Concat <axis = 0>
             (batch, chroma_rows, one, pairs, one, two)
         folded = Reshape (chroma, folded_shape)
         repeated_shape = Concat <axis = 0>
             (batch, chroma_rows, repeat, pairs, two, two)
         repeated = Expand (folded, repeated_shape)
         full_shape = Concat <axis = 0> (picture, two)
         full = Reshape (repeated, full_shape)
         first = Slice (full, zero, one, three)
         second = Slice (full, one, two, three)
         least = Constant <value_int: int = @min_luma> ()
         raised = Max (luma, least)
         codes = Concat <axis = 3> (raised, )" +
                           order.str() + R"()
         coefficients = Constant <value_ints: ints = @matrix> ()
         matrix_shape = Constant <value_ints = [-1, 4]> ()
         matrix_rows = Reshape (coefficients, matrix_shape)
         factors = Slice (matrix_rows, zero, three, one)
         bias_column = Slice (matrix_rows, three, four, one)
         pixels = Unsqueeze (codes, three)
         products = Mul (pixels, factors)
         products_sum = ReduceSum <keepdims = 0> (products, four)
         rest = Constant <value_ints = [-1]> ()
         bias = Reshape (bias_column, rest)
         biased = Add (products_sum, bias)
         half = Constant <value_int = 32768> ()
         sum = Add (biased, half)
         lowest = Constant <value_int = 0> ()
         positive = Max (sum, lowest)
         unit = Constant <value_int = 65536> ()
         rounded = Div (positive, unit)
         highest = Constant <value_int = 255> ()
         clamped = Min (rounded, highest)
         y = Cast <to = 2> (clamped)
       })";
  return {name, definition,
          implying<nn::ColorConvertOp>(
              "format", [=](const Node &node) { return node.word(format); },
              {integers("matrix"), integer("min_luma")})};
}

/// Planes of luma above rows of chroma pairs.
constexpr StringRef planesOf420 = R"(thirds = Div (rows, three)
         height = Mul (thirds, two)
         luma = Slice (wide, zero, height, one)
         chroma = Slice (wide, height, rows, one)
         repeat = Constant <value_ints = [2]> ())";

/// Pixels of luma and one of two chroma codes, at `luma` and `chroma`.
std::string planesOf422(StringRef luma, StringRef lumaEnd, StringRef chroma,
                        StringRef chromaEnd) {
  return fmt::format(R"(height = Mul (rows, one)
         luma = Slice (wide, {}, {}, three)
         chroma = Slice (wide, {}, {}, three)
         repeat = Constant <value_ints = [1]> ())",
                     luma.str(), lumaEnd.str(), chroma.str(), chromaEnd.str());
}

/// The version of ONNX's own operator set that a function uses.
int64_t opsetOf(const onnx::FunctionProto &function) {
  for (const onnx::OperatorSetIdProto &id : function.opset_import())
    if (id.domain().empty())
      return id.version();
  return 0;
}

const std::vector<LocalFunction> &localFunctions() {
  static const std::vector<LocalFunction> functions = {
      {"Silu",
       R"((x) => (y) {
         gate = Sigmoid (x)
         y = Mul (x, gate)
       })",
       unary<nn::SiluOp>()},

      {"Mish",
       R"((x) => (y) {
         rectified = Softplus (x)
         gate = Tanh (rectified)
         y = Mul (x, gate)
       })",
       unary<nn::MishOp>()},

      {"Gelu",
       R"((x) => (y) {
         root_of_two = Constant <value_float = 1.4142135623730951> ()
         deviation = CastLike (root_of_two, x)
         scaled = Div (x, deviation)
         error = Erf (scaled)
         one_value = Constant <value_float = 1.0> ()
         one = CastLike (one_value, x)
         gate = Add (error, one)
         gated = Mul (x, gate)
         half_value = Constant <value_float = 0.5> ()
         half = CastLike (half_value, x)
         y = Mul (gated, half)
       })",
       gelu("none")},

      {"GeluTanh",
       R"((x) => (y) {
         cubic_value = Constant <value_float = 0.044715> ()
         cubic = CastLike (cubic_value, x)
         square = Mul (x, x)
         cube = Mul (square, x)
         correction = Mul (cube, cubic)
         corrected = Add (x, correction)
         slope_value = Constant <value_float = 0.7978845608028654> ()
         slope = CastLike (slope_value, x)
         scaled = Mul (corrected, slope)
         tangent = Tanh (scaled)
         one_value = Constant <value_float = 1.0> ()
         one = CastLike (one_value, x)
         gate = Add (tangent, one)
         gated = Mul (x, gate)
         half_value = Constant <value_float = 0.5> ()
         half = CastLike (half_value, x)
         y = Mul (gated, half)
       })",
       gelu("tanh")},

      {"FullyConnected",
       R"((x, weight, bias) => (y) {
         columns = Transpose <perm = [1, 0]> (weight)
         product = MatMul (x, columns)
         y = Add (product, bias)
       })",
       ternary<nn::FullyConnectedOp>()},

      {"FullyConnectedNoBias",
       R"((x, weight) => (y) {
         columns = Transpose <perm = [1, 0]> (weight)
         y = MatMul (x, columns)
       })",
       binary<nn::FullyConnectedOp>()},

      // Reshape copies an extent where it is asked for 0.
      {"ChannelShuffle",
       R"(<groups> (x) => (y) {
         shape = Shape (x)
         first = Constant <value_ints = [0]> ()
         group_count = Constant <value_int: int = @groups> ()
         group_extent = Unsqueeze (group_count, first)
         channels = Shape <start = 1, end = 2> (x)
         members = Div (channels, group_extent)
         rest = Constant <value_ints = [-1]> ()
         grouped_shape = Concat <axis = 0> (first, group_extent, members, rest)
         grouped = Reshape (x, grouped_shape)
         shuffled = Transpose <perm = [0, 2, 1, 3]> (grouped)
         y = Reshape (shuffled, shape)
       })",
       unary<nn::ChannelShuffleOp>({requiredInteger("groups")})},

      colorConvert("Yuv420spToColors", "YUV420SP", planesOf420,
                   "first, second"),
      colorConvert("Yvu420spToColors", "YVU420SP", planesOf420,
                   "second, first"),
      colorConvert("Yuyv422ToColors", "YUYV422",
                   planesOf422("zero", "one", "one", "two"), "first, second"),
      colorConvert("Uyvy422ToColors", "UYVY422",
                   planesOf422("one", "two", "zero", "one"), "first, second"),

      {"Normalize",
       R"(<axis, mean, std> (x) => (y) {
         means = Constant <value_floats: floats = @mean> ()
         deviations = Constant <value_floats: floats = @std> ()
         extents = Shape <start: int = @axis> (x)
         one = Constant <value_ints = [1]> ()
         zeros = Sub (extents, extents)
         ones = Add (zeros, one)
         last = Shape (ones)
         trailing = Slice (ones, one, last)
         channels = Shape (means)
         shape = Concat <axis = 0> (channels, trailing)
         offset = Reshape (means, shape)
         divisor = Reshape (deviations, shape)
         centered = Sub (x, offset)
         y = Div (centered, divisor)
       })",
       unary<nn::NormalizeOp>({axis(1), reals("mean"), reals("std")})},

      {"RMSNormalization",
       R"(<axis, epsilon> (x, scale) => (y) {
         shape = Shape (x)
         rows = Flatten <axis: int = @axis> (x)
         squares = Mul (rows, rows)
         last = Constant <value_ints = [1]> ()
         sum = ReduceSum <keepdims = 1> (squares, last)
         extent = Shape <start = 1> (rows)
         count = CastLike (extent, x)
         mean = Div (sum, count)
         epsilon_value = Constant <value_float: float = @epsilon> ()
         least = CastLike (epsilon_value, x)
         raised = Add (mean, least)
         root = Sqrt (raised)
         normalized_rows = Div (rows, root)
         normalized = Reshape (normalized_rows, shape)
         y = Mul (normalized, scale)
       })",
       binary<nn::RMSNormalizationOp>({axis(-1), real("epsilon")})},

      {"GroupNormalization",
       R"(<num_groups, epsilon> (x, scale, bias) => (y) {
         shape = Shape (x)
         first = Constant <value_ints = [0]> ()
         rest = Constant <value_ints = [-1]> ()
         group_count = Constant <value_int: int = @num_groups> ()
         group_extent = Unsqueeze (group_count, first)
         grouped_shape = Concat <axis = 0> (first, group_extent, rest)
         grouped = Reshape (x, grouped_shape)
         one_value = Constant <value_float = 1.0> ()
         one = CastLike (one_value, x)
         ones = Expand (one, group_extent)
         zeros = Sub (ones, ones)
         normalized_groups = InstanceNormalization
             <epsilon: float = @epsilon> (grouped, ones, zeros)
         channel_shape = Constant <value_ints = [0, 0, -1]> ()
         restored = Reshape (normalized_groups, shape)
         channels = Reshape (restored, channel_shape)
         last = Constant <value_ints = [1]> ()
         scale_column = Unsqueeze (scale, last)
         scaled = Mul (channels, scale_column)
         bias_column = Unsqueeze (bias, last)
         shifted = Add (scaled, bias_column)
         y = Reshape (shifted, shape)
       })",
       ternary<nn::GroupNormalizationOp>(
           {real("epsilon"), requiredInteger("num_groups")})},

      {"L1Normalization",
       R"(<axis, epsilon> (x) => (y) {
         first = Constant <value_ints = [0]> ()
         axis_value = Constant <value_int: int = @axis> ()
         axes = Unsqueeze (axis_value, first)
         magnitudes = Abs (x)
         norm = ReduceSum <keepdims = 1> (magnitudes, axes)
         epsilon_value = Constant <value_float: float = @epsilon> ()
         least = CastLike (epsilon_value, x)
         divisor = Max (norm, least)
         y = Div (x, divisor)
       })",
       boundedNormalization(1)},

      {"L2Normalization",
       R"(<axis, epsilon> (x) => (y) {
         first = Constant <value_ints = [0]> ()
         axis_value = Constant <value_int: int = @axis> ()
         axes = Unsqueeze (axis_value, first)
         squares = Mul (x, x)
         sum = ReduceSum <keepdims = 1> (squares, axes)
         norm = Sqrt (sum)
         epsilon_value = Constant <value_float: float = @epsilon> ()
         least = CastLike (epsilon_value, x)
         divisor = Max (norm, least)
         y = Div (x, divisor)
       })",
       boundedNormalization(2)},
  };
  return functions;
}

} // namespace

const ImportFunction *OwnFunctions::find(StringRef domain, StringRef name) {
  if (domain != functionDomain)
    return nullptr;
  auto [it, isNew] = known.try_emplace(name, nullptr);
  if (!isNew)
    return it->second;
  auto function = llvm::find_if(localFunctions(), [&](const auto &function) {
    return function.name == name;
  });
  if (function == localFunctions().end())
    return nullptr;
  for (const onnx::OperatorSetIdProto &id : model.opset_import())
    if (id.domain() == functionDomain && id.version() != functionDomainVersion)
      return nullptr;
  for (const onnx::FunctionProto &other : model.functions())
    if (other.domain() == functionDomain && other.name() == name &&
        other.SerializeAsString() !=
            defineFunction(name, opsetOf(other)).SerializeAsString())
      return nullptr;
  return it->second = &function->import;
}

onnx::FunctionProto defineFunction(StringRef name, int64_t opset) {
  for (const LocalFunction &function : localFunctions()) {
    if (function.name != name)
      continue;
    std::string text =
        fmt::format("<domain: \"{}\", opset_import: [\"\" : {}]>\n{} {}",
                    functionDomain, opset, name.str(), function.definition);
    onnx::FunctionProto proto;
    auto status = onnx::OnnxParser::Parse(proto, text.c_str());
    if (!status.IsOK())
      throw std::logic_error(status.ErrorMessage());
    return proto;
  }
  throw std::logic_error("there is no function " + name.str());
}

} // namespace parallax::onnx_import
