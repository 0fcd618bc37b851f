//===- MacLayer.h - Layers with weights as matrix products -----*- C++ -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Convolutions and matrix products with constant weights are all the same to
// what changes weights: an entry of the result is the product of a row of the
// operand's values with a row of a matrix. A row of a convolution is the window
// that one pixel of the result sees.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_LIB_PASSES_QUANTIZE_MACLAYER_H
#define PARALLAX_LIB_PASSES_QUANTIZE_MACLAYER_H

#include "parallax/Analysis/QuantParams.h"
#include "parallax/Support/LLVM.h"
#include "parallax/Support/Tensor.h"

#include "mlir/IR/Operation.h"

#include <compare>
#include <optional>

namespace parallax::quantize {

/// How rows are cut out of a tensor: N x C x spatial for convolutions, which
/// have a kernel; otherwise the last dimension is a row.
struct RowGeometry {
  Shape kernel, strides, pads, dilations, outputs;

  auto operator<=>(const RowGeometry &) const = default;
  bool isWindow() const { return !kernel.empty(); }
  /// The elements of a row that belong to one channel; they are neighbours.
  int64_t window() const { return elementCount(kernel); }
  /// The dimension of channels in a tensor of that rank.
  int64_t channelAxis(int64_t rank) const { return isWindow() ? 1 : rank - 1; }
  /// The number of rows in a tensor, and the length of each.
  int64_t rows(const Shape &tensor) const;
  int64_t length(const Shape &tensor) const;
  /// One entry per channel becomes one per element of a row.
  std::vector<float> perElement(const std::vector<float> &channels) const;
  /// Copies a row; what lies in the padding is 0.
  void copyRow(const float *tensor, const Shape &shape, int64_t row,
               float *to) const;
};

class MacLayer {
public:
  /// Nothing for an operation of another kind, or without constant weights.
  static std::optional<MacLayer> of(Operation *op);

  Operation *operation() const { return op; }
  /// Operand 0 of the operation.
  Value input() const { return op->getOperand(0); }
  const RowGeometry &geometry() const { return rowGeometry; }
  int64_t groups() const { return groupCount; }
  int64_t inputChannels() const { return inputs; }
  int64_t outputChannels() const { return outputs; }
  /// The dimension of channels in the result.
  int64_t outputAxis() const;
  /// The bias is absent, or a constant with one entry per output channel.
  bool hasPlainBias() const;

  /// One row per output channel, on the input channels of its group. The same
  /// for codes of the weights.
  Tensor matrix() const;
  Tensor toMatrix(const Tensor &weights) const;
  void setMatrix(const Tensor &matrix);
  /// One entry per output channel; zeros if there is none.
  std::vector<float> bias() const;
  void setBias(const std::vector<float> &values);
  /// Multiplies output or input channels, including the bias for outputs.
  void scaleOutputs(const std::vector<float> &factors);
  void scaleInputs(const std::vector<float> &factors);

  /// A copy of a matrix with its input channels multiplied.
  Tensor withScaledInputs(const Tensor &matrix,
                          const std::vector<float> &factors) const;
  /// The greatest weight of every input channel, or of every output channel.
  std::vector<float> inputMaxima() const;
  std::vector<float> outputMaxima() const;

  /// The results, without bias, of rows of the input: rows x output channels.
  Tensor product(const Tensor &rows, const Tensor &matrix) const;

private:
  /// Where the input channels of an output channel's group begin in a row.
  int64_t groupOffset(int64_t output, int64_t columns) const {
    return output / (outputs / groupCount) * columns;
  }

  Operation *op = nullptr;
  /// The weights are input x output channels.
  bool isTransposed = false;
  int64_t groupCount = 1, inputs = 0, outputs = 0;
  RowGeometry rowGeometry;
};

/// The float constant that defines a value; null if it is something else.
Tensor floatConstant(Value value);

/// Gives an operand another constant of the same name. Other readers of the old
/// one keep it.
void replaceConstant(mlir::OpOperand &operand, const Tensor &values);

/// The rows of a matrix after they have been codes of a kind.
Tensor roundedWeights(const Tensor &matrix, DataType kind,
                      double refineThreshold);

/// The sum of squared differences as a part of the squares of what is right; 0
/// if both are 0.
double relativeError(const Tensor &actual, const Tensor &expected);

} // namespace parallax::quantize

#endif // PARALLAX_LIB_PASSES_QUANTIZE_MACLAYER_H
