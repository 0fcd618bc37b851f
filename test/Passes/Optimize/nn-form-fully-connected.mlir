// RUN: parallax-opt --nn-form-fully-connected %s 2>&1 | FileCheck %s --implicit-check-not=undone
// RUN: parallax-opt --nn-form-fully-connected -mlir-print-debuginfo -mlir-print-local-scope %s | FileCheck %s --check-prefix=NAMES

// The weights are transposed; the sum behind is the bias, in either order.
// CHECK-LABEL: func.func @matmul_add
// CHECK-SAME: (%[[X:[^:]*]]:
// CHECK-DAG: %[[W:.*]] = nn.constant dense<{{\[\[}}1.000000e+00, 3.000000e+00], [2.000000e+00, 4.000000e+00]]> : tensor<2x2xf32>
// CHECK-DAG: %[[B:.*]] = nn.constant dense<[5.000000e+00, 6.000000e+00]> : tensor<2xf32>
// CHECK: %[[Y:.*]] = nn.fully_connected %[[X]], %[[W]], %[[B]]
// CHECK-SAME: (tensor<1x3x2xf32>, tensor<2x2xf32>, tensor<2xf32>) -> tensor<1x3x2xf32>
// CHECK-NEXT: return %[[Y]]
// NAMES: nn.fully_connected {{.*}}nn.replaces = ["add"]{{.*}} loc("matmul"("y"))
func.func @matmul_add(%x: tensor<1x3x2xf32>) -> tensor<1x3x2xf32> {
  %w = nn.constant dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf32> loc("w"("w"))
  %b = nn.constant dense<[[5.0, 6.0]]> : tensor<1x2xf32> loc("b"("b"))
  %0 = nn.matmul %x, %w : (tensor<1x3x2xf32>, tensor<2x2xf32>) -> tensor<1x3x2xf32> loc("matmul"("t0"))
  %1 = nn.add %b, %0 : (tensor<1x2xf32>, tensor<1x3x2xf32>) -> tensor<1x3x2xf32> loc("add"("y"))
  return %1 : tensor<1x3x2xf32>
}

// CHECK-LABEL: func.func @gemm(
// CHECK: nn.transpose
// CHECK-DAG: nn.constant dense<{{\[\[}}2.000000e+00, 6.000000e+00], [4.000000e+00, 8.000000e+00]]> : tensor<2x2xf32>
// CHECK-DAG: nn.constant dense<2.500000e+00> : tensor<2xf32>
// CHECK-NOT: nn.gemm
// CHECK: nn.fully_connected
func.func @gemm(%x: tensor<2x3xf32>) -> tensor<3x2xf32> {
  %w = nn.constant dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf32> loc("w"("w"))
  %c = nn.constant dense<5.0> : tensor<1xf32> loc("c"("c"))
  %0 = nn.gemm %x, %w, %c {alpha = 2.0 : f32, beta = 0.5 : f32, trans_a = true}
      : (tensor<2x3xf32>, tensor<2x2xf32>, tensor<1xf32>) -> tensor<3x2xf32> loc("gemm"("y"))
  return %0 : tensor<3x2xf32>
}

// Weights in the right order are used as they are.
// CHECK-LABEL: func.func @gemm_as_is
// CHECK: %[[W:.*]] = nn.constant dense<{{\[\[}}1.000000e+00, 2.000000e+00], [3.000000e+00, 4.000000e+00]]>
// CHECK-NEXT: nn.fully_connected %{{.*}}, %[[W]] :
func.func @gemm_as_is(%x: tensor<1x2xf32>) -> tensor<1x2xf32> {
  %w = nn.constant dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf32> loc("w"("w"))
  %0 = nn.gemm %x, %w {trans_b = true} : (tensor<1x2xf32>, tensor<2x2xf32>) -> tensor<1x2xf32> loc("gemm"("y"))
  return %0 : tensor<1x2xf32>
}

// Left alone: a product of two activations, weights per sample, a bias by row.
// CHECK-LABEL: func.func @left_alone
// CHECK: nn.matmul
// CHECK: nn.matmul
// CHECK: nn.gemm
func.func @left_alone(%x: tensor<2x3x2xf32>, %y: tensor<2x2x3xf32>, %a: tensor<2x2xf32>)
    -> (tensor<2x3x3xf32>, tensor<2x3x2xf32>, tensor<2x2xf32>) {
  %batched = nn.constant dense<1.0> : tensor<2x2x2xf32> loc("w"("w"))
  %w = nn.constant dense<1.0> : tensor<2x2xf32> loc("v"("v"))
  %rows = nn.constant dense<[[1.0], [2.0]]> : tensor<2x1xf32> loc("c"("c"))
  %0 = nn.matmul %x, %y : (tensor<2x3x2xf32>, tensor<2x2x3xf32>) -> tensor<2x3x3xf32> loc("a"("a"))
  %1 = nn.matmul %x, %batched : (tensor<2x3x2xf32>, tensor<2x2x2xf32>) -> tensor<2x3x2xf32> loc("b"("b"))
  %2 = nn.gemm %a, %w, %rows : (tensor<2x2xf32>, tensor<2x2xf32>, tensor<2x1xf32>) -> tensor<2x2xf32> loc("d"("d"))
  return %0, %1, %2 : tensor<2x3x3xf32>, tensor<2x3x2xf32>, tensor<2x2xf32>
}
