//===- Elementwise.cpp - Integer element-wise operations ------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// One binder per formula.
//===----------------------------------------------------------------------===//
#include "parallax/Backend/NPU/Kernels/Elementwise.h"
#include "Binding.h"
#include "parallax/Backend/NPU/Kernels/CodeMap.h"

namespace parallax::npu {
namespace {

//===----------------------------------------------------------------------===//
// Layouts
//===----------------------------------------------------------------------===//

/// The shapes in which a kernel sees its operands; an empty one leaves an
/// operand as it is.
using Views = std::vector<Shape>;

/// Brings operand `index` beside a result with the channels innermost; false if
/// it can't be.
bool placeOperand(BindContext &context, size_t index, Shape &view) {
  const Shape &result = context.output(0).shape;
  Shape shape = context.input(index).shape;
  bool isWhole = shape.size() == result.size();
  shape.insert(shape.begin(), result.size() - shape.size(), 1);
  if (elementCount(shape) == 1 || shape[1] == 1) {
    // One channel for all: a trailing dimension of 1 is all that differs.
    view = shape;
    view.push_back(1);
    return true;
  }
  if (isWhole) {
    context.wantLayout(index, channelsInnermost(context.input(index)));
    return true;
  }
  // Without pixels, any order of dimensions is the same memory.
  view = Shape(result.size(), 1);
  view.push_back(shape[1]);
  return elementCount(shape) == shape[1];
}

/// Computes with the channels innermost if an operand of the result's shape
/// lies in memory so, and the others can follow.
Views followOperands(BindContext &context) {
  const ValueInfo &y = context.output(0);
  Views views(context.inputCount());
  bool isInnermost = false;
  for (const KernelBuilder::Input &input : context.inputs)
    isInnermost |= input.info.shape == y.shape && isCode(input.info.dtype) &&
                   hasChannelsInnermost(input.info);
  for (size_t i = 0; i < views.size() && isInnermost; ++i)
    isInnermost = placeOperand(context, i, views[i]);
  if (isInnermost) {
    context.setOutputLayout(0, channelsInnermost(y));
    return views;
  }
  for (KernelBuilder::Input &input : context.inputs)
    input.wanted = {};
  return Views(context.inputCount());
}

Tensor viewOf(const KernelArgs &args, size_t index, const Views &views) {
  const Tensor &input = args.inputs[index];
  return views[index].empty() ? input : input.reshaped(views[index]);
}

/// For kernels that treat every element alike.
void followOperand(BindContext &context) {
  const ValueInfo &x = context.input(0);
  if (!hasChannelsInnermost(x))
    return;
  context.wantLayout(0, x.layout);
  context.setOutputLayout(0, x.layout);
}

//===----------------------------------------------------------------------===//
// Binders
//===----------------------------------------------------------------------===//

/// Looks the results of `kernel` up, code by code.
Kernel lookUp(BindContext &context,
              const std::function<void(const Tensor &, Tensor &)> &kernel) {
  auto map = std::make_shared<CodeMap>(context.input(0).dtype,
                                       context.output(0).dtype, kernel);
  return {[map](const KernelArgs &args) {
    map->run(args.inputs[0], args.outputs[0]);
  }};
}

Kernel bindLinear(LinearOp op, BindContext &context) {
  auto run = [zeros = op.getInputZeroPoints().vec(),
              coefficients = Coefficients{op.getCoefficients().vec(),
                                          int32_t(op.getShift())},
              output = outputOf(op)](ArrayRef<Tensor> inputs, Tensor &y) {
    SmallVector<CodesOperand, 3> operands;
    for (auto [input, zero] : llvm::zip(inputs, zeros))
      operands.push_back({input, zero});
    linear({operands.data(), operands.size()}, y, coefficients, output);
  };
  Views views = followOperands(context);
  return {[views, run](const KernelArgs &args) {
    SmallVector<Tensor, 3> inputs;
    for (size_t i = 0; i < args.inputs.size(); ++i)
      inputs.push_back(viewOf(args, i, views));
    run(inputs, args.outputs[0]);
  }};
}

Kernel bindAffine(AffineOp op, BindContext &context) {
  ChannelAffine channels{op.getFactors().vec(), op.getOffsets().vec(),
                         op.getShifts().vec()};
  followOperand(context);
  int64_t axis = int64_t(op.getAxis());
  // The channels of [N, C, spatial...] in [N, 1, spatial..., C].
  if (!context.output(0).layout.isPlain() && axis == 1)
    axis = int64_t(context.input(0).shape.size());
  return {[channels, axis, zero = int64_t(op.getXZeroPoint()),
           output = outputOf(op)](const KernelArgs &args) {
    affine({args.inputs[0], zero}, args.outputs[0], axis, channels, output);
  }};
}

/// fn(a, b, y, multipliers, output).
template <typename OpTy, typename Fn> void addPair(KernelSet &kernels, Fn fn) {
  kernels.add<OpTy>([fn](OpTy op, BindContext &context) -> Kernel {
    return {[fn, views = followOperands(context),
             aZero = int64_t(op.getAZeroPoint()),
             bZero = int64_t(op.getBZeroPoint()),
             multipliers = multipliersOf(op),
             output = outputOf(op)](const KernelArgs &args) {
      Tensor a = viewOf(args, 0, views), b = viewOf(args, 1, views);
      fn(CodesOperand{a, aZero}, CodesOperand{b, bZero}, args.outputs[0],
         multipliers, output);
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

Kernel bindTable(TableOp op, BindContext &context) {
  followOperand(context);
  return lookUp(context, [entries = op.getEntries().vec(),
                          output = outputOf(op)](const Tensor &x, Tensor &y) {
    table(x, y, entries, output);
  });
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
