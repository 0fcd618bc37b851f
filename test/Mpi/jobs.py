# Part of Parallax, under the Apache License 2.0.
# SPDX-License-Identifier: Apache-2.0
"""What the tests of several processes share: jobs, subjects, and the comparison
of folders."""

import hashlib
import json
import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import time

import numpy

ROOT = pathlib.Path(__file__).resolve().parents[2]
QUICKSTART = ROOT / "configs" / "quickstart"

# Root is who tests in containers; a test may use more ranks than cores.
ENVIRONMENT = {
    "OMPI_ALLOW_RUN_AS_ROOT": "1",
    "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
    "OMPI_MCA_rmaps_base_oversubscribe": "1",
}
# A job that hangs fails; nothing here takes a tenth of it.
PATIENCE = 300


class Finding(Exception):
    pass


def require(holds, problem):
    if not holds:
        raise Finding(problem)


class Ended:
    def __init__(self, code, text):
        self.code, self.text = code, text

    def must_say(self, *parts):
        require(self.code != 0, f"should fail:\n{self.text[-3000:]}")
        for part in parts:
            require(part in self.text, f"does not say '{part}':\n{self.text[-3000:]}")
        # One outcome, one message.
        errors = [line for line in self.text.splitlines() if line.startswith("error:")]
        require(len(errors) == 1, f"{len(errors)} messages:\n{self.text[-3000:]}")


class Jobs:
    def __init__(self, program, work):
        self.program, self.work = program, work
        shutil.rmtree(work, ignore_errors=True)
        work.mkdir(parents=True)
        # All jobs of a user on a host share a folder of Open MPI, and each
        # removes it at its end, even below one that is just starting
        # (github.com/open-mpi/ompi/issues/8510).
        self.session = tempfile.TemporaryDirectory(prefix="mpi")

    # === Running =============================================================

    def start(self, *command, cwd=None):
        return subprocess.Popen(
            [str(word) for word in command],
            cwd=cwd or self.work,
            env={**os.environ, **ENVIRONMENT, "TMPDIR": self.session.name},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
        )

    def finish(self, process):
        try:
            data, _ = process.communicate(timeout=PATIENCE)
        except subprocess.TimeoutExpired:
            process.kill()
            raise Finding(f"{process.args} hangs") from None
        return Ended(process.returncode, data.decode(errors="replace"))

    def run(self, *command, cwd=None):
        return self.finish(self.start(*command, cwd=cwd))

    def ranks(self, count, *words):
        """The command of a job in which all ranks do the same."""
        return ["mpirun", "--oversubscribe", "-n", count, self.program, *words]

    @staticmethod
    def apart(*commands):
        """The command of a job in which every rank has its own command."""
        words = ["mpirun", "--oversubscribe"]
        for command in commands:
            words += [*([":"] if len(words) > 2 else []), "-n", 1, *command]
        return words

    def must_work(self, *command):
        ended = self.run(*command)
        require(ended.code in (0, 1), f"{command} failed:\n{ended.text[-3000:]}")
        return ended

    def kill_rank(self, process, rank):
        """Kills a rank of a job that has started."""
        children = subprocess.run(
            ["ps", "-o", "pid=", "--ppid", str(process.pid)],
            capture_output=True,
            text=True,
            check=True,
        ).stdout.split()
        mark = f"OMPI_COMM_WORLD_RANK={rank}".encode()
        for child in children:
            if mark in pathlib.Path(f"/proc/{child}/environ").read_bytes().split(b"\0"):
                os.kill(int(child), 9)
                return
        raise Finding(f"there is no rank {rank} among the children of mpirun")

    def wait_for(self, process, file, size):
        """Waits until a job that goes on has written so much."""
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            require(process.poll() is None, f"ended before {file} had {size} bytes")
            if file.exists() and file.stat().st_size > size:
                return
            time.sleep(0.01)
        raise Finding(f"{file} never has {size} bytes")

    # === Subjects ============================================================

    def write_config(self, name, output, config, **fields):
        path = self.work / f"{name}.json"
        path.write_text(json.dumps({**config, **fields, "output_dir": str(output)}))
        return path

    def quickstart(self):
        """The quickstart, with paths that hold everywhere."""
        lines = (ROOT / "configs/quickstart.json").read_text().splitlines()
        config = json.loads(
            "\n".join(line for line in lines if not line.lstrip().startswith("//"))
        )
        config["input"] = str(QUICKSTART / "digits.onnx")
        config["quant"]["input_configs"][0]["calibration_dataset"] = str(
            QUICKSTART / "calibration.tar"
        )
        for field in ("images", "labels"):
            config["evaluation"][field] = str(QUICKSTART / f"evaluation_{field}.npy")
        return config

    def many_digits(self, times):
        """The quickstart, evaluated on its pictures many times over."""
        config = self.quickstart()
        for field in ("images", "labels"):
            values = numpy.load(config["evaluation"][field])
            file = self.work / f"many_{field}.npy"
            numpy.save(file, numpy.concatenate([values] * times))
            config["evaluation"][field] = str(file)
        return config

    def classifier(self, model, shape):
        """A real network on numbers; what it says of them does not matter."""
        data = self.work / "samples"
        data.mkdir(exist_ok=True)
        random = numpy.random.default_rng(1)
        for i in range(9):
            values = random.uniform(-1, 1, shape).astype(numpy.float32)
            numpy.save(data / f"{i}.npy", values)
        inputs, labels = self.work / "inputs.npy", self.work / "labels.npy"
        values = random.uniform(-1, 1, (21, *shape[1:])).astype(numpy.float32)
        numpy.save(inputs, values)
        numpy.save(labels, random.integers(0, 2, 21))
        return {
            "input": str(model),
            "input_shapes": "x:" + "x".join(map(str, shape)),
            "quant": {
                "input_configs": [
                    {
                        "tensor_name": "DEFAULT",
                        "calibration_dataset": str(data),
                        "calibration_format": "Numpy",
                        "calibration_size": -1,
                    }
                ],
                "calibration_method": "MSE",
                "enable_smooth_quant": True,
                "enable_bias_correction": True,
                "precision_analysis": True,
                "precision_analysis_mode": "Both",
            },
            "evaluation": {"images": str(inputs), "labels": str(labels)},
        }


# === Folders ==================================================================

# Logs, and files of times; the same as bench/same_outputs.mjs leaves out.
LEFT_OUT = re.compile(r"\.log$|build_context|command\.json|profiling|trace|report\.html")
SECONDS = re.compile(rb'"seconds":[^,}]*')


def manifest_without_times(data):
    manifest = json.loads(data)
    for name in [name for name in manifest["files"] if LEFT_OUT.search(name)]:
        del manifest["files"][name]
    return json.dumps(manifest).encode()


def digests(folder):
    """The SHA-256 of each file, by its name; how long trials took is left out."""
    found = {}
    for path in sorted(folder.rglob("*")):
        name = str(path.relative_to(folder))
        if path.is_file() and not LEFT_OUT.search(name):
            data = SECONDS.sub(b"", path.read_bytes())
            if name == "manifest.json":
                data = manifest_without_times(data)
            found[name] = hashlib.sha256(data).hexdigest()
    return found


def require_same(expected, folder, what):
    found = digests(folder)
    names = sorted(set(expected) | set(found))
    other = [name for name in names if expected.get(name) != found.get(name)]
    require(not other, f"{what}: other than one process gives: {' '.join(other)}")
    require(len(found) > 2, f"{what}: nothing was written")
