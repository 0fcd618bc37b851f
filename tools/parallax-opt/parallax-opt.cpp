//===- parallax-opt.cpp - Any pass on any .mlir ---------------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// The tool of developers and tests: reads a module, runs passes, prints.
//===----------------------------------------------------------------------===//
#include "parallax/Dialect/NN/NNOps.h"
#include "parallax/Dialect/NPU/NPUOps.h"
#include "parallax/Passes/Analyze/Passes.h"
#include "parallax/Passes/Calibrate/Passes.h"
#include "parallax/Passes/Lower/Passes.h"
#include "parallax/Passes/Optimize/Passes.h"
#include "parallax/Passes/Processors/Passes.h"
#include "parallax/Passes/Quantize/Passes.h"

#include "mlir/Dialect/Quant/IR/Quant.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "mlir/Transforms/Passes.h"

int main(int argc, char **argv) {
  mlir::DialectRegistry registry;
  registry.insert<parallax::nn::NNDialect, parallax::npu::NPUDialect,
                  mlir::func::FuncDialect, mlir::quant::QuantDialect>();
  mlir::registerTransformsPasses();
  parallax::registerOptimizePasses();
  parallax::registerProcessorsPasses();
  parallax::registerCalibratePasses();
  parallax::registerQuantizePasses();
  parallax::registerLowerPasses();
  parallax::registerAnalyzePasses();
  return mlir::asMainReturnCode(
      mlir::MlirOptMain(argc, argv, "Parallax network optimizer\n", registry));
}
