// RUN: parallax-opt --nn-widen-to-2d %s 2>&1 \
// RUN:   | FileCheck %s --implicit-check-not=undone
// RUN: parallax-opt --nn-widen-to-2d -mlir-print-debuginfo \
// RUN:     -mlir-print-local-scope %s | FileCheck %s --check-prefix=NAMES

// CHECK-LABEL: func.func @conv
// CHECK-SAME: (%[[X:[^:]*]]: tensor<1x2x9xf32>, %[[B:[^:]*]]:
func.func @conv(%x: tensor<1x2x9xf32>, %b: tensor<2xf32>) -> tensor<1x2x5xf32> {
  // CHECK-DAG: %[[W:.*]] = nn.constant dense<{{\[\[}}{{\[\[}}1.000000e+00, 2.000000e+00, 3.000000e+00]]], {{.*}}: tensor<2x1x1x3xf32>
  // CHECK-DAG: %[[X2:.*]] = nn.reshape %[[X]] {shape = array<i64: 1, 2, 1, 9>}
  // CHECK: %[[Y:.*]] = nn.conv %[[X2]], %[[W]], %[[B]] {dilations = array<i64: 1, 2>, group = 2 : i64, pads = array<i64: 0, 3, 0, 1>, strides = array<i64: 1, 2>}
  // CHECK-NEXT: nn.reshape %[[Y]] {shape = array<i64: 1, 2, 5>}
  // CHECK-NEXT: return
  // The convolution is the layer that its author knows.
  // NAMES: nn.reshape {{.*}} loc("Conv_0/widen"("y/widen"))
  // NAMES: nn.conv {{.*}} loc("Conv_0"("y/conv"))
  // NAMES: nn.reshape {{.*}} loc("Conv_0/narrow"("y"))
  %w = nn.constant dense<[[[1.0, 2.0, 3.0]], [[4.0, 5.0, 6.0]]]>
      : tensor<2x1x3xf32> loc("w"("w"))
  %0 = nn.conv %x, %w, %b {dilations = array<i64: 2>, group = 2 : i64,
      pads = array<i64: 3, 1>, strides = array<i64: 2>}
      : (tensor<1x2x9xf32>, tensor<2x1x3xf32>, tensor<2xf32>)
          -> tensor<1x2x5xf32> loc("Conv_0"("y"))
  return %0 : tensor<1x2x5xf32>
}

// CHECK-LABEL: func.func @conv_transpose
// CHECK-SAME: (%[[X:[^:]*]]: tensor<1x2x4xf32>, %[[W:[^:]*]]:
func.func @conv_transpose(%x: tensor<1x2x4xf32>, %w: tensor<2x3x3xf32>)
    -> tensor<1x3x9xf32> {
  // CHECK-DAG: %[[X2:.*]] = nn.reshape %[[X]] {shape = array<i64: 1, 2, 1, 4>}
  // CHECK-DAG: %[[W2:.*]] = nn.reshape %[[W]] {shape = array<i64: 2, 3, 1, 3>}
  // CHECK: %[[Y:.*]] = nn.conv_transpose %[[X2]], %[[W2]] {dilations = array<i64: 1, 1>, output_padding = array<i64: 0, 1>, pads = array<i64: 0, 1, 0, 0>, strides = array<i64: 1, 2>}
  // CHECK-NEXT: nn.reshape %[[Y]] {shape = array<i64: 1, 3, 9>}
  %0 = nn.conv_transpose %x, %w {dilations = array<i64: 1>,
      output_padding = array<i64: 1>, pads = array<i64: 1, 0>,
      strides = array<i64: 2>}
      : (tensor<1x2x4xf32>, tensor<2x3x3xf32>) -> tensor<1x3x9xf32>
          loc("Up"("y"))
  return %0 : tensor<1x3x9xf32>
}

// CHECK-LABEL: func.func @pools
// CHECK-SAME: (%[[X:[^:]*]]:
func.func @pools(%x: tensor<1x2x8xf32>) -> (tensor<1x2x5xf32>,
    tensor<1x2x4xf32>) {
  // CHECK-NEXT: nn.reshape %[[X]] {shape = array<i64: 1, 2, 1, 8>}
  // CHECK-NEXT: nn.average_pool {{.*}} {ceil_mode = true, count_include_pad = true, dilations = array<i64: 1, 1>, kernel = array<i64: 1, 3>, pads = array<i64: 0, 1, 0, 1>, strides = array<i64: 1, 2>}
  // CHECK-NEXT: nn.reshape {{.*}} {shape = array<i64: 1, 2, 5>}
  %0 = nn.average_pool %x {ceil_mode = true, count_include_pad = true,
      dilations = array<i64: 1>, kernel = array<i64: 3>,
      pads = array<i64: 1, 1>, strides = array<i64: 2>}
      : (tensor<1x2x8xf32>) -> tensor<1x2x5xf32> loc("Average"("a"))
  // CHECK-NEXT: nn.reshape %[[X]]
  // CHECK-NEXT: nn.max_pool {{.*}} {dilations = array<i64: 1, 1>, kernel = array<i64: 1, 2>, pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 2>}
  // CHECK-NEXT: nn.reshape {{.*}} {shape = array<i64: 1, 2, 4>}
  %1 = nn.max_pool %x {dilations = array<i64: 1>, kernel = array<i64: 2>,
      pads = array<i64: 0, 0>, strides = array<i64: 2>}
      : (tensor<1x2x8xf32>) -> tensor<1x2x4xf32> loc("Max"("b"))
  return %0, %1 : tensor<1x2x5xf32>, tensor<1x2x4xf32>
}

// CHECK-LABEL: func.func @stay
func.func @stay(%x: tensor<1x2x8xf32>, %y: tensor<1x2x8x8xf32>)
    -> (tensor<1x2x1xf32>, tensor<1x2x4xf32>, tensor<1x2x4x4xf32>) {
  // CHECK-NEXT: nn.global_average_pool
  %0 = nn.global_average_pool %x : (tensor<1x2x8xf32>) -> tensor<1x2x1xf32>
  // CHECK-NEXT: nn.lp_pool
  %1 = nn.lp_pool %x {dilations = array<i64: 1>, kernel = array<i64: 2>,
      pads = array<i64: 0, 0>, strides = array<i64: 2>}
      : (tensor<1x2x8xf32>) -> tensor<1x2x4xf32>
  // CHECK-NEXT: nn.max_pool
  // CHECK-NEXT: return
  %2 = nn.max_pool %y {dilations = array<i64: 1, 1>, kernel = array<i64: 2, 2>,
      pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 2, 2>}
      : (tensor<1x2x8x8xf32>) -> tensor<1x2x4x4xf32>
  return %0, %1, %2 : tensor<1x2x1xf32>, tensor<1x2x4xf32>, tensor<1x2x4x4xf32>
}
