//===- TensorFolderTest.cpp - Inputs and outputs as files -----------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// What was written is read again, and what does not fit is named.
//===----------------------------------------------------------------------===//
#include "parallax/Data/TensorFolder.h"
#include "../Support/TempDir.h"
#include "parallax/Support/NumPy.h"

#include <cstring>

namespace parallax {
namespace {

/// Both names become the same one where only letters and digits may be.
const std::vector<PortInfo> samplePorts = {{"a/b", DType::F32, {2, 3}},
                                           {"a.b", DType::I64, {}}};

bool isSame(const Tensor &a, const Tensor &b) {
  return a.dtype() == b.dtype() && a.shape() == b.shape() &&
         std::memcmp(a.rawData(), b.rawData(), a.byteSize()) == 0;
}

TEST(TensorFolder, ReadsWhatWasWritten) {
  TempDir temp;
  std::vector<Tensor> tensors = randomInputs(samplePorts, 1);
  EXPECT_EQ(
      writeFolder(temp / "bin", samplePorts, tensors, TensorFormat::Raw).size(),
      2u);
  writeFolder(temp / "npy", samplePorts, tensors, TensorFormat::Npy);
  for (const char *folder : {"bin", "npy"}) {
    std::vector<Tensor> read = readFolder(temp / folder, samplePorts);
    ASSERT_EQ(read.size(), 2u);
    EXPECT_TRUE(isSame(read[0], tensors[0])) << folder;
    EXPECT_TRUE(isSame(read[1], tensors[1])) << folder;
  }
}

TEST(TensorFolder, OneFormatReplacesTheOther) {
  TempDir temp;
  namespace fs = std::filesystem;
  std::vector<fs::path> raw =
      writeFolder(temp.path(), samplePorts, randomInputs(samplePorts, 1),
                  TensorFormat::Raw);
  std::vector<Tensor> tensors = randomInputs(samplePorts, 2);
  std::vector<fs::path> npy =
      writeFolder(temp.path(), samplePorts, tensors, TensorFormat::Npy);
  for (size_t i = 0; i < 2; ++i) {
    EXPECT_FALSE(fs::exists(raw[i]));
    EXPECT_TRUE(fs::exists(npy[i]));
  }
  // Old arrays are not read in place of new raw data either.
  tensors = randomInputs(samplePorts, 3);
  writeFolder(temp.path(), samplePorts, tensors, TensorFormat::Raw);
  EXPECT_TRUE(isSame(readFolder(temp.path(), samplePorts)[0], tensors[0]));
}

TEST(TensorFolder, FindsTheFoldersOfSamples) {
  TempDir temp;
  namespace fs = std::filesystem;
  EXPECT_TRUE(sampleFolders(temp.path(), samplePorts).empty());
  fs::create_directories(temp / "unfinished");
  fs::create_directories(temp / ".hidden");
  EXPECT_TRUE(sampleFolders(temp.path(), samplePorts).empty());
  std::vector<Tensor> tensors = randomInputs(samplePorts, 1);
  writeFolder(temp / "second", samplePorts, tensors, TensorFormat::Raw);
  writeFolder(temp / "first", samplePorts, tensors, TensorFormat::Npy);
  // One without files is a mistake that reading it will tell.
  EXPECT_EQ(sampleFolders(temp.path(), samplePorts),
            (std::vector<fs::path>{temp / "first", temp / "second",
                                   temp / "unfinished"}));
  writeFolder(temp.path(), samplePorts, tensors, TensorFormat::Npy);
  EXPECT_EQ(sampleFolders(temp.path(), samplePorts),
            std::vector<fs::path>{temp.path()});
}

TEST(TensorFolder, NamesWhatIsMissingOrDoesNotFit) {
  TempDir temp;
  expectError([&] { readFolder(temp.path(), samplePorts); },
              "input 'a/b' has no file");
  std::vector<PortInfo> other = samplePorts;
  other[0].shape = {3, 2};
  writeNpyFolder(temp / "npy", other, randomInputs(other, 1));
  expectError([&] { readFolder(temp / "npy", samplePorts); },
              "holds float32 3x2, but input 'a/b' is float32 2x3");
}

TEST(TensorFolder, ASampleSetHasAFolderForEachInput) {
  TempDir temp;
  std::vector<std::string> names =
      writeSampleSet(temp.path(), samplePorts, 2,
                     [](size_t i) { return randomInputs(samplePorts, i); });
  ASSERT_EQ(names.size(), 2u);
  EXPECT_NE(names[0], names[1]);
  EXPECT_TRUE(isSame(readNpy(temp.path() / names[0] / "0001.npy"),
                     randomInputs(samplePorts, 1)[0]));
}

TEST(TensorFolder, RandomInputsAreIndicesWhereTheyAreIntegers) {
  std::vector<PortInfo> ports = {{"indices", DType::I32, {100}}};
  std::vector<Tensor> tensors = randomInputs(ports, 7);
  for (int64_t i = 0; i < tensors[0].size(); ++i)
    EXPECT_EQ(tensors[0].data<int32_t>()[i] & ~1, 0);
  EXPECT_TRUE(isSame(tensors[0], randomInputs(ports, 7)[0]));
}

} // namespace
} // namespace parallax
