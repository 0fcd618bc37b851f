// RUN: parallax-opt %s -npu-lower 2>&1 | FileCheck %s --implicit-check-not=remark

// Functions that have better forms than 513 knots over all codes of x.

!x = tensor<4x!quant.uniform<u16:f32, 0.0078125:32768>>
!mask = tensor<4x!quant.uniform<u8:f32, 1.0>>
!one = tensor<4x!quant.uniform<u16:f32, 1.52587890625e-05>>
!square = tensor<4x!quant.uniform<u16:f32, 1.0>>
!far = tensor<1x!quant.uniform<i16<-32767:32767>:f32, 1.0e34>>

// CHECK-LABEL: func.func @npu
// CHECK: %[[X:.*]] = npu.quantize {{.*}} -> tensor<4xui16>
// The sigmoid of numbers within 256 changes between -11.8 and 11.8 only, which
// codes with a sixteenth of the scale cover.
// CHECK: %[[W:.*]] = npu.linear %[[X]] {coefficients = array<i64: 1073741824>, high = 65535 : i64, {{.*}}shift = 26 : i32
// CHECK-SAME: -> tensor<4xui16>
// CHECK: npu.table %[[W]] {{.*}} -> tensor<4xui16>
// CHECK: npu.mul %[[X]], %[[X]] {{.*}} -> tensor<4xui16>
// A number next to codes has one code, exact with their scale if it can be.
// CHECK: %[[N:.*]] = nn.constant dense<64> : tensor<1xi16>
// CHECK: npu.compare %[[X]], %[[N]] {{.*}}coefficients = array<i64: 1073741824, -1073741824>, kind = "greater_or_equal"
// CHECK: %[[T:.*]] = nn.constant dense<32767> : tensor<1xi16>
// CHECK: npu.compare %[[X]], %[[T]] {{.*}}kind = "less"
// The factor of this product is beyond all multipliers.
// CHECK: npu.table %{{.*}} {entries = array<i32: 32768, 65535, 65535
func.func @quantized(%f: tensor<4xf32>, %m: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xi1>, tensor<4xi1>, tensor<4xf32>) {
  %two = nn.constant dense<2.0> : tensor<f32>
  %half = nn.constant dense<0.5> : tensor<1xf32>
  %third = nn.constant dense<0.3> : tensor<1xf32>
  %x = nn.requantize %f : (tensor<4xf32>) -> !x
  %mask = nn.requantize %m : (tensor<4xf32>) -> !mask
  %far = nn.quantized_constant dense<32767> : tensor<1xi16> : !far
  %0 = nn.sigmoid %x : (!x) -> !one
  %1 = nn.pow %x, %two : (!x, tensor<f32>) -> !square
  %2 = nn.greater_or_equal %x, %half : (!x, tensor<1xf32>) -> tensor<4xi1>
  %less = nn.less %x, %third : (!x, tensor<1xf32>) -> tensor<4xi1>
  %3 = nn.mul %mask, %far : (!mask, !far) -> !x
  %f0 = nn.requantize %0 : (!one) -> tensor<4xf32>
  %f1 = nn.requantize %1 : (!square) -> tensor<4xf32>
  %f3 = nn.requantize %3 : (!x) -> tensor<4xf32>
  return %f0, %f1, %2, %less, %f3 : tensor<4xf32>, tensor<4xf32>, tensor<4xi1>, tensor<4xi1>, tensor<4xf32>
}
