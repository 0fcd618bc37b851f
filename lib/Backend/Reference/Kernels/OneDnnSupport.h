//===- OneDnnSupport.h - What all oneDNN kernels share ---------*- C++ -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Descriptors of our values, and the one adapter from a oneDNN primitive to a
// Kernel.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_LIB_BACKEND_REFERENCE_KERNELS_ONEDNNSUPPORT_H
#define PARALLAX_LIB_BACKEND_REFERENCE_KERNELS_ONEDNNSUPPORT_H

#include "parallax/Backend/Reference/Kernels/OneDnn.h"

#include <dnnl.hpp>

namespace parallax::kernels {

using MemoryDesc = dnnl::memory::desc;

const dnnl::engine &engine();
/// Streams carry no state on the CPU; every thread has its own.
dnnl::stream &stream();

/// Row-major float32.
MemoryDesc plainDesc(const Shape &shape);
/// Float32 in a layout.
MemoryDesc layoutDesc(const Shape &shape, Layout layout);

/// A primitive and where its arguments come from.
class PrimitiveKernel {
public:
  void bindInput(int argument, const MemoryDesc &desc, size_t input);
  void bindOutput(int argument, const MemoryDesc &desc, size_t output);
  /// Memory that all runs share: packed weights.
  void bindFixed(int argument, dnnl::memory memory);
  void bindScratchpad(const MemoryDesc &desc);
  /// Binds the operands of post-ops, which lie in memory like the result.
  void bindPostOps(std::span<const PostOp> postOps, const MemoryDesc &target);

  Kernel finish(dnnl::primitive primitive) const;

private:
  enum class Source { Input, Output, Fixed, Scratch };
  struct Argument {
    int number;
    Source source;
    MemoryDesc desc;
    size_t index = 0;
    dnnl::memory memory;
  };
  std::vector<Argument> arguments;
};

/// Scratch memory comes from the executor; post-ops as given, for a result that
/// `target` describes.
dnnl::primitive_attr makeAttributes(std::span<const PostOp> postOps,
                                    const MemoryDesc &target, float scale = 1);

/// Packs constant memory into the form that a primitive wants.
dnnl::memory pack(const void *data, const MemoryDesc &from,
                  const MemoryDesc &to);

} // namespace parallax::kernels

#endif // PARALLAX_LIB_BACKEND_REFERENCE_KERNELS_ONEDNNSUPPORT_H
