// RUN: rm -rf %t && split-file %s %t
// RUN: parallax-opt %t/lstm.mlir -npu-lower 2>&1 | FileCheck %s --check-prefix=LSTM
// RUN: parallax-opt %t/lstm.mlir -npu-lower | parallax-opt | FileCheck %s --check-prefix=LSTM
// RUN: parallax-opt %t/gru.mlir -npu-lower 2>&1 | FileCheck %s --check-prefix=GRU
// RUN: parallax-opt %t/einsum.mlir -npu-lower -mlir-print-debuginfo -mlir-print-local-scope 2>&1 | FileCheck %s --check-prefix=EINSUM
// RUN: parallax-opt %t/sums.mlir -npu-lower 2>&1 | FileCheck %s --check-prefix=SUMS
// RUN: parallax-opt %t/float.mlir -npu-lower 2>&1 | FileCheck %s --check-prefix=FLOAT

// RUN: parallax-opt %t/ranks.mlir -npu-lower 2>&1 | FileCheck %s --check-prefix=RANKS
// RUN: parallax-opt %t/unsigned.mlir -npu-lower 2>&1 | FileCheck %s --check-prefix=UNSIGNED --implicit-check-not=remark
// RUN: parallax-opt %t/masks.mlir -npu-lower 2>&1 | FileCheck %s --check-prefix=MASKS

//--- lstm.mlir
// Two tables serve three functions. The factor of the input, 2^15 * 0.5 *
// 0.25, is the greatest of its row: 2^12 = 2^30 * 2^-18. That of the state is
// 0.5 = 2^17 * 2^-18, and the biases add up to 2^15 * 0.75. An initial state of
// zeros has a scale of 2^-15. Nobody reads the second result: it is float.
// LSTM-LABEL: func.func @npu
// LSTM: %[[X:.*]] = npu.quantize
// LSTM: %[[W:.*]] = nn.constant {{.*}}dense<1> : tensor<1x4x1xi8>
// LSTM: %[[R:.*]] = nn.constant {{.*}}dense<2> : tensor<1x4x1xi8>
// LSTM: %[[L:.*]] = nn.constant dense<3> : tensor<1xi32>
// LSTM: %[[H:.*]] = nn.constant {{.*}}dense<0> : tensor<1x1x1xi16>
// LSTM: %[[C:.*]] = nn.constant {{.*}}dense<32767> : tensor<1x1x1xi16>
// LSTM: npu.lstm %[[X]], %[[W]], %[[R]], %[[L]], %[[H]], %[[C]] {direction = "forward", functions = array<i64: 0, 1, 1>, gate_shifts = array<i32: 18, 18, 18, 18>
// LSTM-SAME: initial_multipliers = array<i32: 1073741824, {{[0-9]*}}>, initial_shifts = array<i32: 15, {{[0-9]*}}>, initial_zero_points = array<i64: 0, 0>
// LSTM-SAME: input_factors = array<i64: 1073741824, 1073741824, 1073741824, 1073741824>
// LSTM-SAME: limit = 524287 : i64
// LSTM-SAME: multipliers = array<i32: 1073741824, 0, 1073741824>
// LSTM-SAME: offsets = array<i64: 6442450944, 6442450944, 6442450944, 6442450944>, peepholes = array<i64>
// LSTM-SAME: shifts = array<i32: 53, 1, 44>, state_factors = array<i64: 131072, 131072, 131072, 131072>, state_fraction = 15 : i32
// LSTM-SAME: table_fractions = array<i32: 15, 15>
// LSTM-SAME: -> (tensor<3x1x1x1xui8>, tensor<1x1x1xf32>, tensor<1x1x1xi8>)
!x = tensor<3x1x1x!quant.uniform<u8:f32, 0.5:10>>
!w = tensor<1x4x1x!quant.uniform<i8<-127:127>:f32, 0.25>>
!r = tensor<1x4x1x!quant.uniform<i8<-127:127>:f32:1, {0.5, 0.5, 0.5, 0.5}>>
!y = tensor<3x1x1x1x!quant.uniform<u8:f32, 0.0078125:128>>
!c = tensor<1x1x1x!quant.uniform<i8:f32, 0.015625>>
func.func @quantized(%x: tensor<3x1x1xf32>) -> (tensor<3x1x1x1xf32>, tensor<1x1x1xf32>) {
  %0 = nn.requantize %x : (tensor<3x1x1xf32>) -> !x
  %w = nn.quantized_constant dense<1> : tensor<1x4x1xi8> : !w
  %r = nn.quantized_constant dense<2> : tensor<1x4x1xi8> : !r
  %b = nn.constant dense<[[0.25, 0.25, 0.25, 0.25, 0.5, 0.5, 0.5, 0.5]]> : tensor<1x8xf32>
  %l = nn.constant dense<3> : tensor<1xi32>
  %h = nn.constant dense<0.0> : tensor<1x1x1xf32>
  %c = nn.constant dense<2.0> : tensor<1x1x1xf32>
  %p = nn.constant dense<0.0> : tensor<1x3xf32>
  %1:3 = nn.lstm %0, %w, %r, %b, %l, %h, %c, %p {activation_alpha = array<f32>, activation_beta = array<f32>, activations = ["Sigmoid", "Tanh", "Tanh"], direction = "forward", hidden_size = 1 : i64}
    : (!x, !w, !r, tensor<1x8xf32>, tensor<1xi32>, tensor<1x1x1xf32>, tensor<1x1x1xf32>, tensor<1x3xf32>) -> (!y, tensor<1x1x1xf32>, !c)
  %2 = nn.requantize %1#0 : (!y) -> tensor<3x1x1x1xf32>
  %3 = nn.requantize %1#2 : (!c) -> tensor<1x1x1xf32>
  return %2, %3 : tensor<3x1x1x1xf32>, tensor<1x1x1xf32>
}

//--- gru.mlir
// An initial state of up to 1.5 has a bit before the point. The last row has
// five bits more, and an offset for each product.
// GRU-LABEL: func.func @npu
// GRU: npu.gru {{.*}}gate_shifts = array<i32: 18, 18, 13>{{.*}}linear_before_reset = true{{.*}}offsets = array<i64: 6442450944, 6442450944, 2147483648>{{.*}}state_fraction = 14 : i32, state_offsets = array<i64: 4294967296>
// GRU-SAME: -> (tensor<3x1x1x1xf32>, tensor<1x1x1xui16>)
!x = tensor<3x1x1x!quant.uniform<u8:f32, 0.5:10>>
!w = tensor<1x3x1x!quant.uniform<i8<-127:127>:f32, 0.25>>
!h = tensor<1x1x1x!quant.uniform<u16:f32, 2.2888183593750e-05>>
func.func @quantized(%x: tensor<3x1x1xf32>, %s: tensor<1x1x1xf32>) -> tensor<1x1x1xf32> {
  %0 = nn.requantize %x : (tensor<3x1x1xf32>) -> !x
  %h = nn.requantize %s : (tensor<1x1x1xf32>) -> !h
  %w = nn.quantized_constant dense<1> : tensor<1x3x1xi8> : !w
  %b = nn.constant dense<[[0.25, 0.25, 0.25, 0.5, 0.5, 0.5]]> : tensor<1x6xf32>
  %l = nn.constant dense<3> : tensor<1xi32>
  %1:2 = nn.gru %0, %w, %w, %b, %l, %h {activation_alpha = array<f32>, activation_beta = array<f32>, activations = ["Sigmoid", "Tanh"], direction = "forward", hidden_size = 1 : i64, linear_before_reset = true}
    : (!x, !w, !w, tensor<1x6xf32>, tensor<1xi32>, !h) -> (tensor<3x1x1x1xf32>, !h)
  %2 = nn.requantize %1#1 : (!h) -> tensor<1x1x1xf32>
  return %2 : tensor<1x1x1xf32>
}

//--- einsum.mlir
// EINSUM-LABEL: func.func @npu
// EINSUM: %[[A:.*]] = npu.quantize
// EINSUM: %[[W:.*]] = nn.constant
// EINSUM: %[[T:.*]] = nn.transpose %[[A]] {{.*}}perm = array<i64: 2, 0, 1>} : (tensor<2x3x4xui8>) -> tensor<4x2x3xui8> loc("e_left_transposed"("y_left_transposed"))
// EINSUM: %[[P:.*]] = npu.matmul %[[T]], %[[W]] {a_zero_point = 10 : i64, b_zero_point = 0 : i64, {{.*}} -> tensor<4x2x5xui8> loc("e_product"("y_product"))
// EINSUM: nn.transpose %[[P]] {{.*}}perm = array<i64: 2, 1, 0>} : (tensor<4x2x5xui8>) -> tensor<5x2x4xui8> loc("e"("y"))
!x = tensor<2x3x4x!quant.uniform<u8:f32, 0.5:10>>
!w = tensor<4x3x5x!quant.uniform<i8<-127:127>:f32, 0.25>>
!y = tensor<5x2x4x!quant.uniform<u8:f32, 1.0:128>>
func.func @quantized(%x: tensor<2x3x4xf32>) -> tensor<5x2x4xf32> {
  %0 = nn.requantize %x : (tensor<2x3x4xf32>) -> !x loc("q"("xq"))
  %w = nn.quantized_constant dense<1> : tensor<4x3x5xi8> : !w loc("w"("w"))
  %1 = nn.einsum %0, %w {equation = "ikb, bkj -> jib"} : (!x, !w) -> !y loc("e"("y"))
  %2 = nn.requantize %1 : (!y) -> tensor<5x2x4xf32> loc("dq"("out"))
  return %2 : tensor<5x2x4xf32>
}

//--- sums.mlir
// SUMS-LABEL: func.func @npu
// SUMS: npu.cum_sum {{.*}}axis = 1 : i64, {{.*}}multipliers = array<i32: 1073741824>, {{.*}}shifts = array<i32: 31>
// SUMS: npu.reduce {{.*}}axes = array<i64: 1>, {{.*}}kind = "l2"
// SUMS: npu.reduce_log {{.*}}fine = array<i64>, {{.*}}kind = "sum"
// SUMS: npu.reduce_log {{.*}}fine = array<i64: 1073741824, {{.*}}kind = "sum_exp"
!a = tensor<2x4x!quant.uniform<u8:f32, 0.5:10>>
!b = tensor<2x4x!quant.uniform<u8:f32, 1.0:5>>
!c = tensor<2x1x!quant.uniform<u8:f32, 1.0:5>>
func.func @quantized(%x: tensor<2x4xf32>) -> (tensor<2x4xf32>, tensor<2x1xf32>, tensor<2x1xf32>, tensor<2x1xf32>) {
  %a = nn.requantize %x : (tensor<2x4xf32>) -> !a
  %0 = nn.cum_sum %a {axis = -1 : i64} : (!a) -> !b
  %1 = nn.reduce_l2 %a {axes = array<i64: 1>} : (!a) -> !c
  %2 = nn.reduce_log_sum %a {axes = array<i64: 1>} : (!a) -> !c
  %3 = nn.reduce_log_sum_exp %a {axes = array<i64: 1>} : (!a) -> !c
  %f0 = nn.requantize %0 : (!b) -> tensor<2x4xf32>
  %f1 = nn.requantize %1 : (!c) -> tensor<2x1xf32>
  %f2 = nn.requantize %2 : (!c) -> tensor<2x1xf32>
  %f3 = nn.requantize %3 : (!c) -> tensor<2x1xf32>
  return %f0, %f1, %f2, %f3 : tensor<2x4xf32>, tensor<2x1xf32>, tensor<2x1xf32>, tensor<2x1xf32>
}

//--- float.mlir
// FLOAT: remark: layer 'lrn' (nn.lrn) computes in float: it divides by a power of a sum of squares
// FLOAT: remark: layer 'norm' (nn.lp_normalization) computes in float: it is not a Euclidean norm
!a = tensor<1x2x4x4x!quant.uniform<u8:f32, 0.5:10>>
func.func @quantized(%x: tensor<1x2x4x4xf32>) -> tensor<1x2x4x4xf32> {
  %a = nn.requantize %x : (tensor<1x2x4x4xf32>) -> !a loc("q"("xq"))
  %0 = nn.lrn %a {size = 3 : i64} : (!a) -> !a loc("lrn"("l"))
  %1 = nn.lp_normalization %0 {axis = 1 : i64, p = 1 : i64} : (!a) -> !a loc("norm"("n"))
  %2 = nn.requantize %1 : (!a) -> tensor<1x2x4x4xf32> loc("dq"("y"))
  return %2 : tensor<1x2x4x4xf32>
}

//--- ranks.mlir
// A number may have more dimensions than the codes beside it. A comparison
// keeps them; a table, or a product of x with itself, has no place for them.
// RANKS-DAG: remark: layer 'add' (nn.add) computes in float
// RANKS-DAG: remark: layer 'pow' (nn.pow) computes in float
// RANKS-NOT: remark
// RANKS-LABEL: func.func @npu
// RANKS: %[[N:.*]] = nn.constant dense<6> : tensor<1x1xi16>
// RANKS: npu.compare %{{.*}}, %[[N]] {{.*}} : (tensor<3xui16>, tensor<1x1xi16>) -> tensor<1x3xi1>
!x = tensor<3x!quant.uniform<u16:f32, 0.5:7>>
!y = tensor<1x3x!quant.uniform<u16:f32, 0.5:7>>
func.func @quantized(%f: tensor<3xf32>) -> (tensor<1x3xi1>, tensor<1x3xf32>, tensor<1x3xf32>) {
  %three = nn.constant dense<3.0> : tensor<1x1xf32>
  %two = nn.constant dense<2.0> : tensor<1x1xf32>
  %x = nn.requantize %f : (tensor<3xf32>) -> !x
  %0 = nn.less %x, %three : (!x, tensor<1x1xf32>) -> tensor<1x3xi1> loc("less"("l"))
  %1 = nn.add %x, %three : (!x, tensor<1x1xf32>) -> !y loc("add"("a"))
  %2 = nn.pow %x, %two : (!x, tensor<1x1xf32>) -> !y loc("pow"("p"))
  %3 = nn.requantize %1 : (!y) -> tensor<1x3xf32>
  %4 = nn.requantize %2 : (!y) -> tensor<1x3xf32>
  return %0, %3, %4 : tensor<1x3xi1>, tensor<1x3xf32>, tensor<1x3xf32>
}

//--- unsigned.mlir
// Constants of another model may have codes without a sign, which weights have
// not: they are multiplied like activations.
// UNSIGNED-LABEL: func.func @npu
// UNSIGNED-COUNT-2: npu.matmul
!a = tensor<2x3x4x!quant.uniform<u8:f32, 0.5:7>>
!b = tensor<2x4x3x!quant.uniform<u8:f32, 0.5:7>>
!y = tensor<2x3x3x!quant.uniform<u8:f32, 0.5:7>>
func.func @quantized(%f: tensor<2x3x4xf32>) -> (tensor<2x3x3xf32>, tensor<2x3x3xf32>) {
  %x = nn.requantize %f : (tensor<2x3x4xf32>) -> !a
  %w = nn.quantized_constant dense<1> : tensor<2x4x3xui8> : !b
  %0 = nn.matmul %x, %w : (!a, !b) -> !y
  %1 = nn.einsum %x, %w {equation = "bij,bjk->bik"} : (!a, !b) -> !y
  %2 = nn.requantize %0 : (!y) -> tensor<2x3x3xf32>
  %3 = nn.requantize %1 : (!y) -> tensor<2x3x3xf32>
  return %2, %3 : tensor<2x3x3xf32>, tensor<2x3x3xf32>
}

//--- masks.mlir
// The value of the greatest code is 1, although 255 times its scale, which is
// rounded, is not (C7): so the code is what a mask is compared with.
// MASKS-LABEL: func.func @npu
// MASKS: %[[BYTE:.*]] = nn.constant {{.*}}dense<255> : tensor<1xi16>
// MASKS: npu.compare %{{.*}}, %[[BYTE]] {{.*}}b_zero_point = 0 : i64, coefficients = array<i64: 1073741824, -1073741824>, kind = "equal"
// MASKS: %[[WORD:.*]] = nn.constant {{.*}}dense<65535> : tensor<1xui16>
// MASKS: npu.compare %{{.*}}, %[[WORD]] {{.*}}b_zero_point = 0 : i64, coefficients = array<i64: 1073741824, -1073741824>, kind = "equal"
// MASKS: %[[LEAST:.*]] = nn.constant {{.*}}dense<0> : tensor<1xui16>
// MASKS: npu.compare %{{.*}}, %[[LEAST]] {{.*}}b_zero_point = 65535 : i64, coefficients = array<i64: 1073741824, -1073741824>, kind = "less"
!byte = tensor<4x!quant.uniform<u8:f32, 0.003921568859368563>>
!word = tensor<4x!quant.uniform<u16:f32, 1.5259021893143654e-05>>
!below = tensor<4x!quant.uniform<u16:f32, 1.5259021893143654e-05:65535>>
func.func @quantized(%x: tensor<4xf32>) -> (tensor<4xi1>, tensor<4xi1>, tensor<4xi1>) {
  %one = nn.constant dense<1.0> : tensor<1xf32>
  %minus = nn.constant dense<-1.0> : tensor<1xf32>
  %a = nn.requantize %x : (tensor<4xf32>) -> !byte
  %b = nn.requantize %x : (tensor<4xf32>) -> !word
  %c = nn.requantize %x : (tensor<4xf32>) -> !below
  %0 = nn.equal %a, %one : (!byte, tensor<1xf32>) -> tensor<4xi1>
  %1 = nn.equal %b, %one : (!word, tensor<1xf32>) -> tensor<4xi1>
  %2 = nn.less %c, %minus : (!below, tensor<1xf32>) -> tensor<4xi1>
  return %0, %1, %2 : tensor<4xi1>, tensor<4xi1>, tensor<4xi1>
}
