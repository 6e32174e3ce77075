"""What both ways of reading a dump line share: what is asked for, what may come of a line, how values are judged."""

import functools
import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final, Literal

from wikisem.wikis import language_of

# What shipped recipes read, so that they need no second pass over the dump: country, continent, capital, currency,
# located in, part of, facet of, capital of, demonym, female and male form of label for category sets; member of, part
# of and participant in for outliers of the recipe wikisem
# (https://www.wikidata.org/wiki/Wikidata:List_of_properties, 2026-11).
DEFAULT_PROPERTIES: Final = (
    *("P17", "P30", "P36", "P38", "P131", "P361", "P1269", "P1376", "P1549", "P2521", "P3321"),
    *("P463", "P1344"),
)
Rank = Literal["preferred", "normal", "deprecated"]
# The fields of an Entity, in its order; each statement is the tuple of its fields.
EntityRow = tuple[
    str,
    tuple[str, ...],
    tuple[str, ...],
    int,
    dict[str, str],
    dict[str, str],
    int,
    tuple[tuple[str, str, str], ...],
    tuple[str, ...],
]
# Item numbers and revisions travel in columns of 64 bits; the highest number was about 1.4 * 10**8 in 2026-09.
MAX_NUMBER: Final = 2**63 - 1
_ITEM: Final = re.compile(r"Q[1-9][0-9]{0,17}").fullmatch


@dataclass(frozen=True, slots=True)
class Fields:
    """What is read of an item: labels in these languages and ``mul`` (None: in all), the statements of these
    properties, of the best rank or of every rank but deprecated.
    """

    labels: tuple[str, ...] | None = None
    properties: tuple[str, ...] = ()
    ranks: Literal["best", "not-deprecated"] = "best"

    @property
    def label_codes(self) -> tuple[str, ...] | None:
        """The languages with ``mul``, each once; None for all."""
        return None if self.labels is None else tuple(sorted({*self.labels, "mul"}))


@dataclass(frozen=True, slots=True)
class LeftOutLine:
    """A line that holds no item, and what it holds instead."""

    reason: str


@dataclass(frozen=True, slots=True)
class UnreadableLine:
    """A line that cannot be read, and why."""

    reason: str
    detail: str


def item_number(qid: str) -> int:
    """The number of an item id that fits 64 bits; 0 for anything else, such as a property's id."""
    return int(qid[1:]) if _ITEM(qid) else 0


# Whether ``item_number`` has a number for an id, which is faster to say: None if it has none.
match_item: Final = _ITEM


# The targets of statements are few and come again and again.
target_number = functools.lru_cache(maxsize=1 << 16)(item_number)


@functools.lru_cache(maxsize=1 << 16)
def target_id(identifier: str) -> str:
    """The id if it is that of an item, else ""."""
    return identifier if item_number(identifier) else ""


def sorted_qids(numbers: Iterable[int]) -> tuple[str, ...]:
    """The ids of item numbers, each once, in the order of the numbers; 0 means no item."""
    return tuple([f"Q{number}" for number in sorted(set(numbers)) if number])


@functools.lru_cache(maxsize=1 << 12)
def is_wikipedia(site: str) -> bool:
    """Whether a site id such as "dewiki" is that of a Wikipedia; "dewiktionary" and "commonswiki" are none."""
    return language_of(site) is not None
