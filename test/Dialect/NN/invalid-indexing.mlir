// RUN: parallax-opt %s -split-input-file -verify-diagnostics

func.func @gather_float(%x0: tensor<4x5xf32>, %x1: tensor<2xf32>) {
  // expected-error @+2 {{indices has element type 'f32', expected i32 or i64}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = nn.gather %x0, %x1 : (tensor<4x5xf32>, tensor<2xf32>) -> tensor<1xf32>
  return
}

// -----

func.func @gather_unsigned(%x0: tensor<4x5xf32>, %x1: tensor<2xui32>) {
  // expected-error @+2 {{indices has element type 'ui32', expected i32 or i64}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = nn.gather %x0, %x1 : (tensor<4x5xf32>, tensor<2xui32>) -> tensor<1xf32>
  return
}

// -----

func.func @gather_axis(%x0: tensor<4x5xf32>, %x1: tensor<2xi64>) {
  // expected-error @+2 {{axis 2 is out of range for rank 2}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = nn.gather %x0, %x1 {axis = 2 : i64}
      : (tensor<4x5xf32>, tensor<2xi64>) -> tensor<1xf32>
  return
}

// -----

func.func @gather_elements_float(%x0: tensor<4x5xf32>, %x1: tensor<4x5xf32>) {
  // expected-error @+2 {{indices has element type 'f32', expected i32 or i64}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = nn.gather_elements %x0, %x1
      : (tensor<4x5xf32>, tensor<4x5xf32>) -> tensor<1xf32>
  return
}

// -----

func.func @gather_elements_rank(%x0: tensor<4x5xf32>, %x1: tensor<5xi64>) {
  // expected-error @+2 {{indices has rank 1, expected 2}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = nn.gather_elements %x0, %x1
      : (tensor<4x5xf32>, tensor<5xi64>) -> tensor<1xf32>
  return
}

// -----

func.func @gather_elements_axis(%x0: tensor<4x5xf32>, %x1: tensor<4x5xi64>) {
  // expected-error @+2 {{axis 2 is out of range for rank 2}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = nn.gather_elements %x0, %x1 {axis = 2 : i64}
      : (tensor<4x5xf32>, tensor<4x5xi64>) -> tensor<1xf32>
  return
}

// -----

func.func @gather_elements_extent(%x0: tensor<4x5xf32>, %x1: tensor<4x6xi64>) {
  // expected-error @+2 {{indices has 6 entries in dimension 1, but data has 5}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = nn.gather_elements %x0, %x1
      : (tensor<4x5xf32>, tensor<4x6xi64>) -> tensor<1xf32>
  return
}

// -----

func.func @gather_nd_float(%x0: tensor<4x5xf32>, %x1: tensor<3x2xf32>) {
  // expected-error @+2 {{indices has element type 'f32', expected i32 or i64}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = nn.gather_nd %x0, %x1
      : (tensor<4x5xf32>, tensor<3x2xf32>) -> tensor<1xf32>
  return
}

// -----

func.func @gather_nd_scalar(%x0: tensor<4x5xf32>, %x1: tensor<i64>) {
  // expected-error @+2 {{batch_dims is 0 for operands of rank 2 and 0}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = nn.gather_nd %x0, %x1 : (tensor<4x5xf32>, tensor<i64>) -> tensor<1xf32>
  return
}

// -----

func.func @gather_nd_batch_dims(%x0: tensor<4x5xf32>, %x1: tensor<4x1xi64>) {
  // expected-error @+2 {{batch_dims is 2 for operands of rank 2 and 2}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = nn.gather_nd %x0, %x1 {batch_dims = 2 : i64}
      : (tensor<4x5xf32>, tensor<4x1xi64>) -> tensor<1xf32>
  return
}

// -----

func.func @gather_nd_batch(%x0: tensor<4x5xf32>, %x1: tensor<3x1xi64>) {
  // expected-error @+2 {{batch dimensions of data and indices differ}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = nn.gather_nd %x0, %x1 {batch_dims = 1 : i64}
      : (tensor<4x5xf32>, tensor<3x1xi64>) -> tensor<1xf32>
  return
}

// -----

func.func @gather_nd_tuple(%x0: tensor<4x5xf32>, %x1: tensor<3x3xi64>) {
  // expected-error @+2 {{indices has tuples of 3 for 2 dimensions of data}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = nn.gather_nd %x0, %x1
      : (tensor<4x5xf32>, tensor<3x3xi64>) -> tensor<1xf32>
  return
}

// -----

func.func @gather_nd_no_tuple(%x0: tensor<4x5xf32>, %x1: tensor<3x0xi64>) {
  // expected-error @+2 {{indices has tuples of 0 for 2 dimensions of data}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = nn.gather_nd %x0, %x1
      : (tensor<4x5xf32>, tensor<3x0xi64>) -> tensor<1xf32>
  return
}

// -----

func.func @scatter_elements_updates(%x0: tensor<4x5xf32>, %x1: tensor<2x5xi64>,
                                    %x2: tensor<3x5xf32>) {
  // expected-error @+2 {{updates has shape 3x5, expected 2x5}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = nn.scatter_elements %x0, %x1, %x2
      : (tensor<4x5xf32>, tensor<2x5xi64>, tensor<3x5xf32>) -> tensor<1xf32>
  return
}

// -----

func.func @scatter_elements_type(%x0: tensor<4x5xf32>, %x1: tensor<2x5xi64>,
                                 %x2: tensor<2x5xi32>) {
  // expected-error @+2 {{updates has element type 'i32', but data has 'f32'}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = nn.scatter_elements %x0, %x1, %x2
      : (tensor<4x5xf32>, tensor<2x5xi64>, tensor<2x5xi32>) -> tensor<1xf32>
  return
}

// -----

func.func @scatter_elements_extent(%x0: tensor<4x5xf32>, %x1: tensor<5x2xi64>,
                                   %x2: tensor<5x2xf32>) {
  // expected-error @+2 {{indices has 5 entries in dimension 0, but data has 4}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = nn.scatter_elements %x0, %x1, %x2 {axis = 1 : i64}
      : (tensor<4x5xf32>, tensor<5x2xi64>, tensor<5x2xf32>) -> tensor<1xf32>
  return
}

// -----

func.func @scatter_nd_scalar(%x0: tensor<f32>, %x1: tensor<1xi64>,
                             %x2: tensor<f32>) {
  // expected-error @+2 {{data has rank 0, expected at least 1}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = nn.scatter_nd %x0, %x1, %x2
      : (tensor<f32>, tensor<1xi64>, tensor<f32>) -> tensor<1xf32>
  return
}

// -----

func.func @scatter_nd_indices(%x0: tensor<4x5xf32>, %x1: tensor<i64>,
                              %x2: tensor<f32>) {
  // expected-error @+2 {{indices has rank 0, expected at least 1}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = nn.scatter_nd %x0, %x1, %x2
      : (tensor<4x5xf32>, tensor<i64>, tensor<f32>) -> tensor<1xf32>
  return
}

// -----

func.func @scatter_nd_updates(%x0: tensor<4x5xf32>, %x1: tensor<3x1xi64>,
                              %x2: tensor<3x4xf32>) {
  // expected-error @+2 {{updates has shape 3x4, expected 3x5}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = nn.scatter_nd %x0, %x1, %x2
      : (tensor<4x5xf32>, tensor<3x1xi64>, tensor<3x4xf32>) -> tensor<1xf32>
  return
}

// -----

func.func @scatter_nd_type(%x0: tensor<4x5xf32>, %x1: tensor<3x1xi64>,
                           %x2: tensor<3x5xf64>) {
  // expected-error @+2 {{updates has element type 'f64', but data has 'f32'}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = nn.scatter_nd %x0, %x1, %x2
      : (tensor<4x5xf32>, tensor<3x1xi64>, tensor<3x5xf64>) -> tensor<1xf32>
  return
}

// -----

func.func @scatter_nd_reduction(%x0: tensor<4x5xf32>, %x1: tensor<3x1xi64>,
                                %x2: tensor<3x5xf32>) {
  // expected-error @+1 {{one of: none, add, mul, min, max}}
  %0 = nn.scatter_nd %x0, %x1, %x2 {reduction = "avg"}
      : (tensor<4x5xf32>, tensor<3x1xi64>, tensor<3x5xf32>) -> tensor<4x5xf32>
  return
}

// -----

func.func @one_hot_bool(%x0: tensor<3xi1>, %x1: tensor<2xf32>) {
  // expected-error @+2 {{indices has element type 'i1', expected number}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = nn.one_hot %x0, %x1 {depth = 4 : i64}
      : (tensor<3xi1>, tensor<2xf32>) -> tensor<1xf32>
  return
}

// -----

func.func @one_hot_values(%x0: tensor<3xi64>, %x1: tensor<3xf32>) {
  // expected-error @+2 {{values has shape 3, expected 2}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = nn.one_hot %x0, %x1 {depth = 4 : i64}
      : (tensor<3xi64>, tensor<3xf32>) -> tensor<1xf32>
  return
}

// -----

func.func @one_hot_depth(%x0: tensor<3xi64>, %x1: tensor<2xf32>) {
  // expected-error @+2 {{depth has entry 0, expected at least 1}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = nn.one_hot %x0, %x1 {depth = 0 : i64}
      : (tensor<3xi64>, tensor<2xf32>) -> tensor<1xf32>
  return
}

// -----

func.func @one_hot_axis(%x0: tensor<3xi64>, %x1: tensor<2xf32>) {
  // expected-error @+2 {{axis 2 is out of range for rank 2}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = nn.one_hot %x0, %x1 {axis = 2 : i64, depth = 4 : i64}
      : (tensor<3xi64>, tensor<2xf32>) -> tensor<1xf32>
  return
}

// -----

func.func @non_zero_static(%x: tensor<2x3xf32>) {
  // expected-error @+2 {{inferred type(s) 'tensor<2x?xi64>' are incompatible}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = nn.non_zero %x : (tensor<2x3xf32>) -> tensor<2x6xi64>
  return
}

// -----

func.func @reverse_rank(%x0: tensor<4xf32>, %x1: tensor<4xi64>) {
  // expected-error @+2 {{x has rank 1, expected at least 2}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = nn.reverse_sequence %x0, %x1
      : (tensor<4xf32>, tensor<4xi64>) -> tensor<1xf32>
  return
}

// -----

func.func @reverse_float(%x0: tensor<4x2xf32>, %x1: tensor<2xf32>) {
  // expected-error @+2 {{sequence_lens has element type 'f32', expected i32 or i64}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = nn.reverse_sequence %x0, %x1
      : (tensor<4x2xf32>, tensor<2xf32>) -> tensor<1xf32>
  return
}

// -----

func.func @reverse_axes(%x0: tensor<4x2xf32>, %x1: tensor<2xi64>) {
  // expected-error @+2 {{batch_axis and time_axis must be 0 and 1, but are 0 and 0}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = nn.reverse_sequence %x0, %x1 {batch_axis = 0 : i64}
      : (tensor<4x2xf32>, tensor<2xi64>) -> tensor<1xf32>
  return
}

// -----

func.func @reverse_lengths(%x0: tensor<4x2xf32>, %x1: tensor<4xi64>) {
  // expected-error @+2 {{sequence_lens has shape 4, expected 2}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = nn.reverse_sequence %x0, %x1
      : (tensor<4x2xf32>, tensor<4xi64>) -> tensor<1xf32>
  return
}

// -----

func.func @nms_integer(%x0: tensor<1x9x4xi32>, %x1: tensor<1x2x9xf32>) {
  // expected-error @+2 {{boxes has element type 'i32', expected float}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = nn.non_max_suppression %x0, %x1
      : (tensor<1x9x4xi32>, tensor<1x2x9xf32>) -> tensor<?x3xi64>
  return
}

// -----

func.func @nms_mixed(%x0: tensor<1x9x4xf32>, %x1: tensor<1x2x9xf64>) {
  // expected-error @+2 {{scores has element type 'f64', but boxes has 'f32'}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = nn.non_max_suppression %x0, %x1
      : (tensor<1x9x4xf32>, tensor<1x2x9xf64>) -> tensor<?x3xi64>
  return
}

// -----

func.func @nms_boxes(%x0: tensor<1x9x5xf32>, %x1: tensor<1x2x9xf32>) {
  // expected-error @+2 {{boxes has shape 1x9x5, expected 1x9x4}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = nn.non_max_suppression %x0, %x1
      : (tensor<1x9x5xf32>, tensor<1x2x9xf32>) -> tensor<?x3xi64>
  return
}

// -----

func.func @nms_boxes_rank(%x0: tensor<9x4xf32>, %x1: tensor<1x2x9xf32>) {
  // expected-error @+2 {{boxes has rank 2, expected 3}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = nn.non_max_suppression %x0, %x1
      : (tensor<9x4xf32>, tensor<1x2x9xf32>) -> tensor<?x3xi64>
  return
}

// -----

func.func @nms_scores_rank(%x0: tensor<1x9x4xf32>, %x1: tensor<2x9xf32>) {
  // expected-error @+2 {{scores has rank 2, expected 3}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = nn.non_max_suppression %x0, %x1
      : (tensor<1x9x4xf32>, tensor<2x9xf32>) -> tensor<?x3xi64>
  return
}

// -----

func.func @nms_scores(%x0: tensor<1x9x4xf32>, %x1: tensor<1x2x8xf32>) {
  // expected-error @+2 {{scores has shape 1x2x8, expected 1x2x9}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = nn.non_max_suppression %x0, %x1
      : (tensor<1x9x4xf32>, tensor<1x2x8xf32>) -> tensor<?x3xi64>
  return
}

// -----

func.func @nms_threshold(%x0: tensor<1x9x4xf32>, %x1: tensor<1x2x9xf32>) {
  // expected-error @+2 {{iou_threshold must be between 0 and 1}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = nn.non_max_suppression %x0, %x1 {iou_threshold = 1.5 : f32}
      : (tensor<1x9x4xf32>, tensor<1x2x9xf32>) -> tensor<?x3xi64>
  return
}

// -----

func.func @nms_not_a_number(%x0: tensor<1x9x4xf32>, %x1: tensor<1x2x9xf32>) {
  // expected-error @+2 {{iou_threshold must be between 0 and 1}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = nn.non_max_suppression %x0, %x1 {iou_threshold = 0x7FC00000 : f32}
      : (tensor<1x9x4xf32>, tensor<1x2x9xf32>) -> tensor<?x3xi64>
  return
}
