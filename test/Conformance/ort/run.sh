#!/bin/bash
# Part of Parallax, under the Apache License 2.0.
# SPDX-License-Identifier: Apache-2.0
#
# Runs one check of real models against ONNX Runtime, or fetches the models.
# Exits with 77, for skipped, where there is no registry. PARALLAX_TEST_FULL=1
# takes all models.
# Usage: run.sh fetch CACHE
#        run.sh CHECK CACHE PARALLAX WORK
set -euo pipefail
here=$(cd "${0%/*}" && pwd)
check=$1 cache=$2
all=()
[[ ${PARALLAX_TEST_FULL:-} != 1 ]] || all=(--all)
# Quick if all is there, and skips the check if it isn't.
node "$here/fetch.mjs" "$cache" "${all[@]}" >&2
[[ $check != fetch ]] || exit 0
exec node "$here/$check.mjs" --cache "$cache" --parallax "$3" --work "$4" \
  "${all[@]}"
