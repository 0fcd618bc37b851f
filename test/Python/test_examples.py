# Part of Parallax, under the Apache License 2.0.
# SPDX-License-Identifier: Apache-2.0
"""The examples run, the notebook too, and all of it has types."""

import json
import os
import pathlib
import re
import subprocess
import sys

import make_bad_models as onnx
import pytest

import parallax
from conftest import ROOT

EXAMPLES = sorted((ROOT / "examples/python").glob("*.py"))
NOTEBOOK = ROOT / "examples/python/quickstart.ipynb"


@pytest.fixture
def workplace(tmp_path):
    """A folder that looks like the root of Parallax and can be written to."""
    (tmp_path / "configs").symlink_to(ROOT / "configs")
    return tmp_path


def run(*command, folder):
    path = os.fspath(pathlib.Path(parallax.__file__).parents[1])
    return subprocess.run(command, cwd=folder, capture_output=True, text=True,
                          env={**os.environ, "PYTHONPATH": path,
                               "JUPYTER_PATH": "", "HOME": os.fspath(folder)})


@pytest.mark.parametrize("script", EXAMPLES, ids=lambda path: path.stem)
def test_example(script, workplace):
    done = run(sys.executable, script, folder=workplace)
    assert done.returncode == 0, done.stderr
    assert done.stdout


def test_notebook(workplace):
    """By jupyter nbconvert, or where that is missing, as a script."""
    if run(sys.executable, "-c", "import nbconvert, ipykernel",
           folder=workplace).returncode == 0:
        done = run(sys.executable, "-m", "nbconvert", "--to", "notebook", "--execute",
                   "--ExecutePreprocessor.kernel_name=python3",
                   "--output-dir", workplace, "--stdout",
                   _copied(NOTEBOOK, workplace), folder=workplace)
        assert done.returncode == 0, done.stderr
        shown = ["".join(output.get("data", {}).get("text/html", []))
                 for cell in json.loads(done.stdout)["cells"]
                 for output in cell.get("outputs", [])]
        assert any("<table>" in text for text in shown)
        assert any('href="output/notebook/report.html"' in text for text in shown)
        assert any(text.startswith("<iframe") for text in shown)
    else:
        cells = json.loads(NOTEBOOK.read_text())["cells"]
        code = "\n".join("".join(cell["source"]) for cell in cells
                         if cell["cell_type"] == "code")
        done = run(sys.executable, "-c", code, folder=workplace)
        assert done.returncode == 0, done.stderr


def _copied(notebook, folder):
    copy = folder / notebook.name
    copy.write_bytes(notebook.read_bytes())
    return copy


def code_of(page):
    """The code that a page shows, without the signatures of a reference."""
    text = (ROOT / page).read_text().partition("\n### ")[0] if page == "docs/python.md" \
        else (ROOT / page).read_text()
    (code,) = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    return code


@pytest.mark.parametrize("page", ["README.md", "docs/python.md"])
def test_code_of_a_page(page, workplace):
    done = run(sys.executable, "-c", code_of(page), folder=workplace)
    assert done.returncode == 0, done.stderr
    assert "cosine" in done.stdout and "array(" in done.stdout


def test_code_for_neural_compressor(workplace):
    """The page has no loader, metric and model of its own."""
    add = onnx.node("Add", ["x", "c"], ["h"], "/encoder/layer.0/output/Add")
    (workplace / "model.onnx").write_bytes(onnx.model(
        [add, onnx.node("Sigmoid", ["h"], ["y"])],
        [onnx.tensor("c", (1, 4), [0.5, 1, 2, 4])]))
    before = """
import numpy as np
loader = [(np.full((1, 4), i / 8, np.float32), i) for i in range(8)]
eval_func = lambda model: float(model.run(None, {"x": loader[3][0]})[0].mean())
"""
    after = """
(row,) = [row for row in q_model.session().run_layers({"x": loader[0][0]})
          if row.layer == "/encoder/layer.0/output/Add"]
print(row.values.dtype)
"""
    code = code_of("docs/from-neural-compressor.md")
    done = run(sys.executable, "-c", before + code + after, folder=workplace)
    assert done.returncode == 0, done.stderr
    assert done.stdout == "float32\n"
    assert (workplace / "quantized.onnx").exists()
    assert list(workplace.glob("nc_workspace/*/activations_table.csv"))


def test_the_notebook_is_committed_without_outputs():
    for cell in json.loads(NOTEBOOK.read_text())["cells"]:
        assert not cell.get("outputs") and not cell.get("execution_count")


def test_types(tmp_path):
    done = run("/usr/bin/mypy", "--strict", "--config-file", ROOT / "python/mypy.ini",
               "--cache-dir", tmp_path, "--python-executable", sys.executable,
               ROOT / "python/parallax", *EXAMPLES, folder=ROOT)
    assert done.returncode == 0, done.stdout


def test_public_names():
    """Each has a text, and type checkers know the same names."""
    stub = (ROOT / "python/parallax/__init__.pyi").read_text()
    for name in parallax.__all__:
        assert f" as {name}\n" in stub
        assert getattr(parallax, name).__doc__
        assert name in dir(parallax)
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        parallax.nothing
