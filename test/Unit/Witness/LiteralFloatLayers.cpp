//===- LiteralFloatLayers.cpp - A literal reading of layers in float ------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// From the operations of the nn dialect to the functions of LiteralFloat.h:
// C90 and C92 to C98 of docs/numerics.md.
//===----------------------------------------------------------------------===//
#include "../NPU/LiteralFloat.h"
#include "LiteralAttributes.h"

#include "parallax/Dialect/NN/NNOps.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/TypeSwitch.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace parallax::literal {
namespace {

float numberOf(Operation *op, StringRef name) {
  auto attribute = op->getAttrOfType<mlir::FloatAttr>(name);
  return attribute ? float(attribute.getValueAsDouble()) : 0;
}

/// "hard_sigmoid" is HardSigmoid.
std::string onnxName(Operation *op) {
  return llvm::convertToCamelFromSnakeCase(op->getName().stripDialect(), true);
}

//===----------------------------------------------------------------------===//
// C90, C95
//===----------------------------------------------------------------------===//

bool isFunctionOfOne(Operation *op) {
  return isa<nn::AbsOp, nn::NegOp, nn::CeilOp, nn::FloorOp, nn::RoundOp,
             nn::SignOp, nn::SqrtOp, nn::ReciprocalOp, nn::SoftsignOp,
             nn::HardSigmoidOp, nn::HardSwishOp, nn::LeakyReluOp, nn::ReluOp,
             nn::ThresholdedReluOp, nn::ShrinkOp, nn::AcosOp, nn::AcoshOp,
             nn::AsinOp, nn::AsinhOp, nn::AtanOp, nn::AtanhOp, nn::CosOp,
             nn::CoshOp, nn::ErfOp, nn::ExpOp, nn::LogOp, nn::SinOp, nn::SinhOp,
             nn::TanOp, nn::TanhOp, nn::SigmoidOp, nn::SoftplusOp, nn::EluOp,
             nn::CeluOp, nn::SeluOp, nn::MishOp, nn::SiluOp, nn::GeluOp>(op);
}

Floats functionOfOne(Operation *op, const Floats &x) {
  std::string name = onnxName(op);
  float alpha = numberOf(op, "alpha"), beta = numberOf(op, "beta");
  if (isa<nn::SeluOp>(op))
    beta = numberOf(op, "gamma");
  if (isa<nn::ShrinkOp>(op)) {
    alpha = numberOf(op, "lambd");
    beta = numberOf(op, "bias");
  }
  if (auto gelu = dyn_cast<nn::GeluOp>(op))
    name = gelu.getApproximate() == "tanh" ? "GeluTanh" : "Gelu";
  Floats y;
  for (float v : x)
    y.push_back(floatFunction(name, v, alpha, beta));
  return y;
}

float extremeOf(float a, float b, bool isMax) {
  if (std::isnan(a) || std::isnan(b))
    return misread("C90.extreme") ? (std::isnan(a) ? b : a) : NAN;
  return (isMax ? a > b : a < b) ? a : b;
}

float remainderOf(float a, float b, bool isFmod) {
  float r = std::fmod(a, b);
  bool turns = !isFmod && !misread("C90.mod") && r != 0 && (r < 0) != (b < 0);
  return turns ? r + b : r;
}

using FloatPair = std::function<float(float, float)>;
FloatPair floatPairOf(Operation *op) {
  return llvm::TypeSwitch<Operation *, FloatPair>(op)
      .Case([](nn::AddOp) { return [](float a, float b) { return a + b; }; })
      .Case([](nn::SubOp) { return [](float a, float b) { return a - b; }; })
      .Case([](nn::MulOp) { return [](float a, float b) { return a * b; }; })
      .Case([](nn::DivOp) { return [](float a, float b) { return a / b; }; })
      .Case([](nn::PowOp) {
        return [](float a, float b) {
          return misread("C95.pow") ? std::exp(b * std::log(a))
                                    : floatPow(a, double(b));
        };
      })
      .Case<nn::MaxOp, nn::MinOp>([](auto op) -> FloatPair {
        constexpr bool isMax = std::is_same_v<decltype(op), nn::MaxOp>;
        return [](float a, float b) { return extremeOf(a, b, isMax); };
      })
      .Case([](nn::ModOp op) -> FloatPair {
        bool isFmod = op.getFmod();
        return [=](float a, float b) { return remainderOf(a, b, isFmod); };
      })
      .Default(FloatPair());
}

using Truth = std::function<bool(float, float)>;
Truth truthOf(Operation *op) {
  return llvm::TypeSwitch<Operation *, Truth>(op)
      .Case([](nn::EqualOp) { return [](float a, float b) { return a == b; }; })
      .Case([](nn::LessOp) {
        return [](float a, float b) {
          return misread("C90.unordered") ? !(a >= b) : a < b;
        };
      })
      .Case([](nn::LessOrEqualOp) {
        return [](float a, float b) { return a <= b; };
      })
      .Case(
          [](nn::GreaterOp) { return [](float a, float b) { return a > b; }; })
      .Case([](nn::GreaterOrEqualOp) {
        return [](float a, float b) { return a >= b; };
      })
      .Default(Truth());
}

/// The element of an operand that broadcasts.
float elementFor(const Item &x, const Dims &at) {
  Dims own;
  const Dims &dims = x.codes.dims;
  for (size_t i = 0; i < dims.size(); ++i)
    own.push_back(dims[i] == 1 ? 0 : at[at.size() - dims.size() + i]);
  return x.floats[size_t(flatOf(own, dims))];
}

bool elementwise(Operation *op, const Items &x, Item &y) {
  if (isFunctionOfOne(op)) {
    y.floats = functionOfOne(op, x[0].floats);
    return true;
  }
  const Dims &dims = y.codes.dims;
  int64_t size = 1;
  for (int64_t dim : dims)
    size *= dim;
  FloatPair pair = floatPairOf(op);
  Truth truth = truthOf(op);
  for (int64_t i = 0; i < size && (pair || truth); ++i) {
    Dims at = indexOf(i, dims);
    float a = elementFor(x[0], at), b = elementFor(x[1], at);
    if (pair)
      y.floats.push_back(pair(a, b));
    else
      y.codes.values.push_back(truth(a, b) ? 1 : 0);
  }
  return pair || truth;
}

bool others(Operation *op, const Items &x, Item &y) {
  bool isKnown = true;
  llvm::TypeSwitch<Operation *>(op)
      .Case([&](nn::ClipOp op) {
        auto low = float(op.getMin().convertToDouble());
        auto high = float(op.getMax().convertToDouble());
        for (float v : x[0].floats) {
          float held = v < low ? low : v;
          y.floats.push_back(held > high ? high : held);
        }
      })
      .Case([&](nn::NormalizeOp op) {
        for (size_t i = 0; i < x[0].floats.size(); ++i) {
          auto c = size_t(indexOf(int64_t(i), x[0].codes.dims)[op.getAxis()]);
          float d = x[0].floats[i] - op.getMean()[c];
          y.floats.push_back(d / op.getStd()[c]);
        }
      })
      .Case([&](nn::OneHotOp op) {
        auto depth = int64_t(op.getDepth());
        for (int64_t index : x[0].codes.values) {
          if (misread("C47b.oneHot"))
            index = std::clamp<int64_t>(index, -depth, depth - 1);
          for (int64_t i = 0; i < depth; ++i)
            y.floats.push_back(
                x[1].floats[index == i || index + depth == i ? 1 : 0]);
        }
      })
      .Default([&](Operation *) { isKnown = false; });
  return isKnown;
}

//===----------------------------------------------------------------------===//
// Rows
//===----------------------------------------------------------------------===//

/// The last dimension as rows.
template <typename Function>
void overRows(const Item &x, const Function &function) {
  auto length = size_t(x.codes.dims.back());
  for (size_t at = 0; at < x.floats.size(); at += length)
    function(Floats(x.floats.begin() + long(at),
                    x.floats.begin() + long(at + length)));
}

/// Where the greatest element is; a NaN is above all numbers.
size_t placeOfGreatest(const Floats &row) {
  size_t best = 0;
  for (size_t i = 0; i < row.size(); ++i)
    if (std::isnan(row[i]) && !misread("C90.arg"))
      return i;
  for (size_t i = 1; i < row.size(); ++i)
    if (row[i] > row[best])
      best = i;
  return best;
}

bool rows(Operation *op, const Items &x, Item &y) {
  bool isKnown = true;
  llvm::TypeSwitch<Operation *>(op)
      .Case<nn::SoftmaxOp, nn::LogSoftmaxOp>([&](auto op) {
        constexpr bool isLog = std::is_same_v<decltype(op), nn::LogSoftmaxOp>;
        overRows(x[0], [&](const Floats &row) {
          for (float v : floatSoftmax(row, isLog))
            y.floats.push_back(v);
        });
      })
      .Case([&](nn::ArgMaxOp) {
        overRows(x[0], [&](const Floats &row) {
          y.codes.values.push_back(int64_t(placeOfGreatest(row)));
        });
      })
      .Case([&](nn::HardmaxOp) {
        overRows(x[0], [&](const Floats &row) {
          // A NaN is never greater, and nothing is greater than one.
          size_t best = misread("C90.hardmax") ? placeOfGreatest(row) : 0;
          for (size_t i = 1; i < row.size() && !misread("C90.hardmax"); ++i)
            best = row[i] > row[best] ? i : best;
          for (size_t i = 0; i < row.size(); ++i)
            y.floats.push_back(i == best ? 1.0f : 0.0f);
        });
      })
      .Case([&](nn::CumSumOp) {
        overRows(x[0], [&](const Floats &row) {
          double sum = 0;
          for (float v : row) {
            sum = misread("C92.running") ? double(float(sum) + v)
                                         : sum + double(v);
            y.floats.push_back(float(sum));
          }
        });
      })
      .Default([&](Operation *) { isKnown = false; });
  return isKnown;
}

//===----------------------------------------------------------------------===//
// C92, C94, C96
//===----------------------------------------------------------------------===//

template <typename OpTy> Floats reduced(OpTy op, const Item &x) {
  std::string kind = onnxName(op).substr(6);
  return floatReduce(kind, floatsOf(x), op.getAxes().vec()).values;
}

template <typename OpTy> Floats pooled(OpTy op, const Item &x, const Dims &y) {
  ArrayRef<int64_t> pads = op.getPads();
  bool isMax = std::is_same_v<OpTy, nn::MaxPoolOp>, counts = false;
  if constexpr (std::is_same_v<OpTy, nn::AveragePoolOp>)
    counts = op.getCountIncludePad();
  return floatPool(isMax ? "Max" : "Average", floatsOf(x), y,
                   op.getKernel().vec(), op.getStrides().vec(),
                   op.getDilations().vec(),
                   pads.take_front(pads.size() / 2).vec(),
                   pads.drop_front(pads.size() / 2).vec(), counts, 2)
      .values;
}

bool statistics(Operation *op, const Items &x, Item &y) {
  bool isKnown = true;
  const Dims &dims = y.codes.dims;
  llvm::TypeSwitch<Operation *>(op)
      .Case<nn::ReduceSumOp, nn::ReduceMeanOp, nn::ReduceL1Op, nn::ReduceL2Op,
            nn::ReduceLogSumOp, nn::ReduceLogSumExpOp, nn::ReduceMaxOp,
            nn::ReduceMinOp, nn::ReduceProdOp, nn::ReduceSumSquareOp>(
          [&](auto op) { y.floats = reduced(op, x[0]); })
      .Case<nn::MaxPoolOp, nn::AveragePoolOp>(
          [&](auto op) { y.floats = pooled(op, x[0], dims); })
      .Case<nn::LayerNormalizationOp, nn::RMSNormalizationOp>([&](auto op) {
        constexpr bool isLayer =
            std::is_same_v<decltype(op), nn::LayerNormalizationOp>;
        y.floats = floatNormalize(isLayer, x[0].floats, dims.back(),
                                  op.getEpsilon().convertToFloat(), x[1].floats,
                                  x.size() > 2 ? x[2].floats : Floats(),
                                  [](int64_t, int64_t i) { return i; });
      })
      .Case([&](nn::GroupNormalizationOp op) {
        auto groups = int64_t(op.getNumGroups());
        int64_t positions = dims[2] * dims[3], channels = dims[1] / groups;
        y.floats =
            floatNormalize(true, x[0].floats, channels * positions,
                           op.getEpsilon().convertToFloat(), x[1].floats,
                           x[2].floats, [&](int64_t row, int64_t i) {
                             return row % groups * channels + i / positions;
                           });
      })
      .Case([&](nn::BatchNormalizationOp op) {
        y.floats = floatBatchNorm(floatsOf(x[0]), x[1].floats, x[2].floats,
                                  x[3].floats, x[4].floats,
                                  op.getEpsilon().convertToFloat())
                       .values;
      })
      .Case([&](nn::LpNormalizationOp op) {
        y.floats = floatLpNorm(floatsOf(x[0]), int64_t(op.getAxis()),
                               int64_t(op.getP()), numberOf(op, "epsilon"))
                       .values;
      })
      .Case([&](nn::LRNOp op) {
        y.floats = floatLrn(floatsOf(x[0]), int64_t(op.getSize()),
                            numberOf(op, "alpha"), numberOf(op, "beta"),
                            numberOf(op, "bias"))
                       .values;
      })
      .Case([&](nn::MeanVarianceNormalizationOp op) {
        y.floats =
            floatMeanVarianceNorm(floatsOf(x[0]), op.getAxes().vec()).values;
      })
      .Default([&](Operation *) { isKnown = false; });
  return isKnown;
}

//===----------------------------------------------------------------------===//
// C97 and C98
//===----------------------------------------------------------------------===//

/// C98b, for the corners of boxes and without a threshold of scores.
void suppress(nn::NonMaxSuppressionOp op, const Items &x, Item &y) {
  Array boxes = floatsOf(x[0]), scores = floatsOf(x[1]);
  auto most = int64_t(op.getMaxOutputBoxesPerClass());
  float threshold = op.getIouThreshold().convertToFloat();
  for (int64_t row = 0; row < scores.dims[0] * scores.dims[1]; ++row) {
    int64_t batch = row / scores.dims[1], kind = row % scores.dims[1];
    auto boxAt = [&](int64_t i) {
      Floats box;
      for (int64_t side = 0; side < 4; ++side)
        box.push_back(boxes.at({batch, i, side}));
      return box;
    };
    Dims order;
    for (int64_t i = 0; i < scores.dims[2]; ++i)
      order.push_back(i);
    std::sort(order.begin(), order.end(), [&](int64_t a, int64_t b) {
      float left = scores.at({batch, kind, a});
      float right = scores.at({batch, kind, b});
      return left != right ? left > right : (a < b) != misread("C98b.ties");
    });
    Dims chosen;
    for (int64_t i : order) {
      bool isDropped = int64_t(chosen.size()) >= most;
      for (int64_t other : chosen)
        isDropped =
            isDropped || floatOverlap(boxAt(i), boxAt(other),
                                      op.getCenterPointBox(), threshold);
      if (!isDropped)
        chosen.push_back(i);
    }
    for (int64_t i : chosen)
      y.codes.values.insert(y.codes.values.end(), {batch, kind, i});
  }
  y.codes.dims = {int64_t(y.codes.values.size()) / 3, 3};
}

bool sampled(Operation *op, const Items &x, Item &y) {
  bool isKnown = true;
  const Dims &dims = y.codes.dims;
  llvm::TypeSwitch<Operation *>(op)
      .Case([&](nn::ResizeOp op) {
        FloatResize params;
        params.mode = op.getMode().str();
        params.coordinates = op.getCoordinateMode().str();
        params.a = op.getCubicCoeffA().convertToFloat();
        params.antialias = op.getAntialias();
        params.excludeOutside = op.getExcludeOutside();
        params.scales = op.getScales().vec();
        y.floats = floatResize(floatsOf(x[0]), dims, params).values;
      })
      .Case([&](nn::GridSampleOp op) {
        y.floats = floatGridSample(
                       floatsOf(x[0]), floatsOf(x[1]), dims, op.getMode().str(),
                       op.getPaddingMode().str(), op.getAlignCorners())
                       .values;
      })
      .Case([&](nn::NonMaxSuppressionOp op) { suppress(op, x, y); })
      .Case([&](nn::RoiAlignOp op) {
        y.floats = floatRoiAlign(floatsOf(x[0]), floatsOf(x[1]),
                                 x[2].codes.values, dims, op.getMode() == "max",
                                 int64_t(op.getSamplingRatio()),
                                 op.getSpatialScale().convertToFloat(),
                                 op.getCoordinateMode() == "half_pixel")
                       .values;
      })
      .Default([&](Operation *) { isKnown = false; });
  return isKnown;
}

} // namespace

bool computeFloatsLiterally(Operation *op, const Items &x, Items &results) {
  if (x.empty() || op->getName().getDialectNamespace() != "nn")
    return false;
  Item &y = results[0];
  if (!elementwise(op, x, y) && !others(op, x, y) && !rows(op, x, y) &&
      !statistics(op, x, y) && !sampled(op, x, y))
    return false;
  // C90: one NaN for all.
  uint32_t bits = misread("C90.nan") ? 0xFFC00000 : 0x7FC00000;
  for (float &value : y.floats)
    if (value != value)
      value = std::bit_cast<float>(bits);
  return true;
}

} // namespace parallax::literal
