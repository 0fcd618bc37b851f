# Part of Parallax, under the Apache License 2.0.
# SPDX-License-Identifier: Apache-2.0
"""Small checks that all functions of the package share."""

from __future__ import annotations

import os
from typing import Any

from ._core import Error


def file_path(value: Any, what: str) -> str:
    """The text of a path, or an Error that says what was expected."""
    if isinstance(value, (str, os.PathLike)):
        text = os.fspath(value)
        if isinstance(text, str) and text and "\0" not in text:
            return text
    raise Error(f"{what} is a path, but this is {value!r:.80}")
