//===- LiteralFloat.h - A second version of float layers -------*- C++ -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// C90 to C99 of docs/numerics.md in plain loops over single numbers, written
// from the page alone: functions in binary128, everything else in the binary32
// operations that it lists. Slow, and no line shared with the kernels.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_TEST_UNIT_NPU_LITERALFLOAT_H
#define PARALLAX_TEST_UNIT_NPU_LITERALFLOAT_H

#include "Misread.h"

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace parallax::literal {

using Dims = std::vector<int64_t>;
using Floats = std::vector<float>;

/// A row-major tensor.
struct Array {
  Dims dims;
  Floats values;

  Array(Dims dims, Floats values)
      : dims(std::move(dims)), values(std::move(values)) {}
  explicit Array(Dims shape);

  int64_t size() const { return int64_t(values.size()); }
  float &at(const Dims &index);
  float at(const Dims &index) const;
};

/// The index of element `flat`, and the other way round.
Dims indexOf(int64_t flat, const Dims &dims);
int64_t flatOf(const Dims &index, const Dims &dims);

/// C90, C95, by the operator's name in ONNX, "GeluTanh" and "Gelu".
float floatFunction(const std::string &name, float x, float alpha = 0,
                    float beta = 0);
float floatPow(float x, double y);

/// C91.
Array floatConv(const Array &x, const Array &w, const Floats &bias, Dims y,
                const Dims &strides, const Dims &dilations,
                const Dims &padsBegin, int64_t groups, bool transposed);
Array floatMatmul(const Array &a, const Array &b, Dims y);
/// One letter per dimension.
Array floatEinsum(const std::vector<Array> &inputs,
                  const std::vector<std::string> &labels,
                  const std::string &output, Dims y);

/// C92. Reductions by their names in ONNX without "Reduce", and "Norm" for any
/// p.
float floatSum(const Floats &x);
float floatReduction(const std::string &kind, const Floats &x, int64_t p = 2);
Array floatReduce(const std::string &kind, const Array &x, const Dims &axes);
Array floatPool(const std::string &kind, const Array &x, Dims y,
                const Dims &kernel, const Dims &strides, const Dims &dilations,
                const Dims &padsBegin, const Dims &padsEnd, bool countPads,
                int64_t p);

/// C93, C94.
Floats floatSoftmax(const Floats &row, bool isLog);
Floats floatNormalize(bool isCentred, const Floats &x, int64_t count,
                      float epsilon, const Floats &gamma, const Floats &beta,
                      const std::function<int64_t(int64_t, int64_t)> &entryOf);

/// C96.
Array floatBatchNorm(const Array &x, const Floats &gamma, const Floats &beta,
                     const Floats &mean, const Floats &var, float epsilon);
Array floatLpNorm(const Array &x, int64_t axis, int64_t p, float epsilon);
Array floatMeanVarianceNorm(const Array &x, const Dims &axes);
Array floatLrn(const Array &x, int64_t n, float alpha, float beta, float bias);

/// C97. Words are those of ONNX.
struct FloatResize {
  std::string mode = "linear", coordinates = "half_pixel";
  float a = -0.75f, extrapolation = 0;
  bool antialias = false, excludeOutside = false;
  Floats scales, roi;
};
Array floatResize(const Array &x, Dims y, const FloatResize &params);

/// C98.
Array floatGridSample(const Array &x, const Array &grid, Dims y,
                      const std::string &mode, const std::string &padding,
                      bool alignCorners);
Array floatRoiAlign(const Array &x, const Array &rois, const Dims &batch,
                    Dims y, bool isMax, int64_t ratio, float scale,
                    bool halfPixel);
/// Pairs of boxes: whether the second is dropped because of the first.
bool floatOverlap(const Floats &candidate, const Floats &chosen, bool isCentre,
                  float threshold);

/// C99, one direction of one sequence x[t][k]. `functions` are names with
/// parameters; w, r, b and p as ONNX stacks them.
struct FloatCell {
  std::string kind; ///< "LSTM", "GRU" or "RNN".
  std::vector<std::function<float(float)>> functions;
  Floats w, r, b, p;
  int64_t hidden, depth;
  float clip;
  bool inputForget = false, linearBeforeReset = false;
};
/// The hidden states of all steps; h and c become the final ones.
std::vector<Floats> floatRecurrent(const FloatCell &cell,
                                   const std::vector<Floats> &x, Floats &h,
                                   Floats &c);

} // namespace parallax::literal

#endif // PARALLAX_TEST_UNIT_NPU_LITERALFLOAT_H
