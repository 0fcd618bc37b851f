// RUN: parallax-opt %s -split-input-file -verify-diagnostics

func.func @requantize_shape(%x: tensor<4xf32>) {
  // expected-error @+2 {{inferred type(s) 'tensor<4xf32>' are incompatible with return type(s)}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = nn.requantize %x : (tensor<4xf32>)
      -> tensor<5x!quant.uniform<u8:f32, 0.5>>
  return
}

// -----

func.func @requantize_integers(%x: tensor<4xi32>) {
  // expected-error @+2 {{x has element type 'i32', expected float}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = nn.requantize %x : (tensor<4xi32>)
      -> tensor<4x!quant.uniform<u8:f32, 0.5>>
  return
}

// -----

func.func @constant_without_codes() {
  // expected-error @+1 {{needs a result of a !quant.uniform type, not 'f32'}}
  %0 = nn.quantized_constant dense<[1, 2]> : tensor<2xi8> : tensor<2xf32>
  return
}

// -----

func.func @constant_width() {
  // expected-error @+1 {{has codes of 'i16' for a storage type of 8 bits}}
  %0 = nn.quantized_constant dense<[1, 2]> : tensor<2xi16>
      : tensor<2x!quant.uniform<i8:f32, 0.5>>
  return
}

// -----

func.func @constant_sign() {
  // expected-error @+1 {{has codes whose sign differs from that of the storage type}}
  %0 = nn.quantized_constant dense<[1, 2]> : tensor<2xui8>
      : tensor<2x!quant.uniform<i8:f32, 0.5>>
  return
}

// -----

func.func @constant_float_codes() {
  // expected-error @+1 {{has codes of 'f32' for a storage type of 8 bits}}
  %0 = nn.quantized_constant dense<[1.0, 2.0]> : tensor<2xf32>
      : tensor<2x!quant.uniform<i8:f32, 0.5>>
  return
}

// -----

func.func @constant_scales() {
  // expected-error @+1 {{has 3 scales for dimension 0 of}}
  %0 = nn.quantized_constant dense<[1, 2]> : tensor<2xi8>
      : tensor<2x!quant.uniform<i8:f32:0, {0.5, 0.25, 0.125}>>
  return
}

// -----

func.func @constant_axis() {
  // expected-error @+1 {{has 2 scales for dimension 1 of}}
  %0 = nn.quantized_constant dense<[1, 2]> : tensor<2xi8>
      : tensor<2x!quant.uniform<i8:f32:1, {0.5, 0.25}>>
  return
}

// -----

func.func @constant_shape() {
  // expected-error @+2 {{inferred type(s) 'tensor<2xf32>' are incompatible with return type(s)}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = nn.quantized_constant dense<[1, 2]> : tensor<2xi8>
      : tensor<3x!quant.uniform<i8:f32, 0.5>>
  return
}
