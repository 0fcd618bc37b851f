# Part of Parallax, under the Apache License 2.0.
# SPDX-License-Identifier: Apache-2.0
"""Messages go to ``logging``, progress to a function of the caller."""

from __future__ import annotations

import logging
from dataclasses import dataclass
from importlib import import_module
from typing import Any, Callable, Union

from ._core import Error

logger = logging.getLogger("parallax")
# As the library numbers its levels.
_LEVELS = (logging.ERROR, logging.WARNING, logging.INFO, logging.DEBUG)


@dataclass(frozen=True)
class ProgressEvent:
    """How far a piece of work has come: ``done`` of ``total`` steps.

    ``has_ended`` marks the last event of a ``title``; the work was stopped if
    ``done`` is below ``total`` then. ``note`` is what is known so far.
    """

    title: str
    done: int
    total: int
    has_ended: bool = False
    note: str = ""


Progress = Union[Callable[[ProgressEvent], Any], bool, None]


class TqdmProgress:
    """Shows progress by tqdm, with a bar for each title that is under way."""

    def __init__(self, bar: Callable[..., Any]) -> None:
        self._make = bar
        self._bars: dict[str, Any] = {}

    def __call__(self, event: ProgressEvent) -> None:
        bar = self._bars.get(event.title)
        if bar is None:
            bar = self._bars[event.title] = self._make(total=event.total,
                                                       desc=event.title)
        bar.update(event.done - bar.n)
        if event.note:
            bar.set_postfix_str(event.note)
        if event.has_ended:
            bar.close()
            del self._bars[event.title]


def progress_function(progress: Progress) -> Callable[[ProgressEvent], Any] | None:
    """What to call; True stands for tqdm, or messages where it is missing."""
    if progress is None or progress is False:
        return None
    if progress is not True:
        if not callable(progress):
            raise Error("progress is a function, True for tqdm, or None; this is "
                        f"{progress!r:.60}")
        return progress
    try:
        tqdm = import_module("tqdm.auto").tqdm
    except ImportError:
        return lambda event: logger.info("%s: %d of %d", event.title, event.done,
                                         event.total)
    return TqdmProgress(tqdm)


class Events:
    """What the library tells while it works."""

    def __init__(self, progress: Progress = None) -> None:
        self._progress = progress_function(progress)
        # Without a reader, the library need not write messages.
        self.levels = sum(logger.isEnabledFor(level) for level in _LEVELS)

    def message(self, level: int, text: str) -> None:
        logger.log(_LEVELS[level], "%s", text)

    def result(self, text: str) -> None:
        logger.info("%s", text)

    def progress(self, title: str, done: int, total: int, has_ended: bool,
                 note: str) -> None:
        if self._progress:
            self._progress(ProgressEvent(title, done, total, has_ended, note))
