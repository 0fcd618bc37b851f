# Part of Parallax, under the Apache License 2.0.
# SPDX-License-Identifier: Apache-2.0
"""Limits of the system: the size of files, the disk, the memory."""

import contextlib
import resource
import shutil
import subprocess

from trials import QUICKSTART, Finding

MEGABYTE = 1 << 20


def judge(trials, ended, folder):
    if ended.code == 0:
        if not trials.check_folder(folder):
            raise Finding(f"{folder} has no manifest after a whole build")
        return "without effect"
    if trials.check_folder(folder):
        raise Finding(f"a build that failed has left {folder / 'manifest.json'}")
    return "refused"


def check_names_file(ended):
    if ended.code == 2 and not any(
        "cannot" in line and "'" in line for line in ended.errors()
    ):
        raise Finding(f"the message names no file:\n{ended.text[-1000:]}")


def file_size(trials, number, count):
    """RLIMIT_FSIZE, which sends SIGXFSZ."""
    folder = trials.fresh("limited")
    config = trials.write_config("limited", folder)
    size = int(200_000 ** trials.rng.random())
    limit = (resource.RLIMIT_FSIZE, size)
    ended = trials.run("build", "--config", config, limit=limit)
    check_names_file(ended)
    return judge(trials, ended, folder)


@contextlib.contextmanager
def small_disk(folder, kilobytes):
    """True if there is one; only root can have it."""
    folder.mkdir(parents=True)
    mount = ["mount", "-t", "tmpfs", "-o", f"size={kilobytes}k", "tmpfs", folder]
    try:
        done = subprocess.run(mount, capture_output=True, check=False).returncode == 0
    except FileNotFoundError:
        done = False
    try:
        yield done
    finally:
        if done:
            subprocess.run(["umount", folder], check=True)


def full_disk(trials, number, count):
    disk = trials.fresh("disk")
    with small_disk(disk, int(4 * 500 ** trials.rng.random())) as is_mounted:
        if not is_mounted:
            return "skipped: not root"
        folder = disk / "out"
        config = trials.write_config("disk", folder)
        ended = trials.run("build", "--config", config)
        check_names_file(ended)
        outcome = judge(trials, ended, folder)
        shutil.rmtree(folder, ignore_errors=True)
    return outcome


# What else writes: the words of a command for a folder, and the results that it
# must have if it succeeds.
WRITERS = {
    "optimize": lambda trials, folder: [QUICKSTART / "digits.onnx", folder / "x.onnx"],
    "conformance": lambda trials, folder: ["--target", "generic", "-o", folder],
    "run": lambda trials, folder: [
        *("--model", QUICKSTART / "digits.onnx", "--input_dir", trials.inputs),
        *("--output_dir", folder, "--enable_perlayer_output"),
    ],
    "case pack": lambda trials, folder: [
        *("--from", trials.built, "-o", folder / "x.plxcase"),
    ],
}


def results_in(folder):
    """Cases know when they were packed, so they have to be whole and say why."""
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file() and path.suffix != ".plxcase"
    }


def verdict_of(trials, case):
    shown = trials.must_work("case", "show", case).text
    trials.must_work("case", "verify", case)
    return next(line for line in shown.splitlines() if "verdict:" in line)


def write_elsewhere(trials, command, folder):
    words = WRITERS[command](trials, folder)
    ended = trials.run(*command.split(), *words)
    if ended.code != 0:
        return ended, None
    case = folder / "x.plxcase"
    found = verdict_of(trials, case) if case.exists() else results_in(folder)
    return ended, found


def full_disk_of_others(trials, number, count):
    """Not only builds write: none of them takes a full disk for a result."""
    if not hasattr(trials, "expected"):
        trials.inputs, trials.expected = trials.fresh("inputs"), {}
        output = trials.fresh("first-run")
        words = ["run", "--model", QUICKSTART / "digits.onnx", "--random_input"]
        trials.must_work(*words, "--input_dir", trials.inputs, "--output_dir", output)
    command = list(WRITERS)[number % len(WRITERS)]
    if command not in trials.expected:
        whole = write_elsewhere(trials, command, trials.fresh("whole"))[1]
        trials.expected[command] = whole
    disk = trials.fresh("disk")
    with small_disk(disk, int(4 * 1000 ** trials.rng.random())) as is_mounted:
        if not is_mounted:
            return "skipped: not root"
        ended, found = write_elsewhere(trials, command, disk)
        check_names_file(ended)
        if found not in (None, trials.expected[command]):
            raise Finding(f"{command} succeeds with other results: {ended.text}")
        trials.check_no_leftovers(disk)
    return "refused" if found is None else "without effect"


def least_memory(trials):
    """The least address space in which the program starts at all, or nothing:
    sanitizers need terabytes."""
    if not hasattr(trials, "least"):
        trials.least = None
        low, high = 0, 2048
        while high - low > 4:
            middle = (low + high) // 2
            limit = (resource.RLIMIT_AS, middle * MEGABYTE)
            process = trials.start("version", limit=limit)
            process.communicate()
            low, high = (low, middle) if process.returncode == 0 else (middle, high)
        if high < 2048:
            trials.least = high
    return trials.least


def memory(trials, number, count):
    least = least_memory(trials)
    if least is None:
        return "skipped: sanitized"
    folder = trials.fresh("small")
    config = trials.write_config("small", folder)
    megabytes = least + 120 * (number + trials.rng.random()) / count
    limit = (resource.RLIMIT_AS, int(megabytes * MEGABYTE))
    threads = 1 + 3 * (number % 2)
    ended = trials.run("build", "--config", config, limit=limit, threads=threads)
    if ended.code == 2 and len(ended.errors()) != 1:
        raise Finding(f"there is not one message:\n{ended.text[-1000:]}")
    return judge(trials, ended, folder)
