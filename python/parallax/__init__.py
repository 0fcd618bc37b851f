# Part of Parallax, under the Apache License 2.0.
# SPDX-License-Identifier: Apache-2.0
"""Parallax: run, compile, judge and tune networks for NPUs.

``InferenceSession`` runs models as ONNX Runtime does, ``build`` compiles them,
``evaluate`` and ``tune`` judge them by any metric.
"""

# A module is loaded when one of its names is used: the import of this package
# alone takes milliseconds, while the library and NumPy take a tenth of a second.
_HOMES = {
    "Error": "_core",
    "__version__": "_core",
    "InferenceSession": "session",
    "SessionOptions": "session",
    "NodeArg": "session",
    "LayerResult": "session",
    "get_all_providers": "session",
    "get_available_providers": "session",
    "axengine_provider_name": "session",
    "axclrt_provider_name": "session",
    "build": "work",
    "analyze": "work",
    "evaluate": "work",
    "tune": "work",
    "diff": "work",
    "inspect": "work",
    "Accuracy": "results",
    "BuildResult": "results",
    "Diff": "results",
    "Histogram": "results",
    "Inspection": "results",
    "Report": "results",
    "TuneResult": "results",
    "ProgressEvent": "_listener",
}
_MODULES = ("case", "inc")

__all__ = [name for name in _HOMES if not name.startswith("_")] + list(_MODULES)


def __getattr__(name: str) -> object:
    from importlib import import_module

    if name in _MODULES:
        return import_module(f"{__name__}.{name}")
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module 'parallax' has no attribute {name!r}")
    value = getattr(import_module(f"{__name__}.{home}"), name)
    globals()[name] = value
    return value


def __dir__() -> "list[str]":
    return sorted({*globals(), *__all__})
