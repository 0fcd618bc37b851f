#!/usr/bin/env python3
# Part of Parallax, under the Apache License 2.0.
# SPDX-License-Identifier: Apache-2.0
#
# Which folder includes which is written down in docs/layers.txt, and this
# compares it with the sources. The figure of docs/architecture.md is drawn from
# the same file.
# Usage: layers.py check ROOT | page ROOT | write-page ROOT | edges ROOT |
#        layers.py self-test
import pathlib
import re
import sys
import tempfile

INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]', re.MULTILINE)
FOREIGN = re.compile(r"(mlir|llvm)(-c)?/")
PUBLIC = pathlib.PurePosixPath("include/parallax")
FIGURE = re.compile(r"(<!-- layers -->\n```mermaid\n).*?(```\n)", re.DOTALL)


class Layers:
    """docs/layers.txt: 'Folder: what it may include', and 'plain Folder
    [but File ...]' for folders without headers of MLIR."""

    def __init__(self, text):
        self.allowed, self.plain, self.problems = {}, {}, []
        for line in text.splitlines():
            line = line.partition("#")[0].strip()
            if line.startswith("plain "):
                folder, _, files = line[6:].partition(" but ")
                self.plain[folder.strip()] = set(files.split())
            elif line:
                folder, _, others = line.partition(":")
                self.allowed[folder.strip()] = others.split()
        self.problems += [f"{folder} is plain, but has no line"
                          for folder in self.plain if folder not in self.allowed]

    def of(self, path):
        """The layer of a source: the file itself, or the nearest folder."""
        if path.is_relative_to(PUBLIC):
            path = path.relative_to(PUBLIC)
        elif path.parts[0] == "lib":
            path = path.relative_to("lib")
        path = path.with_name(path.name.partition(".")[0])
        for folder in (path, *path.parents):
            if folder.as_posix() in self.allowed:
                return folder.as_posix()
        return None

    def reachable(self, start):
        found, todo = set(), list(self.allowed.get(start, []))
        while todo:
            layer = todo.pop()
            if layer not in found:
                found.add(layer)
                todo += self.allowed.get(layer, [])
        return found

    def drawn(self, layer):
        """Without what an arrow over another layer says already."""
        others = self.allowed[layer]
        return [other for other in others
                if not any(other in self.reachable(way)
                           for way in others if way != other)]

    def figure(self, is_folder=lambda layer: True):
        """As Mermaid; single headers are left out."""
        lines = ["flowchart RL"]
        for layer in filter(is_folder, self.allowed):
            name = layer.replace("/", "")
            if name != layer:
                name += f"[{layer}]"
            drawn = [other.replace("/", "")
                     for other in filter(is_folder, self.drawn(layer))]
            lines.append(f"  {name} --> {' & '.join(drawn)}" if drawn
                         else f"  {name}")
        return "\n".join(lines) + "\n"


class Sources:
    """All sources with what they include: ours as paths, others as words."""

    def __init__(self, root):
        self.includes = {}
        files = [path for top in ("include", "lib", "tools", "python")
                 for ending in ("*.h", "*.cpp", "*.def", "*.h.in", "*.cpp.in")
                 for path in (root / top).rglob(ending)]
        self.known = {pathlib.PurePosixPath(path.relative_to(root))
                      for path in files}
        for path in sorted(files):
            source = pathlib.PurePosixPath(path.relative_to(root))
            text = path.read_text(encoding="utf-8")
            self.includes[source] = [
                self.resolved(source, quote, name)
                for quote, name in INCLUDE.findall(text)]

    def resolved(self, source, quote, name):
        if name.startswith("parallax/"):
            return pathlib.PurePosixPath("include") / name
        if quote == '"':
            parts = []
            for part in (source.parent / name).parts:
                parts = parts[:-1] if part == ".." else [*parts, part]
            if (beside := pathlib.PurePosixPath(*parts)) in self.known:
                return beside
        return name

    def way_to_mlir(self, source, seen):
        """The includes that lead from a source to a header of MLIR, or None."""
        if source in seen:
            return seen[source]
        seen[source] = None
        for name in self.includes.get(source, []):
            if isinstance(name, str):
                way = [name] if FOREIGN.match(name) else None
            else:
                way = self.way_to_mlir(name, seen)
                way = way and [name.as_posix(), *way]
            if way:
                seen[source] = way
                return way
        return None


def edges(layers, sources, problems):
    """By pair of layers, the includes that lead from one to the other."""
    found, homeless, used = {}, set(), set()
    for source, names in sources.includes.items():
        layer = layers.of(source)
        used.add(layer)
        if layer is None:
            homeless.add(source.parent.as_posix())
            continue
        for name in names:
            if isinstance(name, str):
                continue
            other = layers.of(name)
            if other and other != layer:
                found.setdefault((layer, other), []).append(
                    f"{source} includes {name}")
    problems += [f"{folder} is in no line" for folder in sorted(homeless)]
    problems += [f"{layer} has a line, but no sources"
                 for layer in layers.allowed if layer not in used]
    return found


def check(root):
    layers = Layers((root / "docs/layers.txt").read_text(encoding="utf-8"))
    sources = Sources(root)
    problems = layers.problems
    found = edges(layers, sources, problems)
    for (layer, other), places in sorted(found.items()):
        if other not in layers.allowed[layer]:
            problems += [f"{layer} may not include {other}: {place}"
                         for place in places]
    for layer, others in layers.allowed.items():
        problems += [f"{layer} may include {other}, but never does"
                     for other in others if (layer, other) not in found]
        # So there is no cycle either.
        above = list(layers.allowed)[:list(layers.allowed).index(layer)]
        problems += [f"{layer} may include {other}, which is not above it"
                     for other in others if other not in above]
    seen = {}
    for source in sources.includes:
        layer = layers.of(source)
        if layer not in layers.plain or source.stem in layers.plain[layer]:
            continue
        if way := sources.way_to_mlir(source, seen):
            problems.append(f"{layer} is plain, but {source} includes "
                            + ", which includes ".join(way))
    return problems


def page(root):
    layers = Layers((root / "docs/layers.txt").read_text(encoding="utf-8"))
    text = (root / "docs/architecture.md").read_text(encoding="utf-8")
    figure = layers.figure(lambda layer: any(
        (root / top / layer).is_dir() for top in ("lib", PUBLIC, "")))
    text, count = FIGURE.subn(lambda found: found[1] + figure + found[2], text)
    if count != 1:
        sys.exit("docs/architecture.md has no place for the figure of layers")
    return text


def self_test():
    """A small tree with one mistake of each kind, and one without."""
    right = {
        "docs/layers.txt": "Low:\nMiddle: Low\nplain Low\n",
        "include/parallax/Low/Low.h": "#include <vector>\n",
        "lib/Low/Low.cpp": '#include "parallax/Low/Low.h"\n',
        "lib/Middle/Middle.cpp":
            '#include "parallax/Low/Low.h"\n#include "mlir/IR/Value.h"\n',
    }
    wrong = [
        ({}, None),
        ({"lib/Low/Low.cpp": '#include "parallax/Middle/X.h"\n',
          "include/parallax/Middle/X.h": ""}, "Low may not include Middle"),
        ({"lib/Low/Low.cpp": '#include "../Middle/Own.h"\n',
          "lib/Middle/Own.h": ""}, "Low may not include Middle"),
        ({"lib/Middle/Middle.cpp": ""}, "Middle may include Low, but never"),
        ({"docs/layers.txt": "Low: Middle\nMiddle: Low\n"},
         "Low may include Middle, which is not above it"),
        ({"docs/layers.txt": "Low:\nMiddle: Low Lost\n"},
         "Middle may include Lost, which is not above it"),
        ({"docs/layers.txt": "Low:\nMiddle: Low\nHigh:\n"}, "but no sources"),
        ({"lib/High/High.cpp": ""}, "lib/High is in no line"),
        ({"lib/Low/Low.cpp": '#include "llvm/ADT/Twine.h"\n'},
         "Low is plain, but lib/Low/Low.cpp includes llvm/ADT/Twine.h"),
        ({"include/parallax/Low/Low.h": '#include "mlir/IR/Value.h"\n'},
         "includes include/parallax/Low/Low.h, which includes mlir/IR/Value.h"),
        ({"docs/layers.txt": "Low:\nMiddle: Low\nplain Low but Low\n",
          "lib/Low/Low.cpp": '#include "mlir/IR/Value.h"\n'}, None),
    ]
    for changes, expected in wrong:
        with tempfile.TemporaryDirectory() as folder:
            for name, text in {**right, **changes}.items():
                path = pathlib.Path(folder, name)
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text)
            problems = check(pathlib.Path(folder))
        as_expected = (not problems if expected is None else
                       any(expected in problem for problem in problems))
        if not as_expected:
            sys.exit(f"expected {expected!r}, but found {problems}")
    figure = Layers("A:\nB: A\nC: A B\n").figure()
    if "C --> B\n" not in figure:
        sys.exit(f"arrows are drawn twice:\n{figure}")


def main():
    command, *rest = sys.argv[1:]
    if command == "self-test":
        return self_test()
    root = pathlib.Path(rest[0])
    if command == "page":
        sys.stdout.write(page(root))
        return 0
    if command == "write-page":
        text = page(root)
        (root / "docs/architecture.md").write_text(text, encoding="utf-8")
        return 0
    if command == "edges":
        layers = Layers((root / "docs/layers.txt").read_text(encoding="utf-8"))
        found = edges(layers, Sources(root), [])
        for layer in layers.allowed:
            others = [other for other in layers.allowed
                      if (layer, other) in found]
            print(f"{layer}: {' '.join(others)}".strip())
        return 0
    problems = check(root)
    print(*problems, sep="\n")
    return 1 if problems else 0


sys.exit(main())
