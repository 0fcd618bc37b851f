//===- TensorFolder.cpp - Inputs and outputs as files ---------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Files are named after tensors; names that no file can have are changed, and
// stay different from each other.
//===----------------------------------------------------------------------===//
#include "parallax/Data/TensorFolder.h"
#include "parallax/Data/Image.h"
#include "parallax/Support/Error.h"
#include "parallax/Support/NumPy.h"
#include "parallax/Support/Random.h"
#include "parallax/Support/TensorFile.h"

#include <algorithm>
#include <fmt/format.h>

namespace fs = std::filesystem;

namespace parallax {
namespace {

bool holdsPort(const fs::path &folder, const std::string &fileName,
               bool pictures) {
  return holdsTensor(folder, fileName) ||
         (pictures && !pictureOf(folder, fileName).empty());
}

bool isHiddenName(const fs::path &path) {
  return path.filename().native().starts_with('.');
}

} // namespace

bool holdsTensor(const fs::path &folder, const std::string &fileName) {
  std::error_code error;
  return fs::exists(folder / (fileName + ".npy"), error) ||
         fs::exists(folder / (fileName + ".bin"), error);
}

std::vector<std::string> fileNamesOf(std::span<const PortInfo> ports) {
  std::vector<std::string> names;
  for (const PortInfo &port : ports)
    names.push_back(port.name);
  return uniqueFileNames(names);
}

fs::path pictureOf(const fs::path &folder, const std::string &fileName) {
  std::error_code error;
  std::vector<fs::path> found;
  for (const fs::directory_entry &entry : fs::directory_iterator(folder, error))
    if (entry.path().stem() == fileName && isPictureName(entry.path()))
      found.push_back(entry.path());
  return found.empty() ? fs::path() : *std::ranges::min_element(found);
}

std::vector<fs::path> sampleFolders(const fs::path &folder,
                                    std::span<const PortInfo> ports,
                                    bool pictures) {
  std::error_code error;
  if (ports.empty())
    return {folder};
  std::string first = fileNamesOf(ports)[0];
  if (holdsPort(folder, first, pictures))
    return {folder};
  std::vector<fs::path> folders;
  bool areSamples = false;
  for (const fs::directory_entry &entry : fs::directory_iterator(folder, error))
    if (entry.is_directory() && !isHiddenName(entry.path())) {
      folders.push_back(entry.path());
      areSamples |= holdsPort(entry.path(), first, pictures);
    }
  std::sort(folders.begin(), folders.end());
  return areSamples ? folders : std::vector<fs::path>();
}

Tensor readPort(const fs::path &folder, const PortInfo &port,
                const std::string &fileName) {
  fs::path npy = folder / (fileName + ".npy");
  fs::path bin = folder / (fileName + ".bin");
  if (!fs::exists(npy)) {
    if (!fs::exists(bin))
      throw Error(fmt::format("input '{}' has no file: neither {} nor .npy "
                              "beside it exists",
                              port.name, bin.string()));
    return readRaw(bin, port.dtype, port.shape);
  }
  Tensor tensor = readNpy(npy);
  if (tensor.dtype() != port.dtype || tensor.shape() != port.shape)
    throw Error(fmt::format("{} holds {} {}, but input '{}' is {} {}",
                            npy.string(), nameOf(tensor.dtype()),
                            toString(tensor.shape()), port.name,
                            nameOf(port.dtype), toString(port.shape)));
  return tensor;
}

std::vector<Tensor> readFolder(const fs::path &folder,
                               std::span<const PortInfo> ports) {
  std::vector<std::string> names = fileNamesOf(ports);
  std::vector<Tensor> tensors;
  for (size_t i = 0; i < ports.size(); ++i)
    tensors.push_back(readPort(folder, ports[i], names[i]));
  return tensors;
}

std::vector<fs::path> writeFolder(const fs::path &folder,
                                  std::span<const PortInfo> ports,
                                  std::span<const Tensor> tensors,
                                  TensorFormat format) {
  bool isNpy = format == TensorFormat::Npy;
  std::vector<fs::path> paths;
  for (const std::string &name : fileNamesOf(ports)) {
    const Tensor &tensor = tensors[paths.size()];
    const fs::path &path =
        paths.emplace_back(folder / (name + (isNpy ? ".npy" : ".bin")));
    if (isNpy)
      writeNpy(path, tensor);
    else
      writeRaw(path, tensor);
    std::error_code ignored;
    fs::remove(folder / (name + (isNpy ? ".bin" : ".npy")), ignored);
  }
  return paths;
}

void writeNpyFolder(const fs::path &folder, std::span<const PortInfo> ports,
                    std::span<const Tensor> tensors) {
  writeFolder(folder, ports, tensors, TensorFormat::Npy);
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
