# Part of Parallax, under the Apache License 2.0.
# SPDX-License-Identifier: Apache-2.0
#
# Reads the files out of a report:
#   list PAGE                 what is in it
#   show PAGE BUILD NAME      one of them
#   check PAGE BUILD FOLDER   those that a folder has are the same there
import base64
import gzip
import pathlib
import re
import sys

ELEMENT = re.compile(
    rb'<script type="application/gzip" data-build="(\d)" data-name="([a-z_./]+)">'
    rb"([A-Za-z0-9+/=]*)</script>"
)


def read(page):
    return [
        (build.decode(), name.decode(), gzip.decompress(base64.b64decode(text)))
        for build, name, text in ELEMENT.findall(pathlib.Path(page).read_bytes())
    ]


command, page, *rest = sys.argv[1:]
files = read(page)
if command == "list":
    for build, name, _ in files:
        print(build, name)
elif command == "show":
    for build, name, text in files:
        if [build, name] == rest:
            sys.stdout.buffer.write(text)
else:
    build, folder = rest
    compared = 0
    for own, name, text in files:
        path = pathlib.Path(folder) / name
        if own == build and path.exists():
            compared += 1
            if path.read_bytes() != text:
                sys.exit(f"{name} differs from the file in {folder}")
    if compared < 3:
        sys.exit(f"only {compared} files of {folder} are in {page}")
