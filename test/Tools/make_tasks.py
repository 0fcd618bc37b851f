#!/usr/bin/env python3
# Part of Parallax, under the Apache License 2.0.
# SPDX-License-Identifier: Apache-2.0
"""Writes networks that answer with the pixels of their picture, and data sets
for them, so that a picture decides what is answered.

Usage: make_tasks.py OUTDIR
"""

import pathlib
import sys

from make_bad_models import INT64, model, node, port, tensor
from make_pictures import png

SIDE = 4


def write(path, data):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)


def reshaped(shape, op="Relu"):
    """The pixels in another shape."""
    return model(
        [node(op, ["x"], ["r"]), node("Reshape", ["r", "shape"], ["y"])],
        inputs=[port("x", [1, 3, SIDE, SIDE])],
        outputs=[port("y", shape)],
        initializers=[tensor("shape", [len(shape)], shape, INT64)],
    )


def detection(left_score, right_score):
    """Boxes of 2 x 2 pixels in the middle; scores of both classes at the first
    position, none elsewhere."""
    pixels = [[2, 2, 0] for _ in range(SIDE * SIDE)]
    pixels[0][2], pixels[8][2] = left_score, right_score
    colors = [tuple(pixel) for pixel in pixels]
    return png([colors[i : i + SIDE] for i in range(0, 16, SIDE)])


def one_color(red, green, blue):
    return png([[(red, green, blue)] * SIDE] * SIDE)


def bright(index):
    """All dark but for one pixel, in all colors."""
    pixels = [(9, 9, 9)] * (SIDE * SIDE)
    pixels[index] = (90, 80, 70)
    return png([pixels[i : i + SIDE] for i in range(0, 16, SIDE)])


def main():
    out = pathlib.Path(sys.argv[1])
    write(out / "detector.onnx", reshaped([1, 6, 8]))
    write(out / "classifier.onnx", reshaped([1, 48]))
    write(out / "inverted.onnx", reshaped([1, 48], op="Neg"))
    write(out / "pixels.onnx", reshaped([1, 3, SIDE, SIDE]))

    for i in range(6):
        write(out / f"detection/images/{i}.png", detection(0, 200))
        write(out / f"detection/labels/{i}.txt", b"1 0.5 0.5 0.5 0.5\n")
    write(out / "detection/classes.txt", b"cat\ndog\n")

    for i in range(4):
        write(out / f"classes/{i}/a.png", bright(i))
        write(out / f"classes/{i}/b.png", bright(i))
    (out / "pairs.txt").write_text(
        "classes/0/a.png classes/0/b.png 5\n"
        "classes/0/a.png classes/1/a.png 2\n"
        "classes/0/a.png classes/2/a.png 1\n"
    )

    write(out / "segmentation/images/a.png", one_color(200, 10, 10))
    mask = [[0] * 4, [0] * 4, [1] * 4, [7] * 4]
    write(out / "segmentation/masks/a.png", png(mask))

    write(out / "regression/images/a.png", one_color(100, 100, 100))
    write(out / "regression/targets/a.png", one_color(110, 110, 110))


if __name__ == "__main__":
    main()
