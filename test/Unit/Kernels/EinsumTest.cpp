//===- EinsumTest.cpp - Sums of products in Einstein's notation -----------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// The expected result visits every combination of all labels of the equation
// and adds one product of single elements at a time. It knows no matrices, no
// order of contraction and no layouts.
//===----------------------------------------------------------------------===//
#include "parallax/Backend/Reference/Kernels/Einsum.h"
#include "KernelTestSupport.h"
#include "parallax/Support/Error.h"
#include "parallax/Support/Parallel.h"

#include <cstring>
#include <limits>
#include <map>

using namespace parallax;
using namespace parallax::kernels;
using namespace parallax::test;

namespace {

struct EinsumCase {
  const char *equation;
  std::vector<Shape> shapes;
};

void PrintTo(const EinsumCase &c, std::ostream *out) {
  *out << c.equation;
  for (const Shape &shape : c.shapes)
    *out << " " << toString(shape);
}

/// Terms with one character per axis: the axes under the ellipsis become
/// digits, the last one '0'. The last term is the output.
std::vector<std::string> plainTerms(const EinsumCase &c) {
  std::vector<std::string> terms(1);
  bool isExplicit = false;
  for (const char *at = c.equation; *at; ++at) {
    if (*at == ',' || *at == '>')
      terms.emplace_back();
    else if (std::isalpha(*at) || *at == '.')
      terms.back() += *at;
    isExplicit = isExplicit || *at == '>';
  }
  if (!isExplicit) {
    std::map<char, int> uses;
    for (const std::string &term : terms)
      for (char label : term)
        ++uses[label];
    terms.push_back("...");
    for (auto [label, count] : uses)
      if (count == 1 && label != '.')
        terms.back() += label;
  }
  size_t mostHidden = 0;
  for (size_t i = 0; i < terms.size(); ++i) {
    size_t dots = terms[i].find("...");
    if (dots == std::string::npos)
      continue;
    size_t hidden = mostHidden;
    if (i < c.shapes.size())
      hidden = c.shapes[i].size() - (terms[i].size() - 3);
    mostHidden = std::max(mostHidden, hidden);
    std::string digits = std::string("9876543210").substr(10 - hidden);
    terms[i].replace(dots, 3, digits);
  }
  return terms;
}

template <typename T> struct Expected {
  Shape shape;
  std::vector<T> sums;
  /// The sums of the absolute values, and how many products each sum has.
  std::vector<double> magnitudes;
  double terms = 1;
};

/// T is double for floats; integers are summed as they are.
template <typename T, typename Element>
Expected<T> expectedSums(const EinsumCase &c,
                         const std::vector<Tensor> &inputs) {
  std::vector<std::string> terms = plainTerms(c);
  std::map<char, int64_t> extents, position;
  for (size_t i = 0; i < inputs.size(); ++i)
    for (size_t axis = 0; axis < terms[i].size(); ++axis) {
      int64_t &extent = extents.try_emplace(terms[i][axis], 1).first->second;
      if (extent == 1)
        extent = inputs[i].dim(int64_t(axis));
    }
  Expected<T> result;
  int64_t total = 1;
  for (auto [label, extent] : extents) {
    total *= extent;
    if (terms.back().find(label) == std::string::npos)
      result.terms *= double(extent);
  }
  for (char label : terms.back())
    result.shape.push_back(extents[label]);
  result.sums.resize(size_t(elementCount(result.shape)));
  result.magnitudes.resize(result.sums.size());

  auto offsetIn = [&](const std::string &term, const Shape &shape) {
    int64_t offset = 0;
    for (size_t axis = 0; axis < term.size(); ++axis)
      offset =
          offset * shape[axis] + (shape[axis] == 1 ? 0 : position[term[axis]]);
    return offset;
  };
  for (int64_t linear = 0; linear < total; ++linear) {
    int64_t rest = linear;
    for (auto [label, extent] : extents) {
      position[label] = rest % extent;
      rest /= extent;
    }
    T product = 1;
    for (size_t i = 0; i < inputs.size(); ++i)
      product *=
          T(inputs[i].data<Element>()[offsetIn(terms[i], inputs[i].shape())]);
    int64_t at = offsetIn(terms.back(), result.shape);
    result.sums[at] += product;
    result.magnitudes[at] += std::abs(double(product));
  }
  return result;
}

/// Runs with memory that would show itself in the result if it were read.
Tensor runPlan(const EinsumPlan &plan, const std::vector<Tensor> &inputs) {
  Tensor y(inputs[0].dtype(), plan.outputShape());
  Tensor scratch(DType::U8, {int64_t(plan.scratchBytes())});
  std::memset(y.rawData(), 0xff, y.byteSize());
  std::memset(scratch.rawData(), 0xff, scratch.byteSize());
  plan.run(inputs, y, scratch.rawData());
  return y;
}

std::vector<Tensor> floatInputs(const EinsumCase &c) {
  std::vector<Tensor> inputs;
  for (const Shape &shape : c.shapes)
    inputs.push_back(randomFloats(shape, unsigned(inputs.size()) + 1));
  return inputs;
}

/// Whole numbers so small that their sums are exact in float32.
template <typename T> std::vector<Tensor> wholeInputs(const EinsumCase &c) {
  std::vector<Tensor> inputs;
  for (const Tensor &source : floatInputs(c)) {
    inputs.emplace_back(dtypeOf<T>(), source.shape());
    for (int64_t i = 0; i < source.size(); ++i)
      inputs.back().data<T>()[i] = T(std::trunc(source.data<float>()[i] * 4));
  }
  return inputs;
}

class EinsumTest : public ::testing::TestWithParam<EinsumCase> {};

TEST_P(EinsumTest, Float) {
  std::vector<Tensor> inputs = floatInputs(GetParam());
  EinsumPlan plan(GetParam().equation, GetParam().shapes);
  auto truth = expectedSums<double, float>(GetParam(), inputs);
  ASSERT_EQ(plan.outputShape(), truth.shape);
  Tensor y = runPlan(plan, inputs);
  // No order of float32 additions and multiplications has a larger error.
  double roundings = truth.terms + double(inputs.size());
  for (int64_t i = 0; i < y.size(); ++i)
    ASSERT_LE(std::abs(y.data<float>()[i] - truth.sums[i]),
              roundings * 0x1p-24 * truth.magnitudes[i])
        << "element " << i << ": " << y.data<float>()[i] << " instead of "
        << truth.sums[i];
}

template <typename T> void expectExact(const EinsumCase &c) {
  std::vector<Tensor> inputs = wholeInputs<T>(c);
  EinsumPlan plan(c.equation, c.shapes, dtypeOf<T>());
  auto truth = expectedSums<T, T>(c, inputs);
  ASSERT_EQ(plan.outputShape(), truth.shape);
  expectValues(runPlan(plan, inputs), truth.sums);
}

TEST_P(EinsumTest, FloatOfWholeNumbers) { expectExact<float>(GetParam()); }
TEST_P(EinsumTest, Double) { expectExact<double>(GetParam()); }
TEST_P(EinsumTest, Int32) { expectExact<int32_t>(GetParam()); }
TEST_P(EinsumTest, Int64) { expectExact<int64_t>(GetParam()); }

TEST_P(EinsumTest, ThreadsDoNotChangeBits) {
  std::vector<Tensor> inputs = floatInputs(GetParam());
  EinsumPlan plan(GetParam().equation, GetParam().shapes);
  int threads = threadCount();
  setThreadCount(1);
  Tensor one = runPlan(plan, inputs);
  setThreadCount(3);
  Tensor three = runPlan(plan, inputs);
  setThreadCount(threads);
  EXPECT_EQ(std::memcmp(one.rawData(), three.rawData(), one.byteSize()), 0);
}

INSTANTIATE_TEST_SUITE_P(
    Onnx, EinsumTest,
    ::testing::Values(EinsumCase{"...ii ->...i", {{3, 5, 5}}},
                      EinsumCase{"i,i", {{5}, {5}}},
                      EinsumCase{"ij->i", {{3, 4}}},
                      EinsumCase{"ij->ji", {{3, 4}}},
                      EinsumCase{"bij, bjk -> bik", {{5, 2, 3}, {5, 3, 4}}}));

INSTANTIATE_TEST_SUITE_P(
    OneOperand, EinsumTest,
    ::testing::Values(
        EinsumCase{"", {{}}}, EinsumCase{"i", {{7}}},
        EinsumCase{"ij->", {{7, 9}}}, EinsumCase{"ii", {{7, 7}}},
        EinsumCase{"ii->i", {{9, 9}}}, EinsumCase{"iji->ji", {{5, 3, 5}}},
        EinsumCase{"iji->j", {{5, 3, 5}}},
        EinsumCase{"iijj->ji", {{3, 3, 4, 4}}}, EinsumCase{"ba", {{3, 5}}},
        EinsumCase{"bA", {{3, 5}}}, EinsumCase{"ijkl->lj", {{3, 5, 7, 2}}},
        EinsumCase{"ijk->ikj", {{1, 5, 7}}}, EinsumCase{"...->...", {{2, 3}}},
        EinsumCase{"i...->...i", {{2, 3, 5}}}, EinsumCase{"i...j", {{2, 3, 5}}},
        EinsumCase{"ij->j", {{0, 3}}}, EinsumCase{"ij->ji", {{0, 3}}}));

INSTANTIATE_TEST_SUITE_P(
    TwoOperands, EinsumTest,
    ::testing::Values(
        // Attention, with heads before and after the sequence.
        EinsumCase{"bhid,bhjd->bhij", {{2, 3, 17, 11}, {2, 3, 13, 11}}},
        EinsumCase{"bihd,bjhd->bhij", {{2, 17, 3, 11}, {2, 13, 3, 11}}},
        EinsumCase{"bhij,bjhd->bihd", {{2, 3, 17, 13}, {2, 13, 3, 11}}},
        EinsumCase{"bhij,bhjd->bhid", {{2, 3, 17, 13}, {2, 3, 13, 19}}},
        EinsumCase{"btd,dhk->bthk", {{2, 19, 23}, {23, 3, 11}}},
        EinsumCase{"bthk,hkd->btd", {{2, 19, 3, 11}, {3, 11, 23}}},
        // Matrices, each way round.
        EinsumCase{"ij,jk", {{29, 31}, {31, 37}}},
        EinsumCase{"ji,jk->ik", {{31, 29}, {31, 37}}},
        EinsumCase{"ij,kj->ki", {{29, 31}, {37, 31}}},
        EinsumCase{"ji,kj->ki", {{31, 29}, {37, 31}}},
        EinsumCase{"ij,jk->ik", {{301, 129}, {129, 70}}},
        EinsumCase{"ij,jk->ik", {{35, 129}, {129, 801}}},
        EinsumCase{"ji,jk->ik", {{129, 301}, {129, 70}}},
        EinsumCase{"ij,kj->ik", {{35, 129}, {801, 129}}},
        EinsumCase{"ij,j->i", {{57, 43}, {43}}},
        EinsumCase{"i,ij->j", {{57}, {57, 43}}},
        // Copies of operands and of the result.
        EinsumCase{"nchw,c->nhw", {{2, 19, 7, 9}, {19}}},
        EinsumCase{"nchw,oc->nohw", {{2, 19, 7, 9}, {23, 19}}},
        EinsumCase{"ijb,jkb->ikb", {{23, 31, 3}, {31, 29, 3}}},
        EinsumCase{"ijkl,lmj->mik", {{5, 7, 9, 11}, {11, 25, 7}}},
        EinsumCase{"ajbk,kcjd->acbd", {{9, 5, 7, 6}, {6, 11, 5, 8}}},
        EinsumCase{"ijkl,klmn->imjn", {{5, 7, 9, 11}, {9, 11, 6, 13}}},
        // Without a matrix: element by element, outer, dot, scaled.
        EinsumCase{"ij,ij->ij", {{201, 203}, {201, 203}}},
        EinsumCase{"ij,ji->ij", {{21, 23}, {23, 21}}},
        EinsumCase{"i,j->ij", {{21}, {23}}},
        EinsumCase{"i,j->ji", {{21}, {23}}},
        EinsumCase{"ij,ij", {{21, 23}, {21, 23}}},
        EinsumCase{"bid,bid->bi", {{3, 21, 23}, {3, 21, 23}}},
        EinsumCase{"nchw,nchw->nhw", {{2, 9, 5, 7}, {2, 9, 5, 7}}},
        EinsumCase{"nchw,c->nchw", {{2, 9, 5, 7}, {9}}},
        EinsumCase{",ij->ji", {{}, {3, 5}}}, EinsumCase{",", {{}, {}}},
        EinsumCase{"abc,ca->b", {{3, 5, 4}, {4, 3}}},
        // Labels of one operand alone, diagonals, broadcasting, ellipses.
        EinsumCase{"ijs,tjk->ik", {{13, 9, 3}, {4, 9, 11}}},
        EinsumCase{"i,j->", {{13}, {9}}},
        EinsumCase{"iij,jk->ik", {{13, 13, 9}, {9, 11}}},
        EinsumCase{"iji,jk->ik", {{13, 9, 13}, {9, 11}}},
        EinsumCase{"ij,jk->ik", {{13, 1}, {9, 11}}},
        EinsumCase{"bij,bjk->bik", {{1, 13, 9}, {3, 9, 11}}},
        EinsumCase{"...ij,...jk->...ik", {{3, 1, 13, 9}, {2, 9, 11}}},
        EinsumCase{"...ij,jk", {{3, 2, 13, 9}, {9, 11}}},
        EinsumCase{"i...j,j...k->...ik", {{13, 3, 1, 9}, {9, 2, 11}}},
        EinsumCase{"... , ...", {{3, 1, 5}, {4, 5}}},
        EinsumCase{"Aa , aB -> AB", {{13, 9}, {9, 11}}},
        EinsumCase{"ij,jk->ik", {{3, 0}, {0, 4}}},
        EinsumCase{"ij,jk->ik", {{0, 3}, {3, 4}}}));

INSTANTIATE_TEST_SUITE_P(
    MoreOperands, EinsumTest,
    ::testing::Values(
        EinsumCase{"ij,jk,kl->il", {{13, 9}, {9, 11}, {11, 17}}},
        EinsumCase{"ij,kl,jk->li", {{5, 9}, {11, 7}, {9, 11}}},
        EinsumCase{"i,i,i->i", {{13}, {13}, {13}}},
        EinsumCase{"...a,...b,ab->...", {{3, 5, 7}, {5, 9}, {7, 9}}},
        EinsumCase{"ab,cd,bd,a->c", {{3, 5}, {4, 6}, {5, 6}, {3}}}));

TEST(EinsumPlan, ReadsOperandsWhereTheyLie) {
  for (const EinsumCase &c : std::vector<EinsumCase>{
           {"bhid,bhjd->bhij", {{1, 8, 197, 64}, {1, 8, 197, 64}}},
           {"bihd,bjhd->bhij", {{1, 197, 8, 64}, {1, 197, 8, 64}}},
           {"bhij,bjhd->bihd", {{1, 8, 197, 197}, {1, 197, 8, 64}}},
           {"bij,bjk->bik", {{4, 64, 48}, {4, 48, 80}}},
           {"btd,dhk->bthk", {{2, 64, 48}, {48, 4, 16}}},
           {"nchw,c->nhw", {{2, 64, 56, 56}, {64}}},
           {"ij,kj->ki", {{129, 131}, {137, 131}}}})
    EXPECT_EQ(EinsumPlan(c.equation, c.shapes).scratchBytes(), 0u)
        << c.equation;
}

TEST(EinsumPlan, IntegersWrap) {
  Tensor a = tensorOf<int32_t>({2}, {1 << 30, 5});
  Tensor b = tensorOf<int32_t>({2}, {4, 7});
  EinsumPlan plan("i,i", std::vector<Shape>{{2}, {2}}, DType::I32);
  expectValues<int32_t>(runPlan(plan, {a, b}), {35});
}

/// NaN and infinity pass through zero factors as IEEE 754 demands.
TEST(EinsumPlan, KeepsNan) {
  Tensor a = randomFloats({9, 11}, 1);
  Tensor b = randomFloats({11, 13}, 2);
  a.data<float>()[3 * 11 + 4] = std::numeric_limits<float>::quiet_NaN();
  EinsumPlan plan("ij,jk", std::vector<Shape>{{9, 11}, {11, 13}});
  Tensor y = runPlan(plan, {a, b});
  for (int64_t i = 0; i < y.size(); ++i)
    EXPECT_EQ(std::isnan(y.data<float>()[i]), i / 13 == 3) << "element " << i;
}

TEST(EinsumPlan, RejectsMistakes) {
  for (auto [c, reason] : std::vector<std::pair<EinsumCase, const char *>>{
           {{"ij,jk", {{2, 3}}}, "2 terms for 1 operands"},
           {{"ij", {{2, 3, 4}}}, "names 2 dimensions"},
           {{"ij...k", {{2, 3}}}, "names 3 dimensions"},
           {{"i1", {{2, 3}}}, "'1' is neither"},
           {{"i..j", {{2, 3}}}, "'.' is neither"},
           {{"i-j", {{2, 3}}}, "'-' is neither"},
           {{"ij->i>j", {{2, 3}}}, "'>' is neither"},
           {{"i......", {{2, 3}}}, "two ellipses"},
           {{"ij,jk->ik", {{2, 3}, {4, 5}}}, "'j' stands for 3 and for 4"},
           {{"ii->i", {{1, 3}}}, "'i' stands for 1 and for 3"},
           {{"...i,...i", {{2, 3}, {4, 3}}}, "under the ellipsis stands for"},
           {{"ij->ik", {{2, 3}}}, "'k' of the output is in no operand"},
           {{"ij->ii", {{2, 3}}}, "'i' occurs twice"},
           {{"...i->i", {{2, 3}}}, "lacks the ellipsis"}})
    try {
      EinsumPlan plan(c.equation, c.shapes);
      ADD_FAILURE() << c.equation << " was accepted";
    } catch (const Error &error) {
      EXPECT_NE(std::string(error.what()).find(reason), std::string::npos)
          << error.what();
      EXPECT_NE(std::string(error.what()).find(c.equation), std::string::npos);
    }
}

TEST(EinsumPlan, RejectsOtherTypes) {
  std::vector<Shape> shapes{{2}};
  EXPECT_THROW(EinsumPlan("i", shapes, DType::F16), Error);
  EinsumPlan plan("i", shapes);
  Tensor y(DType::F32, {2});
  std::vector<Tensor> inputs{Tensor(DType::F64, {2})};
  EXPECT_THROW(plan.run(inputs, y, nullptr), Error);
}

} // namespace
