// RUN: parallax-opt %s --nn-fuse-activations 2>&1 \
// RUN:   | FileCheck %s --implicit-check-not=warning

//===----------------------------------------------------------------------===//
// Clips
//===----------------------------------------------------------------------===//

// CHECK-LABEL: func.func @relu6(
// CHECK-NEXT: %{{.*}} = nn.clip %arg0 {max = 6.0{{0*}}e+00 : f64, min = 0.0{{0*}}e+00 : f64}
// CHECK-NEXT: %{{.*}} = nn.clip %arg0 {max = 6.0{{0*}}e+00 : f64, min = 0.0{{0*}}e+00 : f64}
// CHECK-NEXT: return
func.func @relu6(%x: tensor<2x3xf32>) -> (tensor<2x3xf32>, tensor<2x3xf32>) {
  %zero = nn.constant dense<0.0> : tensor<f32>
  %six = nn.constant dense<6.0> : tensor<1xf32>
  %0 = nn.max %x, %zero : (tensor<2x3xf32>, tensor<f32>) -> tensor<2x3xf32>
  %1 = nn.min %0, %six : (tensor<2x3xf32>, tensor<1xf32>) -> tensor<2x3xf32>
  %2 = nn.relu %x : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %3 = nn.min %six, %2 : (tensor<1xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  return %1, %3 : tensor<2x3xf32>, tensor<2x3xf32>
}

// CHECK-LABEL: func.func @relu(
// CHECK-NEXT: %{{.*}} = nn.relu %arg0 :
// CHECK-NEXT: %{{.*}} = nn.relu %arg0 :
// CHECK-NEXT: %{{.*}} = nn.relu %arg0 :
// CHECK-NEXT: return
func.func @relu(%x: tensor<2x3xf32>)
    -> (tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>) {
  %zero = nn.constant dense<0.0> : tensor<f32>
  %0 = nn.max %zero, %x : (tensor<f32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  %1 = nn.clip %x {min = 0.0 : f64} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %2 = nn.relu %x : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %3 = nn.relu %2 : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return %0, %1, %3 : tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>
}

// CHECK-LABEL: func.func @clip_twice(
// CHECK-NEXT: %{{.*}} = nn.clip %arg0 {max = 1.0{{0*}}e+00 : f64, min = -1.0{{0*}}e+00 : f64}
// CHECK-NEXT: return
func.func @clip_twice(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %a = nn.clip %x {min = -1.0 : f64, max = 2.0 : f64}
      : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %y = nn.clip %a {min = -3.0 : f64, max = 1.0 : f64}
      : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return %y : tensor<2x3xf32>
}

// Nothing of the first range is left.
// CHECK-LABEL: func.func @clip_apart(
// CHECK-NEXT: %{{.*}} = nn.clip %arg0 {max = 5.0{{0*}}e+00 : f64, min = 5.0{{0*}}e+00 : f64}
// CHECK-NEXT: return
func.func @clip_apart(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %a = nn.clip %x {min = 0.0 : f64, max = 1.0 : f64}
      : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %y = nn.clip %a {min = 5.0 : f64, max = 6.0 : f64}
      : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return %y : tensor<2x3xf32>
}

// CHECK-LABEL: func.func @relu_and_clip(
// CHECK-NEXT: %{{.*}} = nn.clip %arg0 {max = 2.0{{0*}}e+00 : f64, min = 0.0{{0*}}e+00 : f64}
// CHECK-NEXT: %{{.*}} = nn.clip %arg0 {max = 2.0{{0*}}e+00 : f64, min = 0.0{{0*}}e+00 : f64}
// CHECK-NEXT: return
func.func @relu_and_clip(%x: tensor<2x3xf32>)
    -> (tensor<2x3xf32>, tensor<2x3xf32>) {
  %0 = nn.relu %x : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %1 = nn.clip %0 {min = -3.0 : f64, max = 2.0 : f64}
      : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %2 = nn.clip %x {min = -3.0 : f64, max = 2.0 : f64}
      : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %3 = nn.relu %2 : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return %1, %3 : tensor<2x3xf32>, tensor<2x3xf32>
}

// CHECK-LABEL: func.func @leaky_relu_then_max(
// CHECK-NEXT: %[[L:.*]] = nn.leaky_relu %arg0 {alpha = 2.0{{0*}}e-01 : f32}
// CHECK-NEXT: %{{.*}} = nn.clip %[[L]] {min = -0.4000000{{.*}} : f64}
// CHECK-NEXT: return
func.func @leaky_relu_then_max(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %c = nn.constant dense<-0.4> : tensor<1xf32>
  %a = nn.leaky_relu %x {alpha = 0.2 : f32}
      : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %y = nn.max %a, %c : (tensor<2x3xf32>, tensor<1xf32>) -> tensor<2x3xf32>
  return %y : tensor<2x3xf32>
}

// CHECK-LABEL: func.func @clip_read_elsewhere(
// CHECK: nn.relu %
// CHECK: nn.clip %
// CHECK: return
func.func @clip_read_elsewhere(%x: tensor<2x3xf32>)
    -> (tensor<2x3xf32>, tensor<2x3xf32>) {
  %a = nn.relu %x : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %y = nn.clip %a {max = 2.0 : f64} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return %y, %a : tensor<2x3xf32>, tensor<2x3xf32>
}

// CHECK-LABEL: func.func @different_numbers(
// CHECK: nn.max %
// CHECK: return
func.func @different_numbers(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %c = nn.constant dense<[0.0, 1.0, 2.0]> : tensor<3xf32>
  %y = nn.max %x, %c : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  return %y : tensor<2x3xf32>
}

// CHECK-LABEL: func.func @maximum_that_broadcasts(
// CHECK: nn.max %
// CHECK: return
func.func @maximum_that_broadcasts(%x: tensor<1x3xf32>) -> tensor<2x3xf32> {
  %c = nn.constant dense<0.0> : tensor<2x3xf32>
  %y = nn.max %x, %c : (tensor<1x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  return %y : tensor<2x3xf32>
}

// CHECK-LABEL: func.func @integers(
// CHECK: nn.max %
func.func @integers(%x: tensor<3xi64>) -> tensor<3xi64> {
  %zero = nn.constant dense<0> : tensor<i64>
  %y = nn.max %x, %zero : (tensor<3xi64>, tensor<i64>) -> tensor<3xi64>
  return %y : tensor<3xi64>
}

//===----------------------------------------------------------------------===//
// Leaky rectifiers
//===----------------------------------------------------------------------===//

// CHECK-LABEL: func.func @leaky_relu(
// CHECK-NEXT: %{{.*}} = nn.leaky_relu %arg0 {alpha = 2.5{{0*}}e-01 : f32}
// CHECK-NEXT: %{{.*}} = nn.leaky_relu %arg0 {alpha = 2.5{{0*}}e-01 : f32}
// CHECK-NEXT: return
func.func @leaky_relu(%x: tensor<2x3xf32>)
    -> (tensor<2x3xf32>, tensor<2x3xf32>) {
  %c = nn.constant dense<0.25> : tensor<f32>
  %d = nn.constant dense<4.0> : tensor<f32>
  %0 = nn.mul %x, %c : (tensor<2x3xf32>, tensor<f32>) -> tensor<2x3xf32>
  %1 = nn.max %x, %0 : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  %2 = nn.div %x, %d : (tensor<2x3xf32>, tensor<f32>) -> tensor<2x3xf32>
  %3 = nn.max %2, %x : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  return %1, %3 : tensor<2x3xf32>, tensor<2x3xf32>
}

// CHECK-LABEL: func.func @prelu(
// CHECK-NEXT: %{{.*}} = nn.leaky_relu %arg0 {alpha = 2.5{{0*}}e-01 : f32}
// CHECK-NEXT: return
func.func @prelu(%x: tensor<1x3x2x2xf32>) -> tensor<1x3x2x2xf32> {
  %c = nn.constant dense<0.25> : tensor<3x1x1xf32>
  %y = nn.prelu %x, %c
      : (tensor<1x3x2x2xf32>, tensor<3x1x1xf32>) -> tensor<1x3x2x2xf32>
  return %y : tensor<1x3x2x2xf32>
}

// CHECK-LABEL: func.func @steep_line(
// CHECK: nn.mul %
// CHECK: nn.max %
// CHECK: return
func.func @steep_line(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %c = nn.constant dense<2.0> : tensor<f32>
  %a = nn.mul %x, %c : (tensor<2x3xf32>, tensor<f32>) -> tensor<2x3xf32>
  %y = nn.max %x, %a : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  return %y : tensor<2x3xf32>
}

// CHECK-LABEL: func.func @line_with_shift(
// CHECK: nn.add %
// CHECK: nn.max %
// CHECK: return
func.func @line_with_shift(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %c = nn.constant dense<0.25> : tensor<f32>
  %a = nn.add %x, %c : (tensor<2x3xf32>, tensor<f32>) -> tensor<2x3xf32>
  %y = nn.max %x, %a : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  return %y : tensor<2x3xf32>
}

// CHECK-LABEL: func.func @line_read_elsewhere(
// CHECK: nn.mul %
// CHECK: nn.max %
// CHECK: return
func.func @line_read_elsewhere(%x: tensor<2x3xf32>)
    -> (tensor<2x3xf32>, tensor<2x3xf32>) {
  %c = nn.constant dense<0.2> : tensor<f32>
  %a = nn.mul %x, %c : (tensor<2x3xf32>, tensor<f32>) -> tensor<2x3xf32>
  %y = nn.max %x, %a : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  return %y, %a : tensor<2x3xf32>, tensor<2x3xf32>
}

// CHECK-LABEL: func.func @prelu_of_slopes(
// CHECK: nn.prelu %
// CHECK: return
func.func @prelu_of_slopes(%x: tensor<1x3x2x2xf32>) -> tensor<1x3x2x2xf32> {
  %c = nn.constant dense<[[[0.25]],[[0.5]],[[0.25]]]> : tensor<3x1x1xf32>
  %y = nn.prelu %x, %c
      : (tensor<1x3x2x2xf32>, tensor<3x1x1xf32>) -> tensor<1x3x2x2xf32>
  return %y : tensor<1x3x2x2xf32>
}

//===----------------------------------------------------------------------===//
// Squares stay
//===----------------------------------------------------------------------===//

// CHECK-LABEL: func.func @squares(
// CHECK: nn.pow %
// CHECK: nn.mul %
// CHECK: return
func.func @squares(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %two = nn.constant dense<2.0> : tensor<f32>
  %a = nn.pow %x, %two : (tensor<2x3xf32>, tensor<f32>) -> tensor<2x3xf32>
  %y = nn.mul %a, %a : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  return %y : tensor<2x3xf32>
}
