#!/usr/bin/env python3
# Part of Parallax, under the Apache License 2.0.
# SPDX-License-Identifier: Apache-2.0
"""Writes a small network on pictures and samples in several formats for it.

Red is from 200 to 215, green from 100 to 115, blue from 10 to 25, brighter by
2 with each of the four samples, so that ranges tell what was done to them.

Usage: make_pictures.py OUTDIR
"""

import io
import pathlib
import struct
import sys
import tarfile
import zlib

from make_bad_models import model, node, port

SIDE, SAMPLES = 4, 4
RED, GREEN, BLUE = 200, 100, 10


def png(rows):
    """Rows of (red, green, blue), or of gray numbers."""

    def chunk(kind, data):
        body = kind + data
        return struct.pack(">I", len(data)) + body + struct.pack(">I", zlib.crc32(body))

    is_gray = isinstance(rows[0][0], int)
    kind = 0 if is_gray else 2
    header = struct.pack(">IIBBBBB", len(rows[0]), len(rows), 8, kind, 0, 0, 0)
    pixels = b"".join(
        b"\0" + bytes(row if is_gray else sum(row, ())) for row in rows
    )
    return (
        b"\x89PNG\r\n\x1a\n"
        + chunk(b"IHDR", header)
        + chunk(b"IDAT", zlib.compress(pixels))
        + chunk(b"IEND", b"")
    )


def colors(sample):
    """The pixels of a sample, row by row."""
    return [
        tuple(base + 2 * sample + i for base in (RED, GREEN, BLUE))
        for i in range(SIDE * SIDE)
    ]


def picture(sample):
    pixels = colors(sample)
    return png([pixels[i : i + SIDE] for i in range(0, len(pixels), SIDE)])


def raw(sample):
    """The same in the layout of the network, red first."""
    planes = zip(*colors(sample))
    return b"".join(struct.pack(f"<{SIDE * SIDE}f", *plane) for plane in planes)


def pack(path, extension, contents):
    with tarfile.open(path, "w") as archive:
        for sample in range(SAMPLES):
            data = contents(sample)
            entry = tarfile.TarInfo(f"{sample}.{extension}")
            entry.size = len(data)
            archive.addfile(entry, io.BytesIO(data))


def relu(batch, width=SIDE):
    shape = [batch, 3, SIDE, width]
    return model(
        [node("Relu", ["x"], ["y"])],
        inputs=[port("x", shape)],
        outputs=[port("y", shape)],
    )


def main():
    folder = pathlib.Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "pictures.onnx").write_bytes(relu(1))
    (folder / "batches.onnx").write_bytes(relu("batch"))
    # 3 columns of 3 colors, or 3 lines.
    (folder / "either.onnx").write_bytes(relu(1, width=3))
    pack(folder / "pictures.tar", "png", picture)
    pack(folder / "raw.tar", "bin", raw)


if __name__ == "__main__":
    main()
