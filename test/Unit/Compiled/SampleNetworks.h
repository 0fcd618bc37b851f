//===- SampleNetworks.h - Networks with every operation --------*- C++ -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Float networks that together lower to every operation of the NPU. The
// compiled models of these are what the reader's tests damage and what its
// fuzzer starts from.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_TEST_UNIT_COMPILED_SAMPLENETWORKS_H
#define PARALLAX_TEST_UNIT_COMPILED_SAMPLENETWORKS_H

namespace parallax {

struct SampleNetwork {
  const char *name;
  /// Of codes and weights.
  int bits;
  /// A layer that stays float, or nothing.
  const char *floatLayer;
  const char *text;
};

/// Convolutions of all kinds, pooling, resize, and what is known per channel.
inline constexpr const char *visionText = R"(
func.func @main(%x: tensor<1x4x8x8xf32> {nn.name = "x"}) -> (tensor<1x6xf32> {nn.name = "out"}, tensor<1x8x15x15xf32> {nn.name = "up"}) {
  %w0 = nn.constant RANDOM : tensor<8x4x3x3xf32> loc("w0"("w0"))
  %b0 = nn.constant RANDOM : tensor<8xf32> loc("b0"("b0"))
  %w1 = nn.constant RANDOM : tensor<8x1x3x3xf32> loc("w1"("w1"))
  %w2 = nn.constant RANDOM : tensor<8x4x3x3xf32> loc("w2"("w2"))
  %w3 = nn.constant RANDOM : tensor<6x16xf32> loc("w3"("w3"))
  %s = nn.constant dense<[[[0.25]], [[0.5]], [[0.1]], [[0.2]], [[0.3]], [[0.4]], [[0.5]], [[0.6]]]> : tensor<8x1x1xf32> loc("s"("s"))
  %g = nn.constant dense<[1.0, 2.0, 1.0, 2.0, 1.0, 2.0, 1.0, 2.0]> : tensor<8xf32> loc("g"("g"))
  %v = nn.constant dense<[1.0, 2.0, 1.5, 2.0, 1.0, 2.5, 1.0, 2.0]> : tensor<8xf32> loc("v"("v"))
  %0 = nn.conv %x, %w0, %b0 {dilations = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>, strides = array<i64: 1, 1>}
    : (tensor<1x4x8x8xf32>, tensor<8x4x3x3xf32>, tensor<8xf32>) -> tensor<1x8x8x8xf32> loc("conv"("c"))
  %1 = nn.relu %0 : (tensor<1x8x8x8xf32>) -> tensor<1x8x8x8xf32> loc("relu"("r"))
  %2 = nn.conv %1, %w1 {dilations = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>, strides = array<i64: 1, 1>, group = 8 : i64}
    : (tensor<1x8x8x8xf32>, tensor<8x1x3x3xf32>) -> tensor<1x8x8x8xf32> loc("depthwise"("d"))
  %3 = nn.batch_normalization %2, %g, %g, %v, %v : (tensor<1x8x8x8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<1x8x8x8xf32> loc("batch"("n"))
  %4 = nn.prelu %3, %s : (tensor<1x8x8x8xf32>, tensor<8x1x1xf32>) -> tensor<1x8x8x8xf32> loc("prelu"("q"))
  %5 = nn.add %1, %4 : (tensor<1x8x8x8xf32>, tensor<1x8x8x8xf32>) -> tensor<1x8x8x8xf32> loc("add"("a"))
  %6 = nn.sigmoid %5 : (tensor<1x8x8x8xf32>) -> tensor<1x8x8x8xf32> loc("sigmoid"("i"))
  %7 = nn.mul %5, %6 : (tensor<1x8x8x8xf32>, tensor<1x8x8x8xf32>) -> tensor<1x8x8x8xf32> loc("mul"("m"))
  %8 = nn.concat %7, %2 {axis = 1 : i64} : (tensor<1x8x8x8xf32>, tensor<1x8x8x8xf32>) -> tensor<1x16x8x8xf32> loc("concat"("k"))
  %9 = nn.max_pool %8 {kernel = array<i64: 2, 2>, strides = array<i64: 2, 2>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>}
    : (tensor<1x16x8x8xf32>) -> tensor<1x16x4x4xf32> loc("max"("p"))
  %10 = nn.average_pool %9 {kernel = array<i64: 3, 3>, strides = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>, dilations = array<i64: 1, 1>}
    : (tensor<1x16x4x4xf32>) -> tensor<1x16x4x4xf32> loc("average"("o"))
  %11 = nn.lp_pool %10 {kernel = array<i64: 2, 2>, strides = array<i64: 2, 2>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, p = 2 : i64}
    : (tensor<1x16x4x4xf32>) -> tensor<1x16x2x2xf32> loc("lp"("l"))
  %12 = nn.global_average_pool %11 : (tensor<1x16x2x2xf32>) -> tensor<1x16x1x1xf32> loc("global"("e"))
  %13 = nn.reshape %12 {shape = array<i64: 1, 16>} : (tensor<1x16x1x1xf32>) -> tensor<1x16xf32> loc("reshape"("f"))
  %14 = nn.fully_connected %13, %w3 : (tensor<1x16xf32>, tensor<6x16xf32>) -> tensor<1x6xf32> loc("fc"("h"))
  %15 = nn.softmax %14 {axis = -1 : i64} : (tensor<1x6xf32>) -> tensor<1x6xf32> loc("softmax"("y"))
  %16 = nn.conv_transpose %7, %w2 {dilations = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>, strides = array<i64: 2, 2>, output_padding = array<i64: 0, 0>, group = 2 : i64}
    : (tensor<1x8x8x8xf32>, tensor<8x4x3x3xf32>) -> tensor<1x8x15x15xf32> loc("transposed"("t"))
  %17 = nn.resize %7 {sizes = array<i64: 1, 8, 15, 15>, scales = array<f32: 1.0, 1.0, 1.875, 1.875>, mode = "linear"}
    : (tensor<1x8x8x8xf32>) -> tensor<1x8x15x15xf32> loc("resize"("z"))
  %18 = nn.sub %16, %17 : (tensor<1x8x15x15xf32>, tensor<1x8x15x15xf32>) -> tensor<1x8x15x15xf32> loc("sub"("u"))
  return %15, %18 : tensor<1x6xf32>, tensor<1x8x15x15xf32>
}
)";

/// Attention, norms, reductions and comparisons.
inline constexpr const char *sequenceText = R"(
func.func @main(%x: tensor<2x6x8xf32> {nn.name = "x"}) -> (tensor<2x6x8xf32> {nn.name = "out"}, tensor<2x6x1xf32> {nn.name = "sums"}, tensor<2x6x1xi64> {nn.name = "best"}, tensor<2x6x8xf32> {nn.name = "again"}) {
  %w0 = nn.constant RANDOM : tensor<8x8xf32> loc("w0"("w0"))
  %w1 = nn.constant RANDOM : tensor<8x8xf32> loc("w1"("w1"))
  %g = nn.constant dense<[1.0, 2.0, 1.0, 0.5, 1.0, 2.0, 1.0, 0.25]> : tensor<8xf32> loc("g"("g"))
  %b = nn.constant dense<[0.5, 0.0, 0.25, 0.0, 0.5, 0.0, 0.25, 0.0]> : tensor<8xf32> loc("b"("b"))
  %0 = nn.layer_normalization %x, %g, %b {axis = -1 : i64} : (tensor<2x6x8xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<2x6x8xf32> loc("norm"("n"))
  %1 = nn.matmul %0, %w0 : (tensor<2x6x8xf32>, tensor<8x8xf32>) -> tensor<2x6x8xf32> loc("query"("q"))
  %2 = nn.matmul %0, %w1 : (tensor<2x6x8xf32>, tensor<8x8xf32>) -> tensor<2x6x8xf32> loc("key"("k"))
  %3 = nn.transpose %2 {perm = array<i64: 0, 2, 1>} : (tensor<2x6x8xf32>) -> tensor<2x8x6xf32> loc("transpose"("t"))
  %4 = nn.matmul %1, %3 : (tensor<2x6x8xf32>, tensor<2x8x6xf32>) -> tensor<2x6x6xf32> loc("scores"("s"))
  %5 = nn.softmax %4 {axis = -1 : i64} : (tensor<2x6x6xf32>) -> tensor<2x6x6xf32> loc("attention"("a"))
  %6 = nn.matmul %5, %0 : (tensor<2x6x6xf32>, tensor<2x6x8xf32>) -> tensor<2x6x8xf32> loc("mix"("m"))
  %7 = nn.gelu %6 : (tensor<2x6x8xf32>) -> tensor<2x6x8xf32> loc("gelu"("e"))
  %8 = nn.rms_normalization %7, %g {axis = -1 : i64} : (tensor<2x6x8xf32>, tensor<8xf32>) -> tensor<2x6x8xf32> loc("rms"("r"))
  %9 = nn.less %8, %0 : (tensor<2x6x8xf32>, tensor<2x6x8xf32>) -> tensor<2x6x8xi1> loc("less"("c"))
  %10 = nn.where %9, %8, %0 : (tensor<2x6x8xi1>, tensor<2x6x8xf32>, tensor<2x6x8xf32>) -> tensor<2x6x8xf32> loc("where"("w"))
  %11 = nn.exp %10 : (tensor<2x6x8xf32>) -> tensor<2x6x8xf32> loc("exp"("x1"))
  %12 = nn.div %10, %11 : (tensor<2x6x8xf32>, tensor<2x6x8xf32>) -> tensor<2x6x8xf32> loc("div"("d"))
  %13 = nn.cum_sum %12 {axis = 1 : i64} : (tensor<2x6x8xf32>) -> tensor<2x6x8xf32> loc("cum"("u"))
  %14 = nn.log_softmax %13 {axis = -1 : i64} : (tensor<2x6x8xf32>) -> tensor<2x6x8xf32> loc("log"("l"))
  %15 = nn.reduce_l2 %11 {axes = array<i64: 2>} : (tensor<2x6x8xf32>) -> tensor<2x6x1xf32> loc("l2"("l2"))
  %16 = nn.reduce_log_sum_exp %10 {axes = array<i64: 2>} : (tensor<2x6x8xf32>) -> tensor<2x6x1xf32> loc("lse"("lse"))
  %17 = nn.reduce_mean %10 {axes = array<i64: 2>} : (tensor<2x6x8xf32>) -> tensor<2x6x1xf32> loc("mean"("mean"))
  %18 = nn.add %15, %16 : (tensor<2x6x1xf32>, tensor<2x6x1xf32>) -> tensor<2x6x1xf32> loc("sum1"("s1"))
  %19 = nn.add %18, %17 : (tensor<2x6x1xf32>, tensor<2x6x1xf32>) -> tensor<2x6x1xf32> loc("sum2"("s2"))
  %20 = nn.arg_max %14 {axis = 2 : i64} : (tensor<2x6x8xf32>) -> tensor<2x6x1xi64> loc("best"("b1"))
  return %14, %19, %20, %14 : tensor<2x6x8xf32>, tensor<2x6x1xf32>, tensor<2x6x1xi64>, tensor<2x6x8xf32>
}
)";

inline constexpr const char *recurrentText = R"(
func.func @main(%x: tensor<5x2x3xf32> {nn.name = "x"}) -> (tensor<5x1x2x4xf32> {nn.name = "out"}, tensor<1x2x4xf32> {nn.name = "last"}) {
  %n = nn.constant dense<5> : tensor<2xi32> loc("n"("n"))
  %h = nn.constant dense<0.0> : tensor<1x2x4xf32> loc("h"("h"))
  %w0 = nn.constant RANDOM : tensor<1x16x3xf32> loc("w0"("w0"))
  %r0 = nn.constant RANDOM : tensor<1x16x4xf32> loc("r0"("r0"))
  %b0 = nn.constant RANDOM : tensor<1x32xf32> loc("b0"("b0"))
  %p0 = nn.constant dense<0.0> : tensor<1x12xf32> loc("p0"("p0"))
  %w1 = nn.constant RANDOM : tensor<1x12x4xf32> loc("w1"("w1"))
  %r1 = nn.constant RANDOM : tensor<1x12x4xf32> loc("r1"("r1"))
  %b1 = nn.constant RANDOM : tensor<1x24xf32> loc("b1"("b1"))
  %w2 = nn.constant RANDOM : tensor<1x4x4xf32> loc("w2"("w2"))
  %r2 = nn.constant RANDOM : tensor<1x4x4xf32> loc("r2"("r2"))
  %b2 = nn.constant RANDOM : tensor<1x8xf32> loc("b2"("b2"))
  %0:3 = nn.lstm %x, %w0, %r0, %b0, %n, %h, %h, %p0 {activation_alpha = array<f32>, activation_beta = array<f32>, activations = ["Sigmoid", "Tanh", "Tanh"], hidden_size = 4 : i64}
    : (tensor<5x2x3xf32>, tensor<1x16x3xf32>, tensor<1x16x4xf32>, tensor<1x32xf32>, tensor<2xi32>, tensor<1x2x4xf32>, tensor<1x2x4xf32>, tensor<1x12xf32>) -> (tensor<5x1x2x4xf32>, tensor<1x2x4xf32>, tensor<1x2x4xf32>) loc("lstm"(fused["y0", "h0", "c0"]))
  %1 = nn.reshape %0#0 {shape = array<i64: 5, 2, 4>} : (tensor<5x1x2x4xf32>) -> tensor<5x2x4xf32> loc("reshape1"("f1"))
  %2:2 = nn.gru %1, %w1, %r1, %b1, %n, %h {activation_alpha = array<f32>, activation_beta = array<f32>, activations = ["Sigmoid", "Tanh"], hidden_size = 4 : i64}
    : (tensor<5x2x4xf32>, tensor<1x12x4xf32>, tensor<1x12x4xf32>, tensor<1x24xf32>, tensor<2xi32>, tensor<1x2x4xf32>) -> (tensor<5x1x2x4xf32>, tensor<1x2x4xf32>) loc("gru"(fused["y1", "h1"]))
  %3 = nn.reshape %2#0 {shape = array<i64: 5, 2, 4>} : (tensor<5x1x2x4xf32>) -> tensor<5x2x4xf32> loc("reshape2"("f2"))
  %4:2 = nn.rnn %3, %w2, %r2, %b2, %n, %h {activation_alpha = array<f32>, activation_beta = array<f32>, activations = ["Tanh"], hidden_size = 4 : i64}
    : (tensor<5x2x4xf32>, tensor<1x4x4xf32>, tensor<1x4x4xf32>, tensor<1x8xf32>, tensor<2xi32>, tensor<1x2x4xf32>) -> (tensor<5x1x2x4xf32>, tensor<1x2x4xf32>) loc("rnn"(fused["y2", "h2"]))
  return %4#0, %4#1 : tensor<5x1x2x4xf32>, tensor<1x2x4xf32>
}
)";

/// An input that is an output, a constant that is one, and a layer whose
/// result depends on data.
inline constexpr const char *portsText = R"(
func.func @main(%x: tensor<2x4xf32> {nn.name = "x"}) -> (tensor<2x4xf32> {nn.name = "x"}, tensor<2xf32> {nn.name = "k"}, tensor<2x?xi64> {nn.name = "where"}, tensor<2x4xf32> {nn.name = "copy"}) {
  %k = nn.constant dense<[1.0, 2.0]> : tensor<2xf32> loc("k"("k"))
  %0 = nn.non_zero %x : (tensor<2x4xf32>) -> tensor<2x?xi64> loc("non_zero"("z"))
  return %x, %k, %0, %x : tensor<2x4xf32>, tensor<2xf32>, tensor<2x?xi64>, tensor<2x4xf32>
}
)";

inline constexpr SampleNetwork sampleNetworks[] = {
    {"vision8", 8, nullptr, visionText},
    {"vision16", 16, nullptr, visionText},
    {"island", 8, "softmax", visionText},
    {"sequence8", 8, nullptr, sequenceText},
    {"sequence16", 16, nullptr, sequenceText},
    {"recurrent8", 8, nullptr, recurrentText},
    {"ports", 8, nullptr, portsText},
};

} // namespace parallax

#endif // PARALLAX_TEST_UNIT_COMPILED_SAMPLENETWORKS_H
