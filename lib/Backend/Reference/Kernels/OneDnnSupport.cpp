//===- OneDnnSupport.cpp - What all oneDNN kernels share ------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Engine, stream, memory descriptions, and the arguments of a primitive, of
// which only the addresses change from run to run.
//===----------------------------------------------------------------------===//
#include "OneDnnSupport.h"
#include "parallax/Support/Error.h"
#include "parallax/Support/Parallel.h"

#include <latch>
#include <mutex>
#include <thread>
#include <unistd.h>
#include <unordered_map>

// The interface of libgomp.so.1, on whose threads oneDNN runs.
extern "C" void GOMP_parallel(void (*body)(void *), void *data,
                              unsigned threads, unsigned flags);

namespace parallax::kernels {

/// A thread of libgomp that waits spins for milliseconds, in which it keeps the
/// core from whoever it waits for: beside other programs, a network takes ten
/// times as long. Where there are more threads than cores, it sleeps soon. So
/// here is a team that is one too large; it belongs to a thread that sleeps.
static void letThreadsSleep() {
  static std::once_flag isDone;
  std::call_once(isDone, [] {
    unsigned all = std::max(std::thread::hardware_concurrency(), 1u) + 1;
    if (!canStartThreads(int(all)))
      return;
    std::latch isStarted(1);
    std::thread([&isStarted, all] {
      GOMP_parallel([](void *) {}, nullptr, all, 0);
      isStarted.count_down();
      for (;;)
        pause();
    }).detach();
    isStarted.wait();
  });
}

const dnnl::engine &engine() {
  static const dnnl::engine instance(dnnl::engine::kind::cpu, 0);
  return instance;
}

dnnl::stream &stream() {
  if (threadCount() > 1)
    letThreadsSleep();
  thread_local dnnl::stream instance(engine());
  return instance;
}

int64_t preferredChannelBlock() {
  static const int64_t block =
      dnnl::get_effective_cpu_isa() >= dnnl::cpu_isa::avx512_core ? 16 : 8;
  return block;
}

MemoryDesc plainDesc(const Shape &shape) {
  // A scalar has no descriptor; one element does.
  Shape dims = shape.empty() ? Shape{1} : shape;
  return MemoryDesc(dims, dnnl::memory::data_type::f32, stridesOf(dims));
}

MemoryDesc layoutDesc(const Shape &shape, Layout layout) {
  using Tag = dnnl::memory::format_tag;
  if (layout.isPlain())
    return plainDesc(shape);
  bool wide = layout.channelBlock == 16;
  Tag tag = shape.size() == 3   ? (wide ? Tag::aBc16b : Tag::aBc8b)
            : shape.size() == 4 ? (wide ? Tag::aBcd16b : Tag::aBcd8b)
                                : (wide ? Tag::aBcde16b : Tag::aBcde8b);
  return MemoryDesc(shape, dnnl::memory::data_type::f32, tag);
}

//===----------------------------------------------------------------------===//
// PrimitiveKernel
//===----------------------------------------------------------------------===//

void PrimitiveKernel::bindInput(int argument, const MemoryDesc &desc,
                                size_t input) {
  arguments.push_back({argument, Source::Input, desc, input, {}});
}

void PrimitiveKernel::bindOutput(int argument, const MemoryDesc &desc,
                                 size_t output) {
  arguments.push_back({argument, Source::Output, desc, output, {}});
}

void PrimitiveKernel::bindFixed(int argument, dnnl::memory memory) {
  arguments.push_back({argument, Source::Fixed, {}, 0, std::move(memory)});
}

void PrimitiveKernel::bindScratchpad(const MemoryDesc &desc) {
  if (desc.get_size() > 0)
    arguments.push_back({DNNL_ARG_SCRATCHPAD, Source::Scratch, desc, 0, {}});
}

void PrimitiveKernel::bindPostOps(std::span<const PostOp> postOps,
                                  const MemoryDesc &target) {
  for (size_t i = 0; i < postOps.size(); ++i)
    if (postOps[i].kind == PostOp::Kind::Add)
      bindInput(DNNL_ARG_ATTR_MULTIPLE_POST_OP(int(i)) | DNNL_ARG_SRC_1, target,
                postOps[i].input);
}

Kernel PrimitiveKernel::finish(dnnl::primitive primitive) const {
  // Memory objects are made once per concurrent run; only their addresses
  // change between runs.
  using Memories = std::unordered_map<int, dnnl::memory>;
  Kernel kernel;
  kernel.makeState = [arguments = arguments]() -> std::shared_ptr<void> {
    auto memories = std::make_shared<Memories>();
    for (const Argument &argument : arguments)
      memories->emplace(
          argument.number,
          argument.source == Source::Fixed
              ? argument.memory
              : dnnl::memory(argument.desc, engine(), DNNL_MEMORY_NONE));
    return memories;
  };
  for (const Argument &argument : arguments)
    if (argument.source == Source::Scratch)
      kernel.scratchBytes = argument.desc.get_size();
  kernel.run = [arguments = arguments,
                primitive = std::move(primitive)](const KernelArgs &args) {
    auto &memories = *static_cast<Memories *>(args.state);
    for (const Argument &argument : arguments) {
      dnnl::memory &memory = memories.find(argument.number)->second;
      switch (argument.source) {
      case Source::Input:
        memory.set_data_handle(
            const_cast<void *>(args.inputs[argument.index].rawData()));
        break;
      case Source::Output:
        memory.set_data_handle(args.outputs[argument.index].rawData());
        break;
      case Source::Scratch:
        memory.set_data_handle(args.scratch);
        break;
      case Source::Fixed:
        break;
      }
    }
    primitive.execute(stream(), memories);
  };
  return kernel;
}

//===----------------------------------------------------------------------===//
// Attributes and weights
//===----------------------------------------------------------------------===//

dnnl::primitive_attr makeAttributes(std::span<const PostOp> postOps,
                                    const MemoryDesc &target, float scale) {
  using Algorithm = dnnl::algorithm;
  dnnl::post_ops chain;
  for (const PostOp &op : postOps) {
    auto eltwise = [&](Algorithm algorithm, float alpha = 0, float beta = 0) {
      chain.append_eltwise(1.0f, algorithm, alpha, beta);
    };
    switch (op.kind) {
    case PostOp::Kind::Relu:
      eltwise(Algorithm::eltwise_relu);
      break;
    case PostOp::Kind::LeakyRelu:
      eltwise(Algorithm::eltwise_relu, op.alpha);
      break;
    case PostOp::Kind::Clip:
      eltwise(Algorithm::eltwise_clip, op.alpha, op.beta);
      break;
    case PostOp::Kind::Elu:
      eltwise(Algorithm::eltwise_elu, op.alpha);
      break;
    case PostOp::Kind::Sigmoid:
      eltwise(Algorithm::eltwise_logistic);
      break;
    case PostOp::Kind::Tanh:
      eltwise(Algorithm::eltwise_tanh);
      break;
    case PostOp::Kind::Silu:
      eltwise(Algorithm::eltwise_swish, 1.0f);
      break;
    case PostOp::Kind::HardSwish:
      eltwise(Algorithm::eltwise_hardswish);
      break;
    case PostOp::Kind::Mish:
      eltwise(Algorithm::eltwise_mish);
      break;
    case PostOp::Kind::GeluErf:
      eltwise(Algorithm::eltwise_gelu_erf);
      break;
    case PostOp::Kind::GeluTanh:
      eltwise(Algorithm::eltwise_gelu_tanh);
      break;
    case PostOp::Kind::Add:
      // As a post-op of its own and not as an initial value of the result,
      // which the vectorised convolutions only take in the first place.
      chain.append_binary(Algorithm::binary_add, target);
      break;
    }
  }
  dnnl::primitive_attr attributes;
  attributes.set_post_ops(chain);
  if (scale != 1)
    attributes.set_output_scales(0, {scale});
  attributes.set_scratchpad_mode(dnnl::scratchpad_mode::user);
  return attributes;
}

dnnl::memory pack(const void *data, const MemoryDesc &from,
                  const MemoryDesc &to) {
  dnnl::memory source(from, engine(), const_cast<void *>(data));
  dnnl::memory packed(to, engine());
  dnnl::reorder(source, packed).execute(stream(), source, packed);
  stream().wait();
  return packed;
}

Kernel makeReorder(const ValueInfo &from, Layout to) {
  if (from.dtype != DType::F32)
    throw Error("only float32 has layouts other than the plain one");
  MemoryDesc source = layoutDesc(from.shape, from.layout);
  MemoryDesc target = layoutDesc(from.shape, to);
  dnnl::primitive_attr attributes;
  attributes.set_scratchpad_mode(dnnl::scratchpad_mode::user);
  dnnl::reorder::primitive_desc desc(engine(), source, engine(), target,
                                     attributes);
  PrimitiveKernel kernel;
  kernel.bindInput(DNNL_ARG_FROM, source, 0);
  kernel.bindOutput(DNNL_ARG_TO, target, 0);
  kernel.bindScratchpad(desc.scratchpad_desc());
  return kernel.finish(dnnl::reorder(desc));
}

} // namespace parallax::kernels
