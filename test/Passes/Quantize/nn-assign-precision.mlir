// RUN: parallax-opt %s -nn-assign-precision | FileCheck %s --check-prefix=NONE
// RUN: parallax-opt %s -nn-assign-precision='rules=[{"op_type":"Conv","data_type":"U16","weight_data_type":"S16"},{"layer_name":"sum","output_data_type":"FP32"}]' | FileCheck %s --check-prefix=RULES
// RUN: parallax-opt %s -nn-assign-precision='rules=[{"op_type":"Conv","data_type":"U16"}]' -nn-assign-precision | FileCheck %s --check-prefix=NONE
// RUN: parallax-opt %s -nn-assign-precision=highest=true | FileCheck %s --check-prefix=HIGHEST
// RUN: parallax-opt %s -nn-calibrate -nn-assign-precision='rules=[{"op_type":"Conv","data_type":"U16","weight_data_type":"S16"},{"layer_name":"sum","output_data_type":"FP32"}]' | FileCheck %s --check-prefix=RULES
// RUN: not parallax-opt %s -nn-assign-precision='rules=[{"layer_name":"mod","data_type":"U8"},{"layer_name":"nobody","data_type":"U16"}]' 2>&1 | FileCheck %s --check-prefix=REFUSED
// RUN: parallax-opt %s -nn-assign-precision='rules=[{"op_type":"Conv","data_type":"FP32"}]' | FileCheck %s --check-prefix=FLOAT
// RUN: parallax-opt %s -nn-assign-precision='allow-unmatched=true rules=[{"layer_name":"nobody","data_type":"U16"}]' 2>&1 | FileCheck %s --check-prefix=ALLOWED
// RUN: not parallax-opt %s -nn-assign-precision='rules=[{"op_type":"Conv","data_tipe":"U16"}]' 2>&1 | FileCheck %s --check-prefix=WRONG

// What computes in U8 with weights S8 needs no attribute; what can't be
// quantized says so.
// NONE: nn.conv {{.*}} pads
// NONE-NOT: nn.precision
// NONE: nn.mod %{{.*}} {fmod = true, nn.precision = {data = "FP32"}}
// NONE: nn.add
// NONE-NOT: nn.precision
// NONE: return

// RULES: nn.conv {{.*}}nn.precision = {data = "U16", weight = "S16"}
// RULES: nn.mod {{.*}}nn.precision = {data = "FP32"}
// RULES: nn.add {{.*}}nn.precision = {output = "FP32"}

// HIGHEST: nn.conv {{.*}}nn.precision = {data = "U16", weight = "S16"}
// HIGHEST: nn.mod {{.*}}nn.precision = {data = "FP32"}
// HIGHEST: nn.add {{.*}}nn.precision = {data = "U16"}

// One error lists everything that can't be granted.
// REFUSED: error: the precision that quant.layer_configs asks for can't be given:
// REFUSED: 'quant.layer_configs[1]' (layer_name nobody): no layer is called 'nobody'
// REFUSED: 'quant.layer_configs[0]' (layer_name mod): layer 'mod' (Mod) runs on the CPU in float

// A convolution in float helps to find out whether it is to blame.
// FLOAT: nn.conv {{.*}}nn.precision = {data = "FP32"}

// ALLOWED: warning: 'quant.layer_configs[0]' (layer_name nobody):
// WRONG: error: {{.*}}data_tipe
func.func @main(%x: tensor<1x1x4x4xf32> {nn.name = "x"}) -> (tensor<1x1x4x4xf32> {nn.name = "y"}) {
  %w = nn.constant dense<0.5> : tensor<1x1x1x1xf32> loc("w"("w"))
  %0 = nn.conv %x, %w {dilations = array<i64: 1, 1>, group = 1 : i64, pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1>} : (tensor<1x1x4x4xf32>, tensor<1x1x1x1xf32>) -> tensor<1x1x4x4xf32> loc("conv"("c"))
  %1 = nn.mod %0, %x {fmod = true} : (tensor<1x1x4x4xf32>, tensor<1x1x4x4xf32>) -> tensor<1x1x4x4xf32> loc("mod"("m"))
  %2 = nn.add %1, %0 : (tensor<1x1x4x4xf32>, tensor<1x1x4x4xf32>) -> tensor<1x1x4x4xf32> loc("sum"("y"))
  return %2 : tensor<1x1x4x4xf32>
}
