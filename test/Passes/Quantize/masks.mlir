// RUN: parallax-opt %s -nn-quantize -mlir-print-local-scope | FileCheck %s
// RUN: parallax-opt %s -nn-quantize -npu-lower -mlir-print-local-scope | FileCheck %s --check-prefix=NPU

// (1 - mask) times the least float, added to scores from -4 to 4. The sum ends
// 16 below the least score, which a softmax of 8 bits takes for 0; the mask
// ends where the greatest score falls out of codes of 16 bits, at
// -4 - 24 - 4 = -32; the constant where one step of the complement does.
// CHECK-LABEL: func.func @quantized
// CHECK: nn.quantized_constant {{.*}}tensor<!quant.uniform<u16:f32, 0.1264667{{[0-9]*}}:65535>>
// CHECK: nn.mul {{.*}} -> tensor<1x4x!quant.uniform<u8:f32, 0.12549{{[0-9]*}}:255>>
// CHECK: nn.add {{.*}} -> tensor<1x4x!quant.uniform<u8:f32, 0.0943396{{[0-9]*}}:212>>
// CHECK: nn.softmax

// All of that is done in integers.
// NPU-LABEL: func.func @npu
// NPU: npu.mul
// NPU: npu.linear
// NPU-NOT: npu.dequantize
// NPU: npu.softmax
!h = tensor<1x4x!quant.calibrated<f32<0.0:1.0>>>
!m = tensor<1x4x!quant.calibrated<f32<-3.4028234663852886E+38:0.0>>>
!x = tensor<1x4x!quant.calibrated<f32<-4.0:4.0>>>
!y = tensor<1x4x!quant.calibrated<f32<-3.4028234663852886E+38:4.0>>>
!p = tensor<1x4x!quant.calibrated<f32<0.0:1.0>>>
func.func @main(%h: !h {nn.name = "h"}, %x: !x {nn.name = "x"}) -> (!p {nn.name = "p"}) {
  %lowest = nn.constant dense<-3.40282347E+38> : tensor<f32> loc("lowest"("lowest"))
  %0 = nn.mul %h, %lowest : (!h, tensor<f32>) -> !m loc("mul"("m"))
  %1 = nn.add %x, %0 : (!x, !m) -> !y loc("add"("y"))
  %2 = nn.softmax %1 {axis = -1 : i64} : (!y) -> !p loc("softmax"("p"))
  return %2 : !p
}
