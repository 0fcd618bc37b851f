//===- Networks.h - Small networks with every kind of layer ----*- C++ -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Float networks whose constants RANDOM are any numbers. Extents are odd, and
// channels more and fewer than a vector has lanes.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_TEST_UNIT_WITNESS_NETWORKS_H
#define PARALLAX_TEST_UNIT_WITNESS_NETWORKS_H

namespace parallax::networks {

inline constexpr const char *convolutional = R"(
func.func @main(%x: tensor<2x3x9x11xf32> {nn.name = "x"}) -> (tensor<2x5xf32> {nn.name = "out"}) {
  %w0 = nn.constant RANDOM : tensor<20x3x3x3xf32> loc("w0"("w0"))
  %b0 = nn.constant RANDOM : tensor<20xf32> loc("b0"("b0"))
  %w1 = nn.constant RANDOM : tensor<6x10x2x3xf32> loc("w1"("w1"))
  %w2 = nn.constant RANDOM : tensor<6x4x3x3xf32> loc("w2"("w2"))
  %w3 = nn.constant RANDOM : tensor<5x4xf32> loc("w3"("w3"))
  %b3 = nn.constant RANDOM : tensor<5xf32> loc("b3"("b3"))
  %0 = nn.conv %x, %w0, %b0 {dilations = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>, strides = array<i64: 1, 1>}
    : (tensor<2x3x9x11xf32>, tensor<20x3x3x3xf32>, tensor<20xf32>) -> tensor<2x20x9x11xf32> loc("conv"("c0"))
  %1 = nn.relu %0 : (tensor<2x20x9x11xf32>) -> tensor<2x20x9x11xf32> loc("relu"("r0"))
  %2 = nn.max_pool %1 {kernel = array<i64: 3, 2>, strides = array<i64: 2, 2>, pads = array<i64: 1, 0, 1, 1>, dilations = array<i64: 1, 1>}
    : (tensor<2x20x9x11xf32>) -> tensor<2x20x5x6xf32> loc("pool"("p0"))
  %3 = nn.conv %2, %w1 {dilations = array<i64: 2, 1>, pads = array<i64: 1, 0, 1, 2>, strides = array<i64: 1, 2>, group = 2 : i64}
    : (tensor<2x20x5x6xf32>, tensor<6x10x2x3xf32>) -> tensor<2x6x5x3xf32> loc("grouped"("c1"))
  %4 = nn.conv_transpose %3, %w2 {dilations = array<i64: 1, 1>, pads = array<i64: 1, 1, 0, 1>, strides = array<i64: 2, 1>, output_padding = array<i64: 0, 0>}
    : (tensor<2x6x5x3xf32>, tensor<6x4x3x3xf32>) -> tensor<2x4x10x3xf32> loc("transposed"("c2"))
  %5 = nn.average_pool %4 {kernel = array<i64: 3, 3>, strides = array<i64: 2, 1>, pads = array<i64: 1, 1, 1, 1>, dilations = array<i64: 1, 1>}
    : (tensor<2x4x10x3xf32>) -> tensor<2x4x5x3xf32> loc("average"("a0"))
  %6 = nn.global_average_pool %5 : (tensor<2x4x5x3xf32>) -> tensor<2x4x1x1xf32> loc("global"("g0"))
  %7 = nn.reshape %6 {shape = array<i64: 2, 4>} : (tensor<2x4x1x1xf32>) -> tensor<2x4xf32> loc("reshape"("f0"))
  %8 = nn.fully_connected %7, %w3, %b3 : (tensor<2x4xf32>, tensor<5x4xf32>, tensor<5xf32>) -> tensor<2x5xf32> loc("fc"("h0"))
  return %8 : tensor<2x5xf32>
}
)";

inline constexpr const char *residual = R"(
func.func @main(%x: tensor<1x8x6x7xf32> {nn.name = "x"}) -> (tensor<1x8x12x10xf32> {nn.name = "out"}) {
  %w0 = nn.constant RANDOM : tensor<8x8x3x3xf32> loc("w0"("w0"))
  %w1 = nn.constant RANDOM : tensor<8x8x1x1xf32> loc("w1"("w1"))
  %b1 = nn.constant RANDOM : tensor<8xf32> loc("b1"("b1"))
  %0 = nn.conv %x, %w0 {dilations = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>, strides = array<i64: 1, 1>}
    : (tensor<1x8x6x7xf32>, tensor<8x8x3x3xf32>) -> tensor<1x8x6x7xf32> loc("conv0"("c0"))
  %1 = nn.clip %0 {min = 0.0 : f64, max = 1.0 : f64} : (tensor<1x8x6x7xf32>) -> tensor<1x8x6x7xf32> loc("clip"("k0"))
  %2 = nn.conv %1, %w1, %b1 {dilations = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1>}
    : (tensor<1x8x6x7xf32>, tensor<8x8x1x1xf32>, tensor<8xf32>) -> tensor<1x8x6x7xf32> loc("conv1"("c1"))
  %3 = nn.add %2, %x : (tensor<1x8x6x7xf32>, tensor<1x8x6x7xf32>) -> tensor<1x8x6x7xf32> loc("add"("a0"))
  %4 = nn.relu %3 : (tensor<1x8x6x7xf32>) -> tensor<1x8x6x7xf32> loc("relu"("r0"))
  %5 = nn.sub %4, %2 : (tensor<1x8x6x7xf32>, tensor<1x8x6x7xf32>) -> tensor<1x8x6x7xf32> loc("sub"("s0"))
  %6 = nn.leaky_relu %5 {alpha = 0.1 : f32} : (tensor<1x8x6x7xf32>) -> tensor<1x8x6x7xf32> loc("leaky"("l0"))
  %7 = nn.reduce_mean %6 {axes = array<i64: 2, 3>} : (tensor<1x8x6x7xf32>) -> tensor<1x8x1x1xf32> loc("mean"("m0"))
  %8 = nn.sigmoid %7 : (tensor<1x8x1x1xf32>) -> tensor<1x8x1x1xf32> loc("gate"("g0"))
  %9 = nn.mul %6, %8 : (tensor<1x8x6x7xf32>, tensor<1x8x1x1xf32>) -> tensor<1x8x6x7xf32> loc("mul"("m1"))
  %10 = nn.concat %9, %4 {axis = 2 : i64} : (tensor<1x8x6x7xf32>, tensor<1x8x6x7xf32>) -> tensor<1x8x12x7xf32> loc("concat"("k1"))
  %11 = nn.resize %10 {sizes = array<i64: 1, 8, 12, 10>, scales = array<f32: 1.0, 1.0, 1.0, 1.42857146>, mode = "linear", coordinate_mode = "half_pixel", nearest_mode = "floor"}
    : (tensor<1x8x12x7xf32>) -> tensor<1x8x12x10xf32> loc("resize"("z0"))
  return %11 : tensor<1x8x12x10xf32>
}
)";

inline constexpr const char *attention = R"(
func.func @main(%x: tensor<2x7x24xf32> {nn.name = "x"}) -> (tensor<2x7x24xf32> {nn.name = "out"}) {
  %wq = nn.constant RANDOM : tensor<24x24xf32> loc("wq"("wq"))
  %wk = nn.constant RANDOM : tensor<24x24xf32> loc("wk"("wk"))
  %wv = nn.constant RANDOM : tensor<24x24xf32> loc("wv"("wv"))
  %bv = nn.constant RANDOM : tensor<24xf32> loc("bv"("bv"))
  %gamma = nn.constant RANDOM : tensor<24xf32> loc("gamma"("gamma"))
  %beta = nn.constant RANDOM : tensor<24xf32> loc("beta"("beta"))
  %q = nn.fully_connected %x, %wq : (tensor<2x7x24xf32>, tensor<24x24xf32>) -> tensor<2x7x24xf32> loc("q"("q"))
  %k = nn.fully_connected %x, %wk : (tensor<2x7x24xf32>, tensor<24x24xf32>) -> tensor<2x7x24xf32> loc("k"("k"))
  %v = nn.fully_connected %x, %wv, %bv : (tensor<2x7x24xf32>, tensor<24x24xf32>, tensor<24xf32>) -> tensor<2x7x24xf32> loc("v"("v"))
  %t = nn.transpose %k {perm = array<i64: 0, 2, 1>} : (tensor<2x7x24xf32>) -> tensor<2x24x7xf32> loc("t"("t"))
  %s = nn.matmul %q, %t : (tensor<2x7x24xf32>, tensor<2x24x7xf32>) -> tensor<2x7x7xf32> loc("scores"("s"))
  %p = nn.softmax %s {axis = -1 : i64} : (tensor<2x7x7xf32>) -> tensor<2x7x7xf32> loc("softmax"("p"))
  %c = nn.matmul %p, %v : (tensor<2x7x7xf32>, tensor<2x7x24xf32>) -> tensor<2x7x24xf32> loc("context"("c"))
  %a = nn.add %c, %x : (tensor<2x7x24xf32>, tensor<2x7x24xf32>) -> tensor<2x7x24xf32> loc("add"("a"))
  %n = nn.layer_normalization %a, %gamma, %beta {axis = -1 : i64, epsilon = 1.0e-5 : f32}
    : (tensor<2x7x24xf32>, tensor<24xf32>, tensor<24xf32>) -> tensor<2x7x24xf32> loc("norm"("n"))
  %g = nn.gelu %n : (tensor<2x7x24xf32>) -> tensor<2x7x24xf32> loc("gelu"("g"))
  %r = nn.rms_normalization %g, %gamma {axis = -1 : i64, epsilon = 1.0e-6 : f32}
    : (tensor<2x7x24xf32>, tensor<24xf32>) -> tensor<2x7x24xf32> loc("rms"("r"))
  %l = nn.log_softmax %r {axis = 1 : i64} : (tensor<2x7x24xf32>) -> tensor<2x7x24xf32> loc("log"("l"))
  return %l : tensor<2x7x24xf32>
}
)";

inline constexpr const char *mobile = R"(
func.func @main(%x: tensor<1x8x9x9xf32> {nn.name = "x"}) -> (tensor<1x12x5x5xf32> {nn.name = "out"}) {
  %w0 = nn.constant RANDOM : tensor<8x1x3x3xf32> loc("w0"("w0"))
  %b0 = nn.constant RANDOM : tensor<8xf32> loc("b0"("b0"))
  %w1 = nn.constant RANDOM : tensor<12x8x1x1xf32> loc("w1"("w1"))
  %w2 = nn.constant RANDOM : tensor<12x1x5x5xf32> loc("w2"("w2"))
  %slope = nn.constant RANDOM : tensor<12x1x1xf32> loc("slope"("slope"))
  %0 = nn.conv %x, %w0, %b0 {dilations = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>, strides = array<i64: 1, 1>, group = 8 : i64}
    : (tensor<1x8x9x9xf32>, tensor<8x1x3x3xf32>, tensor<8xf32>) -> tensor<1x8x9x9xf32> loc("depthwise"("d0"))
  %1 = nn.hard_swish %0 : (tensor<1x8x9x9xf32>) -> tensor<1x8x9x9xf32> loc("swish"("s0"))
  %2 = nn.conv %1, %w1 {dilations = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1>}
    : (tensor<1x8x9x9xf32>, tensor<12x8x1x1xf32>) -> tensor<1x12x9x9xf32> loc("pointwise"("c0"))
  %3 = nn.prelu %2, %slope : (tensor<1x12x9x9xf32>, tensor<12x1x1xf32>) -> tensor<1x12x9x9xf32> loc("prelu"("l0"))
  %4 = nn.conv %3, %w2 {dilations = array<i64: 1, 1>, pads = array<i64: 2, 2, 2, 2>, strides = array<i64: 2, 2>, group = 12 : i64}
    : (tensor<1x12x9x9xf32>, tensor<12x1x5x5xf32>) -> tensor<1x12x5x5xf32> loc("strided"("d1"))
  %5 = nn.hard_sigmoid %4 {alpha = 0.16666667 : f32, beta = 0.5 : f32} : (tensor<1x12x5x5xf32>) -> tensor<1x12x5x5xf32> loc("sigmoid"("h0"))
  %6 = nn.mul %4, %5 : (tensor<1x12x5x5xf32>, tensor<1x12x5x5xf32>) -> tensor<1x12x5x5xf32> loc("mul"("m0"))
  %7 = nn.tanh %6 : (tensor<1x12x5x5xf32>) -> tensor<1x12x5x5xf32> loc("tanh"("t0"))
  return %7 : tensor<1x12x5x5xf32>
}
)";

inline constexpr const char *movement = R"(
func.func @main(%x: tensor<2x8x6x5xf32> {nn.name = "x"}) -> (tensor<2x2x10x9xf32> {nn.name = "out"}) {
  %w = nn.constant RANDOM : tensor<8x1x1x1xf32> loc("w"("w"))
  %0 = nn.conv %x, %w {dilations = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1>, group = 8 : i64}
    : (tensor<2x8x6x5xf32>, tensor<8x1x1x1xf32>) -> tensor<2x8x6x5xf32> loc("conv"("c0"))
  %1 = nn.concat %x, %0 {axis = 1 : i64} : (tensor<2x8x6x5xf32>, tensor<2x8x6x5xf32>) -> tensor<2x16x6x5xf32> loc("concat"("k0"))
  %2 = nn.pad %1 {pads = array<i64: 0, 0, 1, 0, 0, 0, 0, 2>, mode = "constant", value = 0.3 : f64} : (tensor<2x16x6x5xf32>) -> tensor<2x16x7x7xf32> loc("pad"("p0"))
  %3 = nn.pad %1 {pads = array<i64: 0, 0, 0, 1, 0, 0, 1, 1>, mode = "reflect"} : (tensor<2x16x6x5xf32>) -> tensor<2x16x7x7xf32> loc("reflect"("p1"))
  %4 = nn.max %2, %3 : (tensor<2x16x7x7xf32>, tensor<2x16x7x7xf32>) -> tensor<2x16x7x7xf32> loc("max"("m0"))
  %5 = nn.min %4, %2 : (tensor<2x16x7x7xf32>, tensor<2x16x7x7xf32>) -> tensor<2x16x7x7xf32> loc("min"("m1"))
  %6 = nn.slice %5 {starts = array<i64: 0, 0, 1, 6>, sizes = array<i64: 2, 16, 5, 5>, steps = array<i64: 1, 1, 1, -1>} : (tensor<2x16x7x7xf32>) -> tensor<2x16x5x5xf32> loc("slice"("l0"))
  %7 = nn.depth_to_space %6 {blocksize = 2 : i64, mode = "CRD"} : (tensor<2x16x5x5xf32>) -> tensor<2x4x10x10xf32> loc("depth"("d0"))
  %8 = nn.max_pool %7 {kernel = array<i64: 2, 3>, strides = array<i64: 1, 1>, pads = array<i64: 1, 1, 0, 1>, dilations = array<i64: 1, 1>}
    : (tensor<2x4x10x10xf32>) -> tensor<2x4x10x10xf32> loc("pool"("o0"))
  %9, %10 = nn.split %8 {axis = 1 : i64, sizes = array<i64: 2, 2>} : (tensor<2x4x10x10xf32>) -> (tensor<2x2x10x10xf32>, tensor<2x2x10x10xf32>) loc("split"(fused["t0", "t1"]))
  %11 = nn.resize %9 {sizes = array<i64: 2, 2, 10, 9>, scales = array<f32: 1.0, 1.0, 1.0, 0.9>, mode = "nearest", coordinate_mode = "asymmetric", nearest_mode = "floor"}
    : (tensor<2x2x10x10xf32>) -> tensor<2x2x10x9xf32> loc("nearest"("n0"))
  %12 = nn.global_max_pool %10 : (tensor<2x2x10x10xf32>) -> tensor<2x2x1x1xf32> loc("global"("g0"))
  %13 = nn.add %11, %12 : (tensor<2x2x10x9xf32>, tensor<2x2x1x1xf32>) -> tensor<2x2x10x9xf32> loc("add"("a0"))
  return %13 : tensor<2x2x10x9xf32>
}
)";

/// Sums, norms and quotients of rows and channels.
inline constexpr const char *statistics = R"(
func.func @main(%x: tensor<2x8x4x5xf32> {nn.name = "x"}) -> (tensor<2x8x1x1xf32> {nn.name = "out"}, tensor<2x8x4x1xf32> {nn.name = "out1"}) {
  %w = nn.constant RANDOM : tensor<8x1x1x1xf32> loc("w"("w"))
  %gamma = nn.constant RANDOM : tensor<8xf32> loc("gamma"("gamma"))
  %beta = nn.constant RANDOM : tensor<8xf32> loc("beta"("beta"))
  %0 = nn.conv %x, %w {dilations = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1>, group = 8 : i64}
    : (tensor<2x8x4x5xf32>, tensor<8x1x1x1xf32>) -> tensor<2x8x4x5xf32> loc("conv"("c0"))
  %1 = nn.instance_normalization %0, %gamma, %beta : (tensor<2x8x4x5xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<2x8x4x5xf32> loc("instance"("i0"))
  %2 = nn.group_normalization %0, %gamma, %beta {num_groups = 2 : i64} : (tensor<2x8x4x5xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<2x8x4x5xf32> loc("group"("g0"))
  %3 = nn.lp_normalization %2 {axis = -1 : i64} : (tensor<2x8x4x5xf32>) -> tensor<2x8x4x5xf32> loc("l2"("l0"))
  %4 = nn.reduce_sum_square %1 {axes = array<i64: 2, 3>} : (tensor<2x8x4x5xf32>) -> tensor<2x8x1x1xf32> loc("square"("q0"))
  %5 = nn.reduce_l1 %3 {axes = array<i64: 3>} : (tensor<2x8x4x5xf32>) -> tensor<2x8x4x1xf32> loc("l1"("m0"))
  %6 = nn.reduce_sum %3 {axes = array<i64: 2, 3>} : (tensor<2x8x4x5xf32>) -> tensor<2x8x1x1xf32> loc("sum"("s0"))
  %7 = nn.div %6, %4 : (tensor<2x8x1x1xf32>, tensor<2x8x1x1xf32>) -> tensor<2x8x1x1xf32> loc("div"("v0"))
  return %7, %5 : tensor<2x8x1x1xf32>, tensor<2x8x4x1xf32>
}
)";

/// Roots, logarithms and running sums.
inline constexpr const char *roots = R"(
func.func @main(%x: tensor<2x4x6x5xf32> {nn.name = "x"}) -> (tensor<2x4x3x5xf32> {nn.name = "out"}, tensor<2x4x1x5xf32> {nn.name = "out1"}, tensor<2x4x6x1xf32> {nn.name = "out2"}) {
  %w = nn.constant RANDOM : tensor<4x1x1x1xf32> loc("w"("w"))
  %0 = nn.conv %x, %w {dilations = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1>, group = 4 : i64}
    : (tensor<2x4x6x5xf32>, tensor<4x1x1x1xf32>) -> tensor<2x4x6x5xf32> loc("conv"("c0"))
  %1 = nn.cum_sum %0 {axis = 2 : i64, exclusive = true} : (tensor<2x4x6x5xf32>) -> tensor<2x4x6x5xf32> loc("running"("r0"))
  %2 = nn.lp_pool %1 {kernel = array<i64: 2, 3>, strides = array<i64: 2, 1>, pads = array<i64: 0, 1, 0, 1>, dilations = array<i64: 1, 1>, p = 2 : i64}
    : (tensor<2x4x6x5xf32>) -> tensor<2x4x3x5xf32> loc("pool"("p0"))
  %3 = nn.reduce_l2 %1 {axes = array<i64: 2>} : (tensor<2x4x6x5xf32>) -> tensor<2x4x1x5xf32> loc("norm"("n0"))
  %4 = nn.reduce_log_sum_exp %0 {axes = array<i64: 3>} : (tensor<2x4x6x5xf32>) -> tensor<2x4x6x1xf32> loc("log"("l0"))
  return %2, %3, %4 : tensor<2x4x3x5xf32>, tensor<2x4x1x5xf32>, tensor<2x4x6x1xf32>
}
)";

} // namespace parallax::networks

#endif // PARALLAX_TEST_UNIT_WITNESS_NETWORKS_H
