"""What commands print: data as it is, JSON for programs on standard output, notes for people on standard error."""

import io

import orjson
import pytest
from msgspec.structs import replace
from rich.color import ColorSystem
from rich.table import Table
from rich.text import Text

from tests.pipeline.test_group_tables import GROUP
from wikisem.pipeline.commands.show import group_table
from wikisem.pipeline.console.terminal import log, make_console, make_table, print_json, print_line, print_notes, shown


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


@pytest.mark.parametrize("width", [40, 80, 160, 300])
def test_a_table_with_many_numbers_is_printed_in_parts(width: int, capsys: pytest.CaptureFixture[str]) -> None:
    """Each has the words of its rows; no number is cut, none comes twice, and no line is wider than the console."""
    names = [f"language {number}" for number in range(12)]
    table = make_table(["model"], names, title="scores")
    for model in ("one", "another"):
        table.add_row(model, *(f"{model} 19.42 to {number}" for number in range(12)))
    console = make_console()
    console.width = width
    console.print(table)
    printed = capsys.readouterr().out
    rows = [[cell.strip() for cell in line.split("│")[1:-1]] for line in printed.splitlines() if line.startswith("│")]
    found = {model: [cell for row in rows if row[0] == model for cell in row[1:]] for model in ("one", "another")}
    assert found == {model: [f"{model} 19.42 to {number}" for number in range(12)] for model in found}
    assert [printed.count(f" {name} ") for name in names] == [1] * 12
    assert printed.count("scores") == 1
    assert max(map(len, printed.splitlines())) <= width
    assert (len(rows) == 2) == (width == 300)


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


EVIL = "\x1b[31mred\x07\x9b2J\r\x7f"


def test_no_word_of_the_data_gives_a_terminal_a_command(capsys: pytest.CaptureFixture[str]) -> None:
    """In tables, styled texts, lines, logs and JSON, whose value stays the same."""
    first, second = GROUP.cluster
    group = replace(GROUP, label=EVIL, cluster=(replace(first, surface=EVIL), second))
    make_console().print(group_table(group, {"Q5119": EVIL}))
    make_console().print(Text(EVIL, "bold"), f"in {EVIL}")
    print_line(EVIL)
    log(EVIL)
    print_json({"a": EVIL})
    out, err = capsys.readouterr()
    assert all(letter.isprintable() or letter == "\n" for letter in out + err)
    assert shown(EVIL) == "\\x1b[31mred\\x07\\x9b2J\\x0d\\x7f"
    assert shown(EVIL) in out
    assert shown(EVIL) in err
    assert orjson.loads(out.splitlines()[-1]) == {"a": EVIL}


def test_rows_stay_in_line_where_a_word_is_shown_otherwise(capsys: pytest.CaptureFixture[str]) -> None:
    """A word in a table is as wide as what is shown of it."""
    table = Table("word", "number")
    table.add_row(EVIL, "1")
    table.add_row("plain", "2")
    make_console().print(table)
    lines = capsys.readouterr().out.splitlines()
    assert len({len(line) for line in lines}) == 1


def test_colours_are_still_ours() -> None:
    """Where there is a terminal, styles are written as before."""
    console = make_console()
    console.file, console._force_terminal = io.StringIO(), True
    console._color_system = ColorSystem.STANDARD
    console.print(Text("red", "red"))
    assert console.file.getvalue() == "\x1b[31mred\x1b[0m\n"
