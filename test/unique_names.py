#!/usr/bin/env python3
# Part of Parallax, under the Apache License 2.0.
# SPDX-License-Identifier: Apache-2.0
#
# Several files of a folder are compiled as one, in groups that change whenever
# a file is added. A name that two of them keep to themselves would collide on
# some day, or worse, call the function of the other file. So every name in an
# unnamed namespace, and every static one, is unique among the sources that one
# library or test program is made of. The classes of headers are unique in their
# namespace: two of one name in one program break the rule of one definition,
# and no compiler says so.
# Usage: unique_names.py ROOT
import collections
import pathlib
import re
import sys

# What stands at the beginning of a declaration and ends in a name.
DEFINITION = re.compile(
    r"(?:\[\[\w+\]\] )?"
    r"(?:static |constexpr |inline |const |decltype\(.*?\) |PARALLAX_\w+ )*"
    r"(?:(?:struct|class|enum class|enum|using) (?P<type>\w+)(?= |;|$)"
    r"|(?!namespace|using|return|template|struct|class|enum|TEST|INSTANTIATE)"
    r"(?:[A-Za-z_][^\n;={}()]*?[ *&>])?"
    r"(?P<name>(?!__attribute__)\w+)(?=\(|;| =|\{|\[))")
TEMPLATE = re.compile(r"template <[^(]*?>+ (?=[A-Za-z_])")
# Some that are easily overlooked, so that the search can't go blind unnoticed.
KNOWN = {"requantizeRow", "macOutputOf", "checkDecoded", "Recorder", "mostAttempts"}
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
    # A long declaration has its name in the second line.
    text = re.sub(r"(?m)^((?!using|//)\w[^;{}(,=\n]*[\w>*&])\n(?=[A-Za-z_]\w*\()",
                  r"\1 ", text)
    text = re.sub(r"(?m)^(template <.*>)\n", r"\1 ", text)
    for line in text.splitlines():
        if line == "namespace {":
            is_unnamed = True
        elif line == "} // namespace":
            is_unnamed = False
        line = TEMPLATE.sub("", line, count=1)
        found = DEFINITION.match(line)
        if found and (is_unnamed or re.match(r"(\[\[\w+\]\] )?static ", line)):
            # The same alias may be given twice.
            alias = line if line.startswith("using ") else ""
            yield found["type"] or found["name"], alias


def classes_of_headers(root):
    """By namespace and name, the headers that define a class."""
    places = collections.defaultdict(set)
    for top in ("lib", "include"):
        for path in (root / top).rglob("*.h"):
            space = ""
            for line in path.read_text(encoding="utf-8").splitlines():
                if found := re.match(r"namespace ([\w:]+) \{", line):
                    space = found[1]
                elif found := re.match(
                        r"(?:struct|class|enum class) (\w+)(?: final)? (?:\{|:)",
                        line):
                    places[space, found[1]].add(
                        path.relative_to(root).as_posix())
    return places


def main():
    root = pathlib.Path(sys.argv[1])
    classes = classes_of_headers(root)
    if ("parallax", "Tensor") not in classes:
        sys.exit("the class Tensor can't be found: mend the search")
    places = collections.defaultdict(set)
    aliases = collections.defaultdict(set)
    for top in ("lib", "tools", "test"):
        for path in (root / top).rglob("*.cpp"):
            source = path.relative_to(root)
            for name, alias in own_names(path.read_text(encoding="utf-8")):
                places[program(source), name].add(source.as_posix())
                aliases[program(source), name].add(alias)
    if blind := KNOWN - {name for _, name in places}:
        sys.exit(f"{', '.join(sorted(blind))} can't be found: mend the search, "
                 "or KNOWN if they have other names now")
    twice = {key: files for key, files in places.items()
             if len(files) > 1 and (len(aliases[key]) > 1 or "" in aliases[key])}
    twice |= {key: files for key, files in classes.items() if len(files) > 1}
    for (_, name), files in sorted(twice.items()):
        print(f"'{name}' is defined in {' and in '.join(sorted(files))}: "
              "give one another name, or share it in a header")
    return 1 if twice else 0


sys.exit(main())
