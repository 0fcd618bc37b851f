//===- Products.cpp - Sums of products, term by term ----------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Slow and literal: it shares no line with the kernels.
//===----------------------------------------------------------------------===//
#include "Products.h"

#include "parallax/Dialect/NN/NNOps.h"
#include "parallax/Dialect/NPU/NPUOps.h"
#include "parallax/Support/QuantizedType.h"

#include <cmath>
#include <fmt/format.h>

using namespace mlir;

namespace parallax::analyze {
namespace {

int64_t placeIn(const Shape &shape, const Shape &coordinates) {
  int64_t place = 0;
  for (size_t i = 0; i < shape.size(); ++i)
    place = place * shape[i] + coordinates[i];
  return place;
}

/// Goes to the next place of a shape; false behind the last.
bool advance(Shape &place, std::span<const int64_t> shape) {
  for (size_t i = shape.size(); i-- > 0;) {
    if (++place[i] < shape[i])
      return true;
    place[i] = 0;
  }
  return false;
}

/// An operand of the NPU: a constant, or what the layer reads.
Tensor operandOf(const LayerSample &layer, Value operand) {
  if (Operation *op = operand.getDefiningOp(); op && op->getNumOperands() == 0)
    return constantOf(operand);
  const auto *it = llvm::find(layer.machine.inputs, operand);
  return it == layer.machine.inputs.end()
             ? Tensor()
             : layer.machineInputs[size_t(it - layer.machine.inputs.begin())];
}

/// The scale of an operand of the quantized layer, or those of its channels.
std::vector<float> scalesOf(Value operand) {
  return channelParamsOf(operand.getType()).scales;
}

bool isProduct(const LayerSlice &reference, const LayerSlice &machine) {
  Operation *op =
      machine.operations.size() == 1 ? machine.operations[0] : nullptr;
  if (!isa_and_nonnull<npu::ConvOp, npu::FullyConnectedOp, npu::MatMulOp>(op) ||
      !codeTypeOf(op->getResult(0)) || reference.operations.empty())
    return false;
  Operation *layer = reference.operations[0];
  return nn::ruleOf(layer) == nn::QuantRule::Mac && !isa<nn::EinsumOp>(layer) &&
         isQuantized(layer->getOperand(0).getType()) &&
         isQuantized(layer->getOperand(1).getType()) &&
         llvm::all_of(llvm::drop_begin(reference.operations), nn::isClamp);
}

int64_t zeroPointOf(Operation *op, StringRef name) {
  auto attribute = op->getAttrOfType<IntegerAttr>(name);
  return attribute ? attribute.getInt() : 0;
}

/// The first codes of a list.
std::string listText(const std::vector<int64_t> &codes) {
  constexpr size_t shown = 8;
  std::string text;
  for (size_t i = 0; i < std::min(codes.size(), shown); ++i)
    text += fmt::format("{}{}", i > 0 ? " " : "", codes[i]);
  return text + (codes.size() > shown ? " …" : "");
}

} // namespace

std::optional<ProductSums> ProductSums::of(const LayerSample &layer) {
  if (!isProduct(layer.reference, layer.machine))
    return std::nullopt;
  ProductSums sums;
  sums.op = layer.machine.operations[0];
  bool isMatMul = isa<npu::MatMulOp>(sums.op);
  auto factorOf = [&](unsigned operand, StringRef zeroPoint) {
    Tensor codes = operandOf(layer, sums.op->getOperand(operand));
    return Factor{integersOf(codes, std::nullopt), codes.shape(),
                  zeroPointOf(sums.op, zeroPoint)};
  };
  sums.x = factorOf(0, isMatMul ? "a_zero_point" : "x_zero_point");
  sums.w = factorOf(1, "b_zero_point");
  if (sums.x.shape.empty() || sums.w.shape.empty())
    return std::nullopt;
  if (!isMatMul && sums.op->getNumOperands() > 2)
    sums.bias =
        integersOf(operandOf(layer, sums.op->getOperand(2)), std::nullopt);
  sums.shape =
      Shape(cast<RankedTensorType>(sums.op->getResult(0).getType()).getShape());
  sums.codes = layer.codes;
  sums.multiplierBits = layer.multiplierBits;
  sums.xName = layer.nameOf(sums.op->getOperand(0));
  if (isMatMul)
    sums.wName = layer.nameOf(sums.op->getOperand(1));
  Operation *quantized = layer.reference.operations[0];
  double xScale = double(scalesOf(quantized->getOperand(0))[0]);
  for (float scale : scalesOf(quantized->getOperand(1)))
    sums.factors.push_back(xScale * double(scale) / double(layer.codes.scale));
  return sums;
}

int64_t ProductSums::channelOf(const Shape &place) const {
  return isa<npu::ConvOp>(op) ? place[1] : place.back();
}

std::vector<ProductSums::Term>
ProductSums::convolutionTerms(const Shape &place) const {
  auto conv = cast<npu::ConvOp>(op);
  ArrayRef<int64_t> strides = conv.getStrides(), pads = conv.getPads();
  ArrayRef<int64_t> dilations = conv.getDilations();
  bool isTransposed = conv.getTransposed();
  size_t spatial = shape.size() - 2;
  auto groups = int64_t(conv.getGroup());
  int64_t depth = x.shape[1] / groups, outputs = shape[1] / groups;
  int64_t group = place[1] / outputs;
  std::span<const int64_t> kernel(w.shape.data() + 2, spatial);
  std::vector<Term> terms;
  for (int64_t c = 0; c < depth; ++c) {
    Shape tap(spatial, 0);
    do {
      Shape from{place[0], group * depth + c};
      bool isInside = true;
      for (size_t i = 0; i < spatial; ++i) {
        int64_t at =
            isTransposed
                ? place[i + 2] + pads[i] - tap[i] * dilations[i]
                : place[i + 2] * strides[i] - pads[i] + tap[i] * dilations[i];
        if (isTransposed) {
          isInside &= at % strides[i] == 0;
          at /= strides[i];
        }
        isInside &= at >= 0 && at < x.shape[i + 2];
        from.push_back(at);
      }
      if (!isInside)
        continue;
      Shape weight = isTransposed ? Shape{group * depth + c, place[1] % outputs}
                                  : Shape{place[1], c};
      weight.insert(weight.end(), tap.begin(), tap.end());
      terms.push_back({placeIn(x.shape, from), placeIn(w.shape, weight)});
    } while (advance(tap, kernel));
  }
  return terms;
}

std::vector<ProductSums::Term>
ProductSums::matrixTerms(const Shape &place) const {
  bool isMatMul = isa<npu::MatMulOp>(op);
  // Leading dimensions of 1 serve all.
  auto matrixOf = [&](const Shape &factor, int64_t row, int64_t column) {
    Shape at(factor.size());
    size_t offset = shape.size() - factor.size();
    for (size_t i = 0; i + 2 < factor.size(); ++i)
      at[i] = factor[i] == 1 ? 0 : place[i + offset];
    at[factor.size() - 2] = row;
    at[factor.size() - 1] = column;
    return placeIn(factor, at);
  };
  std::vector<Term> terms;
  for (int64_t k = 0; k < x.shape.back(); ++k) {
    if (isMatMul) {
      terms.push_back({matrixOf(x.shape, place[place.size() - 2], k),
                       matrixOf(w.shape, k, place.back())});
      continue;
    }
    Shape from = place;
    from.back() = k;
    terms.push_back(
        {placeIn(x.shape, from), place.back() * x.shape.back() + k});
  }
  return terms;
}

std::vector<ProductSums::Term> ProductSums::termsOf(const Shape &place) const {
  return isa<npu::ConvOp>(op) ? convolutionTerms(place) : matrixTerms(place);
}

ExactElement ProductSums::at(int64_t index) const {
  Shape place = coordinatesOf(index, shape);
  auto channel = size_t(channelOf(place));
  std::vector<Term> terms = termsOf(place);
  int64_t added = bias.empty() ? 0 : bias[channel], sum = added;
  auto magnitude = double(std::abs(added));
  std::vector<int64_t> xCodes, wCodes;
  for (const Term &term : terms) {
    xCodes.push_back(x.codes[size_t(term.x)]);
    wCodes.push_back(w.codes[size_t(term.w)]);
    int64_t product =
        (xCodes.back() - x.zeroPoint) * (wCodes.back() - w.zeroPoint);
    sum += product;
    magnitude += double(std::abs(product));
  }
  double factor = factors[channel % factors.size()];
  double steps = double(sum) * factor;
  ExactElement element;
  element.result.index = index;
  element.result.value = steps + double(codes.zeroPoint);
  // A multiplier is rounded once (C12). Of floats, every term is rounded, and
  // every partial sum: rounding errors of n sums grow like the root of n.
  element.result.machineBound = std::ldexp(std::abs(steps), -multiplierBits);
  element.result.referenceBound =
      0x1p-22 * std::abs(steps) +
      0x1p-24 * magnitude * factor * (2 + std::sqrt(double(terms.size())));
  std::string zero =
      w.zeroPoint == 0 ? "" : fmt::format(" (zero {})", w.zeroPoint);
  element.operands = fmt::format(
      "{} = {} ({} codes, zero {}), {} = {}{}, bias {}, sum {}, factor {:.9g}",
      xName, listText(xCodes), terms.size(), x.zeroPoint, wName,
      listText(wCodes), zero, added, sum, factor);
  return element;
}

} // namespace parallax::analyze
