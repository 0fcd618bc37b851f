//===- TestFault.h - Kernels that are wrong on purpose ---------*- C++ -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// A layer of the machine gets a kernel that computes something else than its
// operation says. The program stays right, so that whoever looks for broken
// kernels has one to find. Only test programs are linked with this.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_TEST_FAULTY_TESTFAULT_H
#define PARALLAX_TEST_FAULTY_TESTFAULT_H

#include <string>

namespace parallax {

/// Breaks one layer in all networks that are prepared while it lives. There is
/// one at a time.
class TestFault {
public:
  /// `request` is LAYER:KIND, with the name of a layer or of its tensor, or
  /// with several names that it may have, separated by '|'. Throws Error if
  /// there is no such kind. Whoever prepares the layer gets an Error if it has
  /// nothing that could break like that.
  explicit TestFault(const std::string &request);
  ~TestFault();
  TestFault(const TestFault &) = delete;
  TestFault &operator=(const TestFault &) = delete;

  /// Throws Error if the machine was prepared, but had no such layer.
  void checkFound() const;
};

} // namespace parallax

#endif // PARALLAX_TEST_FAULTY_TESTFAULT_H
