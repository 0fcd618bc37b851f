//===- FieldCases.cpp - A value for every field ---------------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// The table, and what must stand beside a field.
//===----------------------------------------------------------------------===//
#include "FieldCases.h"
#include "ConfigLists.h"

#include <algorithm>
#include <fmt/format.h>

namespace parallax {
namespace {

using C = const BuildConfig &;

const CompilerConfig &part(C config) { return config.compiler.subConfigs[0]; }

const std::vector<FieldCase> table = {
    {"input", R"("a")", [](C c) { return c.input == "a"; },
     "Tools/build-errors.test"},
    {"output_dir", R"("a")", [](C c) { return c.outputDir == "a"; },
     "Tools/build-errors.test"},
    {"output_name", R"("a")", [](C c) { return c.outputName == "a"; },
     "Tools/compile.test"},
    {"work_dir", R"("a")", [](C c) { return c.workDir == "a"; },
     "Tools/calibration-data.test"},
    {"model_type", R"("QuantONNX")",
     [](C c) { return c.modelType == ModelType::QuantOnnx; },
     "Tools/quantize.test"},
    {"target_hardware", R"("AX620E")",
     [](C c) { return c.targetHardware == "AX620E"; }, "Tools/compile.test"},
    {"npu_mode", R"("NPU3")", [](C c) { return c.npuMode == NpuMode::NPU3; },
     "Tools/compile.test"},
    {"input_shapes", R"("a:1x2;b:3")",
     [](C c) { return c.inputShapes == "a:1x2;b:3"; },
     "Tools/calibration-data.test"},

    {"onnx_opt.disable_onnx_optimization", "true",
     [](C c) { return c.onnxOpt.disableOnnxOptimization; },
     "Tools/optimize.test"},
    {"onnx_opt.enable_onnxsim", "true",
     [](C c) { return c.onnxOpt.enableOnnxsim; }},
    {"onnx_opt.model_check", "true", [](C c) { return c.onnxOpt.modelCheck; },
     "Tools/optimize.test"},
    {"onnx_opt.disable_transformation_check", "true",
     [](C c) { return c.onnxOpt.disableTransformationCheck; },
     "Tools/optimize.test"},
    {"onnx_opt.save_tensors_data", "true",
     [](C c) { return c.onnxOpt.saveTensorsData; }},

    {"quant.input_configs[].tensor_name", R"("a")",
     [](C c) { return c.quant.inputConfigs[0].tensorName == "a"; },
     "Tools/calibrate.test"},
    {"quant.input_configs[].calibration_dataset", R"("a")",
     [](C c) { return c.quant.inputConfigs[0].calibrationDataset == "a"; },
     "Tools/calibrate.test"},
    {"quant.input_configs[].calibration_format", R"("NumpyObject")",
     [](C c) {
       return c.quant.inputConfigs[0].calibrationFormat ==
              DataFormat::NumpyObject;
     },
     "Tools/calibration-data.test"},
    {"quant.input_configs[].calibration_size", "-1",
     [](C c) { return c.quant.inputConfigs[0].calibrationSize == -1; },
     "Tools/calibration-data.test"},
    {"quant.input_configs[].calibration_mean", "[-1.5, 2.0]",
     [](C c) {
       return c.quant.inputConfigs[0].calibrationMean == Reals{-1.5, 2};
     },
     "Tools/calibration-data.test"},
    {"quant.input_configs[].calibration_std", "[0.5, 255.0]",
     [](C c) {
       return c.quant.inputConfigs[0].calibrationStd == Reals{0.5, 255};
     },
     "Tools/calibration-data.test"},

    {"quant.input_configs[].calibration_resize", R"("Letterbox")",
     [](C c) {
       return c.quant.inputConfigs[0].calibrationResize == ImageFit::Letterbox;
     },
     "Tools/evaluate.test"},
    {"quant.layer_configs[].layer_name", R"("a")",
     [](C c) { return c.quant.layerConfigs[0].layerName == "a"; },
     "Tools/quantize.test"},
    {"quant.layer_configs[].layer_names", R"(["a", "b"])",
     [](C c) {
       return c.quant.layerConfigs[0].layerNames == Texts{"a", "b"};
     },
     "Tools/quantize.test"},
    {"quant.layer_configs[].layer_name_regex", R"("a.*")",
     [](C c) { return c.quant.layerConfigs[0].layerNameRegex == "a.*"; },
     "Tools/quantize.test"},
    {"quant.layer_configs[].op_type", R"("a")",
     [](C c) { return c.quant.layerConfigs[0].opType == "a"; },
     "Tools/quantize.test"},
    {"quant.layer_configs[].op_types", R"(["a", "b"])",
     [](C c) {
       return c.quant.layerConfigs[0].opTypes == Texts{"a", "b"};
     },
     "Tools/quantize.test"},
    {"quant.layer_configs[].start_tensor_names", R"(["a"])",
     [](C c) { return c.quant.layerConfigs[0].startTensorNames == Texts{"a"}; },
     "Tools/quantize.test"},
    {"quant.layer_configs[].end_tensor_names", R"(["a"])",
     [](C c) { return c.quant.layerConfigs[0].endTensorNames == Texts{"a"}; },
     "Tools/quantize.test"},
    {"quant.layer_configs[].data_type", R"("U16")",
     [](C c) { return c.quant.layerConfigs[0].dataType == DataType::U16; },
     "Tools/quantize.test"},
    {"quant.layer_configs[].weight_data_type", R"("FP32")",
     [](C c) {
       return c.quant.layerConfigs[0].weightDataType == DataType::FP32;
     },
     "Tools/quantize.test"},
    {"quant.layer_configs[].output_data_type", R"("S16")",
     [](C c) {
       return c.quant.layerConfigs[0].outputDataType == DataType::S16;
     },
     "Tools/quantize.test"},

    {"quant.calibration_method", R"("KL")",
     [](C c) { return c.quant.calibrationMethod == QuantMethod::Kl; },
     "Tools/calibrate.test"},
    {"quant.tensor_configs[].tensor_names", R"(["a", "b"])",
     [](C c) {
       return c.quant.tensorConfigs[0].tensorNames == Texts{"a", "b"};
     },
     "Tools/tensor-methods.test"},
    {"quant.tensor_configs[].tensor_name_regex", R"("a.*")",
     [](C c) { return c.quant.tensorConfigs[0].tensorNameRegex == "a.*"; },
     "Tools/tensor-methods.test"},
    {"quant.tensor_configs[].layer_names", R"(["a"])",
     [](C c) { return c.quant.tensorConfigs[0].layerNames == Texts{"a"}; },
     "Tools/tensor-methods.test"},
    {"quant.tensor_configs[].op_types", R"(["a"])",
     [](C c) { return c.quant.tensorConfigs[0].opTypes == Texts{"a"}; },
     "Tools/tensor-methods.test"},
    {"quant.tensor_configs[].calibration_method", R"("KL")",
     [](C c) {
       return c.quant.tensorConfigs[0].calibrationMethod == QuantMethod::Kl;
     },
     "Tools/tensor-methods.test"},
    {"quant.tensor_configs[].percentile", "0.75",
     [](C c) { return c.quant.tensorConfigs[0].percentile == 0.75; },
     "Tools/tensor-methods.test"},
    {"quant.tensor_configs[].bits", "8",
     [](C c) { return c.quant.tensorConfigs[0].bits == 8; },
     "Tools/tensor-methods.test"},
    {"quant.percentile", "0.75", [](C c) { return c.quant.percentile == 0.75; },
     "Tools/calibration-data.test"},
    {"quant.histogram_bins", "4096",
     [](C c) { return c.quant.histogramBins == 4096; },
     "Tools/calibration-data.test"},
    {"quant.calibration_cache", R"("a")",
     [](C c) { return c.quant.calibrationCache == "a"; },
     "Tools/calibrate.test"},
    {"quant.save_range_provenance", "true",
     [](C c) { return c.quant.saveRangeProvenance; }, "Tools/calibrate.test"},
    {"quant.precision_analysis", "true",
     [](C c) { return c.quant.precisionAnalysis; }, "Tools/analyze.test"},
    {"quant.precision_analysis_method", R"("EndToEnd")",
     [](C c) {
       return c.quant.precisionAnalysisMethod == AnalysisMethod::EndToEnd;
     },
     "Tools/analyze.test"},
    {"quant.precision_analysis_mode", R"("NPUBackend")",
     [](C c) {
       return c.quant.precisionAnalysisMode ==
              PrecisionAnalysisMode::NpuBackend;
     },
     "Tools/analyze.test"},
    {"quant.precision_analysis_size", "7",
     [](C c) { return c.quant.precisionAnalysisSize == 7; },
     "Tools/analyze.test"},
    {"quant.precision_analysis_columns", R"("full")",
     [](C c) {
       return c.quant.precisionAnalysisColumns == AnalysisColumns::Full;
     },
     "Tools/analyze.test"},
    {"quant.precision_analysis_dump", "true",
     [](C c) { return c.quant.precisionAnalysisDump; },
     "Tools/analyze-dump.test"},
    {"quant.input_sample_dir", R"("a")",
     [](C c) { return c.quant.inputSampleDir == "a"; }, "Tools/analyze.test"},
    {"quant.calibration_hold_out", "false",
     [](C c) { return !c.quant.calibrationHoldOut; }, "Tools/hold-out.test"},
    {"quant.highest_mix_precision", "true",
     [](C c) { return c.quant.highestMixPrecision; }, "Tools/quantize.test"},
    {"quant.qdq_format", R"("U8U8")",
     [](C c) { return c.quant.qdqFormat == QdqFormat::U8U8; },
     "Tools/quantize.test"},
    {"quant.conv_bias_data_type", R"("FP32")",
     [](C c) { return c.quant.convBiasDataType == DataType::FP32; },
     "Tools/quantize.test"},
    {"quant.ln_scale_data_type", R"("U32")",
     [](C c) { return c.quant.lnScaleDataType == DataType::U32; },
     "Unit/Passes/QuantizeTest.cpp"},
    {"quant.refine_weight_threshold", "-1.0",
     [](C c) { return c.quant.refineWeightThreshold == -1; },
     "Tools/quantize.test"},
    {"quant.disable_auto_refine_scale", "true",
     [](C c) { return c.quant.disableAutoRefineScale; }, "Tools/quantize.test"},
    {"quant.enable_smooth_quant", "true",
     [](C c) { return c.quant.enableSmoothQuant; },
     "Unit/Passes/SmoothQuantTest.cpp"},
    {"quant.smooth_quant_threshold", "0.25",
     [](C c) { return c.quant.smoothQuantThreshold == 0.25; },
     "Unit/Passes/SmoothQuantTest.cpp"},
    {"quant.smooth_quant_strength", "0.5",
     [](C c) { return c.quant.smoothQuantStrength == 0.5; },
     "Unit/Passes/SmoothQuantTest.cpp"},
    {"quant.enable_equalization", "true",
     [](C c) { return c.quant.enableEqualization; },
     "Unit/Passes/SmoothQuantTest.cpp"},
    {"quant.enable_bias_correction", "true",
     [](C c) { return c.quant.enableBiasCorrection; },
     "Unit/Passes/SmoothQuantTest.cpp"},
    {"quant.transformer_opt_level", "2",
     [](C c) { return c.quant.transformerOptLevel == 2; }},
    {"quant.check", "1", [](C c) { return c.quant.check == 1; }},
    {"quant.disable_quant_optimization", "true",
     [](C c) { return c.quant.disableQuantOptimization; },
     "Tools/quantize.test"},
    {"quant.enable_easy_quant", "true",
     [](C c) { return c.quant.enableEasyQuant; }, "Tools/improve.test"},
    {"quant.enable_brecq", "true", [](C c) { return c.quant.enableBrecq; }},
    {"quant.enable_lsq", "true", [](C c) { return c.quant.enableLsq; }},
    {"quant.enable_adaround", "true",
     [](C c) { return c.quant.enableAdaround; }},
    {"quant.finetune_epochs", "10",
     [](C c) { return c.quant.finetuneEpochs == 10; }},
    {"quant.finetune_block_size", "2",
     [](C c) { return c.quant.finetuneBlockSize == 2; }},
    {"quant.finetune_batch_size", "8",
     [](C c) { return c.quant.finetuneBatchSize == 8; }},
    {"quant.finetune_lr", "0.125",
     [](C c) { return c.quant.finetuneLr == 0.125; }},
    {"quant.device", R"("cuda:7")",
     [](C c) { return c.quant.device == "cuda:7"; }},

    {"input_processors[].tensor_name", R"("a")",
     [](C c) { return c.inputProcessors[0].tensorName == "a"; },
     "Passes/Processors/nn-add-processors.mlir"},
    {"input_processors[].tensor_format", R"("BGR")",
     [](C c) { return c.inputProcessors[0].tensorFormat == ColorSpace::Bgr; },
     "Tools/calibration-data.test"},
    {"input_processors[].tensor_layout", R"("NHWC")",
     [](C c) {
       return c.inputProcessors[0].tensorLayout == TensorLayout::NHWC;
     },
     "Passes/Processors/nn-add-processors.mlir"},
    {"input_processors[].src_format", R"("YUV420SP")",
     [](C c) { return c.inputProcessors[0].srcFormat == ColorSpace::Yuv420sp; },
     "Passes/Processors/nn-add-processors.mlir"},
    {"input_processors[].src_layout", R"("NHWC")",
     [](C c) { return c.inputProcessors[0].srcLayout == TensorLayout::NHWC; },
     "Passes/Processors/nn-add-processors.mlir"},
    {"input_processors[].src_dtype", R"("U8")",
     [](C c) { return c.inputProcessors[0].srcDtype == DataType::U8; },
     "Passes/Processors/nn-add-processors.mlir"},
    {"input_processors[].src_extra_shapes[].shape", "[1, 3]",
     [](C c) {
       return c.inputProcessors[0].srcExtraShapes[0].shape == Ints{1, 3};
     }},
    {"input_processors[].csc_mode", R"("FullRange")",
     [](C c) { return c.inputProcessors[0].cscMode == CscMode::FullRange; },
     "Passes/Processors/nn-add-processors.mlir"},
    {"input_processors[].csc_mat",
     "[1.5, 0.0, 0.0, -8.0, 0.0, 1.0, 0.0, 7.0, 0.0, 0.0, -524288.0, 0.0]",
     [](C c) {
       return c.inputProcessors[0].cscMat ==
              Reals{1.5, 0, 0, -8, 0, 1, 0, 7, 0, 0, -524288, 0};
     },
     "Passes/Processors/color-matrix.test"},
    {"input_processors[].mean", "[1.0]",
     [](C c) { return c.inputProcessors[0].mean == Reals{1}; },
     "Passes/Processors/nn-add-processors.mlir"},
    {"input_processors[].std", "[2.0]",
     [](C c) { return c.inputProcessors[0].std == Reals{2}; },
     "Passes/Processors/nn-add-processors.mlir"},
    {"input_processors[].padding", "[1, 2]",
     [](C c) {
       return c.inputProcessors[0].padding == Ints{1, 2};
     },
     "Passes/Processors/nn-add-processors.mlir"},
    {"input_processors[].padding_mode", R"("constant")",
     [](C c) { return c.inputProcessors[0].paddingMode == "constant"; }},
    {"input_processors[].padding_constant_value", "-5",
     [](C c) { return c.inputProcessors[0].paddingConstantValue == -5; },
     "Passes/Processors/nn-add-processors.mlir"},
    {"input_processors[].slicing", "[3, 4]",
     [](C c) {
       return c.inputProcessors[0].slicing == Ints{3, 4};
     },
     "Passes/Processors/nn-add-processors.mlir"},
    {"input_processors[].scale", "0.5",
     [](C c) { return c.inputProcessors[0].scale == 0.5; },
     "Passes/Processors/nn-add-processors.mlir"},
    {"input_processors[].zeropoint", "128",
     [](C c) { return c.inputProcessors[0].zeropoint == 128; },
     "Passes/Processors/nn-add-processors.mlir"},

    {"output_processors[].tensor_name", R"("a")",
     [](C c) { return c.outputProcessors[0].tensorName == "a"; },
     "Passes/Processors/nn-add-processors.mlir"},
    {"output_processors[].tensor_layout", R"("NCHW")",
     [](C c) {
       return c.outputProcessors[0].tensorLayout == TensorLayout::NCHW;
     }},
    {"output_processors[].dst_perm", "[0, 2, 1]",
     [](C c) {
       return c.outputProcessors[0].dstPerm == Ints{0, 2, 1};
     },
     "Passes/Processors/nn-add-processors.mlir"},
    {"output_processors[].output_dtype", R"("U8")",
     [](C c) { return c.outputProcessors[0].outputDtype == DataType::U8; },
     "Passes/Processors/nn-add-processors.mlir"},

    {"const_processors[].name", R"("a")",
     [](C c) { return c.constProcessors[0].name == "a"; },
     "Tools/optimize.test"},
    {"const_processors[].data", "[-1.0, 0.5]",
     [](C c) {
       return c.constProcessors[0].data == Reals{-1, 0.5};
     },
     "Tools/optimize.test"},
    {"const_processors[].data_path", R"("a")",
     [](C c) { return c.constProcessors[0].dataPath == "a"; },
     "Tools/optimize.test"},
    {"op_processors[].op_name", R"("a")",
     [](C c) { return c.opProcessors[0].opName == "a"; },
     "Tools/optimize.test"},
    {"op_processors[].attrs", R"({"x": 1, "y": [0.5], "z": "t"})",
     [](C c) {
       const auto &attrs = c.opProcessors[0].attrs;
       return attrs.size() == 3 && std::get<int64_t>(attrs.at("x")) == 1 &&
              std::get<Reals>(attrs.at("y")) == Reals{0.5} &&
              std::get<std::string>(attrs.at("z")) == "t";
     },
     "Tools/optimize.test"},
    {"quant_op_processors[].op_name", R"("a")",
     [](C c) { return c.quantOpProcessors[0].opName == "a"; }},
    {"quant_op_processors[].attrs", R"({"x": 1})",
     [](C c) { return c.quantOpProcessors[0].attrs.contains("x"); }},

    {"compiler.static_batch_sizes", "[1, 2, 4]",
     [](C c) {
       return c.compiler.staticBatchSizes == Ints{1, 2, 4};
     }},
    {"compiler.max_dynamic_batch_size", "3",
     [](C c) { return c.compiler.maxDynamicBatchSize == 3; }},
    {"compiler.ddr_bw_limit", "1.5",
     [](C c) { return c.compiler.ddrBwLimit == 1.5; }, "Tools/compile.test"},
    {"compiler.disable_ir_fix", "true",
     [](C c) { return c.compiler.disableIrFix; }},
    {"compiler.check", "3", [](C c) { return c.compiler.check == 3; },
     "Tools/compile.test"},
    {"compiler.check_mode", R"("CheckPerLayer")",
     [](C c) { return c.compiler.checkMode == CheckMode::PerLayer; },
     "Tools/compile.test"},
    {"compiler.check_rtol", "0.125",
     [](C c) { return c.compiler.checkRtol == 0.125; }, "Tools/compile.test"},
    {"compiler.check_atol", "0.25",
     [](C c) { return c.compiler.checkAtol == 0.25; }, "Tools/compile.test"},
    {"compiler.check_cosine_simularity", "0.5",
     [](C c) { return c.compiler.checkCosineSimularity == 0.5; },
     "Tools/compile.test"},
    {"compiler.check_tensor_black_list", R"(["[a,b]", "c.*"])",
     [](C c) {
       return c.compiler.checkTensorBlackList == Texts{"[a,b]", "c.*"};
     },
     "Tools/compile.test"},
    {"compiler.input_sample_dir", R"("a")",
     [](C c) { return c.compiler.inputSampleDir == "a"; },
     "Tools/compile.test"},
    {"compiler.npu_perf", "true", [](C c) { return c.compiler.npuPerf; },
     "Tools/compile.test"},
    {"compiler.enable_slice_mode", "true",
     [](C c) { return c.compiler.enableSliceMode; }},
    {"compiler.enable_tile_mode", "true",
     [](C c) { return c.compiler.enableTileMode; }},
    {"compiler.enable_data_soft_compression", "true",
     [](C c) { return c.compiler.enableDataSoftCompression; }},
    {"compiler.compiler_group_patterns[].nodes[].types", R"(["a"])",
     [](C c) {
       return c.compiler.compilerGroupPatterns[0].nodes[0].types == Texts{"a"};
     }},
    {"compiler.compiler_group_patterns[].nodes[].inputs", R"(["a"])",
     [](C c) {
       return c.compiler.compilerGroupPatterns[0].nodes[0].inputs == Texts{"a"};
     }},
    {"compiler.compiler_group_patterns[].nodes[].outputs", R"(["a"])",
     [](C c) {
       return c.compiler.compilerGroupPatterns[0].nodes[0].outputs ==
              Texts{"a"};
     }},
    {"compiler.compiler_group_patterns[].nodes[].properties", R"({"x": 1})",
     [](C c) {
       return c.compiler.compilerGroupPatterns[0].nodes[0].properties.contains(
           "x");
     }},
    {"compiler.compiler_group_patterns[].type", R"("Slice")",
     [](C c) {
       return c.compiler.compilerGroupPatterns[0].type ==
              ScheduleStrategy::Slice;
     }},
    {"compiler.compiler_group_patterns[].match_mode", R"("Tensor")",
     [](C c) {
       return c.compiler.compilerGroupPatterns[0].matchMode ==
              MatchMode::Tensor;
     }},
    {"compiler.sub_configs[].start_tensor_names", R"(["a"])",
     [](C c) { return part(c).startTensorNames == Texts{"a"}; }},
    {"compiler.sub_configs[].end_tensor_names", R"(["a"])",
     [](C c) { return part(c).endTensorNames == Texts{"a"}; }},

    {"evaluation.task", R"("Regression")",
     [](C c) { return c.evaluation.task == EvaluationTask::Regression; },
     "Tools/evaluate.test"},
    {"evaluation.images", R"("a")",
     [](C c) { return c.evaluation.images == "a"; }, "Tools/build-errors.test"},
    {"evaluation.labels", R"("a")",
     [](C c) { return c.evaluation.labels == "a"; }, "Tools/build-errors.test"},
    {"evaluation.inputs[].tensor_name", R"("a")",
     [](C c) { return c.evaluation.inputs[0].tensorName == "a"; },
     "Tools/evaluate.test"},
    {"evaluation.inputs[].data", R"("a")",
     [](C c) { return c.evaluation.inputs[0].data == "a"; },
     "Tools/evaluate.test"},
    {"evaluation.inputs[].pair_data", R"("a")",
     [](C c) { return c.evaluation.inputs[0].pairData == "a"; },
     "Tools/evaluate.test"},
    {"evaluation.inputs[].value", R"(2.5)",
     [](C c) { return c.evaluation.inputs[0].value == 2.5; },
     "Tools/evaluate.test"},
    {"evaluation.size", R"(7)", [](C c) { return c.evaluation.size == 7; },
     "Tools/evaluate.test"},
    {"evaluation.classes", R"("a")",
     [](C c) { return c.evaluation.classes == "a"; }, "Tools/evaluate.test"},
    {"evaluation.output", R"("a")",
     [](C c) { return c.evaluation.output == "a"; }, "Tools/evaluate.test"},
    {"evaluation.resize", R"("Letterbox")",
     [](C c) { return c.evaluation.resize == ImageFit::Letterbox; },
     "Tools/evaluate.test"},
    {"evaluation.crop_fraction", R"(0.5)",
     [](C c) { return c.evaluation.cropFraction == 0.5; },
     "Tools/evaluate.test"},
    {"evaluation.border", R"(7)", [](C c) { return c.evaluation.border == 7; },
     "Tools/evaluate.test"},
    {"evaluation.tensor_format", R"("RGB")",
     [](C c) { return c.evaluation.tensorFormat == ColorSpace::Rgb; },
     "Tools/evaluate.test"},
    {"evaluation.mean", R"([1.5, 2])",
     [](C c) {
       return c.evaluation.mean == Reals{1.5, 2};
     },
     "Tools/evaluate.test"},
    {"evaluation.std", R"([1.5, 2])",
     [](C c) {
       return c.evaluation.std == Reals{1.5, 2};
     },
     "Tools/evaluate.test"},
    {"evaluation.metric", R"("top5")",
     [](C c) { return c.evaluation.metric == "top5"; }, "Tools/evaluate.test"},
    {"evaluation.criterion", R"("absolute")",
     [](C c) { return c.evaluation.criterion == LossCriterion::Absolute; },
     "Tools/evaluate.test"},
    {"evaluation.tolerable_loss", R"(0.5)",
     [](C c) { return c.evaluation.tolerableLoss == 0.5; },
     "Tools/evaluate.test"},
    {"evaluation.bootstrap_samples", R"(200)",
     [](C c) { return c.evaluation.bootstrapSamples == 200; },
     "Tools/evaluate.test"},
    {"evaluation.random_seed", R"(7)",
     [](C c) { return c.evaluation.randomSeed == 7; }, "Tools/evaluate.test"},
    {"evaluation.head", R"("SSD")",
     [](C c) { return c.evaluation.head == DetectionHead::Ssd; },
     "Tools/evaluate.test"},
    {"evaluation.box_format", R"("Corners")",
     [](C c) { return c.evaluation.boxFormat == BoxFormat::Corners; },
     "Tools/evaluate.test"},
    {"evaluation.box_unit", R"("Relative")",
     [](C c) { return c.evaluation.boxUnit == BoxUnit::Relative; },
     "Tools/evaluate.test"},
    {"evaluation.background_class", R"(true)",
     [](C c) { return c.evaluation.backgroundClass; }, "Tools/evaluate.test"},
    {"evaluation.anchors", R"([1, 2, 3, 4, 5, 6])",
     [](C c) { return c.evaluation.anchors.size() == 6; },
     "Tools/evaluate.test"},
    {"evaluation.score_threshold", R"(0.5)",
     [](C c) { return c.evaluation.scoreThreshold == 0.5; },
     "Tools/evaluate.test"},
    {"evaluation.nms_threshold", R"(0.5)",
     [](C c) { return c.evaluation.nmsThreshold == 0.5; },
     "Tools/evaluate.test"},
    {"evaluation.max_detections", R"(7)",
     [](C c) { return c.evaluation.maxDetections == 7; },
     "Tools/evaluate.test"},
    {"evaluation.ignore_label", R"(7)",
     [](C c) { return c.evaluation.ignoreLabel == 7; }, "Tools/evaluate.test"},
    {"evaluation.mask_threshold", R"(2.5)",
     [](C c) { return c.evaluation.maskThreshold == 2.5; },
     "Tools/evaluate.test"},
    {"evaluation.pooling", R"("First")",
     [](C c) { return c.evaluation.pooling == Pooling::First; },
     "Tools/evaluate.test"},
    {"evaluation.mask_input", R"("a")",
     [](C c) { return c.evaluation.maskInput == "a"; }, "Tools/evaluate.test"},
    {"evaluation.command", R"("a")",
     [](C c) { return c.evaluation.command == "a"; }, "Tools/evaluate.test"},
    {"evaluation.higher_is_better", R"(false)",
     [](C c) { return !c.evaluation.higherIsBetter; }, "Tools/evaluate.test"},
    {"evaluation.timeout", R"(7)",
     [](C c) { return c.evaluation.timeout == 7; }, "Tools/evaluate.test"},
    {"tuning.strategy", R"("mse")",
     [](C c) { return c.tuning.strategy == TuningStrategy::Mse; },
     "Tools/tune.test"},
    {"tuning.accuracy_criterion.criterion", R"("absolute")",
     [](C c) {
       return c.tuning.accuracyCriterion.criterion == LossCriterion::Absolute;
     },
     "Tools/tune.test"},
    {"tuning.accuracy_criterion.higher_is_better", "false",
     [](C c) { return !c.tuning.accuracyCriterion.higherIsBetter; },
     "Tools/tune.test"},
    {"tuning.accuracy_criterion.tolerable_loss", "0.5",
     [](C c) { return c.tuning.accuracyCriterion.tolerableLoss == 0.5; },
     "Tools/tune.test"},
    {"tuning.objective", R"("memory_traffic")",
     [](C c) { return c.tuning.objective == TuningObjective::Traffic; },
     "Tools/tune.test"},
    {"tuning.exit_policy.timeout", "7",
     [](C c) { return c.tuning.exitPolicy.timeout == 7; },
     "Tools/tune.test"},
    {"tuning.exit_policy.max_trials", "7",
     [](C c) { return c.tuning.exitPolicy.maxTrials == 7; },
     "Tools/tune.test"},
    {"tuning.random_seed", "7",
     [](C c) { return c.tuning.randomSeed == 7; },
     "Tools/tune.test"},
    {"tuning.op_name_dict[].pattern", R"("a")",
     [](C c) { return c.tuning.opNameDict[0].pattern == "a"; },
     "Tools/tune.test"},
    {"tuning.op_name_dict[].types", R"(["U16", "FP32"])",
     [](C c) {
       return c.tuning.opNameDict[0].types ==
              std::vector{DataType::U16, DataType::FP32};
     },
     "Tools/tune.test"},
    {"tuning.op_type_dict[].pattern", R"("a")",
     [](C c) { return c.tuning.opTypeDict[0].pattern == "a"; },
     "Tools/tune.test"},
    {"tuning.op_type_dict[].types", R"(["U8"])",
     [](C c) {
       return c.tuning.opTypeDict[0].types == std::vector{DataType::U8};
     },
     "Tools/tune.test"},
    {"tuning.levers", R"(["equalization", "easy_quant"])",
     [](C c) {
       return c.tuning.levers == std::vector{TuningLever::Equalization,
                                             TuningLever::EasyQuant};
     },
     "Tools/tune.test"},
    {"tuning.validation_share", "0.25",
     [](C c) { return c.tuning.validationShare == 0.25; },
     "Tools/tune.test"},
    {"tuning.custom_command", R"("a")",
     [](C c) { return c.tuning.customCommand == "a"; },
     "Tools/tune.test"},
    {"debug.dump_frontend_graph", "true",
     [](C c) { return c.debug.dumpFrontendGraph; }, "Tools/build-errors.test"},
    {"debug.dump_phases", "true", [](C c) { return c.debug.dumpPhases; },
     "Tools/calibrate.test"},
};

/// What must stand beside a field for the rules to hold; a field of the case
/// itself replaces the one here.
struct Companions {
  const char *object;
  std::vector<std::pair<const char *, const char *>> members;
};

const std::vector<Companions> companions = {
    {"quant.input_configs[]",
     {{"tensor_name", R"("t")"}, {"calibration_dataset", R"("d")"}}},
    {"input_processors[]", {{"tensor_name", R"("t")"}}},
    {"output_processors[]", {{"tensor_name", R"("t")"}}},
    {"const_processors[]", {{"name", R"("t")"}}},
    {"op_processors[]", {{"op_name", R"("t")"}, {"attrs", "{}"}}},
    {"quant_op_processors[]", {{"op_name", R"("t")"}, {"attrs", "{}"}}},
    {"compiler.sub_configs[]",
     {{"start_tensor_names", R"(["s"])"}, {"end_tensor_names", R"(["e"])"}}},
    {"evaluation.inputs[]", {{"tensor_name", R"("t")"}}},
    {"tuning.op_name_dict[]", {{"pattern", R"("p")"}, {"types", R"(["U8"])"}}},
    {"tuning.op_type_dict[]", {{"pattern", R"("p")"}, {"types", R"(["U8"])"}}},
    {"evaluation", {{"images", R"("i")"}, {"labels", R"("l")"}}},
};

/// Members that belong to one field only.
std::vector<std::pair<std::string, const char *>>
companionsOf(const std::string &object, const std::string &name) {
  std::vector<std::pair<std::string, const char *>> result;
  for (const Companions &entry : companions)
    if (entry.object == object)
      for (const auto &[member, value] : entry.members)
        if (member != name)
          result.emplace_back(member, value);
  if (object == "quant.layer_configs[]") {
    if (name.ends_with("data_type"))
      result.emplace_back("layer_name", R"("t")");
    if (name == "start_tensor_names")
      result.emplace_back("end_tensor_names", R"(["t"])");
    if (name == "end_tensor_names")
      result.emplace_back("start_tensor_names", R"(["t"])");
  }
  if (object == "quant.tensor_configs[]") {
    if (name != "calibration_method")
      result.emplace_back("calibration_method", R"("KL")");
    if (name == "calibration_method" || name == "bits" || name == "percentile")
      result.emplace_back("tensor_names", R"(["t"])");
  }
  if (object == "evaluation" && name == "inputs")
    std::erase_if(result,
                  [](const auto &entry) { return entry.first == "images"; });
  if (name == "zeropoint")
    result.emplace_back("scale", "2.0");
  return result;
}

} // namespace

const std::vector<FieldCase> &fieldCases() { return table; }

std::string textWith(const std::string &path, const std::string &value) {
  std::string text, close, object;
  for (size_t begin = 0; begin < path.size();) {
    size_t end = std::min(path.find('.', begin), path.size());
    std::string name = path.substr(begin, end - begin);
    bool isList = name.ends_with("[]");
    std::string bare = name.substr(0, name.size() - (isList ? 2 : 0));
    text += "{";
    for (const auto &[member, given] : companionsOf(object, bare))
      text += fmt::format("\"{}\": {}, ", member, given);
    bool isLast = end == path.size();
    if (!isLast)
      text += fmt::format("\"{}\": {}", bare, isList ? "[" : "");
    else if (!value.empty())
      text += fmt::format("\"{}\": {}", bare, value);
    close = (!isLast && isList ? "]}" : "}") + close;
    object += (object.empty() ? "" : ".") + name;
    begin = end + 1;
  }
  return text + close;
}

} // namespace parallax
