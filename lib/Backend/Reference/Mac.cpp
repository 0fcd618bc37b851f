//===- Mac.cpp - Kernels of multiply-accumulate operators -----------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Brings attributes into oneDNN's terms and hands over what was fused.
//===----------------------------------------------------------------------===//
#include "Binding.h"
#include "Fusion.h"
#include "parallax/Backend/Kernels/Elementwise.h"
#include "parallax/Backend/Reference/Kernels/Einsum.h"
#include "parallax/Backend/Reference/Kernels/OneDnn.h"
#include "parallax/Backend/Reference/Parameters.h"

namespace parallax::reference {
namespace {

template <typename OpTy> kernels::ConvolutionParams paramsOf(OpTy op) {
  ArrayRef<int64_t> pads = op.getPads();
  size_t spatial = pads.size() / 2;
  kernels::ConvolutionParams params;
  params.strides = op.getStrides().vec();
  params.dilations = op.getDilations().vec();
  params.padsBegin = pads.take_front(spatial).vec();
  params.padsEnd = pads.drop_front(spatial).vec();
  params.group = int64_t(op.getGroup());
  return params;
}

/// oneDNN wants to be told the padding that makes the extents come out even.
void fitEndPadding(kernels::ConvolutionParams &params, const Shape &x,
                   const Shape &weight, const Shape &y) {
  for (size_t i = 0; i < params.padsEnd.size(); ++i) {
    const Shape &wide = params.transposed ? y : x;
    const Shape &narrow = params.transposed ? x : y;
    int64_t reach = (weight[i + 2] - 1) * params.dilations[i] + 1;
    params.padsEnd[i] = (narrow[i + 2] - 1) * params.strides[i] + reach -
                        wide[i + 2] - params.padsBegin[i];
  }
}

Kernel bindConv(nn::ConvOp op, BindContext &context) {
  kernels::ConvolutionParams params = paramsOf(op);
  fitEndPadding(params, context.input(0).shape, context.input(1).shape,
                context.output(0).shape);
  Epilogue epilogue = plannedEpilogue(op, context.absorbed);
  kernels::ChannelAffine affine;
  bool hasAffine = epilogue.batchNormInput >= 0;
  if (hasAffine)
    affine = channelAffine(context, size_t(epilogue.batchNormInput),
                           epilogue.batchNormEpsilon);
  return kernels::makeConvolution(context, params, bool(op.getBias()),
                                  epilogue.postOps,
                                  hasAffine ? &affine : nullptr);
}

Kernel bindConvTranspose(nn::ConvTransposeOp op, BindContext &context) {
  kernels::ConvolutionParams params = paramsOf(op);
  params.transposed = true;
  fitEndPadding(params, context.input(0).shape, context.input(1).shape,
                context.output(0).shape);
  return kernels::makeConvolution(context, params, bool(op.getBias()), {},
                                  nullptr);
}

/// Descriptors are made from shapes alone, so the additional dimensions exist
/// only while the kernel is made.
Kernel makeProduct(BindContext &context, ProductShapes shapes,
                   const kernels::MatMulParams &params,
                   std::span<const kernels::PostOp> postOps) {
  auto exchange = [&] {
    std::swap(context.inputs[0].info.shape, shapes.a);
    std::swap(context.inputs[1].info.shape, shapes.b);
    std::swap(context.outputs[0].info.shape, shapes.y);
  };
  exchange();
  Kernel kernel = kernels::makeMatMul(context, params, postOps);
  exchange();
  return kernel;
}

Kernel bindMatMul(nn::MatMulOp op, BindContext &context) {
  Epilogue epilogue = plannedEpilogue(op, context.absorbed);
  ProductShapes shapes =
      matrixShapes({context.input(0).shape, context.input(1).shape,
                    context.output(0).shape});
  kernels::MatMulParams params;
  params.biasInput = epilogue.biasInput;
  return makeProduct(context, std::move(shapes), params, epilogue.postOps);
}

Kernel bindFullyConnected(nn::FullyConnectedOp op, BindContext &context) {
  Epilogue epilogue = plannedEpilogue(op, context.absorbed);
  Shape x = context.input(0).shape, y = context.output(0).shape;
  if (x.size() == 1) {
    x.insert(x.begin(), 1);
    y.insert(y.begin(), 1);
  }
  kernels::MatMulParams params;
  params.transposeB = true;
  params.biasInput = op.getBias() ? 2 : epilogue.biasInput;
  return makeProduct(context, {x, context.input(1).shape, y}, params,
                     epilogue.postOps);
}

/// `alpha A B + beta C`. The common case, a bias per column, is part of the
/// product; any other C is added afterwards.
Kernel bindGemm(nn::GemmOp op, BindContext &context) {
  kernels::MatMulParams params;
  params.transposeA = op.getTransA();
  params.transposeB = op.getTransB();
  params.alpha = op.getAlpha().convertToFloat();
  float beta = op.getBeta().convertToFloat();
  bool hasC = op.getC() && beta != 0;
  const Shape &y = context.output(0).shape;
  if (hasC && beta == 1 && params.alpha == 1 &&
      !context.input(2).shape.empty() &&
      elementCount(context.input(2).shape) == y[1] &&
      context.input(2).shape.back() == y[1]) {
    params.biasInput = 2;
    return kernels::makeMatMul(context, params, {});
  }
  Kernel product = kernels::makeMatMul(context, params, {});
  if (!hasC)
    return product;
  Kernel kernel = product;
  kernel.run = [product, beta](const KernelArgs &args) {
    product.run(args);
    Tensor factor = Tensor::fromValues<float>({}, std::span(&beta, 1));
    Tensor c(DType::F32, args.inputs[2].shape());
    kernels::binary(kernels::BinaryKind::Mul, args.inputs[2], factor, c);
    kernels::binary(kernels::BinaryKind::Add, args.outputs[0], c,
                    args.outputs[0]);
  };
  return kernel;
}

Kernel bindEinsum(nn::EinsumOp op, BindContext &context) {
  std::vector<Shape> shapes;
  for (size_t i = 0; i < context.inputCount(); ++i)
    shapes.push_back(context.input(i).shape);
  auto plan = std::make_shared<kernels::EinsumPlan>(
      std::string_view(op.getEquation()), shapes, context.input(0).dtype);
  Kernel kernel;
  kernel.scratchBytes = plan->scratchBytes();
  kernel.run = [plan](const KernelArgs &args) {
    plan->run(args.inputs, args.outputs[0], args.scratch);
  };
  return kernel;
}

} // namespace

ProductShapes matrixShapes(ProductShapes shapes) {
  auto &[a, b, y] = shapes;
  bool bIsVector = b.size() == 1;
  if (a.size() == 1) {
    a.insert(a.begin(), 1);
    y.insert(y.end() - (bIsVector ? 0 : 1), 1);
  }
  if (bIsVector) {
    b.push_back(1);
    y.push_back(1);
  }
  return shapes;
}

void addMacKernels(KernelSet &kernels) {
  kernels.add<nn::ConvOp>(bindConv);
  kernels.add<nn::ConvTransposeOp>(bindConvTranspose);
  kernels.add<nn::EinsumOp>(bindEinsum);
  kernels.add<nn::FullyConnectedOp>(bindFullyConnected);
  kernels.add<nn::GemmOp>(bindGemm);
  kernels.add<nn::MatMulOp>(bindMatMul);
}

} // namespace parallax::reference
