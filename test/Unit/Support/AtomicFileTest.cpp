//===- AtomicFileTest.cpp - Files that appear complete or not at all ------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// A failure must leave the folder as it was.
//===----------------------------------------------------------------------===//
#include "parallax/Support/AtomicFile.h"
#include "TempDir.h"
#include "parallax/Support/HostName.h"
#include "parallax/Support/MappedFile.h"

#include <csignal>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace parallax;
namespace fs = std::filesystem;

namespace {

TEST(AtomicFile, CreatesFoldersAndReplacesContents) {
  TempDir dir;
  writeFileAtomically(dir / "x/y/z.txt", "one");
  writeFileAtomically(dir / "x/y/z.txt", "two");
  EXPECT_EQ(contentsOf(dir / "x/y/z.txt"), "two");
  EXPECT_EQ(std::distance(fs::directory_iterator(dir / "x/y"), {}), 1);
  struct stat status;
  ASSERT_EQ(::stat((dir / "x/y/z.txt").c_str(), &status), 0);
  mode_t mask = ::umask(0);
  ::umask(mask);
  EXPECT_EQ(status.st_mode & 0777, 0666 & ~mask);
}

TEST(AtomicFile, NothingIsVisibleBeforeCommit) {
  TempDir dir;
  dir.write("a", "old");
  {
    AtomicFile file(dir / "a");
    file.write("new");
    EXPECT_EQ(contentsOf(dir / "a"), "old");
    EXPECT_EQ(dir.entryCount(), 2u);
  }
  EXPECT_EQ(contentsOf(dir / "a"), "old");
  EXPECT_EQ(dir.entryCount(), 1u);
}

TEST(AtomicFile, LongestNameIsPossible) {
  TempDir dir;
  std::string name(255, 'n');
  writeFileAtomically(dir / name, "x");
  EXPECT_EQ(contentsOf(dir / name), "x");
  expectError([&] { writeFileAtomically(dir / (name + "n"), "x"); },
              "File name too long");
  EXPECT_EQ(dir.entryCount(), 1u);
}

TEST(AtomicFile, LeftoversOfDeadProcessesGo) {
  TempDir dir;
  pid_t child = ::fork();
  if (child == 0)
    ::_exit(0);
  ASSERT_EQ(::waitpid(child, nullptr, 0), child);
  std::string gone = ".parallax-" + std::to_string(child);
  std::string dead = gone + "@" + hostName() + "-0";
  dir.write(dead + ".tmp", "x");
  dir.write(dead + ".new/a/b.npy", "x");
  // Of living processes, of us, of others.
  dir.write(".parallax-1@" + hostName() + "-0.tmp", "x");
  writeFileAtomically(temporaryPath(dir.path(), "tmp"), "x");
  dir.write(".parallax-notes", "x");
  dir.write(gone, "x");
  // Of another machine, where the process may live.
  dir.write(gone + "@elsewhere" + hostName() + "-0.rank", "x");
  dir.write(gone + "-0.tmp", "x");
  EXPECT_EQ(dir.entryCount(), 8u);
  removeLeftovers(dir.path());
  EXPECT_EQ(dir.entryCount(), 6u);
  EXPECT_FALSE(fs::exists(dir / (dead + ".tmp")));
  EXPECT_FALSE(fs::exists(dir / (dead + ".new")));
  removeLeftovers(dir / "missing");
}

TEST(AtomicFile, MachinesThatShareAFolderHaveNamesOfTheirOwn) {
  std::string name = temporaryPath("x", "rank").filename().string();
  std::string begin =
      ".parallax-" + std::to_string(::getpid()) + "@" + hostName() + "-";
  EXPECT_TRUE(name.starts_with(begin) && name.ends_with(".rank")) << name;
  EXPECT_NE(name, temporaryPath("x", "rank").filename().string());
}

TEST(AtomicFile, NamesTheFileThatItsBytesComeFrom) {
  TempDir dir;
  dir.write("weights.bin", std::string(1 << 20, 'x'));
  auto file = MappedFile::open(dir / "weights.bin");
  fs::resize_file(dir / "weights.bin", 0);
  expectError([&] { writeFileAtomically(dir / "copy.bin", file->bytes()); },
              "weights.bin' became shorter while it was read");
  EXPECT_EQ(dir.entryCount(), 1u);
}

TEST(AtomicFile, FollowsSymbolicLinks) {
  TempDir dir;
  dir.write("real/file", "old");
  fs::create_symlink("real/file", dir / "link");
  writeFileAtomically(dir / "link", "new");
  EXPECT_TRUE(fs::is_symlink(dir / "link"));
  EXPECT_EQ(contentsOf(dir / "real/file"), "new");
}

TEST(AtomicFile, RefusesFoldersDevicesAndFilesAsParents) {
  TempDir dir;
  fs::create_directory(dir / "folder");
  dir.write("file", "");
  expectError([&] { writeFileAtomically(dir / "folder", "x"); }, "a folder");
  expectError([&] { writeFileAtomically("/dev/null", "x"); },
              "not a regular file");
  EXPECT_TRUE(fs::is_character_file("/dev/null"));
  expectError([&] { writeFileAtomically(dir / "file/below", "x"); },
              "cannot create the folder");
  EXPECT_EQ(dir.entryCount(), 2u);
}

TEST(AtomicFile, FullDiskLeavesNothing) {
  TempDir dir;
  // A limit of the file size fails like a full disk.
  auto previous = std::signal(SIGXFSZ, SIG_IGN);
  struct rlimit limit;
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &limit), 0);
  struct rlimit small = {1000, limit.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &small), 0);
  std::string text(100000, 'x');
  expectError([&] { writeFileAtomically(dir / "big", text); }, "cannot write");
  ::setrlimit(RLIMIT_FSIZE, &limit);
  std::signal(SIGXFSZ, previous);
  EXPECT_EQ(dir.entryCount(), 0u);
}

TEST(AtomicFile, SaysWhatIsWrongWithTheFolder) {
  TempDir temp;
  std::filesystem::path file = temp / "missing" / "deeper" / "x";
  std::string folder = temp.path().string();
  EXPECT_EQ(whyNotWritten(file, EACCES), "you may not write to the folder '" +
                                             folder + "' (Permission denied)");
  EXPECT_EQ(whyNotWritten(file, EROFS),
            "the folder '" + folder + "' is on a read-only file system");
  EXPECT_EQ(whyNotWritten("/proc/x", ENOENT),
            "the folder '/proc' takes no new files");
  EXPECT_EQ(whyNotWritten(file, ENOSPC), "No space left on device");
  expectError([] { writeFileAtomically("/proc/parallax/x", "text"); },
              "cannot create the folder '/proc/parallax': the folder '/proc' "
              "takes no new files");
}

TEST(AtomicFile, SeesWhetherAFolderCanBeMade) {
  TempDir dir;
  EXPECT_EQ(whyNoFolder(dir.path()), "");
  EXPECT_EQ(whyNoFolder(dir / "new/er"), "");
  EXPECT_EQ(whyNoFolder("new/er"), "");
  fs::path file = dir.write("file", "x");
  std::string why = "'" + file.string() + "' is not a folder";
  EXPECT_EQ(whyNoFolder(file), why);
  EXPECT_EQ(whyNoFolder(file / "new"), why);
  if (::geteuid() == 0)
    return; // Root may write everywhere.
  fs::permissions(dir.path(), fs::perms::owner_read | fs::perms::owner_exec);
  EXPECT_NE(whyNoFolder(dir / "new").find("you may not write to the folder"),
            std::string::npos);
  fs::permissions(dir.path(), fs::perms::owner_all);
}

TEST(AtomicFile, KnowsThatTheCurrentFolderIsGone) {
  TempDir temp;
  std::filesystem::path before = std::filesystem::current_path();
  std::filesystem::create_directory(temp / "gone");
  std::filesystem::current_path(temp / "gone");
  EXPECT_FALSE(isCurrentFolderGone());
  std::filesystem::remove(temp / "gone");
  EXPECT_TRUE(isCurrentFolderGone());
  EXPECT_EQ(whyNotWritten("x", ENOENT), "the current folder was deleted");
  std::filesystem::current_path(before);
}

} // namespace
