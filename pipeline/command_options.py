"""Options of commands: how they are declared, what their words mean, and those that several commands share."""

import argparse
import re
from collections.abc import Callable, Collection, Mapping
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Any, Final, TypeAlias, TypeVar

from wikisem.errors import UsageError, WikisemError
from wikisem.files import check_address, is_local, path_of
from wikisem.ids import check_language
from wikisem.wikis import known_language

# What commands that read test groups take.
DATA_SET: Final = (
    "a run's OUT or a release (a path, https:// or hf://datasets/OWNER/NAME), .jsonl or .parquet groups, a folder of "
    "WikiSem500 text, or a .tar.gz of these"
)
# The share of unreadable records above which a run fails.
MAX_UNREADABLE: Final = 0.01
# A day: no server keeps a connection for longer, and clocks of the system take no time that is much longer.
_LONGEST_TIME: Final = 86_400
T = TypeVar("T")
_Declares: TypeAlias = argparse._ActionsContainer  # noqa: SLF001 - what parsers and groups of options have in common


def add(
    parser: _Declares,
    usage: str,
    text: str,
    convert: Callable[[str], Any] | Collection[str] | None = None,
    default: Any = None,
    **more: Any,
) -> None:
    """Declare an option or an argument, which is written as in a usage line.

    "--json" is a flag, "--number N" takes a value, "--scores FILE..." several, at once or again and again, and
    "--item ITEM,..." lists of values. "dataset=OUT" is an argument, "name=CLASS?" one that may be left out, and
    "files=SAMPLES..." one or more. ``convert`` reads a word, or has the words to choose from.
    """
    names = [word for word in usage.split() if word.startswith("-")]
    dest, _, metavar = ("", "", usage.rsplit(maxsplit=1)[-1]) if names else usage.partition("=")
    if metavar in names and convert is None:  # a flag: its usage ends in its name
        parser.add_argument(*names, help=text, **{"action": "store_true", **more})
        return
    several, listed = metavar.endswith("..."), metavar.endswith(",...")
    if several or metavar.endswith("?"):
        more["nargs"] = "+" if several else "?"
    if several and names:
        more["action"], default = (Listed if listed else "extend"), default or []
    if metavar not in names and not isinstance(convert, Collection):  # else argparse lists the choices in its place
        more["metavar"] = metavar.rstrip(",.?")
    if convert is not None:
        more |= {"choices": convert} if isinstance(convert, Collection) else {"type": partial(argument, convert)}
    if default is not None:
        more["default"] = default
    parser.add_argument(*(names or [dest]), help=text, **more)


# By the first words of options, what ``add`` takes of them besides usage and help.
Options: TypeAlias = dict[str, dict[str, Any]]


def options_of(manual: str, how: Options) -> dict[str, Callable[..., None]]:
    """Read options, by their first words, from a manual: each has its usage, two blanks, and its help.

    Further lines of a help are indented. "!" after a word says that it is required. A word that several commands use
    differently has a colon and a name of its own after it. ``how`` says more of options, in place of ``_HOW``.
    """
    how, options = _HOW | how, dict[str, Callable[..., None]]()
    for entry in re.split(r"\n(?=\S)", manual.strip()):
        usage, text = re.split(r" {2,}", entry, maxsplit=1)
        word = re.split("[ =]", usage)[0]
        name = word.rstrip("!")
        plain = name.partition(":")[0]
        more = {**how.get(name, how.get(plain, {})), **({"required": True} if word != name else {})}
        options[name] = partial(add, usage=usage.replace(word, plain, 1), text=text, **more)
    return options


def declare_all(parser: argparse.ArgumentParser, manual: str, how: Options) -> None:
    """Declare all options of a manual, in its order; those with "| " before them exclude the one above."""
    for block in re.split(r"\n(?=[^\s|])", manual.strip()):
        options = options_of(block.replace("\n| ", "\n"), how)
        group = parser.add_mutually_exclusive_group() if len(options) > 1 else parser
        for declare_option in options.values():
            declare_option(group)


def declare(parser: argparse.ArgumentParser, words: str, options: Mapping[str, Callable[..., None]]) -> None:
    """Declare options of a table by its words: "--output!" is required, and "--csv|--json" are one or the other."""
    for word in words.split():
        group = parser.add_mutually_exclusive_group() if "|" in word else parser
        for name in word.split("|"):
            options[name.rstrip("!")](group, **({"required": True} if name.endswith("!") else {}))


# What the words of options mean. A word is refused before any work, with what was expected.


class Listed(argparse.Action):
    """An option whose words are lists, as `en,de`: its value is all of them together, each value once, in order."""

    def __call__(self, parser: argparse.ArgumentParser, namespace: argparse.Namespace, values: Any, *_: Any) -> None:
        """Add the values of some words to those of earlier ones, which take the place of the default."""
        del parser
        seen = getattr(namespace, self.dest)
        setattr(namespace, self.dest, list(dict.fromkeys(chain(() if seen is self.default else seen, *values))))


def argument(convert: Callable[[str], T], text: str) -> T:
    """Convert a word; argparse shows the errors of ours as they are, and would otherwise only say "invalid value"."""
    try:
        return convert(text)
    except WikisemError as error:
        raise argparse.ArgumentTypeError(str(error)) from error


def at_least(least: int) -> Callable[[str], int]:
    """A conversion to whole numbers from ``least`` up, which 64 bits hold."""

    def convert(text: str) -> int:
        if not text.isdecimal() or not least <= int(text) < 2**64:
            raise UsageError(f"expected a whole number from {least} up, saw {text!r}")
        return int(text)

    return convert


def list_of(convert: Callable[[str], T]) -> Callable[[str], list[T]]:
    """A conversion of comma-separated lists; a last comma, as blanks leave it in `en, de`, begins no value."""
    return lambda text: [convert(part.strip()) for part in text.strip(", ").split(",")]


def rate(text: str) -> float:
    """A share from 0 to 1, as a number or in percent; UsageError for anything else."""
    try:
        share = float(text[:-1]) / 100 if text.endswith("%") else float(text)
    except ValueError:
        share = -1.0
    if not 0 <= share <= 1:
        raise UsageError(f"expected a rate from 0 to 1 such as 0.01 or 1%, saw {text!r}")
    return share


def seconds(text: str) -> float:
    """A time above zero, at most a day; UsageError for anything else."""
    try:
        number = float(text)
    except ValueError:
        number = 0.0
    if not 0 < number <= _LONGEST_TIME:
        raise UsageError(f"expected seconds from above 0 to {_LONGEST_TIME:,}, saw {text!r}")
    return number


def contact(text: str) -> str:
    """An address to write to, which an HTTP header can hold; UsageError for anything else."""
    if not (text.strip() and text.isascii() and text.isprintable()):
        raise UsageError(f"expected an e-mail address or a web page, saw {text!r}")
    return text


def folder(text: str) -> str:
    """A folder without its last slash. An empty word, as an unset variable leaves it, must not mean the root."""
    if not text.strip():
        raise UsageError(f"expected a folder or a URL, saw {text!r}")
    return check_address(text).rstrip("/") or "/"


def result_folder(text: str) -> Path:
    """A folder or a URL for the files of a command."""
    return path_of(folder(text))


def local_output(text: str) -> str:
    """A folder on this machine without its last slash."""
    if not is_local(text) and not text.startswith("file://"):
        raise UsageError(f"expected a folder on this machine, saw {text!r}")
    return folder(text)


def file_ending_in(*suffixes: str) -> Callable[[str], Path]:
    """A conversion to files to write, with the suffix of a form that can be written; others are refused at once."""

    def convert(text: str) -> Path:
        if Path(text).suffix not in suffixes:
            raise UsageError(f"expected a file that ends in {', '.join(suffixes)}, saw {text!r}")
        return path_of(text)

    return convert


languages_of: Final = list_of(known_language)
figure_file: Final = file_ending_in(".png", ".svg", ".pdf")

# How options are read that several commands have.
_HOW: Final[Options] = {
    "--languages": {"convert": languages_of},
    "--language": {"convert": check_language},
    "--output": {"convert": result_folder},
    "--output:report": {"convert": file_ending_in(".md", ".csv", ".json", ".html", ".tex")},
    "--figure": {"convert": figure_file},
    "--plot": {"convert": figure_file},
    "--vocabulary": {"convert": path_of},
    "--scores": {"convert": path_of},
    "--cases": {"convert": path_of},
    "--contact": {"convert": contact},
    "--timeout": {"convert": seconds},
    "--seed": {"convert": at_least(0)},
    "--max-unreadable": {"convert": rate, "default": MAX_UNREADABLE},
}
