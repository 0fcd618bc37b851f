//===- LossModel.h - Which layers cause the loss of the outputs -*- C++ -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// A small loss of 1 - cosine is a sum of squares, so independent errors add up
// in it: a change that scales the error of a tensor scales its part of the loss
// alike. A large one hides how large the squares are: errors can be far
// smaller, and the outputs still point elsewhere. Predictions are made of
// squares, but for answers of a softmax that turn into others.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_ANALYSIS_LOSSMODEL_H
#define PARALLAX_ANALYSIS_LOSSMODEL_H

#include "parallax/Analysis/PrecisionReport.h"
#include "parallax/Analysis/Suggest.h"
#include "parallax/Support/Sort.h"

#include <functional>
#include <map>

namespace parallax {

/// What the rows of inputs have in place of an operator.
inline constexpr const char *inputType = "Input";

/// What the error of a layer by itself consists of, as parts of the whole.
struct ErrorParts {
  /// Its result became codes; its weights did; what it reads did.
  double own = 0, weights = 0, inputs = 0;
};

/// The step of as many codes over a range and zero.
double stepOver(double low, double high, const AffineParams &codes);

class LossModel {
public:
  explicit LossModel(const PrecisionReport &report);

  /// The mean over outputs of 1 - similarity of the group of channels that
  /// decides, and the largest of them.
  double loss = 0, worstLoss = 0;
  /// Shares of `loss`, inputs first, in the order of the network. None is
  /// negative, so together they may be more than it.
  std::vector<AttributionRow> parts;

  /// The row of a tensor by itself, or of an input; null if there is none.
  const PrecisionRow *find(const std::string &tensor) const;
  /// Of all layers by themselves, in the order of the network.
  const std::vector<PrecisionRow> &layers() const { return *perLayer; }
  /// Null if no channel of it is far below the largest.
  const OutlierRow *outliers(const std::string &tensor) const;
  /// The weights of a layer that have a scale for each channel; null if it has
  /// none.
  const WeightRow *weights(const std::string &node) const;
  /// The largest magnitude of other constants of a layer, as biases.
  double bias(const std::string &node) const;
  /// The layers that compute with a tensor, directly or after it was moved.
  struct Readers {
    std::vector<const PrecisionRow *> layers;
    /// The outputs, for whoever uses the network.
    std::vector<std::string> outputs;

    bool isOutput() const { return !outputs.empty(); }
  };
  Readers readers(const std::string &tensor) const;
  /// The layers whose results a tensor consists of; inputs have none.
  std::vector<const PrecisionRow *> makers(const std::string &tensor) const;

  double partOf(const std::string &tensor) const;
  ErrorParts errorOf(const PrecisionRow &row) const;

  /// The part of a tensor's squared error that is left with other codes.
  double kept(const std::string &tensor, const Trial &trial) const;
  /// The loss that is left with other codes and weights.
  double predict(const Trial &trial) const;
  /// The same with ranges that cover the analyzed samples, and no more.
  double predictRecalibrated() const;
  /// The step that a tensor with codes would have then.
  double recalibratedStep(const PrecisionRow &row) const;
  /// The same with ranges that cut nothing, and steps as `stepOf` says.
  double
  predictSteps(const std::function<double(const PrecisionRow &)> &stepOf) const;
  /// The same if the activations of some tensors keep a part of their error.
  double predictScaled(const std::map<std::string, double> &kept) const;

  /// The loss that is left if this is left of the sum of all parts.
  double lossOfParts(double left) const;

private:
  /// The part of an output's loss that comes from answers that are others: of
  /// a softmax each changes a whole row, however small the error was.
  double lossByMoves(const PrecisionRow &output, double lost) const;
  void shareOut(const PrecisionReport &report);

  /// What `loss` is made of: the squares of all errors together.
  double squares = 0;
  double lossOfMoves = 0;

  const std::vector<PrecisionRow> *perLayer;
  std::map<std::string, const PrecisionRow *> rows;
  std::map<std::string, const OutlierRow *> outlierRows;
  std::map<std::string, const WeightRow *> weightRows;
  std::map<std::string, double> partByTensor;
  std::map<std::string, double> biases;
  std::multimap<std::string, const PrecisionRow *> readersOf;
};

/// The squared error, as a part of the signal, that turns a vector by so much.
double squareOfLoss(double loss);
/// The mean of the squares of the float values.
double meanSquare(const ValueSummary &values);
/// The values of the outermost codes.
std::pair<double, double> rangeOf(const AffineParams &codes);
/// The mean squared error of rounding alone.
double roundingError(const AffineParams &codes);

} // namespace parallax

#endif // PARALLAX_ANALYSIS_LOSSMODEL_H
