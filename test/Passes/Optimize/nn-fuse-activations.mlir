// RUN: parallax-opt %s --nn-fuse-activations 2>&1 \
// RUN:   | FileCheck %s --implicit-check-not=warning

//===----------------------------------------------------------------------===//
// x times a function of x
//===----------------------------------------------------------------------===//

// CHECK-LABEL: func.func @silu(
// CHECK-NEXT: %{{.*}} = nn.silu %arg0 :
// CHECK-NEXT: %{{.*}} = nn.silu %arg0 :
// CHECK-NEXT: %{{.*}} = nn.silu %arg0 :
// CHECK-NEXT: %{{.*}} = nn.silu %arg0 :
// CHECK-NEXT: return
func.func @silu(%x: tensor<2x3xf32>)
    -> (tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>) {
  %one = nn.constant dense<1.0> : tensor<f32>
  %n = nn.constant dense<-1.0> : tensor<1xf32>
  %0 = nn.sigmoid %x : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %1 = nn.mul %x, %0 : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  %2 = nn.sigmoid %x : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %3 = nn.mul %2, %x : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  %4 = nn.neg %x : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %5 = nn.exp %4 : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %6 = nn.add %one, %5 : (tensor<f32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  %7 = nn.div %x, %6 : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  %8 = nn.mul %x, %n : (tensor<2x3xf32>, tensor<1xf32>) -> tensor<2x3xf32>
  %9 = nn.exp %8 : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %10 = nn.add %9, %one : (tensor<2x3xf32>, tensor<f32>) -> tensor<2x3xf32>
  %11 = nn.reciprocal %10 : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %12 = nn.mul %11, %x : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  return %1, %3, %7, %12
      : tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>
}

// The operand is a product itself.
// CHECK-LABEL: func.func @silu_of_product(
// CHECK-NEXT: %[[P:.*]] = nn.mul %arg0, %arg1 :
// CHECK-NEXT: %{{.*}} = nn.silu %[[P]] :
// CHECK-NEXT: return
func.func @silu_of_product(%x: tensor<2x3xf32>, %z: tensor<2x3xf32>)
    -> tensor<2x3xf32> {
  %p = nn.mul %x, %z : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  %a = nn.sigmoid %p : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %y = nn.mul %p, %a : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  return %y : tensor<2x3xf32>
}

// CHECK-LABEL: func.func @silu_gates_another(
// CHECK-NEXT: %[[S:.*]] = nn.silu %arg0 :
// CHECK-NEXT: %{{.*}} = nn.mul %[[S]], %arg1 :
// CHECK-NEXT: return
func.func @silu_gates_another(%x: tensor<2x3xf32>, %z: tensor<2x3xf32>)
    -> tensor<2x3xf32> {
  %a = nn.sigmoid %x : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %b = nn.mul %x, %a : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  %y = nn.mul %b, %z : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  return %y : tensor<2x3xf32>
}

// CHECK-LABEL: func.func @sigmoid_read_elsewhere(
// CHECK: nn.sigmoid %
// CHECK: nn.mul %
// CHECK: return
func.func @sigmoid_read_elsewhere(%x: tensor<2x3xf32>)
    -> (tensor<2x3xf32>, tensor<2x3xf32>) {
  %a = nn.sigmoid %x : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %y = nn.mul %x, %a : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  return %y, %a : tensor<2x3xf32>, tensor<2x3xf32>
}

// CHECK-LABEL: func.func @sigmoid_of_another(
// CHECK: nn.sigmoid %
// CHECK: nn.mul %
// CHECK: return
func.func @sigmoid_of_another(%x: tensor<2x3xf32>, %z: tensor<2x3xf32>)
    -> tensor<2x3xf32> {
  %a = nn.sigmoid %z : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %y = nn.mul %x, %a : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  return %y : tensor<2x3xf32>
}

// There is no operation for this one.
// CHECK-LABEL: func.func @quick_gelu(
// CHECK: nn.mul %
// CHECK: nn.sigmoid %
// CHECK: nn.mul %
// CHECK: return
func.func @quick_gelu(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %c = nn.constant dense<1.702> : tensor<f32>
  %a = nn.mul %x, %c : (tensor<2x3xf32>, tensor<f32>) -> tensor<2x3xf32>
  %b = nn.sigmoid %a : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %y = nn.mul %x, %b : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  return %y : tensor<2x3xf32>
}

// Gates have operands of their own.
// CHECK-LABEL: func.func @lstm_cell(
// CHECK: nn.sigmoid %
// CHECK: nn.sigmoid %
// CHECK: nn.tanh %
// CHECK: nn.sigmoid %
// CHECK: nn.mul %
// CHECK: nn.mul %
// CHECK: nn.add %
// CHECK: nn.tanh %
// CHECK: nn.mul %
// CHECK: return
func.func @lstm_cell(%i: tensor<1x4xf32>, %f: tensor<1x4xf32>,
                     %g: tensor<1x4xf32>, %o: tensor<1x4xf32>,
                     %c: tensor<1x4xf32>)
    -> (tensor<1x4xf32>, tensor<1x4xf32>) {
  %a = nn.sigmoid %i : (tensor<1x4xf32>) -> tensor<1x4xf32>
  %b = nn.sigmoid %f : (tensor<1x4xf32>) -> tensor<1x4xf32>
  %d = nn.tanh %g : (tensor<1x4xf32>) -> tensor<1x4xf32>
  %e = nn.sigmoid %o : (tensor<1x4xf32>) -> tensor<1x4xf32>
  %p = nn.mul %b, %c : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
  %q = nn.mul %a, %d : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
  %s = nn.add %p, %q : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
  %t = nn.tanh %s : (tensor<1x4xf32>) -> tensor<1x4xf32>
  %h = nn.mul %e, %t : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
  return %h, %s : tensor<1x4xf32>, tensor<1x4xf32>
}

//===----------------------------------------------------------------------===//
// Hard swish
//===----------------------------------------------------------------------===//

// CHECK-LABEL: func.func @hard_swish(
// CHECK-NEXT: %{{.*}} = nn.hard_swish %arg0 :
// CHECK-NEXT: %{{.*}} = nn.hard_swish %arg0 :
// CHECK-NEXT: %{{.*}} = nn.hard_swish %arg0 :
// CHECK-NEXT: %{{.*}} = nn.hard_swish %arg0 :
// CHECK-NEXT: %{{.*}} = nn.hard_swish %arg0 :
// CHECK-NEXT: %{{.*}} = nn.hard_swish %arg0 :
// CHECK-NEXT: %{{.*}} = nn.hard_swish %arg0 :
// CHECK-NEXT: return
func.func @hard_swish(%x: tensor<2x3xf32>)
    -> (tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>,
        tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>) {
  %three = nn.constant dense<3.0> : tensor<1xf32>
  %six = nn.constant dense<6.0> : tensor<1xf32>
  %sixth = nn.constant dense<0.16666667> : tensor<f32>
  %half = nn.constant dense<0.5> : tensor<f32>
  %zero = nn.constant dense<0.0> : tensor<f32>
  %three_2x3 = nn.constant dense<3.0> : tensor<2x3xf32>
  %six_1x3 = nn.constant dense<6.0> : tensor<1x3xf32>
  %0 = nn.add %x, %three : (tensor<2x3xf32>, tensor<1xf32>) -> tensor<2x3xf32>
  %1 = nn.clip %0 {min = 0.0 : f64, max = 6.0 : f64}
      : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %2 = nn.mul %x, %1 : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  %3 = nn.div %2, %six : (tensor<2x3xf32>, tensor<1xf32>) -> tensor<2x3xf32>
  // The scale first.
  %4 = nn.add %three, %x : (tensor<1xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  %5 = nn.clip %4 {min = 0.0 : f64, max = 6.0 : f64}
      : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %6 = nn.mul %5, %sixth : (tensor<2x3xf32>, tensor<f32>) -> tensor<2x3xf32>
  %7 = nn.mul %6, %x : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  // Another range.
  %8 = nn.div %x, %six : (tensor<2x3xf32>, tensor<1xf32>) -> tensor<2x3xf32>
  %9 = nn.add %8, %half : (tensor<2x3xf32>, tensor<f32>) -> tensor<2x3xf32>
  %10 = nn.clip %9 {min = 0.0 : f64, max = 1.0 : f64}
      : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %11 = nn.mul %x, %10 : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  // Minimum and maximum.
  %12 = nn.add %x, %three : (tensor<2x3xf32>, tensor<1xf32>) -> tensor<2x3xf32>
  %13 = nn.max %12, %zero : (tensor<2x3xf32>, tensor<f32>) -> tensor<2x3xf32>
  %14 = nn.min %six, %13 : (tensor<1xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  %15 = nn.div %14, %six : (tensor<2x3xf32>, tensor<1xf32>) -> tensor<2x3xf32>
  %16 = nn.mul %x, %15 : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  // Rectifier and minimum.
  %17 = nn.add %x, %three : (tensor<2x3xf32>, tensor<1xf32>) -> tensor<2x3xf32>
  %18 = nn.relu %17 : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %19 = nn.min %18, %six : (tensor<2x3xf32>, tensor<1xf32>) -> tensor<2x3xf32>
  %20 = nn.mul %x, %19 : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  %21 = nn.mul %20, %sixth : (tensor<2x3xf32>, tensor<f32>) -> tensor<2x3xf32>
  %22 = nn.hard_sigmoid %x {alpha = 0.1666667 : f32, beta = 0.5 : f32}
      : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %23 = nn.mul %22, %x : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  // Numbers as tensors of equal elements.
  %24 = nn.add %x, %three_2x3
      : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  %25 = nn.clip %24 {min = 0.0 : f64, max = 6.0 : f64}
      : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %26 = nn.div %25, %six_1x3
      : (tensor<2x3xf32>, tensor<1x3xf32>) -> tensor<2x3xf32>
  %27 = nn.mul %x, %26 : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  return %3, %7, %11, %16, %21, %23, %27
      : tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>,
        tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>
}

// CHECK-LABEL: func.func @another_slope(
// CHECK: nn.hard_sigmoid %
// CHECK: nn.mul %
// CHECK: return
func.func @another_slope(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %a = nn.hard_sigmoid %x {alpha = 0.2 : f32, beta = 0.5 : f32}
      : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %y = nn.mul %a, %x : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  return %y : tensor<2x3xf32>
}

// Squeeze and excite.
// CHECK-LABEL: func.func @gate_of_channels(
// CHECK: nn.hard_sigmoid %
// CHECK: nn.mul %
// CHECK: return
func.func @gate_of_channels(%x: tensor<1x4x8x8xf32>, %g: tensor<1x4x1x1xf32>)
    -> tensor<1x4x8x8xf32> {
  %a = nn.hard_sigmoid %g {alpha = 0.16666667 : f32, beta = 0.5 : f32}
      : (tensor<1x4x1x1xf32>) -> tensor<1x4x1x1xf32>
  %y = nn.mul %a, %x
      : (tensor<1x4x1x1xf32>, tensor<1x4x8x8xf32>) -> tensor<1x4x8x8xf32>
  return %y : tensor<1x4x8x8xf32>
}

// CHECK-LABEL: func.func @divided_by_five(
// CHECK: nn.add %
// CHECK: nn.clip %
// CHECK: nn.mul %
// CHECK: nn.div %
// CHECK: return
func.func @divided_by_five(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %three = nn.constant dense<3.0> : tensor<f32>
  %five = nn.constant dense<5.0> : tensor<f32>
  %a = nn.add %x, %three : (tensor<2x3xf32>, tensor<f32>) -> tensor<2x3xf32>
  %b = nn.clip %a {min = 0.0 : f64, max = 6.0 : f64}
      : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %c = nn.mul %x, %b : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  %y = nn.div %c, %five : (tensor<2x3xf32>, tensor<f32>) -> tensor<2x3xf32>
  return %y : tensor<2x3xf32>
}

// The result is larger than x.
// CHECK-LABEL: func.func @number_that_broadcasts(
// CHECK: nn.add %
// CHECK: nn.clip %
// CHECK: nn.mul %
// CHECK: nn.div %
// CHECK: return
func.func @number_that_broadcasts(%x: tensor<1x3xf32>) -> tensor<2x3xf32> {
  %three = nn.constant dense<3.0> : tensor<2x3xf32>
  %six = nn.constant dense<6.0> : tensor<f32>
  %a = nn.add %x, %three : (tensor<1x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  %b = nn.clip %a {min = 0.0 : f64, max = 6.0 : f64}
      : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %c = nn.mul %x, %b : (tensor<1x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  %y = nn.div %c, %six : (tensor<2x3xf32>, tensor<f32>) -> tensor<2x3xf32>
  return %y : tensor<2x3xf32>
}

//===----------------------------------------------------------------------===//
// Hard sigmoid
//===----------------------------------------------------------------------===//

// CHECK-LABEL: func.func @hard_sigmoid(
// CHECK-NEXT: %{{.*}} = nn.hard_sigmoid %arg0 {alpha = 0.166666{{.*}} : f32}
// CHECK-NEXT: return
func.func @hard_sigmoid(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %three = nn.constant dense<3.0> : tensor<f32>
  %six = nn.constant dense<6.0> : tensor<f32>
  %a = nn.add %x, %three : (tensor<2x3xf32>, tensor<f32>) -> tensor<2x3xf32>
  %b = nn.clip %a {min = 0.0 : f64, max = 6.0 : f64}
      : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %y = nn.div %b, %six : (tensor<2x3xf32>, tensor<f32>) -> tensor<2x3xf32>
  return %y : tensor<2x3xf32>
}

// CHECK-LABEL: func.func @hard_sigmoid_line(
// CHECK-NEXT: %{{.*}} = nn.hard_sigmoid %arg0 {alpha = 2.5{{0*}}e-01 : f32, beta = 7.5{{0*}}e-01 : f32}
// CHECK-NEXT: return
func.func @hard_sigmoid_line(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %alpha = nn.constant dense<0.25> : tensor<f32>
  %beta = nn.constant dense<0.75> : tensor<f32>
  %a = nn.mul %alpha, %x : (tensor<f32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  %b = nn.add %a, %beta : (tensor<2x3xf32>, tensor<f32>) -> tensor<2x3xf32>
  %y = nn.clip %b {min = 0.0 : f64, max = 1.0 : f64}
      : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return %y : tensor<2x3xf32>
}

// A factor alone better folds into weights.
// CHECK-LABEL: func.func @clip_of_product(
// CHECK: nn.mul %
// CHECK: nn.clip %
// CHECK: return
func.func @clip_of_product(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %two = nn.constant dense<2.0> : tensor<f32>
  %a = nn.mul %x, %two : (tensor<2x3xf32>, tensor<f32>) -> tensor<2x3xf32>
  %y = nn.clip %a {min = 0.0 : f64, max = 1.0 : f64}
      : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return %y : tensor<2x3xf32>
}

// CHECK-LABEL: func.func @sum_read_elsewhere(
// CHECK: nn.add %
// CHECK: nn.clip %
// CHECK: nn.div %
// CHECK: return
func.func @sum_read_elsewhere(%x: tensor<2x3xf32>)
    -> (tensor<2x3xf32>, tensor<2x3xf32>) {
  %three = nn.constant dense<3.0> : tensor<f32>
  %six = nn.constant dense<6.0> : tensor<f32>
  %a = nn.add %x, %three : (tensor<2x3xf32>, tensor<f32>) -> tensor<2x3xf32>
  %b = nn.clip %a {min = 0.0 : f64, max = 6.0 : f64}
      : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %y = nn.div %b, %six : (tensor<2x3xf32>, tensor<f32>) -> tensor<2x3xf32>
  return %y, %a : tensor<2x3xf32>, tensor<2x3xf32>
}

//===----------------------------------------------------------------------===//
// Softplus, mish and sigmoid
//===----------------------------------------------------------------------===//

// CHECK-LABEL: func.func @softplus(
// CHECK-NEXT: %{{.*}} = nn.softplus %arg0 :
// CHECK-NEXT: %{{.*}} = nn.softplus %arg0 :
// CHECK-NEXT: return
func.func @softplus(%x: tensor<2x3xf32>) -> (tensor<2x3xf32>, tensor<2x3xf32>) {
  %one = nn.constant dense<1.0> : tensor<f32>
  %0 = nn.exp %x : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %1 = nn.add %0, %one : (tensor<2x3xf32>, tensor<f32>) -> tensor<2x3xf32>
  %2 = nn.log %1 : (tensor<2x3xf32>) -> tensor<2x3xf32>
  // The form that can't overflow.
  %3 = nn.abs %x : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %4 = nn.neg %3 : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %5 = nn.exp %4 : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %6 = nn.add %one, %5 : (tensor<f32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  %7 = nn.log %6 : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %8 = nn.relu %x : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %9 = nn.add %8, %7 : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  return %2, %9 : tensor<2x3xf32>, tensor<2x3xf32>
}

// CHECK-LABEL: func.func @log_of_two_plus(
// CHECK: nn.exp %
// CHECK: nn.add %
// CHECK: nn.log %
// CHECK: return
func.func @log_of_two_plus(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %two = nn.constant dense<2.0> : tensor<f32>
  %a = nn.exp %x : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %b = nn.add %a, %two : (tensor<2x3xf32>, tensor<f32>) -> tensor<2x3xf32>
  %y = nn.log %b : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return %y : tensor<2x3xf32>
}

// CHECK-LABEL: func.func @mish(
// CHECK-NEXT: %{{.*}} = nn.mish %arg0 :
// CHECK-NEXT: %{{.*}} = nn.mish %arg0 :
// CHECK-NEXT: return
func.func @mish(%x: tensor<2x3xf32>) -> (tensor<2x3xf32>, tensor<2x3xf32>) {
  %one = nn.constant dense<1.0> : tensor<f32>
  %0 = nn.softplus %x : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %1 = nn.tanh %0 : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %2 = nn.mul %x, %1 : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  %3 = nn.exp %x : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %4 = nn.add %one, %3 : (tensor<f32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  %5 = nn.log %4 : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %6 = nn.tanh %5 : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %7 = nn.mul %6, %x : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  return %2, %7 : tensor<2x3xf32>, tensor<2x3xf32>
}

// CHECK-LABEL: func.func @mish_of_another(
// CHECK: nn.softplus %
// CHECK: nn.tanh %
// CHECK: nn.mul %
// CHECK: return
func.func @mish_of_another(%x: tensor<2x3xf32>, %z: tensor<2x3xf32>)
    -> tensor<2x3xf32> {
  %a = nn.softplus %z : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %b = nn.tanh %a : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %y = nn.mul %x, %b : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  return %y : tensor<2x3xf32>
}

// CHECK-LABEL: func.func @sigmoid(
// CHECK-NEXT: %{{.*}} = nn.sigmoid %arg0 :
// CHECK-NEXT: return
func.func @sigmoid(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %one = nn.constant dense<1.0> : tensor<f32>
  %a = nn.neg %x : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %b = nn.exp %a : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %c = nn.add %b, %one : (tensor<2x3xf32>, tensor<f32>) -> tensor<2x3xf32>
  %y = nn.div %one, %c : (tensor<f32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  return %y : tensor<2x3xf32>
}

// CHECK-LABEL: func.func @sigmoid_without_sign(
// CHECK: nn.exp %
// CHECK: nn.add %
// CHECK: nn.reciprocal %
// CHECK: return
func.func @sigmoid_without_sign(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %one = nn.constant dense<1.0> : tensor<f32>
  %b = nn.exp %x : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %c = nn.add %b, %one : (tensor<2x3xf32>, tensor<f32>) -> tensor<2x3xf32>
  %y = nn.reciprocal %c : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return %y : tensor<2x3xf32>
}

//===----------------------------------------------------------------------===//
// Gelu
//===----------------------------------------------------------------------===//

// CHECK-LABEL: func.func @gelu(
// CHECK-NEXT: %{{.*}} = nn.gelu %arg0 :
// CHECK-NEXT: %{{.*}} = nn.gelu %arg0 :
// CHECK-NEXT: %{{.*}} = nn.gelu %arg0 :
// CHECK-NEXT: %{{.*}} = nn.gelu %arg0 :
// CHECK-NEXT: return
func.func @gelu(%x: tensor<2x3xf32>)
    -> (tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>) {
  %r = nn.constant dense<1.41421354> : tensor<f32>
  %one = nn.constant dense<1.0> : tensor<f32>
  %half = nn.constant dense<0.5> : tensor<f32>
  %q = nn.constant dense<0.707106769> : tensor<f32>
  %two = nn.constant dense<2.0> : tensor<f32>
  %0 = nn.div %x, %r : (tensor<2x3xf32>, tensor<f32>) -> tensor<2x3xf32>
  %1 = nn.erf %0 : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %2 = nn.add %1, %one : (tensor<2x3xf32>, tensor<f32>) -> tensor<2x3xf32>
  %3 = nn.mul %x, %2 : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  %4 = nn.mul %3, %half : (tensor<2x3xf32>, tensor<f32>) -> tensor<2x3xf32>
  // Half of x first.
  %5 = nn.mul %q, %x : (tensor<f32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  %6 = nn.erf %5 : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %7 = nn.add %one, %6 : (tensor<f32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  %8 = nn.mul %half, %x : (tensor<f32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  %9 = nn.mul %8, %7 : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  // x times the distribution function.
  %10 = nn.div %x, %r : (tensor<2x3xf32>, tensor<f32>) -> tensor<2x3xf32>
  %11 = nn.erf %10 : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %12 = nn.add %11, %one : (tensor<2x3xf32>, tensor<f32>) -> tensor<2x3xf32>
  %13 = nn.mul %12, %half : (tensor<2x3xf32>, tensor<f32>) -> tensor<2x3xf32>
  %14 = nn.mul %x, %13 : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  %15 = nn.div %x, %r : (tensor<2x3xf32>, tensor<f32>) -> tensor<2x3xf32>
  %16 = nn.erf %15 : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %17 = nn.div %16, %two : (tensor<2x3xf32>, tensor<f32>) -> tensor<2x3xf32>
  %18 = nn.add %half, %17 : (tensor<f32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  %19 = nn.mul %18, %x : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  return %4, %9, %14, %19
      : tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>
}

// CHECK-LABEL: func.func @gelu_tanh(
// CHECK-NEXT: %{{.*}} = nn.gelu %arg0 {approximate = "tanh"}
// CHECK-NEXT: %{{.*}} = nn.gelu %arg0 {approximate = "tanh"}
// CHECK-NEXT: %{{.*}} = nn.gelu %arg0 {approximate = "tanh"}
// CHECK-NEXT: return
func.func @gelu_tanh(%x: tensor<2x3xf32>)
    -> (tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>) {
  %c0 = nn.constant dense<0.797884583> : tensor<f32>
  %c1 = nn.constant dense<0.044715> : tensor<f32>
  %one = nn.constant dense<1.0> : tensor<f32>
  %half = nn.constant dense<0.5> : tensor<f32>
  %three = nn.constant dense<3.0> : tensor<f32>
  %two = nn.constant dense<2.0> : tensor<f32>
  %0 = nn.pow %x, %three : (tensor<2x3xf32>, tensor<f32>) -> tensor<2x3xf32>
  %1 = nn.mul %0, %c1 : (tensor<2x3xf32>, tensor<f32>) -> tensor<2x3xf32>
  %2 = nn.add %x, %1 : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  %3 = nn.mul %2, %c0 : (tensor<2x3xf32>, tensor<f32>) -> tensor<2x3xf32>
  %4 = nn.tanh %3 : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %5 = nn.add %4, %one : (tensor<2x3xf32>, tensor<f32>) -> tensor<2x3xf32>
  %6 = nn.mul %x, %5 : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  %7 = nn.mul %half, %6 : (tensor<f32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  // Products for a power.
  %8 = nn.mul %x, %x : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  %9 = nn.mul %x, %8 : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  %10 = nn.mul %c1, %9 : (tensor<f32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  %11 = nn.add %10, %x : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  %12 = nn.mul %11, %c0 : (tensor<2x3xf32>, tensor<f32>) -> tensor<2x3xf32>
  %13 = nn.tanh %12 : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %14 = nn.add %one, %13 : (tensor<f32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  %15 = nn.mul %half, %x : (tensor<f32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  %16 = nn.mul %15, %14 : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  // x factored out.
  %17 = nn.pow %x, %two : (tensor<2x3xf32>, tensor<f32>) -> tensor<2x3xf32>
  %18 = nn.mul %c1, %17 : (tensor<f32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  %19 = nn.add %18, %one : (tensor<2x3xf32>, tensor<f32>) -> tensor<2x3xf32>
  %20 = nn.mul %x, %c0 : (tensor<2x3xf32>, tensor<f32>) -> tensor<2x3xf32>
  %21 = nn.mul %20, %19 : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  %22 = nn.tanh %21 : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %23 = nn.add %one, %22 : (tensor<f32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  %24 = nn.mul %half, %23 : (tensor<f32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  %25 = nn.mul %24, %x : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  return %7, %16, %25 : tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>
}

// CHECK-LABEL: func.func @gelu_wrong_root(
// CHECK: nn.div %
// CHECK: nn.erf %
// CHECK: nn.add %
// CHECK: nn.mul %
// CHECK: nn.mul %
// CHECK: return
func.func @gelu_wrong_root(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %r = nn.constant dense<1.5> : tensor<f32>
  %one = nn.constant dense<1.0> : tensor<f32>
  %half = nn.constant dense<0.5> : tensor<f32>
  %a = nn.div %x, %r : (tensor<2x3xf32>, tensor<f32>) -> tensor<2x3xf32>
  %b = nn.erf %a : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %c = nn.add %b, %one : (tensor<2x3xf32>, tensor<f32>) -> tensor<2x3xf32>
  %d = nn.mul %x, %c : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  %y = nn.mul %d, %half : (tensor<2x3xf32>, tensor<f32>) -> tensor<2x3xf32>
  return %y : tensor<2x3xf32>
}

// CHECK-LABEL: func.func @gelu_not_halved(
// CHECK: nn.div %
// CHECK: nn.erf %
// CHECK: nn.add %
// CHECK: nn.mul %
// CHECK: return
func.func @gelu_not_halved(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %r = nn.constant dense<1.41421354> : tensor<f32>
  %one = nn.constant dense<1.0> : tensor<f32>
  %a = nn.div %x, %r : (tensor<2x3xf32>, tensor<f32>) -> tensor<2x3xf32>
  %b = nn.erf %a : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %c = nn.add %b, %one : (tensor<2x3xf32>, tensor<f32>) -> tensor<2x3xf32>
  %y = nn.mul %x, %c : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  return %y : tensor<2x3xf32>
}

// CHECK-LABEL: func.func @gelu_erf_read_elsewhere(
// CHECK: nn.div %
// CHECK: nn.erf %
// CHECK: nn.add %
// CHECK: nn.mul %
// CHECK: nn.mul %
// CHECK: return
func.func @gelu_erf_read_elsewhere(%x: tensor<2x3xf32>)
    -> (tensor<2x3xf32>, tensor<2x3xf32>) {
  %r = nn.constant dense<1.41421354> : tensor<f32>
  %one = nn.constant dense<1.0> : tensor<f32>
  %half = nn.constant dense<0.5> : tensor<f32>
  %a = nn.div %x, %r : (tensor<2x3xf32>, tensor<f32>) -> tensor<2x3xf32>
  %b = nn.erf %a : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %c = nn.add %b, %one : (tensor<2x3xf32>, tensor<f32>) -> tensor<2x3xf32>
  %d = nn.mul %x, %c : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  %y = nn.mul %d, %half : (tensor<2x3xf32>, tensor<f32>) -> tensor<2x3xf32>
  return %y, %b : tensor<2x3xf32>, tensor<2x3xf32>
}

// CHECK-LABEL: func.func @gelu_tanh_wrong_cube(
// CHECK: nn.pow %
// CHECK: nn.mul %
// CHECK: nn.add %
// CHECK: nn.mul %
// CHECK: nn.tanh %
// CHECK: nn.add %
// CHECK: nn.mul %
// CHECK: nn.mul %
// CHECK: return
func.func @gelu_tanh_wrong_cube(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %c0 = nn.constant dense<0.797884583> : tensor<f32>
  %c1 = nn.constant dense<0.0447> : tensor<f32>
  %one = nn.constant dense<1.0> : tensor<f32>
  %half = nn.constant dense<0.5> : tensor<f32>
  %three = nn.constant dense<3.0> : tensor<f32>
  %a = nn.pow %x, %three : (tensor<2x3xf32>, tensor<f32>) -> tensor<2x3xf32>
  %b = nn.mul %a, %c1 : (tensor<2x3xf32>, tensor<f32>) -> tensor<2x3xf32>
  %c = nn.add %x, %b : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  %d = nn.mul %c, %c0 : (tensor<2x3xf32>, tensor<f32>) -> tensor<2x3xf32>
  %e = nn.tanh %d : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %f = nn.add %e, %one : (tensor<2x3xf32>, tensor<f32>) -> tensor<2x3xf32>
  %g = nn.mul %x, %f : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  %y = nn.mul %half, %g : (tensor<f32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  return %y : tensor<2x3xf32>
}
