"""What commands print: data as it is, JSON for programs on standard output, notes for people on standard error."""

from dataclasses import replace

import orjson
import pytest

from tests.pipeline.test_group_tables import GROUP
from wikisem.pipeline.console.group_tables import group_table
from wikisem.pipeline.console.terminal import log, make_console, print_json, print_notes


def test_words_of_the_data_are_not_markup(capsys: pytest.CaptureFixture[str]) -> None:
    """Surface forms in brackets or colons are printed as they are, in tables, titles and lines."""
    first, second = GROUP.cluster
    group = replace(
        GROUP, label="[bold]", cluster=(replace(first, surface="[red]"), replace(second, surface=":smile:"))
    )
    make_console().print(group_table(group, {"Q5119": "[/]"}))
    make_console().print("[blue] :cat:")
    printed = capsys.readouterr().out
    assert all(words in printed for words in ("[bold]", "[red]", ":smile:", "[/]", "[blue] :cat:"))


def test_lines_are_whole_where_there_is_no_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    """A pipe gets rows of up to 160 columns, and log lines of any length."""
    make_console().print("x" * 160)
    log("y" * 500)
    assert capsys.readouterr() == ("x" * 160 + "\n", "y" * 500 + "\n")


def test_json_is_one_line_or_indented(capsys: pytest.CaptureFixture[str]) -> None:
    """A program can read values line by line, and a person can read an indented one; both are the same value."""
    value = {"a": [1, None], "b": "[red] é"}
    print_json(value)
    print_json(value, indented=True)
    first, *rest = capsys.readouterr().out.splitlines()
    assert orjson.loads(first) == orjson.loads("\n".join(rest)) == value
    assert len(rest) > 1


def test_notes_do_not_mix_with_json(capsys: pytest.CaptureFixture[str]) -> None:
    """Notes are lines on standard error alone."""
    print_notes(["text lowercased", "[phrases]"])
    assert capsys.readouterr() == ("", "note: text lowercased\nnote: [phrases]\n")
