// RUN: parallax-opt %s -split-input-file -verify-diagnostics

func.func @batch_integer(%x0: tensor<2x6xi32>, %x1: tensor<6xi32>,
                         %x2: tensor<6xi32>, %x3: tensor<6xi32>,
                         %x4: tensor<6xi32>) {
  // expected-error @+2 {{x has element type 'i32', expected float}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = nn.batch_normalization %x0, %x1, %x2, %x3, %x4
      : (tensor<2x6xi32>, tensor<6xi32>, tensor<6xi32>, tensor<6xi32>,
         tensor<6xi32>)
      -> tensor<1xf32>
  return
}

// -----

func.func @batch_scalar(%x0: tensor<f32>, %x1: tensor<1xf32>,
                        %x2: tensor<1xf32>, %x3: tensor<1xf32>,
                        %x4: tensor<1xf32>) {
  // expected-error @+2 {{x has rank 0, expected at least 1}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = nn.batch_normalization %x0, %x1, %x2, %x3, %x4
      : (tensor<f32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>,
         tensor<1xf32>)
      -> tensor<1xf32>
  return
}

// -----

func.func @batch_mean(%x0: tensor<2x6x4xf32>, %x1: tensor<6xf32>,
                      %x2: tensor<6xf32>, %x3: tensor<5xf32>,
                      %x4: tensor<6xf32>) {
  // expected-error @+2 {{mean has shape 5, expected 6}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = nn.batch_normalization %x0, %x1, %x2, %x3, %x4
      : (tensor<2x6x4xf32>, tensor<6xf32>, tensor<6xf32>, tensor<5xf32>,
         tensor<6xf32>)
      -> tensor<1xf32>
  return
}

// -----

func.func @batch_mixed(%x0: tensor<2x6x4xf32>, %x1: tensor<6xf32>,
                       %x2: tensor<6xf32>, %x3: tensor<6xf32>,
                       %x4: tensor<6xf64>) {
  // expected-error @+2 {{var has element type 'f64', but x has 'f32'}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = nn.batch_normalization %x0, %x1, %x2, %x3, %x4
      : (tensor<2x6x4xf32>, tensor<6xf32>, tensor<6xf32>, tensor<6xf32>,
         tensor<6xf64>)
      -> tensor<1xf32>
  return
}

// -----

func.func @instance_bias(%x0: tensor<2x6x4xf32>, %x1: tensor<6xf32>,
                         %x2: tensor<2x3xf32>) {
  // expected-error @+2 {{bias has shape 2x3, expected 6}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = nn.instance_normalization %x0, %x1, %x2
      : (tensor<2x6x4xf32>, tensor<6xf32>, tensor<2x3xf32>) -> tensor<1xf32>
  return
}

// -----

func.func @group_count(%x0: tensor<2x6x4xf32>, %x1: tensor<6xf32>,
                       %x2: tensor<6xf32>) {
  // expected-error @+2 {{cannot divide 6 channels into 4 groups}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = nn.group_normalization %x0, %x1, %x2 {num_groups = 4 : i64}
      : (tensor<2x6x4xf32>, tensor<6xf32>, tensor<6xf32>) -> tensor<1xf32>
  return
}

// -----

func.func @group_zero(%x0: tensor<2x6x4xf32>, %x1: tensor<6xf32>,
                      %x2: tensor<6xf32>) {
  // expected-error @+2 {{cannot divide 6 channels into 0 groups}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = nn.group_normalization %x0, %x1, %x2 {num_groups = 0 : i64}
      : (tensor<2x6x4xf32>, tensor<6xf32>, tensor<6xf32>) -> tensor<1xf32>
  return
}

// -----

func.func @group_scale(%x0: tensor<2x6x4xf32>, %x1: tensor<3xf32>,
                       %x2: tensor<6xf32>) {
  // expected-error @+2 {{scale has shape 3, expected 6}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = nn.group_normalization %x0, %x1, %x2 {num_groups = 3 : i64}
      : (tensor<2x6x4xf32>, tensor<3xf32>, tensor<6xf32>) -> tensor<1xf32>
  return
}

// -----

func.func @layer_axis(%x0: tensor<2x6x4xf32>, %x1: tensor<4xf32>) {
  // expected-error @+2 {{axis 3 is out of range for rank 3}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = nn.layer_normalization %x0, %x1 {axis = 3 : i64}
      : (tensor<2x6x4xf32>, tensor<4xf32>) -> tensor<1xf32>
  return
}

// -----

func.func @layer_scale(%x0: tensor<2x6x4xf32>, %x1: tensor<6xf32>) {
  // expected-error @+2 {{scale of shape 6 does not broadcast to 2x6x4}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = nn.layer_normalization %x0, %x1
      : (tensor<2x6x4xf32>, tensor<6xf32>) -> tensor<1xf32>
  return
}

// -----

func.func @layer_bias(%x0: tensor<2x6x4xf32>, %x1: tensor<4xf32>,
                      %x2: tensor<1x1x1x4xf32>) {
  // expected-error @+2 {{bias of shape 1x1x1x4 does not broadcast to 2x6x4}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = nn.layer_normalization %x0, %x1, %x2
      : (tensor<2x6x4xf32>, tensor<4xf32>, tensor<1x1x1x4xf32>) -> tensor<1xf32>
  return
}

// -----

func.func @layer_mixed(%x0: tensor<2x6x4xf32>, %x1: tensor<4xf32>,
                       %x2: tensor<4xf64>) {
  // expected-error @+2 {{bias has element type 'f64', but x has 'f32'}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = nn.layer_normalization %x0, %x1, %x2
      : (tensor<2x6x4xf32>, tensor<4xf32>, tensor<4xf64>) -> tensor<1xf32>
  return
}

// -----

func.func @layer_integer(%x0: tensor<4xi32>, %x1: tensor<4xi32>) {
  // expected-error @+2 {{x has element type 'i32', expected float}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = nn.layer_normalization %x0, %x1
      : (tensor<4xi32>, tensor<4xi32>) -> tensor<1xf32>
  return
}

// -----

func.func @layer_statistics(%x0: tensor<2x6x4xf32>, %x1: tensor<4xf32>) {
  // expected-error @+2 {{are incompatible with return type(s)}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = nn.layer_normalization %x0, %x1 {with_statistics = true}
      : (tensor<2x6x4xf32>, tensor<4xf32>) -> tensor<2x6x4xf32>
  return
}

// -----

func.func @rms_scale(%x0: tensor<2x6x4xf32>, %x1: tensor<6xf32>) {
  // expected-error @+2 {{scale of shape 6 does not broadcast to 2x6x4}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = nn.rms_normalization %x0, %x1
      : (tensor<2x6x4xf32>, tensor<6xf32>) -> tensor<1xf32>
  return
}

// -----

func.func @rms_axis(%x0: tensor<2x6x4xf32>, %x1: tensor<4xf32>) {
  // expected-error @+2 {{axis -4 is out of range for rank 3}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = nn.rms_normalization %x0, %x1 {axis = -4 : i64}
      : (tensor<2x6x4xf32>, tensor<4xf32>) -> tensor<1xf32>
  return
}

// -----

func.func @rms_mixed(%x0: tensor<2x6x4xf32>, %x1: tensor<4xf64>) {
  // expected-error @+2 {{scale has element type 'f64', but x has 'f32'}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = nn.rms_normalization %x0, %x1
      : (tensor<2x6x4xf32>, tensor<4xf64>) -> tensor<1xf32>
  return
}

// -----

func.func @lp_power(%x: tensor<2x6x4xf32>) {
  // expected-error @+1 {{maximum value is 2}}
  %0 = nn.lp_normalization %x {p = 3 : i64}
      : (tensor<2x6x4xf32>) -> tensor<2x6x4xf32>
  return
}

// -----

func.func @lp_axis(%x: tensor<2x6x4xf32>) {
  // expected-error @+2 {{axis 3 is out of range for rank 3}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = nn.lp_normalization %x {axis = 3 : i64}
      : (tensor<2x6x4xf32>) -> tensor<1xf32>
  return
}

// -----

func.func @lrn_rank(%x: tensor<6xf32>) {
  // expected-error @+2 {{x has rank 1, expected at least 2}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = nn.lrn %x {size = 3 : i64} : (tensor<6xf32>) -> tensor<1xf32>
  return
}

// -----

func.func @lrn_size(%x: tensor<2x6x4xf32>) {
  // expected-error @+2 {{size is 0, expected 1 to 1048576}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = nn.lrn %x {size = 0 : i64} : (tensor<2x6x4xf32>) -> tensor<1xf32>
  return
}

// -----

func.func @lrn_integer(%x: tensor<2x6xi32>) {
  // expected-error @+2 {{x has element type 'i32', expected float}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = nn.lrn %x {size = 3 : i64} : (tensor<2x6xi32>) -> tensor<1xf32>
  return
}

// -----

func.func @moments_axes(%x: tensor<2x6x4xf32>) {
  // expected-error @+2 {{axis 3 is out of range for rank 3}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = nn.mean_variance_normalization %x {axes = array<i64: 0, 3>}
      : (tensor<2x6x4xf32>) -> tensor<1xf32>
  return
}

// -----

func.func @moments_integer(%x: tensor<2x6xi32>) {
  // expected-error @+2 {{x has element type 'i32', expected float}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = nn.mean_variance_normalization %x {axes = array<i64: 0>}
      : (tensor<2x6xi32>) -> tensor<1xf32>
  return
}

// -----

func.func @softmax_axis(%x: tensor<2x6x4xf32>) {
  // expected-error @+2 {{axis 3 is out of range for rank 3}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = nn.softmax %x {axis = 3 : i64} : (tensor<2x6x4xf32>) -> tensor<1xf32>
  return
}

// -----

func.func @softmax_scalar(%x: tensor<f32>) {
  // expected-error @+2 {{axis -1 is out of range for rank 0}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = nn.softmax %x : (tensor<f32>) -> tensor<1xf32>
  return
}

// -----

func.func @hardmax_integer(%x: tensor<2xi32>) {
  // expected-error @+2 {{x has element type 'i32', expected float}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = nn.hardmax %x : (tensor<2xi32>) -> tensor<1xf32>
  return
}

// -----

func.func @normalize_type(%x: tensor<2x3xf64>) {
  // expected-error @+2 {{x has element type 'f64', expected f32}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = nn.normalize %x {mean = array<f32: 1.0, 2.0, 3.0>,
                        std = array<f32: 4.0, 5.0, 6.0>}
      : (tensor<2x3xf64>) -> tensor<2x3xf64>
  return
}

// -----

func.func @normalize_axis(%x: tensor<2x3xf32>) {
  // expected-error @+2 {{axis 2 is out of range}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = nn.normalize %x {axis = 2 : i64, mean = array<f32: 1.0, 2.0, 3.0>,
                        std = array<f32: 4.0, 5.0, 6.0>}
      : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @normalize_length(%x: tensor<2x3xf32>) {
  // expected-error @+2 {{std has 2 entries, expected 3}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = nn.normalize %x {mean = array<f32: 1.0, 2.0, 3.0>,
                        std = array<f32: 4.0, 5.0>}
      : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @normalize_zero(%x: tensor<2x3xf32>) {
  // expected-error @+2 {{std holds 0.000000e+00, expected positive and finite numbers}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = nn.normalize %x {mean = array<f32: 1.0, 2.0, 3.0>,
                        std = array<f32: 4.0, 0.0, 1.0>}
      : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @normalize_mean(%x: tensor<2x1xf32>) {
  // expected-error @+2 {{mean must be finite}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = nn.normalize %x {mean = array<f32: 0x7F800000>, std = array<f32: 4.0>}
      : (tensor<2x1xf32>) -> tensor<2x1xf32>
  return
}
