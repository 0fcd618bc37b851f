#!/usr/bin/env python3
# Part of Parallax, under the Apache License 2.0.
# SPDX-License-Identifier: Apache-2.0
"""Checks that codes, with what index.json says of them, give known values.

Usage: values_of_codes.py LAYERS OP VALUES.npy. The last layer of this operator
must stand for the values, bit by bit; NumPy is not needed.
"""

import ast
import json
import pathlib
import struct
import sys

CODES = {"<f4": "f", "|u1": "B", "|i1": "b", "<u2": "H", "<i2": "h"}


def read(path):
    data = path.read_bytes()
    (length,) = struct.unpack_from("<H", data, 8)
    header = ast.literal_eval(data[10 : 10 + length].decode())
    code = CODES[header["descr"]]
    count = (len(data) - 10 - length) // struct.calcsize(code)
    return header["descr"], struct.unpack_from(f"<{count}{code}", data, 10 + length)


def single(number):
    return struct.unpack("f", struct.pack("f", number))[0]


def main():
    layers, op, expected = pathlib.Path(sys.argv[1]), sys.argv[2], sys.argv[3]
    index = json.loads((layers / "index.json").read_text())
    entry = [layer for layer in index if layer["op"] == op][-1]
    _, codes = read(layers / entry["file"])
    _, values = read(pathlib.Path(expected))
    scale = single(entry["scale"])
    mine = tuple(single((code - entry["zero_point"]) * scale) for code in codes)
    if mine != values:
        sys.exit(f"{entry['tensor']} stands for {mine}, not {values}")


if __name__ == "__main__":
    main()
