# Part of Parallax, under the Apache License 2.0.
# SPDX-License-Identifier: Apache-2.0
"""Samples from any iterable, in the files that the library reads.

Samples are needed several times and in parallel, so each is written as soon as
it arrives and forgotten.
"""

from __future__ import annotations

import os
from contextlib import suppress
from typing import TYPE_CHECKING, Any, BinaryIO, Iterable, Iterator, Mapping

from . import _core
from ._core import Error
from ._errors import iterable

if TYPE_CHECKING:
    import numpy as np

    Array = np.ndarray[Any, Any]


def _given_shapes(text: str) -> dict[str, list[int]]:
    """The shapes in ``input_shapes``; the library refuses what is not one."""
    shapes = {}
    for entry in text.split(";"):
        name, _, sizes = entry.strip().rpartition(":")
        with suppress(ValueError):
            shapes[name] = [int(size) for size in sizes.split("x")]
    return shapes


class Ports:
    """The inputs of a model: their names, and whether they take one sample.

    A shape is that of ``input_shapes``, or else what the model declares, which
    is empty if it declares none.
    """

    def __init__(self, model: str, input_shapes: str = "") -> None:
        inputs = _core.inputs_of(model)
        given = _given_shapes(input_shapes)
        self._shapes = {name: given.get(name, shape) for name, _, shape in inputs}
        self._types = {name: dtype for name, dtype, _ in inputs}

    @property
    def names(self) -> list[str]:
        return list(self._shapes)

    def takes_one(self, name: str) -> bool:
        """Whether the first dimension is the number of samples, one by one."""
        return self._shapes[name][:1] in ([1], [-1])

    def rank(self, name: str) -> int:
        return len(self._shapes[name])

    def check(self, sample: Mapping[str, Array], number: int) -> None:
        """Refuses arrays that the model can't take, with the caller's numbers."""
        for name, array in sample.items():
            dtype, shape = self._types[name], self._shapes[name]
            if array.dtype.name != dtype:
                raise Error(f"sample {number} gives {array.dtype} for the input {name}, "
                            f"which takes {dtype}; convert it by "
                            f"array.astype({dtype!r})")
            if shape and (len(shape) != array.ndim or any(
                    size not in (-1, given) for size, given in zip(shape, array.shape))):
                raise Error(f"sample {number} has the shape {_written(array.shape)}, but "
                            f"the input {name} takes {_written(shape)}")


def _written(shape: Iterable[int]) -> str:
    return "x".join("?" if size < 0 else str(size) for size in shape) or "()"


def _by_name(item: Any, ports: Ports, number: int) -> dict[str, Array]:
    """The arrays of an item: one array, a list in order, or a dictionary."""
    import numpy

    if isinstance(item, Mapping):
        found = dict(item)
    elif isinstance(item, (list, tuple)):
        found = dict(zip(ports.names, item)) if len(item) == len(ports.names) else {}
    else:
        found = {ports.names[0]: item} if len(ports.names) == 1 else {}
    if set(found) != set(ports.names):
        raise Error(f"sample {number} has to give arrays for the inputs "
                    f"{', '.join(ports.names)}: as a dictionary by name, or as a "
                    f"list in this order; this is {item!r:.80}")
    arrays = {name: numpy.asarray(value) for name, value in found.items()}
    for name, array in arrays.items():
        if array.dtype.kind not in "biuf":
            raise Error(f"sample {number} gives {array.dtype} for the input {name}, "
                        "which is not a type of numbers")
    return arrays


def samples_of(items: Iterable[Any], ports: Ports) -> Iterator[dict[str, Array]]:
    """The samples of an iterable, one by one; batches are taken apart."""
    for number, item in enumerate(items):
        arrays = _by_name(item, ports, number)
        counts = {len(array) for name, array in arrays.items()
                  if ports.takes_one(name) and array.ndim == ports.rank(name)}
        if len(counts) != 1 or counts == {1}:
            yield arrays
            continue
        for i in range(counts.pop()):
            yield {name: array[i:i + 1] for name, array in arrays.items()}


def write_calibration(items: Iterable[Any], ports: Ports,
                      folder: str) -> dict[str, str]:
    """Writes samples, and gives the name of the folder of each input."""
    import numpy

    items = iterable(items, "calibration is an iterable of arrays or of dictionaries "
                            "of arrays by input")
    folders = {name: str(i) for i, name in enumerate(ports.names)}
    for path in folders.values():
        os.makedirs(os.path.join(folder, path))
    count = 0
    for sample in samples_of(items, ports):
        ports.check(sample, count)
        for name, array in sample.items():
            numpy.save(os.path.join(folder, folders[name], f"{count:08}.npy"),
                       numpy.ascontiguousarray(array), allow_pickle=False)
        count += 1
    if not count:
        raise Error("calibration has no samples: it is an iterable of arrays or "
                    "of dictionaries of arrays by input")
    return folders


def calibration_fields(folders: Mapping[str, str]) -> list[dict[str, Any]]:
    """The ``quant.input_configs`` that read such folders."""
    return [{"tensor_name": name, "calibration_dataset": path,
             "calibration_format": "Numpy", "calibration_size": -1}
            for name, path in folders.items()]


class StackedFile:
    """A .npy file that grows by one sample at a time."""

    # The count stands in the header and is only known at the end.
    _DIGITS = 20

    def __init__(self, path: str) -> None:
        self._file: BinaryIO = open(path, "wb")
        self._dtype: Any = None
        self._shape: tuple[int, ...] = ()
        self._count = 0

    def add(self, sample: Array) -> None:
        import numpy

        if self._dtype is None:
            self._dtype, self._shape = sample.dtype, sample.shape
            self._write_header()
        if sample.dtype != self._dtype or sample.shape != self._shape:
            raise Error(f"sample {self._count} is {sample.dtype} {sample.shape}, "
                        f"but those before it are {self._dtype} {self._shape}")
        self._file.write(numpy.ascontiguousarray(sample).tobytes())
        self._count += 1

    def _write_header(self) -> None:
        text = ("{'descr': %r, 'fortran_order': False, 'shape': (%s,%s), }"
                % (self._dtype.str,
                   str(self._count).rjust(self._DIGITS),
                   "".join(f" {size}," for size in self._shape)))
        size = -(-(len(text) + 11) // 64) * 64 - 10
        self._file.seek(0)
        self._file.write(b"\x93NUMPY\x01\x00" + size.to_bytes(2, "little")
                         + text.ljust(size - 1).encode("latin1") + b"\n")

    def close(self) -> None:
        if self._dtype is not None:
            self._write_header()
        self._file.close()


_LABELS = ""  # no input has this name


def write_evaluation(items: Iterable[Any], ports: Ports,
                     folder: str) -> dict[str, str]:
    """Writes pairs of inputs and label, and gives the names of their files."""
    import numpy

    items = iterable(items, "data is an iterable of pairs (inputs, label)")
    names = {name: f"{i}.npy" for i, name in enumerate(ports.names)}
    names[_LABELS] = "labels.npy"
    files = {name: StackedFile(os.path.join(folder, file))
             for name, file in names.items()}
    number = 0
    try:
        for number, item in enumerate(items, 1):
            if not isinstance(item, (list, tuple)) or len(item) != 2:
                raise Error("data is an iterable of pairs (inputs, label), but "
                            f"item {number - 1} is {item!r:.80}")
            answers = numpy.asarray(item[1])
            if answers.dtype.kind not in "biuf":
                raise Error(f"the label of item {number - 1} of data is not a "
                            f"number or an array of numbers: {item[1]!r:.40}")
            samples = list(samples_of([item[0]], ports))
            each = list(numpy.atleast_1d(answers)) if len(samples) > 1 else [answers]
            if len(each) != len(samples):
                raise Error(f"item {number - 1} of data has {len(samples)} samples "
                            f"and {len(each)} labels")
            for sample, label in zip(samples, each):
                for name, array in sample.items():
                    files[name].add(array[0] if ports.takes_one(name)
                                    and array.ndim == ports.rank(name) else array)
                files[_LABELS].add(numpy.squeeze(label))
    finally:
        for file in files.values():
            file.close()
    if not number:
        raise Error("data has no samples: it is an iterable of pairs (inputs, label)")
    return names


def evaluation_fields(files: Mapping[str, str]) -> dict[str, Any]:
    """The fields of ``evaluation`` that read such files."""
    inputs = {name: path for name, path in files.items() if name != _LABELS}
    fields: dict[str, Any] = {"labels": files[_LABELS]}
    if len(inputs) == 1:
        fields["images"] = next(iter(inputs.values()))
    else:
        fields["inputs"] = [{"tensor_name": name, "data": path}
                            for name, path in inputs.items()]
    return fields
