// RUN: parallax-opt --nn-fold-pads %s 2>&1 \
// RUN:   | FileCheck %s --implicit-check-not=undone

// CHECK-LABEL: func.func @conv
// CHECK-SAME: (%[[X:[^:]*]]: tensor<1x1x4x5xf32>, %[[W:[^:]*]]:
func.func @conv(%x: tensor<1x1x4x5xf32>, %w: tensor<2x1x3x3xf32>)
    -> tensor<1x2x7x5xf32> {
  // Pads of both, begin and end in their places.
  // CHECK-NEXT: nn.conv %[[X]], %[[W]] {{{.*}}pads = array<i64: 3, 0, 2, 2>
  // CHECK-NEXT: return
  %0 = nn.pad %x {pads = array<i64: 0, 0, 2, 0, 0, 0, 1, 2>}
      : (tensor<1x1x4x5xf32>) -> tensor<1x1x7x7xf32>
  %1 = nn.conv %0, %w {dilations = array<i64: 1, 1>,
      pads = array<i64: 1, 0, 1, 0>, strides = array<i64: 1, 1>}
      : (tensor<1x1x7x7xf32>, tensor<2x1x3x3xf32>) -> tensor<1x2x7x5xf32>
  return %1 : tensor<1x2x7x5xf32>
}

// Padding that is not that of a convolution: another value, another mode,
// batch or channels, crops, a transposed convolution.
// CHECK-LABEL: func.func @not_of_conv
func.func @not_of_conv(%x: tensor<1x1x4x4xf32>, %w: tensor<1x1x3x3xf32>,
    %w2: tensor<1x2x3x3xf32>)
    -> (tensor<1x1x4x4xf32>, tensor<1x1x4x4xf32>, tensor<1x1x2x2xf32>,
        tensor<1x1x3x2xf32>, tensor<1x1x8x8xf32>) {
  // CHECK-NEXT: %[[A:.*]] = nn.pad {{.*}}value = 1.0
  // CHECK-NEXT: nn.conv %[[A]]
  %0 = nn.pad %x {pads = array<i64: 0, 0, 1, 1, 0, 0, 1, 1>, value = 1.0 : f64}
      : (tensor<1x1x4x4xf32>) -> tensor<1x1x6x6xf32>
  %1 = nn.conv %0, %w {dilations = array<i64: 1, 1>,
      pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1>}
      : (tensor<1x1x6x6xf32>, tensor<1x1x3x3xf32>) -> tensor<1x1x4x4xf32>
  // CHECK-NEXT: %[[B:.*]] = nn.pad {{.*}}mode = "edge"
  // CHECK-NEXT: nn.conv %[[B]]
  %2 = nn.pad %x {mode = "edge", pads = array<i64: 0, 0, 1, 1, 0, 0, 1, 1>}
      : (tensor<1x1x4x4xf32>) -> tensor<1x1x6x6xf32>
  %3 = nn.conv %2, %w {dilations = array<i64: 1, 1>,
      pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1>}
      : (tensor<1x1x6x6xf32>, tensor<1x1x3x3xf32>) -> tensor<1x1x4x4xf32>
  // CHECK-NEXT: %[[C:.*]] = nn.pad {{.*}}array<i64: 0, 0, 0, 0, 0, 1, 0, 0>
  // CHECK-NEXT: nn.conv %[[C]]
  %4 = nn.pad %x {pads = array<i64: 0, 0, 0, 0, 0, 1, 0, 0>}
      : (tensor<1x1x4x4xf32>) -> tensor<1x2x4x4xf32>
  %5 = nn.conv %4, %w2 {dilations = array<i64: 1, 1>,
      pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1>}
      : (tensor<1x2x4x4xf32>, tensor<1x2x3x3xf32>) -> tensor<1x1x2x2xf32>
  // CHECK-NEXT: %[[D:.*]] = nn.pad {{.*}}array<i64: 0, 0, 1, -1, 0, 0, 0, 1>
  // CHECK-NEXT: nn.conv %[[D]]
  %6 = nn.pad %x {pads = array<i64: 0, 0, 1, -1, 0, 0, 0, 1>}
      : (tensor<1x1x4x4xf32>) -> tensor<1x1x5x4xf32>
  %7 = nn.conv %6, %w {dilations = array<i64: 1, 1>,
      pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1>}
      : (tensor<1x1x5x4xf32>, tensor<1x1x3x3xf32>) -> tensor<1x1x3x2xf32>
  // CHECK-NEXT: %[[E:.*]] = nn.pad
  // CHECK-NEXT: nn.conv_transpose %[[E]]
  %8 = nn.pad %x {pads = array<i64: 0, 0, 1, 1, 0, 0, 1, 1>}
      : (tensor<1x1x4x4xf32>) -> tensor<1x1x6x6xf32>
  %9 = nn.conv_transpose %8, %w {dilations = array<i64: 1, 1>,
      output_padding = array<i64: 0, 0>, pads = array<i64: 0, 0, 0, 0>,
      strides = array<i64: 1, 1>}
      : (tensor<1x1x6x6xf32>, tensor<1x1x3x3xf32>) -> tensor<1x1x8x8xf32>
  return %1, %3, %5, %7, %9 : tensor<1x1x4x4xf32>, tensor<1x1x4x4xf32>,
      tensor<1x1x2x2xf32>, tensor<1x1x3x2xf32>, tensor<1x1x8x8xf32>
}

// CHECK-LABEL: func.func @read_elsewhere
func.func @read_elsewhere(%x: tensor<1x1x4x4xf32>, %w: tensor<1x1x3x3xf32>)
    -> (tensor<1x1x4x4xf32>, tensor<1x1x6x6xf32>) {
  // CHECK-NEXT: %[[P:.*]] = nn.pad
  // CHECK-NEXT: nn.conv %[[P]]
  %0 = nn.pad %x {pads = array<i64: 0, 0, 1, 1, 0, 0, 1, 1>}
      : (tensor<1x1x4x4xf32>) -> tensor<1x1x6x6xf32>
  %1 = nn.conv %0, %w {dilations = array<i64: 1, 1>,
      pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1>}
      : (tensor<1x1x6x6xf32>, tensor<1x1x3x3xf32>) -> tensor<1x1x4x4xf32>
  return %1, %0 : tensor<1x1x4x4xf32>, tensor<1x1x6x6xf32>
}

// Explicit padding is counted: so it is afterwards.
// CHECK-LABEL: func.func @average
// CHECK-SAME: (%[[X:[^:]*]]:
func.func @average(%x: tensor<1x1x4x4xf32>) -> (tensor<1x1x4x4xf32>,
    tensor<1x1x6x4xf32>) {
  // CHECK-NEXT: nn.average_pool %[[X]] {count_include_pad = true, {{.*}}pads = array<i64: 1, 1, 1, 1>
  %0 = nn.pad %x {pads = array<i64: 0, 0, 1, 1, 0, 0, 1, 1>}
      : (tensor<1x1x4x4xf32>) -> tensor<1x1x6x6xf32>
  %1 = nn.average_pool %0 {dilations = array<i64: 1, 1>,
      kernel = array<i64: 3, 3>, pads = array<i64: 0, 0, 0, 0>,
      strides = array<i64: 1, 1>}
      : (tensor<1x1x6x6xf32>) -> tensor<1x1x4x4xf32>
  // CHECK-NEXT: nn.average_pool %[[X]] {count_include_pad = true, {{.*}}pads = array<i64: 2, 1, 2, 1>
  // CHECK-NEXT: return
  %2 = nn.pad %x {pads = array<i64: 0, 0, 1, 1, 0, 0, 1, 1>}
      : (tensor<1x1x4x4xf32>) -> tensor<1x1x6x6xf32>
  %3 = nn.average_pool %2 {count_include_pad = true,
      dilations = array<i64: 1, 1>, kernel = array<i64: 3, 3>,
      pads = array<i64: 1, 0, 1, 0>, strides = array<i64: 1, 1>}
      : (tensor<1x1x6x6xf32>) -> tensor<1x1x6x4xf32>
  return %1, %3 : tensor<1x1x4x4xf32>, tensor<1x1x6x4xf32>
}

// Not if padding of its own is not counted, if that would be as wide as the
// window, or if a partial window is kept.
// CHECK-LABEL: func.func @not_of_average
func.func @not_of_average(%x: tensor<1x1x4x4xf32>) -> (tensor<1x1x6x6xf32>,
    tensor<1x1x6x6xf32>, tensor<1x1x3x3xf32>) {
  // CHECK: nn.pad
  // CHECK-NEXT: nn.average_pool
  %0 = nn.pad %x {pads = array<i64: 0, 0, 1, 1, 0, 0, 1, 1>}
      : (tensor<1x1x4x4xf32>) -> tensor<1x1x6x6xf32>
  %1 = nn.average_pool %0 {dilations = array<i64: 1, 1>,
      kernel = array<i64: 3, 3>, pads = array<i64: 1, 1, 1, 1>,
      strides = array<i64: 1, 1>}
      : (tensor<1x1x6x6xf32>) -> tensor<1x1x6x6xf32>
  // CHECK-NEXT: nn.pad
  // CHECK-NEXT: nn.average_pool
  %2 = nn.pad %x {pads = array<i64: 0, 0, 3, 0, 0, 0, 1, 4>}
      : (tensor<1x1x4x4xf32>) -> tensor<1x1x8x8xf32>
  %3 = nn.average_pool %2 {dilations = array<i64: 1, 1>,
      kernel = array<i64: 3, 3>, pads = array<i64: 0, 0, 0, 0>,
      strides = array<i64: 1, 1>}
      : (tensor<1x1x8x8xf32>) -> tensor<1x1x6x6xf32>
  // CHECK-NEXT: nn.pad
  // CHECK-NEXT: nn.average_pool
  %4 = nn.pad %x {pads = array<i64: 0, 0, 1, 1, 0, 0, 1, 1>}
      : (tensor<1x1x4x4xf32>) -> tensor<1x1x6x6xf32>
  %5 = nn.average_pool %4 {ceil_mode = true, dilations = array<i64: 1, 1>,
      kernel = array<i64: 3, 3>, pads = array<i64: 0, 0, 0, 0>,
      strides = array<i64: 2, 2>}
      : (tensor<1x1x6x6xf32>) -> tensor<1x1x3x3xf32>
  return %1, %3, %5 : tensor<1x1x6x6xf32>, tensor<1x1x6x6xf32>,
      tensor<1x1x3x3xf32>
}

// CHECK-LABEL: func.func @norm
// CHECK-SAME: (%[[X:[^:]*]]:
func.func @norm(%x: tensor<1x1x4x4xf32>) -> tensor<1x1x4x4xf32> {
  // CHECK-NEXT: nn.lp_pool %[[X]] {{.*}}pads = array<i64: 1, 1, 0, 0>
  // CHECK-NEXT: return
  %0 = nn.pad %x {pads = array<i64: 0, 0, 1, 0, 0, 0, 0, 0>}
      : (tensor<1x1x4x4xf32>) -> tensor<1x1x5x4xf32>
  %1 = nn.lp_pool %0 {dilations = array<i64: 1, 1>, kernel = array<i64: 2, 2>,
      pads = array<i64: 0, 1, 0, 0>, strides = array<i64: 1, 1>}
      : (tensor<1x1x5x4xf32>) -> tensor<1x1x4x4xf32>
  return %1 : tensor<1x1x4x4xf32>
}

// CHECK-LABEL: func.func @max
// CHECK-SAME: (%[[X:[^:]*]]:
func.func @max(%x: tensor<1x1x4x4xf32>) -> (tensor<1x1x4x4xf32>,
    tensor<1x1x4x4xf32>) {
  // CHECK-NEXT: nn.max_pool %[[X]] {{.*}}pads = array<i64: 1, 1, 1, 1>
  %0 = nn.pad %x {pads = array<i64: 0, 0, 1, 1, 0, 0, 1, 1>,
      value = 0xFFF0000000000000 : f64}
      : (tensor<1x1x4x4xf32>) -> tensor<1x1x6x6xf32>
  %1 = nn.max_pool %0 {dilations = array<i64: 1, 1>, kernel = array<i64: 3, 3>,
      pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1>}
      : (tensor<1x1x6x6xf32>) -> tensor<1x1x4x4xf32>
  // The lowest number of the type does as well.
  // CHECK-NEXT: nn.max_pool %[[X]] {{.*}}pads = array<i64: 1, 1, 1, 1>
  // CHECK-NEXT: return
  %2 = nn.pad %x {pads = array<i64: 0, 0, 0, 1, 0, 0, 0, 1>,
      value = -3.4028234663852886e+38 : f64}
      : (tensor<1x1x4x4xf32>) -> tensor<1x1x4x6xf32>
  %3 = nn.max_pool %2 {dilations = array<i64: 1, 1>, kernel = array<i64: 3, 3>,
      pads = array<i64: 1, 0, 1, 0>, strides = array<i64: 1, 1>}
      : (tensor<1x1x4x6xf32>) -> tensor<1x1x4x4xf32>
  return %1, %3 : tensor<1x1x4x4xf32>, tensor<1x1x4x4xf32>
}

// Zeros are never the greatest beside what is not negative.
// CHECK-LABEL: func.func @max_of_bounded
// CHECK-SAME: (%[[X:[^:]*]]:
func.func @max_of_bounded(%x: tensor<1x1x4x4xf32>) -> (tensor<1x1x2x2xf32>,
    tensor<1x1x2x2xf32>) {
  // CHECK-NEXT: %[[R:.*]] = nn.relu %[[X]]
  // CHECK-NEXT: nn.max_pool %[[R]] {{.*}}pads = array<i64: 1, 1, 0, 0>
  %0 = nn.relu %x : (tensor<1x1x4x4xf32>) -> tensor<1x1x4x4xf32>
  %1 = nn.pad %0 {pads = array<i64: 0, 0, 1, 1, 0, 0, 0, 0>}
      : (tensor<1x1x4x4xf32>) -> tensor<1x1x5x5xf32>
  %2 = nn.max_pool %1 {dilations = array<i64: 1, 1>, kernel = array<i64: 3, 3>,
      pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 2, 2>}
      : (tensor<1x1x5x5xf32>) -> tensor<1x1x2x2xf32>
  // CHECK-NEXT: %[[C:.*]] = nn.clip %[[X]] {min = -1.0
  // CHECK-NEXT: nn.max_pool %[[C]] {{.*}}pads = array<i64: 1, 1, 0, 0>
  // CHECK-NEXT: return
  %3 = nn.clip %x {min = -1.0 : f64} : (tensor<1x1x4x4xf32>)
      -> tensor<1x1x4x4xf32>
  %4 = nn.pad %3 {pads = array<i64: 0, 0, 1, 1, 0, 0, 0, 0>, value = -1.0 : f64}
      : (tensor<1x1x4x4xf32>) -> tensor<1x1x5x5xf32>
  %5 = nn.max_pool %4 {dilations = array<i64: 1, 1>, kernel = array<i64: 3, 3>,
      pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 2, 2>}
      : (tensor<1x1x5x5xf32>) -> tensor<1x1x2x2xf32>
  return %2, %5 : tensor<1x1x2x2xf32>, tensor<1x1x2x2xf32>
}

// Zeros may be the greatest; a window with gaps may see nothing but padding;
// padding as wide as the window; what a clip keeps may be less than zero.
// CHECK-LABEL: func.func @not_of_max
func.func @not_of_max(%x: tensor<1x1x4x4xf32>, %y: tensor<1x1x1x1xf32>)
    -> (tensor<1x1x4x4xf32>, tensor<1x1x1x1xf32>, tensor<1x1x6x6xf32>,
    tensor<1x1x4x4xf32>) {
  // CHECK-NEXT: nn.pad
  // CHECK-NEXT: nn.max_pool
  %0 = nn.pad %x {pads = array<i64: 0, 0, 1, 1, 0, 0, 1, 1>}
      : (tensor<1x1x4x4xf32>) -> tensor<1x1x6x6xf32>
  %1 = nn.max_pool %0 {dilations = array<i64: 1, 1>, kernel = array<i64: 3, 3>,
      pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1>}
      : (tensor<1x1x6x6xf32>) -> tensor<1x1x4x4xf32>
  // CHECK-NEXT: nn.relu
  // CHECK-NEXT: nn.pad
  // CHECK-NEXT: nn.max_pool
  %2 = nn.relu %y : (tensor<1x1x1x1xf32>) -> tensor<1x1x1x1xf32>
  %3 = nn.pad %2 {pads = array<i64: 0, 0, 1, 1, 0, 0, 1, 1>}
      : (tensor<1x1x1x1xf32>) -> tensor<1x1x3x3xf32>
  %4 = nn.max_pool %3 {dilations = array<i64: 2, 2>, kernel = array<i64: 2, 2>,
      pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1>}
      : (tensor<1x1x3x3xf32>) -> tensor<1x1x1x1xf32>
  // CHECK-NEXT: nn.relu
  // CHECK-NEXT: nn.pad
  // CHECK-NEXT: nn.max_pool
  %5 = nn.relu %x : (tensor<1x1x4x4xf32>) -> tensor<1x1x4x4xf32>
  %6 = nn.pad %5 {pads = array<i64: 0, 0, 2, 2, 0, 0, 1, 1>}
      : (tensor<1x1x4x4xf32>) -> tensor<1x1x7x7xf32>
  %7 = nn.max_pool %6 {dilations = array<i64: 1, 1>, kernel = array<i64: 2, 2>,
      pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1>}
      : (tensor<1x1x7x7xf32>) -> tensor<1x1x6x6xf32>
  // CHECK-NEXT: nn.clip
  // CHECK-NEXT: nn.pad
  // CHECK-NEXT: nn.max_pool
  %8 = nn.clip %x {min = -1.0 : f64} : (tensor<1x1x4x4xf32>)
      -> tensor<1x1x4x4xf32>
  %9 = nn.pad %8 {pads = array<i64: 0, 0, 1, 1, 0, 0, 1, 1>}
      : (tensor<1x1x4x4xf32>) -> tensor<1x1x6x6xf32>
  %10 = nn.max_pool %9 {dilations = array<i64: 1, 1>, kernel = array<i64: 3, 3>,
      pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1>}
      : (tensor<1x1x6x6xf32>) -> tensor<1x1x4x4xf32>
  return %1, %4, %7, %10 : tensor<1x1x4x4xf32>, tensor<1x1x1x1xf32>,
      tensor<1x1x6x6xf32>, tensor<1x1x4x4xf32>
}

// CHECK-LABEL: func.func @pads
// CHECK-SAME: (%[[X:[^:]*]]:
func.func @pads(%x: tensor<2x3xf32>) -> (tensor<5x4xf32>, tensor<3x3xf32>,
    tensor<2x3xf32>) {
  // CHECK-NEXT: nn.pad %[[X]] {pads = array<i64: 1, 1, 2, 0>, value = 2.0
  %0 = nn.pad %x {pads = array<i64: 1, 0, 0, 0>, value = 2.0 : f64}
      : (tensor<2x3xf32>) -> tensor<3x3xf32>
  %1 = nn.pad %0 {pads = array<i64: 0, 1, 2, 0>, value = 2.0 : f64}
      : (tensor<3x3xf32>) -> tensor<5x4xf32>
  // Other values and crops stay.
  // CHECK-NEXT: nn.pad %[[X]] {pads = array<i64: 1, 0, 0, 0>}
  // CHECK-NEXT: nn.pad {{.*}} {pads = array<i64: 0, 1, 0, -1>}
  // CHECK-NEXT: nn.pad {{.*}} {pads = array<i64: -1, 0, 0, 0>, value = 1.0
  %2 = nn.pad %x {pads = array<i64: 1, 0, 0, 0>} : (tensor<2x3xf32>)
      -> tensor<3x3xf32>
  %3 = nn.pad %2 {pads = array<i64: 0, 1, 0, -1>} : (tensor<3x3xf32>)
      -> tensor<3x3xf32>
  %4 = nn.pad %3 {pads = array<i64: -1, 0, 0, 0>, value = 1.0 : f64}
      : (tensor<3x3xf32>) -> tensor<2x3xf32>
  return %1, %3, %4 : tensor<5x4xf32>, tensor<3x3xf32>, tensor<2x3xf32>
}
