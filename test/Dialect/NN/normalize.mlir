// RUN: parallax-opt %s | parallax-opt | FileCheck %s

// CHECK-LABEL: func.func @channels
func.func @channels(%x: tensor<2x6x4x4xf32>, %c: tensor<6xf32>,
                    %v: tensor<5xf32>, %o: tensor<1xf32>) {
  // CHECK: nn.batch_normalization {{.*}}epsilon = 5.0{{.*}}-> tensor<2x6x4x4xf32>
  %0 = nn.batch_normalization %x, %c, %c, %c, %c {epsilon = 0.5 : f32}
      : (tensor<2x6x4x4xf32>, tensor<6xf32>, tensor<6xf32>, tensor<6xf32>, tensor<6xf32>)
      -> tensor<2x6x4x4xf32>
  // CHECK: nn.batch_normalization {{.*}} -> tensor<5xf32>
  %1 = nn.batch_normalization %v, %o, %o, %o, %o
      : (tensor<5xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>)
      -> tensor<5xf32>
  // CHECK: nn.instance_normalization {{.*}} -> tensor<2x6x4x4xf32>
  %2 = nn.instance_normalization %x, %c, %c
      : (tensor<2x6x4x4xf32>, tensor<6xf32>, tensor<6xf32>)
      -> tensor<2x6x4x4xf32>
  // CHECK: nn.group_normalization {{.*}}num_groups = 3{{.*}}-> tensor<2x6x4x4xf32>
  %3 = nn.group_normalization %x, %c, %c {num_groups = 3 : i64}
      : (tensor<2x6x4x4xf32>, tensor<6xf32>, tensor<6xf32>)
      -> tensor<2x6x4x4xf32>
  // CHECK: nn.lrn {{.*}}size = 5{{.*}}-> tensor<2x6x4x4xf32>
  %4 = nn.lrn %x {size = 5 : i64} : (tensor<2x6x4x4xf32>) -> tensor<2x6x4x4xf32>
  return
}

// CHECK-LABEL: func.func @trailing_dimensions
func.func @trailing_dimensions(%x: tensor<2x6x4x4xf32>, %s: tensor<4xf32>,
                               %b: tensor<4x4xf32>) {
  // CHECK: nn.layer_normalization {{.*}} -> tensor<2x6x4x4xf32>
  %0 = nn.layer_normalization %x, %s
      : (tensor<2x6x4x4xf32>, tensor<4xf32>) -> tensor<2x6x4x4xf32>
  // CHECK: nn.layer_normalization {{.*}}with_statistics = true{{.*}}-> (tensor<2x6x4x4xf32>, tensor<2x6x1x1xf32>, tensor<2x6x1x1xf32>)
  %1:3 = nn.layer_normalization %x, %b, %b
      {axis = 2 : i64, with_statistics = true}
      : (tensor<2x6x4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>)
      -> (tensor<2x6x4x4xf32>, tensor<2x6x1x1xf32>, tensor<2x6x1x1xf32>)
  // CHECK: nn.rms_normalization {{.*}} -> tensor<2x6x4x4xf32>
  %2 = nn.rms_normalization %x, %s {axis = -1 : i64}
      : (tensor<2x6x4x4xf32>, tensor<4xf32>) -> tensor<2x6x4x4xf32>
  return
}

// CHECK-LABEL: func.func @along_axes
func.func @along_axes(%x: tensor<2x6x4x4xf32>) {
  // CHECK: nn.lp_normalization {{.*}}p = 1{{.*}}-> tensor<2x6x4x4xf32>
  %0 = nn.lp_normalization %x {axis = 1 : i64, p = 1 : i64}
      : (tensor<2x6x4x4xf32>) -> tensor<2x6x4x4xf32>
  // CHECK: nn.lp_normalization {{.*}}epsilon = 1.25{{.*}}-> tensor<2x6x4x4xf32>
  %limited = nn.lp_normalization %x {axis = 1 : i64, epsilon = 0.125 : f32}
      : (tensor<2x6x4x4xf32>) -> tensor<2x6x4x4xf32>
  // CHECK: nn.mean_variance_normalization {{.*}}axes ={{.*}}-> tensor<2x6x4x4xf32>
  %1 = nn.mean_variance_normalization %x {axes = array<i64: 0, 2, 3>}
      : (tensor<2x6x4x4xf32>) -> tensor<2x6x4x4xf32>
  // CHECK: nn.softmax {{.*}}axis = 1{{.*}}-> tensor<2x6x4x4xf32>
  %2 = nn.softmax %x {axis = 1 : i64}
      : (tensor<2x6x4x4xf32>) -> tensor<2x6x4x4xf32>
  // CHECK: nn.log_softmax {{.*}} -> tensor<2x6x4x4xf32>
  %3 = nn.log_softmax %x : (tensor<2x6x4x4xf32>) -> tensor<2x6x4x4xf32>
  // CHECK: nn.hardmax {{.*}}axis = -4{{.*}}-> tensor<2x6x4x4xf32>
  %4 = nn.hardmax %x {axis = -4 : i64}
      : (tensor<2x6x4x4xf32>) -> tensor<2x6x4x4xf32>
  return
}

// CHECK-LABEL: func.func @stages
func.func @stages(%q: tensor<2x6x!quant.uniform<i8:f32, 0.5>>) {
  // CHECK: nn.softmax {{.*}} -> tensor<2x6x!quant.uniform<i8:f32, 3.906250e-03:-128>>
  %0 = nn.softmax %q
      : (tensor<2x6x!quant.uniform<i8:f32, 0.5>>)
      -> tensor<2x6x!quant.uniform<i8:f32, 0.00390625:-128>>
  return
}

// CHECK-LABEL: func.func @input
func.func @input(%x: tensor<2x4x5x3xf32>) {
  // CHECK: nn.normalize {{.*}}axis = 3{{.*}}mean = array<f32: 1.0{{.*}}std = array<f32: 4.0{{.*}}-> tensor<2x4x5x3xf32>
  %0 = nn.normalize %x {axis = 3 : i64, mean = array<f32: 1.0, 2.0, 3.0>,
                        std = array<f32: 4.0, 5.0, 6.0>}
      : (tensor<2x4x5x3xf32>) -> tensor<2x4x5x3xf32>
  return
}
