//===- LiteralNumerics.h - A second version of the numerics ----*- C++ -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// docs/numerics.md, statement by statement, in 128-bit integers and as slow as
// it is plain. It shares no line with the kernels, so that a mistake has to be
// made twice to stay hidden: never include FixedPoint.h or a kernel's header
// here.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_TEST_UNIT_NPU_LITERALNUMERICS_H
#define PARALLAX_TEST_UNIT_NPU_LITERALNUMERICS_H

#include "Misread.h"

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace parallax::literal {

using Wide = __int128;
using Dims = std::vector<int64_t>;

enum class Tie { Up, Away, Even };

/// The numbers that the page leaves to the target, but for the tie: B, A of 8
/// and of 16 bits, and 2^kappa + 1.
struct Machine {
  int multiplierBits = 31, accumulator8 = 32, accumulator16 = 48;
  int64_t knots = 513;
};
/// Those that all functions below go by.
extern Machine machine;

/// A tensor of codes with all that C1 to C3 say about it.
struct Codes {
  int bits = 8;
  bool isSigned = false;
  Dims dims;
  float scale = 1;
  int64_t zero = 0;
  int64_t low = 0, high = 255;
  std::vector<int64_t> values;

  int64_t leastOfType() const {
    return isSigned ? -(int64_t(1) << (bits - 1)) : 0;
  }
};

struct Factor {
  Wide m = 0;
  int s = 1;
};

struct Combination {
  std::vector<Wide> k;
  int s = 1;
};

//===----------------------------------------------------------------------===//
// C10 to C14, C60, C61
//===----------------------------------------------------------------------===//

Wide rne(double value);
Wide roundedShift(Wide p, int s, Tie tie);
/// Throws std::range_error where C12 says illegal.
Factor mult(double m);
Combination coef(const std::vector<double> &factors);
int digits(Wide value);
/// r, and the exponent with which it is to be multiplied.
Factor reciprocal(Wide v);
Factor inverseRoot(Wide v);

//===----------------------------------------------------------------------===//
// Integers that a compiled model holds
//===----------------------------------------------------------------------===//

/// C33, from f and t.
struct Affine {
  Wide k = 0, b = 0;
  int s = 1;
};
Affine affineIntegers(double f, double t);

/// C25.
std::vector<Factor> macFactors(float xScale, const std::vector<float> &wScales,
                               float yScale);

/// C39: the weights of one output.
std::vector<Wide> resizeWeights(const std::vector<float> &real, int bits);

/// C52.
Wide knot(const std::function<double(double)> &f, const Codes &x,
          const Codes &y, int64_t i);

/// C50, C52: 256 entries or all knots.
std::vector<int64_t> tableEntries(const std::function<double(double)> &f,
                                  const Codes &x, const Codes &y);

/// C62: e(j), for 16 bits also e(256 i), and E(d).
struct Exponents {
  std::vector<Wide> fine, coarse;
};
Exponents exponentTables(const Codes &x);
Wide exponent(const Codes &x, int64_t d);

/// C65: lambda(i), K_L with S, and K_d.
Wide logarithmEntry(Wide i);
std::vector<Wide> logarithmTable();
struct LogSoftmax {
  Factor logarithm;
  Wide distance;
};
LogSoftmax logSoftmaxIntegers(float xScale, float yScale);

/// C70, C71.
struct Norm {
  Wide epsilon = 0;
  int fraction = 22, s = 1;
  std::vector<Wide> k, b;
};
Norm normIntegers(const std::string &kind, float xScale, int64_t n,
                  float epsilon, const std::vector<float> &gamma,
                  const std::vector<float> &beta, float yScale);

//===----------------------------------------------------------------------===//
// Operators. A result comes in with everything but its values.
//===----------------------------------------------------------------------===//

/// C21, C22, C25. One weight scale per output channel; the bias may be empty.
struct Conv {
  Dims strides, dilations, padsBegin;
  int64_t groups = 1;
  bool transposed = false;
};
void convolution(const Codes &x, const Codes &w,
                 const std::vector<float> &wScales,
                 const std::vector<int64_t> &bias, const Conv &conv, Codes &y,
                 Tie tie);

/// C23, C25.
void fullyConnected(const Codes &x, const Codes &w,
                    const std::vector<float> &wScales,
                    const std::vector<int64_t> &bias, Codes &y, Tie tie);
void matmul(const Codes &a, const Codes &b, Codes &y, Tie tie);

/// C26, for a fully connected layer.
std::vector<float> fullyConnectedFloat(const Codes &x, const Codes &w,
                                       const std::vector<float> &wScales,
                                       const std::vector<int64_t> &bias,
                                       int64_t outputs);

/// C27.
struct Bound {
  Wide low, high;
  int margin;
};
Bound bound(const std::vector<int64_t> &weights, int64_t bias, int64_t low,
            int64_t high, int bits);

/// C30, C31.
void linear(const std::vector<Codes> &x, const std::vector<int> &signs,
            Codes &y, Tie tie);

/// C33 from C34 and from C35; `axis` is the channel's.
void normalizePixels(const Codes &x, const std::vector<float> &mean,
                     const std::vector<float> &std, int64_t axis, Codes &y,
                     Tie tie);
void batchNorm(const Codes &x, const std::vector<float> &gamma,
               const std::vector<float> &beta, const std::vector<float> &mean,
               const std::vector<float> &var, float epsilon, int64_t axis,
               Codes &y, Tie tie);

/// C36.
struct Pool {
  Dims kernel, strides, dilations, padsBegin, padsEnd;
  bool includePad = false;
};
void averagePool(const Codes &x, const Pool &pool, Codes &y, Tie tie);

/// C37, C38: "sum", "mean", "l1" or "square".
void reduce(const std::string &kind, const Codes &x, const Dims &axes, Codes &y,
            Tie tie);

/// C39, for [outer, axis, axis, ..., inner] with the inputs and real weights of
/// every output of every axis.
struct ResizeAxis {
  int64_t in, out, taps;
  std::vector<int32_t> index;
  std::vector<float> weight;
};
void resize(const Codes &x, int64_t outer, const std::vector<ResizeAxis> &axes,
            int64_t inner, Codes &y, Tie tie);

/// C40, C42, C44.
void mul(const Codes &a, const Codes &b, Codes &y, Tie tie);
void prelu(const Codes &x, const Codes &slope, Codes &y, Tie tie);
void div(const Codes &a, const Codes &b, Codes &y, Tie tie);

/// C46: -1, 0 or 1 for each element of the broadcast shape.
std::vector<int> compare(const Codes &a, const Codes &b, const Dims &dims);

/// C50 to C53.
void table(const std::function<double(double)> &f, const Codes &x, Codes &y,
           Tie tie);

/// C62 to C66.
void softmax(const Codes &x, int64_t axis, Codes &y, Tie tie);
void logSoftmax(const Codes &x, int64_t axis, Codes &y, Tie tie);

/// C70 to C75: "layer", "rms" or "l2" over rows of `count`; `entryOf` gives the
/// entry of gamma and beta of element i of row r.
void normalize(const std::string &kind, const Codes &x, int64_t count,
               float epsilon, const std::vector<float> &gamma,
               const std::vector<float> &beta,
               const std::function<int64_t(int64_t, int64_t)> &entryOf,
               Codes &y, Tie tie);

//===----------------------------------------------------------------------===//
// The same operators, given the integers that a compiled model holds
//===----------------------------------------------------------------------===//

std::vector<Wide> convolutionSums(const Codes &x, const Codes &w,
                                  const std::vector<int64_t> &bias,
                                  const Conv &conv, const Dims &dims);
std::vector<Wide> fullyConnectedSums(const Codes &x, const Codes &w,
                                     const std::vector<int64_t> &bias);
std::vector<Wide> matmulSums(const Codes &a, const Codes &b, const Dims &dims);

/// C25, C26: one factor for all, or one per channel, which is an index of
/// `axis`.
void storeSums(const std::vector<Wide> &sums,
               const std::vector<Factor> &factors, int64_t axis, Codes &y,
               Tie tie);
std::vector<float> floatSums(const std::vector<Wide> &sums,
                             const std::vector<double> &scales,
                             const Dims &dims, int64_t axis);

void linear(const std::vector<Codes> &x, const Combination &c, Codes &y,
            Tie tie);
void affine(const Codes &x, const std::vector<Affine> &channels, int64_t axis,
            Codes &y, Tie tie);
/// Factor n is for n taps.
void averagePool(const Codes &x, const Pool &pool,
                 const std::vector<Factor> &factors, Codes &y, Tie tie);
void reduce(const std::string &kind, const Codes &x, const Dims &axes,
            const Factor &factor, Codes &y, Tie tie);
struct WeightedAxis {
  int64_t in, out, taps;
  std::vector<int32_t> index;
  std::vector<Wide> weight;
};
void resize(const Codes &x, int64_t outer,
            const std::vector<WeightedAxis> &axes, int64_t inner,
            const Factor &factor, Codes &y, Tie tie);
void mul(const Codes &a, const Codes &b, const Factor &f, Codes &y, Tie tie);
void prelu(const Codes &x, const Codes &slope, const Factor &positive,
           const Factor &negative, Codes &y, Tie tie);
void div(const Codes &a, const Codes &b, const Factor &f, Codes &y, Tie tie);
std::vector<int> compare(const Codes &a, const Codes &b, const Combination &c,
                         const Dims &dims);
void table(const std::vector<int64_t> &entries, const Codes &x, Codes &y,
           Tie tie);
void softmax(const Codes &x, int64_t axis, const Exponents &tables,
             const Factor &f, Codes &y, Tie tie);
void logSoftmax(const Codes &x, int64_t axis, const Exponents &tables,
                const std::vector<Wide> &lambda, const LogSoftmax &k, Codes &y,
                Tie tie);
void normalize(const std::string &kind, const Codes &x, int64_t count,
               const Norm &norm,
               const std::function<int64_t(int64_t, int64_t)> &entryOf,
               Codes &y, Tie tie);

//===----------------------------------------------------------------------===//
// Floats
//===----------------------------------------------------------------------===//

/// C6, C7.
void quantize(const std::vector<float> &x, Codes &y);
std::vector<float> dequantize(const Codes &x);

} // namespace parallax::literal

#endif // PARALLAX_TEST_UNIT_NPU_LITERALNUMERICS_H
