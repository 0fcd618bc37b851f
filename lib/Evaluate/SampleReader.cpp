//===- SampleReader.cpp - How a network reads labelled samples ------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Pictures and rows of arrays as the inputs of a network, one run at a time.
//===----------------------------------------------------------------------===//
#include "parallax/Evaluate/EvaluationData.h"

#include "parallax/Support/Error.h"
#include "parallax/Support/MappedFile.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <set>

namespace parallax {

Tensor rowOfStack(const Tensor &stack, size_t row) {
  Shape shape(stack.shape().begin() + 1, stack.shape().end());
  size_t bytes = size_t(elementCount(shape)) * sizeOf(stack.dtype());
  auto *first = static_cast<std::byte *>(const_cast<void *>(stack.rawData()));
  return Tensor(stack.dtype(), std::move(shape), first + row * bytes);
}

InputPreparation EvaluationData::prepare(std::vector<PortInfo> inputs,
                                         const ImageForm &picture,
                                         TensorLayout layout) const {
  InputPreparation preparation{std::move(inputs), {}};
  auto describeInputs = [&] {
    std::vector<std::string> all;
    for (const PortInfo &input : preparation.inputs)
      all.push_back(fmt::format("'{}'", input.name));
    return fmt::format("{}", fmt::join(all, ", "));
  };
  bool isSingle = hasPictures() || stacks[0].input.empty();
  if (isSingle && preparation.inputs.size() != 1)
    throw Error(fmt::format("evaluation.images serves networks with one input, "
                            "but this one has {}: {}; use evaluation.inputs",
                            preparation.inputs.size(), describeInputs()));
  std::set<std::string> known;
  for (const PortInfo &input : preparation.inputs) {
    known.insert(input.name);
    bool isPixels =
        hasPictures() || (input.shape.size() == 4 && input.dtype == DType::F32);
    std::optional<ImageForm> form;
    if (isPixels &&
        (hasPictures() || !picture.mean.empty() || !picture.std.empty())) {
      form = imageFormOf(input.name, input.dtype, input.shape, picture.order,
                         layout, picture.mean, picture.std);
      form->fit = picture.fit;
      form->cropFraction = picture.cropFraction;
      form->border = picture.border;
    }
    preparation.forms.push_back(std::move(form));
    if (!isSingle &&
        std::none_of(stacks.begin(), stacks.end(), [&](const Stack &stack) {
          return stack.input == input.name;
        }))
      throw Error(fmt::format("evaluation.inputs has no data for input '{}'",
                              input.name));
  }
  for (const Stack &stack : stacks)
    if (!stack.input.empty() && !known.contains(stack.input))
      throw Error(fmt::format("evaluation.inputs: the network has no input "
                              "'{}'; its inputs are {}",
                              stack.input, describeInputs()));
  return preparation;
}

Tensor EvaluationData::rowOf(const Stack &stack, size_t run,
                             const PortInfo &input,
                             const std::optional<ImageForm> &form) const {
  const Tensor &data = stack.data[isPaired ? run % 2 : 0];
  if (data.isNull()) {
    Tensor filled(input.dtype, input.shape);
    dispatch(input.dtype, [&]<typename T>(TypeTag<T>) {
      if constexpr (std::is_arithmetic_v<T>)
        std::fill_n(filled.data<T>(), filled.size(), T(stack.value));
    });
    return filled;
  }
  Shape row(data.shape().begin() + 1, data.shape().end());
  // Inputs have a batch of one, which a stack may have or not.
  bool fits = elementCount(row) == elementCount(input.shape);
  bool isPixels = data.dtype() == DType::U8 && input.dtype == DType::F32 &&
                  form && !form->channelsLast;
  if (!fits || (data.dtype() != input.dtype && !isPixels))
    throw Error(
        fmt::format("{} holds {} {}, but input '{}' takes {} {} at a time",
                    stack.path, nameOf(data.dtype()), toString(data.shape()),
                    input.name, nameOf(input.dtype), toString(input.shape)));
  Tensor found = rowOfStack(data, chosen[sampleOf(run)]);
  if (!isPixels)
    return found.reshaped(input.shape);
  // Bytes are pixels, which the network reads prepared.
  Tensor prepared(DType::F32, input.shape);
  const auto *pixels = found.data<uint8_t>();
  int64_t plane = form->height * form->width;
  for (int64_t i = 0; i < prepared.size(); ++i) {
    auto channel = size_t(i / plane % form->channels);
    prepared.data<float>()[i] =
        (float(pixels[i]) - form->mean[channel]) / form->std[channel];
  }
  return prepared;
}

std::vector<Tensor> EvaluationData::load(size_t run,
                                         const InputPreparation &preparation,
                                         Placement &placement) const {
  const std::vector<PortInfo> &inputs = preparation.inputs;
  if (hasPictures()) {
    size_t file = isPaired ? 2 * chosen[run / 2] + run % 2 : chosen[run];
    return {readImage(MappedFile::open(files[file])->bytes(),
                      files[file].string(), *preparation.forms[0], &placement)};
  }
  std::vector<Tensor> tensors;
  for (size_t i = 0; i < inputs.size(); ++i) {
    auto stack =
        std::find_if(stacks.begin(), stacks.end(), [&](const Stack &candidate) {
          return candidate.input.empty() || candidate.input == inputs[i].name;
        });
    tensors.push_back(rowOf(*stack, run, inputs[i], preparation.forms[i]));
  }
  return tensors;
}

} // namespace parallax
