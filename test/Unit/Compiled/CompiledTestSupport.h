//===- CompiledTestSupport.h - Compiled sample networks --------*- C++ -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// From the text of a network to its compiled model, and from files to outputs.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_TEST_UNIT_COMPILED_COMPILEDTESTSUPPORT_H
#define PARALLAX_TEST_UNIT_COMPILED_COMPILEDTESTSUPPORT_H

#include "../Passes/QuantizeTestSupport.h"
#include "../Support/TempDir.h"
#include "SampleNetworks.h"
#include "parallax/Backend/NPU/NPU.h"
#include "parallax/Compiled/CompiledModel.h"
#include "parallax/Config/Target.h"
#include "parallax/Dialect/NPU/NPUOps.h"
#include "parallax/Passes/Lower/Lower.h"

namespace parallax {

inline std::ostream &operator<<(std::ostream &stream,
                                const SampleNetwork &sample) {
  return stream << sample.name;
}

class CompiledTest : public QuantizeTest {
protected:
  /// The npu view of a network.
  FuncOp lower(const SampleNetwork &sample, const Target &target = {}) {
    calibration = {};
    config = {};
    parse(withRandomWeights(sample.text));
    std::vector<std::vector<Tensor>> samples;
    for (int i = 0; i < 3; ++i)
      samples.push_back({random(function().getArgumentTypes()[0], -1, 1)});
    calibration = calibrate(function(), samples);
    LayerConfig all;
    all.layerNameRegex = ".*";
    all.dataType = sample.bits == 8 ? DataType::U8 : DataType::U16;
    if (sample.bits == 16)
      all.weightDataType = DataType::S16;
    config.layerConfigs.push_back(all);
    if (sample.floatLayer)
      setType(sample.floatLayer, DataType::FP32);
    quantize();
    return lowerView(view, target);
  }

  static const SampleNetwork &sample(const std::string &name) {
    for (const SampleNetwork &each : sampleNetworks)
      if (each.name == name)
        return each;
    throw Error("there is no sample " + name);
  }

  static CompiledInfo someInfo() {
    CompiledInfo info;
    info.toolVersion = "1.2.3";
    info.targetName = "generic";
    info.targetJson = "{\"name\": \"generic\"}";
    info.modelSha256 = std::string(64, 'a');
    info.configSha256 = std::string(64, 'b');
    info.calibrationSha256 = std::string(64, 'c');
    return info;
  }

  static std::vector<Tensor> runNpu(FuncOp function,
                                    const std::vector<Tensor> &inputs) {
    Executable executable = prepare(function, npuKernels());
    ExecutionState state(executable);
    std::vector<Tensor> results;
    for (const Tensor &result : state.run(inputs))
      results.push_back(result.clone());
    return results;
  }

  static std::string bytesOf(const Tensor &tensor) {
    return {static_cast<const char *>(tensor.rawData()), tensor.byteSize()};
  }

  static FuncOp npuOf(ModuleOp module) {
    return module.lookupSymbol<FuncOp>("npu");
  }

  TempDir folder;
};

} // namespace parallax

#endif // PARALLAX_TEST_UNIT_COMPILED_COMPILEDTESTSUPPORT_H
