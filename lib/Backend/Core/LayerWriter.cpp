//===- LayerWriter.cpp - Results of layers as files -----------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Files are written while the results are alive, the index at the end.
//===----------------------------------------------------------------------===//
#include "parallax/Backend/Core/LayerWriter.h"
#include "parallax/Support/AtomicFile.h"
#include "parallax/Support/Error.h"
#include "parallax/Support/Log.h"
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
}

LayerWriter::~LayerWriter() {
  try {
    // One layer per line, for readers and for diff.
    writeFileAtomically(
        folder / "index.json",
        fmt::format("[\n  {}\n]\n", fmt::join(entries, ",\n  ")));
  } catch (const Error &error) {
    log(LogLevel::Error, "{}", error.what());
  }
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
}

} // namespace parallax
