// RUN: parallax-opt --nn-remove-dead-layers %s | FileCheck %s

// CHECK-LABEL: func.func @dead
// CHECK-SAME: (%[[X:[^:]*]]: tensor<2xf32>, %{{[^:]*}}:
func.func @dead(%x: tensor<2xf32>, %unread: tensor<2xf32>) -> tensor<1xf32> {
  // One result that is read keeps the others; inputs stay.
  // CHECK-NEXT: %[[S:.*]]:2 = nn.split %[[X]]
  // CHECK-NEXT: %[[Y:.*]] = nn.relu %[[S]]#1
  // CHECK-NEXT: return %[[Y]]
  %c = nn.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %weights = nn.constant dense_resource<blob> : tensor<2xf32>
  %0 = nn.exp %x : (tensor<2xf32>) -> tensor<2xf32>
  %1 = nn.add %0, %c : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  %2 = nn.mul %unread, %weights : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  %3:2 = nn.split %x {axis = 0 : i64, sizes = array<i64: 1, 1>}
      : (tensor<2xf32>) -> (tensor<1xf32>, tensor<1xf32>)
  %4 = nn.relu %3#1 : (tensor<1xf32>) -> tensor<1xf32>
  return %4 : tensor<1xf32>
}

{-#
  dialect_resources: {
    builtin: {
      blob: "0x040000000000803F00000040"
    }
  }
#-}
