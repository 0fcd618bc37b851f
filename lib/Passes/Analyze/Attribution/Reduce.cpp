//===- Reduce.cpp - What summed elements are worth ------------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Pooling, reductions and resampling: results that are sums, or extremes, over
// windows of elements. A window is known from its geometry, and the factor of a
// mean from what the operator makes of ones.
//===----------------------------------------------------------------------===//
#include "Adjoint.h"

#include "parallax/Backend/Core/Prepare.h"
#include "parallax/Backend/Reference/Parameters.h"
#include "parallax/Backend/Reference/Reference.h"

using namespace mlir;

namespace parallax::analyze {
namespace {

using WindowsPtr = std::shared_ptr<Windows>;

/// Counts through all places of a shape.
template <typename Fn> void forEachPlace(const Shape &shape, Fn fn) {
  Shape place(shape.size(), 0);
  for (int64_t n = elementCount(shape); n > 0; --n) {
    fn(place);
    for (size_t i = shape.size(); i-- > 0 && ++place[i] == shape[i];)
      place[i] = 0;
  }
}

/// Windows of one channel, over its spatial dimensions.
template <typename OpTy> WindowsPtr poolWindows(Layer &layer, OpTy op) {
  kernels::PoolParams params = reference::windowParams(op);
  Shape x = layer.shapeOf(0), y = layer.resultShape();
  x.erase(x.begin(), x.begin() + 2);
  y.erase(y.begin(), y.begin() + 2);
  auto windows = std::make_shared<Windows>();
  windows->inputs = elementCount(x);
  windows->outputs = elementCount(y);
  forEachPlace(y, [&](const Shape &at) {
    forEachPlace(params.kernel, [&](const Shape &tap) {
      int64_t place = 0;
      for (size_t i = 0; i < x.size(); ++i) {
        int64_t along = at[i] * params.strides[i] +
                        tap[i] * params.dilations[i] - params.padsBegin[i];
        if (along < 0 || along >= x[i])
          return;
        place = place * x[i] + along;
      }
      windows->taps.push_back(int32_t(place));
    });
    windows->begin.push_back(int64_t(windows->taps.size()));
  });
  return windows;
}

/// All elements that differ in reduced dimensions alone; one plane.
WindowsPtr axesWindows(Layer &layer, ArrayRef<int64_t> axes) {
  Shape x = layer.shapeOf(0), kept = x, inside(x.size(), 1);
  for (int64_t axis : axes) {
    size_t at = size_t(axis < 0 ? axis + int64_t(x.size()) : axis);
    inside[at] = x[at];
    kept[at] = 1;
  }
  Shape strides = stridesOf(x);
  auto windows = std::make_shared<Windows>();
  windows->inputs = elementCount(x);
  windows->outputs = elementCount(kept);
  auto placeOf = [&](const Shape &at) {
    int64_t place = 0;
    for (size_t i = 0; i < x.size(); ++i)
      place += at[i] * strides[i];
    return place;
  };
  forEachPlace(kept, [&](const Shape &at) {
    int64_t start = placeOf(at);
    forEachPlace(inside, [&](const Shape &tap) {
      windows->taps.push_back(int32_t(start + placeOf(tap)));
    });
    windows->begin.push_back(int64_t(windows->taps.size()));
  });
  return windows;
}

SmallVector<int64_t> spatialAxes(Layer &layer) {
  SmallVector<int64_t> axes;
  for (size_t i = 2; i < layer.shapeOf(0).size(); ++i)
    axes.push_back(int64_t(i));
  return axes;
}

bool isTooLarge(Layer &layer) {
  return elementCount(layer.shapeOf(0)) > std::numeric_limits<int32_t>::max();
}

Value sumsBack(Layer &layer, Value gradient, const WindowsPtr &windows) {
  return layer.compute(
      layer.back,
      [windows](const KernelArgs &args) {
        sumBack(in(args, 0), out(args), *windows);
      },
      gradient, layer.shapeOf(0));
}

/// The windows of sums and means, with their factors.
WindowsPtr withFactors(Layer &layer, WindowsPtr windows) {
  Tensor ones(DType::F32, layer.shapeOf(0));
  std::ranges::fill(std::span(ones.data<float>(), size_t(ones.size())), 1.0f);
  Tensor sums =
      evaluate(layer.op, std::span(&ones, 1), referenceKernels()).front();
  for (size_t o = 0; o < size_t(windows->outputs); ++o) {
    int64_t taps = windows->begin[o + 1] - windows->begin[o];
    windows->weights.push_back(taps > 0 ? sums.data<float>()[o] / float(taps)
                                        : 0);
  }
  return windows;
}

/// Sums and means; `find` makes the windows.
template <typename Fn> bool meansBack(Layer &layer, Fn find) {
  WindowsPtr windows = layer.once([&] { return withFactors(layer, find()); });
  layer.give(0, sumsBack(layer, layer.gradient(), windows));
  return true;
}

template <typename Fn> bool extremesBack(Layer &layer, bool isMax, Fn find) {
  WindowsPtr windows = layer.once(find);
  layer.give(0, layer.compute(
                    layer.back,
                    [windows, isMax](const KernelArgs &args) {
                      extremeBack(in(args, 0), in(args, 1), in(args, 2),
                                  out(args), *windows, isMax);
                    },
                    {layer.gradient(), layer.quantized(0), layer.floats(0)},
                    layer.shapeOf(0)));
  return true;
}

/// q^2 - f^2 is twice the middle times the difference.
bool squaresBack(Layer &layer, Value gradient, ArrayRef<int64_t> axes) {
  WindowsPtr windows = layer.once([&] {
    WindowsPtr made = axesWindows(layer, axes);
    made->weights.assign(size_t(made->outputs), 2.0f);
    return made;
  });
  layer.give(0, layer.product(sumsBack(layer, gradient, windows),
                              layer.middle(0), layer.shapeOf(0)));
  return true;
}

bool norm2Back(Layer &layer, nn::ReduceL2Op op) {
  // |q| - |f| = (|q|^2 - |f|^2) / (|q| + |f|).
  Value scaled = layer.compute(
      layer.back,
      [](const KernelArgs &args) {
        Values g = in(args, 0), a = in(args, 1), b = in(args, 2);
        for (size_t i = 0; i < g.size(); ++i) {
          float ratio = g[i] / (a[i] + b[i]);
          out(args)[i] = std::isfinite(ratio) ? ratio : 0;
        }
      },
      {layer.gradient(), layer.recomputed(), layer.result()},
      layer.resultShape());
  return squaresBack(layer, scaled, op.getAxes());
}

/// Axis by axis, the last one first.
bool resizeBack(Layer &layer, nn::ResizeOp op) {
  Shape shape = layer.resultShape(), from = layer.shapeOf(0);
  std::vector<float> scales(op.getScales()), roi(op.getRoi());
  auto plan = std::make_shared<kernels::ResizePlan>(
      from, shape, scales, roi, reference::resizeParams(op));
  for (const kernels::ResizeAxis &axis : plan->axes)
    if (!axis.outside.empty())
      return false;
  // The axes of the plan are consecutive dimensions behind the outer ones.
  int64_t inner = plan->inner;
  Value gradient = layer.gradient();
  for (size_t i = plan->axes.size(); i-- > 0;) {
    const kernels::ResizeAxis &axis = plan->axes[i];
    int64_t before = plan->outer;
    for (size_t j = 0; j < i; ++j)
      before *= plan->axes[j].out;
    AxisTaps taps{
        {before, axis.in, inner}, axis.out, axis.taps, axis.index, axis.weight};
    gradient = layer.compute(layer.back,
                             [plan, taps](const KernelArgs &args) {
                               alongAxisBack(in(args, 0), out(args), taps);
                             },
                             gradient, {before, axis.in, inner});
    inner *= axis.in;
  }
  layer.give(0, layer.reshaped(layer.back, gradient, from));
  return true;
}

bool cumSumBack(Layer &layer, nn::CumSumOp op) {
  layer.give(0, layer.makeBack<nn::CumSumOp>(layer.shapeOf(0), layer.gradient(),
                                             op.getAxis(), op.getExclusive(),
                                             !op.getReverse()));
  return true;
}

} // namespace

void addReduceAdjoints(AdjointTable &table) {
  table.add<nn::AveragePoolOp>([](Layer &layer, nn::AveragePoolOp op) {
    return meansBack(layer, [&] { return poolWindows(layer, op); });
  });
  table.add<nn::MaxPoolOp>([](Layer &layer, nn::MaxPoolOp op) {
    return extremesBack(layer, /*isMax=*/true,
                        [&] { return poolWindows(layer, op); });
  });
  table.add<nn::GlobalAveragePoolOp>([](Layer &layer, auto) {
    return !isTooLarge(layer) && meansBack(layer, [&] {
      return axesWindows(layer, spatialAxes(layer));
    });
  });
  table.add<nn::GlobalMaxPoolOp>([](Layer &layer, auto) {
    return !isTooLarge(layer) && extremesBack(layer, /*isMax=*/true, [&] {
      return axesWindows(layer, spatialAxes(layer));
    });
  });
  table.add<nn::ReduceMeanOp, nn::ReduceSumOp>([](Layer &layer, auto op) {
    return !isTooLarge(layer) &&
           meansBack(layer, [&] { return axesWindows(layer, op.getAxes()); });
  });
  table.add<nn::ReduceMaxOp, nn::ReduceMinOp>([](Layer &layer, auto op) {
    return !isTooLarge(layer) &&
           extremesBack(layer, isa<nn::ReduceMaxOp>(layer.op),
                        [&] { return axesWindows(layer, op.getAxes()); });
  });
  table.add<nn::ReduceSumSquareOp>([](Layer &layer, nn::ReduceSumSquareOp op) {
    return !isTooLarge(layer) &&
           squaresBack(layer, layer.gradient(), op.getAxes());
  });
  table.add<nn::ReduceL2Op>([](Layer &layer, nn::ReduceL2Op op) {
    return !isTooLarge(layer) && norm2Back(layer, op);
  });
  table.add<nn::ResizeOp>(resizeBack);
  table.add<nn::CumSumOp>(cumSumBack);
}

} // namespace parallax::analyze
