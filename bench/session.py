# Part of Parallax, under the Apache License 2.0.
# SPDX-License-Identifier: Apache-2.0
"""Prints the median of session.run in microseconds, as runtime.cpp does for
Runtime.h. Usage: session.py MODEL CALLS"""

import sys
import time

import numpy as np

import parallax

session = parallax.InferenceSession(sys.argv[1])
feed = {port.name: np.zeros(port.shape, port.dtype) for port in session.get_inputs()}
times = []
for _ in range(int(sys.argv[2])):
    start = time.perf_counter_ns()
    session.run(None, feed)
    times.append(time.perf_counter_ns() - start)
print(sorted(times)[len(times) // 2] / 1000)
