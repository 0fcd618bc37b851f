//===- Batch.cpp - Runs both sides of a batch -----------------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// The simulator runs in this process, one function per case. TOSA runs in
// mlir-opt and mlir-runner, all cases in one module, whose main function prints
// their results in order. Operands are arguments of functions, so that nothing
// is folded before it is lowered.
//===----------------------------------------------------------------------===//
#include "Witness.h"

#include "parallax/Backend/NPU/NPU.h"
#include "parallax/Dialect/NN/NNOps.h"
#include "parallax/Dialect/NPU/NPUOps.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace parallax::tosa {

//===----------------------------------------------------------------------===//
// The simulator
//===----------------------------------------------------------------------===//

static std::string npuFunction(const Case &one) {
  std::vector<std::string> arguments;
  for (size_t i = 0; i < one.operands.size(); ++i)
    arguments.push_back(fmt::format(
        "%x{}: {}", i,
        typeText(one.operands[i].dims, npuElement(one.operands[i]))));
  std::string type = typeText(one.result.dims, npuElement(one.result));
  return fmt::format("func.func @npu({}) -> {} {{\n{}  return %y : {}\n}}\n",
                     fmt::join(arguments, ", "), type, one.npu, type);
}

std::vector<std::vector<int64_t>> Batch::runMachine() const {
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  context
      .loadDialect<nn::NNDialect, npu::NPUDialect, mlir::func::FuncDialect>();
  std::vector<std::vector<int64_t>> results;
  for (const Case &one : cases) {
    results.emplace_back();
    std::string text = npuFunction(one);
    auto module = mlir::parseSourceString<mlir::ModuleOp>(text, &context);
    if (!module) {
      ADD_FAILURE() << one.what << " is no function of the machine:\n" << text;
      continue;
    }
    Executable executable =
        prepare(*module->getOps<mlir::func::FuncOp>().begin(), npuKernels());
    ExecutionState state(executable);
    std::vector<Tensor> inputs;
    for (const Codes &codes : one.operands)
      inputs.push_back(npu::test::toTensor(codes));
    Tensor y = state.run(inputs)[0].clone();
    dispatch(y.dtype(), [&](auto tag) {
      using T = typename decltype(tag)::type;
      if constexpr (std::is_integral_v<T>)
        results.back().assign(y.data<T>(), y.data<T>() + y.size());
    });
  }
  return results;
}

//===----------------------------------------------------------------------===//
// TOSA
//===----------------------------------------------------------------------===//

/// A function that returns its codes as a list of i32, and what main does with
/// it.
static void appendTosa(const Case &one, size_t number, std::string &functions,
                       std::string &calls) {
  std::vector<std::string> arguments, names, types;
  for (size_t i = 0; i < one.operands.size(); ++i) {
    const Codes &codes = one.operands[i];
    std::string type =
        typeText(permuted(codes.dims, one.layouts[i]), tosaElement(codes));
    std::vector<int64_t> values =
        transposed(codes.values, codes.dims, one.layouts[i]);
    for (int64_t &value : values)
      value -= tosaOffset(codes);
    std::string name = fmt::format("%x{}_{}", number, i);
    calls += fmt::format("  {} = arith.constant {} : {}\n", name,
                         denseText(values, codes.bits / 8), type);
    arguments.push_back(fmt::format("%x{}: {}", i, type));
    names.push_back(name);
    types.push_back(type);
  }
  int64_t count = elementCount(one.result.dims);
  Dims dims = permuted(one.result.dims, one.resultLayout);
  std::string list = typeText({count}, "i32"), wide = typeText(dims, "i32");
  bool isWide = one.tosaType == "i32";
  functions += fmt::format("func.func @case{}({}) -> {} {{\n{}", number,
                           fmt::join(arguments, ", "), list, one.tosa);
  if (!isWide)
    functions += fmt::format("  %wide = tosa.cast %r : ({}) -> {}\n",
                             typeText(dims, one.tosaType), wide);
  functions += fmt::format(
      "  %shape = tosa.const_shape {{values = dense<{}> : tensor<1xindex>}} : "
      "() -> !tosa.shape<1>\n"
      "  %list = tosa.reshape %{}, %shape : ({}, !tosa.shape<1>) -> {}\n"
      "  return %list : {}\n}}\n",
      count, isWide ? "r" : "wide", wide, list, list);
  calls +=
      fmt::format("  %r{0} = call @case{0}({1}) : ({2}) -> {3}\n"
                  "  %u{0} = tensor.cast %r{0} : {3} to tensor<*xi32>\n"
                  "  call @printMemrefI32(%u{0}) : (tensor<*xi32>) -> ()\n",
                  number, fmt::join(names, ", "), fmt::join(types, ", "), list);
}

/// From TOSA to linalg, and from there to LLVM's dialect.
static constexpr const char *toLinalg =
    "builtin.module(func.func(tosa-optional-decompositions,canonicalize,"
    "tosa-infer-shapes,tosa-make-broadcastable,tosa-to-linalg-named,"
    "canonicalize,tosa-layerwise-constant-fold,tosa-make-broadcastable,"
    "tosa-to-scf,tosa-to-linalg,tosa-to-arith{include-apply-rescale=true},"
    "tosa-to-tensor,canonicalize,cse,linalg-fuse-elementwise-ops))";
static constexpr const char *toLlvm =
    "builtin.module(one-shot-bufferize{bufferize-function-boundaries=true "
    "function-boundary-type-conversion=identity-layout-map},"
    "buffer-deallocation-pipeline,convert-bufferization-to-memref,"
    "func.func(convert-linalg-to-loops),expand-strided-metadata,lower-affine,"
    "convert-scf-to-cf,convert-cf-to-llvm,convert-math-to-llvm,"
    "convert-math-to-libm,convert-arith-to-llvm,finalize-memref-to-llvm,"
    "convert-func-to-llvm,reconcile-unrealized-casts)";

static bool runTool(const std::string &command) {
  int status = std::system(command.c_str());
  EXPECT_EQ(status, 0) << command;
  return status == 0;
}

/// The numbers behind every "data =".
static std::vector<std::vector<int64_t>> readPrinted(const std::string &file) {
  std::stringstream text;
  text << std::ifstream(file).rdbuf();
  std::string all = text.str();
  std::vector<std::vector<int64_t>> results;
  const std::string marker = "data =";
  for (size_t at = 0; (at = all.find(marker, at)) != std::string::npos;) {
    at = all.find('[', at) + 1;
    size_t end = all.find(']', at);
    std::stringstream numbers(all.substr(at, end - at));
    results.emplace_back();
    for (int64_t value = 0; numbers >> value; numbers.ignore(1))
      results.back().push_back(value);
    at = end;
  }
  return results;
}

std::vector<std::vector<int64_t>> Batch::runTosa() const {
  std::string functions, calls;
  for (size_t i = 0; i < cases.size(); ++i)
    appendTosa(cases[i], i, functions, calls);
  std::filesystem::create_directories(PARALLAX_WITNESS_DIR);
  std::string stem = std::string(PARALLAX_WITNESS_DIR) + "/" + name;
  std::ofstream(stem + ".mlir")
      << "func.func private @printMemrefI32(tensor<*xi32>)\n"
      << functions << "func.func @main() {\n"
      << calls << "  return\n}\n";
  bool isRun =
      runTool(
          fmt::format("'{0}' '{1}.mlir' --pass-pipeline='{2}' -o '{1}.linalg'",
                      PARALLAX_MLIR_OPT, stem, toLinalg)) &&
      runTool(
          fmt::format("'{0}' '{1}.linalg' --pass-pipeline='{2}' -o '{1}.llvm'",
                      PARALLAX_MLIR_OPT, stem, toLlvm)) &&
      runTool(fmt::format("'{0}' '{1}.llvm' -O0 -e main "
                          "--entry-point-result=void "
                          "--shared-libs='{2}/libmlir_runner_utils.so,"
                          "{2}/libmlir_c_runner_utils.so' > '{1}.out'",
                          PARALLAX_MLIR_RUNNER, stem, PARALLAX_MLIR_LIBRARIES));
  if (!isRun)
    return {};
  return readPrinted(stem + ".out");
}

//===----------------------------------------------------------------------===//
// Comparison
//===----------------------------------------------------------------------===//

/// Codes are equal if their bits are: TOSA's have a sign.
bool Batch::isEqual(const Case &one, const std::vector<int64_t> &machine,
                    const std::vector<int64_t> &tosa) const {
  std::vector<int64_t> expected =
      transposed(machine, one.result.dims, one.resultLayout);
  bool isCode = one.tosaType != "i32";
  int64_t offset = isCode ? tosaOffset(one.result) : 0;
  if (expected.size() != tosa.size() || expected.empty())
    return false;
  for (size_t i = 0; i < tosa.size(); ++i)
    if (expected[i] != tosa[i] + offset)
      return false;
  return true;
}

void Batch::check(size_t minCases) const {
  std::vector<std::vector<int64_t>> machine = runMachine(), tosa = runTosa();
  ASSERT_GE(cases.size(), minCases);
  ASSERT_EQ(tosa.size(), cases.size()) << "mlir-runner printed other results";
  // A comparison of nothing but limits would prove little.
  size_t atLow = 0, atHigh = 0, between = 0;
  for (size_t i = 0; i < cases.size(); ++i) {
    EXPECT_TRUE(isEqual(cases[i], machine[i], tosa[i]))
        << cases[i].what << ", case " << i << " of " << name << ".mlir in "
        << PARALLAX_WITNESS_DIR;
    for (int64_t code : machine[i])
      ++(code == cases[i].result.low    ? atLow
         : code == cases[i].result.high ? atHigh
                                        : between);
  }
  EXPECT_GT(between, 100u);
  if (cases[0].tosaType != "i32") {
    EXPECT_GT(atLow, 10u);
    EXPECT_GT(atHigh, 10u);
  }
}

size_t Batch::countDisturbed() const {
  std::vector<std::vector<int64_t>> machine = runMachine(), tosa = runTosa();
  size_t count = 0;
  for (size_t i = 0; i < std::min(machine.size(), tosa.size()); ++i) {
    machine[i].front() ^= 1;
    count += isEqual(cases[i], machine[i], tosa[i]) ? 0 : 1;
  }
  return count;
}

} // namespace parallax::tosa
