# Part of Parallax, under the Apache License 2.0.
# SPDX-License-Identifier: Apache-2.0
"""Trained models: a session gives the bits of `parallax run`."""

import json
import os
import pathlib

import numpy as np
import pytest

import parallax
from conftest import ROOT, run_tool

MODELS = json.loads((ROOT / "test/Conformance/ort/models.json").read_text())["models"]
CACHE = ROOT / "build/peer-models"
IS_FULL = os.environ.get("PARALLAX_TEST_FULL") == "1"


def random_inputs(model):
    random = np.random.default_rng(1)
    feed = {}
    for name, port in model["inputs"].items():
        low, high = port.get("range", (0, 1))
        values = low + (high - low) * random.random(port["shape"])
        feed[name] = (values if "float" in port["dtype"] else np.round(values)).astype(
            port["dtype"])
    return feed


@pytest.mark.parametrize("model", [
    pytest.param(model, id=model["name"]) for model in MODELS
    if model["in_ci"] or IS_FULL])
def test_bits_of_a_trained_model(model, tmp_path):
    path = CACHE / f"{model['name']}.onnx"
    if not path.exists():
        pytest.skip("the models were not fetched")
    feed = random_inputs(model)
    shapes = {name: array.shape for name, array in feed.items()}
    session = parallax.InferenceSession(path, input_shapes=shapes)
    found = session.run(None, feed)
    expected = run_tool(path, [
        "--input_shapes", ";".join(f"{name}:{'x'.join(map(str, shape))}"
                                   for name, shape in shapes.items())],
        feed, tmp_path / "float")
    assert found
    for port, array in zip(session.get_outputs(), found):
        assert array.tobytes() == expected[port.name].tobytes()

    built = parallax.build({"input": path, "output_dir": tmp_path / "built",
                            "input_shapes": session._shapes},
                           calibration=[feed], **{"quant.calibration_hold_out": False})
    compiled = parallax.InferenceSession(built.compiled_model)
    expected = run_tool(built.compiled_model, [], feed, tmp_path / "compiled")
    for port, array in zip(compiled.get_outputs(), compiled.run(None, feed)):
        assert array.tobytes() == expected[port.name].tobytes()
