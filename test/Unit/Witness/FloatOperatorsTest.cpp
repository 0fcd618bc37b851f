//===- FloatOperatorsTest.cpp - Layers in float, as operators -------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Every nn operator has a rule for floats, and what the simulator makes of an
// operator's attributes and operands is what the literal implementation makes
// of them.
//===----------------------------------------------------------------------===//
#include "../NPU/FloatTestSupport.h"
#include "parallax/Backend/NPU/FloatRules.h"
#include "parallax/Backend/NPU/NPU.h"
#include "parallax/Dialect/NN/NNOps.h"
#include "parallax/Support/Error.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"

#include <fmt/format.h>
#include <fstream>
#include <map>
#include <sstream>

using namespace parallax;
using namespace parallax::npu::test;
using literal::floatFunction;
using mlir::func::FuncOp;

namespace {

class FloatOperatorsTest : public testing::Test {
protected:
  FloatOperatorsTest() {
    context.loadDialect<nn::NNDialect, mlir::func::FuncDialect>();
  }

  /// Runs an operation on %0, %1, ... in the simulator, the same bits with one
  /// thread and with two.
  std::vector<Tensor> run(const std::string &operation,
                          const std::vector<Tensor> &inputs,
                          const std::vector<std::string> &results) {
    std::vector<std::string> arguments, types, returned, returnedTypes;
    for (size_t i = 0; i < inputs.size(); ++i) {
      std::string type = typeOf(inputs[i]);
      arguments.push_back(fmt::format("%{}: {}", i, type));
      types.push_back(type);
    }
    for (size_t i = 0; i < results.size(); ++i) {
      returned.push_back(fmt::format("%y{}", i));
      returnedTypes.push_back("tensor<" + results[i] + ">");
    }
    std::string text = fmt::format(
        "func.func @main({0}) -> ({1}) {{\n  {2} = {3} : ({4}) -> ({1})\n  "
        "return {2} : {1}\n}}\n",
        fmt::join(arguments, ", "), fmt::join(returnedTypes, ", "),
        fmt::join(returned, ", "), operation, fmt::join(types, ", "));
    auto module = mlir::parseSourceString<ModuleOp>(text, &context);
    if (!module)
      throw Error("cannot read\n" + text);
    FuncOp function = *module->getOps<FuncOp>().begin();
    std::vector<Tensor> found;
    for (int threads : {1, 2}) {
      ThreadCountScope scope(threads);
      Executable executable = prepare(function, npuKernels());
      ExecutionState state(executable);
      std::span<const Tensor> outputs = state.run(inputs);
      for (size_t i = 0; i < outputs.size(); ++i)
        if (threads == 1)
          found.push_back(outputs[i].clone());
        else
          EXPECT_EQ(std::memcmp(outputs[i].rawData(), found[i].rawData(),
                                found[i].byteSize()),
                    0)
              << operation;
    }
    return found;
  }

  /// An operation with one float result.
  void check(const std::string &operation, const std::vector<Array> &inputs,
             const Array &expected) {
    std::vector<Tensor> tensors;
    for (const Array &input : inputs)
      tensors.push_back(toTensor(input));
    std::string result;
    for (int64_t dim : expected.dims)
      result += std::to_string(dim) + "x";
    expectBits(run(operation, tensors, {result + "f32"})[0], expected.values,
               operation);
  }

  static std::string typeOf(const Tensor &tensor) {
    std::string type = "tensor<";
    for (int64_t dim : tensor.shape())
      type += std::to_string(dim) + "x";
    return type + (tensor.dtype() == DType::F32   ? "f32>"
                   : tensor.dtype() == DType::I32 ? "i32>"
                                                  : "i64>");
  }

  mlir::MLIRContext context{mlir::MLIRContext::Threading::DISABLED};
};

TEST_F(FloatOperatorsTest, EveryOperatorHasARuleForFloats) {
  std::ifstream file(PARALLAX_TEST_ROOT "/../docs/numerics.md");
  std::stringstream page;
  page << file.rdbuf();
  std::map<std::string, FloatRule> rules;
  for (const FloatRule &rule : floatRules()) {
    EXPECT_TRUE(rules.emplace(rule.op, rule).second) << rule.op << " twice";
    EXPECT_NE(page.str().find("- **" + rule.label + "** "), std::string::npos)
        << rule.op << " refers to " << rule.label;
  }
  for (mlir::RegisteredOperationName name :
       context.getRegisteredOperationsByDialect("nn")) {
    std::string op = name.getStringRef().str();
    if (op == nn::ConstantOp::getOperationName())
      continue;
    EXPECT_TRUE(npuKernels().find(op)) << op;
    EXPECT_EQ(rules.erase(op), 1u)
        << op << " would have a kernel of the float engine, whose bits depend "
        << "on the NPU; specify it in docs/numerics.md, or add it to "
        << "lib/Backend/NPU/FloatLayers.cpp with the reason why it is exact";
  }
  EXPECT_TRUE(rules.empty()) << rules.begin()->first << " is not an operator";
  EXPECT_FALSE(npuKernels().planFusion);
}

TEST_F(FloatOperatorsTest, NaNsHaveOneForm) {
  Array a({4}, {NAN, INFINITY, -NAN, 1}), b({4}, {1, -INFINITY, 2, 2});
  for (const char *operation :
       {"nn.add %0, %1", "nn.max %0, %1", "nn.min %0, %1"}) {
    Tensor y = run(operation, {toTensor(a), toTensor(b)}, {"4xf32"})[0];
    for (int64_t i = 0; i < 4; ++i)
      if (float value = y.data<float>()[i]; std::isnan(value))
        EXPECT_EQ(std::bit_cast<uint32_t>(value), 0x7FC00000u) << operation;
  }
  Tensor y = run("nn.neg %0", {toTensor(a)}, {"4xf32"})[0];
  EXPECT_EQ(std::bit_cast<uint32_t>(y.data<float>()[0]), 0x7FC00000u);
}

TEST_F(FloatOperatorsTest, OtherFloatsAreRefused) {
  std::string text = "func.func @main(%0: tensor<2xf64>) -> tensor<2xf64> {\n"
                     "  %1 = nn.exp %0 : (tensor<2xf64>) -> tensor<2xf64>\n"
                     "  return %1 : tensor<2xf64>\n}\n";
  auto module = mlir::parseSourceString<ModuleOp>(text, &context);
  ASSERT_TRUE(module);
  EXPECT_THROW(prepare(*module->getOps<FuncOp>().begin(), npuKernels()), Error);
}

//===----------------------------------------------------------------------===//
// Attributes and operands
//===----------------------------------------------------------------------===//

Array mappedArray(Array x, const std::function<float(float)> &function) {
  for (float &value : x.values)
    value = function(value);
  return x;
}

TEST_F(FloatOperatorsTest, C95_Functions) {
  Array x = randomArray({3, 11}, 6, 1, true), y = randomArray({11}, 4, 2);
  auto checkFunction = [&](const char *operation, const char *name,
                           float alpha = 0, float beta = 0) {
    check(operation, {x}, mappedArray(x, [&](float v) {
            return floatFunction(name, v, alpha, beta);
          }));
  };
  checkFunction("nn.exp %0", "Exp");
  checkFunction("nn.gelu %0 {approximate = \"tanh\"}", "GeluTanh");
  checkFunction("nn.gelu %0 {approximate = \"none\"}", "Gelu");
  checkFunction("nn.elu %0 {alpha = 0.7 : f32}", "Elu", 0.7f);
  checkFunction("nn.selu %0 {alpha = 1.5 : f32, gamma = 1.25 : f32}", "Selu",
                1.5f, 1.25f);
  checkFunction("nn.shrink %0 {lambd = 0.5 : f32, bias = 0.3 : f32}", "Shrink",
                0.5f, 0.3f);
  checkFunction("nn.hard_sigmoid %0 {alpha = 0.3 : f32, beta = 0.4 : f32}",
                "HardSigmoid", 0.3f, 0.4f);
  Array power(x.dims);
  for (int64_t i = 0; i < x.size(); ++i)
    power.values[size_t(i)] = literal::floatPow(
        x.values[size_t(i)], double(y.values[size_t(i % 11)]));
  check("nn.pow %0, %1", {x, y}, power);
}

TEST_F(FloatOperatorsTest, C91_Products) {
  Array a = randomArray({5, 13}, 4, 1), b = randomArray({13, 6}, 4, 2);
  auto turned = [](const Array &x) {
    Array y({x.dims[1], x.dims[0]});
    for (int64_t i = 0; i < x.dims[0]; ++i)
      for (int64_t j = 0; j < x.dims[1]; ++j)
        y.at({j, i}) = x.at({i, j});
    return y;
  };
  Array product = literal::floatMatmul(a, b, {5, 6});
  check("nn.matmul %0, %1", {a, b}, product);
  Array row({13}, Floats(a.values.begin(), a.values.begin() + 13));
  Array column({13}, turned(b).values);
  column.values.resize(13);
  check("nn.matmul %0, %1", {row, b},
        {{6}, Floats(product.values.begin(), product.values.begin() + 6)});
  check(
      "nn.matmul %0, %1", {a, column},
      {{5}, literal::floatMatmul(a, {{13, 1}, column.values}, {5, 1}).values});
  check("nn.matmul %0, %1", {row, column}, {{}, {product.values[0]}});
  Array c = randomArray({6}, 3, 3), weights = turned(b), sums = product;
  for (int64_t i = 0; i < sums.size(); ++i)
    sums.values[size_t(i)] = sums.values[size_t(i)] + c.values[size_t(i % 6)];
  check("nn.fully_connected %0, %1, %2", {a, weights, c}, sums);
  check("nn.fully_connected %0, %1", {a, weights}, product);
  check("nn.gemm %0, %1 {trans_b = true}", {a, weights}, product);
  check("nn.gemm %0, %1, %2 {beta = 0.0 : f32}", {a, b, c}, product);
  for (int64_t i = 0; i < sums.size(); ++i) {
    float left = 0.3f * product.values[size_t(i)];
    float right = 1.7f * c.values[size_t(i % 6)];
    sums.values[size_t(i)] = left + right;
  }
  const char *factors = "alpha = 0.3 : f32, beta = 1.7 : f32";
  check(fmt::format("nn.gemm %0, %1, %2 {{{}}}", factors), {a, b, c}, sums);
  check(fmt::format("nn.gemm %0, %1, %2 {{{}, trans_a = true, trans_b = true}}",
                    factors),
        {turned(a), weights, c}, sums);
  check("nn.einsum %0, %1 {equation = \"ij,jk->ki\"}", {a, b}, turned(product));

  Array x = randomArray({1, 4, 6, 5}, 4, 4),
        w = randomArray({6, 2, 3, 3}, 2, 5);
  Floats bias = randomFloats(6, 2, 6);
  check("nn.conv %0, %1, %2 {strides = array<i64: 2, 1>, dilations = "
        "array<i64: 1, 1>, pads = array<i64: 1, 0, 1, 1>, group = 2 : i64}",
        {x, w, {{6}, bias}},
        literal::floatConv(x, w, bias, {1, 6, 3, 4}, {2, 1}, {1, 1}, {1, 0}, 2,
                           false));
  Array t = randomArray({4, 3, 2, 3}, 2, 7);
  check("nn.conv_transpose %0, %1 {strides = array<i64: 2, 2>, dilations = "
        "array<i64: 1, 1>, pads = array<i64: 0, 1, 0, 1>, output_padding = "
        "array<i64: 0, 0>, group = 2 : i64}",
        {x, t},
        literal::floatConv(x, t, {}, {1, 6, 12, 9}, {2, 2}, {1, 1}, {0, 1}, 2,
                           true));
}

TEST_F(FloatOperatorsTest, C92_Sums) {
  Array x = randomArray({2, 3, 5, 7}, 9, 1, true);
  const std::pair<const char *, const char *> kinds[] = {
      {"l1", "L1"},          {"l2", "L2"},
      {"log_sum", "LogSum"}, {"log_sum_exp", "LogSumExp"},
      {"max", "Max"},        {"mean", "Mean"},
      {"min", "Min"},        {"prod", "Prod"},
      {"sum", "Sum"},        {"sum_square", "SumSquare"}};
  for (auto [op, name] : kinds)
    check(fmt::format("nn.reduce_{} %0 {{axes = array<i64: 1, 3>}}", op), {x},
          literal::floatReduce(name, x, {1, 3}));
  check("nn.global_average_pool %0", {x},
        literal::floatReduce("Mean", x, {2, 3}));
  check("nn.global_max_pool %0", {x}, literal::floatReduce("Max", x, {2, 3}));
  check("nn.global_lp_pool %0 {p = 1 : i64}", {x},
        literal::floatReduce("L1", x, {2, 3}));
  const char *window =
      "kernel = array<i64: 3, 2>, strides = array<i64: 2, 1>, dilations = "
      "array<i64: 1, 2>, pads = array<i64: 1, 0, 1, 1>";
  auto pooled = [&](const char *kind, bool counts, int64_t p) {
    return literal::floatPool(kind, x, {2, 3, 3, 6}, {3, 2}, {2, 1}, {1, 2},
                              {1, 0}, {1, 1}, counts, p);
  };
  check(fmt::format("nn.max_pool %0 {{{}}}", window), {x},
        pooled("Max", false, 2));
  check(fmt::format("nn.average_pool %0 {{{}}}", window), {x},
        pooled("Average", false, 2));
  check(fmt::format("nn.average_pool %0 {{{}, count_include_pad = true}}",
                    window),
        {x}, pooled("Average", true, 2));
  check(fmt::format("nn.lp_pool %0 {{{}, p = 3 : i64}}", window), {x},
        pooled("Norm", false, 3));
  std::vector<Tensor> both =
      run(fmt::format("nn.max_pool_with_indices %0 {{{}}}", window),
          {toTensor(x)}, {"2x3x3x6xf32", "2x3x3x6xi64"});
  expectBits(both[0], pooled("Max", false, 2).values, "max_pool_with_indices");
}

TEST_F(FloatOperatorsTest, C93ToC96_Normalizations) {
  Array x = randomArray({2, 6, 4, 3}, 5, 1);
  auto last = [](int64_t, int64_t i) { return i; };
  // Scale and bias broadcast: here along the rows and their elements.
  Array gamma = randomArray({4, 1}, 3, 2), beta = randomArray({3}, 3, 3);
  Floats wideGamma, wideBeta;
  for (int64_t i = 0; i < 12; ++i) {
    wideGamma.push_back(gamma.values[size_t(i / 3)]);
    wideBeta.push_back(beta.values[size_t(i % 3)]);
  }
  check("nn.layer_normalization %0, %1, %2 {axis = 2 : i64, epsilon = 1.0e-3 : "
        "f32}",
        {x, gamma, beta},
        {x.dims, literal::floatNormalize(true, x.values, 12, 1e-3f, wideGamma,
                                         wideBeta, last)});
  check("nn.rms_normalization %0, %1 {axis = -2 : i64, epsilon = 1.0e-3 : f32}",
        {x, gamma},
        {x.dims, literal::floatNormalize(false, x.values, 12, 1e-3f, wideGamma,
                                         {}, last)});
  Floats scale = randomFloats(6, 3, 4), offset = randomFloats(6, 3, 5);
  auto byChannel = [&](const std::string &operation, int64_t groups) {
    int64_t channels = 6 / groups;
    check(operation, {x, {{6}, scale}, {{6}, offset}},
          {x.dims,
           literal::floatNormalize(true, x.values, channels * 12, 1e-3f, scale,
                                   offset, [&](int64_t row, int64_t i) {
                                     return row % groups * channels + i / 12;
                                   })});
  };
  byChannel("nn.group_normalization %0, %1, %2 {num_groups = 2 : i64, epsilon "
            "= 1.0e-3 : f32}",
            2);
  byChannel("nn.instance_normalization %0, %1, %2 {epsilon = 1.0e-3 : f32}", 6);
  Floats mean = randomFloats(6, 3, 6), var{1, 2, 3, 0.5f, 0.25f, 7};
  check("nn.batch_normalization %0, %1, %2, %3, %4 {epsilon = 1.0e-3 : f32}",
        {x, {{6}, scale}, {{6}, offset}, {{6}, mean}, {{6}, var}},
        literal::floatBatchNorm(x, scale, offset, mean, var, 1e-3f));
  check("nn.lp_normalization %0 {axis = 1 : i64, p = 1 : i64, epsilon = 2.5 : "
        "f32}",
        {x}, literal::floatLpNorm(x, 1, 1, 2.5f));
  check("nn.lrn %0 {size = 3 : i64, alpha = 0.2 : f32, beta = 0.6 : f32, bias "
        "= 1.5 : f32}",
        {x}, literal::floatLrn(x, 3, 0.2f, 0.6f, 1.5f));
  check("nn.mean_variance_normalization %0 {axes = array<i64: 0, 2, 3>}", {x},
        literal::floatMeanVarianceNorm(x, {0, 2, 3}));
  for (bool isLog : {false, true}) {
    Array y(x.dims);
    for (int64_t r = 0; r < x.size() / 3; ++r) {
      Floats row = literal::floatSoftmax(
          Floats(x.values.begin() + r * 3, x.values.begin() + r * 3 + 3),
          isLog);
      std::copy(row.begin(), row.end(), y.values.begin() + r * 3);
    }
    check(isLog ? "nn.log_softmax %0 {axis = -1 : i64}"
                : "nn.softmax %0 {axis = 3 : i64}",
          {x}, y);
  }
}

TEST_F(FloatOperatorsTest, C97_Resize) {
  Array x = randomArray({1, 3, 5, 6}, 9, 1);
  literal::FloatResize params;
  params.mode = "cubic";
  params.coordinates = "align_corners";
  params.a = -0.5f;
  params.scales = {1, 1, 1.6f, float(4.0 / 6)};
  check("nn.resize %0 {sizes = array<i64: 1, 3, 8, 4>, scales = array<f32: "
        "1.0, 1.0, 1.6, 0.6666667>, mode = \"cubic\", coordinate_mode = "
        "\"align_corners\", nearest_mode = \"floor\", cubic_coeff_a = -0.5 : "
        "f32}",
        {x}, literal::floatResize(x, {1, 3, 8, 4}, params));
}

TEST_F(FloatOperatorsTest, C99_Lstm) {
  int64_t hidden = 4, depth = 3, times = 5;
  literal::FloatCell cell;
  cell.kind = "LSTM";
  for (const char *name : {"Sigmoid", "Tanh", "Tanh"})
    cell.functions.push_back([=](float v) { return floatFunction(name, v); });
  cell.hidden = hidden, cell.depth = depth, cell.clip = INFINITY;
  cell.w = randomFloats(4 * hidden * depth, 2, 1);
  cell.r = randomFloats(4 * hidden * hidden, 2, 2);
  cell.b = randomFloats(8 * hidden, 1, 3);
  cell.p = randomFloats(3 * hidden, 1, 4);
  Array x = randomArray({times, 1, depth}, 3, 5);
  Floats h = randomFloats(hidden, 1, 6), c = randomFloats(hidden, 1, 7);
  int32_t length = 5;
  std::vector<Tensor> inputs{
      toTensor(x),
      toTensor(Array({1, 4 * hidden, depth}, cell.w)),
      toTensor(Array({1, 4 * hidden, hidden}, cell.r)),
      toTensor(Array({1, 8 * hidden}, cell.b)),
      Tensor::fromValues<int32_t>({1}, std::span(&length, 1)),
      toTensor(Array({1, 1, hidden}, h)),
      toTensor(Array({1, 1, hidden}, c)),
      toTensor(Array({1, 3 * hidden}, cell.p))};
  std::vector<Tensor> found =
      run("nn.lstm %0, %1, %2, %3, %4, %5, %6, %7 {hidden_size = 4 : i64, "
          "direction = \"forward\", activations = [\"Sigmoid\", \"Tanh\", "
          "\"Tanh\"], activation_alpha = array<f32>, activation_beta = "
          "array<f32>}",
          inputs, {"5x1x1x4xf32", "1x1x4xf32", "1x1x4xf32"});
  std::vector<Floats> rows;
  for (int64_t t = 0; t < times; ++t)
    rows.emplace_back(x.values.begin() + t * depth,
                      x.values.begin() + (t + 1) * depth);
  Floats states;
  for (const Floats &state : literal::floatRecurrent(cell, rows, h, c))
    states.insert(states.end(), state.begin(), state.end());
  expectBits(found[0], states, "y");
  expectBits(found[1], h, "y_h");
  expectBits(found[2], c, "y_c");
}

TEST_F(FloatOperatorsTest, C49_TopKIsAlwaysSorted) {
  Array x = randomArray({400}, 9, 1);
  std::vector<Tensor> found =
      run("nn.top_k %0 {k = 50 : i64, axis = 0 : i64, sorted = false}",
          {toTensor(x)}, {"50xf32", "50xi64"});
  Floats sorted = x.values;
  std::sort(sorted.begin(), sorted.end(), std::greater<>());
  sorted.resize(50);
  expectBits(found[0], sorted, "values");
}

} // namespace
