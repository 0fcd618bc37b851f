//===- Rows.h - What a report has beside comparisons -----------*- C++ -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Weights need no samples, and times no second view: they are found beside the
// sweep that compares layers.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_LIB_PASSES_ANALYZE_SWEEP_ROWS_H
#define PARALLAX_LIB_PASSES_ANALYZE_SWEEP_ROWS_H

#include "Combine.h"
#include "parallax/Dialect/NN/NNOps.h"
#include "parallax/Support/Samples.h"

#include "llvm/ADT/STLFunctionalExtras.h"

namespace parallax::analyze {

/// "FP32", codes as configurations call them, and others as "INT64".
std::string typeName(DType type);

/// Constants of the float network that became codes, by layer and operand.
using WeightFn = llvm::function_ref<void(
    Operation *layer, nn::ConstantOp floats, nn::QuantizedConstantOp codes)>;
void forEachWeight(AnalyzedNetwork views, WeightFn fn);

/// The constants that became codes, by layer and operand.
std::vector<WeightRow> weightsOf(AnalyzedNetwork views);

/// How long the kernels of the float network take on the first samples.
std::vector<TimeRow> timesOf(mlir::func::FuncOp network,
                             const Samples &samples);

/// How weights and, on the first sample, the tensors of all tables lie around
/// their clip lines; also the worst channels that the tables name.
std::vector<HistogramRow> histogramsOf(AnalyzedNetwork views,
                                       const std::vector<FloatTensor> &tensors,
                                       const PrecisionReport &report,
                                       const Samples &samples);

/// The inputs of the network, compared with the codes that they become.
class InputComparison {
public:
  InputComparison(AnalyzedNetwork views, size_t samples);

  /// Loads samples and looks at them; any thread may, but each sample once at
  /// a time.
  std::function<std::vector<Tensor>(size_t)>
  watch(std::function<std::vector<Tensor>(size_t)> load);
  /// What was seen of a sample, for another rank.
  template <typename Archive> void transfer(size_t sample, Archive &archive) {
    if (sums[sample].empty())
      sums[sample] = withoutValues();
    for (TensorComparison &port : sums[sample])
      archive(port);
  }
  /// Of all samples, in their order.
  std::vector<PrecisionRow> rows() const;

private:
  /// A comparison for each port.
  std::vector<TensorComparison> withoutValues() const;

  struct Port {
    size_t index = 0;
    DType storage = DType::F32;
  };
  std::vector<Port> ports;
  std::vector<PrecisionRow> rowsOfPorts;
  /// By sample, then by port.
  std::vector<std::vector<TensorComparison>> sums;
};

} // namespace parallax::analyze

#endif // PARALLAX_LIB_PASSES_ANALYZE_SWEEP_ROWS_H
