//===- RecurrentDerivation.cpp - Integers of recurrent layers -------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Tables of the functions, the binary point of the state that follows from
// them, and the factors of both products.
//===----------------------------------------------------------------------===//
#include "parallax/Backend/NPU/Kernels/Recurrent.h"

#include <cmath>

namespace parallax::npu {
namespace {

using kernels::Activation;
using kernels::RecurrentKind;

double valueOf(const Activation &function, double x) {
  double a = double(function.alpha), b = double(function.beta);
  switch (function.kind) {
  case Activation::Affine:
    return a * x + b;
  case Activation::Elu:
    return x < 0 ? a * std::expm1(x) : x;
  case Activation::HardSigmoid:
    return std::clamp(a * x + b, 0.0, 1.0);
  case Activation::LeakyRelu:
    return x < 0 ? a * x : x;
  case Activation::Relu:
    return std::max(x, 0.0);
  case Activation::ScaledTanh:
    return a * std::tanh(b * x);
  case Activation::Sigmoid:
    return 1 / (1 + std::exp(-x));
  case Activation::Softplus:
    return std::max(x, 0.0) + std::log1p(std::exp(-std::fabs(x)));
  case Activation::Softsign:
    return x / (1 + std::fabs(x));
  case Activation::Tanh:
    return std::tanh(x);
  case Activation::ThresholdedRelu:
    return x > a ? x : 0;
  }
  return 0;
}

struct FunctionTable {
  std::vector<int32_t> knots;
  int32_t fraction = 15;
};

FunctionTable functionTable(const Activation &function, int64_t limit) {
  if (limit == greatestArgument)
    for (double end : {-16.0, 16.0})
      if (!(std::fabs(valueOf(function, end) -
                      valueOf(function, std::copysign(0x1p20, end))) <=
            0x1p-14))
        throw DerivationError(
            "one of its functions still changes beyond +-16, where its "
            "table ends (C101); a 'clip' would bound it");
  // What no argument comes near must not take bits of what is used.
  int64_t last = (limit + 255) / 256 * 256;
  std::vector<double> values;
  double reach = 0;
  for (int64_t k = 0; k < functionKnots; ++k) {
    int64_t place = std::clamp(256 * k - (int64_t(1) << 19), -last, last);
    values.push_back(valueOf(function, double(place) * 0x1p-15));
    reach = std::max(reach, std::fabs(values.back()));
  }
  FunctionTable table;
  while (table.fraction >= 10 && reach > std::ldexp(1.0, 15 - table.fraction))
    --table.fraction;
  if (table.fraction < 10)
    throw DerivationError("one of its functions has values beyond +-32 (C100)");
  for (double value : values)
    table.knots.push_back(
        int32_t(roundHalfEven(std::ldexp(value, table.fraction + 8))));
  return table;
}

void addFunctions(const RecurrentReals &reals, RecurrentIntegers &result) {
  const std::vector<Activation> &functions = reals.params.activations;
  for (size_t i = 0; i < functions.size(); ++i) {
    auto same = [&](const Activation &other) {
      return other.kind == functions[i].kind &&
             other.alpha == functions[i].alpha &&
             other.beta == functions[i].beta;
    };
    auto first = size_t(std::find_if(functions.begin(), functions.end(), same) -
                        functions.begin());
    if (first < i) {
      result.functions.push_back(result.functions[first]);
      continue;
    }
    FunctionTable table = functionTable(functions[i], result.limit);
    result.functions.push_back(int64_t(result.fractions.size()));
    result.fractions.push_back(table.fraction);
    result.tables.insert(result.tables.end(), table.knots.begin(),
                         table.knots.end());
  }
}

/// F_h: what all directions can hold.
int32_t stateFraction(const RecurrentReals &reals,
                      const RecurrentIntegers &layer) {
  int32_t fraction = 15;
  auto fractionOf = [&](size_t function) {
    return layer.fractions[size_t(layer.functions[function])];
  };
  RecurrentKind kind = layer.kind;
  size_t perDirection = kind == RecurrentKind::LSTM  ? 3
                        : kind == RecurrentKind::GRU ? 2
                                                     : 1;
  for (size_t d = 0; d < layer.functions.size(); d += perDirection)
    fraction = std::min(fraction, kind == RecurrentKind::LSTM
                                      ? fractionOf(d) + fractionOf(d + 2) - 15
                                      : fractionOf(d + perDirection - 1));
  while (fraction >= 0 && reals.initialReach > std::ldexp(1.0, 15 - fraction))
    --fraction;
  if (fraction < 0)
    throw DerivationError("its initial state is beyond +-2^15 (C102)");
  return fraction;
}

/// The integers of one row (C104, C106).
class RowFactors {
public:
  void include(double value) { reach = std::max(reach, std::fabs(value)); }
  void includeOffset(double value) { include(value * 0x1p-30); }
  void fix() { scale = multiplierFor(reach); }
  int64_t integer(double value) const {
    return scale.mantissa ? roundHalfEven(std::ldexp(value, scale.shift)) : 0;
  }
  int32_t shift() const { return scale.shift; }

private:
  double reach = 0;
  Multiplier scale;
};

void addRow(const RecurrentReals &reals, int64_t direction, int64_t row,
            RecurrentIntegers &layer) {
  int64_t hidden = reals.params.hiddenSize;
  int64_t rows = reals.b.dim(1) / 2, gate = row / hidden;
  bool splits = layer.linearBeforeReset && gate == 2;
  int bits = splits ? cellBits : argumentBits;
  auto scaleOf = [&](std::span<const float> scales) {
    return double(scales[size_t(row) % scales.size()]);
  };
  const float *bias = reals.b.data<float>() + direction * 2 * rows;
  auto inputBias = double(bias[row]), stateBias = double(bias[rows + row]);
  double x = std::ldexp(double(reals.xScale) * scaleOf(reals.wScales), bits);
  double h = std::ldexp(scaleOf(reals.rScales), bits - layer.stateFraction);
  double offset = std::ldexp(splits ? inputBias : inputBias + stateBias, bits);
  double stateOffset = splits ? std::ldexp(stateBias, bits) : 0;
  bool hasPeephole = reals.p && gate < 3;
  double peephole =
      hasPeephole
          ? std::ldexp(
                double(reals.p->data<float>()[direction * 3 * hidden + row]),
                argumentBits - cellBits)
          : 0;
  RowFactors factors;
  factors.include(x);
  factors.include(h);
  factors.include(peephole);
  factors.includeOffset(offset);
  factors.includeOffset(stateOffset);
  factors.fix();
  layer.inputFactors.push_back(factors.integer(x));
  layer.stateFactors.push_back(factors.integer(h));
  layer.offsets.push_back(factors.integer(offset));
  layer.shifts.push_back(factors.shift());
  if (splits)
    layer.stateOffsets.push_back(factors.integer(stateOffset));
  if (hasPeephole)
    layer.peepholes.push_back(factors.integer(peephole));
}

} // namespace

RecurrentIntegers recurrentIntegers(const RecurrentReals &reals) {
  const kernels::RecurrentParams &params = reals.params;
  RecurrentIntegers result;
  result.kind = params.kind;
  result.direction = params.direction;
  result.layout = params.layout;
  result.inputForget = params.inputForget;
  result.linearBeforeReset = params.linearBeforeReset;
  double clip = std::ldexp(double(params.clip), argumentBits);
  if (clip < double(greatestArgument))
    result.limit = roundHalfEven(clip);
  addFunctions(reals, result);
  result.stateFraction = stateFraction(reals, result);
  int hiddenBits = result.stateFraction + hiddenGuardBits;
  result.initialH.multiplier =
      multiplierFor(std::ldexp(double(reals.initialHScale), hiddenBits));
  if (params.kind == RecurrentKind::LSTM)
    result.initialC.multiplier =
        multiplierFor(std::ldexp(double(reals.initialCScale), cellBits));
  for (int64_t d = 0; d < reals.b.dim(0); ++d)
    for (int64_t row = 0; row < reals.b.dim(1) / 2; ++row)
      addRow(reals, d, row, result);
  for (size_t i = 0; i < 3; ++i)
    if (double scale = double(reals.resultScales[i]); scale > 0)
      result.results[i].multiplier = multiplierFor(
          std::ldexp(1.0, i == 2 ? -cellBits : -hiddenBits) / scale,
          reals.multiplierBits);
  return result;
}

StateCodes initialStateCodes(const Tensor &values) {
  double reach = 0;
  for (float value : values.values<float>())
    reach = std::max(reach, std::fabs(double(value)));
  if (!std::isfinite(reach))
    throw DerivationError("its initial state is not finite");
  StateCodes result{Tensor(DType::I16, values.shape()), 0x1p-15f};
  if (reach > 0)
    result.scale = std::max(float(reach / 32767), 0x1p-126f);
  for (int64_t i = 0; i < values.size(); ++i)
    result.codes.data<int16_t>()[i] = int16_t(std::clamp<int64_t>(
        roundHalfEven(double(values.data<float>()[i]) / double(result.scale)),
        -32767, 32767));
  return result;
}

} // namespace parallax::npu
