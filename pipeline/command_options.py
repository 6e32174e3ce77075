"""Options that several commands share: how they are declared, and what their words mean."""

import argparse
import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import chain
from pathlib import Path
from typing import Any, Final, TypeVar
from urllib.parse import urlsplit

from wikisem.categories.word_filter import WordFilter, read_vocabulary
from wikisem.errors import UsageError, WikisemError
from wikisem.files import check_address, is_local, path_of
from wikisem.ids import check_property, check_qid
from wikisem.recipes.load import load_recipe, shipped_recipes
from wikisem.recipes.options import Recipe
from wikisem.web import fits_header
from wikisem.wikidata.line_types import DEFAULT_PROPERTIES
from wikisem.wikis import known_language

# What commands that read test groups take.
DATA_SET: Final = (
    "a run's OUT or a release (a path, https:// or hf://datasets/OWNER/NAME), .jsonl or .parquet groups, a folder of "
    "WikiSem500 text, or a .tar.gz of these"
)
_MAX_UNREADABLE: Final = 0.01
T = TypeVar("T")

# The options, each declared once.


def add_recipe(parser: argparse.ArgumentParser) -> None:
    """Declare RECIPE."""
    parser.add_argument(
        "recipe", metavar="RECIPE", help=f"a TOML file, or the name of a shipped recipe: {', '.join(shipped_recipes())}"
    )
    parser.set_defaults(seed=None)


def add_recipe_seed(parser: argparse.ArgumentParser) -> None:
    """Declare --seed, for stages that draw something."""
    parser.add_argument("--seed", type=at_least(0), metavar="N", help="overrides the recipe's seed")


def add_seed(parser: argparse.ArgumentParser, of: str, default: int) -> None:
    """Declare --seed for a command without a recipe; ``of`` says what is drawn by it."""
    parser.add_argument(
        "--seed", type=at_least(0), default=default, metavar="N", help=f"the seed of {of} (default: {default})"
    )


def add_output(parser: argparse.ArgumentParser) -> None:
    """Declare --output, --workers and --break-lock."""
    parser.add_argument(
        "--output",
        required=True,
        type=argument(folder),
        metavar="OUT",
        help="the output folder or URL, shared by all stages",
    )
    add_run(parser)


def add_run(parser: argparse.ArgumentParser) -> None:
    """Declare --workers and --break-lock, for commands that run a pipeline into an output folder."""
    parser.set_defaults(max_unreadable=_MAX_UNREADABLE)
    parser.add_argument(
        "--workers",
        type=at_least(1),
        metavar="N",
        help="local worker processes (default: one for each core, or one for less than 64 MiB of input); after --, "
        "Beam's options choose another runner",
    )
    parser.add_argument(
        "--break-lock",
        action="store_true",
        help="start even though another run seems to be at work in OUT, if you know that it has ended",
    )


def add_max_unreadable(parser: argparse.ArgumentParser) -> None:
    """Declare --max-unreadable, for commands that read dumps."""
    parser.add_argument(
        "--max-unreadable",
        type=argument(rate),
        default=_MAX_UNREADABLE,
        metavar="RATE",
        help="the share of unreadable records above which a run fails, from 100 of them on (default: 0.01)",
    )


def add_folder(
    parser: argparse.ArgumentParser,
    metavar: str = "OUT",
    text: str = "the output folder or URL",
    *,
    required: bool = True,
) -> None:
    """Declare --output for a command that writes plain files."""
    parser.add_argument("--output", required=required, type=argument(result_folder), metavar=metavar, help=text)


def add_local_output(
    parser: argparse.ArgumentParser, metavar: str = "OUT", text: str = "the output folder", *, required: bool = True
) -> None:
    """Declare --output for a command that writes to a folder on this machine alone."""
    parser.add_argument("--output", required=required, type=argument(local_output), metavar=metavar, help=text)


def add_wikidata(parser: argparse.ArgumentParser) -> None:
    """Declare --wikidata and --properties."""
    parser.add_argument(
        "--wikidata",
        required=True,
        nargs="+",
        action="extend",
        metavar="PATH",
        help="the Wikidata JSON dump (.json, .gz, .bz2, .zst): files, globs or URLs of all its parts; or folders of "
        "public Parquet tables",
    )
    parser.add_argument(
        "--properties",
        action=Listed,
        nargs="+",
        type=argument(properties),
        default=DEFAULT_PROPERTIES,
        metavar="PROPERTY",
        help=f"statements to keep, for category sets (default: {','.join(DEFAULT_PROPERTIES)})",
    )


def add_wikipedia(parser: argparse.ArgumentParser, *, required: bool) -> None:
    """Declare --wikipedia."""
    parser.add_argument(
        "--wikipedia",
        required=required,
        default=[],
        nargs="+",
        action="extend",
        metavar="LANG=PATH",
        help="the XML dump of a language's Wikipedia (.xml, .bz2, .gz, .zst): every part",
    )


def add_profile(
    parser: argparse.ArgumentParser,
    text: str = "a profile file for a language, instead of OUT/languages/LANG.toml",
) -> None:
    """Declare --profile."""
    parser.add_argument("--profile", default=[], nargs="+", action="extend", metavar="LANG=FILE", help=text)


def add_checksum(parser: argparse.ArgumentParser) -> None:
    """Declare --checksum."""
    parser.add_argument(
        "--checksum",
        action="store_true",
        help="identify inputs by SHA-256, not by path, size and time, also in the manifest",
    )


def add_languages(
    parser: argparse.ArgumentParser,
    default: str = "",
    text: str = "the languages",
    convert: Callable[[str], list[str]] | None = None,
    also: Sequence[str] = (),
) -> None:
    """Declare --languages, required without a ``default``; ``convert`` reads other codes, ``also`` is another name."""
    parser.add_argument(
        "--languages",
        *also,
        action=Listed,
        nargs="+",
        required=not default,
        type=argument(convert or parse_languages),
        default=[],
        metavar="LANG",
        help=f"{text}, such as en,de" + (f" (default: {default})" if default else ""),
    )


def add_contact(parser: argparse.ArgumentParser, whose: str, note: str, default: str | None = None) -> None:
    """Declare --contact for a command that asks a server; ``note`` says who has to give one and the default."""
    parser.add_argument(
        "--contact",
        type=argument(contact),
        default=default,
        metavar="ADDRESS",
        help=f"your e-mail address or web page, sent to {whose} operators as User-Agent{note}",
    )


def add_timeout(parser: argparse.ArgumentParser, default: float, what: str) -> None:
    """Declare --timeout: how long ``what`` may take."""
    parser.add_argument(
        "--timeout",
        type=argument(seconds),
        default=default,
        metavar="SECONDS",
        help=f"the longest wait for {what} (default: {default:g})",
    )


# The options of commands that make test sets of words.


def add_questions(parser: argparse.ArgumentParser) -> None:
    """Declare --questions and the --seed that draws them."""
    parser.add_argument(
        "--questions",
        type=at_least(0),
        default=20_000,
        metavar="N",
        help="at most N analogy questions a relation, drawn by the seed; 0 for all n(n - 1) (default: 20000)",
    )
    add_seed(parser, "the questions", 500)


def add_files(parser: argparse.ArgumentParser, option: str, text: str) -> None:
    """Declare an option that takes files, several at once or again and again."""
    parser.add_argument(
        option, nargs="+", action="extend", default=[], type=argument(path_of), metavar="FILE", help=text
    )


def add_cases(parser: argparse.ArgumentParser) -> None:
    """Declare --cases, answers of models that a page shows."""
    add_files(parser, "--cases", "the answers of models, which evaluate outliers wrote to --cases FILE, for the page")


def add_word_filter(parser: argparse.ArgumentParser) -> None:
    """Declare --vocabulary and --single-words."""
    parser.add_argument(
        "--vocabulary",
        type=argument(path_of),
        metavar="FILE",
        help="keep only words that begin a line of this file, such as word vectors in text form (.gz and .bz2 too)",
    )
    parser.add_argument("--single-words", action="store_true", help="keep only words without a blank")


def read_word_filter(arguments: argparse.Namespace) -> WordFilter:
    """The filter that --vocabulary and --single-words describe."""
    vocabulary = read_vocabulary(arguments.vocabulary) if arguments.vocabulary else None
    return WordFilter(vocabulary, arguments.single_words)


# What the options ask for.


def read_recipe(arguments: argparse.Namespace) -> Recipe:
    """The recipe that a command names, with the seed of --seed if that is given."""
    recipe = load_recipe(arguments.recipe)
    return recipe if arguments.seed is None else replace(recipe, seed=arguments.seed)


def choose_languages(asked: Sequence[str] | None, with_dumps: Sequence[str], recipe: Recipe) -> list[str]:
    """The languages of a run, sorted: --languages, else those of --wikipedia, else the recipe's."""
    return sorted(set(asked or with_dumps or recipe.languages))


# What the words of options mean. A word is refused before any work, with what was expected.

# A day: no server keeps a connection for longer, and clocks of the system take no time that is much longer.
_LONGEST_TIME: Final = 86_400
# Lexemes are in more languages than labels (Old Norse, Middle English), and a spelling may be named by an item:
# "mis-x-Q36790" (https://www.wikidata.org/wiki/Wikidata:Lexicographical_data/Documentation, 2026-11).
_LEXEME_LANGUAGE: Final = re.compile(r"[a-z]{3}(-[a-z0-9]{2,8})*|[a-z]{2,3}(-[a-z0-9]{2,8})*-x-Q[1-9][0-9]{0,17}")
_FIGURES: Final = (".png", ".svg", ".pdf")


class Listed(argparse.Action):
    """An option whose words are lists, as `en,de`: its value is all of them together, each value once, in order."""

    def __call__(self, parser: argparse.ArgumentParser, namespace: argparse.Namespace, values: Any, *_: Any) -> None:
        """Add the values of some words to those of earlier ones, which take the place of the default."""
        del parser
        seen = getattr(namespace, self.dest)
        setattr(namespace, self.dest, list(dict.fromkeys(chain(() if seen is self.default else seen, *values))))


def argument(convert: Callable[[str], T]) -> Callable[[str], T]:
    """A conversion whose errors argparse shows as they are; it would otherwise only say "invalid value"."""

    def converted(text: str) -> T:
        try:
            return convert(text)
        except WikisemError as error:
            raise argparse.ArgumentTypeError(str(error)) from error

    return converted


def at_least(least: int) -> Callable[[str], int]:
    """A conversion to whole numbers from ``least`` up."""
    return argument(lambda text: _whole(text, least))


def whole_numbers(text: str) -> list[int]:
    """The numbers from 1 up of a comma-separated list."""
    return [_whole(number, 1) for number in _parts(text)]


def _parts(text: str) -> list[str]:
    """The parts between commas; a last comma, as blanks leave it in `en, de`, begins none."""
    return [part.strip() for part in text.strip(", ").split(",")]


def _whole(text: str, least: int) -> int:
    if not text.isdecimal() or not least <= int(text) < 2**64:
        raise UsageError(f"expected a whole number from {least} up, saw {text!r}")
    return int(text)


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


def parse_languages(text: str) -> list[str]:
    """The codes of a comma-separated list, in its order; BadIdError for an unknown language."""
    return [known_language(code) for code in _parts(text)]


def lexeme_languages(text: str) -> list[str]:
    """The codes of a comma-separated list of languages of lexemes, which may be of ISO 639-3 or named by an item.

    >>> lexeme_languages("de,non,mis-x-Q36790")
    ['de', 'non', 'mis-x-Q36790']
    """
    return [code if _LEXEME_LANGUAGE.fullmatch(code) else known_language(code) for code in _parts(text)]


def properties(text: str) -> list[str]:
    """The property ids of a comma-separated list; BadIdError for anything else."""
    return [check_property(code) for code in _parts(text) if code]


def items(text: str) -> list[str]:
    """The QIDs of a comma-separated list; BadIdError for anything else."""
    return [check_qid(code) for code in _parts(text)]


def contact(text: str) -> str:
    """The address that a server's operators can write to; UsageError if no HTTP header can hold it."""
    if not fits_header(text):
        raise UsageError(f"expected an e-mail address or a web page, saw {text!r}")
    return text


def web_address(text: str) -> str:
    """The URL of a web server; UsageError for anything else."""
    try:
        parts = urlsplit(text)
        known = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:  # a missing bracket, or a port that is no number
        known = False
    if not known:
        raise UsageError(f"expected a URL such as https://example.org/path, saw {text!r}")
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


def add_figure(parser: argparse.ArgumentParser, option: str, drawn: str) -> None:
    """Declare the option of a file to draw into; ``drawn`` says what."""
    text = f"draw {drawn} into this .png, .svg or .pdf file (needs matplotlib: pip install 'wikisem[figures]')"
    parser.add_argument(option, type=argument(figure_file), metavar="FILE", help=text)


def figure_file(text: str) -> Path:
    """A file to draw into, with the suffix of a format that can be drawn; others are refused before any work."""
    if Path(text).suffix not in _FIGURES:
        raise UsageError(f"expected a file that ends in {', '.join(_FIGURES)}, saw {text!r}")
    return path_of(text)
