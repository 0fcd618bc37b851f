//===- TensorFolder.cpp - Inputs and outputs as files ---------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Files are named after tensors; names that no file can have are changed, and
// stay different from each other.
//===----------------------------------------------------------------------===//
#include "parallax/Data/TensorFolder.h"
#include "parallax/Support/Error.h"
#include "parallax/Support/NumPy.h"
#include "parallax/Support/Random.h"
#include "parallax/Support/TensorFile.h"

#include <fmt/format.h>

namespace fs = std::filesystem;

namespace parallax {
namespace {

std::vector<std::string> fileNamesOf(std::span<const PortInfo> ports) {
  std::vector<std::string> names;
  for (const PortInfo &port : ports)
    names.push_back(port.name);
  return uniqueFileNames(names);
}

void writeTensor(const fs::path &stem, const Tensor &tensor, bool withNpy) {
  writeRaw(stem.string() + ".bin", tensor);
  if (withNpy)
    writeNpy(stem.string() + ".npy", tensor);
}

} // namespace

std::vector<Tensor> readFolder(const fs::path &folder,
                               std::span<const PortInfo> ports) {
  std::vector<std::string> names = fileNamesOf(ports);
  std::vector<Tensor> tensors;
  for (size_t i = 0; i < ports.size(); ++i) {
    const PortInfo &port = ports[i];
    fs::path npy = folder / (names[i] + ".npy");
    fs::path bin = folder / (names[i] + ".bin");
    if (!fs::exists(npy)) {
      if (!fs::exists(bin))
        throw Error(fmt::format("input '{}' has no file: neither {} nor .npy "
                                "beside it exists",
                                port.name, bin.string()));
      tensors.push_back(readRaw(bin, port.dtype, port.shape));
      continue;
    }
    Tensor tensor = readNpy(npy);
    if (tensor.dtype() != port.dtype || tensor.shape() != port.shape)
      throw Error(fmt::format("{} holds {} {}, but input '{}' is {} {}",
                              npy.string(), nameOf(tensor.dtype()),
                              toString(tensor.shape()), port.name,
                              nameOf(port.dtype), toString(port.shape)));
    tensors.push_back(std::move(tensor));
  }
  return tensors;
}

std::vector<fs::path> writeFolder(const fs::path &folder,
                                  std::span<const PortInfo> ports,
                                  std::span<const Tensor> tensors,
                                  bool withNpy) {
  std::vector<std::string> names = fileNamesOf(ports);
  std::vector<fs::path> paths;
  for (size_t i = 0; i < ports.size(); ++i) {
    writeTensor(folder / names[i], tensors[i], withNpy);
    paths.push_back(folder / (names[i] + ".bin"));
  }
  return paths;
}

void writeNpyFolder(const fs::path &folder, std::span<const PortInfo> ports,
                    std::span<const Tensor> tensors) {
  std::vector<std::string> names = fileNamesOf(ports);
  for (size_t i = 0; i < ports.size(); ++i)
    writeNpy(folder / (names[i] + ".npy"), tensors[i]);
}

std::vector<std::string>
writeSampleSet(const fs::path &folder, std::span<const PortInfo> ports,
               size_t count,
               const std::function<std::vector<Tensor>(size_t)> &load) {
  std::vector<std::string> names = fileNamesOf(ports);
  for (size_t i = 0; i < count; ++i) {
    std::vector<Tensor> tensors = load(i);
    for (size_t j = 0; j < tensors.size(); ++j)
      writeNpy(folder / names[j] / fmt::format("{:04}.npy", i), tensors[j]);
  }
  return names;
}

std::vector<Tensor> randomInputs(std::span<const PortInfo> ports,
                                 uint64_t seed) {
  std::vector<Tensor> tensors;
  Random random(seed);
  for (const PortInfo &port : ports) {
    Tensor tensor(port.dtype, port.shape);
    dispatch(port.dtype, [&](auto tag) {
      using T = typename decltype(tag)::type;
      for (int64_t i = 0; i < tensor.size(); ++i) {
        if constexpr (std::is_integral_v<T>)
          tensor.data<T>()[i] = T(random.next() & 1);
        else
          tensor.data<T>()[i] = T(random.real());
      }
    });
    tensors.push_back(std::move(tensor));
  }
  return tensors;
}

} // namespace parallax
