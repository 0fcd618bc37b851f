// RUN: rm -rf %t && split-file %s %t
// RUN: parallax-opt %t/network.mlir -nn-add-processors=config=%t/pixels.json -mlir-print-debuginfo -mlir-print-local-scope 2>&1 | FileCheck %s --check-prefix=PIXELS
// RUN: parallax-opt %t/network.mlir -nn-add-processors=config=%t/nv12.json 2>&1 | FileCheck %s --check-prefix=NV12
// RUN: parallax-opt %t/network.mlir -nn-add-processors=config=%t/gray.json 2>&1 | FileCheck %s --check-prefix=GRAY
// RUN: parallax-opt %t/network.mlir -nn-add-processors=config=%t/borders.json 2>&1 | FileCheck %s --check-prefix=BORDERS
// RUN: parallax-opt %t/network.mlir -nn-add-processors=config=%t/cascade.json 2>&1 | FileCheck %s --check-prefix=CASCADE
// RUN: parallax-opt %t/network.mlir -nn-add-processors=config=%t/tokens.json 2>&1 | FileCheck %s --check-prefix=TOKENS
// RUN: parallax-opt %t/network.mlir -nn-add-processors=config=%t/nothing.json 2>&1 | FileCheck %s --check-prefix=NOTHING
// RUN: parallax-opt %t/network.mlir -nn-add-processors=config=%t/surprise.json 2>&1 | FileCheck %s --check-prefix=SURPRISE
// RUN: parallax-opt %t/network.mlir -nn-add-processors=config=%t/swap.json 2>&1 | FileCheck %s --check-prefix=SWAP
// RUN: parallax-opt %t/network.mlir -nn-add-processors=config=%t/outputs.json -mlir-print-debuginfo -mlir-print-local-scope 2>&1 | FileCheck %s --check-prefix=OUTPUTS

// The input keeps its name; the network's own tensor has a new one.
// PIXELS: remark: input 'image' takes uint8 1x4x6x3 at run time; before the network: nn.cast, nn.normalize, nn.transpose
// PIXELS: remark: input 'image' is normalized in the model with mean [1, 2, 3] and std [4, 5, 6]
// PIXELS: func.func @main(%[[X:.*]]: tensor<1x4x6x3xui8> {nn.name = "image", nn.tensor = "image/transpose"}
// PIXELS-SAME: , %{{.*}}: tensor<1x8xi64> {nn.name = "ids"}
// PIXELS: %[[F:.*]] = nn.cast %[[X]] {to = f32} {{.*}} loc("image/cast"("image/cast_1"))
// PIXELS: %[[N:.*]] = nn.normalize %[[F]] {axis = 3 : i64, mean = array<f32: 1.000000e+00, 2.000000e+00, 3.000000e+00>, std = array<f32: 4.000000e+00, 5.000000e+00, 6.000000e+00>} {{.*}} loc("image/normalize"("image/normalize"))
// PIXELS: %[[T:.*]] = nn.transpose %[[N]] {perm = array<i64: 0, 3, 1, 2>} {{.*}} -> tensor<1x3x4x6xf32> loc("image/transpose"("image/transpose"))
// PIXELS: nn.relu %[[T]]
// PIXELS: nn.sigmoid %[[T]]

// NV12: remark: input 'image' takes uint8 1x6x6x1 at run time; before the network: nn.color_convert, nn.cast, nn.transpose
// NV12: func.func @main(%[[X:.*]]: tensor<1x6x6x1xui8>
// NV12: nn.color_convert %[[X]] {matrix = array<i64: 65536, 0, 91881, -11760768, 65536, -22553, -46802, 8877440, 65536, 116130, 0, -14864640>} : (tensor<1x6x6x1xui8>) -> tensor<1x4x6x3xui8>
// NV12-NEXT: nn.cast
// NV12-NEXT: nn.transpose {{.*}}perm = array<i64: 0, 3, 1, 2>

// One row of luma for a model that takes gray; a picture in NHWC stays so.
// GRAY: func.func @main({{.*}}%[[X:[a-z0-9]*]]: tensor<1x4x4x2xui8> {nn.name = "gray"
// GRAY: nn.color_convert %[[X]] {format = "UYVY422", matrix = array<i64: 65536, 0, 0, 0>} : (tensor<1x4x4x2xui8>) -> tensor<1x4x4x1xui8>
// GRAY-NEXT: nn.cast
// GRAY-NOT: nn.transpose

// Cut off first, then pad, in the layout that arrives.
// BORDERS: func.func @main(%[[X:.*]]: tensor<1x6x5x3xi8>
// BORDERS: %[[S:.*]] = nn.slice %[[X]] {sizes = array<i64: 1, 3, 4, 3>, starts = array<i64: 0, 1, 0, 0>, steps = array<i64: 1, 1, 1, 1>}
// BORDERS-NEXT: %[[P:.*]] = nn.pad %[[S]] {pads = array<i64: 0, 0, 2, 0, 0, 1, 0, 0>, value = -7.0{{.*}}} : (tensor<1x3x4x3xi8>) -> tensor<1x4x6x3xi8>
// BORDERS-NEXT: nn.cast %[[P]]

// CASCADE: func.func @main(%[[X:.*]]: tensor<1x3x4x6xui16>
// CASCADE-DAG: %[[S:.*]] = nn.constant dense<2.500000e-01> : tensor<f32>
// CASCADE-DAG: %[[Z:.*]] = nn.constant dense<300> : tensor<ui16>
// CASCADE: %[[D:.*]] = nn.dequantize_linear %[[X]], %[[S]], %[[Z]] {{.*}}-> tensor<1x3x4x6xf32>
// CASCADE-NEXT: nn.normalize %[[D]] {mean = 
// CASCADE-NOT: nn.cast

// TOKENS: func.func @main(%{{.*}}: tensor<1x3x4x6xf32> {nn.name = "image"}, %[[I:.*]]: tensor<1x8xi32> {nn.name = "ids", nn.tensor = "ids/cast"}
// TOKENS-NEXT: nn.cast %[[I]] {to = i64} : (tensor<1x8xi32>) -> tensor<1x8xi64>
// TOKENS-NOT: nn.cast

// A processor for all inputs that asks for nothing adds nothing, also where the
// calibration has neutral values.
// NOTHING-NOT: remark
// NOTHING: func.func @main(%{{.*}}: tensor<1x3x4x6xf32> {nn.name = "image"}, %{{.*}}: tensor<1x8xi64> {nn.name = "ids"}, %{{.*}}: tensor<1x4x4x1xf32> {nn.name = "gray"})
// NOTHING-NEXT: nn.relu

// Values of the calibration are embedded if the processor has none; its own
// win, also neutral ones.
// SURPRISE: func.func @main(%[[X:.*]]: tensor<1x3x4x6xf32> {nn.name = "image", nn.tensor = "image/normalize"}
// SURPRISE-NEXT: nn.normalize %[[X]] {mean = array<f32: 0.000000e+00, 0.000000e+00, 0.000000e+00>, std = array<f32: 2.550000e+02, 2.550000e+02, 2.550000e+02>}
// SURPRISE-NOT: nn.normalize

// SWAP: warning: input 'image': csc_mode has no effect, because src_format BGR is not YUV
// SWAP: warning: input 'image': src_format BGR and tensor_format RGB differ, but only YUV is converted; channels are taken as they arrive
// SWAP: func.func @main(%{{.*}}: tensor<1x3x4x6xf32> {nn.name = "image"}

// OUTPUTS: remark: output 'b' leaves as U8
// OUTPUTS: func.func @main({{.*}}) -> (tensor<1x4x6x3xf32> {nn.name = "a", nn.tensor = "a/network"}, tensor<1x3x4x6xf32> {nn.name = "b", nn.output_dtype = "U8"}, tensor<1x8xi64> {nn.name = "c"})
// OUTPUTS: %[[A:.*]] = nn.relu {{.*}} loc("op_0:onnx.Relu"("a/network"))
// OUTPUTS: %[[B:.*]] = nn.sigmoid {{.*}} loc("op_1:onnx.Sigmoid"("b"))
// OUTPUTS: %[[T:.*]] = nn.transpose %[[A]] {perm = array<i64: 0, 2, 3, 1>} {{.*}} loc("a/transpose"("a"))
// OUTPUTS: return %[[T]], %[[B]]

//--- network.mlir
func.func @main(%x: tensor<1x3x4x6xf32> {nn.name = "image"}, %ids: tensor<1x8xi64> {nn.name = "ids"}, %g: tensor<1x4x4x1xf32> {nn.name = "gray"}) -> (tensor<1x3x4x6xf32> {nn.name = "a"}, tensor<1x3x4x6xf32> {nn.name = "b"}, tensor<1x8xi64> {nn.name = "c"}) {
  %a = nn.relu %x : (tensor<1x3x4x6xf32>) -> tensor<1x3x4x6xf32> loc("op_0:onnx.Relu"("a"))
  %b = nn.sigmoid %x : (tensor<1x3x4x6xf32>) -> tensor<1x3x4x6xf32> loc("op_1:onnx.Sigmoid"("b"))
  %c = nn.add %ids, %ids : (tensor<1x8xi64>, tensor<1x8xi64>) -> tensor<1x8xi64> loc("op_2:onnx.Add"("c"))
  %d = nn.neg %g : (tensor<1x4x4x1xf32>) -> tensor<1x4x4x1xf32> loc("op_3:onnx.Neg"("image/cast"))
  return %a, %b, %c : tensor<1x3x4x6xf32>, tensor<1x3x4x6xf32>, tensor<1x8xi64>
}
//--- pixels.json
{"input_processors": [{"tensor_name": "image", "src_dtype": "U8", "src_layout": "NHWC", "mean": [1, 2, 3], "std": [4, 5, 6]}]}
//--- nv12.json
{"input_processors": [{"tensor_name": "image", "tensor_format": "RGB", "src_format": "YUV420SP", "src_dtype": "U8", "csc_mode": "FullRange"}]}
//--- gray.json
{"input_processors": [{"tensor_name": "gray", "tensor_layout": "NHWC", "src_format": "UYVY422", "src_dtype": "U8", "csc_mode": "LimitedRange"}]}
//--- borders.json
{"input_processors": [{"tensor_name": "image", "src_dtype": "S8", "src_layout": "NHWC", "slicing": [0, 0, 1, 2, 0, 1, 0, 0], "padding": [0, 0, 0, 1, 2, 0, 0, 0], "padding_constant_value": -7}]}
//--- cascade.json
{"input_processors": [{"tensor_name": "image", "src_dtype": "U16", "scale": 0.25, "zeropoint": 300, "mean": [5]}]}
//--- tokens.json
{"input_processors": [{"tensor_name": "ids", "src_dtype": "S32"}]}
//--- nothing.json
{"quant": {"input_configs": [{"tensor_name": "DEFAULT", "calibration_dataset": "x.tar", "calibration_mean": [0], "calibration_std": [1]}]},
 "input_processors": [{"tensor_name": "DEFAULT"}],
 "output_processors": [{"tensor_name": "DEFAULT"}, {"tensor_name": "a", "dst_perm": [0, 1, 2, 3]}]}
//--- surprise.json
{"quant": {"input_configs": [{"tensor_name": "DEFAULT", "calibration_dataset": "x.tar", "calibration_mean": [7], "calibration_std": [255]}]},
 "input_processors": [{"tensor_name": "image", "mean": [0, 0, 0]}]}
//--- swap.json
{"input_processors": [{"tensor_name": "image", "src_format": "BGR", "tensor_format": "RGB", "csc_mode": "FullRange"}]}
//--- outputs.json
{"output_processors": [{"tensor_name": "a", "dst_perm": [0, 2, 3, 1]}, {"tensor_name": "b", "output_dtype": "U8"}]}
