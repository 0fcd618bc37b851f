//===- InputSamples.h - Samples that are only analyzed ---------*- C++ -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// What quant.input_sample_dir names: folders of tensors as `parallax run` reads
// them, or pictures, arrays and archives as calibration reads them.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_LIB_PIPELINE_INPUTSAMPLES_H
#define PARALLAX_LIB_PIPELINE_INPUTSAMPLES_H

#include "parallax/Config/BuildConfig.h"
#include "parallax/Support/PortInfo.h"
#include "parallax/Support/Samples.h"

namespace parallax {

/// All of them; archives are unpacked. Throws Error.
Samples inputSamples(const std::vector<PortInfo> &inputs,
                     const BuildConfig &config);

/// Throws Error if they can't be used; writes nothing.
void checkInputSamples(const std::vector<PortInfo> &inputs,
                       const BuildConfig &config);

} // namespace parallax

#endif // PARALLAX_LIB_PIPELINE_INPUTSAMPLES_H
