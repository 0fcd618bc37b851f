#!/bin/bash
# Part of Parallax, under the Apache License 2.0.
# SPDX-License-Identifier: Apache-2.0
#
# Runs a fuzz target on the compiled models that the unit tests TESTS write. A
# finding ends it with the fuzzer's exit code; the file that caused it is left
# in WORKDIR.
#
# Usage: run_compiled.sh BIN SECONDS WORKDIR TESTS
set -euo pipefail
(($# == 4)) || { echo "usage: $0 BIN SECONDS WORKDIR TESTS" >&2 && exit 2; }
bin=$1 seconds=$2 work=$3 tests=$4

# From the same start every time, so that a finding can be found again.
rm -rf "$work/corpus"
mkdir -p "$work/corpus"
PARALLAX_COMPILED_SEEDS=$work/corpus "$tests" --gtest_brief=1 \
  --gtest_filter='Samples/RoundTripTest.*'
[[ -n $(ls -A "$work/corpus") ]] ||
  { echo "the unit tests wrote no model to start from" >&2 && exit 2; }

exec "$bin" -seed=1 -max_total_time="$seconds" -rss_limit_mb=4096 -timeout=20 \
  -max_len=262144 -len_control=0 -artifact_prefix="$work/" "$work/corpus"
