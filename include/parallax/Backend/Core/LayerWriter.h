//===- LayerWriter.h - Results of layers as files --------------*- C++ -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// What `parallax run --enable_perlayer_output` leaves for other programs.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_BACKEND_CORE_LAYERWRITER_H
#define PARALLAX_BACKEND_CORE_LAYERWRITER_H

#include "parallax/Backend/Core/Executable.h"

#include <filesystem>

namespace parallax {

/// Writes every layer's result as .npy, whose header says what type it has, and
/// an index.json that says which layer it comes from and what its codes mean.
class LayerWriter : public Observer {
public:
  LayerWriter(std::filesystem::path folder, const Executable &executable);
  void onResult(const LayerResult &layer, const Tensor &value) override;

private:
  std::filesystem::path indexFile() const;
  void writeIndexIfComplete() const;

  std::filesystem::path folder;
  std::vector<std::string> fileNames;
  std::vector<std::string> entries;
};

} // namespace parallax

#endif // PARALLAX_BACKEND_CORE_LAYERWRITER_H
