//===- NNOps.td - All operators of the nn dialect -*- tablegen -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// One file per operator family, the same families as everywhere in the tree.
//===----------------------------------------------------------------------===//
include "parallax/Dialect/NN/Elementwise.td"
include "parallax/Dialect/NN/Layout.td"
include "parallax/Dialect/NN/Mac.td"
include "parallax/Dialect/NN/Normalize.td"
include "parallax/Dialect/NN/Pool.td"
include "parallax/Dialect/NN/Quantize.td"
include "parallax/Dialect/NN/Recurrent.td"
include "parallax/Dialect/NN/Reduce.td"
