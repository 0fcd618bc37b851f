#!/usr/bin/env python3
# Part of Parallax, under the Apache License 2.0.
# SPDX-License-Identifier: Apache-2.0
#
# Says where the time of ./parallax test went, so that nobody has to wonder why
# it takes longer than last year.
# Usage: budget.py BUILD_SECONDS TEST_SECONDS CTEST_LOG BUILD_FOLDER...
import os
import re
import sys

LISTED = 10


def objects(folder):
    """Seconds of every object in a log of ninja, as it was compiled last."""
    seconds = {}
    with open(os.path.join(folder, ".ninja_log"), encoding="utf-8") as log:
        for line in log:
            fields = line.rstrip("\n").split("\t")
            if len(fields) == 5 and fields[3].endswith((".o", ".pch")):
                name = f"{folder}/{fields[3]}".replace("/CMakeFiles", "")
                seconds[name] = (int(fields[1]) - int(fields[0])) / 1000
    return seconds


def tests(log):
    """Seconds of every test that ctest reports."""
    pattern = re.compile(r"Test +#\d+: (\S+) \.*.* ([0-9.]+) sec")
    with open(log, encoding="utf-8", errors="replace") as lines:
        found = (pattern.search(line) for line in lines)
        return {match[1]: float(match[2]) for match in found if match}


def show(title, seconds):
    print(f"\n{title}")
    slowest = sorted(seconds.items(), key=lambda entry: -entry[1])
    for name, duration in slowest[:LISTED]:
        print(f"  {duration:7.1f} s  {name}")


def main():
    building, testing, log, *folders = sys.argv[1:]
    print(f"\nBuilding took {int(building) / 60:.1f} minutes, "
          f"testing {int(testing) / 60:.1f}.")
    compiled = {}
    for folder in folders:
        compiled.update(objects(folder))
    show("The slowest objects, as they were compiled last:", compiled)
    show("The slowest tests:", tests(log))
    print()


main()
