//===- Elementwise.cpp - Integer element-wise operations ------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// One binder per formula.
//===----------------------------------------------------------------------===//
#include "parallax/Backend/NPU/Kernels/Elementwise.h"
#include "Binding.h"

namespace parallax::npu {
namespace {

Kernel bindLinear(LinearOp op, BindContext &) {
  return {[zeros = op.getInputZeroPoints().vec(),
           coefficients =
               Coefficients{op.getCoefficients().vec(), int32_t(op.getShift())},
           output = outputOf(op)](const KernelArgs &args) {
    SmallVector<CodesOperand, 3> operands;
    for (auto [input, zero] : llvm::zip(args.inputs, zeros))
      operands.push_back({input, zero});
    linear({operands.data(), operands.size()}, args.outputs[0], coefficients,
           output);
  }};
}

Kernel bindAffine(AffineOp op, BindContext &) {
  ChannelAffine channels{op.getFactors().vec(), op.getOffsets().vec(),
                         op.getShifts().vec()};
  return {[channels, zero = int64_t(op.getXZeroPoint()),
           axis = int64_t(op.getAxis()),
           output = outputOf(op)](const KernelArgs &args) {
    affine({args.inputs[0], zero}, args.outputs[0], axis, channels, output);
  }};
}

/// fn(a, b, y, multipliers, output).
template <typename OpTy, typename Fn> void addPair(KernelSet &kernels, Fn fn) {
  kernels.add<OpTy>([fn](OpTy op, BindContext &) -> Kernel {
    return {[fn, aZero = int64_t(op.getAZeroPoint()),
             bZero = int64_t(op.getBZeroPoint()),
             multipliers = multipliersOf(op),
             output = outputOf(op)](const KernelArgs &args) {
      fn(CodesOperand{args.inputs[0], aZero},
         CodesOperand{args.inputs[1], bZero}, args.outputs[0], multipliers,
         output);
    }};
  });
}

Kernel bindCompare(CompareOp op, BindContext &) {
  static constexpr StringRef kinds[] = {"equal", "less", "less_or_equal",
                                        "greater", "greater_or_equal"};
  return {[kind = enumOf<CompareKind>(op.getKind(), kinds),
           aZero = int64_t(op.getAZeroPoint()),
           bZero = int64_t(op.getBZeroPoint()),
           coefficients = Coefficients{op.getCoefficients().vec(), 1}](
              const KernelArgs &args) {
    compare(kind, {args.inputs[0], aZero}, {args.inputs[1], bZero},
            args.outputs[0], coefficients);
  }};
}

Kernel bindTable(TableOp op, BindContext &) {
  return {[entries = op.getEntries().vec(),
           output = outputOf(op)](const KernelArgs &args) {
    table(args.inputs[0], args.outputs[0], entries, output);
  }};
}

Kernel bindQuantize(QuantizeOp op, BindContext &) {
  AffineParams params{op.getScale().convertToFloat(),
                      int64_t(op.getZeroPoint()), int64_t(op.getLow()),
                      int64_t(op.getHigh())};
  return {[params](const KernelArgs &args) {
    quantize(args.inputs[0], args.outputs[0], params);
  }};
}

Kernel bindDequantize(DequantizeOp op, BindContext &) {
  AffineParams params;
  params.scale = op.getScale().convertToFloat();
  params.zeroPoint = int64_t(op.getXZeroPoint());
  return {[params](const KernelArgs &args) {
    dequantize(args.inputs[0], args.outputs[0], params);
  }};
}

} // namespace

void addElementwiseKernels(KernelSet &kernels) {
  kernels.add<LinearOp>(bindLinear);
  kernels.add<AffineOp>(bindAffine);
  kernels.add<CompareOp>(bindCompare);
  kernels.add<TableOp>(bindTable);
  kernels.add<QuantizeOp>(bindQuantize);
  kernels.add<DequantizeOp>(bindDequantize);
  using Multipliers = std::vector<Multiplier>;
  addPair<MulOp>(kernels,
                 [](const CodesOperand &a, const CodesOperand &b, Tensor &y,
                    const Multipliers &factors, const OutputCodes &output) {
                   mul(a, b, y, factors[0], output);
                 });
  addPair<DivOp>(kernels,
                 [](const CodesOperand &a, const CodesOperand &b, Tensor &y,
                    const Multipliers &factors, const OutputCodes &output) {
                   div(a, b, y, factors[0], output);
                 });
  addPair<PReluOp>(kernels,
                   [](const CodesOperand &a, const CodesOperand &b, Tensor &y,
                      const Multipliers &factors, const OutputCodes &output) {
                     prelu(a, b, y, {factors[0], factors[1]}, output);
                   });
}

} // namespace parallax::npu
