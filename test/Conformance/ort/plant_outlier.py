# Part of Parallax, under the Apache License 2.0.
# SPDX-License-Identifier: Apache-2.0
"""Makes one output channel of a convolution's weights 20 times as large.

Usage: plant_outlier.py MODEL RESULT

Takes the third tensor of four dimensions with more than one input channel, and
prints its name. The model is read as protobuf without any library of ONNX.
"""
import struct
import sys


def varint(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            return value, at


def fields(data, at, end):
    """Yields the number of each field, its value, or where its bytes are."""
    while at < end:
        key, at = varint(data, at)
        number, wire = key >> 3, key & 7
        if wire == 0:
            value, at = varint(data, at)
            yield number, value, None
        elif wire == 2:
            size, at = varint(data, at)
            yield number, None, (at, at + size)
            at += size
        else:
            size = {1: 8, 5: 4}[wire]
            yield number, None, (at, at + size)
            at += size


def weights(data):
    """Yields name, extents and place of the floats of all initializers."""
    for number, _, graph in fields(data, 0, len(data)):
        if number != 7:
            continue
        for number, _, place in fields(data, *graph):
            if number != 5:
                continue
            dims, kind, name, floats = [], 0, "", None
            for number, value, inner in fields(data, *place):
                if number == 1 and value is not None:
                    dims.append(value)
                elif number == 1:
                    at, end = inner
                    while at < end:
                        value, at = varint(data, at)
                        dims.append(value)
                elif number == 2:
                    kind = value
                elif number == 8:
                    name = data[inner[0]:inner[1]].decode()
                elif number in (4, 9):
                    floats = inner
            if kind == 1 and floats:
                yield name, dims, floats


model, result = sys.argv[1:]
data = bytearray(open(model, "rb").read())
found = [entry for entry in weights(data)
         if len(entry[1]) == 4 and entry[1][0] >= 8 and entry[1][1] > 1]
name, dims, (start, end) = found[2]
channel = (end - start) // dims[0]
first = start + 5 * channel
values = struct.unpack_from(f"<{channel // 4}f", data, first)
struct.pack_into(f"<{channel // 4}f", data, first, *(20 * v for v in values))
open(result, "wb").write(data)
print(name)
