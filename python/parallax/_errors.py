# Part of Parallax, under the Apache License 2.0.
# SPDX-License-Identifier: Apache-2.0
"""Small checks that all functions of the package share."""

from __future__ import annotations

import os
from typing import Any, Iterable

from ._core import Error


def file_path(value: Any, what: str) -> str:
    """The text of a path, or an Error that says what was expected."""
    if isinstance(value, (str, os.PathLike)):
        text = os.fspath(value)
        if isinstance(text, str) and text and "\0" not in text and _has_bytes(text):
            return text
    raise Error(f"{what} is a path, but this is {value!r:.80}")


def _has_bytes(text: str) -> bool:
    """Whether a text of Python can be written at all."""
    try:
        return bool(text.encode())
    except UnicodeEncodeError:
        return False


def iterable(value: Any, what: str) -> Iterable[Any]:
    """The value itself, or an Error if it can't be iterated over."""
    if isinstance(value, (str, bytes)) or not hasattr(value, "__iter__"):
        raise Error(f"{what}, but this is {value!r:.80}")
    found: Iterable[Any] = value
    return found


def tool() -> str:
    """The tool that comes with the package, and builds cases."""
    path = os.path.join(os.path.dirname(__file__), "bin", "parallax")
    if os.path.exists(path):
        return os.path.realpath(path)
    raise Error(f"{path} is missing, and cases are built by it; install all of "
                "Parallax")
