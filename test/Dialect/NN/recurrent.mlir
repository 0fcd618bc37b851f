// RUN: parallax-opt %s | parallax-opt | FileCheck %s

// CHECK-LABEL: func.func @forward
func.func @forward(%x: tensor<7x2x3xf32>, %w1: tensor<1x5x3xf32>,
                   %r1: tensor<1x5x5xf32>, %b1: tensor<1x10xf32>,
                   %w3: tensor<1x15x3xf32>, %r3: tensor<1x15x5xf32>,
                   %b3: tensor<1x30xf32>, %l: tensor<2xi32>,
                   %h: tensor<1x2x5xf32>) {
  // CHECK: nn.rnn {{.*}}hidden_size = 5{{.*}}-> (tensor<7x1x2x5xf32>, tensor<1x2x5xf32>)
  %0:2 = nn.rnn %x, %w1, %r1, %b1, %l, %h
      {activation_alpha = array<f32>, activation_beta = array<f32>,
       activations = ["Tanh"], hidden_size = 5 : i64}
      : (tensor<7x2x3xf32>, tensor<1x5x3xf32>, tensor<1x5x5xf32>, tensor<1x10xf32>, tensor<2xi32>, tensor<1x2x5xf32>)
      -> (tensor<7x1x2x5xf32>, tensor<1x2x5xf32>)
  // CHECK: nn.gru {{.*}}linear_before_reset = true{{.*}}-> (tensor<7x1x2x5xf32>, tensor<1x2x5xf32>)
  %1:2 = nn.gru %x, %w3, %r3, %b3, %l, %h
      {activation_alpha = array<f32>, activation_beta = array<f32>,
       activations = ["Sigmoid", "Tanh"], hidden_size = 5 : i64,
       linear_before_reset = true}
      : (tensor<7x2x3xf32>, tensor<1x15x3xf32>, tensor<1x15x5xf32>, tensor<1x30xf32>, tensor<2xi32>, tensor<1x2x5xf32>)
      -> (tensor<7x1x2x5xf32>, tensor<1x2x5xf32>)
  return
}

// CHECK-LABEL: func.func @bidirectional
func.func @bidirectional(%x: tensor<7x2x3xf32>, %w: tensor<2x20x3xf32>,
                         %r: tensor<2x20x5xf32>, %b: tensor<2x40xf32>,
                         %l: tensor<2xi32>, %h: tensor<2x2x5xf32>,
                         %p: tensor<2x15xf32>) {
  // CHECK: nn.lstm {{.*}}direction = "bidirectional"{{.*}}-> (tensor<7x2x2x5xf32>, tensor<2x2x5xf32>, tensor<2x2x5xf32>)
  %0:3 = nn.lstm %x, %w, %r, %b, %l, %h, %h, %p
      {activation_alpha = array<f32>, activation_beta = array<f32>,
       activations = ["Sigmoid", "Tanh", "Tanh", "Sigmoid", "Tanh", "Tanh"],
       direction = "bidirectional", hidden_size = 5 : i64, input_forget = true}
      : (tensor<7x2x3xf32>, tensor<2x20x3xf32>, tensor<2x20x5xf32>, tensor<2x40xf32>, tensor<2xi32>, tensor<2x2x5xf32>, tensor<2x2x5xf32>, tensor<2x15xf32>)
      -> (tensor<7x2x2x5xf32>, tensor<2x2x5xf32>, tensor<2x2x5xf32>)
  return
}

// CHECK-LABEL: func.func @batch_first
func.func @batch_first(%x: tensor<2x7x3xf32>, %w: tensor<1x5x3xf32>,
                       %r: tensor<1x5x5xf32>, %b: tensor<1x10xf32>,
                       %l: tensor<2xi32>, %h: tensor<2x1x5xf32>) {
  // CHECK: nn.rnn {{.*}}layout = 1{{.*}}-> (tensor<2x7x1x5xf32>, tensor<2x1x5xf32>)
  %0:2 = nn.rnn %x, %w, %r, %b, %l, %h
      {activation_alpha = array<f32: 0.5>, activation_beta = array<f32: 0.5>,
       activations = ["Affine"], clip = 3.0 : f32, direction = "reverse",
       hidden_size = 5 : i64, layout = 1 : i64}
      : (tensor<2x7x3xf32>, tensor<1x5x3xf32>, tensor<1x5x5xf32>, tensor<1x10xf32>, tensor<2xi32>, tensor<2x1x5xf32>)
      -> (tensor<2x7x1x5xf32>, tensor<2x1x5xf32>)
  return
}
