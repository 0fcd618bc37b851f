#!/usr/bin/python3
# ===- train.py - Train and export the quickstart model ------------------===#
#
# Part of Parallax, under the Apache License 2.0. SPDX-License-Identifier: Apache-2.0
#
# The quickstart needs a model that is small enough to live in the repository,
# accurate enough that a loss from quantization is visible, and rich enough to
# exercise the fusions: BatchNormalization behind plain, depthwise, pointwise
# and strided convolutions, Relu, Clip and SiLU, a residual Add, and a Concat
# whose two inputs have different ranges. This script makes that model and its
# samples from the handwritten digits that scikit-learn carries, so nothing has
# to be downloaded.
#
# Requires Debian's python3-torch and python3-sklearn. Takes about a minute.
#
# ===---------------------------------------------------------------------===#
"""Train the digits CNN; write digits.onnx, its samples and digits.json."""

import argparse
import io
import json
import math
import tarfile
from pathlib import Path

import numpy as np
import torch
import torch.nn.functional as F
from sklearn.datasets import load_digits
from torch import nn

SEED = 2024
EVALUATION_COUNT = 360
CALIBRATION_COUNT = 64
EPOCHS = 130
BATCH_SIZE = 48
PEAK_LEARNING_RATE = 4e-3


class ConvUnit(nn.Module):
    """Bias-free convolution, batch normalization and an activation."""

    def __init__(self, inputs, outputs, kernel, act, stride=1, groups=1):
        super().__init__()
        self.conv = nn.Conv2d(inputs, outputs, kernel, stride, kernel // 2,
                              groups=groups, bias=False)
        self.bn = nn.BatchNorm2d(outputs)
        self.act = act

    def forward(self, x):
        return self.act(self.bn(self.conv(x)))


# The exporter names nodes after the module path, so Add and Concat get modules
# of their own only to receive readable names.
class Separable(nn.Module):
    def __init__(self, depthwise, pointwise):
        super().__init__()
        self.depthwise, self.pointwise = depthwise, pointwise

    def forward(self, x):
        return x + self.pointwise(self.depthwise(x))


class Branches(nn.Module):
    def __init__(self, narrow, wide):
        super().__init__()
        self.narrow, self.wide = narrow, wide

    def forward(self, x):
        return torch.cat([self.narrow(x), self.wide(x)], dim=1)


class DigitsNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.stem = ConvUnit(1, 32, 3, nn.ReLU())
        self.separable = Separable(
            ConvUnit(32, 32, 3, nn.ReLU6(), groups=32),
            ConvUnit(32, 32, 1, nn.SiLU()))
        self.down = ConvUnit(32, 64, 3, nn.ReLU(), stride=2)
        self.branches = Branches(ConvUnit(64, 32, 1, nn.ReLU()),
                                 ConvUnit(64, 32, 3, nn.SiLU()))
        self.pool = nn.AdaptiveAvgPool2d(1)
        self.flatten = nn.Flatten()
        self.classifier = nn.Linear(64, 10)

    def forward(self, x):
        x = self.branches(self.down(self.separable(self.stem(x))))
        return self.classifier(self.flatten(self.pool(x)))


def load_split(evaluation_count):
    """Hold out the last images as one block: neighbours in the data set are
    likely by the same writer, whom a shuffled split would put on both sides."""
    digits = load_digits()
    images = digits.images.astype(np.float32)[:, None]
    labels = digits.target.astype(np.int64)
    cut = len(images) - evaluation_count
    seen = {image.tobytes() for image in images[:cut]}
    if any(image.tobytes() in seen for image in images[cut:]):
        raise SystemExit("an evaluation image also occurs in the training part")
    return images[:cut], labels[:cut], images[cut:], labels[cut:]


def augment(images, rng):
    """Shift, turn and stretch slightly, in pixel units where 0 is paper."""
    count = len(images)
    angle = torch.empty(count).uniform_(-1, 1, generator=rng) * math.radians(12)
    scale = 1 + torch.empty(count).uniform_(-0.1, 0.1, generator=rng)
    # The grid spans two units over eight pixels: 0.25 is one pixel.
    shift = torch.empty(count, 2).uniform_(-1, 1, generator=rng) * 0.25
    cos, sin = scale * angle.cos(), scale * angle.sin()
    matrix = torch.stack([torch.stack([cos, -sin, shift[:, 0]], 1),
                          torch.stack([sin, cos, shift[:, 1]], 1)], 1)
    grid = F.affine_grid(matrix, images.shape, align_corners=False)
    return F.grid_sample(images, grid, align_corners=False)


def train(images, labels, normalize):
    """Fixed schedule, last weights: evaluation images play no part here."""
    model = DigitsNet()
    rng = torch.Generator().manual_seed(SEED)
    images, labels = torch.from_numpy(images), torch.from_numpy(labels)
    optimizer = torch.optim.AdamW(model.parameters(), weight_decay=0.02)
    steps = len(images) // BATCH_SIZE
    schedule = torch.optim.lr_scheduler.OneCycleLR(
        optimizer, PEAK_LEARNING_RATE, epochs=EPOCHS, steps_per_epoch=steps)
    for _ in range(EPOCHS):
        order = torch.randperm(len(images), generator=rng)
        for batch in order[:steps * BATCH_SIZE].split(BATCH_SIZE):
            logits = model(normalize(augment(images[batch], rng)))
            loss = F.cross_entropy(logits, labels[batch], label_smoothing=0.05)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            schedule.step()
    return model.eval()


def accuracy(model, images, labels):
    with torch.no_grad():
        predicted = model(torch.from_numpy(images)).argmax(1).numpy()
    return float((predicted == labels).mean())


def export_onnx(model, path):
    """PRESERVE keeps BatchNormalization as nodes: folding it is the
    compiler's job, and the quickstart shows it doing so."""
    torch.onnx.export(model, torch.zeros(1, 1, 8, 8), str(path),
                      input_names=["image"], output_names=["logits"],
                      opset_version=13, do_constant_folding=False,
                      training=torch.onnx.TrainingMode.PRESERVE)


def write_tar(samples, path):
    """Uncompressed, ordered and free of dates and owners: same bytes always."""
    with tarfile.open(path, "w", format=tarfile.USTAR_FORMAT) as archive:
        for number, sample in enumerate(samples):
            data = io.BytesIO()
            np.save(data, sample)
            entry = tarfile.TarInfo(f"digit_{number:03d}.npy")
            entry.size = data.tell()
            data.seek(0)
            archive.addfile(entry, data)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--output", type=Path, default=Path(__file__).parent,
                        help="folder to write to (default: beside the script)")
    output = parser.parse_args().output
    output.mkdir(parents=True, exist_ok=True)

    # One thread: the order of a parallel sum would change the last bits.
    torch.set_num_threads(1)
    torch.use_deterministic_algorithms(True)
    torch.manual_seed(SEED)

    images, labels, test_images, test_labels = load_split(EVALUATION_COUNT)
    mean = np.float32(images.mean(dtype=np.float64).round(4))
    std = np.float32(images.std(dtype=np.float64).round(4))

    def normalize(pixels):
        return (pixels - mean) / std

    model = train(images, labels, normalize)
    export_onnx(model, output / "digits.onnx")

    chosen = np.random.default_rng(SEED).choice(
        len(images), CALIBRATION_COUNT, replace=False)
    write_tar(normalize(images[chosen])[:, None], output / "calibration.tar")
    np.save(output / "evaluation_images.npy", normalize(test_images))
    np.save(output / "evaluation_labels.npy", test_labels)

    facts = {
        "mean": float(f"{mean:.4f}"),
        "std": float(f"{std:.4f}"),
        "parameters": sum(p.numel() for p in model.parameters()),
        "training_images": len(images),
        "evaluation_images": len(test_images),
        "training_accuracy": accuracy(model, normalize(images), labels),
        "evaluation_accuracy": accuracy(
            model, np.load(output / "evaluation_images.npy"),
            np.load(output / "evaluation_labels.npy")),
    }
    text = json.dumps(facts, indent=2)
    (output / "digits.json").write_text(text + "\n")
    print(text)


if __name__ == "__main__":
    main()
