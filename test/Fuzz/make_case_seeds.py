# Part of Parallax, under the Apache License 2.0.
# SPDX-License-Identifier: Apache-2.0
"""Writes what fuzz-case starts from: manifests, digests, and zip files without a
seal.

Usage: make_case_seeds.py CORPUS_DIR

Each file of a seed holds its own path, as fuzz-case expects it.
"""
import hashlib
import io
import json
import sys
import zipfile

corpus = sys.argv[1]
paths = ("config.json", "model/net.onnx")


def manifest(**changes):
    return json.dumps({
        "schema": 1,
        "tool": {"version": "1", "compiler": "c", "commit": ""},
        "command": "parallax build",
        "verdict": "bad",
        "replaced": ["names"],
        "files": [{"path": path, "size": len(path),
                   "sha256": hashlib.sha256(path.encode()).hexdigest()}
                  for path in paths],
    } | changes)


def save(name, data):
    with open(f"{corpus}/{name}", "wb") as file:
        file.write(data)


save("manifest.json", manifest().encode())
save("empty.json", manifest(files=[]).encode())
save("newer.json", manifest(schema=2).encode())
tensor = {"layer": "a", "tensor": "b", "dtype": "uint8", "shape": [1, 2],
          "sha256": "00"}
save("tensors.json", json.dumps(
    {"schema": 1, "npu": [tensor], "reference": []}).encode())
for name, method in (("stored", zipfile.ZIP_STORED),
                     ("deflated", zipfile.ZIP_DEFLATED)):
    for odd in ("", "../x", "link"):
        buffer = io.BytesIO()
        with zipfile.ZipFile(buffer, "w", method) as archive:
            archive.writestr(zipfile.ZipInfo("manifest.json"), manifest(),
                             method)
            for path in paths:
                archive.writestr(zipfile.ZipInfo(path), path, method)
            if odd:
                entry = zipfile.ZipInfo(odd)
                entry.external_attr = 0o120777 << 16
                archive.writestr(entry, "target", method)
        save(f"{name}{len(odd)}.zip", buffer.getvalue())
