//===- TempDir.h - A folder that lives as long as a test -------*- C++ -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Tests of files each get a folder of their own, so they can run in parallel.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_TEST_UNIT_SUPPORT_TEMPDIR_H
#define PARALLAX_TEST_UNIT_SUPPORT_TEMPDIR_H

#include "parallax/Support/Error.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <string>

namespace parallax {

class TempDir {
public:
  TempDir() {
    std::string pattern =
        (std::filesystem::temp_directory_path() / "parallax-test-XXXXXX")
            .string();
    if (!::mkdtemp(pattern.data()))
      throw Error("cannot create a temporary folder");
    root = pattern;
  }
  TempDir(const TempDir &) = delete;
  TempDir &operator=(const TempDir &) = delete;
  ~TempDir() { std::filesystem::remove_all(root); }

  std::filesystem::path operator/(const std::string &name) const {
    return root / name;
  }
  const std::filesystem::path &path() const { return root; }

  std::filesystem::path write(const std::string &name,
                              const std::string &contents) const {
    std::filesystem::create_directories((root / name).parent_path());
    std::ofstream(root / name, std::ios::binary) << contents;
    return root / name;
  }

  size_t entryCount() const {
    auto entries = std::filesystem::directory_iterator(root);
    return size_t(std::distance(begin(entries), end(entries)));
  }

private:
  std::filesystem::path root;
};

inline std::string contentsOf(const std::filesystem::path &path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// Expects an Error whose message contains `part`.
template <typename Fn> void expectError(Fn &&fn, const std::string &part) {
  try {
    fn();
    ADD_FAILURE() << "no error; expected one with: " << part;
  } catch (const Error &error) {
    EXPECT_NE(std::string(error.what()).find(part), std::string::npos)
        << error.what();
  }
}

} // namespace parallax

#endif // PARALLAX_TEST_UNIT_SUPPORT_TEMPDIR_H
