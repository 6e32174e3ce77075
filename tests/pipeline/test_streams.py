"""A command in odd surroundings, as a real process: what it says is said, or an exit code and one line tell why not."""

import os
import subprocess
import sys

import pytest

pytestmark = pytest.mark.slow

LANGUAGES = ("languages",)


def run(words: tuple[str, ...], shell: str = "", **environment: str) -> subprocess.CompletedProcess[str]:
    """The program with words, in a shell that redirects; without what the tests set to see faults of ours."""
    known = {name: value for name, value in os.environ.items() if name != "WIKISEM_TRACEBACK"}
    command = ["bash", "-o", "pipefail", "-c", f'"$@" {shell}', "bash", sys.executable, "-m", "wikisem", *words]
    return subprocess.run(
        command, env={**known, **environment}, capture_output=True, text=True, errors="replace", check=False
    )


@pytest.mark.parametrize("encoding", ["ascii", "latin-1"])
def test_characters_that_an_encoding_lacks_are_escaped(encoding: str) -> None:
    """A terminal of another age shows the table all the same."""
    done = run(LANGUAGES, PYTHONIOENCODING=encoding)
    assert (done.returncode, done.stderr) == (0, "")
    assert "\\u" in done.stdout


@pytest.mark.parametrize(("shell", "said"), [(">&-", "Bad file descriptor"), (">/dev/full", "No space left on device")])
def test_words_that_cannot_be_said_are_no_success(shell: str, said: str) -> None:
    """What was asked for is not there: exit code 1, and the reason once."""
    done = run(LANGUAGES, shell)
    assert done.returncode == 1
    assert done.stderr == f"wikisem: expected to read and write files, saw {done.stderr.rpartition('saw ')[2]}"
    assert said in done.stderr
    assert done.stderr.count("\n") == 1


def test_a_reader_that_leaves_ends_the_command_in_silence() -> None:
    """As with ``| head``."""
    done = run(("recipes", "wikisem"), "| true")
    assert "Traceback" not in done.stderr
    assert "Exception" not in done.stderr


@pytest.fixture(scope="module")
def table() -> str:
    """What the command says where nothing is odd."""
    return run(LANGUAGES).stdout


@pytest.mark.parametrize("shell", ["2>&-", "2>/dev/full", "<&-", "<&- 2>&-"])
def test_nobody_has_to_hear_the_progress(shell: str, table: str) -> None:
    """Closed standard error or input: the words are the same."""
    assert table
    assert run(LANGUAGES, shell).stdout == table


def test_no_file_gets_the_number_of_a_closed_stream() -> None:
    """A library that prints would write into it."""
    code = "import os; from wikisem.pipeline.console.terminal import prepare_streams as p; p(); os._exit(os.dup(0))"
    command = ["bash", "-c", '"$@" <&- >&- 2>&-', "bash", sys.executable, "-c", code]
    assert subprocess.run(command, check=False).returncode == 3


@pytest.mark.parametrize("words", [("check", "/nowhere/\udcff.txt", "--language", "de"), ("\udcff",)])
def test_a_name_that_is_no_utf_8_is_refused(words: tuple[str, ...]) -> None:
    """Records and reports hold Unicode alone: said at once, and not when all work is done."""
    done = run(words)
    assert done.returncode == 2
    assert done.stderr.startswith("wikisem: expected words in UTF-8, saw b'")
    assert done.stderr.count("\n") == 1


def test_no_name_gives_a_terminal_a_command() -> None:
    """A path with the sequence that clears a screen is shown with its letters."""
    done = run(("check", "/nowhere/\x1b[2J\x9b\r", "--language", "de"))
    assert done.returncode == 1
    assert "/nowhere/\\x1b[2J\\x9b\\x0d" in done.stderr
    assert done.stderr.isprintable() or done.stderr.rstrip("\n").isprintable()
