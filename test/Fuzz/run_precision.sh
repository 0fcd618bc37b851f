#!/bin/bash
# Part of Parallax, under the Apache License 2.0.
# SPDX-License-Identifier: Apache-2.0
#
# Runs fuzz-precision on the analysis that the unit tests TESTS write, with its
# names as a dictionary. A finding ends it with the fuzzer's exit code; the file
# that caused it is left in WORKDIR.
#
# Usage: run_precision.sh BIN SECONDS WORKDIR TESTS
set -euo pipefail
(($# == 4)) || { echo "usage: $0 BIN SECONDS WORKDIR TESTS" >&2 && exit 2; }
bin=$1 seconds=$2 work=$3 tests=$4

# From the same start every time, so that a finding can be found again.
rm -rf "$work/corpus"
mkdir -p "$work/corpus"
PARALLAX_PRECISION_SEEDS=$work/corpus "$tests" --gtest_brief=1 \
  --gtest_filter='PrecisionReader.ReadsAFile'
grep -o '"[A-Za-z_0-9]*"' "$work/corpus/precision.json" | LC_ALL=C sort -u |
  sed 's/"/\\"/g; s/.*/"&"/' >"$work/names.dict"

exec "$bin" -seed=1 -max_total_time="$seconds" -rss_limit_mb=2048 -timeout=20 \
  -max_len=32768 -len_control=0 -dict="$work/names.dict" \
  -artifact_prefix="$work/" "$work/corpus"
