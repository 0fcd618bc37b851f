//===- FloatLayers.cpp - Layers in float, by element or moved -------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// The table of operators that may have floats in a network of the NPU.
// What is one operation per element, or none, is left to the float engine.
//===----------------------------------------------------------------------===//
#include "FloatBinding.h"
#include "parallax/Backend/Kernels/Scan.h"
#include "parallax/Backend/NPU/Kernels/FloatFunctions.h"
#include "parallax/Backend/Reference/Parameters.h"
#include "parallax/Backend/Reference/Reference.h"

namespace parallax::npu {

//===----------------------------------------------------------------------===//
// Registration
//===----------------------------------------------------------------------===//

/// The kernel, after which every NaN has the same bits.
static Kernel unified(Kernel kernel) {
  if (!kernel.run)
    return kernel;
  kernel.run = [run = std::move(kernel.run)](const KernelArgs &args) {
    run(args);
    for (Tensor &output : args.outputs)
      if (output.dtype() == DType::F32)
        unifyNaNs(output);
  };
  return kernel;
}

void FloatKernels::addNamed(StringRef name, StringRef label,
                            KernelSet::Binder bind) {
  kernels.add(name,
              [bind = std::move(bind), others = *kernels.find(name)](
                  Operation *op, BindContext &context) -> Kernel {
                DType type = context.input(0).dtype;
                if (type == DType::F32)
                  return unified(bind(op, context));
                if (isFloat(type))
                  throw Error(
                      fmt::format("layers in {} are not part of the machine; "
                                  "insert a Cast to float32 before them",
                                  nameOf(type)));
                return others(op, context);
              });
  rules.push_back({name.str(), label.str(), ""});
}

void FloatKernels::keepNamed(StringRef name, StringRef label, StringRef because,
                             bool computes) {
  if (computes)
    kernels.add(name, [others = *kernels.find(name)](Operation *op,
                                                     BindContext &context) {
      return unified(others(op, context));
    });
  rules.push_back({name.str(), label.str(), because.str()});
}

//===----------------------------------------------------------------------===//
// Operators
//===----------------------------------------------------------------------===//

/// Functions of one number that are not numbers themselves.
static bool isLogical(StringRef name) {
  return name == nn::IsNaNOp::getOperationName() ||
         name == nn::NotOp::getOperationName();
}

static void addFunctions(FloatKernels &kernels) {
  for (const auto &entry : reference::unaryFunctions()) {
    if (isLogical(entry.getKey()))
      continue;
    kernels.addNamed(entry.getKey(), "C95",
                     [&function = entry.getValue()](
                         Operation *op, BindContext &context) -> Kernel {
                       context.mayShare(0, 0);
                       return {[f = function(op)](const KernelArgs &args) {
                         floatUnary(f.kind, args.inputs[0], args.outputs[0],
                                    f.alpha, f.beta);
                       }};
                     });
  }
  kernels.add<nn::PowOp>("C95", [](nn::PowOp, BindContext &) -> Kernel {
    return {[](const KernelArgs &args) {
      floatPower(args.inputs[0], args.inputs[1], args.outputs[0]);
    }};
  });
}

static void keepExact(FloatKernels &kernels) {
  kernels.keepComputing<nn::AddOp, nn::DivOp, nn::MulOp, nn::SubOp>(
      "C90", "one operation of IEEE 754 per element");
  kernels.keepComputing<nn::ClipOp, nn::MaxOp, nn::MinOp, nn::PReluOp>(
      "C90", "a comparison, and at most one product, per element");
  kernels.keepComputing<nn::ModOp>(
      "C90", "the remainder is exact, and at most one sum follows");
  kernels.keepComputing<nn::CastOp>("C90", "one rounding per element");
  kernels.keepComputing<nn::CumSumOp>(
      "C92", "sums in binary64, one after the other along the axis");
  kernels.keepComputing<nn::ScatterElementsOp, nn::ScatterNDOp>(
      "C90", "one operation per update, in the order of the updates");
  kernels.keepComputing<nn::NormalizeOp>(
      "C90", "one difference and one quotient per element");
  kernels.keepComputing<nn::GridSampleOp, nn::RoiAlignOp>(
      "C98", "written in that order, and compiled without contraction");
  kernels.keepMoving<nn::NonMaxSuppressionOp>(
      "C98", "written in that order, and compiled without contraction");
  kernels.keepComputing<nn::DequantizeLinearOp>(
      "C7", "one conversion and one product per element");
  kernels.keepMoving<nn::QuantizeLinearOp>(
      "C6", "one quotient per element, then exact integers");
  kernels.keepMoving<nn::EqualOp, nn::GreaterOp, nn::GreaterOrEqualOp,
                     nn::LessOp, nn::LessOrEqualOp, nn::IsInfOp, nn::IsNaNOp,
                     nn::ArgMaxOp, nn::ArgMinOp, nn::HardmaxOp, nn::NonZeroOp>(
      "C90", "comparisons");
  kernels.keepMoving<nn::AndOp, nn::OrOp, nn::XorOp, nn::NotOp, nn::BitShiftOp>(
      "C90", "integers and truth values only");
  kernels.keepMoving<nn::ColorConvertOp>("C80", "integers only");
  kernels.keepMoving<nn::ChannelShuffleOp, nn::ConcatOp, nn::DepthToSpaceOp,
                     nn::ExpandOp, nn::GatherElementsOp, nn::GatherNDOp,
                     nn::GatherOp, nn::OneHotOp, nn::PadOp, nn::ReshapeOp,
                     nn::ReverseSequenceOp, nn::SliceOp, nn::SpaceToDepthOp,
                     nn::SplitOp, nn::TileOp, nn::TransposeOp, nn::TriluOp,
                     nn::WhereOp>("C90", "elements are moved");
  kernels.keepMoving<nn::QuantizedConstantOp, nn::RequantizeOp>(
      "C90", "not in a network of the machine, which has integers instead");
}

/// In order also where the network leaves the order open, for codes as well.
static Kernel bindTopK(nn::TopKOp op, BindContext &context) {
  int64_t axis = normalizedAxis(int64_t(op.getAxis()), context.input(0));
  return {[axis, largest = op.getLargest()](const KernelArgs &args) {
    kernels::topk(args.inputs[0], args.outputs[0], args.outputs[1], axis,
                  largest, /*sorted=*/true);
  }};
}

void addFloatElementwise(FloatKernels &kernels) {
  addFunctions(kernels);
  keepExact(kernels);
}

void addFloatKernels(KernelSet &kernels, std::vector<FloatRule> &rules) {
  FloatKernels table(kernels, rules);
  addFloatComposites(table);
  addFloatElementwise(table);
  addFloatMac(table);
  kernels.add<nn::TopKOp>(bindTopK);
  rules.push_back({nn::TopKOp::getOperationName().str(), "C49", ""});
  llvm::sort(rules, [](const FloatRule &a, const FloatRule &b) {
    return a.op < b.op;
  });
}

} // namespace parallax::npu
