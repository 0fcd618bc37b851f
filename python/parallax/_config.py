# Part of Parallax, under the Apache License 2.0.
# SPDX-License-Identifier: Apache-2.0
"""Configurations from files, dictionaries and keyword arguments."""

from __future__ import annotations

import json
import os
from typing import Any, Mapping, Union

from . import _core
from ._core import Error
from ._errors import file_path

Config = Union[str, "os.PathLike[str]", Mapping[str, Any]]


def merge(config: dict[str, Any], field: str, value: Any) -> None:
    """Sets a field; dictionaries are merged."""
    if isinstance(value, Mapping):
        inner = config.get(field)
        inner = dict(inner) if isinstance(inner, Mapping) else {}
        for key, entry in value.items():
            merge(inner, str(key), entry)
        value = inner
    config[field] = value


def merge_path(config: dict[str, Any], path: str, value: Any) -> None:
    """Sets a field that may be in a section: ``quant.calibration_method``. Only
    this path is taken apart: names of layers have dots, too."""
    for section in reversed(path.split(".")[1:]):
        value = {section: value}
    merge(config, path.partition(".")[0], value)


def plain(value: Any) -> Any:
    """What json does not know: paths, and numbers of NumPy."""
    if isinstance(value, os.PathLike):
        return os.fspath(value)
    if hasattr(value, "tolist"):
        return value.tolist()
    raise TypeError(f"{value!r:.80} is not a value of a configuration")


class Configuration:
    """A configuration as the library takes it: a file, or a text."""

    def __init__(self, config: Config, overrides: Mapping[str, Any]) -> None:
        self.file = ""
        if isinstance(config, Mapping):
            self._fields: dict[str, Any] | None = {}
            for name, value in config.items():
                merge_path(self._fields, str(name), value)
        else:
            self.file = file_path(config, "the configuration, unless it is a "
                                          "dictionary,")
            self._fields = None
        for name, value in overrides.items():
            self.set(name, value)

    @property
    def fields(self) -> dict[str, Any]:
        """The fields, which are read from the file when they are needed."""
        if self._fields is None:
            loaded = json.loads(_core.strict_config(self.file))
            if not isinstance(loaded, dict):
                raise Error(f"{self.file}: a configuration is an object of fields")
            self._fields = loaded
        return self._fields

    def set(self, name: str, value: Any) -> None:
        """Sets a field, also one in a section: ``quant.precision_analysis``."""
        merge_path(self.fields, name, value)
        self.file = ""

    @property
    def text(self) -> str:
        """The text for the library; empty where it reads the file."""
        if self.file:
            return ""
        try:
            return json.dumps(self.fields, default=plain)
        except (TypeError, ValueError) as error:
            raise Error(f"the configuration can't be written as JSON: {error}"
                        ) from error

    @property
    def model(self) -> str:
        """The path of the model."""
        return file_path(self.fields.get("input"), "the field 'input'")

    @property
    def input_shapes(self) -> str:
        """The shapes that replace the model's; the library refuses other kinds."""
        shapes = self.fields.get("input_shapes")
        return shapes if isinstance(shapes, str) else ""

    @property
    def output_dir(self) -> str:
        """The folder for results; empty if there is none."""
        folder = self.fields.get("output_dir")
        return file_path(folder, "the field 'output_dir'") if folder else ""
