#!/usr/bin/env python3
# Part of Parallax, under the Apache License 2.0.
# SPDX-License-Identifier: Apache-2.0
#
# Several files of a folder are compiled as one, in groups that change whenever
# a file is added. A name that two of them keep to themselves would collide on
# some day, or worse, call the function of the other file. So every name in an
# unnamed namespace, and every static one, is unique among the sources that one
# library or test program is made of.
# Usage: unique_names.py ROOT
import collections
import pathlib
import re
import sys

# What stands at the beginning of a line and ends in a name.
DEFINITION = re.compile(
    r"(?:\[\[\w+\]\] )?(?:static |constexpr |inline |const |PARALLAX_\w+ )*"
    r"(?:(?:struct|class|enum class|enum) (?P<type>\w+)"
    r"|(?!namespace|using|return|template|struct|class|enum|TEST|INSTANTIATE)"
    r"[A-Za-z_][^\n;={}()]*?[ *&>](?P<name>(?!__attribute__)\w+)(?=\(|;| =|\{|\[))")
# Another folder's sources that are compiled together with those of a folder.
TOGETHER = {"test/Unit/Report": "test/Unit/Analysis"}


def program(path):
    folder = path.parent.as_posix()
    if folder.startswith("tools/"):
        return "tools"
    if folder == "test/Fuzz":
        return path.as_posix()
    return TOGETHER.get(folder, folder)


def own_names(text):
    """The names that a source keeps to itself."""
    is_unnamed = False
    for line in text.splitlines():
        if line == "namespace {":
            is_unnamed = True
        elif line == "} // namespace":
            is_unnamed = False
        found = DEFINITION.match(line)
        if found and (is_unnamed or re.match(r"(\[\[\w+\]\] )?static ", line)):
            yield found["type"] or found["name"]


def main():
    root = pathlib.Path(sys.argv[1])
    places = collections.defaultdict(set)
    for top in ("lib", "tools", "test"):
        for path in (root / top).rglob("*.cpp"):
            source = path.relative_to(root)
            for name in own_names(path.read_text(encoding="utf-8")):
                places[program(source), name].add(source.as_posix())
    if len(places) < 1000:
        sys.exit(f"only {len(places)} names were found, which can't be all")
    twice = {key: files for key, files in places.items() if len(files) > 1}
    for (_, name), files in sorted(twice.items()):
        print(f"'{name}' is defined in {' and in '.join(sorted(files))}: "
              "give one another name, or share it in a header")
    return 1 if twice else 0


sys.exit(main())
