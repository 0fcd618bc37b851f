// RUN: parallax-opt %s --nn-fuse-normalizations 2>&1 \
// RUN:   | FileCheck %s --implicit-check-not=warning

//===----------------------------------------------------------------------===//
// Layer normalization
//===----------------------------------------------------------------------===//

// CHECK-LABEL: func.func @layer_normalization(
// CHECK-NEXT: %[[S:.*]] = nn.constant dense<[1.0{{0*}}e+00, 2.0{{0*}}e+00, 3.0{{0*}}e+00, 4.0{{0*}}e+00]>
// CHECK-NEXT: %[[B:.*]] = nn.constant dense<[5.0{{0*}}e-01, 1.5{{0*}}e+00, 2.5{{0*}}e+00, 3.5{{0*}}e+00]>
// CHECK-NEXT: %{{.*}} = nn.layer_normalization %arg0, %[[S]], %[[B]] {axis = 2 : i64}
// CHECK-NEXT: return
func.func @layer_normalization(%x: tensor<2x3x4xf32>) -> tensor<2x3x4xf32> {
  %eps = nn.constant dense<1.0e-5> : tensor<f32>
  %two = nn.constant dense<2.0> : tensor<f32>
  %w = nn.constant dense<[1.0,2.0,3.0,4.0]> : tensor<4xf32>
  %b = nn.constant dense<[0.5,1.5,2.5,3.5]> : tensor<4xf32>
  %m = nn.reduce_mean %x {axes = array<i64: 2>}
      : (tensor<2x3x4xf32>) -> tensor<2x3x1xf32>
  %d = nn.sub %x, %m
      : (tensor<2x3x4xf32>, tensor<2x3x1xf32>) -> tensor<2x3x4xf32>
  %q = nn.pow %d, %two : (tensor<2x3x4xf32>, tensor<f32>) -> tensor<2x3x4xf32>
  %v = nn.reduce_mean %q {axes = array<i64: 2>}
      : (tensor<2x3x4xf32>) -> tensor<2x3x1xf32>
  %e = nn.add %v, %eps : (tensor<2x3x1xf32>, tensor<f32>) -> tensor<2x3x1xf32>
  %s = nn.sqrt %e : (tensor<2x3x1xf32>) -> tensor<2x3x1xf32>
  %n = nn.div %d, %s
      : (tensor<2x3x4xf32>, tensor<2x3x1xf32>) -> tensor<2x3x4xf32>
  %g = nn.mul %n, %w : (tensor<2x3x4xf32>, tensor<4xf32>) -> tensor<2x3x4xf32>
  %y = nn.add %g, %b : (tensor<2x3x4xf32>, tensor<4xf32>) -> tensor<2x3x4xf32>
  return %y : tensor<2x3x4xf32>
}

// Products for squares, the operands in another order.
// CHECK-LABEL: func.func @layer_by_products(
// CHECK-NEXT: %[[S:.*]] = nn.constant dense<[1.0{{0*}}e+00, 2.0{{0*}}e+00, 3.0{{0*}}e+00, 4.0{{0*}}e+00]>
// CHECK-NEXT: %[[B:.*]] = nn.constant dense<[5.0{{0*}}e-01, 1.5{{0*}}e+00, 2.5{{0*}}e+00, 3.5{{0*}}e+00]>
// CHECK-NEXT: %{{.*}} = nn.layer_normalization %arg0, %[[S]], %[[B]] {axis = 2 : i64}
// CHECK-NEXT: return
func.func @layer_by_products(%x: tensor<2x3x4xf32>) -> tensor<2x3x4xf32> {
  %eps = nn.constant dense<1.0e-5> : tensor<f32>
  %w = nn.constant dense<[1.0,2.0,3.0,4.0]> : tensor<4xf32>
  %b = nn.constant dense<[0.5,1.5,2.5,3.5]> : tensor<4xf32>
  %m = nn.reduce_mean %x {axes = array<i64: 2>}
      : (tensor<2x3x4xf32>) -> tensor<2x3x1xf32>
  %d = nn.sub %x, %m
      : (tensor<2x3x4xf32>, tensor<2x3x1xf32>) -> tensor<2x3x4xf32>
  %q = nn.mul %d, %d
      : (tensor<2x3x4xf32>, tensor<2x3x4xf32>) -> tensor<2x3x4xf32>
  %v = nn.reduce_mean %q {axes = array<i64: 2>}
      : (tensor<2x3x4xf32>) -> tensor<2x3x1xf32>
  %e = nn.add %eps, %v : (tensor<f32>, tensor<2x3x1xf32>) -> tensor<2x3x1xf32>
  %s = nn.sqrt %e : (tensor<2x3x1xf32>) -> tensor<2x3x1xf32>
  %r = nn.reciprocal %s : (tensor<2x3x1xf32>) -> tensor<2x3x1xf32>
  %n = nn.mul %r, %d
      : (tensor<2x3x1xf32>, tensor<2x3x4xf32>) -> tensor<2x3x4xf32>
  %g = nn.mul %n, %w : (tensor<2x3x4xf32>, tensor<4xf32>) -> tensor<2x3x4xf32>
  %y = nn.add %g, %b : (tensor<2x3x4xf32>, tensor<4xf32>) -> tensor<2x3x4xf32>
  return %y : tensor<2x3x4xf32>
}

// The difference computed twice, and a power for the root.
// CHECK-LABEL: func.func @layer_by_power(
// CHECK-NEXT: %[[S:.*]] = nn.constant dense<[1.0{{0*}}e+00, 2.0{{0*}}e+00, 3.0{{0*}}e+00, 4.0{{0*}}e+00]>
// CHECK-NEXT: %[[B:.*]] = nn.constant dense<[5.0{{0*}}e-01, 1.5{{0*}}e+00, 2.5{{0*}}e+00, 3.5{{0*}}e+00]>
// CHECK-NEXT: %{{.*}} = nn.layer_normalization %arg0, %[[S]], %[[B]] {axis = 2 : i64}
// CHECK-NEXT: return
func.func @layer_by_power(%x: tensor<2x3x4xf32>) -> tensor<2x3x4xf32> {
  %eps = nn.constant dense<1.0e-5> : tensor<f32>
  %two = nn.constant dense<2.0> : tensor<f32>
  %w = nn.constant dense<[1.0,2.0,3.0,4.0]> : tensor<4xf32>
  %b = nn.constant dense<[0.5,1.5,2.5,3.5]> : tensor<4xf32>
  %h = nn.constant dense<-0.5> : tensor<f32>
  %m = nn.reduce_mean %x {axes = array<i64: 2>}
      : (tensor<2x3x4xf32>) -> tensor<2x3x1xf32>
  %d = nn.sub %x, %m
      : (tensor<2x3x4xf32>, tensor<2x3x1xf32>) -> tensor<2x3x4xf32>
  %c = nn.sub %x, %m
      : (tensor<2x3x4xf32>, tensor<2x3x1xf32>) -> tensor<2x3x4xf32>
  %q = nn.pow %c, %two : (tensor<2x3x4xf32>, tensor<f32>) -> tensor<2x3x4xf32>
  %v = nn.reduce_mean %q {axes = array<i64: 2>}
      : (tensor<2x3x4xf32>) -> tensor<2x3x1xf32>
  %e = nn.add %v, %eps : (tensor<2x3x1xf32>, tensor<f32>) -> tensor<2x3x1xf32>
  %s = nn.pow %e, %h : (tensor<2x3x1xf32>, tensor<f32>) -> tensor<2x3x1xf32>
  %n = nn.mul %d, %s
      : (tensor<2x3x4xf32>, tensor<2x3x1xf32>) -> tensor<2x3x4xf32>
  %g = nn.mul %n, %w : (tensor<2x3x4xf32>, tensor<4xf32>) -> tensor<2x3x4xf32>
  %y = nn.add %g, %b : (tensor<2x3x4xf32>, tensor<4xf32>) -> tensor<2x3x4xf32>
  return %y : tensor<2x3x4xf32>
}

// A sum of squares for the variance.
// CHECK-LABEL: func.func @layer_by_sum_of_squares(
// CHECK-NEXT: %[[S:.*]] = nn.constant dense<[1.0{{0*}}e+00, 2.0{{0*}}e+00, 3.0{{0*}}e+00, 4.0{{0*}}e+00]>
// CHECK-NEXT: %[[B:.*]] = nn.constant dense<[5.0{{0*}}e-01, 1.5{{0*}}e+00, 2.5{{0*}}e+00, 3.5{{0*}}e+00]>
// CHECK-NEXT: %{{.*}} = nn.layer_normalization %arg0, %[[S]], %[[B]] {axis = 2 : i64}
// CHECK-NEXT: return
func.func @layer_by_sum_of_squares(%x: tensor<2x3x4xf32>) -> tensor<2x3x4xf32> {
  %eps = nn.constant dense<1.0e-5> : tensor<f32>
  %w = nn.constant dense<[1.0,2.0,3.0,4.0]> : tensor<4xf32>
  %b = nn.constant dense<[0.5,1.5,2.5,3.5]> : tensor<4xf32>
  %count = nn.constant dense<4.0> : tensor<f32>
  %m = nn.reduce_mean %x {axes = array<i64: 2>}
      : (tensor<2x3x4xf32>) -> tensor<2x3x1xf32>
  %d = nn.sub %x, %m
      : (tensor<2x3x4xf32>, tensor<2x3x1xf32>) -> tensor<2x3x4xf32>
  %v = nn.reduce_sum_square %d {axes = array<i64: 2>}
      : (tensor<2x3x4xf32>) -> tensor<2x3x1xf32>
  %u = nn.div %v, %count : (tensor<2x3x1xf32>, tensor<f32>) -> tensor<2x3x1xf32>
  %e = nn.add %u, %eps : (tensor<2x3x1xf32>, tensor<f32>) -> tensor<2x3x1xf32>
  %s = nn.sqrt %e : (tensor<2x3x1xf32>) -> tensor<2x3x1xf32>
  %n = nn.div %d, %s
      : (tensor<2x3x4xf32>, tensor<2x3x1xf32>) -> tensor<2x3x4xf32>
  %g = nn.mul %n, %w : (tensor<2x3x4xf32>, tensor<4xf32>) -> tensor<2x3x4xf32>
  %y = nn.add %g, %b : (tensor<2x3x4xf32>, tensor<4xf32>) -> tensor<2x3x4xf32>
  return %y : tensor<2x3x4xf32>
}

// Dimensions dropped and put back.
// CHECK-LABEL: func.func @layer_by_dropped_dimensions(
// CHECK-NEXT: %[[S:.*]] = nn.constant dense<[1.0{{0*}}e+00, 2.0{{0*}}e+00, 3.0{{0*}}e+00, 4.0{{0*}}e+00]>
// CHECK-NEXT: %[[B:.*]] = nn.constant dense<[5.0{{0*}}e-01, 1.5{{0*}}e+00, 2.5{{0*}}e+00, 3.5{{0*}}e+00]>
// CHECK-NEXT: %{{.*}} = nn.layer_normalization %arg0, %[[S]], %[[B]] {axis = 2 : i64}
// CHECK-NEXT: return
func.func @layer_by_dropped_dimensions(%x: tensor<2x3x4xf32>)
    -> tensor<2x3x4xf32> {
  %eps = nn.constant dense<1.0e-5> : tensor<f32>
  %w = nn.constant dense<[1.0,2.0,3.0,4.0]> : tensor<4xf32>
  %b = nn.constant dense<[0.5,1.5,2.5,3.5]> : tensor<4xf32>
  %p = nn.reduce_mean %x {axes = array<i64: 2>, keepdims = false}
      : (tensor<2x3x4xf32>) -> tensor<2x3xf32>
  %m = nn.reshape %p {shape = array<i64: 2, 3, 1>}
      : (tensor<2x3xf32>) -> tensor<2x3x1xf32>
  %d = nn.sub %x, %m
      : (tensor<2x3x4xf32>, tensor<2x3x1xf32>) -> tensor<2x3x4xf32>
  %q = nn.mul %d, %d
      : (tensor<2x3x4xf32>, tensor<2x3x4xf32>) -> tensor<2x3x4xf32>
  %v = nn.reduce_mean %q {axes = array<i64: 2>}
      : (tensor<2x3x4xf32>) -> tensor<2x3x1xf32>
  %e = nn.add %v, %eps : (tensor<2x3x1xf32>, tensor<f32>) -> tensor<2x3x1xf32>
  %s = nn.sqrt %e : (tensor<2x3x1xf32>) -> tensor<2x3x1xf32>
  %n = nn.div %d, %s
      : (tensor<2x3x4xf32>, tensor<2x3x1xf32>) -> tensor<2x3x4xf32>
  %g = nn.mul %n, %w : (tensor<2x3x4xf32>, tensor<4xf32>) -> tensor<2x3x4xf32>
  %y = nn.add %g, %b : (tensor<2x3x4xf32>, tensor<4xf32>) -> tensor<2x3x4xf32>
  return %y : tensor<2x3x4xf32>
}

// The scale multiplies the inverse deviation.
// CHECK-LABEL: func.func @layer_scale_first(
// CHECK-NEXT: %[[S:.*]] = nn.constant dense<[1.0{{0*}}e+00, 2.0{{0*}}e+00, 3.0{{0*}}e+00, 4.0{{0*}}e+00]>
// CHECK-NEXT: %[[B:.*]] = nn.constant dense<[5.0{{0*}}e-01, 1.5{{0*}}e+00, 2.5{{0*}}e+00, 3.5{{0*}}e+00]>
// CHECK-NEXT: %{{.*}} = nn.layer_normalization %arg0, %[[S]], %[[B]] {axis = 2 : i64}
// CHECK-NEXT: return
func.func @layer_scale_first(%x: tensor<2x3x4xf32>) -> tensor<2x3x4xf32> {
  %eps = nn.constant dense<1.0e-5> : tensor<f32>
  %two = nn.constant dense<2.0> : tensor<f32>
  %w = nn.constant dense<[1.0,2.0,3.0,4.0]> : tensor<4xf32>
  %b = nn.constant dense<[0.5,1.5,2.5,3.5]> : tensor<4xf32>
  %m = nn.reduce_mean %x {axes = array<i64: 2>}
      : (tensor<2x3x4xf32>) -> tensor<2x3x1xf32>
  %d = nn.sub %x, %m
      : (tensor<2x3x4xf32>, tensor<2x3x1xf32>) -> tensor<2x3x4xf32>
  %q = nn.pow %d, %two : (tensor<2x3x4xf32>, tensor<f32>) -> tensor<2x3x4xf32>
  %v = nn.reduce_mean %q {axes = array<i64: 2>}
      : (tensor<2x3x4xf32>) -> tensor<2x3x1xf32>
  %e = nn.add %v, %eps : (tensor<2x3x1xf32>, tensor<f32>) -> tensor<2x3x1xf32>
  %s = nn.sqrt %e : (tensor<2x3x1xf32>) -> tensor<2x3x1xf32>
  %r = nn.reciprocal %s : (tensor<2x3x1xf32>) -> tensor<2x3x1xf32>
  %g = nn.mul %r, %w : (tensor<2x3x1xf32>, tensor<4xf32>) -> tensor<2x3x4xf32>
  %n = nn.mul %d, %g
      : (tensor<2x3x4xf32>, tensor<2x3x4xf32>) -> tensor<2x3x4xf32>
  %y = nn.add %n, %b : (tensor<2x3x4xf32>, tensor<4xf32>) -> tensor<2x3x4xf32>
  return %y : tensor<2x3x4xf32>
}

// The difference multiplied out.
// CHECK-LABEL: func.func @layer_factored(
// CHECK-NEXT: %[[S:.*]] = nn.constant dense<[1.0{{0*}}e+00, 2.0{{0*}}e+00, 3.0{{0*}}e+00, 4.0{{0*}}e+00]>
// CHECK-NEXT: %[[B:.*]] = nn.constant dense<[5.0{{0*}}e-01, 1.5{{0*}}e+00, 2.5{{0*}}e+00, 3.5{{0*}}e+00]>
// CHECK-NEXT: %{{.*}} = nn.layer_normalization %arg0, %[[S]], %[[B]] {axis = 2 : i64}
// CHECK-NEXT: return
func.func @layer_factored(%x: tensor<2x3x4xf32>) -> tensor<2x3x4xf32> {
  %eps = nn.constant dense<1.0e-5> : tensor<f32>
  %w = nn.constant dense<[1.0,2.0,3.0,4.0]> : tensor<4xf32>
  %b = nn.constant dense<[0.5,1.5,2.5,3.5]> : tensor<4xf32>
  %m = nn.reduce_mean %x {axes = array<i64: 2>}
      : (tensor<2x3x4xf32>) -> tensor<2x3x1xf32>
  %d = nn.sub %x, %m
      : (tensor<2x3x4xf32>, tensor<2x3x1xf32>) -> tensor<2x3x4xf32>
  %q = nn.mul %d, %d
      : (tensor<2x3x4xf32>, tensor<2x3x4xf32>) -> tensor<2x3x4xf32>
  %v = nn.reduce_mean %q {axes = array<i64: 2>}
      : (tensor<2x3x4xf32>) -> tensor<2x3x1xf32>
  %e = nn.add %v, %eps : (tensor<2x3x1xf32>, tensor<f32>) -> tensor<2x3x1xf32>
  %s = nn.sqrt %e : (tensor<2x3x1xf32>) -> tensor<2x3x1xf32>
  %r = nn.reciprocal %s : (tensor<2x3x1xf32>) -> tensor<2x3x1xf32>
  %f = nn.mul %r, %w : (tensor<2x3x1xf32>, tensor<4xf32>) -> tensor<2x3x4xf32>
  %g = nn.mul %x, %f
      : (tensor<2x3x4xf32>, tensor<2x3x4xf32>) -> tensor<2x3x4xf32>
  %h = nn.mul %m, %f
      : (tensor<2x3x1xf32>, tensor<2x3x4xf32>) -> tensor<2x3x4xf32>
  %o = nn.sub %b, %h : (tensor<4xf32>, tensor<2x3x4xf32>) -> tensor<2x3x4xf32>
  %y = nn.add %g, %o
      : (tensor<2x3x4xf32>, tensor<2x3x4xf32>) -> tensor<2x3x4xf32>
  return %y : tensor<2x3x4xf32>
}

// CHECK-LABEL: func.func @layer_without_parameters(
// CHECK-NEXT: %[[S:.*]] = nn.constant dense<1.0{{0*}}e+00> : tensor<4xf32>
// CHECK-NEXT: %{{.*}} = nn.layer_normalization %arg0, %[[S]] {axis = 2 : i64, epsilon = 9.99999996E-13 : f32}
// CHECK-NEXT: return
func.func @layer_without_parameters(%x: tensor<2x3x4xf32>)
    -> tensor<2x3x4xf32> {
  %eps = nn.constant dense<1.0e-12> : tensor<f32>
  %two = nn.constant dense<2.0> : tensor<f32>
  %m = nn.reduce_mean %x {axes = array<i64: 2>}
      : (tensor<2x3x4xf32>) -> tensor<2x3x1xf32>
  %d = nn.sub %x, %m
      : (tensor<2x3x4xf32>, tensor<2x3x1xf32>) -> tensor<2x3x4xf32>
  %q = nn.pow %d, %two : (tensor<2x3x4xf32>, tensor<f32>) -> tensor<2x3x4xf32>
  %v = nn.reduce_mean %q {axes = array<i64: 2>}
      : (tensor<2x3x4xf32>) -> tensor<2x3x1xf32>
  %e = nn.add %v, %eps : (tensor<2x3x1xf32>, tensor<f32>) -> tensor<2x3x1xf32>
  %s = nn.sqrt %e : (tensor<2x3x1xf32>) -> tensor<2x3x1xf32>
  %n = nn.div %d, %s
      : (tensor<2x3x4xf32>, tensor<2x3x1xf32>) -> tensor<2x3x4xf32>
  return %n : tensor<2x3x4xf32>
}

// A number is a bias, too.
// CHECK-LABEL: func.func @layer_two_axes(
// CHECK-NEXT: %[[S:.*]] = nn.constant dense<1.0{{0*}}e+00> : tensor<3x4xf32>
// CHECK-NEXT: %[[B:.*]] = nn.constant dense<2.0{{0*}}e+00> : tensor<3x4xf32>
// CHECK-NEXT: %{{.*}} = nn.layer_normalization %arg0, %[[S]], %[[B]] {axis = 1 : i64}
// CHECK-NEXT: return
func.func @layer_two_axes(%x: tensor<2x3x4xf32>) -> tensor<2x3x4xf32> {
  %eps = nn.constant dense<1.0e-5> : tensor<f32>
  %two = nn.constant dense<2.0> : tensor<f32>
  %b = nn.constant dense<2.0> : tensor<f32>
  %m = nn.reduce_mean %x {axes = array<i64: 1, 2>}
      : (tensor<2x3x4xf32>) -> tensor<2x1x1xf32>
  %d = nn.sub %x, %m
      : (tensor<2x3x4xf32>, tensor<2x1x1xf32>) -> tensor<2x3x4xf32>
  %q = nn.pow %d, %two : (tensor<2x3x4xf32>, tensor<f32>) -> tensor<2x3x4xf32>
  %v = nn.reduce_mean %q {axes = array<i64: 1, 2>}
      : (tensor<2x3x4xf32>) -> tensor<2x1x1xf32>
  %e = nn.add %v, %eps : (tensor<2x1x1xf32>, tensor<f32>) -> tensor<2x1x1xf32>
  %s = nn.sqrt %e : (tensor<2x1x1xf32>) -> tensor<2x1x1xf32>
  %n = nn.div %d, %s
      : (tensor<2x3x4xf32>, tensor<2x1x1xf32>) -> tensor<2x3x4xf32>
  %y = nn.add %n, %b : (tensor<2x3x4xf32>, tensor<f32>) -> tensor<2x3x4xf32>
  return %y : tensor<2x3x4xf32>
}

// CHECK-LABEL: func.func @parameters_behind(
// CHECK-NEXT: %[[S:.*]] = nn.constant dense<[2.0{{0*}}e+00, 4.0{{0*}}e+00, 6.0{{0*}}e+00, 8.0{{0*}}e+00]>
// CHECK-NEXT: %[[B:.*]] = nn.constant dense<[5.0{{0*}}e-01, 1.5{{0*}}e+00, 2.5{{0*}}e+00, 3.5{{0*}}e+00]>
// CHECK-NEXT: %{{.*}} = nn.layer_normalization %arg0, %[[S]], %[[B]] {axis = 2 : i64}
// CHECK-NEXT: return
func.func @parameters_behind(%x: tensor<2x3x4xf32>) -> tensor<2x3x4xf32> {
  %w = nn.constant dense<[1.0,2.0,3.0,4.0]> : tensor<4xf32>
  %two = nn.constant dense<2.0> : tensor<f32>
  %b = nn.constant dense<[0.5,1.5,2.5,3.5]> : tensor<4xf32>
  %a = nn.layer_normalization %x, %w {axis = 2 : i64}
      : (tensor<2x3x4xf32>, tensor<4xf32>) -> tensor<2x3x4xf32>
  %c = nn.mul %two, %a : (tensor<f32>, tensor<2x3x4xf32>) -> tensor<2x3x4xf32>
  %y = nn.add %c, %b : (tensor<2x3x4xf32>, tensor<4xf32>) -> tensor<2x3x4xf32>
  return %y : tensor<2x3x4xf32>
}

// The last dimension is not normalized.
// CHECK-LABEL: func.func @layer_channels_first(
// CHECK: nn.reduce_mean %
// CHECK: nn.sub %
// CHECK: nn.pow %
// CHECK: nn.reduce_mean %
// CHECK: nn.add %
// CHECK: nn.sqrt %
// CHECK: nn.div %
// CHECK: return
func.func @layer_channels_first(%x: tensor<2x3x4xf32>) -> tensor<2x3x4xf32> {
  %eps = nn.constant dense<1.0e-5> : tensor<f32>
  %two = nn.constant dense<2.0> : tensor<f32>
  %m = nn.reduce_mean %x {axes = array<i64: 1>}
      : (tensor<2x3x4xf32>) -> tensor<2x1x4xf32>
  %d = nn.sub %x, %m
      : (tensor<2x3x4xf32>, tensor<2x1x4xf32>) -> tensor<2x3x4xf32>
  %q = nn.pow %d, %two : (tensor<2x3x4xf32>, tensor<f32>) -> tensor<2x3x4xf32>
  %v = nn.reduce_mean %q {axes = array<i64: 1>}
      : (tensor<2x3x4xf32>) -> tensor<2x1x4xf32>
  %e = nn.add %v, %eps : (tensor<2x1x4xf32>, tensor<f32>) -> tensor<2x1x4xf32>
  %s = nn.sqrt %e : (tensor<2x1x4xf32>) -> tensor<2x1x4xf32>
  %n = nn.div %d, %s
      : (tensor<2x3x4xf32>, tensor<2x1x4xf32>) -> tensor<2x3x4xf32>
  return %n : tensor<2x3x4xf32>
}

// CHECK-LABEL: func.func @layer_wrong_power(
// CHECK: nn.reduce_mean %
// CHECK: nn.sub %
// CHECK: nn.pow %
// CHECK: nn.reduce_mean %
// CHECK: nn.add %
// CHECK: nn.sqrt %
// CHECK: nn.div %
// CHECK: return
func.func @layer_wrong_power(%x: tensor<2x3x4xf32>) -> tensor<2x3x4xf32> {
  %eps = nn.constant dense<1.0e-5> : tensor<f32>
  %two = nn.constant dense<3.0> : tensor<f32>
  %m = nn.reduce_mean %x {axes = array<i64: 2>}
      : (tensor<2x3x4xf32>) -> tensor<2x3x1xf32>
  %d = nn.sub %x, %m
      : (tensor<2x3x4xf32>, tensor<2x3x1xf32>) -> tensor<2x3x4xf32>
  %q = nn.pow %d, %two : (tensor<2x3x4xf32>, tensor<f32>) -> tensor<2x3x4xf32>
  %v = nn.reduce_mean %q {axes = array<i64: 2>}
      : (tensor<2x3x4xf32>) -> tensor<2x3x1xf32>
  %e = nn.add %v, %eps : (tensor<2x3x1xf32>, tensor<f32>) -> tensor<2x3x1xf32>
  %s = nn.sqrt %e : (tensor<2x3x1xf32>) -> tensor<2x3x1xf32>
  %n = nn.div %d, %s
      : (tensor<2x3x4xf32>, tensor<2x3x1xf32>) -> tensor<2x3x4xf32>
  return %n : tensor<2x3x4xf32>
}

// CHECK-LABEL: func.func @layer_variance_read_elsewhere(
// CHECK: nn.reduce_mean %
// CHECK: nn.sub %
// CHECK: nn.pow %
// CHECK: nn.reduce_mean %
// CHECK: nn.add %
// CHECK: nn.sqrt %
// CHECK: nn.div %
// CHECK: return
func.func @layer_variance_read_elsewhere(%x: tensor<2x3x4xf32>)
    -> (tensor<2x3x4xf32>, tensor<2x3x1xf32>) {
  %eps = nn.constant dense<1.0e-5> : tensor<f32>
  %two = nn.constant dense<2.0> : tensor<f32>
  %m = nn.reduce_mean %x {axes = array<i64: 2>}
      : (tensor<2x3x4xf32>) -> tensor<2x3x1xf32>
  %d = nn.sub %x, %m
      : (tensor<2x3x4xf32>, tensor<2x3x1xf32>) -> tensor<2x3x4xf32>
  %q = nn.pow %d, %two : (tensor<2x3x4xf32>, tensor<f32>) -> tensor<2x3x4xf32>
  %v = nn.reduce_mean %q {axes = array<i64: 2>}
      : (tensor<2x3x4xf32>) -> tensor<2x3x1xf32>
  %e = nn.add %v, %eps : (tensor<2x3x1xf32>, tensor<f32>) -> tensor<2x3x1xf32>
  %s = nn.sqrt %e : (tensor<2x3x1xf32>) -> tensor<2x3x1xf32>
  %n = nn.div %d, %s
      : (tensor<2x3x4xf32>, tensor<2x3x1xf32>) -> tensor<2x3x4xf32>
  return %n, %v : tensor<2x3x4xf32>, tensor<2x3x1xf32>
}

// The variance of a sample divides by one less.
// CHECK-LABEL: func.func @layer_unbiased(
// CHECK: nn.reduce_mean %
// CHECK: nn.sub %
// CHECK: nn.pow %
// CHECK: nn.reduce_sum %
// CHECK: nn.div %
// CHECK: nn.add %
// CHECK: nn.sqrt %
// CHECK: nn.div %
// CHECK: return
func.func @layer_unbiased(%x: tensor<2x3x4xf32>) -> tensor<2x3x4xf32> {
  %eps = nn.constant dense<1.0e-5> : tensor<f32>
  %two = nn.constant dense<2.0> : tensor<f32>
  %count = nn.constant dense<3.0> : tensor<f32>
  %m = nn.reduce_mean %x {axes = array<i64: 2>}
      : (tensor<2x3x4xf32>) -> tensor<2x3x1xf32>
  %d = nn.sub %x, %m
      : (tensor<2x3x4xf32>, tensor<2x3x1xf32>) -> tensor<2x3x4xf32>
  %q = nn.pow %d, %two : (tensor<2x3x4xf32>, tensor<f32>) -> tensor<2x3x4xf32>
  %t = nn.reduce_sum %q {axes = array<i64: 2>}
      : (tensor<2x3x4xf32>) -> tensor<2x3x1xf32>
  %v = nn.div %t, %count : (tensor<2x3x1xf32>, tensor<f32>) -> tensor<2x3x1xf32>
  %e = nn.add %v, %eps : (tensor<2x3x1xf32>, tensor<f32>) -> tensor<2x3x1xf32>
  %s = nn.sqrt %e : (tensor<2x3x1xf32>) -> tensor<2x3x1xf32>
  %n = nn.div %d, %s
      : (tensor<2x3x4xf32>, tensor<2x3x1xf32>) -> tensor<2x3x4xf32>
  return %n : tensor<2x3x4xf32>
}

// CHECK-LABEL: func.func @layer_epsilon_outside(
// CHECK: nn.reduce_mean %
// CHECK: nn.sub %
// CHECK: nn.pow %
// CHECK: nn.reduce_mean %
// CHECK: nn.sqrt %
// CHECK: nn.add %
// CHECK: nn.div %
// CHECK: return
func.func @layer_epsilon_outside(%x: tensor<2x3x4xf32>) -> tensor<2x3x4xf32> {
  %eps = nn.constant dense<1.0e-5> : tensor<f32>
  %two = nn.constant dense<2.0> : tensor<f32>
  %m = nn.reduce_mean %x {axes = array<i64: 2>}
      : (tensor<2x3x4xf32>) -> tensor<2x3x1xf32>
  %d = nn.sub %x, %m
      : (tensor<2x3x4xf32>, tensor<2x3x1xf32>) -> tensor<2x3x4xf32>
  %q = nn.pow %d, %two : (tensor<2x3x4xf32>, tensor<f32>) -> tensor<2x3x4xf32>
  %v = nn.reduce_mean %q {axes = array<i64: 2>}
      : (tensor<2x3x4xf32>) -> tensor<2x3x1xf32>
  %s = nn.sqrt %v : (tensor<2x3x1xf32>) -> tensor<2x3x1xf32>
  %e = nn.add %s, %eps : (tensor<2x3x1xf32>, tensor<f32>) -> tensor<2x3x1xf32>
  %n = nn.div %d, %e
      : (tensor<2x3x4xf32>, tensor<2x3x1xf32>) -> tensor<2x3x4xf32>
  return %n : tensor<2x3x4xf32>
}

// One number per row is not a parameter of this normalization.
// CHECK-LABEL: func.func @layer_bias_of_rows(
// CHECK: nn.layer_normalization %
// CHECK: nn.add %
// CHECK: return
func.func @layer_bias_of_rows(%x: tensor<2x3x4xf32>) -> tensor<2x3x4xf32> {
  %w = nn.constant dense<[1.0,2.0,3.0,4.0]> : tensor<4xf32>
  %b = nn.constant dense<[[1.0],[2.0],[3.0]]> : tensor<3x1xf32>
  %a = nn.layer_normalization %x, %w {axis = 2 : i64}
      : (tensor<2x3x4xf32>, tensor<4xf32>) -> tensor<2x3x4xf32>
  %y = nn.add %a, %b : (tensor<2x3x4xf32>, tensor<3x1xf32>) -> tensor<2x3x4xf32>
  return %y : tensor<2x3x4xf32>
}

// CHECK-LABEL: func.func @layer_bias_that_broadcasts(
// CHECK: nn.layer_normalization %
// CHECK: nn.add %
// CHECK: return
func.func @layer_bias_that_broadcasts(%x: tensor<1x3x4xf32>)
    -> tensor<2x3x4xf32> {
  %w = nn.constant dense<[1.0,2.0,3.0,4.0]> : tensor<4xf32>
  %b = nn.constant dense<1.0> : tensor<2x3x4xf32>
  %a = nn.layer_normalization %x, %w {axis = 2 : i64}
      : (tensor<1x3x4xf32>, tensor<4xf32>) -> tensor<1x3x4xf32>
  %y = nn.add %a, %b
      : (tensor<1x3x4xf32>, tensor<2x3x4xf32>) -> tensor<2x3x4xf32>
  return %y : tensor<2x3x4xf32>
}

//===----------------------------------------------------------------------===//
// RMS normalization
//===----------------------------------------------------------------------===//

// CHECK-LABEL: func.func @rms_normalization(
// CHECK-NEXT: %[[S:.*]] = nn.constant dense<[1.0{{0*}}e+00, 2.0{{0*}}e+00, 3.0{{0*}}e+00, 4.0{{0*}}e+00]>
// CHECK-NEXT: %{{.*}} = nn.rms_normalization %arg0, %[[S]] {axis = 2 : i64}
// CHECK-NEXT: return
func.func @rms_normalization(%x: tensor<2x3x4xf32>) -> tensor<2x3x4xf32> {
  %eps = nn.constant dense<1.0e-5> : tensor<f32>
  %two = nn.constant dense<2.0> : tensor<f32>
  %w = nn.constant dense<[1.0,2.0,3.0,4.0]> : tensor<4xf32>
  %q = nn.pow %x, %two : (tensor<2x3x4xf32>, tensor<f32>) -> tensor<2x3x4xf32>
  %v = nn.reduce_mean %q {axes = array<i64: 2>}
      : (tensor<2x3x4xf32>) -> tensor<2x3x1xf32>
  %e = nn.add %v, %eps : (tensor<2x3x1xf32>, tensor<f32>) -> tensor<2x3x1xf32>
  %s = nn.sqrt %e : (tensor<2x3x1xf32>) -> tensor<2x3x1xf32>
  %n = nn.div %x, %s
      : (tensor<2x3x4xf32>, tensor<2x3x1xf32>) -> tensor<2x3x4xf32>
  %y = nn.mul %n, %w : (tensor<2x3x4xf32>, tensor<4xf32>) -> tensor<2x3x4xf32>
  return %y : tensor<2x3x4xf32>
}

// CHECK-LABEL: func.func @rms_by_reciprocal(
// CHECK-NEXT: %[[S:.*]] = nn.constant dense<[1.0{{0*}}e+00, 2.0{{0*}}e+00, 3.0{{0*}}e+00, 4.0{{0*}}e+00]>
// CHECK-NEXT: %{{.*}} = nn.rms_normalization %arg0, %[[S]] {axis = 2 : i64}
// CHECK-NEXT: return
func.func @rms_by_reciprocal(%x: tensor<2x3x4xf32>) -> tensor<2x3x4xf32> {
  %eps = nn.constant dense<1.0e-5> : tensor<f32>
  %w = nn.constant dense<[1.0,2.0,3.0,4.0]> : tensor<4xf32>
  %one = nn.constant dense<1.0> : tensor<f32>
  %q = nn.mul %x, %x
      : (tensor<2x3x4xf32>, tensor<2x3x4xf32>) -> tensor<2x3x4xf32>
  %v = nn.reduce_mean %q {axes = array<i64: 2>}
      : (tensor<2x3x4xf32>) -> tensor<2x3x1xf32>
  %e = nn.add %eps, %v : (tensor<f32>, tensor<2x3x1xf32>) -> tensor<2x3x1xf32>
  %s = nn.sqrt %e : (tensor<2x3x1xf32>) -> tensor<2x3x1xf32>
  %r = nn.div %one, %s : (tensor<f32>, tensor<2x3x1xf32>) -> tensor<2x3x1xf32>
  %n = nn.mul %x, %r
      : (tensor<2x3x4xf32>, tensor<2x3x1xf32>) -> tensor<2x3x4xf32>
  %y = nn.mul %w, %n : (tensor<4xf32>, tensor<2x3x4xf32>) -> tensor<2x3x4xf32>
  return %y : tensor<2x3x4xf32>
}

// CHECK-LABEL: func.func @rms_of_another(
// CHECK: nn.mul %
// CHECK: nn.reduce_mean %
// CHECK: nn.add %
// CHECK: nn.sqrt %
// CHECK: nn.div %
// CHECK: return
func.func @rms_of_another(%x: tensor<2x3x4xf32>, %z: tensor<2x3x4xf32>)
    -> tensor<2x3x4xf32> {
  %eps = nn.constant dense<1.0e-5> : tensor<f32>
  %q = nn.mul %z, %z
      : (tensor<2x3x4xf32>, tensor<2x3x4xf32>) -> tensor<2x3x4xf32>
  %v = nn.reduce_mean %q {axes = array<i64: 2>}
      : (tensor<2x3x4xf32>) -> tensor<2x3x1xf32>
  %e = nn.add %eps, %v : (tensor<f32>, tensor<2x3x1xf32>) -> tensor<2x3x1xf32>
  %s = nn.sqrt %e : (tensor<2x3x1xf32>) -> tensor<2x3x1xf32>
  %n = nn.div %x, %s
      : (tensor<2x3x4xf32>, tensor<2x3x1xf32>) -> tensor<2x3x4xf32>
  return %n : tensor<2x3x4xf32>
}

// It has no bias.
// CHECK-LABEL: func.func @rms_with_shift(
// CHECK: nn.rms_normalization %
// CHECK: nn.add %
// CHECK: return
func.func @rms_with_shift(%x: tensor<2x3x4xf32>) -> tensor<2x3x4xf32> {
  %w = nn.constant dense<[1.0,2.0,3.0,4.0]> : tensor<4xf32>
  %b = nn.constant dense<[0.5,1.5,2.5,3.5]> : tensor<4xf32>
  %a = nn.rms_normalization %x, %w {axis = 2 : i64}
      : (tensor<2x3x4xf32>, tensor<4xf32>) -> tensor<2x3x4xf32>
  %y = nn.add %a, %b : (tensor<2x3x4xf32>, tensor<4xf32>) -> tensor<2x3x4xf32>
  return %y : tensor<2x3x4xf32>
}
