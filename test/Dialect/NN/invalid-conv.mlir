// RUN: parallax-opt %s -split-input-file -verify-diagnostics

func.func @conv_integer(%x0: tensor<1x4x8x8xi8>, %x1: tensor<6x4x3x3xf32>) {
  // expected-error @+2 {{x has element type 'i8', expected float}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = nn.conv %x0, %x1
      {dilations = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>,
       strides = array<i64: 1, 1>}
      : (tensor<1x4x8x8xi8>, tensor<6x4x3x3xf32>) -> tensor<1xf32>
  return
}

// -----

func.func @conv_no_channels(%x0: tensor<1x0x8x8xf32>, %x1: tensor<6x0x3x3xf32>) {
  // expected-error @+2 {{x has no channels}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = nn.conv %x0, %x1
      {dilations = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>,
       strides = array<i64: 1, 1>}
      : (tensor<1x0x8x8xf32>, tensor<6x0x3x3xf32>) -> tensor<1xf32>
  return
}

// -----

func.func @conv_rank(%x0: tensor<4x8xf32>, %x1: tensor<6x4x3x3xf32>) {
  // expected-error @+2 {{x has rank 2, expected at least 3}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = nn.conv %x0, %x1
      {dilations = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>,
       strides = array<i64: 1, 1>}
      : (tensor<4x8xf32>, tensor<6x4x3x3xf32>) -> tensor<1xf32>
  return
}

// -----

func.func @conv_rank_high(%x0: tensor<1x4x1x1x1x1xf32>,
                          %x1: tensor<1x4x1x1x1x1xf32>) {
  // expected-error @+2 {{x has rank 6, expected at most 5}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = nn.conv %x0, %x1
      {dilations = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>,
       strides = array<i64: 1, 1>}
      : (tensor<1x4x1x1x1x1xf32>, tensor<1x4x1x1x1x1xf32>) -> tensor<1xf32>
  return
}

// -----

func.func @conv_weight_type(%x0: tensor<1x4x8x8xf32>,
                            %x1: tensor<6x4x3x3xf64>) {
  // expected-error @+2 {{weight has element type 'f64', but x has 'f32'}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = nn.conv %x0, %x1
      {dilations = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>,
       strides = array<i64: 1, 1>}
      : (tensor<1x4x8x8xf32>, tensor<6x4x3x3xf64>) -> tensor<1xf32>
  return
}

// -----

func.func @conv_weight_rank(%x0: tensor<1x4x8x8xf32>, %x1: tensor<6x4x3xf32>) {
  // expected-error @+2 {{weight has rank 3, expected 4}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = nn.conv %x0, %x1
      {dilations = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>,
       strides = array<i64: 1, 1>}
      : (tensor<1x4x8x8xf32>, tensor<6x4x3xf32>) -> tensor<1xf32>
  return
}

// -----

func.func @conv_kernel(%x0: tensor<1x4x8x8xf32>, %x1: tensor<6x4x0x3xf32>) {
  // expected-error @+2 {{kernel has entry 0, expected at least 1}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = nn.conv %x0, %x1
      {dilations = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>,
       strides = array<i64: 1, 1>}
      : (tensor<1x4x8x8xf32>, tensor<6x4x0x3xf32>) -> tensor<1xf32>
  return
}

// -----

func.func @conv_strides_length(%x0: tensor<1x4x8x8xf32>,
                               %x1: tensor<6x4x3x3xf32>) {
  // expected-error @+2 {{strides has 1 entries, expected 2}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = nn.conv %x0, %x1
      {dilations = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>,
       strides = array<i64: 1>}
      : (tensor<1x4x8x8xf32>, tensor<6x4x3x3xf32>) -> tensor<1xf32>
  return
}

// -----

func.func @conv_strides(%x0: tensor<1x4x8x8xf32>, %x1: tensor<6x4x3x3xf32>) {
  // expected-error @+2 {{strides has entry 0, expected at least 1}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = nn.conv %x0, %x1
      {dilations = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>,
       strides = array<i64: 1, 0>}
      : (tensor<1x4x8x8xf32>, tensor<6x4x3x3xf32>) -> tensor<1xf32>
  return
}

// -----

func.func @conv_dilations(%x0: tensor<1x4x8x8xf32>, %x1: tensor<6x4x3x3xf32>) {
  // expected-error @+2 {{dilations has entry -1, expected at least 1}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = nn.conv %x0, %x1
      {dilations = array<i64: -1, 1>, pads = array<i64: 0, 0, 0, 0>,
       strides = array<i64: 1, 1>}
      : (tensor<1x4x8x8xf32>, tensor<6x4x3x3xf32>) -> tensor<1xf32>
  return
}

// -----

func.func @conv_pads_length(%x0: tensor<1x4x8x8xf32>,
                            %x1: tensor<6x4x3x3xf32>) {
  // expected-error @+2 {{pads has 2 entries, expected 4}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = nn.conv %x0, %x1
      {dilations = array<i64: 1, 1>, pads = array<i64: 1, 1>,
       strides = array<i64: 1, 1>}
      : (tensor<1x4x8x8xf32>, tensor<6x4x3x3xf32>) -> tensor<1xf32>
  return
}

// -----

func.func @conv_pads(%x0: tensor<1x4x8x8xf32>, %x1: tensor<6x4x3x3xf32>) {
  // expected-error @+2 {{pads has entry -1, expected at least 0}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = nn.conv %x0, %x1
      {dilations = array<i64: 1, 1>, pads = array<i64: 0, 0, -1, 0>,
       strides = array<i64: 1, 1>}
      : (tensor<1x4x8x8xf32>, tensor<6x4x3x3xf32>) -> tensor<1xf32>
  return
}

// -----

func.func @conv_group_zero(%x0: tensor<1x4x8x8xf32>, %x1: tensor<6x4x3x3xf32>) {
  // expected-error @+2 {{cannot divide 4 channels into 0 groups}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = nn.conv %x0, %x1
      {dilations = array<i64: 1, 1>, group = 0 : i64,
       pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1>}
      : (tensor<1x4x8x8xf32>, tensor<6x4x3x3xf32>) -> tensor<1xf32>
  return
}

// -----

func.func @conv_group(%x0: tensor<1x4x8x8xf32>, %x1: tensor<6x4x3x3xf32>) {
  // expected-error @+2 {{cannot divide 4 channels into 3 groups}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = nn.conv %x0, %x1
      {dilations = array<i64: 1, 1>, group = 3 : i64,
       pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1>}
      : (tensor<1x4x8x8xf32>, tensor<6x4x3x3xf32>) -> tensor<1xf32>
  return
}

// -----

func.func @conv_channels(%x0: tensor<1x4x8x8xf32>, %x1: tensor<6x4x3x3xf32>) {
  // expected-error @+2 {{weight expects 4 channels per group, but x has 4 in 2 groups}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = nn.conv %x0, %x1
      {dilations = array<i64: 1, 1>, group = 2 : i64,
       pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1>}
      : (tensor<1x4x8x8xf32>, tensor<6x4x3x3xf32>) -> tensor<1xf32>
  return
}

// -----

func.func @conv_result_group(%x0: tensor<1x4x8x8xf32>,
                             %x1: tensor<5x2x3x3xf32>) {
  // expected-error @+2 {{cannot divide 5 channels of the result into 2 groups}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = nn.conv %x0, %x1
      {dilations = array<i64: 1, 1>, group = 2 : i64,
       pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1>}
      : (tensor<1x4x8x8xf32>, tensor<5x2x3x3xf32>) -> tensor<1xf32>
  return
}

// -----

func.func @conv_bias(%x0: tensor<1x4x8x8xf32>, %x1: tensor<6x4x3x3xf32>,
                     %x2: tensor<5xf32>) {
  // expected-error @+2 {{bias has shape 5, expected 6}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = nn.conv %x0, %x1, %x2
      {dilations = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>,
       strides = array<i64: 1, 1>}
      : (tensor<1x4x8x8xf32>, tensor<6x4x3x3xf32>, tensor<5xf32>)
      -> tensor<1xf32>
  return
}

// -----

func.func @conv_window(%x0: tensor<1x4x8x8xf32>, %x1: tensor<6x4x9x3xf32>) {
  // expected-error @+2 {{window of spatial dimension 0 is larger than the padded extent}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = nn.conv %x0, %x1
      {dilations = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>,
       strides = array<i64: 1, 1>}
      : (tensor<1x4x8x8xf32>, tensor<6x4x9x3xf32>) -> tensor<1xf32>
  return
}

// -----

func.func @conv_empty(%x0: tensor<1x4x0x8xf32>, %x1: tensor<6x4x3x3xf32>) {
  // expected-error @+2 {{window of spatial dimension 0 is larger than the padded extent}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = nn.conv %x0, %x1
      {dilations = array<i64: 1, 1>, pads = array<i64: 9, 0, 9, 0>,
       strides = array<i64: 1, 1>}
      : (tensor<1x4x0x8xf32>, tensor<6x4x3x3xf32>) -> tensor<1xf32>
  return
}

// -----

func.func @conv_window_overflow(%x0: tensor<1x4x8x8xf32>,
                                %x1: tensor<6x4x3x3xf32>) {
  // expected-error @+2 {{window of spatial dimension 0 is too large}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = nn.conv %x0, %x1
      {dilations = array<i64: 9223372036854775807, 1>,
       pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1>}
      : (tensor<1x4x8x8xf32>, tensor<6x4x3x3xf32>) -> tensor<1xf32>
  return
}

// -----

func.func @conv_pads_overflow(%x0: tensor<1x4x8x8xf32>,
                              %x1: tensor<6x4x3x3xf32>) {
  // expected-error @+2 {{window of spatial dimension 0 is too large}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = nn.conv %x0, %x1
      {dilations = array<i64: 1, 1>,
       pads = array<i64: 9223372036854775807, 0, 9223372036854775807, 0>,
       strides = array<i64: 1, 1>}
      : (tensor<1x4x8x8xf32>, tensor<6x4x3x3xf32>) -> tensor<1xf32>
  return
}

// -----

func.func @conv_too_large(%x0: tensor<1x4x8x8xf32>, %x1: tensor<6x4x3x3xf32>) {
  // expected-error @+2 {{has a negative extent or is too large}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = nn.conv %x0, %x1
      {dilations = array<i64: 1, 1>,
       pads = array<i64: 2305843009213693952, 0, 0, 0>,
       strides = array<i64: 1, 1>}
      : (tensor<1x4x8x8xf32>, tensor<6x4x3x3xf32>) -> tensor<1xf32>
  return
}

// -----

func.func @transposed_channels(%x0: tensor<1x4x8xf32>, %x1: tensor<5x2x3xf32>) {
  // expected-error @+2 {{weight expects 5 channels, but x has 4}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = nn.conv_transpose %x0, %x1
      {dilations = array<i64: 1>, output_padding = array<i64: 0>,
       pads = array<i64: 0, 0>, strides = array<i64: 1>}
      : (tensor<1x4x8xf32>, tensor<5x2x3xf32>) -> tensor<1xf32>
  return
}

// -----

func.func @transposed_output_padding_length(%x0: tensor<1x4x8xf32>,
                                            %x1: tensor<4x2x3xf32>) {
  // expected-error @+2 {{output_padding has 2 entries, expected 1}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = nn.conv_transpose %x0, %x1
      {dilations = array<i64: 1>, output_padding = array<i64: 0, 0>,
       pads = array<i64: 0, 0>, strides = array<i64: 1>}
      : (tensor<1x4x8xf32>, tensor<4x2x3xf32>) -> tensor<1xf32>
  return
}

// -----

func.func @transposed_output_padding(%x0: tensor<1x4x8xf32>,
                                     %x1: tensor<4x2x3xf32>) {
  // expected-error @+2 {{output_padding of spatial dimension 0 must be less than the stride or the dilation}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = nn.conv_transpose %x0, %x1
      {dilations = array<i64: 1>, output_padding = array<i64: 2>,
       pads = array<i64: 0, 0>, strides = array<i64: 2>}
      : (tensor<1x4x8xf32>, tensor<4x2x3xf32>) -> tensor<1xf32>
  return
}

// -----

func.func @transposed_group(%x0: tensor<1x4x8xf32>, %x1: tensor<4x2x3xf32>) {
  // expected-error @+2 {{cannot divide 4 channels into -1 groups}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = nn.conv_transpose %x0, %x1
      {dilations = array<i64: 1>, group = -1 : i64,
       output_padding = array<i64: 0>, pads = array<i64: 0, 0>,
       strides = array<i64: 1>}
      : (tensor<1x4x8xf32>, tensor<4x2x3xf32>) -> tensor<1xf32>
  return
}

// -----

func.func @transposed_bias(%x0: tensor<1x4x8xf32>, %x1: tensor<4x2x3xf32>,
                           %x2: tensor<2xf32>) {
  // expected-error @+2 {{bias has shape 2, expected 4}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = nn.conv_transpose %x0, %x1, %x2
      {dilations = array<i64: 1>, group = 2 : i64,
       output_padding = array<i64: 0>, pads = array<i64: 0, 0>,
       strides = array<i64: 1>}
      : (tensor<1x4x8xf32>, tensor<4x2x3xf32>, tensor<2xf32>) -> tensor<1xf32>
  return
}

// -----

func.func @transposed_nothing_left(%x0: tensor<1x4x2xf32>,
                                   %x1: tensor<4x2x3xf32>) {
  // expected-error @+2 {{nothing is left of spatial dimension 0}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = nn.conv_transpose %x0, %x1
      {dilations = array<i64: 1>, output_padding = array<i64: 0>,
       pads = array<i64: 2, 2>, strides = array<i64: 1>}
      : (tensor<1x4x2xf32>, tensor<4x2x3xf32>) -> tensor<1xf32>
  return
}

// -----

func.func @transposed_overflow(%x0: tensor<1x4x8xf32>, %x1: tensor<4x2x3xf32>) {
  // expected-error @+2 {{has a negative extent or is too large}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = nn.conv_transpose %x0, %x1
      {dilations = array<i64: 1>, output_padding = array<i64: 0>,
       pads = array<i64: 0, 0>, strides = array<i64: 9223372036854775807>}
      : (tensor<1x4x8xf32>, tensor<4x2x3xf32>) -> tensor<1xf32>
  return
}
