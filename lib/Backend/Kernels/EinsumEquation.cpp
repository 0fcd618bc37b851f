//===- EinsumEquation.cpp - Which labels an Einsum has --------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Reads the equation letter by letter and finds out what each label extends
// over.
//===----------------------------------------------------------------------===//
#include "parallax/Backend/Kernels/EinsumEquation.h"
#include "parallax/Support/Error.h"

#include <fmt/format.h>

namespace parallax::kernels {
namespace {

/// Letters are their own labels. The dimensions under the ellipsis follow them,
/// counted from the last one, as broadcasting aligns them.
constexpr int firstHidden = 128;
/// The ellipsis in a parsed term.
constexpr char ellipsis = '.';
constexpr std::string_view whitespace = " \t\n\v\f\r";

class Reader {
public:
  Reader(std::string_view text, std::span<const Shape> shapes)
      : text(text), extents(firstHidden, unknown) {
    size_t arrow = text.find("->");
    std::vector<std::string> terms = parseTerms(text.substr(0, arrow));
    if (shapes.empty() || terms.size() != shapes.size())
      fail("it has {} terms for {} operands", terms.size(), shapes.size());
    for (size_t i = 0; i < terms.size(); ++i)
      inputs.push_back(bind(terms[i], shapes[i]));
    output = expand(arrow == std::string_view::npos
                        ? implicitOutput(terms)
                        : parseTerm(text.substr(arrow + 2)),
                    extents.size() - firstHidden);
    checkOutput();
  }

  std::vector<Labels> inputs;
  Labels output;
  std::string_view text;
  /// By label.
  Shape extents;

private:
  static constexpr int64_t unknown = -1;

  template <typename... Args>
  [[noreturn]] void fail(fmt::format_string<Args...> reason,
                         Args &&...args) const {
    throw Error(fmt::format("the Einsum equation '{}' is not valid: {}", text,
                            fmt::format(reason, std::forward<Args>(args)...)));
  }

  static std::string nameOf(int label) {
    return label < firstHidden ? fmt::format("label '{}'", char(label))
                               : std::string("a dimension under the ellipsis");
  }

  std::string parseTerm(std::string_view rest) const {
    std::string term;
    while (!rest.empty()) {
      char letter = rest.front();
      size_t length = 1;
      if ((letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z'))
        term += letter;
      else if (rest.starts_with("...")) {
        if (term.find(ellipsis) != std::string::npos)
          fail("a term has two ellipses");
        term += ellipsis;
        length = 3;
      } else if (whitespace.find(letter) == std::string_view::npos)
        fail("'{}' is neither a letter nor an ellipsis", letter);
      rest.remove_prefix(length);
    }
    return term;
  }

  std::vector<std::string> parseTerms(std::string_view rest) const {
    std::vector<std::string> terms;
    for (;;) {
      size_t comma = rest.find(',');
      terms.push_back(parseTerm(rest.substr(0, comma)));
      if (comma == std::string_view::npos)
        return terms;
      rest.remove_prefix(comma + 1);
    }
  }

  /// The ellipsis and then the labels that occur once, in alphabetical order.
  static std::string implicitOutput(const std::vector<std::string> &terms) {
    std::string all, output(1, ellipsis);
    for (const std::string &term : terms)
      all += term;
    std::sort(all.begin(), all.end());
    for (char letter : all)
      if (letter != ellipsis && std::count(all.begin(), all.end(), letter) == 1)
        output += letter;
    return output;
  }

  static Labels expand(const std::string &term, size_t hidden) {
    Labels labels;
    for (char letter : term)
      if (letter != ellipsis)
        labels.push_back(letter);
      else
        for (size_t i = hidden; i-- > 0;)
          labels.push_back(firstHidden + int(i));
    return labels;
  }

  Labels bind(const std::string &term, const Shape &shape) {
    bool hides = term.find(ellipsis) != std::string::npos;
    size_t named = term.size() - hides;
    if (hides ? named > shape.size() : named != shape.size())
      fail("the term '{}' names {} dimensions of an operand of shape {}", term,
           named, toString(shape));
    size_t hidden = shape.size() - named;
    extents.resize(std::max(extents.size(), firstHidden + hidden), unknown);
    Labels labels = expand(term, hidden);
    for (size_t axis = 0; axis < labels.size(); ++axis) {
      int64_t extent = shape[axis], &common = extents[labels[axis]];
      size_t first = std::find(labels.begin(), labels.end(), labels[axis]) -
                     labels.begin();
      bool broadcasts = common == unknown || common == 1 || extent == 1;
      if (shape[first] != extent || (common != extent && !broadcasts))
        fail("{} stands for {} and for {}", nameOf(labels[axis]),
             shape[first] != extent ? shape[first] : common, extent);
      if (common == unknown || common == 1)
        common = extent;
    }
    return labels;
  }

  void checkOutput() const {
    for (int label : output) {
      if (extents[label] == unknown)
        fail("{} of the output is in no operand", nameOf(label));
      if (std::count(output.begin(), output.end(), label) > 1)
        fail("{} occurs twice in the output", nameOf(label));
    }
    for (int label = firstHidden; label < int(extents.size()); ++label)
      if (!contains(output, label))
        fail("the output lacks the ellipsis of the operands");
  }
};

} // namespace

EinsumEquation::EinsumEquation(std::string_view text,
                               std::span<const Shape> shapes) {
  Reader reader(text, shapes);
  inputs = std::move(reader.inputs);
  output = std::move(reader.output);
  extents = std::move(reader.extents);
}

} // namespace parallax::kernels
