//===- Misread.h - Wrong readings of the numerics, on purpose --*- C++ -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// The literal implementation can read one statement of docs/numerics.md wrong.
// Conformance vectors have to find that out; Misreadings.h, beside their test,
// lists the readings. Everywhere else there is none.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_TEST_UNIT_NPU_MISREAD_H
#define PARALLAX_TEST_UNIT_NPU_MISREAD_H

#include <string_view>

namespace parallax::literal {

extern std::string_view wrongReading;

inline bool misread(std::string_view name) { return wrongReading == name; }

} // namespace parallax::literal

#endif // PARALLAX_TEST_UNIT_NPU_MISREAD_H
