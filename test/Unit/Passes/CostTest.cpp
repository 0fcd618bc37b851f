//===- CostTest.cpp - The estimate of a network's time --------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Small networks whose cycles are worked out by hand from the formulas of
// docs/targets.md.
//===----------------------------------------------------------------------===//
#include "parallax/Backend/NPU/Cost.h"
#include "parallax/Dialect/NN/Cost.h"
#include "parallax/Dialect/NN/NNOps.h"
#include "parallax/Dialect/NPU/NPUOps.h"
#include "parallax/Report/Cost.h"
#include "parallax/Support/Error.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Parser/Parser.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

using namespace parallax;
using mlir::ModuleOp;
using mlir::func::FuncOp;

namespace {

class CostTest : public testing::Test {
protected:
  CostTest() {
    context
        .loadDialect<mlir::func::FuncDialect, nn::NNDialect, npu::NPUDialect>();
    target.name = "test";
    target.activationTypes = {DataType::U8, DataType::U16};
    target.macs = {{8, 8, 100, 4, 8}};
    target.vector = {10, 5, 2};
    target.cpu = {3, 0.5};
    // 8 bytes per cycle.
    target.clockMhz = 500;
    target.memory = {1000, 4};
    target.modes = {{NpuMode::NPU1, 1}, {NpuMode::NPU2, 2}};
    target.launchCycles = 7;
  }

  std::vector<LayerCost> costOf(const std::string &text,
                                const CostOptions &options = {}) {
    module = mlir::parseSourceString<ModuleOp>(text, &context);
    return estimateCost(*module->getOps<FuncOp>().begin(), target, options);
  }

  mlir::MLIRContext context;
  mlir::OwningOpRef<ModuleOp> module;
  Target target;
};

/// The attributes of a result.
constexpr const char *codes =
    R"(zero_point = 0 : i64, low = 0 : i64, high = 255 : i64, rounding = "half_up")";

std::string convolutions() {
  return fmt::format(R"(
func.func @npu(%x: tensor<1x3x8x8xf32>) -> tensor<1x10xf32> {{
  %w = nn.constant dense<1> : tensor<5x3x3x3xi8>
  %b = nn.constant dense<1> : tensor<5xi32>
  %v = nn.constant dense<1> : tensor<10x320xi8>
  %0 = npu.quantize %x {{scale = 1.0 : f32, zero_point = 0 : i64, low = 0 : i64, high = 255 : i64}} : (tensor<1x3x8x8xf32>) -> tensor<1x3x8x8xui8> loc("q"("q"))
  %1 = npu.conv %0, %w, %b {{x_zero_point = 0 : i64, strides = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>, dilations = array<i64: 1, 1>, group = 1 : i64, multipliers = array<i32: 1073741824>, shifts = array<i32: 31>, {0}}} : (tensor<1x3x8x8xui8>, tensor<5x3x3x3xi8>, tensor<5xi32>) -> tensor<1x5x8x8xui8> loc("conv"("c"))
  %2 = npu.linear %1, %1 {{input_zero_points = array<i64: 0, 0>, coefficients = array<i64: 1, 1>, shift = 31 : i32, {0}}} : (tensor<1x5x8x8xui8>, tensor<1x5x8x8xui8>) -> tensor<1x5x8x8xui8> loc("add"("a"))
  %3 = nn.reshape %2 {{shape = array<i64: 1, 320>}} : (tensor<1x5x8x8xui8>) -> tensor<1x320xui8> loc("reshape"("r"))
  %4 = npu.fully_connected %3, %v {{x_zero_point = 0 : i64, multipliers = array<i32: 1073741824>, shifts = array<i32: 31>, {0}}} : (tensor<1x320xui8>, tensor<10x320xi8>) -> tensor<1x10xui8> loc("fc"("f"))
  %5 = npu.dequantize %4 {{scale = 1.0 : f32, x_zero_point = 0 : i64}} : (tensor<1x10xui8>) -> tensor<1x10xf32> loc("y"("y"))
  return %5 : tensor<1x10xf32>
}})",
                     codes);
}

struct Expected {
  const char *layer;
  CostUnit unit;
  int64_t macs, memoryBytes, computeCycles, memoryCycles, cycles;
};

void expectCosts(const std::vector<LayerCost> &costs,
                 const std::vector<Expected> &expected) {
  ASSERT_EQ(costs.size(), expected.size());
  int64_t start = 0;
  for (size_t i = 0; i < costs.size(); ++i) {
    const LayerCost &got = costs[i];
    const Expected &wanted = expected[i];
    EXPECT_EQ(got.layer, wanted.layer);
    EXPECT_EQ(got.unit, wanted.unit) << got.layer;
    EXPECT_EQ(got.macs, wanted.macs) << got.layer;
    EXPECT_EQ(got.memoryBytes, wanted.memoryBytes) << got.layer;
    EXPECT_EQ(got.computeCycles, wanted.computeCycles) << got.layer;
    EXPECT_EQ(got.memoryCycles, wanted.memoryCycles) << got.layer;
    EXPECT_EQ(got.cycles, wanted.cycles) << got.layer;
    EXPECT_EQ(got.startCycle, start) << got.layer;
    start += got.cycles;
  }
}

TEST_F(CostTest, AConversionReadsTwoBytesAndGivesOne) {
  // 5 lanes; what fits on the chip is there.
  LayerCost small = estimateConversion(100, target);
  EXPECT_EQ(small.memoryBytes, 0);
  EXPECT_EQ(small.cycles, 20 + 7);
  LayerCost large = estimateConversion(1000, target, {NpuMode::NPU2});
  EXPECT_EQ(large.memoryBytes, 3000);
  EXPECT_EQ(large.computeCycles, 100);
  EXPECT_EQ(large.cycles, 375 + 7);
}

TEST_F(CostTest, ConvolutionSumReshapeAndProduct) {
  using enum CostUnit;
  std::vector<LayerCost> costs = costOf(convolutions());
  // 192 floats in 2 lanes; the codes stay on the chip.
  // 64 positions, 9 taps, 3 of 4 input and 5 of 8 output channels.
  // 320 elements of two operands, which are one tensor, in 10 lanes.
  // 320 x 10 products, of which the array computes 320 x 16.
  expectCosts(costs, {{"q", Vector, 0, 768, 96, 96, 103},
                      {"conv", Mac, 8640, 155, 185, 20, 192},
                      {"add", Vector, 0, 0, 64, 0, 71},
                      {"reshape", Vector, 0, 0, 0, 0, 0},
                      {"fc", Mac, 3200, 3200, 52, 400, 407},
                      {"y", Vector, 0, 40, 5, 5, 12}});
  const LayerCost &conv = costs[1];
  EXPECT_EQ(conv.inputBytes, 192);
  EXPECT_EQ(conv.weightBytes, 155);
  EXPECT_EQ(conv.outputBytes, 320);
  EXPECT_EQ(conv.op, "npu.conv");
  EXPECT_EQ(conv.types, "ui8 x i8 -> ui8");
  EXPECT_EQ(conv.shape, (std::vector<int64_t>{1, 5, 8, 8}));
  EXPECT_DOUBLE_EQ(conv.utilization, 8640.0 / (192 * 100));
  TotalCost total = totalOf(costs, target);
  EXPECT_EQ(total.cycles, 785);
  EXPECT_EQ(total.macs, 11840);
  EXPECT_DOUBLE_EQ(total.milliseconds, 785 / 500e3);
  EXPECT_EQ(maxCycleLine(costs), "max_cycle = 785");
}

TEST_F(CostTest, WeightsOfNoElementsHaveNoProducts) {
  module = mlir::parseSourceString<ModuleOp>(R"(
func.func @main(%x: tensor<1x3x8x8xf32>, %v: tensor<1x4xf32>) {
  %w = nn.constant dense<> : tensor<0x3x3x3xf32>
  %m = nn.constant dense<> : tensor<0x4xf32>
  %0 = nn.conv %x, %w {dilations = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>, strides = array<i64: 1, 1>}
    : (tensor<1x3x8x8xf32>, tensor<0x3x3x3xf32>) -> tensor<1x0x8x8xf32>
  %1 = nn.fully_connected %v, %m : (tensor<1x4xf32>, tensor<0x4xf32>) -> tensor<1x0xf32>
  return
})",
                                             &context);
  ASSERT_TRUE(module);
  int64_t layers = 0;
  module->walk([&](mlir::Operation *op) {
    EXPECT_EQ(nn::countMacs(op), 0);
    layers += mlir::isa<nn::ConvOp, nn::FullyConnectedOp>(op);
  });
  EXPECT_EQ(layers, 2);
}

TEST_F(CostTest, ConversionsCountForTheirLayers) {
  std::vector<LayerCost> costs = costOf(convolutions());
  FuncOp npu = *module->getOps<FuncOp>().begin();
  std::map<std::string, int64_t> cycles =
      cyclesByRow(npu, costs, {"conv", "add", "fc"});
  EXPECT_EQ(cycles["conv"], 103 + 192);
  EXPECT_EQ(cycles["add"], 71);
  EXPECT_EQ(cycles["fc"], 407 + 12);
  int64_t sum = 0;
  for (const auto &[layer, own] : cycles)
    sum += own;
  EXPECT_EQ(sum, totalOf(costs, target).cycles);
}

TEST_F(CostTest, AGatherReadsTheRowsThatItGives) {
  // 2 indices of 8 bytes, and 2 of 1000 rows of 8 codes, read and written.
  for (const char *table : {"%x", "%w"})
    expectCosts(costOf(fmt::format(R"(
func.func @npu(%x: tensor<1000x8xui8>, %i: tensor<2xi64>) -> tensor<2x8xui8> {{
  %w = nn.constant dense<1> : tensor<1000x8xui8>
  %0 = nn.gather {}, %i {{axis = 0 : i64}} : (tensor<1000x8xui8>, tensor<2xi64>) -> tensor<2x8xui8> loc("g"("g"))
  return %0 : tensor<2x8xui8>
}})",
                                   table)),
                {{"g", CostUnit::Vector, 0, 48, 4, 6, 13}});
}

TEST_F(CostTest, PartsOfAnOutputAreWrittenToTheirPlaces) {
  target.activationTypes.push_back(DataType::FP32);
  auto costs = [&](int axis, const char *result) {
    return costOf(fmt::format(R"(
func.func @npu(%x: tensor<1x2x8xui8>, %y: tensor<1x2x8xui8>) -> {1} {{
  %0 = npu.dequantize %x {{scale = 1.0 : f32, x_zero_point = 0 : i64}} : (tensor<1x2x8xui8>) -> tensor<1x2x8xf32> loc("a"("a"))
  %1 = npu.dequantize %y {{scale = 1.0 : f32, x_zero_point = 0 : i64}} : (tensor<1x2x8xui8>) -> tensor<1x2x8xf32> loc("b"("b"))
  %2 = nn.concat %0, %1 {{axis = {0} : i64}} : (tensor<1x2x8xf32>, tensor<1x2x8xf32>) -> {1} loc("c"("c"))
  return %2 : {1}
}})",
                              axis, result));
  };
  using enum CostUnit;
  // 16 codes are read and 16 floats written, without a way over the chip.
  expectCosts(costs(1, "tensor<1x4x8xf32>"), {{"a", Vector, 0, 80, 8, 10, 17},
                                              {"b", Vector, 0, 80, 8, 10, 17},
                                              {"c", Vector, 0, 0, 0, 0, 0}});
  // Along the last axis the parts do not lie one behind the other.
  expectCosts(costs(2, "tensor<1x2x16xf32>"),
              {{"a", Vector, 0, 16, 8, 2, 15},
               {"b", Vector, 0, 16, 8, 2, 15},
               {"c", Vector, 0, 128, 16, 16, 23}});
}

TEST_F(CostTest, WhatDoesNotFitGoesToMemory) {
  using enum CostUnit;
  // Room for the input of the convolution, not for its result beside it.
  target.memory.onChipBytes = 400;
  expectCosts(costOf(convolutions()), {{"q", Vector, 0, 768, 96, 96, 103},
                                       {"conv", Mac, 8640, 475, 185, 60, 192},
                                       {"add", Vector, 0, 320, 64, 40, 71},
                                       {"reshape", Vector, 0, 0, 0, 0, 0},
                                       {"fc", Mac, 3200, 3200, 52, 400, 407},
                                       {"y", Vector, 0, 40, 5, 5, 12}});
  // Nothing stays: the reshaped tensor is read from memory too.
  target.memory.onChipBytes = 0;
  std::vector<LayerCost> costs = costOf(convolutions());
  EXPECT_EQ(costs[1].memoryBytes, 192 + 155 + 320);
  EXPECT_EQ(costs[2].memoryBytes, 640);
  EXPECT_EQ(costs[4].memoryBytes, 320 + 3200 + 10);
  EXPECT_EQ(costs[5].memoryBytes, 50);
}

TEST_F(CostTest, CoresAndBandwidth) {
  std::vector<LayerCost> costs = costOf(convolutions(), {NpuMode::NPU2, 0});
  EXPECT_EQ(costs[1].computeCycles, 93);
  EXPECT_EQ(costs[2].computeCycles, 32);
  EXPECT_EQ(costs[1].memoryCycles, 20);
  costs = costOf(convolutions(), {NpuMode::NPU1, 1});
  EXPECT_EQ(costs[1].computeCycles, 185);
  EXPECT_EQ(costs[1].memoryCycles, 78);
  // More than there is changes nothing.
  costs = costOf(convolutions(), {NpuMode::NPU1, 100});
  EXPECT_EQ(costs[1].memoryCycles, 20);
  EXPECT_THROW(costOf(convolutions(), {NpuMode::NPU3, 0}), Error);
}

TEST_F(CostTest, ProductsOfWidthsThatAreNotListed) {
  std::string text = fmt::format(R"(
func.func @npu(%a: tensor<1x4x8xui16>, %b: tensor<1x8x12xi16>) -> tensor<1x4x12xui16> {{
  %0 = npu.matmul %a, %b {{a_zero_point = 0 : i64, b_zero_point = 0 : i64, multipliers = array<i32: 1073741824>, shifts = array<i32: 31>, {0}}} : (tensor<1x4x8xui16>, tensor<1x8x12xi16>) -> tensor<1x4x12xui16> loc("m"("m"))
  return %0 : tensor<1x4x12xui16>
}})",
                                 codes);
  // Four passes of bytes: 25 products per cycle, of 4 x 8 x 16.
  expectCosts(costOf(text), {{"m", CostUnit::Mac, 384, 352, 21, 44, 51}});
  target.macs.push_back({16, 16, 64, 8, 4});
  expectCosts(costOf(text), {{"m", CostUnit::Mac, 384, 352, 6, 44, 51}});
}

TEST_F(CostTest, GroupsAndTransposition) {
  auto conv = [&](const char *x, const char *w, const char *y,
                  const char *more) {
    std::vector<LayerCost> costs = costOf(fmt::format(
        R"(
func.func @npu(%x: tensor<{0}xui8>) -> tensor<{2}xui8> {{
  %w = nn.constant dense<1> : tensor<{1}xi8>
  %0 = npu.conv %x, %w {{x_zero_point = 0 : i64, pads = array<i64: 0, 0>, dilations = array<i64: 1>, multipliers = array<i32: 1073741824>, shifts = array<i32: 31>, {3}, {4}}} : (tensor<{0}xui8>, tensor<{1}xi8>) -> tensor<{2}xui8>
  return %0 : tensor<{2}xui8>
}})",
        x, w, y, more, codes));
    return std::pair(costs.at(0).macs, costs.at(0).computeCycles);
  };
  // Depthwise: 6 channels, each of which takes an array of 4 x 8.
  EXPECT_EQ(conv("1x6x9", "6x1x3", "1x6x7",
                 "strides = array<i64: 1>, group = 6 : i64"),
            std::pair(int64_t(126), int64_t(41)));
  // Every input meets each of 2 x 5 x 3 weights.
  EXPECT_EQ(conv("1x4x10", "4x5x3", "1x10x21",
                 "strides = array<i64: 2>, group = 2 : i64, transposed = true"),
            std::pair(int64_t(10 * 3 * 2 * 2 * 5), int64_t(20)));
}

TEST_F(CostTest, LayersOfTheCpu) {
  std::string text = R"(
func.func @npu(%x: tensor<16xui8>) -> tensor<16xui8> {
  %0 = npu.dequantize %x {scale = 1.0 : f32, x_zero_point = 0 : i64} : (tensor<16xui8>) -> tensor<16xf32> loc("d"("d"))
  %1 = nn.exp %0 : (tensor<16xf32>) -> tensor<16xf32> loc("exp"("e"))
  %2 = npu.quantize %1 {scale = 1.0 : f32, zero_point = 0 : i64, low = 0 : i64, high = 255 : i64} : (tensor<16xf32>) -> tensor<16xui8> loc("q"("q"))
  return %2 : tensor<16xui8>
})";
  using enum CostUnit;
  std::vector<LayerCost> costs = costOf(text);
  expectCosts(costs, {{"d", Vector, 0, 80, 8, 10, 17},
                      {"exp", Cpu, 0, 128, 32, 16, 39},
                      {"q", Vector, 0, 80, 8, 10, 17}});
  EXPECT_EQ(totalOf(costs, target).cpuLayers, 1);
  // A chip that computes it itself keeps it to itself.
  target.operators = {{{"Exp"}, {DataType::FP32}, {}}};
  expectCosts(costOf(text), {{"d", Vector, 0, 16, 8, 2, 15},
                             {"exp", Vector, 0, 0, 8, 0, 15},
                             {"q", Vector, 0, 16, 8, 2, 15}});
}

/// An FP32 convolution is not free because it leaves the chip.
TEST_F(CostTest, FloatProductsOfTheCpu) {
  // 36 positions, 9 taps, 2 x 5 channels; 4 bytes for each of 128 inputs, 90
  // weights and 180 results.
  std::vector<LayerCost> costs = costOf(R"(
func.func @npu(%x: tensor<1x2x8x8xf32>) -> tensor<1x5x6x6xf32> {
  %w = nn.constant dense<1.0> : tensor<5x2x3x3xf32>
  %0 = nn.conv %x, %w {dilations = array<i64: 1, 1>, group = 1 : i64, pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1>} : (tensor<1x2x8x8xf32>, tensor<5x2x3x3xf32>) -> tensor<1x5x6x6xf32> loc("conv"("c"))
  return %0 : tensor<1x5x6x6xf32>
})");
  expectCosts(costs, {{"conv", CostUnit::Cpu, 3240, 1592, 1080, 199, 1087}});
}

TEST_F(CostTest, WindowsAndRows) {
  std::vector<LayerCost> costs = costOf(fmt::format(
      R"(
func.func @npu(%x: tensor<1x2x6x6xui16>) -> tensor<1x2x5x5xui16> {{
  %0 = npu.average_pool %x {{x_zero_point = 0 : i64, kernel = array<i64: 2, 2>, strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, multipliers = array<i32: 0, 1073741824, 1073741824, 1073741824, 1073741824>, shifts = array<i32: 1, 31, 31, 31, 31>, {0}}} : (tensor<1x2x6x6xui16>) -> tensor<1x2x5x5xui16>
  %1 = npu.normalize %0 {{kind = "rms", x_zero_point = 0 : i64, count = 5 : i64, groups = 1 : i64, inner = 1 : i64, factors = array<i64: 1>, offsets = array<i64: 0>, shift = 31 : i32, fraction_bits = 22 : i32, epsilon = 1 : i128, {0}}} : (tensor<1x2x5x5xui16>) -> tensor<1x2x5x5xui16>
  return %1 : tensor<1x2x5x5xui16>
}})",
      codes));
  // 50 results of 4 taps, and 50 elements twice, in 5 lanes.
  EXPECT_EQ(costs.at(0).computeCycles, 40);
  EXPECT_EQ(costs.at(1).computeCycles, 20);
}

} // namespace
