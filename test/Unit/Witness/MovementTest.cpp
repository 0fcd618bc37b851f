//===- MovementTest.cpp - Movement of codes against the literal version ---===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Functions on codes of every type, executed by the simulator and by the
// literal implementation of C47 to C49; and the indices and weights that Resize
// is lowered to (C39, C39a).
//===----------------------------------------------------------------------===//
#include "../NPU/LiteralMovement.h"
#include "../NPU/NpuTestSupport.h"
#include "LiteralNetwork.h"
#include "parallax/Backend/NPU/NPU.h"
#include "parallax/Config/Target.h"
#include "parallax/Dialect/NN/NNOps.h"
#include "parallax/Dialect/NPU/NPUOps.h"
#include "parallax/Passes/Lower/Lower.h"
#include "parallax/Support/Diagnostics.h"
#include "parallax/Support/TensorAttr.h"

#include "mlir/Dialect/Quant/IR/Quant.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"

#include <fmt/format.h>
#include <map>

using namespace parallax;
using namespace parallax::npu::test;
using mlir::func::FuncOp;

namespace {

/// A function: its operands, what it does with %0, %1, ... and the constant %c,
/// and what it returns. T stands for the type of codes.
struct Move {
  const char *what;
  std::vector<const char *> operands;
  const char *body;
  std::vector<const char *> results;
  const char *constant = nullptr, *constantType = nullptr;
  /// Which operand of the operation the constant is.
  int64_t constantPlace = 0;
};

/// Many equal codes, so that it matters which of them is taken.
const std::vector<Move> moves = {
    {"reshape",
     {"2x3x4xT"},
     "%y0 = nn.reshape %0 {shape = array<i64: 4, 6>}",
     {"4x6xT"}},
    {"transpose of three dimensions",
     {"2x3x5xT"},
     "%y0 = nn.transpose %0 {perm = array<i64: 2, 0, 1>}",
     {"5x2x3xT"}},
    {"transpose of channels",
     {"2x19x6x7xT"},
     "%y0 = nn.transpose %0 {perm = array<i64: 0, 2, 3, 1>}",
     {"2x6x7x19xT"}},
    {"expand",
     {"3x1x4xT"},
     "%y0 = nn.expand %0 {shape = array<i64: 2, 3, 5, 4>}",
     {"2x3x5x4xT"}},
    {"tile",
     {"2x3xT"},
     "%y0 = nn.tile %0 {repeats = array<i64: 3, 2>}",
     {"6x6xT"}},
    {"depth to space, DCR",
     {"1x12x3x4xT"},
     "%y0 = nn.depth_to_space %0 {blocksize = 2 : i64, mode = \"DCR\"}",
     {"1x3x6x8xT"}},
    {"depth to space, CRD",
     {"2x18x3x2xT"},
     "%y0 = nn.depth_to_space %0 {blocksize = 3 : i64, mode = \"CRD\"}",
     {"2x2x9x6xT"}},
    {"space to depth",
     {"1x3x6x4xT"},
     "%y0 = nn.space_to_depth %0 {blocksize = 2 : i64}",
     {"1x12x3x2xT"}},
    {"channel shuffle",
     {"1x6x3x2xT"},
     "%y0 = nn.channel_shuffle %0 {groups = 3 : i64}",
     {"1x6x3x2xT"}},
    {"slice",
     {"6x9xT"},
     "%y0 = nn.slice %0 {starts = array<i64: 1, 8>, sizes = array<i64: 3, 4>, "
     "steps = array<i64: 2, -2>}",
     {"3x4xT"}},
    {"constant pad",
     {"2x3xT"},
     "%y0 = nn.pad %0 {pads = array<i64: 1, -1, 2, 3>, mode = \"constant\", "
     "value = 77.0 : f64}",
     {"5x5xT"}},
    {"reflecting pad",
     {"4x5xT"},
     "%y0 = nn.pad %0 {pads = array<i64: 3, 2, 1, 4>, mode = \"reflect\"}",
     {"8x11xT"}},
    {"edge pad",
     {"2x3xT"},
     "%y0 = nn.pad %0 {pads = array<i64: 1, 2, 2, 3>, mode = \"edge\"}",
     {"5x8xT"}},
    {"wrapping pad",
     {"4x5xT"},
     "%y0 = nn.pad %0 {pads = array<i64: 1, 2, 2, 3>, mode = \"wrap\"}",
     {"7x10xT"}},
    {"concat",
     {"2x3x2xT", "2x1x2xT", "2x5x2xT"},
     "%y0 = nn.concat %0, %1, %2 {axis = 1 : i64}",
     {"2x9x2xT"}},
    {"split",
     {"3x7x2xT"},
     "%y0, %y1, %y2 = nn.split %0 {axis = 1 : i64, sizes = array<i64: 2, 4, "
     "1>}",
     {"3x2x2xT", "3x4x2xT", "3x1x2xT"}},
    {"gather",
     {"2x5x3xT"},
     "%y0 = nn.gather %0, %c {axis = 1 : i64}",
     {"2x2x3x3xT"},
     "dense<[[0, -1, 4], [2, 2, -5]]>",
     "2x3xi64",
     1},
    {"gather of elements",
     {"3x4xT"},
     "%y0 = nn.gather_elements %0, %c {axis = 1 : i64}",
     {"2x2xT"},
     "dense<[[0, -1], [2, 2]]>",
     "2x2xi64",
     1},
    {"gather of tuples",
     {"2x3x4xT"},
     "%y0 = nn.gather_nd %0, %c {batch_dims = 1 : i64}",
     {"2x2x4xT"},
     "dense<[[[0], [-1]], [[2], [1]]]>",
     "2x2x1xi64",
     1},
    {"scatter of elements",
     {"3x5xT", "2x3xT"},
     "%y0 = nn.scatter_elements %0, %c, %1 {axis = 1 : i64, reduction = "
     "\"none\"}",
     {"3x5xT"},
     "dense<[[0, -1, 2], [4, 3, 1]]>",
     "2x3xi64",
     1},
    {"scatter of maxima",
     {"3x5xT", "2x3xT"},
     "%y0 = nn.scatter_elements %0, %c, %1 {axis = 1 : i64, reduction = "
     "\"max\"}",
     {"3x5xT"},
     "dense<[[0, 0, 2], [4, 4, 4]]>",
     "2x3xi64",
     1},
    {"scatter of tuples",
     {"3x4x2xT", "2x2xT"},
     "%y0 = nn.scatter_nd %0, %c, %1 {reduction = \"none\"}",
     {"3x4x2xT"},
     "dense<[[0, 3], [-1, 1]]>",
     "2x2xi64",
     1},
    {"scatter of minima",
     {"3x4x2xT", "3x2xT"},
     "%y0 = nn.scatter_nd %0, %c, %1 {reduction = \"min\"}",
     {"3x4x2xT"},
     "dense<[[0, 3], [0, 3], [2, 2]]>",
     "3x2xi64",
     1},
    {"reverse sequence",
     {"5x3x2xT"},
     "%y0 = nn.reverse_sequence %0, %c {batch_axis = 1 : i64, time_axis = 0 "
     ": i64}",
     {"5x3x2xT"},
     "dense<[1, 5, 3]>",
     "3xi64",
     1},
    {"where",
     {"2x3xT", "4x1x3xT"},
     "%y0 = nn.where %c, %0, %1",
     {"4x2x3xT"},
     "dense<[[true], [false]]>",
     "2x1xi1",
     0},
    {"maximum", {"4x1x3xT", "2x3xT"}, "%y0 = nn.max %0, %1", {"4x2x3xT"}},
    {"minimum", {"4x2x3xT", "1x1xT"}, "%y0 = nn.min %0, %1", {"4x2x3xT"}},
    {"max-pool",
     {"2x5x7x8xT"},
     "%y0 = nn.max_pool %0 {kernel = array<i64: 3, 2>, strides = array<i64: 2, "
     "3>, pads = array<i64: 1, 0, 1, 1>, dilations = array<i64: 1, 2>}",
     {"2x5x4x3xT"}},
    {"max-pool with a window without input",
     {"1x3x1xT"},
     "%y0 = nn.max_pool %0 {kernel = array<i64: 2>, strides = array<i64: 1>, "
     "pads = array<i64: 1, 1>, dilations = array<i64: 2>}",
     {"1x3x1xT"}},
    {"max-pool of channels",
     {"1x40x9x9xT"},
     "%y0 = nn.max_pool %0 {kernel = array<i64: 3, 3>, strides = array<i64: 1, "
     "1>, pads = array<i64: 1, 1, 1, 1>, dilations = array<i64: 1, 1>}",
     {"1x40x9x9xT"}},
    {"reduced maximum",
     {"2x3x4x5xT"},
     "%y0 = nn.reduce_max %0 {axes = array<i64: 1, 3>}",
     {"2x1x4x1xT"}},
    {"reduced minimum",
     {"2x3x4x5xT"},
     "%y0 = nn.reduce_min %0 {axes = array<i64: 0, 2>, keepdims = false}",
     {"3x5xT"}},
    {"position of the first maximum",
     {"3x16x4xT"},
     "%y0 = nn.arg_max %0 {axis = 1 : i64}",
     {"3x1x4xi64"}},
    {"position of the last maximum",
     {"3x16x4xT"},
     "%y0 = nn.arg_max %0 {axis = 1 : i64, select_last_index = true}",
     {"3x1x4xi64"}},
    {"position of the first minimum",
     {"3x4x16xT"},
     "%y0 = nn.arg_min %0 {axis = -1 : i64, keepdims = false}",
     {"3x4xi64"}},
    {"position of the last minimum",
     {"16x4xT"},
     "%y0 = nn.arg_min %0 {axis = 0 : i64, select_last_index = true}",
     {"1x4xi64"}},
    {"greatest of a row",
     {"3x20xT"},
     "%y0, %y1 = nn.top_k %0 {k = 7 : i64}",
     {"3x7xT", "3x7xi64"}},
    {"least of a column",
     {"20x3xT"},
     "%y0, %y1 = nn.top_k %0 {k = 20 : i64, axis = 0 : i64, largest = false}",
     {"20x3xT", "20x3xi64"}},
};

class MovementTest : public testing::Test {
protected:
  MovementTest() {
    context.loadDialect<nn::NNDialect, npu::NPUDialect, mlir::func::FuncDialect,
                        mlir::quant::QuantDialect>();
  }

  FuncOp parse(const std::string &text) {
    module = mlir::parseSourceString<ModuleOp>(text, &context);
    return module ? *module->getOps<FuncOp>().begin() : FuncOp();
  }

  /// All results of the simulator are those of the literal implementation.
  static void compare(FuncOp function, const std::vector<Tensor> &inputs,
                      const std::string &what) {
    auto expected = literal::runLiterally(function, inputs);
    Executable executable = prepare(function, npuKernels());
    ExecutionState state(executable);
    std::span<const Tensor> found = state.run(inputs);
    Operation *terminator = function.front().getTerminator();
    ASSERT_EQ(found.size(), terminator->getNumOperands());
    for (auto [value, tensor] :
         llvm::zip_equal(terminator->getOperands(), found))
      EXPECT_EQ(literal::difference(expected.at(value), tensor), "") << what;
  }

  mlir::MLIRContext context{mlir::MLIRContext::Threading::DISABLED};
  mlir::OwningOpRef<ModuleOp> module;
};

std::string elementOf(const CodeType &type) {
  return fmt::format("{}i{}", type.isSigned ? "" : "u", type.bits);
}

std::string functionOf(const Move &move, const CodeType &type) {
  auto tensor = [&](const std::string &text) {
    bool isCodes = text.back() == 'T';
    return "tensor<" + (isCodes ? text.substr(0, text.size() - 1) : text) +
           (isCodes ? elementOf(type) : "") + ">";
  };
  std::vector<std::string> arguments, operands, types, returned;
  for (size_t i = 0; i < move.operands.size(); ++i) {
    arguments.push_back(fmt::format("%{}: {}", i, tensor(move.operands[i])));
    operands.push_back(tensor(move.operands[i]));
  }
  for (size_t i = 0; i < move.results.size(); ++i) {
    types.push_back(tensor(move.results[i]));
    returned.push_back(fmt::format("%y{}", i));
  }
  std::string constant;
  if (move.constant) {
    constant = fmt::format("  %c = nn.constant {} : {}\n", move.constant,
                           tensor(move.constantType));
    operands.insert(operands.begin() + move.constantPlace,
                    tensor(move.constantType));
  }
  return fmt::format("func.func @main({}) -> ({}) {{\n{}  {} : ({}) -> ({})\n  "
                     "return {} : {}\n}}\n",
                     fmt::join(arguments, ", "), fmt::join(types, ", "),
                     constant, move.body, fmt::join(operands, ", "),
                     fmt::join(types, ", "), fmt::join(returned, ", "),
                     fmt::join(types, ", "));
}

TEST_F(MovementTest, C47ToC49MoveAndCompareCodes) {
  for (const Move &move : moves)
    for (const CodeType &type : codeTypes)
      for (int64_t different : {3, 256}) {
        std::string text = functionOf(move, type);
        FuncOp function = parse(text);
        ASSERT_TRUE(function) << text;
        std::vector<Tensor> inputs;
        uint64_t seed = 5;
        for (Type argument : function.getArgumentTypes()) {
          Codes codes = codesOf(
              type, literal::Dims(cast<RankedTensorType>(argument).getShape()),
              1, 0, ++seed);
          // Few codes from both ends make ties.
          for (int64_t &value : codes.values) {
            int64_t place = (value - codes.low) % different;
            value = place % 2 ? codes.high - place / 2 : codes.low + place / 2;
          }
          inputs.push_back(toTensor(codes));
        }
        compare(function, inputs, move.what);
      }
}

//===----------------------------------------------------------------------===//
// Resize
//===----------------------------------------------------------------------===//

struct Lengths {
  int64_t in, out;
  /// 0 for the ratio.
  float scale;
};
constexpr Lengths lengths[] = {
    {4, 8, 0}, {7, 10, 0},   {10, 7, 0},     {5, 1, 0},  {1, 5, 0}, {9, 3, 0},
    {6, 6, 0}, {3, 7, 2.4f}, {12, 5, 0.45f}, {2, 33, 0}, {33, 2, 0}};
/// The last one is for nearest only: it moves axes that are not resized.
constexpr const char *coordinateModes[] = {
    "half_pixel",    "half_pixel_symmetric", "pytorch_half_pixel",
    "align_corners", "asymmetric",           "tf_half_pixel_for_nn"};

float scaleOf(const Lengths &axis) {
  return axis.scale != 0 ? axis.scale
                         : float(double(axis.out) / double(axis.in));
}

std::string resizeAttributes(const Lengths &rows, const Lengths &columns,
                             const char *mode, const char *coordinates,
                             const char *nearest, const char *more) {
  return fmt::format(
      "{{sizes = array<i64: 1, 2, {}, {}>, scales = array<f32: 1.0, 1.0, "
      "{:.9e}, {:.9e}>, mode = \"{}\", coordinate_mode = \"{}\", nearest_mode "
      "= \"{}\"{}}}",
      rows.out, columns.out, scaleOf(rows), scaleOf(columns), mode, coordinates,
      nearest, more);
}

TEST_F(MovementTest, C47TakesTheNearestCode) {
  for (const Lengths &rows : lengths)
    for (const char *coordinates : coordinateModes)
      for (const char *nearest :
           {"round_prefer_floor", "round_prefer_ceil", "floor", "ceil"}) {
        const Lengths &columns = lengths[1];
        std::string what = resizeAttributes(rows, columns, "nearest",
                                            coordinates, nearest, "");
        std::string from =
            fmt::format("tensor<1x2x{}x{}xui8>", rows.in, columns.in);
        std::string to =
            fmt::format("tensor<1x2x{}x{}xui8>", rows.out, columns.out);
        FuncOp function = parse(fmt::format(
            "func.func @main(%x: {0}) -> {1} {{\n  %y = nn.resize %x {2} : "
            "({0}) -> {1}\n  return %y : {1}\n}}",
            from, to, what));
        ASSERT_TRUE(function);
        compare(function,
                {toTensor(codesOf(codeTypes[0], {1, 2, rows.in, columns.in}, 1,
                                  0, 3))},
                what);
      }
}

/// The integers of a lowered Resize, as weights of inputs.
void expectWeights(npu::ResizeOp op, const std::vector<literal::Sampling> &axes,
                   int xBits, const std::string &what) {
  ASSERT_EQ(op.getAxisIn().size(), axes.size()) << what;
  int bits = std::min(15, (xBits == 8 ? 22 : 30) / int(axes.size()));
  EXPECT_EQ(int(op.getFractionBits()), bits) << what;
  size_t next = 0;
  for (size_t i = 0; i < axes.size(); ++i) {
    auto expected = literal::weightedInputs(axes[i], bits);
    ASSERT_EQ(op.getAxisOut()[i], axes[i].out) << what;
    for (int64_t o = 0; o < axes[i].out; ++o) {
      std::map<int64_t, int64_t> found, wanted;
      for (int64_t t = 0; t < op.getAxisTaps()[i]; ++t, ++next)
        found[op.getIndices()[next]] += op.getWeights()[next];
      for (auto [input, weight] : expected[size_t(o)])
        wanted[input] += int64_t(weight);
      std::erase_if(found, [](auto &entry) { return entry.second == 0; });
      std::erase_if(wanted, [](auto &entry) { return entry.second == 0; });
      EXPECT_EQ(found, wanted) << what << " axis " << i << " output " << o;
    }
  }
}

TEST_F(MovementTest, C39aDerivesTheWeightsOfResize) {
  struct Kind {
    const char *mode, *more;
    double cubic;
    bool excludeOutside, antialias;
  };
  const Kind kinds[] = {
      {"linear", "", -0.75, false, false},
      {"linear", ", antialias = true", -0.75, false, true},
      {"linear", ", exclude_outside = true", -0.75, true, false},
      {"cubic", "", -0.75, false, false},
      {"cubic", ", cubic_coeff_a = -0.5 : f32", -0.5, false, false},
      {"cubic", ", exclude_outside = true, antialias = true", -0.75, true,
       true}};
  int64_t compared = 0;
  for (const Kind &kind : kinds)
    for (const Lengths &rows : lengths)
      for (const char *coordinates : std::span(coordinateModes).first(5))
        for (int bits : {8, 16}) {
          const Lengths &columns = lengths[2];
          std::string what = resizeAttributes(rows, columns, kind.mode,
                                              coordinates, "floor", kind.more);
          std::string code =
              fmt::format("!quant.uniform<u{}:f32, 0.5:3>", bits);
          std::string from = fmt::format("1x2x{}x{}x", rows.in, columns.in);
          std::string to = fmt::format("1x2x{}x{}x", rows.out, columns.out);
          FuncOp function = parse(fmt::format(
              "func.func @quantized(%x: tensor<{0}f32>) -> tensor<{1}f32> {{\n"
              "  %0 = nn.requantize %x : (tensor<{0}f32>) -> tensor<{0}{2}>\n"
              "  %1 = nn.resize %0 {3} : (tensor<{0}{2}>) -> tensor<{1}{2}>\n"
              "  %2 = nn.requantize %1 : (tensor<{1}{2}>) -> tensor<{1}f32>\n"
              "  return %2 : tensor<{1}f32>\n}}",
              from, to, code, what));
          ASSERT_TRUE(function);
          FuncOp machine = orThrow(
              &context, [&] { return lowerNetwork(function, Target()); });
          std::vector<literal::Sampling> axes;
          for (const Lengths &axis : {rows, columns})
            axes.push_back({axis.in, axis.out, scaleOf(axis), kind.mode,
                            coordinates, "", kind.cubic, kind.excludeOutside,
                            kind.antialias});
          machine.walk([&](npu::ResizeOp op) {
            // An axis that copies its input counts only between others.
            if (int64_t(op.getAxisIn().size()) < 2)
              axes.erase(axes.begin());
            expectWeights(op, axes, bits, what);
            ++compared;
          });
          Codes x = codesOf(codeTypes[0], {1, 2, rows.in, columns.in}, 1, 0, 9);
          Tensor input(DType::F32, x.dims);
          for (int64_t i = 0; i < input.size(); ++i)
            input.data<float>()[i] = float(x.values[i]) - 100;
          compare(machine, {input}, what);
        }
  EXPECT_EQ(compared, 660);
}

} // namespace
