// RUN: parallax-opt %s -split-input-file -verify-diagnostics

func.func @gemm_bool(%x0: tensor<2x3xi1>, %x1: tensor<3x4xi1>) {
  // expected-error @+2 {{a has element type 'i1', expected number}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = nn.gemm %x0, %x1 : (tensor<2x3xi1>, tensor<3x4xi1>) -> tensor<1xf32>
  return
}

// -----

func.func @gemm_rank(%x0: tensor<2x3xf32>, %x1: tensor<1x3x4xf32>) {
  // expected-error @+2 {{b has rank 3, expected 2}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = nn.gemm %x0, %x1 : (tensor<2x3xf32>, tensor<1x3x4xf32>) -> tensor<1xf32>
  return
}

// -----

func.func @gemm_inner(%x0: tensor<2x3xf32>, %x1: tensor<3x4xf32>) {
  // expected-error @+2 {{cannot multiply 3 columns of a by 4 rows of b}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = nn.gemm %x0, %x1 {trans_b = true}
      : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<1xf32>
  return
}

// -----

func.func @gemm_bias(%x0: tensor<2x3xf32>, %x1: tensor<3x4xf32>,
                     %x2: tensor<2xf32>) {
  // expected-error @+2 {{c of shape 2 does not broadcast to 2x4}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = nn.gemm %x0, %x1, %x2
      : (tensor<2x3xf32>, tensor<3x4xf32>, tensor<2xf32>) -> tensor<1xf32>
  return
}

// -----

func.func @gemm_bias_rank(%x0: tensor<2x3xf32>, %x1: tensor<3x4xf32>,
                          %x2: tensor<1x2x4xf32>) {
  // expected-error @+2 {{c of shape 1x2x4 does not broadcast to 2x4}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = nn.gemm %x0, %x1, %x2
      : (tensor<2x3xf32>, tensor<3x4xf32>, tensor<1x2x4xf32>) -> tensor<1xf32>
  return
}

// -----

func.func @gemm_mixed(%x0: tensor<2x3xf32>, %x1: tensor<3x4xf32>,
                      %x2: tensor<4xi32>) {
  // expected-error @+2 {{c has element type 'i32', but a has 'f32'}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = nn.gemm %x0, %x1, %x2
      : (tensor<2x3xf32>, tensor<3x4xf32>, tensor<4xi32>) -> tensor<1xf32>
  return
}

// -----

func.func @fully_connected_elements(%x0: tensor<2x3xi32>,
                                    %x1: tensor<4x3xi32>) {
  // expected-error @+2 {{x has element type 'i32', expected float}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = nn.fully_connected %x0, %x1
      : (tensor<2x3xi32>, tensor<4x3xi32>) -> tensor<1xf32>
  return
}

// -----

func.func @fully_connected_mixed(%x0: tensor<2x3xf32>,
                                 %x1: tensor<4x3xf32>, %x2: tensor<4xf64>) {
  // expected-error @+2 {{bias has element type 'f64', but x has 'f32'}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = nn.fully_connected %x0, %x1, %x2
      : (tensor<2x3xf32>, tensor<4x3xf32>, tensor<4xf64>) -> tensor<1xf32>
  return
}

// -----

func.func @fully_connected_scalar(%x0: tensor<f32>, %x1: tensor<4x3xf32>) {
  // expected-error @+2 {{x has rank 0, expected at least 1}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = nn.fully_connected %x0, %x1
      : (tensor<f32>, tensor<4x3xf32>) -> tensor<1xf32>
  return
}

// -----

func.func @fully_connected_weight_rank(%x0: tensor<2x3xf32>,
                                       %x1: tensor<1x4x3xf32>) {
  // expected-error @+2 {{weight has rank 3, expected 2}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = nn.fully_connected %x0, %x1
      : (tensor<2x3xf32>, tensor<1x4x3xf32>) -> tensor<1xf32>
  return
}

// -----

func.func @fully_connected_inner(%x0: tensor<2x3xf32>, %x1: tensor<4x5xf32>) {
  // expected-error @+2 {{weight has shape 4x5, expected 4x3}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = nn.fully_connected %x0, %x1
      : (tensor<2x3xf32>, tensor<4x5xf32>) -> tensor<1xf32>
  return
}

// -----

func.func @fully_connected_bias(%x0: tensor<2x3xf32>,
                                %x1: tensor<4x3xf32>, %x2: tensor<3xf32>) {
  // expected-error @+2 {{bias has shape 3, expected 4}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = nn.fully_connected %x0, %x1, %x2
      : (tensor<2x3xf32>, tensor<4x3xf32>, tensor<3xf32>) -> tensor<1xf32>
  return
}

// -----

func.func @matmul_scalar(%x0: tensor<f32>, %x1: tensor<3xf32>) {
  // expected-error @+2 {{a has rank 0, expected at least 1}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = nn.matmul %x0, %x1 : (tensor<f32>, tensor<3xf32>) -> tensor<1xf32>
  return
}

// -----

func.func @matmul_inner(%x0: tensor<2x3xf32>, %x1: tensor<4xf32>) {
  // expected-error @+2 {{cannot multiply 3 columns of a by 4 rows of b}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = nn.matmul %x0, %x1 : (tensor<2x3xf32>, tensor<4xf32>) -> tensor<1xf32>
  return
}

// -----

func.func @matmul_batch(%x0: tensor<2x2x3xf32>, %x1: tensor<3x3x4xf32>) {
  // expected-error @+2 {{shapes 2 and 3 do not broadcast}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = nn.matmul %x0, %x1
      : (tensor<2x2x3xf32>, tensor<3x3x4xf32>) -> tensor<1xf32>
  return
}

// -----

func.func @matmul_mixed(%x0: tensor<2x3xf32>, %x1: tensor<3xi32>) {
  // expected-error @+2 {{b has element type 'i32', but a has 'f32'}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = nn.matmul %x0, %x1 : (tensor<2x3xf32>, tensor<3xi32>) -> tensor<1xf32>
  return
}

// -----

func.func @einsum_terms(%x: tensor<2x3xf32>) {
  // expected-error @+2 {{equation has 2 terms for 1 operands}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = nn.einsum %x {equation = "ij,jk->ik"}
      : (tensor<2x3xf32>) -> tensor<1xf32>
  return
}

// -----

func.func @einsum_character(%x: tensor<2x3xf32>) {
  // expected-error @+2 {{equation has unexpected character '1'}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = nn.einsum %x {equation = "i1->i"} : (tensor<2x3xf32>) -> tensor<1xf32>
  return
}

// -----

func.func @einsum_dots(%x: tensor<2x3xf32>) {
  // expected-error @+2 {{equation has unexpected character '.'}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = nn.einsum %x {equation = "ij..->i"} : (tensor<2x3xf32>) -> tensor<1xf32>
  return
}

// -----

func.func @einsum_second_arrow(%x: tensor<2x3xf32>) {
  // expected-error @+2 {{equation has unexpected character '-'}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = nn.einsum %x {equation = "ij->i->j"} : (tensor<2x3xf32>) -> tensor<1xf32>
  return
}

// -----

func.func @einsum_two_ellipses(%x: tensor<2x3xf32>) {
  // expected-error @+2 {{equation has a term with two ellipses}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = nn.einsum %x {equation = "...i...->i"}
      : (tensor<2x3xf32>) -> tensor<1xf32>
  return
}

// -----

func.func @einsum_rank(%x: tensor<2x3xf32>) {
  // expected-error @+2 {{equation names 3 dimensions of an operand of shape 2x3}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = nn.einsum %x {equation = "ijk->i"} : (tensor<2x3xf32>) -> tensor<1xf32>
  return
}

// -----

func.func @einsum_ellipsis_rank(%x: tensor<2xf32>) {
  // expected-error @+2 {{equation names 2 dimensions of an operand of shape 2}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = nn.einsum %x {equation = "i...j->i"} : (tensor<2xf32>) -> tensor<1xf32>
  return
}

// -----

func.func @einsum_extents(%x0: tensor<2x3xf32>, %x1: tensor<4x5xf32>) {
  // expected-error @+2 {{label 'j' stands for 3 and for 4}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = nn.einsum %x0, %x1 {equation = "ij,jk->ik"}
      : (tensor<2x3xf32>, tensor<4x5xf32>) -> tensor<1xf32>
  return
}

// -----

func.func @einsum_diagonal(%x: tensor<1x3xf32>) {
  // expected-error @+2 {{label 'i' stands for 1 and for 3}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = nn.einsum %x {equation = "ii->i"} : (tensor<1x3xf32>) -> tensor<1xf32>
  return
}

// -----

func.func @einsum_ellipses(%x0: tensor<2x3xf32>, %x1: tensor<3x3xf32>) {
  // expected-error @+2 {{shapes 2 and 3 do not broadcast}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = nn.einsum %x0, %x1 {equation = "...i,...i"}
      : (tensor<2x3xf32>, tensor<3x3xf32>) -> tensor<1xf32>
  return
}

// -----

func.func @einsum_unknown_label(%x: tensor<2x3xf32>) {
  // expected-error @+2 {{label 'k' of the result is in no operand}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = nn.einsum %x {equation = "ij->ik"} : (tensor<2x3xf32>) -> tensor<1xf32>
  return
}

// -----

func.func @einsum_repeated_label(%x: tensor<2x3xf32>) {
  // expected-error @+2 {{label 'i' occurs twice in the result}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = nn.einsum %x {equation = "ij->ii"} : (tensor<2x3xf32>) -> tensor<1xf32>
  return
}

// -----

func.func @einsum_dropped_ellipsis(%x: tensor<2x3xf32>) {
  // expected-error @+2 {{equation drops the ellipsis from the result}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = nn.einsum %x {equation = "...i->i"} : (tensor<2x3xf32>) -> tensor<1xf32>
  return
}

// -----

func.func @einsum_bool(%x: tensor<2xi1>) {
  // expected-error @+2 {{operand has element type 'i1', expected number}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = nn.einsum %x {equation = "i"} : (tensor<2xi1>) -> tensor<1xf32>
  return
}

// -----

func.func @einsum_mixed(%x0: tensor<2xf32>, %x1: tensor<2xi32>) {
  // expected-error @+2 {{an operand has element type 'i32', but the first operand has 'f32'}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = nn.einsum %x0, %x1 {equation = "i,i"}
      : (tensor<2xf32>, tensor<2xi32>) -> tensor<1xf32>
  return
}

// -----

func.func @einsum_no_operand() {
  // expected-error @+2 {{equation has 1 terms for 0 operands}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = nn.einsum {equation = ""} : () -> tensor<1xf32>
  return
}
