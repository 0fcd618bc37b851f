// RUN: parallax-opt --nn-fold-constants -mlir-print-debuginfo \
// RUN:     -mlir-print-local-scope %s 2>&1 | FileCheck %s

// CHECK-LABEL: func.func @chain
func.func @chain() -> (tensor<2xf32>, tensor<1xi64>, tensor<1xi64>) {
  // A constant has the name of the tensor that it was computed for.
  // CHECK-NEXT: %[[Y:.*]] = nn.constant dense<[4.000000e+00, 5.000000e+00]> : tensor<2xf32> loc("y"("y"))
  // CHECK-NEXT: %[[A:.*]] = nn.constant dense<3> : tensor<1xi64> loc("a"("a"))
  // CHECK-NEXT: %[[B:.*]] = nn.constant dense<4> : tensor<1xi64> loc("b"("b"))
  // CHECK-NEXT: return %[[Y]], %[[A]], %[[B]]
  %c = nn.constant dense<[1.0, 4.0]> : tensor<2xf32> loc("c"("c"))
  %three = nn.constant dense<3.0> : tensor<f32> loc("three"("three"))
  %0 = nn.sqrt %c : (tensor<2xf32>) -> tensor<2xf32> loc("sqrt"("s"))
  %1 = nn.add %0, %three : (tensor<2xf32>, tensor<f32>) -> tensor<2xf32>
      loc("add"("y"))
  %i = nn.constant dense<[3, 4]> : tensor<2xi64> loc("i"("i"))
  %2:2 = nn.split %i {axis = 0 : i64, sizes = array<i64: 1, 1>}
      : (tensor<2xi64>) -> (tensor<1xi64>, tensor<1xi64>)
      loc("split"(fused["a", "b"]))
  return %1, %2#0, %2#1 : tensor<2xf32>, tensor<1xi64>, tensor<1xi64>
}

// The operand is not known, the result is much larger, the operand is the
// compact form, an index is out of range.
// CHECK-LABEL: func.func @stay
func.func @stay(%x: tensor<2xf32>) -> (tensor<2xf32>, tensor<4096x4096xf32>,
    tensor<2xf32>, tensor<f32>) {
  %c = nn.constant dense<[1.0, 4.0]> : tensor<2xf32> loc("c"("c"))
  %one = nn.constant dense<1.0> : tensor<1x1xf32> loc("one"("one"))
  %q = nn.constant dense<[1, 2]> : tensor<2xi8> loc("q"("q"))
  %scale = nn.constant dense<0.5> : tensor<f32> loc("scale"("scale"))
  %far = nn.constant dense<7> : tensor<i64> loc("far"("far"))
  // CHECK: nn.add
  %0 = nn.add %x, %c : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
      loc("add"("a"))
  // CHECK-NEXT: nn.expand
  %1 = nn.expand %one {shape = array<i64: 4096, 4096>} : (tensor<1x1xf32>)
      -> tensor<4096x4096xf32> loc("expand"("b"))
  // CHECK-NEXT: nn.dequantize_linear
  %2 = nn.dequantize_linear %q, %scale : (tensor<2xi8>, tensor<f32>)
      -> tensor<2xf32> loc("dequantize"("d"))
  // CHECK-NEXT: nn.gather
  // CHECK-NEXT: return
  %3 = nn.gather %c, %far : (tensor<2xf32>, tensor<i64>) -> tensor<f32>
      loc("gather"("e"))
  return %0, %1, %2, %3 : tensor<2xf32>, tensor<4096x4096xf32>, tensor<2xf32>,
      tensor<f32>
}
