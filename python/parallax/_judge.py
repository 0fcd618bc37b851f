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
from typing import Any, Callable, Mapping, Optional, Union

from . import _core
from ._config import plain
from ._core import Error
from ._listener import logger
from .session import InferenceSession

EvalFunc = Callable[[InferenceSession], Union[float, int]]
Strategy = Callable[[list[dict[str, Any]]], Optional[Mapping[str, Any]]]


class _TimeIsUp(BaseException):
    """Not an Exception, so that few handlers take it for one. Those that do meet
    it again every second."""


class _Alarm:
    """Raises _TimeIsUp in this thread, by signals: they end a sleep, too."""

    def __init__(self) -> None:
        self.has_rung = self.is_off = False
        self._before = signal.getsignal(signal.SIGALRM)

    @staticmethod
    def is_possible() -> bool:
        """Whether signals arrive in this thread, and nobody else waits for them."""
        return (threading.current_thread() is threading.main_thread()
                and signal.getitimer(signal.ITIMER_REAL)[0] == 0
                and signal.getsignal(signal.SIGALRM) is not None)

    def turn_on(self, seconds: float) -> None:
        signal.signal(signal.SIGALRM, self._ring)
        signal.setitimer(signal.ITIMER_REAL, seconds, 1)

    def _ring(self, *_: object) -> None:
        if not self.is_off:
            self.has_rung = True
            raise _TimeIsUp

    def turn_off(self) -> None:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, self._before)


class _ThreadAlarm:
    """Raises _TimeIsUp in any thread, between two steps of Python."""

    def __init__(self) -> None:
        self.has_rung = self.is_off = False
        self._judge = threading.get_ident()
        self._end = threading.Event()

    def turn_on(self, seconds: float) -> None:
        self._waiting = threading.Thread(target=self._wait, args=[seconds], daemon=True)
        self._waiting.start()

    def _wait(self, seconds: float) -> None:
        while not self._end.wait(seconds) and not self.is_off:
            self.has_rung, seconds = True, 1
            self._raise(_TimeIsUp)

    def _raise(self, what: type[BaseException] | None) -> None:
        """Raises something in the thread, in place of what it has not met yet."""
        import ctypes

        ctypes.pythonapi.PyThreadState_SetAsyncExc(
            ctypes.c_ulong(self._judge),
            None if what is None else ctypes.py_object(what))

    def turn_off(self) -> None:
        self._end.set()
        self._waiting.join()
        self._raise(None)


def call_within(seconds: float, function: Callable[[], Any]) -> Any:
    """What a function returns. Raises _TimeIsUp if it takes longer, whatever it
    makes of that itself; 0 sets no limit."""
    if seconds <= 0:
        return function()
    alarm: _Alarm | _ThreadAlarm = (_Alarm() if _Alarm.is_possible()
                                    else _ThreadAlarm())
    try:
        alarm.turn_on(seconds)
        value = function()
    except (Exception, _TimeIsUp):
        if not alarm.has_rung:
            raise
    finally:
        # An alarm rings at calls and jumps. From here on it may ring once more,
        # which must not keep it from being turned off.
        alarm.is_off = True
        while True:
            try:
                alarm.turn_off()
                break
            except _TimeIsUp:
                continue
    if alarm.has_rung:
        raise _TimeIsUp
    return value


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
            value = call_within(seconds, lambda: given(session))
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
    except (TypeError, ValueError, OverflowError) as error:
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
        except Exception as error:
            logger.debug("custom_strategy failed", exc_info=True)
            raise Error(f"custom_strategy raised {type(error).__name__}: {error}"
                        ) from error
        return _written(changes) if changes is not None else ""

    return propose


def _written(changes: Any) -> str:
    """Changes as the library reads them: fields by their whole names."""
    fields: dict[str, Any] = {}
    try:
        for name, value in changes.items():
            if isinstance(value, Mapping):
                fields.update({f"{name}.{key}": entry for key, entry in value.items()})
            else:
                fields[name] = value
        return json.dumps(fields, default=plain)
    except (AttributeError, TypeError, ValueError) as error:
        raise Error(f"custom_strategy returned {changes!r:.80}, which is not a "
                    f"dictionary of fields and values: {error}") from error
