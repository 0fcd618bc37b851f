# Part of Parallax, under the Apache License 2.0.
# SPDX-License-Identifier: Apache-2.0
"""``python3 -m parallax`` is the tool that comes with the package."""

from __future__ import annotations

import os
import sys

from ._errors import tool


def main() -> None:
    """Becomes the tool, with the arguments of this process."""
    path = tool()
    os.execv(path, [path, *sys.argv[1:]])


if __name__ == "__main__":
    main()
