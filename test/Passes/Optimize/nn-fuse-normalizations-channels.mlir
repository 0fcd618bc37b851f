// RUN: parallax-opt %s --nn-fuse-normalizations 2>&1 \
// RUN:   | FileCheck %s --implicit-check-not=warning

//===----------------------------------------------------------------------===//
// Instance normalization
//===----------------------------------------------------------------------===//

// CHECK-LABEL: func.func @instance_normalization(
// CHECK-NEXT: %[[S:.*]] = nn.constant dense<[2.0{{0*}}e+00, 3.0{{0*}}e+00, 4.0{{0*}}e+00]>
// CHECK-NEXT: %[[B:.*]] = nn.constant dense<[5.0{{0*}}e+00, 6.0{{0*}}e+00, 7.0{{0*}}e+00]>
// CHECK-NEXT: %{{.*}} = nn.instance_normalization %arg0, %[[S]], %[[B]] :
// CHECK-NEXT: return
func.func @instance_normalization(%x: tensor<2x3x4x4xf32>)
    -> tensor<2x3x4x4xf32> {
  %eps = nn.constant dense<1.0e-5> : tensor<f32>
  %two = nn.constant dense<2.0> : tensor<f32>
  %w = nn.constant dense<[[[2.0]],[[3.0]],[[4.0]]]> : tensor<3x1x1xf32>
  %b = nn.constant dense<[[[5.0]],[[6.0]],[[7.0]]]> : tensor<3x1x1xf32>
  %m = nn.reduce_mean %x {axes = array<i64: 2, 3>}
      : (tensor<2x3x4x4xf32>) -> tensor<2x3x1x1xf32>
  %d = nn.sub %x, %m
      : (tensor<2x3x4x4xf32>, tensor<2x3x1x1xf32>) -> tensor<2x3x4x4xf32>
  %q = nn.pow %d, %two
      : (tensor<2x3x4x4xf32>, tensor<f32>) -> tensor<2x3x4x4xf32>
  %v = nn.reduce_mean %q {axes = array<i64: 2, 3>}
      : (tensor<2x3x4x4xf32>) -> tensor<2x3x1x1xf32>
  %e = nn.add %v, %eps
      : (tensor<2x3x1x1xf32>, tensor<f32>) -> tensor<2x3x1x1xf32>
  %s = nn.sqrt %e : (tensor<2x3x1x1xf32>) -> tensor<2x3x1x1xf32>
  %n = nn.div %d, %s
      : (tensor<2x3x4x4xf32>, tensor<2x3x1x1xf32>) -> tensor<2x3x4x4xf32>
  %g = nn.mul %w, %n
      : (tensor<3x1x1xf32>, tensor<2x3x4x4xf32>) -> tensor<2x3x4x4xf32>
  %y = nn.add %g, %b
      : (tensor<2x3x4x4xf32>, tensor<3x1x1xf32>) -> tensor<2x3x4x4xf32>
  return %y : tensor<2x3x4x4xf32>
}

// CHECK-LABEL: func.func @instance_by_pool(
// CHECK-NEXT: %[[B:.*]] = nn.constant dense<0.0{{0*}}e+00> : tensor<3xf32>
// CHECK-NEXT: %[[S:.*]] = nn.constant dense<[2.0{{0*}}e+00, 3.0{{0*}}e+00, 4.0{{0*}}e+00]>
// CHECK-NEXT: %{{.*}} = nn.instance_normalization %arg0, %[[S]], %[[B]] :
// CHECK-NEXT: return
func.func @instance_by_pool(%x: tensor<2x3x4x4xf32>) -> tensor<2x3x4x4xf32> {
  %eps = nn.constant dense<1.0e-5> : tensor<f32>
  %two = nn.constant dense<2.0> : tensor<f32>
  %w = nn.constant dense<[[[2.0]],[[3.0]],[[4.0]]]> : tensor<3x1x1xf32>
  %m = nn.global_average_pool %x : (tensor<2x3x4x4xf32>) -> tensor<2x3x1x1xf32>
  %d = nn.sub %x, %m
      : (tensor<2x3x4x4xf32>, tensor<2x3x1x1xf32>) -> tensor<2x3x4x4xf32>
  %q = nn.pow %d, %two
      : (tensor<2x3x4x4xf32>, tensor<f32>) -> tensor<2x3x4x4xf32>
  %v = nn.global_average_pool %q : (tensor<2x3x4x4xf32>) -> tensor<2x3x1x1xf32>
  %e = nn.add %v, %eps
      : (tensor<2x3x1x1xf32>, tensor<f32>) -> tensor<2x3x1x1xf32>
  %s = nn.sqrt %e : (tensor<2x3x1x1xf32>) -> tensor<2x3x1x1xf32>
  %n = nn.div %d, %s
      : (tensor<2x3x4x4xf32>, tensor<2x3x1x1xf32>) -> tensor<2x3x4x4xf32>
  %y = nn.mul %n, %w
      : (tensor<2x3x4x4xf32>, tensor<3x1x1xf32>) -> tensor<2x3x4x4xf32>
  return %y : tensor<2x3x4x4xf32>
}

// The scale tells it from a layer normalization.
// CHECK-LABEL: func.func @instance_of_sequence(
// CHECK-NEXT: %[[S:.*]] = nn.constant dense<[2.0{{0*}}e+00, 3.0{{0*}}e+00, 4.0{{0*}}e+00]>
// CHECK-NEXT: %[[B:.*]] = nn.constant dense<0.0{{0*}}e+00> : tensor<3xf32>
// CHECK-NEXT: %{{.*}} = nn.instance_normalization %arg0, %[[S]], %[[B]] :
// CHECK-NEXT: return
func.func @instance_of_sequence(%x: tensor<2x3x4xf32>) -> tensor<2x3x4xf32> {
  %eps = nn.constant dense<1.0e-5> : tensor<f32>
  %two = nn.constant dense<2.0> : tensor<f32>
  %w = nn.constant dense<[[2.0],[3.0],[4.0]]> : tensor<3x1xf32>
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
  %y = nn.mul %n, %w : (tensor<2x3x4xf32>, tensor<3x1xf32>) -> tensor<2x3x4xf32>
  return %y : tensor<2x3x4xf32>
}

// The scale differs between samples.
// CHECK-LABEL: func.func @instance_scale_of_all(
// CHECK: nn.instance_normalization %
// CHECK: nn.mul %
// CHECK: return
func.func @instance_scale_of_all(%x: tensor<2x3x4x4xf32>)
    -> tensor<2x3x4x4xf32> {
  %s = nn.constant dense<1.0> : tensor<3xf32>
  %z = nn.constant dense<0.0> : tensor<3xf32>
  %w = nn.constant dense<[[[[2.0]],[[3.0]],[[4.0]]],[[[5.0]],[[6.0]],[[7.0]]]]> : tensor<2x3x1x1xf32>
  %a = nn.instance_normalization %x, %s, %z
      : (tensor<2x3x4x4xf32>, tensor<3xf32>, tensor<3xf32>) -> tensor<2x3x4x4xf32>
  %y = nn.mul %a, %w
      : (tensor<2x3x4x4xf32>, tensor<2x3x1x1xf32>) -> tensor<2x3x4x4xf32>
  return %y : tensor<2x3x4x4xf32>
}

//===----------------------------------------------------------------------===//
// Group normalization
//===----------------------------------------------------------------------===//

// CHECK-LABEL: func.func @group_normalization(
// CHECK-NEXT: %[[S:.*]] = nn.constant dense<[2.0{{0*}}e+00, 3.0{{0*}}e+00, 4.0{{0*}}e+00, 5.0{{0*}}e+00]>
// CHECK-NEXT: %[[B:.*]] = nn.constant dense<[6.0{{0*}}e+00, 7.0{{0*}}e+00, 8.0{{0*}}e+00, 9.0{{0*}}e+00]>
// CHECK-NEXT: %{{.*}} = nn.group_normalization %arg0, %[[S]], %[[B]] {num_groups = 2 : i64}
// CHECK-NEXT: return
func.func @group_normalization(%x: tensor<2x4x3x3xf32>) -> tensor<2x4x3x3xf32> {
  %o = nn.constant dense<1.0> : tensor<2xf32>
  %z = nn.constant dense<0.0> : tensor<2xf32>
  %w = nn.constant dense<[[[2.0]],[[3.0]],[[4.0]],[[5.0]]]> : tensor<4x1x1xf32>
  %b = nn.constant dense<[[[6.0]],[[7.0]],[[8.0]],[[9.0]]]> : tensor<4x1x1xf32>
  %r = nn.reshape %x {shape = array<i64: 2, 2, 18>}
      : (tensor<2x4x3x3xf32>) -> tensor<2x2x18xf32>
  %i = nn.instance_normalization %r, %o, %z
      : (tensor<2x2x18xf32>, tensor<2xf32>, tensor<2xf32>) -> tensor<2x2x18xf32>
  %k = nn.reshape %i {shape = array<i64: 2, 4, 3, 3>}
      : (tensor<2x2x18xf32>) -> tensor<2x4x3x3xf32>
  %g = nn.mul %k, %w
      : (tensor<2x4x3x3xf32>, tensor<4x1x1xf32>) -> tensor<2x4x3x3xf32>
  %y = nn.add %g, %b
      : (tensor<2x4x3x3xf32>, tensor<4x1x1xf32>) -> tensor<2x4x3x3xf32>
  return %y : tensor<2x4x3x3xf32>
}

// One entry per group becomes one per channel.
// CHECK-LABEL: func.func @group_with_parameters(
// CHECK-NEXT: %[[S:.*]] = nn.constant dense<[2.0{{0*}}e+00, 2.0{{0*}}e+00, 3.0{{0*}}e+00, 3.0{{0*}}e+00]>
// CHECK-NEXT: %[[B:.*]] = nn.constant dense<[4.0{{0*}}e+00, 4.0{{0*}}e+00, 5.0{{0*}}e+00, 5.0{{0*}}e+00]>
// CHECK-NEXT: %{{.*}} = nn.group_normalization %arg0, %[[S]], %[[B]] {num_groups = 2 : i64}
// CHECK-NEXT: return
func.func @group_with_parameters(%x: tensor<2x4x3x3xf32>)
    -> tensor<2x4x3x3xf32> {
  %o = nn.constant dense<[2.0,3.0]> : tensor<2xf32>
  %z = nn.constant dense<[4.0,5.0]> : tensor<2xf32>
  %r = nn.reshape %x {shape = array<i64: 2, 2, 2, 3, 3>}
      : (tensor<2x4x3x3xf32>) -> tensor<2x2x2x3x3xf32>
  %i = nn.instance_normalization %r, %o, %z
      : (tensor<2x2x2x3x3xf32>, tensor<2xf32>, tensor<2xf32>) -> tensor<2x2x2x3x3xf32>
  %y = nn.reshape %i {shape = array<i64: 2, 4, 3, 3>}
      : (tensor<2x2x2x3x3xf32>) -> tensor<2x4x3x3xf32>
  return %y : tensor<2x4x3x3xf32>
}

// CHECK-LABEL: func.func @group_of_chain(
// CHECK-NEXT: %[[S:.*]] = nn.constant dense<[2.0{{0*}}e+00, 3.0{{0*}}e+00, 4.0{{0*}}e+00, 5.0{{0*}}e+00]>
// CHECK-NEXT: %[[B:.*]] = nn.constant dense<[6.0{{0*}}e+00, 7.0{{0*}}e+00, 8.0{{0*}}e+00, 9.0{{0*}}e+00]>
// CHECK-NEXT: %{{.*}} = nn.group_normalization %arg0, %[[S]], %[[B]] {num_groups = 2 : i64}
// CHECK-NEXT: return
func.func @group_of_chain(%x: tensor<2x4x3x3xf32>) -> tensor<2x4x3x3xf32> {
  %eps = nn.constant dense<1.0e-5> : tensor<f32>
  %two = nn.constant dense<2.0> : tensor<f32>
  %w = nn.constant dense<[[[2.0]],[[3.0]],[[4.0]],[[5.0]]]> : tensor<4x1x1xf32>
  %b = nn.constant dense<[[[6.0]],[[7.0]],[[8.0]],[[9.0]]]> : tensor<4x1x1xf32>
  %r = nn.reshape %x {shape = array<i64: 2, 2, 18>}
      : (tensor<2x4x3x3xf32>) -> tensor<2x2x18xf32>
  %m = nn.reduce_mean %r {axes = array<i64: 2>}
      : (tensor<2x2x18xf32>) -> tensor<2x2x1xf32>
  %d = nn.sub %r, %m
      : (tensor<2x2x18xf32>, tensor<2x2x1xf32>) -> tensor<2x2x18xf32>
  %q = nn.pow %d, %two : (tensor<2x2x18xf32>, tensor<f32>) -> tensor<2x2x18xf32>
  %v = nn.reduce_mean %q {axes = array<i64: 2>}
      : (tensor<2x2x18xf32>) -> tensor<2x2x1xf32>
  %e = nn.add %v, %eps : (tensor<2x2x1xf32>, tensor<f32>) -> tensor<2x2x1xf32>
  %s = nn.sqrt %e : (tensor<2x2x1xf32>) -> tensor<2x2x1xf32>
  %n = nn.div %d, %s
      : (tensor<2x2x18xf32>, tensor<2x2x1xf32>) -> tensor<2x2x18xf32>
  %k = nn.reshape %n {shape = array<i64: 2, 4, 3, 3>}
      : (tensor<2x2x18xf32>) -> tensor<2x4x3x3xf32>
  %g = nn.mul %k, %w
      : (tensor<2x4x3x3xf32>, tensor<4x1x1xf32>) -> tensor<2x4x3x3xf32>
  %y = nn.add %g, %b
      : (tensor<2x4x3x3xf32>, tensor<4x1x1xf32>) -> tensor<2x4x3x3xf32>
  return %y : tensor<2x4x3x3xf32>
}

// CHECK-LABEL: func.func @group_of_rows(
// CHECK-NEXT: %[[S:.*]] = nn.constant dense<1.0{{0*}}e+00> : tensor<4xf32>
// CHECK-NEXT: %[[B:.*]] = nn.constant dense<0.0{{0*}}e+00> : tensor<4xf32>
// CHECK-NEXT: %{{.*}} = nn.group_normalization %arg0, %[[S]], %[[B]] {num_groups = 2 : i64}
// CHECK-NEXT: return
func.func @group_of_rows(%x: tensor<2x4x3x3xf32>) -> tensor<2x4x3x3xf32> {
  %o = nn.constant dense<1.0> : tensor<18xf32>
  %r = nn.reshape %x {shape = array<i64: 4, 18>}
      : (tensor<2x4x3x3xf32>) -> tensor<4x18xf32>
  %i = nn.layer_normalization %r, %o {axis = 1 : i64}
      : (tensor<4x18xf32>, tensor<18xf32>) -> tensor<4x18xf32>
  %y = nn.reshape %i {shape = array<i64: 2, 4, 3, 3>}
      : (tensor<4x18xf32>) -> tensor<2x4x3x3xf32>
  return %y : tensor<2x4x3x3xf32>
}

// CHECK-LABEL: func.func @group_of_each_channel(
// CHECK-NEXT: %[[S:.*]] = nn.constant dense<1.0{{0*}}e+00> : tensor<4xf32>
// CHECK-NEXT: %[[B:.*]] = nn.constant dense<0.0{{0*}}e+00> : tensor<4xf32>
// CHECK-NEXT: %{{.*}} = nn.instance_normalization %arg0, %[[S]], %[[B]] :
// CHECK-NEXT: return
func.func @group_of_each_channel(%x: tensor<2x4x3x3xf32>)
    -> tensor<2x4x3x3xf32> {
  %o = nn.constant dense<1.0> : tensor<4xf32>
  %z = nn.constant dense<0.0> : tensor<4xf32>
  %r = nn.reshape %x {shape = array<i64: 2, 4, 9>}
      : (tensor<2x4x3x3xf32>) -> tensor<2x4x9xf32>
  %i = nn.instance_normalization %r, %o, %z
      : (tensor<2x4x9xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<2x4x9xf32>
  %y = nn.reshape %i {shape = array<i64: 2, 4, 3, 3>}
      : (tensor<2x4x9xf32>) -> tensor<2x4x3x3xf32>
  return %y : tensor<2x4x3x3xf32>
}

// CHECK-LABEL: func.func @group_to_another_shape(
// CHECK: nn.reshape %
// CHECK: nn.instance_normalization %
// CHECK: nn.reshape %
// CHECK: return
func.func @group_to_another_shape(%x: tensor<2x4x3x3xf32>)
    -> tensor<2x4x9xf32> {
  %o = nn.constant dense<1.0> : tensor<2xf32>
  %z = nn.constant dense<0.0> : tensor<2xf32>
  %r = nn.reshape %x {shape = array<i64: 2, 2, 18>}
      : (tensor<2x4x3x3xf32>) -> tensor<2x2x18xf32>
  %i = nn.instance_normalization %r, %o, %z
      : (tensor<2x2x18xf32>, tensor<2xf32>, tensor<2xf32>) -> tensor<2x2x18xf32>
  %y = nn.reshape %i {shape = array<i64: 2, 4, 9>}
      : (tensor<2x2x18xf32>) -> tensor<2x4x9xf32>
  return %y : tensor<2x4x9xf32>
}

// CHECK-LABEL: func.func @group_of_parts_of_channels(
// CHECK: nn.reshape %
// CHECK: nn.instance_normalization %
// CHECK: nn.reshape %
// CHECK: return
func.func @group_of_parts_of_channels(%x: tensor<2x4x3x3xf32>)
    -> tensor<2x4x3x3xf32> {
  %o = nn.constant dense<1.0> : tensor<12xf32>
  %z = nn.constant dense<0.0> : tensor<12xf32>
  %r = nn.reshape %x {shape = array<i64: 2, 12, 3>}
      : (tensor<2x4x3x3xf32>) -> tensor<2x12x3xf32>
  %i = nn.instance_normalization %r, %o, %z
      : (tensor<2x12x3xf32>, tensor<12xf32>, tensor<12xf32>) -> tensor<2x12x3xf32>
  %y = nn.reshape %i {shape = array<i64: 2, 4, 3, 3>}
      : (tensor<2x12x3xf32>) -> tensor<2x4x3x3xf32>
  return %y : tensor<2x4x3x3xf32>
}

// A layer normalization, not groups.
// CHECK-LABEL: func.func @layer_on_flat_rows(
// CHECK: nn.reshape %
// CHECK: nn.layer_normalization %
// CHECK: nn.reshape %
// CHECK: return
func.func @layer_on_flat_rows(%x: tensor<2x3x4xf32>) -> tensor<2x3x4xf32> {
  %o = nn.constant dense<1.0> : tensor<4xf32>
  %r = nn.reshape %x {shape = array<i64: 6, 4>}
      : (tensor<2x3x4xf32>) -> tensor<6x4xf32>
  %i = nn.layer_normalization %r, %o {axis = 1 : i64}
      : (tensor<6x4xf32>, tensor<4xf32>) -> tensor<6x4xf32>
  %y = nn.reshape %i {shape = array<i64: 2, 3, 4>}
      : (tensor<6x4xf32>) -> tensor<2x3x4xf32>
  return %y : tensor<2x3x4xf32>
}
