# Part of Parallax, under the Apache License 2.0.
# SPDX-License-Identifier: Apache-2.0
"""What builds, evaluations and tunings give.

Tables are lists of dictionaries, which ``pandas.DataFrame`` takes as they are.
"""

from __future__ import annotations

import html
import json
import math
import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Iterable, Mapping, Sequence

from ._core import Error
from ._errors import whole_number

if TYPE_CHECKING:
    import numpy as np

Record = dict[str, Any]


def _cell(value: Any) -> str:
    text = f"{value:.6g}" if isinstance(value, float) else str(value)
    return html.escape(text)


def html_table(records: Iterable[Mapping[str, Any]], title: str = "",
               most: int = 50) -> str:
    """Records as a table for notebooks; the first ``most`` of them."""
    rows = list(records)
    if not rows:
        return ""
    names = list(rows[0])
    head = "".join(f"<th>{html.escape(name)}</th>" for name in names)
    body = "".join(
        "<tr>" + "".join(f"<td>{_cell(row.get(name, ''))}</td>" for name in names)
        + "</tr>" for row in rows[:most])
    more = f"<p>{len(rows) - most} more rows</p>" if len(rows) > most else ""
    caption = f"<caption>{html.escape(title)}</caption>" if title else ""
    return f"<table>{caption}<tr>{head}</tr>{body}</table>{more}"


# A notebook keeps what it shows, and becomes slow when it is large.
_MOST_SHOWN = 16 << 20


def _link(path: str, text: str) -> str:
    """A link that notebooks follow: relative, if the file is below theirs."""
    near = os.path.relpath(path)
    target = Path(path).absolute().as_uri() if near.startswith("..") else near
    return f'<a href="{html.escape(target)}" target="_blank">{html.escape(text)}</a>'


def _report_line(path: str | None) -> str:
    """Where the report is, in a notebook; nothing where there is none."""
    if path is None or not os.path.exists(path):
        return ""
    return (f"<p>{_link(path, path)}: all of it, to look at; "
            "<code>.report()</code> shows it here</p>")


@dataclass(frozen=True, repr=False)
class Report:
    """The HTML report at ``path``, as ``.report()`` of results gives it.

    As the last value of a cell it is shown in the notebook, ``height`` pixels
    high. The notebook then holds a copy of it, which has 0.3 to 3 MB. It can't
    see or change anything outside of its frame.
    """

    path: str
    height: int = 720

    def __repr__(self) -> str:
        return f"Report(path={self.path!r})"

    def _repr_html_(self) -> str:
        try:
            data = Path(self.path).read_bytes()
        except OSError as error:
            raise Error(f"{self.path}: {error.strerror}; build again") from None
        if len(data) > _MOST_SHOWN:
            return (f"<p>{_link(self.path, self.path)} has {len(data) >> 20} MB, "
                    "too much for a notebook: open it in a browser</p>")
        # Not a data: address, which browsers refuse from 2 MB on. Links within
        # the page would lead to the notebook if it had no address of its own.
        page = data.decode().replace("<head>", '<head><base href="about:srcdoc">', 1)
        page = page.replace("&", "&amp;").replace('"', "&quot;")
        return (f'<iframe srcdoc="{page}" sandbox="allow-scripts allow-downloads" '
                f'allow="clipboard-write" width="100%" height="{self.height}" '
                'style="border: 1px solid #8888" title="Parallax report"></iframe>')


def _report(path: str | None, height: int, why_none: str) -> Report:
    if path is None or not os.path.exists(path):
        raise Error(f"there is no report: {why_none}")
    return Report(path, whole_number(height, "height", least=1))


@dataclass(frozen=True, repr=False)
class Histogram:
    """Values of a tensor, counted: ``counts`` between the ``edges``.

    ``channel`` is -1 for the whole tensor. ``clip`` are the values of the
    outermost codes, if there are codes.
    """

    layer: str
    tensor: str
    is_weight: bool
    channel: int
    edges: np.ndarray[Any, Any]
    counts: np.ndarray[Any, Any]
    clip: tuple[float, float] | None

    def __repr__(self) -> str:
        return (f"Histogram(tensor={self.tensor!r}, channel={self.channel}, "
                f"values={int(self.counts.sum())})")


@dataclass(frozen=True, repr=False)
class Accuracy:
    """How well networks do their task.

    ``metrics`` has a row for each network and metric, with the 95 % intervals
    of the value and of the loss against the first network. ``verdict`` is
    ``good``, ``bad`` or ``undecided``, and ``sentence`` says why. For a network
    alone, it is None.
    """

    task: str
    samples: int
    metrics: list[Record]
    has_intervals: bool
    classes: list[Record]
    changed: list[Record]
    changed_count: int
    tolerable_loss: float
    verdict: str | None
    sentence: str
    report_file: str | None = None

    def report(self, height: int = 720) -> Report:
        """The HTML report of ``evaluate``, for notebooks."""
        return _report(self.report_file, height,
                       "only evaluate writes one, with output_dir and samples; "
                       "that of a build is in its result")

    def value(self, network: str, metric: str | None = None) -> float:
        """A metric of a network; without a name the one that decides."""
        for row in self.metrics:
            if row["network"] == network and metric in (None, row["metric"]):
                return float(row["value"])
        raise KeyError(f"there is no {metric or 'metric'} of {network}; there are "
                       f"{sorted({row['network'] for row in self.metrics})}")

    def __repr__(self) -> str:
        return f"Accuracy(task={self.task!r}, verdict={self.verdict!r})"

    def _repr_html_(self) -> str:
        return html_table(self.metrics, self.sentence) + _report_line(
            self.report_file)


@dataclass(frozen=True, repr=False)
class BuildResult:
    """What was built, and how close it is to the float network.

    ``outputs`` has a row for each output; ``layers`` one for each layer, method
    (``PerLayer`` is the layer by itself, ``EndToEnd`` has all errors in front of
    it) and mode (``Reference``, ``NPUBackend``); ``diagnoses`` are causes, the
    worst first, and ``suggestions`` what to change. They are empty without
    ``quant.precision_analysis``. ``files`` has the paths of what was written.
    """

    outputs: list[Record]
    layers: list[Record]
    diagnoses: list[Record]
    suggestions: list[Record]
    accuracy: Accuracy | None
    cycles: int
    is_precise_enough: bool
    files: dict[str, str | None]

    @property
    def compiled_model(self) -> str | None:
        """The path of the compiled model."""
        return self.files["compiled_model"]

    def report(self, height: int = 720) -> Report:
        """The HTML report, which notebooks show."""
        return _report(self.files["report"], height,
                       "use parallax.analyze, or quant.precision_analysis, and a "
                       "Parallax that was built where npm can be reached")

    def analysis(self) -> Record:
        """All of the analysis, as its JSON file has it."""
        path = self.files["analysis_json"]
        if path is None:
            raise ValueError("there was no analysis; use parallax.analyze, or "
                             "quant.precision_analysis")
        found: Record = json.loads(Path(path).read_text(encoding="utf-8"))
        return found

    def worst_layers(self, most: int = 10, method: str = "PerLayer",
                     mode: str | None = None) -> list[Record]:
        """The rows of the layers that lose most, the worst first.

        ``mode`` is ``NPUBackend`` unless the analysis has only ``Reference``.
        """
        modes = {row["mode"] for row in self.layers}
        if mode is None:
            mode = "NPUBackend" if "NPUBackend" in modes else "Reference"
        rows = _chosen(_chosen(self.layers, "method", method), "mode", mode)
        return sorted(rows, key=_closeness)[:most]

    def histograms(self) -> list[Histogram]:
        """The values of weights and activations that the analysis counted."""
        import numpy

        return [_histogram(row, numpy) for row in self.analysis()["histograms"]]

    def __repr__(self) -> str:
        worst = min((float(row["cosine"]) for row in self.outputs), default=None)
        cosine = "" if worst is None else f", cosine={worst:.6f}"
        return f"BuildResult(cycles={self.cycles}{cosine})"

    def _repr_html_(self) -> str:
        parts = [html_table(self.outputs, "Outputs"),
                 html_table(self.worst_layers(), "Worst layers"),
                 html_table(self.diagnoses, "Causes"),
                 html_table([{"title": row["title"], "gain": row["predicted_gain"],
                              "cycles": row["extra_cycles"]}
                             for row in self.suggestions], "Suggestions")]
        if self.accuracy:
            parts.append(self.accuracy._repr_html_())
        parts.append(_report_line(self.files["report"]))
        return "".join(parts) or html.escape(repr(self))


def _chosen(rows: list[Record], column: str, value: str) -> list[Record]:
    """The rows with a value, which has to be there if anything is."""
    chosen = [row for row in rows if row[column] == value]
    if rows and not chosen:
        there = ", ".join(dict.fromkeys(row[column] for row in rows))
        raise Error(f"the analysis has no rows of the {column} {value!r}; it has "
                    f"{there}, as quant.precision_analysis_{column} says")
    return chosen


def _closeness(row: Record) -> float:
    """The cosine; a layer that has none, because it gave NaN, is the worst."""
    cosine = float(row["cosine"])
    return -math.inf if math.isnan(cosine) else cosine


def _histogram(row: Mapping[str, Any], numpy: Any) -> Histogram:
    values, clip = row["values"], row.get("clip")
    counts = numpy.asarray(values["counts"], dtype=numpy.int64)
    edges = values["start"] + values["width"] * numpy.arange(len(counts) + 1)
    return Histogram(row["operator"], row["tensor"], row["is_weight"],
                     row["channel"], edges, counts,
                     (float(clip[0]), float(clip[1])) if clip else None)


@dataclass(frozen=True, repr=False)
class TuneResult:
    """The cheapest network that keeps its accuracy, and how it was found.

    ``trials`` has a row for each network that was measured; ``base`` and
    ``best`` are two of them. ``is_met`` says whether the best one keeps to the
    criterion, and ``ended`` why the search stopped early, if it did.
    ``base_validated`` and ``best_validated`` are measured on samples that the
    search has not seen, where there are some.
    """

    metric: str
    tolerable_loss: float
    is_met: bool
    ended: str
    trials: list[Record]
    base: Record
    best: Record
    base_validated: Record | None
    best_validated: Record | None
    history: str | None
    tuned_config: str | None
    compiled_model: str | None
    report_file: str | None

    def report(self, height: int = 720) -> Report:
        """The HTML report with all trials, which notebooks show."""
        return _report(self.report_file, height, "this Parallax was built where "
                                                 "npm could not be reached")

    def __repr__(self) -> str:
        return (f"TuneResult(is_met={self.is_met}, loss={self.best['loss']:.6g}, "
                f"cycles={self.best['cycles']}, trials={len(self.trials)})")

    def _repr_html_(self) -> str:
        shown = ("number", "purpose", "metric", "loss", "cycles", "seconds",
                 "failure")
        return html_table([{name: row[name] for name in shown}
                           for row in self.trials], repr(self)
                          ) + _report_line(self.report_file)


@dataclass(frozen=True, repr=False)
class Diff:
    """What changed between two analyses.

    ``regressions`` has a sentence for each thing that became worse than it may,
    ``changes`` all changes, as ``parallax diff --json`` writes them, and
    ``text`` the tables for people.
    """

    changes: Record
    text: str

    @property
    def regressions(self) -> Sequence[str]:
        """Empty if nothing became worse than it may."""
        found: Sequence[str] = self.changes.get("regressions", [])
        return found

    def __repr__(self) -> str:
        return f"Diff(regressions={len(self.regressions)})"

    def _repr_html_(self) -> str:
        return f"<pre>{html.escape(self.text)}</pre>"


@dataclass(frozen=True, repr=False)
class Inspection:
    """What is in a file: ``kind`` is ``onnx`` or ``compiled``.

    ``ports`` has a row for each input and output, ``operators`` one for each
    operator of an ONNX model. ``problem`` says what is in the way of importing
    it, and ``text`` has the tables of quantized and compiled models.
    """

    path: str
    kind: str
    ports: list[Record]
    sha256: str
    operators: list[Record] = field(default_factory=list)
    opset: int | None = None
    producer: str = ""
    parameters: int | None = None
    macs: int | None = None
    target: str | None = None
    problem: str | None = None
    text: str = ""

    def __repr__(self) -> str:
        return f"Inspection(path={self.path!r}, kind={self.kind!r})"

    def _repr_html_(self) -> str:
        text = f"<pre>{html.escape(self.text)}</pre>" if self.text else ""
        return (html_table(self.ports, self.path) + html_table(self.operators)
                + text)
