// RUN: rm -rf %t && split-file %s %t
// RUN: parallax-opt %t/mac.mlir -npu-lower -mlir-print-debuginfo -mlir-print-local-scope 2>&1 | FileCheck %s --check-prefix=MAC
// RUN: parallax-opt %t/elementwise.mlir -npu-lower 2>&1 | FileCheck %s --check-prefix=ELEMENTS
// RUN: parallax-opt %t/elementwise.mlir -npu-lower=target=%t/even.json 2>&1 | FileCheck %s --check-prefix=EVEN
// RUN: parallax-opt %t/clamps.mlir -npu-lower -mlir-print-debuginfo -mlir-print-local-scope 2>&1 | FileCheck %s --check-prefix=CLAMPS
// RUN: parallax-opt %t/movement.mlir -npu-lower 2>&1 | FileCheck %s --check-prefix=MOVE
// RUN: parallax-opt %t/sums.mlir -npu-lower 2>&1 | FileCheck %s --check-prefix=SUMS
// RUN: parallax-opt %t/island.mlir -npu-lower -mlir-print-debuginfo -mlir-print-local-scope 2>&1 | FileCheck %s --check-prefix=ISLAND
// RUN: not parallax-opt %t/overflow.mlir -npu-lower 2>&1 | FileCheck %s --check-prefix=OVERFLOW

//--- even.json
{"name": "even", "arithmetic": {"rounding": "half_even"}}

//--- mac.mlir
// 0.5 * 0.25 / 1 is 2^30 * 2^-33. The Relu has codes of its own type: it is the
// lower limit of the convolution, whose result has its name.
// MAC-LABEL: func.func @npu(%{{.*}}: tensor<1x1x2x2xf32> {nn.name = "x"}{{.*}}) -> (tensor<1x2x2x2xf32> {nn.name = "y"})
// MAC: %[[X:.*]] = npu.quantize %{{.*}} {high = 255 : i64, low = 0 : i64, npu.codes = [!quant.uniform<u8:f32, 5.000000e-01:10>], scale = 5.000000e-01 : f32, zero_point = 10 : i64} : (tensor<1x1x2x2xf32>) -> tensor<1x1x2x2xui8> loc("q"("xq"))
// MAC: %[[W:.*]] = nn.constant {{.*}} : tensor<2x1x1x1xi8>
// MAC: %[[B:.*]] = nn.constant dense<[5, -7]> : tensor<2xi32>
// MAC: %[[C:.*]] = npu.conv %[[X]], %[[W]], %[[B]] {
// MAC-SAME: group = 1 : i64, high = 255 : i64, low = 3 : i64, multipliers = array<i32: 1073741824, 1073741824>
// MAC-SAME: shifts = array<i32: 33, 32>
// MAC-SAME: x_zero_point = 10 : i64, zero_point = 3 : i64
// MAC-SAME: -> tensor<1x2x2x2xui8> loc("conv"("r"))
// MAC-NOT: relu
// MAC: %[[D:.*]] = npu.dequantize %[[C]] {scale = 1.000000e+00 : f32, x_zero_point = 3 : i64} : (tensor<1x2x2x2xui8>) -> tensor<1x2x2x2xf32> loc("dq"("y"))
// MAC: return %[[D]] : tensor<1x2x2x2xf32>
!x = tensor<1x1x2x2x!quant.uniform<u8:f32, 0.5:10>>
!w = tensor<2x1x1x1x!quant.uniform<i8<-127:127>:f32:0, {0.25, 0.5}>>
!b = tensor<2x!quant.uniform<i32<-2147483647:2147483647>:f32:0, {0.125, 0.25}>>
!y = tensor<1x2x2x2x!quant.uniform<u8:f32, 1.0:3>>
func.func @quantized(%x: tensor<1x1x2x2xf32> {nn.name = "x"}) -> (tensor<1x2x2x2xf32> {nn.name = "y"}) {
  %0 = nn.requantize %x : (tensor<1x1x2x2xf32>) -> !x loc("q"("xq"))
  %w = nn.quantized_constant dense<[[[[127]]], [[[-3]]]]> : tensor<2x1x1x1xi8> : !w loc("w"("w"))
  %b = nn.quantized_constant dense<[5, -7]> : tensor<2xi32> : !b loc("b"("b"))
  %1 = nn.conv %0, %w, %b {dilations = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1>} : (!x, !w, !b) -> !y loc("conv"("c"))
  %2 = nn.relu %1 : (!y) -> !y loc("relu"("r"))
  %3 = nn.requantize %2 : (!y) -> tensor<1x2x2x2xf32> loc("dq"("y"))
  return %3 : tensor<1x2x2x2xf32>
}

//--- elementwise.mlir
// ELEMENTS-LABEL: func.func @npu
// ELEMENTS: %[[A:.*]] = npu.quantize
// ELEMENTS: %[[B:.*]] = npu.quantize
// ELEMENTS: %[[S:.*]] = npu.linear %[[A]], %[[B]] {coefficients = array<i64: 1073741824, 536870912>, high = 255 : i64, input_zero_points = array<i64: 10, 0>, low = 0 : i64, npu.codes = [!quant.uniform<u8:f32, 1.000000e+00:5>], rounding = "half_up", shift = 31 : i32, zero_point = 5 : i64}
// ELEMENTS: npu.linear %[[A]], %[[B]] {coefficients = array<i64: 1073741824, -536870912>
// ELEMENTS: npu.mul %[[A]], %[[B]] {a_zero_point = 10 : i64, b_zero_point = 0 : i64, {{.*}}multipliers = array<i32: 1073741824>, {{.*}}shifts = array<i32: 33>
// ELEMENTS: npu.div %[[A]], %[[B]] {{.*}}shifts = array<i32: 29>
// ELEMENTS: npu.compare %[[A]], %[[B]] {{.*}}coefficients = array<i64: 1073741824, -536870912>, kind = "less"} : (tensor<4xui8>, tensor<4xui8>) -> tensor<4xi1>
// The first entry stands for abs((0 - 10) 0.5) = 5, the last for 122.5, half to even.
// ELEMENTS: npu.table %[[A]] {entries = array<i32: 10, 9, 9, {{.*}}, 126, 127, 127, 127>
// A Relu with other codes is a requantization with a limit.
// ELEMENTS: npu.linear %[[A]] {{.*}}low = 5 : i64
// EVEN: npu.linear {{.*}}rounding = "half_even"
!a = tensor<4x!quant.uniform<u8:f32, 0.5:10>>
!b = tensor<4x!quant.uniform<u8:f32, 0.25>>
!y = tensor<4x!quant.uniform<u8:f32, 1.0:5>>
func.func @quantized(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xi1>, tensor<4xf32>, tensor<4xf32>) {
  %a = nn.requantize %x : (tensor<4xf32>) -> !a
  %b = nn.requantize %x : (tensor<4xf32>) -> !b
  %0 = nn.add %a, %b : (!a, !b) -> !y
  %1 = nn.sub %a, %b : (!a, !b) -> !y
  %2 = nn.mul %a, %b : (!a, !b) -> !y
  %3 = nn.div %a, %b : (!a, !b) -> !y
  %4 = nn.less %a, %b : (!a, !b) -> tensor<4xi1>
  %5 = nn.abs %a : (!a) -> !y
  %6 = nn.relu %a : (!a) -> !y
  %f0 = nn.requantize %0 : (!y) -> tensor<4xf32>
  %f1 = nn.requantize %1 : (!y) -> tensor<4xf32>
  %f2 = nn.requantize %2 : (!y) -> tensor<4xf32>
  %f3 = nn.requantize %3 : (!y) -> tensor<4xf32>
  %f5 = nn.requantize %5 : (!y) -> tensor<4xf32>
  %f6 = nn.requantize %6 : (!y) -> tensor<4xf32>
  return %f0, %f1, %f2, %f3, %4, %f5, %f6 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xi1>, tensor<4xf32>, tensor<4xf32>
}

//--- clamps.mlir
// Two clamps in a row narrow the same layer.
// CLAMPS-LABEL: func.func @npu
// CLAMPS: %[[S:.*]] = npu.linear {{.*}}high = 105 : i64, {{.*}}low = 5 : i64, {{.*}} loc("add"("clipped"))
// A layer that somebody else reads keeps its limits.
// CLAMPS: %[[D:.*]] = npu.linear %[[S]], %{{.*}}high = 255 : i64, {{.*}}low = 0 : i64, {{.*}} loc("sub"("d"))
// CLAMPS: %[[R:.*]] = npu.linear %[[D]] {coefficients = array<i64: 1073741824>, high = 255 : i64, {{.*}}low = 5 : i64, {{.*}}shift = 30 : i32, {{.*}} loc("relu2"("r2"))
// CLAMPS: npu.linear %[[D]], %[[R]] {
!a = tensor<4x!quant.uniform<u8:f32, 0.5:10>>
!y = tensor<4x!quant.uniform<u8:f32, 1.0:5>>
func.func @quantized(%x: tensor<4xf32>) -> tensor<4xf32> {
  %a = nn.requantize %x : (tensor<4xf32>) -> !a loc("q"("xq"))
  %0 = nn.add %a, %a : (!a, !a) -> !y loc("add"("s"))
  %1 = nn.relu %0 : (!y) -> !y loc("relu"("r"))
  %2 = nn.clip %1 {max = 100.0 : f64} : (!y) -> !y loc("clip"("clipped"))
  %3 = nn.sub %2, %a : (!y, !a) -> !y loc("sub"("d"))
  %4 = nn.relu %3 : (!y) -> !y loc("relu2"("r2"))
  %5 = nn.add %3, %4 : (!y, !y) -> !y loc("add2"("s2"))
  %6 = nn.requantize %5 : (!y) -> tensor<4xf32> loc("dq"("y"))
  return %6 : tensor<4xf32>
}

//--- movement.mlir
// Codes are moved by the operators of the network; what Pad adds is a code.
// MOVE-LABEL: func.func @npu
// MOVE: %[[A:.*]] = npu.quantize
// MOVE: %[[P:.*]] = nn.max_pool %[[A]] {{.*}} : (tensor<1x2x4x4xui8>) -> tensor<1x2x2x2xui8>
// MOVE: %[[D:.*]] = nn.pad %[[P]] {{.*}}value = 1.200000e+01 : f64} : (tensor<1x2x2x2xui8>) -> tensor<1x2x2x3xui8>
// MOVE: %[[B:.*]] = npu.quantize
// One operand has another scale, so it is brought to that of the result.
// MOVE: %[[L:.*]] = npu.linear %[[B]] {coefficients = array<i64: 1073741824>{{.*}}shift = 31
// MOVE: nn.concat %[[D]], %[[L]] {axis = 3 : i64, npu.codes = {{.*}}} : (tensor<1x2x2x3xui8>, tensor<1x2x2x1xui8>) -> tensor<1x2x2x4xui8>
// MOVE: nn.reduce_max {{.*}} {axes = array<i64: 2, 3>, npu.codes = {{.*}}} : (tensor<1x2x2x4xui8>) -> tensor<1x2x1x1xui8>
!a = !quant.uniform<u8:f32, 0.5:10>
!b = !quant.uniform<u8:f32, 0.25>
func.func @quantized(%x: tensor<1x2x4x4xf32>, %y: tensor<1x2x2x1xf32>) -> tensor<1x2x1x1xf32> {
  %0 = nn.requantize %x : (tensor<1x2x4x4xf32>) -> tensor<1x2x4x4x!a>
  %1 = nn.max_pool %0 {kernel = array<i64: 2, 2>, strides = array<i64: 2, 2>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>} : (tensor<1x2x4x4x!a>) -> tensor<1x2x2x2x!a>
  %2 = nn.pad %1 {pads = array<i64: 0, 0, 0, 1, 0, 0, 0, 0>, value = 1.0 : f64} : (tensor<1x2x2x2x!a>) -> tensor<1x2x2x3x!a>
  %3 = nn.requantize %y : (tensor<1x2x2x1xf32>) -> tensor<1x2x2x1x!b>
  %4 = nn.concat %2, %3 {axis = 3 : i64} : (tensor<1x2x2x3x!a>, tensor<1x2x2x1x!b>) -> tensor<1x2x2x4x!a>
  %5 = nn.global_max_pool %4 : (tensor<1x2x2x4x!a>) -> tensor<1x2x1x1x!a>
  %6 = nn.requantize %5 : (tensor<1x2x1x1x!a>) -> tensor<1x2x1x1xf32>
  return %6 : tensor<1x2x1x1xf32>
}

//--- sums.mlir
// Entry 0 is for a window without input; 0.5 / (1 * 4) is 2^30 * 2^-33.
// SUMS-LABEL: func.func @npu
// SUMS: npu.average_pool {{.*}}multipliers = array<i32: 0, 1073741824, 1073741824, 1431655765, 1073741824>{{.*}}shifts = array<i32: 1, 31, 32, 33, 33>
// SUMS: npu.reduce {{.*}}axes = array<i64: 2, 3>{{.*}}kind = "mean"{{.*}}shifts = array<i32: 32>{{.*}} -> tensor<1x2x1x1xui8>
// SUMS: npu.softmax {{.*}}axis = 1 : i64, coarse = array<i64>, fine = array<i64: 1073741824,
!a = !quant.uniform<u8:f32, 0.5:10>
!b = !quant.uniform<u8:f32, 1.0:5>
!c = !quant.uniform<u8:f32, 0.00390625>
func.func @quantized(%x: tensor<1x2x4x4xf32>) -> tensor<1x2x1x1xf32> {
  %0 = nn.requantize %x : (tensor<1x2x4x4xf32>) -> tensor<1x2x4x4x!a>
  %1 = nn.average_pool %0 {kernel = array<i64: 2, 2>, strides = array<i64: 2, 2>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>} : (tensor<1x2x4x4x!a>) -> tensor<1x2x2x2x!b>
  %2 = nn.global_average_pool %1 : (tensor<1x2x2x2x!b>) -> tensor<1x2x1x1x!b>
  %3 = nn.softmax %2 {axis = -3 : i64} : (tensor<1x2x1x1x!b>) -> tensor<1x2x1x1x!c>
  %4 = nn.requantize %3 : (tensor<1x2x1x1x!c>) -> tensor<1x2x1x1xf32>
  return %4 : tensor<1x2x1x1xf32>
}

//--- island.mlir
// ISLAND: remark: layer 'pow' (nn.pow) computes in float: its exponent is not one number
// ISLAND-LABEL: func.func @npu
// ISLAND: %[[A:.*]] = npu.quantize
// ISLAND: %[[F:.*]] = npu.dequantize %[[A]] {{.*}} : (tensor<4xui8>) -> tensor<4xf32> loc("xq_float"("xq_float"))
// ISLAND: %[[C:.*]] = nn.pow %[[F]], %[[F]] : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32> loc("pow_float"("c_float"))
// ISLAND: npu.quantize %[[C]] {{.*}} : (tensor<4xf32>) -> tensor<4xui8> loc("pow"("c"))
!a = tensor<4x!quant.uniform<u8:f32, 0.5:10>>
func.func @quantized(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = nn.requantize %x : (tensor<4xf32>) -> !a loc("q"("xq"))
  %1 = nn.pow %0, %0 : (!a, !a) -> !a loc("pow"("c"))
  %2 = nn.requantize %1 : (!a) -> tensor<4xf32> loc("dq"("y"))
  return %2 : tensor<4xf32>
}

//--- overflow.mlir
// The bias alone fills 31 bits, and a product comes on top of it.
// OVERFLOW: error: {{.*}}layer 'fc': its sums need 33 bits, more than the 32 of its accumulator on generic (C27); 16-bit codes have an accumulator of 48
!x = tensor<1x1x!quant.uniform<u8:f32, 0.5:10>>
!w = tensor<1x1x!quant.uniform<i8<-127:127>:f32:0, {0.25}>>
!b = tensor<1x!quant.uniform<i32<-2147483647:2147483647>:f32:0, {0.125}>>
func.func @quantized(%x: tensor<1x1xf32>) -> tensor<1x1xf32> {
  %0 = nn.requantize %x : (tensor<1x1xf32>) -> !x
  %w = nn.quantized_constant dense<127> : tensor<1x1xi8> : !w loc("w"("w"))
  %b = nn.quantized_constant dense<2147483647> : tensor<1xi32> : !b loc("b"("b"))
  %1 = nn.fully_connected %0, %w, %b : (!x, !w, !b) -> !x loc("fc"("y"))
  %2 = nn.requantize %1 : (!x) -> tensor<1x1xf32>
  return %2 : tensor<1x1xf32>
}
