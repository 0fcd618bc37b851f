//===- FilePairs.cpp - Which files are compared with which ----------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Folders are walked in full before anything is read, so a missing file is
// known even if an earlier one is damaged.
//===----------------------------------------------------------------------===//
#include "parallax/Analysis/FilePairs.h"
#include "parallax/Support/Error.h"
#include "parallax/Support/Log.h"
#include "parallax/Support/NumPy.h"
#include "parallax/Support/TensorFile.h"

#include <fmt/format.h>
#include <map>

namespace fs = std::filesystem;

namespace parallax {
namespace {

/// The files that share a relative name without extension.
struct Candidates {
  fs::path npy, bin;
};

bool isNumPyFile(const fs::path &path) { return path.extension() == ".npy"; }

std::map<std::string, Candidates> tensorFilesIn(const fs::path &folder) {
  std::map<std::string, Candidates> files;
  for (const auto &entry : fs::recursive_directory_iterator(folder)) {
    const fs::path &path = entry.path();
    if (!entry.is_regular_file())
      continue;
    if (!isNumPyFile(path) && !isRawFile(path)) {
      log(LogLevel::Debug, "ignored '{}': neither .npy nor .bin",
          path.string());
      continue;
    }
    fs::path name = path.lexically_relative(folder).replace_extension();
    Candidates &candidates = files[name.generic_string()];
    (isRawFile(path) ? candidates.bin : candidates.npy) = path;
  }
  return files;
}

std::vector<FilePair> pairFolders(const fs::path &a, const fs::path &b) {
  auto filesA = tensorFilesIn(a), filesB = tensorFilesIn(b);
  if (filesA.empty() && filesB.empty())
    throw Error(fmt::format("neither '{}' nor '{}' contains a .npy or .bin "
                            "file; nothing can be compared",
                            a.string(), b.string()));
  // Names of either side, in order.
  std::map<std::string, Candidates> names = filesA;
  names.insert(filesB.begin(), filesB.end());

  std::vector<FilePair> pairs;
  for (const auto &[name, unused] : names) {
    Candidates &left = filesA[name], &right = filesB[name];
    bool mixed = (left.npy.empty() != right.npy.empty()) &&
                 (left.bin.empty() != right.bin.empty()) &&
                 left.npy.empty() != left.bin.empty();
    if (mixed) {
      pairs.push_back({name, left.npy.empty() ? left.bin : left.npy,
                       right.npy.empty() ? right.bin : right.npy});
      continue;
    }
    if (!left.npy.empty() || !right.npy.empty())
      pairs.push_back({name + ".npy", left.npy, right.npy});
    if (!left.bin.empty() || !right.bin.empty())
      pairs.push_back({name + ".bin", left.bin, right.bin});
  }
  return pairs;
}

void checkFile(const fs::path &path) {
  if (!isNumPyFile(path) && !isRawFile(path))
    throw Error(fmt::format("'{}' is neither a .npy nor a .bin file; rename it "
                            "by what it contains",
                            path.string()));
}

void checkExists(const fs::path &path) {
  std::error_code error;
  if (!fs::exists(path, error))
    throw Error(fmt::format("'{}' does not exist", path.string()));
}

Tensor readRawAs(const fs::path &path, const RawFormat &format) {
  if (!format.dtype)
    throw Error(fmt::format("'{}' does not say what it contains; give the "
                            "element type, for example --dtype float32",
                            path.string()));
  return format.shape ? readRaw(path, *format.dtype, *format.shape)
                      : readRaw(path, *format.dtype);
}

} // namespace

bool isRawFile(const fs::path &path) { return path.extension() == ".bin"; }

std::vector<FilePair> pairFiles(const fs::path &a, const fs::path &b) {
  checkExists(a);
  checkExists(b);
  bool folderA = fs::is_directory(a), folderB = fs::is_directory(b);
  if (folderA != folderB)
    throw Error(fmt::format("'{}' is a folder and '{}' is a file; give two "
                            "files or two folders",
                            (folderA ? a : b).string(),
                            (folderA ? b : a).string()));
  if (folderA)
    return pairFolders(a, b);
  checkFile(a);
  checkFile(b);
  return {{b.filename().string(), a, b}};
}

TensorPair readPair(const FilePair &pair, const RawFormat &format) {
  if (isRawFile(pair.a) == isRawFile(pair.b)) {
    auto read = [&](const fs::path &path) {
      return isRawFile(path) ? readRawAs(path, format) : readNpy(path);
    };
    Tensor a = read(pair.a);
    return {std::move(a), read(pair.b)};
  }
  bool rawA = isRawFile(pair.a);
  Tensor described = readNpy(rawA ? pair.b : pair.a);
  Tensor raw =
      readRaw(rawA ? pair.a : pair.b, format.dtype.value_or(described.dtype()),
              format.shape.value_or(described.shape()));
  return rawA ? TensorPair{raw, described} : TensorPair{described, raw};
}

} // namespace parallax
