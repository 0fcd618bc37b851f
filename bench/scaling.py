# Part of Parallax, under the Apache License 2.0.
# SPDX-License-Identifier: Apache-2.0
"""Builds one network of a given size with an analysis, and prints what it took.

Usage: scaling.py PARALLAX FOLDER LAYERS CHANNELS WIDTH SAMPLES
"""

import json
import pathlib
import random
import resource
import struct
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "test" / "Tools"))

from make_bad_models import model, node, port, tensor  # noqa: E402


def floats(rng, count, scale):
    return struct.pack(f"<{count}f", *(rng.uniform(-scale, scale) for _ in range(count)))


def network(rng, layers, channels, width):
    """Convolutions of 3 x 3, each with a Relu."""
    shape = [channels, channels, 3, 3]
    nodes, weights, before = [], [], "x"
    for i in range(layers):
        scale = (2 / (9 * channels)) ** 0.5 * 3**0.5
        weights.append(tensor(f"w{i}", shape, raw=floats(rng, channels**2 * 9, scale)))
        after = "y" if i + 1 == layers else f"r{i}"
        nodes.append(
            node("Conv", [before, f"w{i}"], [f"c{i}"], f"conv{i}", pads=[1, 1, 1, 1])
        )
        nodes.append(node("Relu", [f"c{i}"], [after], f"relu{i}"))
        before = after
    ports = [port(name, [1, channels, width, width]) for name in ("x", "y")]
    return model(nodes, weights, inputs=ports[:1], outputs=ports[1:])


def main():
    program, folder = sys.argv[1], pathlib.Path(sys.argv[2])
    layers, channels, width, samples = map(int, sys.argv[3:])
    (folder / "samples").mkdir(parents=True)
    rng = random.Random(1)
    (folder / "model.onnx").write_bytes(network(rng, layers, channels, width))
    for i in range(samples):
        path = folder / "samples" / f"{i:04}.bin"
        path.write_bytes(floats(rng, channels * width**2, 1))
    quant = {
        "input_configs": [
            {
                "tensor_name": "x",
                "calibration_dataset": str(folder / "samples"),
                "calibration_format": "Binary",
                "calibration_size": samples,
            }
        ],
        "precision_analysis": True,
        "precision_analysis_mode": "Both",
        "precision_analysis_size": max(1, samples),
    }
    config = folder / "config.json"
    config.write_text(
        json.dumps(
            {
                "input": str(folder / "model.onnx"),
                "output_dir": str(folder / "out"),
                "quant": quant,
            }
        )
    )
    subprocess.run(
        [program, "build", "--config", config, "--threads", "1"],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        check=True,
    )
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    seconds = used.ru_utime + used.ru_stime
    print(json.dumps({"seconds": seconds, "megabytes": used.ru_maxrss / 1024}))


if __name__ == "__main__":
    main()
