// RUN: parallax-opt --nn-remove-dead-layers %s | FileCheck %s

// Two constants share their memory; it is not freed with the first of them.
// CHECK-LABEL: func.func @main
// CHECK: nn.constant dense_resource<blob>
// CHECK: blob: "0x04000000000080400000A040"
func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  %dead = nn.constant dense_resource<blob> : tensor<2xf32>
  %c = nn.constant dense_resource<blob> : tensor<2xf32>
  %0 = nn.add %x, %dead : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  %1 = nn.mul %x, %c : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  return %1 : tensor<2xf32>
}

{-#
  dialect_resources: {
    builtin: {
      blob: "0x04000000000080400000A040"
    }
  }
#-}
