# Part of Parallax, under the Apache License 2.0.
# SPDX-License-Identifier: Apache-2.0
"""Inputs that are large in one direction: four times the size must not take
much more than four times the work."""

import io
import json
import resource
import struct
import sys
import tarfile

from trials import ROOT, Finding

sys.path.insert(0, str(ROOT / "test" / "Tools"))

import make_odd_models  # noqa: E402
from make_bad_models import model, node, port  # noqa: E402

# What is quadratic has 16.
MOST = 8


def work_of(trials, config, name):
    """Seconds of processors that a build takes; the clock says less on a busy
    computer."""
    path = trials.work / f"{name}.json"
    path.write_text(json.dumps({**config, "output_dir": str(trials.fresh(name))}))
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    trials.must_work("build", "--config", path)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return (after.ru_utime + after.ru_stime) - (before.ru_utime + before.ru_stime)


def compare(small, large):
    ratio = large / small
    if ratio > MOST:
        raise Finding(f"four times the size takes {ratio:.1f} times the work")
    return f"{large:.1f} s, {ratio:.1f} times those of a quarter"


def config_for(path, dataset, kind):
    data = {"tensor_name": "x", "calibration_dataset": str(dataset)}
    data |= {"calibration_format": kind, "calibration_size": -1}
    quant = {"input_configs": [data], "precision_analysis": True}
    return {"input": str(path), "quant": quant}


def long_chain(trials, number, count):
    samples = trials.fresh("chain-samples")
    samples.mkdir()
    for sample in range(4):
        values = make_odd_models.spread(8, -2, 2, sample)
        (samples / f"{sample}.bin").write_bytes(values)
    works = []
    most = (6_000, 20_000)[number]
    for layers in (most // 4, most):
        path = trials.work / "chain.onnx"
        path.write_bytes(make_odd_models.chain(layers))
        config = config_for(path, samples, "Binary")
        config["quant"]["precision_analysis_mode"] = "Both"
        works.append(work_of(trials, config, "chain"))
    return compare(*works)


def npy(values):
    header = f"{{'descr': '<f4', 'fortran_order': False, 'shape': (1, {len(values)})}}"
    header += " " * (-(len(header) + 11) % 64) + "\n"
    head = b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode()
    return head + struct.pack(f"<{len(values)}f", *values)


def many_samples(trials, number, count):
    path = trials.work / "few.onnx"
    ports = ([port("x", [1, 8])], [port("y", [1, 8])])
    nodes = [node("Sigmoid", ["x"], ["y"])]
    path.write_bytes(model(nodes, inputs=ports[0], outputs=ports[1]))
    works = []
    most = (8_000, 60_000)[number]
    for samples in (most // 4, most):
        archive = trials.work / "many.tar"
        with tarfile.open(archive, "w") as tar:
            for sample in range(samples):
                data = npy([(sample * 7 + i) % 19 / 19 for i in range(8)])
                entry = tarfile.TarInfo(f"s/{sample:06}.npy")
                entry.size = len(data)
                tar.addfile(entry, io.BytesIO(data))
        works.append(work_of(trials, config_for(path, archive, "Numpy"), "many"))
    return compare(*works)
