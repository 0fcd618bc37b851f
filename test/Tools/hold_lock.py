#!/usr/bin/env python3
#===- hold_lock.py - A command while a folder is locked ------------------===#
# Part of Parallax, under the Apache License 2.0.
# SPDX-License-Identifier: Apache-2.0
#
# Locks a file as a build does, and runs a command meanwhile.
#
#   hold_lock.py FILE COMMAND…
#===------------------------------------------------------------------------===#
import fcntl
import os
import subprocess
import sys

with open(sys.argv[1], 'w') as lock:
    fcntl.flock(lock, fcntl.LOCK_EX)
    lock.write(str(os.getpid()))
    lock.flush()
    print('holder', os.getpid(), flush=True)
    sys.exit(subprocess.call(sys.argv[2:]))
