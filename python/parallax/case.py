# Part of Parallax, under the Apache License 2.0.
# SPDX-License-Identifier: Apache-2.0
"""Cases: all that it takes to see a problem again, in one file.

``pack`` makes one of a build, ``replay`` says whether it still gives the same,
and ``reduce`` makes it small.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Any

from . import _core
from ._errors import file_path, flags, text, thread_count, tool, whole_number
from ._listener import Events, Progress


@dataclass(frozen=True)
class Replay:
    """Whether a case gives what it did: ``difference`` is empty then."""

    difference: str
    tensors: int
    rows: int

    @property
    def is_same(self) -> bool:
        """Whether every integer and every metric is as it was."""
        return not self.difference


@dataclass(frozen=True)
class Reduction:
    """A smaller case, and what it still shows."""

    verdict: str
    predicate: str
    layers_before: int
    layers_after: int
    bytes_before: int
    bytes_after: int
    tests: int
    kept: list[str]


def _conceal(strip_names: bool, replace_weights: bool,
             replace_images: bool) -> dict[str, Any]:
    return {**flags(strip_names=strip_names, replace_weights=replace_weights,
                    replace_images=replace_images)}


def pack(build: str | os.PathLike[str], file: str | os.PathLike[str], *,
         note: str = "", strip_names: bool = False,
         replace_weights: bool = False, replace_images: bool = False,
         threads: int = 0, progress: Progress = None) -> str:
    """Packs a build into a case, and returns its verdict.

    ``build`` is the output folder of a build, or a configuration for one that
    fails before it has a folder. What is private can be replaced; each is only
    done if the problem is still there afterwards.
    """
    source = file_path(build, "the build")
    folder, config = (source, "") if os.path.isdir(source) else ("", source)
    return _core.case_pack(
        folder, config, file_path(file, "the case"), text(note, "note"),
        _conceal(strip_names, replace_weights, replace_images), tool(),
        thread_count(threads), Events(progress))


def replay(file: str | os.PathLike[str],
           folder: str | os.PathLike[str] | None = None, *, threads: int = 0,
           progress: Progress = None) -> Replay:
    """Builds a case and compares every integer and metric with what it expects.

    ``folder`` keeps the unpacked case; it must not exist.
    """
    kept = "" if folder is None else file_path(folder, "the folder")
    return Replay(**_core.case_replay(file_path(file, "the case"), kept, tool(),
                                      thread_count(threads), Events(progress)))


def reduce(file: str | os.PathLike[str], result: str | os.PathLike[str], *,
           strip_names: bool = False, replace_weights: bool = False,
           replace_images: bool = False, max_seconds: int = 3600,
           threads: int = 0, progress: Progress = None) -> Reduction:
    """Takes layers, elements and samples away as long as the problem persists."""
    options = _conceal(strip_names, replace_weights, replace_images)
    options["max_seconds"] = whole_number(max_seconds, "max_seconds", least=1)
    return Reduction(**_core.case_reduce(
        file_path(file, "the case"), file_path(result, "the result"), options,
        tool(), thread_count(threads), Events(progress)))
