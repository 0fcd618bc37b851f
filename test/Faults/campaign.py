#!/usr/bin/env python3
# Part of Parallax, under the Apache License 2.0.
# SPDX-License-Identifier: Apache-2.0
"""Attacks builds with faults: nothing may crash, and nothing may be wrong in
silence.

Each kind of fault has numbered trials, whose randomness comes from the seed,
the kind and the number alone. The first finding ends the campaign with the
command that shows it again.

Usage: campaign.py PROGRAM WORKDIR [--full] [--seed N] [--only KIND[:NUMBER]]
"""

import argparse
import collections
import pathlib
import random
import shutil
import sys
import time

import flips
import interruptions
import limits
import sizes
import zero_sizes
from trials import Finding, Trials

# Kind: the function of a trial, and the numbers of trials, short and full.
KINDS = {
    "kill": (interruptions.kill, 4, 150),
    "killed evaluation": (interruptions.kill_evaluation, 2, 60),
    "concurrent builds": (interruptions.concurrent, 1, 20),
    "truncated while read": (interruptions.truncate, 3, 60),
    "swapped while read": (interruptions.swap, 4, 40),
    "truncated file": (flips.truncate, 16, 400),
    "file size limit": (limits.file_size, 3, 60),
    "full disk": (limits.full_disk, 3, 60),
    "full disk of other commands": (limits.full_disk_of_others, 4, 120),
    "memory limit": (limits.memory, 4, 80),
    "zero size": (zero_sizes.trial, 80, None),
    "flipped bit": (flips.flip, 64, 3200),
    "long chain": (sizes.long_chain, 1, 2),
    "many samples": (sizes.many_samples, 1, 2),
}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program", type=pathlib.Path)
    parser.add_argument("work", type=pathlib.Path)
    parser.add_argument("--full", action="store_true")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", default="")
    options = parser.parse_args()
    shutil.rmtree(options.work, ignore_errors=True)
    trials = Trials(options.program.resolve(), options.work.resolve(), options.seed)
    kind_wanted, _, number_wanted = options.only.partition(":")
    outcomes = collections.Counter()
    for kind, (function, few, many) in KINDS.items():
        if kind_wanted and kind != kind_wanted:
            continue
        count = many if options.full else few
        if count is None:
            count = zero_sizes.COUNT
        numbers = [int(number_wanted)] if number_wanted else range(count)
        if not numbers:
            continue
        begin, kinds = time.time(), collections.Counter()
        for number in numbers:
            trials.rng = random.Random(f"{options.seed} {kind} {number}")
            try:
                kinds[function(trials, number, count)] += 1
            except Finding as finding:
                sys.exit(
                    f"{kind}, trial {number}: {finding}\n"
                    f"To see it again: {sys.argv[0]} {options.program} "
                    f"{options.work} --seed {options.seed} "
                    f"{'--full ' if options.full else ''}--only '{kind}:{number}'"
                )
        text = ", ".join(f"{count} {name}" for name, count in sorted(kinds.items()))
        print(f"{kind}: {text} ({time.time() - begin:.1f} s)", flush=True)
        outcomes[kind] = sum(kinds.values())
    print(f"{sum(outcomes.values())} trials, no findings")
    shutil.rmtree(options.work, ignore_errors=True)


if __name__ == "__main__":
    main()
