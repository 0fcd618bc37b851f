# Part of Parallax, under the Apache License 2.0.
# SPDX-License-Identifier: Apache-2.0
"""Kills a reduction again and again until it gets through.

Usage: interrupt_reduce.py CASE RESULT

Each try lives half as long again as the one before it; half of them get SIGKILL,
half SIGINT. A result may only ever be whole, and is the one of a reduction that
was left alone.
"""
import os
import shutil
import signal
import subprocess
import sys
import zipfile

case, result = sys.argv[1:]
command = ["parallax-faulty", "case", "reduce", case, "-o", result]
quiet = dict(stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def contents(path):
    with zipfile.ZipFile(path) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


kills = 0
for attempt in range(20):
    process = subprocess.Popen(command, **quiet)
    try:
        process.wait(timeout=0.2 * 1.5 ** attempt)
        break
    except subprocess.TimeoutExpired:
        process.send_signal(signal.SIGKILL if attempt % 2 else signal.SIGINT)
        process.wait()
        # As every other program: a shell shows 130 after Ctrl-C.
        if process.returncode not in (-signal.SIGKILL, -signal.SIGINT, 0):
            sys.exit(f"it ended with {process.returncode}")
        kills += 1
        if os.path.exists(result):
            contents(result)
            break
if process.returncode != 0 and not os.path.exists(result):
    sys.exit(f"it failed with {process.returncode}")
print(f"killed {kills} times, never a half-written case")
whole = result + ".whole"
subprocess.run([*command[:4], "-o", whole], check=True, **quiet)
same = contents(result) == contents(whole)
print("the same case as without interruption" if same else "another case")
shutil.rmtree(result + ".work", ignore_errors=True)
