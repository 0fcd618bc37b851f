#!/bin/bash
# Part of Parallax, under the Apache License 2.0.
# SPDX-License-Identifier: Apache-2.0
#
# Fails if a generated page differs from what the program generates now.
# Usage: docs_are_current.sh ROOT OP_STATUS TABLEGEN TABLEGEN_INCLUDE
set -euo pipefail
root=$1 op_status=$2 tablegen=$3 include=$4
pages=$root/docs/generated
fresh=$(mktemp -d)
trap 'rm -rf "$fresh"' EXIT
"$tablegen" -gen-op-doc -I "$root/include" -I "$include" \
  "$root/include/parallax/Dialect/NN/NNOps.td" -o "$fresh/nn-ops.md"
"$tablegen" -gen-pass-doc -I "$root/include" -I "$include" \
  "$root/include/parallax/Passes/Optimize/Passes.td" \
  -o "$fresh/optimize-passes.md"
"$op_status" >"$fresh/op-status.md"
for page in nn-ops.md optimize-passes.md op-status.md; do
  diff -u "$pages/$page" "$fresh/$page" ||
    { echo "docs/generated/$page is out of date: build the target parallax-doc"; exit 1; }
done
