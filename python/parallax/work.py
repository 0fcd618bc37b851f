# Part of Parallax, under the Apache License 2.0.
# SPDX-License-Identifier: Apache-2.0
"""Build, analyze, evaluate, tune, compare and inspect models.

A configuration is a file, or a dictionary with the same fields
(docs/config.md). Further keyword arguments are fields that win over it:
``output_dir="mine"``, ``quant={"precision_analysis": True}`` or
``**{"quant.precision_analysis": True}``.
"""

from __future__ import annotations

import json
import os
from functools import partial
from typing import Any, Iterable, Sequence

from . import _core
from ._config import Config, Configuration
from ._core import Error
from ._data import (Ports, calibration_fields, evaluation_fields, write_calibration,
                    write_evaluation)
from ._errors import (file_path, flags, iterable, number_between, text, thread_count,
                      whole_number)
from ._judge import EvalFunc, Strategy, propose_function, score_function
from ._listener import Events, Progress
from ._spool import Spool
from .results import Accuracy, BuildResult, Diff, Inspection, TuneResult


class _Job:
    """A configuration together with samples of the caller, while it is used."""

    def __init__(self, config: Config, overrides: dict[str, Any],
                 calibration: Iterable[Any] | None = None,
                 data: Iterable[Any] | None = None,
                 keep_samples: bool = False) -> None:
        self.config = Configuration(config, overrides)
        self._calibration = calibration
        self._data = data
        self._keeps = keep_samples
        self._spool: Spool | None = None

    def __enter__(self) -> Configuration:
        if self._calibration is None and self._data is None:
            return self.config
        self._spool = Spool(self.config.output_dir, self._keeps)
        try:
            self._write(self._spool)
        except BaseException:
            self._spool.close()
            raise
        return self.config

    def _write(self, spool: Spool) -> None:
        ports = Ports(self.config.model, self.config.input_shapes)
        if self._calibration is not None:
            folders = spool.write("calibration", partial(
                write_calibration, self._calibration, ports))
            self.config.set("quant.input_configs", calibration_fields(folders))
        if self._data is not None:
            fields = evaluation_fields(spool.write("evaluation", partial(
                write_evaluation, self._data, ports)))
            for name, value in fields.items():
                self.config.set(f"evaluation.{name}", value)

    def __exit__(self, *error: object) -> None:
        if self._spool:
            self._spool.close()


def _accuracy(record: dict[str, Any] | None) -> Accuracy | None:
    return Accuracy(**record) if record else None


def build(
    config: Config,
    *,
    calibration: Iterable[Any] | None = None,
    data: Iterable[Any] | None = None,
    keep_samples: bool = False,
    progress: Progress = None,
    threads: int = 0,
    only_check: bool = False,
    allow_unmatched: bool = False,
    fail_under: float | None = None,
    apply_suggestions: int = 0,
    phase_from: str = "",
    phase_to: str = "",
    **overrides: Any,
) -> BuildResult:
    """Compiles a model, as ``parallax build`` does.

    ``calibration`` is any iterable of arrays, of lists of arrays in the order of
    the inputs, or of dictionaries by input; ``data`` one of pairs (inputs,
    label). Both are read once, and batches are taken apart. They take the place
    of ``quant.input_configs`` and of the samples of ``evaluation``.
    ``keep_samples`` leaves them in the folder ``samples`` below ``output_dir``,
    where the configurations and cases of this build find them again.

    ``progress`` is called with a ``ProgressEvent``, or True for tqdm. The other
    arguments are the flags of these names.
    """
    extra = {
        "threads": thread_count(threads),
        "fail_under": None if fail_under is None else number_between(
            fail_under, "fail_under", -1, 1),
        "apply_suggestions": whole_number(apply_suggestions, "apply_suggestions"),
        "phase_from": text(phase_from, "phase_from"),
        "phase_to": text(phase_to, "phase_to"),
        **flags(only_check=only_check, allow_unmatched=allow_unmatched)}
    with _Job(config, overrides, calibration, data, keep_samples) as chosen:
        record = _core.build(chosen.file, chosen.text, extra, Events(progress))
    record["accuracy"] = _accuracy(record["accuracy"])
    return BuildResult(**record)


def analyze(
    config: Config,
    *,
    calibration: Iterable[Any] | None = None,
    data: Iterable[Any] | None = None,
    keep_samples: bool = False,
    progress: Progress = None,
    threads: int = 0,
    **overrides: Any,
) -> BuildResult:
    """Compiles a model and finds out where its precision goes.

    As ``build``, with ``quant.precision_analysis`` for both engines unless the
    configuration says otherwise.
    """
    fields = dict(overrides)
    fields.setdefault("quant.precision_analysis", True)
    if "precision_analysis_mode" not in _quant_of(config, overrides):
        fields.setdefault("quant.precision_analysis_mode", "Both")
    return build(config, calibration=calibration, data=data,
                 keep_samples=keep_samples, progress=progress, threads=threads,
                 **fields)


def _quant_of(config: Config, overrides: dict[str, Any]) -> dict[str, Any]:
    found = Configuration(config, overrides).fields.get("quant", {})
    return found if isinstance(found, dict) else {}


def evaluate(
    config: Config,
    models: Sequence[str | os.PathLike[str]] | None = None,
    *,
    eval_func: EvalFunc | None = None,
    data: Iterable[Any] | None = None,
    progress: Progress = None,
    threads: int = 0,
    **overrides: Any,
) -> Accuracy:
    """Measures how well models do their task, as ``parallax evaluate`` does.

    Without ``models``, they are the model of the configuration and what was
    built of it. ``eval_func`` takes an ``InferenceSession`` and returns a number
    in place of the metric of the task; ``data`` is an iterable of pairs (inputs,
    label).
    """
    names = [file_path(model, "a model") for model in iterable(
        [] if models is None else models, "models is a list of paths")]
    score = score_function(eval_func)
    threads = thread_count(threads)
    with _Job(config, overrides, data=data) as chosen:
        record = _core.evaluate(chosen.file, chosen.text, names, threads, score,
                                Events(progress))
        folder = "" if score else chosen.output_dir
    report = os.path.join(folder, "report.html") if folder else None
    return Accuracy(**record, report_file=report)


def tune(
    config: Config,
    eval_func: EvalFunc | None = None,
    *,
    calibration: Iterable[Any] | None = None,
    data: Iterable[Any] | None = None,
    custom_strategy: Strategy | None = None,
    keep_samples: bool = False,
    progress: Progress = None,
    threads: int = 0,
    resume: bool = False,
    pareto: bool = False,
    **overrides: Any,
) -> TuneResult:
    """Finds the cheapest network that keeps its accuracy, as ``parallax tune``.

    ``eval_func`` takes an ``InferenceSession``, which is valid during the call,
    and returns a number. A higher one is better unless
    ``tuning.accuracy_criterion.higher_is_better`` is false. If it raises,
    returns NaN or takes longer than ``evaluation.timeout`` seconds, the trial
    counts as failed; for the float network and the first trial that is an Error.

    ``custom_strategy`` takes the trials so far, as a list of dictionaries, and
    returns the fields to change for the next one, or None to end.

    With ``calibration`` or ``data``, the tuned configuration can only be built
    again if ``keep_samples`` is true.
    """
    extra = {"threads": thread_count(threads), "recover": -1,
             **flags(resume=resume, pareto=pareto)}
    score = score_function(eval_func)
    propose = propose_function(custom_strategy)
    with _Job(config, overrides, calibration, data, keep_samples) as chosen:
        return TuneResult(**_core.tune(chosen.file, chosen.text, extra, score,
                                       propose, Events(progress)))


def diff(before: str | os.PathLike[str], after: str | os.PathLike[str],
         tolerance: float = 0.0005) -> Diff:
    """Compares two analyses: output folders of builds, or their JSON files.

    It is a regression if the cosine of an output falls by more than
    ``tolerance``.
    """
    changes, shown = _core.diff(file_path(before, "the first build"),
                               file_path(after, "the second build"),
                               number_between(tolerance, "tolerance", 0, 2))
    return Diff(json.loads(changes), shown)


def inspect(model: str | os.PathLike[str],
            target_hardware: str = "generic") -> Inspection:
    """What is in a model: inputs, outputs, operators, and the cost on a chip."""
    path = file_path(model, "the model")
    return Inspection(path=path, **_core.inspect(
        path, text(target_hardware, "target_hardware")))
