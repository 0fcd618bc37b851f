# Part of Parallax, under the Apache License 2.0.
# SPDX-License-Identifier: Apache-2.0
"""Models that run on arrays, with the interface of ONNX Runtime.

The same script runs with ``import onnxruntime``, with ``import axengine`` on a
board, and with ``import parallax``.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, Mapping, NoReturn, Sequence

from . import _core
from ._core import Error
from ._errors import file_path, iterable, thread_count

if TYPE_CHECKING:
    import numpy as np

    Arrays = Mapping[str, "np.ndarray[Any, Any]"]

axengine_provider_name = "AxEngineExecutionProvider"
"""What pyaxengine calls the NPU of the board that it runs on."""

axclrt_provider_name = "AXCLRTExecutionProvider"
"""What pyaxengine calls the NPU of a card."""

# A script for the board runs as it is.
_BOARDS = (axengine_provider_name, axclrt_provider_name)
# The engine of each provider; a compiled model is for the NPU whatever it says.
_MODES = {
    "FloatExecutionProvider": "",
    "ReferenceExecutionProvider": "Reference",
    "NPUBackendExecutionProvider": "NPUBackend",
    **dict.fromkeys(_BOARDS, "NPUBackend"),
}


def get_all_providers() -> list[str]:
    """The names of all providers: who can execute models.

    ``FloatExecutionProvider`` computes what the file of a model says,
    ``ReferenceExecutionProvider`` rounds the floats of a quantized model to its
    codes, and ``NPUBackendExecutionProvider`` computes the integers of the NPU.
    ``AxEngineExecutionProvider`` and ``AXCLRTExecutionProvider``, which scripts
    for boards name, are the same as the last one.
    """
    return list(_MODES)


def get_available_providers() -> list[str]:
    """The names of all providers; each of them is always there."""
    return list(_MODES)


class SessionOptions:
    """Options of a session, under the names that ONNX Runtime uses.

    ``intra_op_num_threads`` is the number of threads of a run, and 0 takes all
    processors. The results don't depend on it.
    """

    intra_op_num_threads: int

    def __init__(self) -> None:
        self.intra_op_num_threads = 0


class NodeArg:
    """An input or output of a model.

    ``name``, ``shape`` and ``type`` as ONNX Runtime has them
    (``tensor(float)``), and ``dtype`` as pyaxengine does. A dimension that
    depends on data has its upper bound.
    """

    __slots__ = ("name", "type", "shape", "_dtype")

    def __init__(self, name: str, dtype: str, type: str, shape: list[int]) -> None:
        self.name = name
        self.type = type
        self.shape = shape
        self._dtype = dtype

    @property
    def dtype(self) -> np.dtype[Any]:
        """The type of NumPy's arrays. The bits of ``tensor(bfloat16)``, which
        NumPy does not have, are ``uint16``."""
        import numpy

        return numpy.dtype(self._dtype)

    def __repr__(self) -> str:
        return f"NodeArg(name={self.name!r}, type={self.type!r}, shape={self.shape})"


class LayerResult:
    """What a layer gave in a run.

    ``values`` is an array of codes if the NPU computed it, with ``scale`` and
    ``zero_point``, or of numbers. ``layer`` is the name of the ONNX node and
    ``tensor`` that of its result.
    """

    __slots__ = ("layer", "tensor", "op", "values", "scale", "zero_point")

    def __init__(self, layer: str, tensor: str, op: str,
                 values: np.ndarray[Any, Any], scale: float | None,
                 zero_point: int | None) -> None:
        self.layer = layer
        self.tensor = tensor
        self.op = op
        self.values = values
        self.scale = scale
        self.zero_point = zero_point

    def real(self) -> np.ndarray[Any, Any]:
        """The numbers that the codes stand for, or the values themselves."""
        if self.scale is None or self.values.dtype.kind not in "iu":
            return self.values
        return (self.values.astype("float64") - (self.zero_point or 0)) * self.scale

    def __repr__(self) -> str:
        return (f"LayerResult(layer={self.layer!r}, op={self.op!r}, "
                f"dtype={self.values.dtype}, shape={self.values.shape})")


class InferenceSession:
    """A model that is ready to run.

    ``path_or_bytes`` is a float or quantized ONNX model or a compiled model, as
    a path or as its bytes. ``providers`` are tried in turn; without them, the
    file says who executes it: the NPU a compiled model, float any other.
    ``provider_options`` may have ``target_hardware``, the chip for which
    ``NPUBackendExecutionProvider`` lowers a quantized model; pyaxengine's
    ``device_id`` has no effect. ``input_shapes`` is a dictionary of shapes for
    inputs whose dimensions the file leaves open.

    Any number of threads may call ``run`` at the same time, and it does not hold
    Python's lock meanwhile. Used in a ``with`` statement, a session is closed at
    its end.
    """

    def __init__(
        self,
        path_or_bytes: str | bytes | os.PathLike[str],
        sess_options: SessionOptions | None = None,
        providers: Sequence[str | tuple[str, Mapping[str, Any]]] | None = None,
        provider_options: Sequence[Mapping[str, Any]] | None = None,
        **kwargs: Any,
    ) -> None:
        self._shapes = _written_shapes(kwargs.pop("input_shapes", None))
        if kwargs:
            raise Error(f"InferenceSession has no option '{next(iter(kwargs))}'; it "
                        "has input_shapes")
        self._options = SessionOptions() if sess_options is None else sess_options
        threads = thread_count(getattr(self._options, "intra_op_num_threads", None),
                               "intra_op_num_threads")
        chosen = _chosen_providers(providers, provider_options)
        self._open(path_or_bytes, chosen, threads)
        self._inputs = [NodeArg(*port) for port in self._core.inputs()]
        self._outputs = [NodeArg(*port) for port in self._core.outputs()]

    def _open(self, model: Any, chosen: list[tuple[str, dict[str, str]]],
              threads: int) -> None:
        data = model if isinstance(model, bytes) else None
        path = None if data is not None else file_path(model, "the model")
        problem: Error | None = None
        for name, options in chosen:
            target = options.get("target_hardware", "generic")
            try:
                self._core = _core.Session(path, data, _MODES.get(name, ""),
                                           target, self._shapes, threads)
            except Error as error:
                problem = problem or error
                continue
            if not name:
                name = ("NPUBackendExecutionProvider" if self._core.is_compiled
                        else "FloatExecutionProvider")
            self._provider = name
            self._provider_options = options
            return
        assert problem is not None
        raise problem

    @classmethod
    def _borrow(cls, core: _core.Session, provider: str) -> InferenceSession:
        """A session of a network that the library is judging."""
        session = cls.__new__(cls)
        session._options = SessionOptions()
        session._core = core
        session._provider = provider
        session._provider_options = {}
        session._inputs = [NodeArg(*port) for port in core.inputs()]
        session._outputs = [NodeArg(*port) for port in core.outputs()]
        return session

    def __enter__(self) -> InferenceSession:
        return self

    def __exit__(self, exc_type: object, exc_value: object,
                 traceback: object) -> None:
        self.close()

    def __reduce__(self) -> NoReturn:
        raise Error("a session can't be copied or sent to another process; make one "
                    "there, of the same file")

    def close(self) -> None:
        """Frees the model, after the runs that go on in other threads."""
        self._core.close()

    def get_session_options(self) -> SessionOptions:
        """The options that the session was made with."""
        return self._options

    def get_providers(self) -> list[str]:
        """The provider that executes the model, in a list as ONNX Runtime's."""
        return [self._provider]

    def get_provider_options(self) -> dict[str, dict[str, str]]:
        """The options of the provider, by its name."""
        return {self._provider: dict(self._provider_options)}

    def get_inputs(self, shape_group: int = 0) -> list[NodeArg]:
        """The inputs of the model. There is one group of shapes."""
        _check_group(shape_group)
        return list(self._inputs)

    def get_outputs(self, shape_group: int = 0) -> list[NodeArg]:
        """The outputs of the model. There is one group of shapes."""
        _check_group(shape_group)
        return list(self._outputs)

    def run(self, output_names: Sequence[str] | None, input_feed: Arrays,
            run_options: Any = None,
            shape_group: int = 0) -> list[np.ndarray[Any, Any]]:
        """Runs the model once, and gives an array for each output.

        ``output_names`` chooses outputs; None or an empty list stands for all.
        ``input_feed`` has an array for each input, by its name. Arrays that are
        contiguous are read where they are, others are copied; types and shapes
        have to be those of the model. ``run_options`` is there for ONNX
        Runtime's sake and has no effect.
        """
        if shape_group != 0:
            _check_group(shape_group)
        return self._core.run(output_names, input_feed)

    def run_layers(self, input_feed: Arrays,
                   names: Sequence[str] | None = None) -> list[LayerResult]:
        """Runs the model once, and gives the result of every layer.

        ``names`` chooses layers or tensors; None stands for all, whose values
        are then all in memory. The first call prepares the model once more,
        without the fusion of layers that hides their results.
        """
        if names is not None:
            names = list(iterable(names, "names is a list of layers or tensors"))
        return [LayerResult(**record)
                for record in self._core.layers(names, input_feed)]

    def __repr__(self) -> str:
        return (f"InferenceSession(provider={self._provider!r}, "
                f"inputs={[port.name for port in self._inputs]}, "
                f"outputs={[port.name for port in self._outputs]})")


def _written_shapes(shapes: Any) -> str:
    """Shapes as the library reads them: ``x:1x3x224x224;y:1``."""
    if shapes is None:
        return ""
    try:
        return ";".join(f"{name}:{'x'.join(str(int(size)) for size in shape)}"
                        for name, shape in shapes.items())
    except (AttributeError, TypeError, ValueError) as error:
        raise Error("input_shapes is a dictionary such as {'x': [1, 3, 224, 224]}, "
                    f"but this is {shapes!r:.80}") from error


def _check_group(shape_group: int) -> None:
    if shape_group != 0:
        raise Error(f"the model has one group of shapes, 0; this is {shape_group!r:.40}")


def _chosen_providers(
    providers: Any, provider_options: Any
) -> list[tuple[str, dict[str, str]]]:
    """Names with their options; an empty name stands for what the file says."""
    known_names = set(_MODES)
    if providers is None:
        providers, known_names = [""], {""}
    if isinstance(providers, str):  # as pyaxengine allows
        providers = [providers]
    if not isinstance(providers, Sequence) or not providers:
        raise Error("providers is a list of names, which are "
                    f"{', '.join(_MODES)}; this is {providers!r:.80}")
    options = [{}] * len(providers) if provider_options is None else provider_options
    if len(options) != len(providers):
        raise Error("provider_options has a dictionary for each provider: "
                    f"{len(providers)} providers, {len(options)} dictionaries")
    chosen = []
    for entry, own in zip(providers, options):
        name, own = entry if isinstance(entry, tuple) and len(entry) == 2 else (entry, own)
        if not isinstance(name, str) or name not in known_names:
            raise Error(f"there is no provider {name!r:.60}; there are "
                        f"{', '.join(_MODES)}")
        known = {"target_hardware", *(["device_id"] if name in _BOARDS else [])}
        if not isinstance(own, Mapping) or set(own) - known:
            raise Error("the options of a provider are a dictionary with "
                        f"'target_hardware' or without entries: {own!r:.80}")
        chosen.append((name, {key: str(value) for key, value in own.items()}))
    return chosen
