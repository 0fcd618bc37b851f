// RUN: parallax-opt --nn-remove-no-ops %s 2>&1 \
// RUN:   | FileCheck %s --implicit-check-not=undone
// RUN: parallax-opt --nn-remove-no-ops -mlir-print-debuginfo \
// RUN:     -mlir-print-local-scope %s | FileCheck %s --check-prefix=NAMES

// CHECK-LABEL: func.func @copies
// CHECK-SAME: (%[[X:[^:]*]]:
func.func @copies(%x: tensor<1x4x2x1xf32>) -> tensor<1x4x2x1xf32> {
  // CHECK-NEXT: return %[[X]]
  %0 = nn.reshape %x {shape = array<i64: 1, 4, 2, 1>}
      : (tensor<1x4x2x1xf32>) -> tensor<1x4x2x1xf32>
  %1 = nn.expand %0 {shape = array<i64: 4, 2, 1>}
      : (tensor<1x4x2x1xf32>) -> tensor<1x4x2x1xf32>
  %2 = nn.tile %1 {repeats = array<i64: 1, 1, 1, 1>}
      : (tensor<1x4x2x1xf32>) -> tensor<1x4x2x1xf32>
  %3 = nn.cast %2 {to = f32} : (tensor<1x4x2x1xf32>) -> tensor<1x4x2x1xf32>
  %4 = nn.concat %3 {axis = 1 : i64} : (tensor<1x4x2x1xf32>)
      -> tensor<1x4x2x1xf32>
  %5 = nn.split %4 {axis = 1 : i64, sizes = array<i64: 4>}
      : (tensor<1x4x2x1xf32>) -> tensor<1x4x2x1xf32>
  %6 = nn.transpose %5 {perm = array<i64: 0, 1, 2, 3>}
      : (tensor<1x4x2x1xf32>) -> tensor<1x4x2x1xf32>
  %7 = nn.slice %6 {sizes = array<i64: 1, 4, 2, 1>,
      starts = array<i64: 0, 0, 0, 0>, steps = array<i64: 1, 1, 1, 1>}
      : (tensor<1x4x2x1xf32>) -> tensor<1x4x2x1xf32>
  %8 = nn.pad %7 {mode = "reflect", pads = array<i64: 0, 0, 0, 0, 0, 0, 0, 0>}
      : (tensor<1x4x2x1xf32>) -> tensor<1x4x2x1xf32>
  %9 = nn.depth_to_space %8 {blocksize = 1 : i64}
      : (tensor<1x4x2x1xf32>) -> tensor<1x4x2x1xf32>
  %10 = nn.space_to_depth %9 {blocksize = 1 : i64}
      : (tensor<1x4x2x1xf32>) -> tensor<1x4x2x1xf32>
  %11 = nn.channel_shuffle %10 {groups = 4 : i64}
      : (tensor<1x4x2x1xf32>) -> tensor<1x4x2x1xf32>
  %12 = nn.clip %11 : (tensor<1x4x2x1xf32>) -> tensor<1x4x2x1xf32>
  %13 = nn.max_pool %12 {dilations = array<i64: 1, 1>,
      kernel = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>,
      strides = array<i64: 1, 1>}
      : (tensor<1x4x2x1xf32>) -> tensor<1x4x2x1xf32>
  %14 = nn.reduce_mean %13 {axes = array<i64: 0, 3>}
      : (tensor<1x4x2x1xf32>) -> tensor<1x4x2x1xf32>
  %15 = nn.resize %14 {scales = array<f32: 1.0, 1.0, 1.0, 1.0>,
      sizes = array<i64: 1, 4, 2, 1>}
      : (tensor<1x4x2x1xf32>) -> tensor<1x4x2x1xf32>
  return %15 : tensor<1x4x2x1xf32>
}

// Of the same type, but not the same elements.
// CHECK-LABEL: func.func @no_copies
func.func @no_copies(%x: tensor<1x4x2x2xf32>) -> tensor<1x4x2x2xf32> {
  // CHECK-NEXT: nn.transpose
  %0 = nn.transpose %x {perm = array<i64: 0, 1, 3, 2>}
      : (tensor<1x4x2x2xf32>) -> tensor<1x4x2x2xf32>
  // CHECK-NEXT: nn.slice
  %1 = nn.slice %0 {sizes = array<i64: 1, 4, 2, 2>,
      starts = array<i64: 0, 3, 0, 0>, steps = array<i64: 1, -1, 1, 1>}
      : (tensor<1x4x2x2xf32>) -> tensor<1x4x2x2xf32>
  // CHECK-NEXT: nn.pad
  %2 = nn.pad %1 {pads = array<i64: 0, 0, 1, 0, 0, 0, -1, 0>}
      : (tensor<1x4x2x2xf32>) -> tensor<1x4x2x2xf32>
  // CHECK-NEXT: nn.channel_shuffle
  %3 = nn.channel_shuffle %2 {groups = 2 : i64}
      : (tensor<1x4x2x2xf32>) -> tensor<1x4x2x2xf32>
  // CHECK-NEXT: nn.clip
  %4 = nn.clip %3 {max = 3.0 : f64} : (tensor<1x4x2x2xf32>)
      -> tensor<1x4x2x2xf32>
  // CHECK-NEXT: nn.max_pool
  %5 = nn.max_pool %4 {dilations = array<i64: 1, 1>, kernel = array<i64: 3, 3>,
      pads = array<i64: 1, 1, 1, 1>, strides = array<i64: 1, 1>}
      : (tensor<1x4x2x2xf32>) -> tensor<1x4x2x2xf32>
  // CHECK-NEXT: nn.reduce_l1
  // CHECK-NEXT: return
  %6 = nn.reduce_l1 %5 {axes = array<i64: 0>}
      : (tensor<1x4x2x2xf32>) -> tensor<1x4x2x2xf32>
  return %6 : tensor<1x4x2x2xf32>
}

// CHECK-LABEL: func.func @numbers
// CHECK-SAME: (%[[X:[^:]*]]:
func.func @numbers(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  // CHECK-NEXT: return %[[X]]
  %zeros = nn.constant dense<0.0> : tensor<2x3xf32>
  %one = nn.constant dense<1.0> : tensor<f32>
  %0 = nn.add %zeros, %x : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  %1 = nn.sub %0, %zeros : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  %2 = nn.mul %one, %1 : (tensor<f32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  %3 = nn.div %2, %one : (tensor<2x3xf32>, tensor<f32>) -> tensor<2x3xf32>
  %4 = nn.pow %3, %one : (tensor<2x3xf32>, tensor<f32>) -> tensor<2x3xf32>
  return %4 : tensor<2x3xf32>
}

// CHECK-LABEL: func.func @other_numbers
func.func @other_numbers(%x: tensor<1x3xf32>) -> (tensor<1x3xf32>,
    tensor<1x3xf32>, tensor<1x3xf32>, tensor<2x3xf32>) {
  %zero = nn.constant dense<0.0> : tensor<f32>
  %one = nn.constant dense<1.0> : tensor<f32>
  %most = nn.constant dense<[1.0, 1.0, 1.0001]> : tensor<3xf32>
  %wide = nn.constant dense<0.0> : tensor<2x3xf32>
  // CHECK: nn.sub
  %0 = nn.sub %zero, %x : (tensor<f32>, tensor<1x3xf32>) -> tensor<1x3xf32>
  // CHECK-NEXT: nn.div
  %1 = nn.div %one, %x : (tensor<f32>, tensor<1x3xf32>) -> tensor<1x3xf32>
  // CHECK-NEXT: nn.mul
  %2 = nn.mul %x, %most : (tensor<1x3xf32>, tensor<3xf32>) -> tensor<1x3xf32>
  // It repeats rows.
  // CHECK-NEXT: nn.add
  // CHECK-NEXT: return
  %3 = nn.add %x, %wide : (tensor<1x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  return %0, %1, %2, %3 : tensor<1x3xf32>, tensor<1x3xf32>, tensor<1x3xf32>,
      tensor<2x3xf32>
}

// CHECK-LABEL: func.func @reshapes
// CHECK-SAME: (%[[X:[^:]*]]:
func.func @reshapes(%x: tensor<2x1x6xf32>) -> (tensor<3x4xf32>,
    tensor<1x2x6xf32>, tensor<2x6xf32>, tensor<6x1x2xf32>) {
  // CHECK-NEXT: nn.reshape %[[X]] {{.*}}shape = array<i64: 3, 4>
  // NAMES: nn.reshape {{.*}}nn.replaces = ["last"]{{.*}} loc("first"("y"))
  %0 = nn.reshape %x {shape = array<i64: 12>} : (tensor<2x1x6xf32>)
      -> tensor<12xf32> loc("first"("a"))
  %1 = nn.reshape %0 {shape = array<i64: 3, 4>} : (tensor<12xf32>)
      -> tensor<3x4xf32> loc("last"("y"))
  // CHECK-NEXT: nn.reshape %[[X]] {shape = array<i64: 1, 2, 6>}
  %2 = nn.transpose %x {perm = array<i64: 1, 0, 2>} : (tensor<2x1x6xf32>)
      -> tensor<1x2x6xf32>
  // CHECK-NEXT: nn.reshape %[[X]] {shape = array<i64: 2, 6>}
  %3 = nn.reduce_max %x {axes = array<i64: 1>, keepdims = false}
      : (tensor<2x1x6xf32>) -> tensor<2x6xf32>
  // CHECK-NEXT: nn.transpose %[[X]]
  // CHECK-NEXT: return
  %4 = nn.transpose %x {perm = array<i64: 2, 1, 0>} : (tensor<2x1x6xf32>)
      -> tensor<6x1x2xf32>
  return %1, %2, %3, %4 : tensor<3x4xf32>, tensor<1x2x6xf32>, tensor<2x6xf32>,
      tensor<6x1x2xf32>
}

// CHECK-LABEL: func.func @concats
// CHECK-SAME: (%[[X:[^:]*]]: tensor<2x4xf32>, %[[Y:[^:]*]]:
func.func @concats(%x: tensor<2x4xf32>, %y: tensor<2x1xf32>)
    -> (tensor<2x4xf32>, tensor<2x6xf32>, tensor<4x5xf32>, tensor<2x4xf32>) {
  // CHECK-NEXT: %[[J:.*]] = nn.concat %[[X]], %[[Y]], %[[Y]] {axis = 1 : i64
  %0:2 = nn.split %x {axis = 1 : i64, sizes = array<i64: 1, 3>}
      : (tensor<2x4xf32>) -> (tensor<2x1xf32>, tensor<2x3xf32>)
      loc("s"(fused["a", "b"]))
  %1 = nn.concat %0#0, %0#1 {axis = 1 : i64} : (tensor<2x1xf32>,
      tensor<2x3xf32>) -> tensor<2x4xf32> loc("j"("j"))
  %2 = nn.concat %x, %y {axis = 1 : i64} : (tensor<2x4xf32>, tensor<2x1xf32>)
      -> tensor<2x5xf32> loc("i"("i"))
  %3 = nn.concat %2, %y {axis = 1 : i64} : (tensor<2x5xf32>, tensor<2x1xf32>)
      -> tensor<2x6xf32> loc("o"("o"))
  // Along another axis; parts in another order.
  // CHECK-NEXT: %[[A:.*]] = nn.concat %[[X]], %[[Y]]
  // CHECK-NEXT: %[[B:.*]] = nn.concat %[[A]], %[[A]] {axis = 0 : i64}
  // CHECK-NEXT: %[[S:.*]]:2 = nn.split
  // CHECK-NEXT: %[[C:.*]] = nn.concat %[[S]]#1, %[[S]]#0
  // CHECK-NEXT: return %[[X]], %[[J]], %[[B]], %[[C]]
  %4 = nn.concat %x, %y {axis = 1 : i64} : (tensor<2x4xf32>, tensor<2x1xf32>)
      -> tensor<2x5xf32> loc("p"("p"))
  %5 = nn.concat %4, %4 {axis = 0 : i64} : (tensor<2x5xf32>, tensor<2x5xf32>)
      -> tensor<4x5xf32> loc("q"("q"))
  %6:2 = nn.split %x {axis = 1 : i64, sizes = array<i64: 1, 3>}
      : (tensor<2x4xf32>) -> (tensor<2x1xf32>, tensor<2x3xf32>)
      loc("t"(fused["c", "d"]))
  %7 = nn.concat %6#1, %6#0 {axis = 1 : i64} : (tensor<2x3xf32>,
      tensor<2x1xf32>) -> tensor<2x4xf32> loc("r"("r"))
  return %1, %3, %5, %7 : tensor<2x4xf32>, tensor<2x6xf32>, tensor<4x5xf32>,
      tensor<2x4xf32>
}
