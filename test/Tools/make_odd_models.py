#!/usr/bin/env python3
# Part of Parallax, under the Apache License 2.0.
# SPDX-License-Identifier: Apache-2.0
"""Writes networks that are valid, and hard to analyze.

Every case is a folder with model.onnx, samples and config.json, which asks for
a whole analysis: values that are not numbers, tensors of no or of one element,
long chains, names that no table expects, outputs that no layer makes.

Usage: make_odd_models.py OUTDIR [LAYERS]
LAYERS is the length of the chain; 3000 unless it is given.
"""

import json
import pathlib
import random
import struct
import sys

from make_bad_models import BOOL, FLOAT, INT64, model, node, port, tensor

LAYERS = 3000
X = ("x", [1, 8])


def floats(*values):
    return struct.pack(f"<{len(values)}f", *values)


def spread(count, low, high, seed):
    rng = random.Random(seed)
    return floats(*(rng.uniform(low, high) for _ in range(count)))


def network(nodes, outputs, inputs=(X,), constants=()):
    return model(
        nodes,
        constants,
        inputs=[port(*item) for item in inputs],
        outputs=[port(*item) for item in outputs],
    )


def not_numbers():
    """Roots of negative numbers and logarithms of zero, which the layers behind
    them hand on."""
    nodes = [
        node("Sqrt", ["x"], ["root"]),
        node("Relu", ["x"], ["positive"]),
        node("Log", ["positive"], ["logarithm"]),
        node("Add", ["root", "x"], ["y"]),
        node("Neg", ["logarithm"], ["z"]),
    ]
    return network(nodes, [("y", [1, 8]), ("z", [1, 8])])


def zeros():
    """Nothing but zeros, and nothing but one number."""
    nodes = [
        node("Mul", ["x", "none"], ["y"]),
        node("Add", ["y", "five"], ["z"]),
    ]
    constants = [tensor("none", [], [0.0]), tensor("five", [], [5.0])]
    return network(nodes, [("y", [1, 8]), ("z", [1, 8])], constants=constants)


def empty():
    """A slice without elements goes through layers like any other."""
    nodes = [
        node("Slice", ["x", "from", "from", "axis"], ["nothing"], "cut"),
        node("Sigmoid", ["nothing"], ["still"]),
        node("Concat", ["still", "x"], ["y"], axis=1),
    ]
    constants = [tensor("from", [1], [3], INT64), tensor("axis", [1], [1], INT64)]
    return network(nodes, [("still", [1, 0]), ("y", [1, 8])], constants=constants)


def scalars():
    nodes = [
        node("ReduceMean", ["x"], ["mean"], axes=[0, 1], keepdims=0),
        node("Sigmoid", ["mean"], ["y"]),
        node("Unsqueeze", ["y", "axis"], ["z"]),
        node("Tanh", ["z"], ["single"]),
    ]
    constants = [tensor("axis", [1], [0], INT64)]
    return network(nodes, [("y", []), ("single", [1])], constants=constants)


def chain(layers=LAYERS):
    """Layers that fuse, layers that only move and layers that compute."""
    nodes, last = [], "x"
    for i in range(layers):
        kind = ("Add", "Relu", "Sigmoid", "Transpose", "Tanh")[i % 5]
        operands = [last, "w"] if kind == "Add" else [last]
        fields = {"perm": [1, 0]} if kind == "Transpose" else {}
        last = f"t{i}" if i + 1 < layers else "y"
        nodes.append(node(kind, operands, [last], f"layer{i}", **fields))
    return network(nodes, [("y", [1, 8])], constants=[tensor("w", [], [-0.25])])


NAMES = [
    "слой",
    "层/1",
    "🙂👩‍👩‍👧",
    b"\xff\xfe broken \xc3",
    "n" * 300,
    'quotes " and \' and ```',
    "two\nlines\rand\ttabs",
    "pipes | and │, commas, <b>&amp;</b>",
    "\x1b[31mred\x1b[0m",
    "%s {} \\",
]


def chain_of(layers):
    """Layers and tensors have such names, and the last one is the output."""
    nodes, last = [], "x"
    for name in layers:
        raw = name if isinstance(name, bytes) else name.encode()
        nodes.append(node("Sigmoid", [last], [raw + b"!"], raw))
        last = raw + b"!"
    return network(nodes, [(last, [1, 8])])


def names():
    """Names that a table must show on a line."""
    return chain_of(NAMES)


MARKUP = [
    "<script>alert(1)</script>",
    '"><img src=x onerror=alert(1)>',
    "</script><script>alert(2)</script>",
    "\u202egnp.\u2067right to left",
    "javascript:alert(3)",
    "n" * 4000,
]


def markup():
    """Names that a page must show as text."""
    return chain_of(MARKUP)


def twins():
    """Two layers of one name, and one without any."""
    nodes = [
        node("Sigmoid", ["x"], ["a"], "same"),
        node("Tanh", ["a"], ["b"], "same"),
        node("Add", ["a", "b"], ["y"], ""),
    ]
    return network(nodes, [("y", [1, 8])])


def outputs():
    """An input that is an output, a constant that is one, a tensor that is one
    and is read as well."""
    nodes = [
        node("Identity", ["x"], ["same"]),
        node("Sigmoid", ["x"], ["y"]),
        node("Identity", ["y"], ["again"]),
        node("Tanh", ["y"], ["z"]),
        node("Identity", ["w"], ["fixed"]),
    ]
    ports = [(name, [1, 8]) for name in ("same", "y", "again", "z")]
    constants = [tensor("w", [2], [1.0, 2.0])]
    return network(nodes, [*ports, ("fixed", [2])], constants=constants)


def indices():
    """Integers and truth values: classes, places, comparisons."""
    nodes = [
        node("Gather", ["table", "ids"], ["rows"], axis=0),
        node("ArgMax", ["rows"], ["best"], axis=1, keepdims=0),
        node("TopK", ["rows", "k"], ["values", "places"], axis=1),
        node("Greater", ["rows", "half"], ["large"]),
        node("Add", ["ids", "one"], ["next"]),
        node("Softmax", ["rows"], ["chances"], axis=1),
    ]
    rng = random.Random(3)
    constants = [
        tensor("table", [5, 6], [rng.uniform(-1, 1) for _ in range(30)]),
        tensor("k", [1], [2], INT64),
        tensor("half", [], [0.5]),
        tensor("one", [1], [1], INT64),
    ]
    results = [
        ("best", [4], INT64),
        ("values", [4, 2], FLOAT),
        ("places", [4, 2], INT64),
        ("large", [4, 6], BOOL),
        ("next", [4], INT64),
        ("chances", [4, 6], FLOAT),
    ]
    return network(nodes, results, [("ids", [4], INT64)], constants)


def integers_only():
    """No layer has anything to quantize."""
    nodes = [node("Add", ["ids", "ids"], ["y"]), node("Neg", ["y"], ["z"])]
    return network(nodes, [("z", [4], INT64)], [("ids", [4], INT64)])


def write_case(folder, data, name, samples):
    folder.mkdir(parents=True)
    (folder / "model.onnx").write_bytes(data)
    (folder / "samples").mkdir()
    for i, sample in enumerate(samples):
        (folder / "samples" / f"{i}.bin").write_bytes(sample)
    config = {
        "input": str(folder / "model.onnx"),
        "output_dir": str(folder / "out"),
        "quant": {
            "input_configs": [
                {
                    "tensor_name": name,
                    "calibration_dataset": str(folder / "samples"),
                    "calibration_format": "Binary",
                }
            ],
            "precision_analysis": True,
            "precision_analysis_method": "EndToEnd",
            "precision_analysis_mode": "Both",
            "precision_analysis_columns": "full",
        },
    }
    (folder / "config.json").write_text(json.dumps(config, indent=2) + "\n")


def main():
    root = pathlib.Path(sys.argv[1]).absolute()
    numbers = [spread(8, -2, 2, seed) for seed in range(4)]
    ids = [struct.pack("<4q", *((i + j) % 5 for j in range(4))) for i in range(4)]
    for make in (not_numbers, zeros, empty, scalars, names, markup, twins, outputs):
        write_case(root / make.__name__, make(), "x", numbers)
    layers = int(sys.argv[2]) if len(sys.argv) > 2 else LAYERS
    write_case(root / "chain", chain(layers), "x", numbers)
    for make in (indices, integers_only):
        write_case(root / make.__name__, make(), "ids", ids)


if __name__ == "__main__":
    main()
