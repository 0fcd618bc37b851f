# shellcheck shell=bash
# Part of Parallax, under the Apache License 2.0.
# SPDX-License-Identifier: Apache-2.0
#
# What the tests of an installed tree and of the package have in common.

fail() {
  printf '%s: %s\n' "$(basename "$0")" "$*" >&2
  exit 1
}

# Shows what a command prints only if it fails.
quietly() {
  local output
  output=$("$@" 2>&1) || fail "'$*' failed:"$'\n'"$output"
}

# Runs a command with nothing of the developer's environment.
stranger() { env -i PATH=/usr/bin:/bin HOME=/nonexistent "$@"; }

# check_tool TOOL SHARE FOLDER: builds the quickstart, then with pictures.
check_tool() (
  mkdir -p "$3"
  cp -r "$2/configs" "$3"
  cd "$3" || exit
  quietly stranger "$1" build --config configs/quickstart.json
  grep -q 'top-1: Float 0.99.*NPUBackend 0.99' output/quickstart/build.log ||
    fail "the quickstart has lost its accuracy; see $3/output/quickstart/build.log"
  # The report is the same whenever it is asked for.
  if grep -q 'save report to' output/quickstart/build.log; then
    quietly stranger "$1" report output/quickstart -o again.html
    cmp -s output/quickstart/report.html again.html ||
      fail "'report' writes another page than 'build'; see $3"
  else
    grep -q 'no report.html: this program was built without' \
      output/quickstart/build.log || fail "no report, and nobody says why"
  fi
  # Pictures are the only files for which the tool loads a module.
  quietly env PYTHONDONTWRITEBYTECODE=1 /usr/bin/python3 \
    "$(dirname "${BASH_SOURCE[0]}")/../Tools/make_pictures.py" .
  echo '{"quant": {"input_configs": [{"tensor_name": "DEFAULT",
    "calibration_dataset": "pictures.tar"}]}}' >pictures.json
  quietly stranger "$1" build --config pictures.json --input pictures.onnx \
    --output_dir output/pictures
  grep -q '"channel_max":\[[0-9.]*,121.0,' output/pictures/quant/calibration.json ||
    fail "pictures have other pixels; see $3/output/pictures"
)
