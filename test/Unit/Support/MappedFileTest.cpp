//===- MappedFileTest.cpp - Read-only files in memory ---------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// What is mapped, what is refused, and how long a view lives.
//===----------------------------------------------------------------------===//
#include "parallax/Support/MappedFile.h"
#include "TempDir.h"

#include <cstring>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace parallax;

namespace {

TEST(MappedFile, ReadsContentsAndEmptyFiles) {
  TempDir dir;
  auto file = MappedFile::open(dir.write("a.bin", "hello"));
  ASSERT_EQ(file->bytes().size(), 5u);
  EXPECT_EQ(std::memcmp(file->bytes().data(), "hello", 5), 0);
  EXPECT_TRUE(MappedFile::open(dir.write("empty", ""))->bytes().empty());
}

TEST(MappedFile, RefusesWhatIsNoFile) {
  TempDir dir;
  expectError([&] { MappedFile::open(dir / "missing.bin"); },
              "missing.bin': No such file");
  expectError([&] { MappedFile::open(dir.path()); }, "it is a folder");
  expectError([&] { MappedFile::open("/dev/zero"); }, "not a regular file");
  // A pipe without a writer must not block.
  ASSERT_EQ(::mkfifo((dir / "pipe").c_str(), 0600), 0);
  expectError([&] { MappedFile::open(dir / "pipe"); }, "not a regular file");
}

TEST(MappedFile, TensorViewKeepsTheFileMapped) {
  TempDir dir;
  std::string bytes(16, '\0');
  float value = 2.5f;
  std::memcpy(bytes.data() + 8, &value, 4);
  auto file = MappedFile::open(dir.write("a.bin", bytes));
  const std::byte *address = file->bytes().data();
  std::weak_ptr<MappedFile> watch = file;
  Tensor view = file->tensorAt(8, DType::F32, {2});
  file.reset();
  std::filesystem::remove(dir / "a.bin");
  EXPECT_FALSE(watch.expired());
  EXPECT_EQ(view.rawData(), address + 8);
  EXPECT_EQ(view.data<float>()[0], 2.5f);
  view = Tensor();
  EXPECT_TRUE(watch.expired());
}

TEST(MappedFile, UnalignedTensorsAndBoolsAreCopies) {
  TempDir dir;
  std::string bytes = std::string("\x07") + std::string("\x01\0\0\0", 4);
  auto file = MappedFile::open(dir.write("a.bin", bytes));
  EXPECT_EQ(file->tensorAt(1, DType::I32, {1}).data<int32_t>()[0], 1);
  EXPECT_EQ(file->tensorAt(0, DType::Bool, {}).data<bool>()[0], true);
}

TEST(MappedFile, TensorsMustLieInTheFile) {
  TempDir dir;
  auto file = MappedFile::open(dir.write("a.bin", "12345678"));
  EXPECT_NO_THROW(file->tensorAt(4, DType::F32, {1}));
  EXPECT_NO_THROW(file->tensorAt(8, DType::F32, {0}));
  for (size_t offset : {5ul, 8ul, 9ul, ~0ul})
    expectError([&] { file->tensorAt(offset, DType::F32, {1}); }, "too few");
  int64_t huge = int64_t(1) << 62;
  expectError([&] { file->tensorAt(0, DType::F32, {huge, 4}); }, "too few");
  expectError([&] { file->tensorAt(0, DType::F32, {-1}); }, "too few");
}

TEST(MappedFile, ReleasedPagesLeaveMemoryAndComeBack) {
  TempDir dir;
  size_t page = size_t(::sysconf(_SC_PAGESIZE));
  auto file = MappedFile::open(dir.write("a.bin", std::string(8 * page, 'x')));
  auto isPresent = [&](size_t index) {
    // mincore tells about the page cache, so ask for the process's own pages.
    int pagemap = ::open("/proc/self/pagemap", O_RDONLY);
    auto address = reinterpret_cast<uintptr_t>(file->bytes().data());
    uint64_t entry = 0;
    EXPECT_EQ(::pread(pagemap, &entry, 8, off_t((address / page + index) * 8)),
              8);
    ::close(pagemap);
    return (entry >> 63) == 1;
  };
  std::byte sum{};
  for (std::byte value : file->bytes())
    sum ^= value;
  EXPECT_EQ(sum, std::byte(0));
  ASSERT_TRUE(isPresent(3));
  // From inside page 1 to inside page 4: only pages 2 and 3 are whole.
  file->releasePages(file->bytes().subspan(page + 1, 3 * page));
  EXPECT_TRUE(isPresent(1));
  EXPECT_FALSE(isPresent(2));
  EXPECT_FALSE(isPresent(3));
  EXPECT_TRUE(isPresent(4));
  EXPECT_EQ(file->bytes()[2 * page], std::byte('x'));
  file->releasePages({});
}

} // namespace
