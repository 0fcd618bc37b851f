// RUN: parallax-opt %s -split-input-file -verify-diagnostics

func.func @pool_bool(%x: tensor<1x2x8xi1>) {
  // expected-error @+2 {{x has element type 'i1', expected number}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = nn.max_pool %x
      {dilations = array<i64: 1>, kernel = array<i64: 2>,
       pads = array<i64: 0, 0>, strides = array<i64: 1>}
      : (tensor<1x2x8xi1>) -> tensor<1xf32>
  return
}

// -----

func.func @pool_rank(%x: tensor<2x8xf32>) {
  // expected-error @+2 {{x has rank 2, expected at least 3}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = nn.max_pool %x
      {dilations = array<i64: 1>, kernel = array<i64: 2>,
       pads = array<i64: 0, 0>, strides = array<i64: 1>}
      : (tensor<2x8xf32>) -> tensor<1xf32>
  return
}

// -----

func.func @pool_kernel_length(%x: tensor<1x2x8xf32>) {
  // expected-error @+2 {{kernel has 2 entries, expected 1}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = nn.average_pool %x
      {dilations = array<i64: 1>, kernel = array<i64: 2, 2>,
       pads = array<i64: 0, 0>, strides = array<i64: 1>}
      : (tensor<1x2x8xf32>) -> tensor<1xf32>
  return
}

// -----

func.func @pool_kernel(%x: tensor<1x2x8xf32>) {
  // expected-error @+2 {{kernel has entry 0, expected at least 1}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = nn.average_pool %x
      {dilations = array<i64: 1>, kernel = array<i64: 0>,
       pads = array<i64: 0, 0>, strides = array<i64: 1>}
      : (tensor<1x2x8xf32>) -> tensor<1xf32>
  return
}

// -----

func.func @pool_strides(%x: tensor<1x2x8xf32>) {
  // expected-error @+2 {{strides has entry 0, expected at least 1}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = nn.max_pool %x
      {dilations = array<i64: 1>, kernel = array<i64: 2>,
       pads = array<i64: 0, 0>, strides = array<i64: 0>}
      : (tensor<1x2x8xf32>) -> tensor<1xf32>
  return
}

// -----

func.func @pool_dilations(%x: tensor<1x2x8xf32>) {
  // expected-error @+2 {{dilations has 2 entries, expected 1}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = nn.max_pool %x
      {dilations = array<i64: 1, 1>, kernel = array<i64: 2>,
       pads = array<i64: 0, 0>, strides = array<i64: 1>}
      : (tensor<1x2x8xf32>) -> tensor<1xf32>
  return
}

// -----

func.func @pool_pads(%x: tensor<1x2x8xf32>) {
  // expected-error @+2 {{pads has entry -1, expected at least 0}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = nn.max_pool %x
      {dilations = array<i64: 1>, kernel = array<i64: 2>,
       pads = array<i64: 0, -1>, strides = array<i64: 1>}
      : (tensor<1x2x8xf32>) -> tensor<1xf32>
  return
}

// -----

func.func @pool_wide_pads(%x: tensor<1x2x8xf32>) {
  // expected-error @+2 {{padding of spatial dimension 0 is as large as the window}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = nn.max_pool %x
      {dilations = array<i64: 1>, kernel = array<i64: 2>,
       pads = array<i64: 0, 2>, strides = array<i64: 1>}
      : (tensor<1x2x8xf32>) -> tensor<1xf32>
  return
}

// -----

func.func @pool_window(%x: tensor<1x2x8xf32>) {
  // expected-error @+2 {{window of spatial dimension 0 is larger than the padded extent}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = nn.max_pool %x
      {dilations = array<i64: 1>, kernel = array<i64: 9>,
       pads = array<i64: 0, 0>, strides = array<i64: 1>}
      : (tensor<1x2x8xf32>) -> tensor<1xf32>
  return
}

// -----

func.func @pool_window_ceil(%x: tensor<1x2x8xf32>) {
  // expected-error @+2 {{window of spatial dimension 0 is larger than the padded extent}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = nn.max_pool %x
      {ceil_mode = true, dilations = array<i64: 1>, kernel = array<i64: 10>,
       pads = array<i64: 0, 0>, strides = array<i64: 2>}
      : (tensor<1x2x8xf32>) -> tensor<1xf32>
  return
}

// -----

func.func @pool_overflow(%x: tensor<1x2x8xf32>) {
  // expected-error @+2 {{window of spatial dimension 0 is too large}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = nn.max_pool %x
      {dilations = array<i64: 9223372036854775807>,
       kernel = array<i64: 9223372036854775807>, pads = array<i64: 0, 0>,
       strides = array<i64: 1>}
      : (tensor<1x2x8xf32>) -> tensor<1xf32>
  return
}

// -----

func.func @pool_power(%x: tensor<1x2x8xf32>) {
  // expected-error @+2 {{minimum value is 1}}
  %0 = nn.lp_pool %x
      {dilations = array<i64: 1>, kernel = array<i64: 2>, p = 0 : i64,
       pads = array<i64: 0, 0>, strides = array<i64: 1>}
      : (tensor<1x2x8xf32>) -> tensor<1x2x7xf32>
  return
}

// -----

func.func @pool_storage_order(%x: tensor<1x2x8xf32>) {
  // expected-error @+2 {{maximum value is 1}}
  %0:2 = nn.max_pool_with_indices %x
      {dilations = array<i64: 1>, kernel = array<i64: 2>,
       pads = array<i64: 0, 0>, storage_order = 2 : i64,
       strides = array<i64: 1>}
      : (tensor<1x2x8xf32>) -> (tensor<1x2x7xf32>, tensor<1x2x7xi64>)
  return
}

// -----

func.func @pool_indices(%x: tensor<1x2x8xf32>) {
  // expected-error @+2 {{are incompatible with return type(s)}}
  // expected-error @+1 {{failed to infer returned types}}
  %0:2 = nn.max_pool_with_indices %x
      {dilations = array<i64: 1>, kernel = array<i64: 2>,
       pads = array<i64: 0, 0>, strides = array<i64: 1>}
      : (tensor<1x2x8xf32>) -> (tensor<1x2x7xf32>, tensor<1x2x7xi32>)
  return
}

// -----

func.func @global_pool_rank(%x: tensor<2x8xf32>) {
  // expected-error @+2 {{x has rank 2, expected at least 3}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = nn.global_max_pool %x : (tensor<2x8xf32>) -> tensor<1xf32>
  return
}

// -----

func.func @global_pool_integer(%x: tensor<1x2x8xi32>) {
  // expected-error @+2 {{x has element type 'i32', expected float}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = nn.global_average_pool %x : (tensor<1x2x8xi32>) -> tensor<1xf32>
  return
}

// -----

func.func @global_pool_empty(%x: tensor<1x2x0xf32>) {
  // expected-error @+2 {{x has an empty spatial dimension}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = nn.global_average_pool %x : (tensor<1x2x0xf32>) -> tensor<1xf32>
  return
}
