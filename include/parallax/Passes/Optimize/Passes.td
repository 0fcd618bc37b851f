//===- Passes.td - Passes that optimize the float network -*- tablegen -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Families of rewrites, in the order of the alphabet within their groups. The
// examples leave out types where they don't matter.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_PASSES_OPTIMIZE_PASSES_TD
#define PARALLAX_PASSES_OPTIMIZE_PASSES_TD

include "mlir/Pass/PassBase.td"

class OptimizePass<string flag> : Pass<flag, "::mlir::func::FuncOp"> {
  let dependentDialects = ["::parallax::nn::NNDialect"];
}

/// Executes both sides of every rewrite; one that changes the result is undone
/// and reported as a warning.
class RewritePass<string flag> : OptimizePass<flag> {
  let options = [Option<"check", "check", "bool", /*default=*/"true",
      "Execute both sides of every rewrite and undo it if they differ">];
}

//===----------------------------------------------------------------------===//
// Everything
//===----------------------------------------------------------------------===//

def Optimize : RewritePass<"nn-optimize"> {
  let summary = "All passes of this page, until nothing changes any more";
  let description = [{
    What `parallax build` and `parallax optimize` do to an imported network.
    Running it a second time changes nothing.
  }];
}

//===----------------------------------------------------------------------===//
// Folding
//===----------------------------------------------------------------------===//

def FoldAffine : RewritePass<"nn-fold-affine"> {
  let summary = "Scales and shifts become part of weights and bias";
  let description = [{
    Batch normalization and arithmetic with constants, one number per channel,
    disappear into the convolution, transposed convolution or fully connected
    layer behind or in front of them. A shift in front of a convolution only
    folds if that has no padding, because padding is not shifted.

    ```mlir
    // before
    %0 = nn.conv %x, %w, %b {pads = array<i64: 1, 1, 1, 1>, ...}
    %y = nn.batch_normalization %0, %scale, %bias, %mean, %var
    // after
    %y = nn.conv %x, %w_scaled, %b_shifted {pads = array<i64: 1, 1, 1, 1>, ...}
    ```
  }];
}

def FoldConstants : RewritePass<"nn-fold-constants"> {
  let summary = "What is known is computed once";
  let description = [{
    An operation on constants becomes a constant, computed by the reference
    kernels, unless its result would take much more memory than its operands.

    ```mlir
    // before
    %c = nn.constant dense<[1.0, 4.0]> : tensor<2xf32>
    %y = nn.sqrt %c
    // after
    %y = nn.constant dense<[1.0, 2.0]> : tensor<2xf32>
    ```
  }];
}

def FoldPads : RewritePass<"nn-fold-pads"> {
  let summary = "Fold explicit padding into the following layer";
  let description = [{
    Padding with zeros in front of a convolution or an average pool that counts
    its padding, and padding with minus infinity in front of a max pool. Two
    paddings with the same value become one.

    ```mlir
    // before
    %0 = nn.pad %x {pads = array<i64: 0, 0, 1, 1, 0, 0, 1, 1>}
    %y = nn.conv %0, %w {pads = array<i64: 0, 0, 0, 0>, ...}
    // after
    %y = nn.conv %x, %w {pads = array<i64: 1, 1, 1, 1>, ...}
    ```
  }];
}

//===----------------------------------------------------------------------===//
// Forms that the NPU wants
//===----------------------------------------------------------------------===//

def FormFullyConnected : RewritePass<"nn-form-fully-connected"> {
  let summary = "Matrix products with weights become fully connected layers";
  let description = [{
    A product with a constant matrix, whatever the rank of the other operand,
    with or without a sum behind it, and `gemm` with constant weights, whose
    `alpha` and `beta` move into weights and bias. The weights have the outputs
    first, as those of a convolution.

    ```mlir
    // before
    %0 = nn.matmul %x, %w : (tensor<1x7x4xf32>, tensor<4x8xf32>)
    %y = nn.add %0, %b
    // after
    %y = nn.fully_connected %x, %wt, %b : (tensor<1x7x4xf32>, tensor<8x4xf32>,
                                           tensor<8xf32>)
    ```
  }];
}

def GlobalizePools : RewritePass<"nn-globalize-pools"> {
  let summary = "A pool over everything is a global one";
  let description = [{
    ```mlir
    // before
    %y = nn.average_pool %x {kernel = array<i64: 7, 7>, ...}
      : (tensor<1x64x7x7xf32>) -> tensor<1x64x1x1xf32>
    // after
    %y = nn.global_average_pool %x
    ```
  }];
}

def MergeTransposes : RewritePass<"nn-merge-transposes"> {
  let summary = "Transposes meet and cancel, element-wise operations between";
  let description = [{
    Two transposes become one or none, also if element-wise operations stand
    between them, which then work on the other layout. A binary operation on
    two operands that are transposed alike is transposed afterwards instead.
    Reshapes move in the same way.

    ```mlir
    // before
    %0 = nn.transpose %x {perm = array<i64: 0, 2, 3, 1>}
    %1 = nn.relu %0
    %y = nn.transpose %1 {perm = array<i64: 0, 3, 1, 2>}
    // after
    %y = nn.relu %x
    ```
  }];
}

def WidenTo2D : RewritePass<"nn-widen-to-2d"> {
  let summary = "Windows over one dimension become windows over two";
  let description = [{
    Convolutions and pools over one spatial dimension get a second one of extent
    1; the reshapes around them cancel between neighbours.

    ```mlir
    // before
    %y = nn.conv %x, %w {pads = array<i64: 1, 1>, ...} : (tensor<1x8x100xf32>, ...)
    // after
    %0 = nn.reshape %x {shape = array<i64: 1, 8, 1, 100>}
    %1 = nn.conv %0, %w2 {pads = array<i64: 0, 1, 0, 1>, ...}
    %y = nn.reshape %1 {shape = array<i64: 1, 8, 100>}
    ```
  }];
}

//===----------------------------------------------------------------------===//
// Fusion by pattern
//===----------------------------------------------------------------------===//

def FuseActivations : RewritePass<"nn-fuse-activations"> {
  let summary = "Formulas of activations become one operation";
  let description = [{
    Sigmoid, silu, hard-sigmoid, hard-swish, softplus, mish, gelu (by the error
    function or by tanh), leaky rectifiers, and clips written as minimum and
    maximum.

    ```mlir
    // before
    %0 = nn.sigmoid %x
    %y = nn.mul %x, %0
    // after
    %y = nn.silu %x
    ```
  }];
}

def FuseLayout : RewritePass<"nn-fuse-layout"> {
  let summary = "Reshapes, transposes and slices become one movement";
  let description = [{
    Pixel shuffle as `depth_to_space`, its inverse and the "focus" of strided
    slices as `space_to_depth`, channel shuffle, and slices that cover a
    dimension as `split`.

    ```mlir
    // before
    %0 = nn.reshape %x {shape = array<i64: 1, 2, 8, 4, 4>}
    %1 = nn.transpose %0 {perm = array<i64: 0, 2, 1, 3, 4>}
    %y = nn.reshape %1 {shape = array<i64: 1, 16, 4, 4>}
    // after
    %y = nn.channel_shuffle %x {groups = 2}
    ```
  }];
}

def FuseNormalizations : RewritePass<"nn-fuse-normalizations"> {
  let summary = "Formulas of normalizations become one operation";
  let description = [{
    Layer, RMS, instance, group and L2 normalization from chains of reductions,
    and the magnitude sqrt(a^2 + b^2), which becomes a norm of two parts.
    (Where the formula of the L2 norm would divide zeros by zero, they stay
    zeros.)

    ```mlir
    // before
    %mean = nn.reduce_mean %x {axes = array<i64: 2>}
    %d = nn.sub %x, %mean
    %0 = nn.pow %d, %two
    %var = nn.reduce_mean %0 {axes = array<i64: 2>}
    %1 = nn.add %var, %epsilon
    %2 = nn.sqrt %1
    %3 = nn.div %d, %2
    %4 = nn.mul %3, %scale
    %y = nn.add %4, %bias
    // after
    %y = nn.layer_normalization %x, %scale, %bias {axis = 2, epsilon = ...}
    ```
  }];
}

def FuseSoftmax : RewritePass<"nn-fuse-softmax"> {
  let summary = "Exponentials divided by their sum are a softmax";
  let description = [{
    With or without the maximum subtracted first; also its logarithm.

    ```mlir
    // before
    %0 = nn.exp %x
    %1 = nn.reduce_sum %0 {axes = array<i64: 1>}
    %y = nn.div %0, %1
    // after
    %y = nn.softmax %x {axis = 1}
    ```
  }];
}

//===----------------------------------------------------------------------===//
// Removal
//===----------------------------------------------------------------------===//

def MergeCommonLayers : OptimizePass<"nn-merge-common-layers"> {
  let summary = "One layer for those that compute the same";
  let description = [{
    Also merges equal constants. The layer that stays lists the others in
    `nn.replaces`.

    ```mlir
    // before
    %0 = nn.relu %x
    %1 = nn.relu %x
    %y = nn.add %0, %1
    // after
    %0 = nn.relu %x {nn.replaces = ["relu_1"]}
    %y = nn.add %0, %0
    ```
  }];
}

def NameLayers : OptimizePass<"nn-name-layers"> {
  let summary = "Unique names, and those of outputs on what computes them";
  let description = [{
    ```mlir
    // before: the output of the function is called "probabilities"
    %y = nn.softmax %x loc("Softmax_7"("tensor_42"))
    // after
    %y = nn.softmax %x loc("Softmax_7"("probabilities"))
    ```
  }];
}

def RemoveDeadLayers : OptimizePass<"nn-remove-dead-layers"> {
  let summary = "Nothing is computed that no output depends on";
  let description = [{
    ```mlir
    // before
    %0 = nn.exp %x
    %y = nn.relu %x
    return %y
    // after
    %y = nn.relu %x
    return %y
    ```
  }];
}

def RemoveNoOps : RewritePass<"nn-remove-no-ops"> {
  let summary = "Operations that do nothing disappear";
  let description = [{
    Casts to the same type, reshapes and transposes that change nothing, slices
    of everything, paddings by nothing, concatenations of one operand, sums with
    0, products with 1 and the like; chains of reshapes or of concatenations
    become one.

    ```mlir
    // before
    %0 = nn.reshape %x {shape = array<i64: 1, 64>}
    %y = nn.reshape %0 {shape = array<i64: 8, 8>}
    // after
    %y = nn.reshape %x {shape = array<i64: 8, 8>}
    ```
  }];
}

#endif // PARALLAX_PASSES_OPTIMIZE_PASSES_TD
