//===- PrecisionAudit.h - What came of layer_configs, to read --*- C++ -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// The audit of quant.layer_configs as tables for the screen and as a file.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_REPORT_PRECISIONAUDIT_H
#define PARALLAX_REPORT_PRECISIONAUDIT_H

#include "parallax/Analysis/PrecisionAudit.h"
#include "parallax/Report/Table.h"

namespace parallax {

/// "U16, weights S16, result FP32"; empty if all are Default.
std::string describe(const LayerPrecision &precision);

/// quant/layer_config_audit.json.
std::string toJson(const std::vector<AuditedRule> &audit);

/// What was asked for, by type or layer.
Table layerConfigTable(const std::vector<AuditedRule> &audit);

/// What came of it. Layers with the same outcome share a row, and a rule has
/// only a few rows: the file has all.
Table layerConfigAuditTable(const std::vector<AuditedRule> &audit);

} // namespace parallax

#endif // PARALLAX_REPORT_PRECISIONAUDIT_H
