# Part of Parallax, under the Apache License 2.0.
# SPDX-License-Identifier: Apache-2.0
"""Builds, evaluations and tunings from Python."""

import dataclasses
import html
import io
import json
import logging
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time
import weakref

import make_bad_models as onnx
import numpy as np
import pytest

import parallax
from conftest import DIGITS, TOOL, resident

CONFIG = "configs/quickstart.json"


def accuracy_on(labelled):
    """An eval_func: top-1 on labelled images."""

    def evaluate(session):
        right = [session.run(None, {"image": image})[0].argmax() == label
                 for image, label in labelled]
        return np.mean(right)

    return evaluate


def test_build_gives_records(quickstart):
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(quickstart.layers)
    assert {"layer", "op", "cosine", "mode"} <= set(frame.columns)
    assert frame.cosine.between(0.9, 1).all()
    assert quickstart.outputs[0]["verdict"] == "good"
    assert quickstart.accuracy.value("NPUBackend") > 0.98
    assert quickstart.cycles > 0
    assert "<table>" in quickstart._repr_html_()
    assert len(repr(quickstart)) < 100
    histogram = quickstart.histograms()[0]
    assert len(histogram.edges) == len(histogram.counts) + 1
    assert histogram.counts.sum() > 0


def shown_page(report):
    """What the frame of a report holds, without the address that it gets."""
    page = html.unescape(re.search(r'srcdoc="([^"]+)"', report._repr_html_())[1])
    return page.replace('<base href="about:srcdoc">', "", 1).encode()


def test_report(quickstart, tmp_path, monkeypatch):
    path = pathlib.Path(quickstart.files["report"])
    report = quickstart.report(height=400)
    assert shown_page(report) == path.read_bytes()
    assert 'height="400"' in report._repr_html_() and len(repr(report)) < 200
    # The result itself only has a link to it.
    assert path.as_uri() in quickstart._repr_html_()
    assert "<iframe" not in quickstart._repr_html_()
    with monkeypatch.context() as patch:
        patch.setattr("parallax.results._MOST_SHOWN", 1000)
        assert "<iframe" not in report._repr_html_()
    plain = parallax.build(CONFIG, output_dir=tmp_path,
                           quant={"precision_analysis": False})
    assert "report" not in plain._repr_html_()
    with pytest.raises(parallax.Error, match="parallax.analyze"):
        plain.report()
    with pytest.raises(parallax.Error, match="build again"):
        parallax.Report("nothing.html")._repr_html_()
    with pytest.raises(parallax.Error, match="only evaluate"):
        plain.accuracy.report()
    # An evaluation of what is in a folder writes one, too.
    judged = parallax.evaluate(CONFIG, output_dir=tmp_path)
    assert shown_page(judged.report()) == (tmp_path / "report.html").read_bytes()
    assert "report.html" in judged._repr_html_()


def test_build_is_that_of_the_tool(quickstart, tmp_path):
    subprocess.run([TOOL, "build", "--config", CONFIG, "--output_dir", tmp_path],
                   check=True, capture_output=True)
    assert (tmp_path / "compiled.axmodel").read_bytes() == pathlib.Path(
        quickstart.compiled_model).read_bytes()


def test_a_dictionary_and_overrides(tmp_path):
    config = {"input": DIGITS, "output_dir": tmp_path / "a",
              "quant": {"input_configs": [{
                  "tensor_name": "DEFAULT", "calibration_format": "Numpy",
                  "calibration_dataset": "configs/quickstart/calibration.tar"}]}}
    result = parallax.build(config)
    assert result.layers == []
    result = parallax.analyze(config, output_dir=tmp_path / "b",
                              quant={"calibration_method": "KL"})
    assert result.worst_layers(3) and result.outputs
    written = (tmp_path / "b/build_context.json").read_text()
    assert json.loads(written)["quant"]["calibration_method"] == "KL"


@pytest.mark.parametrize("mode, modes", [
    (None, "Reference"), ("Reference", "Reference"), ("NPUBackend", "NPUBackend"),
    ("Both", "NPUBackend")])
def test_worst_layers_are_those_of_the_analysis(mode, modes, tmp_path):
    """Whatever was analyzed, there are worst layers."""
    config = {"input": DIGITS, "output_dir": tmp_path, "quant.precision_analysis": True}
    if mode:
        config["quant.precision_analysis_mode"] = mode
    result = parallax.build(config, calibration=[np.ones((1, 1, 8, 8), np.float32)])
    worst = result.worst_layers(4)
    assert len(worst) == 4
    assert {(row["method"], row["mode"]) for row in worst} == {("PerLayer", modes)}
    cosines = [row["cosine"] for row in worst]
    assert cosines == sorted(cosines)
    assert "Worst layers" in result._repr_html_()


def test_worst_layers_begin_with_nan(quickstart):
    row = dict(quickstart.layers[0], method="PerLayer", mode="NPUBackend")
    result = dataclasses.replace(quickstart, layers=[
        dict(row, layer=name, cosine=cosine)
        for name, cosine in (("good", 1.0), ("nan", float("nan")), ("bad", -0.5))])
    assert [row["layer"] for row in result.worst_layers()] == ["nan", "bad", "good"]
    with pytest.raises(parallax.Error, match="no rows of the mode 'Reference'; it has "
                                             "NPUBackend"):
        result.worst_layers(mode="Reference")
    with pytest.raises(parallax.Error, match="method 'NPUBackend'; it has PerLayer"):
        result.worst_layers(10, "NPUBackend")
    assert dataclasses.replace(quickstart, layers=[]).worst_layers(mode="x") == []


@pytest.fixture(scope="module")
def calibrated(labelled, tmp_path_factory):
    """The ranges that eight images give, read by the library from a folder."""
    folder = tmp_path_factory.mktemp("calibrated")
    (folder / "samples").mkdir()
    for i, (image, _) in enumerate(labelled[:8]):
        np.save(folder / "samples" / f"{i}.npy", image)
    parallax.build({"input": DIGITS, "output_dir": folder / "out",
                    "quant": {"input_configs": [{
                        "tensor_name": "image", "calibration_format": "Numpy",
                        "calibration_dataset": folder / "samples"}]}})
    return (folder / "out/quant/calibration.json").read_bytes()


@pytest.mark.parametrize("form", ["array", "dict", "list", "batch", "generator"])
def test_calibration_from_anything(form, labelled, calibrated, tmp_path):
    images = [image for image, _ in labelled[:8]]
    data = {"array": images, "dict": [{"image": image} for image in images],
            "list": [[image] for image in images],
            "batch": [np.concatenate(images[:4]), np.concatenate(images[4:])],
            "generator": (image for image in images)}[form]
    parallax.build({"input": DIGITS, "output_dir": tmp_path}, calibration=data)
    assert (tmp_path / "quant/calibration.json").read_bytes() == calibrated


@pytest.mark.parametrize("sample, words", [
    (np.zeros((1, 1, 8, 8)), "sample 2 gives float64 for the input image, which takes "
                             "float32; convert it by array.astype"),
    (np.zeros((3, 1, 8, 8), np.uint8), "sample 2 gives uint8"),
    ([[[[1.0] * 8] * 8]], "sample 2 gives float64"),
    (np.zeros((1, 8, 8), np.float32), "sample 2 has the shape 1x8x8, but the input "
                                      "image takes 1x1x8x8"),
    (np.float32(1), r"sample 2 has the shape \(\)"),
    (np.zeros((2, 1, 8, 9), np.float32), "sample 2 has the shape 1x1x8x9"),
])
def test_calibration_that_does_not_fit(sample, words, tmp_path):
    """The message is about samples, not about files that nobody has seen."""
    good = np.zeros((2, 1, 8, 8), ">f4")
    with pytest.raises(parallax.Error, match=words) as raised:
        parallax.build({"input": DIGITS, "output_dir": tmp_path / "out"},
                       calibration=[good, {"image": sample}])
    assert ".npy" not in str(raised.value)
    assert not (tmp_path / "out").exists()


def averages(folder, shape):
    """A model that gives the mean of each of three channels."""
    path = folder / "averages.onnx"
    path.write_bytes(onnx.model([onnx.node("GlobalAveragePool", ["x"], ["y"])],
                                inputs=[onnx.port("x", shape)],
                                outputs=[onnx.port("y", (1, 3, 1, 1))]))
    return path


@pytest.mark.parametrize("declared", [None, (1, 3, 16, 16), ("batch", 3, "h", "w")])
def test_shapes_of_the_configuration(declared, tmp_path):
    """They replace what the model declares, if it declares anything."""
    model = averages(tmp_path, declared)
    config = {"input": model, "output_dir": tmp_path / "out",
              "input_shapes": "x:1x3x8x8"}
    images = np.random.default_rng(0).random((8, 3, 8, 8), np.float32)
    ranges = []
    for samples in (np.split(images, 8), [images]):
        parallax.build(config, calibration=samples)
        ranges.append((tmp_path / "out/quant/calibration.json").read_bytes())
    assert ranges[0] == ranges[1]
    with pytest.raises(parallax.Error, match="sample 0 has the shape 1x3x16x16, but "
                                             "the input x takes 1x3x8x8"):
        parallax.build(config, calibration=[np.zeros((1, 3, 16, 16), np.float32)])
    best = images.mean((2, 3)).argmax(1)
    for data in (zip(np.split(images, 8), best), [(images, best)]):
        found = parallax.evaluate(config, [model], data=data)
        assert found.value(str(model)) == 1


def test_a_shape_that_nobody_gives(tmp_path):
    """The message is that of the library, not that samples are to have no axes."""
    config = {"input": averages(tmp_path, None), "output_dir": tmp_path / "out"}
    with pytest.raises(parallax.Error, match=r"dynamic shape \(unknown\); fix it"):
        parallax.build(config, calibration=[np.zeros((1, 3, 8, 8), np.float32)])


def test_samples_are_not_kept(tmp_path):
    given, most = [], 0

    def samples():
        nonlocal most
        for i in range(200):
            most = max(most, sum(each() is not None for each in given))
            sample = np.full((1, 1, 8, 8), i / 200, np.float32)
            given.append(weakref.ref(sample))
            yield sample

    parallax.build({"input": DIGITS, "output_dir": tmp_path / "out"},
                   calibration=samples())
    assert len(given) == 200 and most <= 2
    assert not list(tmp_path.rglob("*.npy"))
    # Who builds the configuration again reads why that can't be.
    with pytest.raises(parallax.Error, match="samples_not_kept"):
        parallax.build(tmp_path / "out/build_context.json")


def test_samples_that_are_kept(labelled, tmp_path):
    """The tool builds the same again, and a case has all it needs."""
    out = tmp_path / "out"
    built = parallax.build({"input": DIGITS, "output_dir": out},
                           calibration=(image for image, _ in labelled[:8]),
                           data=labelled, keep_samples=True)
    subprocess.run([TOOL, "build", "--config", out / "build_context.json",
                    "--output_dir", tmp_path / "again"],
                   check=True, capture_output=True)
    model = pathlib.Path(built.compiled_model).read_bytes()
    assert (tmp_path / "again/compiled.axmodel").read_bytes() == model
    assert parallax.case.pack(out, tmp_path / "a.plxcase")
    # They serve as the samples of the next build, too.
    ranges = (out / "quant/calibration.json").read_bytes()
    kept = (np.load(path) for path in sorted((out / "samples").rglob("0000*.npy")))
    parallax.build({"input": DIGITS, "output_dir": out}, calibration=kept,
                   keep_samples=True)
    assert (out / "quant/calibration.json").read_bytes() == ranges
    with pytest.raises(parallax.Error, match="give output_dir"):
        parallax.build({"input": DIGITS}, calibration=[], keep_samples=True)


def test_a_failed_iterable_leaves_nothing(tmp_path):
    def broken():
        yield np.zeros((1, 1, 8, 8), np.float32)
        raise ZeroDivisionError

    for keep in (False, True):
        with pytest.raises(ZeroDivisionError):
            parallax.build({"input": DIGITS, "output_dir": tmp_path / "out"},
                           calibration=broken(), keep_samples=keep)
        assert not (tmp_path / "out").exists()


def test_samples_of_two_builds_do_not_mix(tmp_path):
    config = {"input": DIGITS, "output_dir": tmp_path / "out"}

    def samples():
        with pytest.raises(parallax.Error, match="in use by another build"):
            parallax.build(config, calibration=[np.zeros((1, 1, 8, 8), np.float32)])
        yield np.ones((1, 1, 8, 8), np.float32)

    assert parallax.build(config, calibration=samples()).compiled_model


def test_a_tuning_with_an_iterable_is_resumed(labelled, tmp_path):
    def tune(resume, first=0):
        config = {"input": DIGITS, "output_dir": tmp_path}
        return parallax.tune(config, lambda session: 1.0, resume=resume,
                             calibration=(image for image, _
                                          in labelled[first:first + 8]))

    assert len(tune(False).trials) == len(tune(True).trials)
    with pytest.raises(parallax.Error, match="before data changed"):
        tune(True, first=1)


def test_evaluation_data(quickstart, labelled):
    found = parallax.evaluate(CONFIG, [DIGITS, quickstart.compiled_model],
                              data=iter(labelled), evaluation={"images": ""})
    expected = quickstart.accuracy
    assert found.samples == len(labelled)
    assert found.value(os.fspath(DIGITS), "top1") == expected.value("Float", "top1")
    assert found.value(quickstart.compiled_model) == expected.value("NPUBackend")


def test_evaluation_by_a_function(quickstart, labelled):
    found = parallax.evaluate({"input": DIGITS}, [DIGITS, quickstart.compiled_model],
                              eval_func=accuracy_on(labelled))
    assert found.value(quickstart.compiled_model) == quickstart.accuracy.value(
        "NPUBackend", "top1")
    assert found.verdict == "good" and not found.has_intervals


@pytest.mark.parametrize("scores, verdict, words", [
    ([1.0], None, "^$"), ([float("nan")], None, "^$"),
    ([1.0, float("nan")], "bad", "compiled.axmodel gives no usable score"),
    ([1.0, float("-inf")], "bad", "compiled.axmodel gives no usable score"),
    ([float("nan"), 1.0], "undecided", "digits.onnx itself has a score of nan"),
    ([float("inf"), 1.0], "undecided", "digits.onnx itself has a score of inf"),
])
def test_scores_that_decide_nothing(scores, verdict, words, quickstart):
    """Nothing is good unless it was compared with something that is usable."""
    given = iter(scores)
    models = [DIGITS, quickstart.compiled_model][:len(scores)]
    found = parallax.evaluate({"input": DIGITS}, models,
                              eval_func=lambda session: next(given))
    assert found.verdict == verdict
    assert re.search(words, found.sentence)


def tuning(tmp_path, function, **more):
    return parallax.tune(CONFIG, function, output_dir=tmp_path, **more)


def test_tune_by_a_function(labelled, tmp_path):
    result = tuning(tmp_path, accuracy_on(labelled))
    assert result.is_met and result.metric == "score"
    assert result.base["metric"] == pytest.approx(0.9917, abs=1e-4)
    assert result.best_validated is None
    assert pathlib.Path(result.compiled_model).exists()
    assert "<table>" in result._repr_html_()
    assert shown_page(result.report()) == (tmp_path / "report.html").read_bytes()


class Judge:
    """Scores all networks alike until one of them is to go wrong."""

    def __init__(self, wrong_call, mistake):
        self.calls, self.wrong_call, self.mistake = 0, wrong_call, mistake

    def __call__(self, session):
        self.calls += 1
        if self.calls == self.wrong_call:
            return self.mistake()
        # Float is perfect, everything else is bad: the search goes on.
        return 1.0 if self.calls == 1 else 0.5 + self.calls / 1000


def raise_it():
    raise ValueError("the labels are gone")


def sleep():
    time.sleep(30)
    return 1.0


MISTAKES = {"raises": (raise_it, "eval_func raised ValueError: the labels are gone"),
            "nan": (lambda: float("nan"), "not a number"),
            "text": (lambda: "good", "eval_func returned 'good'"),
            "huge": (lambda: 10 ** 400, "eval_func returned 10000"),
            "slow": (sleep, r"eval_func took more than 1 s")}


@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_judge_that_fails_at_once(mistake, tmp_path):
    function, words = MISTAKES[mistake]
    with pytest.raises(parallax.Error, match=words):
        tuning(tmp_path, Judge(1, function), **{"evaluation.timeout": 1})


@pytest.mark.parametrize("call", [2, 3])
@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_judge_that_fails_later(mistake, call, tmp_path):
    function, words = MISTAKES[mistake]
    result = tuning(tmp_path, Judge(call, function), **{
        "evaluation.timeout": 1, "tuning.exit_policy.max_trials": 4})
    failed = [trial for trial in result.trials if trial["failure"]]
    assert len(failed) == 1 and not result.is_met
    with pytest.raises(parallax.Error, match=words):
        raise parallax.Error(failed[0]["failure"])
    assert result.best["number"] != failed[0]["number"]


def test_a_slow_judge_in_a_thread(tmp_path):
    errors = []

    def spin():
        while True:
            pass

    def work():
        try:
            tuning(tmp_path, Judge(1, spin), **{"evaluation.timeout": 1})
        except parallax.Error as error:
            errors.append(str(error))

    thread = threading.Thread(target=work)
    thread.start()
    thread.join(60)
    assert errors and "took more than 1 s" in errors[0]


def test_a_session_of_a_trial_ends_with_it(tmp_path):
    kept = []

    def judge(session):
        kept.append(session)
        return 1.0

    tuning(tmp_path, judge)
    with pytest.raises(parallax.Error, match="closed"):
        kept[0].run(None, {"image": np.zeros((1, 1, 8, 8), np.float32)})


def test_a_strategy(tmp_path):
    seen = []

    def strategy(trials):
        seen.append(len(trials))
        return {1: {"quant.calibration_method": "KL"},
                2: {"quant.layer_configs": [{"op_types": ["Conv"],
                                             "data_type": "U16"}]}}.get(len(trials))

    result = tuning(tmp_path, lambda session: 1.0, custom_strategy=strategy)
    assert seen == [1, 2, 3] and len(result.trials) == 3
    with pytest.raises(parallax.Error, match="custom_strategy raised KeyError"):
        tuning(tmp_path, lambda session: 1.0, custom_strategy=lambda trials: {}["x"])


@pytest.mark.parametrize("changes, words", [
    ({"quant.input_configs": []}, "input_configs has to stay"),
    ({"quant.nothing": 1}, "there is no field 'quant.nothing'"),
    ({"quant.calibration_method": "X"}, "must be MinMax"),
    ({5: 5}, "there is no field '5'"),
    ({"quant": {"percentile": 7}}, "percentile"),
    ({"input_shapes": "image:2x1x8x8"}, "2x1x8x8"),
    ({"quant.calibration_cache": "nothing"}, "nothing"),
])
def test_a_strategy_that_proposes_what_can_not_be(changes, words, tmp_path):
    """The trial has failed, and says why; what was found before stays."""
    given = iter([changes])
    result = tuning(tmp_path, lambda session: 1.0,
                    custom_strategy=lambda trials: next(given, None))
    assert [bool(trial["failure"]) for trial in result.trials] == [False, True]
    assert re.search(words, result.trials[1]["failure"])
    assert result.is_met and result.best["number"] == result.trials[0]["number"]


@pytest.mark.parametrize("field", ["input", "output_dir", "evaluation.labels"])
def test_a_strategy_that_changes_what_all_trials_share(field, tmp_path):
    """It ends the search; what was found before stays."""
    result = tuning(tmp_path, lambda session: 1.0,
                    custom_strategy=lambda trials: {field: "other"})
    assert f"'{field}', which is the same for all trials" in result.ended
    assert len(result.trials) == 1 and result.is_met


@pytest.mark.parametrize("changes", [[1], "x", 5, True, {"quant": object()},
                                     {"quant.percentile": {1}}, {(): 1}])
def test_a_strategy_that_gives_something_else(changes, tmp_path):
    with pytest.raises(parallax.Error, match="custom_strategy returned .*dictionary"):
        tuning(tmp_path, lambda session: 1.0, custom_strategy=lambda trials: changes)


@pytest.mark.parametrize("changes", [
    {"quant": {"calibration_method": "Percentile", "percentile": np.float32(0.75)}},
    {"quant.calibration_method": "Percentile", "quant.percentile": 0.75}])
def test_a_strategy_in_any_form(changes, tmp_path):
    """A section changes the fields that it names, and leaves the others."""
    given = iter([changes])
    trial = tuning(tmp_path, lambda session: 1.0,
                   custom_strategy=lambda trials: next(given, None)).trials[1]
    assert trial["failure"] == ""
    assert [(edit["field"], edit["value"]) for edit in trial["edits"]] == [
        ("quant.calibration_method", '"Percentile"'), ("quant.percentile", "0.75")]


def test_progress_and_logging(tmp_path, caplog):
    events = []
    with caplog.at_level(logging.INFO, "parallax"):
        parallax.build(CONFIG, output_dir=tmp_path, progress=events.append)
    assert any(event.has_ended and event.done == event.total for event in events)
    assert "Accuracy is good" in caplog.text
    with pytest.raises(ZeroDivisionError):
        parallax.build(CONFIG, output_dir=tmp_path, progress=lambda event: 1 / 0)
    with pytest.raises(parallax.Error, match="progress is a function"):
        parallax.build(CONFIG, output_dir=tmp_path, progress=5)


class Bars:
    """Bars of tqdm that remember what they were told."""

    def __init__(self, module):
        self.all = []
        kept = self.all

        class Bar(module.tqdm):
            def __init__(self, *args, **options):
                super().__init__(*args, file=io.StringIO(), **options)
                kept.append(self)

        self.type = Bar


def test_progress_by_tqdm(tmp_path, monkeypatch):
    module = pytest.importorskip("tqdm.auto")
    bars = Bars(module)
    monkeypatch.setattr(module, "tqdm", bars.type)
    parallax.build(CONFIG, output_dir=tmp_path, progress=True)
    assert {"Calibrating", "Analyzing precision"} <= {
        bar.desc.strip(": ") for bar in bars.all}
    for bar in bars.all:
        assert bar.disable and bar.n == bar.total > 0  # closed, and full


def test_progress_without_tqdm(tmp_path, monkeypatch, caplog):
    monkeypatch.setitem(sys.modules, "tqdm.auto", None)
    with caplog.at_level(logging.INFO, "parallax"):
        parallax.build(CONFIG, output_dir=tmp_path, progress=True)
    assert "Calibrating: 32 of 32" in caplog.text


def test_interruption(tmp_path):
    """Ctrl-C ends a build, and the next one works."""
    threading.Timer(0.3, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
    with pytest.raises(KeyboardInterrupt):
        while True:
            parallax.build(CONFIG, output_dir=tmp_path)
    assert parallax.build(CONFIG, output_dir=tmp_path).cycles > 0
    assert not list(tmp_path.rglob("*.tmp*"))


@pytest.mark.parametrize("threads", [1, 2])
def test_interruption_of_many_samples(threads, tmp_path):
    """Whichever threads compute, and however many samples there are still."""
    np.save(tmp_path / "images.npy", np.ones((30_000, 1, 8, 8), np.float32))
    np.save(tmp_path / "labels.npy", np.zeros(30_000, np.int64))
    last = {}

    def interrupt(event):
        if event.done and not any(each.done for each in last.values()):
            os.kill(os.getpid(), signal.SIGINT)
        last[event.title] = event

    with pytest.raises(KeyboardInterrupt):
        parallax.evaluate({"input": DIGITS}, [DIGITS], threads=threads,
                          progress=interrupt, evaluation={
                              "task": "Classification",
                              "images": tmp_path / "images.npy",
                              "labels": tmp_path / "labels.npy"})
    (event,) = last.values()
    assert event.done < event.total / 2  # it came with the first ones
    # The next work is not interrupted.
    assert parallax.inspect(DIGITS).macs > 0


def made_session():
    data = DIGITS.read_bytes()
    parallax.InferenceSession(data).run_layers({"image": np.ones((1, 1, 8, 8), "f4")})


def failed_build():
    with pytest.raises(parallax.Error):
        parallax.build({"input": "nothing.onnx"})


def evaluation():
    parallax.evaluate({"input": DIGITS}, [DIGITS], eval_func=lambda session: 1.0)


def whole_build():
    with tempfile.TemporaryDirectory() as folder:
        parallax.build(CONFIG, output_dir=folder, threads=1)


@pytest.mark.parametrize("work, count", [
    (made_session, 200), (failed_build, 1000), (evaluation, 200),
    (lambda: parallax.inspect(DIGITS), 500), (whole_build, 12)])
def test_no_leak_of_work(work, count):
    for _ in range(count // 3):
        work()
    before = resident()
    for _ in range(count):
        work()
    assert resident() - before < 1 << 20


def test_errors_are_those_of_the_tool(tmp_path):
    with pytest.raises(parallax.Error, match="npu_mod"):
        parallax.build({"input": "nothing.onnx", "npu_mod": "NPU1"})
    with pytest.raises(parallax.Error, match="nothing.json"):
        parallax.build("nothing.json", output_dir="x")


def test_diff_and_inspect(quickstart, tmp_path):
    same = parallax.diff(pathlib.Path(quickstart.files["log"]).parent,
                         quickstart.files["analysis_json"])
    assert list(same.regressions) == []
    model = parallax.inspect(DIGITS)
    assert model.kind == "onnx" and model.macs > 0 and model.problem is None
    assert {row["operator"] for row in model.operators} >= {"Conv"}
    assert parallax.inspect(quickstart.compiled_model).target == "AX650"


def test_cases(quickstart, tmp_path):
    folder = pathlib.Path(quickstart.files["log"]).parent
    verdict = parallax.case.pack(folder, tmp_path / "a.plxcase", note="a try")
    assert verdict
    replay = parallax.case.replay(tmp_path / "a.plxcase")
    assert replay.is_same and replay.tensors > 10
    with pytest.raises(parallax.Error, match="nothing.plxcase"):
        parallax.case.replay("nothing.plxcase")


def test_reducing_a_case(tmp_path):
    """A case that is precise enough loses its layers and samples."""
    parallax.analyze(CONFIG, output_dir=tmp_path / "out",
                     **{"quant.calibration_method": "Percentile",
                        "quant.percentile": 0.9})
    parallax.case.pack(tmp_path / "out", tmp_path / "a.plxcase")
    events = []
    found = parallax.case.reduce(tmp_path / "a.plxcase", tmp_path / "b.plxcase",
                                 max_seconds=60, progress=events.append)
    assert found.layers_after < found.layers_before
    assert found.bytes_after < found.bytes_before and found.tests > 0
    assert found.predicate and found.verdict
    assert parallax.case.replay(tmp_path / "b.plxcase").is_same
    with pytest.raises(parallax.Error, match="nothing.plxcase"):
        parallax.case.reduce("nothing.plxcase", tmp_path / "c.plxcase")
