# Part of Parallax, under the Apache License 2.0.
# SPDX-License-Identifier: Apache-2.0
"""Damaged files: one flipped bit, or the end missing, in every kind of file that
the program reads. What has a digest must be refused, the rest may not crash."""

import json
import shutil
import sys
import tarfile

from trials import QUICKSTART, ROOT, Finding

sys.path.insert(0, str(ROOT / "test" / "Tools"))

import make_pictures  # noqa: E402


def build_words(trials, config):
    path = trials.work / "damaged.json"
    path.write_text(json.dumps({**config, "output_dir": str(trials.work / "flipped")}))
    return ["build", "--config", path]


def with_data(trials, path, kind):
    config = json.loads(json.dumps(trials.config))
    del config["evaluation"]
    data = config["quant"]["input_configs"][0]
    data |= {"calibration_dataset": str(path), "calibration_format": kind}
    data["calibration_size"] = 4
    config["quant"]["precision_analysis"] = False
    return config


def in_folder(trials, name):
    folder = trials.fresh("samples")
    folder.mkdir()
    return folder, folder / name


def onnx_model(trials):
    copy = trials.work / "damaged.onnx"
    return copy, ["inspect", copy]


def built_model(trials):
    copy = trials.work / "damaged.onnx"
    config = {**with_data(trials, QUICKSTART / "calibration.tar", "Numpy")}
    return copy, build_words(trials, {**config, "input": str(copy)})


def run(trials, copy):
    output = trials.fresh("ran")
    words = ["run", "--model", copy, "--random_input", "--output_dir", output]
    return copy, [*words, "--input_dir", trials.work / "no-inputs"]


def compiled_model(trials):
    return run(trials, trials.work / "damaged.axmodel")


def array(trials):
    folder, copy = in_folder(trials, "0.npy")
    for sample in range(1, 4):
        shutil.copy(trials.arrays / f"{sample}.npy", folder)
    return copy, build_words(trials, with_data(trials, folder, "Numpy"))


def picture(trials):
    folder, copy = in_folder(trials, "0.png")
    for sample in range(1, 4):
        (folder / f"{sample}.png").write_bytes(make_pictures.picture(sample))
    config = {
        "input": str(trials.work / "pictures.onnx"),
        "quant": {
            "input_configs": [
                {
                    "tensor_name": "x",
                    "calibration_dataset": str(folder),
                    "calibration_format": "Image",
                }
            ]
        },
    }
    return copy, build_words(trials, config)


def archive(trials):
    copy = trials.work / "damaged.tar"
    return copy, build_words(trials, with_data(trials, copy, "Numpy"))


def configuration(trials):
    copy = trials.work / "damaged-config.json"
    return copy, ["build", "--check", "--config", copy]


def case(trials):
    copy = trials.work / "damaged.plxcase"
    return copy, ["case", "verify", copy]


def shown_case(trials):
    copy = trials.work / "damaged.plxcase"
    return copy, ["case", "show", copy]


def result(trials):
    folder = trials.fresh("results")
    shutil.copytree(trials.built, folder)
    copy = folder / "quant/debug/precision_analysis_table.json"
    return copy, ["diff", trials.built, folder]


def manifest(trials):
    folder = trials.fresh("results")
    shutil.copytree(trials.built, folder)
    return folder / "manifest.json", ["diff", trials.built, folder]


def calibration(trials):
    copy = trials.work / "damaged-calibration.json"
    config = with_data(trials, QUICKSTART / "calibration.tar", "Numpy")
    config["quant"]["calibration_cache"] = str(copy)
    return copy, build_words(trials, config)


def target(trials):
    copy = trials.work / "damaged-target.json"
    config = with_data(trials, QUICKSTART / "calibration.tar", "Numpy")
    return copy, build_words(trials, {**config, "target_hardware": str(copy)})


def checkpoint(trials):
    folder = trials.fresh("continued")
    shutil.copytree(trials.checkpoints, folder)
    config = trials.write_config("continued", folder)
    words = ["build", "--config", config, "--phase-from", "quantize"]
    return folder / "phases/calibrate.mlirbc", words


def quantized_model(trials):
    return run(trials, trials.work / "damaged-quantized.onnx")


def labels(trials):
    copy = trials.work / "damaged-labels.npy"
    config = json.loads(json.dumps(trials.config))
    config["evaluation"]["labels"] = str(copy)
    path = trials.work / "labels.json"
    path.write_text(json.dumps({**config, "output_dir": str(trials.work / "judged")}))
    return copy, ["evaluate", "--config", path]


# What is damaged, the whole file, and whether it has a digest.
SUBJECTS = [
    (onnx_model, lambda trials: QUICKSTART / "digits.onnx", False),
    (built_model, lambda trials: QUICKSTART / "digits.onnx", False),
    (compiled_model, lambda trials: trials.built / "compiled.axmodel", True),
    (array, lambda trials: trials.arrays / "0.npy", False),
    (picture, lambda trials: trials.picture, False),
    (archive, lambda trials: QUICKSTART / "calibration.tar", False),
    (configuration, lambda trials: trials.plain_config, False),
    (case, lambda trials: trials.case, True),
    (shown_case, lambda trials: trials.case, False),
    (
        result,
        lambda trials: trials.built / "quant/debug/precision_analysis_table.json",
        True,
    ),
    (manifest, lambda trials: trials.built / "manifest.json", False),
    (calibration, lambda trials: trials.built / "quant/calibration.json", False),
    (target, lambda trials: ROOT / "configs/targets/ax650.json", False),
    (checkpoint, lambda trials: trials.checkpoints / "phases/calibrate.mlirbc", True),
    (
        quantized_model,
        lambda trials: trials.built / "quant/quant_axmodel.onnx",
        False,
    ),
    (labels, lambda trials: QUICKSTART / "evaluation_labels.npy", False),
]


def prepare(trials):
    """Whole files of all kinds, once."""
    if hasattr(trials, "tried"):
        return
    trials.tried = set()
    trials.arrays = trials.fresh("arrays")
    trials.arrays.mkdir()
    with tarfile.open(QUICKSTART / "calibration.tar") as tar:
        members = [m for m in tar.getmembers() if m.name.endswith(".npy")]
        for sample, member in enumerate(members[:4]):
            data = tar.extractfile(member).read()
            (trials.arrays / f"{sample}.npy").write_bytes(data)
    (trials.work / "pictures.onnx").write_bytes(make_pictures.relu(1))
    trials.picture = trials.work / "whole.png"
    trials.picture.write_bytes(make_pictures.picture(0))
    trials.plain_config = trials.work / "whole.json"
    config = {**trials.config, "output_dir": str(trials.work / "flipped")}
    trials.plain_config.write_text(json.dumps(config, indent=1))
    trials.checkpoints = trials.fresh("checkpoints")
    config = trials.write_config("checkpoints", trials.checkpoints)
    trials.must_work("build", "--config", config, "--phase-to", "calibrate")
    trials.case = trials.work / "whole.plxcase"
    trials.must_work("case", "pack", "--from", trials.built, "-o", trials.case)


def damage(trials, number, change):
    prepare(trials)
    make, source, has_digest = SUBJECTS[number % len(SUBJECTS)]
    whole = source(trials).read_bytes()
    if make not in trials.tried:
        trials.tried.add(make)
        copy, words = make(trials)
        copy.write_bytes(whole)
        trials.must_work(*words)
    copy, words = make(trials)
    copy.write_bytes(change(whole))
    # Code 1: an analysis that is found and says that something got worse.
    ended = trials.run(*words, allowed=(0, 1, 2))
    if has_digest and ended.code != 2:
        raise Finding(f"{words} takes the damaged {copy}:\n{ended.text[-1000:]}")
    return f"{make.__name__} {'refused' if ended.code == 2 else 'taken'}"


def flip(trials, number, count):
    def change(whole):
        place = trials.rng.randrange(len(whole))
        changed = bytearray(whole)
        changed[place] ^= 1 << trials.rng.randrange(8)
        return bytes(changed)

    return damage(trials, number, change)


def truncate(trials, number, count):
    def change(whole):
        return whole[: trials.rng.randrange(len(whole))]

    return damage(trials, number, change)
