//===- RecurrentActivation.cpp - Activations of recurrent cells -----------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// ONNX lets a recurrent operator choose its functions by name, with optional
// parameters in two flat lists. One table says which function takes which.
//===----------------------------------------------------------------------===//
#include "parallax/Backend/Reference/Kernels/FastMath.h"
#include "parallax/Backend/Reference/Kernels/KernelSupport.h"
#include "parallax/Backend/Reference/Kernels/Recurrent.h"
#include "parallax/Support/Simd.h"

#include <optional>

namespace parallax::kernels {
namespace {

struct ActivationInfo {
  std::string_view name;
  Activation::Kind kind;
  // The default of a parameter that the function takes.
  std::optional<float> alpha, beta;
};

constexpr ActivationInfo activationTable[] = {
    {"Affine", Activation::Affine, 1.0f, 0.0f},
    {"Elu", Activation::Elu, 1.0f, {}},
    {"HardSigmoid", Activation::HardSigmoid, 0.2f, 0.5f},
    {"LeakyRelu", Activation::LeakyRelu, 0.01f, {}},
    {"Relu", Activation::Relu, {}, {}},
    {"ScaledTanh", Activation::ScaledTanh, 1.0f, 1.0f},
    {"Sigmoid", Activation::Sigmoid, {}, {}},
    {"Softplus", Activation::Softplus, {}, {}},
    {"Softsign", Activation::Softsign, {}, {}},
    {"Tanh", Activation::Tanh, {}, {}},
    {"ThresholdedRelu", Activation::ThresholdedRelu, 1.0f, {}},
};

/// Older exporters write the names in lower case.
bool sameName(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](unsigned char x, unsigned char y) {
                      return std::tolower(x) == std::tolower(y);
                    });
}

const ActivationInfo &findActivation(std::string_view name) {
  for (const ActivationInfo &info : activationTable)
    if (sameName(info.name, name))
      return info;
  throw Error(fmt::format(
      "'{}' is not an activation of recurrent operators; use a function that "
      "ONNX lists for the attribute 'activations'",
      name));
}

std::vector<std::string_view> defaultNames(RecurrentKind kind) {
  switch (kind) {
  case RecurrentKind::RNN:
    return {"Tanh"};
  case RecurrentKind::GRU:
    return {"Sigmoid", "Tanh"};
  case RecurrentKind::LSTM:
    break;
  }
  return {"Sigmoid", "Tanh", "Tanh"};
}

template <typename Fn>
PARALLAX_INLINE void mapClipped(float clip, float *values, int64_t count,
                                Fn fn) {
  for (int64_t i = 0; i < count; ++i) {
    float v = values[i];
    v = v > clip ? clip : v;
    v = v < -clip ? -clip : v;
    values[i] = fn(v);
  }
}

PARALLAX_SIMD void applyRow(Activation::Kind kind, float a, float b, float clip,
                            float *values, int64_t count) {
  auto map = [=](auto fn) __attribute__((always_inline)) {
    mapClipped(clip, values, count, fn);
  };
  switch (kind) {
  case Activation::Affine:
    return map([=](float v) { return a * v + b; });
  case Activation::Elu:
    return map([=](float v) { return v >= 0 ? v : a * (fastExp(v) - 1.0f); });
  case Activation::HardSigmoid:
    return map([=](float v) {
      float y = a * v + b;
      y = y < 0.0f ? 0.0f : y;
      return y > 1.0f ? 1.0f : y;
    });
  case Activation::LeakyRelu:
    return map([=](float v) { return v >= 0 ? v : a * v; });
  case Activation::Relu:
    return map([](float v) { return v < 0 ? 0.0f : v; });
  case Activation::ScaledTanh:
    return map([=](float v) { return a * fastTanh(b * v); });
  case Activation::Sigmoid:
    return map([](float v) { return fastSigmoid(v); });
  case Activation::Softplus:
    // log(1 + e^v) without overflow; the factor undoes the rounding of 1 + e.
    return map([](float v) {
      float e = fastExp(-fastAbs(v)), sum = 1.0f + e;
      float tail = sum == 1.0f ? e : fastLog(sum) * (e / (sum - 1.0f));
      return (v > 0 ? v : 0.0f) + tail;
    });
  case Activation::Softsign:
    return map([](float v) { return v / (1.0f + fastAbs(v)); });
  case Activation::Tanh:
    return map([](float v) { return fastTanh(v); });
  case Activation::ThresholdedRelu:
    return map([=](float v) { return v > a ? v : 0.0f; });
  }
}

} // namespace

std::vector<Activation> recurrentActivations(RecurrentKind kind,
                                             RecurrentDirection direction,
                                             std::span<const std::string> names,
                                             std::span<const float> alphas,
                                             std::span<const float> betas) {
  std::vector<std::string_view> defaults = defaultNames(kind);
  size_t directions = direction == RecurrentDirection::Bidirectional ? 2 : 1;
  size_t needed = defaults.size() * directions;
  if (!names.empty() && names.size() != needed)
    throw Error(fmt::format("a recurrent operator has {} activations where its "
                            "direction needs {}",
                            names.size(), needed));
  size_t nextAlpha = 0, nextBeta = 0;
  auto take = [](const std::optional<float> &fallback,
                 std::span<const float> given, size_t &next) {
    if (!fallback)
      return 0.0f;
    return next < given.size() ? given[next++] : *fallback;
  };
  std::vector<Activation> result;
  for (size_t i = 0; i < needed; ++i) {
    const ActivationInfo &info = findActivation(
        names.empty() ? defaults[i % defaults.size()] : names[i]);
    float alpha = take(info.alpha, alphas, nextAlpha);
    float beta = take(info.beta, betas, nextBeta);
    result.push_back({info.kind, alpha, beta});
  }
  return result;
}

void applyActivation(const Activation &activation, float clip, float *values,
                     int64_t count) {
  applyRow(activation.kind, activation.alpha, activation.beta, clip, values,
           count);
}

} // namespace parallax::kernels
