// RUN: parallax-opt %s -split-input-file -verify-diagnostics

func.func @float_function(%x: tensor<2xi32>) {
  // expected-error @+2 {{x has element type 'i32', expected float}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = nn.exp %x : (tensor<2xi32>) -> tensor<1xf32>
  return
}

// -----

func.func @number_function(%x: tensor<2xi1>) {
  // expected-error @+2 {{x has element type 'i1', expected number}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = nn.neg %x : (tensor<2xi1>) -> tensor<1xf32>
  return
}

// -----

func.func @predicate(%x: tensor<2xi32>) {
  // expected-error @+2 {{x has element type 'i32', expected float}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = nn.is_nan %x : (tensor<2xi32>) -> tensor<2xi1>
  return
}

// -----

func.func @logical_unary(%x: tensor<2xf32>) {
  // expected-error @+2 {{x has element type 'f32', expected i1}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = nn.not %x : (tensor<2xf32>) -> tensor<1xf32>
  return
}

// -----

func.func @logical_binary(%x0: tensor<2xi32>, %x1: tensor<2xi32>) {
  // expected-error @+2 {{a has element type 'i32', expected i1}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = nn.and %x0, %x1 : (tensor<2xi32>, tensor<2xi32>) -> tensor<1xf32>
  return
}

// -----

func.func @cast_target(%x: tensor<2xf32>) {
  // expected-error @+2 {{cannot cast to 'tensor<2xf32>'}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = nn.cast %x {to = tensor<2xf32>} : (tensor<2xf32>) -> tensor<1xf32>
  return
}

// -----

func.func @cast_width(%x: tensor<2xf32>) {
  // expected-error @+2 {{cannot cast to 'i7'}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = nn.cast %x {to = i7} : (tensor<2xf32>) -> tensor<1xf32>
  return
}

// -----

func.func @cast_sign(%x: tensor<2xf32>) {
  // expected-error @+2 {{cannot cast to 'si8'}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = nn.cast %x {to = si8} : (tensor<2xf32>) -> tensor<1xf32>
  return
}

// -----

func.func @binary_bool(%x0: tensor<2xi1>, %x1: tensor<2xi1>) {
  // expected-error @+2 {{a has element type 'i1', expected number}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = nn.add %x0, %x1 : (tensor<2xi1>, tensor<2xi1>) -> tensor<1xf32>
  return
}

// -----

func.func @binary_mixed(%x0: tensor<2xf32>, %x1: tensor<2xi32>) {
  // expected-error @+2 {{b has element type 'i32', but a has 'f32'}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = nn.mul %x0, %x1 : (tensor<2xf32>, tensor<2xi32>) -> tensor<1xf32>
  return
}

// -----

func.func @binary_quantized_integer(%x0: tensor<2x!quant.uniform<i8:f32, 0.5>>,
                                    %x1: tensor<2xi8>) {
  // expected-error @+2 {{b has element type 'i8', but a has 'f32'}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = nn.add %x0, %x1
      : (tensor<2x!quant.uniform<i8:f32, 0.5>>, tensor<2xi8>) -> tensor<1xf32>
  return
}

// -----

func.func @binary_broadcast(%x0: tensor<2x3xf32>, %x1: tensor<2x1x2xf32>) {
  // expected-error @+2 {{shapes 2x3 and 2x1x2 do not broadcast}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = nn.add %x0, %x1 : (tensor<2x3xf32>, tensor<2x1x2xf32>) -> tensor<1xf32>
  return
}

// -----

func.func @comparison_mixed(%x0: tensor<2xf32>, %x1: tensor<2xi32>) {
  // expected-error @+2 {{b has element type 'i32', but a has 'f32'}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = nn.less %x0, %x1 : (tensor<2xf32>, tensor<2xi32>) -> tensor<1xf32>
  return
}

// -----

func.func @comparison_result(%x0: tensor<2xf32>, %x1: tensor<2xf32>) {
  // expected-error @+2 {{inferred type(s) 'tensor<2xi1>' are incompatible}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = nn.less %x0, %x1 : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @pow_bool(%x0: tensor<2xf32>, %x1: tensor<2xi1>) {
  // expected-error @+2 {{b has element type 'i1', expected number}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = nn.pow %x0, %x1 : (tensor<2xf32>, tensor<2xi1>) -> tensor<1xf32>
  return
}

// -----

func.func @prelu_slope(%x0: tensor<3xf32>, %x1: tensor<2x3xf32>) {
  // expected-error @+2 {{b of shape 2x3 does not broadcast to 3}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = nn.prelu %x0, %x1 : (tensor<3xf32>, tensor<2x3xf32>) -> tensor<1xf32>
  return
}

// -----

func.func @prelu_mixed(%x0: tensor<3xf32>, %x1: tensor<3xf64>) {
  // expected-error @+2 {{b has element type 'f64', but a has 'f32'}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = nn.prelu %x0, %x1 : (tensor<3xf32>, tensor<3xf64>) -> tensor<1xf32>
  return
}

// -----

func.func @shift_float(%x0: tensor<2xf32>, %x1: tensor<2xf32>) {
  // expected-error @+2 {{a has element type 'f32', expected integer}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = nn.bit_shift %x0, %x1 : (tensor<2xf32>, tensor<2xf32>) -> tensor<1xf32>
  return
}

// -----

func.func @shift_direction(%x0: tensor<2xui8>, %x1: tensor<2xui8>) {
  // expected-error @+1 {{one of: LEFT, RIGHT}}
  %0 = nn.bit_shift %x0, %x1 {direction = "UP"}
      : (tensor<2xui8>, tensor<2xui8>) -> tensor<2xui8>
  return
}

// -----

func.func @where_condition(%x0: tensor<2xf32>, %x1: tensor<2xf32>,
                           %x2: tensor<2xf32>) {
  // expected-error @+2 {{condition has element type 'f32', expected i1}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = nn.where %x0, %x1, %x2
      : (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) -> tensor<1xf32>
  return
}

// -----

func.func @where_mixed(%x0: tensor<2xi1>, %x1: tensor<2xf32>,
                       %x2: tensor<2xi32>) {
  // expected-error @+2 {{b has element type 'i32', but a has 'f32'}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = nn.where %x0, %x1, %x2
      : (tensor<2xi1>, tensor<2xf32>, tensor<2xi32>) -> tensor<1xf32>
  return
}

// -----

func.func @where_broadcast(%x0: tensor<3xi1>, %x1: tensor<2xf32>,
                           %x2: tensor<1xf32>) {
  // expected-error @+2 {{shapes 3 and 2 and 1 do not broadcast}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = nn.where %x0, %x1, %x2
      : (tensor<3xi1>, tensor<2xf32>, tensor<1xf32>) -> tensor<1xf32>
  return
}
