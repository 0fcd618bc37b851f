//===- QdqTest.cpp - What quantized networks compute ----------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// The quantized view against the definition, written out in double; the way to
// ONNX and back; and models as other tools write them.
//===----------------------------------------------------------------------===//
#include "parallax/Passes/Quantize/Qdq.h"
#include "QuantizeTestSupport.h"
#include "parallax/Analysis/QuantParams.h"
#include "parallax/Backend/NPU/NPU.h"
#include "parallax/Frontend/ONNX/Export.h"
#include "parallax/Frontend/ONNX/Import.h"

#include "../Support/TempDir.h"

#include <cmath>
#include <cstring>

using namespace parallax;

namespace {

using enum DataType;
using Values = std::vector<double>;

/// The values that are left of numbers once they have been codes.
Values fakeQuantized(Values values, const AffineParams &params) {
  for (double &value : values) {
    double code = std::nearbyint(double(float(value) / params.scale)) +
                  double(params.zeroPoint);
    code = std::clamp(code, double(params.low), double(params.high));
    value = double(float(code - double(params.zeroPoint)) * params.scale);
  }
  return values;
}

class QdqTest : public QuantizeTest {
protected:
  std::vector<Tensor> sample() {
    return {random(function().getArgumentTypes()[0], -1, 1)};
  }

  /// Parses a network, and calibrates it on samples of its own.
  void prepareNetwork(const std::string &text) {
    parse(text);
    std::vector<std::vector<Tensor>> samples;
    for (int i = 0; i < 8; ++i)
      samples.push_back(sample());
    calibration = calibrate(function(), samples);
  }

  /// The values of weights, from their codes.
  Values weights(const std::string &name) {
    auto op = cast<nn::QuantizedConstantOp>(find(name).getDefiningOp());
    ChannelParams params = channelParamsOf(op.getType());
    Tensor codes = toTensor(op.getCodes());
    Values values;
    auto perChannel = size_t(codes.size()) / params.scales.size();
    dispatch(codes.dtype(), [&](auto tag) {
      using Code = typename decltype(tag)::type;
      if constexpr (std::is_integral_v<Code>)
        for (size_t i = 0; i < size_t(codes.size()); ++i)
          values.push_back(double(float(codes.data<Code>()[i]) *
                                  params.scales[i / perChannel]));
    });
    return values;
  }

  /// What `branches` computes, step by step.
  Values compute(const Tensor &input, const char *inputName,
                 const char *addedName) {
    Values x(input.data<float>(), input.data<float>() + input.size());
    Values read = fakeQuantized(x, paramsOf(inputName));
    Values added = fakeQuantized(x, paramsOf(addedName));
    Values w = weights("w"), b = weights("b");
    constexpr size_t area = 16;
    Values conv(2 * area);
    for (size_t c = 0; c < 2; ++c)
      for (size_t i = 0; i < area; ++i)
        conv[c * area + i] =
            read[i] * w[c * 2] + read[area + i] * w[c * 2 + 1] + b[c];
    conv = fakeQuantized(conv, paramsOf("c"));
    for (double &value : conv)
      value = std::max(value, 0.0);
    conv = fakeQuantized(conv, paramsOf("r"));
    Values sum(2 * area);
    for (size_t c = 0; c < 2; ++c)
      for (size_t i = 0; i < 4; ++i)
        for (size_t j = 0; j < 4; ++j)
          sum[c * area + i * 4 + j] =
              conv[c * area + j * 4 + i] + added[c * area + i * 4 + j];
    sum = fakeQuantized(sum, paramsOf("a"));
    Values sigmoid = sum;
    for (double &value : sigmoid)
      value = 1 / (1 + std::exp(-value));
    sigmoid = fakeQuantized(sigmoid, paramsOf("s"));
    sum.insert(sum.end(), sigmoid.begin(), sigmoid.end());
    return sum;
  }

  void expectAsDefined(const char *inputName, const char *addedName) {
    int64_t equal = 0, total = 0;
    double step = double(paramsOf("a").scale);
    for (int i = 0; i < 40; ++i) {
      std::vector<Tensor> inputs = sample();
      Values expected = compute(inputs[0], inputName, addedName);
      Tensor found = run(view, inputs)[0];
      ASSERT_EQ(size_t(found.size()), expected.size());
      for (size_t k = 0; k < expected.size(); ++k, ++total) {
        double codes = (double(found.data<float>()[k]) - expected[k]) / step;
        EXPECT_LE(std::abs(codes), 1.001);
        equal += std::abs(codes) < 0.001;
      }
    }
    EXPECT_GE(double(equal), 0.99 * double(total));
  }

  /// A network of types is the same as another one, weights included.
  static std::string textOf(FuncOp function) {
    std::string text;
    llvm::raw_string_ostream stream(text);
    for (Operation &op : function.front()) {
      stream << op.getName() << ":";
      for (Value result : op.getResults())
        stream << " " << getTensorName(result) << " " << result.getType();
      stream << "\n";
    }
    return text;
  }

  static bool sameBits(const Tensor &a, const Tensor &b) {
    return a.shape() == b.shape() &&
           std::memcmp(a.rawData(), b.rawData(), a.byteSize()) == 0;
  }

  /// What the NPU computes for a quantized view.
  Tensor onNpu(FuncOp quantized, const std::vector<Tensor> &inputs) {
    FuncOp machine = lowerView(quantized);
    Executable executable = prepare(machine, npuKernels());
    ExecutionState state(executable);
    Tensor result = state.run(inputs)[0].clone();
    machine.erase();
    return result;
  }

  /// Values survive the way to a file and back, in both engines, and so do the
  /// types unless another spelling of them means the same.
  void expectRoundTrip(bool sameTypes = true,
                       QdqFormat format = QdqFormat::U8S8) {
    FuncOp qdq = orThrow(&context, [&] { return addQdqView(view, format); });
    std::vector<Tensor> inputs = sample();
    Tensor quantized = run(view, inputs)[0];
    EXPECT_TRUE(sameBits(run(qdq, inputs)[0], quantized));

    TempDir folder;
    onnx_export::exportModel(qdq, folder / "model.onnx", {});
    onnx_import::ImportOptions importing;
    importing.evaluate = [](Operation *op, std::span<const Tensor> operands) {
      return evaluate(op, operands, referenceKernels());
    };
    OwningOpRef<ModuleOp> imported = onnx_import::importModel(
        (folder / "model.onnx").string(), &context, importing);
    FuncOp network = *imported->getOps<FuncOp>().begin();
    EXPECT_TRUE(sameBits(run(network, inputs)[0], quantized));
    QdqReport taken;
    FuncOp again = orThrow(
        &context, [&] { return addQuantizedViewOfQdq(network, &taken); });
    EXPECT_TRUE(taken.remaining.empty());
    EXPECT_TRUE(sameBits(run(again, inputs)[0], quantized));
    EXPECT_TRUE(sameBits(onNpu(again, inputs), onNpu(view, inputs)));
    if (!sameTypes)
      return;
    // What leaves as it is has the name of the output in the file.
    std::string before = textOf(view), after = textOf(again);
    std::string moved = "nn.concat: y ";
    before.replace(before.find(moved), moved.size(), "nn.concat: out ");
    EXPECT_EQ(sorted(after), sorted(before));
  }

  static std::vector<std::string> sorted(const std::string &text) {
    SmallVector<StringRef> lines;
    StringRef(text).split(lines, '\n');
    std::vector<std::string> result(lines.begin(), lines.end());
    std::sort(result.begin(), result.end());
    return result;
  }
};

TEST_F(QdqTest, TheEngineComputesWhatTheTypesSay) {
  prepareNetwork(branches);
  quantize();
  expectAsDefined("x_U8", "x_U8");
  expectRoundTrip();
}

TEST_F(QdqTest, MixedTypes) {
  prepareNetwork(branches);
  setType("add", U16);
  setType("conv", S8);
  quantize();
  expectAsDefined("x_S8", "x_U16");
  expectRoundTrip();
}

/// Weights with the zero point 128 stand for the same values, and become the
/// codes of the NPU again.
TEST_F(QdqTest, UnsignedWeights) {
  prepareNetwork(branches);
  quantize();
  FuncOp qdq =
      orThrow(&context, [&] { return addQdqView(view, QdqFormat::U8U8); });
  int64_t found = 0;
  for (auto constant : qdq.getOps<nn::ConstantOp>())
    if (getTensorName(constant) == "w_quantized") {
      EXPECT_EQ(toTensor(constant.getValue()).dtype(), DType::U8);
      ++found;
    }
  EXPECT_EQ(found, 1);
  qdq.erase();
  expectRoundTrip(/*sameTypes=*/true, QdqFormat::U8U8);
}

/// What a convolution in float reads and gives has the same bits on the way
/// back, and so has what the NPU computes.
TEST_F(QdqTest, FloatConvolution) {
  prepareNetwork(branches);
  setType("conv", FP32);
  quantize();
  EXPECT_FALSE(isQuantized(typeOf("w")));
  EXPECT_FALSE(isQuantized(typeOf("c")));
  expectRoundTrip(/*sameTypes=*/false);
}

TEST_F(QdqTest, WideTypes) {
  prepareNetwork(branches);
  config.highestMixPrecision = true;
  quantize();
  expectAsDefined("x_U16", "x_U16");
  expectRoundTrip();
}

//===----------------------------------------------------------------------===//
// Models of others
//===----------------------------------------------------------------------===//

/// QuantizeLinear and DequantizeLinear of `x` with scale 1/16.
std::string pair(const std::string &x, const std::string &type) {
  std::string shape = "tensor<" + type + "x";
  return "  %" + x + "_q = nn.quantize_linear %" + x + ", %s, %z : (" + shape +
         "f32>, tensor<f32>, tensor<ui8>) -> " + shape + "ui8> loc(\"" + x +
         "_Q\"(\"" + x + "_q\"))\n  %" + x + "_d = nn.dequantize_linear %" + x +
         "_q, %s, %z : (" + shape + "ui8>, tensor<f32>, tensor<ui8>) -> " +
         shape + "f32> loc(\"" + x + "_D\"(\"" + x + "_d\"))\n";
}

class ForeignTest : public QdqTest {
protected:
  /// Parses a body, takes the parameters, and compares the values.
  void take(const std::string &body, const std::string &results,
            const std::string &types) {
    parse("func.func @main(%x: tensor<1x2x4xf32> {nn.name = \"x\"}) -> (" +
          types +
          ") {\n"
          "  %s = nn.constant dense<0.0625> : tensor<f32> loc(\"s\"(\"s\"))\n"
          "  %z = nn.constant dense<128> : tensor<ui8> loc(\"z\"(\"z\"))\n" +
          body + "  return " + results + " : " + types + "\n}\n");
    view = orThrow(&context,
                   [&] { return addQuantizedViewOfQdq(function(), &taken); });
    for (int i = 0; i < 4; ++i) {
      std::vector<Tensor> inputs = {
          random(function().getArgumentTypes()[0], -10, 10)};
      std::vector<Tensor> expected = run(function(), inputs);
      for (bool observe : {false, true})
        for (auto [a, b] :
             llvm::zip_equal(run(view, inputs, observe), expected))
          EXPECT_TRUE(sameBits(a, b)) << print();
    }
  }

  QdqReport taken;
};

constexpr const char *type = "tensor<1x2x4xf32>";

TEST_F(ForeignTest, AMovementThatChangesTheType) {
  // The reshape is rounded, while its operand is read as it is.
  take(
      R"(  %r = nn.reshape %x {shape = array<i64: 1, 8>} : (tensor<1x2x4xf32>) -> tensor<1x8xf32> loc("reshape"("r"))
)" + pair("r", "1x8") +
          R"(  %t = nn.tanh %x : (tensor<1x2x4xf32>) -> tensor<1x2x4xf32> loc("tanh"("t"))
)",
      "%r_d, %t", "tensor<1x8xf32>, tensor<1x2x4xf32>");
  EXPECT_EQ(taken.tensors, 1);
}

TEST_F(ForeignTest, CodesBetweenLayersThatCouldBeFused) {
  // silu is rounded before the addition reads it.
  take(
      R"(  %w = nn.constant dense<[[[0.5], [-1.0]], [[2.0], [0.25]]]> : tensor<2x2x1xf32> loc("w"("w"))
  %c = nn.conv %x, %w {dilations = array<i64: 1>, pads = array<i64: 0, 0>, strides = array<i64: 1>} : (tensor<1x2x4xf32>, tensor<2x2x1xf32>) -> tensor<1x2x4xf32> loc("conv"("c"))
  %u = nn.silu %c : (tensor<1x2x4xf32>) -> tensor<1x2x4xf32> loc("silu"("u"))
)" + pair("u", "1x2x4") +
          pair("x", "1x2x4") +
          R"(  %a = nn.add %u_d, %x_d : (tensor<1x2x4xf32>, tensor<1x2x4xf32>) -> tensor<1x2x4xf32> loc("add"("a"))
)" + pair("a", "1x2x4"),
      "%a_d", type);
  EXPECT_EQ(taken.tensors, 3);
}

TEST_F(ForeignTest, CodesThatAreOutputsAndSeveralReaders) {
  take(
      R"(  %t = nn.neg %x : (tensor<1x2x4xf32>) -> tensor<1x2x4xf32> loc("neg"("t"))
)" + pair("t", "1x2x4") +
          R"(  %e = nn.dequantize_linear %t_q, %s, %z : (tensor<1x2x4xui8>, tensor<f32>, tensor<ui8>) -> tensor<1x2x4xf32> loc("other"("e"))
  %a = nn.add %t_d, %e : (tensor<1x2x4xf32>, tensor<1x2x4xf32>) -> tensor<1x2x4xf32> loc("add"("a"))
)",
      "%t_q, %a, %e",
      "tensor<1x2x4xui8>, tensor<1x2x4xf32>, tensor<1x2x4xf32>");
  EXPECT_TRUE(isQuantized(typeOf("t")));
}

TEST_F(ForeignTest, CodesThatOnlyLeaveAndCodesThatArrive) {
  take(
      R"(  %i = nn.cast %x {to = ui8} : (tensor<1x2x4xf32>) -> tensor<1x2x4xui8> loc("cast"("i"))
  %d = nn.dequantize_linear %i, %s, %z : (tensor<1x2x4xui8>, tensor<f32>, tensor<ui8>) -> tensor<1x2x4xf32> loc("in"("d"))
  %t = nn.tanh %d : (tensor<1x2x4xf32>) -> tensor<1x2x4xf32> loc("tanh"("t"))
  %q = nn.quantize_linear %t, %s, %z : (tensor<1x2x4xf32>, tensor<f32>, tensor<ui8>) -> tensor<1x2x4xui8> loc("out"("q"))
)",
      "%q", "tensor<1x2x4xui8>");
  EXPECT_TRUE(taken.remaining.empty());
  EXPECT_EQ(paramsOf("d_codes"), (AffineParams{0.0625f, 128, 0, 255}));
  EXPECT_EQ(paramsOf("t"), (AffineParams{0.0625f, 128, 0, 255}));
}

TEST_F(ForeignTest, WhatNoTypeExpressesStays) {
  take(R"(  %k = nn.constant dense<[0.125, 0.25]> : tensor<2xf32> loc("k"("k"))
  %n = nn.constant dense<[128, 127]> : tensor<2xui8> loc("n"("n"))
  %q = nn.quantize_linear %x, %k, %n {axis = 1 : i64} : (tensor<1x2x4xf32>, tensor<2xf32>, tensor<2xui8>) -> tensor<1x2x4xui8> loc("perAxis"("q"))
  %d = nn.dequantize_linear %q, %k, %n {axis = 1 : i64} : (tensor<1x2x4xui8>, tensor<2xf32>, tensor<2xui8>) -> tensor<1x2x4xf32> loc("back"("d"))
)" + pair("d", "1x2x4"),
       "%d_d", type);
  EXPECT_EQ(taken.remaining, std::vector<std::string>{"perAxis"});
  EXPECT_EQ(taken.tensors, 1);
}

TEST_F(ForeignTest, WeightsAsTheyAre) {
  take(
      R"(  %i = nn.constant dense<[[[1, -127], [2, 3]]]> : tensor<1x2x2xi8> loc("i"("i"))
  %k = nn.constant dense<[0.125, 0.25]> : tensor<2xf32> loc("k"("k"))
  %w = nn.dequantize_linear %i, %k {axis = -1 : i64} : (tensor<1x2x2xi8>, tensor<2xf32>) -> tensor<1x2x2xf32> loc("w"("w"))
  %f = nn.constant {nn.bits = 4 : i64} dense<[[[1, 15], [2, 3], [0, 1], [1, 1]]]> : tensor<1x4x2xui8> loc("f"("f"))
  %seven = nn.constant dense<7> : tensor<ui8> loc("seven"("seven"))
  %v = nn.dequantize_linear %f, %s, %seven : (tensor<1x4x2xui8>, tensor<f32>, tensor<ui8>) -> tensor<1x4x2xf32> loc("v"("v"))
)" + pair("x", "1x2x4") +
          R"(  %m = nn.matmul %x_d, %v : (tensor<1x2x4xf32>, tensor<1x4x2xf32>) -> tensor<1x2x2xf32> loc("m"("m"))
  %p = nn.matmul %m, %w : (tensor<1x2x2xf32>, tensor<1x2x2xf32>) -> tensor<1x2x2xf32> loc("p"("p"))
)",
      "%p, %w", "tensor<1x2x2xf32>, tensor<1x2x2xf32>");
  EXPECT_EQ(taken.weights, 2);
  EXPECT_TRUE(isPerAxis(typeOf("i")));
  EXPECT_EQ(channelParamsOf(typeOf("i")).axis, 2);
  EXPECT_EQ(paramsOf("f"), (AffineParams{0.0625f, 7, 0, 15}));
}

//===----------------------------------------------------------------------===//
// Masks
//===----------------------------------------------------------------------===//

TEST_F(QdqTest, MaskedAttentionKeepsItsScores) {
  for (const char *mask : {"-10000.0", "-3.4e38", "0xFF800000"})
    for (bool isSum : {true, false}) {
      SCOPED_TRACE(std::string(mask) + (isSum ? " is added" : " is chosen"));
      std::string m = mask;
      std::string row = "[[[0.0, " + m + ", " + m + ", " + m +
                        "], [0.0, 0.0, " + m + ", " + m + "]]]";
      prepareNetwork(
          "func.func @main(%x: tensor<1x2x4xf32> {nn.name = \"x\"}) -> "
          "(tensor<1x2x4xf32> {nn.name = \"o\"}) {\n" +
          (isSum ? "  %m = nn.constant dense<" + row +
                       "> : tensor<1x2x4xf32> loc(\"m\"(\"m\"))\n"
                       "  %0 = nn.add %x, %m : (tensor<1x2x4xf32>, "
                       "tensor<1x2x4xf32>) -> tensor<1x2x4xf32> "
                       "loc(\"mask\"(\"a\"))\n"
                 : "  %c = nn.constant dense<[[[true, false, false, false], "
                   "[true, true, false, false]]]> : tensor<1x2x4xi1> "
                   "loc(\"c\"(\"c\"))\n  %m = nn.constant dense<" +
                       m +
                       "> : tensor<f32> loc(\"m\"(\"m\"))\n"
                       "  %0 = nn.where %c, %x, %m : (tensor<1x2x4xi1>, "
                       "tensor<1x2x4xf32>, tensor<f32>) -> tensor<1x2x4xf32> "
                       "loc(\"mask\"(\"a\"))\n") +
          "  %1 = nn.softmax %0 {axis = -1 : i64} : (tensor<1x2x4xf32>) -> "
          "tensor<1x2x4xf32> loc(\"softmax\"(\"y\"))\n"
          "  return %1 : tensor<1x2x4xf32>\n}");
      quantize();
      for (int i = 0; i < 4; ++i) {
        std::vector<Tensor> inputs = sample();
        Tensor expected = run(function(), inputs)[0];
        Tensor found = run(view, inputs)[0];
        for (int64_t k = 0; k < expected.size(); ++k)
          EXPECT_NEAR(found.data<float>()[k], expected.data<float>()[k], 0.03);
      }
      view.erase();
    }
}

} // namespace
