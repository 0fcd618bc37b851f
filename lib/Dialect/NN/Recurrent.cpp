//===- Recurrent.cpp - Shape rules: recurrent layers ----------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// The three layers differ in the number of gates only, so one rule serves all.
//===----------------------------------------------------------------------===//
#include "ShapeHelpers.h"

#include "llvm/ADT/StringSwitch.h"

namespace parallax::nn {

static bool isActivation(StringRef name) {
  return llvm::StringSwitch<bool>(name)
      .CasesLower({"affine", "elu", "hardsigmoid", "leakyrelu", "relu",
                   "scaledtanh", "sigmoid", "softplus", "softsign", "tanh",
                   "thresholdedrelu"},
                  true)
      .Default(false);
}

static LogicalResult checkActivations(const RecurrentLayer &layer,
                                      int64_t directions,
                                      const ResultTypes &results) {
  size_t count = layer.functionsOfDirection * size_t(directions);
  if (failed(
          checkLength("activations", layer.activations.size(), count, results)))
    return failure();
  for (auto name : layer.activations.getAsValueRange<StringAttr>())
    if (!isActivation(name))
      return results.fail("unknown activation '", name, "'");
  for (auto [values, name] : {std::pair(layer.alphas, "activation_alpha"),
                              std::pair(layer.betas, "activation_beta")})
    if (values.size() > count)
      return results.fail(name, " has ", values.size(),
                          " entries, expected at most ", count);
  return success();
}

LogicalResult inferRecurrentLayer(const RecurrentLayer &layer,
                                  ResultTypes &results) {
  Operand x{layer.x, "x"};
  if (failed(checkElements(x, Elements::Float, results)) ||
      failed(checkSameElements({x,
                                {layer.w, "w"},
                                {layer.r, "r"},
                                {layer.b, "b"},
                                {layer.initialH, "initial_h"},
                                {layer.initialC, "initial_c"},
                                {layer.p, "p"}},
                               results)) ||
      failed(checkElements({layer.sequenceLens, "sequence_lens"},
                           Elements::Index, results)) ||
      failed(checkRank(x, 3, results)))
    return failure();
  if (layer.layout != 0 && layer.layout != 1)
    return results.fail("layout is ", layer.layout, ", expected 0 or 1");
  int64_t hidden = layer.hiddenSize;
  if (hidden < 1)
    return results.fail("hidden_size is ", hidden, ", expected at least 1");

  bool batchFirst = layer.layout == 1;
  ArrayRef<int64_t> shape = getShape(layer.x);
  int64_t steps = shape[batchFirst ? 1 : 0];
  int64_t batch = shape[batchFirst ? 0 : 1];
  int64_t directions = layer.direction == "bidirectional" ? 2 : 1;
  int64_t rows = (CheckedInt(hidden) * layer.gates).get();
  SmallVector<int64_t> state =
      batchFirst ? SmallVector<int64_t>{batch, directions, hidden}
                 : SmallVector<int64_t>{directions, batch, hidden};
  if (failed(
          checkShape({layer.w, "w"}, {directions, rows, shape[2]}, results)) ||
      failed(checkShape({layer.r, "r"}, {directions, rows, hidden}, results)) ||
      failed(checkShape({layer.b, "b"},
                        {directions, (CheckedInt(rows) * 2).get()}, results)) ||
      failed(
          checkShape({layer.sequenceLens, "sequence_lens"}, batch, results)) ||
      failed(checkShape({layer.initialH, "initial_h"}, state, results)) ||
      failed(checkActivations(layer, directions, results)))
    return failure();

  bool hasCell = bool(layer.initialC);
  if (hasCell &&
      (failed(checkShape({layer.initialC, "initial_c"}, state, results)) ||
       failed(checkShape({layer.p, "p"},
                         {directions, (CheckedInt(hidden) * 3).get()},
                         results))))
    return failure();

  Type element = getExpressedElementType(layer.x.getType());
  SmallVector<int64_t> all =
      batchFirst ? SmallVector<int64_t>{batch, steps, directions, hidden}
                 : SmallVector<int64_t>{steps, directions, batch, hidden};
  if (failed(results.add(all, element)) || failed(results.add(state, element)))
    return failure();
  return hasCell ? results.add(state, element) : success();
}

} // namespace parallax::nn
