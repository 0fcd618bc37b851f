//===- BuildConfig.h - What `parallax build` is asked to do ----*- C++ -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Plain data. What each member means, its name in a file, its limits and
// whether it is obeyed stand in one description (Description.h), and
// docs/config.md is made of that; the initial values here are the defaults.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_CONFIG_BUILDCONFIG_H
#define PARALLAX_CONFIG_BUILDCONFIG_H

#include "parallax/Config/Enums.h"
#include "parallax/Support/CompileOptions.h"
#include "parallax/Support/ModelPatches.h"

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace parallax {

struct OnnxOptions {
  bool disableOnnxOptimization = false;
  bool enableOnnxsim = false;
  bool modelCheck = false;
  bool disableTransformationCheck = false;
  bool saveTensorsData = false;
};

struct InputQuantConfig {
  std::string tensorName;
  std::string calibrationDataset;
  DataFormat calibrationFormat = DataFormat::Image;
  int64_t calibrationSize = 32;
  std::vector<double> calibrationMean;
  std::vector<double> calibrationStd;
  ImageFit calibrationResize = ImageFit::Default;
};

struct LayerConfig {
  std::string layerName;
  std::vector<std::string> layerNames;
  std::string layerNameRegex;
  std::string opType;
  std::vector<std::string> opTypes;
  std::vector<std::string> startTensorNames;
  std::vector<std::string> endTensorNames;
  DataType dataType = DataType::Default;
  DataType weightDataType = DataType::Default;
  DataType outputDataType = DataType::Default;
};

struct TensorConfig {
  std::vector<std::string> tensorNames;
  std::string tensorNameRegex;
  std::vector<std::string> layerNames;
  std::vector<std::string> opTypes;
  QuantMethod calibrationMethod = QuantMethod::MinMax;
  /// 0 stands for that of all tensors.
  double percentile = 0;
  /// 0 stands for all.
  int64_t bits = 0;
};

struct QuantConfig {
  std::vector<InputQuantConfig> inputConfigs;
  std::vector<LayerConfig> layerConfigs;
  QuantMethod calibrationMethod = QuantMethod::MinMax;
  std::vector<TensorConfig> tensorConfigs;
  double percentile = 0.9999;
  int64_t histogramBins = 2048;
  std::string calibrationCache;
  bool saveRangeProvenance = false;
  bool precisionAnalysis = false;
  AnalysisMethod precisionAnalysisMethod = AnalysisMethod::PerLayer;
  PrecisionAnalysisMode precisionAnalysisMode =
      PrecisionAnalysisMode::Reference;
  int64_t precisionAnalysisSize = 8;
  AnalysisColumns precisionAnalysisColumns = AnalysisColumns::Standard;
  bool precisionAnalysisDump = false;
  std::string inputSampleDir;
  bool calibrationHoldOut = true;
  bool highestMixPrecision = false;
  DataType convBiasDataType = DataType::S32;
  DataType lnScaleDataType = DataType::FP32;
  QdqFormat qdqFormat = QdqFormat::U8S8;
  double refineWeightThreshold = 1e-6;
  bool disableAutoRefineScale = false;
  bool enableSmoothQuant = false;
  double smoothQuantThreshold = 0.2;
  /// None stands for "auto".
  std::optional<double> smoothQuantStrength = 0.6;
  bool enableEqualization = false;
  bool enableBiasCorrection = false;
  int64_t transformerOptLevel = 0;
  int64_t check = 0;
  bool disableQuantOptimization = false;
  bool enableEasyQuant = false;
  bool enableBrecq = false;
  bool enableLsq = false;
  bool enableAdaround = false;
  int64_t finetuneEpochs = 500;
  int64_t finetuneBlockSize = 4;
  int64_t finetuneBatchSize = 1;
  double finetuneLr = 1e-3;
  std::string device = "cpu";
};

struct ExtraShape {
  std::vector<int64_t> shape;
};

/// How an input arrives at run time (src) and how the model takes it (tensor).
struct InputProcessor {
  std::string tensorName;
  ColorSpace tensorFormat = ColorSpace::Auto;
  TensorLayout tensorLayout = TensorLayout::NCHW;
  ColorSpace srcFormat = ColorSpace::Auto;
  TensorLayout srcLayout = TensorLayout::NCHW;
  DataType srcDtype = DataType::FP32;
  std::vector<ExtraShape> srcExtraShapes;
  CscMode cscMode = CscMode::None;
  std::vector<double> cscMat;
  std::vector<double> mean;
  std::vector<double> std;
  std::vector<int64_t> padding;
  std::string paddingMode = "constant";
  int64_t paddingConstantValue = 0;
  std::vector<int64_t> slicing;
  double scale = 0;
  int64_t zeropoint = 0;

  /// What pictures for the model are told of its layout. NCHW is the default,
  /// also of models whose shape says otherwise.
  TensorLayout pictureLayout() const {
    return tensorLayout == TensorLayout::NHWC ? TensorLayout::NHWC
                                              : TensorLayout::Default;
  }
};

struct OutputProcessor {
  std::string tensorName;
  TensorLayout tensorLayout = TensorLayout::Default;
  std::vector<int64_t> dstPerm;
  DataType outputDtype = DataType::FP32;
};

struct PatternNode {
  std::vector<std::string> types;
  std::vector<std::string> inputs;
  std::vector<std::string> outputs;
  std::map<std::string, onnx_import::AttributeValue> properties;
};

struct GroupPattern {
  std::vector<PatternNode> nodes;
  ScheduleStrategy type = ScheduleStrategy::Tile;
  MatchMode matchMode = MatchMode::Op;
};

struct CompilerConfig {
  std::vector<int64_t> staticBatchSizes;
  int64_t maxDynamicBatchSize = 0;
  double ddrBwLimit = 0;
  bool disableIrFix = false;
  int64_t check = 0;
  CheckMode checkMode = CheckMode::Output;
  double checkRtol = 1e-5;
  double checkAtol = 0;
  double checkCosineSimularity = 0.999;
  std::vector<std::string> checkTensorBlackList;
  std::string inputSampleDir;
  bool npuPerf = false;
  bool enableSliceMode = false;
  bool enableTileMode = false;
  bool enableDataSoftCompression = false;
  std::vector<GroupPattern> compilerGroupPatterns;
  std::vector<std::string> startTensorNames;
  std::vector<std::string> endTensorNames;
  /// Each has all values: what it did not set itself is that of its owner.
  std::vector<CompilerConfig> subConfigs;
};

struct DebugOptions {
  bool dumpFrontendGraph = false;
  bool dumpPhases = false;
};

/// What one input of the network reads while it is evaluated.
struct EvaluationInput {
  std::string tensorName;
  std::string data;
  std::string pairData;
  double value = 0;
};

struct EvaluationConfig {
  EvaluationTask task = EvaluationTask::Classification;
  std::string images;
  std::string labels;
  std::vector<EvaluationInput> inputs;
  int64_t size = -1;
  std::string classes;
  std::string output;

  // How pictures are prepared.
  ImageFit resize = ImageFit::Default;
  double cropFraction = 0.875;
  int64_t border = 114;
  ColorSpace tensorFormat = ColorSpace::Auto;
  std::vector<double> mean;
  std::vector<double> std;

  // What decides whether a network is good enough.
  std::string metric;
  LossCriterion criterion = LossCriterion::Relative;
  double tolerableLoss = 0.01;
  int64_t bootstrapSamples = 1000;
  int64_t randomSeed = 0;

  // Detection.
  DetectionHead head = DetectionHead::Auto;
  BoxFormat boxFormat = BoxFormat::Default;
  BoxUnit boxUnit = BoxUnit::Default;
  bool backgroundClass = false;
  std::vector<double> anchors;
  double scoreThreshold = 0.001;
  double nmsThreshold = 0.7;
  int64_t maxDetections = 100;

  // Segmentation.
  int64_t ignoreLabel = 255;
  double maskThreshold = 0.5;

  // Embedding.
  Pooling pooling = Pooling::Default;
  std::string maskInput = "attention_mask";

  // Custom.
  std::string command;
  bool higherIsBetter = true;
  int64_t timeout = 3600;

  /// Whether there is anything to evaluate on.
  bool isGiven() const { return !images.empty() || !inputs.empty(); }
};

/// When a tuned network is good enough.
struct TuningCriterion {
  LossCriterion criterion = LossCriterion::Relative;
  bool higherIsBetter = true;
  double tolerableLoss = 0.01;
};

struct TuningExit {
  /// In seconds; 0 means none.
  int64_t timeout = 0;
  int64_t maxTrials = 100;
};

/// Which types some of the layers may get.
struct AllowedTypes {
  /// A regular expression (Support/NamePattern.h).
  std::string pattern;
  std::vector<DataType> types;
};

struct TuningConfig {
  TuningStrategy strategy = TuningStrategy::Auto;
  TuningCriterion accuracyCriterion;
  TuningObjective objective = TuningObjective::Cycles;
  TuningExit exitPolicy;
  int64_t randomSeed = 1;
  /// The first entry that matches decides, and names win over types.
  std::vector<AllowedTypes> opNameDict;
  std::vector<AllowedTypes> opTypeDict;
  std::vector<TuningLever> levers = {
      TuningLever::Calibration, TuningLever::Equalization,
      TuningLever::SmoothQuant, TuningLever::EasyQuant,
      TuningLever::BiasCorrection};
  double validationShare = 0.5;
  std::string customCommand;
};

struct BuildConfig {
  std::string input;
  std::string outputDir;
  std::string outputName = "compiled.axmodel";
  std::string workDir;
  ModelType modelType = ModelType::Onnx;
  /// A chip or the path of a target file; see findTarget().
  std::string targetHardware = "AX650";
  NpuMode npuMode = NpuMode::NPU1;
  std::string inputShapes;
  OnnxOptions onnxOpt;
  QuantConfig quant;
  std::vector<InputProcessor> inputProcessors;
  std::vector<OutputProcessor> outputProcessors;
  std::vector<onnx_import::ConstProcessor> constProcessors;
  std::vector<onnx_import::OpProcessor> opProcessors;
  std::vector<onnx_import::OpProcessor> quantOpProcessors;
  CompilerConfig compiler;
  EvaluationConfig evaluation;
  TuningConfig tuning;
  DebugOptions debug;
};

/// The entry of a list that is for a tensor: the one that names it, or the one
/// for all; null if there is neither.
template <typename Entry>
const Entry *entryFor(const std::string &tensor,
                      std::span<const Entry> entries) {
  const Entry *found = nullptr;
  for (const Entry &entry : entries)
    if (entry.tensorName == tensor || (!found && entry.tensorName == "DEFAULT"))
      found = &entry;
  return found;
}

/// Reads relaxed JSON (RelaxedJson.h); the flags win over the file. Paths in
/// the file are relative to the current folder, as in Pulsar2. Throws one Error
/// that lists all mistakes, each in its own line. What is allowed but looks
/// like a mistake is appended to `warnings`.
BuildConfig readBuildConfig(const std::string &path,
                            const std::vector<ConfigOverride> &flags = {},
                            std::vector<std::string> *warnings = nullptr);

/// The same for text in memory; messages call it `name`.
BuildConfig parseBuildConfig(std::string_view text, const std::string &name,
                             const std::vector<ConfigOverride> &flags = {},
                             std::vector<std::string> *warnings = nullptr);

/// Every field with its value, as JSON that readBuildConfig reads as the same
/// configuration.
std::string toJson(const BuildConfig &config);

/// Takes a field, such as "compiler.sub_configs[0].input_sample_dir", and its
/// value.
using PathVisitor =
    std::function<void(const std::string &field, std::string &path)>;

/// Calls `fn` for every file and folder that the configuration names, empty
/// ones included.
void forEachPath(BuildConfig &config, const PathVisitor &fn);

struct InactiveField {
  std::string field;
  std::string why;
};

/// The fields that ask for something other than the default, in vain: nothing
/// acts on them.
std::vector<InactiveField> inactiveFields(const BuildConfig &config);

} // namespace parallax

#endif // PARALLAX_CONFIG_BUILDCONFIG_H
