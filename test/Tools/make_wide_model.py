#!/usr/bin/env python3
# Part of Parallax, under the Apache License 2.0.
# SPDX-License-Identifier: Apache-2.0
"""Writes a network of few large tensors with long names, and a configuration
that dumps what is compared: its tensors take far more room than its tables.

Usage: make_wide_model.py OUTDIR
"""

import json
import pathlib
import struct
import sys

from make_bad_models import model, node, port

# Two channels: files have a line with numbers for each.
SHAPE = [1, 2, 250, 200]
WIDTH = 100_000
NAMES = ["n" * 270 + f"{i:05}" for i in range(2)]


def main():
    folder = pathlib.Path(sys.argv[1]).absolute()
    (folder / "samples").mkdir(parents=True)
    nodes = [
        node("Sigmoid", ["x"], [NAMES[0]], "first"),
        node("Tanh", [NAMES[0]], [NAMES[1]], "second"),
        node("Abs", [NAMES[1]], ["y"], "last"),
    ]
    ports = ([port("x", SHAPE)], [port("y", SHAPE)])
    data = model(nodes, inputs=ports[0], outputs=ports[1])
    (folder / "model.onnx").write_bytes(data)
    for sample in range(2):
        values = [(i * 37 + sample) % 201 / 100 - 1 for i in range(WIDTH)]
        raw = struct.pack(f"<{WIDTH}f", *values)
        (folder / "samples" / f"{sample}.bin").write_bytes(raw)
    config = {
        "input": str(folder / "model.onnx"),
        "output_dir": str(folder / "out"),
        "quant": {
            "input_configs": [
                {
                    "tensor_name": "x",
                    "calibration_dataset": str(folder / "samples"),
                    "calibration_format": "Binary",
                }
            ],
            "precision_analysis": True,
            "precision_analysis_dump": True,
        },
    }
    (folder / "config.json").write_text(json.dumps(config, indent=2) + "\n")


if __name__ == "__main__":
    main()
