# Part of Parallax, under the Apache License 2.0.
# SPDX-License-Identifier: Apache-2.0
#
# Computes the tables of a precision analysis again, with NumPy and from the
# dumped tensors alone, by what docs/precision-analysis.md says about them.
# Every number has to agree to 1e-6, of its own size where it has no unit.
#
# Usage: check_metrics.py DEBUG_FOLDER
import json
import math
import sys

import numpy as np

TOLERANCE = 1e-6
PICTURE_LAYERS = {
    "Conv", "ConvTranspose", "MaxPool", "AveragePool", "BatchNormalization"}


def cosine(a, b):
    aa, bb = np.dot(a, a), np.dot(b, b)
    if aa == 0 or bb == 0:
        return 1.0 if aa == bb else 0.0
    return np.dot(a, b) / math.sqrt(aa * bb)


def channel_axis(row):
    rank = len(row["shape"])
    return 1 if rank >= 4 or row["type"] in PICTURE_LAYERS else rank - 1


def summary_of(values):
    return {
        "count": values.size,
        "min": values.min(),
        "max": values.max(),
        "mean": values.mean(),
        "std": values.std(),
        "variance": values.var(),
    }


def channels_of(row, samples):
    """All values of each channel, over all samples."""
    if not row["shape"]:
        return [np.concatenate([sample.ravel() for sample in samples])]
    axis = channel_axis(row)
    return list(np.concatenate(
        [np.moveaxis(sample, axis, 0).reshape(sample.shape[axis], -1)
         for sample in samples], axis=1))


def float_metrics(row, quantized, floats):
    a = np.concatenate([sample.ravel() for sample in quantized])
    b = np.concatenate([sample.ravel() for sample in floats])
    error = np.dot(a - b, a - b)
    found = {
        "cosine": cosine(a, b),
        "mse": error / a.size,
        "sqnr_db": 10 * math.log10(np.dot(b, b) / error) if error else "inf",
        "max_abs": np.abs(a - b).max(),
        "count": a.size,
    }
    by_sample = [cosine(x.ravel(), y.ravel())
                 for x, y in zip(quantized, floats)]
    found["worst_sample_cosine"] = min(by_sample)
    pairs = list(zip(channels_of(row, quantized), channels_of(row, floats)))
    by_channel = [cosine(x, y) for x, y in pairs]
    found["channels"] = len(pairs)
    found["worst_channel_cosine"] = min(by_channel)
    found["dead_channels"] = sum(
        x.min() == x.max() and y.min() != y.max() for x, y in pairs)
    found["sparse_channels"] = sum(not y.any() for _, y in pairs)
    # Of equally bad ones any may be named.
    for name, cosines in ("sample", by_sample), ("channel", by_channel):
        named = cosines[row[f"worst_{name}"]]
        if abs(named - min(cosines)) > TOLERANCE:
            sys.exit(f"{row['tensor']}: {name} {row[f'worst_{name}']} is not "
                     f"the worst")
    if "codes" in row:
        codes = row["codes"]
        scale = codes["scale"]
        low = (codes["low"] - codes["zero_point"] - 0.5) * scale
        high = (codes["high"] - codes["zero_point"] + 0.5) * scale
        found["max_steps"] = found["max_abs"] / scale
        found["saturated"] = np.mean((b < low) | (b > high))
    if row["rows"] > 0:
        same = [np.argmax(x, -1) == np.argmax(y, -1)
                for x, y in zip(quantized, floats)]
        found["rows"] = np.size(same)
        found["agreement"] = np.mean(same)
    for name, values in ("quantized", a), ("reference", b):
        for field, value in summary_of(values).items():
            if name in row:
                found[f"{name}.{field}"] = value
    return found


def exact_metrics(quantized, floats):
    equal = np.concatenate(
        [(a == b).ravel() for a, b in zip(quantized, floats)])
    return {"agreement": equal.mean(), "rows": equal.size, "count": equal.size}


def check(row, found, table):
    for field, expected in found.items():
        value = row
        for name in field.split("."):
            value = value[name]
        if value == expected:
            continue
        size = max(1.0, abs(expected)) if "cosine" in field else abs(expected)
        if not abs(value - expected) <= TOLERANCE * size:
            sys.exit(f"{table}: {field} of {row['tensor']} is {value}, and "
                     f"NumPy says {expected}")


def main():
    folder = sys.argv[1]
    with open(f"{folder}/precision_analysis_table.json") as file:
        report = json.load(file)
    with open(f"{folder}/index.json") as file:
        index = json.load(file)
    files = {entry["tensor"]: entry for entry in index["tensors"]}

    def load(table, tensor):
        return [np.load(f"{folder}/{table}/{sample}/{files[tensor]['file']}")
                for sample in range(index["samples"])]

    checked = 0
    for table in report["tables"]:
        name = f"quant_{table['method']}_{table['mode']}"
        assert name in [entry["folder"] for entry in index["folders"]]
        for row in table["rows"]:
            assert name in files[row["tensor"]]["folders"]
            quantized = load(name, row["tensor"])
            floats = load("float", row["tensor"])
            if row["is_exact"]:
                found = exact_metrics(quantized, floats)
            else:
                found = float_metrics(
                    row, [array.astype(np.float64) for array in quantized],
                    [array.astype(np.float64) for array in floats])
            found["samples"] = index["samples"]
            check(row, found, name)
            checked += len(found)
    print(f"{checked} numbers of {len(report['tables'])} tables agree")


main()
