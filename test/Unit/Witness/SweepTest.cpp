//===- SweepTest.cpp - Shapes and zero points against the literal version -===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Single products of the NPU in many shapes, from one term to 5000, with
// zero points at the ends and operands that saturate: the places where tiles,
// tails and lanes of fast kernels end.
//===----------------------------------------------------------------------===//
#include "../NPU/NpuTestSupport.h"
#include "LiteralNetwork.h"
#include "parallax/Backend/NPU/NPU.h"
#include "parallax/Dialect/NN/NNOps.h"
#include "parallax/Dialect/NPU/NPUOps.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"

#include <fmt/format.h>

using namespace parallax;
using namespace parallax::npu::test;
using literal::Dims;

namespace {

std::string typeText(const Codes &codes) {
  std::string text = "tensor<";
  for (int64_t extent : codes.dims)
    text += fmt::format("{}x", extent);
  return fmt::format("{}{}i{}>", text, codes.isSigned ? "" : "u", codes.bits);
}

std::string constantText(const std::string &name, const Codes &codes) {
  std::string text = fmt::format("  %{} = nn.constant dense<\"0x", name);
  for (int64_t value : codes.values)
    for (int i = 0; i < codes.bits / 8; ++i)
      text += fmt::format("{:02X}", uint8_t(value >> (8 * i)));
  return text + "\"> : " + typeText(codes) + "\n";
}

class SweepTest : public testing::Test {
protected:
  SweepTest() {
    context
        .loadDialect<nn::NNDialect, npu::NPUDialect, mlir::func::FuncDialect>();
  }

  int64_t between(int64_t low, int64_t high) {
    return low + int64_t(random.next() % uint64_t(high - low + 1));
  }
  template <typename List> auto pick(const List &list) {
    return list[size_t(between(0, int64_t(std::size(list)) - 1))];
  }

  /// The zero point at an end every other time.
  Codes someCodes(const CodeType &type, const Dims &dims) {
    const double parts[] = {0, 1, 0.5, double(between(0, 1000)) / 1000};
    return codesOf(type, dims, 1, pick(parts), random.next(),
                   between(0, 1) ? Fill::Random : pick(fills));
  }
  Codes someWeights(const CodeType &type, const Dims &dims) {
    return weightsOf(type, dims, random.next(),
                     between(0, 3) ? Fill::Random : pick(fills));
  }

  /// Zero point, limits, rounding and factors for sums of `terms` products.
  std::string outputText(const Codes &y, int64_t channels, int64_t terms,
                         int productBits) {
    std::vector<int64_t> multipliers, shifts;
    auto digits = int64_t(std::log2(double(terms)) / 2) + productBits;
    for (int64_t i = 0; i < channels; ++i) {
      // Powers of two make exact halves.
      multipliers.push_back(between(0, 2) ? between(1 << 30, 0x7fffffff)
                                          : 1 << 30);
      shifts.push_back(
          std::clamp<int64_t>(digits + 30 - y.bits + between(-2, 2), 1, 78));
    }
    const char *roundings[] = {"half_up", "half_away", "half_even"};
    return fmt::format(
        "multipliers = array<i32: {}>, shifts = array<i32: {}>, zero_point = "
        "{} : i64, low = {} : i64, high = {} : i64, rounding = \"{}\"",
        fmt::join(multipliers, ", "), fmt::join(shifts, ", "), y.zero, y.low,
        y.high, pick(roundings));
  }

  /// Runs `body`, which makes %y of the operands %x0, %x1, ...
  void compare(const std::vector<Codes> &operands, const Codes &y,
               const std::string &body) {
    std::vector<std::string> arguments;
    std::vector<Tensor> inputs;
    for (const Codes &codes : operands) {
      arguments.push_back(
          fmt::format("%x{}: {}", inputs.size(), typeText(codes)));
      inputs.push_back(toTensor(codes));
    }
    std::string text =
        fmt::format("func.func @npu({}) -> {} {{\n{}  return %y : {}\n}}\n",
                    fmt::join(arguments, ", "), typeText(y), body, typeText(y));
    auto module = mlir::parseSourceString<ModuleOp>(text, &context);
    ASSERT_TRUE(module) << text;
    auto function = *module->getOps<mlir::func::FuncOp>().begin();
    auto expected = literal::runLiterally(function, inputs);
    Operation *terminator = function.front().getTerminator();
    const literal::Item &item = expected.at(terminator->getOperand(0));
    CoversCodes::add(item.codes);
    for (int threads : {1, 2}) {
      ThreadCountScope scope(threads);
      Executable executable = prepare(function, npuKernels());
      ExecutionState state(executable);
      EXPECT_EQ(literal::difference(item, state.run(inputs)[0]), "")
          << threads << " threads\n"
          << text.substr(text.find("%y"));
    }
  }

  void convolution(const CodeType &type, const CodeType &yType,
                   const CodeType &wType, bool isDepthwise) {
    auto rank = size_t(between(0, 3) ? 2 : between(1, 3));
    int64_t inputs = between(1, isDepthwise ? 40 : 70), group = 1;
    int64_t outputs = between(1, 35);
    if (isDepthwise) {
      group = inputs;
      outputs = inputs * (between(0, 4) ? 1 : 2);
    } else if (between(0, 3) == 0) {
      group = between(2, 3);
      inputs += (group - inputs % group) % group;
      outputs += (group - outputs % group) % group;
    }
    Dims x{between(1, 2), inputs}, w{outputs, inputs / group};
    Dims y{x[0], outputs}, strides, dilations, pads(2 * rank);
    for (size_t i = 0; i < rank; ++i) {
      int64_t kernel = between(1, 3), extent = between(3, rank == 2 ? 9 : 5);
      strides.push_back(between(1, 2));
      dilations.push_back(between(0, 3) ? 1 : 2);
      pads[i] = between(0, 2);
      pads[rank + i] = between(0, 2);
      int64_t room =
          extent + pads[i] + pads[rank + i] - (kernel - 1) * dilations[i] - 1;
      if (room < 0) {
        extent -= room;
        room = 0;
      }
      x.push_back(extent);
      w.push_back(kernel);
      y.push_back(room / strides[i] + 1);
    }
    Codes codes = someCodes(type, x), result = someCodes(yType, y);
    Codes weights = someWeights(wType, w);
    int64_t terms = elementCount(w) / outputs;
    compare({codes}, result,
            constantText("w", weights) +
                fmt::format(
                    "  %y = npu.conv %x0, %w {{x_zero_point = {} : i64, "
                    "strides = array<i64: {}>, pads = array<i64: {}>, "
                    "dilations = array<i64: {}>, group = {} : i64, {}}} : ({}, "
                    "{}) -> {}\n",
                    codes.zero, fmt::join(strides, ", "), fmt::join(pads, ", "),
                    fmt::join(dilations, ", "), group,
                    outputText(result, outputs, terms,
                               codes.bits + weights.bits - 2),
                    typeText(codes), typeText(weights), typeText(result)));
  }

  mlir::MLIRContext context{mlir::MLIRContext::Threading::DISABLED};
  Random random{17};
};

TEST_F(SweepTest, FullyConnectedFromOneTermTo5000) {
  CoversCodes covers;
  for (int64_t depth :
       {1,   2,   3,   4,   5,    7,    8,    9,    15,   16,  17,  24,
        31,  32,  33,  48,  63,   64,   65,   100,  127,  128, 129, 255,
        256, 257, 511, 513, 1000, 1025, 2048, 4096, 4999, 5000})
    for (const CodeType &type : codeTypes) {
      const CodeType &wType =
          type.bits == 8 ? weightTypes[0] : pick(weightTypes);
      int64_t rows = between(1, 9), outputs = between(1, 20);
      Codes x = someCodes(type, {rows, depth});
      Codes w = someWeights(wType, {outputs, depth});
      Codes y = someCodes(pick(codeTypes), {rows, outputs});
      compare(
          {x}, y,
          constantText("w", w) +
              fmt::format("  %y = npu.fully_connected %x0, %w "
                          "{{x_zero_point = {} : i64, {}}} : ({}, {}) -> "
                          "{}\n",
                          x.zero,
                          outputText(y, outputs, depth, x.bits + w.bits - 2),
                          typeText(x), typeText(w), typeText(y)));
    }
}

TEST_F(SweepTest, MatMulFromOneTermTo5000) {
  CoversCodes covers;
  for (int64_t depth : {1, 2, 7, 8, 9, 16, 31, 33, 64, 100, 257, 1000, 5000})
    for (const CodeType &left : codeTypes)
      for (const CodeType &right : codeTypes) {
        Codes a = someCodes(left, {between(1, 2), between(1, 9), depth});
        Codes b = someCodes(right, {depth, between(1, 9)});
        Codes y = someCodes(pick(codeTypes), {a.dims[0], a.dims[1], b.dims[1]});
        compare({a, b}, y,
                fmt::format("  %y = npu.matmul %x0, %x1 {{a_zero_point = {} : "
                            "i64, b_zero_point = {} : i64, {}}} : ({}, {}) -> "
                            "{}\n",
                            a.zero, b.zero,
                            outputText(y, 1, depth, a.bits + b.bits - 2),
                            typeText(a), typeText(b), typeText(y)));
      }
}

TEST_F(SweepTest, Convolutions) {
  CoversCodes covers;
  for (int i = 0; i < 15; ++i)
    for (const CodeType &type : codeTypes)
      convolution(type, pick(codeTypes),
                  type.bits == 8 ? weightTypes[0] : pick(weightTypes), false);
}

TEST_F(SweepTest, DepthwiseConvolutions) {
  CoversCodes covers;
  for (int i = 0; i < 15; ++i)
    for (const CodeType &type : codeTypes)
      convolution(type, pick(codeTypes),
                  type.bits == 8 ? weightTypes[0] : pick(weightTypes), true);
}

} // namespace
