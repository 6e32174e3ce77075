"""What the texts of a release are made of: texts.toml, and what the templates say of its facts."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from wikisem.outputs.release.metadata import ReleaseFacts
from wikisem.typed_json import packaged_tables
from wikisem.wikis import WIKIPEDIAS

_TEXTS: Final = packaged_tables(__package__, "texts.toml")
DONE: Final[dict[str, str]] = _TEXTS.pop("done")
REASONS: Final[dict[str, str]] = _TEXTS.pop("reasons")
TEXTS: Final[dict[str, str]] = _TEXTS
# Sentences name this many languages, and count more.
_MOST_NAMED: Final = 10
_NAMES: Final = {wiki.code: wiki.name for wiki in WIKIPEDIAS.values()}


def made_up(facts: ReleaseFacts) -> str:
    """The prefix for the names of sources: "made-up ", or nothing for a real set."""
    return "made-up " if facts.made_up else ""


def share(count: int, counts: Mapping[Any, int]) -> str:
    """Write a count as a percentage of the sum of several."""
    return f"{100 * count / sum(counts.values()):.1f} %"


def listed(words: Iterable[str]) -> str:
    """Join words as in a sentence: "a", "a and b", "a, b and c"."""
    *first, last = words
    return f"{', '.join(first)} and {last}" if first else last


def comma(loop: Any) -> str:
    """What is between one turn of a template's loop and the next, as ``listed`` has it."""
    return "" if loop.last else " and " if loop.revindex == 2 else ", "


def languages(codes: Sequence[str]) -> str:
    """Name the languages, or say how many they are."""
    return f"{len(codes)} languages" if len(codes) > _MOST_NAMED else named(codes)


def named(codes: Sequence[str]) -> str:
    """Name all of the languages."""
    return listed([_NAMES.get(code, code) for code in codes])
