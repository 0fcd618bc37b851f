#!/bin/bash
# Part of Parallax, under the Apache License 2.0.
# SPDX-License-Identifier: Apache-2.0
#
# run.sh check ROOT WORK                      types, style, licences and units of web/
# run.sh look ROOT WORK PARALLAX PEER_MODELS  reports in a real browser
# Both need packages from npm; exit code 77 says that they can't be had.
set -euo pipefail
what=$1 root=$2 work=$3
copy=$work/web
mkdir -p "$work"

# A copy of the sources, since packages are looked for beside them.
exec 9>"$work/lock"
flock 9
mkdir -p "$copy"
find "$copy" -mindepth 1 -maxdepth 1 ! -name node_modules -exec rm -rf {} +
(cd "$root/web" && tar -cf - --exclude=node_modules .) | tar -xf - -C "$copy"
if ! cmp -s "$copy/package-lock.json" "$work/installed-lock.json"; then
  (cd "$copy" && npm ci --ignore-scripts --no-audit --no-fund \
    --fetch-retries 1 --loglevel error) || {
    echo "SKIPPED: npm could not install the packages of web/"
    exit 77
  }
  cp "$copy/package-lock.json" "$work/installed-lock.json"
fi

case $what in
check)
  # The lock file names versions and digests, and no server.
  if grep -n '"resolved"' "$copy/package-lock.json"; then exit 1; fi
  cd "$copy" && npm run --silent check
  node bundle.mjs "$work/report.html"
  node bundle.mjs "$work/again.html"
  cmp "$work/report.html" "$work/again.html"
  # Without npm there is an empty page, which the program is built with.
  rm -rf "$work/without" && mkdir -p "$work/without/bin"
  for tool in bash dirname mkdir; do
    ln -s "$(command -v "$tool")" "$work/without/bin"
  done
  PATH=$work/without/bin "$root/cmake/make-report-page" "$root/web" \
    "$work/without/report.html" 2>"$work/without/said"
  grep -q 'there is no page of HTML reports in this build: npm is missing' \
    "$work/without/said"
  [[ -e $work/without/report.html && ! -s $work/without/report.html ]]
  node "$root/test/Browser/units.mjs" --web "$copy" --work "$work"
  ;;
look)
  flock -u 9 # what the other replaces is not read here
  exec node "$root/test/Browser/look.mjs" --parallax "$4" --cache "$5" \
    --modules "$copy/node_modules" --work "$work"
  ;;
esac
