# Part of Parallax, under the Apache License 2.0.
# SPDX-License-Identifier: Apache-2.0
"""Limits of the system: the size of files, the disk, the memory."""

import contextlib
import resource
import shutil
import subprocess

from trials import Finding

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
