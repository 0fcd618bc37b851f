#!/bin/bash
# Part of Parallax, under the Apache License 2.0.
# SPDX-License-Identifier: Apache-2.0
#
# Runs a fuzz target on the configurations and chips of the repository, with the
# names of all fields at hand. A finding ends it with the fuzzer's exit code;
# the file that caused it is left in WORKDIR.
#
# Usage: run_config.sh BIN SECONDS WORKDIR
set -euo pipefail
(($# == 3)) || { echo "usage: $0 BIN SECONDS WORKDIR" >&2 && exit 2; }
bin=$1 seconds=$2 work=$3
configs=${0%/*}/../../configs

# From the same start every time, so that a finding can be found again.
rm -rf "$work/corpus"
mkdir -p "$work/corpus"
cp "$configs/quickstart.json" "$configs"/targets/*.json "$work/corpus"
# A section for every field that holds others, so that each has its place.
/usr/bin/python3 - "$configs/schema.json" "$work/corpus/full.json" <<'END'
import json
import sys

with open(sys.argv[1], encoding="utf-8") as file:
    schema = json.load(file)


def example(entry, depth=0):
    while "$ref" in entry:
        node = schema
        for name in entry["$ref"].removeprefix("#/").split("/"):
            node = node[name]
        entry = node
    for choice in ("allOf", "anyOf", "oneOf"):
        if choice in entry:
            return example(entry[choice][0], depth)
    if entry.get("default") not in (None, [], {}):
        return entry["default"]
    if "enum" in entry:
        return entry["enum"][0]
    kind = entry.get("type")
    kind = kind[0] if isinstance(kind, list) else kind
    if kind == "object":
        return {name: example(inner, depth + 1)
                for name, inner in entry.get("properties", {}).items()
                if depth < 5}
    if kind == "array":
        return [example(entry.get("items", {}), depth + 1)]
    return {"integer": 1, "number": 0.5, "boolean": True}.get(kind, "a")


with open(sys.argv[2], "w", encoding="utf-8") as file:
    json.dump(example(schema), file)
END
grep -oh '"[A-Za-z_0-9]*"' "$configs"/*schema.json | LC_ALL=C sort -u |
  sed 's/"/\\"/g; s/.*/"&"/' >"$work/names.dict"

exec "$bin" -seed=1 -max_total_time="$seconds" -rss_limit_mb=2048 -timeout=20 \
  -max_len=16384 -len_control=0 -dict="$work/names.dict" \
  -artifact_prefix="$work/" "$work/corpus"
