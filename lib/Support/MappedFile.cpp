//===- MappedFile.cpp - Read-only files in memory -------------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// The mapping is private and read-only: our own writers replace a file by
// renaming (AtomicFile.h), so a mapped file keeps its contents while a newer
// one takes its name.
//===----------------------------------------------------------------------===//
#include "parallax/Support/MappedFile.h"
#include "parallax/Support/Error.h"
#include "parallax/Support/TensorFile.h"

#include <atomic>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

namespace parallax {
namespace {

struct Descriptor {
  int value;
  ~Descriptor() {
    if (value >= 0)
      ::close(value);
  }
};

[[noreturn]] void failToRead(const std::filesystem::path &path, int error) {
  throw Error(
      fmt::format("cannot read '{}': {}", path.string(), std::strerror(error)));
}

/// Where files are mapped. A handler of signals can neither lock nor allocate,
/// so this is an array. A file that finds it full has no name in messages.
struct MappedRange {
  /// 0 if the entry is free, 1 while it is being filled.
  std::atomic<uintptr_t> begin = 0;
  uintptr_t end = 0;
  const char *path = nullptr;
};
MappedRange mappedRanges[1024];

void noteMapping(std::span<const std::byte> bytes, const char *path) {
  for (MappedRange &range : mappedRanges) {
    uintptr_t free = 0;
    if (range.begin.load(std::memory_order_relaxed) != 0 ||
        !range.begin.compare_exchange_strong(free, 1))
      continue;
    auto begin = reinterpret_cast<uintptr_t>(bytes.data());
    range.end = begin + bytes.size();
    range.path = path;
    range.begin.store(begin);
    return;
  }
}

void forgetMapping(std::span<const std::byte> bytes) {
  for (MappedRange &range : mappedRanges)
    if (range.begin.load() == reinterpret_cast<uintptr_t>(bytes.data())) {
      range.begin.store(0);
      return;
    }
}

} // namespace

const char *mappedPathAt(const void *address) noexcept {
  auto place = reinterpret_cast<uintptr_t>(address);
  for (const MappedRange &range : mappedRanges) {
    uintptr_t begin = range.begin.load();
    if (begin > 1 && place >= begin && place < range.end)
      return range.path;
  }
  return nullptr;
}

MappedFile::MappedFile(std::filesystem::path path,
                       std::span<const std::byte> bytes)
    : source(std::move(path)), contents(bytes) {
  if (!contents.empty())
    noteMapping(contents, source.c_str());
}

std::shared_ptr<MappedFile>
MappedFile::open(const std::filesystem::path &path) {
  // Without O_NONBLOCK, opening a pipe that nobody writes to would hang.
  Descriptor file{::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)};
  struct stat status;
  if (file.value < 0 || ::fstat(file.value, &status) != 0)
    failToRead(path, errno);
  if (S_ISDIR(status.st_mode))
    throw Error(
        fmt::format("cannot read '{}': it is a folder, and a file is expected",
                    path.string()));
  if (!S_ISREG(status.st_mode))
    throw Error(fmt::format(
        "cannot read '{}': it is not a regular file; save its contents to one",
        path.string()));

  // mmap refuses a length of zero, and an empty file needs no mapping.
  std::span<const std::byte> bytes;
  if (status.st_size > 0) {
    void *address = ::mmap(nullptr, size_t(status.st_size), PROT_READ,
                           MAP_PRIVATE, file.value, 0);
    if (address == MAP_FAILED)
      failToRead(path, errno);
    bytes = {static_cast<const std::byte *>(address), size_t(status.st_size)};
  }
  return std::shared_ptr<MappedFile>(new MappedFile(path, bytes));
}

MappedFile::~MappedFile() {
  if (contents.empty())
    return;
  forgetMapping(contents);
  ::munmap(const_cast<std::byte *>(contents.data()), contents.size());
}

Tensor MappedFile::tensorAt(size_t offset, DType dtype, Shape shape) const {
  std::optional<size_t> size = byteSizeOf(dtype, shape);
  if (!size || offset > contents.size() || *size > contents.size() - offset)
    throw Error(fmt::format(
        "'{}' has {} bytes, too few for a {} tensor of {} at byte {}",
        source.string(), contents.size(), toString(shape), nameOf(dtype),
        offset));
  std::span<const std::byte> range = contents.subspan(offset, *size);
  // A bool byte other than 0 and 1 has no meaning in C++; copying repairs it.
  if (range.empty() || dtype == DType::Bool ||
      reinterpret_cast<uintptr_t>(range.data()) % sizeOf(dtype) != 0)
    return tensorFromBytes(dtype, std::move(shape), range);
  return Tensor(dtype, std::move(shape), const_cast<std::byte *>(range.data()),
                shared_from_this());
}

void MappedFile::releasePages(std::span<const std::byte> range) const {
  if (range.empty())
    return;
  // Pages at the border may hold a neighbour that is still in use; they stay.
  auto pageSize = uintptr_t(::sysconf(_SC_PAGESIZE));
  auto begin = reinterpret_cast<uintptr_t>(range.data());
  uintptr_t first = (begin + pageSize - 1) / pageSize * pageSize;
  uintptr_t last = begin + range.size();
  // Only the last page of the file is padded by the mapping itself.
  if (range.data() + range.size() != contents.data() + contents.size())
    last = last / pageSize * pageSize;
  // The call is advice: if the system declines, nothing but memory is lost.
  if (first < last)
    ::madvise(reinterpret_cast<void *>(first), last - first, MADV_DONTNEED);
}

} // namespace parallax
