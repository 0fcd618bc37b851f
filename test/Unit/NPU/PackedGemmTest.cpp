//===- PackedGemmTest.cpp - Exact integer products of matrices ------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Every product against the definition, written out in 128-bit integers, with
// both instruction sets: all types, odd sizes, and operands at their limits,
// where a sum that was not proven to fit would wrap.
//===----------------------------------------------------------------------===//
#include "parallax/Backend/NPU/Kernels/PackedGemm.h"
#include "parallax/Backend/NPU/Kernels/InstructionSet.h"
#include "parallax/Support/Error.h"
#include "parallax/Support/Parallel.h"
#include "parallax/Support/Random.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <limits>

using namespace parallax;
using namespace parallax::npu;

namespace {

/// What a tensor is filled with: its least or greatest code, both in turns,
/// numbers within 1/64 of the range around zero (as most weights are), or any.
enum class MatrixFill { Least, Greatest, Alternating, Small, Any };
const MatrixFill matrixFills[] = {MatrixFill::Least, MatrixFill::Greatest,
                                  MatrixFill::Alternating, MatrixFill::Small,
                                  MatrixFill::Any};
const DType matrixTypes[] = {DType::U8, DType::I8, DType::U16, DType::I16};

bool isNarrow(DType type) { return sizeOf(type) == 1; }

struct Range {
  int64_t low, high;
};

Range rangeOf(DType type) {
  int64_t steps = isNarrow(type) ? 255 : 65535;
  bool isSigned = type == DType::I8 || type == DType::I16;
  int64_t low = isSigned ? -(steps + 1) / 2 : 0;
  return {low, low + steps};
}

int64_t codeAt(const Tensor &tensor, int64_t index) {
  return dispatch(tensor.dtype(), [&](auto tag) {
    return int64_t(tensor.data<typename decltype(tag)::type>()[index]);
  });
}

Tensor codes(DType type, Shape shape, MatrixFill fill, Random &random) {
  Tensor tensor(type, std::move(shape));
  Range range = rangeOf(type);
  int64_t middle = (range.low + range.high + 1) / 2;
  auto value = [&](int64_t i) -> int64_t {
    switch (fill) {
    case MatrixFill::Least:
      return range.low;
    case MatrixFill::Greatest:
      return range.high;
    case MatrixFill::Alternating:
      return i % 2 ? range.low : range.high;
    case MatrixFill::Small: {
      int64_t span = (range.high - range.low) / 64 + 1;
      return middle + int64_t(random.next() % uint64_t(span)) - span / 2;
    }
    case MatrixFill::Any:
      break;
    }
    return range.low +
           int64_t(random.next() % uint64_t(range.high - range.low + 1));
  };
  dispatch(type, [&](auto tag) {
    using T = typename decltype(tag)::type;
    for (int64_t i = 0; i < tensor.size(); ++i)
      tensor.data<T>()[i] = T(value(i));
  });
  return tensor;
}

/// acc[m][n] of x [M, K] and w [N, K].
std::vector<int64_t> literalProduct(const Tensor &x, int64_t xZero,
                                    const Tensor &w, int64_t wZero) {
  int64_t rows = x.dim(0), columns = w.dim(0), depth = x.dim(1);
  std::vector<int64_t> sums;
  for (int64_t m = 0; m < rows; ++m)
    for (int64_t n = 0; n < columns; ++n) {
      __int128 sum = 0;
      for (int64_t k = 0; k < depth; ++k)
        sum += __int128(codeAt(x, m * depth + k) - xZero) *
               __int128(codeAt(w, n * depth + k) - wZero);
      EXPECT_EQ(__int128(int64_t(sum)), sum);
      sums.push_back(int64_t(sum));
    }
  return sums;
}

class InstructionSetScope {
public:
  explicit InstructionSetScope(InstructionSet set) : outer(instructionSet()) {
    setInstructionSet(set);
  }
  ~InstructionSetScope() { setInstructionSet(outer); }

private:
  InstructionSet outer;
};

template <typename Acc, typename Kernel>
void expectSums(const RowSource &x, const PackedWeights &w,
                const std::vector<int64_t> &expected, Kernel kernel) {
  for (InstructionSet set : instructionSets) {
    InstructionSetScope scope(set);
    // What nobody writes must not look like a sum.
    std::vector<Acc> sums(x.rows * w.columns(),
                          std::numeric_limits<Acc>::min() + 77);
    kernel(x, w, StoreSums<Acc>(sums.data(), w.columns()));
    for (size_t i = 0; i < sums.size(); ++i)
      ASSERT_EQ(int64_t(sums[i]), expected[i])
          << "row " << int64_t(i) / w.columns() << ", column "
          << int64_t(i) % w.columns() << ", "
          << "instruction set " << int(set);
  }
}

const auto runGemm = [](const auto &x, const auto &w, const auto &sink) {
  gemm(x, w, sink);
};
const auto runDepthwise = [](const auto &x, const auto &w, const auto &sink) {
  depthwise(x, w, sink);
};

template <typename Kernel>
void expectAllWidths(const RowSource &x, const PackedWeights &w,
                     const std::vector<int64_t> &expected, Kernel kernel) {
  expectSums<int64_t>(x, w, expected, kernel);
  if (w.fitsInt32())
    expectSums<int32_t>(x, w, expected, kernel);
}

RowSource matrix(const Tensor &x, int32_t zeroPoint) {
  return {.type = x.dtype(),
          .zeroPoint = zeroPoint,
          .rows = x.dim(0),
          .data = x.rawData(),
          .rowStride = x.dim(1),
          .channels = x.dim(1)};
}

void checkProduct(DType xType, DType wType, MatrixFill xFill, MatrixFill wFill,
                  int64_t rows, int64_t columns, int64_t depth, int64_t xZero,
                  int64_t wZero, Random &random) {
  SCOPED_TRACE(fmt::format("{} x {}, fills {} {}, {}x{}x{}, zero points {} {}",
                           nameOf(xType), nameOf(wType), int(xFill), int(wFill),
                           rows, columns, depth, xZero, wZero));
  Tensor x = codes(xType, {rows, depth}, xFill, random);
  Tensor w = codes(wType, {columns, depth}, wFill, random);
  std::vector<int64_t> expected = literalProduct(x, xZero, w, wZero);
  // Weights are packed for the instruction set in use, and can be used by all.
  for (InstructionSet set : {instructionSet(), InstructionSet::Portable}) {
    InstructionSetScope scope(set);
    PackedWeights packed(rowMajorWeights(w, int32_t(wZero)), xType);
    expectAllWidths(matrix(x, int32_t(xZero)), packed, expected, runGemm);
  }
}

int64_t pick(Random &random, std::initializer_list<int64_t> values) {
  return values.begin()[random.next() % values.size()];
}

int64_t zeroPointOf(DType type, Random &random) {
  Range range = rangeOf(type);
  return pick(random, {range.low, range.high, (range.low + range.high + 1) / 2,
                       range.low + 7});
}

TEST(PackedGemm, EveryTypeAndFillAtEveryDepth) {
  Random random(1);
  for (DType xType : matrixTypes)
    for (DType wType : matrixTypes)
      for (int64_t depth : {1, 2, 3, 31, 32, 33, 64, 127, 257, 515, 1030, 5000})
        for (MatrixFill wFill : matrixFills)
          for (MatrixFill xFill :
               {MatrixFill::Least, MatrixFill::Greatest, MatrixFill::Any}) {
            bool isLong = depth > 300;
            checkProduct(xType, wType, xFill, wFill, isLong ? 3 : 7,
                         isLong ? 2 : 9, depth, zeroPointOf(xType, random),
                         zeroPointOf(wType, random), random);
            if (HasFatalFailure())
              return;
          }
}

TEST(PackedGemm, SymmetricWeights) {
  Random random(2);
  for (DType xType : matrixTypes)
    for (DType wType : {DType::I8, DType::I16})
      for (MatrixFill wFill : matrixFills)
        for (int64_t depth : {5, 576, 4999})
          checkProduct(xType, wType, MatrixFill::Any, wFill, 4, 18, depth,
                       zeroPointOf(xType, random), 0, random);
}

TEST(PackedGemm, OddShapes) {
  Random random(3);
  for (int64_t rows : {1, 2, 5, 6, 7, 13, 95, 97, 200})
    for (int64_t columns : {1, 7, 8, 9, 15, 16, 17, 33}) {
      checkProduct(DType::U8, DType::I8, MatrixFill::Any, MatrixFill::Any, rows,
                   columns, 35, 130, 0, random);
      checkProduct(DType::U16, DType::I8, MatrixFill::Any, MatrixFill::Any,
                   rows, columns, 34, 40000, 0, random);
      checkProduct(DType::U16, DType::I16, MatrixFill::Any, MatrixFill::Any,
                   rows, columns, 33, 3, 0, random);
    }
}

/// Sums of panels that are multiplied together may have to be cut at different
/// places.
TEST(PackedGemm, PanelsWithCutsOfTheirOwn) {
  Random random(31);
  for (DType wType : {DType::I8, DType::I16})
    for (int64_t columns : {32, 48, 70}) {
      SCOPED_TRACE(fmt::format("{}, {} columns", nameOf(wType), columns));
      const int64_t rows = 29, depth = 1400;
      Tensor x = codes(DType::U16, {rows, depth}, MatrixFill::Greatest, random);
      Tensor w = codes(wType, {columns, depth}, MatrixFill::Any, random);
      // Later columns have weights that are smaller and smaller.
      dispatch(wType, [&](auto tag) {
        using T = typename decltype(tag)::type;
        if constexpr (std::is_integral_v<T>)
          for (int64_t i = 0; i < w.size(); ++i)
            w.data<T>()[i] = T(w.data<T>()[i] / (1 + i / depth / 6));
      });
      PackedWeights packed(rowMajorWeights(w, 0), DType::U16);
      auto cuts = [&](int64_t panel) {
        std::vector<int32_t> pairs;
        for (PackedWeights::Piece piece : packed.pieces(panel))
          pairs.push_back(piece.pairs);
        return pairs;
      };
      EXPECT_NE(cuts(0), cuts(1));
      expectAllWidths(matrix(x, 5), packed, literalProduct(x, 5, w, 0),
                      runGemm);
    }
}

TEST(PackedGemm, NothingToAdd) {
  Random random(4);
  checkProduct(DType::U8, DType::I8, MatrixFill::Any, MatrixFill::Any, 3, 5, 0,
               9, 0, random);
  checkProduct(DType::U16, DType::I16, MatrixFill::Any, MatrixFill::Any, 3, 5,
               0, 9, 0, random);
  checkProduct(DType::U8, DType::I8, MatrixFill::Any, MatrixFill::Any, 0, 5, 8,
               9, 0, random);
}

TEST(PackedGemm, AnyNumberOfThreads) {
  Random random(5);
  for (int threads : {1, 2, 3, 5}) {
    ThreadCountScope scope(threads);
    for (DType wType : {DType::I8, DType::I16}) {
      checkProduct(DType::U16, wType, MatrixFill::Any, MatrixFill::Any, 211, 50,
                   130, 999, 0, random);
      checkProduct(DType::U8, wType, MatrixFill::Any, MatrixFill::Any, 9, 170,
                   700, 255, 0, random);
    }
  }
}

/// The second operand of a product of activations is [K, N], and its memory is
/// used again.
TEST(PackedGemm, PacksActivationsAgain) {
  Random random(6);
  PackedWeights packed;
  for (DType type : matrixTypes)
    for (int64_t depth : {70, 9, 64})
      for (int64_t columns : {20, 3, 31}) {
        Tensor a = codes(type, {11, depth}, MatrixFill::Any, random);
        Tensor b = codes(type, {depth, columns}, MatrixFill::Any, random);
        Tensor transposed(type, {columns, depth});
        dispatch(type, [&](auto tag) {
          using T = typename decltype(tag)::type;
          for (int64_t n = 0; n < columns; ++n)
            for (int64_t k = 0; k < depth; ++k)
              transposed.data<T>()[n * depth + k] =
                  b.data<T>()[k * columns + n];
        });
        int64_t aZero = zeroPointOf(type, random);
        int64_t bZero = zeroPointOf(type, random);
        packed.pack({.data = b.rawData(),
                     .type = type,
                     .zeroPoint = int32_t(bZero),
                     .columns = columns,
                     .channels = depth,
                     .columnStride = 1,
                     .channelStride = columns},
                    type);
        expectAllWidths(matrix(a, int32_t(aZero)), packed,
                        literalProduct(a, aZero, transposed, bZero), runGemm);
      }
}

//===----------------------------------------------------------------------===//
// Convolutions
//===----------------------------------------------------------------------===//

struct Picture {
  int64_t height, width, channels;
};
struct Kernel {
  int64_t height, width, stride, dilation, pad;
};

/// NHWC codes, and where the taps of each output pixel lie.
struct PixelTaps {
  Tensor x, padding;
  std::vector<int64_t> positions; // -1 in the padding
  std::vector<const void *> pointers;
  int64_t rows, taps;
  bool hasSlack;

  /// With 32 codes of slack after the last pixel and the padding, or with none.
  PixelTaps(DType type, int64_t zeroPoint, const Picture &picture,
            const Kernel &kernel, MatrixFill fill, bool hasSlack,
            Random &random)
      : x(codes(type,
                {picture.height * picture.width + (hasSlack ? 32 : 0),
                 picture.channels},
                fill, random)),
        padding(type, {picture.channels + (hasSlack ? 32 : 0)}),
        taps(kernel.height * kernel.width), hasSlack(hasSlack) {
    dispatch(type, [&](auto tag) {
      using T = typename decltype(tag)::type;
      std::fill_n(padding.data<T>(), padding.size(), T(zeroPoint));
    });
    auto outputs = [&](int64_t in, int64_t size) {
      return (in + 2 * kernel.pad - kernel.dilation * (size - 1) - 1) /
                 kernel.stride +
             1;
    };
    int64_t outHeight = outputs(picture.height, kernel.height);
    int64_t outWidth = outputs(picture.width, kernel.width);
    rows = outHeight * outWidth;
    for (int64_t oy = 0; oy < outHeight; ++oy)
      for (int64_t ox = 0; ox < outWidth; ++ox)
        for (int64_t ky = 0; ky < kernel.height; ++ky)
          for (int64_t kx = 0; kx < kernel.width; ++kx) {
            int64_t y = oy * kernel.stride + ky * kernel.dilation - kernel.pad;
            int64_t x = ox * kernel.stride + kx * kernel.dilation - kernel.pad;
            bool isInside =
                y >= 0 && y < picture.height && x >= 0 && x < picture.width;
            add(isInside ? y * picture.width + x : -1);
          }
  }

  void add(int64_t position) {
    positions.push_back(position);
    int64_t pixel = x.dim(1) * int64_t(sizeOf(x.dtype()));
    pointers.push_back(position < 0 ? padding.rawData()
                                    : static_cast<const char *>(x.rawData()) +
                                          position * pixel);
  }

  /// Zero outside of the picture, whatever the zero point is.
  int64_t valueAt(int64_t row, int64_t tap, int64_t channel,
                  int64_t zeroPoint) const {
    int64_t position = positions[row * taps + tap];
    return position < 0 ? 0
                        : codeAt(x, position * x.dim(1) + channel) - zeroPoint;
  }

  RowSource source(int64_t zeroPoint) const {
    return {.type = x.dtype(),
            .zeroPoint = int32_t(zeroPoint),
            .rows = rows,
            .taps = pointers.data(),
            .tapCount = taps,
            .channels = x.dim(1),
            .hasSlack = hasSlack};
  }
};

const Kernel kernels[] = {{3, 3, 1, 1, 1}, {3, 3, 2, 1, 1}, {3, 2, 1, 2, 2},
                          {1, 1, 2, 1, 0}, {7, 7, 2, 1, 3}, {5, 1, 1, 3, 4}};

TEST(PackedGemm, ConvolutionsWithGroups) {
  Random random(7);
  for (DType xType : matrixTypes)
    for (DType wType : {DType::I8, DType::I16})
      for (const Kernel &kernel : kernels)
        for (int64_t groups : {1, 3}) {
          int64_t inner = pick(random, {1, 3, 8, 11}), outer = 5;
          Picture picture{9, 8, inner * groups};
          int64_t zeroPoint = zeroPointOf(xType, random);
          PixelTaps taps(xType, zeroPoint, picture, kernel, MatrixFill::Any,
                         false, random);
          for (int64_t group = 0; group < groups; ++group) {
            Tensor w = codes(wType, {outer, inner, kernel.height, kernel.width},
                             MatrixFill::Any, random);
            std::vector<int64_t> expected;
            for (int64_t row = 0; row < taps.rows; ++row)
              for (int64_t n = 0; n < outer; ++n) {
                __int128 sum = 0;
                for (int64_t c = 0; c < inner; ++c)
                  for (int64_t t = 0; t < taps.taps; ++t)
                    sum += __int128(taps.valueAt(row, t, group * inner + c,
                                                 zeroPoint)) *
                           codeAt(w, (n * inner + c) * taps.taps + t);
                expected.push_back(int64_t(sum));
              }
            RowSource x = taps.source(zeroPoint);
            x.channels = inner;
            x.firstChannel = group * inner;
            SCOPED_TRACE(fmt::format(
                "{} x {}, {}x{} taps, group {} of {}", nameOf(xType),
                nameOf(wType), kernel.height, kernel.width, group, groups));
            expectAllWidths(x, PackedWeights(convolutionWeights(w), xType),
                            expected, runGemm);
          }
        }
}

void checkDepthwise(DType xType, DType wType, MatrixFill xFill,
                    MatrixFill wFill, const Picture &picture,
                    const Kernel &kernel, bool hasSlack, Random &random) {
  SCOPED_TRACE(fmt::format("{} x {}, fills {} {}, {} channels, {}x{} taps",
                           nameOf(xType), nameOf(wType), int(xFill), int(wFill),
                           picture.channels, kernel.height, kernel.width));
  int64_t zeroPoint = zeroPointOf(xType, random);
  PixelTaps taps(xType, zeroPoint, picture, kernel, xFill, hasSlack, random);
  Tensor w = codes(wType, {picture.channels, 1, kernel.height, kernel.width},
                   wFill, random);
  std::vector<int64_t> expected;
  for (int64_t row = 0; row < taps.rows; ++row)
    for (int64_t c = 0; c < picture.channels; ++c) {
      __int128 sum = 0;
      for (int64_t t = 0; t < taps.taps; ++t)
        sum += __int128(taps.valueAt(row, t, c, zeroPoint)) *
               codeAt(w, c * taps.taps + t);
      expected.push_back(int64_t(sum));
    }
  expectAllWidths(taps.source(zeroPoint),
                  PackedWeights(convolutionWeights(w), xType,
                                DepthwiseTaps{kernel.height, kernel.width}),
                  expected, runDepthwise);
}

TEST(Depthwise, EveryTypeFillAndWidth) {
  Random random(8);
  for (DType xType : matrixTypes)
    for (DType wType : {DType::I8, DType::I16})
      for (const Kernel &kernel : kernels)
        for (int64_t channels : {1, 3, 7, 8, 9, 15, 16, 17, 24, 40}) {
          MatrixFill xFill =
              matrixFills[random.next() % std::size(matrixFills)];
          MatrixFill wFill =
              matrixFills[random.next() % std::size(matrixFills)];
          for (bool hasSlack : {false, true})
            checkDepthwise(xType, wType, xFill, wFill, {9, 8, channels}, kernel,
                           hasSlack, random);
          if (HasFatalFailure())
            return;
        }
}

/// Windows that move by pixels, with padding above and below: rows of a line
/// are a run.
class LineTaps : public TapSource {
public:
  LineTaps(const Tensor &x, const Tensor &padding, int64_t height,
           int64_t width, const Kernel &kernel)
      : x(x), padding(padding), height(height), width(width), kernel(kernel),
        outputs((width - kernel.width) / kernel.stride + 1) {}

  /// The pixel of tap (i, j), or -1 in the padding.
  int64_t pixelOf(int64_t row, int64_t i, int64_t j) const {
    int64_t line = row / outputs + i - kernel.pad;
    return line < 0 || line >= height
               ? -1
               : line * width + row % outputs * kernel.stride + j;
  }

  int64_t find(int64_t row, int64_t rows, const char **taps,
               int64_t *steps) const override {
    const int64_t pixel = x.dim(1) * int64_t(sizeOf(x.dtype()));
    for (int64_t i = 0; i < kernel.height; ++i)
      for (int64_t j = 0; j < kernel.width; ++j) {
        const int64_t at = pixelOf(row, i, j);
        auto *from =
            static_cast<const char *>(at < 0 ? padding.rawData() : x.rawData());
        *taps++ = from + std::max<int64_t>(at, 0) * pixel;
        *steps++ = at < 0 ? 0 : kernel.stride * pixel;
      }
    return std::min(rows, outputs - row % outputs);
  }

  const Tensor &x, &padding;
  int64_t height, width;
  Kernel kernel;
  int64_t outputs;
};

TEST(Depthwise, WindowsThatSlide) {
  constexpr int64_t width = 21, lines = 4;
  Random random(13);
  for (DType xType : matrixTypes)
    for (const Kernel &kernel :
         {Kernel{3, 3, 1, 1, 0}, Kernel{5, 5, 1, 1, 0}, Kernel{3, 3, 2, 1, 0},
          Kernel{5, 5, 2, 1, 0}, Kernel{4, 4, 1, 1, 0}, Kernel{2, 5, 1, 1, 0},
          Kernel{7, 7, 1, 1, 0}, Kernel{3, 3, 1, 1, 1}, Kernel{3, 3, 2, 1, 1},
          Kernel{5, 5, 1, 1, 2}, Kernel{7, 7, 1, 1, 3}, Kernel{3, 3, 1, 1, 5}})
      for (int64_t channels : {16, 19, 40}) {
        int64_t height =
            std::max<int64_t>(1, lines + kernel.height - 1 - 2 * kernel.pad);
        // What is read beyond the last pixel.
        Tensor x = codes(xType, {height * width + 32, channels},
                         MatrixFill::Any, random);
        Tensor w = codes(DType::I8, {channels, 1, kernel.height, kernel.width},
                         MatrixFill::Any, random);
        int64_t zeroPoint = zeroPointOf(xType, random);
        Tensor padding(xType, {channels + 32});
        dispatch(xType, [&](auto tag) {
          using T = typename decltype(tag)::type;
          std::fill_n(padding.data<T>(), padding.size(), T(zeroPoint));
        });
        LineTaps taps(x, padding, height, width, kernel);
        std::vector<int64_t> expected;
        for (int64_t row = 0; row < lines * taps.outputs; ++row)
          for (int64_t c = 0; c < channels; ++c) {
            int64_t sum = 0;
            for (int64_t i = 0; i < kernel.height; ++i)
              for (int64_t j = 0; j < kernel.width; ++j) {
                int64_t pixel = taps.pixelOf(row, i, j);
                if (pixel >= 0)
                  sum += (codeAt(x, pixel * channels + c) - zeroPoint) *
                         codeAt(w, (c * kernel.height + i) * kernel.width + j);
              }
            expected.push_back(sum);
          }
        RowSource rows{.type = xType,
                       .zeroPoint = int32_t(zeroPoint),
                       .rows = lines * taps.outputs,
                       .finder = &taps,
                       .tapCount = kernel.height * kernel.width,
                       .channels = channels,
                       .hasSlack = true};
        SCOPED_TRACE(fmt::format("{} x I8, {} channels, {}x{} taps, stride {}",
                                 nameOf(xType), channels, kernel.height,
                                 kernel.width, kernel.stride));
        PackedWeights packed(convolutionWeights(w), xType,
                             DepthwiseTaps{kernel.height, kernel.width});
        expectAllWidths(rows, packed, expected, runDepthwise);
        rows.hasSlack = false;
        expectAllWidths(rows, packed, expected, runDepthwise);
      }
}

/// Kernels so large that sums pass 32 bits within a panel.
TEST(Depthwise, ManyTaps) {
  Random random(9);
  for (DType xType : matrixTypes)
    for (DType wType : {DType::I8, DType::I16})
      for (MatrixFill fill : {MatrixFill::Least, MatrixFill::Greatest})
        checkDepthwise(xType, wType, fill, fill, {40, 31, 19},
                       {39, 31, 1, 1, 0}, false, random);
}

//===----------------------------------------------------------------------===//
// Bounds and refusals
//===----------------------------------------------------------------------===//

TEST(PackedWeights, SumsOf32BitsAreProven) {
  // 255 * 128 * 65793 is the last product of these codes below 2^31.
  for (int64_t depth : {65793, 65794}) {
    Random random(10);
    Tensor w = codes(DType::I8, {1, depth}, MatrixFill::Least, random);
    PackedWeights packed(rowMajorWeights(w), DType::U8);
    EXPECT_EQ(packed.fitsInt32(), depth == 65793);
    Tensor x = codes(DType::U8, {1, depth}, MatrixFill::Greatest, random);
    expectAllWidths(matrix(x, 0), packed, {-255 * 128 * depth}, runGemm);
    std::vector<int32_t> sums(1);
    if (!packed.fitsInt32()) {
      EXPECT_THROW(
          gemm<int32_t>(matrix(x, 0), packed, StoreSums(sums.data(), 1)),
          Error);
    }
  }
}

TEST(PackedWeights, SumsOf16BitCodesCanFit32Bits) {
  // 65535 * 128 * 256 is the last product of these codes below 2^31.
  for (int64_t depth : {256, 257}) {
    Random random(14);
    Tensor w = codes(DType::I8, {17, depth}, MatrixFill::Least, random);
    for (DType type : {DType::U16, DType::I16}) {
      PackedWeights packed(rowMajorWeights(w), type);
      EXPECT_EQ(packed.fitsInt32(), depth == 256);
      EXPECT_EQ(packed.fitsInt32(32767), depth == 256);
      EXPECT_FALSE(packed.fitsInt32(32768));
      auto [low, high] = rangeOf(type);
      Tensor least = codes(type, {13, depth}, MatrixFill::Least, random);
      Tensor most = codes(type, {13, depth}, MatrixFill::Greatest, random);
      expectAllWidths(matrix(least, int32_t(high)), packed,
                      std::vector(13 * 17, 65535 * 128 * depth), runGemm);
      expectAllWidths(matrix(most, int32_t(low)), packed,
                      std::vector(13 * 17, -65535 * 128 * depth), runGemm);
    }
  }
}

TEST(PackedWeights, OnlyLargeWeightsAreSplit) {
  Random random(11);
  Tensor large = codes(DType::I16, {9, 40}, MatrixFill::Any, random);
  Tensor small = codes(DType::I16, {9, 40}, MatrixFill::Small, random);
  EXPECT_TRUE(PackedWeights(rowMajorWeights(large), DType::U16).isSplit());
  EXPECT_FALSE(PackedWeights(rowMajorWeights(small), DType::U16).isSplit());
}

TEST(PackedGemm, RefusesWhatDoesNotFitTogether) {
  Random random(12);
  Tensor x = codes(DType::U8, {2, 6}, MatrixFill::Any, random);
  Tensor w = codes(DType::I8, {3, 5}, MatrixFill::Any, random);
  std::vector<int64_t> sums(6);
  StoreSums<int64_t> sink(sums.data(), 3);
  PackedWeights packed(rowMajorWeights(w), DType::U8);
  EXPECT_THROW(gemm(matrix(x, 0), packed, sink), Error);
  RowSource narrow = matrix(x, 0);
  narrow.channels = 5;
  EXPECT_NO_THROW(gemm(narrow, packed, sink));
  EXPECT_THROW(depthwise(narrow, packed, sink), Error);
  narrow.zeroPoint = 256;
  EXPECT_THROW(gemm(narrow, packed, sink), Error);
  narrow.zeroPoint = 0;
  PackedWeights wide(rowMajorWeights(w), DType::U16);
  EXPECT_THROW(gemm(narrow, wide, sink), Error);
  Tensor floats(DType::F32, {3, 5});
  EXPECT_THROW(PackedWeights(rowMajorWeights(floats), DType::U8), Error);
}

} // namespace
