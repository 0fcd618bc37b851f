// RUN: rm -rf %t && split-file %s %t
// RUN: parallax-opt %t/network.mlir -nn-quantize -mlir-print-local-scope | FileCheck %s
// RUN: parallax-opt %t/network.mlir -nn-quantize=share-parameters=false -mlir-print-local-scope | FileCheck %s --check-prefix=OWN
// RUN: not parallax-opt %t/plain.mlir -nn-quantize 2>&1 | FileCheck %s --check-prefix=PLAIN
// RUN: not parallax-opt %t/infinite.mlir -nn-quantize 2>&1 | FileCheck %s --check-prefix=INFINITE

// The whole flow on one file.
// RUN: parallax-opt %t/plain.mlir -nn-calibrate -nn-assign-precision -nn-equalize -nn-smooth-quant -nn-quantize -npu-lower -nn-precision-analysis 2>&1 | FileCheck %s --check-prefix=FLOW

//--- network.mlir
// The network stays as it is.
// CHECK-LABEL: func.func @main
// CHECK: nn.matmul {{.*}}nn.precision = {data = "U16"}
// CHECK-SAME: !quant.calibrated

// Inputs arrive as floats and leave as floats. Weights are codes with a scale
// for each channel; a tensor has the type that its reader wants; a change is an
// operation; nothing is left of ranges and precisions.
// CHECK-LABEL: func.func @quantized
// CHECK-SAME: %[[X:.*]]: tensor<1x2xf32>
// CHECK-SAME: -> (tensor<1x2xf32>
// CHECK-NOT: nn.precision
// CHECK-NOT: nn.calibration
// CHECK: %[[Q:.*]] = nn.requantize %[[X]] : (tensor<1x2xf32>) -> tensor<1x2x!quant.uniform<u16:f32, {{.*}}>>
// CHECK: %[[W:.*]] = nn.quantized_constant {{.*}}tensor<2x2x!quant.uniform<i8<-127:127>:f32:1,
// CHECK: %[[M:.*]] = nn.matmul %[[Q]], %[[W]] : {{.*}} -> tensor<1x2x!quant.uniform<u8:f32, {{.*}}>>
// CHECK: %[[R:.*]] = nn.relu %[[M]] : {{.*}} -> tensor<1x2x!quant.uniform<u8:f32, {{.*}}>>
// CHECK: %[[S:.*]] = nn.sigmoid %[[R]] : {{.*}} -> tensor<1x2x!quant.uniform<u8:f32, {{.*}}>>
// CHECK: %[[F:.*]] = nn.requantize %[[S]] : {{.*}} -> tensor<1x2xf32>
// CHECK: return %[[F]] : tensor<1x2xf32>

// A clamp shares the codes of what it clamps, unless it may not.
// OWN-LABEL: func.func @quantized
// OWN: nn.matmul {{.*}} -> tensor<1x2x!quant.uniform<u8:f32, [[SCALE:[^>]*]]>>
// OWN-NOT: nn.relu {{.*}} -> tensor<1x2x!quant.uniform<u8:f32, [[SCALE]]>>
// OWN: nn.relu
!x = tensor<1x2x!quant.calibrated<f32<-1.0:1.0>>>
!m = tensor<1x2x!quant.calibrated<f32<-2.0:3.0>>>
!y = tensor<1x2x!quant.calibrated<f32<0.0:3.0>>>
!s = tensor<1x2x!quant.calibrated<f32<0.5:1.0>>>
func.func @main(%x: !x {nn.name = "x"}) -> (!s {nn.name = "s"}) {
  %w = nn.constant dense<[[0.5, -1.0], [0.25, 2.0]]> : tensor<2x2xf32> loc("w"("w"))
  %0 = nn.matmul %x, %w {nn.precision = {data = "U16"}} : (!x, tensor<2x2xf32>) -> !m loc("matmul"("m"))
  %1 = nn.relu %0 : (!m) -> !y loc("relu"("y"))
  %2 = nn.sigmoid %1 : (!y) -> !s loc("sigmoid"("s"))
  return %2 : !s
}

//--- plain.mlir
// PLAIN: error: the calibration has no range for 2 of the network's tensors, such as 'x', 'y': it is of another network

// FLOW-LABEL: func.func @main
// FLOW-SAME: !quant.calibrated
// FLOW-LABEL: func.func @quantized
// FLOW: nn.sigmoid {{.*}}analysis.end_to_end = {y = 0.999
// FLOW-SAME: !quant.uniform<u8:f32
// FLOW-LABEL: func.func @npu
// FLOW: npu.table {{.*}}analysis.end_to_end = {y = 0.999
func.func @main(%x: tensor<1x2xf32> {nn.name = "x"}) -> (tensor<1x2xf32> {nn.name = "y"}) {
  %0 = nn.sigmoid %x : (tensor<1x2xf32>) -> tensor<1x2xf32> loc("sigmoid"("y"))
  return %0 : tensor<1x2xf32>
}

//--- infinite.mlir
// INFINITE: error: {{.*}}the weights 'w' of layer 'matmul' hold NaN or infinity, which no code stands for
!x = tensor<1x2x!quant.calibrated<f32<-1.0:1.0>>>
!m = tensor<1x2x!quant.calibrated<f32<-2.0:3.0>>>
func.func @main(%x: !x {nn.name = "x"}) -> (!m {nn.name = "m"}) {
  %w = nn.constant dense<[[0.5, 0x7F800000], [0.25, 2.0]]> : tensor<2x2xf32> loc("w"("w"))
  %0 = nn.matmul %x, %w : (!x, tensor<2x2xf32>) -> !m loc("matmul"("m"))
  return %0 : !m
}
