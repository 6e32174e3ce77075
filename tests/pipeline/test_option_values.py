"""What the words of options mean; the message names a word that means nothing."""

import argparse
from collections.abc import Callable
from pathlib import Path

import pytest

from wikisem.errors import UsageError
from wikisem.pipeline.cli import (
    COMMANDS,
    Listed,
    argument,
    at_least,
    contact,
    file_ending_in,
    local_output,
    open_command,
    parsers_of,
    rate,
)
from wikisem.pipeline.commands.download import web_address
from wikisem.pipeline.runs.run import absolute_setup_file
from wikisem.pipeline.runs.stages import choose_languages
from wikisem.recipes.load import load_recipe


@pytest.mark.parametrize(("word", "share"), [("0", 0.0), ("0%", 0.0), ("1%", 0.01), ("0.5", 0.5), ("100%", 1.0)])
def test_rates_are_shares_or_percentages(word: str, share: float) -> None:
    """None at all and all of them are rates too."""
    assert rate(word) == share


@pytest.mark.parametrize(
    ("convert", "word", "told"),
    [
        (rate, "1.1", r"expected a rate from 0 to 1 such as 0\.01 or 1%, saw '1\.1'"),
        (rate, "101%", "saw '101%'"),
        (rate, "nan", "saw 'nan'"),
        (rate, "few", "saw 'few'"),
        (web_address, "ftp://mirror", "expected a URL such as https://example.org/path, saw 'ftp://mirror'"),
        (web_address, "https://", "saw 'https://'"),
        (web_address, "http://:80/", "saw 'http://:80/'"),
        (web_address, "http://host:99999/", "saw 'http://host:99999/'"),
        (web_address, "http://[::1/", "expected a URL"),
        (contact, "", "expected an e-mail address or a web page, saw ''"),
        (contact, "me\r\nHost: other", "expected an e-mail address or a web page"),
        (
            file_ending_in(".png", ".svg", ".pdf"),
            "figure",
            r"expected a file that ends in \.png, \.svg, \.pdf, saw 'figure'",
        ),
        (local_output, " ", "expected a folder or a URL, saw ' '"),
        (local_output, __file__, "expected a folder, saw the file .*test_option_values"),
        (local_output, "gs://bucket/x", "expected a folder on this machine, saw 'gs://bucket/x'"),
    ],
)
def test_other_words_are_refused(convert: Callable[[str], object], word: str, told: str) -> None:
    """With what was expected and what was seen."""
    with pytest.raises(UsageError, match=told):
        convert(word)


def test_words_that_mean_something_are_taken() -> None:
    """Addresses with ports and of version 6 of IP, files of figures, folders with a slash."""
    assert web_address("http://[::1]:8080/sparql") == "http://[::1]:8080/sparql"
    assert contact("https://example.org/me") == "https://example.org/me"
    assert file_ending_in(".svg")("out/a.svg") == Path("out/a.svg")
    assert local_output("out/") == "out"


@pytest.mark.parametrize("word", ["-1", "1", "2.5", "", "²", str(2**64)])
def test_whole_numbers_have_an_end_on_either_side(word: str) -> None:
    """From the least that is allowed up to what 64 bits hold."""
    with pytest.raises(UsageError, match="expected a whole number from 2 up"):
        at_least(2)(word)
    assert at_least(2)("2") == 2


def test_argparse_shows_the_error_as_it_is() -> None:
    """It would else say "invalid value" alone."""
    with pytest.raises(argparse.ArgumentTypeError, match="expected a rate from 0 to 1"):
        argument(rate, "x")


@pytest.mark.parametrize(
    ("words", "models"),
    [
        ("OUT --vectors a b", ["a", "b"]),
        ("OUT --vectors a --vectors b c --groups", ["a", "b", "c"]),
        ("--vectors a OUT", ["a"]),
        ("--vectors a --vectors b --groups OUT", ["a", "b"]),
    ],
)
def test_an_option_of_several_files_leaves_the_command_its_own_words(words: str, models: list[str]) -> None:
    """Files come one after the other, as a shell writes *.vec, or by the option again, before the data set or after."""
    arguments = open_command("evaluate")[1].parse_args(["outliers", *words.split()])
    assert (arguments.dataset, arguments.vectors) == (["OUT"], models)


@pytest.mark.parametrize("words", ["en,de", "en de", "en, de", "en --languages de,en"])
def test_a_list_is_written_with_commas_or_blanks(words: str) -> None:
    """Or in parts; a language that is named twice is one."""
    arguments = open_command("changes")[1].parse_args(["OLD", "NEW", "--languages", *words.split()])
    assert arguments.languages == ["en", "de"]


def test_every_option_of_several_values_takes_lists() -> None:
    """No option has to be repeated for each value; what is given takes the place of the default."""
    for name in COMMANDS:
        for task, parser in parsers_of(name, open_command(name)[1]):
            actions = [one for one in parser._actions if isinstance(one, argparse._AppendAction | Listed)]
            assert [one.option_strings for one in actions if one.nargs != "+"] == [], task
    words = "contexts OUT --vectors counts:c --contexts 10,1 5"
    assert open_command("evaluate")[1].parse_args(words.split()).contexts == [10, 1, 5]


@pytest.mark.parametrize(
    ("asked", "with_dumps", "chosen"),
    [(["fr", "de"], ["en"], ["de", "fr"]), (None, ["ja", "en"], ["en", "ja"]), ([], ["en"], ["en"])],
)
def test_languages_are_those_asked_for_else_those_with_dumps(
    asked: list[str] | None, with_dumps: list[str], chosen: list[str]
) -> None:
    """Sorted, in whatever order they were named; the recipe's come last."""
    recipe = load_recipe("wikisem500")
    assert choose_languages(asked, with_dumps, recipe) == chosen
    assert choose_languages(None, [], recipe) == sorted(recipe.languages)


def test_the_setup_file_of_workers_is_found_from_anywhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Beam builds a package in another folder. Both ways of writing the option; all other words stay as they are."""
    monkeypatch.setenv("WIKISEM_SDIST_EXTRA", "")
    monkeypatch.chdir(tmp_path)
    path = str(tmp_path / "setup.py")
    words = ["--runner", "DataflowRunner", "--setup_file", "setup.py", "--region", "here", "--setup_file=./setup.py"]
    assert absolute_setup_file(words) == [*words[:3], path, *words[4:6], f"--setup_file={path}"]
