//===- BitComparison.h - The bits of machine and reference -----*- C++ -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Layers that get the tensors of the float network get the same codes on both
// engines, so every difference of their results is their own. Layers that get
// what the network gave tell on which of them the engines part first.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_LIB_PASSES_ANALYZE_BITS_BITCOMPARISON_H
#define PARALLAX_LIB_PASSES_ANALYZE_BITS_BITCOMPARISON_H

#include "../Sweep/Combine.h"

#include "parallax/Analysis/BitEvidence.h"
#include "parallax/Support/Samples.h"

#include <map>

namespace parallax::analyze {

/// Two observations of one tensor with the same codes, or the same other type.
struct BitPair {
  size_t tensor = 0, reference = 0, machine = 0;
  AnalysisMethod method = AnalysisMethod::PerLayer;
  std::optional<AffineParams> codes = std::nullopt;
};

class BitComparison {
public:
  /// Compares nothing if only one of the engines is asked.
  BitComparison(const Combination &combination, size_t sampleCount);

  /// Adds what take() needs of the reference when it sees the NPU.
  void
  addReferences(DenseMap<Operation *, SmallVector<Value, 1>> &references) const;

  /// What the sweep sees, codes or not, and its values. Samples may come from
  /// different threads.
  void take(size_t sample, size_t observation, const Tensor &found,
            const Tensor &values);
  /// Adds a sample to the sums, in the order of samples.
  void finish(size_t sample);
  /// What is known of a sample that is not finished, for another rank.
  template <typename Archive> void transfer(size_t sample, Archive &archive) {
    archive(samples[sample].counts, samples[sample].differs);
  }
  /// Drops what a sample takes until the other ranks have run theirs.
  void forget(size_t sample) { samples[sample] = {}; }

  /// Gives a report the layers that differ, in the order of the network. Those
  /// that are worth it are computed once more, with exact results beside them.
  void addDifferences(PrecisionReport &report, mlir::func::FuncOp machine,
                      const Samples &samples) const;

private:
  struct Sample {
    /// By pair: a view of the reference, until the NPU comes.
    std::vector<Tensor> references;
    std::vector<BitCounts> counts;
    /// By tensor, end to end.
    std::vector<bool> differs;
    /// For the codes of a reference. A tensor without a shape would be a
    /// number.
    Tensor memory{DType::U8, {0}};
  };

  void findFirst(const Sample &sample, size_t number);

  const Combination &combination;
  std::vector<BitPair> pairs;
  /// By observation; none is -1.
  std::vector<int64_t> asReference, asMachine;
  std::vector<Sample> samples;
  std::vector<BitCounts> totals;
  /// By tensor: the first sample in which all inputs agree end to end, and the
  /// result does not; or -1.
  std::vector<int64_t> firstSample;
  /// What differs in that sample.
  std::vector<BitCounts> firstCounts;
  /// By tensor: whether both engines have it in the same codes, end to end.
  std::vector<bool> isCompared;
  std::map<std::string, size_t> tensorNumbers;
};

} // namespace parallax::analyze

#endif // PARALLAX_LIB_PASSES_ANALYZE_BITS_BITCOMPARISON_H
