#!/bin/bash
# Part of Parallax, under the Apache License 2.0.
# SPDX-License-Identifier: Apache-2.0
#
# Fetches the peer models, and compares our float engine and what we make of
# the models with ONNX Runtime.
# Exits with 77, for skipped, where there is no registry. PARALLAX_TEST_FULL=1
# takes all models.
# Usage: run.sh CACHE PARALLAX WORK
set -euo pipefail
here=$(cd "${0%/*}" && pwd)
all=()
[[ ${PARALLAX_TEST_FULL:-} != 1 ]] || all=(--all)
node "$here/fetch.mjs" "$1" "${all[@]}"
for check in peer optimized quantized attribution cases reductions; do
  node "$here/$check.mjs" --cache "$1" --parallax "$2" --work "$3/$check" "${all[@]}"
done
