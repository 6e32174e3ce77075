"""Fixtures for all tests: the real data, and how many of the tests that want it ran."""

import os
import re
import sys
from collections.abc import Callable
from inspect import Signature
from pathlib import Path
from types import MethodType
from weakref import WeakKeyDictionary

import pytest
from hypothesis import HealthCheck, settings

# A busy machine is no failure: no example has a time limit.
settings.register_profile("wikisem", deadline=None, suppress_health_check=[HealthCheck.too_slow])
# Where a run decides what lands, the same examples are tried each time; elsewhere every run tries others.
settings.register_profile("ci", settings.get_profile("wikisem"), derandomize=True)
settings.load_profile("ci" if os.environ.get("CI") else "wikisem")

# A fault of ours fails a test as what it is, not as the one line that people get.
os.environ["WIKISEM_TRACEBACK"] = "1"

# On matrices as small as those of tests, threads of BLAS wait for each other longer than they compute: up to four times
# the CPU time where other processes run. Set before numpy is loaded, and for the commands that tests start.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

_VARIABLE = "WIKISEM_DATA"
# The head of what gzip has packed, with a time that is not 0.
_DATED = re.compile(r"\\x1f\\x8b\\x08\\x00(?!\\x00\\x00\\x00\\x00)")


@pytest.fixture(scope="session")
def realdata() -> Path:
    """The folder of real data; a test that wants it is marked ``realdata`` and skipped without it."""
    folder = os.environ.get(_VARIABLE, "")
    if not folder:
        pytest.skip(f"${_VARIABLE} does not name the folder of real data")
    path = Path(folder).resolve()
    assert path.is_dir(), f"${_VARIABLE}: expected a folder, saw {folder!r}"
    return path


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Skip before set-up what cannot run without the real data, and refuse a use of it that is not marked.

    And refuse a name with the time in it: xdist runs nothing if its workers find different tests, and they look for
    them at different times.
    """
    for item in items:
        assert not _DATED.search(item.nodeid), f"{item.nodeid}: expected mtime=0 of gzip, or ids="
        marked = item.get_closest_marker("realdata") is not None
        wants = "realdata" in getattr(item, "fixturenames", ())
        assert marked or not wants, f"{item.nodeid} uses the real data and is not marked realdata"
        if marked and not os.environ.get(_VARIABLE):
            item.add_marker(pytest.mark.skip(reason=f"${_VARIABLE} does not name the folder of real data"))


@pytest.hookimpl(trylast=True)
def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Say how many tests on real data ran, so that skipped ones are not taken for passed ones."""
    reports = [
        report
        for outcome in ("passed", "failed", "skipped")
        for report in terminalreporter.stats.get(outcome, [])
        if "realdata" in getattr(report, "keywords", ())  # a module that is skipped as a whole has none
    ]
    ran = sum(report.outcome != "skipped" for report in reports)
    terminalreporter.write_line(f"tests on real data: {ran} ran, {len(reports) - ran} skipped")


def pytest_collection_finish() -> None:
    """Let Beam read the signature of a method once: for each pipeline it reads those of every DoFn some thirty times.

    That is an eighth of the CPU time of a build of the sample world.
    """
    if core := sys.modules.get("apache_beam.transforms.core"):
        core.get_signature = _remembering(core.get_signature)  # type: ignore[attr-defined]


def _remembering(read: Callable[[object], Signature]) -> Callable[[object], Signature]:
    known: WeakKeyDictionary[object, Signature] = WeakKeyDictionary()

    def signature(function: object) -> Signature:
        if not isinstance(function, MethodType):
            return read(function)
        if function.__func__ not in known:
            known[function.__func__] = read(function)
        return known[function.__func__]

    return signature
