// RUN: parallax-opt %s | parallax-opt | FileCheck %s

// CHECK-LABEL: func.func @convolutions
func.func @convolutions(%x: tensor<1x4x9x9xf32>, %w: tensor<6x4x3x3xf32>,
                        %b: tensor<6xf32>, %dw: tensor<4x1x3x3xf32>,
                        %x1: tensor<2x4x10xf32>, %w1: tensor<8x4x5xf32>,
                        %x3: tensor<1x4x2x3x4xf32>, %w3: tensor<2x2x1x1x1xf32>,
                        %tw: tensor<4x3x3x3xf32>) {
  // CHECK: nn.conv {{.*}}strides = array<i64: 2, 2>{{.*}}-> tensor<1x6x5x5xf32>
  %0 = nn.conv %x, %w, %b
      {dilations = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>,
       strides = array<i64: 2, 2>}
      : (tensor<1x4x9x9xf32>, tensor<6x4x3x3xf32>, tensor<6xf32>)
      -> tensor<1x6x5x5xf32>
  // CHECK: nn.conv {{.*}}group = 4{{.*}}-> tensor<1x4x7x7xf32>
  %1 = nn.conv %x, %dw
      {dilations = array<i64: 2, 3>, group = 4 : i64,
       pads = array<i64: 0, 1, 2, 3>, strides = array<i64: 1, 1>}
      : (tensor<1x4x9x9xf32>, tensor<4x1x3x3xf32>) -> tensor<1x4x7x7xf32>
  // CHECK: nn.conv {{.*}} -> tensor<2x8x3xf32>
  %2 = nn.conv %x1, %w1
      {dilations = array<i64: 1>, pads = array<i64: 0, 1>,
       strides = array<i64: 3>}
      : (tensor<2x4x10xf32>, tensor<8x4x5xf32>) -> tensor<2x8x3xf32>
  // CHECK: nn.conv {{.*}} -> tensor<1x2x2x3x4xf32>
  %3 = nn.conv %x3, %w3
      {dilations = array<i64: 1, 1, 1>, group = 2 : i64,
       pads = array<i64: 0, 0, 0, 0, 0, 0>, strides = array<i64: 1, 1, 1>}
      : (tensor<1x4x2x3x4xf32>, tensor<2x2x1x1x1xf32>) -> tensor<1x2x2x3x4xf32>
  // CHECK: nn.conv_transpose {{.*}}output_padding = array<i64: 1, 0>{{.*}}-> tensor<1x6x18x17xf32>
  %4 = nn.conv_transpose %x, %tw, %b
      {dilations = array<i64: 1, 1>, group = 2 : i64,
       output_padding = array<i64: 1, 0>, pads = array<i64: 1, 1, 1, 1>,
       strides = array<i64: 2, 2>}
      : (tensor<1x4x9x9xf32>, tensor<4x3x3x3xf32>, tensor<6xf32>)
      -> tensor<1x6x18x17xf32>
  return
}

// CHECK-LABEL: func.func @products
func.func @products(%a: tensor<3x4xf32>, %b: tensor<4x5xf32>,
                    %bt: tensor<5x4xf32>, %c: tensor<5xf32>, %v: tensor<4xf32>,
                    %m: tensor<7x1x3x4xf32>, %n: tensor<2x4x5xf32>,
                    %s: tensor<f32>) {
  // CHECK: nn.gemm {{.*}} -> tensor<3x5xf32>
  %0 = nn.gemm %a, %b : (tensor<3x4xf32>, tensor<4x5xf32>) -> tensor<3x5xf32>
  // CHECK: nn.gemm {{.*}}trans_b = true{{.*}}-> tensor<3x5xf32>
  %1 = nn.gemm %a, %bt, %c {alpha = 0.5 : f32, trans_b = true}
      : (tensor<3x4xf32>, tensor<5x4xf32>, tensor<5xf32>) -> tensor<3x5xf32>
  // CHECK: nn.gemm {{.*}}trans_a = true{{.*}}-> tensor<4x4xf32>
  %2 = nn.gemm %a, %a, %s {trans_a = true}
      : (tensor<3x4xf32>, tensor<3x4xf32>, tensor<f32>) -> tensor<4x4xf32>
  // CHECK: nn.matmul {{.*}} -> tensor<3x5xf32>
  %3 = nn.matmul %a, %b : (tensor<3x4xf32>, tensor<4x5xf32>) -> tensor<3x5xf32>
  // CHECK: nn.matmul {{.*}} -> tensor<7x2x3x5xf32>
  %4 = nn.matmul %m, %n
      : (tensor<7x1x3x4xf32>, tensor<2x4x5xf32>) -> tensor<7x2x3x5xf32>
  // CHECK: nn.matmul {{.*}} -> tensor<f32>
  %5 = nn.matmul %v, %v : (tensor<4xf32>, tensor<4xf32>) -> tensor<f32>
  // CHECK: nn.matmul {{.*}} -> tensor<2x5xf32>
  %6 = nn.matmul %v, %n : (tensor<4xf32>, tensor<2x4x5xf32>) -> tensor<2x5xf32>
  // CHECK: nn.matmul {{.*}} -> tensor<7x1x3xf32>
  %7 = nn.matmul %m, %v
      : (tensor<7x1x3x4xf32>, tensor<4xf32>) -> tensor<7x1x3xf32>
  return
}

// CHECK-LABEL: func.func @fully_connected
func.func @fully_connected(%x: tensor<7x2x4xf32>, %v: tensor<4xf32>,
                           %w: tensor<5x4xf32>, %b: tensor<5xf32>,
                           %e: tensor<3x0xf32>, %we: tensor<5x0xf32>) {
  // CHECK: nn.fully_connected {{.*}} -> tensor<7x2x5xf32>
  %0 = nn.fully_connected %x, %w, %b
      : (tensor<7x2x4xf32>, tensor<5x4xf32>, tensor<5xf32>)
      -> tensor<7x2x5xf32>
  // CHECK: nn.fully_connected {{.*}} -> tensor<5xf32>
  %1 = nn.fully_connected %v, %w
      : (tensor<4xf32>, tensor<5x4xf32>) -> tensor<5xf32>
  // CHECK: nn.fully_connected {{.*}} -> tensor<3x5xf32>
  %2 = nn.fully_connected %e, %we, %b
      : (tensor<3x0xf32>, tensor<5x0xf32>, tensor<5xf32>) -> tensor<3x5xf32>
  return
}

// CHECK-LABEL: func.func @einsum
func.func @einsum(%a: tensor<3x4xf32>, %n: tensor<2x4x5xf32>,
                  %q: tensor<4x4xf32>, %m: tensor<7x1x3x4xf32>,
                  %v: tensor<1xf32>) {
  // CHECK: nn.einsum {{.*}}"ij,bjk->bik"{{.*}}-> tensor<2x3x5xf32>
  %0 = nn.einsum %a, %n {equation = "ij,bjk->bik"}
      : (tensor<3x4xf32>, tensor<2x4x5xf32>) -> tensor<2x3x5xf32>
  // CHECK: nn.einsum {{.*}} -> tensor<5x2x3xf32>
  %1 = nn.einsum %a, %n {equation = "zy, xyw"}
      : (tensor<3x4xf32>, tensor<2x4x5xf32>) -> tensor<5x2x3xf32>
  // CHECK: nn.einsum {{.*}} -> tensor<4xf32>
  %2 = nn.einsum %q {equation = "ii->i"} : (tensor<4x4xf32>) -> tensor<4xf32>
  // CHECK: nn.einsum {{.*}} -> tensor<f32>
  %3 = nn.einsum %q {equation = "ii"} : (tensor<4x4xf32>) -> tensor<f32>
  // CHECK: nn.einsum {{.*}} -> tensor<7x2x3x5xf32>
  %4 = nn.einsum %m, %n {equation = "...ij,...jk->...ik"}
      : (tensor<7x1x3x4xf32>, tensor<2x4x5xf32>) -> tensor<7x2x3x5xf32>
  // CHECK: nn.einsum {{.*}} -> tensor<4x5x2xf32>
  %5 = nn.einsum %n {equation = "b...a"}
      : (tensor<2x4x5xf32>) -> tensor<4x5x2xf32>
  // CHECK: nn.einsum {{.*}} -> tensor<3x4xf32>
  %6 = nn.einsum %a, %v {equation = "ij,j->ij"}
      : (tensor<3x4xf32>, tensor<1xf32>) -> tensor<3x4xf32>
  return
}

// CHECK-LABEL: func.func @stages
func.func @stages(%x: tensor<1x2x5x!quant.uniform<i8:f32, 0.5>>,
                  %w: tensor<4x2x3x!quant.uniform<i8:f32:0, {0.5, 0.25, 0.125, 1.0}>>,
                  %b: tensor<4x!quant.uniform<i32:f32, 0.25>>) {
  // CHECK: nn.conv {{.*}} -> tensor<1x4x5x!quant.uniform<i8:f32, 5.000000e-01>>
  %0 = nn.conv %x, %w, %b
      {dilations = array<i64: 1>, pads = array<i64: 1, 1>,
       strides = array<i64: 1>}
      : (tensor<1x2x5x!quant.uniform<i8:f32, 0.5>>, tensor<4x2x3x!quant.uniform<i8:f32:0, {0.5, 0.25, 0.125, 1.0}>>, tensor<4x!quant.uniform<i32:f32, 0.25>>)
      -> tensor<1x4x5x!quant.uniform<i8:f32, 0.5>>
  return
}
