//===- Conformance.cpp - Vectors for other implementations ----------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Each vector is lowered for the target, written as a compiled model, and run
// by the simulator.
//===----------------------------------------------------------------------===//
#include "parallax/Conformance/Conformance.h"
#include "Vectors.h"

#include "parallax/Backend/NPU/NPU.h"
#include "parallax/Compiled/CompiledModel.h"
#include "parallax/Config/Target.h"
#include "parallax/Data/TensorFolder.h"
#include "parallax/Dialect/NN/NNOps.h"
#include "parallax/Dialect/NPU/NPUOps.h"
#include "parallax/Passes/Lower/Lower.h"
#include "parallax/Support/AtomicFile.h"
#include "parallax/Support/Diagnostics.h"
#include "parallax/Support/Views.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Quant/IR/Quant.h"
#include "mlir/Parser/Parser.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <sstream>

namespace fs = std::filesystem;

namespace parallax {
namespace {

using Json = nlohmann::ordered_json;
using conformance::Vector;

/// C9 before C36 before C36a.
struct ByNumber {
  bool operator()(const std::string &a, const std::string &b) const {
    int first = std::atoi(a.c_str() + 1), second = std::atoi(b.c_str() + 1);
    return first != second ? first < second : a < b;
  }
};

class VectorWriter {
public:
  VectorWriter(const Target &target, const fs::path &folder)
      : target(target), folder(folder) {
    context.loadDialect<nn::NNDialect, npu::NPUDialect, mlir::func::FuncDialect,
                        mlir::quant::QuantDialect>();
    info.targetName = target.name;
    info.targetJson = toJson(target);
  }

  void write(const Vector &vector);
  Json index() const;

  ConformanceReport report;

private:
  OwningOpRef<ModuleOp> parse(const Vector &vector);
  Json portsOf(const Vector &vector, const char *part,
               const std::vector<PortInfo> &ports,
               std::span<const Tensor> tensors);

  const Target &target;
  fs::path folder;
  MLIRContext context{MLIRContext::Threading::DISABLED};
  CompiledInfo info;
  Json vectors = Json::object();
  std::map<std::string, std::vector<std::string>, ByNumber> clauses;
};

OwningOpRef<ModuleOp> VectorWriter::parse(const Vector &vector) {
  std::string text = textOf(vector);
  return orThrow(&context, [&]() -> FailureOr<OwningOpRef<ModuleOp>> {
    auto module = mlir::parseSourceString<ModuleOp>(text, &context);
    if (!module)
      return mlir::failure();
    return module;
  });
}

/// Writes tensors, and says where they are.
Json VectorWriter::portsOf(const Vector &vector, const char *part,
                           const std::vector<PortInfo> &ports,
                           std::span<const Tensor> tensors) {
  std::vector<fs::path> files = writeFolder(folder / vector.name / part, ports,
                                            tensors, TensorFormat::Raw);
  Json list = Json::array();
  for (size_t i = 0; i < ports.size(); ++i)
    list.push_back(
        {{"name", ports[i].name},
         {"file", files[i].lexically_relative(folder).generic_string()},
         {"type", std::string(nameOf(ports[i].dtype))},
         {"shape", tensors[i].shape()}});
  return list;
}

void VectorWriter::write(const Vector &vector) {
  OwningOpRef<ModuleOp> module = parse(vector);
  LowerReport lowering;
  mlir::func::FuncOp machine;
  fs::path file = folder / vector.name / "compiled.axmodel";
  try {
    machine = orThrow(&context, [&] {
      return lowerNetwork(
          module->lookupSymbol<mlir::func::FuncOp>(views::quantized), target,
          &lowering);
    });
    if (!lowering.islands.empty())
      throw Error("it computes in float: " + lowering.islands[0].why);
    writeCompiledModel(machine, file, info);
  } catch (const WriteError &) {
    throw;
  } catch (const Error &error) {
    // A sum that its accumulator can't hold, or a type that is not taken.
    report.skipped[vector.name] = error.what();
    return;
  }
  Executable executable = prepare(machine, npuKernels());
  ExecutionState state(executable);
  std::vector<Tensor> inputs = inputsOf(vector);
  std::span<const Tensor> outputs = state.run(inputs);

  Json entry = {{"model", file.lexically_relative(folder).generic_string()},
                {"clauses", Json::array()}};
  std::istringstream labels(vector.clauses);
  for (std::string label; labels >> label;) {
    entry["clauses"].push_back(label);
    clauses[label].push_back(vector.name);
  }
  entry["inputs"] = portsOf(vector, "input", executable.inputs, inputs);
  entry["outputs"] = portsOf(vector, "expected", executable.outputs, outputs);
  vectors[vector.name] = std::move(entry);
  ++report.vectors;
}

Json VectorWriter::index() const {
  const TargetArithmetic &arithmetic = target.arithmetic;
  return {{"format", "parallax conformance vectors"},
          {"version", 1},
          {"tool_version", PARALLAX_VERSION},
          {"target",
           {{"name", target.name},
            {"rounding", std::string(configName(arithmetic.rounding))},
            {"multiplier_bits", arithmetic.multiplierBits},
            {"accumulator_bits_8", arithmetic.accumulatorBits8},
            {"accumulator_bits_16", arithmetic.accumulatorBits16},
            {"table_knots", arithmetic.tableKnots}}},
          {"clauses", clauses},
          {"vectors", vectors},
          {"skipped", report.skipped}};
}

} // namespace

ConformanceReport writeConformance(const Target &target,
                                   const fs::path &folder) {
  fs::path index = folder / "index.json";
  createParentDirectories(index);
  // A folder without an index is one that was not finished.
  std::error_code ignored;
  fs::remove(index, ignored);
  VectorWriter writer(target, folder);
  std::string errors;
  for (const Vector &vector : conformance::allVectors())
    try {
      writer.write(vector);
    } catch (const WriteError &) {
      throw;
    } catch (const Error &error) {
      errors += fmt::format("{}vector '{}': {}", errors.empty() ? "" : "\n",
                            vector.name, error.what());
    }
  if (!errors.empty())
    throw Error(errors);
  Json json = writer.index();
  writer.report.clauses = json["clauses"].size();
  writeFileAtomically(index, json.dump(2) + "\n");
  return writer.report;
}

} // namespace parallax
