//===- TargetFields.cpp - The fields of a target file ---------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// The limits are those within which the kernels are exact: sums of 32 or 48
// bits, multipliers of 31.
//===----------------------------------------------------------------------===//
#include "TargetFields.h"

#include <algorithm>
#include <bit>
#include <fmt/format.h>
#include <set>

namespace parallax::config {
namespace {

const std::vector<std::string> activationNames = {"U8", "S8", "U16", "S16",
                                                  "FP32"};
const std::vector<std::string> weightNames = {"S8", "S16"};

void checkArithmetic(const TargetArithmetic &arithmetic,
                     const ObjectScope &scope) {
  if (scope.hasErrors())
    return;
  if (!std::has_single_bit(uint64_t(arithmetic.tableKnots - 1)))
    scope.error("table_knots",
                fmt::format("must be a power of two and one, such as 257 or "
                            "513, not {}",
                            arithmetic.tableKnots));
  if (arithmetic.accumulatorBits16 < arithmetic.accumulatorBits8)
    scope.error("accumulator_bits_16",
                fmt::format("must not be below accumulator_bits_8, which is {}",
                            arithmetic.accumulatorBits8));
}

void checkMacs(const MacRate &rate, const ObjectScope &scope) {
  for (auto [name, bits] : {std::pair("activation_bits", rate.activationBits),
                            std::pair("weight_bits", rate.weightBits)})
    if (!scope.hasErrors() && bits != 8 && bits != 16)
      scope.error(name, fmt::format("must be 8 or 16, not {}", bits));
}

void checkTarget(const Target &target, const ObjectScope &scope) {
  if (scope.hasErrors())
    return;
  std::set<NpuMode> modes;
  for (const TargetMode &mode : target.modes)
    if (!modes.insert(mode.npuMode).second)
      scope.error("modes",
                  fmt::format("gives {} twice", configName(mode.npuMode)));
  if (modes.empty())
    scope.error("modes", "must have an element");
  std::set<std::pair<int64_t, int64_t>> widths;
  for (const MacRate &rate : target.macs)
    if (!widths.emplace(rate.activationBits, rate.weightBits).second)
      scope.error("macs", fmt::format("gives {} x {} bits twice",
                                      rate.activationBits, rate.weightBits));
  if (!widths.contains({8, 8}))
    scope.error("macs", "must have an element for 8 x 8 bits");
  if (isTargetFile(target.name))
    scope.error("name", "must not look like a file");
}

Field operatorTypes() {
  Field result = field("operators", &Target::operators,
                       "Operators whose types differ from activation_types and "
                       "weight_types above.");
  result.inherit = [](void *element, const void *owner) {
    auto &types = *static_cast<OperatorTypes *>(element);
    const auto &target = *static_cast<const Target *>(owner);
    types.activationTypes = target.activationTypes;
    types.weightTypes = target.weightTypes;
  };
  return result;
}

} // namespace

const Message &targetMessage() { return *typeOf<Target>().message(); }

template <> Message describe<Target>() {
  using C = Target;
  return message<C>(
      "Target", "The whole file: one chip.",
      {
          field("name", &C::name, "What target_hardware calls the chip.")
              .required(),
          field("description", &C::description, "One sentence for people."),
          field("sources", &C::sources,
                "Where the numbers come from, and which are assumptions."),
          field("arithmetic", &C::arithmetic, "What decides about bits."),
          field("activation_types", &C::activationTypes,
                "The types of activations that operators take and give. FP32 "
                "means that the vector unit computes float layers itself; "
                "else they are left to the CPU.")
              .oneOf(activationNames),
          field("weight_types", &C::weightTypes,
                "The types of constant weights of products.")
              .oneOf(weightNames),
          operatorTypes(),
          field("clock_mhz", &C::clockMhz, "Cycles per microsecond.")
              .between(0.001, 1e6),
          field("modes", &C::modes,
                "How many cores each npu_mode gives to a network."),
          field("macs", &C::macs,
                "Products per cycle by the bits of their operands. 8 x 8 is "
                "needed; a pair that is missing takes as many passes of it as "
                "the operands have pairs of bytes."),
          field("vector", &C::vector,
                "Elements per cycle of everything but products."),
          field("cpu", &C::cpu,
                "How fast the CPU is with the float layers that are left to "
                "it."),
          field("memory", &C::memory, "On the chip, and the way to it."),
          field("launch_cycles", &C::launchCycles,
                "What every layer takes before it begins.")
              .between(0, 1e9),
      },
      checkTarget);
}

template <> Message describe<TargetArithmetic>() {
  using C = TargetArithmetic;
  return message<C>(
      "Arithmetic", "The numbers that [numerics](../numerics.md) leaves open.",
      {
          field("accumulator_bits_8", &C::accumulatorBits8,
                "A₈: the accumulator of products and sums whose operands all "
                "have 8 bits (C20).")
              .between(12, 32),
          field("accumulator_bits_16", &C::accumulatorBits16,
                "A₁₆: the accumulator of all others (C20).")
              .between(12, 48),
          field("multiplier_bits", &C::multiplierBits,
                "B: the bits of requantization's multipliers (C11).")
              .between(minMultiplierBits, defaultMultiplierBits),
          field("rounding", &C::rounding, "Where an exact half goes (C10)."),
          field("table_knots", &C::tableKnots,
                "2^κ + 1: the knots of tables for 16-bit input (C52). Tables "
                "for 8-bit input always have 256 entries.")
              .between(5, 65537),
      },
      checkArithmetic);
}

template <> Message describe<OperatorTypes>() {
  using C = OperatorTypes;
  return message<C>(
      "OperatorTypes",
      "What is not given is as in the target. A layer of a type that its "
      "operator does not take is computed in float, and the build says so.",
      {
          field("op_types", &C::opTypes,
                "Operators, called as in ONNX; upper and lower case make no "
                "difference.")
              .required(),
          field("activation_types", &C::activationTypes,
                "The types of activations, those of the target if it is not "
                "given; an empty list means that the NPU does not have the "
                "operators at all.")
              .oneOf(activationNames),
          field("weight_types", &C::weightTypes,
                "The types of weights, those of the target if it is not "
                "given.")
              .oneOf(weightNames),
      });
}

template <> Message describe<TargetMode>() {
  using C = TargetMode;
  return message<C>(
      "Mode", "How much of the chip a network may use.",
      {
          field("npu_mode", &C::npuMode, "As in the build's configuration.")
              .required(),
          field("cores", &C::cores, "Cores that work on one network.")
              .between(1, 1024),
      });
}

template <> Message describe<MacRate>() {
  using C = MacRate;
  return message<C>(
      "MacRate", "Multiply-accumulates of one core.",
      {
          field("activation_bits", &C::activationBits,
                "The bits of the first operand, 8 or 16.")
              .required(),
          field("weight_bits", &C::weightBits,
                "The bits of the weights or the second operand, 8 or 16.")
              .required(),
          field("per_cycle", &C::perCycle, "Multiply-accumulates per cycle.")
              .between(0.001, 1e9)
              .required(),
          field("input_channels", &C::inputChannels,
                "Input channels are rounded up to a multiple of this.")
              .between(1, 65536),
          field("output_channels", &C::outputChannels,
                "Output channels are rounded up to a multiple of this.")
              .between(1, 65536),
      },
      checkMacs);
}

template <> Message describe<VectorRates>() {
  using C = VectorRates;
  return message<C>(
      "VectorRates", "Elements per cycle of one core.",
      {
          field("codes_8", &C::codes8, "8-bit codes.").between(0.001, 1e9),
          field("codes_16", &C::codes16, "16-bit codes.").between(0.001, 1e9),
          field("fp32", &C::fp32, "Floats.").between(0.001, 1e9),
      });
}

template <> Message describe<CpuRates>() {
  using C = CpuRates;
  return message<C>(
      "CpuRates", "Per cycle of the chip's clock, whatever that of the CPU is.",
      {
          field("products", &C::products,
                "Float multiply-accumulates of convolutions and products.")
              .between(0.001, 1e9),
          field("elements", &C::elements, "Floats of everything else.")
              .between(0.001, 1e9),
      });
}

template <> Message describe<TargetMemory>() {
  using C = TargetMemory;
  return message<C>(
      "Memory", "Shared by all cores.",
      {
          field("on_chip_bytes", &C::onChipBytes,
                "Results that fit here between two layers need not go to "
                "external memory.")
              .atLeast(0),
          field(
              "gigabytes_per_second", &C::gigabytesPerSecond,
              "The bandwidth of the external memory, in 10^9 bytes per second.")
              .between(1e-6, 1e6),
      });
}

} // namespace parallax::config

namespace parallax {

template <> std::span<const EnumName<Rounding>> enumNames() {
  static constexpr EnumName<Rounding> names[] = {
      {Rounding::HalfUp, "half_up"},
      {Rounding::HalfAway, "half_away"},
      {Rounding::HalfEven, "half_even"}};
  return names;
}

} // namespace parallax
