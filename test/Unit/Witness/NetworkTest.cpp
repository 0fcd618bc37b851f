//===- NetworkTest.cpp - Whole networks against the literal version -------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Small networks are quantized, lowered and executed by the simulator; the
// codes of every layer must be those of a literal run of the same function.
//===----------------------------------------------------------------------===//
#include "../Passes/QuantizeTestSupport.h"
#include "LiteralNetwork.h"
#include "Networks.h"
#include "parallax/Backend/NPU/NPU.h"
#include "parallax/Config/Target.h"
#include "parallax/Dialect/NPU/NPUOps.h"
#include "parallax/Passes/Lower/Lower.h"
#include "parallax/Support/Parallel.h"

#include <limits>
#include <set>

using namespace parallax;

namespace {

using enum DataType;
using namespace networks;

class NetworkTest : public QuantizeTest {
protected:
  void prepareNetwork(const char *text) {
    parse(withRandomWeights(text));
    std::vector<std::vector<Tensor>> samples;
    for (int i = 0; i < 4; ++i)
      samples.push_back({random(inputType(), -1, 1)});
    calibration = calibrate(function(), samples);
    quantize();
  }

  Type inputType() { return function().getArgumentTypes()[0]; }

  /// Within the calibrated range, at zero, and far beyond both ends.
  std::vector<Tensor> inputs() {
    std::vector<Tensor> all;
    for (float reach : {1.0f, 0.01f, 30.0f})
      all.push_back(random(inputType(), -reach, reach));
    for (float value : {0.0f, 1e30f, -1e30f}) {
      all.push_back(random(inputType(), -1, 1));
      std::fill_n(all.back().data<float>(), all.back().size(), value);
    }
    all.push_back(random(inputType(), -1, 1));
    for (int64_t i = 0; i < all.back().size(); ++i)
      all.back().data<float>()[i] *= std::numeric_limits<float>::max();
    return all;
  }

  /// Every layer of the NPU's view, for all inputs and for each rounding.
  void compareAll(size_t minLayers) {
    for (Rounding rounding :
         {Rounding::HalfUp, Rounding::HalfAway, Rounding::HalfEven}) {
      target.arithmetic.rounding = rounding;
      LowerReport lowering;
      FuncOp machine = lowerView(view, target, &lowering);
      for (const auto &island : lowering.islands)
        ADD_FAILURE() << island.layer << ": " << island.why;
      std::set<std::string> layers;
      for (const Tensor &input : inputs())
        compareLayers(machine, literal::Tie(rounding), input, layers);
      EXPECT_GE(layers.size(), minLayers);
      machine.erase();
    }
    // Three roundings, and each layer read twice.
    EXPECT_GE(compared, 3 * inputs().size() * minLayers * 2);
    // All ends of the codes were reached, and other codes too.
    for (int64_t count : {atLow, atHigh, between})
      EXPECT_GT(count, 100);
  }

  void compareLayers(FuncOp machine, literal::Tie tie, const Tensor &input,
                     std::set<std::string> &layers) {
    // By name: the integers of the NPU, and those derived from scales.
    std::map<std::string, std::vector<literal::Item>> readings;
    for (auto &[value, item] :
         literal::runQuantizedLiterally(view, {input}, tie))
      readings[getTensorName(value)].push_back(item);
    for (auto &[value, item] : literal::runLiterally(machine, {input}))
      readings[getTensorName(value)].push_back(item);
    PrepareOptions options;
    options.observe = true;
    Executable executable = prepare(machine, npuKernels(), options);
    ExecutionState state(executable);
    Recorder recorder;
    state.run(std::span(&input, 1), &recorder);
    for (auto &[name, found] : recorder.results) {
      for (const literal::Item &item : readings[name]) {
        EXPECT_EQ(literal::difference(item, found), "") << name;
        countCodes(item.codes);
        ++compared;
      }
      layers.insert(name);
    }
    // Without an observer layers may be computed together.
    Executable fused = prepare(machine, npuKernels());
    for (int threads : {1, 2}) {
      ThreadCountScope scope(threads);
      ExecutionState fusedState(fused);
      std::span<const Tensor> outputs = fusedState.run(std::span(&input, 1));
      Operation *terminator = machine.front().getTerminator();
      for (auto [value, found] :
           llvm::zip_equal(terminator->getOperands(), outputs))
        for (const literal::Item &item : readings.at(getTensorName(value)))
          EXPECT_EQ(literal::difference(item, found), "")
              << "output with " << threads << " threads";
    }
  }

  /// The layers of the NPU's view that multiply floats.
  int64_t lowerFloats() {
    FuncOp machine = lowerView(view);
    int64_t count = 0;
    for (Operation &op : machine.front().without_terminator())
      count += nn::ruleOf(&op) == nn::QuantRule::Mac;
    machine.erase();
    return count;
  }

  void countCodes(const literal::Codes &codes) {
    for (int64_t value : codes.values)
      ++(value == codes.low ? atLow : value == codes.high ? atHigh : between);
  }

  Target target;
  int64_t atLow = 0, atHigh = 0, between = 0;
  size_t compared = 0;
};

struct Types {
  const char *name;
  DataType data, weight;
};

class NetworksOfTypes : public NetworkTest,
                        public testing::WithParamInterface<Types> {
protected:
  void check(const char *text, size_t minLayers) {
    setAll(GetParam().data, GetParam().weight);
    prepareNetwork(text);
    compareAll(minLayers);
  }
};

TEST_P(NetworksOfTypes, Convolutional) { check(convolutional, 9); }
TEST_P(NetworksOfTypes, Residual) { check(residual, 11); }
TEST_P(NetworksOfTypes, Attention) { check(attention, 12); }
TEST_P(NetworksOfTypes, Mobile) { check(mobile, 9); }
TEST_P(NetworksOfTypes, Movement) { check(movement, 14); }
TEST_P(NetworksOfTypes, Statistics) { check(statistics, 8); }
TEST_P(NetworksOfTypes, Roots) { check(roots, 5); }

INSTANTIATE_TEST_SUITE_P(Codes, NetworksOfTypes,
                         testing::Values(Types{"U8", U8, S8},
                                         Types{"S8", S8, S8},
                                         Types{"U16", U16, S8},
                                         Types{"U16S16", U16, S16},
                                         Types{"S16", S16, S16}),
                         [](const auto &info) { return info.param.name; });

/// Layers of different types side by side.
TEST_F(NetworkTest, Mixed) {
  setType("conv1", U16, S16);
  setType("add", U16);
  setType("gate", U8, Default, U16);
  prepareNetwork(residual);
  compareAll(11);
}

/// Convolutions and products in float between layers of codes.
TEST_F(NetworkTest, FloatConvolutions) {
  for (const char *layer : {"conv", "transposed"})
    setType(layer, FP32);
  prepareNetwork(convolutional);
  EXPECT_EQ(lowerFloats(), 2);
  compareAll(9);
}

TEST_F(NetworkTest, FloatProducts) {
  for (const char *layer : {"q", "v", "context"})
    setType(layer, FP32);
  prepareNetwork(attention);
  EXPECT_EQ(lowerFloats(), 3);
  compareAll(12);
}

/// A target with other numbers in all places that the page leaves to it.
class OtherTarget : public NetworkTest {
protected:
  OtherTarget() {
    TargetArithmetic &numbers = target.arithmetic;
    numbers.multiplierBits = literal::machine.multiplierBits = 19;
    numbers.accumulatorBits8 = literal::machine.accumulator8 = 26;
    numbers.accumulatorBits16 = literal::machine.accumulator16 = 42;
    numbers.tableKnots = literal::machine.knots = 129;
  }
  ~OtherTarget() override { literal::machine = literal::Machine(); }
};

TEST_F(OtherTarget, Residual) {
  setType("leaky", U16);
  setType("gate", U16);
  prepareNetwork(residual);
  compareAll(11);
}

TEST_F(OtherTarget, Attention) {
  setAll(U16, S8);
  prepareNetwork(attention);
  compareAll(12);
}

/// What Trilu leaves out has the value 0, whatever its code (C47).
TEST_F(NetworkTest, Triangle) {
  prepareNetwork(R"(
func.func @main(%x: tensor<2x7x6xf32> {nn.name = "x"}) -> (tensor<2x7x6xf32> {nn.name = "out"}) {
  %0 = nn.tanh %x : (tensor<2x7x6xf32>) -> tensor<2x7x6xf32> loc("tanh"("t"))
  %1 = nn.trilu %0 {k = 1 : i64, upper = false} : (tensor<2x7x6xf32>) -> tensor<2x7x6xf32> loc("lower"("l"))
  %2 = nn.add %1, %0 : (tensor<2x7x6xf32>, tensor<2x7x6xf32>) -> tensor<2x7x6xf32> loc("add"("a"))
  %3 = nn.tanh %2 : (tensor<2x7x6xf32>) -> tensor<2x7x6xf32> loc("last"("b"))
  return %3 : tensor<2x7x6xf32>
}
)");
  compareAll(3);
}

/// A code that is wrong by one is found, wherever it is.
TEST_F(NetworkTest, FindsOneWrongCode) {
  prepareNetwork(residual);
  FuncOp machine = lowerView(view);
  Tensor input = random(inputType(), -1, 1);
  auto expected = literal::runLiterally(machine, {input});
  int64_t disturbed = 0;
  for (auto &[value, item] : expected) {
    if (item.isFloat || item.codes.bits > 16)
      continue;
    Tensor same(item.codes.isSigned ? DType::I8 : DType::U8, item.codes.dims);
    for (int64_t i = 0; i < same.size(); ++i)
      static_cast<uint8_t *>(same.rawData())[i] = uint8_t(item.codes.values[i]);
    ASSERT_EQ(literal::difference(item, same), "");
    item.codes.values.back() ^= 1;
    EXPECT_NE(literal::difference(item, same), "");
    ++disturbed;
  }
  EXPECT_GE(disturbed, 12);
}

} // namespace
