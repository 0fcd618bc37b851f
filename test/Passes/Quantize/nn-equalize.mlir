// RUN: rm -rf %t && split-file %s %t
// RUN: parallax-opt %t/network.mlir -nn-calibrate -nn-assign-precision -nn-equalize -mlir-print-local-scope -o %t/out.mlir 2>%t/remarks
// RUN: FileCheck %s --input-file=%t/out.mlir
// RUN: FileCheck %s --input-file=%t/remarks --check-prefix=REMARK
// RUN: parallax-opt %t/network.mlir -nn-calibrate -nn-assign-precision='rules=[{"layer_name":"second","data_type":"U16","weight_data_type":"S16"}]' -nn-equalize 2>&1 | FileCheck %s --check-prefix=WIDE
// RUN: not parallax-opt %t/network.mlir -nn-equalize 2>&1 | FileCheck %s --check-prefix=PLAIN

//--- network.mlir
// The first layer makes one channel a hundred times as great as the other, and
// the second one takes it back. Afterwards both have weights of one size, and
// the range of the tensor between them follows; what is before and behind stays.
// CHECK: func.func @main(%{{.*}}: tensor<8x2x!quant.calibrated<f32<-0.99{{[0-9]+}}:0.99{{[0-9]+}}>>>
// CHECK: nn.constant dense<{{\[\[}}1.0{{.*}}, 1.0{{.*}}], [5.0{{.*}}, -7.0{{.*}}]]> : tensor<2x2xf32>
// CHECK: nn.constant dense<{{\[\[}}{{0.09999|1.0000}}{{.*}}], [{{0.09999|1.0000}}{{.*}}]]> : tensor<2x1xf32>
// CHECK: nn.matmul {{.*}}channel_max = dense<[13.{{[0-9]+}}, 14.{{[0-9]+}}]>{{.*}} -> tensor<8x2x!quant.calibrated<f32<-15.{{[0-9]+}}:14.{{[0-9]+}}>>>
// CHECK: nn.matmul {{.*}} -> tensor<8x1x!quant.calibrated<f32<-2.06{{[0-9]+}}:2.01{{[0-9]+}}>>>
// REMARK: remark: tensor 'h' is scaled: the error of its readers goes from
// WIDE: remark: tensor 'h' is
// PLAIN: error: the calibration has no range for
func.func @main(%x: tensor<8x2xf32> {nn.name = "x"}) -> (tensor<8x1xf32> {nn.name = "y"}) {
  %w = nn.constant dense<[[100.0, 1.0], [50.0, -0.7]]> : tensor<2x2xf32> loc("w"("w"))
  %v = nn.constant dense<[[0.01], [1.0]]> : tensor<2x1xf32> loc("v"("v"))
  %0 = nn.matmul %x, %w : (tensor<8x2xf32>, tensor<2x2xf32>) -> tensor<8x2xf32> loc("first"("h"))
  %1 = nn.matmul %0, %v : (tensor<8x2xf32>, tensor<2x1xf32>) -> tensor<8x1xf32> loc("second"("y"))
  return %1 : tensor<8x1xf32>
}
