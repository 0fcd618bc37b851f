// RUN: parallax-opt %s --nn-fuse-softmax 2>&1 \
// RUN:   | FileCheck %s --implicit-check-not=warning

//===----------------------------------------------------------------------===//
// Softmax
//===----------------------------------------------------------------------===//

// CHECK-LABEL: func.func @softmax(
// CHECK-NEXT: %{{.*}} = nn.softmax %arg0 {axis = 1 : i64}
// CHECK-NEXT: %{{.*}} = nn.softmax %arg0 {axis = 1 : i64}
// CHECK-NEXT: %{{.*}} = nn.softmax %arg0 {axis = 1 : i64}
// CHECK-NEXT: %{{.*}} = nn.softmax %arg0 {axis = 1 : i64}
// CHECK-NEXT: %{{.*}} = nn.softmax %arg0 {axis = 1 : i64}
// CHECK-NEXT: %{{.*}} = nn.softmax %arg0 {axis = 1 : i64}
// CHECK-NEXT: return
func.func @softmax(%x: tensor<2x3x4xf32>)
    -> (tensor<2x3x4xf32>, tensor<2x3x4xf32>, tensor<2x3x4xf32>,
        tensor<2x3x4xf32>, tensor<2x3x4xf32>, tensor<2x3x4xf32>) {
  %0 = nn.exp %x : (tensor<2x3x4xf32>) -> tensor<2x3x4xf32>
  %1 = nn.reduce_sum %0 {axes = array<i64: 1>}
      : (tensor<2x3x4xf32>) -> tensor<2x1x4xf32>
  %2 = nn.div %0, %1
      : (tensor<2x3x4xf32>, tensor<2x1x4xf32>) -> tensor<2x3x4xf32>
  %3 = nn.exp %x : (tensor<2x3x4xf32>) -> tensor<2x3x4xf32>
  %4 = nn.reduce_sum %3 {axes = array<i64: 1>}
      : (tensor<2x3x4xf32>) -> tensor<2x1x4xf32>
  %5 = nn.reciprocal %4 : (tensor<2x1x4xf32>) -> tensor<2x1x4xf32>
  %6 = nn.mul %5, %3
      : (tensor<2x1x4xf32>, tensor<2x3x4xf32>) -> tensor<2x3x4xf32>
  // The maximum subtracted first.
  %7 = nn.reduce_max %x {axes = array<i64: 1>}
      : (tensor<2x3x4xf32>) -> tensor<2x1x4xf32>
  %8 = nn.sub %x, %7
      : (tensor<2x3x4xf32>, tensor<2x1x4xf32>) -> tensor<2x3x4xf32>
  %9 = nn.exp %8 : (tensor<2x3x4xf32>) -> tensor<2x3x4xf32>
  %10 = nn.reduce_sum %9 {axes = array<i64: 1>}
      : (tensor<2x3x4xf32>) -> tensor<2x1x4xf32>
  %11 = nn.div %9, %10
      : (tensor<2x3x4xf32>, tensor<2x1x4xf32>) -> tensor<2x3x4xf32>
  // The exponentials computed twice.
  %12 = nn.exp %x : (tensor<2x3x4xf32>) -> tensor<2x3x4xf32>
  %13 = nn.exp %x : (tensor<2x3x4xf32>) -> tensor<2x3x4xf32>
  %14 = nn.reduce_sum %13 {axes = array<i64: 1>}
      : (tensor<2x3x4xf32>) -> tensor<2x1x4xf32>
  %15 = nn.div %12, %14
      : (tensor<2x3x4xf32>, tensor<2x1x4xf32>) -> tensor<2x3x4xf32>
  // The axis dropped and put back.
  %16 = nn.exp %x : (tensor<2x3x4xf32>) -> tensor<2x3x4xf32>
  %17 = nn.reduce_sum %16 {axes = array<i64: 1>, keepdims = false}
      : (tensor<2x3x4xf32>) -> tensor<2x4xf32>
  %18 = nn.reshape %17 {shape = array<i64: 2, 1, 4>}
      : (tensor<2x4xf32>) -> tensor<2x1x4xf32>
  %19 = nn.div %16, %18
      : (tensor<2x3x4xf32>, tensor<2x1x4xf32>) -> tensor<2x3x4xf32>
  // The operation subtracts the maximum itself.
  %20 = nn.reduce_max %x {axes = array<i64: 1>}
      : (tensor<2x3x4xf32>) -> tensor<2x1x4xf32>
  %21 = nn.sub %x, %20
      : (tensor<2x3x4xf32>, tensor<2x1x4xf32>) -> tensor<2x3x4xf32>
  %22 = nn.softmax %21 {axis = -2 : i64}
      : (tensor<2x3x4xf32>) -> tensor<2x3x4xf32>
  return %2, %6, %11, %15, %19, %22
      : tensor<2x3x4xf32>, tensor<2x3x4xf32>, tensor<2x3x4xf32>,
        tensor<2x3x4xf32>, tensor<2x3x4xf32>, tensor<2x3x4xf32>
}

// CHECK-LABEL: func.func @wrong_axis_of_maximum(
// CHECK: nn.reduce_max %
// CHECK: nn.sub %
// CHECK: nn.softmax %
// CHECK: return
func.func @wrong_axis_of_maximum(%x: tensor<2x3x4xf32>) -> tensor<2x3x4xf32> {
  %m = nn.reduce_max %x {axes = array<i64: 2>}
      : (tensor<2x3x4xf32>) -> tensor<2x3x1xf32>
  %d = nn.sub %x, %m
      : (tensor<2x3x4xf32>, tensor<2x3x1xf32>) -> tensor<2x3x4xf32>
  %a = nn.exp %d : (tensor<2x3x4xf32>) -> tensor<2x3x4xf32>
  %b = nn.reduce_sum %a {axes = array<i64: 1>}
      : (tensor<2x3x4xf32>) -> tensor<2x1x4xf32>
  %y = nn.div %a, %b
      : (tensor<2x3x4xf32>, tensor<2x1x4xf32>) -> tensor<2x3x4xf32>
  return %y : tensor<2x3x4xf32>
}

// CHECK-LABEL: func.func @two_axes(
// CHECK: nn.exp %
// CHECK: nn.reduce_sum %
// CHECK: nn.div %
// CHECK: return
func.func @two_axes(%x: tensor<2x3x4xf32>) -> tensor<2x3x4xf32> {
  %a = nn.exp %x : (tensor<2x3x4xf32>) -> tensor<2x3x4xf32>
  %b = nn.reduce_sum %a {axes = array<i64: 1, 2>}
      : (tensor<2x3x4xf32>) -> tensor<2x1x1xf32>
  %y = nn.div %a, %b
      : (tensor<2x3x4xf32>, tensor<2x1x1xf32>) -> tensor<2x3x4xf32>
  return %y : tensor<2x3x4xf32>
}

// CHECK-LABEL: func.func @exponentials_read_elsewhere(
// CHECK: nn.exp %
// CHECK: nn.reduce_sum %
// CHECK: nn.div %
// CHECK: return
func.func @exponentials_read_elsewhere(%x: tensor<2x3x4xf32>)
    -> (tensor<2x3x4xf32>, tensor<2x3x4xf32>) {
  %a = nn.exp %x : (tensor<2x3x4xf32>) -> tensor<2x3x4xf32>
  %b = nn.reduce_sum %a {axes = array<i64: 1>}
      : (tensor<2x3x4xf32>) -> tensor<2x1x4xf32>
  %y = nn.div %a, %b
      : (tensor<2x3x4xf32>, tensor<2x1x4xf32>) -> tensor<2x3x4xf32>
  return %y, %a : tensor<2x3x4xf32>, tensor<2x3x4xf32>
}

// CHECK-LABEL: func.func @sum_of_another(
// CHECK: nn.exp %
// CHECK: nn.exp %
// CHECK: nn.reduce_sum %
// CHECK: nn.div %
// CHECK: return
func.func @sum_of_another(%x: tensor<2x3x4xf32>, %z: tensor<2x3x4xf32>)
    -> tensor<2x3x4xf32> {
  %a = nn.exp %x : (tensor<2x3x4xf32>) -> tensor<2x3x4xf32>
  %c = nn.exp %z : (tensor<2x3x4xf32>) -> tensor<2x3x4xf32>
  %b = nn.reduce_sum %c {axes = array<i64: 1>}
      : (tensor<2x3x4xf32>) -> tensor<2x1x4xf32>
  %y = nn.div %a, %b
      : (tensor<2x3x4xf32>, tensor<2x1x4xf32>) -> tensor<2x3x4xf32>
  return %y : tensor<2x3x4xf32>
}

// CHECK-LABEL: func.func @mean_for_a_sum(
// CHECK: nn.exp %
// CHECK: nn.reduce_mean %
// CHECK: nn.div %
// CHECK: return
func.func @mean_for_a_sum(%x: tensor<2x3x4xf32>) -> tensor<2x3x4xf32> {
  %a = nn.exp %x : (tensor<2x3x4xf32>) -> tensor<2x3x4xf32>
  %b = nn.reduce_mean %a {axes = array<i64: 1>}
      : (tensor<2x3x4xf32>) -> tensor<2x1x4xf32>
  %y = nn.div %a, %b
      : (tensor<2x3x4xf32>, tensor<2x1x4xf32>) -> tensor<2x3x4xf32>
  return %y : tensor<2x3x4xf32>
}

// CHECK-LABEL: func.func @twice_the_sum(
// CHECK: nn.exp %
// CHECK: nn.reduce_sum %
// CHECK: nn.mul %
// CHECK: nn.div %
// CHECK: return
func.func @twice_the_sum(%x: tensor<2x3x4xf32>) -> tensor<2x3x4xf32> {
  %two = nn.constant dense<2.0> : tensor<f32>
  %a = nn.exp %x : (tensor<2x3x4xf32>) -> tensor<2x3x4xf32>
  %b = nn.reduce_sum %a {axes = array<i64: 1>}
      : (tensor<2x3x4xf32>) -> tensor<2x1x4xf32>
  %c = nn.mul %b, %two : (tensor<2x1x4xf32>, tensor<f32>) -> tensor<2x1x4xf32>
  %y = nn.div %a, %c
      : (tensor<2x3x4xf32>, tensor<2x1x4xf32>) -> tensor<2x3x4xf32>
  return %y : tensor<2x3x4xf32>
}

// The sums of rows divide columns.
// CHECK-LABEL: func.func @dropped_axis_meets_another(
// CHECK: nn.exp %
// CHECK: nn.reduce_sum %
// CHECK: nn.div %
// CHECK: return
func.func @dropped_axis_meets_another(%x: tensor<3x3xf32>) -> tensor<3x3xf32> {
  %a = nn.exp %x : (tensor<3x3xf32>) -> tensor<3x3xf32>
  %b = nn.reduce_sum %a {axes = array<i64: 1>, keepdims = false}
      : (tensor<3x3xf32>) -> tensor<3xf32>
  %y = nn.div %a, %b : (tensor<3x3xf32>, tensor<3xf32>) -> tensor<3x3xf32>
  return %y : tensor<3x3xf32>
}

//===----------------------------------------------------------------------===//
// Logarithm of softmax
//===----------------------------------------------------------------------===//

// CHECK-LABEL: func.func @log_softmax(
// CHECK-NEXT: %{{.*}} = nn.log_softmax %arg0 {axis = 1 : i64}
// CHECK-NEXT: %{{.*}} = nn.log_softmax %arg0 {axis = 1 : i64}
// CHECK-NEXT: %{{.*}} = nn.log_softmax %arg0 {axis = 1 : i64}
// CHECK-NEXT: %{{.*}} = nn.log_softmax %arg0 {axis = 1 : i64}
// CHECK-NEXT: return
func.func @log_softmax(%x: tensor<2x3x4xf32>)
    -> (tensor<2x3x4xf32>, tensor<2x3x4xf32>, tensor<2x3x4xf32>,
        tensor<2x3x4xf32>) {
  %0 = nn.softmax %x {axis = 1 : i64} : (tensor<2x3x4xf32>) -> tensor<2x3x4xf32>
  %1 = nn.log %0 : (tensor<2x3x4xf32>) -> tensor<2x3x4xf32>
  %2 = nn.reduce_log_sum_exp %x {axes = array<i64: 1>}
      : (tensor<2x3x4xf32>) -> tensor<2x1x4xf32>
  %3 = nn.sub %x, %2
      : (tensor<2x3x4xf32>, tensor<2x1x4xf32>) -> tensor<2x3x4xf32>
  %4 = nn.reduce_max %x {axes = array<i64: 1>}
      : (tensor<2x3x4xf32>) -> tensor<2x1x4xf32>
  %5 = nn.sub %x, %4
      : (tensor<2x3x4xf32>, tensor<2x1x4xf32>) -> tensor<2x3x4xf32>
  %6 = nn.exp %5 : (tensor<2x3x4xf32>) -> tensor<2x3x4xf32>
  %7 = nn.reduce_sum %6 {axes = array<i64: 1>}
      : (tensor<2x3x4xf32>) -> tensor<2x1x4xf32>
  %8 = nn.log %7 : (tensor<2x1x4xf32>) -> tensor<2x1x4xf32>
  %9 = nn.sub %5, %8
      : (tensor<2x3x4xf32>, tensor<2x1x4xf32>) -> tensor<2x3x4xf32>
  %10 = nn.exp %x : (tensor<2x3x4xf32>) -> tensor<2x3x4xf32>
  %11 = nn.reduce_sum %10 {axes = array<i64: 1>}
      : (tensor<2x3x4xf32>) -> tensor<2x1x4xf32>
  %12 = nn.div %10, %11
      : (tensor<2x3x4xf32>, tensor<2x1x4xf32>) -> tensor<2x3x4xf32>
  %13 = nn.log %12 : (tensor<2x3x4xf32>) -> tensor<2x3x4xf32>
  return %1, %3, %9, %13
      : tensor<2x3x4xf32>, tensor<2x3x4xf32>, tensor<2x3x4xf32>,
        tensor<2x3x4xf32>
}

// CHECK-LABEL: func.func @softmax_read_elsewhere(
// CHECK: nn.softmax %
// CHECK: nn.log %
// CHECK: return
func.func @softmax_read_elsewhere(%x: tensor<2x3x4xf32>)
    -> (tensor<2x3x4xf32>, tensor<2x3x4xf32>) {
  %a = nn.softmax %x {axis = 1 : i64} : (tensor<2x3x4xf32>) -> tensor<2x3x4xf32>
  %y = nn.log %a : (tensor<2x3x4xf32>) -> tensor<2x3x4xf32>
  return %y, %a : tensor<2x3x4xf32>, tensor<2x3x4xf32>
}

// CHECK-LABEL: func.func @log_of_sum_of_another(
// CHECK: nn.reduce_log_sum_exp %
// CHECK: nn.sub %
// CHECK: return
func.func @log_of_sum_of_another(%x: tensor<2x3x4xf32>, %z: tensor<2x3x4xf32>)
    -> tensor<2x3x4xf32> {
  %a = nn.reduce_log_sum_exp %z {axes = array<i64: 1>}
      : (tensor<2x3x4xf32>) -> tensor<2x1x4xf32>
  %y = nn.sub %x, %a
      : (tensor<2x3x4xf32>, tensor<2x1x4xf32>) -> tensor<2x3x4xf32>
  return %y : tensor<2x3x4xf32>
}
