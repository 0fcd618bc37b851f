# Part of Parallax, under the Apache License 2.0.
# SPDX-License-Identifier: Apache-2.0
"""The words of Intel Neural Compressor, for scripts that were written for it.

``from neural_compressor import quantization, PostTrainingQuantConfig`` becomes
``from parallax.inc import quantization, PostTrainingQuantConfig``. What a
network for NPUs can't have is refused, and what has no effect here is accepted
and ignored: docs/from-neural-compressor.md lists both.
"""

from __future__ import annotations

import csv
import itertools
import os
import shutil
import time
from dataclasses import dataclass, field
from pathlib import Path
from types import SimpleNamespace
from typing import Any, Callable, Iterable, Iterator, Mapping

from ._core import Error
from ._data import Ports, samples_of
from ._errors import file_path, iterable, whole_number
from .results import BuildResult, TuneResult
from .session import InferenceSession
from .work import build, tune

_TYPES = {"fp32": "FP32", "int8": "U8", "uint8": "U8", "int16": "U16",
          "uint16": "U16"}
_OBJECTIVES = {"performance": "cycles", "modelsize": "size", "footprint": "size"}
_STRATEGIES = {"auto", "basic", "mse", "exhaustive", "random"}

FP32: dict[str, Any] = {"weight": {"dtype": ["fp32"]},
                        "activation": {"dtype": ["fp32"]}}
"""For ``op_name_dict`` and ``op_type_dict``: these layers compute in float."""


@dataclass
class AccuracyCriterion:
    """How much of the metric may be lost: ``criterion`` is relative or absolute."""

    higher_is_better: bool = True
    criterion: str = "relative"
    tolerable_loss: float = 0.01


@dataclass
class TuningCriterion:
    """How to look for a network: ``strategy``, and when to stop."""

    strategy: str = "basic"
    strategy_kwargs: Mapping[str, Any] | None = None
    timeout: int = 0
    max_trials: int = 100
    objective: str = "performance"


@dataclass
class PostTrainingQuantConfig:
    """How to quantize a network, with the fields that Neural Compressor has.

    ``output_dir`` and ``target_hardware`` are ours: where results go, and the
    chip that they are for.
    """

    device: str = "npu"
    backend: str = "default"
    domain: str = "auto"
    recipes: Mapping[str, Any] = field(default_factory=dict)
    quant_format: str = "default"
    inputs: list[str] = field(default_factory=list)
    outputs: list[str] = field(default_factory=list)
    approach: str = "static"
    calibration_sampling_size: int | list[int] = field(default_factory=lambda: [100])
    op_type_dict: Mapping[str, Any] | None = None
    op_name_dict: Mapping[str, Any] | None = None
    excluded_precisions: list[str] = field(default_factory=list)
    quant_level: int | str = "auto"
    accuracy_criterion: AccuracyCriterion = field(default_factory=AccuracyCriterion)
    tuning_criterion: TuningCriterion = field(default_factory=TuningCriterion)
    diagnosis: bool = False
    output_dir: str | os.PathLike[str] = "nc_output"
    target_hardware: str = "AX650"


class DataLoader:
    """Batches of a data set whose items are pairs (input, label)."""

    def __init__(self, framework: str = "onnxruntime", dataset: Any = (),
                 batch_size: int = 1) -> None:
        self.dataset = dataset
        self.batch_size = whole_number(batch_size, "batch_size", least=1)

    def __iter__(self) -> Iterator[tuple[Any, Any]]:
        has_places = hasattr(self.dataset, "__getitem__") and hasattr(
            self.dataset, "__len__")
        items = (self.dataset[i] for i in range(len(self.dataset))) if has_places \
            else iter(self.dataset)
        while batch := list(itertools.islice(items, self.batch_size)):
            if not all(isinstance(item, (tuple, list)) and len(item) == 2
                       for item in batch):
                raise Error("the items of the data set of a DataLoader are pairs "
                            "(input, label); give other iterables as they are")
            yield _stacked([item[0] for item in batch]), _stacked(
                [item[1] for item in batch])


def _stacked(values: list[Any]) -> Any:
    import numpy

    if isinstance(values[0], Mapping):
        return {name: _stacked([value[name] for value in values])
                for name in values[0]}
    if isinstance(values[0], (tuple, list)):
        return [_stacked(list(column)) for column in zip(*values)]
    try:
        return numpy.stack([numpy.asarray(value) for value in values])
    except ValueError as error:
        raise Error(f"the samples of a batch have different shapes: {error}; use "
                    "batch_size=1") from error


class QuantizedModel:
    """What ``quantization.fit`` gives.

    ``model`` is the path of the quantized ONNX model, ``result`` what
    ``parallax.build`` or ``parallax.tune`` have returned.
    """

    def __init__(self, folder: str, result: BuildResult | TuneResult) -> None:
        self.result = result
        self.model = os.path.join(folder, "quant", "quant_axmodel.onnx")
        self.compiled_model = os.path.join(folder, "compiled.axmodel")

    def __repr__(self) -> str:
        return f"QuantizedModel(model={self.model!r}, result={self.result!r})"

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the compiled model to a path that ends in ``.axmodel``, and the
        quantized ONNX model to any other."""
        target = file_path(path, "where the model is saved")
        is_compiled = target.endswith(".axmodel")
        try:
            shutil.copyfile(self.compiled_model if is_compiled else self.model, target)
        except OSError as error:
            raise Error(f"cannot write {target}: {error.strerror}") from error

    def session(self) -> InferenceSession:
        """The compiled model, ready to run."""
        return InferenceSession(self.compiled_model)


def _model_file(model: Any, folder: str) -> str:
    """The path of a model that may be in memory, as ``onnx.load`` gives it."""
    if hasattr(model, "SerializeToString"):
        model = model.SerializeToString()
    if not isinstance(model, bytes):
        return file_path(model, "the model, unless it is in memory,")
    os.makedirs(folder, exist_ok=True)
    path = os.path.join(folder, "model.onnx")
    Path(path).write_bytes(model)
    return path


def _types_of(entry: Any, name: str) -> list[str]:
    """The types of an entry of op_name_dict or op_type_dict."""
    try:
        asked = entry.get("activation", entry.get("weight"))["dtype"]
        types = [_TYPES[each] for each in ([asked] if isinstance(asked, str) else asked)]
    except (AttributeError, KeyError, TypeError) as error:
        raise Error(f"the types of '{name}' are not of the form "
                    f"{{'activation': {{'dtype': ['fp32']}}}} with one of "
                    f"{', '.join(_TYPES)}: {entry!r:.80}") from error
    if not types:
        raise Error(f"'{name}' has no types; leave it out, or name some of "
                    f"{', '.join(_TYPES)}")
    return list(dict.fromkeys(types))


def _allowed(entries: Mapping[str, Any] | None) -> dict[str, list[str]]:
    return {name: _types_of(entry, name) for name, entry in (entries or {}).items()}


def _rules(config: PostTrainingQuantConfig) -> list[dict[str, Any]]:
    """Layers that a build gives another type than U8, the last one that is
    allowed: names override operators, and the first pattern wins."""
    rules: list[dict[str, Any]] = []
    for name, types in reversed(_allowed(config.op_type_dict).items()):
        rules.append({"op_type": name, "data_type": types[-1]})
    for name, types in reversed(_allowed(config.op_name_dict).items()):
        rules.append({"layer_name_regex": name, "data_type": types[-1]})
    return rules


# What has to be of a type, or of one of several.
_KINDS: dict[type, dict[str, Any]] = {
    PostTrainingQuantConfig: {
        "recipes": Mapping, "approach": str, "op_type_dict": (Mapping, type(None)),
        "op_name_dict": (Mapping, type(None)), "accuracy_criterion": AccuracyCriterion,
        "tuning_criterion": TuningCriterion, "diagnosis": bool,
        "output_dir": (str, os.PathLike)},
    TuningCriterion: {"strategy": str, "objective": str, "timeout": (int, float),
                      "max_trials": int},
}


def _check_kinds(config: Any, wanted: type) -> None:
    """Refuses a configuration, or a field of it, that is something else."""
    if not isinstance(config, wanted):
        raise Error(f"a {wanted.__name__} was expected, but this is {config!r:.60}")
    for name, kinds in _KINDS[wanted].items():
        value = getattr(config, name)
        if not isinstance(value, kinds):
            names = [kind.__name__ for kind in (
                kinds if isinstance(kinds, tuple) else (kinds,))]
            raise Error(f"{name} of a {wanted.__name__} is a {' or '.join(names)}, but "
                        f"this is {value!r:.60}")


def _quant_fields(config: PostTrainingQuantConfig) -> dict[str, Any]:
    if not config.approach.endswith(("static", "static_quant")):
        raise Error(f"approach '{config.approach}': an NPU has the ranges of its "
                    "tensors in advance; use 'static'")
    recipes = dict(config.recipes)
    fields: dict[str, Any] = {}
    if recipes.pop("smooth_quant", False):
        fields["enable_smooth_quant"] = True
        arguments = recipes.pop("smooth_quant_args", {})
        if not isinstance(arguments, Mapping):
            raise Error("smooth_quant_args is a dictionary such as {'alpha': 0.5}, but "
                        f"this is {arguments!r:.60}")
        if "alpha" in arguments:
            fields["smooth_quant_strength"] = arguments["alpha"]
    if recipes.pop("fast_bias_correction", False):
        fields["enable_bias_correction"] = True
    if unknown := [name for name, value in recipes.items() if value]:
        raise Error(f"there is no recipe '{unknown[0]}' here; there are smooth_quant, "
                    "smooth_quant_args and fast_bias_correction")
    return fields


def _tuning_fields(config: PostTrainingQuantConfig) -> dict[str, Any]:
    search, keep = config.tuning_criterion, config.accuracy_criterion
    if search.strategy not in _STRATEGIES:
        raise Error(f"there is no strategy '{search.strategy}' here; there are "
                    f"{', '.join(sorted(_STRATEGIES))}")
    if search.objective not in _OBJECTIVES:
        raise Error(f"there is no objective '{search.objective}' here; there are "
                    f"{', '.join(_OBJECTIVES)}")
    return {"strategy": search.strategy, "objective": _OBJECTIVES[search.objective],
            "accuracy_criterion": {"higher_is_better": keep.higher_is_better,
                                   "criterion": keep.criterion,
                                   "tolerable_loss": keep.tolerable_loss},
            "exit_policy": {"timeout": int(search.timeout),
                            "max_trials": search.max_trials},
            "op_name_dict": _allowed(config.op_name_dict),
            "op_type_dict": _allowed(config.op_type_dict)}


def _samples(loader: Iterable[Any], config: PostTrainingQuantConfig,
             model: str) -> Iterator[Any]:
    """As many samples as wanted, of a loader that gives pairs (input, label) or
    inputs alone."""
    size = config.calibration_sampling_size
    most = next(iter(size), 0) if isinstance(size, (list, tuple)) else size
    if not isinstance(most, int) or most < 1:
        raise Error("calibration_sampling_size is a number of samples or a list that "
                    f"begins with one, but this is {size!r:.40}")
    ports = Ports(model)
    items = iterable(loader, "calib_dataloader is an iterable of inputs, or of pairs "
                             "(input, label)")
    return itertools.islice(
        samples_of((_without_label(item, ports) for item in items), ports), most)


def _without_label(item: Any, ports: Ports) -> Any:
    if not isinstance(item, (tuple, list)) or len(item) != 2:
        return item
    is_two_inputs = len(ports.names) == 2 and not isinstance(
        item[0], (tuple, list, Mapping))
    return item if is_two_inputs else item[0]


# Our columns of the tables, and the names that Neural Compressor has for them.
_STATISTICS = {"min": "min", "max": "max", "mean": "mean",
               "std": "standard deviation", "var": "variance"}
_COLUMNS = {
    "activations_table.csv": {"OP name": "OP name", "MSE": "MSE",
                              "Float min": "Activation min",
                              "Float max": "Activation max"},
    "weights_table.csv": {"OP name": "OP name", "MSE": "MSE"}
    | {f"Float {ours}": f"Input model {theirs}" for ours, theirs in _STATISTICS.items()}
    | {f"Quantized {ours}": f"Optimized model {theirs}"
       for ours, theirs in _STATISTICS.items()},
}


def _write_diagnosis(output_dir: str) -> None:
    """The tables, where scripts of Neural Compressor look for them."""
    folder = Path("nc_workspace", time.strftime("%Y-%m-%d_%H-%M-%S"))
    folder.mkdir(parents=True, exist_ok=True)
    for name, columns in _COLUMNS.items():
        with open(Path(output_dir, "quant", "debug", name), newline="") as source:
            rows = list(csv.DictReader(source))
        with open(folder / name, "w", newline="") as file:
            writer = csv.writer(file)
            writer.writerow(columns.values())
            writer.writerows([row[ours] for ours in columns] for row in rows)


def fit(model: Any, conf: PostTrainingQuantConfig,
        calib_dataloader: Iterable[Any] | None = None,
        calib_func: Callable[..., Any] | None = None,
        eval_func: Callable[[InferenceSession], float] | None = None,
        eval_dataloader: Iterable[Any] | None = None,
        eval_metric: Any = None, **kwargs: Any) -> QuantizedModel:
    """Quantizes a model; with ``eval_func``, finds one that keeps its accuracy.

    ``model`` is a path, bytes, or what ``onnx.load`` gives. ``eval_func`` gets
    an ``InferenceSession``. ``diagnosis`` analyzes the result, and puts the
    tables below ``nc_workspace`` as Neural Compressor does.
    """
    _check_kinds(conf, PostTrainingQuantConfig)
    _check_kinds(conf.tuning_criterion, TuningCriterion)
    if calib_dataloader is None:
        raise Error("calib_dataloader is missing: an iterable of inputs, or of pairs "
                    "(input, label)")
    if calib_func is not None or eval_metric is not None or eval_dataloader is not None:
        raise Error("calib_func, eval_dataloader and eval_metric are not known here; "
                    "use calib_dataloader and eval_func")
    folder = os.fspath(conf.output_dir)
    quant = _quant_fields(conf)
    path = _model_file(model, folder)
    config = {"input": path, "output_dir": folder,
              "target_hardware": conf.target_hardware, "quant": quant}
    if conf.diagnosis:
        quant["precision_analysis"] = True
    samples = _samples(calib_dataloader, conf, path)
    result: BuildResult | TuneResult
    if eval_func is not None:
        result = tune(config, eval_func, calibration=samples,
                      tuning=_tuning_fields(conf))
    else:
        quant["layer_configs"] = _rules(conf)
        result = build(config, calibration=samples)
    if conf.diagnosis:
        _write_diagnosis(folder)
    return QuantizedModel(folder, result)


def _config_of_yaml(fields: Mapping[str, Any]) -> PostTrainingQuantConfig:
    """The sections of version 1 in the words of version 2."""
    quant, tuning = fields.get("quantization", {}), fields.get("tuning", {})
    criterion = tuning.get("accuracy_criterion", {"relative": 0.01})
    kind = "absolute" if "absolute" in criterion else "relative"
    policy, strategy = tuning.get("exit_policy", {}), tuning.get("strategy", {})
    size = quant.get("calibration", {}).get("sampling_size", 100)
    if isinstance(size, str):  # "100, 200"
        size = [int(each) for each in size.split(",")]
    return PostTrainingQuantConfig(
        approach=quant.get("approach", "static"), recipes=quant.get("recipes", {}),
        calibration_sampling_size=size, op_name_dict=quant.get("op_wise"),
        accuracy_criterion=AccuracyCriterion(
            criterion.get("higher_is_better", True), kind,
            criterion.get(kind, 0.01)),
        tuning_criterion=TuningCriterion(
            strategy.get("name", "basic"), timeout=policy.get("timeout", 0),
            max_trials=policy.get("max_trials", 100)))


quantization = SimpleNamespace(fit=fit)
"""``quantization.fit``, as Neural Compressor 2 has it."""


class Quantization:
    """The interface of Neural Compressor 1, with its configuration in YAML.

    Set ``model``, ``calib_dataloader`` and ``eval_func``, then call ``fit``.
    """

    def __init__(self, config: str | os.PathLike[str]) -> None:
        from importlib import import_module

        try:
            yaml = import_module("yaml")
        except ImportError as error:
            raise Error("YAML is read by the package python3-yaml, which is "
                        "missing") from error
        path = file_path(config, "the configuration")
        try:
            with open(path, encoding="utf-8") as file:
                fields = yaml.safe_load(file) or {}
        except OSError as error:
            raise Error(f"cannot read {path}: {error.strerror}") from error
        except (yaml.YAMLError, UnicodeDecodeError) as error:
            raise Error(f"{path} is not YAML: {error}") from error
        try:
            self.config = _config_of_yaml(fields)
        except (AttributeError, TypeError, ValueError) as error:
            raise Error(f"{path} is not a configuration of Neural Compressor: "
                        f"{error}") from error
        self.model: Any = None
        self.calib_dataloader: Iterable[Any] | None = None
        self.eval_func: Callable[[InferenceSession], float] | None = None

    def fit(self) -> QuantizedModel:
        """Finds a network that keeps the accuracy."""
        return fit(self.model, self.config, self.calib_dataloader,
                   eval_func=self.eval_func)
