# Part of Parallax, under the Apache License 2.0.
# SPDX-License-Identifier: Apache-2.0
#
# Peak memory of `parallax run` stays below 120 MB for the tool, the weights, and
# 1.3 times the largest live set per thread, whatever the number of samples.
# Usage: memory_of_a_run.py PARALLAX MODEL WORK [run options...]
import os
import re
import resource
import subprocess
import sys

tool, model, work, *options = sys.argv[1:]
MB = 1e6


def run(samples, threads):
    os.makedirs(work, exist_ok=True)
    cases = os.path.join(work, "cases.txt")
    with open(cases, "w") as file:
        file.writelines(f"case{i}\n" for i in range(samples))
    command = [tool, "run", "--model", model, "--random_input", "--list", cases,
               "--input_dir", f"{work}/in", "--output_dir", f"{work}/out",
               "--threads", str(threads), "--log-level", "debug", *options]
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
    text = process.stderr.read()
    _, status, usage = os.wait4(process.pid, 0)
    if status != 0:
        sys.exit(f"{' '.join(command)} failed:\n{text}")
    live = re.search(r"\(([\d.]+) MB alive at most\)", text)
    if not live:
        sys.exit(f"the run does not say how much was alive:\n{text}")
    return usage.ru_maxrss * 1024, float(live.group(1)) * MB


weights = os.path.getsize(model)
failed = 0
for samples, threads in ((1, 1), (64, 1), (64, 2)):
    peak, live = run(samples, threads)
    bound = 120 * MB + weights + 1.3 * live * threads
    verdict = "ok" if peak <= bound else "FAILED"
    failed += peak > bound
    print(f"{samples} samples, {threads} threads: peak {peak / MB:.1f} MB, "
          f"bound {bound / MB:.1f} MB: {verdict}")
sys.exit(1 if failed else 0)
