#!/usr/bin/env python3
#===- stranger.py - A compiled model, executed as the docs say -----------===#
# Part of Parallax, under the Apache License 2.0.
# SPDX-License-Identifier: Apache-2.0
#
# docs/compiled-model.md and docs/numerics.md promise that they are enough to
# reproduce every bit of every output. This interpreter follows their text. It
# shares no line with the toolchain and needs no package: unbounded integers, no
# speed. It reads the inputs and outputs of a run and compares.
#
#   stranger.py compiled.axmodel INPUT_DIR OUTPUT_DIR
#===------------------------------------------------------------------------===#
import hashlib
import re
import sys

import stranger_codes as codes
import stranger_rows as rows
from stranger_file import ATTRIBUTES, Tensor, described, fields, stored
from stranger_file import text, unpack

NPU = {
    codes: ('quantize', 'dequantize', 'conv', 'fully_connected', 'matmul',
            'linear', 'affine', 'mul', 'prelu', 'div', 'compare', 'table'),
    rows: ('reduce', 'reduce_log', 'cum_sum', 'average_pool', 'lp_pool',
           'resize', 'softmax', 'log_softmax', 'normalize'),
}
OPERATIONS = {
    'parallax.npu': {name: getattr(module, name)
                     for module, names in NPU.items() for name in names},
    'parallax.nn': {'reshape': rows.moved, 'output': rows.moved,
                    'concat': rows.concat, 'transpose': rows.transpose,
                    'where': rows.where, 'max_pool': rows.max_pool,
                    'arg_max': rows.arg_max},
}


def shortened(name):
    plain = re.sub('[^a-zA-Z0-9_-]', '_', name)
    if len(plain) <= 200:
        return plain
    return f"{plain[:183]}-{hashlib.sha256(name.encode()).hexdigest()[:16]}"


def files_of(folder, ports):
    """The ports of a model, each with its file."""
    names = [shortened(name) for name, _, _ in ports]
    taken = set()
    for port, name in zip(ports, names):
        file, number = name, 1
        while file in taken or (number > 1 and file in names):
            number += 1
            file = f'{name}_{number}'
        taken.add(file)
        yield *port, f'{folder}/{file}.bin'


def content(path):
    with open(path, 'rb') as file:
        return file.read()


def main(model_path, input_dir, output_dir):
    everything = content(model_path)
    if hashlib.sha256(everything[:-64]).hexdigest().encode() != everything[-64:]:
        sys.exit(f"{model_path} does not have the digest that it ends with")
    model = fields(everything)
    metadata = {text(each, 1): text(each, 2)
                for each in map(fields, model[14])}
    assert metadata['parallax.format'] == 'compiled'
    assert metadata['parallax.format_version'] == '1'
    assert list(metadata)[-1] == 'parallax.content_sha256'
    graph = fields(model[7][0])
    values = {text(each, 8): stored(each)
              for each in map(fields, graph.get(5, []))}
    types = {}
    for field in (12, 13):
        for each in graph.get(field, []):
            name, kind, shape = described(fields(each))
            types[name] = kind, shape
    inputs = [described(fields(each)) for each in graph[11]]
    for name, kind, shape, path in files_of(input_dir, inputs):
        values[name] = unpack(kind, shape, content(path))
    for node in map(fields, graph[1]):
        attributes = {}
        for each in map(fields, node.get(5, [])):
            attributes[text(each, 1)] = ATTRIBUTES[text(each, 13)](each)
        operation = OPERATIONS[text(node, 7)][text(node, 4)]
        (result,) = (each.decode() for each in node[2])
        operands = [values[each.decode()] for each in node.get(1, [])]
        kind, shape = types[result]
        values[result] = Tensor(kind, shape,
                                operation(attributes, kind, shape, *operands))
    outputs = [described(fields(each)) for each in graph[12]]
    for name, _, _, path in files_of(output_dir, outputs):
        mine, theirs = values[name].bytes(), content(path)
        if mine != theirs:
            sys.exit(f"output '{name}' differs")
        print(f"output '{name}': {len(mine)} bytes agree")


if __name__ == '__main__':
    main(*sys.argv[1:])
