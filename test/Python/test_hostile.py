# Part of Parallax, under the Apache License 2.0.
# SPDX-License-Identifier: Apache-2.0
"""Calls that are wrong in any way: exceptions, never a crash.

All calls are made in one process, which afterwards still computes what it did.
"""

import os
import pathlib
import threading

import numpy as np
import pytest

import parallax
from conftest import DIGITS, ROOT

GOOD = (1, 1, 8, 8)


class RaisesInArray:
    def __array__(self, *_):
        raise ValueError("no array")


class LiesInArray:
    def __array__(self, *_):
        return 5


class RaisesInFspath:
    def __fspath__(self):
        raise OSError("no path")


def broken_iterable():
    yield np.zeros(GOOD, np.float32)
    raise ZeroDivisionError("the loader broke")


def wrong_feeds():
    """Values of the input that no network of float32 1x1x8x8 takes."""
    for name in ("float16", "float64", "longdouble", "int8", "int16", "int32",
                 "int64", "uint8", "uint16", "uint32", "uint64", "bool",
                 "complex64", "complex128", "object", "S4", "U4", "M8[s]", "m8[s]",
                 ">f4", ">i4", "V4"):
        yield np.zeros(GOOD, name)
    yield np.zeros(GOOD, [("a", "f4"), ("b", "f4")])
    for shape in ((), (0,), (1,), (64,), (8, 8), (1, 8, 8), (1, 1, 8, 7), (1, 1, 8, 0),
                  (0, 1, 8, 8), (2, 1, 8, 8), (8, 8, 1, 1), (1, 1, 1, 8, 8),
                  (1,) * 32, (1, 1, 64), (0, 0, 0, 0)):
        yield np.zeros(shape, np.float32)
    one = np.zeros(1, np.float32)
    for shape in ((1 << 20, 1 << 20), (1, 1, 8, 1 << 40), (1 << 60,), (1, 1, 1 << 30, 8)):
        yield np.lib.stride_tricks.as_strided(one, shape, (0,) * len(shape))
    yield from (np.zeros((8, 8, 1, 1), np.float32).T[..., :7],
                np.zeros((1, 1, 16, 16), np.float32)[..., ::-2, ::3],
                None, 5, 1.5, "image", b"image", [], [1, 2], {}, {"image": 1}, object(),
                type, RaisesInArray(), LiesInArray(), range(64), memoryview(b"x" * 256),
                [[1], [1, 2]], float("nan"), 1 << 80, np.float32(1), lambda: None)


def wrong_models(folder):
    model = DIGITS.read_bytes()
    yield from (None, 5, 1.5, [], {}, object(), "", "\0", "a\0b", b"", b"abc", b"\0" * 999,
                "/", "/nothing/at/all.onnx", "/dev/null", "/proc/self/maps", folder,
                RaisesInFspath(), bytearray(model), memoryview(model), "\ud800",
                "x" * 5000, ROOT / "configs/quickstart.json", __file__, type,
                ROOT / "configs/quickstart/calibration.tar")
    for size in (1, 2, 3, 17, 100, 1000, len(model) // 2, len(model) - 1):
        yield model[:size]
    for place in (0, 7, 99, 400):
        yield model[:place] + b"\xff" * 16 + model[place + 16:]
    gone = folder / "gone.onnx"
    gone.write_bytes(model)
    gone.unlink()
    yield gone


def hostile_calls(folder, compiled):
    """Pairs of what is called, and the call."""
    session = parallax.InferenceSession(compiled)
    image = np.zeros(GOOD, np.float32)
    good = {"image": image}
    for value in wrong_feeds():
        yield f"run {value!r:.40}", lambda value=value: session.run(None, {"image": value})
    for feed in (None, 5, [], [image], "image", {}, {"imag": image}, {5: image},
                 {None: image}, {"image": image, "x": image}, {"image": image, 5: 5},
                 {"\ud800": image}, (("image", image),), image):
        yield f"feed {feed!r:.40}", lambda feed=feed: session.run(None, feed)
        yield f"layers {feed!r:.40}", lambda feed=feed: session.run_layers(feed)
    for names in ("logits", 5, 1.5, object(), [5], [None], [""], ["x"], ["logits", "x"],
                  {"x": 1}, ["\ud800"], [["logits"]], b"logits", [b"logits"]):
        yield f"names {names!r:.40}", lambda names=names: session.run(names, good)
    for group in (1, -1, None, "0", 1 << 70):
        yield f"group {group}", lambda group=group: session.run(None, good,
                                                                shape_group=group)
    for names in ("x", 5, object()):
        yield f"layer names {names!r:.40}", lambda names=names: session.run_layers(
            good, names)
    for model in wrong_models(folder):
        yield f"model {model!r:.40}", lambda model=model: parallax.InferenceSession(model)
        if not isinstance(model, bytes):
            yield f"inspect {model!r:.40}", lambda model=model: parallax.inspect(model)
    make = parallax.InferenceSession
    for providers in ([], "", "x", ["x"], [5], [None], 5, [("x", {})],
                      [("FloatExecutionProvider", 5)], [["FloatExecutionProvider"]],
                      [("NPUBackendExecutionProvider", {"x": 1})],
                      ["ReferenceExecutionProvider"]):
        yield f"providers {providers}", lambda providers=providers: make(
            compiled, providers=providers)
    yield "options", lambda: make(compiled, providers=["FloatExecutionProvider"],
                                  provider_options=[])
    for threads in (-1, "2", None, 1 << 40, 2.5):
        options = parallax.SessionOptions()
        options.intra_op_num_threads = threads
        yield f"threads {threads}", lambda options=options: make(compiled, options)
    yield "no options", lambda: make(compiled, object())
    yield "kwargs", lambda: make(compiled, disabled_optimizers=[])
    for shapes in (5, {"image": 5}, {"image": ["x"]}, {"x": [1]}, {"image": [-1, 1, 8, 8]},
                   {"image": [1 << 40] * 4}):
        yield f"shapes {shapes}", lambda shapes=shapes: make(DIGITS, input_shapes=shapes)
    closed = make(compiled)
    closed.close()
    yield "closed run", lambda: closed.run(None, good)
    yield "closed layers", lambda: closed.run_layers(good)
    yield from wrong_work(folder, image)


def wrong_work(folder, image):
    cycle = {}
    cycle["quant"] = {"input_configs": [cycle]}
    wrong = (None, 5, [], "", "nothing.json", {}, {"input": 5}, {"input": DIGITS, "x": 1},
             {"input": "nothing.onnx"}, {5: 5}, {"input": {1, 2}}, {"quant": float("nan")},
             {"input": DIGITS, "quant": 5}, {"input": b"x"}, DIGITS)
    for config in wrong:
        yield f"build {config!r:.40}", lambda config=config: parallax.build(config)
        yield f"evaluate {config!r:.40}", lambda config=config: parallax.evaluate(config)
        yield f"tune {config!r:.40}", lambda config=config: parallax.tune(config)
    yield "cycle", lambda: parallax.build(cycle)
    base = {"input": DIGITS, "output_dir": folder / "out"}
    for data in (5, [], [5], [None], ["x"], [{}], [{"x": image}], [image[0, 0, 0]],
                 [image.astype("f8")], [[image, image]], [{"image": "x"}], [object()],
                 broken_iterable(), iter([]), [np.zeros((0, 1, 8, 8), np.float32)]):
        yield f"calibration {data!r:.40}", lambda data=data: parallax.build(
            base, calibration=data)
    for data in (5, [], [5], [image], [(image,)], [(image, 1, 2)], [(image, "x")],
                 [(image, None)], [(None, 1)], [(image, 1), (image[0, 0], 1)],
                 [(np.zeros((3, 1, 8, 8), np.float32), [1, 2])]):
        yield f"data {data!r:.40}", lambda data=data: parallax.evaluate(base, data=data)
    yield "judge", lambda: parallax.evaluate(base, eval_func=5)
    yield "strategy", lambda: parallax.tune(base, custom_strategy=5)
    for paths in ((None, None), ("/nothing", "/nothing"), (DIGITS, DIGITS), (5, 5)):
        yield f"diff {paths}", lambda paths=paths: parallax.diff(*paths)
        yield f"pack {paths}", lambda paths=paths: parallax.case.pack(*paths)
        yield f"replay {paths}", lambda paths=paths: parallax.case.replay(paths[0])
    yield "tolerance", lambda: parallax.diff("/", "/", tolerance="x")
    yield from wrong_options(base)


def wrong_options(config):
    """One argument at a time that is not what its name says."""
    wrong = {"threads": (-1, "2", None, 1.5, True, 10 ** 12), "fail_under": ("x", 2, float("nan")),
             "apply_suggestions": (-1, "all", None), "phase_from": (3, None, "nothing"),
             "phase_to": (b"import", "nothing"), "only_check": ("yes", 1, None),
             "allow_unmatched": (None,), "progress": ("x", 5)}
    for name, values in wrong.items():
        for value in values:
            yield f"build {name} {value!r}", lambda name=name, value=value: parallax.build(
                "configs/quickstart.json", output_dir=config["output_dir"], **{name: value})
    for models in (DIGITS, os.fspath(DIGITS), 5, [5], [None]):
        yield f"models {models!r}", lambda models=models: parallax.evaluate(
            config, models, eval_func=lambda session: 1.0)
    for name in ("resume", "pareto", "threads"):
        yield f"tune {name}", lambda name=name: parallax.tune(config, **{name: "x"})
    for target in (5, None, "nothing"):
        yield f"target {target}", lambda target=target: parallax.inspect(DIGITS, target)
    for name, value in (("note", 5), ("strip_names", "no"), ("threads", -1)):
        yield f"pack {name}", lambda name=name, value=value: parallax.case.pack(
            "configs/quickstart.json", config["output_dir"] / "a.plxcase", **{name: value})
    for seconds in (0, -1, "a", None):
        yield f"seconds {seconds}", lambda seconds=seconds: parallax.case.reduce(
            DIGITS, "x", max_seconds=seconds)


def test_hostile_calls(tmp_path, quickstart, image):
    session = parallax.InferenceSession(quickstart.compiled_model)
    expected = session.run(None, {"image": image})[0].tobytes()
    count, survived = 0, []
    for what, call in hostile_calls(tmp_path, quickstart.compiled_model):
        count += 1
        try:
            call()
            survived.append(what)
        except (parallax.Error, ZeroDivisionError, OSError):
            pass
        except Exception as error:
            survived.append(f"{what}: {type(error).__name__}: {error}")
    assert not survived, "\n".join(survived)
    assert count >= 200
    assert session.run(None, {"image": image})[0].tobytes() == expected


def test_closing_while_others_run(quickstart, image):
    for _ in range(20):
        session = parallax.InferenceSession(quickstart.compiled_model)
        wrong = []

        def work():
            try:
                while True:
                    session.run(None, {"image": image})
            except parallax.Error as error:
                if "closed" not in str(error):
                    wrong.append(error)

        threads = [threading.Thread(target=work) for _ in range(4)]
        for thread in threads:
            thread.start()
        session.close()
        for thread in threads:
            thread.join(30)
        assert not wrong and not any(thread.is_alive() for thread in threads)


def test_messages_say_what_was_expected(quickstart, image):
    session = parallax.InferenceSession(quickstart.compiled_model)
    for feed, words in (({"image": image.astype("f8")}, "takes float32.*astype"),
                        ({"image": image[0]}, "1x1x8x8, but the array is 1x8x8"),
                        ({}, "'image' is missing"), ([image], "dictionary")):
        with pytest.raises(parallax.Error, match=words):
            session.run(None, feed)
