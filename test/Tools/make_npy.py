#!/usr/bin/env python3
# Part of Parallax, under the Apache License 2.0.
# SPDX-License-Identifier: Apache-2.0
"""Writes a .npy file of one repeated value; NumPy is not needed.

Usage: make_npy.py FILE DTYPE SHAPE VALUE, as in: a.npy f4 1x3 0.5
"""

import pathlib
import struct
import sys

CODES = {"f4": "f", "f8": "d", "i8": "q"}


def main():
    path, dtype, shape, value = sys.argv[1:]
    dims = tuple(int(d) for d in shape.split("x"))
    count = 1
    for dim in dims:
        count *= dim
    header = f"{{'descr': '<{dtype}', 'fortran_order': False, 'shape': {dims}, }}"
    header += " " * (-(len(header) + 11) % 64) + "\n"
    number = int(value) if dtype[0] == "i" else float(value)
    data = struct.pack(f"<{count}{CODES[dtype]}", *[number] * count)
    pathlib.Path(path).parent.mkdir(parents=True, exist_ok=True)
    pathlib.Path(path).write_bytes(
        b"\x93NUMPY\x01\x00"
        + struct.pack("<H", len(header))
        + header.encode()
        + data
    )


if __name__ == "__main__":
    main()
