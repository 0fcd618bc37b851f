//===- Inspect.cpp - The subcommand `parallax inspect` --------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Prints the facts of the file first, which never fails on a valid model, then
// tries to import it.
//===----------------------------------------------------------------------===//
#include "Inspect.h"
#include "../common/NetworkFlags.h"
#include "../common/Subcommand.h"

#include "parallax/Config/Target.h"
#include "parallax/Dialect/NN/Cost.h"
#include "parallax/Frontend/ONNX/Summary.h"
#include "parallax/Pipeline/InspectModel.h"
#include "parallax/Report/Table.h"
#include "parallax/Support/Digest.h"
#include "parallax/Support/Error.h"
#include "parallax/Support/Log.h"
#include "parallax/Support/Unicode.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace parallax {
namespace {

using onnx_import::ModelPort;
using onnx_import::ModelSummary;

struct InspectFlags {
  NetworkOptions network;
  std::string target = "generic";
  CommonOptions common;
};

void printPorts(const ModelSummary &summary, const TableStyle &style) {
  Table table({Column::label(""), Column::text("Tensor"), Column::label("Type"),
               Column::label("Shape")});
  for (const ModelPort &port : summary.inputs)
    table.addRow({"input", port.name, port.dtype, port.shape});
  for (const ModelPort &port : summary.outputs)
    table.addRow({"output", port.name, port.dtype, port.shape});
  showResult(table.render(style));
}

void printOperators(const ModelSummary &summary, const TableStyle &style) {
  Table table({Column::label("Operator"), Column::number("Nodes"),
               Column::text("Support")});
  for (const auto &[name, count] : summary.operators) {
    auto it = summary.unsupported.find(name);
    if (it == summary.unsupported.end()) {
      table.addRow({name, std::to_string(count), Cell("yes", Tint::Good)});
      continue;
    }
    std::string nodes = fmt::format("no: {}", fmt::join(it->second, ", "));
    table.addRow({name, std::to_string(count), Cell(nodes, Tint::Bad)});
  }
  showResult(table.render(style));
}

int inspect(const InspectFlags &options) {
  if (isCompiledFile(options.network.model)) {
    showResult(describeCompiledModel(options.network.model,
                                     currentListener().style()));
    return 0;
  }
  ModelSummary summary = onnx_import::summarizeModel(options.network.model);
  TableStyle style = currentListener().style();
  showResult(fmt::format(
      "{}\n  graph '{}', operator set {}, IR version {}, producer {}\n",
      printable(options.network.model), printable(summary.name), summary.opset,
      summary.irVersion,
      summary.producer.empty() ? "unknown" : printable(summary.producer)));
  printPorts(summary, style);
  printOperators(summary, style);
  showResult(fmt::format("Parameters: {}\n", summary.parameters));
  try {
    Network network(options.network);
    nn::NetworkCost cost = nn::countCost(network.function());
    showResult(fmt::format("Multiply-accumulates: {}\n", cost.macs));
    if (std::string quantized =
            describeQuantizedModel(network, options.target, style);
        !quantized.empty())
      showResult(quantized + fmt::format("sha256: {}\n",
                                         sha256OfFile(options.network.model)));
  } catch (const Error &error) {
    reportError(error.what());
    return 1;
  }
  return 0;
}

} // namespace

int runInspect(int argc, char **argv) {
  InspectFlags options;
  CLI::App app("Shows inputs, outputs, operators, parameters and "
               "multiply-accumulates of an ONNX file, and whatever is in the "
               "way of importing it; of quantized and compiled models also "
               "types, scales, digests and the estimated cost.",
               "parallax inspect");
  app.add_option("model", options.network.model,
                 "an ONNX file or a compiled model")
      ->required()
      ->type_name("FILE");
  addNetworkOptions(app, options.network);
  app.add_option("--target_hardware", options.target,
                 "the chip that the cost of a quantized model is estimated "
                 "for, or a .json file that describes it (default: generic)")
      ->type_name(fmt::format("{}|FILE", fmt::join(targetNames(), "|")));
  app.footer("\nExit code: 0 if the model can be imported, 1 if it can't, 2 if "
             "it is not a model.\n"
             "Example:\n  parallax inspect net.onnx --input_shapes "
             "\"x:1x3x224x224\"");
  return runSubcommand(app, options.common, argc, argv,
                       [&] { return inspect(options); });
}

} // namespace parallax
