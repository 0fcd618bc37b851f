//===- Products.h - Sums of products, term by term -------------*- C++ -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// One element of a convolution or matrix product as the formulas C21 to C23 of
// docs/numerics.md have it: all its terms, their sum in integers, and what that
// is in codes of the result.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_LIB_PASSES_ANALYZE_BITS_PRODUCTS_H
#define PARALLAX_LIB_PASSES_ANALYZE_BITS_PRODUCTS_H

#include "Exact.h"

namespace parallax::analyze {

class ProductSums {
public:
  /// Nothing for layers that are not products of codes, or more than that.
  static std::optional<ProductSums> of(const LayerSample &layer);

  /// The element at a flat index of the result.
  ExactElement at(int64_t index) const;

private:
  /// Codes with their zero point.
  struct Factor {
    std::vector<int64_t> codes;
    Shape shape;
    int64_t zeroPoint = 0;
  };
  /// The places of two factors.
  struct Term {
    int64_t x, w;
  };

  std::vector<Term> termsOf(const Shape &place) const;
  std::vector<Term> convolutionTerms(const Shape &place) const;
  std::vector<Term> matrixTerms(const Shape &place) const;
  int64_t channelOf(const Shape &place) const;

  Operation *op = nullptr;
  Factor x, w;
  std::string xName, wName = "weights";
  std::vector<int64_t> bias;
  Shape shape;
  /// Of each channel, or of all: from the sum to codes of the result.
  std::vector<double> factors;
  AffineParams codes;
  int multiplierBits = 31;
};

} // namespace parallax::analyze

#endif // PARALLAX_LIB_PASSES_ANALYZE_BITS_PRODUCTS_H
