# Part of Parallax, under the Apache License 2.0.
# SPDX-License-Identifier: Apache-2.0
"""Finds the cheapest network that keeps an accuracy which only this script can
measure, calibrated by a loader of its own. Run it from the root of Parallax.
"""

from typing import Any, Iterator

import numpy as np

import parallax

images = np.load("configs/quickstart/evaluation_images.npy").astype(np.float32)
labels = np.load("configs/quickstart/evaluation_labels.npy")


def loader() -> Iterator[np.ndarray[Any, Any]]:
    """Batches, as any data loader gives them."""
    for start in range(0, 64, 16):
        yield images[start:start + 16]


def accuracy(session: parallax.InferenceSession) -> float:
    """Top-1 on the images that were not calibrated on."""
    right = [session.run(None, {"image": images[i:i + 1]})[0].argmax() == labels[i]
             for i in range(64, len(images))]
    return float(np.mean(right))


result = parallax.tune(
    {"input": "configs/quickstart/digits.onnx", "output_dir": "output/tuning_by_script",
     "tuning": {"accuracy_criterion": {"tolerable_loss": 0.005}}},
    accuracy, calibration=loader())
for trial in result.trials:
    print(trial["number"], trial["purpose"], f"{trial['metric']:.4f}", trial["cycles"])
print(result, result.compiled_model)
assert result.is_met
