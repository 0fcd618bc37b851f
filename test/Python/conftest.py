# Part of Parallax, under the Apache License 2.0.
# SPDX-License-Identifier: Apache-2.0
"""What the tests of the package share: models, and a folder to work in."""

import os
import pathlib
import re
import signal
import subprocess
import sys

import numpy as np
import pytest

import parallax

ROOT = pathlib.Path(__file__).resolve().parents[2]
TOOL = pathlib.Path(parallax.__file__).parent / "bin" / "parallax"
DIGITS = ROOT / "configs/quickstart/digits.onnx"
sys.path.append(os.fspath(ROOT / "test/Tools"))  # who writes models


def resident():
    """The bytes of this process that are in memory."""
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * 4096


def file_name(name):
    """What the tool calls the file of a tensor."""
    return re.sub(r"[^A-Za-z0-9_-]", "_", name)


def run_tool(model, options, feed, folder):
    """The outputs of `parallax run`, by name."""
    (folder / "in").mkdir(parents=True)
    for name, array in feed.items():
        np.save(folder / "in" / f"{file_name(name)}.npy", array)
    subprocess.run([TOOL, "run", "--model", model, "--input_dir", folder / "in",
                    "--output_dir", folder / "out", "--npy", *options],
                   check=True, capture_output=True,
                   env={**os.environ, "LD_PRELOAD": ""})  # a sanitizer of our own
    return ByName({path.stem: np.load(path)
                   for path in (folder / "out").glob("*.npy")})


class ByName(dict):
    """Arrays of files by the names of their tensors."""

    def __missing__(self, name):
        return self.get(file_name(name))


@pytest.fixture(scope="session", autouse=True)
def in_sources():
    """The configurations of the repository have paths that begin there."""
    os.chdir(ROOT)


@pytest.fixture(scope="session", autouse=True)
def interruptible():
    """Ctrl-C reaches Python, also where a shell runs the tests in the background
    and has told them to ignore it."""
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(scope="session")
def quickstart(tmp_path_factory, in_sources):
    """The quickstart, built and analyzed once."""
    return parallax.build("configs/quickstart.json",
                          output_dir=tmp_path_factory.mktemp("quickstart"))


@pytest.fixture(scope="session")
def image():
    return np.load(ROOT / "configs/quickstart/evaluation_images.npy")[:1].astype(
        np.float32)


@pytest.fixture(scope="session")
def labelled():
    """The labelled images of the quickstart, as a list of pairs."""
    images = np.load(ROOT / "configs/quickstart/evaluation_images.npy")
    labels = np.load(ROOT / "configs/quickstart/evaluation_labels.npy")
    return [(images[i:i + 1].astype(np.float32), labels[i])
            for i in range(len(images))]
