#!/usr/bin/env python3
# Part of Parallax, under the Apache License 2.0.
# SPDX-License-Identifier: Apache-2.0
"""Jobs of several processes: the same bytes as one process gives, and one
message within seconds where something fails.

    mpi.py same|faults PARALLAX WORK_DIR [PEER_MODELS]
"""

import pathlib
import shutil
import sys

from faults import FAULTS
from jobs import Finding, Jobs, digests, require_same

SKIPPED = 77
COUNTS = (1, 2, 3, 5)


def compare(jobs, name, config, words, counts):
    """One process, and then jobs, into the same folder, since some files name
    it."""
    out = jobs.work / name
    file = jobs.write_config(name, out, config)
    jobs.must_work(jobs.program, words[0], "--config", file, *words[1:])
    expected = digests(out)
    for count in counts:
        shutil.rmtree(out)
        jobs.must_work(*jobs.ranks(count, words[0], "--config", file, *words[1:]))
        require_same(expected, out, f"{name} on {count} ranks")
    print(f"{name}: {len(expected)} files are the same on {counts} ranks", flush=True)


def evaluate(jobs, config, counts):
    """The models of a build, evaluated by themselves."""
    out = jobs.work / "evaluated"
    file = jobs.write_config("evaluated", out, config)
    jobs.must_work(jobs.program, "build", "--config", file)
    jobs.must_work(jobs.program, "evaluate", "--config", file)
    expected = digests(out)
    for count in counts:
        shutil.rmtree(out / "evaluation")
        jobs.must_work(*jobs.ranks(count, "evaluate", "--config", file))
        require_same(expected, out, f"evaluate on {count} ranks")
    print(f"evaluate: the same on {counts} ranks", flush=True)


def phases(jobs, config):
    """The second half of a build, from what one process has left."""
    out = jobs.work / "phases"
    file = jobs.write_config("phases", out, config)
    jobs.must_work(jobs.program, "build", "--config", file, "--phase-to", "calibrate")
    kept = jobs.work / "half"
    shutil.copytree(out, kept)
    second = ("build", "--config", file, "--phase-from", "quantize")
    jobs.must_work(jobs.program, *second)
    expected = digests(out)
    shutil.rmtree(out)
    shutil.copytree(kept, out)
    jobs.must_work(*jobs.ranks(3, *second))
    require_same(expected, out, "the second half of a build")
    print("the second half of a build: the same", flush=True)


def tuned(strategy):
    return {
        "strategy": strategy,
        "accuracy_criterion": {"tolerable_loss": 0.0},
        "exit_policy": {"max_trials": 7},
    }


def same(jobs, peers):
    digits = jobs.quickstart()
    compare(jobs, "quickstart", digits, ["build"], COUNTS)
    evaluate(jobs, digits, (2, 5))
    phases(jobs, digits)
    # Without labels nothing keeps all of the accuracy, so there are many trials.
    unlabelled = {name: digits[name] for name in digits if name != "evaluation"}
    for strategy in ("auto", "random"):
        config = {**unlabelled, "tuning": tuned(strategy)}
        compare(jobs, f"tune-{strategy}", config, ["tune"], (3,))
    config = {**digits, "tuning": tuned("auto")}
    compare(jobs, "front", config, ["tune", "--pareto"], (2,))
    model = peers / "ppocr-cls.onnx"
    if not model.exists():
        print(f"SKIPPED: there is no {model}")
        return SKIPPED
    config = jobs.classifier(model, (1, 3, 48, 192))
    compare(jobs, "peer", config, ["build"], COUNTS)
    return 0


def faults(jobs, _):
    for fault in FAULTS:
        fault(jobs)
        print(f"{fault.__name__}: {fault.__doc__}", flush=True)
    return 0


def main():
    kind, program, work = sys.argv[1:4]
    peers = pathlib.Path(sys.argv[4]).resolve() if len(sys.argv) > 4 else None
    program = pathlib.Path(program).resolve()
    plugin = program.parents[1] / "lib/parallax/libparallax-mpi.so"
    if not shutil.which("mpirun") or not plugin.exists():
        print("SKIPPED: there is no Open MPI; install libopenmpi-dev and openmpi-bin, "
              "and build again")
        return SKIPPED
    jobs = Jobs(program, pathlib.Path(work).resolve())
    return {"same": same, "faults": faults}[kind](jobs, peers)


if __name__ == "__main__":
    try:
        sys.exit(main())
    except Finding as finding:
        print(f"error: {finding}")
        sys.exit(1)
