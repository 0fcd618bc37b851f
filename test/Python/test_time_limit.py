# Part of Parallax, under the Apache License 2.0.
# SPDX-License-Identifier: Apache-2.0
"""The time that a function of the user gets, in the main thread and in others."""

import signal
import threading
import time

import pytest

import parallax
from parallax._judge import _TimeIsUp, call_within


def spin(seconds):
    end = time.perf_counter() + seconds
    while time.perf_counter() < end:
        pass


def in_a_thread(work):
    """What a function raised in a thread, or None."""
    raised = [None]

    def guarded():
        try:
            work()
        except BaseException as error:
            raised[0] = error

    thread = threading.Thread(target=guarded)
    thread.start()
    thread.join(60)
    assert not thread.is_alive()
    return raised[0]


def close_calls():
    """Blocks that end when their time does: it is up within them, or not at all."""
    for i in range(200):
        try:
            call_within(0.002, lambda: spin(0.002 + (i % 40 - 20) * 5e-6))
        except _TimeIsUp:
            pass
        spin(1e-5)


def test_it_is_never_up_later():
    before = signal.getsignal(signal.SIGALRM)
    close_calls()
    assert signal.getsignal(signal.SIGALRM) is before
    assert in_a_thread(close_calls) is None




def test_a_signal_at_the_last_moment(monkeypatch):
    """It arrives while the alarm is being turned off."""
    set_timer = signal.setitimer

    def late(which, seconds, interval=0.0):
        if seconds == 0:
            signal.raise_signal(signal.SIGALRM)
        return set_timer(which, seconds, interval)

    before = signal.getsignal(signal.SIGALRM)
    with monkeypatch.context() as patch:
        patch.setattr(signal, "setitimer", late)
        assert call_within(5, lambda: 1.5) == 1.5
    assert signal.getsignal(signal.SIGALRM) is before
    assert signal.getitimer(signal.ITIMER_REAL)[0] == 0


def swallow():
    try:
        spin(20)
    except BaseException:
        return 1.0


def become_another():
    try:
        spin(20)
    except BaseException as error:
        raise ValueError("no score") from error


def go_on():
    end = time.perf_counter() + 20
    while time.perf_counter() < end:
        try:
            spin(20)
        except BaseException:
            if time.perf_counter() > end - 18.9:
                raise


@pytest.mark.parametrize("work", [swallow, become_another, go_on])
def test_it_counts_whatever_becomes_of_it(work):
    with pytest.raises(_TimeIsUp):
        call_within(0.05, work)
    assert isinstance(in_a_thread(lambda: call_within(0.05, work)), _TimeIsUp)


def test_other_errors_are_left_alone():
    for error in (ValueError, KeyboardInterrupt):
        def work():
            raise error

        with pytest.raises(error):
            call_within(5, work)
        assert isinstance(in_a_thread(lambda: call_within(5, work)), error)
    assert call_within(5, lambda: 1.5) == call_within(0, lambda: 1.5) == 1.5


def test_alarms_of_the_user_still_ring():
    rung = []
    before = signal.signal(signal.SIGALRM, lambda *_: rung.append(True))
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.2)
        call_within(20, lambda: spin(0.4))
        assert rung == [True]
        signal.setitimer(signal.ITIMER_REAL, 0.3)
        with pytest.raises(_TimeIsUp):
            call_within(0.05, lambda: spin(20))
        spin(0.4)
        assert rung == [True, True]
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def test_a_judge_that_goes_on_after_its_time(tmp_path, labelled):
    """It has failed, even if it takes the end of its time for a wrong sample."""
    def judge(session):
        while True:
            try:
                session.run(None, {"image": labelled[0][0]})
            except BaseException:
                return 1.0

    with pytest.raises(parallax.Error, match="took more than 1 s"):
        parallax.tune("configs/quickstart.json", judge, output_dir=tmp_path,
                      **{"evaluation.timeout": 1})
