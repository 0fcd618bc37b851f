# Part of Parallax, under the Apache License 2.0.
# SPDX-License-Identifier: Apache-2.0
"""Small checks that all functions of the package share."""

from __future__ import annotations

import operator
import os
from typing import Any, Iterable

from ._core import Error


def file_path(value: Any, what: str) -> str:
    """The text of a path, or an Error that says what was expected."""
    if isinstance(value, (str, os.PathLike)):
        path = os.fspath(value)
        if isinstance(path, str) and path and "\0" not in path and _has_bytes(path):
            return path
    raise Error(f"{what} is a path, but this is {value!r:.80}")


def _has_bytes(text: str) -> bool:
    """Whether a text of Python can be written at all."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def iterable(value: Any, what: str) -> Iterable[Any]:
    """The value itself, or an Error if it can't be iterated over."""
    if isinstance(value, (str, bytes)) or not hasattr(value, "__iter__"):
        raise Error(f"{what}, but this is {value!r:.80}")
    found: Iterable[Any] = value
    return found


def whole_number(value: Any, what: str, least: int = 0,
                 most: int = 1_000_000) -> int:
    """The value itself, or an Error that says what was expected."""
    if not isinstance(value, bool) and hasattr(value, "__index__"):
        number = operator.index(value)
        if least <= number <= most:
            return number
    raise Error(f"{what} is a whole number from {least} to {most}, but this is "
                f"{value!r:.40}")


def thread_count(value: Any, what: str = "threads") -> int:
    """A number of threads; 0 takes all processors."""
    return whole_number(value, what, most=4096)


def flags(**values: Any) -> dict[str, bool]:
    """Arguments that are True or False, by their names."""
    for name, value in values.items():
        if not isinstance(value, bool):
            raise Error(f"{name} is True or False, but this is {value!r:.40}")
    return values


def text(value: Any, what: str) -> str:
    """The value itself, or an Error that says what was expected."""
    if isinstance(value, str) and _has_bytes(value):
        return value
    raise Error(f"{what} is a text, but this is {value!r:.40}")


def number_between(value: Any, what: str, low: float, high: float) -> float:
    """The value itself, or an Error that says what was expected."""
    if isinstance(value, (int, float)) and low <= value <= high:
        return float(value)
    raise Error(f"{what} is a number from {low} to {high}, but this is {value!r:.40}")


def tool() -> str:
    """The tool that comes with the package, and builds cases."""
    path = os.path.join(os.path.dirname(__file__), "bin", "parallax")
    if os.path.exists(path):
        return os.path.realpath(path)
    raise Error(f"{path} is missing, and cases are built by it; install all of "
                "Parallax")
