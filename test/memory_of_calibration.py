# Part of Parallax, under the Apache License 2.0.
# SPDX-License-Identifier: Apache-2.0
#
# Calibration keeps no activation: ten times as many samples need no more memory.
# Usage: memory_of_calibration.py PARALLAX MODEL WORK
import array
import json
import os
import random
import re
import subprocess
import sys

tool, model, work = sys.argv[1:]
data = os.path.join(work, "data")
os.makedirs(data, exist_ok=True)
random.seed(1)
for i in range(320):
    with open(os.path.join(data, f"{i:03}.bin"), "wb") as file:
        array.array("f", (random.random() for _ in range(64))).tofile(file)


def peak(samples):
    """Megabytes of a build that calibrates on so many samples."""
    config = os.path.join(work, "config.json")
    source = {"tensor_name": "DEFAULT", "calibration_dataset": data,
              "calibration_format": "Binary", "calibration_size": samples}
    with open(config, "w") as file:
        json.dump({"input": model, "output_dir": f"{work}/out",
                   "quant": {"calibration_method": "KL",
                             "calibration_hold_out": False,
                             "input_configs": [source]}}, file)
    run = subprocess.run([tool, "build", "--config", config,
                          "--log-level", "debug", "--threads", "2"],
                         stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                         text=True)
    if run.returncode != 0 or f"on {samples} samples" not in run.stderr:
        sys.exit(f"the build failed:\n{run.stderr}")
    return float(re.findall(r"peak memory ([0-9.]+) MB", run.stderr)[-1])


few, many = peak(32), peak(320)
# The activations of 320 samples alone are 25 MB.
verdict = "ok" if many <= few + 8 else "FAILED"
print(f"32 samples {few} MB, 320 samples {many} MB: {verdict}")
sys.exit(verdict != "ok")
