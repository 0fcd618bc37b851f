# Part of Parallax, under the Apache License 2.0.
# SPDX-License-Identifier: Apache-2.0
"""Neural Compressor's version 1: a configuration in YAML."""

import os

import numpy as np
import pytest

import parallax
from conftest import DIGITS
from parallax.inc import Quantization

CONFIG = """
model:
  name: digits
  framework: onnxrt_qdqops
quantization:
  approach: post_training_static_quant
  calibration:
    sampling_size: 16, 32
  op_wise: {
    '/stem/conv/Conv': {'activation': {'dtype': ['fp32']}, 'weight': {'dtype': ['fp32']}}
  }
tuning:
  strategy:
    name: mse
  accuracy_criterion:
    absolute: 0.02
    higher_is_better: True
  exit_policy:
    timeout: 0
    max_trials: 3
  random_seed: 9527
"""


def test_a_configuration_in_yaml(tmp_path, labelled):
    (tmp_path / "conf.yaml").write_text(CONFIG)
    quantizer = Quantization(tmp_path / "conf.yaml")
    config = quantizer.config
    assert config.calibration_sampling_size == [16, 32]
    assert config.accuracy_criterion.criterion == "absolute"
    assert config.accuracy_criterion.tolerable_loss == 0.02
    assert config.tuning_criterion.strategy == "mse"
    assert config.tuning_criterion.max_trials == 3
    config.output_dir = tmp_path / "out"
    taken = []

    def loader():
        for image, label in labelled:
            taken.append(label)
            yield image, label

    quantizer.model = os.fspath(DIGITS)
    quantizer.calib_dataloader = loader()
    quantizer.eval_func = lambda session: np.mean([
        session.run(None, {"image": image})[0].argmax() == label
        for image, label in labelled[:20]])
    model = quantizer.fit()
    assert len(taken) == 16
    assert model.result.is_met and len(model.result.trials) <= 3
    layers = model.session().run_layers({"image": labelled[0][0]})
    stem = [layer for layer in layers if layer.layer == "/stem/conv/Conv"]
    assert stem and all(layer.values.dtype == np.float32 for layer in stem)


@pytest.mark.parametrize("text, words", [
    ("quantization: {approach: post_training_dynamic_quant}", "use 'static'"),
    ("tuning: {strategy: {name: bayesian}}", "no strategy 'bayesian'"),
    ("quantization: {op_wise: {x: {activation: {dtype: [bf16]}}}}", "types of 'x'"),
    ("tuning: 5", "not a configuration of Neural Compressor"),
    ("{[", "not YAML"),
])
def test_yaml_that_says_something_else(text, words, tmp_path):
    (tmp_path / "conf.yaml").write_text(text)
    with pytest.raises(parallax.Error, match=words):
        quantizer = Quantization(tmp_path / "conf.yaml")
        quantizer.config.output_dir = tmp_path / "out"
        quantizer.model, quantizer.calib_dataloader = os.fspath(DIGITS), [1]
        quantizer.eval_func = lambda session: 1.0
        quantizer.fit()
