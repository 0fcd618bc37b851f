// RUN: parallax-opt %s | parallax-opt | FileCheck %s

// CHECK-LABEL: func.func @moves
func.func @moves(%x: tensor<1x8x4x6xf32>, %x2: tensor<1x8x4x1xf32>,
                 %o: tensor<1xf32>, %s: tensor<f32>) {
  // CHECK: nn.constant dense<[1, 2]> : tensor<2xi64>
  %0 = nn.constant dense<[1, 2]> : tensor<2xi64>
  // CHECK: nn.reshape {{.*}}shape = array<i64: 8, 24>{{.*}}-> tensor<8x24xf32>
  %1 = nn.reshape %x {shape = array<i64: 8, 24>}
      : (tensor<1x8x4x6xf32>) -> tensor<8x24xf32>
  // CHECK: nn.reshape {{.*}} -> tensor<1x1xf32>
  %2 = nn.reshape %s {shape = array<i64: 1, 1>}
      : (tensor<f32>) -> tensor<1x1xf32>
  // CHECK: nn.reshape {{.*}} -> tensor<f32>
  %3 = nn.reshape %o {shape = array<i64>} : (tensor<1xf32>) -> tensor<f32>
  // CHECK: nn.transpose {{.*}}perm = array<i64: 0, 2, 3, 1>{{.*}}-> tensor<1x4x6x8xf32>
  %4 = nn.transpose %x {perm = array<i64: 0, 2, 3, 1>}
      : (tensor<1x8x4x6xf32>) -> tensor<1x4x6x8xf32>
  // CHECK: nn.expand {{.*}}shape ={{.*}}-> tensor<2x1x3xf32>
  %5 = nn.expand %o {shape = array<i64: 2, 1, 3>}
      : (tensor<1xf32>) -> tensor<2x1x3xf32>
  // CHECK: nn.tile {{.*}}repeats ={{.*}}-> tensor<5xf32>
  %6 = nn.tile %o {repeats = array<i64: 5>} : (tensor<1xf32>) -> tensor<5xf32>
  // CHECK: nn.depth_to_space {{.*}}mode = "CRD"{{.*}}-> tensor<1x2x8x12xf32>
  %7 = nn.depth_to_space %x {blocksize = 2 : i64, mode = "CRD"}
      : (tensor<1x8x4x6xf32>) -> tensor<1x2x8x12xf32>
  // CHECK: nn.space_to_depth {{.*}}blocksize = 2{{.*}}-> tensor<1x32x2x3xf32>
  %8 = nn.space_to_depth %x {blocksize = 2 : i64}
      : (tensor<1x8x4x6xf32>) -> tensor<1x32x2x3xf32>
  // CHECK: nn.channel_shuffle {{.*}}groups = 4{{.*}}-> tensor<1x8x4x6xf32>
  %shuffled = nn.channel_shuffle %x {groups = 4 : i64}
      : (tensor<1x8x4x6xf32>) -> tensor<1x8x4x6xf32>
  // CHECK: nn.trilu {{.*}}upper = false{{.*}}-> tensor<1x8x4x6xf32>
  %9 = nn.trilu %x {k = 1 : i64, upper = false}
      : (tensor<1x8x4x6xf32>) -> tensor<1x8x4x6xf32>
  // CHECK: nn.slice {{.*}}steps ={{.*}}-> tensor<1x3x4x0xf32>
  %10 = nn.slice %x
      {sizes = array<i64: 1, 3, 4, 0>, starts = array<i64: 0, 7, 0, 0>,
       steps = array<i64: 1, -3, 1, 2>}
      : (tensor<1x8x4x6xf32>) -> tensor<1x3x4x0xf32>
  // CHECK: nn.pad {{.*}}mode = "reflect"{{.*}}-> tensor<1x8x8x7xf32>
  %11 = nn.pad %x {mode = "reflect", pads = array<i64: 0, 0, 3, -1, 0, 0, 1, 2>}
      : (tensor<1x8x4x6xf32>) -> tensor<1x8x8x7xf32>
  // CHECK: nn.pad {{.*}}value = 1.0{{.*}}-> tensor<5xf32>
  %12 = nn.pad %o {pads = array<i64: 0, 4>, value = 1.0 : f64}
      : (tensor<1xf32>) -> tensor<5xf32>
  // CHECK: nn.pad {{.*}}mode = "wrap"{{.*}}-> tensor<5xf32>
  %13 = nn.pad %o {mode = "wrap", pads = array<i64: 2, 2>}
      : (tensor<1xf32>) -> tensor<5xf32>
  // CHECK: nn.concat {{.*}}axis = -1{{.*}}-> tensor<1x8x4x7xf32>
  %14 = nn.concat %x, %x2 {axis = -1 : i64}
      : (tensor<1x8x4x6xf32>, tensor<1x8x4x1xf32>) -> tensor<1x8x4x7xf32>
  // CHECK: nn.split {{.*}}sizes ={{.*}}-> (tensor<1x3x4x6xf32>, tensor<1x0x4x6xf32>, tensor<1x5x4x6xf32>)
  %15:3 = nn.split %x {axis = 1 : i64, sizes = array<i64: 3, 0, 5>}
      : (tensor<1x8x4x6xf32>)
      -> (tensor<1x3x4x6xf32>, tensor<1x0x4x6xf32>, tensor<1x5x4x6xf32>)
  return
}

// CHECK-LABEL: func.func @indexing
func.func @indexing(%data: tensor<4x5x6xf32>, %i: tensor<2x3xi64>,
                    %s: tensor<i32>, %e: tensor<4x2x9xi64>, %t: tensor<7x2xi64>,
                    %bt: tensor<4x1xi64>, %u: tensor<4x2x9xf32>,
                    %v: tensor<7x6xf32>, %w: tensor<2xi8>, %l: tensor<4xi64>) {
  // CHECK: nn.gather {{.*}}axis = 1{{.*}}-> tensor<4x2x3x6xf32>
  %0 = nn.gather %data, %i {axis = 1 : i64}
      : (tensor<4x5x6xf32>, tensor<2x3xi64>) -> tensor<4x2x3x6xf32>
  // CHECK: nn.gather {{.*}} -> tensor<5x6xf32>
  %1 = nn.gather %data, %s : (tensor<4x5x6xf32>, tensor<i32>) -> tensor<5x6xf32>
  // CHECK: nn.gather_elements {{.*}}axis = 2{{.*}}-> tensor<4x2x9xf32>
  %2 = nn.gather_elements %data, %e {axis = 2 : i64}
      : (tensor<4x5x6xf32>, tensor<4x2x9xi64>) -> tensor<4x2x9xf32>
  // CHECK: nn.gather_nd {{.*}} -> tensor<7x6xf32>
  %3 = nn.gather_nd %data, %t
      : (tensor<4x5x6xf32>, tensor<7x2xi64>) -> tensor<7x6xf32>
  // CHECK: nn.gather_nd {{.*}}batch_dims = 1{{.*}}-> tensor<4x6xf32>
  %4 = nn.gather_nd %data, %bt {batch_dims = 1 : i64}
      : (tensor<4x5x6xf32>, tensor<4x1xi64>) -> tensor<4x6xf32>
  // CHECK: nn.scatter_elements {{.*}}reduction = "add"{{.*}}-> tensor<4x5x6xf32>
  %5 = nn.scatter_elements %data, %e, %u {axis = -1 : i64, reduction = "add"}
      : (tensor<4x5x6xf32>, tensor<4x2x9xi64>, tensor<4x2x9xf32>)
      -> tensor<4x5x6xf32>
  // CHECK: nn.scatter_nd {{.*}}reduction = "max"{{.*}}-> tensor<4x5x6xf32>
  %6 = nn.scatter_nd %data, %t, %v {reduction = "max"}
      : (tensor<4x5x6xf32>, tensor<7x2xi64>, tensor<7x6xf32>)
      -> tensor<4x5x6xf32>
  // CHECK: nn.one_hot {{.*}}depth = 10{{.*}}-> tensor<2x10x3xi8>
  %7 = nn.one_hot %i, %w {axis = 1 : i64, depth = 10 : i64}
      : (tensor<2x3xi64>, tensor<2xi8>) -> tensor<2x10x3xi8>
  // CHECK: nn.non_zero {{.*}} -> tensor<3x?xi64>
  %8 = nn.non_zero %data : (tensor<4x5x6xf32>) -> tensor<3x?xi64>
  // CHECK: nn.reverse_sequence {{.*}}time_axis = 1{{.*}}-> tensor<4x5x6xf32>
  %10 = nn.reverse_sequence %data, %l
      {batch_axis = 0 : i64, time_axis = 1 : i64}
      : (tensor<4x5x6xf32>, tensor<4xi64>) -> tensor<4x5x6xf32>
  return
}

// CHECK-LABEL: func.func @resampling
func.func @resampling(%x: tensor<1x8x4x6xf32>, %g: tensor<1x3x2x2xf32>,
                      %r: tensor<7x4xf32>, %bi: tensor<7xi64>,
                      %boxes: tensor<2x9x4xf32>, %scores: tensor<2x5x9xf32>) {
  // CHECK: nn.resize {{.*}}mode = "linear"{{.*}}-> tensor<1x8x8x3xf32>
  %0 = nn.resize %x
      {antialias = true, mode = "linear",
       scales = array<f32: 1.0, 1.0, 2.0, 0.5>, sizes = array<i64: 1, 8, 8, 3>}
      : (tensor<1x8x4x6xf32>) -> tensor<1x8x8x3xf32>
  // CHECK: nn.resize {{.*}}roi ={{.*}}-> tensor<1x8x4x6xf32>
  %1 = nn.resize %x
      {coordinate_mode = "tf_crop_and_resize",
       roi = array<f32: 0.0, 0.0, 0.0, 0.0, 1.0, 1.0, 1.0, 1.0>,
       scales = array<f32: 1.0, 1.0, 1.0, 1.0>, sizes = array<i64: 1, 8, 4, 6>}
      : (tensor<1x8x4x6xf32>) -> tensor<1x8x4x6xf32>
  // CHECK: nn.grid_sample {{.*}}mode = "cubic"{{.*}}-> tensor<1x8x3x2xf32>
  %2 = nn.grid_sample %x, %g {mode = "cubic"}
      : (tensor<1x8x4x6xf32>, tensor<1x3x2x2xf32>) -> tensor<1x8x3x2xf32>
  // CHECK: nn.roi_align {{.*}}output_width = 5{{.*}}-> tensor<7x8x3x5xf32>
  %3 = nn.roi_align %x, %r, %bi
      {output_height = 3 : i64, output_width = 5 : i64,
       sampling_ratio = 2 : i64}
      : (tensor<1x8x4x6xf32>, tensor<7x4xf32>, tensor<7xi64>)
      -> tensor<7x8x3x5xf32>
  // CHECK: nn.non_max_suppression {{.*}}iou_threshold = 5{{.*}}-> tensor<?x3xi64>
  %4 = nn.non_max_suppression %boxes, %scores
      {iou_threshold = 0.5 : f32, max_output_boxes_per_class = 3 : i64}
      : (tensor<2x9x4xf32>, tensor<2x5x9xf32>) -> tensor<?x3xi64>
  return
}

// CHECK-LABEL: func.func @quantized_storage
func.func @quantized_storage(%x: tensor<1x8x4x6xf32>, %s: tensor<f32>,
                             %z: tensor<i8>, %cs: tensor<8xf32>,
                             %cz: tensor<8xui8>, %bs: tensor<1x8x4x2xf32>,
                             %bz: tensor<1x8x4x2xi8>, %q: tensor<1x8x4x6xui8>) {
  // CHECK: nn.quantize_linear {{.*}} -> tensor<1x8x4x6xi8>
  %0 = nn.quantize_linear %x, %s, %z
      : (tensor<1x8x4x6xf32>, tensor<f32>, tensor<i8>) -> tensor<1x8x4x6xi8>
  // CHECK: nn.quantize_linear {{.*}} -> tensor<1x8x4x6xui8>
  %1 = nn.quantize_linear %x, %cs, %cz
      : (tensor<1x8x4x6xf32>, tensor<8xf32>, tensor<8xui8>)
      -> tensor<1x8x4x6xui8>
  // CHECK: nn.quantize_linear {{.*}}block_size = 4{{.*}}-> tensor<1x8x4x6xi8>
  %2 = nn.quantize_linear %x, %bs, %bz {axis = -1 : i64, block_size = 4 : i64}
      : (tensor<1x8x4x6xf32>, tensor<1x8x4x2xf32>, tensor<1x8x4x2xi8>)
      -> tensor<1x8x4x6xi8>
  // CHECK: nn.dequantize_linear {{.*}} -> tensor<1x8x4x6xf32>
  %3 = nn.dequantize_linear %q, %s
      : (tensor<1x8x4x6xui8>, tensor<f32>) -> tensor<1x8x4x6xf32>
  // CHECK: nn.dequantize_linear {{.*}} -> tensor<1x8x4x6xf32>
  %4 = nn.dequantize_linear %q, %cs, %cz
      : (tensor<1x8x4x6xui8>, tensor<8xf32>, tensor<8xui8>)
      -> tensor<1x8x4x6xf32>
  return
}

// CHECK-LABEL: func.func @stages
func.func @stages(%x: tensor<2x3x!quant.uniform<i8:f32, 0.5>>) {
  // CHECK: nn.reshape {{.*}} -> tensor<6x!quant.uniform<i8:f32, 5.000000e-01>>
  %0 = nn.reshape %x {shape = array<i64: 6>}
      : (tensor<2x3x!quant.uniform<i8:f32, 0.5>>)
      -> tensor<6x!quant.uniform<i8:f32, 0.5>>
  // CHECK: nn.transpose {{.*}} -> tensor<3x2x!quant.uniform<i8:f32, 5.000000e-01>>
  %1 = nn.transpose %x {perm = array<i64: 1, 0>}
      : (tensor<2x3x!quant.uniform<i8:f32, 0.5>>)
      -> tensor<3x2x!quant.uniform<i8:f32, 0.5>>
  // CHECK: nn.concat {{.*}} -> tensor<4x3x!quant.uniform<i8:f32, 5.000000e-01>>
  %2 = nn.concat %x, %x {axis = 0 : i64}
      : (tensor<2x3x!quant.uniform<i8:f32, 0.5>>, tensor<2x3x!quant.uniform<i8:f32, 0.5>>)
      -> tensor<4x3x!quant.uniform<i8:f32, 0.5>>
  return
}

// CHECK-LABEL: func.func @color_convert
func.func @color_convert(%nv: tensor<2x9x8x1xui8>, %packed: tensor<1x5x8x2xui8>) {
  // CHECK: nn.color_convert {{.*}} {matrix = array<i64: 65536, 0, 0, 0>} {{.*}}-> tensor<2x6x8x1xui8>
  %0 = nn.color_convert %nv {matrix = array<i64: 65536, 0, 0, 0>}
      : (tensor<2x9x8x1xui8>) -> tensor<2x6x8x1xui8>
  // CHECK: nn.color_convert {{.*}}format = "UYVY422"{{.*}}min_luma = 16{{.*}}-> tensor<1x5x8x3xui8>
  %1 = nn.color_convert %packed
      {format = "UYVY422", min_luma = 16 : i64,
       matrix = array<i64: 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12>}
      : (tensor<1x5x8x2xui8>) -> tensor<1x5x8x3xui8>
  return
}
