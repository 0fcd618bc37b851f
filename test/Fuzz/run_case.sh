#!/bin/bash
# Part of Parallax, under the Apache License 2.0.
# SPDX-License-Identifier: Apache-2.0
#
# Runs fuzz-case on small cases and manifests. A finding ends it with the
# fuzzer's exit code; the file that caused it is left in WORKDIR.
#
# Usage: run_case.sh BIN SECONDS WORKDIR
set -euo pipefail
(($# == 3)) || { echo "usage: $0 BIN SECONDS WORKDIR" >&2 && exit 2; }
bin=$1 seconds=$2 work=$3

# From the same start every time, so that a finding can be found again.
rm -rf "$work/corpus"
mkdir -p "$work/corpus"
/usr/bin/python3 "${0%/*}/make_case_seeds.py" "$work/corpus"

exec "$bin" -seed=1 -max_total_time="$seconds" -rss_limit_mb=2048 -timeout=20 \
  -max_len=16384 -len_control=0 -artifact_prefix="$work/" "$work/corpus"
