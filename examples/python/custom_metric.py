# Part of Parallax, under the Apache License 2.0.
# SPDX-License-Identifier: Apache-2.0
"""Judges networks by a metric that Parallax does not know: the mean margin
between the right class and the best wrong one. Run it from the root of Parallax.
"""

import numpy as np

import parallax

images = np.load("configs/quickstart/evaluation_images.npy").astype(np.float32)
labels = np.load("configs/quickstart/evaluation_labels.npy")


def margin(session: parallax.InferenceSession) -> float:
    """Of all samples; a higher one is better."""
    margins = []
    for image, label in zip(images, labels):
        (logits,) = session.run(None, {"image": image[np.newaxis]})
        wrong = np.delete(logits[0], label)
        margins.append(float(logits[0, label] - wrong.max()))
    return float(np.mean(margins))


config = "configs/quickstart.json"
parallax.build(config, output_dir="output/custom_metric")
accuracy = parallax.evaluate(config, eval_func=margin,
                             output_dir="output/custom_metric")
for row in accuracy.metrics:
    print(f"{row['network']:12} {row['value']:.4f}  loses {row['loss']:.4f}")
print(accuracy.sentence)
