//===- Recurrent.cpp - Lowering of recurrent layers -----------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// RNN, GRU and LSTM differ in gates and states; weights, proofs, initial states
// and results are handled once. Biases and peepholes become attributes.
//===----------------------------------------------------------------------===//
#include "Lowering.h"

#include "parallax/Backend/NPU/Kernels/Recurrent.h"
#include "parallax/Backend/Reference/Parameters.h"
#include "parallax/Support/LayerName.h"
#include "parallax/Support/TensorAttr.h"

#include "llvm/ADT/TypeSwitch.h"

#include <cmath>
#include <fmt/format.h>

namespace parallax::lower {
namespace {

/// An initial state in integers: the codes that it has, or codes that a
/// constant gets.
struct Initial {
  Value codes;
  float scale = 1;
  int64_t zeroPoint = 0;
  /// The greatest magnitude of a value.
  double reach = 0;
};

bool isZero(const Tensor &tensor) {
  return llvm::all_of(tensor.values<float>(),
                      [](float value) { return value == 0; });
}

template <typename OpTy> class RecurrentRule {
  static constexpr bool isLstm = std::is_same_v<OpTy, nn::LSTMOp>;
  static constexpr bool isGru = std::is_same_v<OpTy, nn::GRUOp>;

public:
  RecurrentRule(OpTy op, Lowering &lowering) : op(op), lowering(lowering) {}

  Refusal run() {
    if (Refusal refusal = check())
      return refusal;
    SmallVector<Initial> states{initialOf(op.getInitialH(), "_initial_h")};
    Tensor peepholes;
    if constexpr (isLstm) {
      states.push_back(initialOf(op.getInitialC(), "_initial_c"));
      peepholes = floatConstantOf(op.getP());
    }
    Tensor bias = floatConstantOf(op.getB());
    npu::RecurrentReals reals{.params = reference::recurrentParams(op),
                              .xScale = scaleOf(op.getX()),
                              .wScales = {},
                              .rScales = {},
                              .b = bias};
    ChannelParams w = channelParamsOf(op.getW().getType());
    ChannelParams r = channelParamsOf(op.getR().getType());
    reals.wScales = w.scales;
    reals.rScales = r.scales;
    if (!peepholes.isNull() && !isZero(peepholes))
      reals.p = &peepholes;
    reals.initialHScale = states[0].scale;
    reals.initialReach = states[0].reach;
    if (isLstm)
      reals.initialCScale = states[1].scale;
    for (auto [i, result] : llvm::enumerate(op->getResults()))
      reals.resultScales[i] = hasCodes(result) ? scaleOf(result) : 0;
    reals.multiplierBits = lowering.multiplierBits();
    npu::RecurrentIntegers integers = npu::recurrentIntegers(reals);
    prove(op.getW(), affineParamsOf(op.getX().getType()),
          storageOf(op.getX().getType()));
    prove(op.getR(), {1, 0, npu::hiddenLow, npu::hiddenHigh}, DType::I16);
    emit(integers, states);
    return {};
  }

private:
  static float scaleOf(Value value) {
    return affineParamsOf(value.getType()).scale;
  }

  Refusal check() {
    if (!hasCodes(op.getX()))
      return "its input is not codes with one scale";
    for (Value weight : {op.getW(), op.getR()}) {
      if (!weight.template getDefiningOp<nn::QuantizedConstantOp>())
        return "its weights are not constant codes";
      DType storage = storageOf(weight.getType());
      if (storage != DType::I8 && storage != DType::I16)
        return fmt::format("its weights have codes of {}", nameOf(storage));
      ChannelParams params = channelParamsOf(weight.getType());
      if (llvm::any_of(params.zeroPoints,
                       [](int64_t zero) { return zero != 0; }))
        return "its weights have a zero point";
      if (params.scales.size() > 1 && params.axis != 1)
        return "its weights have no scale per gate and unit";
    }
    if (floatConstantOf(op.getB()).isNull())
      return "its bias is not constant";
    if (!mlir::getElementTypeOrSelf(op.getSequenceLens().getType())
             .isInteger(32))
      return "its sequence lengths are not of 32 bits";
    if constexpr (isLstm)
      if (floatConstantOf(op.getP()).isNull())
        return "its peephole weights are not constant";
    for (auto [i, value] : llvm::enumerate(op->getOperands()))
      if (i >= 5 && !hasCodes(value) && floatConstantOf(value).isNull())
        return fmt::format("its initial state '{}' is neither constant nor "
                           "codes",
                           getTensorName(value));
    for (Value result : op->getResults())
      if (isQuantized(result.getType()) && !hasCodes(result))
        return "its result has a scale per channel";
    return {};
  }

  Initial initialOf(Value value, StringRef suffix) {
    if (hasCodes(value)) {
      AffineParams params = affineParamsOf(value.getType());
      return {lowering.lowered(value), params.scale, params.zeroPoint,
              double(reachOf(params)) * double(params.scale)};
    }
    npu::StateCodes codes = npu::initialStateCodes(floatConstantOf(value));
    double reach = 0;
    for (int16_t code : codes.codes.template values<int16_t>())
      reach = std::max(reach, std::abs(double(code)) * double(codes.scale));
    return {lowering.constant(op, suffix, codes.codes), codes.scale, 0, reach};
  }

  /// C27 for all rows of a weight.
  void prove(Value weight, const AffineParams &input, DType inputType) {
    Tensor codes =
        toTensor(weight.getDefiningOp<nn::QuantizedConstantOp>().getCodes());
    int bits = lowering.accumulatorBits(inputType, codes.dtype());
    int64_t depth = codes.dim(2);
    std::optional<npu::AccumulatorBound> worst;
    std::vector<int32_t> row;
    npu::dispatchCodes("weights", codes.dtype(), [&]<typename T>(TypeTag<T>) {
      for (int64_t o = 0; o < codes.dim(0) * codes.dim(1); ++o) {
        const T *from = codes.data<T>() + o * depth;
        row.assign(from, from + depth);
        npu::AccumulatorBound bound =
            npu::boundOf(row, 0, input.low - input.zeroPoint,
                         input.high - input.zeroPoint, bits);
        if (!worst || bound.marginBits < worst->marginBits)
          worst = bound;
      }
    });
    if (worst)
      lowering.prove(op, *worst, bits);
  }

  void emit(const npu::RecurrentIntegers &integers, ArrayRef<Initial> states) {
    Attributes attributes = lowering.attributes();
    // The word of the target's rounding.
    lowering.setOutput(attributes, {1, 0, 0, 0});
    for (StringRef name : {"zero_point", "low", "high"})
      attributes.list.erase(name);
    setResults(attributes, integers);
    setInitial(attributes, integers, states);
    auto words = [&](StringRef name, ArrayRef<int64_t> values) {
      attributes.setList(name, values);
    };
    words("input_factors", integers.inputFactors);
    words("state_factors", integers.stateFactors);
    words("offsets", integers.offsets);
    words("functions", integers.functions);
    attributes.set("direction", op.getDirectionAttr())
        .set("layout", integers.layout)
        .set("x_zero_point", affineParamsOf(op.getX().getType()).zeroPoint)
        .setList("gate_shifts", ArrayRef<int32_t>(integers.shifts))
        .set("limit", integers.limit)
        .setList("tables", ArrayRef<int32_t>(integers.tables))
        .setList("table_fractions", ArrayRef<int32_t>(integers.fractions))
        .set32("state_fraction", integers.stateFraction);
    SmallVector<Value> operands{
        lowering.lowered(op.getX()), lowering.lowered(op.getW()),
        lowering.lowered(op.getR()), lowering.lowered(op.getSequenceLens())};
    for (const Initial &state : states)
      operands.push_back(state.codes);
    if constexpr (isLstm) {
      words("peepholes", integers.peepholes);
      attributes.set("input_forget", op.getInputForgetAttr());
      lowering.emitAll<npu::LSTMOp>(op, operands, attributes);
    } else if constexpr (isGru) {
      words("state_offsets", integers.stateOffsets);
      attributes.set("linear_before_reset", op.getLinearBeforeResetAttr());
      lowering.emitAll<npu::GRUOp>(op, operands, attributes);
    } else {
      lowering.emitAll<npu::RNNOp>(op, operands, attributes);
    }
  }

  void setInitial(Attributes &attributes,
                  const npu::RecurrentIntegers &integers,
                  ArrayRef<Initial> states) {
    SmallVector<int64_t> zeros;
    SmallVector<int32_t> multipliers, shifts;
    const npu::InitialState both[] = {integers.initialH, integers.initialC};
    for (auto [state, from] : llvm::zip(states, both)) {
      zeros.push_back(state.zeroPoint);
      multipliers.push_back(from.multiplier.mantissa);
      shifts.push_back(from.multiplier.shift);
    }
    attributes.setList("initial_zero_points", zeros)
        .setList("initial_multipliers", multipliers)
        .setList("initial_shifts", shifts);
  }

  void setResults(Attributes &attributes,
                  const npu::RecurrentIntegers &integers) {
    SmallVector<int64_t> zeros, lows, highs;
    SmallVector<Multiplier> multipliers;
    for (auto [i, result] : llvm::enumerate(op->getResults())) {
      AffineParams params{1, 0, 0, 0};
      if (hasCodes(result))
        params = affineParamsOf(result.getType());
      zeros.push_back(params.zeroPoint);
      lows.push_back(params.low);
      highs.push_back(params.high);
      multipliers.push_back(integers.results[i].multiplier);
    }
    attributes.setList("zero_points", zeros)
        .setList("lows", lows)
        .setList("highs", highs)
        .setMultipliers(multipliers);
  }

  OpTy op;
  Lowering &lowering;
};

} // namespace

Outcome lowerRecurrent(Operation *op, Lowering &lowering) {
  return llvm::TypeSwitch<Operation *, Outcome>(op)
      .Case<nn::RNNOp, nn::GRUOp, nn::LSTMOp>(
          [&](auto layer) { return RecurrentRule(layer, lowering).run(); })
      .Default(Outcome::noRule());
}

} // namespace parallax::lower
