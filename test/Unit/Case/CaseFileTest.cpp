//===- CaseFileTest.cpp - A case as one file ------------------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// What is packed comes out again, the same files give the same bytes, and a
// writer that dies leaves nothing that looks like a case.
//===----------------------------------------------------------------------===//
#include "CaseTestSupport.h"

#include <clocale>
#include <csignal>
#include <ctime>
#include <sys/stat.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

using namespace parallax;
namespace fs = std::filesystem;

namespace {

TEST(CaseFile, UnpacksWhatWasPacked) {
  TempDir dir;
  fs::path folder = stage(dir, "case");
  writeCase(folder, dir / "a.plxcase");
  CaseManifest manifest = manifestOf(sampleFiles());
  EXPECT_EQ(readManifest(dir / "a.plxcase"), manifest);
  EXPECT_EQ(verifyCase(dir / "a.plxcase"), manifest);
  EXPECT_EQ(dir.entryCount(), 2u) << "checking must write nothing";
  EXPECT_EQ(unpackCase(dir / "a.plxcase", dir / "out/deep/case/"), manifest);
  EXPECT_EQ(filesBelow(dir / "out/deep/case"), filesBelow(folder));
  EXPECT_EQ(filesBelow(dir / "out").size(), sampleFiles().size() + 1);
}

TEST(CaseFile, FolderIsACaseToo) {
  TempDir dir;
  fs::path folder = stage(dir, "case");
  EXPECT_EQ(readManifest(folder), manifestOf(sampleFiles()));
  EXPECT_EQ(verifyCase(folder), manifestOf(sampleFiles()));
  dir.write("case/ticket.md", "# a problem\n");
  EXPECT_EQ(readManifest(folder), manifestOf(sampleFiles()));
  expectError([&] { verifyCase(folder); }, "'ticket.md' in it was changed");
  dir.write("case/ticket.md", "#");
  expectError([&] { readManifest(folder); },
              "'ticket.md' in it has 1 bytes where its manifest.json says 12");
  fs::remove(folder / "ticket.md");
  expectError([&] { readManifest(folder); }, "'ticket.md' is missing in it");
  dir.write("case/more", "");
  expectError([&] { readManifest(folder); },
              "'more' is in it, which its manifest.json does not list");
  fs::remove(folder / "manifest.json");
  expectError([&] { readManifest(folder); }, "there is no manifest.json in it");
}

TEST(CaseFile, SameFilesGiveTheSameBytes) {
  TempDir dir;
  writeCase(stage(dir, "case"), dir / "a.plxcase");
  std::string expected = contentsOf(dir / "a.plxcase");

  // Made in another order, at another time, by somebody else, elsewhere.
  mode_t mask = ::umask(0077);
  const char *zone = std::getenv("TZ");
  std::string oldZone = zone ? zone : "";
  std::string oldLocale = std::setlocale(LC_ALL, nullptr);
  Files files = sampleFiles();
  for (auto file = files.rbegin(); file != files.rend(); ++file) {
    fs::path path = dir.write("other/" + file->first, file->second);
    ::chmod(path.c_str(), 0751);
    if (::geteuid() == 0)
      EXPECT_EQ(::chown(path.c_str(), 1234, 2345), 0);
    fs::last_write_time(path, fs::file_time_type::clock::now() -
                                  std::chrono::hours(1000));
  }
  for (const char *locale : {"C", "C.UTF-8"})
    for (const char *place : {"UTC", "CST-8", "EST5EDT"}) {
      ASSERT_TRUE(std::setlocale(LC_ALL, locale));
      ::setenv("TZ", place, 1);
      ::tzset();
      writeManifest(dir / "other", sampleManifest());
      writeCase(dir / "other", dir / "b.plxcase");
      EXPECT_TRUE(contentsOf(dir / "b.plxcase") == expected)
          << locale << " " << place;
    }
  zone ? ::setenv("TZ", oldZone.c_str(), 1) : ::unsetenv("TZ");
  ::tzset();
  std::setlocale(LC_ALL, oldLocale.c_str());
  ::umask(mask);

  unpackCase(dir / "a.plxcase", dir / "out");
  writeCase(dir / "out", dir / "c.plxcase");
  EXPECT_TRUE(contentsOf(dir / "c.plxcase") == expected);
}

TEST(CaseFile, BytesChangeWithContentsAndNames) {
  TempDir dir;
  writeCase(stage(dir, "case"), dir / "a.plxcase");
  for (auto [from, to] : {std::pair("ticket.md", "ticket.md"),
                          std::pair("ticket.md", "ticket.mD")}) {
    Files files = sampleFiles();
    files.erase(from);
    files[to] = "# A Problem\n";
    fs::remove_all(dir / "case");
    writeCase(stage(dir, "case", files), dir / "b.plxcase");
    EXPECT_NE(contentsOf(dir / "a.plxcase"), contentsOf(dir / "b.plxcase"));
    EXPECT_EQ(verifyCase(dir / "b.plxcase"), manifestOf(files));
  }
}

TEST(CaseFile, RefusesFoldersThatDoNotMatch) {
  TempDir dir;
  fs::path folder = stage(dir, "case");
  dir.write("case/ticket.md", "# a problem\n");
  expectError([&] { writeCase(folder, dir / "a.plxcase"); },
              "'ticket.md' in it was changed");
  EXPECT_EQ(dir.entryCount(), 1u);
  fs::create_symlink("/etc/passwd", folder / "link");
  expectError([&] { writeManifest(folder, {}); }, "'link' in it is a link");
  fs::remove(folder / "link");
  dir.write("case/a\nb", "");
  expectError([&] { writeManifest(folder, {}); }, "can't be part of a case");
  fs::remove(folder / "a\nb");
  dir.write("case/a\\b", "");
  expectError([&] { writeManifest(folder, {}); }, "has a backslash");
}

TEST(CaseFile, DoesNotWriteWhatItWouldNotRead) {
  TempDir dir;
  dir.write("case/zeros", "");
  // A hole takes no space, and reads as zeros.
  fs::resize_file(dir / "case/zeros", 257 << 20);
  writeManifest(dir / "case", {});
  expectError([&] { writeCase(dir / "case", dir / "a.plxcase"); },
              "no reader would trust that");
  EXPECT_EQ(dir.entryCount(), 1u);
}

TEST(CaseFile, UnpacksIntoFreshFoldersOnly) {
  TempDir dir;
  writeCase(stage(dir, "case"), dir / "a.plxcase");
  fs::create_directory(dir / "empty");
  dir.write("file", "mine");
  fs::create_symlink("nowhere", dir / "link");
  for (const char *name : {"empty", "empty/", "file", "link", "case", "."})
    expectError([&] { unpackCase(dir / "a.plxcase", dir / name); },
                "it exists already");
  EXPECT_TRUE(fs::is_empty(dir / "empty"));
  EXPECT_EQ(contentsOf(dir / "file"), "mine");
  EXPECT_EQ(dir.entryCount(), 5u);
}

/// The files beside the final ones that a writer has open.
bool hasTemporary(const fs::path &folder, std::string_view ending) {
  for (const auto &entry : fs::directory_iterator(folder)) {
    std::string name = entry.path().filename();
    std::error_code ignored;
    if (name.starts_with(".parallax-") && name.ends_with(ending) &&
        (entry.is_directory(ignored) || entry.file_size(ignored) > 100'000))
      return true;
  }
  return false;
}

/// Runs `write` in a process of its own and ends it by a signal in the middle,
/// when its temporary file or folder is there.
template <typename Fn>
void interrupt(const fs::path &folder, std::string_view ending, int signal,
               Fn &&write) {
  pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    // A shell tells what it runs in the background to ignore interruptions.
    std::signal(SIGINT, SIG_DFL);
    write();
    ::_exit(0);
  }
  auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(60);
  while (!hasTemporary(folder, ending) &&
         std::chrono::steady_clock::now() < deadline)
    std::this_thread::sleep_for(std::chrono::microseconds(50));
  ::kill(child, signal);
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFSIGNALED(status)) << "it was done too soon";
  EXPECT_EQ(WTERMSIG(status), signal);
}

class Interrupted : public testing::TestWithParam<int> {};

TEST_P(Interrupted, WriterLeavesNoCase) {
  TempDir dir;
  fs::path folder = stage(dir, "case", {{"model/net.onnx", noise(48 << 20)}});
  fs::create_directory(dir / "to");
  fs::path file = dir / "to/a.plxcase";
  interrupt(dir / "to", ".tmp", GetParam(), [&] { writeCase(folder, file); });
  EXPECT_FALSE(fs::exists(file));

  // A case that is there stays as it is, and the next attempt succeeds.
  writeCase(stage(dir, "small"), file);
  std::string before = contentsOf(file);
  for (const auto &entry : fs::directory_iterator(dir / "to"))
    if (entry.path() != file)
      fs::remove(entry.path());
  interrupt(dir / "to", ".tmp", GetParam(), [&] { writeCase(folder, file); });
  EXPECT_TRUE(contentsOf(file) == before);
  writeCase(folder, file);
  verifyCase(file);
}

TEST_P(Interrupted, UnpackingLeavesNoFolder) {
  TempDir dir;
  fs::path folder = stage(dir, "case", {{"model/net.onnx", noise(48 << 20)}});
  writeCase(folder, dir / "a.plxcase");
  fs::create_directory(dir / "to");
  interrupt(dir / "to", ".folder", GetParam(),
            [&] { unpackCase(dir / "a.plxcase", dir / "to/case"); });
  EXPECT_FALSE(fs::exists(dir / "to/case"));
  unpackCase(dir / "a.plxcase", dir / "to/case");
  EXPECT_EQ(filesBelow(dir / "to/case").size(), 2u);
}

INSTANTIATE_TEST_SUITE_P(Signals, Interrupted, testing::Values(SIGINT, SIGKILL),
                         [](const auto &info) {
                           return info.param == SIGINT ? "Interrupt" : "Kill";
                         });

} // namespace
