//===- Recurrent.cpp - Integer recurrent layers ---------------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// The three operations have the same attributes but for a few.
//===----------------------------------------------------------------------===//
#include "parallax/Backend/NPU/Kernels/Recurrent.h"
#include "Binding.h"

namespace parallax::npu {
namespace {

using kernels::RecurrentDirection;
using kernels::RecurrentKind;

template <typename OpTy> InitialState initialOf(OpTy op, size_t index) {
  return {op.getInitialZeroPoints()[index],
          {op.getInitialMultipliers()[index], op.getInitialShifts()[index]}};
}

template <typename OpTy> RecurrentIntegers integersOf(OpTy op) {
  static constexpr StringRef directions[] = {"forward", "reverse",
                                             "bidirectional"};
  RecurrentIntegers layer;
  layer.direction = enumOf<RecurrentDirection>(op.getDirection(), directions);
  layer.layout = int64_t(op.getLayout());
  layer.xZero = int64_t(op.getXZeroPoint());
  layer.initialH = initialOf(op, 0);
  layer.inputFactors = op.getInputFactors().vec();
  layer.stateFactors = op.getStateFactors().vec();
  layer.offsets = op.getOffsets().vec();
  layer.shifts = op.getGateShifts().vec();
  layer.limit = int64_t(op.getLimit());
  layer.tables = op.getTables().vec();
  layer.fractions = op.getTableFractions().vec();
  layer.functions = op.getFunctions().vec();
  layer.stateFraction = int32_t(op.getStateFraction());
  if constexpr (std::is_same_v<OpTy, RNNOp>) {
    layer.kind = RecurrentKind::RNN;
  } else if constexpr (std::is_same_v<OpTy, GRUOp>) {
    layer.kind = RecurrentKind::GRU;
    layer.linearBeforeReset = op.getLinearBeforeReset();
    layer.stateOffsets = op.getStateOffsets().vec();
  } else {
    layer.kind = RecurrentKind::LSTM;
    layer.inputForget = op.getInputForget();
    layer.peepholes = op.getPeepholes().vec();
    layer.initialC = initialOf(op, 1);
  }
  for (unsigned i = 0; i < op->getNumResults(); ++i)
    layer.results[i] = {{op.getZeroPoints()[i], op.getLows()[i],
                         op.getHighs()[i], roundingOf(op.getRounding())},
                        {op.getMultipliers()[i], op.getShifts()[i]}};
  return layer;
}

template <typename OpTy> void addKernel(KernelSet &kernels) {
  kernels.add<OpTy>([](OpTy op, BindContext &context) {
    auto layer = std::make_shared<RecurrentIntegers>(integersOf(op));
    const Shape &x = context.input(0).shape;
    Kernel kernel;
    // Each weight is used once per step and sequence.
    kernel.work = double(x[0] * x[1]) *
                  double(elementCount(context.input(1).shape) +
                         elementCount(context.input(2).shape)) /
                  8;
    kernel.run = [layer](const KernelArgs &args) {
      std::span<const Tensor> in = args.inputs;
      recurrent(
          *layer,
          {in[0], in[1], in[2], in[3], in[4], in.size() > 5 ? &in[5] : nullptr},
          args.outputs[0], args.outputs[1],
          args.outputs.size() > 2 ? &args.outputs[2] : nullptr);
    };
    return kernel;
  });
}

} // namespace

void addRecurrentKernels(KernelSet &kernels) {
  addKernel<RNNOp>(kernels);
  addKernel<GRUOp>(kernels);
  addKernel<LSTMOp>(kernels);
}

} // namespace parallax::npu
