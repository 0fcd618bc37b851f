// RUN: parallax-opt --nn-optimize %s 2>&1 | FileCheck %s --implicit-check-not=undone
// RUN: parallax-opt --nn-optimize %s -o %t.once
// RUN: parallax-opt --nn-optimize --nn-optimize %s -o %t.twice
// RUN: cmp %t.once %t.twice

// What one family leaves behind is what another one needs: the transposes
// cancel, then the scale meets the convolution, and the gate is one operation.
// CHECK-LABEL: func.func @main
// CHECK-SAME: (%[[X:[^:]*]]:
// CHECK-DAG: %[[W:.*]] = nn.constant
// CHECK: %[[C:.*]] = nn.conv %[[X]], %[[W]]
// CHECK-NEXT: %[[Y:.*]] = nn.silu %[[C]]
// CHECK-NEXT: return %[[Y]]
func.func @main(%x: tensor<1x2x4x4xf32> {nn.name = "x"}) -> (tensor<1x2x4x4xf32> {nn.name = "y"}) {
  %w = nn.constant dense<2.0> : tensor<2x2x1x1xf32> loc("w"("w"))
  %scale = nn.constant dense<[1.0, 2.0]> : tensor<2xf32> loc("c0"("c0"))
  %0 = nn.conv %x, %w {dilations = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1>}
      : (tensor<1x2x4x4xf32>, tensor<2x2x1x1xf32>) -> tensor<1x2x4x4xf32> loc("conv"("t0"))
  %1 = nn.transpose %0 {perm = array<i64: 0, 2, 3, 1>} : (tensor<1x2x4x4xf32>) -> tensor<1x4x4x2xf32> loc("to_nhwc"("t1"))
  %2 = nn.mul %1, %scale : (tensor<1x4x4x2xf32>, tensor<2xf32>) -> tensor<1x4x4x2xf32> loc("scale"("t2"))
  %3 = nn.transpose %2 {perm = array<i64: 0, 3, 1, 2>} : (tensor<1x4x4x2xf32>) -> tensor<1x2x4x4xf32> loc("to_nchw"("t3"))
  %4 = nn.sigmoid %3 : (tensor<1x2x4x4xf32>) -> tensor<1x2x4x4xf32> loc("sigmoid"("t4"))
  %5 = nn.mul %4, %3 : (tensor<1x2x4x4xf32>, tensor<1x2x4x4xf32>) -> tensor<1x2x4x4xf32> loc("gate"("t5"))
  return %5 : tensor<1x2x4x4xf32>
}

// A declaration has nothing to optimize.
// CHECK: func.func private @elsewhere
func.func private @elsewhere(tensor<4xf32>) -> tensor<4xf32>

// Infinite bounds have no effect only if they are at their own ends.
// CHECK-LABEL: func.func @infinite_bounds
// CHECK: nn.clip
// CHECK-NOT: nn.clip
func.func @infinite_bounds(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %0 = nn.clip %x {min = 0xFFF0000000000000 : f64, max = 0xFFF0000000000000 : f64} : (tensor<4xf32>) -> tensor<4xf32> loc("a"("a"))
  %1 = nn.clip %x {min = 0xFFF0000000000000 : f64, max = 0x7FF0000000000000 : f64} : (tensor<4xf32>) -> tensor<4xf32> loc("b"("b"))
  return %0, %1 : tensor<4xf32>, tensor<4xf32>
}
