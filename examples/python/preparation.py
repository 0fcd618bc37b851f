# Part of Parallax, under the Apache License 2.0.
# SPDX-License-Identifier: Apache-2.0
"""Is the preparation of the deployed program that of the training?

A misaligned preparation looks like a loss of quantization. So the training's
code leaves what it prepared, what the model gave and what became of it, and the
deployed code has to agree: within 1e-4 in front of the model, and within 1e-3
behind it. Run it from the root of Parallax.
"""

from typing import Any

import numpy as np

import parallax

Array = np.ndarray[Any, Any]
MEAN, STD = 4.8862, 6.0081


def prepare_in_training(pixels: Array) -> Array:
    """As the training has it: in double precision, then rounded once."""
    return ((pixels.astype(np.float64) - MEAN) / STD).astype(np.float32)


def prepare_on_board(pixels: Array) -> Array:
    """As a board does it: one multiplication and one addition in float32."""
    factor, offset = np.float32(1 / STD), np.float32(-MEAN / STD)
    return pixels.astype(np.float32) * factor + offset


def answer_in_training(logits: Array) -> Array:
    """Probabilities, in double precision."""
    powers = np.exp(logits.astype(np.float64) - logits.max())
    return np.asarray(powers / powers.sum())


def answer_on_board(logits: Array) -> Array:
    """The same in float32."""
    powers = np.exp(logits - logits.max())
    return np.asarray(powers / powers.sum())


def largest_difference(a: Array, b: Array) -> float:
    """Element by element."""
    return float(np.abs(a.astype(np.float64) - b.astype(np.float64)).max())


# Pixels from 0 to 16, as they come from the camera.
images = np.load("configs/quickstart/evaluation_images.npy")[:32]
pictures = np.rint(images * STD + MEAN).astype(np.uint8)
session = parallax.InferenceSession("configs/quickstart/digits.onnx")

before = after = 0.0
for picture in pictures:
    prepared = prepare_in_training(picture[np.newaxis])
    (logits,) = session.run(None, {"image": prepared})
    before = max(before, largest_difference(
        prepared, prepare_on_board(picture[np.newaxis])))
    after = max(after, largest_difference(answer_in_training(logits),
                                          answer_on_board(logits)))
print(f"in front of the model: {before:.1e} (1e-4 is tolerable)")
print(f"behind the model:      {after:.1e} (1e-3 is tolerable)")
assert before < 1e-4 and after < 1e-3

# A board that forgets the mean is found here, not after a week of debugging.
forgotten = largest_difference(prepare_in_training(pictures),
                               pictures.astype(np.float32) / np.float32(STD))
print(f"without the mean:      {forgotten:.1e}")
assert forgotten > 1e-4
