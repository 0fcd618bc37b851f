// RUN: parallax-opt %s -split-input-file -verify-diagnostics

func.func @wrong_shape(%x: tensor<2xf32>) {
  // expected-error @+2 {{inferred type(s) 'tensor<2xf32>' are incompatible}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = nn.relu %x : (tensor<2xf32>) -> tensor<3xf32>
  return
}

// -----

func.func @wrong_element_type(%x: tensor<2xf32>) {
  // expected-error @+2 {{inferred type(s) 'tensor<2xf32>' are incompatible}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = nn.relu %x : (tensor<2xf32>) -> tensor<2xi32>
  return
}

// -----

func.func @wrong_result_count(%x: tensor<2xf32>) {
  // expected-error @+2 {{are incompatible with return type(s)}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = nn.split %x {axis = 0 : i64, sizes = array<i64: 1, 1>}
      : (tensor<2xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @dynamic_operand(%x: tensor<?xf32>) {
  // expected-error @+2 {{needs static shapes, but operand #0 is 'tensor<?xf32>'}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = nn.relu %x : (tensor<?xf32>) -> tensor<?xf32>
  return
}

// -----

func.func @too_large_operand(%x: tensor<1099511627777xf32>) {
  // expected-error @+2 {{operand #0 of shape 1099511627777 is too large}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = nn.relu %x : (tensor<1099511627777xf32>) -> tensor<1xf32>
  return
}

// -----

func.func @too_large_beside_nothing(%x: tensor<0x9223372036854775807xf32>) {
  // expected-error @+2 {{is too large}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = nn.relu %x : (tensor<0x9223372036854775807xf32>) -> tensor<1xf32>
  return
}

// -----

func.func @too_large_result(%x: tensor<1xf32>) {
  // expected-error @+2 {{result shape 1048576x1048576x2 has a negative extent or is too large}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = nn.expand %x {shape = array<i64: 1048576, 1048576, 2>}
      : (tensor<1xf32>) -> tensor<1xf32>
  return
}

// -----

// What is behind the real extent would be read too.
func.func @data_dependent_operand(%x: tensor<?x4xf32>) {
  // expected-error @+2 {{needs static shapes, but operand #0 is}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = nn.non_zero %x : (tensor<?x4xf32>) -> tensor<2x?xi64>
  return
}
