//===- Convolution.cpp - Convolutions by oneDNN ---------------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Chooses between the blocked and the plain implementation, and packs weights
// into what it wants.
//===----------------------------------------------------------------------===//
#include "OneDnnSupport.h"
#include "parallax/Support/Error.h"
#include "parallax/Support/Parallel.h"
#include "parallax/Support/Simd.h"

#include <fmt/format.h>

namespace parallax::kernels {
namespace {

/// Weights as [group, out, in, kernel...] over the memory order of ONNX, which
/// is [out, in/group, kernel...], or [in, out/group, kernel...] if transposed.
MemoryDesc weightDesc(const Shape &shape, int64_t group, bool transposed) {
  Shape dims{group, shape[0] / group, shape[1]};
  dims.insert(dims.end(), shape.begin() + 2, shape.end());
  Shape strides = stridesOf(dims);
  if (transposed) {
    std::swap(dims[1], dims[2]);
    std::swap(strides[1], strides[2]);
  }
  if (group == 1) {
    dims.erase(dims.begin());
    strides.erase(strides.begin());
  }
  return MemoryDesc(dims, dnnl::memory::data_type::f32, strides);
}

/// The same extents in the order that the implementation likes best.
MemoryDesc anyOrder(const MemoryDesc &desc) {
  return MemoryDesc(desc.dims(), dnnl::memory::data_type::f32,
                    dnnl::memory::format_tag::any);
}

struct Choice {
  dnnl::primitive primitive;
  MemoryDesc source, weights, bias, target, scratchpad;
  std::string implementation;
};

template <typename Primitive>
Choice choose(dnnl::algorithm algorithm, const MemoryDesc &source,
              const MemoryDesc &weights, const MemoryDesc &bias,
              const MemoryDesc &target, const ConvolutionParams &params,
              const dnnl::primitive_attr &attributes) {
  // oneDNN counts the gaps between taps, ONNX their distance.
  Shape gaps = params.dilations;
  for (int64_t &gap : gaps)
    --gap;
  typename Primitive::desc desc(dnnl::prop_kind::forward_inference, algorithm,
                                source, weights, bias, target, params.strides,
                                gaps, params.padsBegin, params.padsEnd);
  typename Primitive::primitive_desc chosen(desc, attributes, engine());
  return {Primitive(chosen),     chosen.src_desc(), chosen.weights_desc(),
          chosen.bias_desc(),    chosen.dst_desc(), chosen.scratchpad_desc(),
          chosen.impl_info_str()};
}

std::vector<float> scaledWeights(const Tensor &weights,
                                 const ChannelAffine &affine) {
  std::vector<float> scaled(weights.data<float>(),
                            weights.data<float>() + weights.size());
  size_t perChannel = scaled.size() / affine.scale.size();
  for (size_t channel = 0; channel < affine.scale.size(); ++channel)
    for (size_t i = 0; i < perChannel; ++i)
      scaled[channel * perChannel + i] *= affine.scale[channel];
  return scaled;
}

/// Rows of `width` floats, each with the same numbers added.
PARALLAX_SIMD void addToRows(const float *numbers, int64_t width, int64_t rows,
                             float *to) {
  if (width == 16)
    for (int64_t r = 0; r < rows; ++r)
      for (int64_t i = 0; i < 16; ++i)
        to[16 * r + i] += numbers[i];
  else if (width == 8)
    for (int64_t r = 0; r < rows; ++r)
      for (int64_t i = 0; i < 8; ++i)
        to[8 * r + i] += numbers[i];
  else
    for (int64_t r = 0; r < rows; ++r)
      to[r] += *numbers;
}

/// oneDNN adds the bias of a transposed convolution one element at a time,
/// which takes longer than the convolution. This adds it to what is there; the
/// sum of two numbers is the same either way.
Kernel withBias(Kernel kernel, const Shape &shape, Layout layout,
                const Tensor *known) {
  const int64_t channels = shape[1], width = layout.channelBlock;
  const int64_t planes = (channels + width - 1) / width;
  const int64_t pixels = elementCount(std::span(shape).subspan(2));
  // Channels that only fill a block stay zero.
  std::vector<float> numbers(size_t(planes * width), 0.0f);
  if (known)
    std::copy_n(known->data<float>(), size_t(channels), numbers.begin());
  kernel.run = [run = std::move(kernel.run), numbers, isKnown = bool(known),
                channels, width, planes, pixels,
                batch = shape[0]](const KernelArgs &args) {
    run(args);
    std::vector<float> given;
    if (!isKnown) {
      given.assign(numbers.size(), 0.0f);
      std::copy_n(args.inputs[2].data<float>(), size_t(channels),
                  given.begin());
    }
    const float *bias = isKnown ? numbers.data() : given.data();
    auto *to = static_cast<float *>(args.outputs[0].rawData());
    constexpr int64_t grain = 1 << 15;
    parallelFor(batch * planes, std::max<int64_t>(1, grain / (pixels * width)),
                [&](int64_t begin, int64_t end) {
                  for (int64_t i = begin; i < end; ++i)
                    addToRows(bias + i % planes * width, width, pixels,
                              to + i * pixels * width);
                });
  };
  return kernel;
}

} // namespace

Kernel makeConvolution(KernelBuilder &builder, const ConvolutionParams &params,
                       bool hasBias, std::span<const PostOp> postOps,
                       const ChannelAffine *affine) {
  const Shape &sourceShape = builder.input(0).shape;
  const Shape &targetShape = builder.output(0).shape;
  if (builder.input(0).dtype != DType::F32)
    throw Error(fmt::format("convolution computes in float32, not in {}",
                            nameOf(builder.input(0).dtype)));
  if (elementCount(targetShape) == 0)
    return {[](const KernelArgs &) {}};
  if (elementCount(sourceShape) == 0)
    throw Error("a convolution of no elements can't have a result");
  MemoryDesc weights =
      weightDesc(builder.input(1).shape, params.group, params.transposed);
  const Tensor *constantWeights = builder.constant(1);
  const Tensor *constantBias = hasBias ? builder.constant(2) : nullptr;
  bool biasIsKnown = !hasBias || constantBias;
  MemoryDesc bias;
  const bool addsBias = params.transposed && hasBias && !affine;
  if ((hasBias || affine) && !addsBias)
    bias = plainDesc({targetShape[1]});

  // Nothing where oneDNN has no implementation of this shape.
  auto attempt = [&](Layout from, Layout to) -> std::optional<Choice> {
    MemoryDesc source = layoutDesc(sourceShape, from);
    MemoryDesc target = layoutDesc(targetShape, to);
    dnnl::primitive_attr attributes = makeAttributes(postOps, target);
    MemoryDesc order = constantWeights ? anyOrder(weights) : weights;
    try {
      return params.transposed
                 ? choose<dnnl::deconvolution_forward>(
                       dnnl::algorithm::deconvolution_direct, source, order,
                       bias, target, params, attributes)
                 : choose<dnnl::convolution_forward>(
                       dnnl::algorithm::convolution_direct, source, order, bias,
                       target, params, attributes);
    } catch (const dnnl::error &) {
      return std::nullopt;
    }
  };

  Layout blocked{preferredChannelBlock()};
  // The vectorised kernels read images of a few colours as they are.
  Layout from = sourceShape[1] <= 4 && params.group == 1 ? Layout() : blocked;
  Layout to = blocked;
  std::optional<Choice> found;
  if (constantWeights && sourceShape.size() <= 5)
    found = attempt(from, to);
  if (!found || !found->implementation.starts_with("jit")) {
    from = to = Layout();
    found = attempt(from, to);
  }
  if (!found)
    throw Error("oneDNN has no convolution for this shape and these "
                "attributes");
  const Choice &choice = *found;

  PrimitiveKernel kernel;
  kernel.bindInput(DNNL_ARG_SRC, choice.source, 0);
  kernel.bindOutput(DNNL_ARG_DST, choice.target, 0);
  kernel.bindScratchpad(choice.scratchpad);
  builder.wantLayout(0, from);
  builder.setOutputLayout(0, to);
  if (constantWeights) {
    std::vector<float> scaled;
    if (affine)
      scaled = scaledWeights(*constantWeights, *affine);
    kernel.bindFixed(DNNL_ARG_WEIGHTS,
                     pack(affine ? scaled.data() : constantWeights->rawData(),
                          weights, choice.weights));
    builder.releaseConstant(1);
  } else {
    kernel.bindInput(DNNL_ARG_WEIGHTS, weights, 1);
  }
  if (addsBias) {
    if (constantBias)
      builder.releaseConstant(2);
  } else if (hasBias && !biasIsKnown) {
    kernel.bindInput(DNNL_ARG_BIAS, bias, 2);
  } else if (hasBias || affine) {
    std::vector<float> values(size_t(targetShape[1]), 0.0f);
    if (constantBias)
      std::copy_n(constantBias->data<float>(), values.size(), values.begin());
    if (affine)
      for (size_t i = 0; i < values.size(); ++i)
        values[i] = values[i] * affine->scale[i] + affine->shift[i];
    kernel.bindFixed(DNNL_ARG_BIAS, pack(values.data(), bias, choice.bias));
    if (hasBias)
      builder.releaseConstant(2);
  }
  kernel.bindPostOps(postOps, choice.target);
  for (const PostOp &op : postOps)
    if (op.kind == PostOp::Kind::Add)
      builder.wantLayout(op.input, to);
  Kernel result = kernel.finish(choice.primitive);
  if (addsBias)
    result = withBias(std::move(result), targetShape, to, constantBias);
  const Shape &weightShape = builder.input(1).shape;
  const Shape &perWeight = params.transposed ? sourceShape : targetShape;
  result.work = double(elementCount(perWeight)) / 8 *
                double(elementCount(weightShape)) / double(weightShape[0]);
  return result;
}

} // namespace parallax::kernels
