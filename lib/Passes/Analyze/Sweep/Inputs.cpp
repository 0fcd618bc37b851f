//===- Inputs.cpp - What codes make of a network's inputs -----------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Inputs are floats that become codes before the first layer, so they are in no
// row of a table. Samples unlike those of the calibration show here first.
//===----------------------------------------------------------------------===//
#include "Rows.h"

#include "parallax/Backend/NPU/Kernels/Elementwise.h"
#include "parallax/Dialect/NN/NNOps.h"
#include "parallax/Support/LayerName.h"
#include "parallax/Support/QuantizedType.h"
#include "parallax/Support/TensorAttr.h"

#include "mlir/IR/TypeUtilities.h"

using namespace mlir;

namespace parallax::analyze {
namespace {

/// The coarsest codes that an input is read in; none if it stays float.
Type coarsestType(Value argument) {
  Type coarsest;
  for (Operation *user : argument.getUsers()) {
    auto requantize = dyn_cast<nn::RequantizeOp>(user);
    Type type =
        requantize ? codeTypeOf(cast<OpResult>(requantize.getY())) : Type();
    if (type && (!coarsest ||
                 affineParamsOf(coarsest).scale < affineParamsOf(type).scale))
      coarsest = type;
  }
  return coarsest;
}

/// The values of the codes that floats become.
Tensor rounded(const Tensor &values, DType storage,
               const AffineParams &params) {
  Tensor codes(storage, values.shape()), result(DType::F32, values.shape());
  npu::quantize(values, codes, params);
  npu::dequantize(codes, result, params);
  return result;
}

} // namespace

std::string typeName(DType type) {
  bool isCommon = type == DType::F32 || npu::isCode(type);
  return isCommon ? std::string(configNameOf(type))
                  : StringRef(nameOf(type)).upper();
}

InputComparison::InputComparison(AnalyzedNetwork views, size_t samples)
    : sums(samples) {
  for (BlockArgument argument : views.quantized.getArguments()) {
    auto type = cast<RankedTensorType>(argument.getType());
    if (!type.getElementType().isF32() || !type.hasStaticShape())
      continue;
    std::string name = getTensorName(argument);
    PrecisionRow row;
    row.node = row.tensor = name;
    row.type = "Input";
    row.shape = type.getShape().vec();
    row.floatType = row.quantType = typeName(DType::F32);
    Port port{argument.getArgNumber()};
    if (Type code = coarsestType(argument)) {
      row.codes = affineParamsOf(code);
      port.storage = storageOf(code);
      row.quantType = typeName(port.storage);
    }
    rowsOfPorts.push_back(std::move(row));
    ports.push_back(port);
  }
}

std::function<std::vector<Tensor>(size_t)>
InputComparison::watch(std::function<std::vector<Tensor>(size_t)> load) {
  return [this, load = std::move(load)](size_t sample) {
    std::vector<Tensor> inputs = load(sample);
    sums[sample] = withoutValues();
    for (auto [port, row, own] : llvm::zip(ports, rowsOfPorts, sums[sample])) {
      const Tensor &values = inputs[port.index];
      own.add(row.codes ? rounded(values, port.storage, *row.codes) : values,
              values);
    }
    return inputs;
  };
}

std::vector<TensorComparison> InputComparison::withoutValues() const {
  std::vector<TensorComparison> comparisons;
  for (const PrecisionRow &row : rowsOfPorts)
    comparisons.emplace_back(/*channelAxis=*/-1, row.codes,
                             /*tracksRows=*/false, /*summarizes=*/true);
  return comparisons;
}

std::vector<PrecisionRow> InputComparison::rows() const {
  std::vector<PrecisionRow> result = rowsOfPorts;
  std::vector<TensorComparison> totals = withoutValues();
  for (auto [i, row] : llvm::enumerate(result)) {
    TensorComparison &total = totals[i];
    for (const std::vector<TensorComparison> &sample : sums)
      if (i < sample.size())
        total.merge(sample[i]);
    row.metrics = total.result();
  }
  return result;
}

} // namespace parallax::analyze
