//===- EinsumProduct.cpp - Products of two labelled operands --------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// A label of a product of two operands has one of four roles: rows (of the left
// operand and the result), columns (of the right one and the result), depth (of
// both operands and summed), batch (of all three). Rows, columns and depth that
// each walk memory with one stride make a matrix product for oneDNN; what does
// not fit becomes a loop around it, or an operand is copied first. All such
// ways are few, so each is priced and the cheapest one taken.
//===----------------------------------------------------------------------===//
#include "EinsumLoops.h"
#include "EinsumProgram.h"
#include "parallax/Support/Error.h"
#include "parallax/Support/Parallel.h"

#include <atomic>
#include <dnnl.h>
#include <optional>

namespace parallax::kernels {
namespace {

/// How sgemm has to read a matrix, if it can.
struct MatrixLayout {
  char transposed;
  int64_t leading;
};

std::optional<MatrixLayout> layoutOf(int64_t rows, int64_t rowStride,
                                     int64_t columns, int64_t columnStride) {
  if ((columns == 1 || columnStride == 1) &&
      (rows == 1 || rowStride >= columns))
    return MatrixLayout{'N', rows == 1 ? columns : rowStride};
  if ((rows == 1 || rowStride == 1) && (columns == 1 || columnStride >= rows))
    return MatrixLayout{'T', columns == 1 ? rows : columnStride};
  return std::nullopt;
}

/// Products of rows x depth by depth x columns, one for each iteration of the
/// nest over the left operand, the right operand and the result.
struct MatrixProduct {
  int64_t rows = 1, columns = 1, depth = 1;
  MatrixLayout left, right, result;
  LoopNest<3> loops;

  int64_t work() const { return rows * columns * depth; }

  void run(const float *a, const float *b, float *c) const {
    // oneDNN splits sums by the number of threads. For the same bits with any
    // number, each call runs on one, and the pieces depend on the shape alone.
    // Cutting the longer side packs the smaller matrix several times.
    constexpr int64_t maxPieces = 16, minLength = 128, minWork = 1 << 20;
    int64_t longer = std::max(rows, columns);
    int64_t pieces = std::clamp<int64_t>(
        std::min(longer / minLength, work() / minWork), 1, maxPieces);
    bool cutsRows = rows >= columns;
    // A product takes about a sixteenth of the time of a copied element.
    int64_t grain = grainFor(work() / pieces / 16);
    std::atomic<bool> failed = false;
    parallelFor(elementCount(loops.dims) * pieces, grain,
                [&](int64_t begin, int64_t end) {
                  ThreadCountScope oneThread(1);
                  Odometer<3> at(loops, begin / pieces);
                  for (int64_t piece = begin % pieces; begin < end; ++begin) {
                    int64_t from = longer * piece / pieces;
                    int64_t to = longer * (piece + 1) / pieces;
                    if (!multiply(a + at[0], b + at[1], c + at[2],
                                  cutsRows ? from : 0, cutsRows ? to : rows,
                                  cutsRows ? 0 : from, cutsRows ? columns : to))
                      failed = true;
                    if (++piece == pieces) {
                      piece = 0;
                      at.next();
                    }
                  }
                });
    if (failed)
      throw Error("oneDNN could not compute a matrix product of an Einsum; "
                  "there may be too little memory");
  }

private:
  bool multiply(const float *a, const float *b, float *c, int64_t rowBegin,
                int64_t rowEnd, int64_t columnBegin, int64_t columnEnd) const {
    a += rowBegin * (left.transposed == 'N' ? left.leading : 1);
    b += columnBegin * (right.transposed == 'N' ? 1 : right.leading);
    c += rowBegin * result.leading + columnBegin;
    return dnnl_sgemm(left.transposed, right.transposed, rowEnd - rowBegin,
                      columnEnd - columnBegin, depth, 1.0f, a, left.leading, b,
                      right.leading, 0.0f, c, result.leading) == dnnl_success;
  }
};

/// The labels of `from` that are, or are not, in `other`; in their order.
Labels select(const Labels &from, const Labels &other, bool isIn) {
  Labels labels;
  for (int label : from)
    if (contains(other, label) == isIn)
      labels.push_back(label);
  return labels;
}

Labels join(std::initializer_list<Labels> parts) {
  Labels all;
  for (const Labels &part : parts)
    all.insert(all.end(), part.begin(), part.end());
  return all;
}

/// One way to compute the product.
struct Way {
  /// Bits of `copies`.
  enum : unsigned { CopyLeft = 1, CopyRight = 2, CopyResult = 4 };
  static constexpr unsigned copyChoices = 8;

  unsigned copies;
  /// Whether the left operand is the second one.
  bool swaps;
  EinsumOperand left, right, result;
  MatrixProduct product;
  double cost = 0;
};

/// Takes the labels at the end of `labels` that both operands walk with one
/// stride, and returns how many elements they have.
int64_t takeFused(const EinsumProgram &program, Labels &labels,
                  const EinsumOperand &one, const EinsumOperand &two) {
  int64_t count = 1;
  int last = labels.empty() ? 0 : labels.back();
  while (!labels.empty()) {
    int label = labels.back();
    if (one.strideOf(label) != count * one.strideOf(last) ||
        two.strideOf(label) != count * two.strideOf(last))
      break;
    count *= program.extents[label];
    labels.pop_back();
  }
  return count;
}

int64_t strideOfLast(const EinsumOperand &operand, const Labels &labels) {
  return labels.empty() ? 1 : operand.strideOf(labels.back());
}

/// The price in about nanoseconds. Narrow matrices are bounded by memory.
double priceOf(const EinsumProgram &program, const Way &way) {
  constexpr double perCopied = 1, perCall = 300;
  constexpr double perProduct = 0.04, perNarrowProduct = 0.25;
  const MatrixProduct &product = way.product;
  bool isNarrow = std::min(product.rows, product.columns) < 8;
  double cost = double(elementCount(product.loops.dims)) *
                (perCall + double(product.work()) *
                               (isNarrow ? perNarrowProduct : perProduct));
  const EinsumOperand *operands[] = {&way.left, &way.right, &way.result};
  for (unsigned i = 0; i < 3; ++i)
    if (way.copies & (1u << i))
      cost += perCopied * double(program.countOf(operands[i]->labels));
  return cost;
}

/// Copied operands are given the layout of a matrix per batch; their buffers
/// are only chosen when the way is taken.
std::optional<Way> tryWay(const EinsumProgram &program, const EinsumOperand &a,
                          const EinsumOperand &b, EinsumOperand result,
                          unsigned copies, bool swaps, bool depthLikeLeft) {
  EinsumOperand left = swaps ? b : a, right = swaps ? a : b;
  auto isCopied = [&](unsigned bit) { return (copies & bit) != 0; };
  // The operand that stays where it is dictates the order of the labels.
  const EinsumOperand &rowGuide =
      isCopied(Way::CopyResult) && !isCopied(Way::CopyLeft) ? left : result;
  const EinsumOperand &columnGuide =
      isCopied(Way::CopyResult) && !isCopied(Way::CopyRight) ? right : result;
  const EinsumOperand &depthGuide = depthLikeLeft ? left : right;
  Labels shared = select(left.labels, right.labels, true);
  Labels batch = select(result.labels, shared, true);
  Labels rows =
      select(select(rowGuide.labels, left.labels, true), shared, false);
  Labels columns =
      select(select(columnGuide.labels, right.labels, true), shared, false);
  Labels depth = select(depthGuide.labels, result.labels, false);

  if (isCopied(Way::CopyLeft))
    left = program.operandIn(left.buffer, join({batch, rows, depth}));
  if (isCopied(Way::CopyRight))
    right = program.operandIn(right.buffer, join({batch, depth, columns}));
  if (isCopied(Way::CopyResult))
    result = program.operandIn(result.buffer, join({batch, rows, columns}));

  Way way{copies, swaps, left, right, result, {}};
  MatrixProduct &product = way.product;
  int64_t leftRow = strideOfLast(left, rows);
  int64_t resultRow = strideOfLast(result, rows);
  int64_t rightColumn = strideOfLast(right, columns);
  int64_t resultColumn = strideOfLast(result, columns);
  int64_t leftDepth = strideOfLast(left, depth);
  int64_t rightDepth = strideOfLast(right, depth);
  product.rows = takeFused(program, rows, left, result);
  product.columns = takeFused(program, columns, right, result);
  product.depth = takeFused(program, depth, left, right);
  auto leftLayout = layoutOf(product.rows, leftRow, product.depth, leftDepth);
  auto rightLayout =
      layoutOf(product.depth, rightDepth, product.columns, rightColumn);
  auto resultLayout =
      layoutOf(product.rows, resultRow, product.columns, resultColumn);
  if (!depth.empty() || !leftLayout || !rightLayout || !resultLayout ||
      resultLayout->transposed != 'N')
    return std::nullopt;
  product.left = *leftLayout;
  product.right = *rightLayout;
  product.result = *resultLayout;
  for (int label : select(result.labels, join({batch, rows, columns}), true)) {
    product.loops.dims.push_back(program.extents[label]);
    product.loops.strides[0].push_back(left.strideOf(label));
    product.loops.strides[1].push_back(right.strideOf(label));
    product.loops.strides[2].push_back(result.strideOf(label));
  }
  product.loops.simplify();
  way.cost = priceOf(program, way);
  return way;
}

std::optional<Way> cheapestWay(const EinsumProgram &program,
                               const EinsumOperand &a, const EinsumOperand &b,
                               const EinsumOperand &c) {
  std::optional<Way> best;
  for (unsigned copies = 0; copies < Way::copyChoices; ++copies)
    for (bool swaps : {false, true})
      for (bool depthLikeLeft : {true, false}) {
        auto way = tryWay(program, a, b, c, copies, swaps, depthLikeLeft);
        if (way && (!best || way->cost < best->cost))
          best = std::move(way);
      }
  return best;
}

void addWay(EinsumProgram &program, Way way, const EinsumOperand &a,
            const EinsumOperand &b, const EinsumOperand &c) {
  auto moveToScratch = [&](EinsumOperand &operand) {
    operand.buffer = program.makeTemporary(operand.labels).buffer;
  };
  if (way.copies & Way::CopyLeft) {
    moveToScratch(way.left);
    program.addCopy(way.swaps ? b : a, way.left);
  }
  if (way.copies & Way::CopyRight) {
    moveToScratch(way.right);
    program.addCopy(way.swaps ? a : b, way.right);
  }
  if (way.copies & Way::CopyResult)
    moveToScratch(way.result);
  program.steps.push_back([product = way.product, left = way.left.buffer,
                           right = way.right.buffer,
                           result = way.result.buffer](EinsumBuffers buffers) {
    product.run(reinterpret_cast<const float *>(buffers[left]),
                reinterpret_cast<const float *>(buffers[right]),
                reinterpret_cast<float *>(buffers[result]));
  });
  if (way.copies & Way::CopyResult)
    program.addCopy(way.result, c);
}

template <typename T>
EinsumStep makeLoopStep(LoopProduct loops, size_t a, size_t b, size_t c) {
  return [loops = std::move(loops), a, b, c](EinsumBuffers buffers) {
    loops.run(reinterpret_cast<const T *>(buffers[a]),
              reinterpret_cast<const T *>(buffers[b]),
              reinterpret_cast<T *>(buffers[c]));
  };
}

} // namespace

void EinsumProgram::addProduct(const EinsumOperand &a, const EinsumOperand &b,
                               const EinsumOperand &c) {
  Labels depth = select(a.labels, c.labels, false);
  bool isDot = a.labels.size() == b.labels.size() &&
               select(a.labels, b.labels, false).empty();
  if (dtype == DType::F32 && !depth.empty() && !isDot) {
    // Roughly nanoseconds, as in priceOf.
    constexpr double perResult = 4, perProduct = 0.5;
    double results = double(countOf(c.labels));
    double loopCost =
        results * (perResult + perProduct * double(countOf(depth)));
    std::optional<Way> way = cheapestWay(*this, a, b, c);
    if (way && way->cost < loopCost)
      return addWay(*this, std::move(*way), a, b, c);
  }
  auto nestOver = [&](const Labels &labels) {
    LoopNest<2> nest{shapeOf(labels), {}};
    for (int label : labels) {
      nest.strides[0].push_back(a.strideOf(label));
      nest.strides[1].push_back(b.strideOf(label));
    }
    return nest;
  };
  LoopProduct loops(nestOver(c.labels), nestOver(depth));
  auto makeStep = dtype == DType::F32   ? makeLoopStep<float>
                  : dtype == DType::F64 ? makeLoopStep<double>
                  : dtype == DType::I32 ? makeLoopStep<int32_t>
                                        : makeLoopStep<int64_t>;
  steps.push_back(makeStep(std::move(loops), a.buffer, b.buffer, c.buffer));
}

} // namespace parallax::kernels
