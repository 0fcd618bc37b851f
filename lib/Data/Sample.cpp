//===- Sample.cpp - One calibration file as tensors -----------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// The formats, and the advice for arrays that miss their input by little.
//===----------------------------------------------------------------------===//
#include "parallax/Data/Sample.h"
#include "parallax/Data/NumPyObject.h"
#include "parallax/Support/Error.h"
#include "parallax/Support/NumPy.h"
#include "parallax/Support/TensorFile.h"

#include <algorithm>
#include <fmt/format.h>

namespace parallax {
namespace {

/// The usual ways to miss a shape.
std::string shapeAdvice(const Shape &found, const Shape &expected) {
  if (found.size() + 1 == expected.size() && expected.front() == 1 &&
      std::equal(found.begin(), found.end(), expected.begin() + 1))
    return "; the batch dimension is missing: save x[None]";
  if (found.size() == 4 && expected.size() == 4) {
    if (expected == Shape{found[0], found[3], found[1], found[2]})
      return "; it is NHWC: save x.transpose(0, 3, 1, 2)";
    if (expected == Shape{found[0], found[2], found[3], found[1]})
      return "; it is NCHW: save x.transpose(0, 2, 3, 1)";
  }
  return "; one file holds one sample, exactly as the model reads it";
}

void expectFit(const Tensor &tensor, const std::string &sourceName,
               const PortInfo &input) {
  if (tensor.dtype() != input.dtype)
    throw Error(fmt::format(
        "'{}' holds {}, but input '{}' is {}: arrays are calibration data as "
        "the model reads it, with all preprocessing done; save "
        "x.astype(numpy.{})",
        sourceName, nameOf(tensor.dtype()), input.name, nameOf(input.dtype),
        nameOf(input.dtype)));
  if (tensor.shape() != input.shape)
    throw Error(fmt::format("'{}' has the shape {}, but input '{}' is {}{}",
                            sourceName, toString(tensor.shape()), input.name,
                            toString(input.shape),
                            shapeAdvice(tensor.shape(), input.shape)));
}

Tensor readBinary(std::span<const std::byte> bytes,
                  const std::string &sourceName, const PortInfo &input) {
  std::optional<size_t> expected = byteSizeOf(input.dtype, input.shape);
  if (!expected || bytes.size() != *expected)
    throw Error(fmt::format("'{}' has {} bytes, but input '{}' ({} of {}) "
                            "needs {}",
                            sourceName, bytes.size(), input.name,
                            toString(input.shape), nameOf(input.dtype),
                            expected.value_or(0)));
  return tensorFromBytes(input.dtype, input.shape, bytes);
}

} // namespace

std::vector<Tensor> readSample(std::span<const std::byte> bytes,
                               const std::string &sourceName,
                               const CalibrationSource &source,
                               std::span<const PortInfo> inputs) {
  std::optional<NumPyObject> object;
  if (source.format == DataFormat::NumpyObject)
    object.emplace(bytes, sourceName);
  std::vector<Tensor> tensors;
  for (const PortInfo &input : inputs) {
    switch (source.format) {
    case DataFormat::Image: {
      ImageForm form = imageFormOf(
          input.name, input.dtype, input.shape, source.channelOrder(input.name),
          source.layout(input.name), source.mean, source.std);
      form.fit = source.fit;
      tensors.push_back(readImage(bytes, sourceName, form));
      break;
    }
    case DataFormat::Numpy:
      tensors.push_back(readNpy(bytes, sourceName));
      break;
    case DataFormat::Binary:
      tensors.push_back(readBinary(bytes, sourceName, input));
      break;
    case DataFormat::NumpyObject:
      tensors.push_back(object->array(input.name));
      break;
    }
    expectFit(tensors.back(), sourceName, input);
  }
  return tensors;
}

} // namespace parallax
