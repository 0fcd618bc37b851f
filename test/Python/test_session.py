# Part of Parallax, under the Apache License 2.0.
# SPDX-License-Identifier: Apache-2.0
"""Sessions: the signatures of ONNX Runtime, and the bits of `parallax run`."""

import copy
import inspect
import json
import os
import pathlib
import pickle
import threading
import tracemalloc

import numpy as np
import pytest

import parallax
from conftest import DIGITS, resident, run_tool

# Name and default of each parameter of the functions of others, from their
# sources, which the file names.
THEIRS = json.loads(
    (pathlib.Path(__file__).parent / "signatures.json").read_text())
# Of ONNX Runtime and not here: its memory and threads, its own format of
# measurements, and the second choice of a device.
NOT_HERE = {
    "InferenceSession." + name for name in (
        "disable_fallback", "enable_fallback", "end_profiling",
        "get_input_epdevices", "get_input_memory_infos", "get_modelmeta",
        "get_output_memory_infos", "get_overridable_initializers",
        "get_profiling_start_time_ns", "get_provider_graph_assignment_info",
        "get_tuning_results", "io_binding", "run_async", "run_with_iobinding",
        "run_with_ort_values", "run_with_ortvaluevector",
        "set_ep_dynamic_options", "set_providers", "set_tuning_results")}


def parameters(name):
    function = parallax
    for part in name.split("."):
        function = getattr(function, part)
    written = []
    for each in inspect.signature(function).parameters.values():
        text = "**" * (each.kind is each.VAR_KEYWORD) + each.name
        if each.default is not each.empty:
            text += f"={each.default!r}"
        written.append(text)
    return written


@pytest.mark.parametrize("package, name", [
    (package, name) for package, facts in THEIRS.items()
    for name in facts["signatures"]])
def test_signature(package, name):
    """Theirs; what we add comes behind, and has a default."""
    theirs = THEIRS[package]["signatures"][name]
    if name in NOT_HERE:
        with pytest.raises(AttributeError):
            parameters(name)
        return
    ours = parameters(name)
    assert ours[:len(theirs)] == theirs
    assert all("=" in more for more in ours[len(theirs):])


def test_ports(quickstart):
    for model in (DIGITS, quickstart.compiled_model):
        session = parallax.InferenceSession(model)
        (port,) = session.get_inputs()
        assert (port.name, port.type, port.dtype, port.shape) == (
            "image", "tensor(float)", np.dtype("float32"), [1, 1, 8, 8])
        assert [port.name for port in session.get_outputs()] == ["logits"]


@pytest.mark.parametrize("kind, provider, mode", [
    ("float", None, ""),
    ("float", "FloatExecutionProvider", ""),
    ("quantized", "FloatExecutionProvider", ""),
    ("quantized", "ReferenceExecutionProvider", "Reference"),
    ("quantized", "NPUBackendExecutionProvider", "NPUBackend"),
    ("compiled", None, ""),
    ("compiled", "AxEngineExecutionProvider", ""),
])
def test_bits_are_those_of_the_tool(quickstart, image, tmp_path, kind, provider,
                                    mode):
    model = {"float": DIGITS, "quantized": quickstart.files["quantized_model"],
             "compiled": quickstart.compiled_model}[kind]
    options = ["--mode", mode] if mode else []
    expected = run_tool(model, options, {"image": image}, tmp_path)["logits"]
    providers = [provider] if provider else None
    data = pathlib.Path(model).read_bytes()
    for given in (model, str(model), data):
        session = parallax.InferenceSession(given, providers=providers)
        (found,) = session.run(["logits"], {"image": image})
        assert found.tobytes() == expected.tobytes()
        if provider:
            assert session.get_providers() == [provider]


def test_a_script_for_the_board(quickstart, image):
    """Names, forms and options that pyaxengine's own examples use."""
    import parallax as axengine
    from parallax import axclrt_provider_name, axengine_provider_name

    expected = parallax.InferenceSession(quickstart.compiled_model).run(
        None, {"image": image})[0]
    for providers in ([axengine_provider_name], axengine_provider_name,
                      [(axclrt_provider_name, {"device_id": 0})], None):
        session = axengine.InferenceSession(os.fspath(quickstart.compiled_model),
                                            providers=providers)
        port = session.get_inputs()[0]
        assert port.dtype == np.float32
        fed = {port.name: image.astype(port.dtype)}
        (found,) = session.run(None, fed, shape_group=0)
        np.testing.assert_array_equal(found, expected)
    with pytest.raises(parallax.Error, match="target_hardware"):
        axengine.InferenceSession(quickstart.compiled_model, providers=[
            ("FloatExecutionProvider", {"device_id": 0})])


def test_the_first_provider_that_fits(quickstart):
    providers = ["ReferenceExecutionProvider", "FloatExecutionProvider"]
    session = parallax.InferenceSession(DIGITS, providers=providers)
    assert session.get_providers() == ["FloatExecutionProvider"]
    with pytest.raises(parallax.Error, match="quantized models"):
        parallax.InferenceSession(DIGITS, providers=providers[:1])


def test_arrays_that_lie_otherwise(quickstart, image):
    session = parallax.InferenceSession(quickstart.compiled_model)
    expected = session.run(None, {"image": image})[0].tobytes()
    odd = np.frombuffer(b"x" + image.tobytes(), np.float32, offset=1)
    wide = np.zeros((1, 1, 8, 16), np.float32)
    wide[..., ::2] = image
    for form in (np.asfortranarray(image), image[..., ::-1].copy()[..., ::-1],
                 odd.reshape(image.shape), wide[..., ::2]):
        assert session.run(None, {"image": form})[0].tobytes() == expected
    read_only = image.copy()
    read_only.setflags(write=False)
    assert session.run(None, {"image": read_only})[0].tobytes() == expected


def test_contiguous_inputs_are_not_copied(image):
    """NumPy tells what it allocates: a copy of the input is part of it."""
    session = parallax.InferenceSession(DIGITS)

    def most_memory(array):
        feed = {"image": array}
        session.run(None, feed)
        tracemalloc.start()
        session.run(None, feed)
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        return peak

    reversed_image = image[..., ::-1]
    assert not reversed_image.flags.c_contiguous
    assert most_memory(reversed_image) - most_memory(image) >= image.nbytes


def test_layers(quickstart, image):
    session = parallax.InferenceSession(quickstart.compiled_model)
    layers = session.run_layers({"image": image})
    assert len(layers) > 10
    assert any(layer.values.dtype == np.uint8 for layer in layers)
    last = layers[-1]
    np.testing.assert_array_equal(last.real().astype(np.float32),
                                  session.run(None, {"image": image})[0])
    (chosen,) = session.run_layers({"image": image}, [layers[1].layer])
    np.testing.assert_array_equal(chosen.values, layers[1].values)


def test_threads(quickstart, image):
    session = parallax.InferenceSession(quickstart.compiled_model)
    inputs = [image * factor for factor in (0.25, 0.5, 1, 2)]
    expected = [session.run(None, {"image": each})[0].tobytes() for each in inputs]
    wrong = []

    def work(i):
        for _ in range(500):
            if session.run(None, {"image": inputs[i]})[0].tobytes() != expected[i]:
                wrong.append(i)

    threads = [threading.Thread(target=work, args=(i,)) for i in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


def test_lock_is_released(image, tmp_path):
    """Other threads of Python go on while a model runs."""
    session = parallax.InferenceSession(DIGITS)
    counted = 0
    is_done = threading.Event()

    def work():
        for _ in range(2000):
            session.run(None, {"image": image})
        is_done.set()

    thread = threading.Thread(target=work)
    thread.start()
    while not is_done.is_set():
        counted += 1
    thread.join()
    assert counted > 100


def test_no_leak(quickstart, image):
    session = parallax.InferenceSession(quickstart.compiled_model)
    feeds = [{"image": image}, {"image": np.asfortranarray(np.tile(image, (1, 1, 1, 1)))}]

    def runs(count):
        for i in range(count):
            session.run(None, feeds[i % 2])
            if i % 10 == 0:
                with pytest.raises(parallax.Error):
                    session.run(None, {"image": image[0]})

    runs(1000)
    before = resident()
    runs(10_000)
    assert resident() - before < 1 << 20


def test_closed(quickstart, image):
    with parallax.InferenceSession(quickstart.compiled_model) as session:
        session.run(None, {"image": image})
    with pytest.raises(parallax.Error, match="closed"):
        session.run(None, {"image": image})
    session.close()
    assert session.get_inputs()[0].name == "image"


@pytest.mark.parametrize("copy_it", [pickle.dumps, copy.copy, copy.deepcopy])
def test_copies(quickstart, copy_it):
    with pytest.raises(parallax.Error, match="make one there"):
        copy_it(parallax.InferenceSession(quickstart.compiled_model))
    # Results are plain data.
    assert copy_it(quickstart)


@pytest.mark.parametrize("kind", ["float", "quantized", "compiled"])
def test_a_file_that_becomes_shorter(kind, quickstart, image, tmp_path):
    """As when another model is copied into it: sessions have read all of it."""
    source = {"float": DIGITS, "quantized": quickstart.files["quantized_model"],
              "compiled": quickstart.compiled_model}[kind]
    copy = tmp_path / "copy"
    copy.write_bytes(pathlib.Path(source).read_bytes())
    session = parallax.InferenceSession(copy)
    expected = session.run(None, {"image": image})[0].tobytes()
    session.run_layers({"image": image})
    os.truncate(copy, 0)
    assert session.run(None, {"image": image})[0].tobytes() == expected
    assert session.run_layers({"image": image})


def test_a_file_that_goes(quickstart, image, tmp_path):
    copy = tmp_path / "copy.axmodel"
    copy.write_bytes(pathlib.Path(quickstart.compiled_model).read_bytes())
    session = parallax.InferenceSession(copy)
    expected = session.run(None, {"image": image})[0].tobytes()
    copy.unlink()
    assert session.run(None, {"image": image})[0].tobytes() == expected
    with pytest.raises(parallax.Error, match="copy.axmodel"):
        session.run_layers({"image": image})
