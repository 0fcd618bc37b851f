//===- SmoothQuantTest.cpp - Changes that must help -----------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Made-up networks that lose much when they are quantized, what the changes
// make of them, and that these never change what the float network computes.
//===----------------------------------------------------------------------===//
#include "parallax/Passes/Quantize/SmoothQuant.h"
#include "OptimizeTestSupport.h"
#include "parallax/Analysis/Metrics.h"
#include "parallax/Backend/Core/Prepare.h"
#include "parallax/Backend/Core/SampleRunner.h"
#include "parallax/Backend/Reference/Reference.h"
#include "parallax/Config/Description.h"
#include "parallax/Passes/Calibrate/Annotate.h"
#include "parallax/Passes/Calibrate/Calibrate.h"
#include "parallax/Passes/Quantize/BiasCorrection.h"
#include "parallax/Passes/Quantize/EasyQuant.h"
#include "parallax/Passes/Quantize/Quantize.h"
#include "parallax/Report/FloatChanges.h"
#include "parallax/Support/Diagnostics.h"
#include "parallax/Support/LayerName.h"
#include "parallax/Support/Random.h"
#include "parallax/Support/TensorAttr.h"

#include <fmt/format.h>

#include <cmath>

using namespace parallax;

namespace {

constexpr size_t outlierSampleCount = 12;
/// Channels that are a hundred times as large as the others.
constexpr std::array<int64_t, 3> outlierChannels = {5, 23, 40};

/// About normal, with unit variance.
float normal(Random &random) {
  float sum = -6;
  for (int i = 0; i < 12; ++i)
    sum += random.real();
  return sum;
}

Tensor randomTensor(Shape shape, uint64_t seed, float scale = 1) {
  Random random(seed);
  Tensor tensor(DType::F32, std::move(shape));
  for (int64_t i = 0; i < tensor.size(); ++i)
    tensor.data<float>()[i] = scale * normal(random);
  return tensor;
}

bool isOutlier(int64_t channel) {
  return llvm::is_contained(outlierChannels, channel);
}

/// A pre-norm block of a transformer with one head, and a head of classes.
constexpr const char *transformer = R"(
func.func @main(%x: tensor<1x16x64xf32> {nn.name = "x"}) -> (tensor<1x16x32xf32> {nn.name = "y"}) {
  %g1 = nn.constant dense<0.0> : tensor<64xf32> loc("scale1"("scale1"))
  %g2 = nn.constant dense<0.0> : tensor<64xf32> loc("scale2"("scale2"))
  %g3 = nn.constant dense<0.0> : tensor<64xf32> loc("scale3"("scale3"))
  %b = nn.constant dense<0.1> : tensor<64xf32> loc("shared"("shared"))
  %wq = nn.constant dense<0.0> : tensor<64x64xf32> loc("after_norm_q"("after_norm_q"))
  %wk = nn.constant dense<0.0> : tensor<64x64xf32> loc("after_norm_k"("after_norm_k"))
  %wv = nn.constant dense<0.0> : tensor<64x64xf32> loc("after_norm_v"("after_norm_v"))
  %wo = nn.constant dense<0.0> : tensor<64x64xf32> loc("weight_o"("weight_o"))
  %wu = nn.constant dense<0.0> : tensor<256x64xf32> loc("after_norm_up"("after_norm_up"))
  %wd = nn.constant dense<0.0> : tensor<64x256xf32> loc("weight_down"("weight_down"))
  %wh = nn.constant dense<0.0> : tensor<64x32xf32> loc("after_norm_head"("after_norm_head"))
  %n1 = nn.layer_normalization %x, %g1, %b : (tensor<1x16x64xf32>, tensor<64xf32>, tensor<64xf32>) -> tensor<1x16x64xf32> loc("norm1"("n1"))
  %q = nn.fully_connected %n1, %wq : (tensor<1x16x64xf32>, tensor<64x64xf32>) -> tensor<1x16x64xf32> loc("query"("q"))
  %k = nn.fully_connected %n1, %wk, %b : (tensor<1x16x64xf32>, tensor<64x64xf32>, tensor<64xf32>) -> tensor<1x16x64xf32> loc("key"("k"))
  %v = nn.fully_connected %n1, %wv : (tensor<1x16x64xf32>, tensor<64x64xf32>) -> tensor<1x16x64xf32> loc("value"("v"))
  %kt = nn.transpose %k {perm = array<i64: 0, 2, 1>} : (tensor<1x16x64xf32>) -> tensor<1x64x16xf32> loc("turn"("kt"))
  %s = nn.matmul %q, %kt : (tensor<1x16x64xf32>, tensor<1x64x16xf32>) -> tensor<1x16x16xf32> loc("scores"("s"))
  %p = nn.softmax %s : (tensor<1x16x16xf32>) -> tensor<1x16x16xf32> loc("softmax"("p"))
  %a = nn.matmul %p, %v : (tensor<1x16x16xf32>, tensor<1x16x64xf32>) -> tensor<1x16x64xf32> loc("mix"("a"))
  %o = nn.fully_connected %a, %wo : (tensor<1x16x64xf32>, tensor<64x64xf32>) -> tensor<1x16x64xf32> loc("out"("o"))
  %r = nn.add %x, %o : (tensor<1x16x64xf32>, tensor<1x16x64xf32>) -> tensor<1x16x64xf32> loc("add1"("r"))
  %n2 = nn.layer_normalization %r, %g2, %b : (tensor<1x16x64xf32>, tensor<64xf32>, tensor<64xf32>) -> tensor<1x16x64xf32> loc("norm2"("n2"))
  %u = nn.fully_connected %n2, %wu : (tensor<1x16x64xf32>, tensor<256x64xf32>) -> tensor<1x16x256xf32> loc("up"("u"))
  %h = nn.gelu %u : (tensor<1x16x256xf32>) -> tensor<1x16x256xf32> loc("gelu"("h"))
  %d = nn.fully_connected %h, %wd : (tensor<1x16x256xf32>, tensor<64x256xf32>) -> tensor<1x16x64xf32> loc("down"("d"))
  %z = nn.add %r, %d : (tensor<1x16x64xf32>, tensor<1x16x64xf32>) -> tensor<1x16x64xf32> loc("add2"("z"))
  %n3 = nn.rms_normalization %z, %g3 : (tensor<1x16x64xf32>, tensor<64xf32>) -> tensor<1x16x64xf32> loc("norm3"("n3"))
  %y = nn.matmul %n3, %wh : (tensor<1x16x64xf32>, tensor<64x32xf32>) -> tensor<1x16x32xf32> loc("head"("y"))
  return %y : tensor<1x16x32xf32>
}
)";

/// Convolutions of all kinds, whose channels differ by up to 30.
constexpr const char *mobile = R"(
func.func @main(%x: tensor<1x3x16x16xf32> {nn.name = "x"}) -> (tensor<1x10xf32> {nn.name = "y"}) {
  %w0 = nn.constant dense<0.0> : tensor<16x3x3x3xf32> loc("uneven_0"("uneven_0"))
  %b0 = nn.constant dense<0.5> : tensor<16xf32> loc("bias_0"("bias_0"))
  %w1 = nn.constant dense<0.0> : tensor<16x1x3x3xf32> loc("uneven_1"("uneven_1"))
  %w2 = nn.constant dense<0.0> : tensor<24x16x1x1xf32> loc("uneven_2"("uneven_2"))
  %w3 = nn.constant dense<0.0> : tensor<24x6x3x3xf32> loc("uneven_3"("uneven_3"))
  %b3 = nn.constant dense<-0.25> : tensor<24xf32> loc("bias_3"("bias_3"))
  %w4 = nn.constant dense<0.0> : tensor<10x24xf32> loc("weight_4"("weight_4"))
  %0 = nn.conv %x, %w0, %b0 {dilations = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>, strides = array<i64: 2, 2>}
    : (tensor<1x3x16x16xf32>, tensor<16x3x3x3xf32>, tensor<16xf32>) -> tensor<1x16x8x8xf32> loc("stem"("c0"))
  %1 = nn.relu %0 : (tensor<1x16x8x8xf32>) -> tensor<1x16x8x8xf32> loc("relu0"("r0"))
  %2 = nn.conv %1, %w1 {dilations = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>, strides = array<i64: 1, 1>, group = 16 : i64}
    : (tensor<1x16x8x8xf32>, tensor<16x1x3x3xf32>) -> tensor<1x16x8x8xf32> loc("depthwise"("c1"))
  %3 = nn.leaky_relu %2 : (tensor<1x16x8x8xf32>) -> tensor<1x16x8x8xf32> loc("relu1"("r1"))
  %4 = nn.conv %3, %w2 {dilations = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1>}
    : (tensor<1x16x8x8xf32>, tensor<24x16x1x1xf32>) -> tensor<1x24x8x8xf32> loc("pointwise"("c2"))
  %5 = nn.relu %4 : (tensor<1x24x8x8xf32>) -> tensor<1x24x8x8xf32> loc("relu2"("r2"))
  %6 = nn.conv %5, %w3, %b3 {dilations = array<i64: 2, 1>, pads = array<i64: 2, 1, 2, 1>, strides = array<i64: 1, 2>, group = 4 : i64}
    : (tensor<1x24x8x8xf32>, tensor<24x6x3x3xf32>, tensor<24xf32>) -> tensor<1x24x8x4xf32> loc("grouped"("c3"))
  %7 = nn.relu %6 : (tensor<1x24x8x4xf32>) -> tensor<1x24x8x4xf32> loc("relu3"("r3"))
  %8 = nn.global_average_pool %7 : (tensor<1x24x8x4xf32>) -> tensor<1x24x1x1xf32> loc("pool"("g"))
  %9 = nn.reshape %8 {shape = array<i64: 1, 24>} : (tensor<1x24x1x1xf32>) -> tensor<1x24xf32> loc("flat"("f"))
  %10 = nn.gemm %9, %w4 {trans_b = true} : (tensor<1x24xf32>, tensor<10x24xf32>) -> tensor<1x10xf32> loc("classes"("y"))
  return %10 : tensor<1x10xf32>
}
)";

/// A product of a linear layer with a gate.
constexpr const char *gated = R"(
func.func @main(%x: tensor<16x64xf32> {nn.name = "x"}) -> (tensor<16x32xf32> {nn.name = "y"}) {
  %wu = nn.constant dense<0.0> : tensor<64x64xf32> loc("makes_outliers"("makes_outliers"))
  %wg = nn.constant dense<0.0> : tensor<64x64xf32> loc("weight_gate"("weight_gate"))
  %wd = nn.constant dense<0.0> : tensor<32x64xf32> loc("after_norm_down"("after_norm_down"))
  %u = nn.fully_connected %x, %wu : (tensor<16x64xf32>, tensor<64x64xf32>) -> tensor<16x64xf32> loc("up"("u"))
  %g = nn.fully_connected %x, %wg : (tensor<16x64xf32>, tensor<64x64xf32>) -> tensor<16x64xf32> loc("gate"("g"))
  %s = nn.silu %g : (tensor<16x64xf32>) -> tensor<16x64xf32> loc("silu"("s"))
  %m = nn.mul %u, %s : (tensor<16x64xf32>, tensor<16x64xf32>) -> tensor<16x64xf32> loc("mul"("m"))
  %y = nn.fully_connected %m, %wd : (tensor<16x64xf32>, tensor<32x64xf32>) -> tensor<16x32xf32> loc("down"("y"))
  return %y : tensor<16x32xf32>
}
)";

/// Calibration takes dimension 1 of such tensors for the channels, and the
/// layers the last one.
constexpr const char *fourDimensions = R"(
func.func @main(%x: tensor<1x4x8x64xf32> {nn.name = "x"}) -> (tensor<1x8x4x32xf32> {nn.name = "y"}) {
  %g = nn.constant dense<0.0> : tensor<64xf32> loc("scale"("scale"))
  %w = nn.constant dense<0.0> : tensor<32x64xf32> loc("after_norm"("after_norm"))
  %n = nn.layer_normalization %x, %g : (tensor<1x4x8x64xf32>, tensor<64xf32>) -> tensor<1x4x8x64xf32> loc("norm"("n"))
  %t = nn.transpose %n {perm = array<i64: 0, 2, 1, 3>} : (tensor<1x4x8x64xf32>) -> tensor<1x8x4x64xf32> loc("turn"("t"))
  %y = nn.fully_connected %t, %w : (tensor<1x8x4x64xf32>, tensor<32x64xf32>) -> tensor<1x8x4x32xf32> loc("layer"("y"))
  return %y : tensor<1x8x4x32xf32>
}
)";

/// Outliers that weights do not know of.
constexpr const char *drowned = R"(
func.func @main(%x: tensor<16x64xf32> {nn.name = "x"}) -> (tensor<16x32xf32> {nn.name = "y"}) {
  %g = nn.constant dense<0.0> : tensor<64xf32> loc("scale"("scale"))
  %w = nn.constant dense<0.0> : tensor<32x64xf32> loc("weight"("weight"))
  %n = nn.rms_normalization %x, %g : (tensor<16x64xf32>, tensor<64xf32>) -> tensor<16x64xf32> loc("norm"("n"))
  %y = nn.fully_connected %n, %w : (tensor<16x64xf32>, tensor<32x64xf32>) -> tensor<16x32xf32> loc("layer"("y"))
  return %y : tensor<16x32xf32>
}
)";

/// Weights that are rounded coarsely, because each row has a very large one.
constexpr const char *coarse = R"(
func.func @main(%x: tensor<16x64xf32> {nn.name = "x"}) -> (tensor<16x32xf32> {nn.name = "y"}) {
  %w0 = nn.constant dense<0.0> : tensor<64x64xf32> loc("coarse_0"("coarse_0"))
  %w1 = nn.constant dense<0.0> : tensor<32x64xf32> loc("coarse_1"("coarse_1"))
  %b1 = nn.constant dense<0.5> : tensor<32xf32> loc("bias_1"("bias_1"))
  %0 = nn.sigmoid %x : (tensor<16x64xf32>) -> tensor<16x64xf32> loc("positive"("p"))
  %1 = nn.fully_connected %0, %w0 : (tensor<16x64xf32>, tensor<64x64xf32>) -> tensor<16x64xf32> loc("first"("f"))
  %2 = nn.sigmoid %1 : (tensor<16x64xf32>) -> tensor<16x64xf32> loc("again"("a"))
  %3 = nn.fully_connected %2, %w1, %b1 : (tensor<16x64xf32>, tensor<32x64xf32>, tensor<32xf32>) -> tensor<16x32xf32> loc("second"("y"))
  return %3 : tensor<16x32xf32>
}
)";

/// Two layers with the same weights; only the first reads a normalization.
constexpr const char *shared = R"(
func.func @main(%x: tensor<16x64xf32> {nn.name = "x"}) -> (tensor<16x32xf32> {nn.name = "y"}, tensor<16x32xf32> {nn.name = "z"}) {
  %g = nn.constant dense<0.0> : tensor<64xf32> loc("scale"("scale"))
  %w = nn.constant dense<0.0> : tensor<32x64xf32> loc("after_norm"("after_norm"))
  %n = nn.rms_normalization %x, %g : (tensor<16x64xf32>, tensor<64xf32>) -> tensor<16x64xf32> loc("norm"("n"))
  %y = nn.fully_connected %n, %w : (tensor<16x64xf32>, tensor<32x64xf32>) -> tensor<16x32xf32> loc("first"("y"))
  %z = nn.fully_connected %x, %w : (tensor<16x64xf32>, tensor<32x64xf32>) -> tensor<16x32xf32> loc("second"("z"))
  return %y, %z : tensor<16x32xf32>, tensor<16x32xf32>
}
)";

class SmoothQuantTest : public OptimizeTest {
protected:
  SmoothQuantTest() { context.loadDialect<mlir::quant::QuantDialect>(); }

  /// Fills the weights by what their names say, and calibrates.
  void load(const std::string &text, QuantMethod method = QuantMethod::MinMax) {
    parse(text);
    uint64_t seed = 1;
    function().walk([&](nn::ConstantOp op) {
      std::string name = getTensorName(op.getResult());
      Tensor old = toTensor(op.getValue());
      auto has = [&](StringRef part) { return StringRef(name).contains(part); };
      Tensor values = old.clone();
      if (has("scale"))
        for (int64_t i = 0; i < values.size(); ++i)
          values.data<float>()[i] = isOutlier(i) ? 100.0f : 1.0f;
      else if (old.rank() > 1)
        values = weights(old.shape(), name, ++seed);
      else
        return;
      op.setValueAttr(toAttribute(&context, values, name));
    });
    calibration = calibrate(method);
    before = outputs(function());
  }

  static Tensor weights(const Shape &shape, StringRef name, uint64_t seed) {
    int64_t columns = elementCount(shape) / shape[0];
    Tensor values = randomTensor(shape, seed, 1 / std::sqrt(float(columns)));
    Random random(seed + 100);
    float factor = 1;
    // A trained network does not let outliers drown the rest.
    bool isTurned = name == "after_norm_head";
    for (int64_t i = 0; i < values.size(); ++i) {
      int64_t row = i / columns, column = i % columns;
      if (name.contains("uneven") && column == 0)
        factor = std::pow(30.0f, random.real());
      else if (name.contains("coarse"))
        factor = column == row ? 20.0f : 1.0f;
      else if (name.contains("after_norm"))
        factor = (isOutlier(isTurned ? row : column) ? 0.01f : 1.0f) *
                 (name.ends_with("_q") ? 0.125f : 1.0f);
      else if (name.contains("makes_outliers"))
        factor = isOutlier(row) ? 100.0f : 1.0f;
      values.data<float>()[i] *= factor;
    }
    return values;
  }

  std::vector<Tensor> inputs(size_t sample) {
    auto type = cast<RankedTensorType>(function().getArgumentTypes()[0]);
    return {randomTensor(type.getShape().vec(), 1000 + sample)};
  }

  Calibration calibrate(QuantMethod method) {
    PrepareOptions prepared;
    prepared.observe = true;
    CalibrationOptions options;
    options.method = method;
    NetworkStatistics statistics = collectStatistics(
        prepare(function(), referenceKernels(), prepared), outlierSampleCount,
        [&](size_t i) { return inputs(i); }, options);
    return chooseRanges(function(), statistics, options, outlierSampleCount);
  }

  /// All outputs on samples that calibration has not seen.
  Tensor outputs(mlir::func::FuncOp of) {
    std::vector<float> values;
    SampleCallbacks callbacks;
    callbacks.load = [&](size_t i) { return inputs(100 + i); };
    callbacks.consume = [&](size_t, std::span<const Tensor> results) {
      for (const Tensor &result : results)
        llvm::append_range(values, result.values<float>());
    };
    runSamples(prepare(of, referenceKernels()), 16, 1, callbacks);
    return Tensor::fromValues<float>({int64_t(values.size())}, values);
  }

  Samples samples() {
    return {outlierSampleCount, [&](size_t i) { return inputs(i); }, ""};
  }

  /// What a build does with these members of "quant".
  FloatChanges change(const std::string &members, int threads = 1) {
    QuantConfig config =
        parseBuildConfig("{\"quant\": {" + members + "}}", "test.json").quant;
    SmoothOptions options = smoothOptions(config, samples(), threads);
    setCalibration(function(), calibration);
    assignPrecisions();
    FloatChanges changes;
    if (config.enableEqualization)
      changes.equalized = equalizeNetwork(function(), options);
    if (config.enableSmoothQuant)
      changes.smoothed = smoothNetwork(function(), options);
    calibration = getCalibration(function());
    return changes;
  }

  void assignPrecisions() {
    function().walk([&](Operation *op) {
      if (auto it = precisions.find(getLayerName(op).node);
          it != precisions.end())
        setPrecision(op, it->second);
    });
  }

  mlir::func::FuncOp quantize(mlir::func::FuncOp of) {
    setCalibration(of, calibration);
    return orThrow(&context, [&]() -> mlir::FailureOr<mlir::func::FuncOp> {
      if (failed(assignPrecision(of, QuantConfig(), PrecisionOptions())))
        return mlir::failure();
      return addQuantizedView(of, QuantizeOptions());
    });
  }

  /// How far the quantized network goes into the direction of the first one.
  double cosine() {
    mlir::func::FuncOp view = quantize(function());
    double result = measure(outputs(view), before).cosine;
    view.erase();
    return result;
  }

  void expectSameOutputs() {
    Tensor after = outputs(function());
    Metrics metrics = measure(after, before);
    EXPECT_LT(errorOfRange(metrics.maxAbs, metrics.minB, metrics.maxB), 1e-5);
    EXPECT_TRUE(succeeded(mlir::verify(*module)));
  }

  /// The bytes of all weights.
  std::string constants() {
    std::string bytes;
    function().walk([&](nn::ConstantOp op) {
      Tensor values = toTensor(op.getValue());
      bytes.append(static_cast<const char *>(values.rawData()),
                   values.byteSize());
    });
    return bytes;
  }

  Calibration calibration;
  std::map<std::string, LayerPrecision> precisions;
  /// The outputs of the float network before any change.
  Tensor before;
};

TEST_F(SmoothQuantTest, BringsBackATransformerWithOutliers) {
  for (const char *strength : {"0.6", "\"auto\""}) {
    load(transformer);
    double without = cosine();
    EXPECT_LT(without, 0.9);
    FloatChanges changes = change(fmt::format(
        R"("enable_smooth_quant": true, "smooth_quant_strength": {})",
        strength));
    ASSERT_EQ(changes.smoothed.size(), 3u);
    const ScaledPair &first = changes.smoothed[0];
    EXPECT_EQ(first.producer, "norm1");
    EXPECT_EQ(first.tensor, "n1");
    EXPECT_EQ(first.consumers,
              (std::vector<std::string>{"query", "key", "value"}));
    for (const ScaledPair &pair : changes.smoothed) {
      EXPECT_TRUE(pair.kept);
      EXPECT_GT(pair.outliersBefore, 50);
      EXPECT_LT(pair.outliersAfter, 10);
      EXPECT_LT(pair.errorAfter, pair.errorBefore / 10);
    }
    expectSameOutputs();
    double with = cosine();
    EXPECT_GT(with, 0.99);
    RecordProperty("cosine", fmt::format("{} -> {}", without, with));
  }
}

TEST_F(SmoothQuantTest, KeepsTheCalibrationExact) {
  load(transformer);
  change(R"("enable_smooth_quant": true)");
  Calibration expected = calibrate(QuantMethod::MinMax);
  ASSERT_EQ(calibration.tensors.size(), expected.tensors.size());
  for (size_t i = 0; i < expected.tensors.size(); ++i) {
    const TensorRange &actual = calibration.tensors[i];
    const TensorRange &right = expected.tensors[i];
    double width = right.values.high - right.values.low;
    EXPECT_NEAR(actual.u8.low, right.u8.low, 1e-5 * width) << right.tensor;
    EXPECT_NEAR(actual.u8.high, right.u8.high, 1e-5 * width) << right.tensor;
    EXPECT_NEAR(actual.channelMax[1], right.channelMax[1], 1e-5 * width);
  }
}

TEST_F(SmoothQuantTest, KeepsThePartThatAMethodHasChosen) {
  load(transformer, QuantMethod::Percentile);
  auto range = [&] {
    return *llvm::find_if(calibration.tensors, [](const TensorRange &tensor) {
      return tensor.tensor == "n1";
    });
  };
  TensorRange old = range();
  ASSERT_LT(old.u8.high, old.values.high);
  change(R"("enable_smooth_quant": true)");
  TensorRange changed = range();
  EXPECT_LT(changed.values.high, old.values.high / 5);
  EXPECT_NEAR(changed.u8.high / changed.values.high,
              old.u8.high / old.values.high, 1e-9);
}

TEST_F(SmoothQuantTest, TheThresholdSelectsTensors) {
  load(transformer);
  EXPECT_TRUE(change(R"("enable_smooth_quant": true,
                        "smooth_quant_threshold": 0.0)")
                  .smoothed.empty());
  EXPECT_TRUE(change(R"("smooth_quant_threshold": 1.0)").smoothed.empty());
  EXPECT_EQ(change(R"("enable_smooth_quant": true,
                      "smooth_quant_threshold": 1.0)")
                .smoothed.size(),
            3u);
}

TEST_F(SmoothQuantTest, UndoesWhatHurts) {
  load(drowned);
  // Activations of 16 bits have no need of help, and weights of 8 bits suffer.
  precisions["layer"] = {DataType::U16, DataType::S8, DataType::Default};
  setCalibration(function(), calibration);
  assignPrecisions();
  std::string text = print();
  FloatChanges changes = change(R"("enable_smooth_quant": true,
                                   "smooth_quant_strength": 0.9)");
  ASSERT_EQ(changes.smoothed.size(), 1u);
  EXPECT_FALSE(changes.smoothed[0].kept);
  EXPECT_GT(changes.smoothed[0].errorAfter, changes.smoothed[0].errorBefore);
  EXPECT_TRUE(print() == text);
}

TEST_F(SmoothQuantTest, LeavesSharedWeightsToOthers) {
  load(shared);
  FloatChanges changes = change(R"("enable_smooth_quant": true)");
  ASSERT_EQ(changes.smoothed.size(), 1u);
  EXPECT_TRUE(changes.smoothed[0].kept);
  expectSameOutputs();
  SmallVector<Value> weights;
  function().walk(
      [&](nn::FullyConnectedOp op) { weights.push_back(op.getWeight()); });
  EXPECT_NE(weights[0], weights[1]);
  EXPECT_EQ(getTensorName(weights[0]), "after_norm_of_first");
  EXPECT_EQ(getTensorName(weights[1]), "after_norm");
}

TEST_F(SmoothQuantTest, GoesThroughGates) {
  load(gated);
  double without = cosine();
  FloatChanges changes = change(R"("enable_smooth_quant": true,
                                   "smooth_quant_strength": "auto")");
  ASSERT_EQ(changes.smoothed.size(), 1u);
  EXPECT_EQ(changes.smoothed[0].producer, "up");
  EXPECT_EQ(changes.smoothed[0].tensor, "m");
  EXPECT_TRUE(changes.smoothed[0].kept);
  expectSameOutputs();
  EXPECT_LT(without, 0.9);
  EXPECT_GT(cosine(), 0.99);
}

TEST_F(SmoothQuantTest, FindsChannelsThatCalibrationDoesNotKnow) {
  load(fourDimensions);
  EXPECT_LT(cosine(), 0.9);
  FloatChanges changes = change(R"("enable_smooth_quant": true)");
  ASSERT_EQ(changes.smoothed.size(), 1u);
  EXPECT_TRUE(changes.smoothed[0].kept);
  expectSameOutputs();
  EXPECT_GT(cosine(), 0.99);
}

TEST_F(SmoothQuantTest, AnyNumberOfThreadsGivesTheSame) {
  std::vector<std::string> results;
  for (int threads : {1, 2}) {
    load(mobile);
    FloatChanges changes =
        change(R"("enable_smooth_quant": true, "enable_equalization": true,
                  "smooth_quant_threshold": 1.0,
                  "smooth_quant_strength": "auto")",
               threads);
    EXPECT_FALSE(changes.equalized.empty());
    EXPECT_FALSE(changes.smoothed.empty());
    results.push_back(toJson(changes) + toJson(calibration) + constants());
  }
  EXPECT_TRUE(results[0] == results[1]);
}

TEST_F(SmoothQuantTest, ConvolutionsDoNotGetWorse) {
  for (const char *members :
       {R"("enable_smooth_quant": true, "smooth_quant_threshold": 1.0)",
        R"("enable_smooth_quant": true, "smooth_quant_threshold": 1.0,
           "smooth_quant_strength": "auto")",
        R"("enable_equalization": true)"}) {
    SCOPED_TRACE(members);
    load(mobile);
    double without = cosine();
    FloatChanges changes = change(members);
    std::vector<ScaledPair> pairs = changes.smoothed;
    llvm::append_range(pairs, changes.equalized);
    EXPECT_EQ(pairs.size(), 3u);
    EXPECT_TRUE(
        llvm::any_of(pairs, [](const ScaledPair &pair) { return pair.kept; }));
    for (const ScaledPair &pair : pairs)
      EXPECT_TRUE(!pair.kept || pair.errorAfter < pair.errorBefore)
          << pair.tensor;
    expectSameOutputs();
    EXPECT_GE(cosine(), without);
  }
}

TEST_F(SmoothQuantTest, JudgesThatSeeNaNAcceptNothing) {
  load(coarse);
  Samples strange = samples();
  strange.load = [&](size_t i) {
    std::vector<Tensor> values = inputs(i);
    values[0].data<float>()[0] = NAN;
    return values;
  };
  auto copy = cast<mlir::func::FuncOp>(function()->clone());
  copy.setName("copy");
  module->push_back(copy);
  mlir::func::FuncOp view = quantize(copy);
  std::string text = constants();
  for (const CorrectedLayer &layer :
       correctBiases(function(), copy, view, strange, /*threads=*/1))
    EXPECT_FALSE(layer.kept) << layer.layer;
  setCalibration(function(), calibration);
  SmoothOptions options = smoothOptions(QuantConfig(), strange, /*threads=*/1);
  for (const TunedRange &range : tuneRanges(function(), options))
    EXPECT_FALSE(range.kept) << range.tensor;
  EXPECT_TRUE(constants() == text);
}

TEST_F(SmoothQuantTest, CorrectsBiases) {
  load(coarse);
  ASSERT_TRUE(parseBuildConfig(R"({"quant": {"enable_bias_correction": true}})",
                               "test.json")
                  .quant.enableBiasCorrection);
  auto copy = cast<mlir::func::FuncOp>(function()->clone());
  copy.setName("copy");
  module->push_back(copy);
  mlir::func::FuncOp view = quantize(copy);
  double without = measure(outputs(view), before).mse;
  std::vector<CorrectedLayer> layers =
      correctBiases(function(), copy, view, samples(), /*threads=*/1);
  view.erase();
  ASSERT_EQ(layers.size(), 2u);
  EXPECT_EQ(layers[0].layer, "first");
  for (const CorrectedLayer &layer : layers) {
    EXPECT_TRUE(layer.kept);
    EXPECT_LT(layer.errorAfter, layer.errorBefore / 2);
  }
  expectSameOutputs();
  view = quantize(copy);
  EXPECT_LT(measure(outputs(view), before).mse, without / 2);
  // There is nothing left to correct.
  std::vector<CorrectedLayer> again =
      correctBiases(function(), copy, view, samples(), /*threads=*/1);
  for (size_t i = 0; i < again.size(); ++i)
    EXPECT_LT(again[i].shift, layers[i].shift / 100);
}

} // namespace
