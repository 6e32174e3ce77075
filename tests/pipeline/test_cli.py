"""The command line: its words, its messages, its exit codes."""

import argparse
import errno
import json
import logging
import os
import subprocess
import sys
from collections.abc import Iterator
from importlib import metadata

import pytest

from wikisem import __version__
from wikisem.pipeline import cli
from wikisem.pipeline.cli import (
    COMMANDS,
    FIRST,
    PIPELINES,
    TOGETHER,
    TRACEBACK,
    main,
    open_command,
    parsers_of,
    split_beam_options,
)


@pytest.mark.parametrize(
    ("words", "named"), [(["--help"], FIRST), (["-h"], FIRST), (["help"], FIRST), (["help", "all"], tuple(COMMANDS))]
)
def test_help_names_the_first_commands_or_all(
    words: list[str], named: tuple[str, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    """A newcomer sees nine, and how to see the others; a command has one line."""
    assert main(words) == 0
    printed = capsys.readouterr().out
    listed = [line.split()[0] for line in printed.splitlines() if line.startswith("  ")]
    assert listed == list(named)
    assert len(FIRST) <= 9
    assert ("wikisem help all" in printed) == (named is FIRST)


def test_help_of_a_command_is_its_own(capsys: pytest.CaptureFixture[str]) -> None:
    """Whichever word comes first."""
    with pytest.raises(SystemExit):
        main(["help", "show"])
    assert capsys.readouterr().out.startswith("usage: wikisem show ")
    assert main(["help", "shwo"]) == 2
    assert "unknown word 'shwo'; did you mean show?" in capsys.readouterr().err


def test_no_command_is_wrong_usage(capsys: pytest.CaptureFixture[str]) -> None:
    """Without words the overview is printed, and the exit code says that something was missing."""
    assert main([]) == 2
    assert "usage:" in capsys.readouterr().out


BUILD = ["build", "wikisem500", "--wikidata", "x", "--output", "o"]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["biuld"], "did you mean build?"),
        ([*BUILD, "--langages", "en"], "did you mean --languages?"),
        ([*BUILD, "--seed", "-1"], "--seed: expected"),
        ([*BUILD, "--languages", "../en"], "expected a language code such as de or zh-yue, saw '../en'"),
        ([*BUILD, "--languages", ","], "expected a language code"),
        ([*BUILD, "--languages", "EN"], "'EN'"),
        ([*BUILD, "--max-unreadable", "7"], "expected a rate from 0 to 1"),
        ([*BUILD, "--max-unreadable", "lots"], "expected a rate from 0 to 1 such as 0.01 or 1%, saw 'lots'"),
        ([*BUILD, "--output", ""], "--output: expected a folder or a URL, saw ''"),
        ([*BUILD, "--workers", "0"], "--workers: expected a whole number from 1 up, saw '0'"),
        (["build", "wikisem500", "--output", "o"], "--wikidata"),
        (["surfaces", "wikisem500", "--output", "o", "--max-unreadable", "1%"], "unknown option '--max-unreadable'"),
        (["taxonomy", "wikisem500", "--output", "o", "--seed", "1"], "unknown option '--seed'"),
        (["mentions", "--output", "o", "--wikipedia", "de.xml"], "expected LANG=PATH"),
        (["build", "wikisem50", "--wikidata", "x", "--output", "o"], "did you mean wikisem500?"),
        (["categories", "emojis", "--languages", "en", "--output", "o"], "did you mean emoji?"),
    ],
)
def test_wrong_usage_ends_in_one_message_and_exit_code_two(
    words: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """The message says what was expected or names the nearest known word; there is no traceback."""
    assert main(words) == 2
    printed = capsys.readouterr()
    assert said in printed.err
    assert "Traceback" not in printed.err
    assert printed.out == ""


@pytest.mark.parametrize("command", sorted(COMMANDS))
def test_every_command_has_a_help_page(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    """--help prints a description and ends well."""
    with pytest.raises(SystemExit) as stop:
        main([command, "--help"])
    assert stop.value.code == 0
    assert f"usage: wikisem {command}" in capsys.readouterr().out


@pytest.mark.parametrize("command", sorted(COMMANDS))
def test_options_say_their_default_in_one_way(command: str) -> None:
    """Every option has a help text; one that has a value when it is not given names it: "(default: 500)"."""
    for option in _options(open_command(command)[1]):
        text = (option.help or "") % {"default": option.default}
        assert text, option.option_strings
        assert text.count("default") == text.count("(default"), (option.option_strings, text)
        if option.default not in (None, False, True, "", 0, []) and option.default is not argparse.SUPPRESS:
            assert "(default: " in text, (option.option_strings, text)


def _options(parser: argparse.ArgumentParser) -> Iterator[argparse.Action]:
    """The arguments of a parser, and of the tasks in it."""
    for _, own in parsers_of("", parser):
        yield from (action for action in own._actions if not isinstance(action, argparse._SubParsersAction))


@pytest.mark.parametrize("command", sorted(COMMANDS))
def test_lists_of_languages_have_one_spelling(command: str) -> None:
    """``--languages en,de`` takes a list, ``--language LANG`` one; where a list had the latter, both are read alike."""
    for option in _options(open_command(command)[1]):
        if {"--language", "--languages"} & set(option.option_strings):
            takes_list = option.nargs == "+"
            assert option.option_strings[0] == ("--languages" if takes_list else "--language")


def test_paragraphs_of_a_description_stay_apart(capsys: pytest.CaptureFixture[str]) -> None:
    """The first says what a command is for; what follows is not run into it."""
    with pytest.raises(SystemExit):
        main(["browse", "--help"])
    assert "from disk and without a network.\n\nOUT/browse/index.html has" in capsys.readouterr().out


def test_everything_behind_two_dashes_goes_to_beam() -> None:
    """The first -- divides our words from Beam's; a later one is Beam's."""
    assert split_beam_options(["a", "--", "--runner=X", "--", "b"]) == (["a"], ["--runner=X", "--", "b"])
    assert split_beam_options(["a"]) == (["a"], [])


@pytest.mark.parametrize("word", ["--version", "-V"])
def test_the_version_is_told(word: str, capsys: pytest.CaptureFixture[str]) -> None:
    """wikisem first, then Python and the libraries that read and write."""
    assert main([word]) == 0
    first, *others = capsys.readouterr().out.splitlines()
    assert first == f"wikisem {__version__}"
    assert {line.partition(": ")[0] for line in others} >= {"python", "bzip2", "apache-beam", "numpy", "pyarrow"}


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EACCES])
def test_what_the_system_refuses_is_one_message(
    number: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A full disk or a missing permission, whenever it is met, is exit 1 without a traceback."""

    def refuse(arguments: argparse.Namespace) -> int:
        del arguments
        raise OSError(number, os.strerror(number), "out/groups/de.jsonl")

    monkeypatch.setattr("wikisem.pipeline.commands.recipes.run", refuse)
    assert main(["recipes"]) == 1
    said = f"[Errno {number}] {os.strerror(number)}: 'out/groups/de.jsonl'"
    assert capsys.readouterr().err == f"wikisem: expected to read and write files, saw {said}\n"


@pytest.mark.parametrize("url", ["https://example.org/dump.json.gz", "nope://x"])
def test_a_url_that_cannot_be_opened_is_wrong_usage(url: str, capsys: pytest.CaptureFixture[str]) -> None:
    """As input and as output, before anything is read."""
    assert main(["build", "wikisem", "--wikidata", url, "--output", "o"]) == 2
    assert f"saw '{url}'" in capsys.readouterr().err
    assert main(["taxonomy", "wikisem", "--output", url]) == 2
    assert f"saw '{url}'" in capsys.readouterr().err


def test_an_error_that_was_not_foreseen_is_one_line(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """It says that it is a fault, which one, where, and how to see all of it; a test or a report sees all of it."""

    def fail(arguments: argparse.Namespace) -> int:
        raise KeyError(f"{arguments and 'many'}\nlines\x1b[2J{arguments.beam_options}" + "x" * 1000)

    monkeypatch.setattr("wikisem.pipeline.commands.recipes.run", fail)
    with pytest.raises(KeyError):
        main(["recipes"])
    monkeypatch.delenv(TRACEBACK)
    assert main(["recipes"]) == 1
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith("wikisem: unexpected KeyError in wikisem/pipeline/cli.py:")
    assert "this is a fault of wikisem, or damage that it does not know: WIKISEM_TRACEBACK=1 shows all" in line
    assert line.isprintable()
    assert len(line) < 600


@pytest.mark.parametrize(
    "error",
    [
        MemoryError("Unable to allocate 3 GiB"),
        RuntimeError("can't start new thread"),
        ImportError("lib.so: failed to map segment from shared object"),
    ],
)
def test_memory_that_is_not_there_is_no_fault(
    error: Exception, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A machine, or a limit of a shell or a container, may be too small for an input."""

    def fail(arguments: argparse.Namespace) -> int:
        assert arguments
        raise error

    monkeypatch.setattr("wikisem.pipeline.commands.recipes.run", fail)
    monkeypatch.delenv(TRACEBACK)
    assert main(["recipes"]) == 1
    said = f"wikisem: expected enough memory and threads, saw that there are no more: {error}\n"
    assert capsys.readouterr().err == said


@pytest.mark.parametrize(
    "words", [["show"], ["build"], ["build", "wikisem", "--outptu", "o"], ["evaluate", "outliers"]]
)
def test_the_error_is_the_last_line_on_the_screen(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    """Of wrong usage, below the usage of the command."""
    assert main(words) == 2
    first, *_, last = capsys.readouterr().err.splitlines()
    assert first.startswith(f"usage: wikisem {words[0]}")
    assert last.startswith("wikisem: ")


def test_what_is_logged_gives_a_terminal_no_command() -> None:
    """A library may log the words of a server."""
    record = logging.LogRecord("wikisem", logging.WARNING, "", 0, "saw %s", ("\x1b[2J\x9b",), None)
    assert cli._Lines().format(record) == "warning: saw \\x1b[2J\\x9b"


_OTHERS = sorted({f"commands.{TOGETHER.get(name, name)}" for name in COMMANDS if name not in PIPELINES})
# Modules in the order of their import, and what none of them so far may have imported.
_LIGHTER: list[tuple[list[str], list[str]]] = [
    (["cli", "commands.evaluate"], ["numpy", "pyarrow", "lxml"]),  # whose help is printed at once
    # Runs and releases are read in a small room: no recipe, no profile, no client of a server.
    (["commands.show"], ["wikisem.recipes", "wikisem.wikidata", "wikisem.web", "wikisem.transforms", "lxml"]),
    (["commands.release"], ["pyarrow.compute"]),  # the sample is written in less than a CPU second
    (
        ["commands.download", "commands.languages", "commands.recipes"],
        ["scipy", "networkx", "matplotlib", "gensim", "rdflib"],
    ),
    (["commands.scoring"], ["scipy.stats"]),  # half a CPU second, for which no score needs it
    (_OTHERS, ["apache_beam"]),
]
_IMPORTS = """
import importlib, json, sys
lighter, pipelines = json.load(sys.stdin)
found = {}
for names, unwanted in lighter:
    for name in names:
        importlib.import_module(f"wikisem.pipeline.{name}")
        found[name] = sorted({*unwanted} & {*sys.modules})
sys.modules["apache_beam"] = None  # from now on, importing it fails
for name in pipelines:
    try:
        importlib.import_module(f"wikisem.pipeline.{name}")
    except ModuleNotFoundError as error:
        found[name] = [error.name.partition(".")[0]]
    else:
        found[name] = []
print(json.dumps(found))
"""


def test_a_command_imports_only_what_it_needs() -> None:
    """A command starts in a part of a second unless it runs a pipeline: Beam takes one to import.

    Stages start many processes: none of them waits for libraries that only scores and figures use. One process imports
    the commands one after the other, those that need least first.
    """
    pipelines = sorted({f"commands.{TOGETHER.get(name, name)}" for name in PIPELINES})
    command = [sys.executable, "-c", _IMPORTS]
    asked = json.dumps([_LIGHTER, pipelines])
    found = json.loads(subprocess.run(command, input=asked, check=True, capture_output=True, text=True).stdout)
    lighter: dict[str, list[str]] = {name: [] for names, _ in _LIGHTER for name in names}
    assert found == {**lighter, **{name: ["apache_beam"] for name in pipelines}}


def test_the_version_names_what_is_not_installed(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Scores need no Beam: without it, the version says so."""

    def version(name: str) -> str:
        raise metadata.PackageNotFoundError(name)

    monkeypatch.setattr(metadata, "version", version)
    assert main(["--version"]) == 0
    assert "apache-beam: not installed" in capsys.readouterr().out.splitlines()
