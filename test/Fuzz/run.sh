#!/bin/bash
# Part of Parallax, under the Apache License 2.0.
# SPDX-License-Identifier: Apache-2.0
#
# Runs a fuzz target on models of ONNX's own operator tests. A finding ends it
# with the fuzzer's exit code; the model that caused it is left in WORKDIR.
#
# Usage: run.sh BIN SECONDS WORKDIR
set -euo pipefail
(($# == 3)) || { echo "usage: $0 BIN SECONDS WORKDIR" >&2 && exit 2; }
bin=$1 seconds=$2 work=$3
models=/usr/share/libonnx-testdata/data/node
wanted=60

# From the same start every time, so that a finding can be found again.
rm -rf "$work/corpus"
mkdir -p "$work/corpus"
# Spread over the alphabet, so that all families of operators are there.
mapfile -t small < <(find "$models" -name model.onnx -size -8k | LC_ALL=C sort)
((${#small[@]} >= wanted)) || {
  echo "$0: $models has only ${#small[@]} small models" >&2
  exit 2
}
for ((i = 0; i < wanted; ++i)); do
  seed=${small[i * ${#small[@]} / wanted]}
  cp "$seed" "$work/corpus/$(basename "$(dirname "$seed")").onnx"
done

# Without a limit that grows slowly, a mutated model has room from the start.
exec "$bin" -seed=1 -max_total_time="$seconds" -rss_limit_mb=4096 -timeout=20 \
  -max_len=65536 -len_control=0 -artifact_prefix="$work/" "$work/corpus"
