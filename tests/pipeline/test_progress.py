"""Progress: what a bar and plain lines say of parts and bytes."""

import argparse
import io
import itertools
import sys

import pytest
from rich.console import Console

from tests.waiting import wait_until
from wikisem.pipeline.cli import open_command
from wikisem.pipeline.console import terminal as module
from wikisem.pipeline.console.terminal import progress, words_of_work
from wikisem.pipeline.runs.run import make_run
from wikisem.transforms.io.runtime import words_of_languages


@pytest.mark.parametrize(
    ("work", "words"),
    [
        ((3, 12, "", 0, 0, 30.0), "3 of 12 parts, 30 s"),
        ((0, 1, "", 0, 1000, 30.0), "0 of 1 parts, 30 s"),
        ((0, 1, "", 600, 1200, 30.0), "0 of 1 parts, 600 bytes of 1.20 kB, 20 bytes/s, 30 s left, 30 s"),
        # A range is read a little beyond its end, to the end of its last record.
        ((1, 1, "", 1300, 1200, 60.0), "1 of 1 parts, 1.20 kB of 1.20 kB, 20 bytes/s, 60 s"),
    ],
)
def test_bytes_are_told_where_they_are_counted(work: tuple[int, int, str, int, int, float], words: str) -> None:
    """A stage that reads no dump has none, and on other machines nobody counts them."""
    assert words_of_work(*work) == words


def test_languages_are_told_beside_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of the last look at the parts; a total that is not known is a question mark."""
    lines: list[str] = []
    monkeypatch.setattr(module, "log", lines.append)
    monkeypatch.setattr(module, "_LOOK", 0.001)
    monkeypatch.setattr(module, "_LINE", 0.01)
    seen: list[str] = []

    def done() -> int:
        seen[:] = ["x/de-00000.json", "x/de-00001.json", "x/zh-classical-00000.json"]
        return len(seen)

    totals = {"de": 2, "zh-classical": 1, "ja": 4}
    with progress("mentions in 3 languages", done, 0, more=lambda: words_of_languages(seen, totals)):
        wait_until(lambda: len(lines) > 1)
    assert lines[1].startswith("mentions in 3 languages: 2 of 3 languages, 3 of ? parts, ")
    assert words_of_languages(seen, {"de": 2}) == ""


def test_plain_lines_come_while_a_single_part_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    """One gzip member of 100 GB is a single part: its bytes are told all the same."""
    lines: list[str] = []
    monkeypatch.setattr(module, "log", lines.append)
    monkeypatch.setattr(module, "_LOOK", 0.001)
    monkeypatch.setattr(module, "_LINE", 0.01)
    with progress("entities", lambda: 0, 1, lambda: 25_000_000_000, 100_000_000_000):
        wait_until(lambda: len(lines) > 2)
    assert lines[0] == "entities"
    assert lines[1].startswith("entities: 0 of 1 parts, 25.0 GB of 100 GB, ")
    assert " left, " in lines[1]


@pytest.mark.parametrize(("size", "shown"), [(100_000_000_000, ["1/4", "/100.0 GB", "GB/s"]), (0, ["1/4"])])
def test_a_bar_shows_parts_and_bytes(size: int, shown: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """On a terminal, in one line."""
    screen = io.StringIO()
    terminal = Console(file=screen, force_terminal=True, no_color=True, width=160)
    monkeypatch.setattr(module, "error_console", terminal)
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    monkeypatch.setattr(module, "_LOOK", 0.01)
    read = itertools.count(0, 100_000_000)
    with progress("entities", lambda: 1, 4, lambda: next(read), size):
        wait_until(lambda: all(text in screen.getvalue() for text in shown))
    assert ("GB" in screen.getvalue()) == bool(size)


@pytest.mark.parametrize("quiet", ["", "--quiet"])
def test_a_quiet_run_says_warnings_alone(quiet: str, capsys: pytest.CaptureFixture[str]) -> None:
    """For logs of machines: neither the labels of stages nor their progress."""
    words = ["wikisem", "--output", "memory://quiet", *quiet.split()]
    arguments = open_command("taxonomy")[1].parse_args(words)
    run = make_run(argparse.Namespace(**vars(arguments), beam_options=[]))
    with run.runtime.progress("entities", lambda: 0, 1, lambda: 0, 0, str):
        wait_until(lambda: bool(quiet) or "entities" in capsys.readouterr().err)
    run.log("warning: no label")
    run.log("done")
    lines = capsys.readouterr().err.splitlines()
    assert lines == (["warning: no label"] if quiet else ["warning: no label", "done"])
