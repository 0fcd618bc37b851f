#!/usr/bin/env python3
# Part of Parallax, under the Apache License 2.0.
# SPDX-License-Identifier: Apache-2.0
"""Writes ONNX files that are wrong in one way each.

The ONNX package refuses to make most of them, and a test should not depend on
it, so the protobuf messages are encoded here by hand.

Usage: make_bad_models.py OUTDIR
"""

import pathlib
import struct
import sys

FLOAT, INT64, STRING, BOOL = 1, 7, 8, 9

# === The wire format =========================================================


def varint(value):
    value &= (1 << 64) - 1
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes(out + bytes([value]))


def number(field, value):
    return varint(field << 3) + varint(value)


def blob(field, value):
    data = value.encode() if isinstance(value, str) else value
    return varint(field << 3 | 2) + varint(len(data)) + data


def blobs(field, values):
    return b"".join(blob(field, value) for value in values)


# === ONNX messages ===========================================================


def port(name, shape=(1, 4), dtype=FLOAT):
    """An input or output; a dimension may be a name, and the shape None."""
    dims = b"".join(
        blob(1, blob(2, d) if isinstance(d, str) else number(1, d)) for d in shape or ()
    )
    declared = b"" if shape is None else blob(2, dims)
    return blob(1, name) + blob(2, blob(1, number(1, dtype) + declared))


def tensor(name, shape, values=None, dtype=FLOAT, raw=None):
    if raw is None:
        raw = struct.pack(f"<{len(values)}{'q' if dtype == INT64 else 'f'}", *values)
    dims = b"".join(number(1, d) for d in shape)
    return dims + number(2, dtype) + blob(8, name) + blob(9, raw)


def external(name, shape, location, **entries):
    """A tensor of floats whose bytes are in another file."""
    pairs = {"location": location, **entries}
    return (
        b"".join(number(1, d) for d in shape)
        + number(2, FLOAT)
        + blob(8, name)
        + blobs(13, [blob(1, key) + blob(2, str(v)) for key, v in pairs.items()])
        + number(14, 1)
    )


def attribute(name, value):
    head = blob(1, name)
    if isinstance(value, int):
        return head + number(3, value) + number(20, 2)
    if isinstance(value, str):
        return head + blob(4, value) + number(20, 3)
    if isinstance(value, bytes):  # A graph.
        return head + blob(6, value) + number(20, 5)
    return head + b"".join(number(8, v) for v in value) + number(20, 7)


def node(op, inputs, outputs, name=None, domain="", **attributes):
    return (
        blobs(1, inputs)
        + blobs(2, outputs)
        + blob(3, name or "the_" + op.lower())
        + blob(4, op)
        + blobs(5, [attribute(key, value) for key, value in attributes.items()])
        + blob(7, domain)
    )


def graph(nodes, initializers=(), inputs=None, outputs=None):
    inputs = [port("x")] if inputs is None else inputs
    outputs = [port("y")] if outputs is None else outputs
    return (
        blobs(1, nodes)
        + blob(2, "bad")
        + blobs(5, initializers)
        + blobs(11, inputs)
        + blobs(12, outputs)
    )


def opset(version, domain=""):
    return blob(1, domain) + number(2, version)


def function(name, nodes):
    return (
        blob(1, name)
        + blob(4, "a")
        + blob(5, "b")
        + blobs(7, nodes)
        + blob(9, opset(17))
        + blob(10, "local")
    )


def model(*args, version=17, functions=(), **kwargs):
    return (
        number(1, 8)
        + blob(7, graph(*args, **kwargs))
        + blob(8, opset(version))
        + blob(8, opset(1, "local"))
        + blobs(25, functions)
    )


# === The models ==============================================================


def adding(weight):
    """A model that adds one initializer to its input."""
    return model([node("Add", ["x", "w"], ["y"])], [weight])


def with_parameter(op, value, **attributes):
    """An operator with a second operand of integers."""
    shape = tensor("p", [len(value)], value, INT64)
    return model([node(op, ["x", "p"], ["y"], **attributes)], [shape])


def relu_branch(result):
    branch = node("Relu", ["x"], [result])
    return graph([branch], inputs=[], outputs=[port(result)])


def nested_if(depth):
    """If nodes inside of If nodes, on a condition known only at run time."""
    body, result = relu_branch("leaf"), "leaf"
    for level in range(depth):
        result = f"r{level}"
        other = relu_branch(f"other{level}")
        choice = node(
            "If", ["c"], [result], f"if_{level}", then_branch=body, else_branch=other
        )
        body = graph([choice], inputs=[], outputs=[port(result)])
    top = node("Identity", ["r"], ["y"])
    other = relu_branch("other")
    last = node("If", ["c"], ["r"], "if", then_branch=body, else_branch=other)
    return model([last, top], inputs=[port("x"), port("c", [1], BOOL)])


def doubling_functions(depth):
    """Functions that call the next one twice: small file, endless expansion."""
    functions = [function(f"f{depth}", [node("Relu", ["a"], ["b"])])]
    for i in range(depth):
        calls = [
            node(f"f{i + 1}", ["a"], ["t"], "first", "local"),
            node(f"f{i + 1}", ["t"], ["b"], "second", "local"),
        ]
        functions.append(function(f"f{i}", calls))
    return model([node("f0", ["x"], ["y"], domain="local")], functions=functions)


GOOD = adding(tensor("w", [4], [1.0] * 4))
CALL = [node("again", ["a"], ["b"], "call", "local")]

MODELS = {
    "good": GOOD,
    "empty": b"",
    "garbage": bytes(range(256)) * 4,
    "text": b"this is not a model\n",
    "truncated": GOOD[: len(GOOD) // 2],
    "cycle": model(
        [
            node("Add", ["x", "b"], ["a"], "first"),
            node("Relu", ["a"], ["b"], "second"),
            node("Relu", ["b"], ["y"], "third"),
        ]
    ),
    "missing_initializer": model([node("Add", ["x", "w"], ["y"])]),
    "missing_output": model([node("Relu", ["x"], ["z"])]),
    "duplicate_output": model(
        [node("Relu", ["x"], ["y"], "one"), node("Abs", ["x"], ["y"], "two")]
    ),
    "unsupported": model(
        [
            node("Frobnicate", ["x"], ["a"]),
            node("Relu", ["a"], ["b"]),
            node("Levitate", ["x"], ["c"]),
            node("Add", ["b", "c"], ["y"]),
        ]
    ),
    "unknown_domain": model([node("Gelu", ["x"], ["y"], domain="com.example")]),
    "raw_size": adding(tensor("w", [4], raw=bytes(12))),
    "no_data": adding(tensor("w", [4], raw=b"")),
    "negative_dims": adding(tensor("w", [-4], [1.0] * 4)),
    "absurd_dims": adding(tensor("w", [2**62, 4], raw=b"")),
    "absurd_zero": adding(tensor("w", [0, 2**62, 2**62], raw=b"")),
    "absurd_input": model(
        [node("Relu", ["x"], ["y"])], inputs=[port("x", [2**62, 2**62])]
    ),
    "large_input": model(
        [node("Relu", ["x"], ["y"])], inputs=[port("x", [2**20, 2**20])]
    ),
    "negative_input": model([node("Relu", ["x"], ["y"])], inputs=[port("x", [1, -4])]),
    "dynamic": model(
        [node("Relu", ["x"], ["y"])], inputs=[port("x", ["N", 3, "H", "W"])]
    ),
    "external_parent": adding(external("w", [4], "../secret.bin")),
    "external_absolute": adding(external("w", [4], "/etc/passwd")),
    "external_missing": adding(external("w", [4], "nowhere.bin")),
    "external_short": adding(external("w", [4], "short.bin")),
    "external_offset": adding(external("w", [4], "short.bin", offset=-8, length=16)),
    "external_folder": adding(external("w", [4], ".")),
    "external_link": adding(external("w", [4], "link.bin")),
    "string_tensor": model(
        [node("Identity", ["s"], ["y"])],
        [number(1, 1) + number(2, STRING) + blob(6, "text") + blob(8, "s")],
    ),
    "string_input": model(
        [node("Identity", ["x"], ["y"])], inputs=[port("x", [1], STRING)]
    ),
    "unknown_type": adding(tensor("w", [4], raw=bytes(16), dtype=77)),
    "axis": model([node("Softmax", ["x"], ["y"], axis=7)]),
    "reshape": with_parameter("Reshape", [3, 5]),
    "reshape_absurd": with_parameter("Reshape", [2**62, 2**62]),
    "expand_absurd": with_parameter("Expand", [2**40, 2**30, 1, 4]),
    "tile_absurd": with_parameter("Tile", [2**62, 2**62]),
    "fill_absurd": model(
        [node("ConstantOfShape", ["p"], ["y"])],
        [tensor("p", [2], [2**31, 2**31], INT64)],
    ),
    "split_count": with_parameter("Split", [1, 1], axis=1),
    "opset": model([node("Relu", ["x"], ["y"])], version=99),
    "no_opset": model([node("Relu", ["x"], ["y"])], version=0),
    "deep_if": nested_if(40),
    "deeper_if": nested_if(400),
    "shadowed": model(
        [
            node(
                "If",
                ["c"],
                ["y"],
                then_branch=relu_branch("y"),
                else_branch=relu_branch("y"),
            )
        ],
        inputs=[port("x"), port("c", [1], BOOL)],
    ),
    "recursion": model(
        [node("again", ["x"], ["y"], domain="local")],
        functions=[function("again", CALL)],
    ),
    "recursion_twice": model(
        [node("again", ["x"], ["y"], domain="local")],
        functions=[
            function(
                "again", CALL + [node("again", ["a"], ["c"], "call_2", "local")]
            )
        ],
    ),
    "doubling": doubling_functions(28),
    "conv_channels": model(
        [node("Conv", ["x", "w"], ["y"])],
        [tensor("w", [2, 3, 1, 1], [1.0] * 6)],
        inputs=[port("x", [1, 4, 8, 8])],
    ),
    "conv_group": model(
        [node("Conv", ["x", "w"], ["y"], group=0)],
        [tensor("w", [2, 4, 1, 1], [1.0] * 8)],
        inputs=[port("x", [1, 4, 8, 8])],
    ),
    "conv_strides": model(
        [node("Conv", ["x", "w"], ["y"], strides=[0, 0])],
        [tensor("w", [2, 4, 1, 1], [1.0] * 8)],
        inputs=[port("x", [1, 4, 8, 8])],
    ),
    "no_inputs": model([node("Add", [], ["y"])]),
    "no_outputs": model([node("Relu", ["x"], [])], outputs=[]),
    "bad_name": model([node("Frobnicate", ["x"], ["y"], "\x1b[31mred\n\u202e")]),
}


def main():
    folder = pathlib.Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    for name, data in MODELS.items():
        (folder / f"{name}.onnx").write_bytes(data)
    (folder / "short.bin").write_bytes(bytes(12))
    # Enough bytes for the tensors that reach outside of the folder.
    (folder.parent / "secret.bin").write_bytes(bytes(16))
    link = folder / "link.bin"
    link.unlink(missing_ok=True)
    link.symlink_to("../secret.bin")


if __name__ == "__main__":
    main()
