// RUN: parallax-opt --nn-merge-common-layers -mlir-print-debuginfo \
// RUN:     -mlir-print-local-scope %s | FileCheck %s

// CHECK-LABEL: func.func @same
// CHECK-SAME: (%[[X:[^:]*]]:
func.func @same(%x: tensor<2xf32>) -> (tensor<2xf32>, tensor<1xf32>) {
  // Equal constants first, then what they make equal.
  // CHECK-NEXT: %[[C:.*]] = nn.constant dense<[1.000000e+00, 2.000000e+00]> {{.*}} loc("c"("c"))
  // CHECK-NEXT: %[[A:.*]] = nn.add %[[X]], %[[C]] {nn.replaces = ["add_1"]} {{.*}} loc("add"("a"))
  // CHECK-NEXT: %[[R:.*]] = nn.relu %[[A]] {nn.replaces = ["relu_1", "fused"]} {{.*}} loc("relu"("r"))
  // CHECK-NEXT: %[[M:.*]] = nn.mul %[[R]], %[[R]]
  %c = nn.constant dense<[1.0, 2.0]> : tensor<2xf32> loc("c"("c"))
  %c1 = nn.constant dense<[1.0, 2.0]> : tensor<2xf32> loc("c1"("c1"))
  %0 = nn.add %x, %c : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
      loc("add"("a"))
  %1 = nn.add %x, %c1 : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
      loc("add_1"("a1"))
  %2 = nn.relu %0 : (tensor<2xf32>) -> tensor<2xf32> loc("relu"("r"))
  %3 = nn.relu %1 {nn.replaces = ["fused"]} : (tensor<2xf32>) -> tensor<2xf32>
      loc("relu_1"("r1"))
  %4 = nn.mul %2, %3 : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
      loc("mul"("m"))
  // Several results at once.
  // CHECK-NEXT: %[[S:.*]]:2 = nn.split
  // CHECK-NEXT: nn.add %[[S]]#0, %[[S]]#1
  // CHECK-NEXT: return
  %5:2 = nn.split %x {axis = 0 : i64, sizes = array<i64: 1, 1>}
      : (tensor<2xf32>) -> (tensor<1xf32>, tensor<1xf32>)
      loc("s"(fused["p", "q"]))
  %6:2 = nn.split %x {axis = 0 : i64, sizes = array<i64: 1, 1>}
      : (tensor<2xf32>) -> (tensor<1xf32>, tensor<1xf32>)
      loc("s_1"(fused["p1", "q1"]))
  %7 = nn.add %5#0, %6#1 : (tensor<1xf32>, tensor<1xf32>) -> tensor<1xf32>
      loc("t"("t"))
  return %4, %7 : tensor<2xf32>, tensor<1xf32>
}

// Other operands in their order, attributes, types or values.
// CHECK-LABEL: func.func @different
func.func @different(%x: tensor<2xf32>, %y: tensor<2xf32>) -> (tensor<2xf32>,
    tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xi64>, tensor<2xi32>,
    tensor<2xf32>, tensor<2xf32>) {
  // CHECK-NEXT: nn.constant
  // CHECK-NEXT: nn.constant
  // CHECK-NEXT: nn.sub
  // CHECK-NEXT: nn.sub
  // CHECK-NEXT: nn.leaky_relu
  // CHECK-NEXT: nn.leaky_relu
  // CHECK-NEXT: nn.cast
  // CHECK-NEXT: nn.cast
  // CHECK-NEXT: nn.add
  // CHECK-NEXT: nn.add
  // CHECK-NOT: nn.replaces
  // CHECK: return
  %c = nn.constant dense<[1.0, 2.0]> : tensor<2xf32> loc("c"("c"))
  %d = nn.constant dense<[1.0, 3.0]> : tensor<2xf32> loc("d"("d"))
  %0 = nn.sub %x, %y : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
      loc("s1"("0"))
  %1 = nn.sub %y, %x : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
      loc("s2"("1"))
  %2 = nn.leaky_relu %x {alpha = 0.1 : f32} : (tensor<2xf32>) -> tensor<2xf32>
      loc("l1"("2"))
  %3 = nn.leaky_relu %x {alpha = 0.2 : f32} : (tensor<2xf32>) -> tensor<2xf32>
      loc("l2"("3"))
  %4 = nn.cast %x {to = i64} : (tensor<2xf32>) -> tensor<2xi64> loc("c1"("4"))
  %5 = nn.cast %x {to = i32} : (tensor<2xf32>) -> tensor<2xi32> loc("c2"("5"))
  %6 = nn.add %x, %c : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
      loc("a1"("6"))
  %7 = nn.add %x, %d : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
      loc("a2"("7"))
  return %0, %1, %2, %3, %4, %5, %6, %7 : tensor<2xf32>, tensor<2xf32>,
      tensor<2xf32>, tensor<2xf32>, tensor<2xi64>, tensor<2xi32>, tensor<2xf32>,
      tensor<2xf32>
}
