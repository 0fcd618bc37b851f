#!/usr/bin/env python3
# Part of Parallax, under the Apache License 2.0.
# SPDX-License-Identifier: Apache-2.0
"""Prints docs/python.md: the beginning of python/page.md, then every public name
with its signature and its text, as the sources have them. A name without a text
is an error. Usage: make_page.py ROOT"""

import ast
import pathlib
import re
import sys

# What users ask first comes first.
SECTIONS = [
    ("Run a model", "session"),
    ("Build, judge and tune", "work"),
    ("What they give", "results"),
    ("Progress and errors", "_listener _core"),
]
MOST_COLUMNS = 100
MODULES = [("Cases: `parallax.case`", "case"),
           ("Neural Compressor's words: `parallax.inc`", "inc")]


def split_arguments(text: str) -> list[str]:
    """One text for each; a comma inside of brackets separates none."""
    parts, depth = [""], 0
    for letter in text:
        depth += (letter in "[({") - (letter in "])}")
        if letter == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += letter
    return [part.strip() for part in parts]


class Page:
    def __init__(self, package: pathlib.Path) -> None:
        self.package = package
        self.problems: list[str] = []
        self.lines: list[str] = []
        body = self.tree("__init__").body
        self.homes = {name: home for name, home in ast.literal_eval(next(
            node.value for node in body if isinstance(node, ast.Assign)
            and node.targets[0].id == "_HOMES")).items() if not name.startswith("_")}

    def tree(self, module: str) -> ast.Module:
        path = self.package / f"{module}.py"
        if not path.exists():
            path = path.with_suffix(".pyi")
        return ast.parse(path.read_text(encoding="utf-8"))

    def definitions(self, module: str) -> dict[str, ast.AST]:
        return {node.name: node for node in self.tree(module).body
                if isinstance(node, (ast.FunctionDef, ast.ClassDef))}

    def constants(self, module: str) -> dict[str, str]:
        """Values with a text below them, and that text."""
        body, found = self.tree(module).body, {}
        for node, below in zip(body, body[1:]):
            target = node.targets[0] if isinstance(node, ast.Assign) else \
                getattr(node, "target", None)
            if isinstance(target, ast.Name) and isinstance(below, ast.Expr):
                found[target.id] = ast.literal_eval(below.value)
        return found

    def text(self, node: ast.AST, name: str) -> str:
        text = ast.get_docstring(node)
        if not text:
            self.problems.append(f"{name} has no docstring")
            return ""
        return self.marked(text)

    @staticmethod
    def marked(text: str) -> str:
        return re.sub(r"``(.+?)``", r"`\1`", text)

    def signature(self, node: ast.FunctionDef, name: str, is_method: bool) -> str:
        arguments = node.args
        if is_method:
            arguments.args = arguments.args[1:]
        text = ast.unparse(arguments)
        returns = f" -> {ast.unparse(node.returns)}" if node.returns and \
            node.name != "__init__" else ""
        if is_method or len(name) + len(text) + len(returns) < MOST_COLUMNS:
            return f"{name}({text}){returns}"
        lines = split_arguments(text)
        return f"{name}(\n    " + ",\n    ".join(lines) + f"\n){returns}"

    def add_function(self, node: ast.FunctionDef, prefix: str, level: str) -> None:
        self.lines += [f"{level} `{prefix}{node.name}`", "", "```python",
                       self.signature(node, prefix + node.name, False), "```", "",
                       self.text(node, prefix + node.name), ""]

    def add_class(self, node: ast.ClassDef, prefix: str) -> None:
        self.lines += [f"### `{prefix}{node.name}`", ""]
        methods = [inner for inner in node.body if isinstance(inner, ast.FunctionDef)]
        start = [inner for inner in methods if inner.name == "__init__"]
        fields = [inner for inner in node.body if isinstance(inner, ast.AnnAssign)]
        if start:
            start[0].args.args = start[0].args.args[1:]
            shown = self.signature(start[0], prefix + node.name, False)
        else:
            shown = "\n".join([f"class {prefix}{node.name}:", *(
                f"    {ast.unparse(each)}" for each in fields)])
        if start or fields:
            self.lines += ["```python", shown, "```", ""]
        self.lines += [self.text(node, node.name), ""]
        for inner in methods:
            if inner.name.startswith("_"):
                continue
            name = f"{node.name}.{inner.name}"
            is_property = any(getattr(each, "id", "") == "property"
                              for each in inner.decorator_list)
            head = inner.name if is_property else self.signature(inner, inner.name, True)
            text = self.text(inner, name).replace("\n", " ").replace("  ", " ")
            self.lines.append(f"- `{head}`: {text}")
        self.lines.append("")

    def add_module(self, title: str, modules: str, prefix: str,
                   names: "list[str] | None") -> None:
        self.lines += [f"## {title}", ""]
        for module in modules.split():
            if names is None:
                self.lines += [self.text(self.tree(module), module), ""]
            found, values = self.definitions(module), self.constants(module)
            for name in names if names is not None else [*found, *values]:
                if name in values:
                    self.lines += [f"### `{prefix}{name}`", "",
                                   self.marked(values[name]), ""]
                node = found.get(name)
                if node is None or name.startswith("_"):
                    continue
                if isinstance(node, ast.ClassDef):
                    self.add_class(node, prefix)
                else:
                    self.add_function(node, prefix, "###")

    def finished(self) -> str:
        for title, modules in SECTIONS:
            names = [name for name, home in self.homes.items()
                     if home in modules.split()]
            self.add_module(title, modules, "parallax.", names)
        for title, module in MODULES:
            self.add_module(title, module, f"parallax.{module}.", None)
        shown = "\n".join(self.lines)
        self.problems += [f"{name} is on no page" for name in self.homes
                          if f"### `parallax.{name}`" not in shown]
        return re.sub(r"\n{3,}", "\n\n", shown).rstrip() + "\n"


def main() -> int:
    root = pathlib.Path(sys.argv[1])
    page = Page(root / "python/parallax")
    text = page.finished()
    sys.stdout.write((root / "python/page.md").read_text(encoding="utf-8") + text)
    print(*page.problems, sep="\n", file=sys.stderr, end="")
    return 1 if page.problems else 0


sys.exit(main())
