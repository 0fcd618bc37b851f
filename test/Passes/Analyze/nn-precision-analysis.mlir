// RUN: rm -rf %t && split-file %s %t
// RUN: parallax-opt %t/good.mlir -nn-precision-analysis -mlir-print-debuginfo -mlir-print-local-scope 2>&1 | FileCheck %s --check-prefix=GOOD --implicit-check-not=remark
// RUN: parallax-opt %t/good.mlir -npu-lower -nn-precision-analysis="samples=3 seed=7" 2>&1 | FileCheck %s --check-prefix=NPU
// RUN: parallax-opt %t/coarse.mlir -nn-precision-analysis 2>&1 | FileCheck %s --check-prefix=COARSE
// RUN: parallax-opt %t/missing.mlir -nn-precision-analysis 2>&1 | FileCheck %s --check-prefix=MISSING
// RUN: not parallax-opt %t/alone.mlir -nn-precision-analysis 2>&1 | FileCheck %s --check-prefix=ALONE
// RUN: not parallax-opt %t/first.mlir -nn-precision-analysis 2>&1 | FileCheck %s --check-prefix=FIRST

// The same samples give the same numbers, and other samples others.
// RUN: parallax-opt %t/good.mlir -nn-precision-analysis -o %t/one.mlir
// RUN: parallax-opt %t/good.mlir -nn-precision-analysis -o %t/again.mlir
// RUN: cmp %t/one.mlir %t/again.mlir
// RUN: parallax-opt %t/good.mlir -nn-precision-analysis=seed=9 -o %t/other.mlir
// RUN: not cmp %t/one.mlir %t/other.mlir

//--- good.mlir
// Layers of the view have the numbers; the float network stays as it is, and
// nothing of the analysis is left in the module.
// GOOD-LABEL: func.func @main
// GOOD: nn.sigmoid %{{[a-z0-9]+}} : {{.*}} loc("sigmoid"("s"))
// GOOD-LABEL: func.func @quantized
// GOOD: nn.requantize %{{[a-z0-9]+}} : {{.*}} loc("q"("xq"))
// GOOD: nn.sigmoid %{{.*}} {analysis.end_to_end = {s = 0.9999{{[0-9]+}} : f64}, analysis.per_layer = {s = 0.9999{{[0-9]+}} : f64}} : {{.*}} loc("sigmoid"("s"))
// GOOD: nn.tanh %{{.*}} {analysis.end_to_end = {y = 0.9999{{[0-9]+}} : f64}, analysis.per_layer = {y = 0.9999{{[0-9]+}} : f64}}
// GOOD-NOT: func.func

// NPU-LABEL: func.func @quantized
// NPU: nn.tanh %{{.*}} {analysis.end_to_end = {y = 0.9999
// NPU-LABEL: func.func @npu
// NPU: npu.table %{{.*}} {analysis.end_to_end = {s = 0.9999{{[0-9]+}} : f64}, analysis.per_layer = {s = 0.9999
// NPU: npu.table %{{.*}} {analysis.end_to_end = {y = 0.9999
!f = tensor<16x4xf32>
!x = tensor<16x4x!quant.uniform<u8:f32, 0.02:128>>
!s = tensor<16x4x!quant.uniform<u8:f32, 0.004>>
func.func @main(%x: !f {nn.name = "x"}) -> (!f {nn.name = "y"}) {
  %0 = nn.sigmoid %x : (!f) -> !f loc("sigmoid"("s"))
  %1 = nn.tanh %0 : (!f) -> !f loc("tanh"("y"))
  return %1 : !f
}
func.func @quantized(%x: !f {nn.name = "x"}) -> (!f {nn.name = "y"}) {
  %0 = nn.requantize %x : (!f) -> !x loc("q"("xq"))
  %1 = nn.sigmoid %0 : (!x) -> !s loc("sigmoid"("s"))
  %2 = nn.tanh %1 : (!s) -> !s loc("tanh"("y"))
  %3 = nn.requantize %2 : (!s) -> !f loc("dq"("ydq"))
  return %3 : !f
}

//--- coarse.mlir
// The first layer has a step of 1: it is bad by itself. The last one is only bad
// because of what it reads.
// COARSE-LABEL: func.func @quantized
// COARSE: nn.sigmoid %{{.*}} {analysis.end_to_end = {s = 0.90{{[0-9]+}} : f64}, analysis.per_layer = {s = 0.90{{[0-9]+}} : f64}}
// COARSE: nn.neg %{{.*}} {analysis.end_to_end = {y = 0.8{{[0-9]+}} : f64}, analysis.per_layer = {y = 0.9999{{[0-9]+}} : f64}}
!f = tensor<16x4xf32>
!x = tensor<16x4x!quant.uniform<u8:f32, 0.02:128>>
!s = tensor<16x4x!quant.uniform<u8:f32, 1.0>>
!t = tensor<16x4x!quant.uniform<u8:f32, 0.004>>
!y = tensor<16x4x!quant.uniform<u8:f32, 0.004:255>>
func.func @main(%x: !f {nn.name = "x"}) -> (!f {nn.name = "y"}) {
  %0 = nn.sigmoid %x : (!f) -> !f loc("sigmoid"("s"))
  %1 = nn.tanh %0 : (!f) -> !f loc("tanh"("t"))
  %2 = nn.neg %1 : (!f) -> !f loc("neg"("y"))
  return %2 : !f
}
func.func @quantized(%x: !f {nn.name = "x"}) -> (!f {nn.name = "y"}) {
  %0 = nn.requantize %x : (!f) -> !x loc("q"("xq"))
  %1 = nn.sigmoid %0 : (!x) -> !s loc("sigmoid"("s"))
  %2 = nn.tanh %1 : (!s) -> !t loc("tanh"("t"))
  %3 = nn.neg %2 : (!t) -> !y loc("neg"("y"))
  %4 = nn.requantize %3 : (!y) -> !f loc("dq"("ydq"))
  return %4 : !f
}

//--- missing.mlir
// MISSING: remark: PerLayer Reference: tensor 's' is not compared
// MISSING: remark: EndToEnd Reference: tensor 's' is not compared
!f = tensor<4xf32>
func.func @main(%x: !f {nn.name = "x"}) -> (!f {nn.name = "y"}) {
  %0 = nn.sigmoid %x : (!f) -> !f loc("sigmoid"("s"))
  %1 = nn.tanh %0 : (!f) -> !f loc("tanh"("y"))
  return %1 : !f
}
func.func @quantized(%x: !f {nn.name = "x"}) -> (!f {nn.name = "y"}) {
  %0 = nn.sigmoid %x : (!f) -> !f loc("sigmoid"("other"))
  %1 = nn.tanh %0 : (!f) -> !f loc("tanh"("y"))
  return %1 : !f
}

//--- alone.mlir
// ALONE: error: there is no function called quantized
func.func @main(%x: tensor<4xf32> {nn.name = "x"}) -> tensor<4xf32> {
  return %x : tensor<4xf32>
}

//--- first.mlir
// FIRST: error: the first function has to be the float network
func.func @quantized(%x: tensor<4xf32> {nn.name = "x"}) -> tensor<4xf32> {
  return %x : tensor<4xf32>
}
