//===- Normalize.cpp - Integer softmax and normalizations -----------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Hands over tables and learned scales.
//===----------------------------------------------------------------------===//
#include "parallax/Backend/NPU/Kernels/Normalize.h"
#include "Binding.h"

namespace parallax::npu {
namespace {

template <typename OpTy> ExponentTable exponentsOf(OpTy op) {
  return {op.getFine().vec(), op.getCoarse().vec()};
}

Kernel bindSoftmax(SoftmaxOp op, BindContext &) {
  return {[tables = SoftmaxTables{exponentsOf(op), multipliersOf(op)[0]},
           axis = int64_t(op.getAxis()),
           output = outputOf(op)](const KernelArgs &args) {
    softmax(args.inputs[0], args.outputs[0], axis, tables, output);
  }};
}

Kernel bindLogSoftmax(LogSoftmaxOp op, BindContext &) {
  return {[tables = LogSoftmaxTables{exponentsOf(op), op.getLogarithms().vec(),
                                     int64_t(op.getDistance()),
                                     int64_t(op.getLogarithm()),
                                     int32_t(op.getShift())},
           axis = int64_t(op.getAxis()),
           output = outputOf(op)](const KernelArgs &args) {
    logSoftmax(args.inputs[0], args.outputs[0], axis, tables, output);
  }};
}

Kernel bindNormalize(NormalizeOp op, BindContext &) {
  static constexpr StringRef kinds[] = {"centered", "rms", "l2"};
  llvm::APInt epsilon = op.getEpsilon().zextOrTrunc(128);
  NormCoefficients coefficients;
  coefficients.factors = op.getFactors().vec();
  coefficients.offsets = op.getOffsets().vec();
  coefficients.shift = int32_t(op.getShift());
  coefficients.fractionBits = int32_t(op.getFractionBits());
  coefficients.epsilon =
      (Int128(epsilon.extractBitsAsZExtValue(64, 64)) << 64) |
      Int128(epsilon.extractBitsAsZExtValue(64, 0));
  return {[coefficients, kind = enumOf<NormKind>(op.getKind(), kinds),
           rows = NormRows{int64_t(op.getCount()), int64_t(op.getGroups()),
                           int64_t(op.getInner())},
           zero = int64_t(op.getXZeroPoint()),
           output = outputOf(op)](const KernelArgs &args) {
    normalizeRows(kind, args.inputs[0], zero, args.outputs[0], rows,
                  coefficients, output);
  }};
}

} // namespace

void addNormalizeKernels(KernelSet &kernels) {
  kernels.add<SoftmaxOp>(bindSoftmax);
  kernels.add<LogSoftmaxOp>(bindLogSoftmax);
  kernels.add<NormalizeOp>(bindNormalize);
}

} // namespace parallax::npu
