//===- QuantizeOperatorsTest.cpp - Every operator can be quantized --------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Takes each operation of the dialect's own tests as a network of one layer,
// with operands that are inputs and with constants, and quantizes it.
//===----------------------------------------------------------------------===//
#include "QuantizeTestSupport.h"
#include "parallax/Backend/NPU/NPU.h"
#include "parallax/Passes/Lower/Lower.h"
#include "parallax/Passes/Quantize/Qdq.h"
#include "parallax/Support/Error.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/IRMapping.h"

#include <cmath>
#include <cstring>

using namespace parallax;

namespace {

class QuantizeOperatorsTest : public QuantizeTest,
                              public testing::WithParamInterface<const char *> {
protected:
  /// A network of `op` alone; operands behind the first are constants if asked.
  void makeNetwork(Operation *op, bool withConstants) {
    mlir::OpBuilder builder(&context);
    module = ModuleOp::create(builder.getUnknownLoc());
    builder.setInsertionPointToEnd(module->getBody());
    auto isConstant = [&](size_t i) { return withConstants && i > 0; };
    SmallVector<Type> inputs;
    for (auto [i, type] : llvm::enumerate(op->getOperandTypes()))
      if (!isConstant(i))
        inputs.push_back(type);
    auto network =
        FuncOp::create(builder, builder.getUnknownLoc(), "main",
                       builder.getFunctionType(inputs, op->getResultTypes()));
    mlir::Block *body = network.addEntryBlock();
    builder.setInsertionPointToEnd(body);
    for (unsigned i = 0; i < network.getNumArguments(); ++i)
      network.setArgAttr(i, "nn.name",
                         builder.getStringAttr("x" + std::to_string(i)));
    mlir::IRMapping mapping;
    unsigned next = 0;
    for (auto [i, operand] : llvm::enumerate(op->getOperands())) {
      std::string name = "c" + std::to_string(i);
      if (!isConstant(i))
        mapping.map(operand, body->getArgument(next++));
      else
        mapping.map(
            operand,
            nn::ConstantOp::create(
                builder, makeLayerLocation(&context, name, {name}),
                toAttribute(&context, random(operand.getType(), low(), high()),
                            name)));
    }
    Operation *layer = builder.clone(*op, mapping);
    std::vector<std::string> results;
    for (unsigned i = 0; i < op->getNumResults(); ++i)
      results.push_back("y" + std::to_string(i));
    layer->setLoc(makeLayerLocation(&context, "layer", results));
    mlir::func::ReturnOp::create(builder, builder.getUnknownLoc(),
                                 layer->getResults());
  }

  float low() const { return 0.1f; }
  float high() const { return 0.9f; }

  std::vector<Tensor> sample() {
    std::vector<Tensor> inputs;
    for (Type type : function().getArgumentTypes())
      inputs.push_back(random(type, low(), high()));
    return inputs;
  }

  static bool sameBits(const Tensor &a, const Tensor &b) {
    return a.shape() == b.shape() && a.dtype() == b.dtype() &&
           std::memcmp(a.rawData(), b.rawData(), a.byteSize()) == 0;
  }

  /// The greatest difference as a part of the greatest value.
  static double distance(const Tensor &a, const Tensor &b) {
    double difference = 0, magnitude = 1e-6;
    for (int64_t i = 0; i < a.size(); ++i) {
      double x = double(a.data<float>()[i]), y = double(b.data<float>()[i]);
      if (!std::isfinite(x))
        continue;
      difference = std::max(difference, std::abs(x - y));
      magnitude = std::max(magnitude, std::abs(x));
    }
    return difference / magnitude;
  }

  static double difference(const Tensor &a, const Tensor &b) {
    double difference = 0;
    for (int64_t i = 0; i < a.size(); ++i)
      if (std::isfinite(a.data<float>()[i]))
        difference = std::max(difference, std::abs(double(a.data<float>()[i]) -
                                                   double(b.data<float>()[i])));
    return difference;
  }

  /// Products are summed in another order where weights are not constant, which
  /// may tip a value over to the next code; all others have the same bits.
  void expectSame(const Tensor &a, const Tensor &b, bool isProduct, int bits) {
    if (!isProduct || a.dtype() != DType::F32)
      EXPECT_TRUE(sameBits(a, b)) << print();
    else
      EXPECT_LE(distance(a, b), 1.01 / (std::ldexp(1.0, bits) - 1)) << print();
  }

  /// Both engines on the same network. Codes may differ by one where a value
  /// lies close to the middle of two, in 16 bits by two for statistics of rows;
  /// interpolated tables are allowed a few.
  /// States of recurrent layers are within what C108 says of a step.
  void checkMachine(const std::vector<Tensor> &inputs,
                    const std::vector<Tensor> &expected, bool wide,
                    bool isTable, int multiplierBits) {
    LowerReport lowering;
    Target target;
    target.arithmetic.rounding = Rounding::HalfEven;
    target.arithmetic.multiplierBits = multiplierBits;
    FuncOp machine = lowerView(view, target, &lowering);
    for (const LowerReport::Island &island : lowering.islands)
      EXPECT_EQ(island.why.find("no integer operation"), std::string::npos)
          << island.op << " computes in float for no reason of its own";
    Executable executable = prepare(machine, npuKernels());
    ExecutionState state(executable);
    std::span<const Tensor> results = state.run(inputs);
    double codes = !wide ? 1 : isTable ? 16 : 2;
    bool isRecurrent = StringRef(GetParam()) == "recurrent.mlir";
    double unit = wide && isRecurrent ? 0x1p-13 : 0;
    for (auto [i, value] : llvm::enumerate(expected)) {
      Value output = view.front().getTerminator()->getOperand(unsigned(i));
      auto source = output.getDefiningOp<nn::RequantizeOp>();
      if (value.dtype() != DType::F32)
        EXPECT_TRUE(sameBits(value, results[i])) << print();
      else if (source && isQuantized(source.getX().getType()))
        EXPECT_LE(
            difference(value, results[i]),
            1.001 * codes *
                    double(affineParamsOf(source.getX().getType()).scale) +
                unit)
            << print();
      else
        EXPECT_LE(distance(value, results[i]), 1e-5) << print();
    }
    integerLayers += multiplierBits == 31 && lowering.islands.empty();
    machine.erase();
  }

  void check(const std::string &title, nn::QuantRule rule) {
    bool isProduct = rule == nn::QuantRule::Mac;
    bool isTable = rule == nn::QuantRule::Table;
    SCOPED_TRACE(title + "\n" + print());
    std::vector<std::vector<Tensor>> samples;
    for (int i = 0; i < 4; ++i)
      samples.push_back(sample());
    std::vector<Tensor> expected;
    try {
      expected = run(function(), samples[0]);
    } catch (const Error &) {
      return; // Numbers that the operator does not take.
    }
    calibration = calibrate(function(), samples);
    for (bool wide : {false, true}) {
      config.highestMixPrecision = wide;
      quantize();
      std::vector<Tensor> results = run(view, samples[0]);
      std::vector<Tensor> observed = run(view, samples[0], true);
      for (int multiplierBits : {24, 31})
        checkMachine(samples[0], results, wide, isTable, multiplierBits);
      FuncOp qdq = orThrow(&context, [&] { return addQdqView(view); });
      std::vector<Tensor> written = run(qdq, samples[0]);
      FuncOp again =
          orThrow(&context, [&] { return addQuantizedViewOfQdq(qdq); });
      std::vector<Tensor> read = run(again, samples[0]);
      for (auto [i, value] : llvm::enumerate(results)) {
        EXPECT_TRUE(sameBits(value, observed[i])) << print();
        EXPECT_TRUE(sameBits(value, read[i])) << print();
        expectSame(value, written[i], isProduct, wide ? 16 : 8);
        if (wide && value.dtype() == DType::F32)
          EXPECT_LT(distance(expected[i], value), 0.01) << print();
      }
      again.erase();
      qdq.erase();
      view.erase();
    }
    ++checked;
  }

  int64_t checked = 0, integerLayers = 0;
};

TEST_P(QuantizeOperatorsTest, IsQuantizedAndExported) {
  auto source = mlir::parseSourceFile<ModuleOp>(
      std::string(PARALLAX_TEST_ROOT) + "/Dialect/NN/" + GetParam(), &context);
  ASSERT_TRUE(source);
  source->walk([&](Operation *op) {
    auto isStatic = [](Type type) {
      auto tensor = dyn_cast<RankedTensorType>(type);
      return tensor && tensor.hasStaticShape() && !isQuantized(tensor);
    };
    if (!isa<nn::QuantizableOpInterface>(op) || op->getNumOperands() == 0 ||
        !llvm::all_of(op->getOperandTypes(), isStatic) ||
        !llvm::all_of(op->getResultTypes(), isStatic))
      return;
    for (bool withConstants : {false, true}) {
      makeNetwork(op, withConstants);
      ASSERT_TRUE(mlir::succeeded(mlir::verify(*module)));
      try {
        check(op->getName().getStringRef().str(),
              cast<nn::QuantizableOpInterface>(op).getQuantRule());
      } catch (const std::exception &error) {
        ADD_FAILURE() << error.what() << "\n" << print();
      }
    }
  });
  EXPECT_GT(checked, 0);
  EXPECT_GT(integerLayers, 0);
}

INSTANTIATE_TEST_SUITE_P(Dialect, QuantizeOperatorsTest,
                         testing::Values("elementwise.mlir", "layout.mlir",
                                         "mac.mlir", "normalize.mlir",
                                         "pool.mlir", "recurrent.mlir",
                                         "reduce.mlir"));

} // namespace
