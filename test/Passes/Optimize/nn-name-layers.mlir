// RUN: parallax-opt --nn-name-layers -mlir-print-debuginfo \
// RUN:     -mlir-print-local-scope %s | FileCheck %s

// CHECK-LABEL: func.func @names
func.func @names(%x: tensor<2xf32> {nn.name = "x"}) -> (tensor<2xf32> {nn.name =
    "probabilities"}, tensor<2xf32> {nn.name = "again"}, tensor<2xf32> {nn.name
    = "input"}) {
  // Names that nobody else has stay.
  // CHECK-NEXT: nn.relu {{.*}} loc("relu"("r"))
  %0 = nn.relu %x : (tensor<2xf32>) -> tensor<2xf32> loc("relu"("r"))
  // A node and a tensor that are taken, the latter by an input.
  // CHECK-NEXT: nn.exp {{.*}} loc("relu_1"("x_1"))
  %1 = nn.exp %0 : (tensor<2xf32>) -> tensor<2xf32> loc("relu"("x"))
  // The number is the first free one.
  // CHECK-NEXT: nn.neg {{.*}} loc("relu_1_1"("r_1"))
  // CHECK-NEXT: nn.abs {{.*}} loc("relu_2"("r_2"))
  %2 = nn.neg %1 : (tensor<2xf32>) -> tensor<2xf32> loc("relu_1"("r"))
  %3 = nn.abs %2 : (tensor<2xf32>) -> tensor<2xf32> loc("relu"("r"))
  // A tensor that is called like an output makes way.
  // CHECK-NEXT: nn.floor {{.*}} loc("floor"("probabilities_1"))
  %4 = nn.floor %3 : (tensor<2xf32>) -> tensor<2xf32>
      loc("floor"("probabilities"))
  // The first of two outputs that it is gives a value its name.
  // CHECK-NEXT: nn.softmax {{.*}} loc("Softmax_7"("probabilities"))
  // CHECK-NEXT: return
  %5 = nn.softmax %4 : (tensor<2xf32>) -> tensor<2xf32>
      loc("Softmax_7"("tensor_42"))
  return %5, %5, %x : tensor<2xf32>, tensor<2xf32>, tensor<2xf32>
}

// CHECK-LABEL: func.func @constants
func.func @constants() -> (tensor<f32> {nn.name = "w"}, tensor<1xf32>,
    tensor<1xf32>) {
  // A constant is known by its tensor, also if it is an output; the layers come
  // first.
  // CHECK-NEXT: nn.constant dense<1.{{.*}} loc("w_1"("w_1"))
  // CHECK-NEXT: nn.constant dense<2.{{.*}} loc("a_1"("a_1"))
  // CHECK-NEXT: nn.split {{.*}} loc("split"(fused["a", "b"]))
  %0 = nn.constant dense<1.0> : tensor<f32> loc("node"("w"))
  %1 = nn.constant dense<2.0> : tensor<2xf32> loc("other"("a"))
  %2:2 = nn.split %1 {axis = 0 : i64, sizes = array<i64: 1, 1>}
      : (tensor<2xf32>) -> (tensor<1xf32>, tensor<1xf32>)
      loc("split"(fused["a", "b"]))
  return %0, %2#0, %2#1 : tensor<f32>, tensor<1xf32>, tensor<1xf32>
}
