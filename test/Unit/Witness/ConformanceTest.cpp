//===- ConformanceTest.cpp - Conformance vectors tell readings apart ------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// The literal implementation passes all vectors, as files, on any target; with
// one statement of docs/numerics.md read wrong it fails one of that statement.
//===----------------------------------------------------------------------===//
#include "parallax/Conformance/Conformance.h"
#include "LiteralNetwork.h"
#include "Misreadings.h"
#include "parallax/Compiled/CompiledModel.h"
#include "parallax/Config/Target.h"
#include "parallax/Dialect/NN/NNOps.h"
#include "parallax/Dialect/NPU/NPUOps.h"
#include "parallax/Support/TensorFile.h"
#include "parallax/Support/Views.h"

#include "mlir/IR/BuiltinOps.h"

#include <fmt/format.h>
#include <fstream>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <set>

using namespace parallax;
using literal::Misreading;
using literal::misreadings;
using literal::Needs;
namespace fs = std::filesystem;

namespace {

/// What is read is right again afterwards.
struct ReadingScope {
  explicit ReadingScope(std::string_view name) { literal::wrongReading = name; }
  ~ReadingScope() { literal::wrongReading = {}; }
};

struct LoadedVector {
  OwningOpRef<ModuleOp> module;
  std::vector<Tensor> inputs, outputs;
};

class ConformanceTest : public testing::Test {
protected:
  ConformanceTest() {
    context
        .loadDialect<nn::NNDialect, npu::NPUDialect, mlir::func::FuncDialect>();
    folder = fs::path(testing::TempDir()) /
             fmt::format(
                 "conformance-{}-{}", getpid(),
                 testing::UnitTest::GetInstance()->current_test_info()->name());
  }
  ~ConformanceTest() override { fs::remove_all(folder); }

  void load(const Target &target) {
    report = writeConformance(target, folder);
    std::ifstream file(folder / "index.json");
    index = nlohmann::json::parse(file);
    for (auto &[name, entry] : index["vectors"].items()) {
      LoadedVector &vector = vectors[name];
      vector.module = readCompiledModel(
          folder / entry["model"].get<std::string>(), context);
      vector.inputs = tensorsOf(entry["inputs"]);
      vector.outputs = tensorsOf(entry["outputs"]);
    }
    EXPECT_EQ(vectors.size(), report.vectors);
  }

  std::vector<Tensor> tensorsOf(const nlohmann::json &ports) {
    std::vector<Tensor> tensors;
    for (const auto &port : ports) {
      DType dtype = parseDType(port["type"].get<std::string>()).value();
      tensors.push_back(readRaw(folder / port["file"].get<std::string>(), dtype,
                                port["shape"].get<Shape>()));
    }
    return tensors;
  }

  /// Empty if the literal implementation finds the expected bits.
  std::string run(const std::string &name) {
    LoadedVector &vector = vectors.at(name);
    auto function = vector.module->lookupSymbol<mlir::func::FuncOp>(views::npu);
    auto values = literal::runLiterally(function, vector.inputs);
    Operation *terminator = function.front().getTerminator();
    for (auto [value, expected] :
         llvm::zip_equal(terminator->getOperands(), vector.outputs))
      if (std::string text = literal::difference(values.at(value), expected);
          !text.empty())
        return text;
    return "";
  }

  void expectAllRight() {
    for (auto &[name, vector] : vectors)
      EXPECT_EQ(run(name), "") << name;
  }

  /// How many vectors of its statement a wrong reading fails.
  size_t caught(const Misreading &reading) {
    ReadingScope scope(reading.name);
    std::string clause = std::string(reading.name);
    clause.resize(clause.find('.'));
    size_t count = 0;
    for (const auto &name : index["clauses"][clause])
      count += run(name.get<std::string>()).empty() ? 0 : 1;
    return count;
  }

  static bool matters(const Misreading &reading,
                      const TargetArithmetic &arithmetic) {
    int64_t bits = arithmetic.multiplierBits;
    switch (reading.needs) {
    case Needs::Nothing:
      return true;
    case Needs::WideProducts:
      return bits + arithmetic.accumulatorBits16 > 64;
    case Needs::AllMultiplierBits:
      return bits == 31;
    case Needs::LongMultipliers:
      return bits > 16;
    }
    return true;
  }

  /// All readings that make a difference, with the table as text.
  void expectAllCaught(const Target &target) {
    std::string table = fmt::format("{:28} {:>7}  {}\n", "wrong reading",
                                    "vectors", "what is read");
    for (const Misreading &reading : misreadings) {
      if (!matters(reading, target.arithmetic))
        continue;
      size_t count = caught(reading);
      EXPECT_GT(count, 0u) << "no vector finds out " << reading.name << ": "
                           << reading.what;
      table +=
          fmt::format("{:28} {:7}  {}\n", reading.name, count, reading.what);
    }
    fmt::print("{}", table);
  }

  mlir::MLIRContext context{mlir::MLIRContext::Threading::DISABLED};
  fs::path folder;
  ConformanceReport report;
  nlohmann::json index;
  std::map<std::string, LoadedVector> vectors;
};

class Roundings : public ConformanceTest,
                  public testing::WithParamInterface<Rounding> {};

TEST_P(Roundings, EveryWrongReadingFailsAVector) {
  Target target;
  target.arithmetic.rounding = GetParam();
  load(target);
  EXPECT_TRUE(report.skipped.empty()) << report.skipped.begin()->second;
  expectAllRight();
  expectAllCaught(target);
}

INSTANTIATE_TEST_SUITE_P(All, Roundings,
                         testing::Values(Rounding::HalfUp, Rounding::HalfAway,
                                         Rounding::HalfEven),
                         [](const auto &info) {
                           std::string name(configName(info.param));
                           std::erase(name, '_');
                           return name;
                         });

TEST_F(ConformanceTest, OtherTarget) {
  Target target;
  target.arithmetic = {26, 42, 19, Rounding::HalfAway, 129};
  load(target);
  // Its sums have 44 bits.
  EXPECT_EQ(report.skipped.size(), 1u);
  EXPECT_TRUE(report.skipped.contains("fc-shift-64"));
  expectAllRight();
  expectAllCaught(target);
}

/// What does not fit is left out with a reason; the rest still holds.
TEST_F(ConformanceTest, SmallestTarget) {
  Target target;
  target.arithmetic = {12, 12, 8, Rounding::HalfEven, 5};
  load(target);
  EXPECT_GT(report.vectors, 100u);
  EXPECT_FALSE(report.skipped.empty());
  for (const auto &[name, why] : report.skipped)
    EXPECT_FALSE(why.empty()) << name;
  expectAllRight();
}

/// The page has all statements that vectors name; those without a vector are
/// derivations, bounds, and the few that are listed here.
TEST_F(ConformanceTest, IndexNamesStatementsOfThePage) {
  load(Target());
  std::ifstream file(PARALLAX_TEST_ROOT "/../docs/numerics.md");
  std::string page(std::istreambuf_iterator<char>(file), {});
  for (auto &[clause, names] : index["clauses"].items()) {
    EXPECT_NE(page.find("- **" + clause + "** "), std::string::npos) << clause;
    EXPECT_FALSE(names.empty());
  }
  const std::set<std::string> without = {
      "C5",  "C11",  "C12", "C14", "C24", "C27", "C28", "C30", "C34",
      "C35", "C39a", "C41", "C43", "C50", "C63", "C65", "C70"};
  for (size_t at = page.find("- **C"); at != std::string::npos;
       at = page.find("- **C", at + 1)) {
    std::string clause = page.substr(at + 4, page.find("**", at + 4) - at - 4);
    EXPECT_NE(index["clauses"].contains(clause), without.contains(clause))
        << clause;
  }
  for (const Misreading &reading : misreadings) {
    std::string clause = reading.name;
    clause.resize(clause.find('.'));
    EXPECT_TRUE(index["clauses"].contains(clause)) << reading.name;
  }
}

} // namespace
