# Part of Parallax, under the Apache License 2.0.
# SPDX-License-Identifier: Apache-2.0
"""The folder for samples of the caller, while the library works or for good.

It is below the output folder, under a name that stays the same: a tuning that
is resumed finds its configuration unchanged.
"""

from __future__ import annotations

import fcntl
import hashlib
import os
import shutil
import tempfile
from typing import Callable

from ._core import Error

# A configuration that names the second one says why it can't be built again.
_KEPT, _NOT_KEPT = "samples", "samples_not_kept"


def _date_by_content(folder: str) -> None:
    """Gives files a time that follows from their bytes. The library knows data by
    names, sizes and times: a tuning is resumed with the same samples, however
    often they are written, and refused with others."""
    for path, _, names in os.walk(folder):
        for name in names:
            file = os.path.join(path, name)
            with open(file, "rb") as data:
                digest = hashlib.file_digest(data, "sha256").digest()
            time = int.from_bytes(digest[:7], "big")
            os.utime(file, ns=(time, time))


class Spool:
    """A folder that one piece of work has for itself."""

    def __init__(self, output_dir: str, keep: bool) -> None:
        self._keeps = keep
        self._created = ""
        if keep and not output_dir:
            raise Error("keep_samples keeps samples in the output folder; give "
                        "output_dir")
        if not output_dir:
            self._lock = -1
            self.folder = tempfile.mkdtemp(prefix="parallax-")
            return
        if not os.path.isdir(output_dir):
            self._created = output_dir
        self.folder = os.path.join(output_dir, _KEPT if keep else _NOT_KEPT)
        try:
            os.makedirs(self.folder, exist_ok=True)
            self._lock = os.open(self.folder, os.O_RDONLY | os.O_CLOEXEC)
        except OSError as error:
            raise Error(f"cannot write {self.folder}: {error.strerror}") from None
        try:
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            os.close(self._lock)
            raise Error(f"{self.folder} is in use by another build; wait for its "
                        "end, or choose another output_dir") from None

    def write(self, name: str,
              write: Callable[[str], dict[str, str]]) -> dict[str, str]:
        """The paths of what a function writes, whose names it returns. What was
        there before stays until all is written: the samples may come from it."""
        path = os.path.join(self.folder, name)
        fresh = f"{path}.new"
        shutil.rmtree(fresh, ignore_errors=True)
        os.makedirs(fresh)
        try:
            names = write(fresh)
        except BaseException:
            shutil.rmtree(fresh, ignore_errors=True)
            raise
        _date_by_content(fresh)
        shutil.rmtree(path, ignore_errors=True)
        os.rename(fresh, path)
        return {key: os.path.join(path, name) for key, name in names.items()}

    def close(self) -> None:
        """Removes what is not to be kept."""
        if not self._keeps:
            shutil.rmtree(self.folder, ignore_errors=True)
        for folder in (self.folder, self._created):
            try:
                os.rmdir(folder)
            except OSError:
                pass  # It has results, or was there before.
        if self._lock >= 0:
            os.close(self._lock)
            self._lock = -1
