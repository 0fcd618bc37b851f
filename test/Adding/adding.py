#!/usr/bin/env python3
# Part of Parallax, under the Apache License 2.0.
# SPDX-License-Identifier: Apache-2.0
#
# Does what the pages docs/adding-*.md show, in a copy of the sources, and runs
# the commands at their ends. A ```diff block is a change of the file that the
# text before it names last; a ```sh block is run, one marked `full` only with
# --full, because it compiles what depends on a dialect or a configuration.
# Usage: adding.py ROOT SCRATCH [--full] [PAGE]...
import pathlib
import re
import shutil
import subprocess
import sys

# The expensive ones last: what they change is read by everybody.
PAGES = ["adding-a-subcommand", "adding-a-column", "adding-a-field",
         "adding-a-calibration-method", "adding-an-operator"]
BLOCK = re.compile(r"^```(\w+)(?: (\w+))?\n(.*?)^```$", re.M | re.S)


def fail(message):
    sys.exit(f"error: {message}")


def copy_sources(root, scratch):
    """Unchanged files keep their times, so that a second run builds little."""
    listed = subprocess.run(["git", "-C", root, "ls-files", "-z", "-co",
                             "--exclude-standard"],
                            capture_output=True, check=True).stdout
    wanted = {name for name in listed.decode().split("\0")
              if name and (root / name).is_file()}
    for name in wanted:
        target = scratch / name
        if not target.exists() or target.read_bytes() != (
                root / name).read_bytes():
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(root / name, target)
            target.touch()
    for top in ("include", "lib", "tools", "test"):
        for path in (scratch / top).rglob("*"):
            if path.is_file() and str(path.relative_to(scratch)) not in wanted:
                path.unlink()


def change(path, block, page):
    """Applies lines with ' ', '+' and '-' at the one place that has them."""
    lines = block.splitlines(keepends=True)
    before = "".join(line[1:] for line in lines if line[0] in " -")
    after = "".join(line[1:] for line in lines if line[0] in " +")
    if not before:
        if path.exists():
            fail(f"{page}: {path} is there already")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(after)
        return
    text = path.read_text() if path.exists() else ""
    places = text.count(before)
    if places != 1:
        fail(f"{page}: {path} has {places} places like this one:\n{before}")
    path.write_text(text.replace(before, after))


def blocks_of(text):
    end = 0
    for match in BLOCK.finditer(text):
        yield text[end:match.start()], *match.groups()
        end = match.end()


def run(script, scratch, page):
    print(f"{page}:\n{script}", end="", flush=True)
    done = subprocess.run(["bash", "-euo", "pipefail", "-c", script],
                          cwd=scratch, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True)
    if done.returncode != 0:
        fail(f"{page}: a command failed\n{done.stdout[-8000:]}")


def main():
    arguments = [a for a in sys.argv[1:] if a != "--full"]
    full = "--full" in sys.argv
    root, scratch = (pathlib.Path(a).resolve() for a in arguments[:2])
    pages = arguments[2:] or PAGES
    documented = {path.stem for path in (root / "docs").glob("adding-*.md")}
    if documented != set(PAGES):
        fail(f"pages and test differ: {documented ^ set(PAGES)}")
    copy_sources(root, scratch)
    scripts = []
    for page in pages:
        changes = 0
        for words, kind, mark, block in blocks_of(
                (root / "docs" / f"{page}.md").read_text()):
            if kind == "diff":
                path = re.findall(r"`((?:\w+/)+[\w.-]+\.\w+)`", words)[-1]
                change(scratch / path, block, page)
                changes += 1
            elif kind == "sh" and (full or not mark):
                scripts.append((block, page))
        print(f"{page}: {changes} changes")
    # A build folder of the same kind, with objects from the cache.
    if not (scratch / "build/release/build.ninja").exists():
        run("cmake --preset release\n", scratch, "configuration")
    for script, page in scripts:
        run(script, scratch, page)


main()
