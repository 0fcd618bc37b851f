#===- stranger_file.py - ONNX files, read by hand ---===#
# Part of Parallax, under the Apache License 2.0.
# SPDX-License-Identifier: Apache-2.0
#
# What docs/compiled-model.md says about the container, down to the bytes of
# protobuf.
#===------------------------------------------------------------------------===#
import math
import struct


def varint(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        value |= (byte & 127) << shift
        at, shift = at + 1, shift + 7
        if byte < 128:
            return value, at


def fields(data):
    """Field number -> its values: integers, or bytes that are not yet read."""
    found, at = {}, 0
    while at < len(data):
        key, at = varint(data, at)
        kind = key & 7
        if kind == 0:
            value, at = varint(data, at)
        else:
            length = {1: 8, 5: 4}.get(kind)
            if kind == 2:
                length, at = varint(data, at)
            value, at = data[at:at + length], at + length
        found.setdefault(key >> 3, []).append(value)
    return found


def signed(value):
    return value - (1 << 64) if value >> 63 else value


def integers(values):
    """A repeated integer, packed or not."""
    result = []
    for value in values:
        if isinstance(value, int):
            result.append(signed(value))
            continue
        at = 0
        while at < len(value):
            number, at = varint(value, at)
            result.append(signed(number))
    return result


def text(message, field):
    return message.get(field, [b''])[0].decode()


# TensorProto.DataType: the letter of `struct`.
LETTERS = {1: 'f', 2: 'B', 3: 'b', 4: 'H', 5: 'h', 6: 'i', 7: 'q', 9: '?',
           11: 'd'}
LEAST = {2: 0, 3: -128, 4: 0, 5: -32768}


class Tensor:
    def __init__(self, kind, shape, values):
        assert math.prod(shape) == len(values)
        self.kind, self.shape, self.values = kind, shape, values

    def bytes(self):
        return struct.pack(f'<{len(self.values)}{LETTERS[self.kind]}',
                           *self.values)


def unpack(kind, shape, data):
    values = struct.unpack(f'<{math.prod(shape)}{LETTERS[kind]}', data)
    return Tensor(kind, shape, list(values))


def stored(message):
    return unpack(message[2][0], integers(message.get(1, [])),
                  message.get(9, [b''])[0])


def described(message):
    """The name, element type and shape of a ValueInfoProto."""
    tensor = fields(fields(message[2][0])[1][0])
    shape = [signed(fields(dim)[1][0])
             for dim in fields(tensor[2][0]).get(1, [])]
    return text(message, 1), tensor[1][0], shape


ATTRIBUTES = {
    'bool': lambda a: a.get(3, [0])[0] != 0,
    'i32': lambda a: signed(a.get(3, [0])[0]),
    'i64': lambda a: signed(a.get(3, [0])[0]),
    'i128': lambda a: int(text(a, 4), 16),
    'f32': lambda a: struct.unpack('<f', a[2][0])[0],
    'f64': lambda a: stored(fields(a[5][0])).values[0],
    'f64[]': lambda a: stored(fields(a[5][0])).values,
    'string': lambda a: text(a, 4),
    'strings': lambda a: [each.decode() for each in a.get(9, [])],
    'i32[]': lambda a: integers(a.get(8, [])),
    'i64[]': lambda a: integers(a.get(8, [])),
}
