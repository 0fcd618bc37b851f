// RUN: rm -rf %t && split-file %s %t
// RUN: parallax-opt %t/network.mlir -nn-calibrate -mlir-print-local-scope | FileCheck %s
// RUN: parallax-opt %t/network.mlir -nn-calibrate=ranges=%t/ranges.json -mlir-print-local-scope | FileCheck %s --check-prefix=FILE
// RUN: not parallax-opt %t/network.mlir -nn-calibrate=ranges=%t/short.json 2>&1 | FileCheck %s --check-prefix=SHORT
// RUN: not parallax-opt %t/network.mlir -nn-calibrate=ranges=%t/absent.json 2>&1 | FileCheck %s --check-prefix=ABSENT
// RUN: not parallax-opt %t/network.mlir -nn-calibrate=method=Best 2>&1 | FileCheck %s --check-prefix=METHOD
// RUN: not parallax-opt %t/empty.mlir -nn-calibrate 2>&1 | FileCheck %s --check-prefix=EMPTY

// The same samples give the same ranges, others give others, and a network that
// is calibrated again is calibrated as if it were the first time.
// RUN: parallax-opt %t/network.mlir -nn-calibrate -o %t/one.mlir
// RUN: parallax-opt %t/network.mlir -nn-calibrate="seed=5 samples=1" -nn-calibrate -o %t/again.mlir
// RUN: cmp %t/one.mlir %t/again.mlir
// RUN: parallax-opt %t/network.mlir -nn-calibrate=seed=9 -o %t/other.mlir
// RUN: not cmp %t/one.mlir %t/other.mlir

// What is written can be read: nothing is lost on the way through text and
// bytecode.
// RUN: parallax-opt %t/one.mlir -verify-roundtrip -o %t/same.mlir
// RUN: cmp %t/one.mlir %t/same.mlir

//--- network.mlir
// Constants, integers and truth values have no range. What a lone Relu clamps
// has the range of the Relu.
// CHECK-LABEL: func.func @main
// CHECK-SAME: %[[X:.*]]: tensor<1x2x!quant.calibrated<f32<-{{0\..*}}:{{0\..*}}>>> {nn.calibration = {channel_axis = 1 : i64, channel_max = dense<[{{.*}}]> : tensor<2xf32>, channel_min = dense<[{{.*}}]> : tensor<2xf32>}, nn.name = "x"}
// CHECK-SAME: %[[IDS:.*]]: tensor<2xi64> {nn.name = "ids"}
// CHECK: %[[W:.*]] = nn.constant dense<{{.*}}> : tensor<2x2xf32>
// CHECK: %[[M:.*]] = nn.matmul %[[X]], %[[W]] {nn.calibration = [{channel_axis = 1 : i64, {{.*}}}]} : ({{.*}}, tensor<2x2xf32>) -> tensor<1x2x!quant.calibrated<f32<0.000000e+00:[[HIGH:[0-9.e+-]+]]>>>
// CHECK: nn.relu %[[M]] {{.*}} -> tensor<1x2x!quant.calibrated<f32<0.000000e+00:[[HIGH]]>>>
// CHECK: nn.mul %[[IDS]], %[[IDS]] : (tensor<2xi64>, tensor<2xi64>) -> tensor<2xi64>
// CHECK: return %{{.*}}, %{{.*}} : tensor<1x2x!quant.calibrated<{{.*}}>>, tensor<2xi64>

// Where they differ from the type, the ranges for 16 bits and of all values are
// attributes, and so is a range that is none.
// FILE: func.func @main(%{{.*}}: tensor<1x2x!quant.calibrated<f32<-1.000000e+00:1.000000e+00>>> {nn.name = "x"}
// FILE: nn.matmul %{{.*}} {nn.calibration = [{u16 = array<f64: -4.000000e+00, 4.000000e+00>, values = array<f64: -5.000000e+00, 5.000000e+00>}]} {{.*}} -> tensor<1x2x!quant.calibrated<f32<-2.000000e+00:2.000000e+00>>>
// FILE: nn.relu %{{.*}} {nn.calibration = [{inf = 2 : i64, nan = 1 : i64, u8 = array<f64: 0.000000e+00, 0.000000e+00>}]} {{.*}} -> tensor<1x2x!quant.calibrated<f32<0.000000e+00:1.000000e+00>>>

// SHORT: error: the calibration has no range for 1 of the network's tensors, such as 'y': it is of another network
// ABSENT: error: {{.*}}absent.json: there is no such calibration
// METHOD: error: there is no calibration method 'Best'
func.func @main(%x: tensor<1x2xf32> {nn.name = "x"}, %ids: tensor<2xi64> {nn.name = "ids"}) -> (tensor<1x2xf32> {nn.name = "y"}, tensor<2xi64> {nn.name = "i"}) {
  %w = nn.constant dense<[[0.5, -1.0], [0.25, 2.0]]> : tensor<2x2xf32> loc("w"("w"))
  %0 = nn.matmul %x, %w : (tensor<1x2xf32>, tensor<2x2xf32>) -> tensor<1x2xf32> loc("matmul"("m"))
  %1 = nn.relu %0 : (tensor<1x2xf32>) -> tensor<1x2xf32> loc("relu"("y"))
  %2 = nn.mul %ids, %ids : (tensor<2xi64>, tensor<2xi64>) -> tensor<2xi64> loc("mul"("i"))
  return %1, %2 : tensor<1x2xf32>, tensor<2xi64>
}

//--- ranges.json
{"version": 1, "method": "MinMax", "samples": 1, "tensors": [
{"tensor": "x", "node": "x", "count": 2, "nan": 0, "inf": 0, "values": [-1, 1], "u8": [-1, 1], "u16": [-1, 1], "channel_axis": 1, "channel_min": [], "channel_max": []},
{"tensor": "m", "node": "matmul", "count": 2, "nan": 0, "inf": 0, "values": [-5, 5], "u8": [-2, 2], "u16": [-4, 4], "channel_axis": 1, "channel_min": [], "channel_max": []},
{"tensor": "y", "node": "relu", "count": 2, "nan": 1, "inf": 2, "values": [0, 0], "u8": [0, 0], "u16": [0, 0], "channel_axis": 1, "channel_min": [], "channel_max": []}
]}

//--- short.json
{"version": 1, "method": "MinMax", "samples": 1, "tensors": [
{"tensor": "x", "node": "x", "count": 2, "nan": 0, "inf": 0, "values": [-1, 1], "u8": [-1, 1], "u16": [-1, 1], "channel_axis": 1, "channel_min": [], "channel_max": []},
{"tensor": "m", "node": "matmul", "count": 2, "nan": 0, "inf": 0, "values": [-5, 5], "u8": [-2, 2], "u16": [-4, 4], "channel_axis": 1, "channel_min": [], "channel_max": []}
]}

//--- empty.mlir
// EMPTY: error: there is no function to calibrate
module {}
