//===- LogSink.h - From messages to the log file ---------------*- C++ -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// What Log.cpp knows of LogFile.cpp.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_LIB_SUPPORT_LOGSINK_H
#define PARALLAX_LIB_SUPPORT_LOGSINK_H

#include <string_view>

namespace parallax {

/// Colors are taken out.
void writeToLogFile(std::string_view text);

} // namespace parallax

#endif // PARALLAX_LIB_SUPPORT_LOGSINK_H
