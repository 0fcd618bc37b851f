// What a target file decides: the attribute of the function, multipliers,
// tables and rounding; sums that its accumulators can't hold; and operators
// that it does not have, or not for these types.
// RUN: rm -rf %t && split-file %s %t
// RUN: parallax-opt %t/network.mlir -npu-lower 2>&1 | FileCheck %s --check-prefixes=ALL,GENERIC
// RUN: parallax-opt %t/network.mlir -npu-lower=target=ax650 2>&1 | FileCheck %s --check-prefixes=ALL,AX
// RUN: parallax-opt %t/network.mlir -npu-lower=target=%t/small.json 2>&1 | FileCheck %s --check-prefixes=ALL,SMALL
// RUN: not parallax-opt %t/network.mlir -npu-lower=target=%t/narrow.json 2>&1 | FileCheck %s --check-prefix=NARROW
// RUN: parallax-opt %t/network.mlir -npu-lower=target=%t/poor.json 2>&1 | FileCheck %s --check-prefix=POOR
// RUN: not parallax-opt %t/network.mlir -npu-lower=target=AX999 2>&1 | FileCheck %s --check-prefix=NAME
// RUN: not parallax-opt %t/network.mlir -npu-lower=target=%t/none.json 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: not parallax-opt %t/network.mlir -npu-lower=target=%t/typo.json 2>&1 | FileCheck %s --check-prefix=TYPO
// RUN: parallax-opt %t/wave.mlir -npu-lower=target=%t/few.json 2>&1 | FileCheck %s --check-prefix=WAVE
// What was lowered for a target is checked by its numbers.
// RUN: parallax-opt %t/network.mlir -npu-lower=target=%t/small.json -o %t/lowered.mlir
// RUN: sed -e 's/multiplier_bits = 15/multiplier_bits = 31/' %t/lowered.mlir | not parallax-opt 2>&1 | FileCheck %s --check-prefix=LONGER
// RUN: sed -e 's/table_knots = 257/table_knots = 513/' %t/lowered.mlir | not parallax-opt 2>&1 | FileCheck %s --check-prefix=KNOTS
// RUN: sed -e 's/table_knots = 257/table_knots = 100/' %t/lowered.mlir | not parallax-opt 2>&1 | FileCheck %s --check-prefix=POWER
// RUN: sed -e 's/npu.target = #npu.target<.*table_knots = 257>/npu.target = 3 : i32/' %t/lowered.mlir | not parallax-opt 2>&1 | FileCheck %s --check-prefix=KIND

// ALL-LABEL: func.func @npu
// GENERIC-SAME: attributes {npu.target = #npu.target<name = "generic", accumulator_bits_8 = 32, accumulator_bits_16 = 48, multiplier_bits = 31, rounding = "half_up", table_knots = 513>}
// AX-SAME: name = "AX650", accumulator_bits_8 = 32, accumulator_bits_16 = 48, multiplier_bits = 31, rounding = "half_up", table_knots = 513
// SMALL-SAME: name = "small", accumulator_bits_8 = 24, accumulator_bits_16 = 40, multiplier_bits = 15, rounding = "half_even", table_knots = 257
// 0.5 * 0.25 is 2^-3: 2^30 * 2^-33, or 2^14 * 2^-17.
// ALL: npu.fully_connected
// GENERIC-SAME: multipliers = array<i32: 1073741824, 1073741824, 1073741824>
// GENERIC-SAME: rounding = "half_up"
// GENERIC-SAME: shifts = array<i32: 33, 33, 33>
// SMALL-SAME: multipliers = array<i32: 16384, 16384, 16384>
// SMALL-SAME: rounding = "half_even"
// SMALL-SAME: shifts = array<i32: 17, 17, 17>
// ALL: npu.linear
// GENERIC-SAME: coefficients = array<i64: 1073741824>
// SMALL-SAME: coefficients = array<i64: 16384>
// 257 knots are 256 codes apart.
// ALL: npu.table

// NARROW: layer 'fc': its sums need 16 bits, more than the 15 of its accumulator on narrow (C27); 16-bit codes have an accumulator of 40

// POOR-DAG: remark: layer 'fc' (nn.fully_connected) computes in float: poor does not take weights of S8 here
// POOR-DAG: remark: layer 'sigmoid' (nn.sigmoid) computes in float: poor does not take activations of U16 here
// POOR-DAG: remark: layer 'cos' (nn.cos) computes in float: poor does not have the operator
// POOR-NOT: 'widen'
// POOR-LABEL: func.func @npu
// POOR: nn.fully_connected {{.*}} -> tensor<1x3xf32>
// POOR: nn.sigmoid {{.*}} -> tensor<1x3xf32>
// POOR: nn.cos {{.*}} -> tensor<1x3xf32>

// NAME: there is no description of the chip 'AX999'; take AX620E, AX650, generic or M57, or give target_hardware the path of a .json file that describes it
// NONE: none.json: there is no such target file
// TYPO-DAG: typo.json:1:48: 'arithmetic.table_knots' must be a power of two and one, such as 257 or 513, not 500
// TYPO-DAG: typo.json:1:54: there is no field 'rounding'; did you mean 'arithmetic.rounding'?
// LONGER: violates C11: multiplier 16384 is not from 2^30 to below 2^31
// KNOTS: violates C52: it has 257 entries in place of 513
// POWER: violates C52: table_knots 100 is not a power of two and one
// KIND: npu.target must be an #npu.target

// Knots and the middles between them are zeros of this sine; it is off
// elsewhere.
// WAVE: remark: layer 'sin' (nn.sin) computes in float: a 16-bit table would be off by

//--- small.json
{
  "name": "small",
  "arithmetic": {
    "accumulator_bits_8": 24,
    "accumulator_bits_16": 40,
    "multiplier_bits": 15,
    "rounding": "half_even",
    "table_knots": 257, // as few as this
  },
}
//--- few.json
{"name": "few", "arithmetic": {"table_knots": 5}}
//--- narrow.json
{"name": "narrow", "arithmetic": {"accumulator_bits_8": 15, "accumulator_bits_16": 40}}
//--- poor.json
{
  "name": "poor",
  "operators": [
    {"op_types": ["FullyConnected"], "weight_types": ["S16"]},
    {"op_types": ["Sigmoid", "Log"], "activation_types": ["U8", "S8"]},
    {"op_types": ["COS"], "activation_types": []}
  ]
}
//--- typo.json
{"name": "typo", "arithmetic": {"table_knots": 500}, "rounding": "half_up"}
//--- network.mlir
!x = tensor<1x2x!quant.uniform<u8:f32, 0.5:10>>
!w = tensor<3x2x!quant.uniform<i8<-127:127>:f32, 0.25>>
!y = tensor<1x3x!quant.uniform<u8:f32, 1.0:3>>
!wide = tensor<1x3x!quant.uniform<u16:f32, 0.000244140625:32768>>
!e = tensor<1x3x!quant.uniform<u16:f32, 0.0000152587890625>>
!c = tensor<1x3x!quant.uniform<u8:f32, 0.01:128>>
func.func @quantized(%x: tensor<1x2xf32> {nn.name = "x"}) -> (tensor<1x3xf32> {nn.name = "a"}, tensor<1x3xf32> {nn.name = "b"}) {
  %0 = nn.requantize %x : (tensor<1x2xf32>) -> !x loc("q"("xq"))
  %w = nn.quantized_constant dense<[[127, 1], [-3, 4], [0, 7]]> : tensor<3x2xi8> : !w loc("w"("w"))
  %1 = nn.fully_connected %0, %w : (!x, !w) -> !y loc("fc"("f"))
  %2 = nn.requantize %1 : (!y) -> !wide loc("widen"("v"))
  %3 = nn.sigmoid %2 : (!wide) -> !e loc("sigmoid"("e"))
  %4 = nn.cos %1 : (!y) -> !c loc("cos"("c"))
  %5 = nn.requantize %3 : (!e) -> tensor<1x3xf32> loc("da"("a"))
  %6 = nn.requantize %4 : (!c) -> tensor<1x3xf32> loc("db"("b"))
  return %5, %6 : tensor<1x3xf32>, tensor<1x3xf32>
}
//--- wave.mlir
!x = tensor<4x!quant.uniform<u16:f32, 0.00076699041528627276:32768>>
!y = tensor<4x!quant.uniform<u16:f32, 0.000030517578125:32768>>
func.func @quantized(%f: tensor<4xf32>) -> tensor<4xf32> {
  %x = nn.requantize %f : (tensor<4xf32>) -> !x loc("q"("xq"))
  %0 = nn.sin %x : (!x) -> !y loc("sin"("s"))
  %1 = nn.requantize %0 : (!y) -> tensor<4xf32> loc("dq"("out"))
  return %1 : tensor<4xf32>
}
