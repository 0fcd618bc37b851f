# Part of Parallax, under the Apache License 2.0.
# SPDX-License-Identifier: Apache-2.0
"""Functions of the user that judge networks or propose trials.

What they do wrong becomes an Error, as it does where a command does it: the
first network has to be judged, a later trial is only written down as failed.
"""

from __future__ import annotations

import json
import signal
import threading
from typing import Any, Callable, Iterator, Mapping, Optional, Union
from contextlib import contextmanager

from . import _core
from ._core import Error
from ._listener import logger
from .session import InferenceSession

EvalFunc = Callable[[InferenceSession], Union[float, int]]
Strategy = Callable[[list[dict[str, Any]]], Optional[Mapping[str, Any]]]


class _TimeIsUp(BaseException):
    """Not an Exception, so that nobody's handler takes it for one."""


@contextmanager
def time_limit(seconds: int) -> Iterator[None]:
    """Raises _TimeIsUp in a block that takes longer; 0 sets no limit."""
    if seconds <= 0:
        yield
        return
    if threading.current_thread() is threading.main_thread():
        # Signals end calls of the system too, such as a sleep.
        def handle(*_: object) -> None:
            raise _TimeIsUp

        before = signal.signal(signal.SIGALRM, handle)
        signal.setitimer(signal.ITIMER_REAL, seconds)
        try:
            yield
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
            signal.signal(signal.SIGALRM, before)
        return
    import ctypes

    thread = threading.get_ident()
    timer = threading.Timer(
        seconds, lambda: ctypes.pythonapi.PyThreadState_SetAsyncExc(
            ctypes.c_ulong(thread), ctypes.py_object(_TimeIsUp)))
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()


def score_function(function: EvalFunc | None,
                   provider: str = "NPUBackendExecutionProvider",
                   ) -> Callable[[_core.Session, int], float] | None:
    """The function as the library calls it; None stays None."""
    if function is None:
        return None
    if not callable(function):
        raise Error("eval_func is a function that takes a session and returns a "
                    f"number, but this is {function!r:.60}")
    given: EvalFunc = function

    def score(core: _core.Session, seconds: int) -> float:
        session = InferenceSession._borrow(core, provider)
        try:
            with time_limit(seconds):
                value = given(session)
        except _TimeIsUp:
            raise Error(f"eval_func took more than {seconds} s "
                        "(evaluation.timeout)") from None
        except Exception as error:
            logger.debug("eval_func failed", exc_info=True)
            raise Error(f"eval_func raised {type(error).__name__}: {error}"
                        ) from error
        return as_number(value)

    return score


def as_number(value: Any) -> float:
    """What eval_func returned, as a number."""
    try:
        return float(value)
    except (TypeError, ValueError) as error:
        raise Error(f"eval_func returned {value!r:.60}, which is not a number"
                    ) from error


def propose_function(strategy: Strategy | None) -> Callable[[str], str] | None:
    """The strategy as the library calls it; None stays None."""
    if strategy is None:
        return None
    if not callable(strategy):
        raise Error("custom_strategy is a function that takes a list of trials and "
                    f"returns changes, but this is {strategy!r:.60}")
    given: Strategy = strategy

    def propose(history: str) -> str:
        with open(history, encoding="utf-8") as file:
            lines = [json.loads(line) for line in file if line.strip()]
        trials = [line for line in lines if "number" in line or "trial" in line]
        try:
            changes = given(trials)
            return json.dumps(dict(changes)) if changes else ""
        except Exception as error:
            logger.debug("custom_strategy failed", exc_info=True)
            raise Error(f"custom_strategy raised {type(error).__name__}: {error}"
                        ) from error

    return propose
