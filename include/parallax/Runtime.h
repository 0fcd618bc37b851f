//===- Runtime.h - Execute a compiled model --------------------*- C++ -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// All that a program needs in order to run a compiled model on the simulator:
// no header of MLIR, no file but the model. docs/compiled-model.md has an
// example.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_RUNTIME_H
#define PARALLAX_RUNTIME_H

#include "parallax/Compiled/CompiledInfo.h"
#include "parallax/Support/Error.h"
#include "parallax/Support/PortInfo.h"

#include <cstddef>
#include <filesystem>
#include <span>

namespace parallax {

struct RuntimeOptions {
  /// 0 takes all processors. The results don't depend on it.
  int threads = 0;
};

/// A compiled model, ready to run. An object serves one run at a time; several
/// objects are independent of each other.
class Runtime {
public:
  using InputBuffer = std::span<const std::byte>;
  using OutputBuffer = std::span<std::byte>;

  /// Throws Error unless `path` is a compiled model that is valid.
  explicit Runtime(const std::filesystem::path &path,
                   const RuntimeOptions &options = {});
  Runtime(Runtime &&) noexcept;
  Runtime &operator=(Runtime &&) noexcept;
  ~Runtime();

  /// Name, element type and shape of each, in the order of the buffers.
  const std::vector<PortInfo> &inputs() const;
  const std::vector<PortInfo> &outputs() const;
  /// Where the model comes from.
  const CompiledInfo &info() const;

  /// Runs the network once. There is one buffer for each input and output, of
  /// exactly its size, in row-major order, at an address that suits its element
  /// type. They are used during the call only. Throws Error.
  void run(std::span<const InputBuffer> inputs,
           std::span<const OutputBuffer> outputs);

  /// The shape that an output had in the last run. It is smaller than that of
  /// its port only if it depends on data; the elements are then at the
  /// beginning of the buffer.
  const Shape &lastShape(size_t output) const;

private:
  struct State;
  std::unique_ptr<State> state;
};

/// The bytes of a tensor's elements.
inline size_t byteSizeOf(const PortInfo &port) {
  return size_t(elementCount(port.shape)) * sizeOf(port.dtype);
}

} // namespace parallax

#endif // PARALLAX_RUNTIME_H
