//===- MasksTest.cpp - Masked attention, as exporters write it ------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Whatever form a mask has, both engines have to hide what it hides and keep
// the rest, in integers. Scores are far enough apart for a mask that only
// lowers them a little to be seen.
//===----------------------------------------------------------------------===//
#include "QuantizeTestSupport.h"
#include "parallax/Analysis/QuantParams.h"
#include "parallax/Backend/NPU/NPU.h"
#include "parallax/Config/Target.h"
#include "parallax/Passes/Lower/Lower.h"

#include <cmath>

namespace parallax {
namespace {

constexpr int64_t maskRows = 4, maskColumns = 8;

/// From the mask %m, its complement %h and scores %x to masked scores %y, all
/// of one shape but for numbers. # stands for a number that hides, and ! for
/// its opposite.
struct MaskForm {
  const char *name, *body;
};

constexpr MaskForm maskForms[] = {
    {"product", R"(
  %a = nn.mul %h, %lowest : (T, N) -> T loc("mul"("a"))
  %y = nn.add %x, %a : (T, T) -> T loc("add"("y")))"},
    {"product with its complement", R"(
  %a = nn.sub %f, %one : (T, N) -> T loc("complement"("a"))
  %b = nn.mul %a, %highest : (T, N) -> T loc("mul"("b"))
  %y = nn.add %b, %x : (T, T) -> T loc("add"("y")))"},
    {"difference", R"(
  %a = nn.mul %h, %highest : (T, N) -> T loc("mul"("a"))
  %y = nn.sub %x, %a : (T, T) -> T loc("sub"("y")))"},
    {"opposite", R"(
  %a = nn.mul %h, %highest : (T, N) -> T loc("mul"("a"))
  %b = nn.neg %a : (T) -> T loc("neg"("b"))
  %y = nn.add %x, %b : (T, T) -> T loc("add"("y")))"},
    {"product less its number", R"(
  %a = nn.mul %f, %highest : (T, N) -> T loc("mul"("a"))
  %b = nn.sub %a, %highest : (T, N) -> T loc("cancel"("b"))
  %y = nn.add %x, %b : (T, T) -> T loc("add"("y")))"},
    {"number less a product", R"(
  %a = nn.mul %highest, %f : (N, T) -> T loc("mul"("a"))
  %b = nn.sub %highest, %a : (N, T) -> T loc("cancel"("b"))
  %y = nn.sub %x, %b : (T, T) -> T loc("sub"("y")))"},
    {"number added to a moved product", R"(
  %c = nn.reshape %f {shape = array<i64: 1, 4, 8>} : (T) -> tensor<1x4x8xf32> loc("reshape"("c"))
  %a = nn.mul %c, %highest : (tensor<1x4x8xf32>, N) -> tensor<1x4x8xf32> loc("mul"("a"))
  %b = nn.add %lowest, %a : (N, tensor<1x4x8xf32>) -> tensor<1x4x8xf32> loc("cancel"("b"))
  %d = nn.reshape %b {shape = array<i64: 4, 8>} : (tensor<1x4x8xf32>) -> T loc("back"("d"))
  %y = nn.add %x, %d : (T, T) -> T loc("add"("y")))"},
    {"filled complement", R"(
  %c = nn.cast %h {to = i1} : (T) -> B loc("bool"("c"))
  %a = nn.where %c, %lowest, %h : (B, N, T) -> T loc("where"("a"))
  %y = nn.add %x, %a : (T, T) -> T loc("add"("y")))"},
    {"zero or lowest", R"(
  %c = nn.cast %m {to = i1} : (I) -> B loc("bool"("c"))
  %a = nn.where %c, %zero, %lowest : (B, N, N) -> T loc("where"("a"))
  %y = nn.add %x, %a : (T, T) -> T loc("add"("y")))"},
    {"chosen scores", R"(
  %c = nn.cast %m {to = i1} : (I) -> B loc("bool"("c"))
  %y = nn.where %c, %x, %lowest : (B, T, N) -> T loc("where"("y")))"},
    {"moved mask", R"(
  %a = nn.mul %h, %lowest : (T, N) -> T loc("mul"("a"))
  %b = nn.reshape %a {shape = array<i64: 1, 4, 8>} : (T) -> tensor<1x4x8xf32> loc("reshape"("b"))
  %c = nn.expand %b {shape = array<i64: 2, 4, 8>} : (tensor<1x4x8xf32>) -> tensor<2x4x8xf32> loc("expand"("c"))
  %d = nn.slice %c {starts = array<i64: 1, 0, 0>, sizes = array<i64: 1, 4, 8>, steps = array<i64: 1, 1, 1>} : (tensor<2x4x8xf32>) -> tensor<1x4x8xf32> loc("slice"("d"))
  %e = nn.reshape %d {shape = array<i64: 4, 8>} : (tensor<1x4x8xf32>) -> T loc("back"("e"))
  %y = nn.add %x, %e : (T, T) -> T loc("add"("y")))"},
    {"two masks", R"(
  %a = nn.mul %h, %lowest : (T, N) -> T loc("mul"("a"))
  %b = nn.add %a, %causal : (T, T) -> T loc("both"("b"))
  %y = nn.add %x, %b : (T, T) -> T loc("add"("y")))"},
    {"one mask after the other", R"(
  %a = nn.mul %h, %lowest : (T, N) -> T loc("mul"("a"))
  %b = nn.add %x, %causal : (T, T) -> T loc("both"("b"))
  %y = nn.add %b, %a : (T, T) -> T loc("add"("y")))"},
    {"scaled behind the mask", R"(
  %a = nn.mul %h, %lowest : (T, N) -> T loc("mul"("a"))
  %b = nn.add %x, %a : (T, T) -> T loc("add"("b"))
  %y = nn.div %b, %two : (T, N) -> T loc("div"("y")))"},
    {"held above the lowest", R"(
  %a = nn.mul %h, %lowest : (T, N) -> T loc("mul"("a"))
  %b = nn.add %x, %a : (T, T) -> T loc("add"("b"))
  %y = nn.max %b, %lowest : (T, N) -> T loc("max"("y")))"},
};

class MasksTest : public QuantizeTest {
protected:
  static std::string network(const MaskForm &form, const std::string &lowest) {
    std::string row0 = "[0.0, " + lowest + ", 0.0, 0.0, 0.0, 0.0, 0.0, 0.0]";
    std::string row = "[0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, " + lowest + "]";
    std::string text = R"(
func.func @main(%m: I {nn.name = "m"}, %x: T {nn.name = "x"}) -> (T {nn.name = "p"}) {
  %one = nn.constant dense<1.0> : N loc("one"("one"))
  %two = nn.constant dense<2.0> : N loc("two"("two"))
  %zero = nn.constant dense<0.0> : N loc("zero"("zero"))
  %lowest = nn.constant dense<#> : N loc("lowest"("lowest"))
  %highest = nn.constant dense<!> : N loc("highest"("highest"))
  %causal = nn.constant dense<[ROW0, ROW, ROW, ROW]> : T loc("causal"("causal"))
  %f = nn.cast %m {to = f32} : (I) -> T loc("cast"("f")))";
    if (StringRef(form.body).contains("%h,") ||
        StringRef(form.body).contains("%h :"))
      text += R"(
  %h = nn.sub %one, %f : (N, T) -> T loc("hidden"("h")))";
    text += form.body;
    text += R"(
  %p = nn.softmax %y {axis = -1 : i64} : (T) -> T loc("softmax"("p"))
  return %p : T
})";
    std::string highest =
        lowest.starts_with("-") ? lowest.substr(1) : "0x7F800000";
    for (auto [from, to] :
         std::initializer_list<std::pair<StringRef, std::string>>{
             {"ROW0", row0},
             {"ROW", row},
             {"#", lowest},
             {"!", highest},
             {": I", ": tensor<4x8xi64>"},
             {"(I)", "(tensor<4x8xi64>)"}})
      for (size_t at = 0; (at = text.find(from, at)) != std::string::npos;
           at += to.size())
        text.replace(at, from.size(), to);
    return withTypes(text);
  }

  /// T, N and B stand alone where they are types.
  static std::string withTypes(const std::string &text) {
    std::string result;
    auto isWord = [&](size_t i) {
      return i < text.size() && (std::isalnum(text[i]) || text[i] == '_' ||
                                 text[i] == '%' || text[i] == '"');
    };
    for (size_t i = 0; i < text.size(); ++i) {
      bool isAlone = (i == 0 || !isWord(i - 1)) && !isWord(i + 1);
      if (isAlone && text[i] == 'T')
        result += "tensor<4x8xf32>";
      else if (isAlone && text[i] == 'N')
        result += "tensor<f32>";
      else if (isAlone && text[i] == 'B')
        result += "tensor<4x8xi1>";
      else
        result += text[i];
    }
    return result;
  }

  /// Positions that are hidden, but for the first of each row, and scores whose
  /// greatest ones are hidden.
  std::vector<Tensor> sample() {
    Tensor mask(DType::I64, {maskRows, maskColumns});
    Tensor scores(DType::F32, mask.shape());
    std::uniform_real_distribution<float> real(-12, 12);
    for (int64_t i = 0; i < mask.size(); ++i) {
      bool isShown = i % maskColumns == 0 || generator() % 2;
      mask.data<int64_t>()[i] = isShown;
      scores.data<float>()[i] = isShown ? real(generator) : 12.0f;
    }
    return {mask, scores};
  }

  static Tensor runOn(FuncOp function, const KernelSet &kernels,
                      const std::vector<Tensor> &inputs) {
    Executable executable = prepare(function, kernels);
    ExecutionState state(executable);
    return state.run(inputs)[0].clone();
  }

  /// Hidden positions have no probability, others nearly their own.
  static void expectHidden(const Tensor &found, const Tensor &expected,
                           double tolerance) {
    for (int64_t i = 0; i < found.size(); ++i) {
      float own = found.data<float>()[i], right = expected.data<float>()[i];
      ASSERT_TRUE(std::isfinite(own)) << i;
      if (right == 0) {
        EXPECT_EQ(own, 0) << i;
      } else {
        EXPECT_NEAR(own, right, tolerance) << i;
      }
    }
  }

  void check(const MaskForm &form, const std::string &lowest, DataType type) {
    SCOPED_TRACE(
        fmt::format("{} of {}, {} bits", form.name, lowest, bitsOf(type)));
    parse(network(form, lowest));
    std::vector<std::vector<Tensor>> samples;
    for (int i = 0; i < 4; ++i)
      samples.push_back(sample());
    calibration = calibrate(function(), samples);
    config.layerConfigs.clear();
    setAll(type);
    quantize();
    LowerReport lowered;
    FuncOp machine = lowerView(view, Target(), &lowered);
    for (const LowerReport::Island &island : lowered.islands)
      EXPECT_EQ(island.op, "nn.cast") << island.layer << ": " << island.why;
    double tolerance = type == DataType::U8 ? 0.1 : 0.001;
    for (const std::vector<Tensor> &inputs : samples) {
      Tensor expected = runOn(function(), referenceKernels(), inputs);
      expectHidden(runOn(view, referenceKernels(), inputs), expected,
                   tolerance);
      expectHidden(runOn(machine, npuKernels(), inputs), expected, tolerance);
    }
  }
};

TEST_F(MasksTest, EveryFormHidesInBothEngines) {
  for (const MaskForm &form : maskForms)
    for (const char *lowest : {"-3.40282347E+38", "-1.0E+9", "-1.0E+4"})
      for (DataType type : {DataType::U8, DataType::U16})
        check(form, lowest, type);
}

TEST_F(MasksTest, InfinityHides) {
  // Times 0, it is not a number: only forms without a product can have it.
  for (const char *name :
       {"filled complement", "zero or lowest", "chosen scores"})
    for (const MaskForm &form : maskForms)
      for (DataType type : {DataType::U8, DataType::U16})
        if (std::string_view(form.name) == name)
          check(form, "0xFF800000", type);
}

TEST_F(MasksTest, WindowsHideWithSmallNumbers) {
  constexpr MaskForm windows = {"window", R"(
  %y = nn.add %x, %causal : (T, T) -> T loc("add"("y")))"};
  parse(network(windows, "-100.0"));
  calibration = {};
  setRange("m", 0, 1);
  setRange("x", -4, 4);
  setRange("y", -104, 4);
  setRange("p", 0, 1);
  quantize();
  EXPECT_EQ(paramsOf("y"), affineParams({-20, 4}, DataType::U8));
}

TEST_F(MasksTest, LargeScoresHideNothing) {
  parse(R"(
func.func @main(%x: tensor<4x8xf32> {nn.name = "x"}, %z: tensor<8x8xf32> {nn.name = "z"}) -> (tensor<4x8xf32> {nn.name = "p"}) {
  %s = nn.constant dense<0.5> : tensor<f32> loc("s"("s"))
  %0 = nn.matmul %x, %z : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32> loc("matmul"("q"))
  %1 = nn.mul %0, %s : (tensor<4x8xf32>, tensor<f32>) -> tensor<4x8xf32> loc("mul"("y"))
  %2 = nn.reshape %1 {shape = array<i64: 4, 8>} : (tensor<4x8xf32>) -> tensor<4x8xf32> loc("reshape"("r"))
  %3 = nn.softmax %2 {axis = -1 : i64} : (tensor<4x8xf32>) -> tensor<4x8xf32> loc("softmax"("p"))
  return %3 : tensor<4x8xf32>
})");
  setRange("x", -60, 60);
  setRange("z", -60, 60);
  setRange("q", -6000, 5000);
  for (const char *tensor : {"y", "r"})
    setRange(tensor, -3000, 2500);
  setRange("p", 0, 1);
  quantize();
  EXPECT_EQ(paramsOf("y"), affineParams({-3000, 2500}, DataType::U8));
}

TEST_F(MasksTest, AMaskThatOthersReadKeepsItsRange) {
  parse(R"(
func.func @main(%h: tensor<4x8xf32> {nn.name = "h"}, %x: tensor<4x8xf32> {nn.name = "x"}) -> (tensor<4x8xf32> {nn.name = "p"}, tensor<4x8xf32> {nn.name = "o"}) {
  %lowest = nn.constant dense<-1.0E+4> : tensor<f32> loc("lowest"("lowest"))
  %0 = nn.mul %h, %lowest : (tensor<4x8xf32>, tensor<f32>) -> tensor<4x8xf32> loc("mul"("a"))
  %1 = nn.add %x, %0 : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32> loc("add"("y"))
  %2 = nn.softmax %1 {axis = -1 : i64} : (tensor<4x8xf32>) -> tensor<4x8xf32> loc("softmax"("p"))
  %3 = nn.sigmoid %0 : (tensor<4x8xf32>) -> tensor<4x8xf32> loc("sigmoid"("o"))
  return %2, %3 : tensor<4x8xf32>, tensor<4x8xf32>
})");
  setRange("h", 0, 1);
  setRange("x", -4, 4);
  setRange("a", -1e4, 0);
  setRange("y", -10004, 4);
  for (const char *tensor : {"p", "o"})
    setRange(tensor, 0, 1);
  quantize();
  EXPECT_EQ(paramsOf("a"), affineParams({-1e4, 0}, DataType::U8));
  EXPECT_EQ(paramsOf("y"), affineParams({-20, 4}, DataType::U8));
}

} // namespace
} // namespace parallax
