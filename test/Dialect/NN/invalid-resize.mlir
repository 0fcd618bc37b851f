// RUN: parallax-opt %s -split-input-file -verify-diagnostics

func.func @resize_bool(%x: tensor<2x3xi1>) {
  // expected-error @+2 {{x has element type 'i1', expected number}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = nn.resize %x {scales = array<f32: 1.0, 1.0>, sizes = array<i64: 4, 6>}
      : (tensor<2x3xi1>) -> tensor<1xf32>
  return
}

// -----

func.func @resize_empty(%x: tensor<2x0xf32>) {
  // expected-error @+2 {{x of shape 2x0 is empty}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = nn.resize %x {scales = array<f32: 1.0, 1.0>, sizes = array<i64: 4, 6>}
      : (tensor<2x0xf32>) -> tensor<1xf32>
  return
}

// -----

func.func @resize_length(%x: tensor<2x3xf32>) {
  // expected-error @+2 {{sizes has 1 entries, expected 2}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = nn.resize %x {scales = array<f32: 1.0, 1.0>, sizes = array<i64: 4>}
      : (tensor<2x3xf32>) -> tensor<1xf32>
  return
}

// -----

func.func @resize_sizes(%x: tensor<2x3xf32>) {
  // expected-error @+2 {{sizes has entry 0, expected at least 1}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = nn.resize %x {scales = array<f32: 1.0, 1.0>, sizes = array<i64: 4, 0>}
      : (tensor<2x3xf32>) -> tensor<1xf32>
  return
}

// -----

func.func @resize_scales_length(%x: tensor<2x3xf32>) {
  // expected-error @+2 {{scales has 1 entries, expected 2}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = nn.resize %x {scales = array<f32: 2.0>, sizes = array<i64: 4, 6>}
      : (tensor<2x3xf32>) -> tensor<1xf32>
  return
}

// -----

func.func @resize_scales(%x: tensor<2x3xf32>) {
  // expected-error @+2 {{scales must be positive}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = nn.resize %x {scales = array<f32: 2.0, -2.0>, sizes = array<i64: 4, 6>}
      : (tensor<2x3xf32>) -> tensor<1xf32>
  return
}

// -----

func.func @resize_infinite(%x: tensor<2x3xf32>) {
  // expected-error @+2 {{scales must be positive}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = nn.resize %x
      {scales = array<f32: 2.0, 0x7F800000>, sizes = array<i64: 4, 6>}
      : (tensor<2x3xf32>) -> tensor<1xf32>
  return
}

// -----

func.func @resize_roi(%x: tensor<2x3xf32>) {
  // expected-error @+2 {{roi has 0 entries, expected 4}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = nn.resize %x
      {coordinate_mode = "tf_crop_and_resize", scales = array<f32: 1.0, 1.0>,
       sizes = array<i64: 4, 6>}
      : (tensor<2x3xf32>) -> tensor<1xf32>
  return
}

// -----

func.func @resize_roi_length(%x: tensor<2x3xf32>) {
  // expected-error @+2 {{roi has 2 entries, expected 4}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = nn.resize %x
      {roi = array<f32: 0.0, 1.0>, scales = array<f32: 1.0, 1.0>,
       sizes = array<i64: 4, 6>}
      : (tensor<2x3xf32>) -> tensor<1xf32>
  return
}

// -----

func.func @grid_integer(%x0: tensor<1x2x4x4xf32>, %x1: tensor<1x3x3x2xi32>) {
  // expected-error @+2 {{grid has element type 'i32', expected float}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = nn.grid_sample %x0, %x1
      : (tensor<1x2x4x4xf32>, tensor<1x3x3x2xi32>) -> tensor<1xf32>
  return
}

// -----

func.func @grid_bool(%x0: tensor<1x2x4x4xi1>, %x1: tensor<1x3x3x2xf32>) {
  // expected-error @+2 {{x has element type 'i1', expected number}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = nn.grid_sample %x0, %x1
      : (tensor<1x2x4x4xi1>, tensor<1x3x3x2xf32>) -> tensor<1xf32>
  return
}

// -----

func.func @grid_x_rank(%x0: tensor<4x4xf32>, %x1: tensor<3x2xf32>) {
  // expected-error @+2 {{x has rank 2, expected at least 3}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = nn.grid_sample %x0, %x1
      : (tensor<4x4xf32>, tensor<3x2xf32>) -> tensor<1xf32>
  return
}

// -----

func.func @grid_rank(%x0: tensor<1x2x4x4xf32>, %x1: tensor<1x3x2xf32>) {
  // expected-error @+2 {{grid has rank 3, expected 4}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = nn.grid_sample %x0, %x1
      : (tensor<1x2x4x4xf32>, tensor<1x3x2xf32>) -> tensor<1xf32>
  return
}

// -----

func.func @grid_batch(%x0: tensor<1x2x4x4xf32>, %x1: tensor<2x3x3x2xf32>) {
  // expected-error @+2 {{grid has shape 2x3x3x2, expected 1x3x3x2}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = nn.grid_sample %x0, %x1
      : (tensor<1x2x4x4xf32>, tensor<2x3x3x2xf32>) -> tensor<1xf32>
  return
}

// -----

func.func @grid_coordinates(%x0: tensor<1x2x4x4xf32>,
                            %x1: tensor<1x3x3x3xf32>) {
  // expected-error @+2 {{grid has shape 1x3x3x3, expected 1x3x3x2}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = nn.grid_sample %x0, %x1
      : (tensor<1x2x4x4xf32>, tensor<1x3x3x3xf32>) -> tensor<1xf32>
  return
}

// -----

func.func @grid_empty(%x0: tensor<1x2x0x4xf32>, %x1: tensor<1x3x3x2xf32>) {
  // expected-error @+2 {{x of shape 1x2x0x4 is empty}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = nn.grid_sample %x0, %x1
      : (tensor<1x2x0x4xf32>, tensor<1x3x3x2xf32>) -> tensor<1xf32>
  return
}

// -----

func.func @roi_rank(%x0: tensor<2x4x4xf32>, %x1: tensor<7x4xf32>,
                    %x2: tensor<7xi64>) {
  // expected-error @+2 {{x has rank 3, expected 4}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = nn.roi_align %x0, %x1, %x2
      : (tensor<2x4x4xf32>, tensor<7x4xf32>, tensor<7xi64>) -> tensor<1xf32>
  return
}

// -----

func.func @roi_integer(%x0: tensor<1x2x4x4xi32>, %x1: tensor<7x4xi32>,
                       %x2: tensor<7xi64>) {
  // expected-error @+2 {{x has element type 'i32', expected float}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = nn.roi_align %x0, %x1, %x2
      : (tensor<1x2x4x4xi32>, tensor<7x4xi32>, tensor<7xi64>) -> tensor<1xf32>
  return
}

// -----

func.func @roi_mixed(%x0: tensor<1x2x4x4xf32>, %x1: tensor<7x4xf64>,
                     %x2: tensor<7xi64>) {
  // expected-error @+2 {{rois has element type 'f64', but x has 'f32'}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = nn.roi_align %x0, %x1, %x2
      : (tensor<1x2x4x4xf32>, tensor<7x4xf64>, tensor<7xi64>) -> tensor<1xf32>
  return
}

// -----

func.func @roi_regions_rank(%x0: tensor<1x2x4x4xf32>, %x1: tensor<4xf32>,
                            %x2: tensor<7xi64>) {
  // expected-error @+2 {{rois has rank 1, expected 2}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = nn.roi_align %x0, %x1, %x2
      : (tensor<1x2x4x4xf32>, tensor<4xf32>, tensor<7xi64>) -> tensor<1xf32>
  return
}

// -----

func.func @roi_regions(%x0: tensor<1x2x4x4xf32>, %x1: tensor<7x5xf32>,
                       %x2: tensor<7xi64>) {
  // expected-error @+2 {{rois has shape 7x5, expected 7x4}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = nn.roi_align %x0, %x1, %x2
      : (tensor<1x2x4x4xf32>, tensor<7x5xf32>, tensor<7xi64>) -> tensor<1xf32>
  return
}

// -----

func.func @roi_batch(%x0: tensor<1x2x4x4xf32>, %x1: tensor<7x4xf32>,
                     %x2: tensor<6xi64>) {
  // expected-error @+2 {{batch_indices has shape 6, expected 7}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = nn.roi_align %x0, %x1, %x2
      : (tensor<1x2x4x4xf32>, tensor<7x4xf32>, tensor<6xi64>) -> tensor<1xf32>
  return
}

// -----

func.func @roi_batch_float(%x0: tensor<1x2x4x4xf32>, %x1: tensor<7x4xf32>,
                           %x2: tensor<7xf32>) {
  // expected-error @+2 {{batch_indices has element type 'f32', expected i32 or i64}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = nn.roi_align %x0, %x1, %x2
      : (tensor<1x2x4x4xf32>, tensor<7x4xf32>, tensor<7xf32>) -> tensor<1xf32>
  return
}

// -----

func.func @roi_size(%x0: tensor<1x2x4x4xf32>, %x1: tensor<7x4xf32>,
                    %x2: tensor<7xi64>) {
  // expected-error @+2 {{size of the result has entry 0, expected at least 1}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = nn.roi_align %x0, %x1, %x2 {output_width = 0 : i64}
      : (tensor<1x2x4x4xf32>, tensor<7x4xf32>, tensor<7xi64>) -> tensor<1xf32>
  return
}

// -----

func.func @roi_sampling(%x0: tensor<1x2x4x4xf32>, %x1: tensor<7x4xf32>,
                        %x2: tensor<7xi64>) {
  // expected-error @+1 {{minimum value is 0}}
  %0 = nn.roi_align %x0, %x1, %x2 {sampling_ratio = -1 : i64}
      : (tensor<1x2x4x4xf32>, tensor<7x4xf32>, tensor<7xi64>)
      -> tensor<7x2x1x1xf32>
  return
}

// -----

func.func @quantize_bool(%x0: tensor<4x6xi1>, %x1: tensor<f32>,
                         %x2: tensor<i8>) {
  // expected-error @+2 {{x has element type 'i1', expected number}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = nn.quantize_linear %x0, %x1, %x2
      : (tensor<4x6xi1>, tensor<f32>, tensor<i8>) -> tensor<1xf32>
  return
}

// -----

func.func @quantize_zero_point(%x0: tensor<4x6xf32>, %x1: tensor<f32>,
                               %x2: tensor<f32>) {
  // expected-error @+2 {{zero_point has element type 'f32', expected integer}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = nn.quantize_linear %x0, %x1, %x2
      : (tensor<4x6xf32>, tensor<f32>, tensor<f32>) -> tensor<1xf32>
  return
}

// -----

func.func @quantize_scale_type(%x0: tensor<4x6xf32>, %x1: tensor<i32>,
                               %x2: tensor<i8>) {
  // expected-error @+2 {{scale has element type 'i32', expected float}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = nn.quantize_linear %x0, %x1, %x2
      : (tensor<4x6xf32>, tensor<i32>, tensor<i8>) -> tensor<1xf32>
  return
}

// -----

func.func @quantize_shapes(%x0: tensor<4x6xf32>, %x1: tensor<6xf32>,
                           %x2: tensor<i8>) {
  // expected-error @+2 {{zero_point has shape scalar, expected 6}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = nn.quantize_linear %x0, %x1, %x2
      : (tensor<4x6xf32>, tensor<6xf32>, tensor<i8>) -> tensor<1xf32>
  return
}

// -----

func.func @quantize_scale(%x0: tensor<4x6xf32>, %x1: tensor<4xf32>,
                          %x2: tensor<4xi8>) {
  // expected-error @+2 {{scale has shape 4, expected 6}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = nn.quantize_linear %x0, %x1, %x2
      : (tensor<4x6xf32>, tensor<4xf32>, tensor<4xi8>) -> tensor<1xf32>
  return
}

// -----

func.func @quantize_axis(%x0: tensor<4x6xf32>, %x1: tensor<6xf32>,
                         %x2: tensor<6xi8>) {
  // expected-error @+2 {{axis 2 is out of range for rank 2}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = nn.quantize_linear %x0, %x1, %x2 {axis = 2 : i64}
      : (tensor<4x6xf32>, tensor<6xf32>, tensor<6xi8>) -> tensor<1xf32>
  return
}

// -----

func.func @quantize_blocks(%x0: tensor<4x6xf32>, %x1: tensor<4x3xf32>,
                           %x2: tensor<4x3xi8>) {
  // expected-error @+2 {{scale has shape 4x3, expected 4x2}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = nn.quantize_linear %x0, %x1, %x2 {block_size = 4 : i64}
      : (tensor<4x6xf32>, tensor<4x3xf32>, tensor<4x3xi8>) -> tensor<1xf32>
  return
}

// -----

func.func @quantize_block_size(%x0: tensor<4x6xf32>, %x1: tensor<f32>,
                               %x2: tensor<i8>) {
  // expected-error @+2 {{block_size is -1, expected at least 0}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = nn.quantize_linear %x0, %x1, %x2 {block_size = -1 : i64}
      : (tensor<4x6xf32>, tensor<f32>, tensor<i8>) -> tensor<1xf32>
  return
}

// -----

func.func @quantize_result(%x0: tensor<2xf32>, %x1: tensor<f32>,
                           %x2: tensor<ui8>) {
  // expected-error @+2 {{inferred type(s) 'tensor<2xui8>' are incompatible}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = nn.quantize_linear %x0, %x1, %x2
      : (tensor<2xf32>, tensor<f32>, tensor<ui8>) -> tensor<2xi8>
  return
}

// -----

func.func @dequantize_float(%x0: tensor<2xf32>, %x1: tensor<f32>) {
  // expected-error @+2 {{x has element type 'f32', expected integer}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = nn.dequantize_linear %x0, %x1
      : (tensor<2xf32>, tensor<f32>) -> tensor<1xf32>
  return
}

// -----

func.func @dequantize_zero_point(%x0: tensor<2xi8>, %x1: tensor<f32>,
                                 %x2: tensor<ui8>) {
  // expected-error @+2 {{zero_point has element type 'ui8', but x has 'i8'}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = nn.dequantize_linear %x0, %x1, %x2
      : (tensor<2xi8>, tensor<f32>, tensor<ui8>) -> tensor<1xf32>
  return
}
