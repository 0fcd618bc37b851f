#!/usr/bin/env python3
# Part of Parallax, under the Apache License 2.0.
# SPDX-License-Identifier: Apache-2.0
#
# Tools read a command line, call the library and print. What is longer than
# that does something which programs and tests would like to call too, and
# belongs into lib/.
# Usage: tool_sizes.py ROOT
import pathlib
import sys

MOST_LINES = 150


def main():
    root = pathlib.Path(sys.argv[1])
    files = [path for path in (root / "tools").rglob("*")
             if path.suffix in (".cpp", ".h")]
    if len(files) < 10:
        sys.exit("there are hardly any tools: mend the search")
    found = 0
    for path in sorted(files):
        lines = len(path.read_text(encoding="utf-8").splitlines())
        if lines > MOST_LINES:
            found = 1
            print(f"{path.relative_to(root)} has {lines} lines, of which "
                  f"{MOST_LINES} are allowed: move what it does into lib/")
    return found


sys.exit(main())
