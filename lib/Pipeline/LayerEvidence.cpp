//===- LayerEvidence.cpp - One sample, layer by layer ---------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Tensors are digested as codes, which every machine gives alike.
//===----------------------------------------------------------------------===//
#include "LayerEvidence.h"

#include "parallax/Analysis/Evidence.h"
#include "parallax/Backend/Core/Prepare.h"
#include "parallax/Backend/NPU/Kernels/Elementwise.h"
#include "parallax/Backend/NPU/NPU.h"
#include "parallax/Backend/Reference/Reference.h"
#include "parallax/Data/TensorFolder.h"
#include "parallax/Support/AtomicFile.h"
#include "parallax/Support/Digest.h"
#include "parallax/Support/NumPy.h"
#include "parallax/Support/Sort.h"
#include "parallax/Support/TensorFile.h"

#include <set>

namespace fs = std::filesystem;

namespace parallax {
namespace {

/// Tensors beyond these are only there as digests.
constexpr size_t mostTensors = 8;
constexpr size_t mostBytes = 4 << 20;

/// The layers that break their specification, then those that lose most by
/// themselves.
std::set<std::string> badTensors(const PrecisionReport &report) {
  std::vector<std::pair<double, std::string>> found;
  for (const BitDifference &row : report.differences)
    if (isFault(row.difference))
      found.emplace_back(-1, row.tensor);
  for (const PrecisionTable &table : report.tables)
    for (const PrecisionRow &row : table.rows)
      if (table.method == AnalysisMethod::PerLayer &&
          row.metrics.similarity() < layerThreshold)
        found.emplace_back(row.metrics.similarity(), row.tensor);
  sortByKey(found, [](const auto &entry) { return entry.first; });
  std::set<std::string> names;
  for (const auto &[similarity, tensor] : found)
    if (names.size() < mostTensors)
      names.insert(tensor);
  return names;
}

DType smallestStorage(const AffineParams &codes) {
  bool isSigned = codes.low < 0;
  if (codes.high - codes.low > 255)
    return isSigned ? DType::I16 : DType::U16;
  return isSigned ? DType::I8 : DType::U8;
}

/// Digests what has codes, and writes the tensors of some layers.
class Recorder : public Observer {
public:
  Recorder(const Executable &executable, fs::path folder,
           const std::set<std::string> &kept, bool isMachine)
      : folder(std::move(folder)), kept(kept), isMachine(isMachine) {
    std::vector<std::string> names;
    for (const Executable::Probe &probe : executable.probes)
      names.push_back(probe.layer.tensor);
    files = uniqueFileNames(names);
  }

  void onResult(const LayerResult &layer, const Tensor &value) override {
    if (layer.tensor.empty())
      return;
    Tensor codes = value;
    if (layer.codes && value.dtype() == DType::F32) {
      codes = Tensor(smallestStorage(*layer.codes), value.shape());
      npu::quantize(value, codes, *layer.codes);
    }
    // Floats of the NPU are specified bit by bit; those of the reference
    // depend on the processor.
    if (isMachine || codes.dtype() != DType::F32)
      tensors.push_back({layer.node, layer.tensor,
                         std::string(nameOf(codes.dtype())), codes.shape(),
                         sha256Of(bytesOf(codes))});
    if (kept.contains(layer.tensor) && codes.byteSize() <= mostBytes)
      writeNpy(folder / (files[layer.index] + ".npy"), codes);
  }

  std::vector<TensorEvidence> tensors;

private:
  fs::path folder;
  std::vector<std::string> files;
  const std::set<std::string> &kept;
  bool isMachine;
};

std::vector<TensorEvidence>
record(mlir::func::FuncOp view, const KernelSet &kernels,
       const fs::path &folder, const std::string &engine,
       const std::vector<Tensor> &sample, const std::set<std::string> &kept) {
  PrepareOptions options;
  options.observe = true;
  Executable executable = prepare(view, kernels, options);
  ExecutionState state(executable);
  Recorder recorder(executable, folder / "layers" / engine, kept,
                    engine == "npu");
  std::span<const Tensor> outputs = state.run(sample, &recorder);
  if (engine == "float")
    writeNpyFolder(folder / "input", executable.inputs, sample);
  writeNpyFolder(folder / engine, executable.outputs, outputs);
  return std::move(recorder.tensors);
}

} // namespace

void writeEvidence(const fs::path &folder, const AnalyzedNetwork &views,
                   const std::vector<Tensor> &sample,
                   const PrecisionReport &report) {
  std::set<std::string> bad = badTensors(report);
  record(views.network, referenceKernels(), folder, "float", sample, bad);
  Evidence evidence;
  evidence.reference = record(views.quantized, referenceKernels(), folder,
                              "reference", sample, bad);
  evidence.machine =
      record(views.machine, npuKernels(), folder, "npu", sample, bad);
  writeFileAtomically(folder / evidenceName, toJson(evidence));
}

} // namespace parallax
