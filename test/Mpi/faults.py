# Part of Parallax, under the Apache License 2.0.
# SPDX-License-Identifier: Apache-2.0
"""What goes wrong in a job: ranks that fail, die, or are not the same."""

import os
import re
import shutil
import socket

import numpy
from jobs import ROOT, digests, require, require_same

HOST = socket.gethostname()


def no_mpi_in_a_plain_run(jobs):
    """the program is linked with no MPI, and needs none without a launcher."""
    linked = jobs.run("ldd", jobs.program).text
    require("mpi" not in linked.lower(), f"linked with MPI:\n{linked}")
    require("libc.so" in linked, f"ldd does not work:\n{linked}")
    alone = jobs.work / "alone" / "bin"
    alone.mkdir(parents=True)
    shutil.copy(jobs.program, alone)
    out = jobs.work / "alone" / "out"
    build = (alone / "parallax", "build", "--config")
    config = jobs.write_config("alone", out, jobs.quickstart())
    # What decodes pictures is missing as well, and not asked for.
    jobs.must_work(*build, config)
    ended = jobs.run("mpirun", "--oversubscribe", "-n", 2, *build, config)
    require("MPI can't be loaded" in ended.text, ended.text[-2000:])


def processes_that_do_not_know_each_other(jobs):
    """a launcher that Open MPI does not know is refused."""
    config = jobs.write_config("strangers", jobs.work / "strangers", jobs.quickstart())
    command = (jobs.program, "build", "--config", config)
    jobs.run("env", "PMI_SIZE=2", *command).must_say("Open MPI's mpirun")
    jobs.run("env", "SLURM_STEP_NUM_TASKS=2", *command).must_say("srun --mpi=pmix")
    require(not (jobs.work / "strangers").exists(), "something was written")


def a_wrong_configuration(jobs):
    """what all ranks find wrong is said once, and names no rank."""
    config = jobs.write_config(
        "wrong", jobs.work / "wrong", {**jobs.quickstart(), "input": "missing.onnx"}
    )
    ended = jobs.run(*jobs.ranks(3, "build", "--config", config))
    ended.must_say("missing.onnx")
    require(f"rank 0 on {HOST}" not in ended.text, ended.text)


def two_versions(jobs):
    """two versions of the tool in one job are refused."""
    other = jobs.work / "other"
    (other / "bin").mkdir(parents=True)
    (other / "lib").symlink_to(jobs.program.parents[1] / "lib")
    shutil.copy(jobs.program, other / "bin")
    with open(other / "bin" / "parallax", "ab") as file:
        file.write(b"another version")
    out = jobs.work / "versions"
    words = ("build", "--config", jobs.write_config("versions", out, jobs.quickstart()))
    ended = jobs.run(
        *jobs.apart((jobs.program, *words), (other / "bin" / "parallax", *words))
    )
    ended.must_say("the same version of the tool", f"rank 1 on {HOST}")
    require(not out.exists(), "something was written")


def other_inputs(jobs):
    """ranks with another configuration, or another model, are refused."""
    out = jobs.work / "inputs"
    build = (jobs.program, "build", "--config")
    one = jobs.write_config("one", out, jobs.quickstart())
    two = jobs.write_config("two", out, {**jobs.quickstart(), "npu_mode": "NPU2"})
    ended = jobs.run(*jobs.apart((*build, one), (*build, two)))
    ended.must_say(f"rank 1 on {HOST} has another configuration")

    folders = [jobs.work / name for name in ("here", "there")]
    for folder in folders:
        folder.mkdir()
        shutil.copy(jobs.quickstart()["input"], folder / "model.onnx")
    with open(folders[1] / "model.onnx", "ab") as file:
        # An unknown field, which readers skip.
        file.write(b"\xa2\x7d\x01x")
    config = jobs.write_config(
        "relative", out, {**jobs.quickstart(), "input": "model.onnx"}
    )
    ended = jobs.run(
        *jobs.apart(*(("-wdir", folder, *build, config) for folder in folders))
    )
    ended.must_say(f"rank 1 on {HOST} has another model")


def full_disk(jobs):
    """a rank whose disk is full ends the job, and the folder is not complete."""
    out = jobs.work / "full"
    command = (
        jobs.program,
        *("build", "--config", jobs.write_config("full", out, jobs.quickstart())),
    )
    script = 'ulimit -f 16; exec "$@"'
    limited = ("sh", "-c", script, "sh", *command)
    jobs.run(*jobs.apart(command, limited)).must_say(
        f"rank 1 on {HOST}: cannot write", "File too large"
    )
    require(not (out / "manifest.json").exists(), "the folder looks complete")
    jobs.run(*jobs.apart(limited, command)).must_say(
        f"rank 0 on {HOST}: cannot write", "File too large"
    )
    require(not (out / "manifest.json").exists(), "the folder looks complete")


def unreadable_sample(jobs):
    """a file that one rank can't read is named, with the rank and its host."""
    folders = [jobs.work / name for name in ("whole", "damaged")]
    values = numpy.load(jobs.quickstart()["evaluation"]["images"])[:32]
    for folder in folders:
        data = folder / "data"
        data.mkdir(parents=True)
        for i, value in enumerate(values):
            numpy.save(data / f"{i:02}.npy", value[None])
    # The second of two ranks has the second half.
    (folders[1] / "data" / "22.npy").write_bytes(b"no array")
    config = jobs.quickstart()
    source = config["quant"]["input_configs"][0]
    source["calibration_dataset"], source["calibration_size"] = "data", -1
    out = jobs.work / "unreadable"
    file = jobs.write_config("unreadable", out, config)
    command = (jobs.program, "build", "--config", file)
    ended = jobs.run(
        *jobs.apart(*(("-wdir", folder, *command) for folder in folders))
    )
    ended.must_say(f"rank 1 on {HOST}: ", "22.npy")
    require(not (out / "manifest.json").exists(), "the folder looks complete")


def killed_while_evaluating(jobs):
    """a rank that is killed ends the job; evaluate --resume goes on."""
    out = jobs.work / "killed"
    file = jobs.write_config("killed", out, jobs.many_digits(60))
    jobs.must_work(jobs.program, "build", "--config", file, "--phase-to", "compile")
    command = ("evaluate", "--config", file)
    jobs.must_work(jobs.program, *command)
    expected = digests(out)
    unfinished = out / "evaluation" / "unfinished"
    require(not unfinished.exists(), "the journal is still there")

    def stop(process, kill):
        shutil.rmtree(out / "evaluation", ignore_errors=True)
        process = process()
        jobs.wait_for(process, unfinished, 1000)
        kill(process)
        ended = jobs.finish(process)
        require(ended.code != 0, ended.text)
        require(unfinished.exists(), "there is nothing to go on from")
        require(not (out / "evaluation" / "accuracy.json").exists(), "has results")
        return ended

    def go_on(*command):
        ended = jobs.must_work(*command, "--resume")
        require("answers are known from before" in ended.text, ended.text[-2000:])
        require_same(expected, out, "an evaluation that goes on")

    ended = stop(
        lambda: jobs.start(*jobs.ranks(3, *command)),
        lambda process: jobs.kill_rank(process, 1),
    )
    require("rank 1" in ended.text and "signal 9" in ended.text, ended.text[-2000:])
    go_on(*jobs.ranks(2, *command))
    # By itself, too; and what one has left, the other goes on from.
    stop(lambda: jobs.start(jobs.program, *command), lambda process: process.kill())
    go_on(jobs.program, *command)
    stop(lambda: jobs.start(jobs.program, *command), lambda process: process.kill())
    file.write_text(file.read_text().replace('"NPU1"', '"NPU2"'))
    jobs.run(jobs.program, *command, "--resume").must_say(
        "before configuration changed", "without --resume"
    )


def copies_of_the_data(jobs):
    """an evaluation goes on where each rank has a copy of the data, too."""
    out = jobs.work / "copied"
    config = jobs.many_digits(60)
    folders = [jobs.work / name for name in ("original", "copy")]
    for age, folder in enumerate(folders):
        folder.mkdir()
        for field in ("images", "labels"):
            # Copies have a time of their own.
            shutil.copy(config["evaluation"][field], folder / f"{field}.npy")
            os.utime(folder / f"{field}.npy", (1e9 + age, 1e9 + age))
    for field in ("images", "labels"):
        config["evaluation"][field] = f"{field}.npy"
    file = jobs.write_config("copied", out, config)
    build = (jobs.program, "build", "--config", file, "--phase-to", "compile")
    require(jobs.run(*build, cwd=folders[0]).code in (0, 1), "the build fails")
    evaluate = (jobs.program, "evaluate", "--config", file)
    everywhere = [("-wdir", folder, *evaluate) for folder in folders]
    jobs.must_work(*jobs.apart(*everywhere))
    expected = digests(out)
    shutil.rmtree(out / "evaluation")
    process = jobs.start(*jobs.apart(*everywhere))
    jobs.wait_for(process, out / "evaluation" / "unfinished", 1000)
    jobs.kill_rank(process, 1)
    jobs.finish(process)
    ended = jobs.must_work(*jobs.apart(*((*words, "--resume") for words in everywhere)))
    require("answers are known from before" in ended.text, ended.text[-2000:])
    require_same(expected, out, "an evaluation on copies that goes on")


def a_case(jobs):
    """the first rank alone packs a case, of a build that fails, too."""
    out, case = jobs.work / "packed", jobs.work / "packed.case"
    file = jobs.write_config("packed", out, jobs.quickstart())
    ended = jobs.must_work(*jobs.ranks(2, "build", "--config", file, "--case", case))
    require(ended.text.count("save case to") == 1, ended.text[-2000:])
    jobs.must_work(jobs.program, "case", "replay", case)

    target = (ROOT / "configs/targets/generic.json").read_text()
    target = re.sub(r'("accumulator_bits_8"): \d+', r"\1: 18", target)
    (jobs.work / "short.json").write_text(target)
    file = jobs.write_config(
        "fails", out, jobs.quickstart(), target_hardware=str(jobs.work / "short.json")
    )
    case = jobs.work / "fails.case"
    ended = jobs.run(*jobs.ranks(2, "build", "--config", file, "--case", case))
    ended.must_say("its sums need")
    require("the build fails: error: " in ended.text, ended.text[-2000:])
    jobs.must_work(jobs.program, "case", "replay", case)


def killed_while_tuning(jobs):
    """a tuning of which a rank was killed goes on, too."""
    out = jobs.work / "tuned"
    # Without labels nothing keeps all of the accuracy, so there are many trials.
    config = jobs.quickstart()
    del config["evaluation"]
    config["tuning"] = {
        "strategy": "mse",
        "accuracy_criterion": {"tolerable_loss": 0.0},
        "exit_policy": {"max_trials": 6},
    }
    file = jobs.write_config("tuned", out, config)
    command = ("tune", "--config", file)
    jobs.must_work(jobs.program, *command)
    expected = digests(out)
    shutil.rmtree(out)
    process = jobs.start(*jobs.ranks(2, *command))
    jobs.wait_for(process, out / "tuning" / "history.jsonl", 600)
    jobs.kill_rank(process, 1)
    ended = jobs.finish(process)
    require("rank 1" in ended.text and "signal 9" in ended.text, ended.text[-2000:])
    require(not (out / "manifest.json").exists(), "the folder looks complete")
    jobs.must_work(*jobs.ranks(3, *command, "--resume"))
    require_same(expected, out, "a tuning that goes on")


FAULTS = (
    no_mpi_in_a_plain_run,
    processes_that_do_not_know_each_other,
    a_wrong_configuration,
    two_versions,
    other_inputs,
    full_disk,
    unreadable_sample,
    killed_while_evaluating,
    copies_of_the_data,
    a_case,
    killed_while_tuning,
)
