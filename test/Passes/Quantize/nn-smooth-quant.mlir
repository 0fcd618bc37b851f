// RUN: parallax-opt %s -nn-calibrate -nn-assign-precision -nn-smooth-quant -mlir-print-local-scope -o %t.mlir 2>%t.remarks
// RUN: FileCheck %s --input-file=%t.mlir
// RUN: FileCheck %s --input-file=%t.remarks --check-prefix=REMARK
// RUN: parallax-opt %s -nn-calibrate -nn-assign-precision -nn-smooth-quant=threshold=0.001 2>&1 | FileCheck %s --check-prefix=EVEN
// RUN: parallax-opt %s -nn-calibrate -nn-assign-precision -nn-smooth-quant=strength=0 2>&1 | FileCheck %s --check-prefix=REMARK
// RUN: not parallax-opt %s -nn-smooth-quant 2>&1 | FileCheck %s --check-prefix=PLAIN

// One of four channels is a hundred times as great as the others. It is divided
// where it comes from, and its readers' weights are multiplied.
// CHECK: nn.constant
// CHECK-NOT: 1.000000e+02
// CHECK: nn.layer_normalization
// CHECK: nn.matmul
// REMARK: remark: tensor 'n' is scaled: the error of its readers goes from
// EVEN-NOT: remark
// EVEN: 1.000000e+02
// PLAIN: error: the calibration has no range for
func.func @main(%x: tensor<8x4xf32> {nn.name = "x"}) -> (tensor<8x2xf32> {nn.name = "y"}) {
  %g = nn.constant dense<[1.0, 1.2, 100.0, 0.8]> : tensor<4xf32> loc("g"("g"))
  %b = nn.constant dense<[0.1, 0.0, 0.0, -0.1]> : tensor<4xf32> loc("b"("b"))
  %w = nn.constant dense<[[1.0, -0.5], [0.7, 0.3], [0.002, -0.003], [-0.9, 0.6]]> : tensor<4x2xf32> loc("w"("w"))
  %0 = nn.layer_normalization %x, %g, %b {axis = 1 : i64, epsilon = 1.0e-05 : f32} : (tensor<8x4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<8x4xf32> loc("norm"("n"))
  %1 = nn.matmul %0, %w : (tensor<8x4xf32>, tensor<4x2xf32>) -> tensor<8x2xf32> loc("matmul"("y"))
  return %1 : tensor<8x2xf32>
}
