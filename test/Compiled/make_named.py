# Part of Parallax, under the Apache License 2.0.
# SPDX-License-Identifier: Apache-2.0
"""Writes a model whose outputs have names that can't all be those of files, its
samples and its configuration.

Usage: make_named.py FOLDER
"""

import json
import pathlib
import struct
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "Tools"))

from make_bad_models import model, node, port  # noqa: E402

folder = pathlib.Path(sys.argv[1])
long = "n" * 210
outputs = ["y_0", "y:0", "y.0", "y_0_2", long + ":0", long + ".0"]
# Different results, so that exchanged files are noticed.
kinds = ("Sigmoid", "Tanh", "Softsign", "Erf", "Softplus", "Exp")
nodes = [node(kind, ["x"], [name]) for kind, name in zip(kinds, outputs)]
ports = [port(name, [1, 8]) for name in outputs]
data = model(nodes, inputs=[port("x", [1, 8])], outputs=ports)
(folder / "model.onnx").write_bytes(data)
(folder / "samples").mkdir()
for sample in range(4):
    values = [((i * 5 + sample * 3) % 17 - 8) / 4 for i in range(8)]
    raw = struct.pack("<8f", *values)
    (folder / "samples" / f"{sample}.bin").write_bytes(raw)
dataset = {"tensor_name": "x", "calibration_dataset": "samples"}
dataset["calibration_format"] = "Binary"
config = {"input": "model.onnx", "output_dir": "out"}
config["quant"] = {"input_configs": [dataset]}
(folder / "config.json").write_text(json.dumps(config))
