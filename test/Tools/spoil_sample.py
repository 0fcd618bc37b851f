#!/usr/bin/env python3
# Part of Parallax, under the Apache License 2.0.
# SPDX-License-Identifier: Apache-2.0
"""Copies the quickstart's samples into a folder, and spoils one of them.

usage: spoil_sample.py ARCHIVE FOLDER NAME scale|value NUMBER
"""

import struct
import sys
import tarfile
from pathlib import Path


def main() -> None:
    archive, folder, name, how, number = sys.argv[1:]
    Path(folder).mkdir(parents=True)
    with tarfile.open(archive) as tar:
        for member in tar.getmembers():
            data = bytearray(tar.extractfile(member).read())
            if Path(member.name).stem == name:
                # The values are the last 64 floats of the file.
                start = len(data) - 256
                values = list(struct.unpack("<64f", data[start:]))
                if how == "scale":
                    values = [value * float(number) for value in values]
                else:
                    values[0] = float(number)
                data[start:] = struct.pack("<64f", *values)
            (Path(folder) / Path(member.name).name).write_bytes(data)


main()
