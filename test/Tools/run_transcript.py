# Part of Parallax, under the Apache License 2.0.
# SPDX-License-Identifier: Apache-2.0
"""Runs the commands of a page in this folder and compares what they print.

Usage: run_transcript.py PAGE

In blocks of `console`, a line that starts with `$` is a command, and what
follows is what it prints. A line of `…` stands for any lines, `…` in a line for
anything in it.
"""
import re
import subprocess
import sys


def commands(page):
    inside = False
    found = []
    for line in page.splitlines():
        if line.startswith("```"):
            inside = line == "```console"
        elif inside and line.startswith("$ "):
            found.append((line[2:], []))
        elif inside:
            found[-1][1].append(line)
    return found


def pattern(expected):
    parts = []
    for line in expected:
        if line == "…":
            parts.append(r"(?:.*\n)*?")
        else:
            parts.append(".*".join(map(re.escape, line.split("…"))) + r"\n")
    return "".join(parts)


found = commands(open(sys.argv[1], encoding="utf-8").read())
for command, expected in found:
    done = subprocess.run(["/bin/sh", "-c", command], text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    if done.returncode != 0:
        sys.exit(f"$ {command}\n{done.stdout}exit code {done.returncode}")
    if not re.fullmatch(pattern(expected), done.stdout):
        sys.exit(f"$ {command}\n{done.stdout}is not what the page says:\n"
                 + "\n".join(expected))
print(f"{len(found)} commands do what the page says")
