//===- Convolution.cpp - Integer kernels: convolution ---------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// A convolution is a product of matrices whose rows are the channel vectors
// under a window. With the channels innermost, a row is a list of pointers, and
// results are stored where they belong as soon as they are sums.
//===----------------------------------------------------------------------===//
#include "MacEpilogue.h"
#include "TapTables.h"
#include "parallax/Support/Parallel.h"

#include <cstring>
#include <numeric>

namespace parallax::npu {
namespace {

/// Codes that may be read beyond the channels of a tap (RowSource::hasSlack).
constexpr int64_t slackBytes = 32;

/// The taps of one tensor.
class PictureTaps : public TapSource {
public:
  PictureTaps(const TapTables &tables, const void *x, int64_t pixelBytes,
              const char *zeros)
      : tables(tables), x(static_cast<const char *>(x)), pixelBytes(pixelBytes),
        zeros(zeros) {}

  /// Copies the last pixels to `to`, so that memory follows them. `to` has room
  /// for `endPixels()` pixels and the slack.
  void moveEnd(int64_t allPixels, char *to) {
    firstMoved = std::max<int64_t>(allPixels - endPixels(), 0);
    moved = to - firstMoved * pixelBytes;
    std::memcpy(to, x + firstMoved * pixelBytes,
                size_t((allPixels - firstMoved) * pixelBytes));
  }
  int64_t endPixels() const { return slackBytes / pixelBytes + 1; }

  int64_t find(int64_t row, int64_t rows, const char **taps,
               int64_t *steps) const override {
    const int64_t line = row / tables.innerOut, at = row % tables.innerOut;
    const int64_t lines = tables.positions / tables.innerOut;
    const int64_t base = line / lines * tables.pixels;
    const int64_t *outer =
        tables.outer.data() + line % lines * tables.outerTaps;
    const int64_t *inner = tables.inner.data() + at * tables.innerTaps;
    for (int64_t o = 0; o < tables.outerTaps; ++o)
      for (int64_t i = 0; i < tables.innerTaps; ++i) {
        bool isInside = (outer[o] | inner[i]) >= 0;
        *taps++ = isInside ? pixel(base + outer[o] + inner[i]) : zeros;
        *steps++ = isInside ? tables.runStep * pixelBytes : 0;
      }
    rows = std::min(rows, tables.runs[size_t(at)]);
    if (tables.runStep == 0 || tables.outerTaps == 0)
      return rows;
    // No tap may pass the end of what lies together.
    int64_t last = base + *std::max_element(outer, outer + tables.outerTaps) +
                   *std::max_element(inner, inner + tables.innerTaps);
    if (last + (rows - 1) * tables.runStep >= firstMoved)
      rows = std::max<int64_t>((firstMoved - last - 1) / tables.runStep + 1, 1);
    return rows;
  }

private:
  const char *pixel(int64_t index) const {
    return (index < firstMoved ? x : moved) + index * pixelBytes;
  }

  const TapTables &tables;
  const char *x;
  int64_t pixelBytes;
  const char *zeros;
  const char *moved = nullptr;
  int64_t firstMoved = std::numeric_limits<int64_t>::max();
};

/// The kernel of an ordinary convolution, or, turned around, of a transposed
/// one, in one group.
WeightView groupWeights(const Tensor &w, int64_t group, int64_t groups,
                        bool transposed) {
  int64_t taps = elementCount(std::span(w.shape()).subspan(2));
  int64_t outputs = transposed ? w.dim(1) : w.dim(0) / groups;
  int64_t channels = transposed ? w.dim(0) / groups : w.dim(1);
  int64_t first = group * outputs * channels * taps;
  return {.data = static_cast<const char *>(w.rawData()) +
                  first * int64_t(sizeOf(w.dtype())),
          .type = w.dtype(),
          .columns = outputs,
          .taps = taps,
          .channels = channels,
          .columnStride = transposed ? taps : channels * taps,
          .tapStride = 1,
          .channelStride = transposed ? outputs * taps : taps};
}

} // namespace

namespace {

/// Outputs that see the same taps of the kernel. A transposed convolution with
/// a stride has several such parts, of which each would waste the others' taps.
struct Part {
  /// Which outputs, as lines of the innermost axis and places in these.
  std::vector<int64_t> lines, columns;
  TapTables tables;
  /// Rows are a matrix already: the pixels in their order, one tap each.
  bool isPointwise;
  std::vector<PackedWeights> weights; // one, or one per group

  int64_t taps() const { return tables.outerTaps * tables.innerTaps; }
};

bool isIdentity(const std::vector<int64_t> &table, int64_t scale) {
  for (size_t i = 0; i < table.size(); ++i)
    if (table[i] != int64_t(i) * scale)
      return false;
  return true;
}

/// The taps `kept` of a kernel [.., .., taps...].
Tensor selectTaps(const Tensor &w, std::span<const int64_t> kept) {
  int64_t taps = elementCount(std::span(w.shape()).subspan(2));
  Tensor result(w.dtype(), {w.dim(0), w.dim(1), int64_t(kept.size())});
  dispatchCodes("a convolution", w.dtype(), [&]<typename T>(TypeTag<T>) {
    T *to = result.data<T>();
    for (int64_t i = 0; i < w.dim(0) * w.dim(1); ++i)
      for (int64_t tap : kept)
        *to++ = w.data<T>()[i * taps + tap];
  });
  return result;
}

/// The numbers of [0, count) by their rest.
std::vector<std::vector<int64_t>> byRest(int64_t count, int64_t divisor) {
  std::vector<std::vector<int64_t>> result(
      size_t(std::clamp<int64_t>(count, 1, divisor)));
  for (int64_t i = 0; i < count; ++i)
    result[size_t(i % divisor)].push_back(i);
  return result;
}

TapTables tablesOf(const ConvLayer &layer) {
  const Shape &w = layer.weights.shape();
  const ConvParams &params = layer.params;
  return TapTables({std::span(layer.x).subspan(2),
                    std::span(layer.y).subspan(2),
                    Shape(w.begin() + 2, w.end()),
                    params.strides,
                    params.dilations,
                    params.padsBegin,
                    {},
                    params.transposed});
}

} // namespace

struct Convolution::Plan {
  DType xType, yType;
  int64_t xZero, channels, outputs, groups, batch;
  int64_t positions = 0, lineLength = 0;
  bool isDepthwise;
  std::vector<Part> parts;
  std::vector<MacEpilogue> epilogues; // one, or one per group
  std::vector<char> zeros;            // a pixel of zero points

  explicit Plan(const ConvLayer &layer)
      : xType(layer.xType), yType(layer.yType), xZero(layer.xZero),
        channels(layer.x[1]), outputs(layer.y[1]), groups(layer.params.groups),
        batch(layer.x[0]) {
    isDepthwise = groups > 1 && groups == channels && groups == outputs;
    if (isDepthwise)
      groups = 1;
    std::vector<int64_t> bias = biasValues(layer.bias);
    int64_t columns = outputs / groups;
    for (int64_t g = 0; g < groups; ++g)
      epilogues.emplace_back(layer.output, bias, yType, g * columns, columns);
    addParts(layer);
    dispatchCodes("a convolution", xType, [&]<typename T>(TypeTag<T>) {
      zeros.resize(size_t(channels) * sizeof(T) + slackBytes);
      std::vector<T> codes(static_cast<size_t>(channels), T(xZero));
      std::memcpy(zeros.data(), codes.data(), codes.size() * sizeof(T));
    });
  }

  void addParts(const ConvLayer &layer) {
    const ConvParams &params = layer.params;
    const TapTables tables = tablesOf(layer);
    positions = tables.positions;
    lineLength = tables.innerOut;
    // Float results, and more than one axis of lines, are rare enough to be
    // computed as one part.
    bool isSplit =
        params.transposed && yType != DType::F32 && params.strides.size() <= 2;
    bool hasLines = isSplit && params.strides.size() == 2;
    int64_t lines = lineLength ? positions / lineLength : 0;
    for (const auto &some : byRest(lines, hasLines ? params.strides[0] : 1))
      for (const auto &places :
           byRest(lineLength, isSplit ? params.strides.back() : 1)) {
        std::vector<int64_t> kept;
        TapTables own = tables.select(some, places, kept);
        if (!isSplit) {
          own = tables;
          kept.resize(size_t(tables.outerTaps * tables.innerTaps));
          std::iota(kept.begin(), kept.end(), 0);
        }
        bool isPointwise =
            own.outerTaps * own.innerTaps == 1 && own.pixels == own.positions &&
            isIdentity(own.outer, layer.x.back()) && isIdentity(own.inner, 1);
        Part part{some, places, std::move(own), isPointwise, {}};
        Tensor weights = selectTaps(layer.weights, kept);
        // [C, 1, kernel...] is the kernel of either direction.
        for (int64_t g = 0; g < groups; ++g)
          part.weights.emplace_back(
              groupWeights(weights, g, groups,
                           params.transposed && !isDepthwise),
              xType,
              isDepthwise ? std::optional(DepthwiseTaps{part.tables.outerTaps,
                                                        part.tables.innerTaps})
                          : std::nullopt);
        parts.push_back(std::move(part));
      }
  }

  void run(const Part &part, const Tensor &x, void *y, char *end) const {
    auto codeSize = int64_t(sizeOf(xType)), ySize = int64_t(sizeOf(yType));
    const int64_t columns = outputs / groups, own = part.tables.positions;
    PictureTaps taps(part.tables, x.rawData(), channels * codeSize,
                     zeros.data());
    RowSource rows{.type = xType,
                   .zeroPoint = int32_t(xZero),
                   .rows = batch * own,
                   .channels = channels / groups};
    if (part.isPointwise && !isDepthwise) {
      rows.data = x.rawData();
      rows.rowStride = channels;
    } else {
      rows.finder = &taps;
      rows.tapCount = part.taps();
    }
    if (isDepthwise) {
      taps.moveEnd(batch * part.tables.pixels, end);
      rows.hasSlack = true;
    }
    auto *to = static_cast<char *>(y);
    for (int64_t g = 0; g < groups; ++g) {
      rows.firstChannel = g * rows.channels;
      int64_t first = g * columns;
      MacEpilogue::Places places{to + first * ySize, outputs};
      if (yType == DType::F32)
        places = {to + first * own * ySize, 1, own, own, outputs * own};
      epilogues[size_t(g)].multiply(rows, part.weights[size_t(g)], places,
                                    isDepthwise);
    }
  }

  /// Copies the results of a part, one after the other, to their places.
  void spread(const Part &part, const char *from, char *y) const {
    auto pixel = int64_t(sizeOf(yType)) * outputs;
    auto lines = int64_t(part.lines.size());
    auto places = int64_t(part.columns.size());
    parallelFor(
        batch * lines, rowGrain(places * outputs),
        [&](int64_t begin, int64_t end) {
          for (int64_t i = begin; i < end; ++i) {
            int64_t line = part.lines[size_t(i % lines)];
            char *to = y + (i / lines * positions + line * lineLength) * pixel;
            for (int64_t p = 0; p < places; ++p)
              std::memcpy(to + part.columns[size_t(p)] * pixel,
                          from + (i * places + p) * pixel, size_t(pixel));
          }
        });
  }
};

Convolution::Convolution(const ConvLayer &layer)
    : plan(std::make_unique<Plan>(layer)) {}
Convolution::~Convolution() = default;

void Convolution::run(const Tensor &x, Tensor &y) const {
  // What depthwise loops read beyond the last pixel.
  std::vector<char> end, results;
  if (plan->isDepthwise)
    end.resize(size_t(plan->channels) * sizeOf(plan->xType) + 3 * slackBytes);
  if (plan->parts.size() == 1)
    return plan->run(plan->parts[0], x, y.rawData(), end.data());
  for (const Part &part : plan->parts) {
    results.resize(size_t(plan->batch * part.tables.positions * plan->outputs) *
                   sizeOf(plan->yType));
    plan->run(part, x, results.data(), end.data());
    plan->spread(part, results.data(), static_cast<char *>(y.rawData()));
  }
}

} // namespace parallax::npu
