// RUN: parallax-opt %s --nn-fuse-normalizations 2>&1 \
// RUN:   | FileCheck %s --implicit-check-not=warning

//===----------------------------------------------------------------------===//
// L2 normalization
//===----------------------------------------------------------------------===//

// CHECK-LABEL: func.func @l2_normalization(
// CHECK-NEXT: %{{.*}} = nn.lp_normalization %arg0 {axis = 1 : i64}
// CHECK-NEXT: %{{.*}} = nn.lp_normalization %arg0 {axis = 1 : i64}
// CHECK-NEXT: %{{.*}} = nn.lp_normalization %arg0 {axis = 1 : i64}
// CHECK-NEXT: %{{.*}} = nn.lp_normalization %arg0 {axis = 1 : i64}
// CHECK-NEXT: return
func.func @l2_normalization(%x: tensor<2x3x4xf32>)
    -> (tensor<2x3x4xf32>, tensor<2x3x4xf32>, tensor<2x3x4xf32>,
        tensor<2x3x4xf32>) {
  %two = nn.constant dense<2.0> : tensor<f32>
  %h = nn.constant dense<-0.5> : tensor<f32>
  %0 = nn.reduce_l2 %x {axes = array<i64: 1>}
      : (tensor<2x3x4xf32>) -> tensor<2x1x4xf32>
  %1 = nn.div %x, %0
      : (tensor<2x3x4xf32>, tensor<2x1x4xf32>) -> tensor<2x3x4xf32>
  %2 = nn.mul %x, %x
      : (tensor<2x3x4xf32>, tensor<2x3x4xf32>) -> tensor<2x3x4xf32>
  %3 = nn.reduce_sum %2 {axes = array<i64: 1>}
      : (tensor<2x3x4xf32>) -> tensor<2x1x4xf32>
  %4 = nn.sqrt %3 : (tensor<2x1x4xf32>) -> tensor<2x1x4xf32>
  %5 = nn.div %x, %4
      : (tensor<2x3x4xf32>, tensor<2x1x4xf32>) -> tensor<2x3x4xf32>
  %6 = nn.reduce_sum_square %x {axes = array<i64: 1>}
      : (tensor<2x3x4xf32>) -> tensor<2x1x4xf32>
  %7 = nn.sqrt %6 : (tensor<2x1x4xf32>) -> tensor<2x1x4xf32>
  %8 = nn.reciprocal %7 : (tensor<2x1x4xf32>) -> tensor<2x1x4xf32>
  %9 = nn.mul %8, %x
      : (tensor<2x1x4xf32>, tensor<2x3x4xf32>) -> tensor<2x3x4xf32>
  %10 = nn.pow %x, %two : (tensor<2x3x4xf32>, tensor<f32>) -> tensor<2x3x4xf32>
  %11 = nn.reduce_sum %10 {axes = array<i64: 1>}
      : (tensor<2x3x4xf32>) -> tensor<2x1x4xf32>
  %12 = nn.pow %11, %h : (tensor<2x1x4xf32>, tensor<f32>) -> tensor<2x1x4xf32>
  %13 = nn.mul %x, %12
      : (tensor<2x3x4xf32>, tensor<2x1x4xf32>) -> tensor<2x3x4xf32>
  return %1, %5, %9, %13
      : tensor<2x3x4xf32>, tensor<2x3x4xf32>, tensor<2x3x4xf32>,
        tensor<2x3x4xf32>
}

// CHECK-LABEL: func.func @l2_with_limit(
// CHECK-NEXT: %{{.*}} = nn.lp_normalization %arg0 {axis = 1 : i64, epsilon = 1.2500{{0*}}e-01 : f32}
// CHECK-NEXT: %{{.*}} = nn.lp_normalization %arg0 {axis = 1 : i64, epsilon = 1.2500{{0*}}e-01 : f32}
// CHECK-NEXT: %{{.*}} = nn.lp_normalization %arg0 {axis = 1 : i64, epsilon = 1.2500{{0*}}e-01 : f32}
// CHECK-NEXT: %{{.*}} = nn.lp_normalization %arg0 {axis = 1 : i64, epsilon = 1.2500{{0*}}e-01 : f32}
// CHECK-NEXT: return
func.func @l2_with_limit(%x: tensor<2x3x4xf32>)
    -> (tensor<2x3x4xf32>, tensor<2x3x4xf32>, tensor<2x3x4xf32>,
        tensor<2x3x4xf32>) {
  %eps = nn.constant dense<0.125> : tensor<f32>
  %limit = nn.constant dense<0.015625> : tensor<f32>
  %0 = nn.reduce_l2 %x {axes = array<i64: 1>}
      : (tensor<2x3x4xf32>) -> tensor<2x1x4xf32>
  %1 = nn.clip %0 {min = 0.125 : f64} : (tensor<2x1x4xf32>) -> tensor<2x1x4xf32>
  %2 = nn.div %x, %1
      : (tensor<2x3x4xf32>, tensor<2x1x4xf32>) -> tensor<2x3x4xf32>
  %3 = nn.reduce_l2 %x {axes = array<i64: 1>}
      : (tensor<2x3x4xf32>) -> tensor<2x1x4xf32>
  %4 = nn.clip %3 {min = 0.125 : f64} : (tensor<2x1x4xf32>) -> tensor<2x1x4xf32>
  %5 = nn.expand %4 {shape = array<i64: 2, 3, 4>}
      : (tensor<2x1x4xf32>) -> tensor<2x3x4xf32>
  %6 = nn.div %x, %5
      : (tensor<2x3x4xf32>, tensor<2x3x4xf32>) -> tensor<2x3x4xf32>
  %7 = nn.reduce_l2 %x {axes = array<i64: 1>}
      : (tensor<2x3x4xf32>) -> tensor<2x1x4xf32>
  %8 = nn.max %eps, %7 : (tensor<f32>, tensor<2x1x4xf32>) -> tensor<2x1x4xf32>
  %9 = nn.div %x, %8
      : (tensor<2x3x4xf32>, tensor<2x1x4xf32>) -> tensor<2x3x4xf32>
  // The square is limited.
  %10 = nn.mul %x, %x
      : (tensor<2x3x4xf32>, tensor<2x3x4xf32>) -> tensor<2x3x4xf32>
  %11 = nn.reduce_sum %10 {axes = array<i64: 1>}
      : (tensor<2x3x4xf32>) -> tensor<2x1x4xf32>
  %12 = nn.max %11, %limit
      : (tensor<2x1x4xf32>, tensor<f32>) -> tensor<2x1x4xf32>
  %13 = nn.sqrt %12 : (tensor<2x1x4xf32>) -> tensor<2x1x4xf32>
  %14 = nn.reciprocal %13 : (tensor<2x1x4xf32>) -> tensor<2x1x4xf32>
  %15 = nn.mul %x, %14
      : (tensor<2x3x4xf32>, tensor<2x1x4xf32>) -> tensor<2x3x4xf32>
  return %2, %6, %9, %15
      : tensor<2x3x4xf32>, tensor<2x3x4xf32>, tensor<2x3x4xf32>,
        tensor<2x3x4xf32>
}

// CHECK-LABEL: func.func @l2_two_axes(
// CHECK: nn.reduce_l2 %
// CHECK: nn.div %
// CHECK: return
func.func @l2_two_axes(%x: tensor<2x3x4xf32>) -> tensor<2x3x4xf32> {
  %a = nn.reduce_l2 %x {axes = array<i64: 1, 2>}
      : (tensor<2x3x4xf32>) -> tensor<2x1x1xf32>
  %y = nn.div %x, %a
      : (tensor<2x3x4xf32>, tensor<2x1x1xf32>) -> tensor<2x3x4xf32>
  return %y : tensor<2x3x4xf32>
}

// CHECK-LABEL: func.func @l2_norm_read_elsewhere(
// CHECK: nn.reduce_l2 %
// CHECK: nn.div %
// CHECK: return
func.func @l2_norm_read_elsewhere(%x: tensor<2x3x4xf32>)
    -> (tensor<2x3x4xf32>, tensor<2x1x4xf32>) {
  %a = nn.reduce_l2 %x {axes = array<i64: 1>}
      : (tensor<2x3x4xf32>) -> tensor<2x1x4xf32>
  %y = nn.div %x, %a
      : (tensor<2x3x4xf32>, tensor<2x1x4xf32>) -> tensor<2x3x4xf32>
  return %y, %a : tensor<2x3x4xf32>, tensor<2x1x4xf32>
}

// CHECK-LABEL: func.func @l2_of_another(
// CHECK: nn.reduce_l2 %
// CHECK: nn.div %
// CHECK: return
func.func @l2_of_another(%x: tensor<2x3x4xf32>, %z: tensor<2x3x4xf32>)
    -> tensor<2x3x4xf32> {
  %a = nn.reduce_l2 %z {axes = array<i64: 1>}
      : (tensor<2x3x4xf32>) -> tensor<2x1x4xf32>
  %y = nn.div %x, %a
      : (tensor<2x3x4xf32>, tensor<2x1x4xf32>) -> tensor<2x3x4xf32>
  return %y : tensor<2x3x4xf32>
}

// A sum is not a maximum.
// CHECK-LABEL: func.func @l2_epsilon_added(
// CHECK: nn.reduce_l2 %
// CHECK: nn.add %
// CHECK: nn.div %
// CHECK: return
func.func @l2_epsilon_added(%x: tensor<2x3x4xf32>) -> tensor<2x3x4xf32> {
  %eps = nn.constant dense<1.0e-5> : tensor<f32>
  %a = nn.reduce_l2 %x {axes = array<i64: 1>}
      : (tensor<2x3x4xf32>) -> tensor<2x1x4xf32>
  %c = nn.add %a, %eps : (tensor<2x1x4xf32>, tensor<f32>) -> tensor<2x1x4xf32>
  %y = nn.div %x, %c
      : (tensor<2x3x4xf32>, tensor<2x1x4xf32>) -> tensor<2x3x4xf32>
  return %y : tensor<2x3x4xf32>
}

// The norms of rows divide columns.
// CHECK-LABEL: func.func @l2_dropped_axis_meets_another(
// CHECK: nn.reduce_l2 %
// CHECK: nn.div %
// CHECK: return
func.func @l2_dropped_axis_meets_another(%x: tensor<3x3xf32>)
    -> tensor<3x3xf32> {
  %a = nn.reduce_l2 %x {axes = array<i64: 1>, keepdims = false}
      : (tensor<3x3xf32>) -> tensor<3xf32>
  %y = nn.div %x, %a : (tensor<3x3xf32>, tensor<3xf32>) -> tensor<3x3xf32>
  return %y : tensor<3x3xf32>
}

//===----------------------------------------------------------------------===//
// Magnitude
//===----------------------------------------------------------------------===//

// CHECK-LABEL: func.func @magnitude(
// CHECK-NEXT: %[[A:.*]] = nn.reshape %arg0 {shape = array<i64: 1, 2, 3>}
// CHECK-NEXT: %[[B:.*]] = nn.reshape %arg1 {shape = array<i64: 1, 2, 3>}
// CHECK-NEXT: %[[AB:.*]] = nn.concat %[[A]], %[[B]] {axis = 0 : i64}
// CHECK-NEXT: nn.reduce_l2 %[[AB]] {axes = array<i64: 0>, keepdims = false}
// CHECK-NEXT: return
func.func @magnitude(%a: tensor<2x3xf32>, %b: tensor<2x3xf32>)
    -> tensor<2x3xf32> {
  %two = nn.constant dense<2.0> : tensor<f32>
  %0 = nn.pow %a, %two : (tensor<2x3xf32>, tensor<f32>) -> tensor<2x3xf32>
  %1 = nn.mul %b, %b : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  %2 = nn.add %0, %1 : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  %y = nn.sqrt %2 : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return %y : tensor<2x3xf32>
}

// A summand that is not a square, a power with another consumer, and parts that
// broadcast.
// CHECK-LABEL: func.func @no_magnitude(
// CHECK-NOT: nn.reduce_l2
// CHECK: return
func.func @no_magnitude(%a: tensor<2x3xf32>, %b: tensor<2x3xf32>,
                        %row: tensor<3xf32>)
    -> (tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>) {
  %0 = nn.mul %a, %a : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  %1 = nn.mul %a, %b : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  %2 = nn.add %0, %1 : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  %3 = nn.sqrt %2 : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %4 = nn.mul %b, %b : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  %5 = nn.add %0, %4 : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  %6 = nn.sqrt %5 : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %7 = nn.mul %row, %row : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
  %8 = nn.add %4, %7 : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  %9 = nn.sqrt %8 : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return %3, %6, %9, %5
      : tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>
}
