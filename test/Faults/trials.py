# Part of Parallax, under the Apache License 2.0.
# SPDX-License-Identifier: Apache-2.0
"""What all kinds of faults share: running the program and judging how it ended,
the quickstart as a subject, and what a folder of results must look like."""

import functools
import hashlib
import json
import pathlib
import resource
import shutil
import signal
import subprocess

ROOT = pathlib.Path(__file__).resolve().parents[2]
QUICKSTART = ROOT / "configs" / "quickstart"

# What a program prints that ends by its own mistake, whatever its exit code.
SIGNS = (
    "AddressSanitizer",
    "LeakSanitizer",
    "runtime error:",
    "terminate called",
    "Assertion",
    "LLVM ERROR",
    "Stack dump",
)
# Files of a folder of results that a manifest need not list.
UNLISTED = (
    "build.log",
    "build.lock",
    "manifest.json",
    "evaluation",
    "report.html",
    "quant/dataset",
)


class Finding(Exception):
    pass


class Ended:
    def __init__(self, code, text):
        self.code, self.text = code, text

    def errors(self):
        return [line for line in self.text.splitlines() if line.startswith("error:")]


class Trials:
    def __init__(self, program, work, seed):
        self.program, self.work, self.seed = program, work, seed
        self.rng = None
        work.mkdir(parents=True)

    # === Running =============================================================

    def start(self, *words, limit=None, threads=1):
        """Starts the program; `limit` is a resource and a number."""

        def restrict():
            resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
            if limit:
                resource.setrlimit(limit[0], (limit[1], limit[1]))

        return subprocess.Popen(
            [str(self.program), *map(str, words), "--threads", str(threads)],
            cwd=self.work,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            stdin=subprocess.DEVNULL,
            preexec_fn=restrict,
        )

    def finish(self, process, allowed=(0, 2), seconds=120):
        """Waits, and judges: an exit code that means something, no signal, no
        sanitizer, and one message if it failed."""
        try:
            data, _ = process.communicate(timeout=seconds)
        except subprocess.TimeoutExpired:
            process.kill()
            raise Finding(f"{process.args} still runs after {seconds} s") from None
        text = data.decode(errors="replace")
        ended = Ended(process.returncode, text)
        if ended.code not in allowed or any(sign in text for sign in SIGNS):
            how = (
                f"was ended by {signal.Signals(-ended.code).name}"
                if ended.code < 0
                else f"ended with code {ended.code}"
            )
            command = " ".join(process.args)
            raise Finding(f"`{command}` in {self.work} {how}:\n{text[-2000:]}")
        if ended.code == 2 and not ended.errors():
            raise Finding(f"{process.args} failed without a message:\n{text[-2000:]}")
        return ended

    def run(self, *words, limit=None, threads=1, allowed=(0, 2), seconds=120):
        process = self.start(*words, limit=limit, threads=threads)
        return self.finish(process, allowed, seconds)

    def must_work(self, *words):
        ended = self.run(*words)
        if ended.code != 0:
            raise Finding(f"{words} should work:\n{ended.text[-2000:]}")
        return ended

    def fresh(self, name):
        folder = self.work / name
        shutil.rmtree(folder, ignore_errors=True)
        return folder

    # === The subject =========================================================

    @functools.cached_property
    def config(self):
        """The quickstart, with paths that hold everywhere."""
        text = (ROOT / "configs/quickstart.json").read_text()
        lines = [line for line in text.splitlines() if not line.lstrip().startswith("//")]
        config = json.loads("\n".join(lines))
        config["input"] = str(QUICKSTART / "digits.onnx")
        data = config["quant"]["input_configs"][0]
        data["calibration_dataset"] = str(QUICKSTART / "calibration.tar")
        for field in ("images", "labels"):
            config["evaluation"][field] = str(QUICKSTART / f"evaluation_{field}.npy")
        return config

    def write_config(self, name, output, **fields):
        path = self.work / f"{name}.json"
        config = {**self.config, **fields, "output_dir": str(output)}
        path.write_text(json.dumps(config, indent=1))
        return path

    @functools.cached_property
    def built(self):
        """A complete build, which nobody changes."""
        folder = self.work / "built"
        self.must_work("build", "--config", self.write_config("built", folder))
        return folder

    # === Folders of results ==================================================

    def check_folder(self, folder):
        """Complete means that all files are those of the manifest."""
        manifest = folder / "manifest.json"
        if not manifest.exists():
            return False
        listed = json.loads(manifest.read_text())
        if listed.get("complete") is not True:
            return False
        for name, digest in listed["files"].items():
            data = (folder / name).read_bytes()
            if hashlib.sha256(data).hexdigest() != digest:
                raise Finding(f"{folder / name} is not what {manifest} says")
        for path in folder.rglob("*"):
            name = path.relative_to(folder).as_posix()
            # What a killed process was writing goes with the next build, which
            # check_no_leftovers looks at.
            is_temporary = path.name.startswith(".parallax-")
            if path.is_file() and name not in listed["files"] and not is_temporary:
                if not name.startswith(UNLISTED):
                    raise Finding(f"{path} is not in {manifest}")
        return True

    def check_no_leftovers(self, folder):
        for path in folder.rglob(".parallax-*"):
            raise Finding(f"{path} was left by a process that is gone")
