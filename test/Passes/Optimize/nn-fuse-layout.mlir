// RUN: parallax-opt --nn-fuse-layout %s 2>&1 \
// RUN:   | FileCheck %s --implicit-check-not=undone
// RUN: parallax-opt --nn-fuse-layout -mlir-print-debuginfo \
// RUN:     -mlir-print-local-scope %s | FileCheck %s --check-prefix=NAMES

// CHECK-LABEL: func.func @pixel_shuffle
// CHECK-SAME: (%[[X:[^:]*]]:
func.func @pixel_shuffle(%x: tensor<2x12x4x5xf32>) -> (tensor<2x3x8x10xf32>,
    tensor<2x3x8x10xf32>) {
  // CHECK-NEXT: nn.depth_to_space %[[X]] {{.*}}blocksize = 2 : i64, mode = "CRD"
  // NAMES: nn.depth_to_space {{.*}}nn.replaces = ["split", "swap"]{{.*}} loc("join"("y"))
  %0 = nn.reshape %x {shape = array<i64: 2, 3, 2, 2, 4, 5>}
      : (tensor<2x12x4x5xf32>) -> tensor<2x3x2x2x4x5xf32> loc("split"("a"))
  %1 = nn.transpose %0 {perm = array<i64: 0, 1, 4, 2, 5, 3>}
      : (tensor<2x3x2x2x4x5xf32>) -> tensor<2x3x4x2x5x2xf32> loc("swap"("b"))
  %2 = nn.reshape %1 {shape = array<i64: 2, 3, 8, 10>}
      : (tensor<2x3x4x2x5x2xf32>) -> tensor<2x3x8x10xf32> loc("join"("y"))
  // CHECK-NEXT: nn.depth_to_space %[[X]] {{.*}}blocksize = 2 : i64} :
  // CHECK-NEXT: return
  %3 = nn.reshape %x {shape = array<i64: 2, 2, 2, 3, 4, 5>}
      : (tensor<2x12x4x5xf32>) -> tensor<2x2x2x3x4x5xf32>
  %4 = nn.transpose %3 {perm = array<i64: 0, 3, 4, 1, 5, 2>}
      : (tensor<2x2x2x3x4x5xf32>) -> tensor<2x3x4x2x5x2xf32>
  %5 = nn.reshape %4 {shape = array<i64: 2, 3, 8, 10>}
      : (tensor<2x3x4x2x5x2xf32>) -> tensor<2x3x8x10xf32>
  return %2, %5 : tensor<2x3x8x10xf32>, tensor<2x3x8x10xf32>
}

// The last reshape does more, or a dimension of extent 1 is left out.
// CHECK-LABEL: func.func @pixel_shuffle_in_other_words
// CHECK-SAME: (%[[X:[^:]*]]:
func.func @pixel_shuffle_in_other_words(%x: tensor<1x12x4x5xf32>)
    -> tensor<3x80xf32> {
  // CHECK-NEXT: %[[Y:.*]] = nn.depth_to_space %[[X]] {{.*}}blocksize = 2 : i64, mode = "CRD"
  // CHECK-NEXT: nn.reshape %[[Y]] {{.*}}shape = array<i64: 3, 80>
  // CHECK-NEXT: return
  %0 = nn.reshape %x {shape = array<i64: 3, 2, 2, 4, 5>}
      : (tensor<1x12x4x5xf32>) -> tensor<3x2x2x4x5xf32> loc("split"("a"))
  %1 = nn.transpose %0 {perm = array<i64: 0, 3, 1, 4, 2>}
      : (tensor<3x2x2x4x5xf32>) -> tensor<3x4x2x5x2xf32> loc("swap"("b"))
  %2 = nn.reshape %1 {shape = array<i64: 3, 80>}
      : (tensor<3x4x2x5x2xf32>) -> tensor<3x80xf32> loc("join"("y"))
  return %2 : tensor<3x80xf32>
}

// CHECK-LABEL: func.func @pixel_unshuffle
// CHECK-SAME: (%[[X:[^:]*]]:
func.func @pixel_unshuffle(%x: tensor<2x3x8x6xf32>) -> (tensor<2x12x4x3xf32>,
    tensor<2x12x4x3xf32>) {
  // CHECK-NEXT: nn.space_to_depth %[[X]] {{.*}}blocksize = 2 : i64
  %0 = nn.reshape %x {shape = array<i64: 2, 3, 4, 2, 3, 2>}
      : (tensor<2x3x8x6xf32>) -> tensor<2x3x4x2x3x2xf32>
  %1 = nn.transpose %0 {perm = array<i64: 0, 3, 5, 1, 2, 4>}
      : (tensor<2x3x4x2x3x2xf32>) -> tensor<2x2x2x3x4x3xf32>
  %2 = nn.reshape %1 {shape = array<i64: 2, 12, 4, 3>}
      : (tensor<2x2x2x3x4x3xf32>) -> tensor<2x12x4x3xf32>
  // Channels outside: the block is shuffled into them.
  // CHECK-NEXT: %[[Y:.*]] = nn.space_to_depth %[[X]] {{.*}}blocksize = 2 : i64
  // CHECK-NEXT: nn.channel_shuffle %[[Y]] {{.*}}groups = 4 : i64
  // CHECK-NEXT: return
  %3 = nn.reshape %x {shape = array<i64: 2, 3, 4, 2, 3, 2>}
      : (tensor<2x3x8x6xf32>) -> tensor<2x3x4x2x3x2xf32> loc("split"("a"))
  %4 = nn.transpose %3 {perm = array<i64: 0, 1, 3, 5, 2, 4>}
      : (tensor<2x3x4x2x3x2xf32>) -> tensor<2x3x2x2x4x3xf32> loc("swap"("b"))
  %5 = nn.reshape %4 {shape = array<i64: 2, 12, 4, 3>}
      : (tensor<2x3x2x2x4x3xf32>) -> tensor<2x12x4x3xf32> loc("join"("y"))
  return %2, %5 : tensor<2x12x4x3xf32>, tensor<2x12x4x3xf32>
}

// CHECK-LABEL: func.func @channel_shuffle
// CHECK-SAME: (%[[X:[^:]*]]:
func.func @channel_shuffle(%x: tensor<1x6x4x4xf32>) -> (tensor<1x6x4x4xf32>,
    tensor<1x6x4x4xf32>, tensor<2x1x3x4x4xf32>) {
  // CHECK-NEXT: nn.channel_shuffle %[[X]] {{.*}}groups = 2 : i64
  %0 = nn.reshape %x {shape = array<i64: 1, 2, 3, 4, 4>}
      : (tensor<1x6x4x4xf32>) -> tensor<1x2x3x4x4xf32>
  %1 = nn.transpose %0 {perm = array<i64: 0, 2, 1, 3, 4>}
      : (tensor<1x2x3x4x4xf32>) -> tensor<1x3x2x4x4xf32>
  %2 = nn.reshape %1 {shape = array<i64: 1, 6, 4, 4>}
      : (tensor<1x3x2x4x4xf32>) -> tensor<1x6x4x4xf32>
  // CHECK-NEXT: nn.channel_shuffle %[[X]] {{.*}}groups = 3 : i64
  %3 = nn.reshape %x {shape = array<i64: 1, 3, 2, 16>}
      : (tensor<1x6x4x4xf32>) -> tensor<1x3x2x16xf32>
  %4 = nn.transpose %3 {perm = array<i64: 0, 2, 1, 3>}
      : (tensor<1x3x2x16xf32>) -> tensor<1x2x3x16xf32>
  %5 = nn.reshape %4 {shape = array<i64: 1, 6, 4, 4>}
      : (tensor<1x2x3x16xf32>) -> tensor<1x6x4x4xf32>
  // The form that is split afterwards, without the batch.
  // CHECK-NEXT: %[[Y:.*]] = nn.channel_shuffle %[[X]] {{.*}}groups = 3 : i64
  // CHECK-NEXT: nn.reshape %[[Y]] {{.*}}shape = array<i64: 2, 1, 3, 4, 4>
  // CHECK-NEXT: return
  %6 = nn.reshape %x {shape = array<i64: 3, 2, 16>}
      : (tensor<1x6x4x4xf32>) -> tensor<3x2x16xf32> loc("split"("a"))
  %7 = nn.transpose %6 {perm = array<i64: 1, 0, 2>}
      : (tensor<3x2x16xf32>) -> tensor<2x3x16xf32> loc("swap"("b"))
  %8 = nn.reshape %7 {shape = array<i64: 2, 1, 3, 4, 4>}
      : (tensor<2x3x16xf32>) -> tensor<2x1x3x4x4xf32> loc("join"("y"))
  return %2, %5, %8 : tensor<1x6x4x4xf32>, tensor<1x6x4x4xf32>,
      tensor<2x1x3x4x4xf32>
}

// Rows and columns in the wrong places, the batch moved, a value that somebody
// else reads.
// CHECK-LABEL: func.func @other_movements
func.func @other_movements(%x: tensor<2x12x4x4xf32>) -> (tensor<2x3x8x8xf32>,
    tensor<2x12x4x4xf32>, tensor<2x12x4x4xf32>, tensor<2x6x2x4x4xf32>) {
  // CHECK-NEXT: nn.reshape
  // CHECK-NEXT: nn.transpose {{.*}}array<i64: 0, 1, 4, 3, 5, 2>
  // CHECK-NEXT: nn.reshape
  %0 = nn.reshape %x {shape = array<i64: 2, 3, 2, 2, 4, 4>}
      : (tensor<2x12x4x4xf32>) -> tensor<2x3x2x2x4x4xf32>
  %1 = nn.transpose %0 {perm = array<i64: 0, 1, 4, 3, 5, 2>}
      : (tensor<2x3x2x2x4x4xf32>) -> tensor<2x3x4x2x4x2xf32>
  %2 = nn.reshape %1 {shape = array<i64: 2, 3, 8, 8>}
      : (tensor<2x3x4x2x4x2xf32>) -> tensor<2x3x8x8xf32>
  // CHECK-NEXT: nn.reshape
  // CHECK-NEXT: nn.transpose {{.*}}array<i64: 1, 0, 2>
  // CHECK-NEXT: nn.reshape
  %3 = nn.reshape %x {shape = array<i64: 2, 12, 16>}
      : (tensor<2x12x4x4xf32>) -> tensor<2x12x16xf32>
  %4 = nn.transpose %3 {perm = array<i64: 1, 0, 2>}
      : (tensor<2x12x16xf32>) -> tensor<12x2x16xf32>
  %5 = nn.reshape %4 {shape = array<i64: 2, 12, 4, 4>}
      : (tensor<12x2x16xf32>) -> tensor<2x12x4x4xf32>
  // CHECK-NEXT: nn.reshape
  // CHECK-NEXT: nn.transpose {{.*}}array<i64: 0, 2, 1, 3, 4>
  // CHECK-NEXT: nn.reshape
  // CHECK-NEXT: return
  %6 = nn.reshape %x {shape = array<i64: 2, 2, 6, 4, 4>}
      : (tensor<2x12x4x4xf32>) -> tensor<2x2x6x4x4xf32>
  %7 = nn.transpose %6 {perm = array<i64: 0, 2, 1, 3, 4>}
      : (tensor<2x2x6x4x4xf32>) -> tensor<2x6x2x4x4xf32>
  %8 = nn.reshape %7 {shape = array<i64: 2, 12, 4, 4>}
      : (tensor<2x6x2x4x4xf32>) -> tensor<2x12x4x4xf32>
  return %2, %5, %8, %7 : tensor<2x3x8x8xf32>, tensor<2x12x4x4xf32>,
      tensor<2x12x4x4xf32>, tensor<2x6x2x4x4xf32>
}

// Slices in the order of space_to_depth, two axes at once.
// CHECK-LABEL: func.func @focus
// CHECK-SAME: (%[[X:[^:]*]]:
func.func @focus(%x: tensor<1x2x4x6xf32>) -> tensor<1x8x2x3xf32> {
  // CHECK-NEXT: nn.space_to_depth %[[X]] {{.*}}blocksize = 2 : i64
  // CHECK-NEXT: return
  %0 = nn.slice %x {sizes = array<i64: 1, 2, 2, 3>,
      starts = array<i64: 0, 0, 0, 0>, steps = array<i64: 1, 1, 2, 2>}
      : (tensor<1x2x4x6xf32>) -> tensor<1x2x2x3xf32>
  %1 = nn.slice %x {sizes = array<i64: 1, 2, 2, 3>,
      starts = array<i64: 0, 0, 0, 1>, steps = array<i64: 1, 1, 2, 2>}
      : (tensor<1x2x4x6xf32>) -> tensor<1x2x2x3xf32>
  %2 = nn.slice %x {sizes = array<i64: 1, 2, 2, 3>,
      starts = array<i64: 0, 0, 1, 0>, steps = array<i64: 1, 1, 2, 2>}
      : (tensor<1x2x4x6xf32>) -> tensor<1x2x2x3xf32>
  %3 = nn.slice %x {sizes = array<i64: 1, 2, 2, 3>,
      starts = array<i64: 0, 0, 1, 1>, steps = array<i64: 1, 1, 2, 2>}
      : (tensor<1x2x4x6xf32>) -> tensor<1x2x2x3xf32>
  %4 = nn.concat %0, %1, %2, %3 {axis = -3 : i64}
      : (tensor<1x2x2x3xf32>, tensor<1x2x2x3xf32>, tensor<1x2x2x3xf32>,
          tensor<1x2x2x3xf32>) -> tensor<1x8x2x3xf32>
  return %4 : tensor<1x8x2x3xf32>
}

// Rows first, then columns, in an order of its own; a convolution takes the
// order of channels into its weights.
// CHECK-LABEL: func.func @focus_and_conv
// CHECK-SAME: (%[[X:[^:]*]]:
func.func @focus_and_conv(%x: tensor<1x1x4x4xf32>) -> (tensor<1x1x2x2xf32>) {
  // CHECK-DAG: %[[Y:.*]] = nn.space_to_depth %[[X]] {{.*}}blocksize = 2 : i64
  // CHECK-DAG: %[[W:.*]] = nn.constant dense<{{\[\[\[\[}}1.000000e+00]], {{\[\[}}3.000000e+00]], {{\[\[}}2.000000e+00]], {{\[\[}}4.000000e+00]]]]> : tensor<1x4x1x1xf32>
  // CHECK: nn.conv %[[Y]], %[[W]] {
  // CHECK-NEXT: return
  // NAMES: nn.constant {{.*}} loc("weight"("weight"))
  // NAMES: nn.conv {{.*}} loc("Conv_41"("y"))
  %w = nn.constant dense<[[[[1.0]], [[2.0]], [[3.0]], [[4.0]]]]>
      : tensor<1x4x1x1xf32> loc("weight"("weight"))
  %0 = nn.slice %x {sizes = array<i64: 1, 1, 2, 4>,
      starts = array<i64: 0, 0, 0, 0>, steps = array<i64: 1, 1, 2, 1>}
      : (tensor<1x1x4x4xf32>) -> tensor<1x1x2x4xf32> loc("Slice_4"("4"))
  %1 = nn.slice %0 {sizes = array<i64: 1, 1, 2, 2>,
      starts = array<i64: 0, 0, 0, 0>, steps = array<i64: 1, 1, 1, 2>}
      : (tensor<1x1x2x4xf32>) -> tensor<1x1x2x2xf32> loc("Slice_9"("9"))
  %2 = nn.slice %x {sizes = array<i64: 1, 1, 2, 4>,
      starts = array<i64: 0, 0, 1, 0>, steps = array<i64: 1, 1, 2, 1>}
      : (tensor<1x1x4x4xf32>) -> tensor<1x1x2x4xf32> loc("Slice_14"("14"))
  %3 = nn.slice %2 {sizes = array<i64: 1, 1, 2, 2>,
      starts = array<i64: 0, 0, 0, 0>, steps = array<i64: 1, 1, 1, 2>}
      : (tensor<1x1x2x4xf32>) -> tensor<1x1x2x2xf32> loc("Slice_19"("19"))
  %4 = nn.slice %0 {sizes = array<i64: 1, 1, 2, 2>,
      starts = array<i64: 0, 0, 0, 1>, steps = array<i64: 1, 1, 1, 2>}
      : (tensor<1x1x2x4xf32>) -> tensor<1x1x2x2xf32> loc("Slice_29"("29"))
  %5 = nn.slice %2 {sizes = array<i64: 1, 1, 2, 2>,
      starts = array<i64: 0, 0, 0, 1>, steps = array<i64: 1, 1, 1, 2>}
      : (tensor<1x1x2x4xf32>) -> tensor<1x1x2x2xf32> loc("Slice_39"("39"))
  %6 = nn.concat %1, %3, %4, %5 {axis = 1 : i64}
      : (tensor<1x1x2x2xf32>, tensor<1x1x2x2xf32>, tensor<1x1x2x2xf32>,
          tensor<1x1x2x2xf32>) -> tensor<1x4x2x2xf32> loc("Concat_40"("40"))
  %7 = nn.conv %6, %w {dilations = array<i64: 1, 1>,
      pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1>}
      : (tensor<1x4x2x2xf32>, tensor<1x4x1x1xf32>) -> tensor<1x1x2x2xf32>
          loc("Conv_41"("y"))
  return %7 : tensor<1x1x2x2xf32>
}

// Without a convolution behind it, channels are put in order.
// CHECK-LABEL: func.func @focus_alone
// CHECK-SAME: (%[[X:[^:]*]]:
func.func @focus_alone(%x: tensor<1x2x2x2xf32>) -> tensor<1x8x1x1xf32> {
  // CHECK-DAG: %[[Y:.*]] = nn.space_to_depth %[[X]] {{.*}}blocksize = 2 : i64
  // CHECK-DAG: %[[I:.*]] = nn.constant dense<[0, 1, 4, 5, 2, 3, 6, 7]> : tensor<8xi64>
  // CHECK: nn.gather %[[Y]], %[[I]] {{.*}}axis = 1 : i64
  // CHECK-NEXT: return
  %0 = nn.slice %x {sizes = array<i64: 1, 2, 1, 1>,
      starts = array<i64: 0, 0, 0, 0>, steps = array<i64: 1, 1, 2, 2>}
      : (tensor<1x2x2x2xf32>) -> tensor<1x2x1x1xf32> loc("a"("a"))
  %1 = nn.slice %x {sizes = array<i64: 1, 2, 1, 1>,
      starts = array<i64: 0, 0, 1, 0>, steps = array<i64: 1, 1, 2, 2>}
      : (tensor<1x2x2x2xf32>) -> tensor<1x2x1x1xf32> loc("b"("b"))
  %2 = nn.slice %x {sizes = array<i64: 1, 2, 1, 1>,
      starts = array<i64: 0, 0, 0, 1>, steps = array<i64: 1, 1, 2, 2>}
      : (tensor<1x2x2x2xf32>) -> tensor<1x2x1x1xf32> loc("c"("c"))
  %3 = nn.slice %x {sizes = array<i64: 1, 2, 1, 1>,
      starts = array<i64: 0, 0, 1, 1>, steps = array<i64: 1, 1, 2, 2>}
      : (tensor<1x2x2x2xf32>) -> tensor<1x2x1x1xf32> loc("d"("d"))
  %4 = nn.concat %0, %1, %2, %3 {axis = 1 : i64}
      : (tensor<1x2x1x1xf32>, tensor<1x2x1x1xf32>, tensor<1x2x1x1xf32>,
          tensor<1x2x1x1xf32>) -> tensor<1x8x1x1xf32> loc("Concat"("y"))
  return %4 : tensor<1x8x1x1xf32>
}

// One pixel twice, a part of the image, another source, another axis.
// CHECK-LABEL: func.func @not_focus
// CHECK-NOT: space_to_depth
// CHECK: return
func.func @not_focus(%x: tensor<1x1x2x2xf32>, %x2: tensor<1x1x2x2xf32>,
    %l: tensor<1x1x4x2xf32>) -> (tensor<1x4x1x1xf32>, tensor<1x4x1x1xf32>,
    tensor<1x4x1x1xf32>, tensor<1x1x4x1xf32>) {
  %0 = nn.slice %x {sizes = array<i64: 1, 1, 1, 1>,
      starts = array<i64: 0, 0, 0, 0>, steps = array<i64: 1, 1, 2, 2>}
      : (tensor<1x1x2x2xf32>) -> tensor<1x1x1x1xf32>
  %1 = nn.slice %x {sizes = array<i64: 1, 1, 1, 1>,
      starts = array<i64: 0, 0, 0, 1>, steps = array<i64: 1, 1, 2, 2>}
      : (tensor<1x1x2x2xf32>) -> tensor<1x1x1x1xf32>
  %2 = nn.slice %x {sizes = array<i64: 1, 1, 1, 1>,
      starts = array<i64: 0, 0, 1, 0>, steps = array<i64: 1, 1, 2, 2>}
      : (tensor<1x1x2x2xf32>) -> tensor<1x1x1x1xf32>
  %3 = nn.slice %x {sizes = array<i64: 1, 1, 1, 1>,
      starts = array<i64: 0, 0, 1, 1>, steps = array<i64: 1, 1, 2, 2>}
      : (tensor<1x1x2x2xf32>) -> tensor<1x1x1x1xf32>
  %4 = nn.slice %x2 {sizes = array<i64: 1, 1, 1, 1>,
      starts = array<i64: 0, 0, 1, 1>, steps = array<i64: 1, 1, 2, 2>}
      : (tensor<1x1x2x2xf32>) -> tensor<1x1x1x1xf32>
  %twice = nn.concat %0, %1, %1, %3 {axis = 1 : i64}
      : (tensor<1x1x1x1xf32>, tensor<1x1x1x1xf32>, tensor<1x1x1x1xf32>,
          tensor<1x1x1x1xf32>) -> tensor<1x4x1x1xf32>
  %source = nn.concat %0, %1, %2, %4 {axis = 1 : i64}
      : (tensor<1x1x1x1xf32>, tensor<1x1x1x1xf32>, tensor<1x1x1x1xf32>,
          tensor<1x1x1x1xf32>) -> tensor<1x4x1x1xf32>
  %axis = nn.concat %0, %1, %2, %3 {axis = 2 : i64}
      : (tensor<1x1x1x1xf32>, tensor<1x1x1x1xf32>, tensor<1x1x1x1xf32>,
          tensor<1x1x1x1xf32>) -> tensor<1x1x4x1xf32>
  %5 = nn.slice %l {sizes = array<i64: 1, 1, 1, 1>,
      starts = array<i64: 0, 0, 0, 0>, steps = array<i64: 1, 1, 2, 2>}
      : (tensor<1x1x4x2xf32>) -> tensor<1x1x1x1xf32>
  %6 = nn.slice %l {sizes = array<i64: 1, 1, 1, 1>,
      starts = array<i64: 0, 0, 0, 1>, steps = array<i64: 1, 1, 2, 2>}
      : (tensor<1x1x4x2xf32>) -> tensor<1x1x1x1xf32>
  %7 = nn.slice %l {sizes = array<i64: 1, 1, 1, 1>,
      starts = array<i64: 0, 0, 1, 0>, steps = array<i64: 1, 1, 2, 2>}
      : (tensor<1x1x4x2xf32>) -> tensor<1x1x1x1xf32>
  %8 = nn.slice %l {sizes = array<i64: 1, 1, 1, 1>,
      starts = array<i64: 0, 0, 1, 1>, steps = array<i64: 1, 1, 2, 2>}
      : (tensor<1x1x4x2xf32>) -> tensor<1x1x1x1xf32>
  %part = nn.concat %5, %6, %7, %8 {axis = 1 : i64}
      : (tensor<1x1x1x1xf32>, tensor<1x1x1x1xf32>, tensor<1x1x1x1xf32>,
          tensor<1x1x1x1xf32>) -> tensor<1x4x1x1xf32>
  return %twice, %source, %part, %axis : tensor<1x4x1x1xf32>,
      tensor<1x4x1x1xf32>, tensor<1x4x1x1xf32>, tensor<1x1x4x1xf32>
}

// CHECK-LABEL: func.func @shuffle_and_conv
// CHECK-SAME: (%[[X:[^:]*]]:
func.func @shuffle_and_conv(%x: tensor<1x6x1x1xf32>) -> (tensor<1x1x1x1xf32>,
    tensor<1x2x1x1xf32>, tensor<1x1x1x1xf32>) {
  %w = nn.constant
      dense<[[[[1.0]], [[2.0]], [[3.0]], [[4.0]], [[5.0]], [[6.0]]]]>
      : tensor<1x6x1x1xf32> loc("w"("w"))
  %g = nn.constant dense<1.0> : tensor<2x3x1x1xf32> loc("g"("g"))
  %i = nn.constant dense<[3, 0, 0, 1, 4, 5]> : tensor<6xi64> loc("i"("i"))
  // CHECK: nn.constant dense<{{\[\[\[\[}}1.0{{[^.]*}}3.0{{[^.]*}}5.0{{[^.]*}}2.0{{[^.]*}}4.0{{[^.]*}}6.0
  // CHECK-NEXT: nn.conv %[[X]]
  %0 = nn.channel_shuffle %x {groups = 2 : i64} : (tensor<1x6x1x1xf32>)
      -> tensor<1x6x1x1xf32> loc("s"("s"))
  %1 = nn.conv %0, %w {dilations = array<i64: 1, 1>,
      pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1>}
      : (tensor<1x6x1x1xf32>, tensor<1x6x1x1xf32>) -> tensor<1x1x1x1xf32>
          loc("c"("c"))
  // Groups don't see each other's channels.
  // CHECK-NEXT: %[[S:.*]] = nn.channel_shuffle
  // CHECK-NEXT: nn.conv %[[S]]
  %2 = nn.channel_shuffle %x {groups = 2 : i64} : (tensor<1x6x1x1xf32>)
      -> tensor<1x6x1x1xf32> loc("s2"("s2"))
  %3 = nn.conv %2, %g {dilations = array<i64: 1, 1>, group = 2 : i64,
      pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1>}
      : (tensor<1x6x1x1xf32>, tensor<2x3x1x1xf32>) -> tensor<1x2x1x1xf32>
          loc("c2"("c2"))
  // Not only another order.
  // CHECK-NEXT: %[[G:.*]] = nn.gather
  // CHECK-NEXT: nn.conv %[[G]]
  // CHECK-NEXT: return
  %4 = nn.gather %x, %i {axis = 1 : i64} : (tensor<1x6x1x1xf32>, tensor<6xi64>)
      -> tensor<1x6x1x1xf32> loc("s3"("s3"))
  %5 = nn.conv %4, %w {dilations = array<i64: 1, 1>,
      pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1>}
      : (tensor<1x6x1x1xf32>, tensor<1x6x1x1xf32>) -> tensor<1x1x1x1xf32>
          loc("c3"("c3"))
  return %1, %3, %5 : tensor<1x1x1x1xf32>, tensor<1x2x1x1xf32>,
      tensor<1x1x1x1xf32>
}


// Slices that cover a dimension are a split.

// CHECK-LABEL: func.func @slices
// CHECK-SAME: (%[[X:[^:]*]]:
func.func @slices(%x: tensor<1x6x4xf32>) -> (tensor<1x4x4xf32>, tensor<1x2x4xf32>) {
  // CHECK-NEXT: %[[S:.*]]:2 = nn.split %[[X]] {axis = 1 : i64,{{.*}} sizes = array<i64: 4, 2>}
  // CHECK-NEXT: return %[[S]]#0, %[[S]]#1
  %b = nn.slice %x {starts = array<i64: 0, 4, 0>, sizes = array<i64: 1, 2, 4>, steps = array<i64: 1, 1, 1>}
      : (tensor<1x6x4xf32>) -> tensor<1x2x4xf32>
  %a = nn.slice %x {starts = array<i64: 0, 0, 0>, sizes = array<i64: 1, 4, 4>, steps = array<i64: 1, 1, 1>}
      : (tensor<1x6x4xf32>) -> tensor<1x4x4xf32>
  return %a, %b : tensor<1x4x4xf32>, tensor<1x2x4xf32>
}


// An overlap, a gap, or another dimension does not match.

// CHECK-LABEL: func.func @no_split
// CHECK-NOT: nn.split
func.func @no_split(%x: tensor<1x6x4xf32>) -> (tensor<1x4x4xf32>, tensor<1x3x4xf32>, tensor<1x6x2xf32>) {
  %a = nn.slice %x {starts = array<i64: 0, 0, 0>, sizes = array<i64: 1, 4, 4>, steps = array<i64: 1, 1, 1>}
      : (tensor<1x6x4xf32>) -> tensor<1x4x4xf32>
  %b = nn.slice %x {starts = array<i64: 0, 3, 0>, sizes = array<i64: 1, 3, 4>, steps = array<i64: 1, 1, 1>}
      : (tensor<1x6x4xf32>) -> tensor<1x3x4xf32>
  %c = nn.slice %x {starts = array<i64: 0, 0, 1>, sizes = array<i64: 1, 6, 2>, steps = array<i64: 1, 1, 1>}
      : (tensor<1x6x4xf32>) -> tensor<1x6x2xf32>
  return %a, %b, %c : tensor<1x4x4xf32>, tensor<1x3x4xf32>, tensor<1x6x2xf32>
}
