# Part of Parallax, under the Apache License 2.0.
# SPDX-License-Identifier: Apache-2.0
"""Writes what fuzz-data starts from: small archives, pickles and pictures.

Usage: make_data_seeds.py CORPUS_DIR PICKLED_DICTS_H

PICKLED_DICTS_H is the unit tests' collection of pickles that NumPy wrote, so
that NumPy need not be installed.
"""
import gzip
import io
import re
import struct
import sys
import tarfile
import zipfile
import zlib

corpus, dicts = sys.argv[1:]


def save(name, data):
    with open(f"{corpus}/{name}", "wb") as file:
        file.write(data)


def tar(form):
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w", format=form) as archive:
        for name, kind in (("a/1.npy", tarfile.REGTYPE),
                           ("\u00e9" * 80 + "/2.npy", tarfile.REGTYPE),
                           ("link", tarfile.SYMTYPE)):
            entry = tarfile.TarInfo(name)
            entry.type, entry.linkname = kind, "a/1.npy"
            entry.size = 9 if kind == tarfile.REGTYPE else 0
            archive.addfile(entry, io.BytesIO(b"some data"))
    return buffer.getvalue()


for name, form in (("ustar", tarfile.GNU_FORMAT), ("pax", tarfile.PAX_FORMAT)):
    save(f"{name}.tar", tar(form))
    save(f"{name}.tar.gz", gzip.compress(tar(form), mtime=0))

for name, method in (("stored", zipfile.ZIP_STORED),
                     ("deflated", zipfile.ZIP_DEFLATED)):
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", method) as archive:
        archive.writestr(zipfile.ZipInfo("a/1.npy"), b"some data" * 9, method)
        archive.writestr(zipfile.ZipInfo("2.npy"), b"")
    save(f"{name}.zip", buffer.getvalue())

header = b"{'descr': '|O', 'fortran_order': False, 'shape': (), }\n"
with open(dicts, encoding="utf-8") as file:
    text = file.read().split("pickledDicts[]")[1]
for protocol, digits in enumerate(text.split(",\n")):
    data = bytes.fromhex("".join(re.findall(r'"([0-9a-f]+)"', digits)))
    save(f"dict{protocol}.pkl", data)
    save(f"dict{protocol}.npy",
         b"\x93NUMPY\1\0" + struct.pack("<H", len(header)) + header + data)


def chunk(kind, data):
    return (struct.pack(">I", len(data)) + kind + data +
            struct.pack(">I", zlib.crc32(kind + data)))


save("1.png", b"\x89PNG\r\n\x1a\n" +
     chunk(b"IHDR", struct.pack(">IIBBBBB", 2, 2, 8, 0, 0, 0, 0)) +
     chunk(b"IDAT", zlib.compress(b"\0ab\0cd")) + chunk(b"IEND", b""))
save("1.bmp", b"BM" + struct.pack("<IHHIIiiHHIIiiII", 70, 0, 0, 54, 40, 2, 2,
                                  1, 24, 0, 16, 0, 0, 0, 0) + bytes(16))
save("1.jpg", b"\xff\xd8\xff\xe0\0\4JF\xff\xc0\0\x0b\x08\0\2\0\2\1\1\x11\0"
     b"\xff\xda\0\x08\1\1\0\0\x3f\0\x55\xff\xd9")
