//===- Pooling.cpp - Pooling by oneDNN ------------------------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Maximum and average without dilation, in whatever layout the operand has.
// The rest is computed by Pool.cpp.
//===----------------------------------------------------------------------===//
#include "OneDnnSupport.h"

namespace parallax::kernels {

Kernel makePooling(KernelBuilder &builder, PoolKind kind,
                   const PoolParams &params) {
  const ValueInfo &x = builder.input(0);
  const Shape &target = builder.output(0).shape;
  for (size_t i = 0; i < params.kernel.size(); ++i) {
    int64_t covered =
        (target[i + 2] - 1) * params.strides[i] + params.kernel[i];
    int64_t padded = x.shape[i + 2] + params.padsBegin[i] + params.padsEnd[i];
    // A window that sticks out beyond the padding has a rule of its own when
    // padding counts, and so has one that lies in the padding alone.
    if (params.dilations[i] != 1 || params.padsBegin[i] >= params.kernel[i] ||
        params.padsEnd[i] >= params.kernel[i] ||
        (covered > padded && params.countIncludePad))
      return {};
  }
  if (x.dtype != DType::F32 || elementCount(target) == 0 ||
      kind == PoolKind::Lp || x.shape.size() > 5)
    return {};

  Shape padsEnd = params.padsEnd;
  for (size_t i = 0; i < padsEnd.size(); ++i)
    padsEnd[i] = (target[i + 2] - 1) * params.strides[i] + params.kernel[i] -
                 x.shape[i + 2] - params.padsBegin[i];
  dnnl::algorithm algorithm =
      kind == PoolKind::Max    ? dnnl::algorithm::pooling_max
      : params.countIncludePad ? dnnl::algorithm::pooling_avg_include_padding
                               : dnnl::algorithm::pooling_avg_exclude_padding;
  MemoryDesc source = layoutDesc(x.shape, x.layout);
  MemoryDesc result = layoutDesc(target, x.layout);
  try {
    dnnl::pooling_forward::desc desc(dnnl::prop_kind::forward_inference,
                                     algorithm, source, result, params.strides,
                                     params.kernel, params.padsBegin, padsEnd);
    dnnl::primitive_attr attributes = makeAttributes({}, result);
    dnnl::pooling_forward::primitive_desc chosen(desc, attributes, engine());
    PrimitiveKernel kernel;
    kernel.bindInput(DNNL_ARG_SRC, source, 0);
    kernel.bindOutput(DNNL_ARG_DST, result, 0);
    kernel.bindScratchpad(chosen.scratchpad_desc());
    builder.wantLayout(0, x.layout);
    builder.setOutputLayout(0, x.layout);
    return kernel.finish(dnnl::pooling_forward(chosen));
  } catch (const dnnl::error &) {
    return {}; // Not this shape.
  }
}

} // namespace parallax::kernels
