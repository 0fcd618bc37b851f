// RUN: parallax-opt %s | parallax-opt | FileCheck %s

// CHECK-LABEL: func.func @windows
func.func @windows(%x: tensor<1x2x7x8xf32>, %i: tensor<1x2x4xui8>,
                   %v: tensor<1x1x2xf32>, %w: tensor<1x1x4xf32>) {
  // CHECK: nn.average_pool {{.*}}count_include_pad = true{{.*}}-> tensor<1x2x4x4xf32>
  %0 = nn.average_pool %x
      {count_include_pad = true, dilations = array<i64: 1, 1>,
       kernel = array<i64: 3, 3>, pads = array<i64: 1, 1, 1, 1>,
       strides = array<i64: 2, 2>}
      : (tensor<1x2x7x8xf32>) -> tensor<1x2x4x4xf32>
  // CHECK: nn.average_pool {{.*}}ceil_mode = true{{.*}}-> tensor<1x2x3x4xf32>
  %1 = nn.average_pool %x
      {ceil_mode = true, dilations = array<i64: 1, 1>,
       kernel = array<i64: 3, 3>, pads = array<i64: 0, 0, 0, 0>,
       strides = array<i64: 2, 2>}
      : (tensor<1x2x7x8xf32>) -> tensor<1x2x3x4xf32>
  // CHECK: nn.lp_pool {{.*}}p = 3{{.*}}-> tensor<1x2x5x6xf32>
  %2 = nn.lp_pool %x
      {dilations = array<i64: 2, 2>, kernel = array<i64: 2, 2>, p = 3 : i64,
       pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1>}
      : (tensor<1x2x7x8xf32>) -> tensor<1x2x5x6xf32>
  // CHECK: nn.max_pool {{.*}} -> tensor<1x2x2xui8>
  %3 = nn.max_pool %i
      {dilations = array<i64: 1>, kernel = array<i64: 2>,
       pads = array<i64: 0, 0>, strides = array<i64: 2>}
      : (tensor<1x2x4xui8>) -> tensor<1x2x2xui8>
  // CHECK: nn.max_pool {{.*}} -> tensor<1x1x1xf32>
  %4 = nn.max_pool %v
      {ceil_mode = true, dilations = array<i64: 1>, kernel = array<i64: 3>,
       pads = array<i64: 0, 0>, strides = array<i64: 2>}
      : (tensor<1x1x2xf32>) -> tensor<1x1x1xf32>
  // CHECK: nn.max_pool {{.*}} -> tensor<1x1x2xf32>
  %5 = nn.max_pool %w
      {ceil_mode = true, dilations = array<i64: 1>, kernel = array<i64: 2>,
       pads = array<i64: 1, 1>, strides = array<i64: 4>}
      : (tensor<1x1x4xf32>) -> tensor<1x1x2xf32>
  // CHECK: nn.max_pool {{.*}} -> tensor<1x1x1xf32>
  %6 = nn.max_pool %w
      {ceil_mode = true, dilations = array<i64: 1>, kernel = array<i64: 2>,
       pads = array<i64: 1, 1>, strides = array<i64: 5>}
      : (tensor<1x1x4xf32>) -> tensor<1x1x1xf32>
  // CHECK: nn.max_pool_with_indices {{.*}}storage_order = 1{{.*}}-> (tensor<1x2x3x4xf32>, tensor<1x2x3x4xi64>)
  %7:2 = nn.max_pool_with_indices %x
      {dilations = array<i64: 1, 1>, kernel = array<i64: 2, 2>,
       pads = array<i64: 0, 0, 0, 0>, storage_order = 1 : i64,
       strides = array<i64: 2, 2>}
      : (tensor<1x2x7x8xf32>) -> (tensor<1x2x3x4xf32>, tensor<1x2x3x4xi64>)
  return
}

// CHECK-LABEL: func.func @global
func.func @global(%x: tensor<1x2x7x8xf32>, %y: tensor<1x2x7xf32>) {
  // CHECK: nn.global_average_pool {{.*}} -> tensor<1x2x1x1xf32>
  %0 = nn.global_average_pool %x : (tensor<1x2x7x8xf32>) -> tensor<1x2x1x1xf32>
  // CHECK: nn.global_lp_pool {{.*}}p = 1{{.*}}-> tensor<1x2x1x1xf32>
  %1 = nn.global_lp_pool %x {p = 1 : i64}
      : (tensor<1x2x7x8xf32>) -> tensor<1x2x1x1xf32>
  // CHECK: nn.global_max_pool {{.*}} -> tensor<1x2x1xf32>
  %2 = nn.global_max_pool %y : (tensor<1x2x7xf32>) -> tensor<1x2x1xf32>
  return
}

// CHECK-LABEL: func.func @stages
func.func @stages(%q: tensor<1x2x4x!quant.uniform<i8:f32, 0.5>>) {
  // CHECK: nn.max_pool {{.*}} -> tensor<1x2x2x!quant.uniform<i8:f32, 5.000000e-01>>
  %0 = nn.max_pool %q
      {dilations = array<i64: 1>, kernel = array<i64: 2>,
       pads = array<i64: 0, 0>, strides = array<i64: 2>}
      : (tensor<1x2x4x!quant.uniform<i8:f32, 0.5>>)
      -> tensor<1x2x2x!quant.uniform<i8:f32, 0.5>>
  return
}
