// RUN: parallax-opt %s | parallax-opt | FileCheck %s

// CHECK-LABEL: func.func @along_axes
func.func @along_axes(%x: tensor<2x3x4xf32>) {
  // CHECK: nn.reduce_l1 {{.*}}axes = array<i64: 0, 2>{{.*}}-> tensor<1x3x1xf32>
  %0 = nn.reduce_l1 %x {axes = array<i64: 0, 2>}
      : (tensor<2x3x4xf32>) -> tensor<1x3x1xf32>
  // CHECK: nn.reduce_l2 {{.*}}axes = array<i64: 0, 2>{{.*}}-> tensor<1x3x1xf32>
  %1 = nn.reduce_l2 %x {axes = array<i64: 0, 2>}
      : (tensor<2x3x4xf32>) -> tensor<1x3x1xf32>
  // CHECK: nn.reduce_log_sum {{.*}}axes = array<i64: 0, 2>{{.*}}-> tensor<1x3x1xf32>
  %2 = nn.reduce_log_sum %x {axes = array<i64: 0, 2>}
      : (tensor<2x3x4xf32>) -> tensor<1x3x1xf32>
  // CHECK: nn.reduce_log_sum_exp {{.*}}axes = array<i64: 0, 2>{{.*}}-> tensor<1x3x1xf32>
  %3 = nn.reduce_log_sum_exp %x {axes = array<i64: 0, 2>}
      : (tensor<2x3x4xf32>) -> tensor<1x3x1xf32>
  // CHECK: nn.reduce_max {{.*}}axes = array<i64: 0, 2>{{.*}}-> tensor<1x3x1xf32>
  %4 = nn.reduce_max %x {axes = array<i64: 0, 2>}
      : (tensor<2x3x4xf32>) -> tensor<1x3x1xf32>
  // CHECK: nn.reduce_mean {{.*}}axes = array<i64: 0, 2>{{.*}}-> tensor<1x3x1xf32>
  %5 = nn.reduce_mean %x {axes = array<i64: 0, 2>}
      : (tensor<2x3x4xf32>) -> tensor<1x3x1xf32>
  // CHECK: nn.reduce_min {{.*}}axes = array<i64: 0, 2>{{.*}}-> tensor<1x3x1xf32>
  %6 = nn.reduce_min %x {axes = array<i64: 0, 2>}
      : (tensor<2x3x4xf32>) -> tensor<1x3x1xf32>
  // CHECK: nn.reduce_prod {{.*}}axes = array<i64: 0, 2>{{.*}}-> tensor<1x3x1xf32>
  %7 = nn.reduce_prod %x {axes = array<i64: 0, 2>}
      : (tensor<2x3x4xf32>) -> tensor<1x3x1xf32>
  // CHECK: nn.reduce_sum {{.*}}axes = array<i64: 0, 2>{{.*}}-> tensor<1x3x1xf32>
  %8 = nn.reduce_sum %x {axes = array<i64: 0, 2>}
      : (tensor<2x3x4xf32>) -> tensor<1x3x1xf32>
  // CHECK: nn.reduce_sum_square {{.*}}axes = array<i64: 0, 2>{{.*}}-> tensor<1x3x1xf32>
  %9 = nn.reduce_sum_square %x {axes = array<i64: 0, 2>}
      : (tensor<2x3x4xf32>) -> tensor<1x3x1xf32>
  // CHECK: nn.reduce_sum {{.*}}keepdims = false{{.*}}-> tensor<2x4xf32>
  %10 = nn.reduce_sum %x {axes = array<i64: 1>, keepdims = false}
      : (tensor<2x3x4xf32>) -> tensor<2x4xf32>
  // CHECK: nn.reduce_sum {{.*}} -> tensor<2x3x4xf32>
  %11 = nn.reduce_sum %x {axes = array<i64>}
      : (tensor<2x3x4xf32>) -> tensor<2x3x4xf32>
  // CHECK: nn.reduce_max {{.*}} -> tensor<f32>
  %12 = nn.reduce_max %x {axes = array<i64: 0, 1, 2>, keepdims = false}
      : (tensor<2x3x4xf32>) -> tensor<f32>
  return
}

// CHECK-LABEL: func.func @choice
func.func @choice(%x: tensor<2x3x4xf32>, %n: tensor<2x3x4xi32>) {
  // CHECK: nn.arg_max {{.*}}axis = 1{{.*}}-> tensor<2x1x4xi64>
  %0 = nn.arg_max %x {axis = 1 : i64} : (tensor<2x3x4xf32>) -> tensor<2x1x4xi64>
  // CHECK: nn.arg_min {{.*}}select_last_index = true{{.*}}-> tensor<2x3xi64>
  %1 = nn.arg_min %x
      {axis = -1 : i64, keepdims = false, select_last_index = true}
      : (tensor<2x3x4xf32>) -> tensor<2x3xi64>
  // CHECK: nn.top_k {{.*}}largest = false{{.*}}-> (tensor<2x3x2xf32>, tensor<2x3x2xi64>)
  %2:2 = nn.top_k %x {k = 2 : i64, largest = false}
      : (tensor<2x3x4xf32>) -> (tensor<2x3x2xf32>, tensor<2x3x2xi64>)
  return
}

// CHECK-LABEL: func.func @running
func.func @running(%x: tensor<2x3x4xf32>, %n: tensor<2x3x4xi32>) {
  // CHECK: nn.cum_sum {{.*}}exclusive = true{{.*}}-> tensor<2x3x4xf32>
  %0 = nn.cum_sum %x {axis = 0 : i64, exclusive = true}
      : (tensor<2x3x4xf32>) -> tensor<2x3x4xf32>
  // CHECK: nn.cum_sum {{.*}} -> tensor<2x3x4xi32>
  %1 = nn.cum_sum %n {axis = -1 : i64}
      : (tensor<2x3x4xi32>) -> tensor<2x3x4xi32>
  return
}

// CHECK-LABEL: func.func @stages
func.func @stages(%q: tensor<2x3x!quant.uniform<i8:f32, 0.5>>) {
  // CHECK: nn.reduce_max {{.*}} -> tensor<2x1x!quant.uniform<i8:f32, 5.000000e-01>>
  %0 = nn.reduce_max %q {axes = array<i64: 1>}
      : (tensor<2x3x!quant.uniform<i8:f32, 0.5>>)
      -> tensor<2x1x!quant.uniform<i8:f32, 0.5>>
  // CHECK: nn.arg_max {{.*}} -> tensor<1x3xi64>
  %1 = nn.arg_max %q
      : (tensor<2x3x!quant.uniform<i8:f32, 0.5>>) -> tensor<1x3xi64>
  return
}
