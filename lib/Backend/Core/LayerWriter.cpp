//===- LayerWriter.cpp - Results of layers as files -----------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Files are written while the results are alive, the index at the end.
//===----------------------------------------------------------------------===//
#include "parallax/Backend/Core/LayerWriter.h"
#include "parallax/Support/AtomicFile.h"
#include "parallax/Support/NumPy.h"
#include "parallax/Support/TensorFile.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

namespace fs = std::filesystem;

namespace parallax {

LayerWriter::LayerWriter(fs::path folder, const Executable &executable)
    : folder(std::move(folder)) {
  std::vector<std::string> names;
  for (const Executable::Probe &probe : executable.probes)
    names.push_back(probe.layer.tensor);
  fileNames = uniqueFileNames(names);
  // That of another run says nothing about these files.
  std::error_code ignored;
  fs::remove(indexFile(), ignored);
  writeIndexIfComplete();
}

fs::path LayerWriter::indexFile() const { return folder / "index.json"; }

/// After the last layer, and not by the destructor, which could not fail.
void LayerWriter::writeIndexIfComplete() const {
  if (entries.size() < fileNames.size())
    return;
  // One layer per line, for readers and for diff.
  writeFileAtomically(indexFile(),
                      fmt::format("[\n  {}\n]\n", fmt::join(entries, ",\n  ")));
}

void LayerWriter::onResult(const LayerResult &layer, const Tensor &value) {
  std::string file = fileNames[layer.index] + ".npy";
  writeNpy(folder / file, value);
  nlohmann::ordered_json entry;
  entry["index"] = layer.index;
  entry["node"] = layer.node;
  entry["tensor"] = layer.tensor;
  entry["op"] = layer.op;
  entry["dtype"] = nameOf(value.dtype());
  entry["shape"] = value.shape();
  // In an engine of floats the file holds values: nothing is left to undo.
  if (layer.codes && value.dtype() != DType::F32) {
    entry["scale"] = layer.codes->scale;
    entry["zero_point"] = layer.codes->zeroPoint;
  }
  entry["file"] = file;
  entries.push_back(
      entry.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
  writeIndexIfComplete();
}

} // namespace parallax
