# Part of Parallax, under the Apache License 2.0.
# SPDX-License-Identifier: Apache-2.0
"""Neural Compressor's words: loaders, rules by name, configurations in YAML."""

import os

import make_bad_models as onnx
import numpy as np
import pytest

import parallax
from conftest import DIGITS
from parallax.inc import (FP32, DataLoader, PostTrainingQuantConfig, Quantization,
                          TuningCriterion, quantization)

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


def two_inputs(folder, batch):
    """A model that adds two inputs; its names have an x, as sizes in texts do."""
    path = folder / "two.onnx"
    ports = [onnx.port(name, (batch, "max_x", 4)) for name in ("index", "x")]
    path.write_bytes(onnx.model([onnx.node("Add", ["index", "x"], ["y"])],
                                inputs=ports, outputs=[onnx.port("y", (1, 3, 4))]))
    return os.fspath(path)


ONE, FOUR = np.ones((1, 3, 4), np.float32), np.ones((4, 3, 4), np.float32)


@pytest.mark.parametrize("batch", [1, "batch"])
@pytest.mark.parametrize("item, size", [
    (([FOUR, FOUR], np.arange(4)), 4),
    (((FOUR, FOUR), np.arange(4)), 4),
    (({"index": FOUR, "x": FOUR}, np.arange(4)), 4),
    ({"index": FOUR, "x": FOUR}, 4),
    ([FOUR, FOUR], 4),
    (([ONE, ONE], 5), 1),
    ((ONE, ONE), 1),
])
def test_samples_are_counted(batch, item, size, tmp_path, monkeypatch):
    """Exactly as many samples are taken as wanted, whatever the batches are."""
    taken, samples = [], []
    monkeypatch.setattr("parallax.inc.build",
                        lambda config, calibration: samples.extend(calibration))

    def loader():
        for i in range(20):
            taken.append(i)
            yield item

    config = PostTrainingQuantConfig(
        calibration_sampling_size=[7], output_dir=tmp_path / "out")
    quantization.fit(two_inputs(tmp_path, batch), config, loader())
    assert len(samples) == 7 and len(taken) == -(-7 // size)
    for sample in samples:
        assert {name: array.shape for name, array in sample.items()} == {
            "index": (1, 3, 4), "x": (1, 3, 4)}


@pytest.mark.parametrize("size", [0, -1, [], "100", None, 2.5])
def test_a_wrong_number_of_samples(size, tmp_path):
    config = PostTrainingQuantConfig(calibration_sampling_size=size,
                                     output_dir=tmp_path)
    with pytest.raises(parallax.Error, match="calibration_sampling_size"):
        quantization.fit(os.fspath(DIGITS), config, calib_dataloader=[1])


class NoPlaces:
    """A data set that can only be iterated over."""

    def __getitem__(self, i):
        if i == 4:
            raise IndexError
        return np.zeros((1, 8, 8), np.float32), i


@pytest.mark.parametrize("dataset", [
    NoPlaces(), iter(NoPlaces()), list(NoPlaces()), tuple(NoPlaces())])
def test_data_sets(dataset):
    batches = list(DataLoader(dataset=dataset, batch_size=3))
    assert [inputs.shape for inputs, _ in batches] == [(3, 1, 8, 8), (1, 1, 8, 8)]
    assert [list(labels) for _, labels in batches] == [[0, 1, 2], [3]]


@pytest.mark.parametrize("dataset, size, words", [
    ([np.zeros((1, 8, 8))], 1, "pairs"), ([5], 1, "pairs"),
    ([(np.zeros(3), 0), (np.zeros(4), 0)], 2, "batch_size=1"),
    ([], 0, "batch_size"), ([], "2", "batch_size")])
def test_data_sets_that_give_something_else(dataset, size, words):
    with pytest.raises(parallax.Error, match=words):
        list(DataLoader(dataset=dataset, batch_size=size))


@pytest.mark.parametrize("fields, words", [
    ({"recipes": {"smooth_quant": True, "smooth_quant_args": 5}}, "smooth_quant_args"),
    ({"recipes": [1]}, "recipes of a PostTrainingQuantConfig is a Mapping"),
    ({"approach": 5}, "approach"), ({"op_name_dict": [1]}, "op_name_dict"),
    ({"op_type_dict": {"Conv": {"activation": {"dtype": []}}}}, "no types"),
    ({"accuracy_criterion": 5}, "AccuracyCriterion"), ({"tuning_criterion": 5}, "Tuning"),
    ({"tuning_criterion": TuningCriterion(timeout="x")}, "timeout of a TuningCriterion"),
    ({"tuning_criterion": TuningCriterion(objective=["size"])}, "objective"),
    ({"output_dir": 5}, "output_dir"), ({"diagnosis": "yes"}, "diagnosis")])
def test_fields_that_are_something_else(fields, words, tmp_path):
    config = PostTrainingQuantConfig(**{"output_dir": tmp_path, **fields})
    with pytest.raises(parallax.Error, match=words):
        quantization.fit(DIGITS, config, [np.zeros((1, 1, 8, 8), np.float32)],
                         eval_func=lambda session: 1.0)


@pytest.mark.parametrize("config", [None, {}, "conf.yaml"])
def test_a_configuration_that_is_something_else(config):
    with pytest.raises(parallax.Error, match="a PostTrainingQuantConfig was expected"):
        quantization.fit(DIGITS, config, [np.zeros((1, 1, 8, 8), np.float32)])


def test_files_that_are_something_else(tmp_path):
    for path in (tmp_path / "nothing.yaml", DIGITS):
        with pytest.raises(parallax.Error, match="cannot read|is not YAML"):
            Quantization(path)
    config = PostTrainingQuantConfig(output_dir=tmp_path / "out")
    model = quantization.fit(DIGITS, config, [np.zeros((1, 1, 8, 8), np.float32)])
    assert "quant_axmodel.onnx" in repr(model)
    with pytest.raises(parallax.Error, match="cannot write"):
        model.save(tmp_path / "nothing" / "model.onnx")


def test_patterns_with_dots(tmp_path, labelled):
    """The pattern reaches the tuning as it was written."""
    config = PostTrainingQuantConfig(
        op_name_dict={r"/stem/con.\/Conv": FP32}, output_dir=tmp_path,
        tuning_criterion=TuningCriterion(max_trials=2))
    model = quantization.fit(DIGITS, config, calib_dataloader=labelled[:8],
                             eval_func=lambda session: 1.0)
    stem = model.session().run_layers({"image": labelled[0][0]}, ["/stem/conv/Conv"])
    assert stem and all(layer.values.dtype == np.float32 for layer in stem)
