// RUN: parallax-opt %s -nn-quantize -mlir-print-local-scope | FileCheck %s
// RUN: parallax-opt %s -nn-quantize -npu-lower -mlir-print-local-scope | FileCheck %s --check-prefix=NPU

// Boxes up to 640 and scores up to 1 meet in an output. Each has its own codes,
// or none: the product gives float from its accumulator, and the arithmetic
// behind it computes in float.
// CHECK-LABEL: func.func @quantized
// CHECK: %[[B:.*]] = nn.matmul {{.*}} -> tensor<1x2xf32>
// CHECK: %[[P:.*]] = nn.mul %[[B]], %{{.*}} : (tensor<1x2xf32>, tensor<f32>) -> tensor<1x2xf32>
// CHECK: %[[S:.*]] = nn.sigmoid {{.*}} -> tensor<1x2x!quant.uniform<u8:f32, 0.0039215688593685627>>
// CHECK: %[[F:.*]] = nn.requantize %[[S]] : {{.*}} -> tensor<1x2xf32>
// CHECK: %[[Y:.*]] = nn.concat %[[P]], %[[F]] {{.*}} -> tensor<1x4xf32>
// CHECK: return %[[Y]] : tensor<1x4xf32>

// NPU-LABEL: func.func @npu
// NPU: %[[B:.*]] = npu.fully_connected {{.*}} -> tensor<1x2xf32>
// NPU: %[[P:.*]] = nn.mul %[[B]], %{{.*}} -> tensor<1x2xf32>
// NPU: %[[S:.*]] = npu.table {{.*}} -> tensor<1x2xui8>
// NPU: %[[F:.*]] = npu.dequantize %[[S]]
// NPU: nn.concat %[[P]], %[[F]] {{.*}} -> tensor<1x4xf32>
!x = tensor<1x2x!quant.calibrated<f32<-1.0:1.0>>>
!p = tensor<1x2x!quant.calibrated<f32<0.0:640.0>>>
!s = tensor<1x2x!quant.calibrated<f32<0.0:1.0>>>
!y = tensor<1x4x!quant.calibrated<f32<0.0:640.0>>>
func.func @main(%x: !x {nn.name = "x"}) -> (!y {nn.name = "y"}) {
  %w = nn.constant dense<[[0.5, -1.0], [0.25, 2.0]]> : tensor<2x2xf32> loc("w"("w"))
  %c = nn.constant dense<640.0> : tensor<f32> loc("c"("c"))
  %0 = nn.matmul %x, %w : (!x, tensor<2x2xf32>) -> !s loc("matmul"("b"))
  %1 = nn.mul %0, %c : (!s, tensor<f32>) -> !p loc("mul"("p"))
  %2 = nn.sigmoid %x : (!x) -> !s loc("sigmoid"("s"))
  %3 = nn.concat %1, %2 {axis = 1 : i64} : (!p, !s) -> !y loc("concat"("y"))
  return %3 : !y
}
