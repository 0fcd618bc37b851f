//===- Kernel.h - A prepared operator --------------------------*- C++ -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// What the executor runs. A kernel is made once, when shapes, attributes and
// weights are known, and runs many times on plain tensors. It never sees an
// MLIR operation: KernelBuilder tells it all that it needs.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_BACKEND_CORE_KERNEL_H
#define PARALLAX_BACKEND_CORE_KERNEL_H

#include "parallax/Support/Tensor.h"

#include <functional>
#include <memory>
#include <span>
#include <vector>

namespace parallax {

/// How the elements of a value lie in memory: row-major, or with the channels
/// (dimension 1) in blocks that are innermost, [N, C/b, spatial..., b], which
/// is what vectorised convolutions read and write. Those of codes have all
/// channels in one block.
struct Layout {
  int64_t channelBlock = 1;

  bool isPlain() const { return channelBlock == 1; }
  bool operator==(const Layout &) const = default;
};

/// The row-major shape of the memory that holds a value in a layout. The last
/// block of channels is padded.
Shape physicalShape(const Shape &shape, Layout layout);

/// Everything about a value but its elements. A dimension that depends on data
/// has its upper bound.
struct ValueInfo {
  DType dtype = DType::F32;
  Shape shape;
  Layout layout;

  Shape physical() const { return physicalShape(shape, layout); }
  bool operator==(const ValueInfo &) const = default;
};

/// What a kernel computes on. Tensors have physical shapes.
struct KernelArgs {
  std::span<const Tensor> inputs;
  std::span<Tensor> outputs;
  void *scratch = nullptr;
  void *state = nullptr;
};

struct Kernel {
  std::function<void(const KernelArgs &)> run;
  /// Memory that may be overwritten between runs of this kernel.
  size_t scratchBytes = 0;
  /// A rough measure of its time: numbers read and written, or an eighth of the
  /// multiply-accumulates. 0 lets the executor count the numbers.
  double work = 0;
  /// Makes what one run may change and another one needs again, such as
  /// library handles. Each concurrent run has its own.
  std::function<std::shared_ptr<void>()> makeState = nullptr;
};

/// The view that a kernel has of its operator while it is being made, and its
/// way to tell the executor what it wants.
class KernelBuilder {
public:
  size_t inputCount() const { return inputs.size(); }
  size_t outputCount() const { return outputs.size(); }
  const ValueInfo &input(size_t index) const { return inputs[index].info; }
  const ValueInfo &output(size_t index) const { return outputs[index].info; }

  /// The value of an operand that is known now, in plain layout, or null.
  const Tensor *constant(size_t index) const {
    return inputs[index].constant.isNull() ? nullptr : &inputs[index].constant;
  }

  /// The kernel keeps its own form of this constant (packed weights): the
  /// executor neither passes it at run time nor keeps it alive.
  void releaseConstant(size_t index) { inputs[index].released = true; }

  /// The operand is needed in this layout; without a call it is plain.
  void wantLayout(size_t index, Layout layout) {
    inputs[index].wanted = layout;
  }
  /// The result is produced in this layout; without a call it is plain.
  void setOutputLayout(size_t index, Layout layout) {
    outputs[index].info.layout = layout;
  }

  /// The upper bound of a result whose extent depends on data.
  void setOutputBound(size_t index, Shape bound) {
    outputs[index].info.shape = std::move(bound);
  }

  /// The result may overwrite the operand if nobody reads that again.
  void mayShare(size_t output, size_t input) {
    outputs[output].shares = int(input);
  }
  /// The result is the operand under another shape; there is nothing to run.
  void setAlias(size_t input) { aliasInput = int(input); }

  struct Input {
    ValueInfo info;
    Tensor constant;
    Layout wanted;
    bool released = false;
  };
  struct Output {
    ValueInfo info;
    int shares = -1;
  };
  std::vector<Input> inputs;
  std::vector<Output> outputs;
  int aliasInput = -1;
};

} // namespace parallax

#endif // PARALLAX_BACKEND_CORE_KERNEL_H
