//===- Text.cpp - A conformance vector as a function ----------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// The function converts its inputs to codes, computes the layer, and converts
// its results to floats. Elements depend on nothing but the table.
//===----------------------------------------------------------------------===//
#include "Vectors.h"

#include "parallax/Support/Random.h"
#include "parallax/Support/TensorFile.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace parallax::conformance {
namespace {

/// What the text of an element says.
struct Element {
  bool isQuantized = false;
  DType storage = DType::F32;
  double low = -4, high = 4;
  float scale = 1;
  int64_t zeroPoint = 0;
};

Element parsed(const std::string &text) {
  struct Known {
    const char *name;
    DType dtype;
    double low, high;
  };
  static constexpr Known known[] = {
      {"u8", DType::U8, 0, 255},        {"i8", DType::I8, -128, 127},
      {"u16", DType::U16, 0, 65535},    {"i16", DType::I16, -32768, 32767},
      {"f32", DType::F32, -4, 4},       {"i1", DType::Bool, 0, 1},
      {"i32", DType::I32, -1000, 1000}, {"i64", DType::I64, -1000, 1000},
      {"ui8", DType::U8, 0, 255},       {"ui16", DType::U16, 0, 65535},
      {"ui64", DType::U64, 0, 1000000}};
  Element element;
  std::string name = text.substr(0, text.find_first_of("<:"));
  for (const Known &one : known)
    if (name == one.name) {
      element.storage = one.dtype;
      element.low = one.low;
      element.high = one.high;
    }
  element.isQuantized = text.find(':') != std::string::npos;
  if (!element.isQuantized)
    return element;
  if (text[name.size()] == '<') {
    element.low = std::atof(text.c_str() + name.size() + 1);
    element.high = std::atof(text.c_str() + text.find(':') + 1);
  }
  // One scale; those of channels belong to constants, which have codes.
  size_t comma = text.find(", ");
  element.scale = std::strtof(text.c_str() + comma + 2, nullptr);
  size_t colon = text.find(':', comma);
  if (colon != std::string::npos)
    element.zeroPoint = std::atoll(text.c_str() + colon + 1);
  return element;
}

Shape shapeOf(const std::string &text) {
  Shape shape;
  for (size_t start = 0; start < text.size();) {
    size_t end = std::min(text.find('x', start), text.size());
    shape.push_back(std::atoll(text.c_str() + start));
    start = end + 1;
  }
  return shape;
}

std::string tensorText(const std::string &shape, const std::string &element) {
  return fmt::format("tensor<{}{}{}>", shape, shape.empty() ? "" : "x",
                     element);
}

/// Scales are binary32 numbers (C2): each becomes the nearest one.
std::string withExactScales(const std::string &element) {
  size_t at = element.find(", ");
  std::string text = element.substr(0, at);
  while (at < element.size()) {
    size_t end = element.find_first_not_of("0123456789.", at);
    std::string token = element.substr(at, end - at);
    if (token.find('.') == std::string::npos) {
      text += element[at++];
      continue;
    }
    text += fmt::format("{:.17e}", double(std::strtof(token.c_str(), nullptr)));
    at = end;
  }
  return text;
}

std::string typeText(const Port &port) {
  if (port.element.find(':') == std::string::npos)
    return tensorText(port.shape, port.element);
  return tensorText(port.shape,
                    "!quant.uniform<" + withExactScales(port.element) + ">");
}

/// The type of the codes, or the type itself.
std::string storageText(const Port &port) {
  std::string name = port.element.substr(0, port.element.find_first_of("<:"));
  return tensorText(port.shape, name[0] == 'u' && name[1] != 'i'
                                    ? "ui" + name.substr(1)
                                    : name);
}

/// Of the same vector and operand, always the same.
uint64_t seedOf(const Vector &vector, size_t operand) {
  uint64_t seed = operand + 1;
  for (char letter : vector.name)
    seed = seed * 31 + uint64_t(letter);
  return seed;
}

/// Codes of a quantized port, numbers of any other.
std::vector<double> numbersOf(const Port &port, uint64_t seed) {
  Element element = parsed(port.element);
  Random random(seed);
  int64_t count = elementCount(shapeOf(port.shape));
  bool hasEnds = port.fill.values.size() > 1;
  double low = hasEnds ? port.fill.values[0] : element.low;
  double high = hasEnds ? port.fill.values[1] : element.high;
  double step = port.fill.values.size() > 2 ? port.fill.values[2] : 1;
  bool isWhole = element.storage != DType::F32;
  std::vector<double> numbers;
  for (int64_t i = 0; i < count; ++i)
    switch (port.fill.kind) {
    case Fill::Cycle:
      numbers.push_back(port.fill.values[size_t(i) % port.fill.values.size()]);
      break;
    case Fill::Ramp:
      numbers.push_back(low + std::fmod(double(i) * step, high - low + step));
      break;
    case Fill::Random:
      numbers.push_back(
          isWhole ? low + double(random.next() % uint64_t(high - low + 1))
                  : double(float(low) + float(high - low) * random.real()));
      break;
    }
  return numbers;
}

Tensor tensorOf(DType dtype, const Port &port,
                const std::vector<double> &numbers) {
  Tensor tensor(dtype, shapeOf(port.shape));
  dispatch(dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    if constexpr (std::is_arithmetic_v<T>)
      for (size_t i = 0; i < numbers.size(); ++i)
        tensor.data<T>()[i] = T(numbers[i]);
  });
  return tensor;
}

std::string constantText(const Vector &vector, size_t i) {
  const Port &port = vector.operands[i];
  Tensor tensor = tensorOf(parsed(port.element).storage, port,
                           numbersOf(port, seedOf(vector, i)));
  std::string digits;
  for (std::byte byte : bytesOf(tensor))
    digits += fmt::format("{:02X}", unsigned(byte));
  std::string value =
      fmt::format("dense<\"0x{}\"> : {}", digits, storageText(port));
  bool isQuantized = port.element.find(':') != std::string::npos;
  return fmt::format(
      "  %o{0} = nn.{1}constant {2}{3} loc(\"c{0}\"(\"c{0}\"))\n", i,
      isQuantized ? "quantized_" : "", value,
      isQuantized ? " : " + typeText(port) : "");
}

/// From floats to codes or back; other elements stay as they are.
std::string conversionText(const std::string &to, const std::string &from,
                           const Port &port, bool entersCodes) {
  std::string floats = tensorText(port.shape, "f32"), codes = typeText(port);
  std::string name = to.substr(1);
  return fmt::format("  {0} = nn.requantize {1} : ({2}) -> {3} "
                     "loc(\"{4}\"(\"{4}\"))\n",
                     to, from, entersCodes ? floats : codes,
                     entersCodes ? codes : floats, name);
}

/// What a user of the function sees.
std::string portText(const Port &port) {
  return parsed(port.element).isQuantized ? tensorText(port.shape, "f32")
                                          : typeText(port);
}

} // namespace

std::string textOf(const Vector &vector) {
  std::vector<std::string> arguments, operands, types, made, madeTypes;
  std::vector<std::string> returned, returnedTypes, outputs;
  std::string body;
  for (size_t i = 0; i < vector.operands.size(); ++i) {
    const Port &port = vector.operands[i];
    operands.push_back(fmt::format("%o{}", i));
    types.push_back(typeText(port));
    if (port.isConstant) {
      body += constantText(vector, i);
      continue;
    }
    arguments.push_back(
        fmt::format("%x{0}: {1} {{nn.name = \"x{0}\"}}", i, portText(port)));
    if (parsed(port.element).isQuantized)
      body +=
          conversionText(operands.back(), fmt::format("%x{}", i), port, true);
    else
      operands.back() = fmt::format("%x{}", i);
  }
  std::vector<std::string> tensors;
  for (size_t i = 0; i < vector.results.size(); ++i) {
    made.push_back(vector.operation.empty() ? operands[i]
                                            : fmt::format("%r{}", i));
    madeTypes.push_back(typeText(vector.results[i]));
    tensors.push_back(fmt::format("\"r{}\"", i));
  }
  if (!vector.operation.empty())
    body += fmt::format(
        "  {} = {} {} {{{}}} : ({}) -> ({}) loc(\"layer\"({}))\n",
        fmt::join(made, ", "), vector.operation, fmt::join(operands, ", "),
        vector.attributes, fmt::join(types, ", "), fmt::join(madeTypes, ", "),
        tensors.size() == 1
            ? tensors[0]
            : fmt::format("fused[{}]", fmt::join(tensors, ", ")));
  for (size_t i = 0; i < vector.results.size(); ++i) {
    const Port &port = vector.results[i];
    outputs.push_back(
        fmt::format("{} {{nn.name = \"y{}\"}}", portText(port), i));
    returnedTypes.push_back(portText(port));
    returned.push_back(made[i]);
    if (!parsed(port.element).isQuantized)
      continue;
    returned.back() = fmt::format("%y{}", i);
    body += conversionText(returned.back(), made[i], port, false);
  }
  return fmt::format("func.func @quantized({}) -> ({}) {{\n{}  return {} : "
                     "{}\n}}\n",
                     fmt::join(arguments, ", "), fmt::join(outputs, ", "), body,
                     fmt::join(returned, ", "), fmt::join(returnedTypes, ", "));
}

std::vector<Tensor> inputsOf(const Vector &vector) {
  std::vector<Tensor> inputs;
  for (size_t i = 0; i < vector.operands.size(); ++i) {
    const Port &port = vector.operands[i];
    if (port.isConstant)
      continue;
    Element element = parsed(port.element);
    std::vector<double> numbers = numbersOf(port, seedOf(vector, i));
    if (element.isQuantized)
      for (double &number : numbers)
        number =
            double(float(number - double(element.zeroPoint)) * element.scale);
    inputs.push_back(tensorOf(
        element.isQuantized ? DType::F32 : element.storage, port, numbers));
  }
  return inputs;
}

Vectors allVectors() {
  Vectors all;
  for (auto add : {addConversions, addProducts, addLinear, addSums, addMovement,
                   addIntegers, addTables, addNormalizations, addRecurrent,
                   addFloatLayers, addFloatSampling})
    add(all);
  return all;
}

} // namespace parallax::conformance
