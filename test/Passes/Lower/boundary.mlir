// RUN: rm -rf %t && split-file %s %t
// RUN: parallax-opt %t/arriving.mlir -npu-lower 2>&1 | FileCheck %s --check-prefix=ARRIVING
// RUN: parallax-opt %t/leaving.mlir -npu-lower 2>&1 | FileCheck %s --check-prefix=LEAVING
// RUN: not parallax-opt %t/wide.mlir -npu-lower 2>&1 | FileCheck %s --check-prefix=WIDE

//--- arriving.mlir
// Pixels are codes of scale 1 and zero point 0: nothing turns them into floats.
// Codes of another model are taken as they are if nothing else was asked for.
// ARRIVING-LABEL: func.func @npu
// ARRIVING-SAME: (%[[PIXELS:.*]]: tensor<1x2x2x1xui8>, %[[CODES:.*]]: tensor<4xui8>)
// ARRIVING-NOT: nn.cast
// ARRIVING-NOT: npu.quantize
// ARRIVING: npu.affine %[[PIXELS]] {{.*}}x_zero_point = 0
// A scale of its own needs one requantization.
// ARRIVING: npu.linear %[[PIXELS]] {{.*}}input_zero_points = array<i64: 0>{{.*}}zero_point = 7
// ARRIVING-NOT: nn.dequantize_linear
// ARRIVING: nn.reshape %[[CODES]]
!p = tensor<1x2x2x1x!quant.uniform<u8:f32, 1.0>>
!y = tensor<1x2x2x1x!quant.uniform<u8:f32, 0.5:7>>
!c = tensor<4x!quant.uniform<u8:f32, 0.25:3>>
!r = tensor<2x2x!quant.uniform<u8:f32, 0.25:3>>
func.func @quantized(%pixels: tensor<1x2x2x1xui8>, %codes: tensor<4xui8>) -> (tensor<1x2x2x1xf32>, tensor<1x2x2x1xf32>, tensor<2x2xf32>) {
  %0 = nn.cast %pixels {to = f32} : (tensor<1x2x2x1xui8>) -> tensor<1x2x2x1xf32>
  %1 = nn.requantize %0 : (tensor<1x2x2x1xf32>) -> !p
  %2 = nn.normalize %1 {axis = 3 : i64, mean = array<f32: 7.5>, std = array<f32: 16.0>} : (!p) -> !y
  %3 = nn.requantize %0 : (tensor<1x2x2x1xf32>) -> !y
  %s = nn.constant dense<2.500000e-01> : tensor<f32>
  %z = nn.constant dense<3> : tensor<ui8>
  %4 = nn.dequantize_linear %codes, %s, %z : (tensor<4xui8>, tensor<f32>, tensor<ui8>) -> tensor<4xf32>
  %5 = nn.requantize %4 : (tensor<4xf32>) -> !c
  %6 = nn.reshape %5 {shape = array<i64: 2, 2>} : (!c) -> !r
  %f0 = nn.requantize %2 : (!y) -> tensor<1x2x2x1xf32>
  %f1 = nn.requantize %3 : (!y) -> tensor<1x2x2x1xf32>
  %f2 = nn.requantize %6 : (!r) -> tensor<2x2xf32>
  return %f0, %f1, %f2 : tensor<1x2x2x1xf32>, tensor<1x2x2x1xf32>, tensor<2x2xf32>
}

//--- leaving.mlir
// LEAVING-LABEL: func.func @npu
// LEAVING-SAME: -> (tensor<4xui8> {nn.name = "y", nn.output_dtype = "U8"}, tensor<4xf32> {nn.name = "z"})
// LEAVING: %[[Q:.*]] = npu.quantize
// LEAVING: %[[F:.*]] = npu.dequantize %[[Q]]
// LEAVING: return %[[Q]], %[[F]] : tensor<4xui8>, tensor<4xf32>
!q = tensor<4x!quant.uniform<u8:f32, 0.5:7>>
func.func @quantized(%x: tensor<4xf32>) -> (tensor<4xf32> {nn.name = "y", nn.output_dtype = "U8"}, tensor<4xf32> {nn.name = "z"}) {
  %0 = nn.requantize %x : (tensor<4xf32>) -> !q
  %1 = nn.requantize %0 : (!q) -> tensor<4xf32>
  return %1, %1 : tensor<4xf32>, tensor<4xf32>
}

//--- wide.mlir
// WIDE: output 'y' can't leave as U8 because it has uint16 codes; ask for U8 codes in quant.layer_configs, or leave output_dtype out
!q = tensor<4x!quant.uniform<u16:f32, 0.5:7>>
func.func @quantized(%x: tensor<4xf32>) -> (tensor<4xf32> {nn.name = "y", nn.output_dtype = "U8"}) {
  %0 = nn.requantize %x : (tensor<4xf32>) -> !q
  %1 = nn.requantize %0 : (!q) -> tensor<4xf32>
  return %1 : tensor<4xf32>
}
