//===- ReportPage.cpp - The page without its data -------------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// The assembler copies the file, which takes no time to compile.
//===----------------------------------------------------------------------===//
#include "ReportPage.h"

extern "C" {
[[gnu::visibility("hidden")]] extern const char parallaxReportPage[];
[[gnu::visibility("hidden")]] extern const char parallaxReportPageEnd[];
}

asm(".pushsection .rodata\n"
    ".globl parallaxReportPage\n"
    ".hidden parallaxReportPage\n"
    "parallaxReportPage:\n"
    ".incbin \"" PARALLAX_REPORT_PAGE "\"\n"
    ".globl parallaxReportPageEnd\n"
    ".hidden parallaxReportPageEnd\n"
    "parallaxReportPageEnd:\n"
    ".byte 0\n"
    ".popsection\n");

std::string_view parallax::reportPage() {
  return {parallaxReportPage, parallaxReportPageEnd};
}
