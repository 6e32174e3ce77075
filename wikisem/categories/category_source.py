"""Where the items of a category come from: one interface for a query service and for the entities of a build."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from wikisem.categories.recipe import Category, PropertyPath
from wikisem.ids import qid_number
from wikisem.records import Statement


@dataclass(frozen=True, slots=True)
class CandidateItem:
    """An item that a category takes in, with the number of its sitelinks."""

    qid: str
    sitelinks: int


class CategorySource(Protocol):
    """Answers three questions about Wikidata's items; every source answers them alike on the same data.

    Statements are those of best rank, as ``wdt:`` has them. Properties, lexemes and unknown values are no items.
    """

    def items(self, category: Category) -> list[CandidateItem]:
        """The items of a class, property or pattern with ``min_sitelinks`` or more, by QID, before any ``limit``."""
        ...

    def values(self, qids: Sequence[str], path: PropertyPath) -> Mapping[str, Sequence[Statement]]:
        """The items and monolingual texts that a path leads to from each item, sorted; items without any are absent."""
        ...

    def labels(self, qids: Sequence[str], codes: Sequence[str]) -> Mapping[str, Mapping[str, str]]:
        """The labels of items under the given language codes; items without any are absent."""
        ...

    def notes(self) -> Sequence[str]:
        """What the source could not know, in sentences for the person who asked."""
        ...


def most_prominent(candidates: Iterable[CandidateItem], limit: int = 0) -> list[CandidateItem]:
    """Most sitelinks first, ties by lower QID compared as numbers; at most ``limit`` of them, 0 for all."""
    ranked = sorted(candidates, key=lambda one: (-one.sitelinks, qid_number(one.qid)))
    return ranked[: limit or None]


def sorted_values(statements: Iterable[Statement]) -> list[Statement]:
    """Items first, by number, then texts by language and code points; each once."""
    return sorted(set(statements), key=_value_key)


def _value_key(statement: Statement) -> tuple[str, int, str]:
    if statement.language:
        return (statement.language, 0, statement.value)
    return ("", qid_number(statement.value), "")
