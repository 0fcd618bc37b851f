//===- Recurrent.cpp - Kernels of recurrent layers ------------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// One driver for the three kinds; recurrent weights are packed here.
//===----------------------------------------------------------------------===//
#include "parallax/Backend/Reference/Kernels/Recurrent.h"
#include "Binding.h"
#include "parallax/Backend/Reference/Parameters.h"

namespace parallax::reference {
namespace {

using kernels::RecurrentDirection;
using kernels::RecurrentKind;
using kernels::RecurrentParams;
using kernels::RecurrentWeights;

template <typename OpTy>
RecurrentParams recurrentParamsOf(OpTy op, RecurrentKind kind) {
  static constexpr std::array<StringRef, 3> directions{"forward", "reverse",
                                                       "bidirectional"};
  RecurrentParams params;
  params.kind = kind;
  params.direction = enumOf<RecurrentDirection>(op.getDirection(), directions);
  params.hiddenSize = int64_t(op.getHiddenSize());
  params.layout = int64_t(op.getLayout());
  if (auto clip = op.getClip())
    params.clip = clip->convertToFloat();
  std::vector<std::string> names;
  for (Attribute name : op.getActivations())
    names.push_back(cast<StringAttr>(name).str());
  params.activations = kernels::recurrentActivations(
      kind, params.direction, names, op.getActivationAlpha(),
      op.getActivationBeta());
  return params;
}

/// Operands: x, w, r, b, sequence lengths, initial h, and for LSTM initial c
/// and peepholes.
Kernel bindRecurrent(BindContext &context, RecurrentParams params) {
  if (context.input(0).dtype != DType::F32)
    throw Error("recurrent layers compute in float32");
  Kernel kernel;
  kernel.scratchBytes =
      kernels::recurrentScratchBytes(params, context.input(0).shape);
  std::shared_ptr<const RecurrentWeights> packed;
  if (const Tensor *r = context.constant(2)) {
    packed = std::make_shared<RecurrentWeights>(
        kernels::prepareRecurrent(params, *r));
    context.releaseConstant(2);
  }
  bool isLstm = params.kind == RecurrentKind::LSTM;
  kernel.run = [params, packed, isLstm](const KernelArgs &args) {
    RecurrentWeights unpacked;
    if (!packed)
      unpacked = kernels::prepareRecurrent(params, args.inputs[2]);
    kernels::recurrent(params,
                       {args.inputs[0], args.inputs[1], &args.inputs[3],
                        &args.inputs[4], &args.inputs[5],
                        isLstm ? &args.inputs[6] : nullptr,
                        isLstm ? &args.inputs[7] : nullptr},
                       packed ? *packed : unpacked,
                       {&args.outputs[0], &args.outputs[1],
                        isLstm ? &args.outputs[2] : nullptr},
                       args.scratch);
  };
  return kernel;
}

} // namespace

kernels::RecurrentParams recurrentParams(nn::RNNOp op) {
  return recurrentParamsOf(op, RecurrentKind::RNN);
}

kernels::RecurrentParams recurrentParams(nn::GRUOp op) {
  RecurrentParams params = recurrentParamsOf(op, RecurrentKind::GRU);
  params.linearBeforeReset = op.getLinearBeforeReset();
  return params;
}

kernels::RecurrentParams recurrentParams(nn::LSTMOp op) {
  RecurrentParams params = recurrentParamsOf(op, RecurrentKind::LSTM);
  params.inputForget = op.getInputForget();
  return params;
}

template <typename OpTy> static void addKernel(KernelSet &kernels) {
  kernels.add<OpTy>([](OpTy op, BindContext &context) {
    return bindRecurrent(context, recurrentParams(op));
  });
}

void addRecurrentKernels(KernelSet &kernels) {
  addKernel<nn::RNNOp>(kernels);
  addKernel<nn::GRUOp>(kernels);
  addKernel<nn::LSTMOp>(kernels);
}

} // namespace parallax::reference
