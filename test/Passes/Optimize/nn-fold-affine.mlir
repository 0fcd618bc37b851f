// RUN: parallax-opt --nn-fold-affine %s 2>&1 | FileCheck %s --implicit-check-not=undone
// RUN: parallax-opt --nn-fold-affine -mlir-print-debuginfo -mlir-print-local-scope %s | FileCheck %s --check-prefix=NAMES

// (2 x - 1) * scale / sqrt(var + 0) + bias, with whole numbers throughout.
// CHECK-LABEL: func.func @batch_norm_behind
// CHECK-SAME: (%[[X:[^:]*]]:
// CHECK-DAG: %[[W:.*]] = nn.constant dense<{{\[\[\[\[}}1.000000e+00]]], {{\[\[\[}}4.000000e+00]]]]> : tensor<2x1x1x1xf32>
// CHECK-DAG: %[[B:.*]] = nn.constant dense<[-1.500000e+00, 7.000000e+00]> : tensor<2xf32>
// CHECK: %[[Y:.*]] = nn.conv %[[X]], %[[W]], %[[B]]
// CHECK-NEXT: return %[[Y]]
// NAMES-LABEL: func.func @batch_norm_behind
// NAMES: nn.conv {{.*}}nn.replaces = ["bn"]{{.*}} loc("conv"("y"))
func.func @batch_norm_behind(%x: tensor<1x1x4x4xf32>) -> tensor<1x2x4x4xf32> {
  %w = nn.constant dense<2.0> : tensor<2x1x1x1xf32> loc("w"("w"))
  %b = nn.constant dense<-1.0> : tensor<2xf32> loc("b"("b"))
  %scale = nn.constant dense<[1.0, 6.0]> : tensor<2xf32> loc("s"("s"))
  %bias = nn.constant dense<[0.0, 9.0]> : tensor<2xf32> loc("o"("o"))
  %mean = nn.constant dense<[2.0, 0.0]> : tensor<2xf32> loc("m"("m"))
  %var = nn.constant dense<[4.0, 9.0]> : tensor<2xf32> loc("v"("v"))
  %0 = nn.conv %x, %w, %b {dilations = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1>}
      : (tensor<1x1x4x4xf32>, tensor<2x1x1x1xf32>, tensor<2xf32>) -> tensor<1x2x4x4xf32> loc("conv"("t"))
  %1 = nn.batch_normalization %0, %scale, %bias, %mean, %var {epsilon = 0.0 : f32}
      : (tensor<1x2x4x4xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) -> tensor<1x2x4x4xf32> loc("bn"("y"))
  return %1 : tensor<1x2x4x4xf32>
}

// One number for all channels, constant first; a quotient; a difference.
// CHECK-LABEL: func.func @arithmetic_behind
// CHECK-DAG: nn.constant dense<6.000000e+00> : tensor<2x1x1x1xf32>
// CHECK-DAG: nn.constant dense<[-1.000000e+00, -2.000000e+00]> : tensor<2xf32>
// CHECK: nn.conv
// CHECK-NEXT: return
func.func @arithmetic_behind(%x: tensor<1x1x4x4xf32>) -> tensor<1x2x4x4xf32> {
  %w = nn.constant dense<2.0> : tensor<2x1x1x1xf32> loc("w"("w"))
  %twelve = nn.constant dense<12.0> : tensor<f32> loc("c0"("c0"))
  %four = nn.constant dense<4.0> : tensor<1xf32> loc("c1"("c1"))
  %per_channel = nn.constant dense<[[[1.0]], [[2.0]]]> : tensor<2x1x1xf32> loc("c2"("c2"))
  %0 = nn.conv %x, %w {dilations = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1>}
      : (tensor<1x1x4x4xf32>, tensor<2x1x1x1xf32>) -> tensor<1x2x4x4xf32> loc("conv"("t"))
  %1 = nn.mul %twelve, %0 : (tensor<f32>, tensor<1x2x4x4xf32>) -> tensor<1x2x4x4xf32> loc("mul"("t1"))
  %2 = nn.div %1, %four : (tensor<1x2x4x4xf32>, tensor<1xf32>) -> tensor<1x2x4x4xf32> loc("div"("t2"))
  %3 = nn.sub %2, %per_channel : (tensor<1x2x4x4xf32>, tensor<2x1x1xf32>) -> tensor<1x2x4x4xf32> loc("sub"("y"))
  return %3 : tensor<1x2x4x4xf32>
}

// In front: weights by input channel; the shift only without padding.
// CHECK-LABEL: func.func @ahead
// CHECK-DAG: nn.constant dense<{{\[\[\[\[}}2.000000e+00]], {{\[\[}}6.000000e+00]]]]> : tensor<1x2x1x1xf32>
// CHECK-DAG: nn.constant dense<1.000000e+01> : tensor<1xf32>
// CHECK: nn.conv
// CHECK-NEXT: return
func.func @ahead(%x: tensor<1x2x4x4xf32>) -> tensor<1x1x4x4xf32> {
  %w = nn.constant dense<2.0> : tensor<1x2x1x1xf32> loc("w"("w"))
  %scale = nn.constant dense<[[[1.0]], [[3.0]]]> : tensor<2x1x1xf32> loc("c0"("c0"))
  %shift = nn.constant dense<[[[1.0]], [[4.0]]]> : tensor<2x1x1xf32> loc("c1"("c1"))
  %0 = nn.mul %x, %scale : (tensor<1x2x4x4xf32>, tensor<2x1x1xf32>) -> tensor<1x2x4x4xf32> loc("mul"("t0"))
  %1 = nn.add %0, %shift : (tensor<1x2x4x4xf32>, tensor<2x1x1xf32>) -> tensor<1x2x4x4xf32> loc("add"("t1"))
  %2 = nn.conv %1, %w {dilations = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1>}
      : (tensor<1x2x4x4xf32>, tensor<1x2x1x1xf32>) -> tensor<1x1x4x4xf32> loc("conv"("y"))
  return %2 : tensor<1x1x4x4xf32>
}

// CHECK-LABEL: func.func @shift_ahead_of_padding
// CHECK-SAME: (%[[X:[^:]*]]:
// CHECK-NEXT: %[[C:.*]] = nn.constant dense<5.000000e-01> : tensor<1x1x1x1xf32>
// CHECK-NEXT: %[[S:.*]] = nn.add %[[X]], %[[C]]
// CHECK-NEXT: %[[W:.*]] = nn.constant dense<8.000000e+00> : tensor<1x1x3x3xf32>
// CHECK-NEXT: nn.conv %[[S]], %[[W]] {
// CHECK-NEXT: return
func.func @shift_ahead_of_padding(%x: tensor<1x1x4x4xf32>) -> tensor<1x1x4x4xf32> {
  %w = nn.constant dense<2.0> : tensor<1x1x3x3xf32> loc("w"("w"))
  %four = nn.constant dense<4.0> : tensor<f32> loc("c0"("c0"))
  %two = nn.constant dense<2.0> : tensor<f32> loc("c1"("c1"))
  %0 = nn.mul %x, %four : (tensor<1x1x4x4xf32>, tensor<f32>) -> tensor<1x1x4x4xf32> loc("mul"("t0"))
  %1 = nn.add %0, %two : (tensor<1x1x4x4xf32>, tensor<f32>) -> tensor<1x1x4x4xf32> loc("add"("t1"))
  %2 = nn.conv %1, %w {dilations = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>, strides = array<i64: 1, 1>}
      : (tensor<1x1x4x4xf32>, tensor<1x1x3x3xf32>) -> tensor<1x1x4x4xf32> loc("conv"("y"))
  return %2 : tensor<1x1x4x4xf32>
}

// The groups of a transposed convolution: its weights have the inputs first.
// CHECK-LABEL: func.func @transposed
// CHECK: nn.constant dense<{{\[\[\[\[}}1.000000e+00]]], {{\[\[\[}}2.000000e+00]]]]> : tensor<2x1x1x1xf32>
// CHECK: nn.conv_transpose
// CHECK-NEXT: return
func.func @transposed(%x: tensor<1x2x4x4xf32>) -> tensor<1x2x4x4xf32> {
  %w = nn.constant dense<1.0> : tensor<2x1x1x1xf32> loc("w"("w"))
  %scale = nn.constant dense<[[[1.0]], [[2.0]]]> : tensor<2x1x1xf32> loc("c0"("c0"))
  %0 = nn.conv_transpose %x, %w {dilations = array<i64: 1, 1>, group = 2 : i64, output_padding = array<i64: 0, 0>, pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1>}
      : (tensor<1x2x4x4xf32>, tensor<2x1x1x1xf32>) -> tensor<1x2x4x4xf32> loc("deconv"("t0"))
  %1 = nn.mul %0, %scale : (tensor<1x2x4x4xf32>, tensor<2x1x1xf32>) -> tensor<1x2x4x4xf32> loc("mul"("y"))
  return %1 : tensor<1x2x4x4xf32>
}

// Batch normalization, flattened, fully connected: one number per channel is
// one for each of its elements.
// CHECK-LABEL: func.func @ahead_of_flatten
// CHECK-NEXT: nn.reshape
// CHECK-NEXT: nn.constant dense<{{\[\[}}1.000000e+00, 1.000000e+00, 2.000000e+00, 2.000000e+00]]> : tensor<1x4xf32>
// CHECK-NEXT: nn.fully_connected
func.func @ahead_of_flatten(%x: tensor<1x2x1x2xf32>) -> tensor<1x1xf32> {
  %w = nn.constant dense<1.0> : tensor<1x4xf32> loc("w"("w"))
  %scale = nn.constant dense<[[[1.0]], [[2.0]]]> : tensor<2x1x1xf32> loc("c0"("c0"))
  %0 = nn.mul %x, %scale : (tensor<1x2x1x2xf32>, tensor<2x1x1xf32>) -> tensor<1x2x1x2xf32> loc("mul"("t0"))
  %1 = nn.reshape %0 {shape = array<i64: 1, 4>} : (tensor<1x2x1x2xf32>) -> tensor<1x4xf32> loc("flatten"("t1"))
  %2 = nn.fully_connected %1, %w : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x1xf32> loc("fc"("y"))
  return %2 : tensor<1x1xf32>
}

// The factor of attention belongs into the weights of the query.
// CHECK-LABEL: func.func @factor_through_movement
// CHECK-DAG: nn.constant dense<5.000000e-01> : tensor<4x4xf32>
// CHECK-NOT: nn.div
// CHECK: nn.fully_connected
// CHECK-NEXT: nn.reshape
// CHECK-NEXT: nn.transpose
// CHECK-NEXT: nn.matmul
// CHECK-NEXT: return
func.func @factor_through_movement(%x: tensor<1x3x4xf32>, %k: tensor<1x2x2x3xf32>) -> tensor<1x2x3x3xf32> {
  %w = nn.constant dense<1.0> : tensor<4x4xf32> loc("w"("w"))
  %two = nn.constant dense<2.0> : tensor<f32> loc("c0"("c0"))
  %0 = nn.fully_connected %x, %w : (tensor<1x3x4xf32>, tensor<4x4xf32>) -> tensor<1x3x4xf32> loc("fc"("t0"))
  %1 = nn.reshape %0 {shape = array<i64: 1, 3, 2, 2>} : (tensor<1x3x4xf32>) -> tensor<1x3x2x2xf32> loc("r"("t1"))
  %2 = nn.transpose %1 {perm = array<i64: 0, 2, 1, 3>} : (tensor<1x3x2x2xf32>) -> tensor<1x2x3x2xf32> loc("p"("t2"))
  %3 = nn.matmul %2, %k : (tensor<1x2x3x2xf32>, tensor<1x2x2x3xf32>) -> tensor<1x2x3x3xf32> loc("mm"("t3"))
  %4 = nn.div %3, %two : (tensor<1x2x3x3xf32>, tensor<f32>) -> tensor<1x2x3x3xf32> loc("div"("y"))
  return %4 : tensor<1x2x3x3xf32>
}

// Left alone: a result that somebody else reads, numbers that differ along
// another dimension, weights that are not constant, a constant divided by x.
// CHECK-LABEL: func.func @left_alone
// CHECK: nn.conv
// CHECK: nn.mul
// CHECK: nn.conv
// CHECK: nn.mul
// CHECK: nn.conv
// CHECK: nn.mul
// CHECK: nn.conv
// CHECK: nn.div
func.func @left_alone(%x: tensor<1x1x2x2xf32>, %v: tensor<1x1x1x1xf32>) -> (tensor<1x1x2x2xf32>, tensor<1x1x2x2xf32>, tensor<1x1x2x2xf32>, tensor<1x1x2x2xf32>, tensor<1x1x2x2xf32>) {
  %w = nn.constant dense<2.0> : tensor<1x1x1x1xf32> loc("w"("w"))
  %two = nn.constant dense<2.0> : tensor<f32> loc("c0"("c0"))
  %columns = nn.constant dense<[1.0, 2.0]> : tensor<2xf32> loc("c1"("c1"))
  %0 = nn.conv %x, %w {dilations = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1>} : (tensor<1x1x2x2xf32>, tensor<1x1x1x1xf32>) -> tensor<1x1x2x2xf32> loc("a"("a"))
  %1 = nn.mul %0, %two : (tensor<1x1x2x2xf32>, tensor<f32>) -> tensor<1x1x2x2xf32> loc("b"("b"))
  %2 = nn.conv %x, %w {dilations = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1>} : (tensor<1x1x2x2xf32>, tensor<1x1x1x1xf32>) -> tensor<1x1x2x2xf32> loc("c"("c"))
  %3 = nn.mul %2, %columns : (tensor<1x1x2x2xf32>, tensor<2xf32>) -> tensor<1x1x2x2xf32> loc("d"("d"))
  %4 = nn.conv %x, %v {dilations = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1>} : (tensor<1x1x2x2xf32>, tensor<1x1x1x1xf32>) -> tensor<1x1x2x2xf32> loc("e"("e"))
  %5 = nn.mul %4, %two : (tensor<1x1x2x2xf32>, tensor<f32>) -> tensor<1x1x2x2xf32> loc("f"("f"))
  %6 = nn.conv %x, %w {dilations = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1>} : (tensor<1x1x2x2xf32>, tensor<1x1x1x1xf32>) -> tensor<1x1x2x2xf32> loc("g"("g"))
  %7 = nn.div %two, %6 : (tensor<f32>, tensor<1x1x2x2xf32>) -> tensor<1x1x2x2xf32> loc("h"("h"))
  return %0, %1, %3, %5, %7 : tensor<1x1x2x2xf32>, tensor<1x1x2x2xf32>, tensor<1x1x2x2xf32>, tensor<1x1x2x2xf32>, tensor<1x1x2x2xf32>
}

// A shift that is far from zero would cost digits; no channels at all.
// CHECK-LABEL: func.func @far
// CHECK: nn.sub
// CHECK: nn.fully_connected
func.func @far(%x: tensor<1x2xf32>) -> tensor<1x1xf32> {
  %w = nn.constant dense<1.0> : tensor<1x2xf32> loc("w"("w"))
  %mean = nn.constant dense<101325.0> : tensor<f32> loc("c0"("c0"))
  %0 = nn.sub %x, %mean : (tensor<1x2xf32>, tensor<f32>) -> tensor<1x2xf32> loc("sub"("t0"))
  %1 = nn.fully_connected %0, %w : (tensor<1x2xf32>, tensor<1x2xf32>) -> tensor<1x1xf32> loc("fc"("y"))
  return %1 : tensor<1x1xf32>
}

// CHECK-LABEL: func.func @no_channels
func.func @no_channels(%x: tensor<1x0x4xf32>) -> tensor<1x3xf32> {
  %w = nn.constant dense<> : tensor<3x0xf32> loc("w"("w"))
  %two = nn.constant dense<2.0> : tensor<f32> loc("c0"("c0"))
  %0 = nn.mul %x, %two : (tensor<1x0x4xf32>, tensor<f32>) -> tensor<1x0x4xf32> loc("mul"("t0"))
  %1 = nn.reshape %0 {shape = array<i64: 1, 0>} : (tensor<1x0x4xf32>) -> tensor<1x0xf32> loc("flatten"("t1"))
  %2 = nn.fully_connected %1, %w : (tensor<1x0xf32>, tensor<3x0xf32>) -> tensor<1x3xf32> loc("fc"("y"))
  return %2 : tensor<1x3xf32>
}
