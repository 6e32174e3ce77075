"""What the words of options mean: conversions that refuse a word before any work, with what was expected."""

import argparse
import re
from collections.abc import Callable
from pathlib import Path
from typing import Final, TypeVar
from urllib.parse import urlsplit

from wikisem.errors import UsageError, WikisemError
from wikisem.ids import check_property
from wikisem.queries.http_client import fits_header
from wikisem.transforms.io.addresses import check_address, is_local
from wikisem.wikis import known_language

T = TypeVar("T")

# A day: no server keeps a connection for longer, and clocks of the system take no time that is much longer.
_LONGEST_TIME: Final = 86_400
# Lexemes are in more languages than labels (Old Norse, Middle English), and a spelling may be named by an item:
# "mis-x-Q36790" (https://www.wikidata.org/wiki/Wikidata:Lexicographical_data/Documentation, 2026-11).
_LEXEME_LANGUAGE: Final = re.compile(r"[a-z]{3}(-[a-z0-9]{2,8})*|[a-z]{2,3}(-[a-z0-9]{2,8})*-x-Q[1-9][0-9]{0,17}")
_FIGURES: Final = (".png", ".svg", ".pdf")


def argument(convert: Callable[[str], T]) -> Callable[[str], T]:
    """A conversion whose error argparse shows as it is, where it would else say "invalid value" alone."""

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
    """The numbers from 1 up of a comma-separated list, ascending, each once."""
    return sorted({_whole(number.strip(), 1) for number in text.split(",")})


def parse_languages(text: str) -> list[str]:
    """The codes of a comma-separated list, in its order, each once; BadIdError for what is no known language."""
    return list(dict.fromkeys(known_language(code.strip()) for code in text.split(",")))


def lexeme_languages(text: str) -> list[str]:
    """The same of the languages of lexemes: of ISO 639-3, however old the language, and what is named by an item.

    >>> lexeme_languages("de,non,mis-x-Q36790")
    ['de', 'non', 'mis-x-Q36790']
    """
    codes = [code.strip() for code in text.split(",")]
    return list(dict.fromkeys(code if _LEXEME_LANGUAGE.fullmatch(code) else known_language(code) for code in codes))


def properties(text: str) -> tuple[str, ...]:
    """The property ids of a comma-separated list, sorted, each once; BadIdError for what is none."""
    return tuple(sorted({check_property(code.strip()) for code in text.split(",") if code.strip()}))


def folder(text: str) -> str:
    """A folder without its last slash. An empty word, as an unset variable leaves it, must not mean the root."""
    if not text.strip():
        raise UsageError(f"expected a folder or a URL, saw {text!r}")
    return check_address(text).rstrip("/") or "/"


def contact(text: str) -> str:
    """Whom a server's operators can write to; UsageError for what no HTTP header can hold."""
    if not fits_header(text):
        raise UsageError(f"expected an e-mail address or a web page, saw {text!r}")
    return text


def web_address(text: str) -> str:
    """A URL of a web server; UsageError for another one."""
    try:
        parts = urlsplit(text)
        known = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:  # a missing bracket, or a port that is no number
        known = False
    if not known:
        raise UsageError(f"expected a URL such as https://example.org/path, saw {text!r}")
    return text


def seconds(text: str) -> float:
    """A time above zero; UsageError for what is none."""
    try:
        number = float(text)
    except ValueError:
        number = 0.0
    if not 0 < number <= _LONGEST_TIME:
        raise UsageError(f"expected seconds from above 0 to {_LONGEST_TIME:,}, saw {text!r}")
    return number


def figure_file(text: str) -> Path:
    """A file to draw into, whose suffix names its form; refused before any work, which may take hours."""
    if Path(text).suffix not in _FIGURES:
        raise UsageError(f"expected a file that ends in {', '.join(_FIGURES)}, saw {text!r}")
    return Path(text)


def local_output(text: str) -> str:
    """A folder on this machine without its last slash, for what is written with plain files."""
    if not is_local(text) and not text.startswith("file://"):
        raise UsageError(f"expected a folder on this machine, saw {text!r}")
    return folder(text)


def rate(text: str) -> float:
    """A share from 0 to 1, as a number or in percent; UsageError for another."""
    try:
        share = float(text[:-1]) / 100 if text.endswith("%") else float(text)
    except ValueError:
        share = -1.0
    if not 0 <= share <= 1:
        raise UsageError(f"expected a rate from 0 to 1 such as 0.01 or 1%, saw {text!r}")
    return share


def _whole(text: str, least: int) -> int:
    if not text.isdecimal() or not least <= int(text) < 2**64:
        raise UsageError(f"expected a whole number from {least} up, saw {text!r}")
    return int(text)
