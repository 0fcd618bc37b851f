//===- TargetFields.h - The fields of a target file ------------*- C++ -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Targets are described, read and documented like configurations.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_LIB_CONFIG_TARGETFIELDS_H
#define PARALLAX_LIB_CONFIG_TARGETFIELDS_H

#include "Field.h"

#include "parallax/Config/Target.h"

namespace parallax::config {

template <> Message describe<TargetArithmetic>();
template <> Message describe<OperatorTypes>();
template <> Message describe<MacRate>();
template <> Message describe<VectorRates>();
template <> Message describe<CpuRates>();
template <> Message describe<TargetMemory>();
template <> Message describe<TargetMode>();
template <> Message describe<Target>();

const Message &targetMessage();

} // namespace parallax::config

#endif // PARALLAX_LIB_CONFIG_TARGETFIELDS_H
