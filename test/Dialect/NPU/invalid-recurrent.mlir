// RUN: parallax-opt %s -split-input-file -verify-diagnostics

func.func @rows(%x: tensor<3x1x2xui8>, %w: tensor<1x2x2xi8>, %r: tensor<1x1x1xi8>, %l: tensor<1xi32>, %h: tensor<1x1x1xi16>) {
  // expected-error @+1 {{violates C104: weights don't fit directions, gates, units and inputs}}
  %0:2 = npu.rnn %x, %w, %r, %l, %h {direction = "forward", layout = 0 : i64, x_zero_point = 0 : i64, initial_zero_points = array<i64: 0>, initial_multipliers = array<i32: 1073741824>, initial_shifts = array<i32: 15>, input_factors = array<i64: 1>, state_factors = array<i64: 1>, offsets = array<i64: 0>, gate_shifts = array<i32: 1>, limit = 524287 : i64, tables = array<i32>, table_fractions = array<i32>, functions = array<i64: 0>, state_fraction = 15 : i32, zero_points = array<i64: 0, 0>, lows = array<i64: 0, 0>, highs = array<i64: 255, 255>, multipliers = array<i32: 0, 0>, shifts = array<i32: 1, 1>, rounding = "half_up"} : (tensor<3x1x2xui8>, tensor<1x2x2xi8>, tensor<1x1x1xi8>, tensor<1xi32>, tensor<1x1x1xi16>) -> (tensor<3x1x1x1xui8>, tensor<1x1x1xui8>)
  return
}

// -----

func.func @states(%x: tensor<3x1x2xui8>, %w: tensor<1x1x2xi8>, %r: tensor<1x1x1xi8>, %l: tensor<1xi32>, %h: tensor<1x2x1xi16>) {
  // expected-error @+1 {{violates C102: states don't fit directions, sequences and units}}
  %0:2 = npu.rnn %x, %w, %r, %l, %h {direction = "forward", layout = 0 : i64, x_zero_point = 0 : i64, initial_zero_points = array<i64: 0>, initial_multipliers = array<i32: 1073741824>, initial_shifts = array<i32: 15>, input_factors = array<i64: 1>, state_factors = array<i64: 1>, offsets = array<i64: 0>, gate_shifts = array<i32: 1>, limit = 524287 : i64, tables = array<i32>, table_fractions = array<i32>, functions = array<i64: 0>, state_fraction = 15 : i32, zero_points = array<i64: 0, 0>, lows = array<i64: 0, 0>, highs = array<i64: 255, 255>, multipliers = array<i32: 0, 0>, shifts = array<i32: 1, 1>, rounding = "half_up"} : (tensor<3x1x2xui8>, tensor<1x1x2xi8>, tensor<1x1x1xi8>, tensor<1xi32>, tensor<1x2x1xi16>) -> (tensor<3x1x1x1xui8>, tensor<1x1x1xui8>)
  return
}

// -----

func.func @factors(%x: tensor<3x1x2xui8>, %w: tensor<1x1x2xi8>, %r: tensor<1x1x1xi8>, %l: tensor<1xi32>, %h: tensor<1x1x1xi16>) {
  // expected-error @+1 {{violates C104: it has 2 factors in place of 1}}
  %0:2 = npu.rnn %x, %w, %r, %l, %h {direction = "forward", layout = 0 : i64, x_zero_point = 0 : i64, initial_zero_points = array<i64: 0>, initial_multipliers = array<i32: 1073741824>, initial_shifts = array<i32: 15>, input_factors = array<i64: 1, 2>, state_factors = array<i64: 1>, offsets = array<i64: 0>, gate_shifts = array<i32: 1>, limit = 524287 : i64, tables = array<i32>, table_fractions = array<i32>, functions = array<i64: 0>, state_fraction = 15 : i32, zero_points = array<i64: 0, 0>, lows = array<i64: 0, 0>, highs = array<i64: 255, 255>, multipliers = array<i32: 0, 0>, shifts = array<i32: 1, 1>, rounding = "half_up"} : (tensor<3x1x2xui8>, tensor<1x1x2xi8>, tensor<1x1x1xi8>, tensor<1xi32>, tensor<1x1x1xi16>) -> (tensor<3x1x1x1xui8>, tensor<1x1x1xui8>)
  return
}

// -----

func.func @knots(%x: tensor<3x1x2xui8>, %w: tensor<1x1x2xi8>, %r: tensor<1x1x1xi8>, %l: tensor<1xi32>, %h: tensor<1x1x1xi16>) {
  // expected-error @+1 {{violates C100: it has 3 knots in place of 4097}}
  %0:2 = npu.rnn %x, %w, %r, %l, %h {direction = "forward", layout = 0 : i64, x_zero_point = 0 : i64, initial_zero_points = array<i64: 0>, initial_multipliers = array<i32: 1073741824>, initial_shifts = array<i32: 15>, input_factors = array<i64: 1>, state_factors = array<i64: 1>, offsets = array<i64: 0>, gate_shifts = array<i32: 1>, limit = 524287 : i64, tables = array<i32: 1, 2, 3>, table_fractions = array<i32: 15>, functions = array<i64: 0>, state_fraction = 15 : i32, zero_points = array<i64: 0, 0>, lows = array<i64: 0, 0>, highs = array<i64: 255, 255>, multipliers = array<i32: 0, 0>, shifts = array<i32: 1, 1>, rounding = "half_up"} : (tensor<3x1x2xui8>, tensor<1x1x2xi8>, tensor<1x1x1xi8>, tensor<1xi32>, tensor<1x1x1xi16>) -> (tensor<3x1x1x1xui8>, tensor<1x1x1xui8>)
  return
}

// -----

func.func @function(%x: tensor<3x1x2xui8>, %w: tensor<1x1x2xi8>, %r: tensor<1x1x1xi8>, %l: tensor<1xi32>, %h: tensor<1x1x1xi16>) {
  // expected-error @+1 {{violates C100: there is no function 0}}
  %0:2 = npu.rnn %x, %w, %r, %l, %h {direction = "forward", layout = 0 : i64, x_zero_point = 0 : i64, initial_zero_points = array<i64: 0>, initial_multipliers = array<i32: 1073741824>, initial_shifts = array<i32: 15>, input_factors = array<i64: 1>, state_factors = array<i64: 1>, offsets = array<i64: 0>, gate_shifts = array<i32: 1>, limit = 524287 : i64, tables = array<i32>, table_fractions = array<i32>, functions = array<i64: 0>, state_fraction = 15 : i32, zero_points = array<i64: 0, 0>, lows = array<i64: 0, 0>, highs = array<i64: 255, 255>, multipliers = array<i32: 0, 0>, shifts = array<i32: 1, 1>, rounding = "half_up"} : (tensor<3x1x2xui8>, tensor<1x1x2xi8>, tensor<1x1x1xi8>, tensor<1xi32>, tensor<1x1x1xi16>) -> (tensor<3x1x1x1xui8>, tensor<1x1x1xui8>)
  return
}

// -----

func.func @cum_sum_axis(%x: tensor<4xui8>) {
  // expected-error @+1 {{has no dimension 1}}
  %0 = npu.cum_sum %x {axis = 1 : i64, x_zero_point = 0 : i64, multipliers = array<i32: 1073741824>, shifts = array<i32: 31>, zero_point = 0 : i64, low = 0 : i64, high = 255 : i64, rounding = "half_up"} : (tensor<4xui8>) -> tensor<4xui8>
  return
}

// -----

func.func @lp_pool_window(%x: tensor<1x2x4x4xui8>) {
  // expected-error @+1 {{violates C36a: it has 1 extents of the window in place of 2}}
  %0 = npu.lp_pool %x {kind = "l2", kernel = array<i64: 2>, strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, x_zero_point = 0 : i64, multipliers = array<i32: 1073741824>, shifts = array<i32: 31>, zero_point = 0 : i64, low = 0 : i64, high = 255 : i64, rounding = "half_up"} : (tensor<1x2x4x4xui8>) -> tensor<1x2x3x3xui8>
  return
}

// -----

func.func @logarithms(%x: tensor<4xui8>) {
  // expected-error @+1 {{violates C65: it has 1 logarithms in place of 257}}
  %0 = npu.reduce_log %x {kind = "sum", axes = array<i64: 0>, fine = array<i64>, coarse = array<i64>, logarithms = array<i64: 0>, distance = 0 : i64, offset = 0 : i64, logarithm = 0 : i64, shift = 1 : i32, x_zero_point = 0 : i64, zero_point = 0 : i64, low = 0 : i64, high = 255 : i64, rounding = "half_up"} : (tensor<4xui8>) -> tensor<1xui8>
  return
}

// -----

func.func @unsigned_weights(%x: tensor<3x1x2xui8>, %w: tensor<1x1x2xi8>, %r: tensor<1x1x1xui16>, %l: tensor<1xi32>, %h: tensor<1x1x1xi16>) {
  // expected-error @+1 {{violates C2: weights of 'ui16' are not signed}}
  %0:2 = npu.rnn %x, %w, %r, %l, %h {direction = "forward", layout = 0 : i64, x_zero_point = 0 : i64, initial_zero_points = array<i64: 0>, initial_multipliers = array<i32: 1073741824>, initial_shifts = array<i32: 15>, input_factors = array<i64: 1>, state_factors = array<i64: 1>, offsets = array<i64: 0>, gate_shifts = array<i32: 1>, limit = 524287 : i64, tables = array<i32>, table_fractions = array<i32>, functions = array<i64: 0>, state_fraction = 15 : i32, zero_points = array<i64: 0, 0>, lows = array<i64: 0, 0>, highs = array<i64: 255, 255>, multipliers = array<i32: 0, 0>, shifts = array<i32: 1, 1>, rounding = "half_up"} : (tensor<3x1x2xui8>, tensor<1x1x2xi8>, tensor<1x1x1xui16>, tensor<1xi32>, tensor<1x1x1xi16>) -> (tensor<3x1x1x1xui8>, tensor<1x1x1xui8>)
  return
}
