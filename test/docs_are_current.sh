#!/bin/bash
# Part of Parallax, under the Apache License 2.0.
# SPDX-License-Identifier: Apache-2.0
#
# Fails if a generated file differs from what the program generates now.
# Usage: docs_are_current.sh ROOT OP_STATUS TABLEGEN TABLEGEN_INCLUDE CONFIG_DOC
set -euo pipefail
root=$1 op_status=$2 tablegen=$3 include=$4 config_doc=$5
fresh=$(mktemp -d)
trap 'rm -rf "$fresh"' EXIT
mkdir -p "$fresh/docs/generated" "$fresh/configs"
page() { # generator, definitions, name
  "$tablegen" "-gen-$1-doc" -I "$root/include" -I "$include" \
    "$root/include/parallax/$2" -o "$fresh/docs/generated/$3.md"
}
page op Dialect/NN/NNOps.td nn-ops
page op Dialect/NPU/NPUOps.td npu-ops
page pass Passes/Optimize/Passes.td optimize-passes
page pass Passes/Processors/Passes.td processors-passes
page pass Passes/Calibrate/Passes.td calibrate-passes
page pass Passes/Quantize/Passes.td quantize-passes
page pass Passes/Lower/Passes.td lower-passes
page pass Passes/Analyze/Passes.td analyze-passes
"$op_status" >"$fresh/docs/generated/op-status.md"
"$config_doc" page >"$fresh/docs/config.md"
"$config_doc" schema >"$fresh/configs/schema.json"
"$config_doc" target-page >"$fresh/docs/generated/target-fields.md"
"$config_doc" target-schema >"$fresh/configs/target-schema.json"
python3 "$root/test/layers.py" page "$root" >"$fresh/docs/architecture.md"
/usr/bin/python3 "$root/python/make_page.py" "$root" >"$fresh/docs/python.md"
for file in docs/generated/{nn-ops,npu-ops,optimize-passes,processors-passes,calibrate-passes,quantize-passes,lower-passes,analyze-passes,op-status,target-fields}.md \
  docs/{architecture,config,python}.md configs/{schema,target-schema}.json; do
  diff -u "$root/$file" "$fresh/$file" ||
    { echo "$file is out of date: build the target parallax-doc"; exit 1; }
done
