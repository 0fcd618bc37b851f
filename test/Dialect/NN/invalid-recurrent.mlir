// RUN: parallax-opt %s -split-input-file -verify-diagnostics

func.func @recurrent_integer(%x0: tensor<7x2x3xi32>, %x1: tensor<1x5x3xf32>,
                             %x2: tensor<1x5x5xf32>, %x3: tensor<1x10xf32>,
                             %x4: tensor<2xi32>, %x5: tensor<1x2x5xf32>) {
  // expected-error @+2 {{x has element type 'i32', expected float}}
  // expected-error @+1 {{failed to infer returned types}}
  %0:2 = nn.rnn %x0, %x1, %x2, %x3, %x4, %x5
      {activation_alpha = array<f32>, activation_beta = array<f32>,
       activations = ["Tanh"], hidden_size = 5 : i64}
      : (tensor<7x2x3xi32>, tensor<1x5x3xf32>, tensor<1x5x5xf32>,
         tensor<1x10xf32>, tensor<2xi32>, tensor<1x2x5xf32>)
      -> (tensor<7x1x2x5xf32>, tensor<1x2x5xf32>)
  return
}

// -----

func.func @recurrent_mixed(%x0: tensor<7x2x3xf32>, %x1: tensor<1x5x3xf32>,
                           %x2: tensor<1x5x5xf64>, %x3: tensor<1x10xf32>,
                           %x4: tensor<2xi32>, %x5: tensor<1x2x5xf32>) {
  // expected-error @+2 {{r has element type 'f64', but x has 'f32'}}
  // expected-error @+1 {{failed to infer returned types}}
  %0:2 = nn.rnn %x0, %x1, %x2, %x3, %x4, %x5
      {activation_alpha = array<f32>, activation_beta = array<f32>,
       activations = ["Tanh"], hidden_size = 5 : i64}
      : (tensor<7x2x3xf32>, tensor<1x5x3xf32>, tensor<1x5x5xf64>,
         tensor<1x10xf32>, tensor<2xi32>, tensor<1x2x5xf32>)
      -> (tensor<7x1x2x5xf32>, tensor<1x2x5xf32>)
  return
}

// -----

func.func @recurrent_lengths_float(%x0: tensor<7x2x3xf32>,
                                   %x1: tensor<1x5x3xf32>,
                                   %x2: tensor<1x5x5xf32>,
                                   %x3: tensor<1x10xf32>, %x4: tensor<2xf32>,
                                   %x5: tensor<1x2x5xf32>) {
  // expected-error @+2 {{sequence_lens has element type 'f32', expected i32 or i64}}
  // expected-error @+1 {{failed to infer returned types}}
  %0:2 = nn.rnn %x0, %x1, %x2, %x3, %x4, %x5
      {activation_alpha = array<f32>, activation_beta = array<f32>,
       activations = ["Tanh"], hidden_size = 5 : i64}
      : (tensor<7x2x3xf32>, tensor<1x5x3xf32>, tensor<1x5x5xf32>,
         tensor<1x10xf32>, tensor<2xf32>, tensor<1x2x5xf32>)
      -> (tensor<7x1x2x5xf32>, tensor<1x2x5xf32>)
  return
}

// -----

func.func @recurrent_rank(%x0: tensor<2x3xf32>, %x1: tensor<1x5x3xf32>,
                          %x2: tensor<1x5x5xf32>, %x3: tensor<1x10xf32>,
                          %x4: tensor<2xi32>, %x5: tensor<1x2x5xf32>) {
  // expected-error @+2 {{x has rank 2, expected 3}}
  // expected-error @+1 {{failed to infer returned types}}
  %0:2 = nn.rnn %x0, %x1, %x2, %x3, %x4, %x5
      {activation_alpha = array<f32>, activation_beta = array<f32>,
       activations = ["Tanh"], hidden_size = 5 : i64}
      : (tensor<2x3xf32>, tensor<1x5x3xf32>, tensor<1x5x5xf32>,
         tensor<1x10xf32>, tensor<2xi32>, tensor<1x2x5xf32>)
      -> (tensor<7x1x2x5xf32>, tensor<1x2x5xf32>)
  return
}

// -----

func.func @recurrent_layout(%x0: tensor<7x2x3xf32>, %x1: tensor<1x5x3xf32>,
                            %x2: tensor<1x5x5xf32>, %x3: tensor<1x10xf32>,
                            %x4: tensor<2xi32>, %x5: tensor<1x2x5xf32>) {
  // expected-error @+2 {{layout is 2, expected 0 or 1}}
  // expected-error @+1 {{failed to infer returned types}}
  %0:2 = nn.rnn %x0, %x1, %x2, %x3, %x4, %x5
      {activation_alpha = array<f32>, activation_beta = array<f32>,
       activations = ["Tanh"], hidden_size = 5 : i64, layout = 2 : i64}
      : (tensor<7x2x3xf32>, tensor<1x5x3xf32>, tensor<1x5x5xf32>,
         tensor<1x10xf32>, tensor<2xi32>, tensor<1x2x5xf32>)
      -> (tensor<7x1x2x5xf32>, tensor<1x2x5xf32>)
  return
}

// -----

func.func @recurrent_hidden_size(%x0: tensor<7x2x3xf32>, %x1: tensor<1x5x3xf32>,
                                 %x2: tensor<1x5x5xf32>, %x3: tensor<1x10xf32>,
                                 %x4: tensor<2xi32>, %x5: tensor<1x2x5xf32>) {
  // expected-error @+2 {{hidden_size is 0, expected at least 1}}
  // expected-error @+1 {{failed to infer returned types}}
  %0:2 = nn.rnn %x0, %x1, %x2, %x3, %x4, %x5
      {activation_alpha = array<f32>, activation_beta = array<f32>,
       activations = ["Tanh"], hidden_size = 0 : i64}
      : (tensor<7x2x3xf32>, tensor<1x5x3xf32>, tensor<1x5x5xf32>,
         tensor<1x10xf32>, tensor<2xi32>, tensor<1x2x5xf32>)
      -> (tensor<7x1x2x5xf32>, tensor<1x2x5xf32>)
  return
}

// -----

func.func @recurrent_hidden_size_overflow(%x0: tensor<7x2x3xf32>,
                                          %x1: tensor<1x20x3xf32>,
                                          %x2: tensor<1x20x5xf32>,
                                          %x3: tensor<1x40xf32>,
                                          %x4: tensor<2xi32>,
                                          %x5: tensor<1x2x5xf32>,
                                          %x6: tensor<1x2x5xf32>,
                                          %x7: tensor<1x15xf32>) {
  // expected-error @+2 {{w has shape 1x20x3, expected 1x9223372036854775807x3}}
  // expected-error @+1 {{failed to infer returned types}}
  %0:3 = nn.lstm %x0, %x1, %x2, %x3, %x4, %x5, %x6, %x7
      {activation_alpha = array<f32>, activation_beta = array<f32>,
       activations = ["Sigmoid", "Tanh", "Tanh"],
       hidden_size = 9223372036854775807 : i64}
      : (tensor<7x2x3xf32>, tensor<1x20x3xf32>, tensor<1x20x5xf32>,
         tensor<1x40xf32>, tensor<2xi32>, tensor<1x2x5xf32>, tensor<1x2x5xf32>,
         tensor<1x15xf32>)
      -> (tensor<7x1x2x5xf32>, tensor<1x2x5xf32>, tensor<1x2x5xf32>)
  return
}

// -----

func.func @recurrent_input_weight(%x0: tensor<7x2x3xf32>,
                                  %x1: tensor<1x5x4xf32>,
                                  %x2: tensor<1x5x5xf32>, %x3: tensor<1x10xf32>,
                                  %x4: tensor<2xi32>, %x5: tensor<1x2x5xf32>) {
  // expected-error @+2 {{w has shape 1x5x4, expected 1x5x3}}
  // expected-error @+1 {{failed to infer returned types}}
  %0:2 = nn.rnn %x0, %x1, %x2, %x3, %x4, %x5
      {activation_alpha = array<f32>, activation_beta = array<f32>,
       activations = ["Tanh"], hidden_size = 5 : i64}
      : (tensor<7x2x3xf32>, tensor<1x5x4xf32>, tensor<1x5x5xf32>,
         tensor<1x10xf32>, tensor<2xi32>, tensor<1x2x5xf32>)
      -> (tensor<7x1x2x5xf32>, tensor<1x2x5xf32>)
  return
}

// -----

func.func @recurrent_gates(%x0: tensor<7x2x3xf32>, %x1: tensor<1x5x3xf32>,
                           %x2: tensor<1x5x5xf32>, %x3: tensor<1x10xf32>,
                           %x4: tensor<2xi32>, %x5: tensor<1x2x5xf32>) {
  // expected-error @+2 {{w has shape 1x5x3, expected 1x15x3}}
  // expected-error @+1 {{failed to infer returned types}}
  %0:2 = nn.gru %x0, %x1, %x2, %x3, %x4, %x5
      {activation_alpha = array<f32>, activation_beta = array<f32>,
       activations = ["Sigmoid", "Tanh"], hidden_size = 5 : i64}
      : (tensor<7x2x3xf32>, tensor<1x5x3xf32>, tensor<1x5x5xf32>,
         tensor<1x10xf32>, tensor<2xi32>, tensor<1x2x5xf32>)
      -> (tensor<7x1x2x5xf32>, tensor<1x2x5xf32>)
  return
}

// -----

func.func @recurrent_weight(%x0: tensor<7x2x3xf32>, %x1: tensor<1x5x3xf32>,
                            %x2: tensor<1x5x4xf32>, %x3: tensor<1x10xf32>,
                            %x4: tensor<2xi32>, %x5: tensor<1x2x5xf32>) {
  // expected-error @+2 {{r has shape 1x5x4, expected 1x5x5}}
  // expected-error @+1 {{failed to infer returned types}}
  %0:2 = nn.rnn %x0, %x1, %x2, %x3, %x4, %x5
      {activation_alpha = array<f32>, activation_beta = array<f32>,
       activations = ["Tanh"], hidden_size = 5 : i64}
      : (tensor<7x2x3xf32>, tensor<1x5x3xf32>, tensor<1x5x4xf32>,
         tensor<1x10xf32>, tensor<2xi32>, tensor<1x2x5xf32>)
      -> (tensor<7x1x2x5xf32>, tensor<1x2x5xf32>)
  return
}

// -----

func.func @recurrent_bias(%x0: tensor<7x2x3xf32>, %x1: tensor<1x5x3xf32>,
                          %x2: tensor<1x5x5xf32>, %x3: tensor<1x5xf32>,
                          %x4: tensor<2xi32>, %x5: tensor<1x2x5xf32>) {
  // expected-error @+2 {{b has shape 1x5, expected 1x10}}
  // expected-error @+1 {{failed to infer returned types}}
  %0:2 = nn.rnn %x0, %x1, %x2, %x3, %x4, %x5
      {activation_alpha = array<f32>, activation_beta = array<f32>,
       activations = ["Tanh"], hidden_size = 5 : i64}
      : (tensor<7x2x3xf32>, tensor<1x5x3xf32>, tensor<1x5x5xf32>,
         tensor<1x5xf32>, tensor<2xi32>, tensor<1x2x5xf32>)
      -> (tensor<7x1x2x5xf32>, tensor<1x2x5xf32>)
  return
}

// -----

func.func @recurrent_lengths(%x0: tensor<7x2x3xf32>, %x1: tensor<1x5x3xf32>,
                             %x2: tensor<1x5x5xf32>, %x3: tensor<1x10xf32>,
                             %x4: tensor<7xi32>, %x5: tensor<1x2x5xf32>) {
  // expected-error @+2 {{sequence_lens has shape 7, expected 2}}
  // expected-error @+1 {{failed to infer returned types}}
  %0:2 = nn.rnn %x0, %x1, %x2, %x3, %x4, %x5
      {activation_alpha = array<f32>, activation_beta = array<f32>,
       activations = ["Tanh"], hidden_size = 5 : i64}
      : (tensor<7x2x3xf32>, tensor<1x5x3xf32>, tensor<1x5x5xf32>,
         tensor<1x10xf32>, tensor<7xi32>, tensor<1x2x5xf32>)
      -> (tensor<7x1x2x5xf32>, tensor<1x2x5xf32>)
  return
}

// -----

func.func @recurrent_initial_state(%x0: tensor<7x2x3xf32>,
                                   %x1: tensor<1x5x3xf32>,
                                   %x2: tensor<1x5x5xf32>,
                                   %x3: tensor<1x10xf32>, %x4: tensor<2xi32>,
                                   %x5: tensor<2x1x5xf32>) {
  // expected-error @+2 {{initial_h has shape 2x1x5, expected 1x2x5}}
  // expected-error @+1 {{failed to infer returned types}}
  %0:2 = nn.rnn %x0, %x1, %x2, %x3, %x4, %x5
      {activation_alpha = array<f32>, activation_beta = array<f32>,
       activations = ["Tanh"], hidden_size = 5 : i64}
      : (tensor<7x2x3xf32>, tensor<1x5x3xf32>, tensor<1x5x5xf32>,
         tensor<1x10xf32>, tensor<2xi32>, tensor<2x1x5xf32>)
      -> (tensor<7x1x2x5xf32>, tensor<1x2x5xf32>)
  return
}

// -----

func.func @recurrent_batch_first(%x0: tensor<2x7x3xf32>, %x1: tensor<1x5x3xf32>,
                                 %x2: tensor<1x5x5xf32>, %x3: tensor<1x10xf32>,
                                 %x4: tensor<2xi32>, %x5: tensor<1x2x5xf32>) {
  // expected-error @+2 {{initial_h has shape 1x2x5, expected 2x1x5}}
  // expected-error @+1 {{failed to infer returned types}}
  %0:2 = nn.rnn %x0, %x1, %x2, %x3, %x4, %x5
      {activation_alpha = array<f32>, activation_beta = array<f32>,
       activations = ["Tanh"], hidden_size = 5 : i64, layout = 1 : i64}
      : (tensor<2x7x3xf32>, tensor<1x5x3xf32>, tensor<1x5x5xf32>,
         tensor<1x10xf32>, tensor<2xi32>, tensor<1x2x5xf32>)
      -> (tensor<7x1x2x5xf32>, tensor<1x2x5xf32>)
  return
}

// -----

func.func @recurrent_directions(%x0: tensor<7x2x3xf32>, %x1: tensor<1x5x3xf32>,
                                %x2: tensor<1x5x5xf32>, %x3: tensor<1x10xf32>,
                                %x4: tensor<2xi32>, %x5: tensor<1x2x5xf32>) {
  // expected-error @+2 {{w has shape 1x5x3, expected 2x5x3}}
  // expected-error @+1 {{failed to infer returned types}}
  %0:2 = nn.rnn %x0, %x1, %x2, %x3, %x4, %x5
      {activation_alpha = array<f32>, activation_beta = array<f32>,
       activations = ["Tanh", "Tanh"], direction = "bidirectional",
       hidden_size = 5 : i64}
      : (tensor<7x2x3xf32>, tensor<1x5x3xf32>, tensor<1x5x5xf32>,
         tensor<1x10xf32>, tensor<2xi32>, tensor<1x2x5xf32>)
      -> (tensor<7x1x2x5xf32>, tensor<1x2x5xf32>)
  return
}

// -----

func.func @recurrent_direction(%x0: tensor<7x2x3xf32>, %x1: tensor<1x5x3xf32>,
                               %x2: tensor<1x5x5xf32>, %x3: tensor<1x10xf32>,
                               %x4: tensor<2xi32>, %x5: tensor<1x2x5xf32>) {
  // expected-error @+2 {{one of: forward, reverse, bidirectional}}
  %0:2 = nn.rnn %x0, %x1, %x2, %x3, %x4, %x5
      {activation_alpha = array<f32>, activation_beta = array<f32>,
       activations = ["Tanh"], direction = "both", hidden_size = 5 : i64}
      : (tensor<7x2x3xf32>, tensor<1x5x3xf32>, tensor<1x5x5xf32>,
         tensor<1x10xf32>, tensor<2xi32>, tensor<1x2x5xf32>)
      -> (tensor<7x1x2x5xf32>, tensor<1x2x5xf32>)
  return
}

// -----

func.func @recurrent_activation_count(%x0: tensor<7x2x3xf32>,
                                      %x1: tensor<1x5x3xf32>,
                                      %x2: tensor<1x5x5xf32>,
                                      %x3: tensor<1x10xf32>, %x4: tensor<2xi32>,
                                      %x5: tensor<1x2x5xf32>) {
  // expected-error @+2 {{activations has 2 entries, expected 1}}
  // expected-error @+1 {{failed to infer returned types}}
  %0:2 = nn.rnn %x0, %x1, %x2, %x3, %x4, %x5
      {activation_alpha = array<f32>, activation_beta = array<f32>,
       activations = ["Tanh", "Tanh"], hidden_size = 5 : i64}
      : (tensor<7x2x3xf32>, tensor<1x5x3xf32>, tensor<1x5x5xf32>,
         tensor<1x10xf32>, tensor<2xi32>, tensor<1x2x5xf32>)
      -> (tensor<7x1x2x5xf32>, tensor<1x2x5xf32>)
  return
}

// -----

func.func @recurrent_activation(%x0: tensor<7x2x3xf32>, %x1: tensor<1x5x3xf32>,
                                %x2: tensor<1x5x5xf32>, %x3: tensor<1x10xf32>,
                                %x4: tensor<2xi32>, %x5: tensor<1x2x5xf32>) {
  // expected-error @+2 {{unknown activation 'Swish'}}
  // expected-error @+1 {{failed to infer returned types}}
  %0:2 = nn.rnn %x0, %x1, %x2, %x3, %x4, %x5
      {activation_alpha = array<f32>, activation_beta = array<f32>,
       activations = ["Swish"], hidden_size = 5 : i64}
      : (tensor<7x2x3xf32>, tensor<1x5x3xf32>, tensor<1x5x5xf32>,
         tensor<1x10xf32>, tensor<2xi32>, tensor<1x2x5xf32>)
      -> (tensor<7x1x2x5xf32>, tensor<1x2x5xf32>)
  return
}

// -----

func.func @recurrent_activation_alpha(%x0: tensor<7x2x3xf32>,
                                      %x1: tensor<1x5x3xf32>,
                                      %x2: tensor<1x5x5xf32>,
                                      %x3: tensor<1x10xf32>, %x4: tensor<2xi32>,
                                      %x5: tensor<1x2x5xf32>) {
  // expected-error @+2 {{activation_alpha has 2 entries, expected at most 1}}
  // expected-error @+1 {{failed to infer returned types}}
  %0:2 = nn.rnn %x0, %x1, %x2, %x3, %x4, %x5
      {activation_alpha = array<f32: 1.0, 2.0>, activation_beta = array<f32>,
       activations = ["Tanh"], hidden_size = 5 : i64}
      : (tensor<7x2x3xf32>, tensor<1x5x3xf32>, tensor<1x5x5xf32>,
         tensor<1x10xf32>, tensor<2xi32>, tensor<1x2x5xf32>)
      -> (tensor<7x1x2x5xf32>, tensor<1x2x5xf32>)
  return
}

// -----

func.func @recurrent_activation_beta(%x0: tensor<7x2x3xf32>,
                                     %x1: tensor<1x5x3xf32>,
                                     %x2: tensor<1x5x5xf32>,
                                     %x3: tensor<1x10xf32>, %x4: tensor<2xi32>,
                                     %x5: tensor<1x2x5xf32>) {
  // expected-error @+2 {{activation_beta has 2 entries, expected at most 1}}
  // expected-error @+1 {{failed to infer returned types}}
  %0:2 = nn.rnn %x0, %x1, %x2, %x3, %x4, %x5
      {activation_alpha = array<f32>, activation_beta = array<f32: 1.0, 2.0>,
       activations = ["Tanh"], hidden_size = 5 : i64}
      : (tensor<7x2x3xf32>, tensor<1x5x3xf32>, tensor<1x5x5xf32>,
         tensor<1x10xf32>, tensor<2xi32>, tensor<1x2x5xf32>)
      -> (tensor<7x1x2x5xf32>, tensor<1x2x5xf32>)
  return
}

// -----

func.func @recurrent_cell_state(%x0: tensor<7x2x3xf32>, %x1: tensor<1x20x3xf32>,
                                %x2: tensor<1x20x5xf32>, %x3: tensor<1x40xf32>,
                                %x4: tensor<2xi32>, %x5: tensor<1x2x5xf32>,
                                %x6: tensor<1x2x4xf32>, %x7: tensor<1x15xf32>) {
  // expected-error @+2 {{initial_c has shape 1x2x4, expected 1x2x5}}
  // expected-error @+1 {{failed to infer returned types}}
  %0:3 = nn.lstm %x0, %x1, %x2, %x3, %x4, %x5, %x6, %x7
      {activation_alpha = array<f32>, activation_beta = array<f32>,
       activations = ["Sigmoid", "Tanh", "Tanh"], hidden_size = 5 : i64}
      : (tensor<7x2x3xf32>, tensor<1x20x3xf32>, tensor<1x20x5xf32>,
         tensor<1x40xf32>, tensor<2xi32>, tensor<1x2x5xf32>, tensor<1x2x4xf32>,
         tensor<1x15xf32>)
      -> (tensor<7x1x2x5xf32>, tensor<1x2x5xf32>, tensor<1x2x5xf32>)
  return
}

// -----

func.func @recurrent_peepholes(%x0: tensor<7x2x3xf32>, %x1: tensor<1x20x3xf32>,
                               %x2: tensor<1x20x5xf32>, %x3: tensor<1x40xf32>,
                               %x4: tensor<2xi32>, %x5: tensor<1x2x5xf32>,
                               %x6: tensor<1x2x5xf32>, %x7: tensor<1x20xf32>) {
  // expected-error @+2 {{p has shape 1x20, expected 1x15}}
  // expected-error @+1 {{failed to infer returned types}}
  %0:3 = nn.lstm %x0, %x1, %x2, %x3, %x4, %x5, %x6, %x7
      {activation_alpha = array<f32>, activation_beta = array<f32>,
       activations = ["Sigmoid", "Tanh", "Tanh"], hidden_size = 5 : i64}
      : (tensor<7x2x3xf32>, tensor<1x20x3xf32>, tensor<1x20x5xf32>,
         tensor<1x40xf32>, tensor<2xi32>, tensor<1x2x5xf32>, tensor<1x2x5xf32>,
         tensor<1x20xf32>)
      -> (tensor<7x1x2x5xf32>, tensor<1x2x5xf32>, tensor<1x2x5xf32>)
  return
}
