//===- FloatSamplingTest.cpp - C90, C92 and C97 to C99 --------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Operators that read at computed positions, recurrent layers, and kernels of
// the float engine that the simulator relies on, against the literal
// implementation.
//===----------------------------------------------------------------------===//
#include "FloatTestSupport.h"
#include "parallax/Backend/Kernels/Elementwise.h"
#include "parallax/Backend/Kernels/Indexing.h"
#include "parallax/Backend/Kernels/Scan.h"
#include "parallax/Backend/Kernels/Vision.h"
#include "parallax/Backend/NPU/Kernels/FloatLayers.h"

using namespace parallax;
using namespace parallax::npu;
using namespace parallax::npu::test;
using kernels::BinaryKind;

namespace {

//===----------------------------------------------------------------------===//
// Sampling
//===----------------------------------------------------------------------===//

const std::pair<const char *, kernels::CoordinateMode> coordinateModes[] = {
    {"half_pixel", kernels::CoordinateMode::HalfPixel},
    {"half_pixel_symmetric", kernels::CoordinateMode::HalfPixelSymmetric},
    {"pytorch_half_pixel", kernels::CoordinateMode::PytorchHalfPixel},
    {"align_corners", kernels::CoordinateMode::AlignCorners},
    {"asymmetric", kernels::CoordinateMode::Asymmetric},
    {"tf_half_pixel_for_nn", kernels::CoordinateMode::TfHalfPixelForNn},
    {"tf_crop_and_resize", kernels::CoordinateMode::TfCropAndResize}};

TEST(FloatSampling, C97_Resize) {
  const std::pair<Dims, Dims> shapes[] = {{{2, 3, 5, 7}, {2, 3, 9, 4}},
                                          {{1, 2, 4, 4}, {1, 2, 1, 10}},
                                          {{1, 6, 3, 5}, {1, 4, 3, 8}}};
  for (auto [word, coordinates] : coordinateModes)
    for (const char *mode : {"linear", "cubic"})
      for (const auto &[in, out] : shapes)
        for (int options = 0; options < 8; ++options) {
          literal::FloatResize wanted;
          wanted.mode = mode;
          wanted.coordinates = word;
          wanted.antialias = options & 1;
          wanted.excludeOutside = options & 2;
          wanted.extrapolation = -3.5f;
          wanted.roi = {0, 0, 0.1f, -0.2f, 1, 1, 0.9f, 1.1f};
          for (size_t i = 0; i < in.size(); ++i)
            wanted.scales.push_back(float(double(out[i]) / double(in[i])) *
                                    (i == 3 && (options & 4) ? 1.01f : 1.0f));
          kernels::ResizeParams params;
          params.mode = *mode == 'l' ? kernels::ResizeMode::Linear
                                     : kernels::ResizeMode::Cubic;
          params.coordinates = coordinates;
          params.extrapolationValue = wanted.extrapolation;
          params.excludeOutside = wanted.excludeOutside;
          params.antialias = wanted.antialias;
          Array x = randomArray(in, 10, 4, options % 3 == 1);
          Tensor xTensor = toTensor(x);
          kernels::ResizePlan plan(in, out, wanted.scales, wanted.roi, params);
          std::vector<std::byte> scratch(resizeFloatScratchBytes(plan));
          expectFloats(
              literal::floatResize(x, out, wanted),
              [&](Tensor &y) { resizeFloat(plan, xTensor, y, scratch.data()); },
              std::string(word) + " " + mode);
        }
}

TEST(FloatSampling, C98_GridSample) {
  const std::pair<const char *, kernels::GridMode> modes[] = {
      {"linear", kernels::GridMode::Linear},
      {"nearest", kernels::GridMode::Nearest},
      {"cubic", kernels::GridMode::Cubic}};
  const std::pair<const char *, kernels::GridPadding> paddings[] = {
      {"zeros", kernels::GridPadding::Zeros},
      {"border", kernels::GridPadding::Border},
      {"reflection", kernels::GridPadding::Reflection}};
  struct Shapes {
    Dims x, grid, y;
  };
  const Shapes shapes[] = {{{2, 3, 5, 6}, {2, 7, 5, 2}, {2, 3, 7, 5}},
                           {{1, 2, 3, 4, 5}, {1, 2, 3, 4, 3}, {1, 2, 2, 3, 4}},
                           {{1, 2, 1, 1}, {1, 3, 3, 2}, {1, 2, 3, 3}}};
  for (auto [modeWord, mode] : modes)
    for (auto [paddingWord, padding] : paddings)
      for (bool corners : {false, true})
        for (const Shapes &s : shapes)
          for (bool extreme : {false, true}) {
            Array x = randomArray(s.x, 10, 1, extreme);
            Array grid = randomArray(s.grid, 5, 2, extreme);
            Tensor xTensor = toTensor(x), gridTensor = toTensor(grid);
            expectFloats(
                literal::floatGridSample(x, grid, s.y, modeWord, paddingWord,
                                         corners),
                [&, mode = mode, padding = padding](Tensor &y) {
                  kernels::gridSample(xTensor, gridTensor, y, mode, padding,
                                      corners);
                },
                std::string(modeWord) + " " + paddingWord);
          }
}

TEST(FloatSampling, C98a_RoiAlign) {
  Array x = randomArray({2, 3, 9, 11}, 10, 1);
  Array rois({4, 4},
             {0.5f, 1, 7.25f, 6, -2, -3, 4, 5, 3, 3, 3.1f, 3.2f, 8, 7, 30, 20});
  Dims batch{0, 1, 1, 0};
  Tensor xTensor = toTensor(x), roiTensor = toTensor(rois);
  auto batchTensor = Tensor::fromValues<int64_t>({4}, batch);
  for (bool isMax : {false, true})
    for (int64_t ratio : {0, 2, 3})
      for (bool half : {false, true})
        for (float scale : {1.0f, 0.3f})
          expectFloats(literal::floatRoiAlign(x, rois, batch, {4, 3, 3, 2},
                                              isMax, ratio, scale, half),
                       [&](Tensor &y) {
                         kernels::roiAlign(xTensor, roiTensor, batchTensor, y,
                                           {isMax, ratio, scale, half});
                       });
}

TEST(FloatSampling, C98b_NonMaxSuppression) {
  for (bool isCentre : {false, true})
    for (uint64_t seed = 0; seed < 20; ++seed) {
      int64_t count = 30;
      Array boxes = randomArray({1, count, 4}, 4, seed, seed % 4 == 3);
      Array scores = randomArray({1, 1, count}, 2, seed + 100);
      kernels::NonMaxSuppressionParams params;
      params.maxPerClass = count;
      params.iouThreshold = 0.2f;
      params.centerPointBox = isCentre;
      Tensor y(DType::I64, {count, 3});
      kernels::nonMaxSuppression(toTensor(boxes), toTensor(scores), y, params);
      std::vector<int64_t> order, chosen;
      for (int64_t i = 0; i < count; ++i)
        order.push_back(i);
      std::sort(order.begin(), order.end(), [&](int64_t a, int64_t b) {
        float first = scores.values[size_t(a)],
              second = scores.values[size_t(b)];
        return first != second ? first > second : a < b;
      });
      auto boxOf = [&](int64_t i) {
        return Floats(boxes.values.begin() + 4 * i,
                      boxes.values.begin() + 4 * i + 4);
      };
      for (int64_t i : order) {
        bool isDropped = false;
        for (int64_t other : chosen)
          isDropped |= literal::floatOverlap(boxOf(i), boxOf(other), isCentre,
                                             params.iouThreshold);
        if (!isDropped)
          chosen.push_back(i);
      }
      ASSERT_EQ(y.dim(0), int64_t(chosen.size()));
      for (size_t i = 0; i < chosen.size(); ++i)
        ASSERT_EQ(y.data<int64_t>()[3 * i + 2], chosen[i]);
    }
}

//===----------------------------------------------------------------------===//
// Recurrent layers
//===----------------------------------------------------------------------===//

struct NamedActivation {
  kernels::Activation activation;
  std::function<float(float)> function;
};

NamedActivation named(kernels::Activation::Kind kind, const char *name,
                      float alpha = 0, float beta = 0) {
  return {{kind, alpha, beta}, [=](float x) {
            return literal::floatFunction(name, x, alpha, beta);
          }};
}

void checkRecurrent(kernels::RecurrentParams params, const char *kind,
                    int64_t gates, std::vector<NamedActivation> functions) {
  using enum kernels::RecurrentDirection;
  int64_t hidden = 5, depth = 7, times = 6, batches = 3;
  int64_t directions = params.direction == Bidirectional ? 2 : 1;
  bool isLstm = params.kind == kernels::RecurrentKind::LSTM;
  params.hiddenSize = hidden;
  for (int64_t d = 0; d < directions; ++d)
    for (const NamedActivation &f : functions)
      params.activations.push_back(f.activation);
  Dims xDims =
      params.layout ? Dims{batches, times, depth} : Dims{times, batches, depth};
  Dims stateDims = params.layout ? Dims{batches, directions, hidden}
                                 : Dims{directions, batches, hidden};
  Dims yDims = params.layout ? Dims{batches, times, directions, hidden}
                             : Dims{times, directions, batches, hidden};
  Array x = randomArray(xDims, 4, 1);
  Array w = randomArray({directions, gates * hidden, depth}, 2, 2);
  Array r = randomArray({directions, gates * hidden, hidden}, 2, 3);
  Array b = randomArray({directions, 2 * gates * hidden}, 1, 4);
  Array p = randomArray({directions, 3 * hidden}, 1, 5);
  Array h0 = randomArray(stateDims, 2, 6), c0 = randomArray(stateDims, 2, 7);
  int32_t lengths[] = {6, 0, 4};
  auto stateAt = [&](int64_t batch, int64_t d, int64_t j) {
    return params.layout ? Dims{batch, d, j} : Dims{d, batch, j};
  };
  Array y(yDims), yH(stateDims), yC(stateDims);
  for (int64_t d = 0; d < directions; ++d)
    for (int64_t batch = 0; batch < batches; ++batch) {
      literal::FloatCell cell;
      cell.kind = kind;
      for (const NamedActivation &f : functions)
        cell.functions.push_back(f.function);
      auto part = [&](const Array &all) {
        int64_t size = all.size() / directions;
        return Floats(all.values.begin() + d * size,
                      all.values.begin() + (d + 1) * size);
      };
      cell.w = part(w), cell.r = part(r), cell.b = part(b), cell.p = part(p);
      cell.hidden = hidden, cell.depth = depth, cell.clip = params.clip;
      cell.inputForget = params.inputForget;
      cell.linearBeforeReset = params.linearBeforeReset;
      Floats h, c;
      for (int64_t j = 0; j < hidden; ++j) {
        h.push_back(h0.at(stateAt(batch, d, j)));
        c.push_back(c0.at(stateAt(batch, d, j)));
      }
      bool isReversed = params.direction == Reverse || d == 1;
      std::vector<Floats> inputs;
      std::vector<int64_t> order;
      for (int64_t t = 0; t < lengths[batch]; ++t) {
        int64_t time = isReversed ? lengths[batch] - 1 - t : t;
        order.push_back(time);
        Floats row;
        for (int64_t k = 0; k < depth; ++k)
          row.push_back(x.at(params.layout ? Dims{batch, time, k}
                                           : Dims{time, batch, k}));
        inputs.push_back(row);
      }
      std::vector<Floats> states = literal::floatRecurrent(cell, inputs, h, c);
      for (int64_t j = 0; j < hidden; ++j) {
        for (size_t t = 0; t < states.size(); ++t)
          y.at(params.layout ? Dims{batch, order[t], d, j}
                             : Dims{order[t], d, batch, j}) =
              states[t][size_t(j)];
        yH.at(stateAt(batch, d, j)) = h[size_t(j)];
        yC.at(stateAt(batch, d, j)) = c[size_t(j)];
      }
    }
  Tensor xT = toTensor(x), wT = toTensor(w), rT = toTensor(r), bT = toTensor(b);
  Tensor pT = toTensor(p), hT = toTensor(h0), cT = toTensor(c0);
  auto lens = Tensor::fromValues<int32_t>({batches}, std::span(lengths));
  Tensor lastH(DType::F32, stateDims), lastC(DType::F32, stateDims);
  expectFloats(
      y,
      [&](Tensor &result) {
        recurrentFloat(params,
                       {xT, wT, &bT, &lens, &hT, isLstm ? &cT : nullptr,
                        isLstm ? &pT : nullptr},
                       rT, {&result, &lastH, isLstm ? &lastC : nullptr});
      },
      kind);
  expectBits(lastH, yH.values, kind);
  if (isLstm)
    expectBits(lastC, yC.values, kind);
}

TEST(FloatSampling, C99_RecurrentLayers) {
  using kernels::Activation, kernels::RecurrentKind;
  NamedActivation sigmoid = named(Activation::Sigmoid, "Sigmoid");
  NamedActivation tanh = named(Activation::Tanh, "Tanh");
  NamedActivation scaled{{Activation::ScaledTanh, 1.3f, 0.7f}, [](float x) {
                           float inner = 0.7f * x;
                           return 1.3f * literal::floatFunction("Tanh", inner);
                         }};
  NamedActivation affine{{Activation::Affine, 0.3f, 0.1f}, [](float x) {
                           float product = 0.3f * x;
                           return product + 0.1f;
                         }};
  for (int64_t layout : {0, 1})
    for (auto direction : {kernels::RecurrentDirection::Forward,
                           kernels::RecurrentDirection::Reverse,
                           kernels::RecurrentDirection::Bidirectional})
      for (bool option : {false, true}) {
        kernels::RecurrentParams params;
        params.layout = layout;
        params.direction = direction;
        params.inputForget = params.linearBeforeReset = option;
        if (option)
          params.clip = 0.8f;
        params.kind = RecurrentKind::LSTM;
        checkRecurrent(params, "LSTM", 4, {sigmoid, tanh, tanh});
        checkRecurrent(
            params, "LSTM", 4,
            {named(Activation::HardSigmoid, "HardSigmoid", 0.2f, 0.5f), scaled,
             named(Activation::Softsign, "Softsign")});
        params.kind = RecurrentKind::GRU;
        checkRecurrent(params, "GRU", 3, {sigmoid, tanh});
        checkRecurrent(params, "GRU", 3,
                       {affine, named(Activation::Elu, "Elu", 1.5f)});
        params.kind = RecurrentKind::RNN;
        checkRecurrent(params, "RNN", 1, {tanh});
        checkRecurrent(params, "RNN", 1,
                       {named(Activation::LeakyRelu, "LeakyRelu", 0.1f)});
      }
}

//===----------------------------------------------------------------------===//
// Kernels of the float engine
//===----------------------------------------------------------------------===//

TEST(FloatSampling, C90_ElementWise) {
  Array a = randomArray({997}, 20, 1, true),
        b = randomArray({997}, 20, 2, true);
  Tensor aTensor = toTensor(a), bTensor = toTensor(b);
  auto check = [&](BinaryKind kind, const char *name, auto function) {
    Array expected(a.dims);
    for (size_t i = 0; i < a.values.size(); ++i)
      expected.values[i] = function(a.values[i], b.values[i]);
    expectFloats(
        expected,
        [&](Tensor &y) { kernels::binary(kind, aTensor, bTensor, y); }, name);
  };
  check(BinaryKind::Add, "Add", [](float x, float y) { return x + y; });
  check(BinaryKind::Sub, "Sub", [](float x, float y) { return x - y; });
  check(BinaryKind::Mul, "Mul", [](float x, float y) { return x * y; });
  check(BinaryKind::Div, "Div", [](float x, float y) { return x / y; });
  check(BinaryKind::Max, "Max", [](float x, float y) {
    return std::isnan(x) ? x : std::isnan(y) ? y : x > y ? x : y;
  });
  check(BinaryKind::Min, "Min", [](float x, float y) {
    return std::isnan(x) ? x : std::isnan(y) ? y : x < y ? x : y;
  });
  check(BinaryKind::PRelu, "PRelu",
        [](float x, float y) { return x < 0 ? y * x : x; });
  check(BinaryKind::Fmod, "Fmod", [](float x, float y) {
    return float(std::fmod(double(x), double(y)));
  });
  check(BinaryKind::Mod, "Mod", [](float x, float y) {
    auto r = float(std::fmod(double(x), double(y)));
    return r != 0 && (r < 0) != (y < 0) ? r + y : r;
  });
  Array clipped(a.dims);
  for (size_t i = 0; i < a.values.size(); ++i) {
    float v = a.values[i] < -1.5f ? -1.5f : a.values[i];
    clipped.values[i] = v > 4.0f ? 4.0f : v;
  }
  expectFloats(
      clipped, [&](Tensor &y) { kernels::clip(aTensor, y, -1.5, 4); }, "Clip");
}

TEST(FloatSampling, C92_RunningSums) {
  for (bool extreme : {false, true})
    for (bool exclusive : {false, true})
      for (bool reverse : {false, true})
        for (int64_t inner : {1, 5}) {
          int64_t count = 41;
          Array x = randomArray({2, count, inner}, 1e6f, 3, extreme);
          Array expected(x.dims);
          for (int64_t o = 0; o < 2; ++o)
            for (int64_t i = 0; i < inner; ++i) {
              double sum = 0;
              for (int64_t step = 0; step < count; ++step) {
                int64_t k = reverse ? count - 1 - step : step;
                double before = sum;
                sum = sum + double(x.at({o, k, i}));
                expected.at({o, k, i}) = float(exclusive ? before : sum);
              }
            }
          Tensor xTensor = toTensor(x);
          expectFloats(expected, [&](Tensor &y) {
            kernels::cumsum(xTensor, y, 1, exclusive, reverse);
          });
        }
}

TEST(FloatSampling, C90_ScatterInOrder) {
  Array data = randomArray({6}, 2, 1),
        updates({5}, {0x1p24f, 1, 1, -0x1p24f, 3});
  int64_t at[] = {2, 2, 2, 2, 0};
  auto indices = Tensor::fromValues<int64_t>({5}, std::span<const int64_t>(at));
  Array expected = data;
  for (size_t i = 0; i < 5; ++i) {
    float &element = expected.values[size_t(at[i])];
    element = element + updates.values[i];
  }
  Tensor dataTensor = toTensor(data), updateTensor = toTensor(updates);
  expectFloats(expected, [&](Tensor &y) {
    kernels::scatterElements(dataTensor, indices, updateTensor, y, 0,
                             kernels::ScatterReduction::Add);
  });
}

} // namespace
