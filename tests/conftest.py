"""Fixtures for all tests: the real data, and how many of the tests that want it ran."""

import fcntl
import gc
import os
import re
import sys
from argparse import Namespace
from collections.abc import Callable, Generator, Sequence
from copy import copy
from inspect import Signature
from pathlib import Path
from types import MethodType
from typing import Any
from weakref import WeakKeyDictionary

import pytest
from hypothesis import HealthCheck, settings

# A busy machine is no failure: no example has a time limit.
settings.register_profile("wikisem", deadline=None, suppress_health_check=[HealthCheck.too_slow])
# Where a run decides what lands, the same examples are tried each time; elsewhere every run tries others.
settings.register_profile("ci", settings.get_profile("wikisem"), derandomize=True)
# `make test`: a quarter of the examples, where a test does not say how many it needs.
settings.register_profile("quick", settings.get_profile("wikisem"), max_examples=25)
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


def pytest_configure(config: pytest.Config) -> None:
    """Let xdist deal out files as they are ordered here; by itself it begins with those of most tests."""
    config.option.loadscopereorder = False


def pytest_xdist_auto_num_workers() -> int:
    """One worker more than there are cores: tests wait for commands, servers and browsers a third of their time."""
    return (os.cpu_count() or 1) + 1


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Skip before set-up what cannot run without the real data, and refuse a use of it that is not marked.

    And refuse a name with the time in it: xdist runs nothing if its workers find different tests, and they look for
    them at different times. Files with slow tests come first, so that no worker is left with one of them at the end.
    """
    slow = {item.path for item in items if item.get_closest_marker("slow")}
    items.sort(key=lambda item: item.path not in slow)
    for item in items:
        assert not _DATED.search(item.nodeid), f"{item.nodeid}: expected mtime=0 of gzip, or ids="
        marked = item.get_closest_marker("realdata") is not None
        wants = "realdata" in getattr(item, "fixturenames", ())
        assert marked or not wants, f"{item.nodeid} uses the real data and is not marked realdata"
        if marked and not os.environ.get(_VARIABLE):
            item.add_marker(pytest.mark.skip(reason=f"${_VARIABLE} does not name the folder of real data"))


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Let one worker import everything first where nothing is compiled yet, and the others read what it compiled.

    All would compile the same modules at the same time: 18 of 26 CPU s of each (2026-11).
    """
    compiled = Path(__file__).parent / "__pycache__" / "collected"
    compiled.parent.mkdir(exist_ok=True)
    with compiled.open("ab") as file:
        if file.tell():
            return (yield)
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            fcntl.flock(file, fcntl.LOCK_SH)
        result = yield
        file.write(b"1")
        return result


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
    """Spare the collector of garbage what stays to the end, some 400,000 objects: a fifteenth of the CPU time of tests.

    And let Beam remember what it reads again and again: it is half of the CPU time of a pipeline as small as those of
    tests. For each pipeline it parses the same options some 400 times, each time with a parser that it makes for them,
    and reads the signatures and the state of each DoFn some thirty times.
    """
    gc.freeze()
    if core := sys.modules.get("apache_beam.transforms.core"):
        core.get_signature = _remembering(core.get_signature)  # type: ignore[attr-defined]
        states = sys.modules["apache_beam.transforms.userstate"]
        states.get_dofn_specs = _remembering_by_class(states.get_dofn_specs)  # type: ignore[attr-defined]
        options = sys.modules["apache_beam.options.pipeline_options"].PipelineOptions
        options.__init__ = _remembering_options(options.__init__)
    if runtime := sys.modules.get("wikisem.transforms.io.runtime"):
        from tests.kept_workers import KeptWorkers

        runtime.LocalWorkers = KeptWorkers.lend  # type: ignore[attr-defined]


def pytest_sessionfinish() -> None:
    """End the process that local workers were forked from."""
    if kept := sys.modules.get("tests.kept_workers"):
        kept.KeptWorkers.end_kept()


def _remembering(read: Callable[[object], Signature]) -> Callable[[object], Signature]:
    known: WeakKeyDictionary[object, Signature] = WeakKeyDictionary()

    def signature(function: object) -> Signature:
        if not isinstance(function, MethodType):
            return read(function)
        if function.__func__ not in known:
            known[function.__func__] = read(function)
        return known[function.__func__]

    return signature


def _remembering_by_class(read: Callable[[object], Any]) -> Callable[[object], Any]:
    known: WeakKeyDictionary[type, Any] = WeakKeyDictionary()

    def specs(do_fn: object) -> Any:
        if type(do_fn) not in known:
            known[type(do_fn)] = read(do_fn)
        return known[type(do_fn)]

    return specs


def _remembering_options(parse: Callable[..., None]) -> Callable[..., None]:
    known: dict[tuple[type, tuple[str, ...]], Namespace] = {}

    def initialize(self: Any, flags: Sequence[str] | None = None, **overrides: Any) -> None:
        if flags is None or isinstance(flags, str):
            return parse(self, flags, **overrides)
        key = type(self), tuple(flags)
        if key not in known:
            parse(self, flags)
            known[key] = self._visible_options
        self._flags, self._visible_options = (
            flags,
            Namespace(**{name: copy(value) for name, value in vars(known[key]).items()}),
        )
        self._all_options = {**vars(self._visible_options), **overrides}
        return None

    return initialize
