//===- Target.h - The chip that a network is compiled for -------*- C++ -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// A chip is data: a file in configs/targets says how wide its accumulators are,
// how it rounds, which types its operators take and how fast they are. Another
// chip is another file. docs/targets.md describes the effect of each number.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_CONFIG_TARGET_H
#define PARALLAX_CONFIG_TARGET_H

#include "parallax/Config/Enums.h"
#include "parallax/Support/FixedPoint.h"

#include <filesystem>
#include <string>
#include <vector>

namespace parallax {

template <> std::span<const EnumName<Rounding>> enumNames();

/// What decides about bits: the free numbers of docs/numerics.md.
struct TargetArithmetic {
  /// Of layers whose operands all have 8 bits, and of all others (C20).
  int64_t accumulatorBits8 = 32, accumulatorBits16 = 48;
  /// C11.
  int64_t multiplierBits = defaultMultiplierBits;
  /// C10.
  Rounding rounding = Rounding::HalfUp;
  /// Of tables for 16-bit input: a power of two and one (C52).
  int64_t tableKnots = 513;

  int accumulatorBits(bool areBytes) const {
    return int(areBytes ? accumulatorBits8 : accumulatorBits16);
  }
};

/// The types of some operators where they are not those of all others.
struct OperatorTypes {
  std::vector<std::string> opTypes;
  std::vector<DataType> activationTypes, weightTypes;
};

/// How fast products of two widths are, on one core.
struct MacRate {
  int64_t activationBits = 8, weightBits = 8;
  double perCycle = 1024;
  /// Channels that the array takes at once: others are computed in vain.
  int64_t inputChannels = 1, outputChannels = 1;
};

/// Elements per cycle of everything but products, on one core.
struct VectorRates {
  double codes8 = 64, codes16 = 32, fp32 = 16;
};

/// What the CPU computes per cycle of the chip, for layers that are left to it.
struct CpuRates {
  double products = 8, elements = 4;
};

struct TargetMemory {
  int64_t onChipBytes = 1 << 20;
  /// Between the chip and its memory, for all cores together.
  double gigabytesPerSecond = 8;
};

struct TargetMode {
  NpuMode npuMode = NpuMode::NPU1;
  int64_t cores = 1;
};

struct Target {
  std::string name = "generic", description;
  /// Where the numbers come from, and which of them are assumptions.
  std::vector<std::string> sources;
  TargetArithmetic arithmetic;
  std::vector<DataType> activationTypes = {
      DataType::U8, DataType::S8, DataType::U16, DataType::S16, DataType::FP32};
  std::vector<DataType> weightTypes = {DataType::S8, DataType::S16};
  std::vector<OperatorTypes> operators;
  double clockMhz = 1000;
  std::vector<TargetMode> modes = {TargetMode()};
  std::vector<MacRate> macs = {MacRate()};
  VectorRates vector;
  CpuRates cpu;
  TargetMemory memory;
  int64_t launchCycles = 0;

  /// Operators are called as in ONNX; capital letters and underscores make no
  /// difference, so that MatMul is matmul and GlobalAveragePool is
  /// global_average_pool.
  const std::vector<DataType> &activationTypesOf(std::string_view opType) const;
  const std::vector<DataType> &weightTypesOf(std::string_view opType) const;

  /// Throws Error for a mode that the chip does not have.
  int64_t coresIn(NpuMode mode) const;

private:
  const OperatorTypes *find(std::string_view opType) const;
};

/// Throws Error with all mistakes, each with line and column.
Target parseTarget(std::string_view text, const std::string &fileName);
Target readTarget(const std::filesystem::path &file);

/// All fields, those with default values too.
std::string toJson(const Target &target);

/// The target of that name among those that Parallax comes with, upper and
/// lower case being the same, or the one that a .json file describes.
Target findTarget(const std::string &hardwareOrPath);

/// Of the targets that Parallax comes with.
std::vector<std::string> targetNames();

/// Upper and lower case are the same.
bool isSameChip(std::string_view name, std::string_view other);

/// Whether `hardwareOrPath` means a file.
bool isTargetFile(std::string_view hardwareOrPath);

} // namespace parallax

#endif // PARALLAX_CONFIG_TARGET_H
