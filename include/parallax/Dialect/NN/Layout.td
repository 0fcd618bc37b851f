//===- Layout.td - Data movement, indexing and resampling -*- tablegen -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Most of these move elements without looking at them, so the same template
// serves floats and integer codes.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_DIALECT_NN_LAYOUT_TD
#define PARALLAX_DIALECT_NN_LAYOUT_TD

include "parallax/Dialect/NN/NNBase.td"

class NN_MoveOp<string mnemonic, string shapeRule, string title,
                dag parameters> : NN_Op<mnemonic, "SameScale", shapeRule> {
  let summary = title;
  let arguments = !con((ins NN_Tensor:$x), parameters);
  let results = (outs NN_Tensor:$y);
}

def NN_ConstantOp : NN_Op<"constant", "Constant", "inferConstant",
                          [ConstantLike]> {
  let summary = "Weights and other known tensors";
  let description = [{
    Large values are `dense_resource` blobs that are neither copied nor hashed.
  }];
  let arguments = (ins ElementsAttr:$value);
  let results = (outs NN_Tensor:$y);
  let assemblyFormat = "attr-dict $value";
  let hasFolder = 1;
}

def NN_ReshapeOp : NN_MoveOp<"reshape", "inferReshape",
    "The same elements under another shape", (ins DenseI64ArrayAttr:$shape)>;
def NN_TransposeOp : NN_MoveOp<"transpose", "inferTranspose",
    "Permutation of dimensions", (ins DenseI64ArrayAttr:$perm)>;
def NN_ExpandOp : NN_MoveOp<"expand", "inferExpand",
    "Repetition of dimensions of extent 1", (ins DenseI64ArrayAttr:$shape)>;
def NN_TileOp : NN_MoveOp<"tile", "inferTile", "Repetition of the whole",
    (ins DenseI64ArrayAttr:$repeats)>;
def NN_DepthToSpaceOp : NN_MoveOp<"depth_to_space", "inferDepthToSpace",
    "Channels become blocks of pixels",
    (ins I64Attr:$blocksize, NN_Word<["DCR", "CRD"]>:$mode)>;
def NN_SpaceToDepthOp : NN_MoveOp<"space_to_depth", "inferSpaceToDepth",
    "Blocks of pixels become channels", (ins I64Attr:$blocksize)>;
def NN_ChannelShuffleOp : NN_MoveOp<"channel_shuffle", "inferChannelShuffle",
    "Channels of all groups interleaved", (ins I64Attr:$groups)> {
  let description = [{
    `x` is N x C x spatial. Its channels, seen as `groups` x C/`groups`, are
    transposed: the first channel of every group comes first, then the second
    of every group.
  }];
}
def NN_TriluOp : NN_MoveOp<"trilu", "inferTrilu",
    "Upper or lower triangle of matrices",
    (ins NN_I64<"0">:$k, NN_Bool<"true">:$upper)>;

def NN_SliceOp : NN_MoveOp<"slice", "inferSlice", "A regular part",
    (ins DenseI64ArrayAttr:$starts, DenseI64ArrayAttr:$sizes,
         DenseI64ArrayAttr:$steps)> {
  let description = [{
    Element `i` of the result is element `starts + i steps` of the operand. All
    three lists have one entry per dimension; steps may be negative.
  }];
}

def NN_PadOp : NN_MoveOp<"pad", "inferPad", "Padding or cropping of borders",
    (ins DenseI64ArrayAttr:$pads,
         NN_Word<["constant", "reflect", "edge", "wrap"]>:$mode,
         DefaultValuedAttr<F64Attr, "0.0">:$value)> {
  let answers = ["addsNumber"];
  let description = [{
    `pads` holds the begin of every dimension, then the end of every one;
    negative entries crop.
  }];
}

def NN_ConcatOp : NN_Op<"concat", "SameScale", "inferConcat"> {
  let summary = "Operands one after the other along an axis";
  let answers = ["getChannelAxis"];
  let arguments = (ins Variadic<NN_Tensor>:$inputs, I64Attr:$axis);
  let results = (outs NN_Tensor:$y);
}

def NN_SplitOp : NN_Op<"split", "SameScale", "inferSplit"> {
  let summary = "Consecutive parts along an axis";
  let arguments = (ins NN_Tensor:$x, I64Attr:$axis, DenseI64ArrayAttr:$sizes);
  let results = (outs Variadic<NN_Tensor>:$parts);
}

def NN_GatherOp : NN_Op<"gather", "SameScale", "inferGather"> {
  let summary = "Slices along an axis by index";
  let description = [{ Negative indices count from the end. }];
  let arguments = (ins NN_Tensor:$data, NN_Tensor:$indices,
                       NN_I64<"0">:$axis);
  let results = (outs NN_Tensor:$y);
}

def NN_GatherElementsOp : NN_Op<"gather_elements", "SameScale",
                                "inferGatherElements"> {
  let summary = "Elements along an axis by index";
  let arguments = (ins NN_Tensor:$data, NN_Tensor:$indices,
                       NN_I64<"0">:$axis);
  let results = (outs NN_Tensor:$y);
}

def NN_GatherNDOp : NN_Op<"gather_nd", "SameScale", "inferGatherND"> {
  let summary = "Slices by index tuple";
  let arguments = (ins NN_Tensor:$data, NN_Tensor:$indices,
                       NN_I64<"0">:$batch_dims);
  let results = (outs NN_Tensor:$y);
}

class NN_ScatterOp<string mnemonic, string shapeRule, string title,
                   dag parameters> : NN_Op<mnemonic, "SameScale", shapeRule> {
  let summary = title;
  let answers = ["movesCodes"];
  let arguments = !con((ins NN_Tensor:$data, NN_Tensor:$indices,
                            NN_Tensor:$updates), parameters,
                       (ins NN_Word<["none", "add", "mul", "min",
                                     "max"]>:$reduction));
  let results = (outs NN_Tensor:$y);
}

def NN_ScatterElementsOp : NN_ScatterOp<"scatter_elements",
    "inferScatterElements", "Elements replaced along an axis by index",
    (ins NN_I64<"0">:$axis)>;
def NN_ScatterNDOp : NN_ScatterOp<"scatter_nd", "inferScatterND",
    "Slices replaced by index tuple", (ins)>;

def NN_OneHotOp : NN_Op<"one_hot", "Cpu", "inferOneHot"> {
  let summary = "Indices as indicator vectors";
  let description = [{ `values` holds what stands for off and for on. }];
  let arguments = (ins NN_Tensor:$indices, NN_Tensor:$values, I64Attr:$depth,
                       NN_I64<"-1">:$axis);
  let results = (outs NN_Tensor:$y);
}

def NN_NonZeroOp : NN_Op<"non_zero", "Cpu", "inferNonZero"> {
  let summary = "Indices of the elements that are not zero";
  let description = [{ The extent of the result depends on the data. }];
  let dataDependent = 1;
  let arguments = (ins NN_Tensor:$x);
  let results = (outs NN_Tensor:$y);
}

def NN_ReverseSequenceOp : NN_Op<"reverse_sequence", "SameScale",
                                 "inferReverseSequence"> {
  let summary = "Reversal of the first entries of every sequence";
  let arguments = (ins NN_Tensor:$x, NN_Tensor:$sequence_lens,
                       NN_I64<"1">:$batch_axis, NN_I64<"0">:$time_axis);
  let results = (outs NN_Tensor:$y);
}

def NN_ResizeOp : NN_Op<"resize", "Linear", "inferResize"> {
  let summary = "Resampling of a grid";
  let answers = ["movesCodes"];
  let description = [{
    `sizes` is the shape of the result and `scales` the factor that the
    coordinate formula uses, both with one entry per dimension. `roi` is only
    used by `tf_crop_and_resize`: begin of every dimension, then end of each.
  }];
  let arguments = (ins NN_Tensor:$x, DenseI64ArrayAttr:$sizes,
      DenseF32ArrayAttr:$scales,
      DefaultValuedAttr<DenseF32ArrayAttr, "{}">:$roi,
      NN_Word<["nearest", "linear", "cubic"]>:$mode,
      NN_Word<["half_pixel", "half_pixel_symmetric", "pytorch_half_pixel",
               "align_corners", "asymmetric", "tf_half_pixel_for_nn",
               "tf_crop_and_resize"]>:$coordinate_mode,
      NN_Word<["round_prefer_floor", "round_prefer_ceil", "floor",
               "ceil"]>:$nearest_mode,
      NN_F32<"-0.75f">:$cubic_coeff_a, NN_Bool<"false">:$exclude_outside,
      NN_F32<"0.0f">:$extrapolation_value, NN_Bool<"false">:$antialias);
  let results = (outs NN_Tensor:$y);
}

def NN_GridSampleOp : NN_Op<"grid_sample", "Composite", "inferGridSample"> {
  let summary = "Sampling at given coordinates";
  let arguments = (ins NN_Tensor:$x, NN_Tensor:$grid,
      NN_Word<["linear", "nearest", "cubic"]>:$mode,
      NN_Word<["zeros", "border", "reflection"]>:$padding_mode,
      NN_Bool<"false">:$align_corners);
  let results = (outs NN_Tensor:$y);
}

def NN_RoiAlignOp : NN_Op<"roi_align", "Composite", "inferRoiAlign"> {
  let summary = "Pooling of regions of interest";
  let arguments = (ins NN_Tensor:$x, NN_Tensor:$rois,
      NN_Tensor:$batch_indices, NN_Word<["avg", "max"]>:$mode,
      NN_I64<"1">:$output_height, NN_I64<"1">:$output_width,
      NN_I64From<"0", 0>:$sampling_ratio, NN_F32<"1.0f">:$spatial_scale,
      NN_Word<["half_pixel", "output_half_pixel"]>:$coordinate_mode);
  let results = (outs NN_Tensor:$y);
}

def NN_NonMaxSuppressionOp : NN_Op<"non_max_suppression", "Cpu",
                                   "inferNonMaxSuppression"> {
  let summary = "Boxes that no better box overlaps";
  let description = [{
    Rows of (batch, class, box); their number depends on the data.
  }];
  let dataDependent = 1;
  let arguments = (ins NN_Tensor:$boxes, NN_Tensor:$scores,
      NN_I64From<"0", 0>:$max_output_boxes_per_class,
      NN_F32<"0.0f">:$iou_threshold,
      OptionalAttr<F32Attr>:$score_threshold,
      NN_Bool<"false">:$center_point_box);
  let results = (outs NN_Tensor:$y);
}

def NN_ColorConvertOp : NN_Op<"color_convert", "Composite",
                              "inferColorConvert"> {
  let summary = "YUV pictures of a camera to colors";
  let description = [{
    From N x H' x W x C' codes of type `ui8` to N x H x W x rows of the matrix.
    `format` says where luma and chroma of pixel (h, w) lie:

    | format | x | Y | U | V |
    |---|---|---|---|---|
    | YUV420SP (NV12) | N x 3H/2 x W x 1 | row h, w | row H + h/2, 2(w/2) | the code after U |
    | YVU420SP (NV21) | N x 3H/2 x W x 1 | row h, w | the code after V | row H + h/2, 2(w/2) |
    | YUYV422 | N x H x W x 2 | row h, pixel w, first | pixel 2(w/2), second | pixel 2(w/2) + 1, second |
    | UYVY422 | N x H x W x 2 | row h, pixel w, second | pixel 2(w/2), first | pixel 2(w/2) + 1, first |

    Divisions round down: pixels that share chroma take the same codes. `matrix`
    holds rows of four integers in units of 2^-16, one row (GRAY) or three, in
    the order of the channels of the result. The result is exact but for one
    rounding, half up, by an arithmetic shift:

    `y = clamp((m0 max(Y, min_luma) + m1 U + m2 V + m3 + 2^15) >> 16, 0, 255)`

    `min_luma` is 16 where lower codes are foot room (limited range). The sum
    needs 32 bits if all coefficients are below 8 and the bias below 4096 in
    magnitude, and never more than 64.
  }];
  let arguments = (ins NN_Tensor:$x,
      NN_Word<["YUV420SP", "YVU420SP", "YUYV422", "UYVY422"]>:$format,
      DenseI64ArrayAttr:$matrix, NN_I64In<"0", 0, 255>:$min_luma);
  let results = (outs NN_Tensor:$y);
}

//===----------------------------------------------------------------------===//
// Quantized storage inside a float network
//===----------------------------------------------------------------------===//

def NN_QuantizeLinearOp : NN_Op<"quantize_linear", "Cpu",
                                "inferQuantizeLinear"> {
  let summary = "Float to integer codes";
  let description = [{
    `y = saturate(round(x / scale) + zero_point)`, ties to even; `scale` is one
    number, one per entry of `axis`, or one per block along it.
  }];
  let arguments = (ins NN_Tensor:$x, NN_Tensor:$scale, NN_Tensor:$zero_point,
                       NN_I64<"1">:$axis, NN_I64<"0">:$block_size);
  let results = (outs NN_Tensor:$y);
}

def NN_DequantizeLinearOp : NN_Op<"dequantize_linear", "Cpu",
                                  "inferDequantizeLinear"> {
  let summary = "Integer codes to float";
  let description = [{ `y = (x - zero_point) scale`. }];
  let arguments = (ins NN_Tensor:$x, NN_Tensor:$scale,
                       Optional<NN_Tensor>:$zero_point, NN_I64<"1">:$axis,
                       NN_I64<"0">:$block_size);
  let results = (outs NN_Tensor:$y);
}

#endif // PARALLAX_DIALECT_NN_LAYOUT_TD
