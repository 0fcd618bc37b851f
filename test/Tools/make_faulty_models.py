#!/usr/bin/env python3
# Part of Parallax, under the Apache License 2.0.
# SPDX-License-Identifier: Apache-2.0
"""Writes networks with one planted fault each, and a healthy twin of each.

Networks that lose precision in 8 bits do so for few reasons. Each is planted
here into a network that is otherwise sound: weights are random, but sized so
that values neither grow nor fade from layer to layer. Seeds are fixed, so the
twins have the same weights and the same pictures, and differ in the fault only.

For every fault there are FAULT/healthy and FAULT/faulty in the folder (scaled and
shifted are the faults of a preparation), with model.onnx, calibration.tar,
config.json and, where the analyzed samples are not those of the calibration, the
folder samples.

Usage: make_faulty_models.py OUTDIR
"""

import io
import json
import math
import pathlib
import random
import struct
import sys
import tarfile

from make_bad_models import INT64, model, node, port, tensor
from make_pictures import png

SIDE, COLORS = 16, 3
IMAGE = ("image", [1, COLORS, SIDE, SIDE])
TOKENS, WIDTH = 16, 48
CALIBRATED, ANALYZED = 16, 8
# What the networks are fed: pixels, less the mean, divided by the deviation.
MEAN, STD = (124.0, 116.0, 104.0), (58.0, 57.0, 57.5)

# === Networks ================================================================


class Network:
    """Nodes and constants, in the order in which they are added."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.nodes, self.constants = [], []

    def constant(self, name, shape, values, dtype=1):
        self.constants.append(tensor(name, shape, values, dtype))
        return name

    def add(self, op, name, *inputs, **attributes):
        """The result is called as the node."""
        self.nodes.append(node(op, inputs, [name], name, **attributes))
        return name

    def normal(self, count, deviation):
        return [self.random.gauss(0, deviation) for _ in range(count)]

    def conv(self, name, x, ins, outs, side=3, stride=1, loud=None, damped=None):
        """He's initialization. All channels but a loud one see contrast only,
        as batch normalization leaves them; the loud one sees brightness.
        `loud` and `damped` are a channel of the results or of the inputs, and
        the factor of its weights."""
        taps = side * side
        fan = ins * taps
        weights, biases = [], self.normal(outs, 0.1)
        for channel in range(outs):
            kernel = self.normal(fan, math.sqrt(2 / fan))
            mean = sum(kernel) / fan
            if loud and channel == loud[0]:
                biases[channel] *= loud[1]
                kernel = [abs(w) * loud[1] for w in kernel]
            else:
                kernel = [w - mean for w in kernel]
            if damped:
                begin = damped[0] * taps
                for i in range(begin, begin + taps):
                    kernel[i] *= damped[1]
            weights += kernel
        operands = [
            self.constant(f"{name}.weight", [outs, ins, side, side], weights),
            self.constant(f"{name}.bias", [outs], biases),
        ]
        window = {"kernel_shape": [side] * 2, "pads": [side // 2] * 4}
        return self.add("Conv", name, x, *operands, strides=[stride] * 2, **window)

    def dense(self, name, x, ins, outs, gain=1.0, loud=None):
        """A product with weights and a bias, as transformers have it; `loud`
        are channels of the results with the level around which they vary, by
        a good part of it."""
        weights = self.normal(ins * outs, gain / math.sqrt(ins))
        biases = self.normal(outs, 0.1)
        for channel, level in (loud or {}).items():
            biases[channel] += level
            for i in range(channel, ins * outs, outs):
                weights[i] *= abs(level) / 4
        product = self.add(
            "MatMul",
            f"{name}/MatMul",
            x,
            self.constant(f"{name}.weight", [ins, outs], weights),
        )
        bias = self.constant(f"{name}.bias", [outs], biases)
        return self.add("Add", f"{name}/Add", product, bias)

    def block(self, name, x, channels):
        """Two convolutions beside a shortcut."""
        y = self.conv(f"{name}/conv1", x, channels, channels)
        y = self.add("Relu", f"{name}/relu1", y)
        y = self.conv(f"{name}/conv2", y, channels, channels)
        y = self.add("Add", f"{name}/add", y, x)
        return self.add("Relu", f"{name}/relu2", y)

    def finish(self, inputs, outputs):
        """The file; ports are given as names and shapes."""
        return model(
            self.nodes,
            self.constants,
            inputs=[port(*item) for item in inputs],
            outputs=[port(*item) for item in outputs],
        )


def backbone(net, stem_scale=1.0):
    """Pictures to 16 channels at half the size. `stem_scale` makes one channel
    of the first convolution larger, which the second one takes back: the
    function of the network stays the same."""
    width = 16
    loud, damped = (5, stem_scale), (5, 1 / stem_scale)
    x = net.conv("conv0", "image", COLORS, width, loud=loud)
    x = net.add("Relu", "relu0", x)
    x = net.conv("conv1", x, width, width, stride=2, damped=damped)
    x = net.add("Relu", "relu1", x)
    for i in range(3):
        x = net.block(f"block{i}", x, width)
    return x, width


def classifier(stem_scale=1.0):
    net = Network(seed=11)
    x, width = backbone(net, stem_scale)
    x = net.conv("conv2", x, width, width, stride=2)
    x = net.add("Relu", "relu2", x)
    x = net.add("Flatten", "flatten", x)
    ins, classes = width * (SIDE // 4) ** 2, 10
    weights = net.normal(ins * classes, math.sqrt(2 / ins))
    net.add(
        "Gemm",
        "logits",
        x,
        net.constant("fc.weight", [ins, classes], weights),
        net.constant("fc.bias", [classes], net.normal(classes, 0.1)),
    )
    return net.finish([IMAGE], [("logits", [1, classes])])


def detector(is_merged, read=0):
    """Boxes in pixels of a screen and probabilities of classes, by place; in
    one tensor as detectors of the YOLO family give them, or in two. A layer
    that reads the one tensor and gives `read` places needs codes of it."""
    net = Network(seed=23)
    x, width = backbone(net)
    places, classes, screen = (SIDE // 2) ** 2, 12, 640.0

    def head(name, channels):
        y = net.conv(f"{name}/conv", x, width, channels, side=1)
        y = net.add("Sigmoid", f"{name}/sigmoid", y)
        shape = net.constant(f"{name}.shape", [3], [1, channels, places], INT64)
        return net.add("Reshape", f"{name}/reshape", y, shape)

    boxes = net.add("Mul", "boxes", head("box", 4), net.constant("size", [], [screen]))
    scores = head("score", classes)
    if not is_merged:
        return net.finish(
            [IMAGE], [(boxes, [1, 4, places]), (scores, [1, classes, places])]
        )
    merged = net.add("Concat", "detections", boxes, scores, axis=1)
    if read:
        # Each place several times, or the means of neighbours.
        weights = [
            read / places * (i * read // places == j)
            if read < places
            else float(i == j * places // read)
            for i in range(places)
            for j in range(read)
        ]
        name = "thinned" if read < places else "doubled"
        weights = net.constant("weights", [places, read], weights)
        merged = net.add("MatMul", name, merged, weights)
        places = read
    return net.finish([IMAGE], [(merged, [1, 4 + classes, places])])


def encoder(loud):
    """Two blocks of a transformer that normalizes behind its shortcuts. `loud`
    are channels that the second product of a block lifts far above the others;
    the scales of the normalization have learned to undo it."""
    net = Network(seed=37)
    x, classes = "tokens", 7

    def norm(name, x, levels):
        # What the loud channels make of the deviation of a token.
        deviation = math.sqrt(1 + sum(v * v for v in levels.values()) / WIDTH)
        scales = [1 / deviation if c in levels else deviation for c in range(WIDTH)]
        return net.add(
            "LayerNormalization",
            name,
            x,
            net.constant(f"{name}.scale", [WIDTH], scales),
            net.constant(f"{name}.bias", [WIDTH], net.normal(WIDTH, 0.1)),
            axis=-1,
        )

    for i in range(2):
        layer = f"layer.{i}"
        query, key, value = (
            net.dense(f"{layer}/attention/{part}", x, WIDTH, WIDTH)
            for part in ("query", "key", "value")
        )
        turned = net.add(
            "Transpose", f"{layer}/attention/Transpose", key, perm=[0, 2, 1]
        )
        y = net.add("MatMul", f"{layer}/attention/MatMul", query, turned)
        root = net.constant(f"{layer}.root", [], [math.sqrt(WIDTH)])
        y = net.add("Div", f"{layer}/attention/Div", y, root)
        y = net.add("Softmax", f"{layer}/attention/Softmax", y, axis=-1)
        y = net.add("MatMul", f"{layer}/attention/mix", y, value)
        y = net.dense(f"{layer}/attention/output", y, WIDTH, WIDTH)
        y = net.add("Add", f"{layer}/attention/Add", y, x)
        x = norm(f"{layer}/attention/norm", y, {})
        y = net.dense(f"{layer}/intermediate", x, WIDTH, 2 * WIDTH, math.sqrt(2))
        y = net.add("Relu", f"{layer}/intermediate/Relu", y)
        y = net.dense(f"{layer}/output/dense", y, 2 * WIDTH, WIDTH, loud=loud)
        y = net.add("Add", f"{layer}/output/Add", y, x)
        x = norm(f"{layer}/output/norm", y, loud)
    y = net.dense("classifier", x, WIDTH, classes)
    return net.finish(
        [("tokens", [1, TOKENS, WIDTH])], [(y, [1, TOKENS, classes])]
    )


# === Samples =================================================================


def picture(seed):
    """Waves of several lengths, and a bright or dark patch: rows of pixels."""
    rng = random.Random(seed)
    waves = [
        [rng.uniform(-0.9, 0.9), rng.uniform(-0.9, 0.9), rng.uniform(0, 6.3)]
        for _ in range(4)
    ]
    mixes = [[rng.gauss(0, 30) for _ in waves] for _ in range(COLORS)]
    left, top = rng.randrange(SIDE - 5), rng.randrange(SIDE - 5)
    patch = [rng.gauss(0, 70) for _ in range(COLORS)]

    def pixel(i, j):
        heights = [math.sin(a * i + b * j + c) for a, b, c in waves]
        inside = top <= i < top + 6 and left <= j < left + 6
        values = []
        for color, mix in enumerate(mixes):
            value = MEAN[color] + sum(m * h for m, h in zip(mix, heights))
            value += patch[color] * inside + rng.gauss(0, 12)
            values.append(min(255, max(0, round(value))))
        return tuple(values)

    return [[pixel(i, j) for j in range(SIDE)] for i in range(SIDE)]


def prepared(seed):
    """A picture as the network takes it: a plane for each color."""
    pixels = [pixel for row in picture(seed) for pixel in row]
    return [(p[c] - MEAN[c]) / STD[c] for c in range(COLORS) for p in pixels]


def sentence(seed):
    rng = random.Random(seed)
    return [rng.gauss(0, 1) for _ in range(TOKENS * WIDTH)]


def floats(values):
    return struct.pack(f"<{len(values)}f", *values)


# The two sets have no sample in common.
CALIBRATION_SEEDS = range(100, 100 + CALIBRATED)
ANALYSIS_SEEDS = range(500, 500 + ANALYZED)


# === Cases ===================================================================


def write_case(folder, network, port_name, files, extension, samples=None, **fields):
    """`files` are the contents of the calibration set, `samples` those that are
    analyzed instead of them, and `fields` more of the input's configuration."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "model.onnx").write_bytes(network)
    with tarfile.open(folder / "calibration.tar", "w") as archive:
        for i, data in enumerate(files):
            entry = tarfile.TarInfo(f"{i:02}.{extension}")
            entry.size = len(data)
            archive.addfile(entry, io.BytesIO(data))
    calibration = {
        "tensor_name": port_name,
        "calibration_dataset": str(folder / "calibration.tar"),
        "calibration_format": "Image" if extension == "png" else "Binary",
        **fields,
    }
    quant = {
        "input_configs": [calibration],
        # Of four samples too little is known: channels that vary look dead.
        "calibration_hold_out": False,
        "precision_analysis": True,
        "precision_analysis_method": "EndToEnd",
        "precision_analysis_mode": "Both",
        "precision_analysis_columns": "full",
    }
    if samples:
        quant["input_sample_dir"] = str(folder / "samples")
        for i, data in enumerate(samples):
            sample = folder / "samples" / f"{i:02}"
            sample.mkdir(parents=True, exist_ok=True)
            (sample / f"{port_name}.bin").write_bytes(data)
    config = {
        "input": str(folder / "model.onnx"),
        "output_dir": str(folder / "out"),
        "quant": quant,
    }
    if extension == "png":
        config["input_processors"] = [
            {"tensor_name": port_name, "tensor_format": "RGB"}
        ]
    (folder / "config.json").write_text(json.dumps(config, indent=2) + "\n")


def main():
    root = pathlib.Path(sys.argv[1]).absolute()
    pictures = [prepared(seed) for seed in CALIBRATION_SEEDS]
    sentences = [sentence(seed) for seed in CALIBRATION_SEEDS]
    analyzed = [floats(prepared(seed)) for seed in ANALYSIS_SEEDS]

    def on_pictures(case, network, scale=1.0, samples=None):
        files = [floats([v * scale for v in values]) for values in pictures]
        write_case(root / case, network, "image", files, "bin", samples)

    def on_pixels(case, mean, std):
        files = [png(picture(seed)) for seed in CALIBRATION_SEEDS]
        fields = {"calibration_mean": mean, "calibration_std": std}
        write_case(
            root / case, classifier(), "image", files, "png", analyzed, **fields
        )

    def on_tokens(case, loud):
        files = [floats(values) for values in sentences]
        write_case(root / case, encoder(loud), "tokens", files, "bin")

    on_pictures("weights/healthy", classifier())
    on_pictures("weights/faulty", classifier(stem_scale=20.0))
    on_tokens("outliers/healthy", {})
    on_tokens("outliers/faulty", {7: 90.0, 31: -60.0})
    on_pictures("head/healthy", detector(is_merged=False))
    on_pictures("head/merged", detector(is_merged=True))
    on_pictures("head/faulty", detector(is_merged=True, read=128))
    on_pictures("head/thinned", detector(is_merged=True, read=32))
    on_pictures("narrow/healthy", classifier(), samples=analyzed)
    on_pictures("narrow/faulty", classifier(), scale=0.25, samples=analyzed)
    on_pixels("preparation/healthy", MEAN, STD)
    on_pixels("preparation/scaled", MEAN, (1.0, 1.0, 1.0))
    on_pixels("preparation/shifted", (0.0, 0.0, 0.0), STD)


if __name__ == "__main__":
    main()
