// RUN: parallax-opt %s -split-input-file -verify-diagnostics

func.func @shift(%x: tensor<4xui8>) {
  // expected-error @+1 {{violates C11: shift 79 is not from 1 to 78}}
  %0 = npu.linear %x {coefficients = array<i64: 1>, input_zero_points = array<i64: 0>, shift = 79 : i32, zero_point = 0 : i64, low = 0 : i64, high = 255 : i64, rounding = "half_up"} : (tensor<4xui8>) -> tensor<4xui8>
  return
}

// -----

func.func @multiplier(%x: tensor<4xui8>) {
  // expected-error @+1 {{violates C11: multiplier 5 is not from 2^30 to below 2^31}}
  %0 = npu.mul %x, %x {multipliers = array<i32: 5>, shifts = array<i32: 31>, a_zero_point = 0 : i64, b_zero_point = 0 : i64, zero_point = 0 : i64, low = 0 : i64, high = 255 : i64, rounding = "half_up"} : (tensor<4xui8>, tensor<4xui8>) -> tensor<4xui8>
  return
}

// -----

func.func @zero_point(%x: tensor<4xui8>) {
  // expected-error @+1 {{violates C2: zero_point 256 is not a code of 'ui8'}}
  %0 = npu.mul %x, %x {multipliers = array<i32: 1073741824>, shifts = array<i32: 31>, a_zero_point = 0 : i64, b_zero_point = 0 : i64, zero_point = 256 : i64, low = 0 : i64, high = 255 : i64, rounding = "half_up"} : (tensor<4xui8>, tensor<4xui8>) -> tensor<4xui8>
  return
}

// -----

func.func @limits(%x: tensor<4xi8>) {
  // expected-error @+1 {{violates C3: limits 0 to 128 are not within 'i8'}}
  %0 = npu.mul %x, %x {multipliers = array<i32: 1073741824>, shifts = array<i32: 31>, a_zero_point = 0 : i64, b_zero_point = 0 : i64, zero_point = 0 : i64, low = 0 : i64, high = 128 : i64, rounding = "half_up"} : (tensor<4xi8>, tensor<4xi8>) -> tensor<4xi8>
  return
}

// -----

func.func @table(%x: tensor<4xui16>) {
  // expected-error @+1 {{violates C52: it has 2 entries in place of 513}}
  %0 = npu.table %x {entries = array<i32: 0, 1>, zero_point = 0 : i64, low = 0 : i64, high = 255 : i64, rounding = "half_up"} : (tensor<4xui16>) -> tensor<4xui8>
  return
}

// -----

func.func @channels(%x: tensor<2x3xui8>, %w: tensor<4x3xi8>) {
  // expected-error @+1 {{violates C25: it has 2 multipliers in place of 4}}
  %0 = npu.fully_connected %x, %w {multipliers = array<i32: 1073741824, 1073741824>, shifts = array<i32: 31, 31>, x_zero_point = 0 : i64, zero_point = 0 : i64, low = 0 : i64, high = 255 : i64, rounding = "half_up"} : (tensor<2x3xui8>, tensor<4x3xi8>) -> tensor<2x4xui8>
  return
}

// -----

func.func @bias(%x: tensor<2x3xui8>, %w: tensor<4x3xi8>, %b: tensor<3xi32>) {
  // expected-error @+1 {{violates C24: it has 3 biases in place of 4}}
  %0 = npu.fully_connected %x, %w, %b {multipliers = array<i32: 1073741824>, shifts = array<i32: 31>, x_zero_point = 0 : i64, zero_point = 0 : i64, low = 0 : i64, high = 255 : i64, rounding = "half_up"} : (tensor<2x3xui8>, tensor<4x3xi8>, tensor<3xi32>) -> tensor<2x4xui8>
  return
}

// -----

func.func @weights(%x: tensor<1x3x4x4xui8>, %w: tensor<2x4x1x1xi8>) {
  // expected-error @+1 {{violates C21: weights, channels and groups don't fit together}}
  %0 = npu.conv %x, %w {multipliers = array<i32: 1073741824>, shifts = array<i32: 31>, x_zero_point = 0 : i64, group = 1 : i64, strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, zero_point = 0 : i64, low = 0 : i64, high = 255 : i64, rounding = "half_up"} : (tensor<1x3x4x4xui8>, tensor<2x4x1x1xi8>) -> tensor<1x2x4x4xui8>
  return
}

// -----

func.func @floats(%x: tensor<4xf32>) {
  // expected-error @+1 {{operand #0 must be}}
  %0 = npu.table %x {entries = array<i32: 0>, zero_point = 0 : i64, low = 0 : i64, high = 255 : i64, rounding = "half_up"} : (tensor<4xf32>) -> tensor<4xui8>
  return
}

// -----

func.func @scale(%x: tensor<4xf32>) {
  // expected-error @+1 {{violates C2: a scale is positive and normal}}
  %0 = npu.quantize %x {scale = 0.0 : f32, zero_point = 0 : i64, low = 0 : i64, high = 255 : i64} : (tensor<4xf32>) -> tensor<4xui8>
  return
}

// -----

func.func @no_channels(%x: tensor<1x0x4x4xui8>, %w: tensor<2x0x1x1xi8>) {
  // expected-error @+1 {{violates C21: weights, channels and groups don't fit together}}
  %0 = npu.conv %x, %w {multipliers = array<i32: 1073741824>, shifts = array<i32: 31>, x_zero_point = 0 : i64, group = 1 : i64, strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, zero_point = 0 : i64, low = 0 : i64, high = 255 : i64, rounding = "half_up"} : (tensor<1x0x4x4xui8>, tensor<2x0x1x1xi8>) -> tensor<1x2x4x4xui8>
  return
}

// -----

func.func @window(%x: tensor<1x1x1x1xui8>) {
  // expected-error @+1 {{violates C36a: its window is too large}}
  %0 = npu.lp_pool %x {kind = "l1", kernel = array<i64: 16777217, 1>, strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, pads = array<i64: 16777216, 0, 0, 0>, multipliers = array<i32: 1073741824>, shifts = array<i32: 31>, x_zero_point = 0 : i64, zero_point = 0 : i64, low = 0 : i64, high = 255 : i64, rounding = "half_up"} : (tensor<1x1x1x1xui8>) -> tensor<1x1x1x1xui8>
  return
}

// -----

func.func @empty_resize(%x: tensor<0xui8>) {
  // expected-error @+1 {{violates C39: its lengths don't lead from}}
  %0 = npu.resize %x {axis_in = array<i64: 2>, axis_out = array<i64: 2>, axis_taps = array<i64: 1>, indices = array<i32: 0, 1>, weights = array<i32: 32768, 32768>, outer = 0 : i64, inner = 9223372036854775807 : i64, fraction_bits = 15 : i32, multipliers = array<i32: 1073741824>, shifts = array<i32: 31>, x_zero_point = 0 : i64, zero_point = 0 : i64, low = 0 : i64, high = 255 : i64, rounding = "half_up"} : (tensor<0xui8>) -> tensor<0xui8>
  return
}

// -----

func.func @stride(%x: tensor<1x1x1x1xui8>, %w: tensor<1x1x1x1xi8>) {
  // expected-error @+1 {{violates C22: strides of a transposed convolution can't be 65536}}
  %0 = npu.conv %x, %w {transposed = true, multipliers = array<i32: 1073741824>, shifts = array<i32: 31>, x_zero_point = 0 : i64, group = 1 : i64, strides = array<i64: 65536, 1>, dilations = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, zero_point = 0 : i64, low = 0 : i64, high = 255 : i64, rounding = "half_up"} : (tensor<1x1x1x1xui8>, tensor<1x1x1x1xi8>) -> tensor<1x1x1x1xui8>
  return
}
