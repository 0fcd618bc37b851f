//===- ArchiveTest.cpp - Files in tar and zip archives --------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Archives as people pack them, and as an attacker would.
//===----------------------------------------------------------------------===//
#include "parallax/Data/Archive.h"
#include "DataTestSupport.h"

using namespace parallax;

namespace {

constexpr Packing allPackings[] = {Packing::Tar, Packing::TarGz, Packing::Zip};

std::vector<std::string> pathsOf(const FileIndex &index) {
  std::vector<std::string> paths;
  for (const FileEntry &file : index.files)
    paths.push_back(file.path);
  return paths;
}

std::string readText(const Archive &archive, const std::string &file) {
  std::vector<std::byte> bytes = archive.read(file);
  return {reinterpret_cast<const char *>(bytes.data()), bytes.size()};
}

TEST(Archive, ListsAndReadsEveryFormat) {
  TempDir dir;
  std::string large(300'000, 'x');
  for (size_t at = 0; at < large.size(); ++at)
    large[at] = char(at * at >> 7);
  for (Packing packing : allPackings) {
    // The extension says nothing; the contents do.
    Archive archive(pack(dir / "set.anything", packing,
                         {{"./b/2.bin", "two"},
                          {"b", "", AE_IFDIR},
                          {"a/1.bin", large},
                          {"a//e.bin", ""}}));
    FileIndex index = archive.index();
    EXPECT_EQ(pathsOf(index),
              (std::vector<std::string>{"a/1.bin", "a/e.bin", "b/2.bin"}));
    EXPECT_TRUE(index.skipped.empty());
    EXPECT_EQ(index.files[0].size, large.size());
    EXPECT_EQ(readText(archive, "b/2.bin"), "two");
    archive.extract({{"a/1.bin", dir / "out/1"}, {"a/e.bin", dir / "out/2"}});
    EXPECT_EQ(contentsOf(dir / "out/1"), large);
    EXPECT_EQ(contentsOf(dir / "out/2"), "");
    expectError([&] { archive.read("c"); }, "'c' is not in it");
    expectError(
        [&] {
          archive.extract({{"c", dir / "c"}});
        },
        "set.anything': 'c' is not in it");
  }
}

TEST(Archive, KeepsNamesInUtf8WhateverTheLocaleIs) {
  // What Python's tarfile and zipfile write for 'é/日.bin' with the byte 'x'.
  constexpr std::string_view packed[] = {
      "1f8b08000000000002ffedd3310a02311040d1a93d454e904ce212b190b5b4f40a1117"
      "b4115957d89b78020bcfe15d3c87060bb1d83282ec7f4d8634530cdf3aeb96ebd4af9a"
      "b46d5a2942df865ed530fdccf9df6bf02aa6971f389fbad4bed6cb38f9b939a66eb7b8"
      "dfdce372b59bfd6122188fdad5f9e84577e4a863550df7affebb7f8db318c428fd17d7"
      "93000000000000000000000000c05f7b02e0625d9e00280000",
      "504b0304140000080000000021008316dc8c01000000010000000a000000c3a92fe697"
      "a52e62696e78504b01021403140000080000000021008316dc8c01000000010000000a"
      "0000000000000000000000800100000000c3a92fe697a52e62696e504b050600000000"
      "0100010038000000290000000000"};
  for (std::string_view digits : packed) {
    std::string bytes = fromHex(digits);
    Archive archive(std::as_bytes(std::span(bytes)), "memory");
    EXPECT_EQ(pathsOf(archive.index()), std::vector<std::string>{"é/日.bin"});
    EXPECT_EQ(readText(archive, "é/日.bin"), "x");
  }
  // Latin-1 of the time before.
  TempDir dir;
  Archive old(pack(dir / "a.zip", Packing::Zip, {{"\xe9.bin", "x"}}));
  EXPECT_EQ(pathsOf(old.index()), std::vector<std::string>{"\xe9.bin"});
}

TEST(Archive, RefusesPathsThatEscape) {
  TempDir dir;
  for (Packing packing : allPackings)
    for (std::string path : {"../evil", "a/../../evil", "/etc/evil", "a/.."}) {
      Archive archive(
          pack(dir / "a.tar", packing, {{"good.bin", "x"}, {path, "y"}}));
      expectError([&] { archive.index(); },
                  "a.tar': '" + path + "' in it leads out of the folder");
      expectError(
          [&] {
            archive.extract({{path, dir / "x"}});
          },
          "leads out of the folder");
    }
  EXPECT_FALSE(std::filesystem::exists(dir / "x"));
}

TEST(Archive, SkipsLinksAndDevicesWithAReason) {
  TempDir dir;
  Archive archive(pack(dir / "a.tar", Packing::Tar,
                       {{"1.bin", "x"},
                        {"link", "", AE_IFLNK, "/etc/passwd"},
                        {"hard", "", AE_IFREG, "1.bin"},
                        {"null", "", AE_IFCHR},
                        {"pipe", "", AE_IFIFO}}));
  FileIndex index = archive.index();
  EXPECT_EQ(pathsOf(index), std::vector<std::string>{"1.bin"});
  EXPECT_EQ(index.skipped,
            (std::vector<std::string>{
                "'link' is a symbolic link", "'hard' is a hard link",
                "'null' is a device", "'pipe' is a pipe"}));
  expectError([&] { archive.read("link"); }, "'link' is not in it");
  Archive zip(pack(dir / "a.zip", Packing::Zip,
                   {{"1", "x"}, {"link", "", AE_IFLNK, "/etc/passwd"}}));
  EXPECT_EQ(pathsOf(zip.index()), std::vector<std::string>{"1"});
}

TEST(Archive, BoundsWhatIsUnpacked) {
  TempDir dir;
  std::string zeros(1 << 20, '\0');
  ArchiveLimits byRatio;
  byRatio.ratioFloor = 1000;
  byRatio.ratio = 50;
  for (Packing packing : {Packing::TarGz, Packing::Zip}) {
    auto path = pack(dir / "bomb", packing, {{"a", "x"}, {"zeros", zeros}});
    expectError([&] { Archive(path, byRatio).index(); },
                "far larger than an archive of");
    expectError([&] { Archive(path, byRatio).index(); }, "'zeros'");
    EXPECT_EQ(Archive(path).index().files.size(), 2u);
  }
  auto path = pack(dir / "a.tar", Packing::Tar, {{"a", "x"}, {"b", zeros}});
  EXPECT_EQ(Archive(path, byRatio).index().files.size(), 2u);

  ArchiveLimits small;
  small.entryBytes = 1 << 19;
  Archive archive(path, small);
  EXPECT_EQ(archive.index().files.size(), 2u);
  EXPECT_EQ(readText(archive, "a"), "x");
  expectError([&] { archive.read("b"); },
              "'b' in it is larger than 524288 bytes");
  expectError([&] { archive.extract({{"b", dir / "out/b"}}); }, "larger than");
  EXPECT_EQ(std::filesystem::is_empty(dir / "out"), true);

  ArchiveLimits total;
  total.totalBytes = 1 << 19;
  expectError([&] { Archive(path, total).index(); }, "far larger");
  ArchiveLimits few;
  few.entries = 1;
  expectError([&] { Archive(path, few).index(); }, "more than 1 entries");
}

TEST(Archive, DoesNotTrustDeclaredSizes) {
  // The size in the directory and the local header of a zip are changed to 1.
  TempDir dir;
  std::string zeros(1 << 20, '\0');
  auto path = pack(dir / "a.zip", Packing::Zip, {{"zeros", zeros}});
  std::string bytes = contentsOf(path), size("\0\0\x10\0", 4), forged(4, '\0');
  forged[0] = 1;
  size_t count = 0;
  for (size_t at = 0; (at = bytes.find(size, at)) != std::string::npos; ++count)
    bytes.replace(at, 4, forged);
  ASSERT_GE(count, 1u);
  ArchiveLimits limits;
  limits.entryBytes = 1 << 16;
  Archive archive(dir.write("forged.zip", bytes), limits);
  EXPECT_THROW(archive.read("zeros"), Error);

  // A tar entry that claims 2^60 bytes is not skipped over.
  std::string tar = contentsOf(pack(dir / "a.tar", Packing::Tar, {{"a", "x"}}));
  tar.replace(124, 12, std::string("\x80\0\0\0\x10\0\0\0\0\0\0\0", 12));
  unsigned sum = 0;
  for (size_t at = 0; at < 512; ++at)
    sum += at >= 148 && at < 156 ? ' ' : uint8_t(tar[at]);
  std::string octal(6, '0');
  for (size_t digit = 6; digit-- > 0; sum >>= 3)
    octal[digit] = char('0' + (sum & 7));
  tar.replace(148, 8, octal + std::string("\0 ", 2));
  expectError([&] { Archive(dir.write("huge.tar", tar)).index(); },
              "far larger than an archive of");
}

TEST(Archive, RefusesDamage) {
  TempDir dir;
  std::string noise(20'000, 0);
  uint32_t state = 1;
  for (char &byte : noise)
    byte = char((state = state * 1664525 + 1013904223) >> 24);
  for (Packing packing : allPackings) {
    auto path =
        pack(dir / "whole", packing, {{"first", "x"}, {"noise", noise}});
    std::string bytes = contentsOf(path);
    for (size_t length : {size_t(5000), size_t(300), size_t(12), size_t(0)}) {
      auto part = dir.write("part", bytes.substr(0, length));
      expectError([&] { Archive(part).index(); }, "cannot unpack '");
      expectError([&] { Archive(part).index(); }, "part'");
    }
  }
  auto truncated = dir.write(
      "cut.tar",
      contentsOf(pack(dir / "a", Packing::Tar, {{"first", "x"}, {"n", noise}}))
          .substr(0, 5000));
  expectError([&] { Archive(truncated).index(); }, "truncated at 'n'");
  // Between two files and behind the last one: header, "x", header, noise and
  // zeros, in blocks of 512 bytes.
  std::string bytes =
      contentsOf(pack(dir / "b", Packing::Tar, {{"first", "x"}, {"n", noise}}));
  size_t last = 3 * 512 + (noise.size() + 511) / 512 * 512;
  for (auto [length, name] : {std::pair<size_t, std::string>(1024, "first"),
                              std::pair<size_t, std::string>(last, "n")}) {
    auto cut = dir.write("cut.tar", bytes.substr(0, length));
    expectError([&] { Archive(cut).index(); }, "is cut off behind '" + name);
  }
  // One block of zeros tells that nothing is missing.
  auto whole = dir.write("whole.tar", bytes.substr(0, last + 512));
  EXPECT_EQ(Archive(whole).index().files.size(), 2u);
  expectError([&] { Archive(dir.write("t.tar", "no archive at all")).index(); },
              "t.tar': it is not a readable tar, tar.gz or zip file");
  expectError([&] { Archive(dir / "none"); }, "No such file");
  expectError([&] { Archive(dir.path()); }, "not a regular file");
}

TEST(Archive, RefusesCompressionInsideCompression) {
  TempDir dir;
  auto gzip = [&](const std::string &bytes, const std::string &name) {
    // The raw format writes one entry and nothing else.
    struct archive *writer = archive_write_new();
    archive_write_set_format_raw(writer);
    archive_write_add_filter_gzip(writer);
    archive_write_open_filename(writer, (dir / name).c_str());
    struct archive_entry *entry = archive_entry_new();
    archive_entry_set_pathname(entry, "data");
    archive_entry_set_filetype(entry, AE_IFREG);
    archive_write_header(writer, entry);
    archive_write_data(writer, bytes.data(), bytes.size());
    archive_entry_free(entry);
    archive_write_free(writer);
    return dir / name;
  };
  std::string tar = contentsOf(pack(dir / "t", Packing::Tar, {{"a", "x"}}));
  std::string zip = contentsOf(pack(dir / "z", Packing::Zip, {{"a", "x"}}));
  EXPECT_EQ(Archive(gzip(tar, "1.gz")).index().files.size(), 1u);
  for (auto path : {gzip(contentsOf(dir / "1.gz"), "2.gz"), gzip(zip, "3.gz")})
    expectError([&] { Archive(path).index(); }, "compressed more than once");
}

TEST(Archive, RefusesAPathTwice) {
  TempDir dir;
  Archive archive(pack(dir / "a.tar", Packing::Tar,
                       {{"a/1", "x"}, {"b", "y"}, {"./a//1", "z"}}));
  expectError([&] { archive.index(); }, "it holds 'a/1' more than once");
}

} // namespace
