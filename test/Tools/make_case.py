# Part of Parallax, under the Apache License 2.0.
# SPDX-License-Identifier: Apache-2.0
"""Writes case files without a line of Parallax, as a stranger would.

Usage: make_case.py CASE [KIND]

KIND spoils the case: 'extra', 'missing', 'changed', 'escape', 'link', 'schema',
'unsealed' or 'leads-out'.
"""
import hashlib
import io
import json
import os
import struct
import sys
import zipfile

case, kind = (sys.argv[1:] + [""])[:2]
config = {"input": "model/net.onnx"}
if kind == "leads-out":
    config["output_dir"] = "/tmp/parallax-evil"
files = {
    "config.json": json.dumps(config).encode() + b"\n",
    "data/x/0000.npy": b"one",
    "data/x/0001.npy": b"two!",
    "model/net.onnx": bytes(range(200)),
    "ticket.md": b"# A problem\n",
}
manifest = {
    "schema": 2 if kind == "schema" else 1,
    "tool": {"version": "9.8.7", "compiler": "some compiler",
             "commit": "0123456789ab"},
    "command": "parallax build --config config.json",
    "verdict": "\x1b[31mConv_3 loses precision",
    "replaced": ["names", "weights"],
    "files": [{"path": path, "size": len(data),
               "sha256": hashlib.sha256(data).hexdigest()}
              for path, data in sorted(files.items())],
}
if kind == "missing":
    del files["ticket.md"]
elif kind == "changed":
    files["ticket.md"] = b"# a problem\n"
elif kind == "extra":
    files["more.txt"] = b"x"
elif kind == "escape":
    files["../evil"] = b"x"

buffer = io.BytesIO()
with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
    archive.writestr("manifest.json", json.dumps(manifest))
    for path, data in files.items():
        archive.writestr(path, data)
    if kind == "link":
        entry = zipfile.ZipInfo("data/link")
        entry.external_attr = 0o120777 << 16
        archive.writestr(entry, "/etc/passwd")
data = buffer.getvalue()
if kind != "unsealed":
    # The length of the comment comes before it, and is sealed with the rest.
    prefix = b"parallax-case sha256:"
    data = data[:-2] + struct.pack("<H", len(prefix) + 64)
    data += prefix + hashlib.sha256(data).hexdigest().encode()
os.makedirs(os.path.dirname(case) or ".", exist_ok=True)
with open(case, "wb") as file:
    file.write(data)
