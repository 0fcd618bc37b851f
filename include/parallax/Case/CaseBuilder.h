//===- CaseBuilder.h - Who builds a case -------------------------*- C++
//-*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// A case is proved from its files alone, by a process of its own: it has no
// memory of how the files came about, and it may crash.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_CASE_CASEBUILDER_H
#define PARALLAX_CASE_CASEBUILDER_H

#include <filesystem>
#include <string>

namespace parallax {

struct CaseBuilder {
  /// `parallax`. The program that is running if it is empty.
  std::filesystem::path program;
  /// 0 stands for all cores.
  int threads = 0;
};

} // namespace parallax

#endif // PARALLAX_CASE_CASEBUILDER_H
