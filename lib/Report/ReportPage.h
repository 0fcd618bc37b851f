//===- ReportPage.h - The page without its data ----------------*- C++ -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// What was bundled from web/ while building.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_LIB_REPORT_REPORTPAGE_H
#define PARALLAX_LIB_REPORT_REPORTPAGE_H

#include <string_view>

namespace parallax {

/// Empty if it could not be made.
std::string_view reportPage();

} // namespace parallax

#endif // PARALLAX_LIB_REPORT_REPORTPAGE_H
