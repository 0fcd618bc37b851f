//===- Elementwise.cpp - Kernels of element-wise operators ----------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// One line per operator. Element-wise kernels work in any layout, so they
// follow their operands and save reorders.
//===----------------------------------------------------------------------===//
#include "parallax/Backend/Kernels/Elementwise.h"
#include "Binding.h"
#include "parallax/Backend/Reference/Kernels/OneDnn.h"
#include "parallax/Backend/Reference/Parameters.h"

namespace parallax::reference {
namespace {

using kernels::BinaryKind;
using kernels::UnaryKind;

Kernel bindUnary(BindContext &context, const UnaryFunction &function) {
  auto [kind, alpha, beta] = function;
  // The padding of a last block holds zeros and must keep them: a convolution
  // multiplies it by zero, which makes NaN out of infinity.
  bool keepsZeros = fillsBlocks(context.input(0)) ||
                    kernels::scalarUnary(kind, 0, alpha, beta) == 0;
  if (keepsZeros && context.output(0).dtype == DType::F32)
    followOperand(context);
  if (context.input(0).dtype == context.output(0).dtype)
    context.mayShare(0, 0);
  return {[function](const KernelArgs &args) {
    kernels::unary(function.kind, args.inputs[0], args.outputs[0],
                   function.alpha, function.beta);
  }};
}

using UnaryFunctions =
    llvm::StringMap<std::function<UnaryFunction(Operation *)>>;

/// `parameters` are attributes.
void addUnary(UnaryFunctions &functions, StringRef operation, UnaryKind kind,
              std::vector<StringRef> parameters) {
  functions[operation] = [=](Operation *op) {
    auto valueOf = [&](size_t i) {
      return i < parameters.size()
                 ? float(op->getAttrOfType<mlir::FloatAttr>(parameters[i])
                             .getValueAsDouble())
                 : 0.0f;
    };
    return UnaryFunction{kind, valueOf(0), valueOf(1)};
  };
}

UnaryFunctions makeUnaryFunctions() {
  UnaryFunctions functions;
#define PARAMETERS(...) __VA_ARGS__
#define UNARY_OP(name, rule, parameters, ...)                                  \
  addUnary(functions, nn::name##Op::getOperationName(), UnaryKind::name,       \
           {PARAMETERS parameters});
#include "parallax/Support/UnaryFunctions.def"
#undef PARAMETERS
  functions[nn::GeluOp::getOperationName()] = [](Operation *op) {
    bool isTanh = cast<nn::GeluOp>(op).getApproximate() == "tanh";
    return UnaryFunction{isTanh ? UnaryKind::GeluTanh : UnaryKind::GeluErf};
  };
  return functions;
}

//===----------------------------------------------------------------------===//
// Operators with broadcasting
//===----------------------------------------------------------------------===//

/// A constant that broadcasts along everything but the channels, in blocks.
Tensor blockedChannels(const Tensor &constant, size_t rank, int64_t block) {
  int64_t channels = constant.size();
  Shape shape(rank + 1, 1);
  shape[1] = (channels + block - 1) / block;
  shape[rank] = block;
  Tensor packed(constant.dtype(), shape);
  std::copy_n(constant.data<float>(), channels, packed.data<float>());
  return packed;
}

/// [C, 1, 1] or [1, C, 1, 1] against a result of `rank` dimensions.
bool isPerChannel(const Shape &shape, const Shape &result) {
  int64_t channelAxis = int64_t(shape.size()) - int64_t(result.size()) + 1;
  return channelAxis >= 0 && shape[size_t(channelAxis)] == result[1] &&
         elementCount(shape) == result[1];
}

/// How one operand of a binary operator takes part in a blocked computation.
struct BlockedOperand {
  Tensor packed;   ///< Instead of the operand, if not null.
  Shape viewShape; ///< The operand's shape as seen by the kernel, if given.
};

/// Prepares operand `index` for a result in `layout`; false if it can't be.
bool blockOperand(BindContext &context, size_t index, Layout layout,
                  BlockedOperand &operand) {
  const ValueInfo &info = context.input(index);
  const Shape &result = context.output(0).shape;
  size_t rank = result.size();
  if (const Tensor *constant = context.constant(index);
      constant && isPerChannel(info.shape, result)) {
    operand.packed = blockedChannels(*constant, rank, layout.channelBlock);
    context.releaseConstant(index);
    return true;
  }
  if (elementCount(info.shape) == 1) {
    operand.viewShape = Shape(rank + 1, 1);
    return true;
  }
  if (info.shape.size() != rank)
    return false;
  if (info.shape[1] == result[1]) {
    context.wantLayout(index, layout);
    return true;
  }
  // One channel for all: row-major and blocked are the same but for a trailing
  // dimension of 1.
  operand.viewShape = info.shape;
  operand.viewShape.push_back(1);
  return info.layout.isPlain();
}

/// True for operators that make zero out of two zeros, as the padding of a last
/// block needs it.
bool keepsZeros(BinaryKind kind) {
  return kind == BinaryKind::Add || kind == BinaryKind::Sub ||
         kind == BinaryKind::Mul || kind == BinaryKind::Max ||
         kind == BinaryKind::Min || kind == BinaryKind::PRelu;
}

Kernel bindBinary(BindContext &context, BinaryKind kind) {
  const Shape &result = context.output(0).shape;
  Layout layout;
  for (size_t i = 0; i < 2; ++i)
    if (!context.input(i).layout.isPlain() && context.input(i).shape == result)
      layout = context.input(i).layout;
  bool isBlocked = !layout.isPlain() && context.output(0).dtype == DType::F32 &&
                   context.input(0).dtype == DType::F32 &&
                   context.input(1).dtype == DType::F32;
  std::array<BlockedOperand, 2> operands;
  if (isBlocked)
    isBlocked = blockOperand(context, 0, layout, operands[0]) &&
                blockOperand(context, 1, layout, operands[1]);
  // An operand that is not in blocks itself has no zeros for the padding.
  if (isBlocked && result[1] % layout.channelBlock != 0)
    isBlocked = keepsZeros(kind) &&
                (kind == BinaryKind::Mul || (operands[0].viewShape.empty() &&
                                             operands[1].viewShape.empty()));
  if (!isBlocked) {
    operands = {};
    for (size_t i = 0; i < 2; ++i) {
      context.wantLayout(i, Layout());
      context.inputs[i].released = false;
    }
  } else {
    context.setOutputLayout(0, layout);
  }
  for (size_t i = 0; i < 2; ++i)
    if (context.input(i).shape == result &&
        context.input(i).dtype == context.output(0).dtype) {
      context.mayShare(0, i);
      break;
    }
  if (operands[0].packed.isNull() && operands[1].packed.isNull() &&
      operands[0].viewShape.empty() && operands[1].viewShape.empty())
    return {[=](const KernelArgs &args) {
      kernels::binary(kind, args.inputs[0], args.inputs[1], args.outputs[0]);
    }};
  return {[=](const KernelArgs &args) {
    auto view = [&](size_t i) {
      const BlockedOperand &operand = operands[i];
      return !operand.packed.isNull() ? operand.packed
             : !operand.viewShape.empty()
                 ? args.inputs[i].reshaped(operand.viewShape)
                 : args.inputs[i];
    };
    kernels::binary(kind, view(0), view(1), args.outputs[0]);
  }};
}

template <typename OpTy> void addBinary(KernelSet &kernels, BinaryKind kind) {
  kernels.add<OpTy>(
      [=](OpTy, BindContext &context) { return bindBinary(context, kind); });
}

void addArithmetic(KernelSet &kernels) {
  addBinary<nn::AddOp>(kernels, BinaryKind::Add);
  addBinary<nn::AndOp>(kernels, BinaryKind::And);
  addBinary<nn::DivOp>(kernels, BinaryKind::Div);
  addBinary<nn::EqualOp>(kernels, BinaryKind::Equal);
  addBinary<nn::GreaterOp>(kernels, BinaryKind::Greater);
  addBinary<nn::GreaterOrEqualOp>(kernels, BinaryKind::GreaterOrEqual);
  addBinary<nn::LessOp>(kernels, BinaryKind::Less);
  addBinary<nn::LessOrEqualOp>(kernels, BinaryKind::LessOrEqual);
  addBinary<nn::MaxOp>(kernels, BinaryKind::Max);
  addBinary<nn::MinOp>(kernels, BinaryKind::Min);
  addBinary<nn::MulOp>(kernels, BinaryKind::Mul);
  addBinary<nn::OrOp>(kernels, BinaryKind::Or);
  addBinary<nn::PowOp>(kernels, BinaryKind::Pow);
  addBinary<nn::PReluOp>(kernels, BinaryKind::PRelu);
  addBinary<nn::SubOp>(kernels, BinaryKind::Sub);
  addBinary<nn::XorOp>(kernels, BinaryKind::Xor);
  kernels.add<nn::ModOp>([](nn::ModOp op, BindContext &context) {
    return bindBinary(context,
                      op.getFmod() ? BinaryKind::Fmod : BinaryKind::Mod);
  });
  kernels.add<nn::BitShiftOp>([](nn::BitShiftOp op, BindContext &context) {
    return bindBinary(context, op.getDirection() == "LEFT"
                                   ? BinaryKind::BitShiftLeft
                                   : BinaryKind::BitShiftRight);
  });
}

} // namespace

const llvm::StringMap<std::function<UnaryFunction(Operation *)>> &
unaryFunctions() {
  static const UnaryFunctions functions = makeUnaryFunctions();
  return functions;
}

void addElementwiseKernels(KernelSet &kernels) {
  for (const auto &[name, function] : unaryFunctions())
    kernels.add(name, [&function](Operation *op, BindContext &context) {
      return bindUnary(context, function(op));
    });
  addArithmetic(kernels);
  kernels.add<nn::CastOp>([](nn::CastOp, BindContext &context) -> Kernel {
    if (context.input(0).dtype == context.output(0).dtype) {
      context.setAlias(0);
      return {};
    }
    return {[](const KernelArgs &args) {
      kernels::cast(args.inputs[0], args.outputs[0]);
    }};
  });
  kernels.add<nn::ClipOp>([](nn::ClipOp op, BindContext &context) -> Kernel {
    double lo = op.getMin().convertToDouble();
    double hi = op.getMax().convertToDouble();
    if (fillsBlocks(context.input(0)) || (lo <= 0 && hi >= 0))
      followOperand(context);
    context.mayShare(0, 0);
    return {[lo, hi](const KernelArgs &args) {
      kernels::clip(args.inputs[0], args.outputs[0], lo, hi);
    }};
  });
  kernels.add<nn::IsInfOp>([](nn::IsInfOp op, BindContext &) -> Kernel {
    return {[negative = op.getDetectNegative(),
             positive = op.getDetectPositive()](const KernelArgs &args) {
      kernels::isInf(args.inputs[0], args.outputs[0], negative, positive);
    }};
  });
  kernels.add<nn::WhereOp>([](nn::WhereOp, BindContext &) -> Kernel {
    return {[](const KernelArgs &args) {
      kernels::where(args.inputs[0], args.inputs[1], args.inputs[2],
                     args.outputs[0]);
    }};
  });
}

} // namespace parallax::reference
