# Part of Parallax, under the Apache License 2.0.
# SPDX-License-Identifier: Apache-2.0
"""Builds that are killed, that meet each other, and whose inputs change."""

import json
import shutil
import signal
import struct
import sys
import time

from trials import ROOT, Finding

sys.path.insert(0, str(ROOT / "test" / "Tools"))

from make_bad_models import external, model, node, port  # noqa: E402

# Enough weights for the build to be at work when they change.
ROWS, COLUMNS, LAYERS = 256, 1024, 2
TABLE = "quant/debug/precision_analysis_table.csv"


def seconds_of_build(trials):
    if not hasattr(trials, "seconds"):
        folder = trials.fresh("timed")
        begin = time.time()
        config = trials.write_config("timed", folder)
        trials.must_work("build", "--config", config)
        trials.seconds = time.time() - begin
    return trials.seconds


def kill(trials, number, count):
    """A build is killed in a folder that holds another one: afterwards it is
    complete or says that it is not, and the next build works."""
    folder = trials.fresh("killed")
    shutil.copytree(trials.built, folder)
    config = trials.write_config("killed", folder, output_name="other.axmodel")
    # All parts of the time have their turn, however few trials there are.
    part = (number + trials.rng.random()) / count
    way = trials.rng.choice((signal.SIGKILL, signal.SIGTERM))
    seconds = seconds_of_build(trials)
    process = trials.start("build", "--config", config)
    time.sleep(part * seconds * 1.05)
    process.send_signal(way)
    trials.finish(process, allowed=(0, 2, -way, 128 + way))
    was_complete = trials.check_folder(folder)
    if not was_complete:
        ended = trials.run("diff", trials.built, folder)
        if ended.code != 2:
            raise Finding(f"diff takes {folder}, whose build was killed")
    trials.must_work("build", "--config", config)
    if not trials.check_folder(folder):
        raise Finding(f"{folder} has no manifest after a whole build")
    trials.check_no_leftovers(folder)
    return "complete" if was_complete else "incomplete and marked"


def evaluation_in(folder):
    """The figures and the answers that they are of; nothing without figures."""
    if not (folder / "evaluation/accuracy.json").exists():
        return None
    names = ("accuracy.json", "answers.csv")
    return [(folder / "evaluation" / name).read_bytes() for name in names]


def kill_evaluation(trials, number, count):
    """An evaluation is killed in a folder that holds another one: afterwards
    figures and answers are of one of them, or there are no figures."""
    folder = trials.fresh("evaluated")
    config = trials.write_config("evaluated", folder)
    words = ["evaluate", "--config", config, "--model", trials.config["input"]]
    both = [*words, "--model", trials.built / "compiled.axmodel"]
    begin = time.time()
    trials.must_work(*both)
    seconds, after = time.time() - begin, evaluation_in(folder)
    trials.must_work(*words)
    before = evaluation_in(folder)
    process = trials.start(*both)
    time.sleep((number + trials.rng.random()) / count * seconds)
    process.kill()
    trials.finish(process, allowed=(0, -signal.SIGKILL))
    left = evaluation_in(folder)
    if left not in (None, before, after):
        raise Finding(f"{folder} has figures of one evaluation, answers of another")
    trials.must_work(*both)
    if evaluation_in(folder) != after:
        raise Finding(f"{folder} has other figures than without the kill")
    return "not marked as ended" if left is None else "whole"


def concurrent(trials, number, count):
    """Builds in one folder: some win, the others say who is there."""
    folder = trials.fresh("shared")
    config = trials.write_config("shared", folder)
    processes = []
    for _ in range(3):
        processes.append(trials.start("build", "--config", config))
        time.sleep(trials.rng.random() * 0.2)
    ends = [trials.finish(process) for process in processes]
    won = sum(end.code == 0 for end in ends)
    if won == 0 or not trials.check_folder(folder):
        raise Finding(f"of 3 builds into {folder}, {won} worked")
    for end in ends:
        if end.code == 2 and "another command works in" not in end.text:
            raise Finding(f"a build into {folder} fails otherwise:\n{end.text}")
    return "with one folder"


# === A model whose weights are in another file ===============================


def weights(sign):
    values = [sign * ((i * 7919) % 97 - 48) / 97 for i in range(ROWS * COLUMNS)]
    return struct.pack(f"<{len(values)}f", *values) * LAYERS


def write_external(trials):
    """The folder of the model, and its configuration for an output folder."""
    folder = trials.fresh("external")
    folder.mkdir()
    size = 4 * ROWS * COLUMNS
    constants = [
        external("down", [ROWS, COLUMNS], "weights.bin", offset=0, length=size),
        external("up", [COLUMNS, ROWS], "weights.bin", offset=size, length=size),
    ]
    # In the order of the engines, so that nobody makes a copy of them.
    nodes = [
        node("Gemm", ["x", "down"], ["a"], "first", transB=1),
        node("Relu", ["a"], ["b"], "middle"),
        node("Gemm", ["b", "up"], ["y"], "last", transB=1),
    ]
    ports = ([port("x", [1, COLUMNS])], [port("y", [1, COLUMNS])])
    data = model(nodes, constants, inputs=ports[0], outputs=ports[1])
    (folder / "model.onnx").write_bytes(data)
    (folder / "weights.bin").write_bytes(weights(1))
    (folder / "samples").mkdir()
    for sample in range(8):
        values = [((i * 31 + sample * 17) % 201 - 100) / 100 for i in range(COLUMNS)]
        raw = struct.pack(f"<{COLUMNS}f", *values)
        (folder / "samples" / f"{sample}.bin").write_bytes(raw)
    return folder


def external_config(folder, output):
    config = {
        "input": str(folder / "model.onnx"),
        "output_dir": str(output),
        "quant": {
            "input_configs": [
                {
                    "tensor_name": "x",
                    "calibration_dataset": str(folder / "samples"),
                    "calibration_format": "Binary",
                }
            ],
            "precision_analysis": True,
            "precision_analysis_mode": "Both",
        },
    }
    path = folder / f"{output.name}.json"
    path.write_text(json.dumps(config))
    return path


def build_external(trials):
    """Also how long a build of it takes."""
    folder = write_external(trials)
    output = trials.fresh("original")
    begin = time.time()
    trials.must_work("build", "--config", external_config(folder, output))
    return folder, results_of(output), time.time() - begin


def results_of(folder):
    """The results that do not name their folder or the time."""
    names = ("compiled.axmodel", "quant/quant_axmodel.json", TABLE)
    return [(folder / name).read_bytes() for name in names]


def wait(trials, process, output, part, seconds):
    """For a part of the build, or just until it has calibrated: the analysis
    reads the weights after that."""
    if trials.rng.random() < 0.5:
        time.sleep(part * seconds)
        return
    while process.poll() is None and not (output / "quant/calibration.json").exists():
        time.sleep(0.0005)


def truncate(trials, number, count):
    """The weights become shorter during a build."""
    folder, expected, seconds = build_external(trials)
    output = trials.fresh("truncated")
    process = trials.start("build", "--config", external_config(folder, output))
    wait(trials, process, output, (number + trials.rng.random()) / count, seconds)
    with open(folder / "weights.bin", "r+b") as file:
        file.truncate(trials.rng.randrange(4096))
    ended = trials.finish(process)
    if ended.code == 0:
        if results_of(output) != expected:
            raise Finding(f"{output} has other results, and no error")
        return "too late to matter"
    if "weights.bin" not in ended.text and "model.onnx" not in ended.text:
        raise Finding(f"the message does not name the file:\n{ended.text[-1000:]}")
    return "refused"


def swap(trials, number, count):
    """The weights become others, in place, during a build."""
    folder, expected, seconds = build_external(trials)
    output = trials.fresh("swapped")
    process = trials.start("build", "--config", external_config(folder, output))
    wait(trials, process, output, (number + trials.rng.random()) / count, seconds)
    with open(folder / "weights.bin", "r+b") as file:
        file.write(weights(-1))
    ended = trials.finish(process)
    if ended.code == 2:
        if "changed while the build ran" not in ended.text:
            raise Finding(f"the message is another one:\n{ended.text[-1000:]}")
        if trials.check_folder(output):
            raise Finding(f"{output} is complete, with results of two models")
        return "refused"
    found = results_of(output)
    if found == expected:
        return "too late to matter"
    again = trials.fresh("again")
    trials.must_work("build", "--config", external_config(folder, again))
    if found != results_of(again):
        raise Finding(f"{output} has results of neither model, and no error")
    return "before it was read"
