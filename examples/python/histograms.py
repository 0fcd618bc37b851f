# Part of Parallax, under the Apache License 2.0.
# SPDX-License-Identifier: Apache-2.0
"""Draws the values of the layers that lose most, with the ends of their codes.
Run it from the root of Parallax; it writes output/histograms.png.
"""

import os

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402: the line above comes first

import parallax  # noqa: E402

result = parallax.analyze("configs/quickstart.json", output_dir="output/histograms")
tensors = [row["tensor"] for row in result.worst_layers(4)]
shown = {each.tensor: each for each in result.histograms()
         if each.tensor in tensors and each.channel < 0}

figure, axes = plt.subplots(len(shown), 1, figsize=(8, 2 * len(shown)), squeeze=False)
for (name, histogram), axis in zip(shown.items(), axes[:, 0]):
    axis.stairs(histogram.counts, histogram.edges, fill=True)
    for end in histogram.clip or ():
        axis.axvline(end, color="red")
    axis.set_yscale("log")
    axis.set_title(name, fontsize=8)
figure.tight_layout()
os.makedirs("output", exist_ok=True)
figure.savefig("output/histograms.png")
print(f"{len(shown)} histograms in output/histograms.png")
assert shown
