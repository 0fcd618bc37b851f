// RUN: parallax-opt %s -split-input-file -verify-diagnostics

func.func @constant_vector() {
  // expected-error @+1 {{value must be a tensor, but is 'vector<2xi64>'}}
  %0 = nn.constant dense<[1, 2]> : vector<2xi64>
  return
}

// -----

func.func @reshape_count(%x: tensor<2x3xf32>) {
  // expected-error @+2 {{cannot reshape 2x3 to 4x2}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = nn.reshape %x {shape = array<i64: 4, 2>}
      : (tensor<2x3xf32>) -> tensor<1xf32>
  return
}

// -----

func.func @reshape_negative(%x: tensor<2x3xf32>) {
  // expected-error @+2 {{shape has entry -1, expected at least 0}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = nn.reshape %x {shape = array<i64: -1, -6>}
      : (tensor<2x3xf32>) -> tensor<1xf32>
  return
}

// -----

func.func @reshape_overflow(%x: tensor<0xf32>) {
  // expected-error @+2 {{cannot reshape 0 to 4294967296x4294967296}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = nn.reshape %x {shape = array<i64: 4294967296, 4294967296>}
      : (tensor<0xf32>) -> tensor<1xf32>
  return
}

// -----

func.func @transpose_length(%x: tensor<2x3xf32>) {
  // expected-error @+2 {{perm has 1 entries, expected 2}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = nn.transpose %x {perm = array<i64: 0>}
      : (tensor<2x3xf32>) -> tensor<1xf32>
  return
}

// -----

func.func @transpose_range(%x: tensor<2x3xf32>) {
  // expected-error @+2 {{perm is not a permutation of the dimensions}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = nn.transpose %x {perm = array<i64: 0, 2>}
      : (tensor<2x3xf32>) -> tensor<1xf32>
  return
}

// -----

func.func @transpose_twice(%x: tensor<2x3xf32>) {
  // expected-error @+2 {{perm is not a permutation of the dimensions}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = nn.transpose %x {perm = array<i64: 1, 1>}
      : (tensor<2x3xf32>) -> tensor<1xf32>
  return
}

// -----

func.func @transpose_negative(%x: tensor<2x3xf32>) {
  // expected-error @+2 {{perm has entry -1, expected at least 0}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = nn.transpose %x {perm = array<i64: 0, -1>}
      : (tensor<2x3xf32>) -> tensor<1xf32>
  return
}

// -----

func.func @expand_broadcast(%x: tensor<2x3xf32>) {
  // expected-error @+2 {{shapes 2x3 and 2x4 do not broadcast}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = nn.expand %x {shape = array<i64: 2, 4>}
      : (tensor<2x3xf32>) -> tensor<1xf32>
  return
}

// -----

func.func @expand_negative(%x: tensor<2x3xf32>) {
  // expected-error @+2 {{shape has entry -2, expected at least 0}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = nn.expand %x {shape = array<i64: -2, 3>}
      : (tensor<2x3xf32>) -> tensor<1xf32>
  return
}

// -----

func.func @tile_length(%x: tensor<2x3xf32>) {
  // expected-error @+2 {{repeats has 1 entries, expected 2}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = nn.tile %x {repeats = array<i64: 2>} : (tensor<2x3xf32>) -> tensor<1xf32>
  return
}

// -----

func.func @tile_negative(%x: tensor<2x3xf32>) {
  // expected-error @+2 {{repeats has entry -1, expected at least 0}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = nn.tile %x {repeats = array<i64: 2, -1>}
      : (tensor<2x3xf32>) -> tensor<1xf32>
  return
}

// -----

func.func @tile_overflow(%x: tensor<2x3xf32>) {
  // expected-error @+2 {{has a negative extent or is too large}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = nn.tile %x {repeats = array<i64: 9223372036854775807, 0>}
      : (tensor<2x3xf32>) -> tensor<1xf32>
  return
}

// -----

func.func @depth_to_space_rank(%x: tensor<4x2x3xf32>) {
  // expected-error @+2 {{x has rank 3, expected 4}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = nn.depth_to_space %x {blocksize = 2 : i64}
      : (tensor<4x2x3xf32>) -> tensor<1xf32>
  return
}

// -----

func.func @depth_to_space_block(%x: tensor<1x4x2x3xf32>) {
  // expected-error @+2 {{blocksize has entry 0, expected at least 1}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = nn.depth_to_space %x {blocksize = 0 : i64}
      : (tensor<1x4x2x3xf32>) -> tensor<1xf32>
  return
}

// -----

func.func @depth_to_space_channels(%x: tensor<1x6x2x3xf32>) {
  // expected-error @+2 {{cannot divide 6 channels into blocks of 2x2}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = nn.depth_to_space %x {blocksize = 2 : i64}
      : (tensor<1x6x2x3xf32>) -> tensor<1xf32>
  return
}

// -----

func.func @depth_to_space_overflow(%x: tensor<1x4x2x3xf32>) {
  // expected-error @+2 {{cannot divide 4 channels into blocks of 4294967296x4294967296}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = nn.depth_to_space %x {blocksize = 4294967296 : i64}
      : (tensor<1x4x2x3xf32>) -> tensor<1xf32>
  return
}

// -----

func.func @channel_shuffle_rank(%x: tensor<4xf32>) {
  // expected-error @+2 {{x has rank 1, expected at least 2}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = nn.channel_shuffle %x {groups = 2 : i64}
      : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @channel_shuffle_no_groups(%x: tensor<1x4xf32>) {
  // expected-error @+2 {{cannot divide 4 channels into 0 groups}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = nn.channel_shuffle %x {groups = 0 : i64}
      : (tensor<1x4xf32>) -> tensor<1x4xf32>
  return
}

// -----

func.func @channel_shuffle_groups(%x: tensor<1x4xf32>) {
  // expected-error @+2 {{cannot divide 4 channels into 3 groups}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = nn.channel_shuffle %x {groups = 3 : i64}
      : (tensor<1x4xf32>) -> tensor<1x4xf32>
  return
}

// -----

func.func @space_to_depth_rank(%x: tensor<4x2x3xf32>) {
  // expected-error @+2 {{x has rank 3, expected 4}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = nn.space_to_depth %x {blocksize = 2 : i64}
      : (tensor<4x2x3xf32>) -> tensor<1xf32>
  return
}

// -----

func.func @space_to_depth_block(%x: tensor<1x4x2x4xf32>) {
  // expected-error @+2 {{blocksize has entry -2, expected at least 1}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = nn.space_to_depth %x {blocksize = -2 : i64}
      : (tensor<1x4x2x4xf32>) -> tensor<1xf32>
  return
}

// -----

func.func @space_to_depth_pixels(%x: tensor<1x4x2x3xf32>) {
  // expected-error @+2 {{cannot divide 2x3 pixels into blocks of 2x2}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = nn.space_to_depth %x {blocksize = 2 : i64}
      : (tensor<1x4x2x3xf32>) -> tensor<1xf32>
  return
}

// -----

func.func @trilu_rank(%x: tensor<4xf32>) {
  // expected-error @+2 {{x has rank 1, expected at least 2}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = nn.trilu %x : (tensor<4xf32>) -> tensor<1xf32>
  return
}

// -----

func.func @slice_starts(%x: tensor<8xf32>) {
  // expected-error @+2 {{starts has 0 entries, expected 1}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = nn.slice %x
      {sizes = array<i64: 1>, starts = array<i64>, steps = array<i64: 1>}
      : (tensor<8xf32>) -> tensor<1xf32>
  return
}

// -----

func.func @slice_sizes(%x: tensor<8xf32>) {
  // expected-error @+2 {{sizes has entry -1, expected at least 0}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = nn.slice %x
      {sizes = array<i64: -1>, starts = array<i64: 0>, steps = array<i64: 1>}
      : (tensor<8xf32>) -> tensor<1xf32>
  return
}

// -----

func.func @slice_steps(%x: tensor<8xf32>) {
  // expected-error @+2 {{steps has 2 entries, expected 1}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = nn.slice %x
      {sizes = array<i64: 1>, starts = array<i64: 0>, steps = array<i64: 1, 1>}
      : (tensor<8xf32>) -> tensor<1xf32>
  return
}

// -----

func.func @slice_step(%x: tensor<8xf32>) {
  // expected-error @+2 {{step of dimension 0 is 0}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = nn.slice %x
      {sizes = array<i64: 1>, starts = array<i64: 0>, steps = array<i64: 0>}
      : (tensor<8xf32>) -> tensor<1xf32>
  return
}

// -----

func.func @slice_begin(%x: tensor<8xf32>) {
  // expected-error @+2 {{slice leaves dimension 0 of extent 8}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = nn.slice %x
      {sizes = array<i64: 1>, starts = array<i64: -1>, steps = array<i64: 1>}
      : (tensor<8xf32>) -> tensor<1xf32>
  return
}

// -----

func.func @slice_end(%x: tensor<8xf32>) {
  // expected-error @+2 {{slice leaves dimension 0 of extent 8}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = nn.slice %x
      {sizes = array<i64: 3>, starts = array<i64: 2>, steps = array<i64: 3>}
      : (tensor<8xf32>) -> tensor<1xf32>
  return
}

// -----

func.func @slice_backwards(%x: tensor<8xf32>) {
  // expected-error @+2 {{slice leaves dimension 0 of extent 8}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = nn.slice %x
      {sizes = array<i64: 4>, starts = array<i64: 2>, steps = array<i64: -1>}
      : (tensor<8xf32>) -> tensor<1xf32>
  return
}

// -----

func.func @slice_overflow(%x: tensor<8xf32>) {
  // expected-error @+2 {{slice leaves dimension 0 of extent 8}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = nn.slice %x
      {sizes = array<i64: 3>, starts = array<i64: 7>,
       steps = array<i64: -9223372036854775808>}
      : (tensor<8xf32>) -> tensor<1xf32>
  return
}

// -----

func.func @pad_length(%x: tensor<8xf32>) {
  // expected-error @+2 {{pads has 1 entries, expected 2}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = nn.pad %x {pads = array<i64: 1>} : (tensor<8xf32>) -> tensor<1xf32>
  return
}

// -----

func.func @pad_crop(%x: tensor<8xf32>) {
  // expected-error @+2 {{pads crop more than an extent of 8}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = nn.pad %x {pads = array<i64: -9, 4>} : (tensor<8xf32>) -> tensor<1xf32>
  return
}

// -----

func.func @pad_crop_overflow(%x: tensor<8xf32>) {
  // expected-error @+2 {{pads crop more than an extent of 8}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = nn.pad %x {pads = array<i64: -9223372036854775808, -9223372036854775808>}
      : (tensor<8xf32>) -> tensor<1xf32>
  return
}

// -----

func.func @pad_too_large(%x: tensor<8xf32>) {
  // expected-error @+2 {{has a negative extent or is too large}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = nn.pad %x {pads = array<i64: 9223372036854775807, 9223372036854775807>}
      : (tensor<8xf32>) -> tensor<1xf32>
  return
}

// -----

func.func @pad_reflect(%x: tensor<8xf32>) {
  // expected-error @+2 {{cannot reflect 6 of 6 elements}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = nn.pad %x {mode = "reflect", pads = array<i64: -2, 6>}
      : (tensor<8xf32>) -> tensor<1xf32>
  return
}

// -----

func.func @pad_edge_empty(%x: tensor<0xf32>) {
  // expected-error @+2 {{cannot pad an empty dimension with mode edge}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = nn.pad %x {mode = "edge", pads = array<i64: 1, 0>}
      : (tensor<0xf32>) -> tensor<1xf32>
  return
}

// -----

func.func @pad_mode(%x: tensor<8xf32>) {
  // expected-error @+1 {{one of: constant, reflect, edge, wrap}}
  %0 = nn.pad %x {mode = "mirror", pads = array<i64: 0, 0>}
      : (tensor<8xf32>) -> tensor<8xf32>
  return
}

// -----

func.func @concat_nothing() {
  // expected-error @+2 {{needs at least one operand}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = nn.concat {axis = 0 : i64} : () -> tensor<1xf32>
  return
}

// -----

func.func @concat_axis(%x: tensor<2xf32>) {
  // expected-error @+2 {{axis 1 is out of range for rank 1}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = nn.concat %x {axis = 1 : i64} : (tensor<2xf32>) -> tensor<1xf32>
  return
}

// -----

func.func @concat_scalar(%x0: tensor<f32>, %x1: tensor<f32>) {
  // expected-error @+2 {{axis 0 is out of range for rank 0}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = nn.concat %x0, %x1 {axis = 0 : i64}
      : (tensor<f32>, tensor<f32>) -> tensor<1xf32>
  return
}

// -----

func.func @concat_rank(%x0: tensor<2x3xf32>, %x1: tensor<3xf32>) {
  // expected-error @+2 {{an operand has shape 3, expected 2x3}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = nn.concat %x0, %x1 {axis = 0 : i64}
      : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<1xf32>
  return
}

// -----

func.func @concat_extents(%x0: tensor<2x3xf32>, %x1: tensor<2x4xf32>) {
  // expected-error @+2 {{an operand has shape 2x4, expected 2x3}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = nn.concat %x0, %x1 {axis = 0 : i64}
      : (tensor<2x3xf32>, tensor<2x4xf32>) -> tensor<1xf32>
  return
}

// -----

func.func @concat_mixed(%x0: tensor<2xf32>, %x1: tensor<2xi32>) {
  // expected-error @+2 {{an operand has element type 'i32', but the first operand has 'f32'}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = nn.concat %x0, %x1 {axis = 0 : i64}
      : (tensor<2xf32>, tensor<2xi32>) -> tensor<1xf32>
  return
}

// -----

func.func @split_axis(%x: tensor<4xf32>) {
  // expected-error @+2 {{axis 1 is out of range for rank 1}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = nn.split %x {axis = 1 : i64, sizes = array<i64: 4>}
      : (tensor<4xf32>) -> tensor<1xf32>
  return
}

// -----

func.func @split_negative(%x: tensor<4xf32>) {
  // expected-error @+2 {{sizes has entry -1, expected at least 0}}
  // expected-error @+1 {{failed to infer returned types}}
  %0:2 = nn.split %x {axis = 0 : i64, sizes = array<i64: 5, -1>}
      : (tensor<4xf32>) -> (tensor<5xf32>, tensor<1xf32>)
  return
}

// -----

func.func @split_sum(%x: tensor<4xf32>) {
  // expected-error @+2 {{sizes do not add up to the extent of 4}}
  // expected-error @+1 {{failed to infer returned types}}
  %0:2 = nn.split %x {axis = 0 : i64, sizes = array<i64: 1, 2>}
      : (tensor<4xf32>) -> (tensor<1xf32>, tensor<2xf32>)
  return
}

// -----

func.func @split_overflow(%x: tensor<4xf32>) {
  // expected-error @+2 {{sizes do not add up to the extent of 4}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = nn.split %x
      {axis = 0 : i64,
       sizes = array<i64: 9223372036854775807, 9223372036854775807, 6>}
      : (tensor<4xf32>) -> tensor<1xf32>
  return
}

// -----

func.func @color_type(%x: tensor<1x3x2x1xi8>) {
  // expected-error @+2 {{x has element type 'i8', expected ui8}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = nn.color_convert %x {matrix = array<i64: 65536, 0, 0, 0>}
      : (tensor<1x3x2x1xi8>) -> tensor<1x2x2x1xui8>
  return
}

// -----

func.func @color_rank(%x: tensor<3x2x1xui8>) {
  // expected-error @+2 {{x has rank 3, expected 4}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = nn.color_convert %x {matrix = array<i64: 65536, 0, 0, 0>}
      : (tensor<3x2x1xui8>) -> tensor<1x2x2x1xui8>
  return
}

// -----

func.func @color_matrix(%x: tensor<1x3x2x1xui8>) {
  // expected-error @+2 {{matrix has 3 entries, expected 4 or 12}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = nn.color_convert %x {matrix = array<i64: 65536, 0, 0>}
      : (tensor<1x3x2x1xui8>) -> tensor<1x2x2x1xui8>
  return
}

// -----

func.func @color_coefficient(%x: tensor<1x3x2x1xui8>) {
  // expected-error @+2 {{matrix holds 68719476737, which is beyond 2^36}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = nn.color_convert %x {matrix = array<i64: 68719476737, 0, 0, 0>}
      : (tensor<1x3x2x1xui8>) -> tensor<1x2x2x1xui8>
  return
}

// -----

func.func @color_channels(%x: tensor<1x3x2x1xui8>) {
  // expected-error @+2 {{x has 1 channels, expected 2 for YUYV422}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = nn.color_convert %x {format = "YUYV422", matrix = array<i64: 65536, 0, 0, 0>}
      : (tensor<1x3x2x1xui8>) -> tensor<1x2x2x1xui8>
  return
}

// -----

func.func @color_planes(%x: tensor<1x3x2x2xui8>) {
  // expected-error @+2 {{x has 2 channels, expected 1 for YVU420SP}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = nn.color_convert %x {format = "YVU420SP", matrix = array<i64: 65536, 0, 0, 0>}
      : (tensor<1x3x2x2xui8>) -> tensor<1x2x2x1xui8>
  return
}

// -----

func.func @color_width(%x: tensor<1x3x3x1xui8>) {
  // expected-error @+2 {{pictures are 3 pixels wide, but YUV420SP needs an even width}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = nn.color_convert %x {matrix = array<i64: 65536, 0, 0, 0>}
      : (tensor<1x3x3x1xui8>) -> tensor<1x2x2x1xui8>
  return
}

// -----

func.func @color_packed_width(%x: tensor<1x3x3x2xui8>) {
  // expected-error @+2 {{pictures are 3 pixels wide, but UYVY422 needs an even width}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = nn.color_convert %x {format = "UYVY422", matrix = array<i64: 65536, 0, 0, 0>}
      : (tensor<1x3x3x2xui8>) -> tensor<1x2x2x1xui8>
  return
}

// -----

func.func @color_rows(%x: tensor<1x4x2x1xui8>) {
  // expected-error @+2 {{x has 4 rows, expected H rows of luma and H/2 of chroma with an even H}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = nn.color_convert %x {matrix = array<i64: 65536, 0, 0, 0>}
      : (tensor<1x4x2x1xui8>) -> tensor<1x2x2x1xui8>
  return
}

// -----

func.func @color_format(%x: tensor<1x3x2x1xui8>) {
  // expected-error @+1 {{attribute 'format' failed to satisfy constraint}}
  %0 = nn.color_convert %x {format = "RGB", matrix = array<i64: 1, 0, 0, 0>}
      : (tensor<1x3x2x1xui8>) -> tensor<1x2x2x1xui8>
  return
}
