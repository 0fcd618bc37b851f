//===- ExecutableTest.cpp - Networks in MLIR, executed --------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// What the executor promises: fused and observed runs agree, any number of
// threads gives the same bits, outputs survive to the end, every operator has
// a kernel and a rule.
//===----------------------------------------------------------------------===//
#include "parallax/Backend/Core/SampleRunner.h"
#include "parallax/Backend/Reference/Reference.h"
#include "parallax/Dialect/NN/NNOps.h"
#include "parallax/Support/Error.h"
#include "parallax/Support/Listener.h"
#include "parallax/Support/Parallel.h"
#include "parallax/Support/Ranks.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Quant/IR/Quant.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"

#include <atomic>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <fmt/format.h>
#include <future>
#include <gtest/gtest.h>
#include <map>
#include <thread>

using namespace parallax;

namespace {

class ExecutableTest : public testing::Test {
protected:
  ExecutableTest() {
    context.loadDialect<nn::NNDialect, mlir::func::FuncDialect>();
    populateReferenceKernels(kernels);
  }

  Executable prepareText(const std::string &text,
                         const PrepareOptions &options = {}) {
    module = mlir::parseSourceString<ModuleOp>(text, &context);
    EXPECT_TRUE(module);
    return prepare(*module->getOps<mlir::func::FuncOp>().begin(), kernels,
                   options);
  }

  static Tensor ramp(Shape shape, float step) {
    Tensor tensor(DType::F32, std::move(shape));
    for (int64_t i = 0; i < tensor.size(); ++i)
      tensor.data<float>()[i] = std::sin(float(i) * step);
    return tensor;
  }

  MLIRContext context{MLIRContext::Threading::DISABLED};
  KernelSet kernels;
  OwningOpRef<ModuleOp> module;
};

// Convolution, batch normalization, gate and residual addition: all of it is
// one kernel unless somebody observes.
constexpr const char *residual = R"(
func.func @main(%x: tensor<1x16x9x9xf32>) -> (tensor<1x16x9x9xf32>, tensor<1x16x1x1xf32>) {
  %w = nn.constant dense<0.01> : tensor<16x16x3x3xf32>
  %b = nn.constant dense<0.1> : tensor<16xf32>
  %s = nn.constant dense<2.0> : tensor<16xf32>
  %c = nn.conv %x, %w, %b {dilations = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>, strides = array<i64: 1, 1>} : (tensor<1x16x9x9xf32>, tensor<16x16x3x3xf32>, tensor<16xf32>) -> tensor<1x16x9x9xf32>
  %n = nn.batch_normalization %c, %s, %b, %b, %s : (tensor<1x16x9x9xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>) -> tensor<1x16x9x9xf32>
  %g = nn.sigmoid %n : (tensor<1x16x9x9xf32>) -> tensor<1x16x9x9xf32>
  %m = nn.mul %n, %g : (tensor<1x16x9x9xf32>, tensor<1x16x9x9xf32>) -> tensor<1x16x9x9xf32>
  %a = nn.add %m, %x : (tensor<1x16x9x9xf32>, tensor<1x16x9x9xf32>) -> tensor<1x16x9x9xf32>
  %p = nn.global_average_pool %a : (tensor<1x16x9x9xf32>) -> tensor<1x16x1x1xf32>
  return %a, %p : tensor<1x16x9x9xf32>, tensor<1x16x1x1xf32>
})";

TEST_F(ExecutableTest, FusedAndObservedRunsAgree) {
  struct Counter : Observer {
    void onResult(const LayerResult &layer, const Tensor &value) override {
      ++seen[layer.op];
      for (float number : value.values<float>())
        EXPECT_TRUE(std::isfinite(number));
    }
    std::map<std::string, int> seen;
  } counter;
  std::vector<Tensor> inputs{ramp({1, 16, 9, 9}, 0.37f)};
  Executable fused = prepareText(residual);
  ExecutionState fusedState(fused);
  std::vector<Tensor> expected;
  for (const Tensor &output : fusedState.run(inputs))
    expected.push_back(output.clone());

  Executable observed = prepareText(residual, {.observe = true});
  EXPECT_GT(observed.steps.size(), fused.steps.size());
  ExecutionState state(observed);
  std::span<const Tensor> outputs = state.run(inputs, &counter);
  for (size_t i = 0; i < outputs.size(); ++i)
    for (int64_t j = 0; j < outputs[i].size(); ++j)
      EXPECT_NEAR(outputs[i].data<float>()[j], expected[i].data<float>()[j],
                  1e-5);
  EXPECT_EQ(counter.seen.size(), 6u);
  EXPECT_EQ(counter.seen["nn.conv"], 1);
}

TEST_F(ExecutableTest, ResultsDoNotDependOnThreads) {
  Executable executable = prepareText(residual);
  auto run = [&](int threads) {
    std::vector<Tensor> results;
    SampleCallbacks callbacks;
    callbacks.load = [](size_t i) {
      return std::vector{ramp({1, 16, 9, 9}, 0.1f + float(i))};
    };
    callbacks.consume = [&](size_t i, std::span<const Tensor> outputs) {
      EXPECT_EQ(results.size(), i);
      results.push_back(outputs[0].clone());
    };
    runSamples(executable, 9, threads, callbacks);
    return results;
  };
  std::vector<Tensor> one = run(1), three = run(3);
  ASSERT_EQ(one.size(), 9u);
  for (size_t i = 0; i < one.size(); ++i)
    EXPECT_EQ(
        std::memcmp(one[i].rawData(), three[i].rawData(), one[i].byteSize()),
        0);
}

TEST_F(ExecutableTest, OneOfManySamplesGetsTheThreadsOfOne) {
  Executable executable = prepareText(residual);
  auto threadsOfOne = [&](size_t total) {
    int threads = 0;
    SampleCallbacks callbacks;
    callbacks.total = total;
    callbacks.load = [](size_t) {
      return std::vector{ramp({1, 16, 9, 9}, 0.1f)};
    };
    callbacks.consume = [&](size_t, std::span<const Tensor>) {
      threads = threadCount();
    };
    runSamples(executable, 1, 2, callbacks);
    return threads;
  };
  EXPECT_EQ(threadsOfOne(1), 2);
  EXPECT_EQ(threadsOfOne(5), 1);
}

TEST_F(ExecutableTest, SamplesOutOfOrderDoNotWaitForEachOther) {
  Executable executable = prepareText(residual);
  std::promise<void> laterIsDone;
  std::atomic<size_t> consumed = 0;
  SampleCallbacks callbacks;
  callbacks.inOrder = false;
  callbacks.load = [&](size_t i) {
    // Would never end if later samples had to wait for the first.
    if (i == 0)
      laterIsDone.get_future().wait();
    return std::vector{ramp({1, 16, 9, 9}, 0.1f)};
  };
  callbacks.consume = [&](size_t i, std::span<const Tensor>) {
    ++consumed;
    if (i == 2)
      laterIsDone.set_value();
  };
  runSamples(executable, 5, 2, callbacks);
  EXPECT_EQ(consumed, 5u);
}

TEST_F(ExecutableTest, FirstErrorBySampleIsThrown) {
  Executable executable = prepareText(residual);
  SampleCallbacks callbacks;
  callbacks.load = [](size_t i) {
    if (i >= 3)
      throw Error("sample " + std::to_string(i) + " is broken");
    return std::vector{ramp({1, 16, 9, 9}, 0.1f)};
  };
  size_t consumed = 0;
  callbacks.consume = [&](size_t, std::span<const Tensor>) { ++consumed; };
  try {
    runSamples(executable, 20, 2, callbacks);
    FAIL();
  } catch (const Error &error) {
    EXPECT_STREQ(error.what(), "sample 3 is broken");
  }
  EXPECT_EQ(consumed, 3u);
}

/// The first of two ranks; what the second gives is as large as what we give.
class FirstOfTwo : public Ranks {
public:
  explicit FirstOfTwo(size_t bytesOfSample) : bytesOfSample(bytesOfSample) {
    size = 2;
  }
  void exchange(std::string_view step, std::string_view bytes,
                const Take &take) override {
    size_t begin = 0, last = 0, count = 0;
    ASSERT_EQ(std::sscanf(std::string(step).c_str(),
                          "samples %zu to %zu of %zu", &begin, &last, &count),
              3);
    EXPECT_EQ(begin, done);
    done = last + 1;
    size_t others = done - begin - (done - begin) / 2;
    sizes.push_back(bytes.size());
    take(0, bytes);
    ByteWriter theirs;
    theirs(size_t(0));
    for (size_t i = 0; i < others; ++i)
      theirs(std::string(bytesOfSample, 'x'));
    take(1, theirs.bytes());
  }
  void requireSame(std::string_view, std::string_view) override {}

  size_t bytesOfSample, done = 0;
  std::vector<size_t> sizes;
};

TEST_F(ExecutableTest, RanksGiveAsMuchAsTheOthersCanHold) {
  Executable executable = prepareText(residual);
  for (size_t megabytes : {0, 10, 70}) {
    std::string text((megabytes << 20) + 1, 'x');
    FirstOfTwo twoRanks(text.size());
    RanksScope scope(twoRanks);
    SampleCallbacks callbacks;
    callbacks.isDealt = true;
    callbacks.load = [](size_t) {
      return std::vector{ramp({1, 16, 9, 9}, 0.1f)};
    };
    callbacks.consume = [](size_t, std::span<const Tensor>) { FAIL(); };
    callbacks.pack = [&](size_t, std::span<const Tensor>, ByteWriter &writer) {
      writer(text);
    };
    size_t next = 0;
    callbacks.unpack = [&](size_t sample, ByteReader &reader) {
      EXPECT_EQ(sample, next++);
      std::string given;
      reader(given);
      EXPECT_EQ(given.size(), text.size());
    };
    size_t count = megabytes == 0 ? 1000 : 140 / megabytes + 4;
    runSamples(executable, count, 1, callbacks);
    EXPECT_EQ(next, count);
    size_t most = std::max(size_t(64) << 20, text.size()) + 100;
    for (size_t size : twoRanks.sizes)
      EXPECT_LE(size, most);
    // Small ones come in few blocks.
    if (megabytes == 0)
      EXPECT_LE(twoRanks.sizes.size(), 3u);
  }
}

/// Knows only in one thread that it is cancelled, and only once something is.
class ListenerOfOneThread : public Listener {
public:
  explicit ListenerOfOneThread(const std::atomic<size_t> &done) : done(done) {}
  bool isCancelled() const override {
    if (std::this_thread::get_id() == caller && done > 0)
      isStopped = true;
    return isStopped;
  }

private:
  const std::atomic<size_t> &done;
  std::thread::id caller = std::this_thread::get_id();
  mutable std::atomic<bool> isStopped = false;
};

TEST_F(ExecutableTest, IsCancelledByTheCallersThread) {
  Executable executable = prepareText(residual);
  std::atomic<size_t> loaded = 0;
  ListenerOfOneThread listener(loaded);
  ListenerScope scope(listener);
  SampleCallbacks callbacks;
  callbacks.load = [&](size_t) {
    ++loaded;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    return std::vector{ramp({1, 16, 9, 9}, 0.1f)};
  };
  callbacks.consume = [](size_t, std::span<const Tensor>) {};
  for (bool isInOrder : {false, true}) {
    loaded = 0;
    callbacks.inOrder = isInOrder;
    constexpr size_t hours = 10'000'000;
    EXPECT_THROW(runSamples(executable, hours, 2, callbacks), Cancelled);
  }
}

TEST_F(ExecutableTest, IsCancelledBetweenLayers) {
  class CountingListener : public Listener {
  public:
    bool isCancelled() const override { return ++asked > 2; }
    mutable int asked = 0;
  };
  PrepareOptions options;
  options.observe = true; // nothing is fused
  Executable executable = prepareText(residual, options);
  ASSERT_GT(executable.steps.size(), 3u);
  ExecutionState state(executable);
  std::vector<Tensor> inputs{ramp({1, 16, 9, 9}, 0.1f)};
  CountingListener listener;
  {
    ListenerScope scope(listener);
    EXPECT_THROW(state.run(inputs), Cancelled);
  }
  EXPECT_EQ(listener.asked, 3);
  EXPECT_NO_THROW(state.run(inputs));
}

TEST_F(ExecutableTest, WrongInputsAreRefused) {
  Executable executable = prepareText(residual);
  ExecutionState state(executable);
  std::vector<Tensor> tooSmall{ramp({1, 16, 8, 8}, 1)};
  EXPECT_THROW(state.run(tooSmall), Error);
  EXPECT_THROW(state.run({}), Error);
}

TEST_F(ExecutableTest, OddChannelsKeepTheirPaddingOut) {
  // 5 channels in blocks of 8: the reciprocal of the padding must not leak.
  Executable executable = prepareText(R"(
func.func @main(%x: tensor<1x8x4x4xf32>) -> tensor<1x8x4x4xf32> {
  %w = nn.constant dense<0.5> : tensor<5x8x1x1xf32>
  %v = nn.constant dense<0.5> : tensor<8x5x1x1xf32>
  %a = nn.conv %x, %w {dilations = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1>} : (tensor<1x8x4x4xf32>, tensor<5x8x1x1xf32>) -> tensor<1x5x4x4xf32>
  %r = nn.reciprocal %a : (tensor<1x5x4x4xf32>) -> tensor<1x5x4x4xf32>
  %y = nn.conv %r, %v {dilations = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1>} : (tensor<1x5x4x4xf32>, tensor<8x5x1x1xf32>) -> tensor<1x8x4x4xf32>
  return %y : tensor<1x8x4x4xf32>
})");
  Tensor ones(DType::F32, {1, 8, 4, 4});
  std::fill_n(ones.data<float>(), ones.size(), 1.0f);
  ExecutionState state(executable);
  std::span<const Tensor> outputs = state.run(std::span(&ones, 1));
  for (float value : outputs[0].values<float>())
    EXPECT_FLOAT_EQ(value, 0.625f); // 5 * 0.5 / (8 * 0.5)
}

TEST_F(ExecutableTest, PaddingOfBlocksStaysZero) {
  // 5 channels in blocks of 8: sqrt(0 - 1) in the padding would be NaN.
  Executable executable = prepareText(R"(
func.func @main(%x: tensor<1x8x4x4xf32>) -> tensor<1x8x4x4xf32> {
  %w = nn.constant dense<0.5> : tensor<5x8x1x1xf32>
  %v = nn.constant dense<0.5> : tensor<8x5x1x1xf32>
  %one = nn.constant dense<3.0> : tensor<f32>
  %a = nn.conv %x, %w {dilations = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1>} : (tensor<1x8x4x4xf32>, tensor<5x8x1x1xf32>) -> tensor<1x5x4x4xf32>
  %s = nn.sub %a, %one : (tensor<1x5x4x4xf32>, tensor<f32>) -> tensor<1x5x4x4xf32>
  %r = nn.sqrt %s : (tensor<1x5x4x4xf32>) -> tensor<1x5x4x4xf32>
  %y = nn.conv %r, %v {dilations = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1>} : (tensor<1x5x4x4xf32>, tensor<8x5x1x1xf32>) -> tensor<1x8x4x4xf32>
  return %y : tensor<1x8x4x4xf32>
})");
  Tensor ones(DType::F32, {1, 8, 4, 4});
  std::fill_n(ones.data<float>(), ones.size(), 1.0f);
  ExecutionState state(executable);
  for (float value : state.run(std::span(&ones, 1))[0].values<float>())
    EXPECT_FLOAT_EQ(value, 2.5f); // 5 * 0.5 * sqrt(8 * 0.5 - 3)
}

TEST_F(ExecutableTest, TransposedConvolutionsAddTheirBias) {
  // Whole blocks of channels, parts of one, and one channel alone; the bias is
  // an operand, and a constant.
  for (int64_t outputs : {1, 5, 16, 24}) {
    std::string type = fmt::format("tensor<2x{}x6x8xf32>", outputs);
    std::string operands =
        fmt::format("tensor<2x24x3x4xf32>, tensor<24x{0}x2x2xf32>", outputs);
    std::string attributes =
        "{dilations = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, strides "
        "= array<i64: 2, 2>, output_padding = array<i64: 0, 0>}";
    std::string constant;
    for (int64_t i = 0; i < outputs; ++i)
      constant += fmt::format("{}{}.375", i ? ", " : "", i);
    Executable executable = prepareText(fmt::format(
        R"(
func.func @main(%x: tensor<2x24x3x4xf32>, %b: tensor<{0}xf32>) -> ({1}, {1}, {1}) {{
  %w = nn.constant dense<0.125> : tensor<24x{0}x2x2xf32>
  %k = nn.constant dense<[{2}]> : tensor<{0}xf32>
  %0 = nn.conv_transpose %x, %w {4} : ({3}) -> {1}
  %1 = nn.conv_transpose %x, %w, %b {4} : ({3}, tensor<{0}xf32>) -> {1}
  %2 = nn.conv_transpose %x, %w, %k {4} : ({3}, tensor<{0}xf32>) -> {1}
  return %0, %1, %2 : {1}, {1}, {1}
}})",
        outputs, type, constant, operands, attributes));
    std::vector<Tensor> inputs{ramp({2, 24, 3, 4}, 0.37f),
                               ramp({outputs}, 1.7f)};
    for (int threads : {1, 2}) {
      ThreadCountScope scope(threads);
      ExecutionState state(executable);
      std::span<const Tensor> found = state.run(inputs);
      for (int64_t i = 0; i < found[0].size(); ++i) {
        int64_t channel = i / 48 % outputs;
        float alone = found[0].data<float>()[i];
        EXPECT_EQ(found[1].data<float>()[i],
                  alone + inputs[1].data<float>()[channel]);
        EXPECT_EQ(found[2].data<float>()[i], alone + (float(channel) + 0.375f));
      }
    }
  }
}

TEST_F(ExecutableTest, TruthOfABlockedValueIsPlain) {
  Executable executable = prepareText(R"(
func.func @main(%x: tensor<1x8x4x4xf32>) -> tensor<1x8x4x4xi1> {
  %w = nn.constant dense<0.5> : tensor<8x8x1x1xf32>
  %a = nn.conv %x, %w {dilations = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1>} : (tensor<1x8x4x4xf32>, tensor<8x8x1x1xf32>) -> tensor<1x8x4x4xf32>
  %n = nn.is_nan %a : (tensor<1x8x4x4xf32>) -> tensor<1x8x4x4xi1>
  return %n : tensor<1x8x4x4xi1>
})");
  Tensor zeros(DType::F32, {1, 8, 4, 4});
  ExecutionState state(executable);
  for (bool value : state.run(std::span(&zeros, 1))[0].values<bool>())
    EXPECT_FALSE(value);
}

TEST_F(ExecutableTest, ExtentsThatDependOnDataMayGrow) {
  Executable executable = prepareText(R"(
func.func @main(%x: tensor<4xf32>) -> tensor<1x?xi64> {
  %i = nn.non_zero %x : (tensor<4xf32>) -> tensor<1x?xi64>
  return %i : tensor<1x?xi64>
})");
  ExecutionState state(executable);
  auto count = [&](std::vector<float> values) {
    Tensor x = Tensor::fromValues<float>({4}, std::span<const float>(values));
    return state.run(std::span(&x, 1))[0].dim(1);
  };
  EXPECT_EQ(count({0, 1, 0, 0}), 1);
  EXPECT_EQ(count({1, 1, 0, 1}), 3);
  EXPECT_EQ(count({0, 0, 0, 0}), 0);
}

TEST_F(ExecutableTest, ABiasAfterAProductWithAVectorIsNotPerColumn) {
  Executable executable = prepareText(R"(
func.func @main(%x: tensor<2x3xf32>) -> tensor<2xf32> {
  %v = nn.constant dense<1.0> : tensor<3xf32>
  %b = nn.constant dense<[10.0, 20.0]> : tensor<2xf32>
  %p = nn.matmul %x, %v : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2xf32>
  %y = nn.add %p, %b : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  return %y : tensor<2xf32>
})");
  Tensor x(DType::F32, {2, 3});
  std::fill_n(x.data<float>(), x.size(), 1.0f);
  ExecutionState state(executable);
  std::span<const Tensor> outputs = state.run(std::span(&x, 1));
  EXPECT_EQ(outputs[0].data<float>()[0], 13.0f);
  EXPECT_EQ(outputs[0].data<float>()[1], 23.0f);
}

/// x weight^T + bias by three loops; `bias` may be empty.
std::vector<double> connect(const Tensor &x, const Tensor &weight,
                            const std::vector<float> &bias) {
  int64_t rows = weight.dim(0), inner = weight.dim(1);
  std::vector<double> y;
  for (int64_t i = 0; i < x.size() / inner; ++i)
    for (int64_t j = 0; j < rows; ++j) {
      double sum = bias.empty() ? 0 : double(bias[size_t(j)]);
      for (int64_t k = 0; k < inner; ++k)
        sum += double(x.data<float>()[i * inner + k]) *
               double(weight.data<float>()[j * inner + k]);
      y.push_back(sum);
    }
  return y;
}

void expectNear(const Tensor &actual, const std::vector<double> &expected) {
  ASSERT_EQ(size_t(actual.size()), expected.size());
  for (size_t i = 0; i < expected.size(); ++i)
    EXPECT_NEAR(actual.data<float>()[i], expected[i], 1e-5) << i;
}

TEST_F(ExecutableTest, FullyConnected) {
  Executable executable = prepareText(R"(
func.func @main(%x: tensor<2x3x7xf32>, %v: tensor<7xf32>, %w: tensor<5x7xf32>)
    -> (tensor<2x3x5xf32>, tensor<5xf32>, tensor<5xf32>) {
  %b = nn.constant dense<[1.0, 2.0, 3.0, 4.0, 5.0]> : tensor<5xf32>
  %0 = nn.fully_connected %x, %w, %b : (tensor<2x3x7xf32>, tensor<5x7xf32>, tensor<5xf32>) -> tensor<2x3x5xf32>
  %1 = nn.fully_connected %v, %w, %b : (tensor<7xf32>, tensor<5x7xf32>, tensor<5xf32>) -> tensor<5xf32>
  %2 = nn.fully_connected %v, %w : (tensor<7xf32>, tensor<5x7xf32>) -> tensor<5xf32>
  return %0, %1, %2 : tensor<2x3x5xf32>, tensor<5xf32>, tensor<5xf32>
})");
  std::vector<Tensor> inputs{ramp({2, 3, 7}, 0.3f), ramp({7}, 0.7f),
                             ramp({5, 7}, 1.1f)};
  ExecutionState state(executable);
  std::span<const Tensor> outputs = state.run(inputs);
  std::vector<float> bias{1, 2, 3, 4, 5};
  expectNear(outputs[0], connect(inputs[0], inputs[2], bias));
  expectNear(outputs[1], connect(inputs[1], inputs[2], bias));
  expectNear(outputs[2], connect(inputs[1], inputs[2], {}));
}

TEST_F(ExecutableTest, FullyConnectedAbsorbsWhatFollows) {
  for (bool hasBias : {true, false}) {
    // Without a bias of its own, it takes that of an addition.
    std::string layer = hasBias ? R"(
  %s = nn.fully_connected %x, %w, %b : (tensor<4x7xf32>, tensor<5x7xf32>, tensor<5xf32>) -> tensor<4x5xf32>)"
                                : R"(
  %p = nn.fully_connected %x, %w : (tensor<4x7xf32>, tensor<5x7xf32>) -> tensor<4x5xf32>
  %s = nn.add %b, %p : (tensor<5xf32>, tensor<4x5xf32>) -> tensor<4x5xf32>)";
    Executable executable = prepareText(R"(
func.func @main(%x: tensor<4x7xf32>, %w: tensor<5x7xf32>, %r: tensor<4x5xf32>) -> tensor<4x5xf32> {
  %b = nn.constant dense<[1.0, 2.0, 3.0, 4.0, 5.0]> : tensor<5xf32>)" +
                                        layer + R"(
  %g = nn.silu %s : (tensor<4x5xf32>) -> tensor<4x5xf32>
  %y = nn.add %g, %r : (tensor<4x5xf32>, tensor<4x5xf32>) -> tensor<4x5xf32>
  return %y : tensor<4x5xf32>
})");
    EXPECT_EQ(executable.steps.size(), 1u);
    std::vector<Tensor> inputs{ramp({4, 7}, 0.3f), ramp({5, 7}, 1.1f),
                               ramp({4, 5}, 0.9f)};
    std::vector<double> expected =
        connect(inputs[0], inputs[1], {1, 2, 3, 4, 5});
    for (size_t i = 0; i < expected.size(); ++i)
      expected[i] = expected[i] / (1 + std::exp(-expected[i])) +
                    double(inputs[2].data<float>()[i]);
    ExecutionState state(executable);
    expectNear(state.run(inputs)[0], expected);
  }
}

TEST_F(ExecutableTest, AProductOverNoElementsIsItsBias) {
  Executable executable = prepareText(R"(
func.func @main(%x: tensor<2x0xf32>, %w: tensor<3x0xf32>, %t: tensor<0x3xf32>)
    -> (tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>) {
  %b = nn.constant dense<[-1.0, 2.0, 3.0]> : tensor<3xf32>
  %c = nn.fully_connected %x, %w, %b : (tensor<2x0xf32>, tensor<3x0xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  %0 = nn.relu %c : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %1 = nn.gemm %x, %t, %b : (tensor<2x0xf32>, tensor<0x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  %m = nn.matmul %x, %t : (tensor<2x0xf32>, tensor<0x3xf32>) -> tensor<2x3xf32>
  %2 = nn.add %m, %b : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  return %0, %1, %2 : tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>
})");
  std::vector<Tensor> inputs{Tensor(DType::F32, {2, 0}),
                             Tensor(DType::F32, {3, 0}),
                             Tensor(DType::F32, {0, 3})};
  ExecutionState state(executable);
  std::span<const Tensor> outputs = state.run(inputs);
  expectNear(outputs[0], {0, 2, 3, 0, 2, 3});
  expectNear(outputs[1], {-1, 2, 3, -1, 2, 3});
  expectNear(outputs[2], {-1, 2, 3, -1, 2, 3});
}

TEST_F(ExecutableTest, AttributesReachShuffleAndNorm) {
  Executable executable = prepareText(R"(
func.func @main(%x: tensor<1x4xf32>) -> (tensor<1x4xf32>, tensor<1x4xf32>) {
  %0 = nn.channel_shuffle %x {groups = 2 : i64} : (tensor<1x4xf32>) -> tensor<1x4xf32>
  %1 = nn.lp_normalization %x {epsilon = 10.0 : f32} : (tensor<1x4xf32>) -> tensor<1x4xf32>
  return %0, %1 : tensor<1x4xf32>, tensor<1x4xf32>
})");
  const float values[] = {1, 2, 3, 4};
  Tensor x = Tensor::fromValues<float>({1, 4}, values);
  ExecutionState state(executable);
  std::span<const Tensor> outputs = state.run(std::span(&x, 1));
  expectNear(outputs[0], {1, 3, 2, 4});
  expectNear(outputs[1], {0.1, 0.2, 0.3, 0.4});
}

TEST_F(ExecutableTest, EveryOperatorHasAKernelAndARule) {
  for (mlir::RegisteredOperationName name :
       context.getRegisteredOperationsByDialect("nn")) {
    StringRef op = name.getStringRef();
    EXPECT_TRUE(name.hasInterface<nn::QuantizableOpInterface>()) << op.str();
    if (op != "nn.constant")
      EXPECT_NE(kernels.find(op), nullptr) << op.str();
  }
}

} // namespace
