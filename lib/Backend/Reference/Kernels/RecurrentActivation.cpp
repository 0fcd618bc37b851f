//===- RecurrentActivation.cpp - Activations of recurrent cells -----------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// ONNX lets a recurrent operator choose its functions by name, with optional
// parameters in two flat lists. One table says which function takes which.
//===----------------------------------------------------------------------===//
#include "parallax/Backend/Reference/Kernels/Recurrent.h"

#include "parallax/Backend/Kernels/UnaryFunctions.h"
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

/// Most activations are unary operators under another name.
PARALLAX_SIMD void applyRow(Activation::Kind kind, float a, float b, float clip,
                            float *values, int64_t count) {
  auto map = [=](auto fn) PARALLAX_INLINE_LAMBDA {
    mapClipped(clip, values, count, fn);
  };
  auto mapUnary = [=]<UnaryKind K>(std::integral_constant<UnaryKind, K>)
                      PARALLAX_INLINE_LAMBDA {
                        map([=](float v) PARALLAX_INLINE_LAMBDA {
                          return applyUnary<K, float>(v, a, b);
                        });
                      };
#define PARALLAX_UNARY_CASE(name)                                              \
  case Activation::name:                                                       \
    return mapUnary(std::integral_constant<UnaryKind, UnaryKind::name>{})
  switch (kind) {
    PARALLAX_UNARY_CASE(Elu);
    PARALLAX_UNARY_CASE(HardSigmoid);
    PARALLAX_UNARY_CASE(LeakyRelu);
    PARALLAX_UNARY_CASE(Relu);
    PARALLAX_UNARY_CASE(Sigmoid);
    PARALLAX_UNARY_CASE(Softplus);
    PARALLAX_UNARY_CASE(Softsign);
    PARALLAX_UNARY_CASE(Tanh);
    PARALLAX_UNARY_CASE(ThresholdedRelu);
  case Activation::Affine:
    return map([=](float v) PARALLAX_INLINE_LAMBDA { return a * v + b; });
  case Activation::ScaledTanh:
    return map([=](float v)
                   PARALLAX_INLINE_LAMBDA { return a * vm::tanh(b * v); });
  }
#undef PARALLAX_UNARY_CASE
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
