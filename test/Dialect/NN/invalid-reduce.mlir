// RUN: parallax-opt %s -split-input-file -verify-diagnostics

func.func @reduce_negative_axis(%x: tensor<2x3x4xf32>) {
  // expected-error @+2 {{axes must be non-negative, sorted and unique}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = nn.reduce_sum %x {axes = array<i64: -1>}
      : (tensor<2x3x4xf32>) -> tensor<1xf32>
  return
}

// -----

func.func @reduce_unsorted(%x: tensor<2x3x4xf32>) {
  // expected-error @+2 {{axes must be non-negative, sorted and unique}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = nn.reduce_sum %x {axes = array<i64: 1, 0>}
      : (tensor<2x3x4xf32>) -> tensor<1xf32>
  return
}

// -----

func.func @reduce_twice(%x: tensor<2x3x4xf32>) {
  // expected-error @+2 {{axes must be non-negative, sorted and unique}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = nn.reduce_sum %x {axes = array<i64: 1, 1>}
      : (tensor<2x3x4xf32>) -> tensor<1xf32>
  return
}

// -----

func.func @reduce_axis(%x: tensor<2x3x4xf32>) {
  // expected-error @+2 {{axis 3 is out of range for rank 3}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = nn.reduce_sum %x {axes = array<i64: 0, 3>}
      : (tensor<2x3x4xf32>) -> tensor<1xf32>
  return
}

// -----

func.func @arg_axis(%x: tensor<2x3x4xf32>) {
  // expected-error @+2 {{axis -4 is out of range for rank 3}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = nn.arg_max %x {axis = -4 : i64} : (tensor<2x3x4xf32>) -> tensor<1xf32>
  return
}

// -----

func.func @arg_least_axis(%x: tensor<2x3x4xf32>) {
  // expected-error @+2 {{axis -9223372036854775808 is out of range for rank 3}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = nn.arg_max %x {axis = -9223372036854775808 : i64}
      : (tensor<2x3x4xf32>) -> tensor<1xf32>
  return
}

// -----

func.func @arg_bool(%x: tensor<2xi1>) {
  // expected-error @+2 {{x has element type 'i1', expected number}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = nn.arg_max %x : (tensor<2xi1>) -> tensor<1xf32>
  return
}

// -----

func.func @arg_empty(%x: tensor<2x0xf32>) {
  // expected-error @+2 {{x has no elements along axis 1}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = nn.arg_min %x {axis = 1 : i64} : (tensor<2x0xf32>) -> tensor<1xf32>
  return
}

// -----

func.func @top_k_axis(%x: tensor<2x3x4xf32>) {
  // expected-error @+2 {{axis 3 is out of range for rank 3}}
  // expected-error @+1 {{failed to infer returned types}}
  %0:2 = nn.top_k %x {axis = 3 : i64, k = 1 : i64}
      : (tensor<2x3x4xf32>) -> (tensor<1xf32>, tensor<1xi64>)
  return
}

// -----

func.func @top_k_bool(%x: tensor<2xi1>) {
  // expected-error @+2 {{x has element type 'i1', expected number}}
  // expected-error @+1 {{failed to infer returned types}}
  %0:2 = nn.top_k %x {k = 1 : i64}
      : (tensor<2xi1>) -> (tensor<1xf32>, tensor<1xi64>)
  return
}

// -----

func.func @top_k_negative(%x: tensor<2x3x4xf32>) {
  // expected-error @+2 {{k is -1, but axis 2 has 4 elements}}
  // expected-error @+1 {{failed to infer returned types}}
  %0:2 = nn.top_k %x {k = -1 : i64}
      : (tensor<2x3x4xf32>) -> (tensor<1xf32>, tensor<1xi64>)
  return
}

// -----

func.func @top_k_many(%x: tensor<2x3x4xf32>) {
  // expected-error @+2 {{k is 5, but axis 2 has 4 elements}}
  // expected-error @+1 {{failed to infer returned types}}
  %0:2 = nn.top_k %x {k = 5 : i64}
      : (tensor<2x3x4xf32>) -> (tensor<1xf32>, tensor<1xi64>)
  return
}

// -----

func.func @cum_sum_axis(%x: tensor<2x3x4xf32>) {
  // expected-error @+2 {{axis 3 is out of range for rank 3}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = nn.cum_sum %x {axis = 3 : i64} : (tensor<2x3x4xf32>) -> tensor<1xf32>
  return
}

// -----

func.func @cum_sum_bool(%x: tensor<2xi1>) {
  // expected-error @+2 {{x has element type 'i1', expected number}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = nn.cum_sum %x {axis = 0 : i64} : (tensor<2xi1>) -> tensor<1xf32>
  return
}
