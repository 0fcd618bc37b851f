#!/usr/bin/env python3
# Part of Parallax, under the Apache License 2.0.
# SPDX-License-Identifier: Apache-2.0
#
# Documentation and comments use the usual terms of the field. The words that
# are refused, and what to write instead, are the last table of
# docs/glossary.md. Code is not searched: identifiers keep their names. Sentences
# have an end.
# Usage: plain_english.py ROOT
import pathlib
import re
import sys

# Folders that have been edited; add others as they are.
FOLDERS = """
    docs lib include/parallax tools test/Unit bench
""".split()
# Not prose: the table of words itself.
EXCEPT = ["docs/glossary.md"]
# "is no number"; "there is no such file" and "is no longer" are English.
IS_NO = re.compile(
    r"(?<!there )\b(?:is|are|was|were) no (?!(?:longer|more|less|greater|larger"
    r"|smaller|better|other|need|one)\b)", re.IGNORECASE)


def refused_words(glossary):
    """Each refused word with its replacement, by the table of the glossary."""
    table = glossary.split("## Words that we don't use")[1]
    words = {}
    for row in re.findall(r"^\| ([^|]+) \| ([^|]+) \|$", table, re.MULTILINE):
        if row[0] in ("not", "---") or "*" in row[0]:
            continue
        for word in row[0].split(", "):
            words[word] = row[1]
    return words


def prose(path, text):
    """The text of a page without code, or the comments of a source."""
    if path.suffix == ".md":
        text = re.sub(r"(?ms)^ *```.*?^ *```$", "", text)
        text = re.sub(r"(?m)^    .*$", "", text)
        return re.sub(r"`[^`\n]*`", "", text)
    marker = "#" if path.suffix in (".py", ".sh", ".txt") else "//"
    comments = re.findall(rf"(?<![:\w\"]){marker}+!?(.*)", text)
    # A title names its file, which may be called like a refused word.
    comments = [re.sub(r"^===- \S+", "", line) for line in comments]
    return re.sub(r"`[^`\n]*`|\b\w+\.h\b", "", "\n".join(comments))


def long_sentences(text, most):
    """Sentences of a page that nobody reads to their end; rows of tables and
    titles are none."""
    lines = [line for line in text.split("\n") if not line.startswith(("|", "#"))]
    for part in re.split(r"\n\s*\n|\n(?=\s*[-\d]+\.? )", "\n".join(lines)):
        for sentence in re.split(r"(?<=[.!?:])\s+", part):
            if len(sentence.split()) > most:
                yield " ".join(sentence.split())


def main():
    root = pathlib.Path(sys.argv[1])
    words = refused_words((root / "docs/glossary.md").read_text())
    if not {"See the header.", "the machine"} <= words.keys():
        sys.exit("docs/glossary.md: the table of refused words was not found")
    patterns = [(re.compile(rf"(?<!\w){re.escape(word)}(?!\w)".replace(
        r"\ ", r"\s+"), re.IGNORECASE), word, instead)
        for word, instead in words.items()]
    patterns.append((IS_NO, "is no", "is not a"))
    pages = [root / "README.md", root / "CONTRIBUTING.md"]
    for folder in FOLDERS:
        pages += sorted((root / folder).rglob("*"))
    failures = searched = 0
    for page in pages:
        name = page.relative_to(root).as_posix()
        if (page.suffix not in (".md", ".cpp", ".h", ".td", ".mjs", ".py")
                or any(name.startswith(other) for other in EXCEPT)):
            continue
        searched += 1
        text = prose(page, page.read_text())
        for pattern, word, instead in patterns:
            for found in pattern.finditer(text):
                line = text[text.rfind("\n", 0, found.start()) + 1:].split("\n")[0]
                print(f"{name}: '{word}'; write: {instead}\n  {line.strip()}")
                failures += 1
        # The specification needs its formulas, and not everybody reads it.
        if (page.suffix == ".md" and name != "docs/numerics.md"
                and not name.startswith("docs/generated/")):
            most = 40 if name == "README.md" else 60
            for sentence in long_sentences(text, most):
                print(f"{name}: more than {most} words: {sentence}")
                failures += 1
    if searched < 300:
        sys.exit(f"only {searched} files were searched")
    return 1 if failures else 0


sys.exit(main())
