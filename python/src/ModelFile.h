//===- ModelFile.h - A model in memory as a file ---------------*- C++ -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// The library reads files. A model that a program has in memory becomes one
// that no folder lists and that goes with its object.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_PYTHON_MODELFILE_H
#define PARALLAX_PYTHON_MODELFILE_H

#include <functional>
#include <string>
#include <string_view>

namespace parallax::python {

class ModelFile {
public:
  /// Throws Error if there is no memory for it.
  explicit ModelFile(std::string_view bytes);
  ~ModelFile();
  ModelFile(const ModelFile &) = delete;
  ModelFile &operator=(const ModelFile &) = delete;

  std::string path() const;

  /// Does some work whose errors say "the model in memory" in place of a path
  /// that nobody has chosen.
  void rename(const std::function<void()> &work) const;

private:
  int descriptor = -1;
};

} // namespace parallax::python

#endif // PARALLAX_PYTHON_MODELFILE_H
