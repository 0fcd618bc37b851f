// RUN: parallax-opt --nn-globalize-pools %s 2>&1 \
// RUN:   | FileCheck %s --implicit-check-not=undone
// RUN: parallax-opt --nn-globalize-pools -mlir-print-debuginfo %s \
// RUN:   | FileCheck %s --check-prefix=NAMES

// CHECK-LABEL: func.func @pools
// CHECK-SAME: (%[[X:[^:]*]]:
func.func @pools(%x: tensor<1x2x3x4xf32>) -> (tensor<1x2x1x1xf32>,
    tensor<1x2x1x1xf32>, tensor<1x2x1x1xf32>) {
  // CHECK-NEXT: nn.global_average_pool %[[X]] :
  // NAMES: nn.global_average_pool {{.*}} loc(#[[GAP:.*]])
  %0 = nn.average_pool %x {dilations = array<i64: 1, 1>,
      kernel = array<i64: 3, 4>, pads = array<i64: 0, 0, 0, 0>,
      strides = array<i64: 1, 1>}
      : (tensor<1x2x3x4xf32>) -> tensor<1x2x1x1xf32> loc("pool"("pooled"))
  // CHECK-NEXT: nn.global_max_pool %[[X]] :
  %1 = nn.max_pool %x {dilations = array<i64: 1, 1>, kernel = array<i64: 3, 4>,
      pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 3, 4>}
      : (tensor<1x2x3x4xf32>) -> tensor<1x2x1x1xf32>
  // CHECK-NEXT: nn.global_lp_pool %[[X]] {p = 3 : i64} :
  // CHECK-NEXT: return
  %2 = nn.lp_pool %x {dilations = array<i64: 1, 1>, kernel = array<i64: 3, 4>,
      p = 3 : i64, pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1>}
      : (tensor<1x2x3x4xf32>) -> tensor<1x2x1x1xf32>
  return %0, %1, %2 : tensor<1x2x1x1xf32>, tensor<1x2x1x1xf32>,
      tensor<1x2x1x1xf32>
}

// Padding that doesn't count.
// CHECK-LABEL: func.func @padded
func.func @padded(%x: tensor<1x2x3x4xf32>, %y: tensor<1x2x3xf32>)
    -> (tensor<1x2x1x1xf32>, tensor<1x2x1x1xf32>, tensor<1x2x1xf32>) {
  // CHECK-NEXT: nn.global_average_pool
  %0 = nn.average_pool %x {dilations = array<i64: 1, 1>,
      kernel = array<i64: 5, 5>, pads = array<i64: 1, 1, 1, 0>,
      strides = array<i64: 1, 1>}
      : (tensor<1x2x3x4xf32>) -> tensor<1x2x1x1xf32>
  // CHECK-NEXT: nn.global_max_pool
  %1 = nn.max_pool %x {dilations = array<i64: 1, 1>, kernel = array<i64: 5, 5>,
      pads = array<i64: 1, 1, 1, 0>, strides = array<i64: 1, 1>}
      : (tensor<1x2x3x4xf32>) -> tensor<1x2x1x1xf32>
  // CHECK-NEXT: nn.global_average_pool
  // CHECK-NEXT: return
  %2 = nn.average_pool %y {count_include_pad = true, dilations = array<i64: 1>,
      kernel = array<i64: 3>, pads = array<i64: 0, 0>, strides = array<i64: 2>}
      : (tensor<1x2x3xf32>) -> tensor<1x2x1xf32>
  return %0, %1, %2 : tensor<1x2x1x1xf32>, tensor<1x2x1x1xf32>,
      tensor<1x2x1xf32>
}

// Padding that counts, a part, gaps, integers, several stops.
// CHECK-LABEL: func.func @not_global
func.func @not_global(%x: tensor<1x2x3x4xf32>, %i: tensor<1x2x3x4xi8>)
    -> (tensor<1x2x1x1xf32>, tensor<1x2x1x1xf32>, tensor<1x2x1x1xf32>,
    tensor<1x2x1x1xi8>, tensor<1x2x3x1xf32>) {
  // CHECK-NEXT: nn.average_pool
  %0 = nn.average_pool %x {count_include_pad = true,
      dilations = array<i64: 1, 1>, kernel = array<i64: 5, 5>,
      pads = array<i64: 1, 1, 1, 0>, strides = array<i64: 1, 1>}
      : (tensor<1x2x3x4xf32>) -> tensor<1x2x1x1xf32>
  // CHECK-NEXT: nn.average_pool
  %1 = nn.average_pool %x {dilations = array<i64: 1, 1>,
      kernel = array<i64: 2, 4>, pads = array<i64: 0, 0, 0, 0>,
      strides = array<i64: 2, 1>}
      : (tensor<1x2x3x4xf32>) -> tensor<1x2x1x1xf32>
  // CHECK-NEXT: nn.max_pool
  %2 = nn.max_pool %x {dilations = array<i64: 2, 1>, kernel = array<i64: 3, 4>,
      pads = array<i64: 1, 0, 1, 0>, strides = array<i64: 1, 1>}
      : (tensor<1x2x3x4xf32>) -> tensor<1x2x1x1xf32>
  // CHECK-NEXT: nn.max_pool
  %3 = nn.max_pool %i {dilations = array<i64: 1, 1>, kernel = array<i64: 3, 4>,
      pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1>}
      : (tensor<1x2x3x4xi8>) -> tensor<1x2x1x1xi8>
  // CHECK-NEXT: nn.max_pool
  // CHECK-NEXT: return
  %4 = nn.max_pool %x {dilations = array<i64: 1, 1>, kernel = array<i64: 3, 4>,
      pads = array<i64: 1, 0, 1, 0>, strides = array<i64: 1, 1>}
      : (tensor<1x2x3x4xf32>) -> tensor<1x2x3x1xf32>
  return %0, %1, %2, %3, %4 : tensor<1x2x1x1xf32>, tensor<1x2x1x1xf32>,
      tensor<1x2x1x1xf32>, tensor<1x2x1x1xi8>, tensor<1x2x3x1xf32>
}

// CHECK-LABEL: func.func @means
// CHECK-SAME: (%[[X:[^:]*]]:
func.func @means(%x: tensor<1x2x3x4xf32>) -> (tensor<1x2x1x1xf32>,
    tensor<1x2xf32>) {
  // CHECK-NEXT: nn.global_average_pool %[[X]] :
  %0 = nn.reduce_mean %x {axes = array<i64: 2, 3>} : (tensor<1x2x3x4xf32>)
      -> tensor<1x2x1x1xf32>
  // CHECK-NEXT: %[[Y:.*]] = nn.global_average_pool %[[X]] :
  // CHECK-NEXT: nn.reshape %[[Y]] {shape = array<i64: 1, 2>}
  // CHECK-NEXT: return
  %1 = nn.reduce_mean %x {axes = array<i64: 2, 3>, keepdims = false}
      : (tensor<1x2x3x4xf32>) -> tensor<1x2xf32> loc("Mean"("m"))
  return %0, %1 : tensor<1x2x1x1xf32>, tensor<1x2xf32>
}

// CHECK-LABEL: func.func @other_means
func.func @other_means(%x: tensor<1x2x3x4xf32>, %y: tensor<1x2x3xf32>)
    -> (tensor<1x2x3x1xf32>, tensor<1x1x1x1xf32>, tensor<1x2x1xf32>) {
  // CHECK-NEXT: nn.reduce_mean
  %0 = nn.reduce_mean %x {axes = array<i64: 3>} : (tensor<1x2x3x4xf32>)
      -> tensor<1x2x3x1xf32>
  // CHECK-NEXT: nn.reduce_mean
  %1 = nn.reduce_mean %x {axes = array<i64: 1, 2, 3>} : (tensor<1x2x3x4xf32>)
      -> tensor<1x1x1x1xf32>
  // A sequence has features last, not an image.
  // CHECK-NEXT: nn.reduce_mean
  // CHECK-NEXT: return
  %2 = nn.reduce_mean %y {axes = array<i64: 2>} : (tensor<1x2x3xf32>)
      -> tensor<1x2x1xf32>
  return %0, %1, %2 : tensor<1x2x3x1xf32>, tensor<1x1x1x1xf32>,
      tensor<1x2x1xf32>
}

// NAMES: #[[TENSOR:.*]] = loc("pooled")
// NAMES: #[[GAP]] = loc("pool"(#[[TENSOR]]))
