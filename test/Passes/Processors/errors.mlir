// What can't be done is refused with what to write instead, and then the network
// is unchanged.
// RUN: rm -rf %t && split-file %s %t
// DEFINE: %{config} =
// DEFINE: %{fails} = not parallax-opt %t/network.mlir -nn-add-processors=config=%t/%{config}.json 2>&1 | FileCheck %s --check-prefix=%{config}

// REDEFINE: %{config} = unknown
// RUN: %{fails}
// unknown: error: input_processors name 'imgae', but the model has no such input; did you mean 'image'?

// REDEFINE: %{config} = foreign
// RUN: %{fails}
// foreign: error: output_processors name 'zzz', but the model has no such output; write 'y' or DEFAULT

// REDEFINE: %{config} = twice
// RUN: %{fails}
// twice: error: input_processors name 'image' twice; write one entry with all that is to be done

// REDEFINE: %{config} = mean
// RUN: %{fails}
// mean: error: input 'image': mean has 2 values, but the input has 3 channels; give one value per channel

// REDEFINE: %{config} = deviation
// RUN: %{fails}
// deviation: error: input 'image': calibration_std has 2 values, but the input has 3 channels; give one value per channel

// REDEFINE: %{config} = padding
// RUN: %{fails}
// padding: error: input 'image': padding has 2 values; write 8, a begin and an end for each of the 4 dimensions 1x3x5x6

// REDEFINE: %{config} = slicing
// RUN: %{fails}
// slicing: error: input 'image': slicing has 4 values; write 8, a begin and an end for each of the 4 dimensions 1x3x5x6

// REDEFINE: %{config} = negative
// RUN: %{fails}
// negative: error: input 'image': slicing holds -1; write numbers of elements, 0 or more

// REDEFINE: %{config} = large
// RUN: %{fails}
// large: error: input 'image': padding adds 5 elements to dimension 2, which has only 5 in the model; write fewer

// REDEFINE: %{config} = value
// RUN: %{fails}
// value: error: input 'image': padding_constant_value -1 is not a value of uint8; write one that can arrive

// REDEFINE: %{config} = odd
// RUN: %{fails}
// odd: error: input 'image': YUV420SP shares chroma between pixels and can't hold a picture of 5 x 6 (height x width); pad or slice to even numbers

// REDEFINE: %{config} = mode
// RUN: %{fails}
// mode: error: input 'image': src_format YUYV422 needs a csc_mode; write FullRange if luma goes from 0 to 255, LimitedRange if it goes from 16 to 235, or Matrix with a csc_mat

// REDEFINE: %{config} = bytes
// RUN: %{fails}
// bytes: error: input 'image': src_format YUYV422 consists of bytes; write "src_dtype": "U8"

// REDEFINE: %{config} = format
// RUN: %{fails}
// format: error: input 'image': tensor_format GRAY does not fit 3 channels; write GRAY for one, RGB or BGR for three, and check tensor_layout

// REDEFINE: %{config} = raw
// RUN: %{fails}
// raw: error: input 'image': src_format RAW is not supported; convert to RGB, BGR, GRAY or YUV before the model

// REDEFINE: %{config} = rank
// RUN: %{fails}
// rank: error: input 'ids': src_layout NHWC and tensor_layout NCHW are of 4 dimensions, but the input has 2; leave both out

// REDEFINE: %{config} = picture
// RUN: %{fails}
// picture: error: input 'ids': src_format YUYV422 needs a picture, but the input has 2 dimensions, not 4; leave src_format out

// REDEFINE: %{config} = integer
// RUN: %{fails}
// integer: error: input 'ids': the model takes int64 here, which can't arrive as FP16; write an integer src_dtype, such as S32

// REDEFINE: %{config} = tokens
// RUN: %{fails}
// tokens: error: input 'ids': mean and std are for float32 inputs, but the model takes int64; leave them out

// REDEFINE: %{config} = scale
// RUN: %{fails}
// scale: error: input 'image': scale is for codes of a quantized model before this one, which arrive as U8, S8, U16, S16 or S32 and enter as float32, not from FP32 to float32; leave scale out, or write the src_dtype of the codes

// REDEFINE: %{config} = below
// RUN: %{fails}
// below: error: input 'image': scale is -2, but must be a positive number

// REDEFINE: %{config} = zeropoint
// RUN: %{fails}
// zeropoint: error: input 'image': zeropoint 256 is not a code of U8; write the one of the model before this one

// REDEFINE: %{config} = perm
// RUN: %{fails}
// perm: error: output 'y': dst_perm is [0, 2, 1]; write each of the dimensions 0 to 3 once, because the output has 4

// REDEFINE: %{config} = again
// RUN: %{fails}
// again: error: output 'y': dst_perm is [0, 2, 2, 1]; write each of the dimensions 0 to 3 once, because the output has 4

// Layers are added once.
// RUN: not parallax-opt %t/network.mlir -nn-add-processors=config=%t/pixels.json -nn-add-processors=config=%t/pixels.json 2>&1 | FileCheck %s --check-prefix=already
// already: error: input 'image' has its layers already

//--- network.mlir
func.func @main(%x: tensor<1x3x5x6xf32> {nn.name = "image"}, %ids: tensor<1x8xi64> {nn.name = "ids"}) -> (tensor<1x3x5x6xf32> {nn.name = "y"}) {
  %y = nn.relu %x : (tensor<1x3x5x6xf32>) -> tensor<1x3x5x6xf32> loc("relu"("y"))
  return %y : tensor<1x3x5x6xf32>
}
//--- pixels.json
{"input_processors": [{"tensor_name": "image", "src_dtype": "U8"}]}
//--- unknown.json
{"input_processors": [{"tensor_name": "imgae"}]}
//--- foreign.json
{"output_processors": [{"tensor_name": "zzz"}]}
//--- twice.json
{"input_processors": [{"tensor_name": "image"}, {"tensor_name": "image"}]}
//--- mean.json
{"input_processors": [{"tensor_name": "image", "mean": [1, 2]}]}
//--- deviation.json
{"quant": {"input_configs": [{"tensor_name": "image", "calibration_dataset": "x.tar", "calibration_std": [1, 2]}]}, "input_processors": [{"tensor_name": "image"}]}
//--- padding.json
{"input_processors": [{"tensor_name": "image", "padding": [1, 1]}]}
//--- slicing.json
{"input_processors": [{"tensor_name": "image", "slicing": [1, 1, 1, 1]}]}
//--- negative.json
{"input_processors": [{"tensor_name": "image", "slicing": [0, 0, 0, 0, 0, -1, 0, 0]}]}
//--- large.json
{"input_processors": [{"tensor_name": "image", "padding": [0, 0, 0, 0, 3, 2, 0, 0]}]}
//--- value.json
{"input_processors": [{"tensor_name": "image", "src_dtype": "U8", "padding": [0, 0, 0, 0, 1, 0, 0, 0], "padding_constant_value": -1}]}
//--- odd.json
{"input_processors": [{"tensor_name": "image", "src_format": "YUV420SP", "src_dtype": "U8", "csc_mode": "FullRange"}]}
//--- mode.json
{"input_processors": [{"tensor_name": "image", "src_format": "YUYV422", "src_dtype": "U8"}]}
//--- bytes.json
{"input_processors": [{"tensor_name": "image", "src_format": "YUYV422", "csc_mode": "FullRange"}]}
//--- format.json
{"input_processors": [{"tensor_name": "image", "tensor_format": "GRAY", "src_format": "YUYV422", "src_dtype": "U8", "csc_mode": "FullRange"}]}
//--- raw.json
{"input_processors": [{"tensor_name": "image", "src_format": "RAW"}]}
//--- rank.json
{"input_processors": [{"tensor_name": "ids", "src_layout": "NHWC"}]}
//--- picture.json
{"input_processors": [{"tensor_name": "ids", "src_format": "YUYV422", "src_dtype": "U8", "csc_mode": "FullRange"}]}
//--- integer.json
{"input_processors": [{"tensor_name": "ids", "src_dtype": "FP16"}]}
//--- tokens.json
{"input_processors": [{"tensor_name": "ids", "mean": [1]}]}
//--- scale.json
{"input_processors": [{"tensor_name": "image", "scale": 2}]}
//--- below.json
{"input_processors": [{"tensor_name": "image", "src_dtype": "U8", "scale": -2}]}
//--- zeropoint.json
{"input_processors": [{"tensor_name": "image", "src_dtype": "U8", "scale": 2, "zeropoint": 256}]}
//--- perm.json
{"output_processors": [{"tensor_name": "y", "dst_perm": [0, 2, 1]}]}
//--- again.json
{"output_processors": [{"tensor_name": "y", "dst_perm": [0, 2, 2, 1]}]}
